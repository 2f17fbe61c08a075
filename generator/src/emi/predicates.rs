//! Conditions whose truth the generator knows, and the compiler does not.

use super::points::Point;
use crate::features::Features;
use crate::interpret;
use crate::ir::{
    Binary, Buffer, ExprId, ExprKind, Program, StmtId, StmtKind, Ty, VarId, WorkItemId, replace,
};
use crate::policy::{opaque, special};
use crate::random::SeedKey;

/// A comparison with the same result wherever it is executed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    variable: VarId,
    number: i128,
    /// True if the variable is always less than the number; false if it never is.
    less: bool,
}

/// Finds a comparison of a variable with a number at each point, by interpretation: all comparisons in one run.
pub(super) fn facts(
    program: &Program,
    points: &[&Point],
    features: &Features,
    key: SeedKey,
) -> Vec<Option<Fact>> {
    let mut program = program.clone();
    let guesses: Vec<_> = (0..)
        .zip(points)
        .map(|(number, point)| Guess::at(&mut program, point, features, key.child(number)))
        .collect();
    let report = interpret::run(&program);
    let runs = |id: StmtId| report.runs[id.0 as usize] > 0;
    let judged = guesses.into_iter().map(|guess| {
        let guess = guess?;
        let less = match guess.branches.map(runs) {
            [true, false] => true,
            [false, true] => false,
            _ => return None,
        };
        Some(Fact { less, ..guess.fact })
    });
    judged.collect()
}

/// A comparison that may be a fact, with a statement in each branch.
struct Guess {
    fact: Fact,
    branches: [StmtId; 2],
}

impl Guess {
    fn at(program: &mut Program, point: &Point, features: &Features, key: SeedKey) -> Option<Self> {
        let mut stream = key.stream();
        let variables = point.scope.readable.iter().chain(&point.scope.counters).copied();
        let variables = variables.filter(|id| {
            let ty = program.variable(*id).ty;
            !ty.is_vector() && !ty.scalar.is_float() && features.allows("less", ty)
        });
        let variables: Vec<_> = variables.collect();
        if variables.is_empty() {
            return None;
        }
        let variable = stream.pick(&variables);
        let ty = program.variable(variable).ty;
        let number = match stream.chance(50) {
            true => special(ty.scalar, &mut stream),
            false => stream.within(-60, 120).into(),
        };
        let fact = Fact { variable, number: ty.scalar.value(ty.scalar.wrap(number)), less: true };
        let condition = fact.is(true, program, key)?;
        let branches = [(); 2].map(|()| program.statement(StmtKind::Nothing, key));
        let [then, other] = branches;
        let probe = StmtKind::If(condition, vec![then], vec![other]);
        let probe = program.statement(probe, key);
        replace(program, point.before, &[probe, point.before]);
        Some(Self { fact, branches })
    }
}

impl Fact {
    /// Makes a condition that is always true or always false, as `truth` says. Returns `None` if that needs a number that the
    /// type does not have.
    fn is(self, truth: bool, program: &mut Program, key: SeedKey) -> Option<ExprId> {
        let ty = program.variable(self.variable).ty;
        let value = program.add(ExprKind::Variable(self.variable), ty, key);
        if self.less == truth {
            let number = program.literal(self.number, ty, key);
            return Some(program.binary(Binary::Less, value, number, key));
        }
        // A value that is not less than a number is greater than the one before it.
        let before = self.number - 1;
        if before < ty.scalar.least() {
            return None;
        }
        let before = program.literal(before, ty, key);
        Some(program.binary(Binary::Less, before, value, key))
    }
}

/// Makes a condition that is always true or always false, as `truth` says. With `uniform`, a compiler can see that it has the
/// same value in all work-items.
pub(super) fn predicate(
    program: &mut Program,
    (truth, uniform): (bool, bool),
    fact: Option<Fact>,
    features: &Features,
    key: SeedKey,
) -> ExprId {
    let mut stream = key.stream();
    let key = key.child(1);
    let way = if uniform { 9 } else { stream.below(10) };
    let made = match way {
        0..4 => fact.and_then(|fact| fact.is(truth, program, key)),
        4 if features.allows("id", Ty::INT) => Some(id_in_range(program, truth, key)),
        5..7 if allows_opaque(features) => {
            let less = stream.within(0, 50);
            let more = less + stream.within(1, 50);
            let known = opaque(program, if truth { less } else { more }, key);
            let other = program.literal(if truth { more } else { less }.into(), Ty::INT, key);
            Some(program.binary(Binary::Less, known, other, key))
        }
        _ => None,
    };
    made.unwrap_or_else(|| of_input(program, truth, key))
}

/// True if nothing of [`opaque`] is to be avoided. Repair replaces what is, and the truth of the condition may change.
fn allows_opaque(features: &Features) -> bool {
    ["add", "subtract", "id"].iter().all(|name| features.allows(name, Ty::INT))
}

/// `lid < 8` in groups of 8, or `7 < lid`.
fn id_in_range(program: &mut Program, truth: bool, key: SeedKey) -> ExprId {
    let group = i128::from(program.sizes.group());
    let id = program.add(ExprKind::Item(WorkItemId::LinearLocal), Ty::INT, key);
    let end = program.literal(if truth { group } else { group - 1 }, Ty::INT, key);
    let (a, b) = if truth { (id, end) } else { (end, id) };
    program.binary(Binary::Less, a, b, key)
}

/// `emi_input[a] < emi_input[b]`, as in CLsmith: the elements descend.
fn of_input(program: &mut Program, truth: bool, key: SeedKey) -> ExprId {
    let mut stream = key.stream();
    let Some(buffer) = program.buffer(Buffer::Emi) else {
        return program.literal(truth.into(), Ty::INT, key);
    };
    let first = stream.within(0, i64::from(Buffer::EMI) - 2);
    let second = stream.within(first + 1, i64::from(Buffer::EMI) - 1);
    let (a, b) = if truth { (second, first) } else { (first, second) };
    let [a, b] = [a, b].map(|at| {
        let at = program.literal(at.into(), Ty::INT, key);
        program.add(ExprKind::Element(buffer, at), Ty::INT, key)
    });
    program.binary(Binary::Less, a, b, key)
}
