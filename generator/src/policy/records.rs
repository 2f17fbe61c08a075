//! The types of objects: structures and unions, with their members.

use super::Maker;
use crate::ir::{RecordId, Region, Shape, Type};
use crate::random::{Key, Stream};

impl Maker<'_> {
    /// The members of a structure.
    pub(super) fn members(&mut self, pointers: bool, mut room: usize, key: Key) -> Vec<Shape> {
        let mut stream = key.stream();
        let mut members = Vec::new();
        for _ in 0..2 + stream.below(4) {
            let inner = self.some_record(&mut stream);
            let shape = match (stream.below(100), inner) {
                (0..22, Some(inner)) => inner,
                (22..34, _) => {
                    let element = Type::scalar(self.scalar_type(&mut stream));
                    let length = 2 + stream.below(3) as u32;
                    self.array_shape(element, length).unwrap_or(Shape::Value(element))
                }
                (34..46, inner) if pointers => {
                    let value = Shape::Value(self.any_type(&mut stream));
                    let target = inner.filter(|_| stream.chance(40)).unwrap_or(value);
                    Shape::Pointer(Box::new(target), Region::Private)
                }
                _ => Shape::Value(self.any_type(&mut stream)),
            };
            let mut leaves = Vec::new();
            self.program.leaves(&shape, 0, &mut leaves);
            if leaves.len() <= room {
                room -= leaves.len();
                members.push(shape);
            }
        }
        if members.is_empty() {
            members.push(Shape::Value(Type::scalar(self.scalar_type(&mut stream))));
        }
        members
    }

    /// The members of a union: several views of the same bytes, and perhaps of a part of them.
    pub(super) fn union_members(&mut self, key: Key) -> Vec<Shape> {
        let mut stream = key.stream();
        let whole = Type::scalar(self.scalar_type(&mut stream));
        let mut members = vec![Shape::Value(whole)];
        for _ in 0..1 + stream.below(3) {
            let scalar = self.scalar_type(&mut stream);
            let count = whole.scalar.bits() / scalar.bits().max(1);
            let vector = Type { scalar, lanes: count as u8 };
            let is_vector = matches!(count, 2 | 4 | 8)
                && self.mode.has_vectors()
                && self.features.allows("vector", vector);
            members.push(match count {
                0 | 1 => Shape::Value(Type::scalar(scalar)),
                _ if is_vector && stream.chance(50) => Shape::Value(vector),
                _ if stream.chance(25) => Shape::Value(Type::scalar(scalar)),
                _ => {
                    let element = Type::scalar(scalar);
                    self.array_shape(element, count).unwrap_or(Shape::Value(element))
                }
            });
        }
        members
    }

    /// An array of values, if it is not to be avoided.
    pub(super) fn array_shape(&self, element: Type, length: u32) -> Option<Shape> {
        let allowed = self.features.allows("array", element);
        allowed.then(|| Shape::Array(Box::new(Shape::Value(element)), length))
    }

    pub(super) fn some_record(&self, stream: &mut Stream) -> Option<Shape> {
        let count = self.program.records.len() as u64;
        (count > 0).then(|| Shape::Record(RecordId(stream.below(count) as u32)))
    }
}
