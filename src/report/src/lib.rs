//! What became of many test cases, for a person (one HTML file that needs nothing else, no network
//! either) and for programs (the same as JSON).
//!
//! The details of each case are read when they are written, and lie compressed in the page: a thousand
//! cases need neither much memory here nor a large file there.

mod curve;
mod highlight;
mod page;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clreduce_testcase::{SourceFile, TestCase};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use clreduce_batch::{Commit, Record, read_course};
use clreduce_triage::{Ranked, Triage};

/// Name of the page in OUT.
pub const PAGE: &str = "report.html";
/// Name of its twin for programs.
pub const TWIN: &str = "report.json";

/// What is reported on.
pub struct Report<'a> {
    /// What the page is called.
    pub title: &'a str,
    /// The cases.
    pub records: &'a [Record],
    /// Their order.
    pub triage: &'a Triage,
    /// By specimen of the triage: the index of its record. Cases without a result are no specimens.
    pub specimens: &'a [usize],
    /// The folder of a case.
    pub folder_of: &'a dyn Fn(&str) -> PathBuf,
    /// The commands with which somebody does the same again for a case: what for, and the command.
    pub commands: &'a dyn Fn(&str) -> Vec<(String, String)>,
}

/// One line of the table: a case, with its place in the triage where it has one.
struct Row<'a> {
    record: &'a Record,
    ranked: Option<&'a Ranked>,
}

/// A case as the twin has it.
#[derive(Serialize)]
struct Twin<'a> {
    #[serde(flatten)]
    record: &'a Record,
    /// Place in the order of what to look at, from 1.
    rank: Option<usize>,
    /// The signature of its cluster.
    cluster: Option<&'a str>,
    duplicate_of: Option<&'a str>,
    known: bool,
    /// To the nearest before it in the order; 0 to 2.
    distance: Option<f64>,
    reduced: Vec<Text>,
    commands: Vec<Command>,
    commits: Vec<Commit>,
}

/// A file of a result.
#[derive(Serialize)]
struct Text {
    path: String,
    text: String,
}

#[derive(Serialize)]
struct Command {
    what: String,
    command: String,
}

/// What the page shows of a case that is looked at.
#[derive(Serialize)]
struct Details<'a> {
    record: &'a Record,
    /// Name and highlighted text of each file.
    files: Vec<(String, String)>,
    /// The curve over tests, and over time.
    curves: [String; 2],
    commands: Vec<Command>,
    commits: Vec<Commit>,
}

impl Report<'_> {
    /// Writes both files.
    ///
    /// # Errors
    /// When something cannot be read or written.
    pub fn write(&self, out: &Path) -> io::Result<()> {
        replace(&out.join(TWIN), |file| self.write_twin(file))?;
        replace(&out.join(PAGE), |file| self.write_page(file))
    }

    /// The cases in the order of the triage, then those without a result.
    fn rows(&self) -> Vec<Row<'_>> {
        let ranked = self.triage.order.iter().map(|ranked| Row {
            record: &self.records[self.specimens[ranked.specimen]],
            ranked: Some(ranked),
        });
        let rest = self.records.iter().enumerate();
        let rest = rest.filter(|(index, _)| !self.specimens.contains(index));
        ranked.chain(rest.map(|(_, record)| Row { record, ranked: None })).collect()
    }

    fn write_twin(&self, file: &mut dyn Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let clusters = serde_json::to_string(&self.triage.clusters)?;
        write!(file, "{{\"version\":\"{version}\",\"clusters\":{clusters},\"cases\":[")?;
        for (index, row) in self.rows().iter().enumerate() {
            file.write_all(if index == 0 { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut *file, &self.twin(index, row)?)?;
        }
        file.write_all(b"\n]}\n")
    }

    fn twin<'a>(&'a self, index: usize, row: &Row<'a>) -> io::Result<Twin<'a>> {
        let Row { record, ranked } = row;
        let folder = (self.folder_of)(&record.name);
        let text = |file: &SourceFile| Text {
            path: file.path.to_string(),
            text: String::from_utf8_lossy(&file.bytes).into_owned(),
        };
        Ok(Twin {
            record,
            rank: ranked.map(|_| index + 1),
            cluster: ranked.map(|ranked| self.triage.clusters[ranked.cluster].as_str()),
            duplicate_of: ranked.and_then(|ranked| self.first_of(ranked)),
            known: ranked.is_some_and(|ranked| ranked.known.is_some()),
            distance: ranked.map(|ranked| ranked.distance),
            reduced: reduced(&folder)?.iter().flat_map(|case| case.files()).map(text).collect(),
            commands: self.commands(&record.name),
            commits: read_course(&folder)?,
        })
    }

    /// The name of the case that another one equals.
    fn first_of(&self, ranked: &Ranked) -> Option<&str> {
        ranked.duplicate_of.map(|first| self.records[self.specimens[first]].name.as_str())
    }

    fn commands(&self, name: &str) -> Vec<Command> {
        let commands = (self.commands)(name).into_iter();
        commands.map(|(what, command)| Command { what, command }).collect()
    }

    fn details(&self, record: &Record) -> io::Result<String> {
        let folder = (self.folder_of)(&record.name);
        let commits = read_course(&folder)?;
        let shown = |file: &SourceFile| (file.path.to_string(), highlight::highlight(&file.bytes));
        let details = Details {
            record,
            files: reduced(&folder)?.iter().flat_map(|case| case.files()).map(shown).collect(),
            curves: curve::curves(record, &commits),
            commands: self.commands(&record.name),
            commits,
        };
        let mut gz = GzEncoder::new(Vec::new(), Compression::default());
        serde_json::to_writer(&mut gz, &details)?;
        Ok(STANDARD.encode(gz.finish()?))
    }
}

/// The result of a case, or the best so far; `None` where nothing was removed yet.
///
/// # Errors
/// When it cannot be read.
pub fn reduced(folder: &Path) -> io::Result<Option<TestCase>> {
    read_case(&folder.join("reduced"))
}

/// Reads a folder, or one file, as a test case.
///
/// # Errors
/// When something in it cannot be read. That it is not there is no error.
pub fn read_case(path: &Path) -> io::Result<Option<TestCase>> {
    let mut files = Vec::new();
    let mut pending = vec![path.to_owned()];
    while let Some(at) = pending.pop() {
        if at.is_dir() {
            for entry in fs::read_dir(&at)? {
                pending.push(entry?.path());
            }
        } else if at.exists() {
            let below = at.strip_prefix(path).ok().filter(|below| !below.as_os_str().is_empty());
            let name = below.unwrap_or_else(|| Path::new(at.file_name().unwrap_or_default()));
            let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            files.push(SourceFile { path: parts.join("/").into(), bytes: fs::read(&at)?.into() });
        }
    }
    if files.is_empty() {
        return Ok(None);
    }
    TestCase::new(files).map(Some).map_err(io::Error::other)
}

/// Writes a file beside the one that is replaced when it is whole.
fn replace(path: &Path, write: impl Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = BufWriter::new(File::create(&new)?);
    write(&mut file)?;
    file.into_inner().map_err(io::Error::from)?.sync_all()?;
    fs::rename(&new, path)
}
