//! Contents of buffers under which indices stay within bounds.
//!
//! Where a launch reaches outside of a buffer, the work-item has mostly read the index from another buffer just before. What it read
//! becomes small: first different numbers, as equal ones may lead to data races. Where 1 is subtracted from a width that was read, 0 and 1
//! are too small.

use clreduce_host::Source;
use clreduce_kernel::{KernelLaunch, KernelSignature};

use crate::coordinates::Coordinate;

/// The numbers below which indices are tried first.
const BOUND: u8 = 16;
/// The contents that are tried for each place that was read.
const CONTENTS: usize = 4;

/// The contents that were tried for one launch.
#[derive(Default)]
pub(crate) struct Bounds {
    /// How many contents were tried for each place.
    tried: Vec<(Coordinate, usize)>,
}

impl Bounds {
    /// The launch with other contents of a buffer from which the index may have come; `None` when all were tried.
    pub(crate) fn next(
        &mut self,
        kernels: &[KernelSignature],
        launch: &KernelLaunch,
        sources: &[Source],
    ) -> Option<KernelLaunch> {
        let places = sources.iter().filter_map(|&source| {
            let [_, everywhere] = Coordinate::of_source(kernels, launch, source)?;
            Some(everywhere)
        });
        let (mut last, places): (Vec<usize>, Vec<Coordinate>) = (Vec::new(), places.collect());
        for place in places {
            let known = self.tried.iter().position(|(tried, _)| *tried == place);
            last.push(known.unwrap_or(self.tried.len()));
            if known.is_none() {
                self.tried.push((place, 0));
            }
        }
        // The last read comes first among those that were tried as often.
        last.sort_by_key(|&number| self.tried[number].1);
        for number in last {
            let (coordinate, tried) = &mut self.tried[number];
            while *tried < CONTENTS {
                *tried += 1;
                let next = match *tried {
                    1 => coordinate.counting(launch, BOUND.into()),
                    2 => coordinate.with(launch, BOUND.into()),
                    3 => coordinate.with(launch, 1.0),
                    _ => coordinate.with(launch, 0.0),
                };
                if next.is_some() {
                    return next;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use clreduce_host::HostKernel;
    use clreduce_kernel::{Argument, Fill};

    use super::*;

    #[test]
    fn the_last_read_is_bounded_first_and_members_one_by_one() {
        let source =
            b"typedef struct { int a, b; } P; kernel void k(global int *i, global P *p) {}";
        let kernel = HostKernel::new(&source[..]).unwrap();
        let mut launch = kernel.launches.clone().unwrap().remove(1);
        let mut bounds = Bounds::default();
        let sources = [Source { argument: 1, offset: 12 }, Source { argument: 0, offset: 8 }];
        let fill = |launch: &KernelLaunch, argument: usize| match &launch.arguments[argument] {
            Argument::Buffer { fill, .. } => fill.clone(),
            other => panic!("{other:?}"),
        };
        let mut next = || {
            launch = bounds.next(&kernel.kernels, &launch, &sources)?;
            Some([0, 1].map(|argument| fill(&launch, argument)))
        };
        let [_, Fill::Bytes(objects)] = next().unwrap() else { panic!() };
        let words: Vec<i32> =
            objects.chunks(4).map(|one| i32::from_ne_bytes(one.try_into().unwrap())).collect();
        assert_eq!((&words[..6], words[2 * 17 + 1]), (&[1, 0, 1, 1, 1, 2][..], 1));
        let [Fill::Values(values), _] = next().unwrap() else { panic!() };
        assert_eq!((values[15], values[16]), (15.0, 0.0));
        for all in [16.0, 1.0, 0.0] {
            next().unwrap();
            assert_eq!(next().unwrap()[0], Fill::all(all));
        }
        assert!(next().is_none());
    }
}
