//! The normal form of a program, which does not depend on comments, chosen names and layout; and single kernels of a program.
//!
//! Names tell what they stand for, and nothing else: functions are `A`, `B`, .., variables `a`, `b`, .., and types, members,
//! labels and constants `Ta`, `Ma`, `La` and `Ea`. Each name of the original has one new name, in the order of declarations.
//! The normal form of a normal form is the same text.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_language::{NodeField, NodeId, NodeKind, Shape, components, is_kernel};
use clreduce_testcase::{
    Edit, Feature, InvalidTestCase, Language, Patch, TestCase, TokenKind, tokens,
};

use crate::analysis::{NameRole, Tokens, declared_role, is_built_in};
use crate::names::unreachable;
use crate::{Pass, Proposals, Snapshot, SymbolKind};

/// Rounds after which names are left alone. Where a program does not parse, other names may be parsed in another way.
const MOST_ROUNDS: usize = 4;

/// The normal form of a program of one file: without comments, with names by role, laid out. Macros stay, so a program is
/// preprocessed before. In C++, names stay as well.
///
/// # Errors
/// Never for OpenCL C and C: the file has a plain name.
pub fn normalized(source: &[u8], language: Language) -> Result<Vec<u8>, InvalidTestCase> {
    let case = with_all_of("comments", TestCase::single("program", source)?, language);
    let mut renamed = case.clone();
    for _ in 0..MOST_ROUNDS {
        let snapshot = Snapshot::new(renamed.clone(), language);
        let patch = names_by_role(&snapshot);
        let next = with_all_of("format", renamed.apply(&patch), language);
        if next == renamed {
            return Ok(next.files()[0].bytes.to_vec());
        }
        renamed = next;
    }
    let case = with_all_of("format", case, language);
    Ok(case.files()[0].bytes.to_vec())
}

/// Each kernel of a program of one file with everything that it needs, and nothing else.
///
/// # Errors
/// As [`normalized`].
pub fn single_kernels(source: &[u8], language: Language) -> Result<Vec<Vec<u8>>, InvalidTestCase> {
    let case = TestCase::single("program", source)?;
    let snapshot = Snapshot::new(case.clone(), language);
    let kernels = kernels(&snapshot);
    let alone = |kept: &NodeId| {
        let others = kernels.iter().filter(|&other| other != kept);
        let edits = others.map(|&other| Edit::delete(0, snapshot.tree(0).range(other)));
        let mut case = case.apply(&Patch::new(edits.collect()).unwrap_or_default());
        loop {
            let next = with_all(&unreachable::PASS, case.clone(), language);
            if next == case {
                return case.files()[0].bytes.to_vec();
            }
            case = next;
        }
    };
    Ok(kernels.iter().map(alone).collect())
}

/// The definitions of kernels that no other function calls.
fn kernels(snapshot: &Snapshot) -> Vec<NodeId> {
    let (tree, symbols, bytes) = (snapshot.tree(0), snapshot.symbols(0), snapshot.bytes(0));
    let is_single = |&id: &NodeId| {
        tree.kind(id) == NodeKind::FunctionDefinition
            && tree.is_sound(id)
            && is_kernel(tree, bytes, id)
            && tree
                .field(id, NodeField::Declarator)
                .and_then(|declarator| clreduce_language::declared_name(tree, declarator))
                .and_then(|name| symbols.of(name))
                .is_some_and(|symbol| symbols.get(symbol).uses.is_empty())
    };
    tree.ids().filter(is_single).collect()
}

/// The program with all proposals of a pass.
fn with_all_of(pass: &str, case: TestCase, language: Language) -> TestCase {
    let Some(row) = crate::find(pass).filter(|row| row.applies_to(language)) else { return case };
    with_all(row.pass, case, language)
}

fn with_all(pass: &Pass, case: TestCase, language: Language) -> TestCase {
    let proposals = Proposals::of(pass, &Snapshot::new(case.clone(), language)).list;
    let edits = proposals.into_iter().flat_map(|proposal| proposal.patch.edits().to_vec());
    let mut edits: Vec<Edit> = edits.collect();
    edits.sort_by_key(|edit| (edit.file, edit.start, edit.end));
    edits.dedup();
    case.apply(&Patch::new(edits).unwrap_or_default())
}

