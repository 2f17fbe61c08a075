//! Repair: a kernel is interpreted, every node that misbehaved is changed in its place, and so on until none does.
//!
//! Each change moves a node one rung up a ladder whose last rung is total, so the repair ends. What comes out has no
//! wrappers around most operators, so that compilers see them as they are in real programs.

mod accesses;
mod arithmetic;

use crate::features::Features;
use crate::interpret::{self, Faults, Report};
use crate::ir::{Binary, Block, ExprId, ExprKind, Program, StmtId, StmtKind, Type, Unary};

/// Repairs a kernel until it is valid, and returns what the interpreter says about it then.
pub(crate) fn repair(program: &mut Program, features: &Features) -> Report {
    Repair { program, features }.constant_divisors();
    loop {
        let report = interpret::run(program);
        let mut repair = Repair { program, features };
        if report.is_clean() {
            if !repair.enter_branches(&report) {
                return report;
            }
        } else {
            repair.round(&report);
        }
    }
}

struct Repair<'a> {
    program: &'a mut Program,
    features: &'a Features,
}

impl Repair<'_> {
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

    /// Replaces divisors without variables, which could be 0 where nothing executes them: compilers warn of them.
    fn constant_divisors(&mut self) {
        for index in 0..self.program.exprs.len() {
            let kind = &self.program.exprs[index].kind;
            let ExprKind::Binary(Binary::Divide | Binary::Remainder, _, b) = *kind else {
                continue;
            };
            let is_number = matches!(self.program.expr(b).kind, ExprKind::Literal(n) if n != 0);
            if !is_number && is_constant(self.program, b) {
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
            StmtKind::Reduce(reduce) => {
                StmtKind::Assign(crate::ir::Place::Variable(reduce.into), reduce.value)
            }
            StmtKind::For(mut details) if faults.has(Faults::ENDLESS) => {
                let [start, limit] = if details.step > 0 { [0, 2] } else { [2, 0] };
                let by = i128::from(details.step.unsigned_abs());
                details.start = self.program.literal(start * by, Type::INT, key);
                details.limit = self.program.literal(limit * by, Type::INT, key);
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
            if !is_dead || stmt.repairs > 0 || !self.features.allows("not", Type::INT) {
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

/// True if an expression has no variables.
fn is_constant(program: &Program, id: ExprId) -> bool {
    let all = |ids: &[ExprId]| ids.iter().all(|id| is_constant(program, *id));
    match &program.expr(id).kind {
        ExprKind::Literal(_) => true,
        ExprKind::Variable(_) | ExprKind::Element(..) | ExprKind::Load(..) | ExprKind::Item(_) => {
            false
        }
        ExprKind::Vector(parts) => all(parts),
        ExprKind::Swizzle(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Convert(a)
        | ExprKind::Saturate(a)
        | ExprKind::Reinterpret(a) => all(&[*a]),
        ExprKind::Binary(_, a, b) => all(&[*a, *b]),
        ExprKind::Conditional(a, b, c) => all(&[*a, *b, *c]),
        ExprKind::Call(_, count, arguments) => all(&arguments[..usize::from(*count)]),
    }
}

fn never_runs(block: &Block, report: &Report) -> bool {
    block.first().is_some_and(|first| report.runs[first.0 as usize] == 0)
}
