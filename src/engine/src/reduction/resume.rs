//! The journal of an earlier run, and the files that this run may have left on disk.

use std::collections::HashSet;
use std::time::Duration;

use clreduce_journal::{Journal, JournalEntry, JournalHeader, StateError};
use clreduce_speculation::Verdicts;
use clreduce_testcase::{ContentHash, SourceFile, TestCase};

use super::{Reduction, Resume};

/// The journal of an earlier run, if there is one.
pub(super) fn resume(
    state: &mut Option<Resume>,
    reduction: &Reduction<'_>,
) -> Result<Option<(Journal, JournalHeader)>, StateError> {
    let Some(state) = state else { return Ok(None) };
    state.facts.extend(reduction.facts());
    let facts = state.facts.clone();
    let header = JournalHeader::new(&reduction.case.hash(), Duration::ZERO, false, facts);
    let mut resumed = state.folder.resume(&header)?;
    if let (Some(asked), Some((journal, _))) = (&reduction.asked, &mut resumed) {
        asked.recall(&journal.take_proposed());
    }
    Ok(resumed)
}

/// The state before the first test: the content of the journal.
pub(super) fn recall<'a>(
    original: &TestCase,
    replay: impl IntoIterator<Item = &'a JournalEntry>,
    is_filtered: bool,
) -> Verdicts {
    let mut verdicts = Verdicts::default();
    if is_filtered {
        verdicts.use_filter();
    }
    verdicts.insert_filtered(original.hash(), false);
    replay.into_iter().for_each(|entry| remember(&mut verdicts, entry));
    verdicts
}

pub(super) fn remember(verdicts: &mut Verdicts, entry: &JournalEntry) {
    let JournalEntry { hash, verdict, filtered, complaints, rank } = entry;
    verdicts.remember(*hash, *verdict, complaints, *filtered, *rank);
}

/// Content hashes of the files of all committed test cases. With several files, a crash may leave some of one commit
/// and some of the next.
#[derive(Default)]
pub(crate) struct Versions {
    files: HashSet<ContentHash>,
}

impl Versions {
    pub(crate) fn add(&mut self, case: &TestCase) {
        self.files.extend(versions(case));
    }

    pub(crate) fn extend(&mut self, files: Vec<ContentHash>) {
        self.files.extend(files);
    }

    /// Returns true if all files of a test case are known.
    pub(crate) fn know(&self, case: &TestCase) -> bool {
        case.files().iter().all(|file| self.files.contains(&version(file)))
    }
}

/// Content hashes of the files of a test case, with their names.
pub(super) fn versions(case: &TestCase) -> impl Iterator<Item = ContentHash> {
    case.files().iter().map(version)
}

fn version(file: &SourceFile) -> ContentHash {
    let content = ContentHash::of(&file.bytes);
    ContentHash::of(&[file.path.as_bytes(), &content.0].concat())
}
