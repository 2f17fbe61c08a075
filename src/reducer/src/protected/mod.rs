//! Text and names that the user protects: one filter over the proposals of every pass.

mod names;
mod text;

use clreduce_passes::{Proposal, Row, Snapshot};
use regex::bytes::Regex;

use names::Names;
use text::ProtectedText;

/// Text and names that no pass may change.
#[derive(Clone, Debug, Default)]
pub struct Protected {
    /// True if no name may be replaced by another.
    pub names: bool,
    /// Patterns of text that is never edited.
    pub text: Vec<Regex>,
}

impl Protected {
    /// Returns whether a pass has anything to propose that is allowed. A pass that only renames has not.
    pub(crate) fn allows(&self, row: &Row) -> bool {
        !(self.names && row.pass.renames)
    }

    /// Returns the proposals that touch nothing protected. What they are combined to does not either.
    pub(crate) fn filter(&self, base: &Snapshot, mut proposals: Vec<Proposal>) -> Vec<Proposal> {
        if !self.text.is_empty() {
            let text = ProtectedText::of(base, &self.text);
            proposals
                .retain(|proposal| proposal.patch.edits().iter().all(|edit| text.allows(edit)));
        }
        if self.names && !proposals.is_empty() {
            let names = Names::of(base);
            proposals.retain(|proposal| !names.are_replaced_by(&proposal.patch));
        }
        proposals
    }
}
