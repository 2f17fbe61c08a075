//! Removes specifiers, qualifiers, attributes, access labels, bit-field widths, assembly labels, and all but one word of types of
//! several words: first each word in all places at once, then single ones.
//!
//! Many words only fit together: what overrides must be virtual in its base class, and a constant object needs members
//! that are constant. So a word goes from the whole program, together with others. A class becomes a structure
//! together with its labels and the access of its bases. In CUDA, so do the words that say where a function runs and how it is
//! compiled; of attributes, which a preprocessor makes of these words, each text is a word of its own there.
//!
//! before:
//! ```cpp
//! struct A { virtual int f() const; virtual ~A(); };
//! class B : public A { public: int f() const override; };
//! ```
//! after:
//! ```cpp
//! struct A { int f() const; ~A(); };
//! class B : public A { public: int f() const override; };
//! ```

use std::collections::HashMap;

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::{CudaWord, Edit, Feature, Language, Patch};

use crate::analysis::{Tokens, Unit};
use crate::edit::disjoint;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "specifiers",
    "Remove specifiers, qualifiers, attributes, access labels and words of long types",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let mut index_of: HashMap<Word<'_>, usize> = HashMap::new();
        let mut by_word: Vec<Vec<Vec<Edit>>> = Vec::new();
        let words = unit.sound().filter_map(|(id, kind)| removal(unit, id, kind));
        let hidden = hidden(Tokens::of(snapshot, unit.file), snapshot.language());
        for (word, edits) in words.chain(hidden) {
            let index = *index_of.entry(word).or_insert(by_word.len());
            if index == by_word.len() {
                by_word.push(Vec::new());
            }
            by_word[index].push(edits);
        }
        for (id, _) in unit.sound().filter(|(_, kind)| *kind == NodeKind::SizedTypeSpecifier) {
            proposals.extend(words_of_type(unit, id));
        }
        for places in by_word {
            if places.len() > 1 {
                let edits = places.iter().flatten().cloned().collect();
                proposals.extend(Patch::new(disjoint(edits)).map(Proposal::new));
            }
            let single = places.into_iter().filter_map(Patch::new).map(Proposal::new);
            proposals.extend(single.map(|proposal| proposal.in_list(1)));
        }
    }
}

/// The words of GNU C++ and CUDA that no node stands for: most of them, the parser does not get to see.
fn hidden(tokens: Tokens<'_>, language: Language) -> Vec<(Word<'_>, Vec<Edit>)> {
    let mut found = Vec::new();
    if !language.has(Feature::Classes) {
        return found; // in C, all of them are nodes
    }
    let is_cuda = language.has(Feature::HostAndDevice);
    let partners = tokens.partners();
    for index in 0..tokens.tokens.len() {
        let word = tokens.text(index);
        let last = match word {
            b"__extension__" | b"__restrict" | b"__restrict__" => index,
            b"__attribute__" | b"__attribute" if tokens.text(index + 1) == b"(" => {
                partners[index + 1]
            }
            // The name of a function for the assembler.
            b"__asm__" | b"__asm" | b"asm"
                if tokens.text(index + 1) == b"("
                    && tokens.text(partners[index + 1] + 1) == b";" =>
            {
                partners[index + 1]
            }
            _ => match CudaWord::of(word).filter(|_| is_cuda) {
                // Kernels remain kernels.
                Some(CudaWord::Specifier) => index,
                Some(CudaWord::WithArguments) if tokens.text(index + 1) == b"(" => {
                    partners[index + 1]
                }
                _ => continue,
            },
        };
        // An opening parenthesis without a closing one is its own partner.
        let span = tokens.span(index, last);
        let word = if is_cuda { &tokens.bytes[span.clone()] } else { word };
        let edit = Edit::delete(tokens.file, span);
        found.push(((NodeKind::AttributeSpecifier, word), vec![edit]));
    }
    found
}

/// What goes together from all places: the kind of the node, and its text where one kind has several words.
type Word<'a> = (NodeKind, &'a [u8]);

