//! The journal of an earlier run, and the files that this run may have left on disk.

use std::collections::HashSet;
use std::time::Duration;

use clreduce_journal::{Journal, JournalEntry, JournalHeader, StateError};
use clreduce_speculation::Verdicts;
use clreduce_testcase::{ContentHash, TestCase};

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

/// All test cases that the reduction wrote, and the original.
#[derive(Default)]
pub(crate) struct Versions {
    cases: HashSet<ContentHash>,
}

impl Versions {
    pub(crate) fn add(&mut self, case: &TestCase) {
        self.cases.insert(case.hash());
    }

    pub(crate) fn add_hash(&mut self, case: ContentHash) {
        self.cases.insert(case);
    }

    /// Returns true for such a test case, and where all files are gone.
    pub(crate) fn know(&self, case: &TestCase) -> bool {
        case.files().is_empty() || self.cases.contains(&case.hash())
    }
}
