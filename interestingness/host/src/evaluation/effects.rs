//! The effects of expressions: which functions of a program change memory, and which operands may notice.

use std::collections::BTreeSet;

use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree};

/// The functions of a program by what they do, and its macros.
pub(super) struct Effects<'a> {
    source: &'a [u8],
    tree: &'a SyntaxTree,
    macros: BTreeSet<&'a [u8]>,
    /// Functions that change memory, or what is not their own.
    writers: BTreeSet<&'a [u8]>,
    /// Functions that see memory, or what is not their own.
    readers: BTreeSet<&'a [u8]>,
    /// For each node, the number of effects before it.
    counts: Vec<u32>,
}

/// A function, what it does itself, and what it calls.
struct Function<'a> {
    name: &'a [u8],
    writes: bool,
    reads: bool,
    calls: BTreeSet<&'a [u8]>,
}

impl<'a> Effects<'a> {
    pub fn new(source: &'a [u8], tree: &'a SyntaxTree) -> Self {
        let (macros, writers, readers) = Default::default();
        let mut effects = Self { source, tree, macros, writers, readers, counts: Vec::new() };
        let mut functions: Vec<Function<'a>> = Vec::new();
        for id in tree.ids() {
            match tree.kind(id) {
                NodeKind::PreprocFunctionDef | NodeKind::PreprocDef => {
                    let name = tree.field(id, NodeField::Name).map(|name| effects.text(name));
                    effects.macros.extend(name);
                }
                NodeKind::FunctionDefinition => functions.extend(effects.function(id)),
                _ => {}
            }
        }
        loop {
            let known = effects.writers.len() + effects.readers.len();
            for function in &functions {
                if function.writes || !function.calls.is_disjoint(&effects.writers) {
                    effects.writers.insert(function.name);
                }
                if function.reads || !function.calls.is_disjoint(&effects.readers) {
                    effects.readers.insert(function.name);
                }
            }
            if effects.writers.len() + effects.readers.len() == known {
                break;
            }
        }
        let mut count = 0;
        effects.counts = std::iter::once(0)
            .chain(tree.ids().map(|id| {
                count += u32::from(effects.is_effect(id));
                count
            }))
            .collect();
        effects
    }

