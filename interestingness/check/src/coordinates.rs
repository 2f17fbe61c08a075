//! Coordinates: the numbers of a launch that a search may change one by one.

use clreduce_host::{HostKernel, Source};
use clreduce_kernel::{
    Argument, Fill, KernelLaunch, KernelParameter, KernelSignature, Number, Scalar, encode,
    encode_whole, read_number,
};

/// The most elements at the beginning of a buffer that are coordinates of their own.
const MOST_ELEMENTS: u64 = 8;
/// The most elements of a buffer, and the most bytes of structures, whose content is written as a list.
const MOST_LISTED: u64 = 256;
const MOST_LISTED_BYTES: u64 = 16 << 10;
/// The most groups in one dimension.
const MOST_GROUPS: f64 = 64.0;

/// A number of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coordinate {
    place: CoordinatePlace,
    /// The type of the number.
    number: Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoordinatePlace {
    /// In the value of an argument, at an offset.
    Value { argument: usize, offset: usize },
    /// In every element of a buffer, whose size is `of` bytes, at an offset within the element.
    Everywhere { argument: usize, offset: usize, of: usize },
    /// In one element of a buffer. `offset` counts from the beginning of the buffer; an element has `of` bytes.
    Element { argument: usize, offset: usize, of: usize },
    /// The number of groups in a dimension.
    Groups(usize),
}

impl Coordinate {
    /// The coordinates of a launch, values first.
    pub(crate) fn all(kernel: &HostKernel, launch: &KernelLaunch, sizes: bool) -> Vec<Self> {
        let signature = kernel.kernels.iter().find(|one| one.name == launch.kernel);
        let parameters = signature.map_or(&[][..], |signature| &signature.parameters);
        let (mut values, mut buffers) = (Vec::new(), Vec::new());
        let arguments = launch.arguments.iter().zip(parameters).enumerate();
        for (argument, (given, parameter)) in arguments {
            if launch.fixed.contains(&argument) {
                continue;
            }
            match (given, parameter) {
                (Argument::Value(_), KernelParameter::Value(number)) => {
                    values.push(Self::value(argument, *number));
                }
                (Argument::Value(_), KernelParameter::Object { layout, .. }) => {
                    values.extend(layout.numbers.iter().map(|one| Self {
                        place: CoordinatePlace::Value { argument, offset: one.offset },
                        number: one.number,
                    }));
                }
                (Argument::Buffer { .. }, KernelParameter::Objects { layout, .. }) => {
                    buffers.extend(layout.numbers.iter().map(|one| {
                        let (offset, of) = (one.offset, layout.bytes);
                        let place = CoordinatePlace::Everywhere { argument, offset, of };
                        Self { place, number: one.number }
                    }));
                }
                (Argument::Buffer { element, elements, .. }, _) => {
                    buffers.push(Self::everywhere(argument, *element));
                    let own = (*elements).min(MOST_ELEMENTS) as usize;
                    let own = if *elements > MOST_LISTED { 0 } else { own };
                    buffers.extend((0..own).map(|index| Self::element(argument, index, *element)));
                }
                _ => {}
            }
        }
        let dimensions = if sizes { launch.global.len() } else { 0 };
        values.into_iter().chain(Self::groups(dimensions)).chain(buffers).collect()
    }

    /// The number of groups in each of `dimensions` dimensions.
    pub(crate) fn groups(dimensions: usize) -> impl Iterator<Item = Self> {
        (0..dimensions).map(|dimension| Self {
            place: CoordinatePlace::Groups(dimension),
            number: Number::scalar(Scalar::Long),
        })
    }

    /// The coordinates of the arguments of a launch that are numbers and not fixed.
    pub(crate) fn values(kernels: &[KernelSignature], launch: &KernelLaunch) -> Vec<Self> {
        let signature = kernels.iter().find(|one| one.name == launch.kernel);
        let parameters = signature.map_or(&[][..], |signature| &signature.parameters);
        let value = |(argument, parameter): (usize, &KernelParameter)| match parameter {
            KernelParameter::Value(number) if !launch.fixed.contains(&argument) => {
                Some(Self::value(argument, *number))
            }
            _ => None,
        };
        parameters.iter().enumerate().filter_map(value).collect()
    }

