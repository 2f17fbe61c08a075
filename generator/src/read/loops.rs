//! Loops. Each becomes the counted loop of programs, with a counter of its own that never comes to its limit.

use super::operands::Operand;
use super::operators::{compound, operator};
use super::scopes::NameMeaning;
use super::{Read, Reader, Target};
use crate::ir::{
    Block, Expr, ExprId, ExprKind, For, Jump, LoopForm, ScalarType, StmtId, StmtKind, Ty, Unary,
};

impl Reader<'_> {
    /// Reads `for (...) ...`.
    pub(super) fn for_loop(&mut self, out: &mut Block) -> Read<()> {
        self.tokens.next();
        self.tokens.expect("(")?;
        self.scopes.enter();
        let mut outer = Block::new();
        if self.starts_declaration() {
            self.declaration(&mut outer)?;
        } else if !self.tokens.accept(";") {
            self.simple_list(&mut outer)?;
            self.tokens.expect(";")?;
        }
        let mut body = Block::new();
        if !self.tokens.accept(";") {
            let condition = self.expression()?;
            let condition = self.scalar(condition)?;
            self.tokens.expect(";")?;
            self.leave_unless(condition, &mut body);
        }
        let mut step = Block::new();
        if self.tokens.peek() != ")" {
            self.simple_list(&mut step)?;
        }
        self.tokens.expect(")")?;
        self.targets.push(Target::Loop(step.clone()));
        let inner = self.branch();
        self.targets.pop();
        body.extend(inner?);
        body.extend(step);
        self.scopes.leave();
        self.repeat(body, &mut outer);
        self.push_block(outer, out);
        Ok(())
    }

    /// Reads `while (...) ...`.
    pub(super) fn while_loop(&mut self, out: &mut Block) -> Read<()> {
        self.tokens.next();
        let mut body = Block::new();
        self.leaving_condition(&mut body)?;
        self.targets.push(Target::Loop(Block::new()));
        let inner = self.branch();
        self.targets.pop();
        body.extend(inner?);
        self.repeat(body, out);
        Ok(())
    }

    /// Reads `do ... while (...);`.
    pub(super) fn do_loop(&mut self, out: &mut Block) -> Read<()> {
        self.tokens.next();
        self.targets.push(Target::DoLoop(Block::new()));
        let inner = self.branch();
        let target = self.targets.pop();
        let mut body = inner?;
        self.tokens.expect("while")?;
        let mut last = Block::new();
        self.leaving_condition(&mut last)?;
        self.tokens.expect(";")?;
        // `continue` leads to the condition.
        if let Some(Target::DoLoop(waiting)) = target {
            for id in waiting {
                let always = self.literal(1, Ty::INT);
                let kind = StmtKind::If(always, last.clone(), Block::new());
                self.program.stmts[id.0 as usize].kind = kind;
            }
        }
        body.extend(last);
        self.repeat(body, out);
        Ok(())
    }

    /// Reads the condition of a loop, which may begin with an assignment as in `((i += 2) < n)`, and leaves the loop where
    /// it does not hold.
    fn leaving_condition(&mut self, out: &mut Block) -> Read<()> {
        let name = self.tokens.ahead(2);
        let is_double = self.tokens.peek() == "(" && self.tokens.ahead(1) == "(";
        if !is_double || compound(self.tokens.ahead(3)).is_none() {
            let condition = self.condition()?;
            self.leave_unless(condition, out);
            return Ok(());
        }
        self.tokens.expect("(")?;
        self.tokens.expect("(")?;
        self.simple(out)?;
        self.tokens.expect(")")?;
        let Some((comparison, precedence)) =
            operator(self.tokens.peek()).filter(|it| it.0.is_relational())
        else {
            return Err(self.tokens.outside_here());
        };
        self.tokens.next();
        let Some(NameMeaning::Variable(counter)) = self.scopes.find(name) else {
            return Err(self.tokens.outside("an assignment in a condition"));
        };
        let Operand::Variable(_) = self.named(counter) else {
            return Err(self.tokens.outside("an assignment to this in a condition"));
        };
        // Nothing says whether the other operand is computed before or after the assignment.
        let first = self.program.exprs.len();
        let limit = self.nested(|reader| reader.binary(precedence + 1))?;
        let limit = self.value(limit)?;
        let reads = |expr: &Expr| matches!(expr.kind, ExprKind::Variable(id) if id == counter);
        if comparison.is_logical() || self.program.exprs[first..].iter().any(reads) {
            return Err(self.tokens.outside("an order of evaluation"));
        }
        self.tokens.expect(")")?;
        let value = self.value(Operand::Variable(counter))?;
        let condition = self.binary_operator(comparison, value, limit)?;
        if self.program.ty(condition).is_vector() {
            return Err(self.tokens.outside("a vector as a condition"));
        }
        self.leave_unless(condition, out);
        Ok(())
    }

    /// Reads assignments with commas between them.
    fn simple_list(&mut self, out: &mut Block) -> Read<()> {
        self.simple(out)?;
        while self.tokens.accept(",") {
            self.simple(out)?;
        }
        Ok(())
    }

    fn leave_unless(&mut self, condition: ExprId, out: &mut Block) {
        let is_over = self.unary_operator(Unary::Not, condition);
        self.push(StmtKind::Jump(Jump::Break, is_over), out);
    }

    /// A loop that ends by jumps alone.
    fn repeat(&mut self, body: Block, out: &mut Block) {
        let ty = Ty::INT;
        let counter = self.hidden(ty);
        let start = self.literal(0, ty);
        let limit = self.literal(ScalarType::Int.greatest(), ty);
        let (form, step, unroll) = (LoopForm::For, 1, None);
        let details = For { form, counter, start, limit, step, unroll, body };
        self.push(StmtKind::For(details), out);
    }

    /// Reads `break;` or `continue;`.
    pub(super) fn jump(&mut self, out: &mut Block) -> Read<()> {
        let is_break = self.tokens.peek() == "break";
        let is_loop = |target: &Target| !matches!(target, Target::Switch);
        let target = match is_break {
            true => self.targets.len().checked_sub(1),
            false => self.targets.iter().rposition(is_loop),
        };
        let Some(target) = target else { return Err(self.tokens.outside_here()) };
        self.tokens.next();
        self.tokens.expect(";")?;
        if !is_break {
            self.end_round(target, out);
        }
        let always = self.literal(1, Ty::INT);
        let jump = if is_break { Jump::Break } else { Jump::Continue };
        self.push(StmtKind::Jump(jump, always), out);
        Ok(())
    }

    /// The code between `continue` and the next round.
    fn end_round(&mut self, target: usize, out: &mut Block) {
        if let Target::Loop(step) = &self.targets[target] {
            out.extend(step);
            return;
        }
        let id: StmtId = self.push(StmtKind::Nothing, out);
        if let Target::DoLoop(waiting) = &mut self.targets[target] {
            waiting.push(id);
        }
    }
}