/// A name in its name space: members are apart from everything else.
type SpacedName<'a> = (bool, &'a [u8]);

/// The patch that gives all names their new ones.
fn names_by_role(snapshot: &Snapshot) -> Patch {
    let language = snapshot.language();
    // The roles of names in C++ are not known, except those in kernels, which are mostly C.
    let is_kernel = language.has_all(&[Feature::Syntax, Feature::CheckedKernels]);
    if !language.has(Feature::Symbols) && !is_kernel {
        return Patch::default();
    }
    let tree = snapshot.tree(0);
    let opaque = opaque_words(snapshot);
    let mut roles: BTreeMap<SpacedName, NameRole> = BTreeMap::new();
    let mut order: Vec<SpacedName> = Vec::new();
    let mut places: Vec<(NodeId, SpacedName)> = Vec::new();
    for id in tree.ids() {
        let Some(name) = name_at(snapshot, id) else { continue };
        if !is_free(name, language) || opaque.contains(name.1) {
            continue;
        }
        places.push((id, name));
        if let Some(role) = declared_role(tree, id)
            && roles.insert(name, role).is_none()
        {
            order.push(name);
        }
    }
    for name in built_in_functions(snapshot) {
        roles.remove(&(false, name));
    }
    places.retain(|(_, name)| roles.contains_key(name));
    let new = new_names(&order, &roles, &left_words(snapshot, &places));
    let edits = places.iter().filter_map(|(id, name)| {
        let text = new.get(name).filter(|text| text.as_slice() != name.1)?;
        Some(Edit::replace(0, tree.range(*id), text.clone()))
    });
    Patch::new(edits.collect()).unwrap_or_default()
}

/// The name that a node spells, if the table of symbols knows what it means, or if it is a member's.
fn name_at<'a>(snapshot: &'a Snapshot, id: NodeId) -> Option<SpacedName<'a>> {
    let tree = snapshot.tree(0);
    let is_member = match tree.kind(id) {
        NodeKind::FieldIdentifier => true,
        NodeKind::Identifier | NodeKind::TypeIdentifier | NodeKind::StatementIdentifier => {
            snapshot.symbols(0).of(id)?;
            false
        }
        _ => return None,
    };
    Some((is_member, &snapshot.bytes(0)[tree.range(id)]))
}

/// Returns true for names that only the program decides. Components of vectors are spelled like members.
fn is_free((is_member, name): SpacedName<'_>, language: Language) -> bool {
    let text = std::str::from_utf8(name).unwrap_or("");
    let is_reserved =
        text.starts_with("__") && (language.has(Feature::Kernels) || is_built_in(name));
    let is_fixed = matches!(text, "" | "main" | "entry") || is_reserved;
    let has_vectors = language.has(Feature::CheckedKernels);
    let is_component = is_member && has_vectors && components(text, 16).is_some();
    !is_fixed && !is_component
}

/// The words of macros and of text that did not parse, whose meaning is not known.
fn opaque_words(snapshot: &Snapshot) -> BTreeSet<&[u8]> {
    let (tree, bytes) = (snapshot.tree(0), snapshot.bytes(0));
    let mut words = BTreeSet::new();
    let mut end = 0;
    for id in tree.ids() {
        let node = tree.node(id);
        let is_opaque = node.error || matches!(node.kind, NodeKind::PreprocArg | NodeKind::Error);
        // What lies in an error was read with it.
        if is_opaque && node.range().end > end {
            end = node.range().end;
            let text = &bytes[node.range()];
            let inside = tokens(text).filter(|token| token.kind == TokenKind::Word);
            words.extend(inside.map(|token| &text[token.range()]));
        }
    }
    // A value that nothing declares may be one that the parser put elsewhere: the grammar takes a pragma for the body of a loop.
    // Functions are built in.
    let is_value = |id: &NodeId| tree.node(*id).field != Some(NodeField::Function);
    let undeclared = snapshot.symbols(0).unresolved().iter().copied().filter(is_value);
    words.extend(undeclared.map(|id| &bytes[tree.range(id)]));
    let unit = Tokens::of(snapshot, 0);
    let on_directives = unit.directives().enumerate().filter(|(_, name)| name.is_some());
    words.extend(on_directives.map(|(index, _)| unit.text(index)));
    words
}

