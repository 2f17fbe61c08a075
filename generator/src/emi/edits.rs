//! Edits: what is put into a kernel without a change of its results.

use super::points::{Point, points};
use super::predicates::{Fact, facts, predicate};
use super::prune::{EmiRates, pruned, without_unused};
use super::synchronises;
use crate::features::Features;
use crate::interpret::Report;
use crate::ir::{
    Block, EmiEdit, EmiEditKind, Jump, Place, Program, StmtId, StmtKind, Storage, Ty, Variable,
    replace,
};
use crate::policy::{self, UsableVariables};
use crate::profile::{Edits, Mode, Profile};
use crate::random::{SeedKey, Stream};

impl EmiEdit {
    /// True for one that is never executed.
    pub(super) fn is_dead(&self) -> bool {
        self.kind == EmiEditKind::Dead
    }

    /// Lets the branch be executed, and add something to the result.
    #[cfg(test)]
    pub(super) fn make_wrong(&self, program: &mut Program) {
        let key = program.stmt(self.branch).key;
        let [truth, value] = [1, 77].map(|number| program.literal(number, Ty::INT, key));
        let hash = program.statement(StmtKind::Hash(value), key);
        program.stmts[self.branch.0 as usize].kind = StmtKind::If(truth, vec![hash], Block::new());
    }

    /// Prunes the statements that are never executed. Returns false if nothing is left.
    pub(super) fn prune(&self, program: &mut Program, rates: EmiRates, key: SeedKey) -> bool {
        let StmtKind::If(condition, then, other) = program.stmt(self.branch).kind.clone() else {
            return false;
        };
        let (then, other) = match self.kind {
            EmiEditKind::Dead => (pruned(program, &then, rates, key), other),
            EmiEditKind::Guard => (then, pruned(program, &other, rates, key)),
            EmiEditKind::Scramble => return true,
        };
        let dead = if self.is_dead() { then.clone() } else { other.clone() };
        program.stmts[self.branch.0 as usize].kind = StmtKind::If(condition, then, other);
        without_unused(program, &dead) || self.kind == EmiEditKind::Guard
    }
}

/// Adds edits to a kernel with this report. Those that are executed may misbehave.
pub(super) fn added(
    program: &mut Program,
    report: &Report,
    profile: &Profile,
    features: &Features,
    key: SeedKey,
) -> Vec<EmiEdit> {
    let points = points(program, report);
    let chosen = chosen(program, &points, profile.edits, &mut key.stream());
    let places: Vec<_> = chosen.iter().map(|(point, _)| *point).collect();
    let facts = facts(program, &places, features, key.named("facts"));
    let mut editor = Editor { program, features, mode: profile.mode };
    let edits = chosen.into_iter().zip(facts).zip(0..).map(|(((point, kind), fact), number)| {
        let branch = editor.branch(point, kind, fact, key.child(number));
        EmiEdit { branch, kind }
    });
    edits.collect()
}

/// Draws places, and what is put there.
fn chosen<'a>(
    program: &Program,
    points: &'a [Point],
    edits: Edits,
    stream: &mut Stream,
) -> Vec<(&'a Point, EmiEditKind)> {
    let is_guarded = |point: &&Point| program.stmt(point.before).kind.declared().is_none();
    let of_kind = |kind| -> Vec<&Point> {
        let points = points.iter();
        match kind {
            EmiEditKind::Dead => points.collect(),
            EmiEditKind::Guard => points.filter(is_guarded).collect(),
            EmiEditKind::Scramble => {
                points.filter(|point| !point.scope.writable.is_empty()).collect()
            }
        }
    };
    let kinds: &[_] = match edits {
        Edits::All => {
            &[EmiEditKind::Dead, EmiEditKind::Dead, EmiEditKind::Guard, EmiEditKind::Scramble]
        }
        Edits::Dead => &[EmiEditKind::Dead],
        Edits::Guards => &[EmiEditKind::Guard],
    };
    let mut chosen = Vec::new();
    for number in 0..3 + stream.below(4) {
        // There is at least one of each.
        let kind = kinds.get(number as usize + 1).copied().unwrap_or_else(|| stream.pick(kinds));
        let points = of_kind(kind);
        if !points.is_empty() {
            chosen.push((stream.pick(&points), kind));
        }
    }
    chosen
}

