//! Removes the outermost dimension of an array, of a variable or a member, with one index of every
//! access and all but the first of its values.
//!
//! before:
//! ```c
//! int a[2] = { 1, 2 }; struct S { int b[3][4]; } s; int f(int i) { return a[i] + s.b[i][1]; }
//! ```
//! after:
//! ```c
//! int a = 1; struct S { int b[4]; } s; int f(int i) { return a + s.b[1]; }
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind, Symbol, SymbolKind, SyntaxTree};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::has_effect;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "array-dimensions",
    "Remove a dimension of an array with one index of every access",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let (tree, symbols, bytes) =
            (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
        let array = Array { tree, bytes, file };
        let variables = symbols.ids().filter_map(|id| array.of_variable(symbols.get(id)));
        proposals.extend(variables.filter_map(Patch::new).map(Proposal::new));
        let aggregates = snapshot.aggregates(file);
        let accesses = snapshot.accesses(file);
        for (index, aggregate) in aggregates.all.iter().enumerate() {
            for (place, member) in aggregate.members.iter().enumerate() {
                let edits = member.name.filter(|_| !aggregate.unclear).and_then(|name| {
                    let uses = accesses.of((index, place), &bytes[tree.range(name)])?;
                    array.without_dimension(&[name], &uses, &member.initialisers)
                });
                proposals.extend(edits.and_then(Patch::new).map(Proposal::new));
            }
        }
    }
}

struct Array<'a> {
    tree: &'a SyntaxTree,
    bytes: &'a [u8],
    file: usize,
}

impl Array<'_> {
    fn of_variable(&self, symbol: &Symbol) -> Option<Vec<Edit>> {
        if symbol.kind != SymbolKind::Variable || symbol.opaque {
            return None;
        }
        let value = |&name: &NodeId| {
            let is_inner = |node: &NodeId| self.tree.kind(*node).is_declarator();
            let declarators = self.tree.ancestors(name).take_while(is_inner);
            let init =
                declarators.last().filter(|&node| self.tree.kind(node) == NodeKind::InitDeclarator);
            self.tree.field(init?, NodeField::Value)
        };
        let values: Vec<NodeId> = symbol.declarations.iter().filter_map(value).collect();
        self.without_dimension(&symbol.declarations, &symbol.uses, &values)
    }

    /// Edits of the declarations, uses and values of one array; `None` where it is more than indexed.
    fn without_dimension(
        &self,
        names: &[NodeId],
        uses: &[NodeId],
        values: &[NodeId],
    ) -> Option<Vec<Edit>> {
        let tree = self.tree;
        let mut edits = Vec::new();
        for &name in names {
            let array =
                tree.parent(name).filter(|&node| tree.kind(node) == NodeKind::ArrayDeclarator)?;
            let (name, array) = (tree.range(name), tree.range(array));
            edits.push(Edit::delete(self.file, name.end..array.end));
        }
        for &used in uses {
            let element = tree.parent(used)?;
            let is_indexed = tree.kind(element) == NodeKind::SubscriptExpression
                && tree.node(used).field == Some(NodeField::Argument);
            if !is_indexed || has_effect(tree, tree.field(element, NodeField::Index)?) {
                return None;
            }
            edits.push(Edit::delete(self.file, tree.range(used).end..tree.range(element).end));
        }
        for &value in values {
            let list = tree.field(value, NodeField::Value).unwrap_or(value);
            let first = tree.named_children(list).next()?;
            if tree.kind(list) != NodeKind::InitializerList
                || tree.kind(first) == NodeKind::InitializerPair
            {
                return None;
            }
            let text = self.bytes[tree.range(first)].to_vec();
            edits.push(Edit::replace(self.file, tree.range(list), text));
        }
        Some(edits)
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn dimensions_go_one_by_one() {
        let before = "int a[2][3] = { { 1, 2 }, { 3 } }; int f(void) { return a[0][1]; }";
        let check = |keep: &str, after: &str| {
            assert_reduces(&PASS, Language::C, before, &[keep], after);
        };
        check("f", "int a = 1; int f(void) { return a; }");
        check("[1]", "int a[3] = { 1, 2 }; int f(void) { return a[1]; }");
    }

    #[test]
    fn what_is_more_than_indexed_stays() {
        for same in [
            "int a[2]; int f(void) { return g(a) + a[1]; }",
            "int a[2]; int f(int i) { return a[i++]; }",
            "char a[] = \"b\"; int f(void) { return a[0]; }",
            "int a[2] = { [1] = 2 }; int f(void) { return a[0]; }",
        ] {
            assert_reduces(&PASS, Language::C, same, &[], same);
        }
    }
}
