//! Statements, each within a number of tokens.

use super::Maker;
use crate::ir::{
    Binary, Block, CaseRange, ExprId, Jump, Merge, Place, StmtId, StmtKind, Switch, SwitchCase,
    Swizzle, Ty, VarId,
};
use crate::print;
use crate::random::{SeedKey, Stream};

/// The kinds of statements.
#[derive(Clone, Copy)]
enum StmtChoice {
    Assign,
    Lanes,
    Array,
    Declare,
    If,
    Loop,
    Own,
    Object,
    Pointer,
    Switch,
    Neighbours,
    Call,
    Labelled,
    Goto,
    Merged(Merge),
    DataFlow,
}

/// The operators that keep every bit of their first operand.
pub(super) const LOSSLESS: [Binary; 3] = [Binary::Add, Binary::Subtract, Binary::Xor];

/// The tokens that a statement with others in it needs at least.
pub(super) const COMPOUND: usize = 70;

impl Maker<'_> {
    /// The tokens of statements.
    pub(super) fn cost(&self, block: &[StmtId]) -> usize {
        block.iter().map(|id| print::tokens(&print::statement(&self.program, *id))).sum()
    }

    /// Statements with about this number of tokens, and blocks in them down to `depth`. What they declare is added to the
    /// result at the end.
    pub(super) fn block(&mut self, room: usize, depth: u32, key: SeedKey) -> Block {
        self.scoped(|maker| {
            let own = maker.writable.len();
            let unseen_before = maker.unseen.len();
            let mut block = Block::new();
            for index in 0..5 {
                let used = maker.cost(&block);
                if index > 0 && used + 20 > room {
                    break;
                }
                let room = room.saturating_sub(used);
                block.extend(maker.statement(room, depth, key.child(index)));
            }
            if !maker.is_pure() {
                for variable in maker.writable.split_off(own) {
                    block.push(maker.hashed(variable, key));
                }
                // The next round would overwrite it.
                let in_loop = !maker.counters.is_empty();
                let changed: Vec<_> = maker.unseen.iter().skip(unseen_before).copied().collect();
                for variable in changed {
                    let is_open =
                        maker.unseen.contains(&variable) && maker.writable.contains(&variable);
                    if in_loop && is_open {
                        block.push(maker.hashed(variable, key));
                    }
                }
            }
            block
        })
    }

    /// Adds a variable to the result.
    pub(super) fn hashed(&mut self, variable: VarId, key: SeedKey) -> StmtId {
        self.unseen.retain(|unseen| *unseen != variable);
        let value = self.read(variable, key);
        self.program.statement(StmtKind::Hash(value), key)
    }

    /// The depth of expressions for this number of tokens.
    fn depth(room: usize, stream: &mut Stream) -> u32 {
        let most = match room {
            0..30 => 1,
            30..80 => 2,
            80..200 => 3,
            _ => 4,
        };
        1 + stream.below(most) as u32
    }

    pub(super) fn statement(&mut self, room: usize, depth: u32, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let on = |name, weight| if self.features.weight(name, Ty::INT) > 0 { weight } else { 0 };
        let nests = depth > 0 && room > COMPOUND;
        let ranges = self.features.weight("case_range", Ty::INT) > 0;
        let counts = nests && (ranges || !self.counters.is_empty());
        let calls = !self.procedures.is_empty() && !self.in_section && !self.objects.is_empty();
        let flows = self.features.are_of_ptx() && !self.is_pure() && room > COMPOUND;
        let has_neighbours = !self.arrays.is_empty() && room >= COMPOUND;
        let kinds = [
            (40, StmtChoice::Assign),
            (if self.mode.has_vectors() { on("lane", 6) } else { 0 }, StmtChoice::Lanes),
            (if self.arrays.is_empty() { 0 } else { 10 }, StmtChoice::Array),
            (8, StmtChoice::Declare),
            (if nests { on("if", 14) } else { 0 }, StmtChoice::If),
            (if nests { on("loop", 40) } else { 0 }, StmtChoice::Loop),
            (if self.communication.is_some() { 12 } else { 0 }, StmtChoice::Own),
            (
                if counts { on("switch", if ranges { 20 } else { 12 }) } else { 0 },
                StmtChoice::Switch,
            ),
            (if has_neighbours { 12 } else { 0 }, StmtChoice::Neighbours),
            (if self.objects.is_empty() { 0 } else { 24 }, StmtChoice::Object),
            (if self.objects.is_empty() { 0 } else { on("pointer", 5) }, StmtChoice::Pointer),
            (if calls { 16 } else { 0 }, StmtChoice::Call),
            (if nests && self.labels.len() < 3 { on("goto", 10) } else { 0 }, StmtChoice::Labelled),
            (if self.labels.is_empty() { 0 } else { on("goto", 16) }, StmtChoice::Goto),
            (on("assignment", 8), StmtChoice::Merged(Merge::Assignment)),
            (on("increment", 8), StmtChoice::Merged(Merge::Increment)),
            (if flows { 160 } else { 0 }, StmtChoice::DataFlow),
        ];
        let kind = stream.weighted(&kinds).unwrap_or(StmtChoice::Assign);
        let key = key.child(1);
        let operators = Self::depth(room, &mut stream);
        let one = |id| vec![id];
        let made = match kind {
            StmtChoice::Assign => None,
            StmtChoice::Lanes => self.assign_lanes(operators, key).map(one),
            StmtChoice::Array => self.write_array(operators, key).map(one),
            StmtChoice::Own => self.write_own(operators, key),
            StmtChoice::Switch => Some(one(self.switch(room, depth, key))),
            StmtChoice::Neighbours => Some(self.neighbours(room, key)),
            StmtChoice::Pointer => self.pointer(key).map(one),
            StmtChoice::Object => self.write_object(operators, key),
            StmtChoice::Call => self.some_call(key),
            StmtChoice::Labelled => Some(one(self.labelled(room, depth, key))),
            StmtChoice::Merged(merge) => self.mergeable(merge, operators, key),
            StmtChoice::Goto => Some(one(self.jump_out(&mut stream, key))),
            StmtChoice::DataFlow => Some(self.data_flow(key)),
            StmtChoice::Declare => {
                let ty = self.any_type(&mut stream);
                let value = self.expression(ty, operators, key);
                Some(one(self.declare(ty, value, key).0))
            }
            StmtChoice::If => Some(one(self.branches(room, depth, key))),
            StmtChoice::Loop => Some(self.repetition(room, depth, key)),
        };
        let made = made.filter(|made| !made.is_empty());
        made.unwrap_or_else(|| self.assign(operators, key.child(7)))
    }

    /// Assigns to a variable; often something that depends on its old value. An old value that would be lost is
    /// added to the result before.
    pub(super) fn assign(&mut self, depth: u32, key: SeedKey) -> Block {
        let mut stream = key.stream();
        if self.writable.is_empty() {
            let ty = self.any_type(&mut stream);
            let value = self.expression(ty, depth, key.child(1));
            return vec![self.declare(ty, value, key).0];
        }
        let variable = stream.pick(&self.writable);
        let ty = self.program.variable(variable).ty;
        let value = self.expression(ty, depth, key.child(1));
        let operator = self.update(ty, &mut stream);
        let mut block = Block::new();
        let keeps = operator.is_some_and(|operator| LOSSLESS.contains(&operator));
        if !keeps && !self.is_pure() && self.unseen.contains(&variable) {
            block.push(self.hashed(variable, key));
        }
        let value = match operator {
            Some(operator) => {
                let old = self.read(variable, key);
                let sum = self.program.binary(operator, old, value, key);
                self.program.convert(sum, ty, key)
            }
            None => value,
        };
        self.unseen.push(variable);
        block.push(self.program.statement(StmtKind::Assign(Place::Variable(variable), value), key));
        block
    }

    /// The operator of an assignment such as `v += 1`. In atomic sections, each value counts for the sum.
    fn update(&self, ty: Ty, stream: &mut Stream) -> Option<Binary> {
        let operators = if self.is_pure() { &LOSSLESS[..] } else { &Binary::ARITHMETIC };
        // The divisor of a floating-point number is a constant.
        let fits = |op: Binary| !(op == Binary::Divide && ty.scalar.is_float());
        let weights = operators.iter().filter(|op| fits(**op));
        let weights = weights.map(|&op| (self.features.binary(op, ty), op));
        let weights: Vec<_> = weights.collect();
        let chosen = stream.weighted(&weights);
        chosen.filter(|_| self.is_pure() || stream.chance(45))
    }

    /// Assigns to some lanes of a vector.
    fn assign_lanes(&mut self, depth: u32, key: SeedKey) -> Option<StmtId> {
        let mut stream = key.stream();
        let vectors = self.writable.iter().copied();
        let vectors = vectors.filter(|id| self.program.variable(*id).ty.is_vector());
        let vectors: Vec<_> = vectors.collect();
        if vectors.is_empty() {
            return None;
        }
        let variable = stream.pick(&vectors);
        let ty = self.program.variable(variable).ty;
        let counts = [1, 1, 2, 3, 4, 8].into_iter().filter(|&count| {
            let part = Ty { lanes: count, ..ty };
            count < ty.lanes && (count == 1 || self.features.allows("vector", part))
        });
        let counts: Vec<u8> = counts.collect();
        let mut lanes: Vec<u8> = (0..ty.lanes).collect();
        stream.shuffle(&mut lanes);
        lanes.truncate(stream.pick(&counts).into());
        let part = Ty { lanes: lanes.len() as u8, ..ty };
        let value = self.expression(part, depth, key.child(1));
        let place = Place::Lanes(variable, Swizzle::new(&lanes));
        Some(self.program.statement(StmtKind::Assign(place, value), key))
    }

    /// A condition that the compiler cannot know. In one case of three, the generator does: it holds.
    pub(super) fn unknown_condition(&mut self, depth: u32, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        if !stream.chance(33) {
            return self.condition(depth, key.child(1));
        }
        let less = stream.within(0, 50);
        let more = less + stream.within(1, 50);
        let a = self.hidden(less, key.child(1));
        let b = self.hidden(more, key.child(2));
        self.program.binary(Binary::Less, a, b, key)
    }

    /// Cases that the rounds of a loop come to in turn.
    fn switch(&mut self, room: usize, depth: u32, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let count = 2 + stream.below(if room > 2 * COMPOUND { 3 } else { 1 }) as u8;
        let counter = (!self.counters.is_empty()).then(|| stream.pick(&self.counters));
        let counter = counter.map(|counter| self.read(counter, key));
        let value = match counter {
            Some(counter) if !stream.chance(40) => counter,
            _ => {
                let other = self.leaf(Ty::INT, key.child(1));
                match counter {
                    Some(counter) => self.program.binary(Binary::Xor, counter, other, key),
                    None => other,
                }
            }
        };
        let (mut labels, values) = self.labels_of_cases(count, &mut stream);
        let value = self.cut(value, values, key);
        stream.shuffle(&mut labels);
        let room = room.saturating_sub(20 + 8 * labels.len()) / labels.len();
        let cases = labels.into_iter().enumerate().map(|(index, label)| {
            let falls = stream.chance(35) && index + 1 < usize::from(count);
            SwitchCase {
                label,
                body: self.block(room, depth - 1, key.child(10 + index as u64)),
                falls,
            }
        });
        let cases = cases.collect();
        self.program.statement(StmtKind::Switch(Switch { value, cases }), key)
    }

    /// The labels of cases, the last of which is `default`, and the number of values from 0 on that they are for.
    fn labels_of_cases(&self, count: u8, stream: &mut Stream) -> (Vec<Option<CaseRange>>, u32) {
        let with_ranges = self.features.weight("case_range", Ty::INT) > 0;
        let (mut labels, mut first) = (Vec::new(), 0);
        for _ in 1..count {
            let more = if with_ranges && stream.chance(60) { 1 + stream.below(4) as u8 } else { 0 };
            labels.push(Some(CaseRange { first, last: first + more }));
            first += more + 1;
        }
        labels.push(None);
        (labels, u32::from(first) + 1)
    }

    /// A jump out of one of the blocks around.
    fn jump_out(&mut self, stream: &mut Stream, key: SeedKey) -> StmtId {
        let label = stream.pick(&self.labels);
        let condition = self.unknown_condition(2, key);
        self.program.statement(StmtKind::Jump(Jump::Goto(label), condition), key)
    }

    /// A block with a label behind it; some jump in it mostly goes there.
    fn labelled(&mut self, room: usize, depth: u32, key: SeedKey) -> StmtId {
        let label = self.program.statement(StmtKind::Nothing, key);
        self.labels.push(label);
        let block = self.block(room.saturating_sub(10), depth - 1, key.child(1));
        self.labels.pop();
        self.program.stmts[label.0 as usize].kind = StmtKind::Labelled(block);
        label
    }

    fn branches(&mut self, room: usize, depth: u32, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let condition = self.unknown_condition(2, key.child(1));
        let room = room.saturating_sub(20);
        let with_else = stream.chance(30);
        let room = if with_else { room / 2 } else { room };
        let then = self.block(room, depth - 1, key.child(2));
        let other =
            if with_else { self.block(room, depth - 1, key.child(3)) } else { Block::new() };
        self.program.statement(StmtKind::If(condition, then, other), key)
    }
}
