//! A program of one file with its views, and questions about it.

use clreduce_language::{
    NodeField, NodeId, NodeKind, SymbolId, Symbols, SyntaxTree, Types, declared_name, is_kernel,
};
use clreduce_passes::Snapshot;
use clreduce_testcase::{Language, TestCase};

use crate::LARGEST;

/// A program that parses and has no directives but for pragmas.
pub(crate) struct ParsedKernels {
    pub(crate) text: Vec<u8>,
    snapshot: Snapshot,
}

/// A function definition.
#[derive(Clone, Copy)]
pub(crate) struct ParsedFunction {
    pub(crate) definition: NodeId,
    pub(crate) name: NodeId,
    pub(crate) body: NodeId,
    pub(crate) is_kernel: bool,
}

impl ParsedKernels {
    /// Reads a program; `None` if it is too large, has directives, or does not parse.
    pub(crate) fn read(text: Vec<u8>) -> Option<Self> {
        if text.len() > LARGEST {
            return None;
        }
        let case = TestCase::single("program", &text[..]).ok()?;
        let snapshot = Snapshot::new(case, Language::OPENCL);
        let program = Self { text, snapshot };
        let tree = program.tree();
        let is_plain = |id: NodeId| {
            !tree.kind(id).is_preproc_conditional()
                && !matches!(
                    tree.kind(id),
                    NodeKind::PreprocDef | NodeKind::PreprocFunctionDef | NodeKind::PreprocInclude
                )
        };
        let is_usable = !tree.is_empty() && !tree.has_error(NodeId(0)) && tree.ids().all(is_plain);
        is_usable.then_some(program)
    }

    pub(crate) fn tree(&self) -> &SyntaxTree {
        self.snapshot.tree(0)
    }

    pub(crate) fn symbols(&self) -> &Symbols {
        self.snapshot.symbols(0)
    }

    pub(crate) fn types(&self) -> &Types {
        self.snapshot.types(0)
    }

    pub(crate) fn bytes(&self, id: NodeId) -> &[u8] {
        &self.text[self.tree().range(id)]
    }

    /// The text of a node; empty where it is no UTF-8.
    pub(crate) fn text_of(&self, id: NodeId) -> &str {
        std::str::from_utf8(self.bytes(id)).unwrap_or("")
    }

    /// The number of tokens of a node.
    pub(crate) fn token_count(&self, id: NodeId) -> usize {
        let range = self.tree().range(id);
        let tokens = self.snapshot.tokens(0);
        tokens.partition_point(|token| (token.start as usize) < range.end)
            - tokens.partition_point(|token| (token.start as usize) < range.start)
    }

    /// All function definitions.
    pub(crate) fn functions(&self) -> Vec<ParsedFunction> {
        let tree = self.tree();
        let of = |definition: NodeId| {
            let body = tree.field(definition, NodeField::Body)?;
            let name = declared_name(tree, tree.field(definition, NodeField::Declarator)?)?;
            let is_kernel = is_kernel(tree, &self.text, definition);
            (tree.kind(body) == NodeKind::CompoundStatement).then_some(ParsedFunction {
                definition,
                name,
                body,
                is_kernel,
            })
        };
        let definitions = tree.named_children(NodeId(0));
        let definitions = definitions.filter(|&id| tree.kind(id) == NodeKind::FunctionDefinition);
        definitions.filter_map(of).collect()
    }

    /// The function in whose body a node lies.
    pub(crate) fn function_at(&self, node: NodeId) -> Option<ParsedFunction> {
        let tree = self.tree();
        let mut functions = self.functions().into_iter();
        functions.find(|one| one.body <= node && node < tree.node(one.body).after)
    }

    /// Returns true if a node is or lies in another one.
    pub(crate) fn is_within(&self, node: NodeId, whole: NodeId) -> bool {
        whole <= node && node < self.tree().node(whole).after
    }

    /// The name of the function that a call calls, if nothing in the program declares it.
    pub(crate) fn built_in_call(&self, id: NodeId) -> Option<&str> {
        let tree = self.tree();
        if tree.kind(id) != NodeKind::CallExpression {
            return None;
        }
        let function = tree.field(id, NodeField::Function)?;
        let is_built_in =
            tree.kind(function) == NodeKind::Identifier && self.symbols().of(function).is_none();
        is_built_in.then(|| self.text_of(function))
    }

    /// The identifiers in a node that name something that the program declares.
    pub(crate) fn names_in(&self, id: NodeId) -> impl Iterator<Item = (NodeId, SymbolId)> + '_ {
        self.tree().subtree(id).filter_map(|node| Some((node, self.symbols().of(node)?)))
    }
}
