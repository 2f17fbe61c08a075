//! Removes what was not executed when the original ran.
//!
//! Recipes that run the program know that. The first proposal removes all of it. Two more remove one half each. What
//! nothing reaches any more goes as well. Where a function could then end without a value, a `return` stays.
//!
//! before:
//! ```c
//! // unexecuted: 3:1-3:38
//! // unexecuted: 4:26-4:37
//! static int f(int x) { return x + 1; }
//! int main(int n) { if (n) { n += 2; } return n; }
//! ```
//! after:
//! ```c
//! // unexecuted: 3:1-3:38
//! // unexecuted: 4:26-4:37
//! int main(int n) {  return n; }
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use clreduce_language::{Base, NodeField, NodeId, NodeKind, SyntaxTree};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{
    Function, Unit, functions, has_effect, is_expression, is_statement, is_statement_list,
    returns_void, with_semicolon,
};
use crate::edit::{disjoint, is_smaller, remove_statement, stub_of};
use crate::names::unreachable::unreachable_without;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass =
    Pass::new("unexecuted", "Remove what was not executed when the original ran", PARSED, propose);

/// A proposal removes at least the bytes of the program divided by this. For less, other passes do as well.
const WORTH_A_TEST: usize = 32;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    if snapshot.clues().unexecuted.is_empty() {
        return;
    }
    let functions = functions(snapshot, proposals);
    let mut edits = Vec::new();
    for unit in Unit::all(snapshot).filter(|unit| !unit.tree.is_empty()) {
        let path = &*snapshot.case().files()[unit.file].path;
        if let Some(ranges) = snapshot.clues().unexecuted.get(path) {
            edits.extend(Remover::new(snapshot, unit, &functions).edits(ranges));
        }
    }
    let removed = |edit: &Edit| edit.range().len().saturating_sub(edit.text.len());
    let all: usize = edits.iter().map(removed).sum();
    let bytes: usize = (0..snapshot.file_count()).map(|file| snapshot.bytes(file).len()).sum();
    if edits.is_empty() || all < bytes / WORTH_A_TEST {
        return;
    }
    let sums = edits.iter().scan(0, |sum, edit| {
        *sum += removed(edit);
        Some(*sum)
    });
    let middle = sums.take_while(|sum| sum * 2 < all).count() + 1;
    let halves = (edits.len() > 1).then(|| edits.split_at(middle.min(edits.len() - 1)));
    let halves = halves.into_iter().flat_map(|(first, second)| [first, second]);
    for part in std::iter::once(&edits[..]).chain(halves) {
        let unreachable = unreachable_without(snapshot, part);
        let edits = part.iter().cloned().chain(unreachable).collect();
        proposals.extend(Patch::new(edits).map(Proposal::new));
    }
}

struct Remover<'a> {
    snapshot: &'a Snapshot,
    unit: Unit<'a>,
    tree: &'a SyntaxTree,
    /// By its definition.
    functions: HashMap<NodeId, &'a Function>,
    /// By node, the function that it lies in.
    within: Vec<Option<(NodeId, NodeId)>>,
    /// By the range of a node, the outermost with that range.
    nodes: HashMap<(usize, usize), NodeId>,
    /// By offset, the outermost statement of a list that begins there.
    statements: HashMap<usize, NodeId>,
    /// Where `return` stands.
    returns: Vec<usize>,
}

impl<'a> Remover<'a> {
    fn new(snapshot: &'a Snapshot, unit: Unit<'a>, functions: &'a [Function]) -> Self {
        let tree = unit.tree;
        let functions = functions.iter().filter(|function| function.file == unit.file);
        let (mut nodes, mut statements) = (HashMap::new(), HashMap::new());
        for id in tree.ids().skip(1) {
            let range = tree.range(id);
            nodes.entry((range.start, range.end)).or_insert(id);
            let is_listed = || is_statement_list(tree.kind(tree.node(id).parent));
            if is_statement(tree.kind(id)) && is_listed() {
                statements.entry(range.start).or_insert(id);
            }
        }
        let returns = tree.ids().filter(|&id| tree.kind(id) == NodeKind::ReturnStatement);
        let returns = returns.map(|id| tree.range(id).start);
        Self {
            snapshot,
            unit,
            tree,
            functions: functions.map(|function| (function.definition, function)).collect(),
            within: tree.nearest_ancestors(|id| tree.kind(id) == NodeKind::FunctionDefinition),
            nodes,
            statements,
            returns: returns.collect(),
        }
    }

