//! The names of a kernel: what it calls its functions and variables is its own business.
//!
//! The linker binds all names of a kernel within the kernel, so the C library and the run-time never stand in for one of
//! its functions. Two kinds of names need more: the compiler calls some functions by itself, as `memcpy` to copy a structure,
//! and the linker defines some symbols. The kernel's functions of these names get others.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clreduce_kernel::Number;
use clreduce_testcase::tokens;

use crate::FILE;
use crate::flavour::Flavour;
use crate::subject::{HostKernel, RESERVED};
use crate::symbols;

/// What the other name of such a function begins with.
const OWN: &str = "clreduce_own_";

/// The functions that clang calls by itself, and the symbols that the linker gives a meaning.
const TAKEN: [&str; 18] = [
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "strlen",
    "fmod",
    "fmodf",
    "_init",
    "_fini",
    "_end",
    "_edata",
    "_etext",
    "__bss_start",
    "_DYNAMIC",
    "_GLOBAL_OFFSET_TABLE_",
    "_PROCEDURE_LINKAGE_TABLE_",
    "__dso_handle",
];

/// Returns true if one of these words stands in the program.
pub(crate) fn has_word(source: &[u8], words: &[&str]) -> bool {
    tokens(source).any(|token| words.iter().any(|word| word.as_bytes() == &source[token.range()]))
}

/// Returns the text that stands before a program; the lines of the program keep their numbers.
pub(crate) fn before(subject: &HostKernel, flavour: Flavour) -> String {
    let source = &subject.source;
    if subject.is_cuda() {
        return String::new();
    }
    let matters = |word: &&[u8]| {
        word.starts_with(b"as_")
            || word.ends_with(b"3")
            || matches!(*word, b"overloadable" | b"printf")
            || TAKEN.iter().any(|name| name.as_bytes() == *word)
    };
    let words = tokens(source).map(|token| &source[token.range()]);
    let words: BTreeSet<&[u8]> = words.filter(matters).collect();
    let has = |word: &str| words.contains(word.as_bytes());
    let mut text = String::new();
    // Writing to a string cannot fail, here and below. An overloaded function has a mangled name.
    for name in TAKEN.iter().filter(|name| has(name) && !has("overloadable")) {
        let _ = writeln!(text, "#pragma redefine_extname {name} {OWN}{name}");
    }
    // The C library does not know vectors.
    if has("printf") {
        text.push_str("#pragma redefine_extname printf clreduce_printf\n");
    }
    if flavour == Flavour::Memory {
        text.push_str(&fourth_of_three(&words));
    }
    if !text.is_empty() {
        let _ = writeln!(text, "#line 1 \"{FILE}\"");
    }
    text
}

/// The types by the bytes of a vector of four of them, with the bits of one.
const WIDTHS: [(usize, [&str; 3], u32); 4] = [
    (4, ["char", "uchar", "uchar"], 8),
    (8, ["short", "ushort", "half"], 16),
    (16, ["int", "uint", "float"], 32),
    (32, ["long", "ulong", "double"], 64),
];

/// Returns definitions of `as_uchar4` and its siblings of which MemorySanitizer knows that the fourth element of a vector of
/// three has no value, where the program has these functions and such vectors.
fn fourth_of_three(words: &BTreeSet<&[u8]>) -> String {
    let mut text = String::new();
    for (bytes, types, bits) in WIDTHS {
        let threes = types.map(|one| format!("{one}3"));
        let threes: BTreeSet<&String> =
            threes.iter().filter(|three| words.contains(three.as_bytes())).collect();
        let of_three: String = threes.iter().map(|three| format!("{three}: 1, ")).collect();
        let names =
            words.iter().filter_map(|word| std::str::from_utf8(word.strip_prefix(b"as_")?).ok());
        let is_as_large = |name: &&str| {
            Number::built_in(name).is_some_and(|to| to.lanes != 3 && to.bytes() == bytes)
        };
        let names: Vec<&str> = names.filter(is_as_large).collect();
        if threes.is_empty() || names.is_empty() {
            continue;
        }
        let four = format!("{}4", types[1]);
        let _ = writeln!(
            text,
            "{one} clreduce_undefined_fourth_i{bits}(void);\n\
             static {four} clreduce_of_three_i{bits}({four} v) {{ v.w = clreduce_undefined_fourth_i{bits}(); return v; }}",
            one = types[1]
        );
        for name in names {
            let _ = writeln!(
                text,
                "#undef as_{name}\n#define as_{name}(x) __builtin_choose_expr(_Generic((x), {of_three}default: 0), \
                 __builtin_astype(clreduce_of_three_i{bits}(__builtin_astype((x), {four})), {name}), \
                 __builtin_astype((x), {name}))"
            );
        }
    }
    text
}

/// Returns the functions that a kernel in OpenCL C declares and calls without a definition: those of the C library are not
/// meant.
pub(crate) fn foreign(undefined: &BTreeSet<String>, subject: &HostKernel) -> Vec<String> {
    if subject.is_cuda() {
        return Vec::new();
    }
    // The compiler's own calls have the names that the kernel's functions have given up.
    let own = |name: &str| name.strip_prefix(OWN).map(str::to_owned);
    let is_foreign = |name: &&String| {
        symbols::split_mangled(name).is_none()
            && !RESERVED.iter().any(|start| name.as_bytes().starts_with(start))
            && !TAKEN.contains(&name.as_str())
            && has_word(&subject.source, &[name])
    };
    undefined
        .iter()
        .filter_map(|name| own(name).or_else(|| Some(name).filter(is_foreign).cloned()))
        .collect()
}
