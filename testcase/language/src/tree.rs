//! The syntax tree, flattened into an array.
//!
//! tree-sitter's nodes borrow from a tree, cost a walk from the root to find a parent, and cannot be
//! kept in one structure with it. An array in pre-order has none of these troubles: a node's
//! descendants are the nodes right behind it.

use std::ops::Range;

use clreduce_testcase::{Feature, Language, step};

use crate::grammars::{LoadedGrammar, grammar, reads_ascii_only};
use crate::hidden_text::{take_in_digraphs, take_in_masked_words};
use crate::kind::{GrammarNames, NodeField, NodeKind};
use crate::mask::masked;
pub use crate::node::{NodeId, SyntaxNode};
use crate::place::Place;

/// Larger files are not parsed: a tree needs up to a hundred bytes for each byte of its file, and minutes. Passes over lines
/// and tokens make such a file smaller until it can be parsed.
const MOST_PARSED: usize = 16 << 20;

/// Files with more brackets open at once are not parsed either: each needs a node of two hundred bytes. Compilers stop far
/// earlier.
const DEEPEST_PARSED: usize = 1 << 16;

fn is_parsed(bytes: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut is_deep = |byte: &u8| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST_PARSED
    };
    bytes.len() <= MOST_PARSED && !bytes.iter().any(&mut is_deep)
}

/// A syntax tree as an array of nodes in pre-order.
#[derive(Debug, Default)]
pub struct SyntaxTree {
    nodes: Vec<SyntaxNode>,
    /// The number of errors before each node, and of all errors at the end.
    errors_before: Vec<u32>,
    /// By node, its place in the states of the parser. Empty for a language without `Feature::Grammar`.
    pub(crate) places: Vec<Place>,
    pub(crate) grammar: Option<&'static LoadedGrammar>,
}

impl SyntaxTree {
    /// Parses a file. Never fails: what the grammar cannot read becomes error nodes; for
    /// a language without a grammar and for a very large or very deep file, the tree is empty.
    #[must_use]
    pub fn parse(bytes: &[u8], language: Language) -> Self {
        let Some(grammar) = language.grammar().filter(|_| is_parsed(bytes)).and_then(grammar)
        else {
            return Self::default();
        };
        let mut parser = tree_sitter::Parser::new();
        // Fails only for a grammar of another ABI than the library's: the tests would show a built-in one, and `add_grammar`
        // refuses another.
        if parser.set_language(&grammar.grammar).is_err() {
            return Self::default();
        }
        let is_c_family = language.has(Feature::Syntax);
        let seen = match language.grammar() {
            _ if is_c_family => masked(bytes, language),
            Some(grammar) if reads_ascii_only(grammar) => {
                bytes.iter().map(|&byte| if byte.is_ascii() { byte } else { b'_' }).collect()
            }
            _ => bytes.to_vec(),
        };
        let Some(tree) = parser.parse(&seen, None) else { return Self::default() };
        let mut places = Vec::new();
        let has_places = language.has(Feature::Grammar);
        let mut nodes = flatten(&tree, &grammar.names, |node| {
            if has_places {
                places.push(Place::of(node));
            }
        });
        if is_c_family {
            take_in_masked_words(&mut nodes, bytes, &seen);
            take_in_digraphs(&mut nodes, bytes, &seen);
        }
        mark_damage(&mut nodes);
        let mut errors = 0;
        let mut errors_before = Vec::with_capacity(nodes.len() + 1);
        errors_before.push(0);
        errors_before.extend(nodes.iter().map(|node| {
            errors += u32::from(node.error);
            errors
        }));
        Self { nodes, errors_before, places, grammar: has_places.then_some(grammar) }
    }

