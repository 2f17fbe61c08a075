//! The symbols of one file: which scopes there are, and which identifier declares or uses which symbol.
//!
//! C has four name spaces (C99 6.2.3); this table holds ordinary identifiers, tags and labels. What
//! it cannot see through (macros, text that did not parse) makes the names in it [opaque], never
//! wrong: a pass leaves an opaque symbol alone.
//!
//! [opaque]: Symbol::opaque

mod builder;

use std::collections::HashMap;

use crate::kind::{NodeField, NodeKind};
use crate::tree::{NodeId, SyntaxTree};
use builder::SymbolsBuilder;
use clreduce_testcase::{step, text_steps};

/// Index of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// The kind of thing that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function, declared or defined.
    Function,
    /// A variable of file or block scope.
    Variable,
    /// A parameter of a function, of a prototype too.
    Parameter,
    /// A type name.
    Typedef,
    /// The tag of a structure, union or enumeration.
    Tag,
    /// An enumeration constant.
    Enumerator,
    /// A label.
    Label,
}

impl SymbolKind {
    /// Returns whether it lies in the name space of ordinary identifiers, not in that of tags or of labels.
    #[must_use]
    pub fn is_ordinary(self) -> bool {
        !matches!(self, Self::Tag | Self::Label)
    }
}

/// One named thing.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its kind.
    pub kind: SymbolKind,
    /// The node whose scope it belongs to; the root for file scope.
    pub scope: NodeId,
    /// The identifiers that declare it, in source order.
    pub declarations: Vec<NodeId>,
    /// The identifiers that use it, in source order.
    pub uses: Vec<NodeId>,
    /// True if its name also occurs where the table cannot see what it means.
    pub opaque: bool,
}

impl Symbol {
    /// Returns whether one of its declarations is a function definition.
    #[must_use]
    pub fn is_defined(&self, tree: &SyntaxTree) -> bool {
        self.declarations.iter().any(|&name| {
            declared_by(tree, name)
                .is_some_and(|declaration| tree.kind(declaration) == NodeKind::FunctionDefinition)
        })
    }
}

/// Index of a scope. That of the file is 0; every scope has a larger index than the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub u32);

/// The kind of code that a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    /// The whole file.
    File,
    /// A function definition, with its parameters and labels.
    Function,
    /// The parameters of a declaration that is no definition.
    Prototype,
    /// A compound statement.
    Block,
    /// A `for` statement, with what its head declares.
    Loop,
}

/// A region of the file in which names have a meaning of their own.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its kind.
    pub kind: ScopeKind,
    /// The node that it reaches over.
    pub node: NodeId,
    /// The scope around it; `None` for the file.
    pub parent: Option<ScopeId>,
    /// The symbols that are declared in it, in the order of first declarations.
    pub symbols: Vec<SymbolId>,
}

/// The symbols of one file.
#[derive(Debug, Default)]
pub struct Symbols {
    symbols: Vec<Symbol>,
    of_node: HashMap<NodeId, SymbolId>,
    unresolved: Vec<NodeId>,
    /// In the order of their nodes.
    scopes: Vec<Scope>,
    of_name: HashMap<Vec<u8>, Vec<SymbolId>>,
}

impl Symbols {
    /// Reads the symbols off a tree.
    #[must_use]
    pub fn new(bytes: &[u8], tree: &SyntaxTree) -> Self {
        if tree.is_empty() {
            return Self::default();
        }
        SymbolsBuilder::build(bytes, tree)
    }