    /// The edits that remove ranges, in order and apart from each other.
    fn edits(&self, ranges: &[Range<usize>]) -> Vec<Edit> {
        disjoint(ranges.iter().filter_map(|range| self.removal(range)).collect())
    }

    /// The edit that removes a range; none if it would not make the program smaller.
    fn removal(&self, range: &Range<usize>) -> Option<Edit> {
        let node = self.nodes.get(&(range.start, range.end)).copied();
        let node = node.filter(|&node| self.unit.is_usable(node));
        let edit = match node.map(|node| (node, self.tree.kind(node))) {
            Some((node, NodeKind::FunctionDefinition)) => self.body(node),
            Some((node, NodeKind::CaseStatement)) => self.case(node),
            Some((node, kind)) if is_expression(kind) => self.operand(node),
            Some((node, kind)) if is_statement(kind) && !self.is_listed(node) => self.branch(node),
            _ => self.statements(range),
        };
        let is_shorter = |edit: &Edit| is_smaller(&edit.text, &self.unit.bytes[edit.range()]);
        edit.filter(is_shorter)
    }

    fn is_listed(&self, node: NodeId) -> bool {
        is_statement_list(self.tree.kind(self.tree.node(node).parent))
    }

    fn body(&self, definition: NodeId) -> Option<Edit> {
        let function = self.functions.get(&definition)?;
        let stub = stub_of(self.snapshot, function);
        Some(Edit::replace(self.unit.file, self.tree.range(function.body), stub))
    }

    /// Removes a `case` with its statements.
    fn case(&self, node: NodeId) -> Option<Edit> {
        let colon = self.tree.children(node).find(|&id| self.tree.kind(id) == NodeKind::Colon)?;
        let range = self.tree.range(node);
        Some(match self.needed_return(node, &range) {
            // The label stays as well.
            Some(stub) => {
                Edit::replace(self.unit.file, self.tree.range(colon).end..range.end, stub)
            }
            None => self.unit.delete(range),
        })
    }

    /// Removes the statements of a list that lie in a range.
    fn statements(&self, range: &Range<usize>) -> Option<Edit> {
        let tree = self.tree;
        let &first = self.statements.get(&range.start)?;
        let rest = std::iter::successors(Some(first), |&node| tree.next_named(node));
        let last = rest
            .take_while(|&node| tree.range(node).end <= range.end && self.unit.is_usable(node))
            .last()?;
        let range = range.start..with_semicolon(tree, last).end;
        Some(match self.needed_return(last, &range) {
            Some(stub) => Edit::replace(self.unit.file, range, stub),
            None => self.unit.delete(range),
        })
    }

    /// Removes a branch or the body of a loop.
    fn branch(&self, node: NodeId) -> Option<Edit> {
        let (tree, file) = (self.tree, self.unit.file);
        let parent = tree.parent(node)?;
        let is_pure = |field| tree.field(parent, field).is_none_or(|part| !has_effect(tree, part));
        if let Some(stub) = self.needed_return(node, &tree.range(node)) {
            return Some(Edit::replace(file, tree.range(node), stub));
        }
        Some(match tree.kind(parent) {
            NodeKind::ElseClause => self.unit.delete(tree.range(parent)),
            NodeKind::IfStatement if is_pure(NodeField::Condition) => {
                let otherwise = tree.field(parent, NodeField::Alternative);
                match otherwise.and_then(|clause| tree.named_children(clause).last()) {
                    None => remove_statement(tree, file, parent),
                    Some(kept) => {
                        self.unit.delete(tree.range(parent).start..tree.range(kept).start)
                    }
                }
            }
            NodeKind::WhileStatement if is_pure(NodeField::Condition) => {
                remove_statement(tree, file, parent)
            }
            NodeKind::IfStatement
            | NodeKind::WhileStatement
            | NodeKind::DoStatement
            | NodeKind::ForStatement
            | NodeKind::ForRangeLoop => self.unit.replace(tree.range(node), b";"),
            _ => return None,
        })
    }

