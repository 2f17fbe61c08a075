//! What could be tried on the current test case, and what is known of it: the answer to why a reduction ended where it did.
//!
//! Only proposals that stand alone are listed. When a reduction has ended, each of them was tested, or looked the same as one
//! that was refused earlier, or contains one that was refused.

use std::sync::Arc;

use clreduce_candidates::CandidateSource;
use clreduce_passes::{Phase, Row, Snapshot, UnusedDeclarations};
use clreduce_testcase::{ContentHash, Patch};

use crate::order::compares_tokens;
use crate::pass_run::PassRun;
use crate::reducer::Reducer;
use crate::search::{GroupSizes, ProposalSearch};

/// A proposal for the current test case that would make it smaller.
#[derive(Clone, Debug)]
pub struct Considered {
    /// The name of the pass.
    pub pass: &'static str,
    /// The change of the current test case, with the declarations that it leaves without a use.
    pub patch: Arc<Patch>,
    /// The content hash of the variant.
    pub hash: ContentHash,
    /// True if it would change protected text, a protected name, or text from a header.
    pub is_protected: bool,
    /// The variant that was refused when the same was proposed earlier, in the same surroundings.
    pub like: Option<ContentHash>,
}

impl<G: ProposalSearch> Reducer<G> {
    /// The same, which keeps all that is refused, for [`considered`](Self::considered).
    #[must_use]
    pub fn keeping_refusals(mut self) -> Self {
        self.refuted = self.refuted.keeping();
        self
    }

    /// Returns true if the next candidate changes names or layout for people, or comes after that: then earlier verdicts are on
    /// programs with other names.
    pub fn is_finishing(&mut self) -> bool {
        let _ = self.next();
        let row = self.pass_run.as_ref().map(|(row, _)| self.schedule.rows()[*row]);
        row.is_some_and(|row| row.phase >= Phase::Finish)
    }

    /// What the passes propose for the current test case, as far as somebody wants to know of a proposal.
    pub fn considered(&self, is_wanted: &dyn Fn(&Patch) -> bool) -> Vec<Considered> {
        let base = Arc::new(Snapshot::new(self.current.0.clone(), self.language));
        let mut seen: Vec<(&str, bool)> = Vec::new();
        let mut considered = Vec::new();
        for row in self.schedule.rows() {
            // The same pass may have several rows.
            let kind = (row.pass.name, self.removes_unused(row));
            if !compares_tokens(row) && !seen.contains(&kind) {
                seen.push(kind);
                self.consider(&base, row, is_wanted, &mut considered);
            }
        }
        considered
    }

    fn consider(
        &self,
        base: &Arc<Snapshot>,
        row: &Row,
        is_wanted: &dyn Fn(&Patch) -> bool,
        considered: &mut Vec<Considered>,
    ) {
        let mut proposals = self.proposals(row, base).list;
        proposals.retain(|it| !it.patch.is_empty() && is_wanted(&it.patch));
        let allowed = self.protected.filter(base, proposals.clone());
        let mut allowed = self.headers_now().filter(base, allowed).into_iter().peekable();
        let mut refuted = self.refuted.clone();
        refuted.end_run();
        let alike = refuted.alike(base, row, &proposals);
        let unused = (!proposals.is_empty() && self.removes_unused(row))
            .then(|| UnusedDeclarations::new(base).map(Arc::new))
            .flatten();
        let is_allowed: Vec<bool> =
            proposals.iter().map(|it| allowed.next_if(|next| next == it).is_some()).collect();
        let run: PassRun<G> =
            PassRun::new(Arc::clone(base), row, proposals, Vec::new(), GroupSizes::ALL, unused);
        for (index, (like, is_allowed)) in alike.into_iter().zip(is_allowed).enumerate() {
            if let Some((patch, hash)) = run.alone(index, &self.current) {
                let (pass, is_protected) = (row.pass.name, !is_allowed);
                considered.push(Considered { pass, patch, hash, is_protected, like });
            }
        }
    }
}