    /// Returns whether there is no node at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Every node, in pre-order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId).inspect(|_| step())
    }

    /// One node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &SyntaxNode {
        step();
        &self.nodes[id.0 as usize]
    }

    /// The grammar's name for a node.
    #[must_use]
    pub fn kind(&self, id: NodeId) -> NodeKind {
        self.node(id).kind
    }

    /// The range of a node in the file, in bytes.
    #[must_use]
    pub fn range(&self, id: NodeId) -> Range<usize> {
        self.node(id).range()
    }

    /// The parent; `None` for the root.
    #[must_use]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id.0 != 0).then(|| self.node(id).parent)
    }

    /// The ancestors, nearest first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&node| self.parent(node))
    }

    /// The node and all its descendants, in pre-order.
    pub fn subtree(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0..self.node(id).after.0).map(NodeId).inspect(|_| step())
    }

    /// The children, unnamed ones included.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).after;
        let mut next = NodeId(id.0 + 1);
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.node(child).after;
                child
            })
        })
    }

    /// The children that the grammar names, comments left out.
    pub fn named_children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|&child| self.is_named(child))
    }

    fn is_named(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.named && node.kind != NodeKind::Comment
    }

    /// The named child of the same parent that follows a node. It is found from the node, not from the first
    /// child of a list that may be long.
    #[must_use]
    pub fn next_named(&self, id: NodeId) -> Option<NodeId> {
        let end = self.node(self.parent(id)?).after;
        let after = |node: NodeId| Some(self.node(node).after).filter(|&next| next < end);
        std::iter::successors(after(id), |&node| after(node)).find(|&node| self.is_named(node))
    }

    /// By node, its nearest ancestor for which `is_wanted` holds, and the child of that ancestor that the
    /// node is or lies in. This is one walk over the tree, where one from each of many nodes that lie deep
    /// would take the square of their number.
    pub fn nearest_ancestors(
        &self,
        is_wanted: impl Fn(NodeId) -> bool,
    ) -> Vec<Option<(NodeId, NodeId)>> {
        let mut nearest: Vec<Option<(NodeId, NodeId)>> = Vec::with_capacity(self.len());
        for id in self.ids() {
            let found = self.parent(id).and_then(|parent| match is_wanted(parent) {
                true => Some((parent, id)),
                false => nearest[parent.0 as usize],
            });
            nearest.push(found);
        }
        nearest
    }

    /// The first child in a field of the grammar, such as the body of a function.
    #[must_use]
    pub fn field(&self, id: NodeId, field: NodeField) -> Option<NodeId> {
        self.fields(id, field).next()
    }

    /// All children in a field.
    pub fn fields(&self, id: NodeId, field: NodeField) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(move |&child| self.node(child).field == Some(field))
    }

    /// Returns whether the parser failed somewhere in the subtree.
    #[must_use]
    pub fn has_error(&self, id: NodeId) -> bool {
        let before = |at: u32| self.errors_before[at as usize];
        before(self.node(id).after.0) > before(id.0)
    }

    /// The number of bytes that the parser did not understand.
    #[must_use]
    pub fn error_bytes(&self) -> usize {
        let mut end = 0;
        let errors = self.nodes.iter().filter(|node| node.error);
        errors
            .map(|node| {
                let new = node.end.saturating_sub(node.start.max(end)) as usize;
                end = end.max(node.end);
                new
            })
            .sum()
    }

    /// Returns whether the parser understood the whole subtree and where it stands.
    #[must_use]
    pub fn is_sound(&self, id: NodeId) -> bool {
        !self.node(id).damaged && !self.has_error(id)
    }
}

/// The nodes of a tree in pre-order. Calls `see` with each.
fn flatten(
    tree: &tree_sitter::Tree,
    names: &GrammarNames,
    mut see: impl FnMut(&tree_sitter::Node<'_>),
) -> Vec<SyntaxNode> {
    let mut nodes: Vec<SyntaxNode> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        see(&node);
        let id = nodes.len() as u32;
        let parent = open.last().copied().unwrap_or(0);
        // In `template struct A<int>;` there is no declarator, but the grammar wants one.
        let is_optional = nodes
            .get(parent as usize)
            .is_some_and(|parent| parent.kind == NodeKind::TemplateInstantiation);
        nodes.push(SyntaxNode {
            kind: names.kind(node.kind_id()),
            field: cursor.field_id().and_then(|field| names.field(field.get())),
            start: node.start_byte() as u32,
            end: node.end_byte() as u32,
            parent: NodeId(parent),
            after: NodeId(id + 1),
            depth: open.len() as u32,
            named: node.is_named(),
            error: node.is_error() || node.is_missing() && !is_optional,
            damaged: false,
        });
        if cursor.goto_first_child() {
            open.push(id);
            continue;
        }
        while !cursor.goto_next_sibling() {
            let Some(closed) = open.pop() else { return nodes };
            nodes[closed as usize].after = NodeId(nodes.len() as u32);
            cursor.goto_parent();
        }
    }
}

