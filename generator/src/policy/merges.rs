//! Which statements the text makes one.

use super::Maker;
use super::statements::LOSSLESS;
use crate::features::Features;
use crate::ir::{Binary, Block, ExprId, Merge, Place, Program, StmtId, StmtKind, Ty, VarId};
use crate::random::{SeedKey, Stream};

impl Maker<'_> {
    /// Two assignments, one of which uses what the other changes, so that they can be merged.
    pub(super) fn mergeable(&mut self, merge: Merge, depth: u32, key: SeedKey) -> Option<Block> {
        let mut stream = key.stream();
        let is_fit = |id: &VarId| {
            let ty = self.program.variable(*id).ty;
            !ty.is_vector() && (merge == Merge::Assignment || !ty.scalar.is_float())
        };
        let fit: Vec<VarId> = self.writable.iter().copied().filter(is_fit).collect();
        let changed = if fit.is_empty() { return None } else { stream.pick(&fit) };
        let others: Vec<VarId> =
            self.writable.iter().copied().filter(|other| *other != changed).collect();
        let user = if others.is_empty() { return None } else { stream.pick(&others) };
        let change = match merge {
            Merge::Increment => self.by_one(changed, &mut stream, key)?,
            _ => {
                let value = self.expression(self.program.variable(changed).ty, depth, key.child(1));
                self.mixed_in(changed, value, &mut stream, key.child(2))?
            }
        };
        let read = self.read(changed, key);
        let computed = self.computed_of(user);
        let more = self.fitted(read, computed, &mut stream, key.child(3));
        let use_of_it = self.mixed_in(user, more, &mut stream, key.child(4))?;
        self.unseen.extend([changed, user]);
        let of = |maker: &mut Self, variable, value| {
            maker.program.statement(StmtKind::Assign(Place::Variable(variable), value), key)
        };
        let (change, use_of_it) = (of(self, changed, change), of(self, user, use_of_it));
        let is_after = merge == Merge::Increment && stream.chance(50);
        Some(if is_after { vec![use_of_it, change] } else { vec![change, use_of_it] })
    }

    /// The type in which C computes with a variable.
    fn computed_of(&self, variable: VarId) -> Ty {
        let ty = self.program.variable(variable).ty;
        if ty.is_vector() { ty } else { Ty::scalar(ty.scalar.promoted()) }
    }

    /// `v + 1` or `v - 1`.
    fn by_one(&mut self, variable: VarId, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let computed = self.computed_of(variable);
        let both = [Binary::Add, Binary::Subtract];
        let operator = stream.weighted(&both.map(|op| (self.features.binary(op, computed), op)))?;
        let old = self.read(variable, key);
        let old = self.program.convert(old, computed, key);
        let one = self.program.literal(1, computed, key);
        let sum = self.program.binary(operator, old, one, key);
        Some(self.program.convert(sum, self.program.variable(variable).ty, key))
    }

    /// The value of a variable with another one in it, so that neither is lost.
    fn mixed_in(
        &mut self,
        variable: VarId,
        value: ExprId,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let computed = self.computed_of(variable);
        let weights = LOSSLESS.map(|op| (self.features.binary(op, computed), op));
        let operator = stream.weighted(&weights)?;
        let old = self.read(variable, key);
        let sum = self.program.binary(operator, old, value, key);
        Some(self.program.convert(sum, self.program.variable(variable).ty, key))
    }
}

/// Merges neighbours of a repaired kernel, where the order of evaluation is certain.
pub(crate) fn merge(program: &mut Program, features: &Features, key: SeedKey) {
    let weights = Merge::ALL.map(|one| (features.weight(one.name(), Ty::INT), one));
    if weights.iter().all(|(weight, _)| *weight == 0) {
        return;
    }
    let mut body = std::mem::take(&mut program.body);
    merge_in(program, &mut body, &weights, key);
    program.body = body;
    for index in 0..program.functions.len() {
        let mut body = std::mem::take(&mut program.functions[index].body);
        merge_in(program, &mut body, &weights, key);
        program.functions[index].body = body;
    }
}

/// Merges pairs in a block and in the blocks within.
fn merge_in(program: &mut Program, block: &mut Block, weights: &[(u32, Merge)], key: SeedKey) {
    for id in block.iter() {
        let mut kind = std::mem::replace(&mut program.stmts[id.0 as usize].kind, StmtKind::Nothing);
        for inner in kind.blocks_mut() {
            merge_in(program, inner, weights, key);
        }
        program.stmts[id.0 as usize].kind = kind;
    }
    let mut at = 0;
    while at + 1 < block.len() {
        if let Some(merged) = merged(program, [block[at], block[at + 1]], weights, key) {
            block.splice(at..at + 2, [merged]);
        }
        at += 1;
    }
}

/// Two statements as one, if they are drawn and can be merged.
fn merged(
    program: &mut Program,
    pair: [StmtId; 2],
    weights: &[(u32, Merge)],
    key: SeedKey,
) -> Option<StmtId> {
    let key = key.child(pair[0].0.into());
    let mut stream = key.stream();
    let block = Block::from(pair);
    // What fits less often has more weight.
    let times = |merge| if merge == Merge::Comma { 1 } else { 8 };
    let fitting = weights.iter().map(|(weight, merge)| {
        let fits = program.pair(*merge, &block).is_some();
        (if fits { weight * times(*merge) } else { 0 }, *merge)
    });
    let fitting: Vec<(u32, Merge)> = fitting.collect();
    let merge = stream.weighted(&fitting)?;
    let share = if merge == Merge::Comma { 20 } else { 60 };
    stream.chance(share).then(|| program.statement(StmtKind::Merged(merge, block), key))
}