    /// The `return` that must take the place of a range with this last statement, as the function would otherwise end
    /// without a value.
    fn needed_return(&self, last: NodeId, range: &Range<usize>) -> Option<Cow<'static, [u8]>> {
        let (definition, _) = self.within[last.0 as usize]?;
        let function = self.functions.get(&definition)?;
        let next = self.returns.partition_point(|&at| at < range.start);
        let returns = self.returns.get(next).is_some_and(|&at| at < range.end);
        (returns && !returns_void(self.snapshot, function) && self.may_end_function(last))
            .then(|| stub_of(self.snapshot, function))
    }

    /// Returns true if a function may be over when a statement is.
    fn may_end_function(&self, statement: NodeId) -> bool {
        let tree = self.tree;
        let mut node = statement;
        while let Some(parent) = tree.parent(node) {
            let outer = tree.node(parent).parent;
            match tree.kind(parent) {
                NodeKind::FunctionDefinition => return true,
                NodeKind::CompoundStatement
                    if tree.kind(outer) != NodeKind::SwitchStatement
                        && tree.next_named(node).is_some() =>
                {
                    return false;
                }
                _ => {}
            }
            node = parent;
        }
        false
    }

    /// Removes an operand of `&&`, `||` or `?:`.
    fn operand(&self, node: NodeId) -> Option<Edit> {
        let tree = self.tree;
        let parent = tree.parent(node)?;
        if tree.kind(parent) == NodeKind::BinaryExpression
            && tree.node(node).field == Some(NodeField::Right)
            && let Some(left) = tree.field(parent, NodeField::Left)
        {
            return Some(self.unit.delete(tree.range(left).end..tree.range(node).end));
        }
        // Vectors and structures have no zero that fits everywhere.
        let of = self.snapshot.types(self.unit.file).of(node);
        let is_scalar = of.levels > 0
            || !matches!(of.base, Base::Aggregate(_))
                && of.number().is_none_or(|number| number.lanes == 1);
        is_scalar.then(|| self.unit.replace(tree.range(node), b"0"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use clreduce_testcase::{Clues, Language, TestCase};

    use super::*;
    use crate::harness::original;

    /// The variants of a program whose unexecuted parts stand between `«` and `»`: all, and the halves.
    fn variants(marked: &str) -> Vec<String> {
        let (mut source, mut starts, mut ranges) = (String::new(), Vec::new(), Vec::new());
        for mark in marked.chars() {
            match mark {
                '«' => starts.push(source.len()),
                '»' => ranges.extend(starts.pop().map(|start| start..source.len())),
                _ => source.push(mark),
            }
        }
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let clues =
            Clues { unexecuted: BTreeMap::from([("a.c".to_owned(), ranges)]), ..Clues::default() };
        let snapshot = original(case.clone(), Language::C).with_clues(Arc::new(clues));
        let words = |proposal: &Proposal| {
            let variant = case.apply(&proposal.patch);
            let text = String::from_utf8(variant.files()[0].bytes.to_vec()).unwrap();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        Proposals::of(&PASS, &snapshot).list.iter().map(words).collect()
    }

    /// The variant without everything that was not executed.
    fn all(marked: &str) -> String {
        variants(marked).first().cloned().unwrap_or_default()
    }

    #[test]
    fn branches_loops_cases_and_operands() {
        let body = |text: &str| {
            let all = all(&format!("void f(int x, int *p) {{ {text} }}"));
            all.strip_prefix("void f(int x, int *p) {")
                .and_then(|all| all.strip_suffix('}'))
                .map(|all| all.trim().to_owned())
        };
        for (marked, expected) in [
            ("if (x) «{ x = 1; }» x++;", "x++;"),
            ("if (x++) «{ x = 1; }» x++;", "if (x++) ; x++;"),
            ("if (x) «x = 1;» else { x = 2; }", "{ x = 2; }"),
            ("if (x) x = 1; else «{ x = 2; }»", "if (x) x = 1;"),
            ("while (x > 3) «{ x--; }» x++;", "x++;"),
            ("for (x = 1; x < 1; x++) «{ *p = x; }»", "for (x = 1; x < 1; x++) ;"),
            (
                "do { x++; if (x) continue; «*p = x; x = 2;» } while (0);",
                "do { x++; if (x) continue; } while (0);",
            ),
            (
                "switch (x) { case 1: x = 2; break; «case 3: x = 7; break;» }",
                "switch (x) { case 1: x = 2; break; }",
            ),
            ("x = x && «x / 7»;", "x = x;"),
            ("x = x ? x + 1 : «x / 7»;", "x = x ? x + 1 : 0;"),
            ("if (x) return; «x = 1; l: x = 3;»", "if (x) return;"),
        ] {
            assert_eq!(body(marked).as_deref(), Some(expected), "{marked}");
        }
    }

    /// A function that ends without a value is an error, also where it never does.
    #[test]
    fn a_function_returns_as_before() {
        for (marked, expected) in [
            (
                "int f(int x) { if (x) return 3; «x = x * 7; return x + 1;» }",
                "int f(int x) { if (x) return 3; { return 0; } }",
            ),
            (
                "int f(int x) { if (x) «{ x = x * 7; return 3; }» return x; }",
                "int f(int x) { return x; }",
            ),
            (
                "int f(int x) { if (x) { «{ x = x * 7; return 3; }» } else return x; }",
                "int f(int x) { if (x) { { return 0; } } else return x; }",
            ),
            (
                "int f(int x) { switch (x) { case 1: return 2; «default: x = x * 7; return x;» } }",
                "int f(int x) { switch (x) { case 1: return 2; default:{ return 0; } } }",
            ),
            (
                "«int f(int x) { x = x * 7; return x; }» int main(void) { return 1 || f(1); }",
                "int f(int x) { return 0; } int main(void) { return 1 || f(1); }",
            ),
            (
                "int f(int); «int f(int x) { return x ? f(x - 1) : 1; }» int main(void) { return 1; }",
                "int main(void) { return 1; }",
            ),
            // Declarations that only these reach go as well, also where they use themselves.
            (
                "int g(int); int t[2], *u = t; «int f(int x) { return g(x) + *u; }» int g(int x) { return f(x); } \
                 int main(int n) { if (n) «{ n = g(n); }» return n; }",
                "int main(int n) { return n; }",
            ),
        ] {
            assert_eq!(all(marked), expected, "{marked}");
        }
    }

    #[test]
    fn all_goes_at_once_or_in_halves() {
        let marked = "void f(int x) { if (x) «x = 1;» if (x) «x = 2;» if (x) «x = 3;» x = 4; }";
        assert_eq!(
            variants(marked),
            [
                "void f(int x) { x = 4; }",
                "void f(int x) { if (x) x = 3; x = 4; }",
                "void f(int x) { if (x) x = 1; if (x) x = 2; x = 4; }",
            ]
        );
    }

    /// The ranges of others may be wrong.
    #[test]
    fn ranges_of_nothing_propose_nothing() {
        let source = "int f(int x) { return x; } int y, z;";
        for range in [0..0, 3..9, 0..source.len(), 5..1000, 1000..2000, 27..36] {
            let case = TestCase::single("a.c", source.as_bytes()).unwrap();
            for path in ["a.c", "b.c"] {
                let unexecuted = BTreeMap::from([(path.to_owned(), vec![range.clone()])]);
                let clues = Clues { unexecuted, ..Clues::default() };
                let snapshot = original(case.clone(), Language::C).with_clues(Arc::new(clues));
                assert!(Proposals::of(&PASS, &snapshot).list.is_empty(), "{range:?}");
            }
        }
    }
}
