//! The header of a journal: everything that the verdicts in it depend on.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use clreduce_interestingness::Quantity;
use clreduce_testcase::{Clues, ContentHash};
use serde::{Deserialize, Serialize};

use crate::error::StateError;

/// Number of this layout; the first thing in a header.
const FORMAT: u32 = 11;

/// Facts that verdicts and their order depend on besides the original: the test, the options. Keys are the names
/// that people know, such as `the test` or `--lang`. A journal is resumed only under the same facts.
pub type Facts = BTreeMap<String, String>;

/// The part of a header that all layouts have.
#[derive(Deserialize)]
struct HeaderLayout {
    format: u32,
    version: String,
}

/// The change since a journal was begun by another version of the program.
fn other_version(version: &str) -> String {
    format!("the version of clreduce ({version} then)")
}

/// The first record of a journal: everything that the verdicts in it depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalHeader {
    format: u32,
    /// Version of the program.
    version: String,
    /// Content hash of the original.
    original: String,
    /// Wall-time limit of one test, in milliseconds, given or measured on the original.
    time_limit: u64,
    /// True if there is a compile filter.
    compile_filter: bool,
    /// The parts of the original that its first test mentioned. They decide what is tried first.
    clues: Clues,
    /// Where rates decide: the number of runs in which the original showed the bug, and of all its runs. Where numbers decide:
    /// those of the original, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    measured: Option<Vec<u64>>,
    /// Where somebody prefers a variant to another: the rank of the original, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rank: Option<u64>,
    pub(crate) facts: Facts,
}

impl JournalHeader {
    /// A header for a reduction of the test case with this content hash.
    #[must_use]
    pub fn new(
        original: &ContentHash,
        time_limit: Duration,
        compile_filter: bool,
        facts: Facts,
    ) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            original: original.to_string(),
            time_limit: u64::try_from(time_limit.as_millis()).unwrap_or(u64::MAX),
            compile_filter,
            clues: Clues::default(),
            measured: None,
            rank: None,
            facts,
        }
    }

    /// Reads the header of the journal at `path`.
    pub(crate) fn read(record: &str, path: &Path) -> Result<Self, StateError> {
        let unreadable = |_| StateError::Unreadable(path.to_owned());
        let layout: HeaderLayout = serde_json::from_str(record).map_err(unreadable)?;
        if layout.format != FORMAT {
            let what = other_version(&layout.version);
            return Err(StateError::Changed { journal: path.to_owned(), what });
        }
        serde_json::from_str(record).map_err(unreadable)
    }

    /// The same with clues.
    #[must_use]
    pub fn with_clues(self, clues: &Clues) -> Self {
        Self { clues: clues.clone(), ..self }
    }

    /// The same with what the runs of the original said.
    #[must_use]
    pub fn with_measured(self, measured: Option<Vec<u64>>) -> Self {
        Self { measured, ..self }
    }

    /// The same with the rank of the original.
    #[must_use]
    pub fn with_rank(self, rank: Option<Quantity>) -> Self {
        Self { rank: rank.map(Quantity::in_millionths), ..self }
    }

    /// The rank of the original, where somebody prefers a variant to another.
    #[must_use]
    pub fn rank(&self) -> Option<Quantity> {
        self.rank.map(Quantity::millionths)
    }

    /// What the runs of the original said. Where rates decide: the number of those that showed the bug, and of all. Where
    /// numbers decide: these, in millionths.
    #[must_use]
    pub fn measured(&self) -> Option<&[u64]> {
        self.measured.as_deref()
    }

    /// The clues about the original.
    #[must_use]
    pub fn clues(&self) -> &Clues {
        &self.clues
    }

    /// Wall-time limit of one test, given or measured on the original.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        Duration::from_millis(self.time_limit)
    }

    /// Returns true if there is a compile filter.
    #[must_use]
    pub fn compile_filter(&self) -> bool {
        self.compile_filter
    }

    /// Content hash of the original; `None` if the header is damaged.
    #[must_use]
    pub fn original(&self) -> Option<ContentHash> {
        ContentHash::parse(&self.original)
    }

    /// Facts that the verdicts depended on.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The change if another version of the program began the journal.
    pub(crate) fn other_version(&self) -> Option<String> {
        (self.version != env!("CARGO_PKG_VERSION")).then(|| other_version(&self.version))
    }

    /// Names of what differs from the header `begun` of an earlier run. The time limit and the use of a compile filter
    /// are taken over from there, so that they do not count.
    pub(crate) fn changes(&self, begun: &Self) -> Vec<String> {
        let mut changes: Vec<String> = begun.other_version().into_iter().collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_of_another_layout_is_one_of_another_version() {
        let header = JournalHeader::new(
            &ContentHash::of(b"int x;"),
            Duration::from_secs(1),
            false,
            Facts::default(),
        );
        let record = serde_json::to_string(&header).unwrap();
        let path = Path::new("journal");
        assert_eq!(JournalHeader::read(&record, path).unwrap(), header);
        let earlier = r#"{"format":7,"version":"0.0.9","clues":{"mentions":[]}}"#;
        match JournalHeader::read(earlier, path) {
            Err(StateError::Changed { what, .. }) => {
                assert_eq!(what, "the version of clreduce (0.0.9 then)");
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(JournalHeader::read("{}", path), Err(StateError::Unreadable(_))));
    }
}
