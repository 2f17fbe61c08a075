//! The journal file: a header and one line for each verdict, written before the verdict has any effect.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clreduce_interestingness::TimeLimits;
use clreduce_testcase::{ContentHash, TestCase};

use crate::error::StateError;
use crate::header::JournalHeader;
use crate::line::{
    Between, Chain, JournalEntry, read_between, read_entry, write_between, write_entry,
};
use crate::stored::{edit_folder, read_edit, store};
use crate::sync::BackgroundSync;

/// The last record of a reduction that has nothing left to try.
const FINISHED: &str = "finished";

/// Beginning of a record that makes all verdicts after a number of them void.
const BACK: &str = "back ";

/// Beginning of a record with what a user's pass proposed for a test case.
const PROPOSED: &str = "proposed ";

/// A journal open for more verdicts.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    sync: BackgroundSync,
    chain: Chain,
    /// Verdicts of the earlier run that this run has not reached.
    replay: VecDeque<JournalEntry>,
    /// The lines between verdicts of the earlier run, each with the number of verdicts after it.
    between: VecDeque<(usize, Between)>,
    /// Verdicts were made void: the test is flaky.
    went_back: bool,
    proposed: Vec<Proposed>,
}

/// What a user's pass proposed for the test case with this content hash.
pub type Proposed = (ContentHash, String);

/// The content of a journal file.
pub(crate) struct Contents {
    pub header: JournalHeader,
    pub entries: VecDeque<JournalEntry>,
    /// The lines between verdicts, each with the number of verdicts before it.
    pub between: Vec<(usize, Between)>,
    pub finished: bool,
    pub proposed: Vec<Proposed>,
    went_back: bool,
    chain: Chain,
    /// Bytes up to the end of the last whole line.
    length: u64,
}

impl Contents {
    /// Reads a journal of this layout and ignores a last line that was not wholly written. `None` means that there is no
    /// journal.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, StateError> {
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
        let unreadable = || StateError::Unreadable(path.to_owned());
        // The header was whole before the file got its name.
        let first = records.next().ok_or_else(unreadable)?;
        let header = JournalHeader::read(first, path)?;
        let (mut entries, mut between) = (VecDeque::new(), Vec::new());
        let (mut finished, mut went_back, mut proposed) = (false, false, Vec::new());
        for record in records {
            if record == FINISHED {
                finished = true;
            } else if let Some(here) = read_between(record) {
                between.push((entries.len(), here));
            } else if let Some(record) = record.strip_prefix(PROPOSED) {
                let (hash, text) = record.split_once(' ').ok_or_else(unreadable)?;
                let hash = ContentHash::parse(hash).ok_or_else(unreadable)?;
                proposed.push((hash, text.to_owned()));
            } else if let Some(kept) = record.strip_prefix(BACK) {
                went_back = true;
                let kept = kept.parse().map_err(|_| unreadable())?;
                entries.truncate(kept);
                between.retain(|(before, _)| *before <= kept);
            } else {
                entries.push_back(read_entry(record).ok_or_else(unreadable)?);
            }
        }
        Ok(Some(Self { header, entries, between, finished, proposed, went_back, chain, length }))
    }
}

