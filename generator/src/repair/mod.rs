//! Repair: a kernel is interpreted, every node that misbehaved is changed in its place, and so on until none does.
//!
//! The first changes of a node keep most of it; the later ones keep less. After [`ROUNDS`] interpretations, what still
//! misbehaves is replaced by a number or removed, so the repair ends. What comes out has no wrappers around most
//! operators, so that compilers see them as they are in real programs.

mod accesses;
mod arithmetic;
mod avoided;
mod collectives;
mod floats;
pub(crate) mod objects;

use crate::features::Features;
use crate::interpret::{self, Faults, Report};
use crate::ir::{
    Binary, Block, ExprId, ExprKind, GroupCopy, Program, StmtId, StmtKind, Storage, Ty, Unary,
};

/// The interpretations after which nothing is kept of what misbehaves.
const ROUNDS: usize = 50;

/// Repairs a kernel until it is valid, and returns what the interpreter says about it then.
pub(crate) fn repair(program: &mut Program, features: &Features) -> Report {
    let mut round = 0;
    loop {
        let mut repair = ProgramRepair { program, features };
        if features.leaves_out() {
            repair.leave_out();
        }
        // In each round, as repairs make constants: what comes out remains the same when it is repaired with edits.
        repair.constant_divisors();
        let report = interpret::run(program);
        let mut repair = ProgramRepair { program, features };
        match report.is_clean() {
            true if round < ROUNDS && repair.enter_branches(&report) => {}
            true => return report,
            false if round < ROUNDS => repair.round(&report),
            false => repair.give_up(&report),
        }
        round += 1;
    }
}

struct ProgramRepair<'a> {
    program: &'a mut Program,
    features: &'a Features,
}

impl ProgramRepair<'_> {
    fn round(&mut self, report: &Report) {
        for (index, faults) in report.exprs.iter().enumerate().filter(|(_, faults)| faults.any()) {
            let id = ExprId(index as u32);
            if faults.has(Faults::ARITHMETIC) {
                self.arithmetic(id);
            } else {
                self.read(id, *faults);
            }
            self.program.exprs[index].repairs += 1;
        }
        for (index, faults) in report.stmts.iter().enumerate().filter(|(_, faults)| faults.any()) {
            self.statement(StmtId(index as u32), *faults);
            self.program.stmts[index].repairs += 1;
        }
    }

    /// Puts a number in the place of every expression that misbehaved, and removes every such statement.
    fn give_up(&mut self, report: &Report) {
        for (expr, faults) in self.program.exprs.iter_mut().zip(&report.exprs) {
            if faults.any() {
                expr.kind = ExprKind::Literal(expr.ty.scalar.wrap(1));
            }
        }
        for (stmt, faults) in self.program.stmts.iter_mut().zip(&report.stmts) {
            if faults.any() {
                stmt.kind = match &stmt.kind {
                    StmtKind::DeclareObject(id, initials) => {
                        objects::without_addresses(*id, initials)
                    }
                    _ => StmtKind::Nothing,
                };
            }
        }
    }

    /// Replaces divisors without variables, which could be 0 where nothing executes them: compilers warn of them.
    fn constant_divisors(&mut self) {
        for index in 0..self.program.exprs.len() {
            let kind = &self.program.exprs[index].kind;
            let ExprKind::Binary(Binary::Divide | Binary::Remainder, _, b) = *kind else {
                continue;
            };
            let is_number = matches!(self.program.expr(b).kind, ExprKind::Literal(n) if n != 0);
            if !is_number && is_constant(self.program, b) && !self.program.ty(b).scalar.is_float() {
                self.program.exprs[b.0 as usize].kind = ExprKind::Literal(3);
            }
        }
    }

    fn statement(&mut self, id: StmtId, faults: Faults) {
        let stmt = self.program.stmt(id);
        let (key, again) = (stmt.key, stmt.repairs > 0);
        let kind = match stmt.kind.clone() {
            StmtKind::Assign(place, value) if !faults.has(Faults::ORDER) => {
                self.write(place, value, faults, (key, u8::from(again)))
            }
            StmtKind::DeclareObject(id, initials) => objects::without_addresses(id, &initials),
            StmtKind::Point(into, address) if !again => self.point(&into, &address, key),
            StmtKind::Copy(into, from) if !again && faults.has(Faults::RANGE) => {
                StmtKind::Copy(self.cut_path(&into, key), self.cut_path(&from, key))
            }
            // An address may be no multiple of what is copied at a time.
            StmtKind::GroupCopy(copy)
                if !again && faults.has(Faults::RANGE) && copy.cp_async.is_some() =>
            {
                StmtKind::GroupCopy(GroupCopy { cp_async: None, ..copy })
            }
            StmtKind::Collective(collective) => self.collective(collective, faults, (key, again)),
            StmtKind::Reduce(reduce) => {
                StmtKind::Assign(crate::ir::Place::Variable(reduce.into), reduce.value)
            }
            StmtKind::For(mut details)
                if faults.has(Faults::ENDLESS) && !details.body.is_empty() =>
            {
                let [start, limit] = if details.step > 0 { [0, 2] } else { [2, 0] };
                let by = i128::from(details.step.unsigned_abs());
                details.start = self.program.literal(start * by, Ty::INT, key);
                details.limit = self.program.literal(limit * by, Ty::INT, key);
                if again {
                    details.body.clear();
                }
                StmtKind::For(details)
            }
            _ => StmtKind::Nothing,
        };
        self.program.stmts[id.0 as usize].kind = kind;
    }

    /// Negates the conditions of most branches that no work-item takes. Returns true if there were some.
    fn enter_branches(&mut self, report: &Report) -> bool {
        let mut changed = false;
        for index in 0..self.program.stmts.len() {
            let stmt = &self.program.stmts[index];
            let StmtKind::If(condition, then, _) = &stmt.kind else { continue };
            let (condition, key) = (*condition, stmt.key);
            let is_dead = report.runs[index] > 0 && never_runs(then, report);
            if !is_dead || stmt.repairs > 0 || !self.features.allows("not", Ty::INT) {
                continue;
            }
            if key.named("enter").stream().chance(85) {
                let ty = Unary::Not.result(self.program.ty(condition));
                let negated = self.program.add(ExprKind::Unary(Unary::Not, condition), ty, key);
                if let StmtKind::If(condition, ..) = &mut self.program.stmts[index].kind {
                    *condition = negated;
                }
                changed = true;
            }
            self.program.stmts[index].repairs += 1;
        }
        changed
    }
}

