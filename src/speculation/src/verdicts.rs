//! What is known of variants: the verdict cache.

use std::collections::HashMap;

use clreduce_interestingness::{Outcome, Verdict};
use clreduce_testcase::ContentHash;

/// Verdicts by content hash. Nothing iterates over it, so that its order cannot matter.
#[derive(Debug, Default)]
pub struct Verdicts {
    entries: HashMap<ContentHash, Entry>,
}

#[derive(Debug)]
enum Entry {
    /// The conversation, or an earlier run of it, has had this answer.
    Consumed(Verdict),
    /// A test gave it, and nobody has asked yet.
    Waiting(Box<Outcome>),
}

impl Entry {
    fn verdict(&self) -> Verdict {
        match self {
            Self::Consumed(verdict) => *verdict,
            Self::Waiting(outcome) => outcome.verdict,
        }
    }
}

impl Verdicts {
    /// Whether a variant is interesting, where that is known.
    #[must_use]
    pub fn interesting(&self, hash: &ContentHash) -> Option<bool> {
        self.entries.get(hash).map(|entry| entry.verdict() == Verdict::Interesting)
    }

    /// Takes over an answer that an earlier run consumed.
    pub fn remember(&mut self, hash: ContentHash, verdict: Verdict) {
        self.entries.insert(hash, Entry::Consumed(verdict));
    }

    /// Keeps what a test said until it is asked for. The first answer stands.
    pub fn insert(&mut self, hash: ContentHash, outcome: Outcome) {
        self.entries.entry(hash).or_insert_with(|| Entry::Waiting(Box::new(outcome)));
    }

    /// Consumes an answer; `true` when it had been consumed before.
    pub fn consume(&mut self, hash: &ContentHash) -> Option<(Outcome, bool)> {
        let entry = self.entries.get_mut(hash)?;
        let consumed = Entry::Consumed(entry.verdict());
        Some(match std::mem::replace(entry, consumed) {
            Entry::Consumed(verdict) => (Outcome::from(verdict), true),
            Entry::Waiting(outcome) => (*outcome, false),
        })
    }
}
