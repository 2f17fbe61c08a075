//! The launches that are tried for a kernel one after another, until one fits.

use clreduce_host::HostKernel;
use clreduce_kernel::{Choice, Fill, KernelLaunch, KernelSignature};
use clreduce_testcase::tokens;

/// A launch to try.
pub(super) struct Attempt {
    pub launch: KernelLaunch,
    /// The most jumps that it may make.
    pub most_jumps: u64,
}

/// The numbers that values are, one after another. Zero comes late: with it, kernels often do nothing.
const VALUES: [u64; 7] = [64, 16, 8, 4, 2, 1, 0];

/// The launches to try after the one that every kernel gets.
pub(super) fn others(
    given: &KernelLaunch,
    signature: &KernelSignature,
    kernel: &HostKernel,
    are_sizes_given: bool,
) -> Vec<KernelLaunch> {
    let is_one = given.global.iter().all(|&size| size == 1);
    let own = (given.global.clone(), given.local.clone().unwrap_or_else(|| given.global.clone()));
    let mut sizes = vec![own];
    if !are_sizes_given && signature.required_local.is_none() && !is_one {
        sizes.extend(sizes_for(&kernel.expanded));
    }
    let fills = [Fill::Steps { first: 1.0, step: 1.0 }, Fill::all(1.0), Fill::all(0.0)];
    let mut found: Vec<KernelLaunch> = Vec::new();
    for (round, fill) in fills.into_iter().enumerate() {
        for (global, local) in &sizes {
            let items = Choice::of_sizes(global.clone(), local.clone());
            let values = [global[0]].into_iter().chain(VALUES);
            for value in values.filter(|value| round == 0 || [16, 1, 0].contains(value)) {
                let member = if round == 2 { 0 } else { 1 };
                let choice = Choice { value, fill: fill.clone(), member, ..items.clone() };
                let Ok(launch) = choice.launch(signature) else { continue };
                if launch != *given && !found.contains(&launch) {
                    found.push(launch);
                }
            }
        }
    }
    found
}

/// The most work-items of a small launch.
const SMALL_LAUNCH: u64 = 64;

/// Launches of a kernel in several groups, in as many dimensions as its program asks for; values are as large as the first
/// dimension, or 1. Buffers hold the usual numbers, or the same number everywhere: in small launches, also 0, with small values.
pub(crate) fn in_groups(kernel: &HostKernel) -> Vec<KernelLaunch> {
    let free = kernel.kernels.iter().filter(|signature| signature.required_local.is_none());
    let sizes = sizes_for(&kernel.expanded);
    let launches = free.flat_map(|signature| {
        let usual =
            sizes.iter().map(|(global, local)| Choice::of_sizes(global.clone(), local.clone()));
        let same = usual.clone().map(|choice| Choice { fill: Fill::all(1.0), ..choice });
        let small = usual.clone().filter(|choice| choice.value <= SMALL_LAUNCH);
        let zeros = small.map(|choice| Choice { fill: Fill::all(0.0), ..choice });
        let own = usual.chain(same).map(|choice| (choice.global[0], choice));
        let own = own
            .flat_map(|(value, choice)| [value, 1].map(|value| Choice { value, ..choice.clone() }));
        let zeros =
            zeros.flat_map(|choice| [16, 4].map(|value| Choice { value, ..choice.clone() }));
        let choices: Vec<Choice> = own.chain(zeros).collect();
        choices.into_iter().filter_map(|choice| choice.launch(signature).ok())
    });
    launches.collect()
}

/// Gives a launch as many dimensions as its program asks for.
pub(crate) fn widen(launch: &mut KernelLaunch, source: &[u8]) {
    let dimensions = Asked::of(source).dimensions.max(launch.global.len());
    launch.global.resize(dimensions, 1);
    if let Some(local) = &mut launch.local {
        local.resize(dimensions, 1);
    }
}

/// Global and local sizes for a program, with several groups in the dimensions in which it asks for them.
fn sizes_for(source: &[u8]) -> Vec<(Vec<u64>, Vec<u64>)> {
    let asked = Asked::of(source);
    let own = own_groups(source).map(|group| (vec![2 * group], vec![group]));
    let squares =
        SQUARES.into_iter().filter(|side| asked.dimensions > 1 && has_number(source, *side));
    let squares = squares.map(|side| (vec![2 * side; 2], vec![side; 2]));
    let sizes = sizes_in(asked.dimensions).map(|(global, local)| {
        let one = |(dimension, (&global, &local)): (usize, (&u64, &u64))| {
            if asked.groups[dimension] { global } else { local }
        };
        (global.iter().zip(local).enumerate().map(one).collect(), local.to_vec())
    });
    sizes.chain(squares).chain(own).collect()
}

