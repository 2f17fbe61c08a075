//! Builds the table of symbols in one walk over the syntax tree, which opens and closes scopes as it goes.

use std::collections::HashMap;

use clreduce_testcase::{TokenKind, text_steps, tokens};

use super::{Scope, ScopeId, ScopeKind, Symbol, SymbolId, SymbolKind, Symbols, declared_by};
use crate::kind::{NodeField, NodeKind};
use crate::tree::{NodeId, SyntaxTree};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NameSpace {
    Ordinary,
    Tag,
    Label,
}

/// A name in its name space.
type SpacedName<'a> = (NameSpace, &'a [u8]);

pub(super) struct SymbolsBuilder<'a> {
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
    pub(super) fn build(bytes: &'a [u8], tree: &'a SyntaxTree) -> Symbols {
        let mut builder = Self::new(bytes, tree);
        for id in tree.ids() {
            builder.visit(id);
        }
        builder.finish()
    }

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
                self.declare(NameSpace::Label, id, SymbolKind::Label, function);
            }
            (NodeKind::StatementIdentifier, _) => self.gotos.push(id),
            (_, NodeKind::StructSpecifier | NodeKind::UnionSpecifier | NodeKind::EnumSpecifier)
                if node.field == Some(NodeField::Name) =>
            {
                let defines = tree.field(parent, NodeField::Body).is_some();
                let known = self.lookup(NameSpace::Tag, id);
                match known {
                    Some(symbol) if !defines => self.use_of(symbol, id),
                    _ => self.declare(NameSpace::Tag, id, SymbolKind::Tag, self.innermost()),
                }
            }
            (_, NodeKind::Enumerator) if node.field == Some(NodeField::Name) => {
                self.declare(NameSpace::Ordinary, id, SymbolKind::Enumerator, self.innermost());
            }
            (_, NodeKind::ParameterList) if node.kind == NodeKind::Identifier => {
                self.declare(NameSpace::Ordinary, id, SymbolKind::Parameter, self.innermost());
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
        self.declare(NameSpace::Ordinary, id, kind, scope);
    }

    fn reference(&mut self, id: NodeId) {
        match self.lookup(NameSpace::Ordinary, id) {
            Some(symbol) => self.use_of(symbol, id),
            // A function may be called before it is declared, in old C.
            None => self.pending.push(id),
        }
    }

    fn declare(&mut self, space: NameSpace, id: NodeId, kind: SymbolKind, scope: NodeId) {
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

    fn lookup(&self, space: NameSpace, id: NodeId) -> Option<SymbolId> {
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
            match self.lookup(NameSpace::Label, id) {
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
            match self.lookup(NameSpace::Ordinary, id) {
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
