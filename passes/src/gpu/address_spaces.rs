//! Removes address spaces, so that what they qualified is private: everywhere that a pointer to it goes,
//! in one patch. Access qualifiers and CUDA's memory spaces go one by one.
//!
//! Nothing is proposed where a pointer goes to a place that the types do not explain, and not for what a
//! kernel gets from outside.
//!
//! before:
//! ```cl
//! struct S { __local int *p; }; void g(__local int *q) { *q = 1; }
//! kernel void f(global int *r) { __local int x[2]; struct S s = { x }; g(s.p); }
//! ```
//! after:
//! ```cl
//! struct S { int *p; }; void g(int *q) { *q = 1; }
//! kernel void f(global int *r) { int x[2]; struct S s = { x }; g(s.p); }
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use clreduce_language::{NodeField, NodeKind, is_access_label, is_kernel};
use clreduce_testcase::{AddressSpace, CudaWord, Edit, Feature, Patch, is_access_qualifier};

use crate::analysis::Unit;
use crate::pass::{DEVICE, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "address-spaces",
    "Remove address spaces wherever a pointer goes, and access qualifiers",
    DEVICE,
    propose,
);

/// Returns true for the words of OpenCL that name an address space.
fn is_space(word: &[u8]) -> bool {
    AddressSpace::of(word).is_some()
}

/// Returns true for the words of CUDA that name a memory.
fn is_memory(word: &[u8]) -> bool {
    CudaWord::of(word) == Some(CudaWord::Memory)
}

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let has = |feature| snapshot.language().has(feature);
    // In what extends C++, a pointer may point anywhere.
    let is_cpp = has(Feature::Classes);
    let is_single: fn(&[u8]) -> bool = match has(Feature::HostAndDevice) {
        true => is_memory,
        false if is_cpp => |word| is_space(word) || is_access_qualifier(word),
        false => is_access_qualifier,
    };
    for unit in Unit::all(snapshot) {
        let classes = if is_cpp { Vec::new() } else { classes(snapshot, unit) };
        if classes.len() > 1 {
            let all = classes.iter().flatten().cloned().collect();
            proposals.extend(Patch::new(all).map(Proposal::new));
        }
        let patches = classes.into_iter().filter_map(Patch::new);
        proposals.extend(patches.map(|patch| Proposal::new(patch).in_list(1)));
        let words = words(snapshot, unit.file, is_single, 0..unit.bytes.len());
        proposals.extend(words.map(|edit| Proposal::edit(edit).in_list(2)));
    }
}

/// The deletions of the words that can only go together, class by class.
fn classes(snapshot: &Snapshot, unit: Unit<'_>) -> Vec<Vec<Edit>> {
    let (tree, storage) = (unit.tree, &snapshot.flow(unit.file).storage);
    let mut classes: BTreeMap<NodeId, Option<Vec<Edit>>> = BTreeMap::new();
    for declaration in tree.ids() {
        let Some(name) = tree.field(declaration, NodeField::Type) else { continue };
        let Some(class) = storage.sure(name) else { continue };
        // The words stand around the type, before the first declarator; behind a `*` they would
        // qualify the pointer.
        let of = tree.range(name);
        let end = match tree.field(declaration, NodeField::Declarator) {
            Some(first) => tree.range(first).start,
            None => tree.range(declaration).end,
        };
        let around = [tree.range(declaration).start..of.start, of.end..end.max(of.end)];
        let edits: Vec<Edit> = around
            .into_iter()
            .flat_map(|range| words(snapshot, unit.file, is_space, range))
            .collect();
        if edits.is_empty() {
            continue;
        }
        let class = classes.entry(class).or_insert_with(|| Some(Vec::new()));
        if comes_from_outside(unit, declaration) {
            *class = None;
        }
        if let Some(class) = class {
            class.extend(edits);
        }
    }
    classes.into_values().flatten().collect()
}

/// Returns true if a declaration is of file scope, where nothing can be private, or of a kernel's parameter.
fn comes_from_outside(unit: Unit<'_>, declaration: NodeId) -> bool {
    let tree = unit.tree;
    if tree.kind(declaration) == NodeKind::FunctionDefinition {
        return true; // `kernel` and what else stands there is no matter of spaces
    }
    let parent = tree.parent(declaration);
    if tree.kind(declaration) == NodeKind::Declaration {
        return parent.is_some_and(|parent| tree.kind(parent) == NodeKind::TranslationUnit);
    }
    tree.kind(declaration) == NodeKind::ParameterDeclaration
        && tree.ancestors(declaration).take(4).any(|node| {
            tree.kind(node) == NodeKind::FunctionDefinition && is_kernel(tree, unit.bytes, node)
        })
}

/// The deletions of words of a kind in a part of a file.
fn words(
    snapshot: &Snapshot,
    file: usize,
    is_one: fn(&[u8]) -> bool,
    range: Range<usize>,
) -> impl Iterator<Item = Edit> {
    let (bytes, tokens) = (snapshot.bytes(file), snapshot.tokens(file));
    let first = tokens.partition_point(|token| (token.start as usize) < range.start);
    let inside = tokens[first..].iter().take_while(move |token| token.end as usize <= range.end);
    (first..)
        .zip(inside)
        .filter(move |(at, token)| {
            is_one(&bytes[token.range()]) && !is_access_label(bytes, tokens, *at)
        })
        .map(move |(_, token)| Edit::delete(file, token.range()))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(language: Language, before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, language, before, keep, after);
    }

    #[test]
    fn what_a_kernel_gets_stays_as_it_is() {
        check(
            Language::OPENCL,
            "__constant int t[2] = {1, 2}; int g(__constant int *p, __local int *q);\n\
             __kernel void f(__global int *p, read_only image2d_t i) { __local int x; g(t, &x); __global int *c = p; }",
            &[],
            "__constant int t[2] = {1, 2}; int g(__constant int *p, int *q);\n\
             __kernel void f(__global int *p, image2d_t i) { int x; g(t, &x); __global int *c = p; }",
        );
    }

    #[test]
    fn members_have_spaces_of_their_own() {
        check(
            Language::OPENCL,
            "void f(void) { struct { __local int *p; } s; __local int x; s.p = &x; __local long y; }",
            &["__local long"],
            "void f(void) { struct { int *p; } s; int x; s.p = &x; __local long y; }",
        );
    }

    #[test]
    fn one_class_without_the_other() {
        check(
            Language::OPENCL,
            "void f(void) { __local int x, y; __local int *p = &x; __local long z; __local long *q; q = &z; }",
            &["__local long"],
            "void f(void) { int x, y; int *p = &x; __local long z; __local long *q; q = &z; }",
        );
    }

    #[test]
    fn pointers_that_go_elsewhere_stay() {
        let source = "void f(void) { __local int x; g(&x); }";
        check(Language::OPENCL, source, &[], source);
    }

    #[test]
    fn pointers_of_cpp_may_point_anywhere() {
        check(
            Language::OPENCL_CPP,
            "class A { private: local int *p; global int *q; void f(constant int *c, read_only image2d_t i); };",
            &["global"],
            "class A { private: int *p; global int *q; void f(int *c, image2d_t i); };",
        );
    }

    #[test]
    fn of_cuda_too() {
        check(
            Language::CUDA,
            "__global__ void f(int *p) { __shared__ int x[2]; *p = x[0]; }",
            &[],
            "__global__ void f(int *p) { int x[2]; *p = x[0]; }",
        );
    }
}