/// The word that a node is, and the edits that remove it.
fn removal<'a>(unit: Unit<'a>, id: NodeId, kind: NodeKind) -> Option<(Word<'a>, Vec<Edit>)> {
    let tree = unit.tree;
    let text = unit.text(id);
    // Variables of a device have the same word as its functions.
    if CudaWord::of(text) == Some(CudaWord::Specifier) {
        return None;
    }
    let parent = tree.kind(tree.node(id).parent);
    let edit = match kind {
        NodeKind::StorageClassSpecifier
        | NodeKind::TypeQualifier
        | NodeKind::VirtualSpecifier
        | NodeKind::LambdaSpecifier
        | NodeKind::RefQualifier => return Some(((kind, text), vec![delete(unit, id)])),
        NodeKind::AttributeDeclaration
        | NodeKind::AttributeSpecifier
        | NodeKind::AlignasQualifier
        | NodeKind::ExplicitFunctionSpecifier
        | NodeKind::Noexcept
        | NodeKind::ThrowSpecifier
        | NodeKind::VirtualKeyword
        | NodeKind::BitfieldClause
        | NodeKind::MsDeclspecModifier
        | NodeKind::MsCallModifier
        | NodeKind::GnuAsmQualifier => delete(unit, id),
        NodeKind::GnuAsmExpression if is_label(unit, id) => delete(unit, id),
        _ if is_element_of_attribute(unit, id) => {
            let edit = Edit::delete_element(unit.file, tree.range(id));
            return Some(((NodeKind::ArgumentList, text), vec![edit]));
        }
        NodeKind::ConstexprKeyword if parent == NodeKind::IfStatement => delete(unit, id),
        NodeKind::Ampersand | NodeKind::AmpersandAmpersand
            if matches!(
                parent,
                NodeKind::ReferenceDeclarator | NodeKind::AbstractReferenceDeclarator
            ) =>
        {
            delete(unit, id)
        }
        NodeKind::TypenameKeyword => return Some(((parent, text), vec![typename(unit, id)?])),
        NodeKind::DefaultMethodClause | NodeKind::DeleteMethodClause => {
            unit.replace(tree.range(id), b";")
        }
        NodeKind::FieldDeclaration => pure(unit, id)?,
        NodeKind::AccessSpecifier => return Some(((kind, text), vec![access(unit, id)])),
        NodeKind::ClassSpecifier => return Some(((kind, b""), structure(unit, id)?)),
        NodeKind::EnumSpecifier => return Some(((kind, b""), plain_enum(unit, id)?)),
        _ => return None,
    };
    Some(((kind, b""), vec![edit]))
}

fn delete(unit: Unit<'_>, id: NodeId) -> Edit {
    unit.delete(unit.tree.range(id))
}

/// `typename` before a type goes, and `class` takes its place before a parameter of a template.
fn typename(unit: Unit<'_>, id: NodeId) -> Option<Edit> {
    match unit.tree.kind(unit.tree.node(id).parent) {
        NodeKind::DependentType => Some(delete(unit, id)),
        NodeKind::TypeParameterDeclaration
        | NodeKind::OptionalTypeParameterDeclaration
        | NodeKind::VariadicTypeParameterDeclaration
        | NodeKind::TemplateTemplateParameterDeclaration => {
            Some(unit.replace(unit.tree.range(id), b"class"))
        }
        _ => None,
    }
}

/// The `= 0` of a function that is purely virtual.
fn pure(unit: Unit<'_>, id: NodeId) -> Option<Edit> {
    let tree = unit.tree;
    let value = tree.field(id, NodeField::DefaultValue)?;
    let is_virtual = tree.children(id).any(|child| tree.kind(child) == NodeKind::VirtualKeyword);
    let equals = tree.children(id).find(|&child| tree.kind(child) == NodeKind::Equal)?;
    let range = tree.range(equals).start..tree.range(value).end;
    (is_virtual && tree.kind(value) == NodeKind::NumberLiteral).then(|| unit.delete(range))
}

/// A label with its colon, or the access of a base class.
fn access(unit: Unit<'_>, id: NodeId) -> Edit {
    let tree = unit.tree;
    let range = tree.range(id);
    let next = tree.node(id).after;
    let is_label = tree.kind(tree.node(id).parent) == NodeKind::FieldDeclarationList
        && (next.0 as usize) < tree.len()
        && tree.kind(next) == NodeKind::Colon;
    unit.delete(range.start..if is_label { tree.range(next).end } else { range.end })
}

/// `class A : public B { public: ... }` becomes `struct A : B { ... }`.
fn structure(unit: Unit<'_>, id: NodeId) -> Option<Vec<Edit>> {
    let tree = unit.tree;
    let word = tree.children(id).find(|&child| tree.kind(child) == NodeKind::ClassKeyword)?;
    let parts = tree.children(id).filter(|&child| {
        matches!(tree.kind(child), NodeKind::BaseClassClause | NodeKind::FieldDeclarationList)
    });
    let labels = parts.flat_map(|part| tree.children(part));
    let labels = labels.filter(|&label| tree.kind(label) == NodeKind::AccessSpecifier);
    let mut edits: Vec<Edit> = labels.map(|label| access(unit, label)).collect();
    let has_labels = !edits.is_empty();
    edits.push(unit.replace(tree.range(word), b"struct"));
    has_labels.then_some(edits)
}

