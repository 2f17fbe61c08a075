//! The function definitions of a snapshot, and facts about them.

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolId, SymbolKind, declared_name};

use crate::budget::Budget;
use crate::pass::Proposals;
use crate::snapshot::Snapshot;

/// A function definition and its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) file: usize,
    pub(crate) definition: NodeId,
    pub(crate) body: NodeId,
    /// The identifier that names it.
    pub(crate) name: NodeId,
    pub(crate) symbol: SymbolId,
}

/// A function declared more often is nothing that people write; every patch for one of its definitions
/// would edit all its declarations.
pub(crate) const MOST_DECLARATIONS: Budget = Budget::new("declarations of one function", 32);

/// The function definitions of a snapshot that parsed without errors, in source order. `proposals` notes if some were
/// left out.
pub(crate) fn functions(snapshot: &Snapshot, proposals: &mut Proposals) -> Vec<Function> {
    let mut found = Vec::new();
    for file in 0..snapshot.file_count() {
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        for definition in tree.ids().filter(|&id| tree.kind(id) == NodeKind::FunctionDefinition) {
            let parts = || {
                let body = tree.field(definition, NodeField::Body)?;
                let name = declared_name(tree, tree.field(definition, NodeField::Declarator)?)?;
                Some(Function { file, definition, body, name, symbol: symbols.of(name)? })
            };
            if let Some(function) = parts()
                && tree.kind(function.body) == NodeKind::CompoundStatement
                && symbols.get(function.symbol).kind == SymbolKind::Function
                && proposals
                    .allow(&MOST_DECLARATIONS, symbols.get(function.symbol).declarations.len())
            {
                found.push(function);
            }
        }
    }
    found
}

/// Returns whether a function returns nothing: `void` is its type and no pointer is declared.
pub(crate) fn returns_void(snapshot: &Snapshot, function: &Function) -> bool {
    let tree = snapshot.tree(function.file);
    let is_void = tree
        .field(function.definition, NodeField::Type)
        .is_some_and(|kind| &snapshot.bytes(function.file)[tree.range(kind)] == b"void");
    let declarator = tree.node(function.name).parent;
    is_void
        && tree.kind(declarator) == NodeKind::FunctionDeclarator
        && tree.node(declarator).parent == function.definition
}

/// The number of tokens of a node.
pub(crate) fn token_count(snapshot: &Snapshot, file: usize, node: NodeId) -> usize {
    let range = snapshot.tree(file).range(node);
    let tokens = snapshot.tokens(file);
    tokens.partition_point(|token| (token.start as usize) < range.end)
        - tokens.partition_point(|token| (token.start as usize) < range.start)
}

/// The uses of a symbol that call it, as the call expressions; `None` when something else is done
/// with it.
pub(crate) fn calls(snapshot: &Snapshot, file: usize, symbol: SymbolId) -> Option<Vec<NodeId>> {
    let tree = snapshot.tree(file);
    let uses = snapshot.uses(file).of(symbol);
    uses.map(|found| found.calls().then(|| tree.parent(found.name)).flatten()).collect()
}