/// Functions that are declared and not defined, and that the language or its library has.
fn built_in_functions(snapshot: &Snapshot) -> Vec<&[u8]> {
    let (tree, symbols, bytes) = (snapshot.tree(0), snapshot.symbols(0), snapshot.bytes(0));
    let is_c = !snapshot.language().has(Feature::Kernels);
    let declared = symbols
        .ids()
        .map(|id| symbols.get(id))
        .filter(|symbol| symbol.kind == SymbolKind::Function && !symbol.is_defined(tree));
    let names = declared.map(|symbol| &bytes[tree.range(symbol.declarations[0])]);
    names
        .filter(|name| {
            let text = std::str::from_utf8(name).unwrap_or("");
            is_c || Shape::of(text).is_some() || OTHER_BUILT_INS.split(' ').any(|one| one == text)
        })
        .collect()
}

/// Built-in functions of OpenCL C that [`Shape`] does not know, and that people declare.
const OTHER_BUILT_INS: &str = "printf acosh acospi asinh asinpi atanh atanpi atan2pi cosh cospi erf erfc expm1 fract \
    frexp half_cos half_divide half_exp half_exp10 half_exp2 half_log half_log10 half_log2 half_powr half_recip \
    half_rsqrt half_sin half_sqrt half_tan ilogb ldexp lgamma lgamma_r log1p logb maxmag minmag modf nan nextafter \
    native_exp10 native_exp2 native_log10 native_log2 native_powr native_tan remquo rootn sincos sinh sinpi tanh tanpi \
    tgamma ctz cross normalize fast_distance fast_length fast_normalize isfinite isnormal islessgreater isordered \
    isunordered async_work_group_copy async_work_group_strided_copy wait_group_events prefetch shuffle shuffle2";

/// The words of the program that keep their meaning because they are not renamed.
fn left_words<'a>(
    snapshot: &'a Snapshot,
    renamed: &[(NodeId, SpacedName<'_>)],
) -> BTreeSet<&'a [u8]> {
    let tree = snapshot.tree(0);
    let starts: BTreeSet<usize> = renamed.iter().map(|(id, _)| tree.range(*id).start).collect();
    let unit = Tokens::of(snapshot, 0);
    let words = unit.tokens.iter().enumerate().filter(|(_, token)| {
        token.kind == TokenKind::Word && !starts.contains(&(token.start as usize))
    });
    words.map(|(index, _)| unit.text(index)).collect()
}

/// New names for all names in their order.
fn new_names<'a>(
    order: &[SpacedName<'a>],
    roles: &BTreeMap<SpacedName<'a>, NameRole>,
    taken: &BTreeSet<&[u8]>,
) -> BTreeMap<SpacedName<'a>, Vec<u8>> {
    let mut counts: BTreeMap<NameRole, usize> = BTreeMap::new();
    let mut new = BTreeMap::new();
    for name in order {
        let Some(&role) = roles.get(name) else { continue };
        let count = counts.entry(role).or_default();
        let text = loop {
            let text = numbered(role, *count);
            *count += 1;
            let is_keyword = KEYWORDS.split(' ').any(|word| word.as_bytes() == text);
            if !is_keyword && !taken.contains(text.as_slice()) {
                break text;
            }
        };
        new.insert(*name, text);
    }
    new
}

/// Words that name numbers come to and that mean something already.
const KEYWORDS: &str = "do if as or for int asm new try and not xor all any max min pow sin cos tan exp log dot mad mix \
    fma abs clz ctz erf nan auto bool byte case char else enum goto half long pipe uint void kernel NAN EOF";

