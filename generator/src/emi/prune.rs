//! Pruning as in CLsmith: statements that are not executed are deleted, or lifted out of branches and loops.

use crate::ir::{Block, Program, StmtId, StmtKind};
use crate::random::{SeedKey, Stream};
use crate::reduce::{lifted, used_variables};

/// How often statements are pruned, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmiRates {
    /// How often a statement without others in it is deleted.
    leaf: u64,
    /// How often a branch or a loop is deleted.
    compound: u64,
    /// How often the statements of a branch or a loop take its place.
    lift: u64,
}

impl EmiRates {
    /// All of 0, 30, 60 and 100 where `compound` and `lift` are 100 at most together. The first prunes nothing.
    pub const ALL: [Self; 40] = {
        const STEPS: [u64; 4] = [0, 30, 60, 100];
        let mut all = [Self { leaf: 0, compound: 0, lift: 0 }; 40];
        let (mut at, mut index) = (0, 0);
        while index < 64 {
            let (leaf, compound, lift) =
                (STEPS[index / 16], STEPS[index / 4 % 4], STEPS[index % 4]);
            if compound + lift <= 100 {
                all[at] = Self { leaf, compound, lift };
                at += 1;
            }
            index += 1;
        }
        all
    };

    /// Decides what happens to a statement. The same numbers are drawn whatever it is, so that the rates alone make the difference.
    #[must_use]
    pub fn decide(self, is_compound: bool, stream: &mut Stream) -> PrunedAs {
        let (leaf, compound) = (stream.chance(self.leaf), stream.chance(self.compound));
        let lift = stream.below(100_u64.saturating_sub(self.compound)) < self.lift;
        match is_compound {
            false if leaf => PrunedAs::Deleted,
            true if compound => PrunedAs::Deleted,
            true if lift => PrunedAs::Lifted,
            _ => PrunedAs::Kept,
        }
    }
}

/// The fate of a statement that is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrunedAs {
    /// It stays.
    Kept,
    /// It goes.
    Deleted,
    /// The statements within take its place.
    Lifted,
}

/// Prunes statements, the inner ones first, and returns what is left.
pub(super) fn pruned(
    program: &mut Program,
    block: &[StmtId],
    rates: EmiRates,
    key: SeedKey,
) -> Block {
    let mut left = Block::new();
    for &id in block {
        left.extend(pruned_statement(program, id, rates, key));
    }
    left
}

fn pruned_statement(program: &mut Program, id: StmtId, rates: EmiRates, key: SeedKey) -> Block {
    let mut stream = key.child(id.0.into()).stream();
    let mut kind = program.stmt(id).kind.clone();
    for block in kind.blocks_mut() {
        *block = pruned(program, block, rates, key);
    }
    let is_compound = matches!(kind, StmtKind::If(..) | StmtKind::Switch(_) | StmtKind::For(_));
    match (rates.decide(is_compound, &mut stream), kind) {
        // The other statements need their variables.
        (_, StmtKind::Nothing) => vec![id],
        (_, kind) if kind.declared().is_some() => vec![id],
        (PrunedAs::Deleted, _) => Block::new(),
        (PrunedAs::Lifted, kind) => {
            // Jumps in branches still have their loop around them.
            if !matches!(kind, StmtKind::If(..)) {
                kind.blocks().into_iter().for_each(|block| without_jumps(program, block));
            }
            let key = program.stmt(id).key;
            lifted(program, kind, key).unwrap_or_default()
        }
        (_, kind) => {
            program.stmts[id.0 as usize].kind = kind;
            vec![id]
        }
    }
}

/// Removes the jumps out of a loop that its statements have, but not those out of loops within.
fn without_jumps(program: &mut Program, block: &[StmtId]) {
    for &id in block {
        match program.stmt(id).kind.clone() {
            StmtKind::Jump(..) => program.stmts[id.0 as usize].kind = StmtKind::Nothing,
            StmtKind::For(_) => {}
            kind => kind.blocks().into_iter().for_each(|block| without_jumps(program, block)),
        }
    }
}

/// Removes the declarations among statements that nothing uses, and returns true if some statement is left.
pub(super) fn without_unused(program: &mut Program, block: &[StmtId]) -> bool {
    loop {
        let used = used_variables(program);
        let mut pending = block.to_vec();
        let (mut changed, mut left) = (false, false);
        while let Some(id) = pending.pop() {
            let kind = &mut program.stmts[id.0 as usize].kind;
            if kind.declared().is_some_and(|variable| !used.contains(&variable)) {
                *kind = StmtKind::Nothing;
                changed = true;
            } else {
                left |= !matches!(kind, StmtKind::Nothing);
                pending.extend(kind.blocks().into_iter().flatten());
            }
        }
        if !changed {
            return left;
        }
    }
}
