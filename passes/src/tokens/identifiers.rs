//! Renames what the program declares to short names: one identifier at a time, all its uses in all
//! files together, to a name that occurs nowhere yet.
//!
//! before:
//! ```c
//! struct Point { int first; }; int sum(struct Point *point) { return point->first; }
//! ```
//! after:
//! ```c
//! struct a { int first; }; int sum(struct a *point) { return point->first; }
//! ```

use std::collections::{HashMap, HashSet};

use clreduce_language::{NodeField, NodeKind, is_kernel};
use clreduce_testcase::{Edit, Feature, Patch, TokenKind};

use crate::analysis::{Tokens, declared_role, is_built_in};
use crate::pass::{ANY, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, SyntaxTree};

pub(crate) const PASS: Pass = Pass::new(
    "identifiers",
    "Rename variables, functions, types, members and labels to short names",
    ANY,
    propose,
)
.renaming();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let has = |feature| snapshot.language().has(feature);
    let declared = match (has(Feature::Syntax), has(Feature::Grammar)) {
        (true, _) => declared(snapshot),
        (false, true) => named(snapshot),
        (false, false) => return,
    };
    let Words { uses, order, all } = words(snapshot, &declared);
    let mut targets = short_names().filter(|name| !all.contains(name.as_slice()));
    let mut target = targets.next();
    for name in order {
        let Some(short) = target.as_ref().filter(|short| short.len() < name.len()) else {
            continue;
        };
        let rename = |&(file, ref range): &(usize, std::ops::Range<usize>)| {
            Edit::replace(file, range.clone(), short.clone())
        };
        let Some(patch) = Patch::new(uses[name].iter().map(rename).collect()) else { continue };
        proposals.push(Proposal::new(patch));
        target = targets.next();
    }
}

struct Words<'a> {
    /// The places of each name that may be renamed.
    uses: HashMap<&'a [u8], Vec<(usize, std::ops::Range<usize>)>>,
    /// These names, first used first.
    order: Vec<&'a [u8]>,
    /// Every word there is.
    all: HashSet<&'a [u8]>,
}

fn words<'a>(snapshot: &'a Snapshot, declared: &HashMap<&'a [u8], bool>) -> Words<'a> {
    let mut words = Words { uses: HashMap::new(), order: Vec::new(), all: HashSet::new() };
    for unit in Tokens::all(snapshot) {
        let with_directives = unit.tokens.iter().zip(unit.directives());
        for (index, (token, directive)) in with_directives.enumerate() {
            if token.kind != TokenKind::Word {
                continue;
            }
            let name = unit.text(index);
            words.all.insert(name);
            let Some(&is_member) = declared.get(name) else { continue };
            let behind_dot = index > 0 && matches!(unit.text(index - 1), b"." | b"->");
            let elsewhere = matches!(directive, Some(b"include" | b"pragma" | b""));
            if elsewhere || (behind_dot && !is_member) {
                continue;
            }
            let uses = words.uses.entry(name).or_default();
            if uses.is_empty() {
                words.order.push(name);
            }
            uses.push((unit.file, token.range()));
        }
    }
    words
}

/// The names in a test case of whose language the grammar alone is known: whether it declares them, the test will tell.
fn named(snapshot: &Snapshot) -> HashMap<&[u8], bool> {
    let mut named = HashMap::new();
    for file in 0..snapshot.file_count() {
        let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
        let leaves = tree.ids().map(|id| (id, tree.node(id)));
        let leaves = leaves.filter(|(id, node)| node.named && node.after.0 == id.0 + 1);
        named.extend(leaves.map(|(_, node)| (&bytes[node.range()], true)));
    }
    named
}

/// The names that the test case declares, and whether one is a member's.
fn declared(snapshot: &Snapshot) -> HashMap<&[u8], bool> {
    let mut declared: HashMap<&[u8], bool> = HashMap::new();
    let mut fixed: HashSet<&[u8]> = HashSet::from([b"main".as_slice(), b"entry"]);
    if snapshot.language().has(Feature::Classes) {
        fixed.extend(KNOWN_TO_COMPILERS.split(' ').map(str::as_bytes));
    }
    if snapshot.language().has(Feature::HostAndDevice) {
        fixed.extend(KNOWN_TO_CUDA.split(' ').map(str::as_bytes));
    }
    for file in 0..snapshot.file_count() {
        let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
        for id in tree.ids().skip(1) {
            if !tree.node(id).damaged && declared_role(tree, id).is_some() {
                let name = &bytes[tree.range(id)];
                *declared.entry(name).or_default() |= tree.kind(id) == NodeKind::FieldIdentifier;
            }
            if tree.kind(id) == NodeKind::FunctionDefinition && is_kernel(tree, bytes, id) {
                fixed.extend(function_name(tree, id).map(|name| &bytes[tree.range(name)]));
            }
        }
    }
    // In C and for OpenCL, compilers have headers of their own that declare more of these.
    let has = |feature| snapshot.language().has(feature);
    let is_reserved = |name: &[u8]| match has(Feature::HostAndDevice) {
        true => is_built_in(name) || name.starts_with(b"__cuda") || name.starts_with(b"__nv"),
        false if has(Feature::Classes) && !has(Feature::OpenClWords) => is_built_in(name),
        false => name.starts_with(b"__"),
    };
    declared.retain(|name, _| !fixed.contains(name) && !is_reserved(name));
    declared
}

