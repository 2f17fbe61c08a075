//! Repairs of groups that a test has refused: what compilers miss in the variant stays in the next one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clreduce_language::ItemId;
use clreduce_passes::{RefusedGroup, Repaired, Snapshot};
use clreduce_testcase::{Complaint, Patch};

/// The state of the repairs of one pass run.
#[derive(Clone, Default)]
pub(crate) struct Repairs {
    /// The declarations that were missed in what was accepted.
    needed: Arc<[ItemId]>,
    /// The complaints about the variant that is tried.
    complaints: Arc<[Complaint]>,
    /// The declarations that were missed in earlier variants of the group.
    missed: Arc<[ItemId]>,
    /// The parts of blamed proposals that may still go.
    parts: Arc<Patch>,
    /// By the names in errors, how many earlier variants of the group had such an error.
    heard: Arc<BTreeMap<Vec<String>, u32>>,
    /// Repairs of the group, and the tokens that a repaired one removes at least.
    count: u32,
    least: usize,
}

impl Repairs {
    /// Returns true if complaints about the variant that is tried matter.
    pub(crate) fn are_possible(&self) -> bool {
        const MOST_REPAIRS: u32 = 6;
        self.count < MOST_REPAIRS
    }

    /// Takes the complaints about the variant that is tried, before the verdict.
    pub(crate) fn hear(&mut self, complaints: &[Complaint]) {
        self.complaints = complaints.into();
    }

    /// Takes the verdict on the variant that is tried. Returns true if it is to be repaired. The variant removes `removed` tokens.
    pub(crate) fn take_verdict(&mut self, interesting: bool, removed: usize) -> bool {
        if !interesting && !self.complaints.is_empty() && self.are_possible() {
            if self.count == 0 {
                // A repaired group removes at least a quarter of the tokens that the first one was to remove.
                self.least = removed / 4;
            }
            self.count += 1;
            return true;
        }
        let missed = std::mem::take(&mut self.missed);
        if interesting {
            self.needed = self.needed.iter().chain(missed.iter()).copied().collect();
        }
        self.end_group();
        false
    }

    /// The items that stay although nothing may reach them.
    pub(crate) fn needed(&self) -> Vec<ItemId> {
        self.needed.iter().chain(self.missed.iter()).copied().collect()
    }

    /// The group that is left of a refused one, as proposals by index; `None` if complaints do not say.
    pub(crate) fn repair(
        &mut self,
        base: &Snapshot,
        group: &[u32],
        proposals: &[Patch],
        (refused, accepted): (&Patch, &Patch),
    ) -> Option<Vec<u32>> {
        let complaints = std::mem::take(&mut self.complaints);
        let own: Vec<&Patch> = group.iter().map(|&index| &proposals[index as usize]).collect();
        let heard = &self.heard;
        let parts = &self.parts;
        let refusal = RefusedGroup {
            proposals: &own,
            parts,
            refused,
            accepted,
            complaints: &complaints,
            heard,
        };
        let repaired = refusal.repaired(base);
        let names: BTreeSet<&Vec<String>> = complaints.iter().map(|it| &it.names).collect();
        let heard = Arc::make_mut(&mut self.heard);
        names.into_iter().for_each(|names| *heard.entry(names.clone()).or_default() += 1);
        let Repaired { blamed, parts, needed } = repaired?;
        self.parts = Arc::new(parts);
        self.missed = self.missed.iter().chain(&needed).copied().collect();
        let is_left = |at: &usize| blamed.binary_search(at).is_err();
        let left = (0..).zip(group).filter(|(at, _)| is_left(at)).map(|(_, &index)| index);
        Some(left.collect())
    }

    /// The parts of blamed proposals that the repaired group removes beside its proposals.
    pub(crate) fn parts(&self) -> &Patch {
        &self.parts
    }

    /// Returns true if a repaired variant that removes this number of tokens is worth a test.
    pub(crate) fn are_worth(&self, removed: usize) -> bool {
        removed > 0 && removed >= self.least
    }

    /// Forgets what was heard about the group, which is given up or accepted.
    pub(crate) fn end_group(&mut self) {
        (self.missed, self.complaints) = (Arc::default(), Arc::default());
        (self.parts, self.heard, self.count) = (Arc::default(), Arc::default(), 0);
    }
}
