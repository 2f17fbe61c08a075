//! The format of `report.json`. `docs/batches.md` describes it for users.

use std::io::Write;

use clreduce_batch::{CaseRecord, CommitRecord};
use clreduce_testcase::{SourceFile, printable_json};
use clreduce_triage::Ranked;
use serde::Serialize;

use crate::{BatchReport, CampaignOutcomes, ReportError, ReportRow, Stopped};

/// Number of the format of `report.json`. It grows when a field is removed or gets another meaning, not when one is
/// added.
pub const SCHEMA: u32 = 1;

/// The fields of `report.json` beside its list `cases`, each of which is a [`ReportedCase`].
#[derive(Serialize)]
pub(crate) struct ReportFields<'a> {
    /// [`SCHEMA`].
    schema: u32,
    /// Version of clreduce that wrote the report.
    version: &'static str,
    /// Title of the report.
    title: &'a str,
    /// The signature of each cluster of similar cases, the largest cluster first. One may be empty.
    clusters: &'a [String],
    /// The outcomes of a campaign.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcomes: Option<&'a CampaignOutcomes>,
}

/// A case: its record, with the fields of `case.json`, its place in the order, and its details.
#[derive(Serialize)]
pub(crate) struct ReportedCase<'a> {
    #[serde(flatten)]
    pub(crate) record: &'a CaseRecord,
    #[serde(flatten)]
    pub(crate) place: PlaceInOrder<'a>,
    /// Path of the original.
    path: String,
    /// The bug report in Markdown, if there is one.
    pub(crate) bug_report: Option<String>,
    /// The files of the result.
    pub(crate) reduced: Vec<ReducedFile>,
    /// Commands that repeat the reduction and the test.
    pub(crate) commands: Vec<RepeatCommand>,
    /// Every commit, in order.
    pub(crate) commits: Vec<CommitRecord>,
}

/// The place of a case in the order in which to look at the results. Without a result there is none.
#[derive(Serialize)]
pub(crate) struct PlaceInOrder<'a> {
    /// Number in the order, from 1.
    rank: Option<usize>,
    /// The signature of the cluster that the case belongs to.
    pub(crate) cluster: Option<&'a str>,
    /// The earlier case from which this one differs only in names and layout.
    duplicate_of: Option<&'a str>,
    /// The case equals a program that `--known` names.
    known: bool,
    /// Distance to the nearest earlier case, from 0 to 2.
    distance: Option<f64>,
}

/// One file of a result.
#[derive(Serialize)]
pub(crate) struct ReducedFile {
    /// Path in the test case.
    pub(crate) path: String,
    /// Its text. Bytes that are not UTF-8 are replaced.
    pub(crate) text: String,
}

/// A command for a shell.
#[derive(Serialize)]
pub(crate) struct RepeatCommand {
    /// Its purpose.
    pub(crate) what: String,
    /// The command.
    pub(crate) command: String,
}

impl BatchReport<'_> {
    /// The fields of the report beside its cases.
    pub(crate) fn head(&self) -> ReportFields<'_> {
        ReportFields {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            title: self.title,
            clusters: &self.triage.clusters,
            outcomes: self.outcomes,
        }
    }

    /// Writes `report.json`, case by case.
    pub(crate) fn write_data(&self, file: &mut dyn Write) -> Result<(), Stopped> {
        let head = serde_json::to_string(&self.head())?;
        let head = printable_json(&head);
        // The list of cases goes in before the last brace.
        write!(file, "{},\"cases\":[", head.strip_suffix('}').unwrap_or(&head))?;
        for (index, row) in self.rows().iter().enumerate() {
            file.write_all(if index == 0 { b"\n" } else { b",\n" })?;
            let case = serde_json::to_string(&self.reported(index, row)?)?;
            file.write_all(printable_json(&case).as_bytes())?;
        }
        file.write_all(b"\n]}\n")?;
        Ok(())
    }

    /// A case with all its details, which are read from its folder.
    pub(crate) fn reported<'a>(
        &'a self,
        index: usize,
        row: &ReportRow<'a>,
    ) -> Result<ReportedCase<'a>, ReportError> {
        let record = row.record;
        let details = (self.details)(record)?;
        let text = |file: &SourceFile| ReducedFile {
            path: file.path.to_string(),
            text: String::from_utf8_lossy(&file.bytes).into_owned(),
        };
        let commands = details.commands.into_iter();
        Ok(ReportedCase {
            record,
            place: self.place(index, row),
            path: details.path.display().to_string(),
            bug_report: details.bug_report,
            reduced: details.result.iter().flat_map(|case| case.files()).map(text).collect(),
            commands: commands.map(|(what, command)| RepeatCommand { what, command }).collect(),
            commits: details.commits,
        })
    }

    /// The place of a case in the order.
    pub(crate) fn place<'a>(&'a self, index: usize, row: &ReportRow<'a>) -> PlaceInOrder<'a> {
        let ranked = row.ranked;
        PlaceInOrder {
            rank: ranked.map(|_| index + 1),
            cluster: ranked.map(|ranked| self.triage.clusters[ranked.cluster].as_str()),
            duplicate_of: ranked.and_then(|ranked| self.first_of(ranked)),
            known: ranked.is_some_and(|ranked| ranked.known.is_some()),
            distance: ranked.map(|ranked| ranked.distance),
        }
    }

    /// The name of the case that another one equals.
    fn first_of(&self, ranked: &Ranked) -> Option<&str> {
        ranked.duplicate_of.map(|first| self.records[self.triaged[first]].name.as_str())
    }
}