    fn function(&self, id: NodeId) -> Option<Function<'a>> {
        let (name, body) = (self.name(id)?, self.tree.field(id, NodeField::Body)?);
        let calls: BTreeSet<&[u8]> = self.called(body).collect();
        let writes = self.writes_memory(body) || self.writes_what_is_not_its_own(body);
        let own = self.own_names(id);
        let reads = writes || self.is_memory(body) || !self.names(body).is_subset(&own);
        Some(Function { name, writes, reads, calls })
    }

    /// A node that changes something itself, if it is executed.
    fn is_effect(&self, id: NodeId) -> bool {
        match self.tree.kind(id) {
            NodeKind::AssignmentExpression | NodeKind::UpdateExpression => true,
            NodeKind::CallExpression => self
                .tree
                .field(id, NodeField::Function)
                .map(|function| self.text(function))
                .is_some_and(|name| self.writers.contains(name) || changes_memory(name)),
            _ => false,
        }
    }

    fn has_effect(&self, id: NodeId) -> bool {
        let end = self.tree.node(id).after.0 as usize;
        self.counts[end] > self.counts[id.0 as usize]
    }

    fn text(&self, id: NodeId) -> &'a [u8] {
        &self.source[self.tree.range(id)]
    }

    fn name(&self, function: NodeId) -> Option<&'a [u8]> {
        self.innermost(self.tree.field(function, NodeField::Declarator)?)
    }

    /// The name that a declarator declares.
    fn innermost(&self, mut declarator: NodeId) -> Option<&'a [u8]> {
        while let Some(inner) = self.tree.field(declarator, NodeField::Declarator) {
            declarator = inner;
        }
        (self.tree.kind(declarator) == NodeKind::Identifier).then(|| self.text(declarator))
    }

    /// A macro may evaluate its arguments often, and what belongs to the compiler need not evaluate them at all.
    pub fn is_macro(&self, function: &[u8]) -> bool {
        self.macros.contains(function) || function.starts_with(b"__builtin")
    }

    /// Returns true if one of these expressions may change what another one reads.
    pub fn conflict(&self, parts: &[NodeId]) -> bool {
        if !parts.iter().any(|&part| self.has_effect(part)) {
            return false;
        }
        let meets = |one: NodeId, other: NodeId| {
            let (names, others) = (self.names(one), self.names(other));
            self.writes_memory(one)
                && (self.writes_memory(other)
                    || self.sees_memory(other)
                    || !names.is_disjoint(&others))
                || self.written_names(one).iter().any(|name| others.contains(name))
        };
        let of_pair = |(at, &one): (usize, &NodeId)| {
            parts[at + 1..].iter().any(|&other| meets(one, other) || meets(other, one))
        };
        parts.iter().enumerate().any(of_pair)
    }

    /// The variables in an expression.
    fn names(&self, id: NodeId) -> BTreeSet<&'a [u8]> {
        let tree = self.tree;
        let is_called = |id: NodeId| tree.node(id).field == Some(NodeField::Function);
        let names = tree.subtree(id).filter(|&id| tree.kind(id) == NodeKind::Identifier);
        names.filter(|&id| !is_called(id)).map(|id| self.text(id)).collect()
    }

    /// What an expression assigns to.
    fn targets(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.tree.subtree(id).filter_map(|id| match self.tree.kind(id) {
            NodeKind::AssignmentExpression => self.tree.field(id, NodeField::Left),
            NodeKind::UpdateExpression => self.tree.field(id, NodeField::Argument),
            _ => None,
        })
    }

    /// The variables that an expression itself assigns to.
    fn written_names(&self, id: NodeId) -> BTreeSet<&'a [u8]> {
        self.targets(id).flat_map(|target| self.names(target)).collect()
    }

    fn writes_memory(&self, id: NodeId) -> bool {
        self.targets(id).any(|target| self.is_memory(target)) || self.calls(id, &self.writers)
    }

    fn sees_memory(&self, id: NodeId) -> bool {
        self.is_memory(id) || self.calls(id, &self.readers)
    }

    /// A function may change variables of the program, and what its parameters refer to.
    fn writes_what_is_not_its_own(&self, body: NodeId) -> bool {
        let Some(function) = self.tree.parent(body) else { return true };
        let written = self.written_names(body);
        !written.is_empty() && {
            let own = self.own_names(function);
            written.iter().any(|name| !own.contains(name))
        }
    }

    /// The parameters, but for references, and the variables of a function.
    fn own_names(&self, function: NodeId) -> BTreeSet<&'a [u8]> {
        let tree = self.tree;
        let is_own = |id: &NodeId| match tree.kind(*id) {
            NodeKind::Declaration => true,
            NodeKind::ParameterDeclaration => !self.text(*id).contains(&b'&'),
            _ => false,
        };
        let declarations = tree.subtree(function).filter(is_own);
        let declarators = declarations.flat_map(|id| tree.fields(id, NodeField::Declarator));
        declarators.filter_map(|declarator| self.innermost(declarator)).collect()
    }

    /// The names of the functions that are called.
    fn called(&self, id: NodeId) -> impl Iterator<Item = &'a [u8]> {
        let tree = self.tree;
        let calls = tree.subtree(id).filter(|&id| tree.kind(id) == NodeKind::CallExpression);
        calls.filter_map(|id| tree.field(id, NodeField::Function)).map(|id| self.text(id))
    }

    fn calls(&self, id: NodeId, functions: &BTreeSet<&[u8]>) -> bool {
        self.called(id).any(|name| functions.contains(name) || changes_memory(name))
    }

    /// Something is reached through a pointer.
    fn is_memory(&self, id: NodeId) -> bool {
        self.tree.subtree(id).any(|id| match self.tree.kind(id) {
            NodeKind::SubscriptExpression => true,
            NodeKind::PointerExpression => self.text(id).starts_with(b"*"),
            NodeKind::FieldExpression => {
                self.tree.children(id).any(|child| self.text(child) == b"->")
            }
            _ => false,
        })
    }
}

/// Returns true for a built-in function that changes memory.
fn changes_memory(name: &[u8]) -> bool {
    ["atomic", "atom_", "vstore"].iter().any(|start| name.starts_with(start.as_bytes()))
}