struct Editor<'a> {
    program: &'a mut Program,
    features: &'a Features,
    mode: Mode,
}

impl Editor<'_> {
    /// Puts a branch into the kernel.
    fn branch(
        &mut self,
        point: &Point,
        kind: EmiEditKind,
        fact: Option<Fact>,
        key: SeedKey,
    ) -> StmtId {
        let (then, other) = match kind {
            EmiEditKind::Dead => (self.dead(point, 60..200, key.child(1)), Block::new()),
            EmiEditKind::Guard => {
                let with_else = key.child(2).stream().chance(50);
                let other =
                    if with_else { self.dead(point, 20..60, key.child(1)) } else { Block::new() };
                (vec![point.before], other)
            }
            EmiEditKind::Scramble => (self.scramble(&point.scope, key.child(1)), Block::new()),
        };
        let uniform = [&then, &other].iter().any(|block| self.program.does(block, &synchronises));
        let truth = (kind != EmiEditKind::Dead, uniform);
        let condition = predicate(self.program, truth, fact, self.features, key.child(3));
        let branch = self.program.statement(StmtKind::Nothing, key);
        // The branch of a guard has the statement.
        let after = if kind == EmiEditKind::Guard { None } else { Some(point.before) };
        let both: Block = [branch].into_iter().chain(after).collect();
        replace(self.program, point.before, &both);
        self.program.stmts[branch.0 as usize].kind = StmtKind::If(condition, then, other);
        // The repair must not negate the condition.
        self.program.stmts[branch.0 as usize].repairs = 1;
        branch
    }

    /// Statements that are never executed, sometimes with a barrier or a jump out of the loop around.
    fn dead(&mut self, point: &Point, tokens: std::ops::Range<u64>, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let tokens = tokens.start + stream.below(tokens.end - tokens.start);
        let around = (self.features, self.mode, &point.scope);
        let mut body = policy::block(self.program, around, tokens as usize, key.child(1));
        let mut insert = |program: &mut Program, kind| {
            let at = stream.below(body.len() as u64 + 1) as usize;
            body.insert(at, program.statement(kind, key));
        };
        let mut more = key.child(2).stream();
        let synchronises = self.mode.has_barriers() && self.features.allows("barrier", Ty::INT);
        if synchronises && point.together && more.chance(40) {
            insert(self.program, StmtKind::Barrier);
        }
        let jumps = [("break", Jump::Break), ("continue", Jump::Continue)]
            .map(|(name, jump)| (u32::from(self.features.allows(name, Ty::INT)), jump));
        if let Some(jump) = more.weighted(&jumps)
            && point.may_leave
            && more.chance(40)
        {
            let truth = (more.chance(50), false);
            let condition = predicate(self.program, truth, None, self.features, key.child(3));
            insert(self.program, StmtKind::Jump(jump, condition));
        }
        body
    }

    /// `T t = v; v = ...; v = t;`
    fn scramble(&mut self, scope: &UsableVariables, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let variable = stream.pick(&scope.writable);
        let ty = self.program.variable(variable).ty;
        let name = format!("t{}", self.program.variables.len());
        let kept = Variable { name, ty, length: None, space: Storage::Private };
        let kept = self.program.declare(kept);
        let [old, back] =
            [variable, kept].map(|id| self.program.add(crate::ir::ExprKind::Variable(id), ty, key));
        let mut block = vec![self.program.statement(StmtKind::Declare(kept, old), key)];
        for index in 0..=stream.below(2) {
            let around = (self.features, self.mode, scope);
            let value = policy::expression(self.program, around, ty, key.child(index));
            let change = StmtKind::Assign(Place::Variable(variable), value);
            block.push(self.program.statement(change, key));
        }
        let restore = StmtKind::Assign(Place::Variable(variable), back);
        block.push(self.program.statement(restore, key));
        block
    }
}
