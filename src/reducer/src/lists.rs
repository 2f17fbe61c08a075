//! The lists of a pass run: proposals that are explored together.

use std::collections::BTreeMap;

use clreduce_passes::Proposal;

/// Proposals that are explored together, by index.
pub(crate) struct ProposalList {
    pub(crate) items: Vec<u32>,
    /// They are about levels in the middle of deep nests. There may be a hundred thousand of them, and it is hardly ever
    /// a single one that matters.
    pub(crate) is_deep: bool,
}

/// The lists of a run, the first one last. What is deep in a nest comes first, since most may go with it.
pub(crate) fn lists(
    proposals: &[Proposal],
    is_deep: impl Fn(&Proposal) -> bool,
) -> Vec<ProposalList> {
    let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut deep = Vec::new();
    for (index, proposal) in (0..).zip(proposals) {
        if is_deep(proposal) {
            deep.push(index);
        } else {
            lists.entry(proposal.list).or_default().push(index);
        }
    }
    let plain = lists.into_values().rev().map(|items| ProposalList { items, is_deep: false });
    let deep = Some(ProposalList { items: deep, is_deep: true });
    plain.chain(deep.filter(|list| !list.items.is_empty())).collect()
}
