//! Takes levels off deep nests: of brackets, of statements and expressions of one kind in each other, and of
//! `#if`. A level goes with everything between it and the next one, so that a nest of the same kind is left,
//! only not as deep. Where nothing is nested deep, other passes look at each level.

use std::ops::Range;

use clreduce_testcase::{Edit, Patch};

use crate::Snapshot;
use crate::analysis::{Nest, Tokens, launch_comment, nests};
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new("nesting", "Take levels off deep nests", ANY, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::all(snapshot) {
        for nest in nests(snapshot, unit.file) {
            proposals.extend(without_levels(unit, &nest));
        }
    }
}

/// The nest without each of its levels but the innermost.
fn without_levels(unit: Tokens<'_>, nest: &Nest) -> impl Iterator<Item = Proposal> {
    let launch = launch_comment(unit.bytes);
    nest.levels.windows(2).filter_map(move |pair| {
        let (outer, inner) = (&pair[0], &pair[1]);
        let around = [outer.start..inner.start, inner.end..outer.end];
        let is_launched =
            |range: &Range<usize>| range.start < launch.end && launch.start < range.end;
        if around.iter().any(is_launched) {
            return None;
        }
        let some = around.into_iter().filter(|range| !range.is_empty());
        Patch::new(some.map(|range| Edit::delete(unit.file, range)).collect()).map(Proposal::new)
    })
}