/// `enum class E : int` becomes `enum E`.
fn plain_enum(unit: Unit<'_>, id: NodeId) -> Option<Vec<Edit>> {
    let tree = unit.tree;
    let mut edits = Vec::new();
    let mut colon = None;
    for child in tree.children(id) {
        match tree.kind(child) {
            NodeKind::ClassKeyword | NodeKind::StructKeyword => edits.push(delete(unit, child)),
            NodeKind::Colon => colon = Some(tree.range(child).start),
            _ if tree.node(child).field == Some(NodeField::Base) => {
                edits.push(unit.delete(colon?..tree.range(child).end));
            }
            _ => {}
        }
    }
    (!edits.is_empty()).then_some(edits)
}

/// `int f(void) __asm__("g");`
fn is_label(unit: Unit<'_>, id: NodeId) -> bool {
    let parent = unit.tree.kind(unit.tree.node(id).parent);
    matches!(
        parent,
        NodeKind::FunctionDeclarator | NodeKind::Declaration | NodeKind::InitDeclarator
    )
}

/// The elements of `__attribute__((a, b))`; a single one goes with the whole attribute.
fn is_element_of_attribute(unit: Unit<'_>, id: NodeId) -> bool {
    let tree = unit.tree;
    let list = tree.node(id).parent;
    tree.node(id).named
        && tree.kind(list) == NodeKind::ArgumentList
        && tree.kind(tree.node(list).parent) == NodeKind::AttributeSpecifier
        && tree.named_children(list).take(2).count() > 1
}

/// `unsigned long int` becomes any one of its words. Removing words one by one could leave none, and
/// a declaration without a type is hard to read for every later pass.
fn words_of_type(unit: Unit<'_>, id: NodeId) -> impl Iterator<Item = Proposal> {
    let whole = unit.tree.range(id);
    let words = unit.tree.children(id).map(|word| unit.tree.range(word));
    words
        .filter(move |word| word.len() < unit.tree.range(id).len())
        .zip(0..)
        .map(move |(word, list)| Proposal::new(unit.keep(whole.clone(), word)).in_list(1 + list))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::CPP, before, keep, after);
    }

    #[test]
    fn a_word_goes_from_all_places() {
        let before = "struct A { virtual void f() = 0; A() = default; A(A &&) = delete; ~A() noexcept(true); };
            struct B : virtual A { void f() override, g() &; explicit(true) B(int); };
            typename X<int>::t x; auto l = [](int &a) mutable { };
            namespace n __attribute__((__visibility__(\"default\"))) { __extension__ int f(int *__restrict p) __asm__(\"g\"); }";
        let after = "struct A { void f(); A(); A(A); ~A(); };
            struct B : A { void f(), g(); B(int); };
            X<int>::t x; auto l = [](int a) { }; namespace n { int f(int *p); }";
        check(before, &[], after);
    }

    #[test]
    fn what_cuda_adds_goes_but_kernels_stay_kernels() {
        let before = "__host__ __device__ __forceinline__ int f(int *__restrict__ p); __host__ int g(); __device__ int v;
            struct __align__(16) S { int x; }; __global__ void __launch_bounds__(256, 2) k() { __shared__ int x; }";
        let after = "__device__ int f(int *p); int g(); __device__ int v; struct S { int x; };
            __global__ void k() { __shared__ int x; }";
        let keep = ["__device__ int f", "__device__ int v", "__shared__"];
        assert_reduces(&PASS, Language::CUDA, before, &keep, after);
        let before =
            "__attribute__((host)) __attribute__((device)) int f(); __attribute__((host)) int g();";
        let after = "__attribute__((device)) int f(); int g();";
        let keep = ["__attribute__((device)) int f"];
        assert_reduces(&PASS, Language::CUDA, before, &keep, after);
    }

    #[test]
    fn a_class_keeps_its_labels_or_becomes_a_structure() {
        let before =
            "class A { int x; public: int y; }; class B; class C : private A { public: int z; };";
        check(
            before,
            &["class A { int x;", "class B"],
            "class A { int x; int y; }; class B; struct C : A { int z; };",
        );
        check(before, &["public: int y", "private A", "public: int z"], before);
    }

    fn check_c(before: &str, keep: &str, after: &str) {
        assert_reduces(&PASS, Language::C, before, &[keep], after);
    }

    #[test]
    fn everything_that_can_go_goes() {
        check_c(
            "static inline int f(const int *volatile p) __attribute__((noinline)) { return 0; }",
            "",
            "int f( int * p) { return 0; }",
        );
        check_c("struct S { int a : 3; };", "", "struct S { int a ; };");
    }

    #[test]
    fn one_word_of_a_type_stays() {
        check_c("unsigned long int x;", "unsigned", "unsigned x;");
        check_c("unsigned long int x;", "long", "long x;");
    }
}
