//! The page: `page.html` with the report as text and pictures, and with its data.
//!
//! A script takes the place of the text. It lists all cases at once, so the figures of its table are plain JSON. The details
//! of a case are compressed, and the script unpacks them when somebody opens the case.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clreduce_batch::{CaseOutcome, CaseRecord, Measure};
use clreduce_testcase::{TestCase, printable_json};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::json::{PlaceInOrder, ReportFields, ReportedCase};
use crate::pictures::{self, AgreeingGroup, VersionSeen, escaped};
use crate::{BatchReport, ReportError, ReportRow, Stopped};

/// The page without data.
const TEMPLATE: &str = include_str!("page.html");
/// The colours and places of everything on a page.
const STYLE: &str = include_str!("page.css");
/// Comment in the page that the style replaces.
const STYLE_HERE: &str = "/* page.css is here. */\n";
/// Comment in the page that the report as text replaces.
const TEXT_HERE: &str = "<!-- The report without scripts is here. -->\n";
/// Comment in the page that the data replace.
const DATA_HERE: &str = "<!-- The data of the report are here. -->\n";

/// The figures of the first page.
#[derive(Serialize)]
struct Overview<'a> {
    #[serde(flatten)]
    head: ReportFields<'a>,
    cases: Vec<CaseFigures<'a>>,
}

/// A line of the table of cases.
#[derive(Serialize)]
struct CaseFigures<'a> {
    name: &'a str,
    outcome: CaseOutcome,
    reason: &'a str,
    /// The first line of the result, to recognise it by.
    first_line: String,
    before: Measure,
    after: Measure,
    steps: u64,
    tests: u64,
    seconds: f64,
    #[serde(flatten)]
    place: PlaceInOrder<'a>,
}

/// A case with its pictures.
#[derive(Serialize)]
struct CaseOnPage<'a> {
    #[serde(flatten)]
    case: ReportedCase<'a>,
    pictures: CasePictures,
}

/// The pictures of a case, as markup.
#[derive(Serialize)]
pub(crate) struct CasePictures {
    pub(crate) size: String,
    pub(crate) map: String,
    pub(crate) time: String,
}

impl CasePictures {
    pub(crate) fn of(case: &ReportedCase<'_>) -> Self {
        let (record, commits) = (case.record, &case.commits[..]);
        Self {
            size: pictures::size(record, commits),
            map: pictures::map(record, commits),
            time: pictures::time(record),
        }
    }
}

/// The page of versions of a compiler: `text` says what they show.
#[must_use]
pub fn page_of_versions(title: &str, text: &str, versions: &[VersionSeen]) -> String {
    let versions = pictures::versions(versions);
    still_page(title, &format!("<p>{}</p>{versions}", escaped(text)))
}

/// The page of configurations that agree, or do not: `text` says which one is suspected.
#[must_use]
pub fn page_of_groups(title: &str, text: &str, groups: &[AgreeingGroup]) -> String {
    let groups = pictures::groups(groups);
    still_page(title, &format!("<p>{}</p>{groups}", escaped(text)))
}

/// A page without data and scripts.
fn still_page(title: &str, body: &str) -> String {
    let head = TEMPLATE.split("<title>").next().unwrap_or_default();
    let title = escaped(title);
    format!(
        "{head}<title>{title}</title>\n<style>\n{STYLE}</style>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</html>\n"
    )
}

impl BatchReport<'_> {
    pub(crate) fn write_page(&self, file: &mut dyn Write) -> Result<(), Stopped> {
        let template = TEMPLATE.replacen(STYLE_HERE, STYLE, 1);
        let (start, end) = template.split_once(DATA_HERE).unwrap_or((&template, ""));
        let (start, _) = start.split_once(TEXT_HERE).unwrap_or((start, ""));
        file.write_all(start.as_bytes())?;
        let rows = self.rows();
        self.write_text(file, &rows)?;
        let cases = rows.iter().enumerate().map(|(index, row)| self.figures(index, row));
        let cases = cases.collect::<Result<_, ReportError>>()?;
        let overview = serde_json::to_string(&Overview { head: self.head(), cases })?;
        // No text of a program can end the element that it stands in.
        let overview = printable_json(&overview).replace('<', "\\u003c");
        writeln!(file, "<script type=application/json id=overview>{overview}</script>")?;
        for (index, row) in rows.iter().enumerate() {
            let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
            let case = self.reported(index, row)?;
            let pictures = CasePictures::of(&case);
            serde_json::to_writer(&mut compressed, &CaseOnPage { case, pictures })?;
            let details = STANDARD.encode(compressed.finish()?);
            writeln!(file, "<script type=text/plain id=case-{index}>{details}</script>")?;
        }
        Ok(file.write_all(end.as_bytes())?)
    }

    fn figures<'a>(
        &'a self,
        index: usize,
        row: &ReportRow<'a>,
    ) -> Result<CaseFigures<'a>, ReportError> {
        let result = (self.details)(row.record)?.result;
        let CaseRecord { name, outcome, reason, before, after, steps, tests, seconds, .. } =
            row.record;
        Ok(CaseFigures {
            name,
            outcome: *outcome,
            reason,
            first_line: result.as_ref().map(first_line).unwrap_or_default(),
            before: *before,
            after: *after,
            steps: *steps,
            tests: *tests,
            seconds: *seconds,
            place: self.place(index, row),
        })
    }
}

/// The first line of a program that says something about it.
fn first_line(case: &TestCase) -> String {
    let text = case.files().first().map(|file| String::from_utf8_lossy(&file.bytes));
    let text = text.unwrap_or_default();
    let mut lines = text.lines().map(str::trim);
    let says = |line: &&str| !line.is_empty() && !line.starts_with("//");
    let line = lines.find(says).unwrap_or_default();
    line.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_place_for_the_data_and_loads_nothing() {
        for place in [STYLE_HERE, TEXT_HERE, DATA_HERE] {
            assert_eq!(TEMPLATE.matches(place).count(), 1, "{place}");
        }
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            let refers = TEMPLATE.contains(outside) || STYLE.contains(outside);
            assert!(!refers, "the page refers to {outside}");
        }
    }
}
