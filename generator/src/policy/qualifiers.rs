//! Which variables are `volatile`.

use crate::features::Features;
use crate::ir::{Program, StmtKind, Storage, Ty};
use crate::random::SeedKey;

/// Makes some variables and arrays of a repaired kernel `volatile`. Those that a statement reads twice do not stay so.
pub(crate) fn make_volatile(program: &mut Program, features: &Features, key: SeedKey) {
    if features.weight("volatile", Ty::INT) == 0 || !key.stream().chance(60) {
        return;
    }
    for id in program.statements() {
        let (StmtKind::Declare(variable, _) | StmtKind::DeclareArray(variable, _)) =
            program.stmt(id).kind
        else {
            continue;
        };
        let is_plain = program.variable(variable).space == Storage::Private
            && !program.variable(variable).ty.is_vector();
        if is_plain && key.child(variable.0.into()).stream().chance(30) {
            program.volatile.insert(variable);
        }
    }
}
