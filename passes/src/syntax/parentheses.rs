//! Removes parentheses that change nothing, around expressions and in declarators.
//!
//! before:
//! ```c
//! int (f)(int x) { return ((x) + (x * 2)) * (g(x)); }
//! ```
//! after:
//! ```c
//! int f(int x) { return (x + x * 2) * g(x); }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::Patch;

use crate::analysis::{Binding, Unit, binding, demand};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, SymbolKind};

pub(crate) const PASS: Pass =
    Pass::new("parentheses", "Remove parentheses that change nothing", PARSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let cores = cores(unit);
        for (id, kind) in unit.sound() {
            let is_needless = match kind {
                // All parentheses around one thing may go at once: what is in the innermost
                // has to fit in the place of each.
                NodeKind::ParenthesizedExpression => {
                    cores[id.0 as usize].is_some_and(|core| fits(snapshot, unit, id, core))
                }
                NodeKind::ParenthesizedDeclarator => is_plain_declarator(unit, id),
                _ => false,
            };
            if is_needless {
                let range = unit.tree.range(id);
                let open = unit.delete(range.start..range.start + 1);
                let close = unit.delete(range.end - 1..range.end);
                proposals.extend(Patch::new(vec![open, close]).map(Proposal::new));
            }
        }
    }
}

/// For each parenthesis, how tightly what stands in it binds, further parentheses around that left out.
fn cores(unit: Unit<'_>) -> Vec<Option<Binding>> {
    let tree = unit.tree;
    let mut cores = vec![None; tree.len()];
    for id in tree.ids().rev() {
        if tree.kind(id) == NodeKind::ParenthesizedExpression {
            let mut inside = tree.named_children(id);
            cores[id.0 as usize] = match (inside.next(), inside.next()) {
                (Some(only), None) if tree.kind(only) == NodeKind::ParenthesizedExpression => {
                    // The parentheses of a statement expression are part of it.
                    let statements = tree.named_children(only).map(|inner| tree.kind(inner));
                    let is_whole = statements.eq([NodeKind::CompoundStatement]);
                    cores[only.0 as usize].or(binding(unit, only).filter(|_| is_whole))
                }
                (Some(only), None) => binding(unit, only),
                _ => None,
            };
        }
    }
    cores
}

fn fits(snapshot: &Snapshot, unit: Unit<'_>, id: NodeId, core: Binding) -> bool {
    let is_written = unit.text(id).starts_with(b"(") && unit.text(id).ends_with(b")");
    // `(uint)(x)` is taken for a call.
    let is_cast =
        unit.tree.node(id).field == Some(NodeField::Function) && !is_function(snapshot, unit, id);
    is_written && !is_cast && demand(unit, id).is_some_and(|demand| core >= demand)
}

/// Returns true if what is in parentheses is the name of a function, or at least no name of a type.
fn is_function(snapshot: &Snapshot, unit: Unit<'_>, id: NodeId) -> bool {
    let symbols = snapshot.symbols(unit.file);
    let mut inside =
        unit.tree.subtree(id).filter(|&node| unit.tree.kind(node) == NodeKind::Identifier);
    let Some(name) = inside.next() else { return true };
    let declared = symbols.of(name).map(|symbol| symbols.get(symbol).kind);
    matches!(declared, Some(SymbolKind::Function | SymbolKind::Variable | SymbolKind::Parameter))
}

/// Returns true if a declarator is the same without its parentheses: they matter where a pointer is inside and a
/// function or array outside.
fn is_plain_declarator(unit: Unit<'_>, id: NodeId) -> bool {
    let tree = unit.tree;
    let outside = tree.kind(tree.node(id).parent);
    let mut inside = tree.named_children(id);
    let (Some(only), None) = (inside.next(), inside.next()) else { return false };
    match tree.kind(only) {
        NodeKind::Identifier | NodeKind::TypeIdentifier | NodeKind::FieldIdentifier => true,
        NodeKind::FunctionDeclarator | NodeKind::ArrayDeclarator => true,
        NodeKind::PointerDeclarator => matches!(
            outside,
            NodeKind::Declaration
                | NodeKind::InitDeclarator
                | NodeKind::PointerDeclarator
                | NodeKind::ParameterDeclaration
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        let wrap = |text: &str| format!("int f(void) {{ {text} }}");
        assert_reduces(&PASS, Language::C, &wrap(before), &[], &wrap(after));
    }

    #[test]
    fn needless_ones_go_all_at_once() {
        check("x = (((a) + (b * c)));", "x = a + b * c;");
        check("return ((a, b));", "return a, b;");
        check("g((a, b), (c), (d = 1));", "g((a, b), c, d = 1);");
        check("int (*p) = (&q), (r)[2];", "int *p = &q, r[2];");
        check("return (((({ g(); 1; }))));", "return ({ g(); 1; });");
    }

    #[test]
    fn those_that_bind_stay() {
        for same in [
            "x = (a + b) * c;",
            "x = a - (b - c);",
            "x = (*p).f + (-a)[b];",
            "if (a) ;",
            "int (*p)(int), (*q)[2];",
            "x = -(a + b), y = (int)(a + b);",
            "x = sizeof(a) + (a ? b : c) * 2;",
            "x = ({ 1; });",
        ] {
            check(same, same);
        }
        check("x = ((a + b)) * c;", "x = (a + b) * c;");
        check("x = -(-a);", "x = - -a;");
    }
}
