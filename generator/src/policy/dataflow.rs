//! Data flow that optimisers simplify: statements that redefine a few variables, one instruction after another, within branches, and in
//! loops whose number of rounds is known.

use super::Maker;
use super::loops::Rounds;
use crate::ir::{Block, Place, StmtId, StmtKind, Ty, VarId};
use crate::random::{SeedKey, Stream};

impl Maker<'_> {
    /// Declares two to four variables, and redefines them in some steps.
    pub(super) fn data_flow(&mut self, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let ty = match stream.chance(50) {
            true => self.with_some_sign(Ty::INT, &mut stream),
            false => self.some_word(&mut stream),
        };
        let mut block = Block::new();
        let mut own = Vec::new();
        for index in 0..2 + stream.below(3) {
            let key = key.child(index);
            let value = match stream.below(10) {
                // The optimiser does not know all of them.
                0..2 if index > 0 => self.leaf(ty, key),
                0..7 => {
                    let known = self.outside(&mut stream, key);
                    self.program.convert(known, ty, key)
                }
                _ if index == 0 => {
                    let hidden = self.hidden(stream.within(-5, 60), key);
                    self.program.convert(hidden, ty, key)
                }
                _ => {
                    let number = self.number(ty.scalar, &mut stream);
                    self.program.literal(number, ty, key)
                }
            };
            let (declared, variable) = self.declare(ty, value, key);
            block.push(declared);
            own.push(variable);
        }
        for index in 0..4 + stream.below(8) {
            let key = key.child(10 + index);
            block.extend(self.step(&own, &mut stream, key));
            // Later steps hide what earlier ones have made.
            if stream.chance(60) {
                let seen = stream.pick(&own);
                block.push(self.hashed(seen, key));
            }
        }
        block
    }

    /// Redefinitions, in a branch or a loop or in neither.
    fn step(&mut self, own: &[VarId], stream: &mut Stream, key: SeedKey) -> Block {
        let on = |name, weight| if self.features.weight(name, Ty::INT) > 0 { weight } else { 0 };
        let nests = self.counters.is_empty() || self.features.weight("nest", Ty::INT) > 0;
        let loops = if nests && self.counters.len() < 3 { on("loop", 2) } else { 0 };
        match stream.weighted(&[(5, 0), (on("if", 3), 1), (loops, 2)]) {
            Some(1) => {
                let ty = self.program.variable(own[0]).ty;
                let [value, other] = [stream.pick(own), stream.pick(own)];
                let [value, other] = [value, other].map(|id| self.read(id, key));
                // Optimisers know ranges of what an instruction has made.
                let value = match stream.chance(50) {
                    true => self.chain([value, other], ty, 2, stream, key.child(1)),
                    false => value,
                };
                let condition = self.compared(value, other, ty, stream, key.child(2));
                let then = self.redefinitions(own, 1 + stream.below(3), stream, key.child(3));
                let other = self.redefinitions(own, stream.below(3), stream, key.child(4));
                vec![self.program.statement(StmtKind::If(condition, then, other), key)]
            }
            Some(2) => {
                let rounds = Rounds::each(1 + stream.below(self.rounds_left().clamp(1, 6)) as i64);
                let mut draws = key.child(1).stream();
                let body = self.counted(rounds, stream, key.child(2), |maker, _| {
                    let count = 1 + draws.below(4);
                    maker.redefinitions(own, count, &mut draws, key.child(3))
                });
                let before = stream.chance(40).then(|| self.empty_loop(key.child(9)));
                before.into_iter().chain([body]).collect()
            }
            _ => self.redefinitions(own, 1 + stream.below(2), stream, key),
        }
    }

    /// Gives variables new values: numbers, and what instructions make of others.
    fn redefinitions(
        &mut self,
        own: &[VarId],
        count: u64,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Block {
        let mut block = Block::new();
        let mut last = stream.pick(own);
        for index in 0..count {
            let key = key.child(index);
            let into = stream.pick(own);
            let ty = self.program.variable(into).ty;
            let value = if stream.chance(7) {
                let number = self.number(ty.scalar, stream);
                self.program.literal(number, ty, key)
            } else {
                // What the last step has made is mostly used.
                let first = if stream.chance(60) { last } else { stream.pick(own) };
                let from = [first, stream.pick(own)].map(|id| self.read(id, key));
                let links = if stream.chance(80) { 1 } else { 2 };
                self.chain(from, ty, links, stream, key.child(1))
            };
            let place = Place::Variable(into);
            block.push(self.program.statement(StmtKind::Assign(place, value), key));
            last = into;
        }
        block
    }

    /// A loop without statements, or one that ends at once.
    pub(super) fn empty_loop(&mut self, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let rounds = Rounds::each(stream.below(self.rounds_left().min(6)) as i64);
        self.counted(rounds, &mut stream, key, |_, _| Block::new())
    }
}