/// Names that compilers of C++ look up by themselves, or know the meaning of: those of statements and expressions (loops,
/// structured bindings, comparisons, coroutines, lists of values), and functions that they treat as built in.
const KNOWN_TO_COMPILERS: &str = "std initializer_list type_info bad_cast align_val_t nothrow_t destroying_delete_t begin \
    end get tuple_size tuple_element value type partial_ordering weak_ordering strong_ordering \
    less equal equivalent greater unordered coroutine_traits coroutine_handle promise_type \
    from_address address get_return_object initial_suspend final_suspend unhandled_exception \
    return_void return_value yield_value await_transform await_ready await_suspend \
    await_resume move forward move_if_noexcept as_const addressof source_location byte";

/// Names that compilers of CUDA know the meaning of, if its headers are part of the program.
const KNOWN_TO_CUDA: &str = "threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 cudaStream_t cudaError_t cudaError \
    cudaConfigureCall cudaLaunchKernel printf vprintf malloc free memcpy memset";

/// The identifier that a function definition declares.
fn function_name(tree: &SyntaxTree, function: NodeId) -> Option<NodeId> {
    let declarator = tree.field(function, NodeField::Declarator)?;
    tree.subtree(declarator).find(|&id| tree.kind(id) == NodeKind::Identifier)
}

/// `a` to `z`, `A` to `Z`, then two letters; none of them a keyword.
fn short_names() -> impl Iterator<Item = Vec<u8>> {
    let letters = || (b'a'..=b'z').chain(b'A'..=b'Z');
    let pairs = letters().flat_map(move |first| letters().map(move |second| vec![first, second]));
    let is_keyword = |name: &[u8]| matches!(name, b"if" | b"do" | b"or");
    letters().map(|letter| vec![letter]).chain(pairs).filter(move |name| !is_keyword(name))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::OPENCL, before, keep, after);
    }

    #[test]
    fn kernels_built_ins_and_what_is_not_declared_keep_their_names() {
        check(
            "void help(int a) { goto end; end: ; }
             __kernel void entry(__global ulong *result) { help(get_global_id(0)); result[0] = NULL; }",
            &[],
            "void b(int a) { goto c; c: ; }
             __kernel void entry(__global ulong *d) { b(get_global_id(0)); d[0] = NULL; }",
        );
    }

    #[test]
    fn names_of_cpp_are_renamed_but_for_what_compilers_know() {
        assert_reduces(
            &PASS,
            Language::CPP,
            "namespace outer::inner { template <typename Type, class... Types, int number> concept Sized = true; }
             namespace std { template <class Element> class initializer_list { Element *begin(); }; using Alias = int; }
             template <outer::inner::Sized Type> struct Holder { Holder(Type, std::Alias); };
             int main() { for (auto element : Holder(1, 2)) { auto [first, second] = element; } }",
            &[],
            "namespace a::b { template <typename c, class... d, int e> concept f = true; }
             namespace std { template <class g> class initializer_list { g *begin(); }; using h = int; }
             template <a::b::f c> struct i { i(c, std::h); };
             int main() { for (auto j : i(1, 2)) { auto [k, l] = j; } }",
        );
    }

    #[test]
    fn names_of_preprocessed_libraries_are_renamed_but_not_those_of_compilers() {
        assert_reduces(
            &PASS,
            Language::CPP,
            "namespace __gnu_cxx { int __count(int __n) { return __builtin_abs(__n) + sizeof(__func__); } }
             namespace __cxxabiv1 { struct __class_type_info { int __flags; }; }",
            &[],
            "namespace a { int b(int c) { return __builtin_abs(c) + sizeof(__func__); } }
             namespace __cxxabiv1 { struct __class_type_info { int d; }; }",
        );
        check("void f(int __n) { __n = 1; }", &["f"], "void f(int __n) { __n = 1; }");
    }

    #[test]
    fn members_and_vector_components_are_kept_apart() {
        check(
            "struct S { int hi; }; void f(int4 lo, struct S s) { lo.lo = s.hi; }",
            &["struct S"],
            "struct S { int a; }; void f(int4 b, struct S s) { b.lo = s.a; }",
        );
    }

    #[test]
    fn macros_and_typedefs_are_renamed_and_headers_left() {
        check(
            "#include <size.h>\n#define size(from) from\ntypedef int type; type x = size(1);",
            &[],
            "#include <size.h>\n#define a(b) b\ntypedef int c; c x = a(1);",
        );
    }
}