    /// The coordinate of an argument that is a number.
    pub(crate) fn value(argument: usize, number: Number) -> Self {
        Self { place: CoordinatePlace::Value { argument, offset: 0 }, number }
    }

    /// Every element of a buffer.
    pub(crate) fn everywhere(argument: usize, number: Number) -> Self {
        let of = number.bytes();
        Self { place: CoordinatePlace::Everywhere { argument, offset: 0, of }, number }
    }

    /// One element of a buffer.
    pub(crate) fn element(argument: usize, index: usize, number: Number) -> Self {
        let of = number.bytes();
        Self { place: CoordinatePlace::Element { argument, offset: index * of, of }, number }
    }

    /// The numbers at a place that a work-item has read: in this element, and in all elements.
    pub(crate) fn of_source(
        kernels: &[KernelSignature],
        launch: &KernelLaunch,
        source: Source,
    ) -> Option<[Self; 2]> {
        let argument = source.argument;
        let signature = kernels.iter().find(|one| one.name == launch.kernel)?;
        let Argument::Buffer { image: None, .. } = launch.arguments.get(argument)? else {
            return None;
        };
        let (start, of, number) = match signature.parameters.get(argument)? {
            KernelParameter::Buffer { element, .. } => {
                let lane = Number::scalar(element.scalar);
                (source.offset as usize / lane.bytes() * lane.bytes(), element.bytes(), lane)
            }
            KernelParameter::Objects { layout, .. } => {
                let within = source.offset as usize % layout.bytes.max(1);
                let member = layout
                    .numbers
                    .iter()
                    .find(|one| (one.offset..one.offset + one.number.bytes()).contains(&within))?;
                (source.offset as usize - within + member.offset, layout.bytes, member.number)
            }
            _ => return None,
        };
        let element = CoordinatePlace::Element { argument, offset: start, of };
        let everywhere = CoordinatePlace::Everywhere { argument, offset: start % of, of };
        let is_free = !launch.fixed.contains(&argument);
        is_free.then_some([element, everywhere].map(|place| Self { place, number }))
    }

