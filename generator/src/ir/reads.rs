//! How often statements read variables: of what is `volatile`, the order of two reads is not certain.

use std::collections::BTreeMap;

use super::{ExprKind, Path, Place, Program, StmtKind, VarId};

impl Program {
    /// The most reads of each variable in one statement, without the statements in it.
    pub(crate) fn most_reads(&self) -> BTreeMap<VarId, usize> {
        let mut most: BTreeMap<VarId, usize> = BTreeMap::new();
        for id in self.statements() {
            for (variable, count) in reads(self, &self.stmt(id).kind) {
                let so_far = most.entry(variable).or_default();
                *so_far = count.max(*so_far);
            }
        }
        most
    }
}

/// How often a statement itself reads each variable. What is used in another way than to read a value counts twice.
fn reads(program: &Program, kind: &StmtKind) -> BTreeMap<VarId, usize> {
    let mut found: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut pending = kind.expressions();
    while let Some(id) = pending.pop() {
        let kind = &program.expr(id).kind;
        pending.extend(kind.operands());
        match kind {
            ExprKind::Variable(of) | ExprKind::Element(of, _) => {
                *found.entry(*of).or_default() += 1
            }
            ExprKind::Load(of, _) => *found.entry(*of).or_default() += 2,
            _ => {}
        }
        for path in kind.paths() {
            *found.entry(path.variable()).or_default() += 2;
        }
    }
    let others: Vec<VarId> = match kind {
        StmtKind::Assign(Place::Store(array, _), _) => vec![*array],
        StmtKind::Mma(mma) => mma.sums.to_vec(),
        _ => Vec::new(),
    };
    for variable in kind.paths().into_iter().map(Path::variable).chain(others) {
        *found.entry(variable).or_default() += 2;
    }
    found
}
