//! The uses of symbols, and what each does: read, write, take the address, call.

use std::ops::Range;

use crate::kind::{NodeField, NodeKind};
use crate::symbols::{SymbolId, Symbols};
use crate::tree::{NodeId, SyntaxTree};
use clreduce_testcase::step;

/// The effect of the surrounding code on an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Nothing but reading it, or less: `sizeof x`.
    Read,
    /// It is the left side of `=`.
    Assigned,
    /// It is the left side of `+=` or the like.
    Modified,
    /// It is counted up or down.
    Counted,
    /// Its address is taken.
    AddressTaken,
    /// It is called.
    Called,
}

impl AccessKind {
    /// Returns the effect of the surrounding code on an expression.
    #[must_use]
    pub fn of(tree: &SyntaxTree, expression: NodeId) -> Self {
        let Some(parent) = tree.parent(expression) else { return Self::Read };
        let field = tree.node(expression).field;
        let operator = || tree.field(parent, NodeField::Operator).map(|node| tree.kind(node));
        match tree.kind(parent) {
            NodeKind::AssignmentExpression if field == Some(NodeField::Left) => match operator() {
                None | Some(NodeKind::Equal) => Self::Assigned,
                Some(_) => Self::Modified,
            },
            NodeKind::UpdateExpression => Self::Counted,
            NodeKind::PointerExpression if operator() == Some(NodeKind::Ampersand) => {
                Self::AddressTaken
            }
            NodeKind::CallExpression if field == Some(NodeField::Function) => Self::Called,
            _ => Self::Read,
        }
    }

    /// Returns whether it gives the expression a new value.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::Assigned | Self::Modified | Self::Counted)
    }

    /// Returns whether it needs the value that the expression has.
    #[must_use]
    pub fn reads(self) -> bool {
        !matches!(self, Self::Assigned | Self::AddressTaken)
    }
}

/// The farthest that an access gets from the object that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessReach {
    /// The object itself, or a member of it.
    Object,
    /// An element, which lies in the object if that is an array, and elsewhere if it is a pointer.
    Element,
    /// An object that a pointer leads to.
    Pointer,
}

/// One use of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The identifier.
    pub name: NodeId,
    /// The largest expression that is nothing but access to what the identifier names, see [`access_path`].
    pub path: NodeId,
    /// The effect on the identifier itself.
    pub direct: AccessKind,
    /// The effect on the whole path.
    pub whole: AccessKind,
    /// The farthest object that the path reaches.
    pub reach: AccessReach,
}

impl Use {
    /// Looks at an identifier that is used.
    #[must_use]
    pub fn at(tree: &SyntaxTree, name: NodeId) -> Self {
        let path = access_path(tree, name);
        let direct = AccessKind::of(tree, name);
        let whole = if path == name { direct } else { AccessKind::of(tree, path) };
        let around = tree.ancestors(name).take_while(|&node| node >= path);
        let reach = around.map(|node| step_of(tree, node)).max().unwrap_or(AccessReach::Object);
        Self { name, path, direct, whole, reach }
    }

    /// Returns whether the value of the symbol, or a part of it, is needed.
    #[must_use]
    pub fn reads(self) -> bool {
        self.direct.reads() && (self.whole.reads() || self.reach != AccessReach::Object)
    }

    /// Returns whether the symbol gets a new value, as a whole or in a part that is not reached by a subscript.
    #[must_use]
    pub fn writes(self) -> bool {
        self.direct.writes() || self.whole.writes() && self.reach == AccessReach::Object
    }

    /// Returns whether a pointer to the symbol is made.
    #[must_use]
    pub fn takes_address(self) -> bool {
        self.direct == AccessKind::AddressTaken
    }

    /// Returns whether the symbol may have another value afterwards: it is written, or a pointer to it is made.
    #[must_use]
    pub fn may_change(self) -> bool {
        self.writes() || self.takes_address()
    }

    /// Returns whether the symbol is called.
    #[must_use]
    pub fn calls(self) -> bool {
        self.direct == AccessKind::Called
    }
}

