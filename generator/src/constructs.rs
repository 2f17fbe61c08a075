//! The constructs of a kernel, and a kernel without those that an avoid list names.

use std::collections::BTreeSet;

use crate::avoid::Avoid;
use crate::features::Features;
use crate::ir::constructs::{construct, statement};
use crate::ir::{ExprKind, Program, StmtId};
use crate::kernel::Kernel;
use crate::profile::Profile;
use crate::random::SeedKey;
use crate::reduce::{jumps, lifted, replace};
use crate::repair::repair;

/// Puts the statements within a statement in its place, where an avoid list names it.
fn leave_out_statements(program: &mut Program, avoid: &Avoid) {
    let is_avoided = |program: &Program, id: &StmtId| {
        statement(program, *id).into_iter().any(|name| avoid.names(name))
    };
    // Of those within each other, the outer one comes first; lifting it may bring up another.
    loop {
        let all = program.statements();
        let Some(id) = all.into_iter().find(|id| is_avoided(program, id)) else { return };
        let (kind, key) = (program.stmt(id).kind.clone(), program.stmt(id).key);
        let inner = if jumps(program, id) { None } else { lifted(program, kind, key) };
        replace(program, id, &inner.unwrap_or_default());
    }
}

/// A construct of a kernel, as an avoid list names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Construct {
    /// The name of the feature.
    pub name: &'static str,
    /// The name with one of the types, as in `mad_sat.long` or `less.vec4`; for a statement, the name.
    pub with_type: String,
    /// The kind of construct.
    pub kind: ConstructKind,
}

/// The kind of a construct, in the order in which kernels can do without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ConstructKind {
    BuiltinFunction,
    Statement,
    Operator,
}

impl Kernel {
    /// The constructs in its text that an avoid list can name, each once, in an order that is always the same.
    #[must_use]
    pub fn constructs(&self) -> Vec<Construct> {
        let mut found = BTreeSet::new();
        for id in self.program.statements() {
            for name in statement(&self.program, id) {
                let (with_type, kind) = (name.to_owned(), ConstructKind::Statement);
                found.insert(Construct { name, with_type, kind });
            }
        }
        let mut pending = self.program.roots();
        while let Some(id) = pending.pop() {
            let kind = &self.program.expr(id).kind;
            pending.extend(kind.operands());
            let (name, types) = construct(&self.program, id);
            if name.is_empty() {
                continue;
            }
            let kind = match kind {
                ExprKind::Call(..) => ConstructKind::BuiltinFunction,
                _ => ConstructKind::Operator,
            };
            found.extend(types.into_iter().map(|ty| {
                let extent = match ty.lanes {
                    1 => ty.scalar.name().to_owned(),
                    lanes => format!("vec{lanes}"),
                };
                Construct { name, with_type: format!("{name}.{extent}"), kind }
            }));
        }
        found.into_iter().collect()
    }

    /// The kernel without the expressions and statements that a list names; `None` if nothing valid is left.
    #[must_use]
    pub fn without(&self, avoid: &Avoid) -> Option<Self> {
        let mut program = self.program.clone();
        leave_out_statements(&mut program, avoid);
        self.repaired(program, avoid)
    }

    /// A program that was made of this one, as a kernel; `None` if it cannot be made valid.
    pub(crate) fn repaired(&self, mut program: Program, avoid: &Avoid) -> Option<Self> {
        let profile = Profile { avoid: avoid.clone(), target: self.target, ..Profile::default() };
        let features = Features::new(&profile, SeedKey::root(0));
        let report = repair(&mut program, &features);
        report.is_clean().then(|| Self::of(program, report, self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Mode;

    #[test]
    fn a_kernel_without_a_construct_is_valid_and_has_none_of_it() {
        let profile = Profile { mode: Mode::Vector, ..Profile::default() };
        let mut tried = 0;
        for seed in 0..12 {
            let kernel = crate::generate(seed, &profile).expect("a profile that fits");
            let is_function = |found: &Construct| found.kind == ConstructKind::BuiltinFunction;
            let functions = kernel.constructs().into_iter().filter(is_function);
            for found in functions.step_by(5) {
                let avoid: Avoid = found.name.parse().expect("a feature");
                let without = kernel.without(&avoid).expect("a valid kernel");
                assert!(without.constructs().iter().all(|other| other.name != found.name));
                assert_ne!(without.source, kernel.source);
                let avoid: Avoid = found.with_type.parse().expect("a feature with its type");
                let without = kernel.without(&avoid).expect("a valid kernel");
                let left = without.constructs();
                assert!(left.iter().all(|other| other.with_type != found.with_type));
                tried += 1;
            }
        }
        assert!(tried > 20, "{tried}");
    }

    #[test]
    fn statements_give_their_place_to_those_within() {
        let mut seen = BTreeSet::new();
        for (seed, mode) in (0..12).zip([Mode::All, Mode::Free].into_iter().cycle()) {
            let profile = Profile { mode, ..Profile::default() };
            let kernel = crate::generate(seed, &profile).expect("a profile that fits");
            for name in ["if", "switch", "loop", "barrier"] {
                let avoid: Avoid = name.parse().expect("a feature");
                let without = kernel.without(&avoid).expect("a valid kernel");
                let left = without.constructs();
                assert!(left.iter().all(|other| other.name != name), "{seed} {name}");
                seen.extend((without.source != kernel.source).then_some(name));
            }
        }
        assert_eq!(seen.len(), 4, "{seen:?}");
    }
}
