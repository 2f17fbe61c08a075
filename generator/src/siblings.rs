//! Experiments that tell whether a construct is at fault: another one of its family in its place, or a number.
//!
//! Compilers treat the constructs of a family alike, so a bug of one is often a bug of all.

use crate::avoid::Avoid;
use crate::ir::constructs::construct;
use crate::ir::{Binary, Builtin, ExprId, ExprKind, Program, Unary};
use crate::kernel::Kernel;

/// Functions that take the same operands, and that compilers treat alike. `clamp` with scalars is one overload of three.
const FAMILIES: [&[Builtin]; 7] = [
    &[Builtin::Min, Builtin::Max, Builtin::Clamp],
    &Builtin::PTX_TABLES,
    &[Builtin::PtxAddSat, Builtin::PtxSubSat],
    &Builtin::PTX_COMPARISONS,
    &[Builtin::PtxAddc, Builtin::PtxSubc],
    &[Builtin::PtxBmskClamp, Builtin::PtxBmskWrap],
    &[Builtin::Vadd4, Builtin::Vsub4, Builtin::Vadd2, Builtin::Vsub2],
];

/// A number that stands in the place of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubstituteNumber {
    /// 0, 1 or another one.
    Small(i64),
    /// The greatest number of the type.
    Greatest,
}

impl SubstituteNumber {
    /// Those that are tried in the place of a construct: 0, and what is true for a scalar and in a vector.
    pub const TRUTHS: [Self; 3] = [Self::Small(0), Self::Small(1), Self::Small(-1)];

    /// The first operand of a function may decide whether the bug shows, as it decides which limit is used.
    const OPERANDS: [Self; 3] = [Self::Small(0), Self::Small(1), Self::Greatest];
}

/// A change of all expressions that are a construct; `false` if an expression has no such change.
type Change<'a> = &'a dyn Fn(&mut Program, ExprId) -> bool;

impl Kernel {
    /// Returns true if a construct has a family.
    #[must_use]
    pub fn has_family(construct: &str) -> bool {
        is_logical(construct) || family(construct).is_some()
    }

    /// The kernel with the others of a family in the place of one, with the names of these: comparisons and logical operators are a
    /// family, and functions such as `min`, `max` and `clamp`. Functions come several times, with several numbers as their first
    /// operands. Empty for all other constructs.
    #[must_use]
    pub fn siblings(&self, construct: &str) -> Vec<(&'static str, Self)> {
        let mut found = Vec::new();
        if is_logical(construct) {
            let is_other = |operator: &Binary| operator.texts().1 != construct;
            for other in Binary::RELATIONAL.into_iter().filter(is_other) {
                let change = |program: &mut Program, id| operate(program, id, other);
                found.extend(Some(other.texts().1).zip(self.changed(construct, &change)));
            }
            if construct != NOT {
                found.extend(Some(NOT).zip(self.changed(construct, &negate)));
            }
        }
        for &other in family(construct).into_iter().flatten() {
            if other.name() == construct || !self.target.has(other) {
                continue;
            }
            for number in std::iter::once(None).chain(SubstituteNumber::OPERANDS.map(Some)) {
                let change = |program: &mut Program, id| call(program, id, other, number);
                found.extend(Some(other.name()).zip(self.changed(construct, &change)));
            }
        }
        found
    }

    /// The kernel with a number in the place of a construct; `None` if it is not valid so.
    #[must_use]
    pub fn with_number(&self, construct: &str, number: SubstituteNumber) -> Option<Self> {
        self.changed(construct, &|program, id| {
            put(program, id, number);
            true
        })
    }

    fn changed(&self, name: &str, change: Change<'_>) -> Option<Self> {
        let mut program = self.program.clone();
        let mut pending = program.roots();
        while let Some(id) = pending.pop() {
            let is_it = construct(&program, id).0 == name;
            if is_it && !change(&mut program, id) {
                return None;
            }
            pending.extend(program.expr(id).kind.operands());
        }
        self.repaired(program, &Avoid::default())
    }
}

/// The name of `!`, which compares with 0.
const NOT: &str = "not";

fn is_logical(construct: &str) -> bool {
    construct == NOT || Binary::RELATIONAL.iter().any(|operator| operator.texts().1 == construct)
}

/// The functions that take the place of this one, itself included.
fn family(construct: &str) -> Option<&'static [Builtin]> {
    FAMILIES.into_iter().find(|family| family.iter().any(|function| function.name() == construct))
}

/// Puts an operator in the place of another one.
fn operate(program: &mut Program, id: ExprId, operator: Binary) -> bool {
    let (a, b) = match program.expr(id).kind {
        ExprKind::Binary(_, a, b) => (a, b),
        ExprKind::Unary(_, a) => {
            let (ty, key) = (program.ty(a), program.expr(id).key);
            (a, program.add(ExprKind::Literal(ty.scalar.wrap(0)), ty, key))
        }
        _ => return false,
    };
    let fits = [a, b].into_iter().all(|operand| operator.has(program.ty(operand).scalar));
    if fits {
        program.exprs[id.0 as usize].kind = ExprKind::Binary(operator, a, b);
    }
    fits
}

