//! The symbols of one file: which scopes there are, and which identifier declares or uses which symbol.
//!
//! C has four name spaces (C99 6.2.3); this table holds ordinary identifiers, tags and labels. What
//! it cannot see through (macros, text that did not parse) makes the names in it [opaque], never
//! wrong: a pass leaves an opaque symbol alone.
//!
//! [opaque]: Symbol::opaque

use std::collections::HashMap;

use clreduce_testcase::{TokenKind, tokens};

use crate::kind::{NodeField, NodeKind};
use crate::tree::{NodeId, SyntaxTree};
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
        let mut builder = SymbolsBuilder::new(bytes, tree);
        for id in tree.ids() {
            builder.visit(id);
        }
        builder.finish()
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

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Space {
    Ordinary,
    Tag,
    Label,
}

/// A name in its name space.
type SpacedName<'a> = (Space, &'a [u8]);

struct SymbolsBuilder<'a> {
    bytes: &'a [u8],
    tree: &'a SyntaxTree,
    out: Symbols,
    /// For every name, its meanings, the innermost last.
    bindings: HashMap<SpacedName<'a>, Vec<SymbolId>>,
    /// Open scopes: the node, and what was bound in it.
    scopes: Vec<(NodeId, Vec<SpacedName<'a>>)>,
    opaque: Vec<&'a [u8]>,
    /// Uses whose meaning may follow: of names of file scope, and of labels in this function.
    pending: Vec<NodeId>,
    gotos: Vec<NodeId>,
}

impl<'a> SymbolsBuilder<'a> {
    fn new(bytes: &'a [u8], tree: &'a SyntaxTree) -> Self {
        Self {
            bytes,
            tree,
            out: Symbols { scopes: vec![Scope::of_file()], ..Symbols::default() },
            bindings: HashMap::new(),
            scopes: vec![(NodeId(0), Vec::new())],
            opaque: Vec::new(),
            pending: Vec::new(),
            gotos: Vec::new(),
        }
    }

    fn visit(&mut self, id: NodeId) {
        while self.scopes.len() > 1 && self.tree.node(self.innermost()).after <= id {
            self.close_scope();
        }
        let node = self.tree.node(id);
        if node.error || node.kind == NodeKind::PreprocArg || node.kind == NodeKind::Error {
            let text = &self.bytes[node.range()];
            let words = tokens(text).filter(|token| token.kind == TokenKind::Word);
            self.opaque.extend(words.map(|token| &text[token.range()]));
        }
        match node.kind {
            NodeKind::FunctionDefinition | NodeKind::CompoundStatement | NodeKind::ForStatement => {
                self.open_scope(id)
            }
            NodeKind::ParameterList if !self.belongs_to_definition(id) => self.open_scope(id),
            NodeKind::Identifier
            | NodeKind::TypeIdentifier
            | NodeKind::PrimitiveType
            | NodeKind::StatementIdentifier => {
                self.name(id);
            }
            _ => {}
        }
    }

    fn name(&mut self, id: NodeId) {
        let (tree, node) = (self.tree, self.tree.node(id));
        let parent = node.parent;
        match (node.kind, tree.kind(parent)) {
            (NodeKind::StatementIdentifier, NodeKind::LabeledStatement) => {
                let function = self.function_scope();
                self.declare(Space::Label, id, SymbolKind::Label, function);
            }
            (NodeKind::StatementIdentifier, _) => self.gotos.push(id),
            (_, NodeKind::StructSpecifier | NodeKind::UnionSpecifier | NodeKind::EnumSpecifier)
                if node.field == Some(NodeField::Name) =>
            {
                let defines = tree.field(parent, NodeField::Body).is_some();
                let known = self.lookup(Space::Tag, id);
                match known {
                    Some(symbol) if !defines => self.use_of(symbol, id),
                    _ => self.declare(Space::Tag, id, SymbolKind::Tag, self.innermost()),
                }
            }
            (_, NodeKind::Enumerator) if node.field == Some(NodeField::Name) => {
                self.declare(Space::Ordinary, id, SymbolKind::Enumerator, self.innermost());
            }
            (_, NodeKind::ParameterList) if node.kind == NodeKind::Identifier => {
                self.declare(Space::Ordinary, id, SymbolKind::Parameter, self.innermost());
            }
            _ => match declared_by(tree, id) {
                Some(declaration) => self.declarator(id, declaration),
                None => self.reference(id),
            },
        }
    }

    fn declarator(&mut self, id: NodeId, declaration: NodeId) {
        let tree = self.tree;
        let is_function = tree.kind(tree.node(id).parent) == NodeKind::FunctionDeclarator;
        let (kind, scope) = match tree.kind(declaration) {
            NodeKind::FunctionDefinition => {
                // The definition's own scope is already open, but its name stands outside.
                let outer = self.scopes.len().saturating_sub(2);
                (SymbolKind::Function, self.scopes[outer].0)
            }
            NodeKind::TypeDefinition => (SymbolKind::Typedef, self.innermost()),
            NodeKind::ParameterDeclaration => (SymbolKind::Parameter, self.innermost()),
            NodeKind::FieldDeclaration => return,
            _ if is_function => (SymbolKind::Function, NodeId(0)),
            _ if self.is_extern(declaration) => (SymbolKind::Variable, NodeId(0)),
            _ => (SymbolKind::Variable, self.innermost()),
        };
        self.declare(Space::Ordinary, id, kind, scope);
    }

    fn reference(&mut self, id: NodeId) {
        match self.lookup(Space::Ordinary, id) {
            Some(symbol) => self.use_of(symbol, id),
            // A function may be called before it is declared, in old C.
            None => self.pending.push(id),
        }
    }

