//! The journal: a header and one line per consumed answer, written as they are consumed.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clreduce_interestingness::{Gated, Verdict};
use clreduce_testcase::ContentHash;
use serde::{Deserialize, Serialize};

use super::folder::StateError;
use super::line::{Answer, Chain, read_answer, write_answer};

/// Number of this layout; the first thing in a header.
const FORMAT: u32 = 2;

/// The last record of a reduction that has nothing left to ask.
const FINISHED: &str = "finished";

/// What a conversation depends on besides the original, by what people call it: `the test`, `--lang`,
/// `--passes`. A journal goes on only under the same facts.
pub type Facts = BTreeMap<String, String>;

/// The first record of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    format: u32,
    /// Version of the program.
    version: String,
    /// Content hash of the original.
    original: String,
    /// Wall-time limit of one test, in milliseconds, measured or given.
    time_limit: u64,
    /// Whether a gate pays, as it seemed then.
    #[serde(default)]
    gate: bool,
    pub(super) facts: Facts,
}

impl Header {
    pub fn new(original: &ContentHash, time_limit: Duration, gate: bool, facts: Facts) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            original: original.to_string(),
            time_limit: u64::try_from(time_limit.as_millis()).unwrap_or(u64::MAX),
            gate,
            facts,
        }
    }

    pub fn time_limit(&self) -> Duration {
        Duration::from_millis(self.time_limit)
    }

    pub fn gate(&self) -> bool {
        self.gate
    }

    pub fn original(&self) -> Option<ContentHash> {
        ContentHash::parse(&self.original)
    }

    /// What is different from a header that a journal was begun with, in words; the measured limit is
    /// taken from there and may differ, and so is whether there is a gate.
    fn changes(&self, begun: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        if self.format != begun.format || self.version != begun.version {
            changes.push(format!("the version of clreduce ({} then)", begun.version));
        }
        if self.original != begun.original {
            changes.push("the original".to_owned());
        }
        let names = self
            .facts
            .keys()
            .chain(begun.facts.keys().filter(|name| !self.facts.contains_key(*name)));
        changes
            .extend(names.filter(|name| self.facts.get(*name) != begun.facts.get(*name)).cloned());
        changes
    }
}

/// A journal open for more answers.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    chain: Chain,
    /// Answers of the earlier run that this run has not come to.
    replay: VecDeque<Answer>,
}

/// What a journal says.
pub(super) struct Contents {
    pub header: Header,
    pub answers: VecDeque<Answer>,
    pub finished: bool,
    chain: Chain,
    /// Bytes up to the end of the last whole line.
    length: u64,
}

impl Contents {
    /// Reads a journal; a tail that was not wholly written is ignored. `None` where there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, StateError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StateError::io("read", path, error)),
        };
        let mut chain = Chain::default();
        let mut length = 0;
        let mut records = bytes.split_inclusive(|byte| *byte == b'\n').map_while(|line| {
            let record = chain.check(line.strip_suffix(b"\n")?)?;
            length += line.len() as u64;
            Some(record)
        });
        // Without a whole header the earlier run had not begun.
        let Some(first) = records.next() else { return Ok(None) };
        let unreadable = || StateError::Unreadable(path.to_owned());
        let header: Header = serde_json::from_str(first).map_err(|_| unreadable())?;
        let mut answers = VecDeque::new();
        let mut finished = false;
        for record in records {
            if record == FINISHED {
                finished = true;
            } else {
                answers.push_back(read_answer(record).ok_or_else(unreadable)?);
            }
        }
        Ok(Some(Self { header, answers, finished, chain, length }))
    }
}

impl Journal {
    /// Begins a journal.
    pub fn create(path: PathBuf, header: &Header) -> Result<Self, StateError> {
        let file = File::create(&path).map_err(|error| StateError::io("create", &path, error))?;
        let mut journal = Self { path, file, chain: Chain::default(), replay: VecDeque::new() };
        let header = serde_json::to_string(header)
            .map_err(|error| StateError::io("write", &journal.path, error.into()))?;
        journal.append(&header)?;
        Ok(journal)
    }

    /// Goes on with a journal. Returns its header.
    pub fn resume(path: PathBuf, expected: &Header) -> Result<Option<(Self, Header)>, StateError> {
        let Some(contents) = Contents::read(&path)? else { return Ok(None) };
        if contents.finished {
            return Ok(None);
        }
        let changes = expected.changes(&contents.header);
        if !changes.is_empty() {
            return Err(StateError::Changed { journal: path, what: changes.join(", ") });
        }
        let open = || {
            let file = OpenOptions::new().append(true).open(&path)?;
            file.set_len(contents.length)?;
            Ok(file)
        };
        let file = open().map_err(|error| StateError::io("open", &path, error))?;
        let journal = Self { path, file, chain: contents.chain, replay: contents.answers };
        Ok(Some((journal, contents.header)))
    }

    /// Answers of the earlier run that this run has not come to, in order.
    pub fn replay(&self) -> &VecDeque<Answer> {
        &self.replay
    }

    /// Takes note of a consumed answer. When it returns, the answer outlives a crash of the program.
    pub fn record(
        &mut self,
        hash: &ContentHash,
        verdict: Verdict,
        gated: Gated,
        pass: &str,
    ) -> Result<(), StateError> {
        if let Some(journaled) = self.replay.pop_front() {
            return if journaled.hash == *hash { Ok(()) } else { Err(self.diverged()) };
        }
        self.append(&write_answer(hash, verdict, gated, pass))
    }

    /// The conversation is not the one that the journal holds.
    pub fn diverged(&self) -> StateError {
        StateError::Diverged(self.path.clone())
    }

    /// Nothing is left to ask: the next run starts afresh.
    pub fn finish(&mut self) -> Result<(), StateError> {
        self.append(FINISHED)
    }

    /// One write per line: what a kill leaves is at worst one torn line.
    fn append(&mut self, record: &str) -> Result<(), StateError> {
        let line = self.chain.line(record);
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|error| StateError::io("write", &self.path, error))
    }
}
