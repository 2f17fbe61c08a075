//! The variables of a program, as far as it decides which can take the place of which.

use clreduce_language::{
    NodeField, NodeId, NodeKind, Number, SymbolId, SymbolKind, Type, Use, declared_by,
};
use clreduce_testcase::{AddressSpace, tokens};

use crate::program::ParsedKernels;
use crate::shape::is_position;

/// A variable or parameter.
#[derive(Clone, Copy)]
pub(crate) struct SplicedVariable<'a> {
    program: &'a ParsedKernels,
    pub(crate) symbol: SymbolId,
    /// The identifier that declares it.
    name: NodeId,
    /// The declaration that it is a part of.
    declaration: NodeId,
    pub(crate) of: Type,
    pub(crate) space: AddressSpace,
    /// True if it, or what it points to, is `const`.
    pub(crate) is_const: bool,
    pub(crate) is_array: bool,
    pub(crate) is_parameter: bool,
    initializer: Option<NodeId>,
}

impl<'a> SplicedVariable<'a> {
    /// A variable whose declaration is of a simple form; `None` for others.
    pub(crate) fn of(program: &'a ParsedKernels, symbol: SymbolId) -> Option<Self> {
        let (tree, symbols) = (program.tree(), program.symbols());
        let kind = symbols.get(symbol).kind;
        if !matches!(kind, SymbolKind::Variable | SymbolKind::Parameter) {
            return None;
        }
        let name = symbols.get(symbol).declarations[0];
        let declaration = declared_by(tree, name)?;
        let (mut pointers, mut arrays, mut initializer) = (0, 0, None);
        for around in tree.ancestors(name).take_while(|&node| node != declaration) {
            match tree.kind(around) {
                NodeKind::PointerDeclarator => pointers += 1,
                NodeKind::ArrayDeclarator => arrays += 1,
                NodeKind::InitDeclarator => initializer = tree.field(around, NodeField::Value),
                _ => return None,
            }
        }
        let of = program.types().of_symbol(symbol);
        if of.levels != pointers + arrays || (pointers > 0 && arrays > 0) {
            return None;
        }
        let first = tree.fields(declaration, NodeField::Declarator).next()?;
        let before = &program.text[tree.range(declaration).start..tree.range(first).start];
        let (mut space, mut is_const) = (AddressSpace::Private, false);
        for token in tokens(before) {
            match &before[token.range()] {
                b"const" => is_const = true,
                // It may change at any time, or lives longer than the function.
                b"volatile" | b"static" | b"extern" | b"register" => return None,
                word => space = AddressSpace::of(word).unwrap_or(space),
            }
            is_const |= space == AddressSpace::Constant;
        }
        Some(Self {
            program,
            symbol,
            name,
            declaration,
            of,
            space,
            is_const,
            is_array: arrays > 0,
            is_parameter: kind == SymbolKind::Parameter,
            initializer,
        })
    }

    pub(crate) fn name(&self) -> &'a [u8] {
        self.program.bytes(self.name)
    }

    /// The number that it is, or that it points to or has as elements.
    pub(crate) fn number(&self) -> Option<Number> {
        self.of.base_number()
    }

    /// The node that spells its type.
    pub(crate) fn spelled(&self) -> Option<NodeId> {
        self.program.tree().field(self.declaration, NodeField::Type)
    }

    /// The lengths of an array as they are written, `[4][2]`, if they need nothing that the program declares.
    pub(crate) fn lengths(&self) -> Option<&'a [u8]> {
        let tree = self.program.tree();
        let is_array = |&node: &NodeId| tree.kind(node) == NodeKind::ArrayDeclarator;
        let whole = tree.ancestors(self.name).take_while(is_array).last()?;
        let range = tree.range(self.name).end..tree.range(whole).end;
        let lengths = &self.program.text[range];
        let is_closed = self.program.names_in(whole).all(|(node, _)| node == self.name)
            && lengths.trim_ascii() != b"[]";
        is_closed.then_some(lengths)
    }

    /// Its first value as it is written, if it needs nothing that the program declares.
    pub(crate) fn closed_initializer(&self) -> Option<&'a [u8]> {
        let node = self.initializer?;
        let is_closed = self.program.names_in(node).next().is_none();
        is_closed.then(|| self.program.bytes(node))
    }

    /// Returns true if its first value is made of the position of the work-item.
    pub(crate) fn is_position(&self) -> bool {
        let Some(node) = self.initializer else { return false };
        let mut calls =
            self.program.tree().subtree(node).filter_map(|id| self.program.built_in_call(id));
        calls.any(is_position)
    }

    /// Returns true if what it points to may get other values: it is written, or the pointer is passed on.
    pub(crate) fn is_written(&self) -> bool {
        let tree = self.program.tree();
        let uses = &self.program.symbols().get(self.symbol).uses;
        !self.is_const
            && uses.iter().any(|&name| {
                let found = Use::at(tree, name);
                found.whole.writes() || found.may_change() || found.path == name
            })
    }

    /// Returns true if it certainly has a value wherever it can be named.
    pub(crate) fn has_value(&self) -> bool {
        self.space == AddressSpace::Private && (self.is_parameter || self.initializer.is_some())
    }

    /// The text of a node of its program.
    pub(crate) fn text_of(&self, node: NodeId) -> &'a [u8] {
        self.program.bytes(node)
    }

    /// Returns true if it has a value at a place, as far as the order of the text tells.
    fn is_set(&self, at: NodeId) -> bool {
        let tree = self.program.tree();
        if self.is_parameter || self.space != AddressSpace::Private {
            return true;
        }
        if self.initializer.is_some() {
            return !self.program.is_within(at, self.declaration);
        }
        let uses = &self.program.symbols().get(self.symbol).uses;
        uses.iter().filter(|&&name| name < at).any(|&name| {
            let found = Use::at(tree, name);
            let is_earlier = tree.node(found.path).after <= at;
            is_earlier && (found.whole.writes() || found.may_change())
        })
    }
}

/// The variables that have a value at a place, the outermost first.
pub(crate) fn variables_at(program: &ParsedKernels, at: NodeId) -> Vec<SplicedVariable<'_>> {
    let (tree, symbols) = (program.tree(), program.symbols());
    let mut found = Vec::new();
    let mut scope = symbols.scope_at(tree, at);
    while let Some(id) = scope {
        let here = symbols.scope(id);
        found.extend(here.symbols.iter().copied().filter(|&symbol| {
            let name = symbols.get(symbol).declarations[0];
            name < at && symbols.lookup(tree, program.bytes(name), at) == Some(symbol)
        }));
        scope = here.parent;
    }
    found.sort_unstable();
    let variables = found.into_iter().filter_map(|symbol| SplicedVariable::of(program, symbol));
    variables.filter(|variable| variable.is_set(at)).collect()
}