    /// True if only whole numbers can be put there.
    pub(crate) fn is_whole(self) -> bool {
        !matches!(self.number.scalar, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// The number of a launch; `None` if it is no such launch.
    pub(crate) fn of(self, launch: &KernelLaunch) -> Option<f64> {
        match self.place {
            CoordinatePlace::Value { argument, offset } => {
                let Argument::Value(bytes) = launch.arguments.get(argument)? else { return None };
                read_number(self.number, bytes.get(offset..)?)
            }
            CoordinatePlace::Everywhere { argument, offset, .. } => {
                read_number(self.number, content(launch, argument, 1)?.get(offset..)?)
            }
            CoordinatePlace::Element { argument, offset, of } => {
                let bytes = listed(launch, argument, of)?;
                read_number(self.number, bytes.get(offset % bytes.len()..)?)
            }
            CoordinatePlace::Groups(dimension) => {
                Some((launch.global.get(dimension)? / group(launch, dimension)) as f64)
            }
        }
    }

    /// The launch with another number there; `None` if it would be too large, or another one.
    pub(crate) fn with(self, launch: &KernelLaunch, value: f64) -> Option<KernelLaunch> {
        let value = if self.is_whole() { value.round() } else { value };
        let mut next = launch.clone();
        let bytes = match self.is_whole() {
            true => encode_whole(self.number, value as i64),
            false => encode(self.number, value),
        };
        match self.place {
            CoordinatePlace::Value { argument, offset } => {
                let Argument::Value(own) = next.arguments.get_mut(argument)? else { return None };
                own.get_mut(offset..offset + bytes.len())?.copy_from_slice(&bytes);
            }
            CoordinatePlace::Everywhere { argument, offset, of } => {
                let mut one = content(launch, argument, 1)?;
                let is_object = of != self.number.bytes();
                one.resize(of, 0);
                one.get_mut(offset..offset + bytes.len())?.copy_from_slice(&bytes);
                let Argument::Buffer { fill, .. } = next.arguments.get_mut(argument)? else {
                    return None;
                };
                *fill = if is_object { Fill::Bytes(one) } else { Fill::all(value) };
            }
            CoordinatePlace::Element { argument, offset, of } => {
                let mut all = listed(launch, argument, of)?;
                let at = offset % all.len();
                all.get_mut(at..at + bytes.len())?.copy_from_slice(&bytes);
                put_list(&mut next, argument, of, all)?;
            }
            CoordinatePlace::Groups(dimension) => {
                if !(1.0..=MOST_GROUPS).contains(&value) {
                    return None;
                }
                *next.global.get_mut(dimension)? = value as u64 * group(launch, dimension);
            }
        }
        (next != *launch).then_some(next)
    }

    /// The launch in which the elements of a buffer are there 0, 1, and so on, and begin again before `bound`.
    pub(crate) fn counting(self, launch: &KernelLaunch, bound: i64) -> Option<KernelLaunch> {
        let CoordinatePlace::Everywhere { argument, offset, of } = self.place else { return None };
        let mut all = listed(launch, argument, of)?;
        for (value, one) in (0..bound).cycle().zip(all.chunks_exact_mut(of)) {
            let bytes = encode_whole(self.number, value);
            one.get_mut(offset..offset + bytes.len())?.copy_from_slice(&bytes);
        }
        let mut next = launch.clone();
        put_list(&mut next, argument, of, all)?;
        (next != *launch).then_some(next)
    }
}

/// Replaces the content of a buffer by a list.
fn put_list(launch: &mut KernelLaunch, argument: usize, of: usize, all: Vec<u8>) -> Option<()> {
    let Argument::Buffer { element, fill, .. } = launch.arguments.get_mut(argument)? else {
        return None;
    };
    let is_list = of == element.bytes() && element.lanes == 1;
    let values = all.chunks(of).map(|one| read_number(*element, one)).collect();
    *fill = match values {
        Some(values) if is_list => Fill::Values(values),
        _ => Fill::Bytes(all),
    };
    Some(())
}

fn group(launch: &KernelLaunch, dimension: usize) -> u64 {
    launch.local.as_ref().and_then(|local| local.get(dimension)).copied().unwrap_or(1).max(1)
}

/// The bytes of the first `elements` elements of a buffer, or of all if bytes fill it.
fn content(launch: &KernelLaunch, argument: usize, elements: u64) -> Option<Vec<u8>> {
    let Argument::Buffer { element, elements: all, fill, .. } = launch.arguments.get(argument)?
    else {
        return None;
    };
    // A structure is several elements of one byte.
    let elements = if matches!(fill, Fill::Bytes(_)) { *all } else { elements.min(*all) };
    Some(fill.content(*element, elements))
}

/// The bytes of the first elements of a buffer, as a list that a description can hold. An element has `of` bytes.
fn listed(launch: &KernelLaunch, argument: usize, of: usize) -> Option<Vec<u8>> {
    let Argument::Buffer { element, elements, fill, .. } = launch.arguments.get(argument)? else {
        return None;
    };
    let own = element.bytes() as u64;
    let whole = (of as u64 / own).max(1);
    let count = (elements / whole).min(MOST_LISTED).min(MOST_LISTED_BYTES / of as u64).max(1);
    let bytes = fill.content(*element, count * whole);
    (!bytes.is_empty()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use clreduce_host::HostKernel;

    use super::*;

    #[test]
    fn every_number_of_a_launch_can_be_changed() {
        let source = b"typedef struct { char c; float f[2]; } P; kernel void k(global int *a, short n, P p, global P *q) {}";
        let kernel = HostKernel::new(&source[..]).unwrap();
        let mut launch = kernel.launches.clone().unwrap().remove(1);
        // There is a limit of groups.
        launch.global = vec![1];
        let all = Coordinate::all(&kernel, &launch, true);
        // n, p.c, p.f[0], p.f[1], the groups, a everywhere, q.c, q.f[0], q.f[1].
        assert_eq!(all.len(), 9, "{all:?}");
        for one in all {
            let before = one.of(&launch).unwrap();
            let next = one.with(&launch, before + 3.0).unwrap();
            assert_eq!(one.of(&next), Some(before + 3.0), "{one:?}");
        }
        let mut fixed = launch.clone();
        fixed.fixed = vec![1];
        assert_eq!(Coordinate::all(&kernel, &fixed, false).len(), 7);
    }
}
