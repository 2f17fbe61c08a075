//! The page: `page.html` with the data of the report in it.
//!
//! The page lists all cases at once, so the figures of its table are plain JSON. The details of a case are compressed,
//! and the page unpacks them when somebody opens the case.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clreduce_batch::{CaseOutcome, CaseRecord, Measure};
use clreduce_testcase::{TestCase, printable_json};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::json::{PlaceInOrder, ReportFields};
use crate::{BatchReport, ReportError, ReportRow, Stopped};

/// The page without data.
const TEMPLATE: &str = include_str!("page.html");
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

impl BatchReport<'_> {
    pub(crate) fn write_page(&self, file: &mut dyn Write) -> Result<(), Stopped> {
        let (start, end) = TEMPLATE.split_once(DATA_HERE).unwrap_or((TEMPLATE, ""));
        file.write_all(start.as_bytes())?;
        let rows = self.rows();
        let cases = rows.iter().enumerate().map(|(index, row)| self.figures(index, row));
        let cases = cases.collect::<Result<_, ReportError>>()?;
        let overview = serde_json::to_string(&Overview { head: self.head(), cases })?;
        // No text of a program can end the element that it stands in.
        let overview = printable_json(&overview).replace('<', "\\u003c");
        writeln!(file, "<script type=application/json id=overview>{overview}</script>")?;
        for (index, row) in rows.iter().enumerate() {
            let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
            serde_json::to_writer(&mut compressed, &self.reported(index, row)?)?;
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
        assert_eq!(TEMPLATE.matches(DATA_HERE).count(), 1);
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!TEMPLATE.contains(outside), "the page refers to {outside}");
        }
    }
}
