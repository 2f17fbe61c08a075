//! The log of a campaign: a file with a line for each program and for each alarm. A run that goes on where an earlier one
//! was killed reads it, and nothing else says how far it came.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clreduce_testcase::printable_json;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::outcome::Class;

/// Name of the file in the folder of the campaign.
const FILE: &str = "campaign.jsonl";

/// The reason why the log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// The system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line in the middle is none of a campaign.
    #[error(
        "line {line} of {} is damaged\nhelp: remove it and all lines after it, and run the same command again", path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(crate) enum Line {
    /// A program has run on all configurations.
    Program {
        program: u64,
        /// The outcomes that are not right, by the name of the configuration.
        outcomes: BTreeMap<String, Class>,
        /// The numbers of the variants that showed them, where it was not the program itself.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        variants: BTreeMap<String, u32>,
        /// The reason, if there is no program for this number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<String>,
    },
    /// The first programs show what the configurations can do.
    Gate {
        /// The configurations that fail too often, with the share of failures in percent.
        left_out: BTreeMap<String, u32>,
        /// The features that a configuration never gets right.
        avoid: Vec<AvoidLine>,
    },
    /// An alarm has been looked into.
    Alarm(Conclusion),
}

/// A feature that the programs of a configuration go without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AvoidLine {
    /// The name of the configuration.
    pub configuration: String,
    /// The entry of the avoid list.
    pub feature: String,
}

/// How an alarm ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It is a bug that was not known, now reduced.
    Bug,
    /// It is a bug that was known before; nothing was reduced.
    Known,
    /// Reduced, it turned out to be a bug that is known.
    Duplicate,
    /// The host does not have the expected result either, or all configurations are wrong: the generator is accused.
    Generator,
    /// A check calls the program invalid. Nobody is accused.
    Invalid,
    /// It did not show again.
    Gone,
    /// It could not be reduced.
    NotReduced,
}

/// The end of an alarm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conclusion {
    /// The number of the program.
    pub program: u64,
    /// The number of the variant that showed the outcome; 0 is the program itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub variant: u32,
    /// The name of the configuration.
    pub configuration: String,
    /// The outcome that was looked into.
    pub class: Class,
    /// The signature of a crash or a refusal; empty for the others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// How it ended.
    pub end: End,
    /// The name of the bug, new or known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug: Option<String>,
    /// The feature without which the program is right, and that says which bug it is, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub construct: Option<String>,
    /// Constructs of the same family that show the bug in its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub siblings: Vec<String>,
    /// All constructs without which the reduced program is right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cures: Vec<String>,
    /// The conversions among them, by type, where these are instructions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conversions: Vec<String>,
    /// The features that caused the alarm: fewer later programs have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<AvoidLine>,
    /// The reduced program without its names and numbers, as a hash, if there is one. Another one with the same is the same bug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outline: Option<String>,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The log, open for more lines.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens the log in a folder, and returns the lines that it has. A last line that was not wholly written is dropped.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Vec<Line>), LogError> {
        let path = folder.join(FILE);
        let failed = |action| {
            let path = path.clone();
            move |source| LogError::Io { action, path, source }
        };
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(failed("read"))?,
        };
        let (mut lines, mut length) = (Vec::new(), 0);
        for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let Some(whole) = line.strip_suffix(b"\n") else { break };
            let damaged = |_| LogError::Damaged { path: path.clone(), line: number + 1 };
            lines.push(serde_json::from_slice(whole).map_err(damaged)?);
            length += line.len() as u64;
        }
        let open = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let mut file = open.map_err(failed("open"))?;
        let rest = file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length)));
        rest.map_err(failed("open"))?;
        Ok((Self { path, file }, lines))
    }

    /// Adds a line by one call of the system: a kill leaves at worst one torn line.
    pub(crate) fn add(&mut self, line: &Line) -> Result<(), LogError> {
        let text = serde_json::to_string(line).map_err(io::Error::from);
        let text = text.map(|text| format!("{}\n", printable_json(&text)));
        let written = text.and_then(|text| self.file.write_all(text.as_bytes()));
        written.map_err(|source| LogError::Io { action: "write", path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(program: u64) -> Line {
        let outcomes = BTreeMap::from([("pocl".to_owned(), Class::Wrong)]);
        let variants = BTreeMap::from([("pocl".to_owned(), 7)]);
        Line::Program { program, outcomes, variants, missing: None }
    }

    #[test]
    fn a_torn_line_is_dropped_and_a_damaged_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, lines) = Log::open(folder.path()).unwrap();
        assert!(lines.is_empty());
        log.add(&line(0)).unwrap();
        log.file.write_all(b"{\"what\":\"progr").unwrap();
        let (mut log, lines) = Log::open(folder.path()).unwrap();
        assert_eq!(lines, [line(0)]);
        log.add(&line(1)).unwrap();
        assert_eq!(Log::open(folder.path()).unwrap().1, [line(0), line(1)]);
        log.file.write_all(b"?\n").unwrap();
        assert!(matches!(Log::open(folder.path()), Err(LogError::Damaged { line: 3, .. })));
    }

    #[test]
    fn conclusions_survive_the_way_through_a_line() {
        let avoid = AvoidLine { configuration: "pocl".into(), feature: "abs.long".into() };
        let alarm = Line::Alarm(Conclusion {
            program: 3,
            variant: 2,
            configuration: "pocl".into(),
            class: Class::Wrong,
            signature: String::new(),
            end: End::Bug,
            bug: Some("pocl-wrong-free-3".into()),
            construct: Some("less".into()),
            siblings: vec!["greater".into()],
            cures: vec!["abs".into(), "less".into()],
            conversions: Vec::new(),
            avoid: vec![avoid.clone()],
            outline: Some("12ab".into()),
            reason: String::new(),
        });
        let gate = Line::Gate { left_out: BTreeMap::from([("x".into(), 80)]), avoid: vec![avoid] };
        for line in [alarm, gate, line(7)] {
            let text = serde_json::to_string(&line).unwrap();
            assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), line, "{text}");
        }
    }
}