/// Returns how far one expression of a path leads.
fn step_of(tree: &SyntaxTree, node: NodeId) -> AccessReach {
    let is_arrow = |child: NodeId| tree.kind(child) == NodeKind::Arrow;
    match tree.kind(node) {
        NodeKind::PointerExpression => AccessReach::Pointer,
        NodeKind::FieldExpression if tree.children(node).any(is_arrow) => AccessReach::Pointer,
        NodeKind::SubscriptExpression => AccessReach::Element,
        _ => AccessReach::Object,
    }
}

/// The uses of all symbols of a file.
#[derive(Debug, Default)]
pub struct Uses {
    /// The uses of one symbol stand side by side, in source order.
    all: Vec<Use>,
    of_symbol: Vec<Range<usize>>,
}

impl Uses {
    /// Reads the uses off a tree.
    #[must_use]
    pub fn new(tree: &SyntaxTree, symbols: &Symbols) -> Self {
        let mut uses = Self::default();
        for symbol in symbols.ids() {
            let start = uses.all.len();
            uses.all.extend(symbols.get(symbol).uses.iter().map(|&name| Use::at(tree, name)));
            uses.of_symbol.push(start..uses.all.len());
        }
        uses
    }

    /// The uses of a symbol, in source order.
    pub fn of(&self, symbol: SymbolId) -> impl ExactSizeIterator<Item = Use> + Clone + '_ {
        let range = self.of_symbol.get(symbol.0 as usize).cloned().unwrap_or_default();
        self.all[range].iter().map(|found| {
            step();
            *found
        })
    }
}

/// The largest expression that is nothing but access to what `name` names: `(*x[i]).f`, `&x`, and
/// for functions the call.
#[must_use]
pub fn access_path(tree: &SyntaxTree, name: NodeId) -> NodeId {
    let mut at = name;
    while let Some(parent) = tree.parent(at) {
        let is_access = match tree.kind(parent) {
            NodeKind::ParenthesizedExpression => {
                tree.parent(parent).is_some_and(|above| is_access_base(tree, above, parent))
            }
            _ => is_access_base(tree, parent, at),
        };
        if !is_access {
            break;
        }
        at = parent;
    }
    at
}

fn is_access_base(tree: &SyntaxTree, above: NodeId, node: NodeId) -> bool {
    matches!(
        (tree.kind(above), tree.node(node).field),
        (
            NodeKind::SubscriptExpression | NodeKind::FieldExpression | NodeKind::PointerExpression,
            Some(NodeField::Argument)
        ) | (NodeKind::CallExpression, Some(NodeField::Function))
    )
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;

    /// The uses of `x`, a word for each: r, w, a (address) and c (call), together where several hold.
    fn uses(body: &str) -> String {
        let source = format!("struct S {{ int f; }} x; void g(void) {{ {body} }}");
        let tree = SyntaxTree::parse(source.as_bytes(), Language::C);
        let symbols = Symbols::new(source.as_bytes(), &tree);
        let uses = Uses::new(&tree, &symbols);
        let is_x = |&id: &SymbolId| &source[tree.range(symbols.get(id).declarations[0])] == "x";
        let symbol = symbols.ids().find(is_x).unwrap();
        let words = uses.of(symbol).map(|found| {
            let marks = [
                (found.reads(), 'r'),
                (found.writes(), 'w'),
                (found.takes_address(), 'a'),
                (found.calls(), 'c'),
            ];
            marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect::<String>()
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_use_reads_writes_points_or_calls() {
        for (body, expected) in [
            ("y = x;", "r"),
            ("x = 1;", "w"),
            ("x += 1; x++;", "rw rw"),
            ("h(&x);", "a"),
            ("x(1);", "rc"),
            ("x.f = x.f + 1;", "w r"),
            ("x.f += 1;", "rw"),
            ("x[0] = 1; *x = 1; x->f = 1; (*x).f++;", "r r r r"),
            ("x = x;", "w r"),
        ] {
            assert_eq!(uses(body), expected, "{body}");
        }
    }
}
