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
    /// For each node, what those before it do.
    counts: Vec<Counts>,
}

/// How often expressions change something, how often that is memory or what others have, and how often they see memory.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    changes: u32,
    writes: u32,
    reads: u32,
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
        let mut count = Counts::default();
        let counts = tree.ids().map(|id| {
            let own = effects.counts_of(id);
            count.changes += own.changes;
            count.writes += own.writes;
            count.reads += own.reads;
            count
        });
        effects.counts = std::iter::once(Counts::default()).chain(counts).collect();
        effects
    }

    fn function(&self, id: NodeId) -> Option<Function<'a>> {
        let (name, body) = (self.name(id)?, self.tree.field(id, NodeField::Body)?);
        let calls: BTreeSet<&[u8]> = self.called(body).collect();
        let own = self.own_names(id);
        let writes = self.targets(body).any(|target| self.is_memory(target))
            || calls.iter().any(|name| changes_memory(name))
            || !self.written_names(body).is_subset(&own);
        let reads = writes || self.is_memory(body) || !self.names(body).is_subset(&own);
        Some(Function { name, writes, reads, calls })
    }

    /// What a node does itself, without those below it.
    fn counts_of(&self, id: NodeId) -> Counts {
        let (changes, writes, reads) = match self.tree.kind(id) {
            NodeKind::AssignmentExpression | NodeKind::UpdateExpression => {
                (true, self.target(id).is_some_and(|target| self.is_memory(target)), false)
            }
            NodeKind::CallExpression => {
                let function = self.tree.field(id, NodeField::Function);
                let name = function.map_or(&b""[..], |function| self.text(function));
                let writes = self.writers.contains(name) || changes_memory(name);
                (writes, writes, writes || self.readers.contains(name))
            }
            _ => (false, false, self.reaches_memory(id)),
        };
        Counts { changes: changes.into(), writes: writes.into(), reads: reads.into() }
    }

    /// The effects of an expression and its descendants.
    fn sum(&self, id: NodeId) -> Counts {
        let end = self.counts[self.tree.node(id).after.0 as usize];
        let start = self.counts[id.0 as usize];
        Counts {
            changes: end.changes - start.changes,
            writes: end.writes - start.writes,
            reads: end.reads - start.reads,
        }
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
        let sums: Vec<Counts> = parts.iter().map(|&part| self.sum(part)).collect();
        if sums.iter().all(|sum| sum.changes == 0) {
            return false;
        }
        let meets = |one: usize, other: usize| {
            let (sum, of_other) = (sums[one], sums[other]);
            if sum.changes == 0 {
                return false;
            }
            if sum.writes > 0 && of_other.writes + of_other.reads > 0 {
                return true;
            }
            let own = if sum.writes > 0 {
                self.names(parts[one])
            } else {
                self.written_names(parts[one])
            };
            !own.is_disjoint(&self.names(parts[other]))
        };
        let of_pair =
            |one: usize| (one + 1..parts.len()).any(|other| meets(one, other) || meets(other, one));
        (0..parts.len()).any(of_pair)
    }

    /// The variables in an expression.
    fn names(&self, id: NodeId) -> BTreeSet<&'a [u8]> {
        let tree = self.tree;
        let is_called = |id: NodeId| tree.node(id).field == Some(NodeField::Function);
        let names = tree.subtree(id).filter(|&id| tree.kind(id) == NodeKind::Identifier);
        names.filter(|&id| !is_called(id)).map(|id| self.text(id)).collect()
    }

    /// What a node assigns to.
    fn target(&self, id: NodeId) -> Option<NodeId> {
        match self.tree.kind(id) {
            NodeKind::AssignmentExpression => self.tree.field(id, NodeField::Left),
            NodeKind::UpdateExpression => self.tree.field(id, NodeField::Argument),
            _ => None,
        }
    }

    fn targets(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.tree.subtree(id).filter_map(|id| self.target(id))
    }

    /// The variables that an expression itself assigns to.
    fn written_names(&self, id: NodeId) -> BTreeSet<&'a [u8]> {
        self.targets(id).flat_map(|target| self.names(target)).collect()
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

    /// Something is reached through a pointer.
    fn is_memory(&self, id: NodeId) -> bool {
        self.tree.subtree(id).any(|id| self.reaches_memory(id))
    }

    fn reaches_memory(&self, id: NodeId) -> bool {
        match self.tree.kind(id) {
            NodeKind::SubscriptExpression => true,
            NodeKind::PointerExpression => self.text(id).starts_with(b"*"),
            NodeKind::FieldExpression => {
                self.tree.children(id).any(|child| self.text(child) == b"->")
            }
            _ => false,
        }
    }
}

/// Returns true for a built-in function that changes memory.
fn changes_memory(name: &[u8]) -> bool {
    ["atomic", "atom_", "vstore"].iter().any(|start| name.starts_with(start.as_bytes()))
}
