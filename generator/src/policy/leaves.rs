//! The ends of expressions: variables, elements, numbers, and values that the compiler cannot know.

use super::Maker;
use crate::ir::{
    Buffer, ExprId, ExprKind, Program, ScalarType, Storage, Swizzle, Ty, VarId, WorkItemId,
};
use crate::random::{SeedKey, Stream};

/// An `int` whose value the generator knows, and the compiler does not: an element of a buffer that the host fills.
pub(crate) fn opaque(program: &mut Program, value: i64, key: SeedKey) -> ExprId {
    let mut stream = key.stream();
    let (known, base) = match (program.buffer(Buffer::Emi), program.buffer(Buffer::Sequence)) {
        (_, Some(sequence)) if stream.chance(40) => {
            let dimension = stream.below(3) as u8;
            let at = program.add(ExprKind::Item(WorkItemId::Global(dimension)), Ty::INT, key);
            let element = program.add(ExprKind::Element(sequence, at), Ty::INT, key);
            let id = program.add(ExprKind::Item(WorkItemId::Global(dimension)), Ty::INT, key);
            let difference = program.binary(crate::ir::Binary::Subtract, element, id, key);
            (difference, 10)
        }
        (Some(emi), _) => {
            let index = stream.within(0, 1023);
            let at = program.literal(index.into(), Ty::INT, key);
            (program.add(ExprKind::Element(emi, at), Ty::INT, key), 1024 - index)
        }
        _ => return program.literal(value.into(), Ty::INT, key),
    };
    if base == value {
        return known;
    }
    let (operator, difference) = match base > value {
        true => (crate::ir::Binary::Subtract, base - value),
        false => (crate::ir::Binary::Add, value - base),
    };
    let difference = program.literal(difference.into(), Ty::INT, key);
    program.binary(operator, known, difference, key)
}

