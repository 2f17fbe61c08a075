//! Shapes of kernels: the numbers of work-items and of groups.

use crate::ir::{Sizes, WARP};
use crate::random::Stream;

/// The most work-items of all groups together: each is interpreted.
const MOST_ITEMS: u32 = 64;

/// The tokens of a small kernel.
const SMALL: usize = 1200;

/// Draws the sizes. Groups of more than one work-item are wanted where they exchange something.
pub(super) fn sizes(exchanging: bool, tokens: usize, stream: &mut Stream) -> Sizes {
    let group = if stream.chance(25) {
        stream.pick(&[3_u32, 5, 6, 7, 9, 12, 15])
    } else {
        stream.pick(&[1_u32, 2, 4, 4, 8, 8, 16, 32])
    };
    // The table of permutations has a row for each group size.
    let group = if exchanging { group.clamp(2, (tokens as u32 / 40).max(2)) } else { group };
    // A small kernel has room for one exchange, which several groups make more than once.
    let least = if exchanging && tokens < SMALL { 2 } else { 1 };
    let most = (MOST_ITEMS / group).clamp(least, 4);
    let groups = least + stream.below(u64::from(most - least) + 1) as u32;
    of_groups(group, groups, stream)
}

pub(super) fn of_group(group: u32, most: u32, stream: &mut Stream) -> Sizes {
    let groups = 1 + stream.below(most.into()) as u32;
    of_groups(group, groups, stream)
}

/// Groups whose first dimension is one or two whole sub-groups, which then lie one after the other in a group.
pub(super) fn of_sub_groups(tokens: usize, stream: &mut Stream) -> Sizes {
    let (row, rows) = match stream.below(5) {
        _ if tokens < SMALL => (WARP, 1),
        0 => (2 * WARP, 1),
        1 => (WARP, 2),
        _ => (WARP, 1),
    };
    let most = MOST_ITEMS / (row * rows);
    let groups = if tokens < SMALL { most } else { 1 + stream.below(most.into()) as u32 };
    let (third, counts) = (stream.chance(30), split(groups, stream));
    let local = if third { [row, 1, rows] } else { [row, rows, 1] };
    Sizes { local, global: [0, 1, 2].map(|d| local[d] * counts[d]) }
}

fn of_groups(group: u32, groups: u32, stream: &mut Stream) -> Sizes {
    let local = split(group, stream);
    let counts = split(groups, stream);
    Sizes { local, global: [0, 1, 2].map(|d| local[d] * counts[d]) }
}

/// Divides a number of work-items among the dimensions.
fn split(number: u32, stream: &mut Stream) -> [u32; 3] {
    let mut sizes = [number, 1, 1];
    for dimension in 1..=stream.below(3) as usize {
        let divisors: Vec<u32> = (1..=sizes[0]).filter(|d| sizes[0].is_multiple_of(*d)).collect();
        sizes[dimension] = stream.pick(&divisors);
        sizes[0] /= sizes[dimension];
    }
    sizes
}
