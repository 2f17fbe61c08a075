//! Loops that optimisers recognise: fills, copies, stencils, reductions, nests, values that rotate.

use super::Maker;
use crate::ir::{
    Binary, Block, Builtin, ExprId, ExprKind, For, Jump, LoopForm, Place, ScalarType, StmtId,
    StmtKind, Ty, VarId,
};
use crate::random::{SeedKey, Stream};

/// The most executions of a place, in work-items times rounds.
pub(super) const MOST_EXECUTIONS: u64 = 1500;

#[derive(Clone, Copy)]
enum LoopKind {
    Plain,
    Fill,
    Stencil,
    Reduction,
    Reverse,
    Rotate,
    Clear,
    Copy,
    Map,
    Count,
    Empty,
}

/// The rounds of a loop: how its counter goes.
pub(super) struct Rounds {
    /// The type of the counter.
    scalar: ScalarType,
    start: i64,
    limit: i64,
    step: i32,
}

impl Rounds {
    /// One for each number from 0 to `length - 1`.
    pub(super) fn each(length: i64) -> Self {
        Self { scalar: ScalarType::Int, start: 0, limit: length, step: 1 }
    }

    /// Their number.
    fn number(&self) -> u64 {
        self.limit.abs_diff(self.start).max(1).div_ceil(self.step.unsigned_abs().into())
    }
}

