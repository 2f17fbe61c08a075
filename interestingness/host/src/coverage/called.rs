//! The functions of a program that no kernel calls, by any way: no launch comes to what is in them.

use std::collections::BTreeSet;

use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree};
use clreduce_testcase::{Feature, Language, TokenKind, tokens};

/// Finds the definitions of these functions in OpenCL C. A function counts as called if its name stands anywhere in one that is called,
/// or outside of all functions, where a macro may hold it.
pub(super) fn uncalled(source: &[u8], tree: &SyntaxTree, language: Language) -> BTreeSet<NodeId> {
    if !language.has(Feature::OpenClWords) || language.has(Feature::Classes) {
        return BTreeSet::new();
    }
    let definitions: Vec<(NodeId, &[u8])> = tree
        .ids()
        .filter(|&id| tree.kind(id) == NodeKind::FunctionDefinition)
        .filter_map(|id| Some((id, &source[tree.range(name_of(tree, id)?)])))
        .collect();
    let is_kernel = |id: NodeId| {
        let body = tree.field(id, NodeField::Body).map_or(0, |body| tree.range(body).start);
        let head = source.get(tree.range(id).start..body).unwrap_or_default();
        tokens(head).any(|token| matches!(&head[token.range()], b"kernel" | b"__kernel"))
    };
    let kernels = definitions.iter().filter(|(id, _)| is_kernel(*id));
    let mut called: BTreeSet<NodeId> = kernels.map(|(id, _)| *id).collect();
    if called.is_empty() {
        return BTreeSet::new();
    }
    // Where each name stands: in a definition, or in none.
    let words = tokens(source).filter(|token| token.kind == TokenKind::Word);
    let mut uses: Vec<(Option<NodeId>, NodeId)> = Vec::new();
    for word in words {
        let range = word.range();
        let within = definitions.iter().map(|(id, _)| *id).find(|&id| {
            let outer = tree.range(id);
            outer.start <= range.start && range.end <= outer.end
        });
        let named = definitions.iter().filter(|(_, name)| *name == &source[range.clone()]);
        uses.extend(named.map(|(id, _)| (within, *id)));
    }
    let mut known = 0;
    while known < called.len() {
        known = called.len();
        let next = uses.iter().filter(|(within, _)| within.is_none_or(|id| called.contains(&id)));
        let next: Vec<NodeId> = next.map(|(_, id)| *id).collect();
        called.extend(next);
    }
    definitions.iter().map(|(id, _)| *id).filter(|id| !called.contains(id)).collect()
}

/// The identifier that a definition declares.
fn name_of(tree: &SyntaxTree, definition: NodeId) -> Option<NodeId> {
    let inner = |&id: &NodeId| tree.field(id, NodeField::Declarator);
    let last = std::iter::successors(Some(definition), inner).last()?;
    (tree.kind(last) == NodeKind::Identifier).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_uncalled_functions_call_is_uncalled() {
        let source = b"#define G g\nint a(int x) { return x; }\nint b(int x) { return a(x); }\nint *c(int *x) { return x; }\n\
            int g(int x) { return x; }\nint d(int x) { return d(x - 1); }\nkernel void k(global int *r) { r[0] = *c(0); }\n";
        let names = |source: &[u8], language| {
            let tree = SyntaxTree::parse(source, language);
            let found = uncalled(source, &tree, language);
            let names = found.into_iter().filter_map(|id| name_of(&tree, id));
            names.map(|id| String::from_utf8_lossy(&source[tree.range(id)]).into_owned()).collect()
        };
        let found: Vec<String> = names(source, Language::OPENCL);
        assert_eq!(found, ["a", "b", "d"]);
        let found: Vec<String> = names(b"int a(int x) { return x; }", Language::OPENCL);
        assert!(found.is_empty());
    }
}
