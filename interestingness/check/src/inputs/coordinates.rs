//! Coordinates: the numbers of a launch that a search may change one by one.

use clreduce_host::HostKernel;
use clreduce_kernel::{
    Argument, Fill, KernelLaunch, KernelParameter, Number, Scalar, encode, encode_whole,
    read_number,
};

/// The most elements at the beginning of a buffer that are coordinates of their own.
const MOST_ELEMENTS: u64 = 8;
/// The most elements of a buffer whose content is written as a list.
const MOST_LISTED: u64 = 256;
/// The most groups in one dimension.
const MOST_GROUPS: f64 = 64.0;

/// A number of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Coordinate {
    place: CoordinatePlace,
    /// The type of the number.
    number: Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoordinatePlace {
    /// In the value of an argument, at an offset.
    Value { argument: usize, offset: usize },
    /// In every element of a buffer; in structures of so many bytes, at an offset.
    Everywhere { argument: usize, offset: usize, of: usize },
    /// In one element of a buffer.
    Element { argument: usize, index: usize },
    /// The number of groups in a dimension.
    Groups(usize),
}

impl Coordinate {
    /// The coordinates of a launch, values first.
    pub(super) fn all(kernel: &HostKernel, launch: &KernelLaunch, sizes: bool) -> Vec<Self> {
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
        let groups = (0..dimensions).map(|dimension| Self {
            place: CoordinatePlace::Groups(dimension),
            number: Number::scalar(Scalar::Long),
        });
        values.into_iter().chain(groups).chain(buffers).collect()
    }

    /// The value of an argument.
    pub(super) fn value(argument: usize, number: Number) -> Self {
        Self { place: CoordinatePlace::Value { argument, offset: 0 }, number }
    }

    /// Every element of a buffer.
    pub(super) fn everywhere(argument: usize, number: Number) -> Self {
        let of = number.bytes();
        Self { place: CoordinatePlace::Everywhere { argument, offset: 0, of }, number }
    }

    /// One element of a buffer.
    pub(super) fn element(argument: usize, index: usize, number: Number) -> Self {
        Self { place: CoordinatePlace::Element { argument, index }, number }
    }

    /// True if only whole numbers can be put there.
    pub(super) fn is_whole(self) -> bool {
        !matches!(self.number.scalar, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// The number of a launch; `None` if it is no such launch.
    pub(super) fn of(self, launch: &KernelLaunch) -> Option<f64> {
        match self.place {
            CoordinatePlace::Value { argument, offset } => {
                let Argument::Value(bytes) = launch.arguments.get(argument)? else { return None };
                read_number(self.number, bytes.get(offset..)?)
            }
            CoordinatePlace::Everywhere { argument, offset, .. } => {
                read_number(self.number, content(launch, argument, 1)?.get(offset..)?)
            }
            CoordinatePlace::Element { argument, index } => {
                let bytes = content(launch, argument, MOST_ELEMENTS)?;
                read_number(self.number, bytes.get(index * self.number.bytes()..)?)
            }
            CoordinatePlace::Groups(dimension) => {
                Some((launch.global.get(dimension)? / group(launch, dimension)) as f64)
            }
        }
    }

    /// The launch with another number there; `None` if it would be too large, or another one.
    pub(super) fn with(self, launch: &KernelLaunch, value: f64) -> Option<KernelLaunch> {
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
            CoordinatePlace::Element { argument, index } => {
                let Argument::Buffer { element, elements, fill, .. } =
                    next.arguments.get_mut(argument)?
                else {
                    return None;
                };
                let all = fill.content(*element, (*elements).min(MOST_LISTED));
                let mut values: Vec<f64> = all
                    .chunks(element.bytes())
                    .map(|one| read_number(*element, one))
                    .collect::<Option<_>>()?;
                *values.get_mut(index)? = value;
                *fill = Fill::Values(values);
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
}

fn group(launch: &KernelLaunch, dimension: usize) -> u64 {
    launch.local.as_ref().and_then(|local| local.get(dimension)).copied().unwrap_or(1).max(1)
}

/// The beginning of a buffer: as many bytes as so many of its elements have, or one structure.
fn content(launch: &KernelLaunch, argument: usize, elements: u64) -> Option<Vec<u8>> {
    let Argument::Buffer { element, elements: all, fill, .. } = launch.arguments.get(argument)?
    else {
        return None;
    };
    // A structure is several elements of one byte.
    let elements = if matches!(fill, Fill::Bytes(_)) { *all } else { elements.min(*all) };
    Some(fill.content(*element, elements))
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
