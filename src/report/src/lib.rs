//! Reports: a bug report as text, and the report on a batch, `report.json` for programs and `report.html`, the same data
//! with a page that draws them.
//!
//! The page is one static file, `page.html`, into which the data are copied. It needs no network and no other file, so
//! a browser can open it from the disk.

mod bug_report;
mod json;
mod page;
mod pictures;
mod plain;
mod programs;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clreduce_batch::{CaseRecord, CommitRecord, read_history};
use clreduce_testcase::{InvalidTestCase, TestCase};
use clreduce_triage::{Ranked, Triage};
use serde::Serialize;
use thiserror::Error;

pub use bug_report::{BugReport, ReportBlock, Section};
pub use json::SCHEMA;
pub use page::{page_of_groups, page_of_versions};
pub use pictures::{AgreeingGroup, VersionMark, VersionSeen};
pub use programs::{read_program, read_result};

/// Name of the page in the folder of results.
pub const PAGE: &str = "report.html";
/// Name of the file with the data in the folder of results.
pub const DATA: &str = "report.json";

/// Everything that the report on a batch is made of.
pub struct BatchReport<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// The records of all cases.
    pub records: &'a [CaseRecord],
    /// The order of the cases that have a result.
    pub triage: &'a Triage,
    /// For each case of the triage, the index of its record.
    pub triaged: &'a [usize],
    /// The outcomes of a campaign, if the cases come from one.
    pub outcomes: Option<&'a CampaignOutcomes>,
    /// Finds the details of a case.
    pub details: &'a dyn Fn(&CaseRecord) -> Result<CaseDetails, ReportError>,
}

/// The outcomes of the programs of a campaign, by configuration and class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CampaignOutcomes {
    /// The number of programs.
    pub programs: u64,
    /// The classes of outcomes, as people say them; all but the right results.
    pub classes: Vec<String>,
    /// A row for each configuration.
    pub rows: Vec<OutcomeRow>,
    /// For each bug, the number of the first program that showed it.
    pub found_by: Vec<u64>,
}

/// The outcomes on one configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutcomeRow {
    /// Its name.
    pub configuration: String,
    /// The number of programs with an outcome of each class.
    pub counts: Vec<u64>,
    /// The number of bugs that were found on it.
    pub bugs: u64,
    /// The features that its programs go without.
    pub avoids: Vec<String>,
    /// True if it is left out, because it fails too often.
    pub left_out: bool,
}

/// The facts that the page of a case shows besides its record.
#[derive(Clone, Debug, Default)]
pub struct CaseDetails {
    /// The result, or the best version so far.
    pub result: Option<TestCase>,
    /// The commits in their order.
    pub commits: Vec<CommitRecord>,
    /// Path of the original.
    pub path: PathBuf,
    /// Commands: what each does, and the command itself.
    pub commands: Vec<(String, String)>,
    /// The bug report in Markdown, if there is one.
    pub bug_report: Option<String>,
}

impl CaseDetails {
    /// Reads the result and the commits of a case of a batch from its folder.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        let commits = read_history(folder).map_err(ReportError::read(folder))?;
        Ok(Self { result: read_result(folder)?, commits, ..Self::default() })
    }
}

/// The reason why a report cannot be written.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A file of a result or of a known program cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The files of a folder do not make a test case.
    #[error("`{}` is not a test case", path.display())]
    Program {
        /// The folder.
        path: PathBuf,
        /// The problem with them.
        source: InvalidTestCase,
    },
    /// A file of the report cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl ReportError {
    fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path: path.clone(), source }
    }
}

/// One case of the report, with its rank if it has a result.
struct ReportRow<'a> {
    record: &'a CaseRecord,
    ranked: Option<&'a Ranked>,
}

impl BatchReport<'_> {
    /// Writes [`DATA`] and [`PAGE`] into a folder.
    ///
    /// The details of each case are read when they are written, so that a thousand cases need little memory.
    ///
    /// # Errors
    /// When a result cannot be read, or one of the two files cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ReportError> {
        replace(&folder.join(DATA), |file| self.write_data(file))?;
        replace(&folder.join(PAGE), |file| self.write_page(file))
    }

    /// The page alone.
    ///
    /// # Errors
    /// When a result cannot be read.
    pub fn page(&self) -> Result<Vec<u8>, ReportError> {
        let mut page = Vec::new();
        self.write_page(&mut page).map_err(|stopped| stopped.on(Path::new(PAGE)))?;
        Ok(page)
    }

    /// The cases in the order of the triage, then those without a result.
    fn rows(&self) -> Vec<ReportRow<'_>> {
        let ranked = self.triage.order.iter().map(|ranked| ReportRow {
            record: &self.records[self.triaged[ranked.case]],
            ranked: Some(ranked),
        });
        let rest = self.records.iter().enumerate();
        let rest = rest.filter(|(index, _)| !self.triaged.contains(index));
        ranked.chain(rest.map(|(_, record)| ReportRow { record, ranked: None })).collect()
    }
}

/// The cause that stopped a file from being written: the file itself, or another file that had to be read for it.
enum Stopped {
    Writing(io::Error),
    Reading(ReportError),
}

impl Stopped {
    /// The error for a file that was to be written.
    fn on(self, path: &Path) -> ReportError {
        match self {
            Self::Writing(source) => ReportError::Write { path: path.to_owned(), source },
            Self::Reading(error) => error,
        }
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Writing(error)
    }
}

impl From<serde_json::Error> for Stopped {
    fn from(error: serde_json::Error) -> Self {
        Self::Writing(error.into())
    }
}

impl From<ReportError> for Stopped {
    fn from(error: ReportError) -> Self {
        Self::Reading(error)
    }
}

/// Replaces a file when its new content is complete.
fn replace(
    path: &Path,
    write: impl Fn(&mut dyn Write) -> Result<(), Stopped>,
) -> Result<(), ReportError> {
    clreduce_files::replace_with(path, write).map_err(|stopped| stopped.on(path))
}