/// Puts `!` of the first operand in the place of an operator.
fn negate(program: &mut Program, id: ExprId) -> bool {
    let ExprKind::Binary(_, a, _) = program.expr(id).kind else { return false };
    let operand = program.ty(a);
    let fits = Unary::Not.has(operand.scalar) && operand.truth() == program.ty(id);
    if fits {
        program.exprs[id.0 as usize].kind = ExprKind::Unary(Unary::Not, a);
    }
    fits
}

/// Puts a function in the place of another one, with as many of its operands as it takes.
fn call(
    program: &mut Program,
    id: ExprId,
    function: Builtin,
    number: Option<SubstituteNumber>,
) -> bool {
    let ExprKind::Call(_, has, operands) = program.expr(id).kind else { return false };
    let takes = match function {
        Builtin::Min | Builtin::Max => 2,
        Builtin::Clamp => 3,
        _ => has,
    };
    if has < takes {
        return false;
    }
    if let Some(number) = number {
        put(program, operands[0], number);
    }
    program.exprs[id.0 as usize].kind = ExprKind::Call(function, takes, operands);
    true
}

fn put(program: &mut Program, id: ExprId, number: SubstituteNumber) {
    let scalar = program.ty(id).scalar;
    let value = match number {
        SubstituteNumber::Small(number) => scalar.wrap(number.into()),
        SubstituteNumber::Greatest => scalar.wrap(scalar.greatest()),
    };
    program.exprs[id.0 as usize].kind = ExprKind::Literal(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Mode, Profile, Target};

    fn names(kernel: &Kernel) -> Vec<&'static str> {
        kernel.constructs().iter().map(|one| one.name).collect()
    }

    #[test]
    fn comparisons_have_siblings_and_other_constructs_have_none() {
        let kernel = crate::generate(4, &Profile::default()).expect("a profile that fits");
        let mut compared = Binary::RELATIONAL.map(|operator| operator.texts().1).to_vec();
        compared.push(NOT);
        let has = |name: &&str| names(&kernel).contains(name);
        let own = compared.iter().copied().find(has).expect("a comparison");
        let siblings = kernel.siblings(own);
        assert!(siblings.len() > 3, "{}", siblings.len());
        for (name, sibling) in siblings {
            assert!(compared.contains(&name) && name != own);
            let left = names(&sibling);
            assert!(!left.contains(&own) && left.contains(&name));
        }
        let of_not: Vec<&str> = (0..20)
            .filter_map(|seed| crate::generate(seed, &Profile::default()).ok())
            .flat_map(|kernel| kernel.siblings(NOT))
            .map(|(name, _)| name)
            .collect();
        assert!(of_not.contains(&"equal") && !of_not.contains(&NOT), "{of_not:?}");
        assert!(kernel.siblings("add").is_empty() && !Kernel::has_family("add"));
    }

    #[test]
    fn min_max_and_clamp_are_a_family() {
        let profile = Profile { mode: Mode::Vector, ..Profile::default() };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..30 {
            let kernel = crate::generate(seed, &profile).expect("a profile that fits");
            let here = names(&kernel);
            for own in ["min", "max", "clamp"].into_iter().filter(|name| here.contains(name)) {
                for (name, sibling) in kernel.siblings(own) {
                    // A repair may leave out the new one, or need the old one somewhere.
                    let left = names(&sibling);
                    let is_changed = !left.contains(&own) && left.contains(&name);
                    seen.extend(is_changed.then_some((own, name)));
                    assert_ne!(sibling.source, kernel.source, "{seed} {own} {name}");
                }
            }
        }
        // `clamp` takes one operand more than the others have.
        let all = [("clamp", "max"), ("clamp", "min"), ("max", "min"), ("min", "max")];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
    }

    #[test]
    fn tables_of_lop3_are_a_family_where_the_target_has_them() {
        let of = |target: Target| {
            let profile = Profile { target, ..Profile::default() };
            let tables = |seed| {
                let kernel = crate::generate(seed, &profile).expect("a profile that fits");
                let own = names(&kernel).into_iter().find(|name| name.starts_with("ptx_lop3"))?;
                Some(kernel.siblings(own).into_iter().map(|(name, _)| name).collect::<Vec<_>>())
            };
            (0..60).filter_map(tables).flatten().collect::<std::collections::BTreeSet<_>>()
        };
        let (ptx, cuda) = (of(Target::Ptx), of(Target::Cuda));
        assert_eq!(ptx.len(), 12, "{ptx:?}");
        assert!(cuda.iter().all(|name| ["ptx_lop3_e8", "ptx_lop3_96"].contains(name)), "{cuda:?}");
    }

    #[test]
    fn a_number_takes_the_place_of_a_construct() {
        let profile = Profile { mode: Mode::Vector, ..Profile::default() };
        let mut tried = 0;
        for seed in 0..10 {
            let kernel = crate::generate(seed, &profile).expect("a profile that fits");
            for name in ["min", "abs", "hadd"] {
                let here = names(&kernel);
                // The repair of the bounds of `clamp` needs `min`.
                if !here.contains(&name) || name == "min" && here.contains(&"clamp") {
                    continue;
                }
                for number in SubstituteNumber::TRUTHS {
                    let without = kernel.with_number(name, number).expect("a valid kernel");
                    assert!(!names(&without).contains(&name), "{seed} {name}");
                    assert_ne!(without.source, kernel.source);
                    tried += 1;
                }
            }
        }
        assert!(tried > 10, "{tried}");
    }
}
