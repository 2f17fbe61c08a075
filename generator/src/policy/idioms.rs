//! Code that optimisers replace as a whole: loops that clear, copy or map an array, loops that count, and assignments to
//! neighbouring elements.

use super::Maker;
use crate::ir::{Binary, Block, ExprId, ExprKind, Place, StmtId, StmtKind, Ty, VarId};
use crate::policy::loops::Rounds;
use crate::random::{SeedKey, Stream};

/// The most elements that are assigned side by side.
const MOST_NEIGHBOURS: u32 = 8;

impl Maker<'_> {
    /// `a[i] = 0`.
    pub(super) fn clear_array(&mut self, array: VarId, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let (ty, length) = self.array_type(array);
        // All bytes are the same.
        let byte = if ty.scalar.is_float() { 0 } else { stream.pick(&[0, 0, 0, -1, 1]) };
        let number =
            (0..ty.scalar.bits() / 8).fold(0_i128, |all, at| all | (byte & 0xff) << (8 * at));
        self.through(array, length, key, |maker, _| maker.program.literal(number, ty, key))
    }

    /// `a[i] = b[i]`, where there is another array with such elements; else a loop that clears.
    pub(super) fn copy_array(&mut self, array: VarId, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let (ty, length) = self.array_type(array);
        let fits = |id: &VarId| *id != array && self.array_type(*id).0 == ty;
        let sources: Vec<VarId> = self.arrays.iter().copied().filter(fits).collect();
        if sources.is_empty() {
            return self.clear_array(array, key);
        }
        let source = stream.pick(&sources);
        let length = length.min(self.array_type(source).1);
        self.through(array, length, key, |maker, counter| maker.element_at(source, counter, 0, key))
    }

    /// `a[i] = b[i] * v`.
    pub(super) fn map(&mut self, array: VarId, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let array =
            if stream.chance(70) { self.longest(array, &self.writable_arrays()) } else { array };
        let (ty, length) = self.array_type(array);
        let source = stream.pick(&self.arrays);
        let source = if stream.chance(70) { self.longest(source, &self.arrays) } else { source };
        let length = length.min(self.array_type(source).1);
        let other = self.leaf(ty, key.child(3));
        let operator = self.plain_operator(ty, &mut stream);
        self.through(array, length, key, |maker, counter| {
            let element = maker.element_at(source, counter, 0, key);
            let element = maker.fitted(element, ty, &mut stream, key);
            let Some(operator) = operator else { return element };
            let value = maker.program.binary(operator, element, other, key);
            maker.program.convert(value, ty, key)
        })
    }

    /// The longest of some arrays of scalars; `other` if there is none.
    fn longest(&self, other: VarId, arrays: &[VarId]) -> VarId {
        let scalars = arrays.iter().copied().filter(|id| !self.array_type(*id).0.is_vector());
        scalars.max_by_key(|id| self.array_type(*id).1).unwrap_or(other)
    }

    /// Assigns to one element of an array after the other.
    fn through(
        &mut self,
        array: VarId,
        length: u32,
        key: SeedKey,
        value: impl FnOnce(&mut Self, VarId) -> ExprId,
    ) -> StmtId {
        let rounds = Rounds::each(length.into());
        self.counted(rounds, &mut key.child(8).stream(), key.child(1), |maker, counter| {
            let value = value(maker, counter);
            let at = maker.read(counter, key);
            vec![maker.program.statement(StmtKind::Assign(Place::Element(array, at), value), key)]
        })
    }

    /// `v += 3`, or `v += i`, in a loop that does nothing else.
    pub(super) fn count(&mut self, most: u64, key: SeedKey) -> Option<StmtId> {
        let mut stream = key.stream();
        let is_scalar = |id: &VarId| !self.program.variable(*id).ty.is_vector();
        let scalars: Vec<VarId> = self.writable.iter().copied().filter(is_scalar).collect();
        if scalars.is_empty() {
            return None;
        }
        let variable = stream.pick(&scalars);
        let ty = self.program.variable(variable).ty;
        if !self.features.allows("add", ty) {
            return None;
        }
        let with_counter = stream.chance(40);
        let number = stream.within(1, 9);
        let rounds = Rounds::each(2 + stream.below(most.min(20) - 1) as i64);
        self.unseen.push(variable);
        Some(self.counted(rounds, &mut stream, key.child(1), |maker, counter| {
            let old = maker.read(variable, key);
            let more = match with_counter {
                true => maker.read(counter, key),
                false => maker.program.literal(number.into(), Ty::INT, key),
            };
            let sum = maker.program.binary(Binary::Add, old, more, key);
            let sum = maker.program.convert(sum, ty, key);
            vec![maker.program.statement(StmtKind::Assign(Place::Variable(variable), sum), key)]
        }))
    }

    /// `a[k] = b[k] ^ v; a[k + 1] = b[k + 1] ^ v; ...`.
    pub(super) fn neighbours(&mut self, room: usize, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let is_fit =
            |id: &VarId| !self.array_type(*id).0.is_vector() && self.array_type(*id).1 >= 4;
        let arrays: Vec<VarId> = self.writable_arrays().into_iter().filter(is_fit).collect();
        if arrays.is_empty() {
            return Block::new();
        }
        let array = stream.pick(&arrays);
        let (ty, length) = self.array_type(array);
        let count = if room > 200 && length >= MOST_NEIGHBOURS && stream.chance(40) {
            MOST_NEIGHBOURS
        } else {
            4
        };
        let same = |id: &VarId| {
            let (other, length) = self.array_type(*id);
            other == ty && length >= count
        };
        let sources: Vec<VarId> = self.arrays.iter().copied().filter(same).collect();
        if length < count || sources.is_empty() {
            return Block::new();
        }
        let Some(operator) = self.plain_operator(ty, &mut stream) else { return Block::new() };
        let source = stream.pick(&sources);
        let most = length.min(self.array_type(source).1) - count;
        let first = stream.below(u64::from(most) + 1) as i64;
        let known = self.hidden(first, key.child(1));
        let (declared, base) = self.declare(Ty::INT, known, key);
        let other = self.leaf(ty, key.child(2));
        let mut block = vec![declared];
        for offset in 0..i64::from(count) {
            let element = self.element_at(source, base, offset, key);
            let value = self.program.binary(operator, element, other, key);
            let value = self.program.convert(value, ty, key);
            let target = self.element_at(array, base, offset, key);
            let ExprKind::Element(_, at) = self.program.expr(target).kind else { continue };
            let place = Place::Element(array, at);
            block.push(
                self.program.statement(StmtKind::Assign(place, value), key.child(offset as u64)),
            );
        }
        block
    }

    /// An operator that processors have for vectors as well.
    fn plain_operator(&self, ty: Ty, stream: &mut Stream) -> Option<Binary> {
        let computed = if ty.is_vector() { ty } else { Ty::scalar(ty.scalar.promoted()) };
        let operators = [Binary::Add, Binary::Subtract, Binary::Xor, Binary::And, Binary::Or];
        stream.weighted(&operators.map(|op| (self.features.binary(op, computed), op)))
    }
}