impl Journal {
    /// Creates a journal file with this header.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn create(path: PathBuf, header: &JournalHeader) -> Result<Self, StateError> {
        let mut chain = Chain::default();
        let unfinished = path.with_extension("new");
        let mut create = || {
            let line = chain.line(&serde_json::to_string(header)?);
            clreduce_files::write(&unfinished, line.as_bytes())?;
            clreduce_files::rename(&unfinished, &path)?;
            Self::open(&path)
        };
        let (file, sync) = create().map_err(|error| StateError::io("create", &path, error))?;
        Ok(Self {
            path,
            file,
            sync,
            chain,
            replay: VecDeque::new(),
            between: VecDeque::new(),
            went_back: false,
            proposed: Vec::new(),
        })
    }

    fn open(path: &Path) -> io::Result<(File, BackgroundSync)> {
        let file = OpenOptions::new().append(true).open(path)?;
        let sync = BackgroundSync::start(file.try_clone()?)?;
        Ok((file, sync))
    }

    /// Opens the journal of an unfinished reduction and returns it with its header. `None` means that there is none.
    ///
    /// # Errors
    /// When the file cannot be read, or the header says that verdicts depended on something else.
    pub(crate) fn resume(
        path: PathBuf,
        expected: &JournalHeader,
    ) -> Result<Option<(Self, JournalHeader)>, StateError> {
        let Some(contents) = Contents::read(&path)? else { return Ok(None) };
        if contents.finished {
            return Ok(None);
        }
        let changes = expected.changes(&contents.header);
        if !changes.is_empty() {
            return Err(StateError::Changed { journal: path, what: changes.join(", ") });
        }
        let open = || {
            let (file, sync) = Self::open(&path)?;
            file.set_len(contents.length)?;
            Ok((file, sync))
        };
        let (file, sync) = open().map_err(|error| StateError::io("open", &path, error))?;
        let Contents { header, chain, entries: replay, between, went_back, proposed, .. } =
            contents;
        let count = replay.len();
        let between = between.into_iter().map(|(before, here)| (count - before, here)).collect();
        let journal = Self { path, file, sync, chain, replay, between, went_back, proposed };
        Ok(Some((journal, header)))
    }

    /// Verdicts of the earlier run that this run has not reached, in order.
    #[must_use]
    pub fn replay(&self) -> &VecDeque<JournalEntry> {
        &self.replay
    }

    /// Appends a verdict, or compares it with the one that the earlier run had here. After the call the verdict
    /// survives a crash of the program, and about a second later a power cut.
    ///
    /// # Errors
    /// When it cannot be written, or the earlier run tested another variant here.
    pub fn record(&mut self, entry: &JournalEntry, pass: &str) -> Result<(), StateError> {
        if let Some(journaled) = self.replay.pop_front() {
            return if journaled.hash == entry.hash { Ok(()) } else { Err(self.diverged()) };
        }
        self.append(&write_entry(entry, pass))
    }

    /// Appends that a person skipped a pass here. From the same verdicts and skips, a reduction proposes the same
    /// variants.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_skip(&mut self, pass: &str) -> Result<(), StateError> {
        self.append(&write_between(&Between::Skipped(pass.to_owned())))
    }

    /// Stores a test case that a person edited, and appends that its verdict comes next.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_edit(&mut self, case: &TestCase) -> Result<(), StateError> {
        store(case, &edit_folder(self.directory(), &case.hash()))?;
        self.append(&write_between(&Between::Edited(case.hash())))
    }

    /// A test case that a person edited.
    ///
    /// # Errors
    /// When it is not in the state folder any more.
    pub fn edit(&self, hash: &ContentHash) -> Result<TestCase, StateError> {
        read_edit(self.directory(), hash)
    }

    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Appends the time limits of later tests.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn record_limits(&mut self, limits: TimeLimits) -> Result<(), StateError> {
        self.append(&write_between(&Between::Limits(limits)))
    }

    /// Appends a test case that is laid out, before its files replace those on disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_laid_out(&mut self, case: ContentHash) -> Result<(), StateError> {
        self.append(&write_between(&Between::LaidOut(case)))
    }

    /// Appends what a user's pass proposed, before the verdict on any of it. Unlike verdicts it never becomes void.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_proposed(&mut self, (case, text): &Proposed) -> Result<(), StateError> {
        self.append(&format!("{PROPOSED}{case} {text}"))
    }

    /// What a user's pass proposed in the earlier run.
    pub fn take_proposed(&mut self) -> Vec<Proposed> {
        std::mem::take(&mut self.proposed)
    }

    /// The lines before the next verdict of the earlier run, one after the other, each once.
    pub fn take_between(&mut self) -> Option<Between> {
        let is_here = self.between.front().is_some_and(|(left, _)| *left == self.replay.len());
        is_here.then(|| self.between.pop_front()).flatten().map(|(_, here)| here)
    }

    /// The error for a reduction that does not go the way that the journal says.
    #[must_use]
    pub fn diverged(&self) -> StateError {
        StateError::Diverged(self.path.clone())
    }

    /// Makes all verdicts after the first `kept` void.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn go_back(&mut self, kept: usize) -> Result<(), StateError> {
        self.went_back = true;
        self.append(&format!("{BACK}{kept}"))
    }

    /// Returns true if verdicts were made void, in this run or in an earlier one.
    #[must_use]
    pub fn went_back(&self) -> bool {
        self.went_back
    }

    /// Marks the reduction as finished, so that the next run starts afresh.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn finish(&mut self) -> Result<(), StateError> {
        self.append(FINISHED)
    }

    /// Has the system write everything to the disk now. A version that is written to FILE after that is known to the
    /// journal, whenever the power fails.
    ///
    /// # Errors
    /// When that fails.
    pub fn sync(&self) -> Result<(), StateError> {
        self.file.sync_data().map_err(|error| StateError::io("write", &self.path, error))
    }

    /// Writes a line by one system call: a kill leaves at worst one torn line.
    fn append(&mut self, record: &str) -> Result<(), StateError> {
        let line = self.chain.line(record);
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.sync.changed());
        written.map_err(|error| StateError::io("write", &self.path, error))
    }
}