/// The sides of square groups that a program may expect, as it has such a number.
const SQUARES: [u64; 2] = [8, 32];

/// The numbers in a program.
fn numbers(source: &[u8]) -> impl Iterator<Item = u64> {
    tokens(source)
        .filter_map(|token| std::str::from_utf8(&source[token.range()]).ok()?.parse().ok())
}

fn has_number(source: &[u8], wanted: u64) -> bool {
    numbers(source).any(|number| number == wanted)
}

/// The sizes of groups that a program may expect, as it has such a number: the number and its double.
fn own_groups(source: &[u8]) -> impl Iterator<Item = u64> {
    let numbers = numbers(source).flat_map(|number| [number, number.saturating_mul(2)]);
    let sizes = numbers.filter(|size| size.is_power_of_two() && (32..=512).contains(size));
    let mut sizes: Vec<u64> = sizes.filter(|&size| size != 64).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter()
}

/// Global and local sizes of launches in `dimensions` dimensions.
fn sizes_in(dimensions: usize) -> impl Iterator<Item = (&'static [u64], &'static [u64])> {
    const ONE: [(&[u64], &[u64]); 3] = [(&[256], &[64]), (&[64], &[16]), (&[16], &[16])];
    const TWO: [(&[u64], &[u64]); 3] =
        [(&[32, 32], &[16, 16]), (&[16, 16], &[4, 4]), (&[8, 4], &[4, 2])];
    const THREE: [(&[u64], &[u64]); 3] =
        [(&[16, 8, 8], &[8, 4, 4]), (&[8, 8, 4], &[4, 4, 2]), (&[4, 4, 2], &[2, 2, 1])];
    let more = match dimensions {
        1 => &[][..],
        2 => &TWO,
        _ => &THREE,
    };
    more.iter().chain(&ONE).copied()
}

/// The questions of a program about its work-items.
struct Asked {
    /// The number of dimensions whose identifiers or sizes it asks for.
    dimensions: usize,
    /// The dimensions in which it may ask for groups, or for identifiers in all groups.
    groups: [bool; 3],
}

impl Asked {
    fn of(source: &[u8]) -> Self {
        let words: Vec<&[u8]> = tokens(source).map(|token| &source[token.range()]).collect();
        let mut asked = Self { dimensions: 1, groups: [false; 3] };
        for window in words.windows(4) {
            let [name, b"(", argument, end] = window else { continue };
            if !name.starts_with(b"get_") {
                continue;
            }
            let is_of_groups = name.starts_with(b"get_g") || *name == b"get_num_groups";
            let number = |one: &&[u8]| one.len() == 1 && (b'0'..=b'2').contains(&one[0]);
            match Some(argument).filter(|one| *end == b")" && number(one)) {
                Some(argument) => {
                    let dimension = usize::from(argument[0] - b'0');
                    asked.dimensions = asked.dimensions.max(dimension + 1);
                    asked.groups[dimension] |= is_of_groups;
                }
                // A macro or a variable may be any dimension.
                None if is_of_groups => asked.groups = [true; 3],
                None => {}
            }
        }
        // Without identifiers, all work-items do the same.
        if asked.groups == [false; 3] {
            asked.groups = [true; 3];
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_as_many_dimensions_as_it_asks_for() {
        let dimensions = |source: &[u8]| Asked::of(source).dimensions;
        assert_eq!(dimensions(b"int i = get_global_id(0);"), 1);
        assert_eq!(dimensions(b"int i = get_global_id(0) + get_group_id(1);"), 2);
        assert_eq!(dimensions(b"f(2); get_local_size(2);"), 3);
    }

    #[test]
    fn there_are_several_groups_only_where_a_program_asks_for_them() {
        let first = |source: &[u8]| sizes_for(source).remove(0);
        let both = (vec![32, 32], vec![16, 16]);
        assert_eq!(first(b"get_global_id(0) + get_global_id(1);"), both);
        assert_eq!(first(b"get_local_id(0) + get_group_id(1);"), (vec![16, 32], vec![16, 16]));
        assert_eq!(first(b"get_local_id(0) + get_local_id(1);"), both);
        assert_eq!(first(b"get_local_id(1) + get_global_id(DIM);"), both);
    }
}