    fn declare(&mut self, space: Space, id: NodeId, kind: SymbolKind, scope: NodeId) {
        let name = self.text(id);
        // In the order of their scopes, the outermost first: there are as many as scopes are nested.
        let meanings = self.bindings.entry((space, name)).or_default();
        let scopes = |known: &SymbolId| self.out.symbols[known.0 as usize].scope;
        let known = meanings.binary_search_by_key(&scope, scopes);
        let symbol = known.map(|at| meanings[at]).unwrap_or_else(|at| {
            let symbol = SymbolId(self.out.symbols.len() as u32);
            self.out.symbols.push(Symbol {
                kind,
                scope,
                declarations: Vec::new(),
                uses: Vec::new(),
                opaque: false,
            });
            meanings.insert(at, symbol);
            let open = self.scopes.iter_mut().rev().find(|(open, _)| *open == scope);
            if let Some((_, bound)) = open {
                bound.push((space, name));
            }
            symbol
        });
        let entry = &mut self.out.symbols[symbol.0 as usize];
        entry.declarations.push(id);
        if kind == SymbolKind::Function {
            entry.kind = kind;
        }
        self.out.of_node.insert(id, symbol);
    }

    fn use_of(&mut self, symbol: SymbolId, id: NodeId) {
        self.out.symbols[symbol.0 as usize].uses.push(id);
        self.out.of_node.insert(id, symbol);
    }

    fn lookup(&self, space: Space, id: NodeId) -> Option<SymbolId> {
        self.bindings.get(&(space, self.text(id)))?.last().copied()
    }

    /// The bytes of a node, which the caller hashes.
    fn text(&self, id: NodeId) -> &'a [u8] {
        let range = self.tree.range(id);
        text_steps(range.len());
        &self.bytes[range]
    }

    fn innermost(&self) -> NodeId {
        self.scopes.last().map_or(NodeId(0), |(scope, _)| *scope)
    }

    /// Labels belong to the whole function.
    fn function_scope(&self) -> NodeId {
        let functions = self.scopes.iter().map(|(scope, _)| *scope);
        functions
            .rev()
            .find(|&scope| self.tree.kind(scope) == NodeKind::FunctionDefinition)
            .unwrap_or(NodeId(0))
    }

    fn open_scope(&mut self, id: NodeId) {
        let around = self.innermost();
        let around = self.out.scopes.binary_search_by_key(&around, |scope| scope.node);
        let kind = match self.tree.kind(id) {
            NodeKind::FunctionDefinition => ScopeKind::Function,
            NodeKind::ParameterList => ScopeKind::Prototype,
            NodeKind::ForStatement => ScopeKind::Loop,
            _ => ScopeKind::Block,
        };
        let parent = around.ok().map(|at| ScopeId(at as u32));
        self.out.scopes.push(Scope { kind, node: id, parent, symbols: Vec::new() });
        self.scopes.push((id, Vec::new()));
    }

    fn close_scope(&mut self) {
        let Some((scope, bound)) = self.scopes.pop() else { return };
        let is_function = self.tree.kind(scope) == NodeKind::FunctionDefinition;
        if is_function {
            self.resolve_labels();
        }
        for key in bound {
            if let Some(meanings) = self.bindings.get_mut(&key) {
                meanings.pop();
            }
        }
    }

    fn resolve_labels(&mut self) {
        for id in std::mem::take(&mut self.gotos) {
            match self.lookup(Space::Label, id) {
                Some(symbol) => self.use_of(symbol, id),
                None => self.out.unresolved.push(id),
            }
        }
    }

    fn is_extern(&self, declaration: NodeId) -> bool {
        // Specifiers stand first; the declarators behind them may be very many.
        let mut specifiers = self
            .tree
            .children(declaration)
            .take_while(|&child| self.tree.node(child).field != Some(NodeField::Declarator));
        specifiers.any(|child| {
            self.tree.kind(child) == NodeKind::StorageClassSpecifier
                && self.text(child) == b"extern"
        })
    }

    /// Returns whether a parameter list is that of a function being defined, not of a prototype or pointer.
    fn belongs_to_definition(&self, id: NodeId) -> bool {
        let tree = self.tree;
        let declarator = tree.node(id).parent;
        tree.field(declarator, NodeField::Declarator)
            .and_then(|name| declared_by(tree, name))
            .is_some_and(|declaration| tree.kind(declaration) == NodeKind::FunctionDefinition)
    }

    fn finish(mut self) -> Symbols {
        while self.scopes.len() > 1 {
            self.close_scope();
        }
        self.resolve_labels();
        for id in std::mem::take(&mut self.pending) {
            match self.lookup(Space::Ordinary, id) {
                Some(symbol) => self.use_of(symbol, id),
                None => self.out.unresolved.push(id),
            }
        }
        let opaque: std::collections::HashSet<&[u8]> = self.opaque.iter().copied().collect();
        if !opaque.is_empty() {
            for symbol in &mut self.out.symbols {
                let name = &self.bytes[self.tree.range(symbol.declarations[0])];
                symbol.opaque = opaque.contains(name);
            }
        }
        for (index, symbol) in self.out.symbols.iter().enumerate() {
            let id = SymbolId(index as u32);
            let name = &self.bytes[self.tree.range(symbol.declarations[0])];
            self.out.of_name.entry(name.to_vec()).or_default().push(id);
            if let Ok(at) = self.out.scopes.binary_search_by_key(&symbol.scope, |scope| scope.node)
            {
                self.out.scopes[at].symbols.push(id);
            }
        }
        self.out
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

        // What the table says of uses is what a lookup says.
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
