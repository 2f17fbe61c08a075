//! Statements and expressions for a place in a kernel that is there already.

use super::Maker;
use crate::features::Features;
use crate::ir::{Block, ExprId, Program, Ty, VarId};
use crate::profile::Mode;
use crate::random::SeedKey;

/// The variables that a place can use.
#[derive(Clone, Debug, Default)]
pub(crate) struct UsableVariables {
    /// Private variables that can be read.
    pub readable: Vec<VarId>,
    /// Private variables that can be written.
    pub writable: Vec<VarId>,
    /// Private arrays, and tables of constants.
    pub arrays: Vec<VarId>,
    /// Objects and pointers.
    pub objects: Vec<VarId>,
    /// The counters of the loops around, the outermost first.
    pub counters: Vec<VarId>,
}

/// The features of the seed, its mode, and the variables that new code can use.
pub(crate) type Around<'a> = (&'a Features, Mode, &'a UsableVariables);

/// Statements with about this number of tokens, which work-items need not execute together. They may misbehave.
pub(crate) fn block(
    program: &mut Program,
    around: Around<'_>,
    tokens: usize,
    key: SeedKey,
) -> Block {
    within(program, around, |maker| maker.block(tokens, 2, key))
}

/// An expression of a type. It may misbehave.
pub(crate) fn expression(
    program: &mut Program,
    around: Around<'_>,
    ty: Ty,
    key: SeedKey,
) -> ExprId {
    within(program, around, |maker| maker.expression(ty, 2, key))
}

fn within<T>(
    program: &mut Program,
    (features, mode, scope): Around<'_>,
    make: impl FnOnce(&mut Maker<'_>) -> T,
) -> T {
    // These modes have no exchanges between work-items.
    let mode = if mode.has_vectors() { Mode::Vector } else { Mode::Basic };
    let empty = Program::new(program.sizes);
    let mut maker = Maker::new(std::mem::replace(program, empty), features, mode);
    maker.readable.clone_from(&scope.readable);
    maker.writable.clone_from(&scope.writable);
    maker.arrays.clone_from(&scope.arrays);
    maker.objects.clone_from(&scope.objects);
    maker.counters.clone_from(&scope.counters);
    let made = make(&mut maker);
    *program = maker.program;
    made
}
