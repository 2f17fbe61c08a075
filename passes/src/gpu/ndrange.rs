//! Lowers the number of work-items in the launch comment.
//!
//! The first of all passes, because every test after it is faster. A dimension is tried at 1, 2, 4, …
//! work-items rather than counted up; the work-group size follows so that it goes on dividing the
//! global size.
//!
//! before:
//! ```cl
//! // -g 36,74,3 -l 12,2,3
//! ```
//! after:
//! ```cl
//! // -g 1,74,3 -l 1,2,3
//! ```

use std::ops::Range;

use clreduce_testcase::{Edit, Launch, Patch};

use crate::Snapshot;
use crate::pass::{LaunchEdits, OPENCL, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("ndrange", "Lower the global and local sizes in the launch comment", OPENCL, propose)
        .editing_launch(LaunchEdits::Sizes);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        if let Some(launch) = Launch::find(snapshot.bytes(file)) {
            proposals.extend(for_file(file, snapshot.bytes(file), &launch));
        }
    }
}

/// Global and local size of one dimension.
type Sizes = (u64, u64);

fn for_file(file: usize, bytes: &[u8], launch: &Launch) -> Vec<Proposal> {
    let global = parts(bytes, &launch.global_range);
    let local = parts(bytes, &launch.local_range);
    let now: Vec<Sizes> = launch.global.iter().copied().zip(launch.local.iter().copied()).collect();
    let edit = |dimension: usize, (global_size, local_size): Sizes| {
        let mut edits = Vec::new();
        for (range, was, is) in [
            (&global[dimension], now[dimension].0, global_size),
            (&local[dimension], now[dimension].1, local_size),
        ] {
            if was != is {
                edits.push(Edit::replace(file, range.clone(), is.to_string().into_bytes()));
            }
        }
        edits
    };
    let mut proposals = Vec::new();
    for sizes in fewest(&now) {
        let edits = sizes.into_iter().enumerate().flat_map(|(at, sizes)| edit(at, sizes)).collect();
        proposals.extend(Patch::new(edits).map(Proposal::new));
    }
    for (dimension, &sizes) in now.iter().enumerate() {
        let list = 1 + dimension as u32;
        let smaller = smaller(sizes).into_iter();
        let patches = smaller.filter_map(|sizes| Patch::new(edit(dimension, sizes)));
        proposals.extend(patches.map(|patch| Proposal::new(patch).in_list(list)));
    }
    // The last dimension, once it is 1.
    if let [.., _, (1, 1)] = now[..] {
        let last = now.len() - 1;
        let drop =
            |ranges: &[Range<usize>]| Edit::delete(file, ranges[last - 1].end..ranges[last].end);
        let patch = Patch::new(vec![drop(&global), drop(&local)]);
        proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(now.len() as u32 + 1)));
    }
    proposals.retain(|proposal| !proposal.patch.is_empty());
    proposals
}

/// One work-item; two in one of the dimensions, in one group or in two. Most bugs need no more, and
/// whatever else is tried takes longer.
fn fewest(now: &[Sizes]) -> Vec<Vec<Sizes>> {
    let mut fewest = vec![vec![(1, 1); now.len()]];
    for (dimension, &(global, local)) in now.iter().enumerate() {
        for group in [2, 1] {
            if global > 2 && group <= local {
                let mut sizes = vec![(1, 1); now.len()];
                sizes[dimension] = (2, group);
                fewest.push(sizes);
            }
        }
    }
    fewest
}

/// Smaller sizes of one dimension to try, fewest work-items first; the largest group that still
/// divides them before groups of one.
fn smaller((global, local): Sizes) -> Vec<Sizes> {
    let mut sizes = Vec::new();
    let doubling = std::iter::successors(Some(1_u64), |size| size.checked_mul(2));
    for size in doubling.take_while(|&size| size < global) {
        sizes.push((size, common_divisor(size, local)));
        sizes.push((size, 1));
    }
    if let Some(half) = (global % 2 == 0).then_some(global / 2) {
        sizes.push((half, common_divisor(half, local)));
    }
    sizes.push((local, local));
    sizes.push((global, 1));
    sizes.sort_unstable_by_key(|&(global, local)| (global, std::cmp::Reverse(local)));
    sizes.dedup();
    sizes.retain(|&(smaller, group)| smaller < global || group < local);
    sizes
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// The numbers of a comma-separated list.
fn parts(bytes: &[u8], range: &Range<usize>) -> Vec<Range<usize>> {
    let mut start = range.start;
    bytes[range.clone()]
        .split(|&byte| byte == b',')
        .map(|part| {
            let this = start..start + part.len();
            start = this.end + 1;
            this
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    fn reduce(comment: &str, interesting: impl Fn(&Launch) -> bool) -> String {
        reduce_with(&PASS, comment, Language::OPENCL, |text| {
            Launch::find(text.as_bytes()).is_some_and(|launch| interesting(&launch))
        })
    }

    #[test]
    fn as_few_work_items_as_the_bug_needs() {
        let fits = |launch: &Launch| {
            launch.global.iter().zip(&launch.local).all(|(global, local)| global % local == 0)
        };
        assert_eq!(reduce("// -g 36,74,3 -l 12,2,3", fits), "// -g 1 -l 1");
        assert_eq!(
            reduce("// --atomics 3 -g 36,86,3 -l 12,2,3", |launch| {
                fits(launch) && launch.local[0] > 1
            }),
            "// --atomics 3 -g 2 -l 2"
        );
    }
}