/// True if an expression has no variables. Compilers also know the elements of constant tables.
fn is_constant(program: &Program, id: ExprId) -> bool {
    match &program.expr(id).kind {
        ExprKind::Variable(_) | ExprKind::Item(_) => false,
        ExprKind::Element(table, at) | ExprKind::Load(table, at)
            if matches!(program.variable(*table).space, Storage::Constant(_)) =>
        {
            is_constant(program, *at)
        }
        kind if kind.has_indices() => false,
        kind => kind.operands().into_iter().all(|operand| is_constant(program, operand)),
    }
}

fn never_runs(block: &Block, report: &Report) -> bool {
    block.first().is_some_and(|first| report.runs[first.0 as usize] == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{For, LoopForm, Sizes, Variable, WorkItemId};
    use crate::print;
    use crate::profile::{Mode, Profile, TokenRange};
    use crate::random::SeedKey;

    /// clang 19 warns of a remainder by an element that is 0.
    #[test]
    fn elements_of_constant_tables_are_constants_at_constant_indices() {
        let mut program = Program::new(Sizes { global: [1; 3], local: [1; 3] });
        let key = SeedKey::root(0);
        let space = Storage::Constant(Box::new([5, 0]));
        let table = Variable { name: "c1".to_owned(), ty: Ty::INT, length: Some(2), space };
        let table = program.declare(table);
        let one = program.literal(1, Ty::INT, key);
        let item = program.add(ExprKind::Item(WorkItemId::LinearLocal), Ty::INT, key);
        let [known, unknown] =
            [one, item].map(|at| program.add(ExprKind::Element(table, at), Ty::INT, key));
        assert!(is_constant(&program, known));
        assert!(!is_constant(&program, unknown));
    }

    /// Variants are repaired with their edits. If that changed the kernel, no variant would have its results.
    #[test]
    fn what_is_repaired_remains_when_it_is_repaired_again() {
        let tokens = TokenRange::new(300, 700).expect("a range");
        let profile = Profile { mode: Mode::Vector, tokens, ..Profile::default() };
        for seed in 0..60 {
            let kernel = crate::generate(seed, &profile).expect("a profile that fits");
            let mut program = kernel.program.clone();
            repair(&mut program, &crate::kernel::features(seed, &profile));
            let text = |program: &Program| print::opencl(program, &print::Extras::default());
            assert_eq!(text(&program), text(&kernel.program), "{seed}");
        }
    }

    /// Each of the loops is short. The innermost one is empty, so there is nothing in it to be removed.
    #[test]
    fn loops_that_take_too_many_steps_together_are_shortened() {
        let mut program = Program::new(Sizes { global: [1; 3], local: [1; 3] });
        let key = SeedKey::root(0);
        for level in 0..5 {
            let (name, space) = (format!("i{level}"), Storage::Private);
            let counter = program.declare(Variable { name, ty: Ty::INT, length: None, space });
            let [start, limit] = [0, 1000].map(|end| program.literal(end, Ty::INT, key));
            let body = std::mem::take(&mut program.body);
            let details =
                For { form: LoopForm::For, counter, start, limit, step: 1, unroll: None, body };
            program.body = vec![program.statement(StmtKind::For(details), key)];
        }
        let features = Features::new(&Profile::default(), key);
        let report = repair(&mut program, &features);
        assert!(report.is_clean() && report.steps < interpret::step_limit(&program));
    }
}