/// The name with a number among those of a role: `a` to `z`, then `aa`.
fn numbered(role: NameRole, number: usize) -> Vec<u8> {
    let (prefix, first) = match role {
        NameRole::Function => ("", b'A'),
        NameRole::Variable => ("", b'a'),
        NameRole::Type => ("T", b'a'),
        NameRole::Member => ("M", b'a'),
        NameRole::Label => ("L", b'a'),
        NameRole::Constant => ("E", b'a'),
        NameRole::Namespace => ("N", b'a'),
    };
    let mut letters = Vec::new();
    let mut rest = number + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(first + (rest % 26) as u8);
        rest /= 26;
    }
    letters.reverse();
    [prefix.as_bytes(), &letters].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(source: &str, language: Language) -> String {
        let once = normalized(source.as_bytes(), language).unwrap();
        let twice = normalized(&once, language).unwrap();
        assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&once));
        String::from_utf8(once).unwrap()
    }

    fn check(before: &str, after: &str) {
        assert_eq!(normal(before, Language::OPENCL).trim_end(), after);
    }

    #[test]
    fn names_tell_roles_in_the_order_of_declarations() {
        check("int foo(int bar) {}", "int A(int a) {}");
        check("int foo(int bar);", "int A(int a);");
        check(
            "enum { ONE }; typedef struct P { int first, x; } point;
             /* why */ kernel void add(global int *out, point p) { end: out[ONE] = p.first + p.x; goto end; }",
            "enum {Ea};
typedef struct Ta {
    int Ma, x;
} Tb;
kernel void A(global int *a, Tb b) {
La:
    a[Ea] = b.Ma + b.x;
    goto La;
}",
        );
    }

    #[test]
    fn what_the_program_does_not_declare_keeps_its_name() {
        // `step` is a variable in one function, and a built-in function in the other.
        check(
            "float f(float step) { return step; } float g(float4 x) { return step(x.hi, a).x; }",
            "float A(float b) {
    return b;
}

float B(float4 c) {
    return step(c.hi, a).x;
}",
        );
        check("float exp(float x); float erfc(float);", "float exp(float a);\nfloat erfc(float);");
        check(
            "// -g 4 -l 2\nkernel void entry(global ulong *r) {}",
            "// -g 4 -l 2\nkernel void entry(global ulong *a) {}",
        );
    }

    #[test]
    fn names_that_the_parser_lost_stay() {
        check(
            "void f(int n) { for (int i = 0; i < n; i++)\n#pragma unroll\nfor (int j = 0; j < 4; j++) g(i); }",
            "void A(int a) {
    for (int i = 0; i < a; i++)
#pragma unroll
        for (int b = 0; b < 4; b++)
            g(i);
}",
        );
    }

    #[test]
    fn macros_keep_their_words() {
        let text =
            normal("#define SIZE n\n__global__ void f(int n, int m) { m = SIZE; }", Language::CUDA);
        assert_eq!(text, "#define SIZE n\n__global__ void A(int n, int a) {\n    a = SIZE;\n}\n");
    }

    #[test]
    fn names_go_on_after_z_and_leave_out_keywords() {
        let number_of = |text: &str| {
            (0..1000).find(|&number| numbered(NameRole::Variable, number) == text.as_bytes())
        };
        assert_eq!(
            [number_of("z"), number_of("aa"), number_of("zz")],
            [Some(25), Some(26), Some(701)]
        );
        let many: String = (0..800).map(|number| format!("int name{number};\n")).collect();
        let text = normal(&many, Language::OPENCL);
        let names: BTreeSet<&str> =
            text.lines().filter_map(|line| line.strip_prefix("int ")).collect();
        assert_eq!(names.len(), 800);
        assert!(!names.contains("do;") && !names.contains("if;") && names.contains("dp;"));
    }

    #[test]
    fn each_kernel_alone_with_what_it_needs() {
        let source = "typedef int T; int f(T x) { return x; } int unused;
            kernel void k(global T *r) { r[0] = f(1); } kernel void l(global float *r) { r[0] = 1; }";
        let alone = single_kernels(source.as_bytes(), Language::OPENCL).unwrap();
        let words = |text: &Vec<u8>| {
            String::from_utf8_lossy(text).split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            alone.iter().map(words).collect::<Vec<_>>(),
            [
                "typedef int T; int f(T x) { return x; } kernel void k(global T *r) { r[0] = f(1); }",
                "kernel void l(global float *r) { r[0] = 1; }",
            ]
        );
    }
}