    /// Every symbol, in the order of first declarations.
    pub fn ids(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..self.symbols.len() as u32).map(SymbolId).inspect(|_| step())
    }

    /// One symbol.
    #[must_use]
    pub fn get(&self, id: SymbolId) -> &Symbol {
        step();
        &self.symbols[id.0 as usize]
    }

    /// The symbol that an identifier declares or uses.
    #[must_use]
    pub fn of(&self, node: NodeId) -> Option<SymbolId> {
        step();
        self.of_node.get(&node).copied()
    }

    /// Every scope, the file's first, in source order.
    pub fn scopes(&self) -> impl Iterator<Item = ScopeId> + use<> {
        (0..self.scopes.len() as u32).map(ScopeId).inspect(|_| step())
    }

    /// One scope.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> &Scope {
        step();
        &self.scopes[id.0 as usize]
    }

    /// The scope that a symbol belongs to.
    #[must_use]
    pub fn scope_of(&self, symbol: SymbolId) -> Option<ScopeId> {
        let node = self.get(symbol).scope;
        let found = self.scopes.binary_search_by_key(&node, |scope| scope.node);
        found.ok().map(|at| ScopeId(at as u32))
    }

    /// The innermost scope in which a node stands.
    #[must_use]
    pub fn scope_at(&self, tree: &SyntaxTree, node: NodeId) -> Option<ScopeId> {
        let before = self.scopes.partition_point(|scope| scope.node <= node);
        let mut at = Some(ScopeId(before.checked_sub(1)? as u32));
        while let Some(id) = at {
            if tree.node(self.scope(id).node).after > node {
                return at;
            }
            at = self.scope(id).parent;
        }
        None
    }

    /// The symbols with a name, whatever their scope and name space, in the order of first declarations.
    #[must_use]
    pub fn named(&self, name: &[u8]) -> &[SymbolId] {
        text_steps(name.len());
        self.of_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The ordinary identifier that a name means at a node: the innermost that is declared before it.
    #[must_use]
    pub fn lookup(&self, tree: &SyntaxTree, name: &[u8], at: NodeId) -> Option<SymbolId> {
        let is_meant = |&&id: &&SymbolId| {
            let symbol = self.get(id);
            symbol.kind.is_ordinary()
                && symbol.declarations[0] <= at
                && symbol.scope <= at
                && at < tree.node(symbol.scope).after
        };
        let meant = self.named(name).iter().filter(is_meant);
        meant.max_by_key(|&&id| self.get(id).scope).copied()
    }

    /// Identifiers that nothing in the file declares: built-ins, library functions.
    #[must_use]
    pub fn unresolved(&self) -> &[NodeId] {
        &self.unresolved
    }
}

impl Scope {
    fn of_file() -> Self {
        Self { kind: ScopeKind::File, node: NodeId(0), parent: None, symbols: Vec::new() }
    }
}

/// The declaration, definition, parameter or field whose declarator names `id`.
#[must_use]
pub fn declared_by(tree: &SyntaxTree, id: NodeId) -> Option<NodeId> {
    let mut at = id;
    loop {
        let parent = tree.parent(at)?;
        let is_declarator = tree.node(at).field == Some(NodeField::Declarator);
        match tree.kind(parent) {
            NodeKind::Declaration
            | NodeKind::ParameterDeclaration
            | NodeKind::TypeDefinition
            | NodeKind::FunctionDefinition
            | NodeKind::FieldDeclaration => return is_declarator.then_some(parent),
            NodeKind::PointerDeclarator
            | NodeKind::ArrayDeclarator
            | NodeKind::FunctionDeclarator
            | NodeKind::InitDeclarator
                if is_declarator => {}
            NodeKind::ParenthesizedDeclarator | NodeKind::AttributedDeclarator => {}
            _ => return None,
        }
        at = parent;
    }
}