impl Maker<'_> {
    /// The most rounds of a loop at this place.
    pub(super) fn rounds_left(&self) -> u64 {
        MOST_EXECUTIONS / self.executions.max(1)
    }

    /// A loop with what stands before it; nothing where the place is executed too often already.
    pub(super) fn repetition(&mut self, room: usize, depth: u32, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let most = self.rounds_left();
        if most < 2 || (self.counters.len() > 2) {
            return Block::new();
        }
        if !self.counters.is_empty() && self.features.weight("nest", Ty::INT) == 0 {
            return Block::new();
        }
        let arrays = self.writable_arrays();
        let array = |weight| if arrays.is_empty() { 0 } else { weight };
        let stencil = self.features.weight("stencil", Ty::INT) > 0;
        let kinds = [
            (30, LoopKind::Plain),
            (array(12), LoopKind::Fill),
            (if stencil { array(14) } else { 0 }, LoopKind::Stencil),
            (array(14), LoopKind::Reduction),
            (array(6), LoopKind::Reverse),
            (8, LoopKind::Rotate),
            (array(8), LoopKind::Clear),
            (array(8), LoopKind::Copy),
            (array(50), LoopKind::Map),
            (24, LoopKind::Count),
            (if self.features.are_of_ptx() { 20 } else { 0 }, LoopKind::Empty),
        ];
        let kind = stream.weighted(&kinds).unwrap_or(LoopKind::Plain);
        let key = key.child(1);
        match kind {
            LoopKind::Plain => vec![self.plain(room, depth, most, key)],
            LoopKind::Empty => {
                let empty = self.empty_loop(key.child(1));
                vec![empty, self.plain(room, depth, most, key.child(2))]
            }
            LoopKind::Rotate => self.rotating(most, key).into_iter().collect(),
            LoopKind::Count => self.count(most, key).into_iter().collect(),
            _ => {
                let array = stream.pick(&arrays);
                let (_, length) = self.array_type(array);
                if u64::from(length) > most {
                    return Block::new();
                }
                match kind {
                    LoopKind::Fill => vec![self.fill(array, length, key)],
                    LoopKind::Stencil => vec![self.stencil(array, length, key)],
                    LoopKind::Reverse => vec![self.reverse(array, length, key)],
                    LoopKind::Clear => vec![self.clear_array(array, key)],
                    LoopKind::Copy => vec![self.copy_array(array, key)],
                    LoopKind::Map => vec![self.map(array, key)],
                    _ => self.array_reduction(array, length, key),
                }
            }
        }
    }

    /// A loop over a range, up or down. `body` makes what is repeated from the counter.
    fn over(
        &mut self,
        (first, end): (i64, i64),
        stream: &mut Stream,
        key: SeedKey,
        body: impl FnOnce(&mut Self, VarId) -> Block,
    ) -> StmtId {
        let narrow = if stream.chance(25) { self.integer_type(stream) } else { ScalarType::Int };
        let fits =
            narrow.is_signed() && narrow.bits() <= 32 && narrow.greatest() > 64 + i128::from(end);
        let scalar = if fits { narrow } else { ScalarType::Int };
        let step = if stream.chance(70) { 1 } else { 1 + stream.below(3) as i32 };
        let down = stream.chance(25);
        let rounds = match down {
            true => Rounds { scalar, start: end - 1, limit: first - 1, step: -step },
            false => Rounds { scalar, start: first, limit: end, step },
        };
        self.counted(rounds, stream, key, body)
    }

    /// A loop with these rounds, whose number the compiler mostly does not know.
    pub(super) fn counted(
        &mut self,
        rounds: Rounds,
        stream: &mut Stream,
        key: SeedKey,
        body: impl FnOnce(&mut Self, VarId) -> Block,
    ) -> StmtId {
        let Rounds { scalar, start, limit, step } = rounds;
        let counter = self.variable('i', Ty::scalar(scalar), None);
        let [start, limit] = [(start, 1), (limit, 2)].map(|(value, part)| {
            let hidden = stream.chance(if part == 2 { 67 } else { 15 });
            match hidden {
                true => self.hidden(value, key.child(part)),
                false => self.program.literal(value.into(), Ty::INT, key.child(part)),
            }
        });
        let executions = self.executions;
        self.executions *= rounds.number();
        self.counters.push(counter);
        let made = self.scoped(|maker| body(maker, counter));
        self.counters.pop();
        self.executions = executions;
        // The interpreter executes the first round of each kind.
        let forms = [LoopForm::For, LoopForm::While, LoopForm::DoWhile].map(|form| {
            let weight = match form {
                LoopForm::For => 40,
                _ => self.features.weight(form.name(), Ty::INT),
            };
            (weight, form)
        });
        let form = stream.weighted(&forms).unwrap_or(LoopForm::For);
        let unrolled = self.features.weight("unroll", Ty::INT) > 0 && stream.chance(15);
        let details = For {
            form,
            counter,
            start,
            limit,
            step,
            unroll: unrolled.then(|| stream.pick(&[2, 3, 4, 8])),
            body: made,
        };
        self.program.statement(StmtKind::For(details), key)
    }

    /// Any statements, and perhaps an early exit.
    fn plain(&mut self, room: usize, depth: u32, most: u64, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let rounds = 1 + stream.below(most.min(12)) as i64;
        let first = if stream.chance(60) { 0 } else { stream.within(-3, 9) };
        let jumps = [("break", Jump::Break), ("continue", Jump::Continue)]
            .map(|(name, jump)| (self.features.weight(name, Ty::INT), jump));
        let jump = stream.weighted(&jumps).filter(|_| stream.chance(20));
        let synchronises = self.synchronises() && jump.is_none() && stream.chance(35);
        self.over((first, first + rounds), &mut stream, key.child(1), |maker, _| {
            let mut block = Block::new();
            if synchronises {
                block.extend(maker.synchronisation(room, 1, key.child(4)));
            }
            block.extend(maker.block(room.saturating_sub(40), depth - 1, key.child(2)));
            if let Some(jump) = jump {
                let condition = maker.condition(2, key.child(3));
                let at = key.child(5).stream().below(block.len() as u64 + 1) as usize;
                block.insert(at, maker.program.statement(StmtKind::Jump(jump, condition), key));
            }
            block
        })
    }

    /// `a[i] = ...`.
    fn fill(&mut self, array: VarId, length: u32, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        self.over((0, length.into()), &mut stream, key.child(1), |maker, counter| {
            let ty = maker.array_type(array).0;
            let value = maker.expression(ty, 2, key.child(2));
            let at = maker.read(counter, key);
            vec![maker.program.statement(StmtKind::Assign(Place::Element(array, at), value), key)]
        })
    }

    /// `a[i] = b[i - 1] + a[i + 2] ...`.
    fn stencil(&mut self, array: VarId, length: u32, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let span = stream.within(1, i64::from(length / 4).clamp(1, 4));
        let sources: Vec<VarId> =
            self.arrays.iter().copied().filter(|id| self.array_type(*id).1 >= length).collect();
        let ends = (span.min(i64::from(length) - 1), (i64::from(length) - span).max(1));
        let mut draws = key.child(9).stream();
        self.over(ends, &mut stream, key.child(1), |maker, counter| {
            let ty = maker.array_type(array).0;
            let mut sum = maker.leaf(ty, key.child(2));
            for part in 0..=draws.below(2) {
                let source = draws.pick(&sources);
                let offset = draws.within(-span, span);
                let element = maker.element_at(source, counter, offset, key);
                let element = maker.fitted(element, ty, &mut draws, key);
                sum = maker.combined(sum, element, ty, key.child(3 + part));
            }
            let at = maker.read(counter, key);
            vec![maker.program.statement(StmtKind::Assign(Place::Element(array, at), sum), key)]
        })
    }

    pub(super) fn element_at(
        &mut self,
        array: VarId,
        counter: VarId,
        offset: i64,
        key: SeedKey,
    ) -> ExprId {
        let mut at = self.read(counter, key);
        if offset != 0 {
            let (operator, offset) =
                if offset < 0 { (Binary::Subtract, -offset) } else { (Binary::Add, offset) };
            let offset = self.program.literal(offset.into(), Ty::INT, key);
            at = self.program.binary(operator, at, offset, key);
        }
        let ty = self.array_type(array).0;
        self.program.add(ExprKind::Element(array, at), ty, key)
    }

    /// Two values of a type with an operator between them that is not avoided.
    pub(super) fn combined(&mut self, a: ExprId, b: ExprId, ty: Ty, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        if stream.chance(35) {
            let functions = [Builtin::Max, Builtin::Min, Builtin::AddSat, Builtin::Hadd];
            let functions = functions.map(|f| (self.features.builtin(f, ty), f));
            if let Some(function) = stream.weighted(&functions) {
                return self.program.add(ExprKind::Call(function, 2, [a, b, a]), ty, key);
            }
        }
        let operators =
            [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Xor, Binary::Or, Binary::And];
        let weights = operators.map(|op| (self.features.binary(op, ty), op));
        let Some(operator) = stream.weighted(&weights) else { return a };
        let value = self.program.binary(operator, a, b, key);
        self.program.convert(value, ty, key)
    }

    /// Adds up an array in a variable that may be narrower than its elements, and is read after the loop.
    fn array_reduction(&mut self, array: VarId, length: u32, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let element = self.array_type(array).0;
        let other = element.of(self.scalar_type(&mut stream));
        let is_other = stream.chance(50) && self.features.allows("", other);
        let ty = if is_other { other } else { element };
        let first = self.leaf(ty, key.child(1));
        let (declared, sum) = self.declare(ty, first, key);
        self.writable.pop();
        let repeated =
            self.over((0, length.into()), &mut stream, key.child(2), |maker, counter| {
                let old = maker.read(sum, key);
                let element = maker.element_at(array, counter, 0, key);
                let element = maker.program.convert(element, ty, key);
                let value = maker.combined(old, element, ty, key.child(3));
                vec![maker.program.statement(StmtKind::Assign(Place::Variable(sum), value), key)]
            });
        vec![declared, repeated, self.hashed(sum, key)]
    }

    /// `a[n - 1 - i] = b[i]`.
    fn reverse(&mut self, array: VarId, length: u32, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let sources: Vec<VarId> =
            self.arrays.iter().copied().filter(|id| self.array_type(*id).1 >= length).collect();
        let source = stream.pick(&sources);
        let mut draws = key.child(9).stream();
        self.over((0, length.into()), &mut stream, key.child(1), |maker, counter| {
            let ty = maker.array_type(array).0;
            let value = maker.element_at(source, counter, 0, key);
            let value = maker.fitted(value, ty, &mut draws, key);
            let last = maker.program.literal((length - 1).into(), Ty::INT, key);
            let at = maker.read(counter, key);
            let at = maker.program.binary(Binary::Subtract, last, at, key);
            vec![maker.program.statement(StmtKind::Assign(Place::Element(array, at), value), key)]
        })
    }

    /// Values that move through variables from round to round.
    fn rotating(&mut self, most: u64, key: SeedKey) -> Option<StmtId> {
        let mut stream = key.stream();
        let variables = self.writable.clone();
        let first = *variables.get(stream.below(variables.len() as u64) as usize)?;
        let ty = self.program.variable(first).ty;
        let same: Vec<VarId> = variables
            .into_iter()
            .filter(|id| self.program.variable(*id).ty == ty && *id != first)
            .collect();
        if same.is_empty() {
            return None;
        }
        let second = stream.pick(&same);
        let rounds = 2 + stream.below(most.min(14) - 1) as i64;
        Some(self.over((0, rounds), &mut stream, key.child(1), |maker, _| {
            let old = maker.read(first, key);
            let kept = maker.variable('t', ty, None);
            let keep = maker.program.statement(StmtKind::Declare(kept, old), key);
            let moved = maker.read(second, key);
            let moved =
                maker.program.statement(StmtKind::Assign(Place::Variable(first), moved), key);
            let kept = maker.read(kept, key);
            let other = maker.expression(ty, 2, key.child(2));
            let value = maker.combined(kept, other, ty, key.child(3));
            let value =
                maker.program.statement(StmtKind::Assign(Place::Variable(second), value), key);
            vec![keep, moved, value]
        }))
    }
}
