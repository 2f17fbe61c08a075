//! A reduction as its state folder tells it, for those who only read. The folder is not locked, so a run may be adding to it.

use std::collections::BTreeMap;
use std::path::Path;

use clreduce_testcase::{ContentHash, TestCase};

use crate::error::StateError;
use crate::file::{Contents, Proposed};
use crate::folder::{JOURNAL, foreign, read_original};
use crate::header::JournalHeader;
use crate::line::{Between, JournalEntry};
use crate::stored::read_edit;

/// The verdicts of a reduction that is finished, interrupted or under way.
#[derive(Debug)]
pub struct Record {
    /// What the verdicts depended on.
    pub header: JournalHeader,
    /// The original.
    pub original: TestCase,
    /// The verdicts that stand, in order.
    pub entries: Vec<JournalEntry>,
    /// The lines between verdicts, each with the number of verdicts before it.
    pub between: Vec<(usize, Between)>,
    /// The test cases that a person edited.
    pub edits: BTreeMap<ContentHash, TestCase>,
    /// What a user's pass proposed.
    pub proposed: Vec<Proposed>,
    /// True if nothing was left to try.
    pub is_finished: bool,
}

impl Record {
    /// Reads a state folder. `None` means that there is no journal.
    ///
    /// # Errors
    /// When it cannot be read, or another version of the program wrote it.
    pub fn read(directory: &Path) -> Result<Option<Self>, StateError> {
        if let Some(path) = foreign(directory) {
            return Err(StateError::Foreign(path));
        }
        let journal = directory.join(JOURNAL);
        let Some(contents) = Contents::read(&journal)? else { return Ok(None) };
        if let Some(what) = contents.header.other_version() {
            return Err(StateError::Changed { journal, what });
        }
        let original = read_original(directory, &contents.header)?;
        let Contents { header, entries, between, proposed, finished: is_finished, .. } = contents;
        let entries = entries.into();
        let mut edits = BTreeMap::new();
        for (_, here) in &between {
            if let Between::Edited(hash) = here {
                edits.insert(*hash, read_edit(directory, hash)?);
            }
        }
        Ok(Some(Self { header, original, entries, between, edits, proposed, is_finished }))
    }

    /// The error for a reducer that does not go the way that the journal says.
    #[must_use]
    pub fn diverged(directory: &Path) -> StateError {
        StateError::Diverged(directory.join(JOURNAL))
    }
}