/// The identifier that a declarator declares.
#[must_use]
pub fn declared_name(tree: &SyntaxTree, declarator: NodeId) -> Option<NodeId> {
    let mut at = declarator;
    loop {
        match tree.kind(at) {
            NodeKind::Identifier
            | NodeKind::TypeIdentifier
            | NodeKind::FieldIdentifier
            | NodeKind::PrimitiveType => {
                return Some(at);
            }
            NodeKind::ParenthesizedDeclarator | NodeKind::AttributedDeclarator => {
                at = tree.named_children(at).next()?;
            }
            _ => at = tree.field(at, NodeField::Declarator)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clreduce_testcase::Language;

    /// Name, kind, number of declarations and of uses of every symbol.
    fn symbols(source: &str) -> Vec<(String, SymbolKind, usize, usize)> {
        let tree = SyntaxTree::parse(source.as_bytes(), Language::C);
        let symbols = Symbols::new(source.as_bytes(), &tree);
        symbols
            .ids()
            .map(|id| {
                let symbol = symbols.get(id);
                let name = source[tree.range(symbol.declarations[0])].to_string();
                (name, symbol.kind, symbol.declarations.len(), symbol.uses.len())
            })
            .collect()
    }

    #[test]
    fn scopes_shadow() {
        use SymbolKind::*;
        assert_eq!(
            symbols(
                "int x; int f(int x) { { int x = 1; x++; } return x; } int g(void) { return x + f(x); }"
            ),
            [
                ("x".into(), Variable, 1, 2),
                ("f".into(), Function, 1, 1),
                ("x".into(), Parameter, 1, 1),
                ("x".into(), Variable, 1, 1),
                ("g".into(), Function, 1, 0),
            ]
        );
    }

    #[test]
    fn scopes_can_be_asked() {
        let source = "int x; int f(int x) { x; { int y; x; } for (int i; ; ) y; } int g(int z);";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::C);
        let symbols = Symbols::new(source.as_bytes(), &tree);
        let name = |id: SymbolId| &source[tree.range(symbols.get(id).declarations[0])];
        let scopes: Vec<_> = symbols
            .scopes()
            .map(|id| {
                let scope = symbols.scope(id);
                let names: Vec<_> = scope.symbols.iter().map(|&symbol| name(symbol)).collect();
                (scope.kind, scope.parent.map(|parent| parent.0), names.join(" "))
            })
            .collect();
        let expected = [
            (ScopeKind::File, None, "x f g".to_owned()),
            (ScopeKind::Function, Some(0), "x".to_owned()),
            (ScopeKind::Block, Some(1), String::new()),
            (ScopeKind::Block, Some(2), "y".to_owned()),
            (ScopeKind::Loop, Some(2), "i".to_owned()),
            (ScopeKind::Prototype, Some(0), "z".to_owned()),
        ];
        assert_eq!(scopes, expected);

        // The table and a lookup agree on uses.
        for node in tree.ids().filter(|&node| tree.kind(node) == NodeKind::Identifier) {
            let found = symbols.lookup(&tree, source[tree.range(node)].as_bytes(), node);
            assert_eq!(found, symbols.of(node), "{}", &source[tree.range(node)]);
        }
        assert_eq!(symbols.named(b"x").len(), 2);
        let z = symbols.named(b"z")[0];
        assert_eq!(symbols.scope_of(z), Some(ScopeId(5)));
        assert_eq!(symbols.scope_at(&tree, symbols.get(z).declarations[0]), Some(ScopeId(5)));
        assert_eq!(symbols.scope_at(&tree, NodeId(0)), Some(ScopeId(0)));
    }

    #[test]
    fn types_tags_labels_and_prototypes() {
        use SymbolKind::*;
        assert_eq!(
            symbols(
                "typedef signed int int32_t; struct S { int32_t a; }; struct S s; enum { E };\n\
                 int32_t f(int32_t); int32_t f(int32_t p) { struct S *q = &s; goto l; l: return E; }"
            ),
            [
                ("int32_t".into(), Typedef, 1, 5),
                ("S".into(), Tag, 1, 2),
                ("s".into(), Variable, 1, 1),
                ("E".into(), Enumerator, 1, 1),
                ("f".into(), Function, 2, 0),
                ("p".into(), Parameter, 1, 0),
                ("q".into(), Variable, 1, 0),
                ("l".into(), Label, 1, 1),
            ]
        );
    }

    #[test]
    fn macros_make_names_opaque_and_old_calls_resolve() {
        let source = "#define M (x)\nint x; int f() { return g(); } int g() { return M; }";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::C);
        let symbols = Symbols::new(source.as_bytes(), &tree);
        let of = |name: &str| {
            symbols
                .ids()
                .map(|id| symbols.get(id))
                .find(|symbol| &source[tree.range(symbol.declarations[0])] == name)
                .unwrap()
        };
        assert!(of("x").opaque);
        assert_eq!(of("g").uses.len(), 1);
    }
}
