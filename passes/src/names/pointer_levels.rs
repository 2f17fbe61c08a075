//! Removes a level of indirection: a pointer that is only followed, or set to an address, becomes what
//! it points to.
//!
//! before:
//! ```c
//! int f(int *p, int x) { int *q = &x; *q = *p; return p[1]; } int g(void) { return f(&y, 1); }
//! ```
//! after:
//! ```c
//! int f(int p, int x) { int q = x; q = p; return p; } int g(void) { return f(y, 1); }
//! ```

use clreduce_language::{
    Base, NodeField, NodeId, NodeKind, Symbol, SymbolKind, Symbols, SyntaxTree, Types, declared_by,
    is_entry,
};
use clreduce_testcase::Edit;

use crate::analysis::Lists;
use crate::edit::{for_each_symbol, is_whole_statement};
use crate::pass::{PARSED, Pass, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "pointer-levels",
    "Make pointers that are only followed what they point to",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let lists: Vec<Lists<'_>> =
        (0..snapshot.file_count()).map(|file| Lists::of_elements(snapshot.tree(file))).collect();
    proposals.extend(for_each_symbol(snapshot, |file, symbol| {
        PointerLevel {
            lists: &lists[file],
            tree: snapshot.tree(file),
            symbols: snapshot.symbols(file),
            types: snapshot.types(file),
            bytes: snapshot.bytes(file),
            file,
        }
        .removal(symbol)
    }));
}

struct PointerLevel<'a> {
    tree: &'a SyntaxTree,
    symbols: &'a Symbols,
    types: &'a Types,
    bytes: &'a [u8],
    lists: &'a Lists<'a>,
    file: usize,
}

impl PointerLevel<'_> {
    fn removal(&self, symbol: &Symbol) -> Option<Vec<Edit>> {
        let tree = self.tree;
        let is_variable = matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter);
        let [name] = symbol.declarations[..] else { return None };
        if !is_variable || symbol.opaque {
            return None;
        }
        let mut edits = vec![self.star(name)?];
        let above = tree.node(tree.node(name).parent).parent;
        if tree.kind(above) == NodeKind::InitDeclarator {
            let value = tree.field(above, NodeField::Value)?;
            edits.push(if tree.kind(value) == NodeKind::NumberLiteral && self.is_structure(name) {
                Edit::delete(self.file, tree.range(name).end..tree.range(value).end)
            } else {
                self.address(name, value)?
            });
        }
        for &used in &symbol.uses {
            edits.push(self.at_use(used)?);
        }
        if symbol.kind == SymbolKind::Parameter {
            edits.extend(self.of_function(name)?);
        }
        Some(edits)
    }

    /// Removes the `*` next to a declared name.
    fn star(&self, name: NodeId) -> Option<Edit> {
        let pointer = self.tree.node(name).parent;
        let is_pointer = self.tree.kind(pointer) == NodeKind::PointerDeclarator;
        let range = self.tree.range(pointer).start..self.tree.range(name).start;
        is_pointer.then(|| Edit::replace(self.file, range, b" ".as_slice()))
    }

    /// The value that is put into a pointer: `&x` becomes `x`; a null pointer stays a zero.
    fn address(&self, pointer: NodeId, value: NodeId) -> Option<Edit> {
        let tree = self.tree;
        let range = tree.range(value);
        match tree.kind(value) {
            NodeKind::PointerExpression => {
                let operator = tree.field(value, NodeField::Operator)?;
                (tree.kind(operator) == NodeKind::Ampersand)
                    .then(|| Edit::delete(self.file, tree.range(operator)))
            }
            // There is no structure that is zero.
            NodeKind::NumberLiteral if !self.is_structure(pointer) => {
                Some(Edit::delete(self.file, range.end..range.end))
            }
            _ => None,
        }
    }

    fn is_structure(&self, pointer: NodeId) -> bool {
        let of = self.symbols.of(pointer).map(|symbol| self.types.of_symbol(symbol));
        of.is_none_or(|of| of.levels < 2 && !matches!(of.base, Base::Number(_)))
    }

    fn at_use(&self, used: NodeId) -> Option<Edit> {
        let (tree, file) = (self.tree, self.file);
        let above = tree.parent(used)?;
        let (name, whole) = (tree.range(used), tree.range(above));
        match tree.kind(above) {
            NodeKind::PointerExpression => {
                let operator = tree.field(above, NodeField::Operator)?;
                let edit = Edit::delete(file, whole.start..name.start);
                (tree.kind(operator) == NodeKind::Star).then_some(edit)
            }
            NodeKind::SubscriptExpression if tree.node(used).field == Some(NodeField::Argument) => {
                Some(Edit::delete(file, name.end..whole.end))
            }
            NodeKind::FieldExpression => {
                let arrow =
                    tree.children(above).find(|&child| tree.kind(child) == NodeKind::Arrow)?;
                Some(Edit::replace(file, tree.range(arrow), b".".as_slice()))
            }
            // A value that nothing uses: it is no pointer any more.
            NodeKind::AssignmentExpression
                if tree.node(used).field == Some(NodeField::Left) && is_unused(tree, above) =>
            {
                self.address(used, tree.field(above, NodeField::Right)?)
            }
            _ => None,
        }
    }

    /// The further condition for a parameter: one function that is only called, with an address.
    fn of_function(&self, parameter: NodeId) -> Option<Vec<Edit>> {
        let (tree, symbols) = (self.tree, self.symbols);
        let declaration = declared_by(tree, parameter)?;
        let list = tree.parent(declaration)?;
        let index = self.lists.place(list, declaration)?;
        let declarator = tree.parent(list)?;
        let function = symbols.get(symbols.of(tree.field(declarator, NodeField::Declarator)?)?);
        let called_from_outside =
            tree.parent(declarator).is_none_or(|node| is_entry(tree, self.bytes, node));
        // Prototypes would have to change as well.
        if function.opaque
            || called_from_outside
            || function.kind != SymbolKind::Function
            || function.declarations.len() > 1
        {
            return None;
        }
        let at_call = |&name: &NodeId| {
            let call = tree.parent(name)?;
            let is_called = tree.node(name).field == Some(NodeField::Function);
            let arguments = tree.field(call, NodeField::Arguments).filter(|_| is_called)?;
            self.address(parameter, *self.lists.get(arguments).get(index)?)
        };
        function.uses.iter().map(at_call).collect()
    }
}

/// Returns true if nothing looks at the value of an expression.
fn is_unused(tree: &SyntaxTree, expression: NodeId) -> bool {
    let is_in_head =
        matches!(tree.node(expression).field, Some(NodeField::Initializer | NodeField::Update));
    is_whole_statement(tree, expression) || is_in_head
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        assert_reduces(&PASS, Language::C, before, &[], after);
    }

    #[test]
    fn pointers_become_what_they_point_to() {
        check(
            "struct S *p = &s, *n = 0; int **q; int f(void) { *q = &p->a; return **q + n->a; }",
            "struct S p = s, n; int q; int f(void) { q = p.a; return q + n.a; }",
        );
    }

    #[test]
    fn what_is_passed_on_stays() {
        for same in [
            "int *p; int f(void) { return g(p) + *p; }",
            "int *p = x + 1; int f(void) { return *p; }",
            "int f(int *); int f(int *p) { return *p; }",
            "int f(int *p) { return *p; } int g(void) { return f(h()); }",
        ] {
            check(same, same);
        }
    }
}
