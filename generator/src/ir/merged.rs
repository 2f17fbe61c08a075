//! Statements of which the text makes one, by the operators of C that assign within an expression.
//!
//! The interpreter executes them one after the other. The text merges them only where C evaluates them in that order too;
//! elsewhere it has two statements.

use super::{Binary, Block, ExprId, ExprKind, Merge, Place, Program, StmtId, StmtKind, Ty, VarId};

/// A change of a variable by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// `++`.
    Up,
    /// `--`.
    Down,
}

/// Two statements as the text can merge them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// The variable that the assignment changes.
    pub variable: VarId,
    /// The value that it gets.
    pub value: ExprId,
    /// The other statement.
    pub other: StmtId,
    /// For an increment, its direction, and true if it comes after the other statement.
    pub change: Option<(Change, bool)>,
}

impl Program {
    /// The assignment and the other statement of a block that the text merges, if the order of what it evaluates is certain.
    pub(crate) fn pair(&self, merge: Merge, block: &Block) -> Option<Pair> {
        let is_there = |id: &&StmtId| !matches!(self.stmt(**id).kind, StmtKind::Nothing);
        let [first, second] = block.iter().filter(is_there).copied().collect::<Vec<_>>()[..] else {
            return None;
        };
        let found = [(first, second, false), (second, first, true)].into_iter().find_map(
            |(assignment, other, is_after)| {
                let (variable, value) = self.plain_assignment(assignment)?;
                let change = self.change(variable, value);
                let pair =
                    Pair { variable, value, other, change: change.map(|one| (one, is_after)) };
                let fits = match merge {
                    Merge::Comma => !is_after && self.joins(&pair),
                    Merge::Assignment => !is_after && self.is_read_once(&pair),
                    Merge::Increment => {
                        let is_simple = matches!(self.stmt(other).kind, StmtKind::Assign(..));
                        change.is_some() && (!is_after || is_simple) && self.is_read_once(&pair)
                    }
                };
                fits.then_some(pair)
            },
        )?;
        self.is_plain(&found).then_some(found)
    }

    /// The variable and the value of an assignment to all of a private variable.
    fn plain_assignment(&self, id: StmtId) -> Option<(VarId, ExprId)> {
        match self.stmt(id).kind {
            StmtKind::Assign(Place::Variable(variable), value) => Some((variable, value)),
            _ => None,
        }
    }

    /// The expression that a statement evaluates once, before it does anything else.
    pub(crate) fn head(&self, id: StmtId) -> Option<ExprId> {
        match &self.stmt(id).kind {
            StmtKind::Assign(Place::Variable(_), value)
            | StmtKind::Hash(value)
            | StmtKind::If(value, ..)
            | StmtKind::Jump(_, value) => Some(*value),
            StmtKind::Switch(switch) => Some(switch.value),
            _ => None,
        }
    }

    /// True if a comma can stand between the assignment and what the other statement evaluates. `a += (a = x, y)` would read
    /// `a` before or after.
    fn joins(&self, pair: &Pair) -> bool {
        let assigned = self.plain_assignment(pair.other).map(|(variable, _)| variable);
        self.head(pair.other).is_some() && assigned != Some(pair.variable)
    }

    /// True if the other statement reads the variable once in any case, and does nothing else with it.
    fn is_read_once(&self, pair: &Pair) -> bool {
        let Some(head) = self.head(pair.other) else { return false };
        let is_scalar = !self.variable(pair.variable).ty.is_vector();
        let mut count = 0;
        self.count_reads(head, pair.variable, &mut count);
        is_scalar && count == 1 && self.joins(pair) && self.reads_always(head, pair.variable)
    }

    fn count_reads(&self, id: ExprId, variable: VarId, count: &mut usize) {
        let kind = &self.expr(id).kind;
        *count += usize::from(matches!(kind, ExprKind::Variable(read) if *read == variable));
        for operand in kind.operands() {
            self.count_reads(operand, variable, count);
        }
    }

    /// True if an expression reads a variable whatever the values are.
    fn reads_always(&self, id: ExprId, variable: VarId) -> bool {
        match &self.expr(id).kind {
            ExprKind::Variable(read) => *read == variable,
            ExprKind::Binary(Binary::LogicalAnd | Binary::LogicalOr, a, _)
            | ExprKind::Conditional(a, ..) => self.reads_always(*a, variable),
            kind => kind.operands().into_iter().any(|one| self.reads_always(one, variable)),
        }
    }

    /// True if nothing is `volatile` that the two statements use.
    fn is_plain(&self, pair: &Pair) -> bool {
        let other = self.plain_assignment(pair.other).map(|(variable, _)| variable);
        let mut pending: Vec<ExprId> =
            self.head(pair.other).into_iter().chain([pair.value]).collect();
        let mut used: Vec<VarId> = other.into_iter().chain([pair.variable]).collect();
        while let Some(id) = pending.pop() {
            let kind = &self.expr(id).kind;
            pending.extend(kind.operands());
            if let ExprKind::Variable(of) | ExprKind::Element(of, _) | ExprKind::Load(of, _) = kind
            {
                used.push(*of);
            }
        }
        used.iter().all(|variable| !self.volatile.contains(variable))
    }

    /// The direction of `v = v + 1` and `v = v - 1`.
    fn change(&self, variable: VarId, value: ExprId) -> Option<Change> {
        let ty = self.variable(variable).ty;
        if ty.is_vector() || ty.scalar.is_float() {
            return None;
        }
        let computed = Ty::scalar(ty.scalar.promoted());
        let inner = |id: ExprId, to: Ty| match self.expr(id).kind {
            ExprKind::Convert(of) if self.ty(id) == to => of,
            _ => id,
        };
        let sum = inner(value, ty);
        let ExprKind::Binary(operator, a, b) = self.expr(sum).kind else { return None };
        let is_read = |id| matches!(self.expr(id).kind, ExprKind::Variable(of) if of == variable);
        let is_one = |id| matches!(self.expr(id).kind, ExprKind::Literal(1));
        if self.ty(sum) != computed || !is_read(inner(a, computed)) || !is_one(inner(b, computed)) {
            return None;
        }
        match operator {
            Binary::Add => Some(Change::Up),
            Binary::Subtract => Some(Change::Down),
            _ => None,
        }
    }
}
