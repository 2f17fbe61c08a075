//! The types of objects: structures and unions, with their members.

use super::Maker;
use crate::ir::{ObjectType, RecordId, Region, Ty};
use crate::random::{SeedKey, Stream};

impl Maker<'_> {
    /// The members of a structure.
    pub(super) fn members(
        &mut self,
        pointers: bool,
        mut room: usize,
        key: SeedKey,
    ) -> Vec<ObjectType> {
        let mut stream = key.stream();
        let mut members = Vec::new();
        for _ in 0..2 + stream.below(4) {
            let inner = self.some_record(&mut stream);
            let shape = match (stream.below(100), inner) {
                (0..22, Some(inner)) => inner,
                (22..34, _) => {
                    let element = Ty::scalar(self.scalar_type(&mut stream));
                    let length = 2 + stream.below(3) as u32;
                    self.array_shape(element, length).unwrap_or(ObjectType::Value(element))
                }
                (34..46, inner) if pointers => {
                    let value = ObjectType::Value(self.any_type(&mut stream));
                    let target = inner.filter(|_| stream.chance(40)).unwrap_or(value);
                    ObjectType::Pointer(Box::new(target), Region::Private)
                }
                _ => self.bits(&mut stream),
            };
            let mut leaves = Vec::new();
            self.program.leaves(&shape, 0, &mut leaves);
            if leaves.len() <= room {
                room -= leaves.len();
                members.push(shape);
            }
        }
        if members.is_empty() {
            members.push(ObjectType::Value(Ty::scalar(self.scalar_type(&mut stream))));
        }
        members
    }

    /// A member with a value: in some structures, a bit-field.
    fn bits(&mut self, stream: &mut Stream) -> ObjectType {
        let ty = self.any_type(stream);
        let weight = self.features.weight("bit_field", ty);
        if ty.is_vector() || ty.scalar.is_float() || !stream.chance(u64::from(weight) * 9) {
            return ObjectType::Value(ty);
        }
        let bits = stream.within(1, i64::from(ty.scalar.bits()));
        ObjectType::Bits(ty.scalar, bits as u8)
    }

    /// The members of a union: several views of the same bytes, and perhaps of a part of them.
    pub(super) fn union_members(&mut self, key: SeedKey) -> Vec<ObjectType> {
        let mut stream = key.stream();
        let whole = Ty::scalar(self.scalar_type(&mut stream));
        let mut members = vec![ObjectType::Value(whole)];
        for _ in 0..1 + stream.below(3) {
            let scalar = self.scalar_type(&mut stream);
            let count = whole.scalar.bits() / scalar.bits().max(1);
            let vector = Ty { scalar, lanes: count as u8 };
            let is_vector = matches!(count, 2 | 4 | 8)
                && self.mode.has_vectors()
                && self.features.allows("vector", vector);
            members.push(match count {
                0 | 1 => ObjectType::Value(Ty::scalar(scalar)),
                _ if is_vector && stream.chance(50) => ObjectType::Value(vector),
                _ if stream.chance(25) => ObjectType::Value(Ty::scalar(scalar)),
                _ => {
                    let element = Ty::scalar(scalar);
                    self.array_shape(element, count).unwrap_or(ObjectType::Value(element))
                }
            });
        }
        members
    }

    /// An array of values, if it is not to be avoided.
    pub(super) fn array_shape(&self, element: Ty, length: u32) -> Option<ObjectType> {
        let allowed = self.features.allows("array", element);
        allowed.then(|| ObjectType::Array(Box::new(ObjectType::Value(element)), length))
    }

    pub(super) fn some_record(&self, stream: &mut Stream) -> Option<ObjectType> {
        let count = self.program.records.len() as u64;
        (count > 0).then(|| ObjectType::Record(RecordId(stream.below(count) as u32)))
    }
}
