//! Arrays, and indices that are mostly in range.

use super::Maker;
use crate::ir::{
    Binary, ExprId, ExprKind, Place, ScalarType, StmtId, StmtKind, Storage, Ty, VarId,
};
use crate::random::{SeedKey, Stream};

impl Maker<'_> {
    /// Declares a private array with numbers in it.
    pub(super) fn array(&mut self, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let scalar = self.scalar_type(&mut stream);
        let lanes = if stream.chance(15) { self.lanes(scalar, &mut stream) } else { None };
        let ty = Ty { scalar, lanes: lanes.unwrap_or(1) };
        let length = if ty.is_vector() { 2 + stream.below(4) } else { self.length(&mut stream) };
        let id = self.variable('a', ty, Some(length as u32));
        self.arrays.push(id);
        let given = if stream.chance(50) { length } else { stream.below(length) };
        let count = (given * u64::from(ty.lanes)).clamp(1, 24) / u64::from(ty.lanes);
        let values = (0..count.max(1) * u64::from(ty.lanes))
            .map(|_| self.stored(scalar, &mut stream))
            .collect();
        self.program.statement(StmtKind::DeclareArray(id, values), key)
    }

    fn length(&self, stream: &mut Stream) -> u64 {
        if stream.chance(50) { stream.pick(&[4, 8, 16, 16]) } else { 3 + stream.below(18) }
    }

    /// Adds a table of constants that all work-items can read. In PTX, it has an element for each of many work-items.
    pub(super) fn table(&mut self, key: SeedKey) {
        let mut stream = key.stream();
        let (scalar, length) = match self.features.are_of_ptx() {
            true => (self.some_word(&mut stream).scalar, 32),
            false => (self.scalar_type(&mut stream), stream.pick(&[4_u32, 7, 8])),
        };
        let values = (0..length).map(|_| self.stored(scalar, &mut stream)).collect();
        let id = self.program.declare_table(Ty::scalar(scalar), values);
        self.arrays.push(id);
    }

    /// An index below `length`: a counter of a loop as it is, or something cut off.
    pub(super) fn index(&mut self, length: u32, stream: &mut Stream, key: SeedKey) -> ExprId {
        if !self.counters.is_empty() && stream.chance(50) {
            let counter = stream.pick(&self.counters);
            return self.read(counter, key);
        }
        if stream.chance(35) {
            let number = stream.below(length.into());
            return self.program.literal(number.into(), Ty::INT, key);
        }
        let any = self.leaf(Ty::scalar(ScalarType::Uint), key.child(2));
        self.cut(any, length, key)
    }

    /// An unsigned value modulo a length.
    pub(super) fn cut(&mut self, value: ExprId, length: u32, key: SeedKey) -> ExprId {
        let uint = Ty::scalar(ScalarType::Uint);
        let value = self.program.convert(value, uint, key);
        let (operator, by) = match length.is_power_of_two() {
            true => (Binary::And, length - 1),
            false => (Binary::Remainder, length),
        };
        let by = self.program.literal(by.into(), uint, key);
        self.program.binary(operator, value, by, key)
    }

    /// An element of an array, or several from an array of scalars where a vector is wanted.
    pub(super) fn array_value(
        &mut self,
        array: VarId,
        wanted: Ty,
        stream: &mut Stream,
        key: SeedKey,
    ) -> ExprId {
        let (element, length) = self.array_type(array);
        let loads = wanted.is_vector()
            && !element.is_vector()
            && u32::from(wanted.lanes) <= length
            && self.features.allows("vload", wanted)
            && self.features.allows("vector", wanted.of(element.scalar));
        if loads && stream.chance(60) {
            let at = self.index(length / u32::from(wanted.lanes), stream, key);
            return self.program.add(ExprKind::Load(array, at), wanted.of(element.scalar), key);
        }
        let at = self.index(length, stream, key);
        self.program.add(ExprKind::Element(array, at), element, key)
    }

    pub(super) fn array_type(&self, array: VarId) -> (Ty, u32) {
        let variable = self.program.variable(array);
        (variable.ty, variable.length.unwrap_or(1))
    }

    /// The private arrays that can be written here.
    pub(super) fn writable_arrays(&self) -> Vec<VarId> {
        let arrays = self.arrays.iter().copied();
        arrays.filter(|id| self.program.variable(*id).space == Storage::Private).collect()
    }

    /// Writes an element, or several at once.
    pub(super) fn write_array(&mut self, depth: u32, key: SeedKey) -> Option<StmtId> {
        let mut stream = key.stream();
        let arrays = self.writable_arrays();
        if arrays.is_empty() {
            return None;
        }
        let array = stream.pick(&arrays);
        let (element, length) = self.array_type(array);
        let lanes = self.lanes(element.scalar, &mut stream);
        let stores = lanes.filter(|lanes| {
            let ty = Ty { scalar: element.scalar, lanes: *lanes };
            !element.is_vector()
                && u32::from(*lanes) <= length
                && self.features.allows("vstore", ty)
        });
        let (place, ty) = match stores {
            Some(lanes) if stream.chance(40) => {
                let at = self.index(length / u32::from(lanes), &mut stream, key.child(1));
                (Place::Store(array, at), Ty { scalar: element.scalar, lanes })
            }
            _ => (Place::Element(array, self.index(length, &mut stream, key.child(1))), element),
        };
        let value = self.expression(ty, depth, key.child(2));
        Some(self.program.statement(StmtKind::Assign(place, value), key))
    }
}