/// Marks errors and what lies inside them. Whole definitions right below a failed root are intact.
fn mark_damage(nodes: &mut [SyntaxNode]) {
    for index in 0..nodes.len() {
        let node = nodes[index];
        let parent = nodes[node.parent.0 as usize];
        let whole = matches!(
            node.kind,
            NodeKind::FunctionDefinition | NodeKind::Declaration | NodeKind::TypeDefinition
        );
        let inherited = parent.damaged && !(node.parent.0 == 0 && whole);
        nodes[index].damaged = node.error || inherited;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_parse_without_errors() {
        let source = b"typedef struct { int a; } S;\n\
            __kernel void entry(__global ulong *result, __local int *l) {\n\
            \t__local S s[4]; private int4 v = (int4)(1, 2, 3, 4);\n\
            \tbarrier(CLK_LOCAL_MEM_FENCE); result[get_global_id(0)] = v.s01.x; }\n";
        let tree = SyntaxTree::parse(source, Language::OPENCL);
        assert!(!tree.has_error(NodeId(0)));
        let function =
            tree.ids().find(|&id| tree.kind(id) == NodeKind::FunctionDefinition).unwrap();
        let body = tree.field(function, NodeField::Body).unwrap();
        assert!(source[tree.range(body)].ends_with(b"; }"));
        assert_eq!(tree.parent(body), Some(function));
        assert!(source[tree.range(function)].starts_with(b"__kernel void"));
    }

    #[test]
    fn characters_that_are_in_no_table_of_a_scanner_are_harmless() {
        let case = clreduce_testcase::TestCase::single("a.d", Vec::new()).unwrap();
        for character in ['\u{e9}', '\u{7fb2}', '\u{1f600}', '\u{10ffff}'] {
            let source = format!("int {character} = 1;\n{character}");
            let tree = SyntaxTree::parse(source.as_bytes(), case.language());
            assert!(!tree.is_empty(), "{source}");
            assert_eq!(tree.range(NodeId(0)).end, source.len());
        }
    }

    #[test]
    fn files_that_are_too_deep_are_not_parsed() {
        let nested = |depth| ["{".repeat(depth), "}".repeat(depth)].concat();
        let parsed = |text: String| !SyntaxTree::parse(text.as_bytes(), Language::C).is_empty();
        assert!(parsed(nested(DEEPEST_PARSED)) && !parsed(nested(DEEPEST_PARSED + 1)));
        assert!(parsed("{}".repeat(DEEPEST_PARSED + 1)));
    }

    #[test]
    fn words_before_a_marker_in_the_same_file_belong_to_the_declaration() {
        let device = "__attribute__((device))";
        let source = format!(
            "int x;\n# 1 \"b.h\" 1 3\n{device} \n# 1 \"b.h\" 3\n__attribute__((hot)) int f();\n\
             #pragma nv_exec_check_disable\n# 2 \"b.h\"\ntemplate <class T> {device}\n# 3 \"b.h\"\nint g(T);\n\
             # 2 \"a.cu\" 2\nint y;"
        );
        let tree = SyntaxTree::parse(source.as_bytes(), Language::CUDA);
        let parts = tree.named_children(NodeId(0)).map(|id| &source[tree.range(id)]);
        let starts = parts.map(|part| part.split_whitespace().next().unwrap());
        assert_eq!(starts.collect::<Vec<_>>(), ["int", device, "#pragma", "int"]);
    }

    #[test]
    fn deep_nesting_is_no_trouble() {
        let mut source = vec![b'('; 20_000];
        source.extend(vec![b')'; 20_000]);
        assert!(!SyntaxTree::parse(&source, Language::C).is_empty());
    }
}
