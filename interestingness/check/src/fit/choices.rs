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
        sizes.extend(
            sizes_in(dimensions(&kernel.source))
                .map(|(global, local)| (global.to_vec(), local.to_vec())),
        );
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

/// Launches of a kernel in several groups, in as many dimensions as its program asks for.
pub(crate) fn in_groups(kernel: &HostKernel) -> Vec<KernelLaunch> {
    let free = kernel.kernels.iter().filter(|signature| signature.required_local.is_none());
    let fill = Fill::Steps { first: 1.0, step: 1.0 };
    let launches = free.flat_map(|signature| {
        sizes_in(dimensions(&kernel.source)).filter_map(|(global, local)| {
            let sizes = Choice::of_sizes(global.to_vec(), local.to_vec());
            let (value, fill) = (global[0], fill.clone());
            Choice { value, fill, member: 1, ..sizes }.launch(signature).ok()
        })
    });
    launches.collect()
}

/// Sizes of launches in so many dimensions.
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

/// The number of dimensions whose identifiers or sizes a program asks for.
fn dimensions(source: &[u8]) -> usize {
    let words: Vec<&[u8]> = tokens(source).map(|token| &source[token.range()]).collect();
    let dimension = |window: &[&[u8]]| match window {
        [name, b"(", b"1", b")"] if name.starts_with(b"get_") => 2,
        [name, b"(", b"2", b")"] if name.starts_with(b"get_") => 3,
        _ => 1,
    };
    words.windows(4).map(dimension).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_as_many_dimensions_as_it_asks_for() {
        assert_eq!(dimensions(b"int i = get_global_id(0);"), 1);
        assert_eq!(dimensions(b"int i = get_global_id(0) + get_group_id(1);"), 2);
        assert_eq!(dimensions(b"f(2); get_local_size(2);"), 3);
    }
}