impl Maker<'_> {
    /// A value of a type that is made without operators, except for conversions.
    pub(super) fn leaf(&mut self, ty: Ty, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        let key = key.child(1);
        match stream.below(100) {
            0..62 => {
                if let Some(id) = self.some_variable(ty, &mut stream, key) {
                    return id;
                }
            }
            62..72 => {
                if stream.chance(60)
                    && let Some(part) = self.some_part(&mut stream, key)
                {
                    return self.fitted(part, ty, &mut stream, key);
                }
                if let Some(id) = self.some_element(ty, &mut stream, key) {
                    return id;
                }
            }
            72..78 => {
                let known = self.outside(&mut stream, key);
                return self.program.convert(known, ty, key);
            }
            _ => {}
        }
        if ty.scalar.is_float() {
            let stored = self.stored(ty.scalar, &mut stream);
            return self.program.add(ExprKind::Literal(stored), ty, key);
        }
        let number = self.number(ty.scalar, &mut stream);
        if ty.is_vector() && ty.lanes <= 4 && stream.chance(40) {
            let lanes =
                (0..ty.lanes).map(|_| self.number(ty.scalar, &mut stream)).collect::<Vec<_>>();
            let lanes =
                lanes.into_iter().map(|n| self.program.literal(n, ty.lane(), key)).collect();
            return self.program.add(ExprKind::Vector(lanes), ty, key);
        }
        self.program.literal(number, ty, key)
    }

    /// An integer that comes from outside of the kernel: the number of a work-item or group, a value of a buffer, or in PTX
    /// an element of a table.
    pub(super) fn outside(&mut self, stream: &mut Stream, key: SeedKey) -> ExprId {
        if self.features.are_of_ptx()
            && stream.chance(60)
            && let Some(element) = self.of_work_item(stream, key)
        {
            return element;
        }
        if self.mode == crate::profile::Mode::Free
            && !self.is_pure()
            && self.features.weight("id", Ty::INT) > 0
            && stream.chance(60)
        {
            let dimension = stream.below(2) as u8;
            let item = stream.pick(&[
                WorkItemId::LinearLocal,
                WorkItemId::LinearGlobal,
                WorkItemId::Local(dimension),
                WorkItemId::Global(dimension),
            ]);
            return self.program.add(ExprKind::Item(item), Ty::INT, key);
        }
        // The number of the group is equal for all work-items of a group, and differs between groups.
        if self.features.allows("id", Ty::INT) && !self.in_function && stream.chance(30) {
            let item = stream.pick(&[WorkItemId::LinearGroup, WorkItemId::Group(0)]);
            return self.program.add(ExprKind::Item(item), Ty::INT, key);
        }
        let value = stream.within(-3, 40);
        self.hidden(value, key)
    }

    /// The element of a table of constants that belongs to the work-item. So one program runs on many numbers, none of which
    /// the compiler knows. `None` where there is no table or no number of a work-item.
    fn of_work_item(&mut self, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let constant =
            |id: &VarId| matches!(self.program.variable(*id).space, Storage::Constant(_));
        let table = self.arrays.iter().copied().find(constant)?;
        let allowed =
            self.mode == crate::profile::Mode::Free && self.features.allows("id", Ty::INT);
        if !allowed || self.is_pure() {
            return None;
        }
        let (ty, length) = self.array_type(table);
        let item = stream.pick(&[WorkItemId::LinearGlobal, WorkItemId::LinearLocal]);
        let item = self.program.add(ExprKind::Item(item), Ty::INT, key);
        let at = self.cut(item, length, key);
        Some(self.program.add(ExprKind::Element(table, at), ty, key))
    }

    /// The value of a readable variable, converted if the variable has another type. `None` if there is none that fits.
    fn some_variable(&mut self, ty: Ty, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let of = |maker: &Self, wanted: &dyn Fn(Ty) -> bool| -> Vec<VarId> {
            let ids = maker.readable.iter().chain(&maker.counters).copied();
            ids.filter(|id| wanted(maker.program.variable(*id).ty)).collect()
        };
        let exact = of(self, &|other| other == ty);
        if !exact.is_empty() && stream.chance(80) {
            let id = stream.pick(&exact);
            return Some(self.read(id, key));
        }
        let same_lanes = of(self, &|other| other.lanes == ty.lanes && other != ty);
        if !same_lanes.is_empty() && stream.chance(70) && self.features.allows("convert", ty) {
            let id = stream.pick(&same_lanes);
            let value = self.read(id, key);
            return Some(self.program.convert(value, ty, key));
        }
        let all = of(self, &|_| true);
        if all.is_empty() || !self.features.allows("convert", ty) {
            return None;
        }
        let id = stream.pick(&all);
        let value = self.read(id, key);
        Some(self.fitted(value, ty, stream, key))
    }

    /// A value converted to a type, of as many lanes as that has.
    pub(super) fn fitted(
        &mut self,
        value: ExprId,
        ty: Ty,
        stream: &mut Stream,
        key: SeedKey,
    ) -> ExprId {
        let from = self.program.ty(value);
        if !from.is_vector() || from.lanes == ty.lanes {
            return self.program.convert(value, ty, key);
        }
        let lanes: Vec<u8> = (0..ty.lanes).map(|_| stream.below(from.lanes.into()) as u8).collect();
        let part = Ty { scalar: from.scalar, lanes: ty.lanes };
        let part = self.program.add(ExprKind::Swizzle(value, Swizzle::new(&lanes)), part, key);
        self.program.convert(part, ty, key)
    }

    /// The value of an element of an array. `None` if there is no array.
    fn some_element(&mut self, ty: Ty, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let value = if let Some(value) = self.own_element(stream, key) {
            value
        } else if self.arrays.is_empty() {
            return None;
        } else {
            let array = stream.pick(&self.arrays);
            self.array_value(array, ty, stream, key)
        };
        Some(self.fitted(value, ty, stream, key))
    }

    /// A scalar type that is not avoided.
    pub(super) fn scalar_type(&self, stream: &mut Stream) -> ScalarType {
        self.scalar_among(self.features.scalars(), stream)
    }

    /// A scalar integer type that is not avoided.
    pub(super) fn integer_type(&self, stream: &mut Stream) -> ScalarType {
        self.scalar_among(ScalarType::ALL.into_iter(), stream)
    }

    fn scalar_among(
        &self,
        all: impl Iterator<Item = ScalarType>,
        stream: &mut Stream,
    ) -> ScalarType {
        let all = all.map(|scalar| {
            let ty = Ty::scalar(scalar);
            let on = self.features.weight(scalar.name(), ty) > 0;
            let allowed = self.features.allows(scalar.name(), ty);
            (if on { 6 } else { u32::from(allowed) }, scalar)
        });
        stream.weighted(&all.collect::<Vec<_>>()).unwrap_or(ScalarType::Int)
    }

    /// The number of lanes, from 2 to 16, of a vector that is not avoided. `None` if the mode has no vectors or all are avoided.
    pub(super) fn lanes(&self, scalar: ScalarType, stream: &mut Stream) -> Option<u8> {
        if !self.mode.has_vectors() {
            return None;
        }
        let weights = [(5, 2), (2, 3), (5, 4), (2, 8), (1, 16)].map(|(weight, lanes)| {
            let allowed = self.features.allows("vector", Ty { scalar, lanes });
            (if allowed { weight } else { 0 }, lanes)
        });
        stream.weighted(&weights)
    }

    /// A random type, scalar or vector, that is not avoided.
    pub(super) fn any_type(&self, stream: &mut Stream) -> Ty {
        let scalar = self.scalar_type(stream);
        let lanes = if stream.chance(55) { self.lanes(scalar, stream) } else { None };
        Ty { scalar, lanes: lanes.unwrap_or(1) }
    }
}
