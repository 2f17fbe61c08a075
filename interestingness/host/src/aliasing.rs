//! Accesses through pointers to other types, such as a read of a `float` where an `int` was written last.
//!
//! Before: `%9 = load float, ptr %8, align 4, !tbaa !12`
//! After: the same, and before it `call void @clreduce_typed_load(ptr %8, i64 4, i32 2)`
//!
//! clang's front end says of each access of which type it is, where it compiles for an optimiser, which may then take two
//! accesses of two types for accesses to two places. Characters, unions and vectors may be anything. The run-time remembers
//! the type by which each byte was written last.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use clreduce_testcase::tokens;

use crate::operands::{Access, operands};

/// The types that are told apart, by clang's names. Two types of one size and kind are one.
const TYPES: [(&str, u32); 10] = [
    ("int", 1),
    ("float", 2),
    ("short", 3),
    ("long", 4),
    ("long long", 4),
    ("double", 5),
    ("any pointer", 6),
    ("half", 7),
    ("_Float16", 7),
    ("__fp16", 7),
];

/// Returns true if a program has a pointer or a reference to a number that it may have made of one to another type: a cast, as
/// in `(float *)p` or `reinterpret_cast<float &>(x)`.
pub(crate) fn casts_to_numbers(program: &[u8]) -> bool {
    const NUMBERS: [&str; 16] = [
        "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half", "unsigned",
        "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "T",
    ];
    let words: Vec<&[u8]> = tokens(program).map(|token| &program[token.range()]).collect();
    words.windows(3).any(|three| {
        NUMBERS.iter().any(|number| number.as_bytes() == three[0])
            && matches!(three[1], b"*" | b"&")
            && matches!(three[2], b")" | b">" | b"const")
    })
}

/// Puts calls of the run-time beside the accesses of a module.
pub(crate) fn check(module: &str) -> String {
    // Older versions of clang have pointers of many types.
    if !module.contains(", ptr ") {
        return module.to_owned();
    }
    let types = Metadata::read(module);
    let mut text = String::with_capacity(module.len() * 2);
    let (mut is_watched, mut parameters) = (false, None);
    for line in module.lines() {
        if parameters.is_some() && !line.ends_with(':') {
            text.extend(parameters.take());
        }
        if line.starts_with("define ") {
            is_watched = types.is_watched(line);
            parameters = is_watched.then(|| copied_parameters(line));
        }
        let calls = if is_watched { Calls::of(line, &types) } else { Calls::default() };
        for part in [calls.before.as_str(), line, "\n", calls.after.as_str()] {
            text.push_str(part);
        }
    }
    text.push_str(
        "declare void @clreduce_typed_load(ptr, i64, i32)\ndeclare void @clreduce_typed_store(ptr, i64, i32)\n\
         declare void @clreduce_typed_copy(ptr, ptr, i64)\n",
    );
    text
}

/// The metadata at the end of a module.
struct Metadata<'a> {
    /// The numbers of types by those of the nodes that accesses name.
    of_access: BTreeMap<&'a str, u32>,
    /// The groups of attributes of functions that AddressSanitizer watches.
    watched: BTreeSet<&'a str>,
}

impl<'a> Metadata<'a> {
    fn read(module: &'a str) -> Self {
        let (mut of_type, mut accesses) = (BTreeMap::new(), Vec::new());
        let mut watched = BTreeSet::new();
        for line in module.lines() {
            if let Some((name, attributes)) =
                line.strip_prefix("attributes ").and_then(|line| line.split_once(" = "))
                && attributes.contains("sanitize_address")
            {
                watched.insert(name);
            }
            let Some((node, content)) = line.split_once(" = !{").filter(|_| line.starts_with('!'))
            else {
                continue;
            };
            if let Some((name, _)) =
                content.strip_prefix("!\"").and_then(|rest| rest.split_once('"'))
            {
                let is_pointer = name
                    .strip_prefix('p')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                let known = TYPES.iter().find(|(known, _)| *known == name);
                let number = known.map_or(if is_pointer { 6 } else { 0 }, |(_, number)| *number);
                of_type.insert(node, number);
            } else if let Some((_, access)) = content.split_once(", ") {
                accesses.push((node, access.split([',', '}']).next().unwrap_or_default()));
            }
        }
        let number = |(node, access)| (node, of_type.get(access).copied().unwrap_or(0));
        Self { of_access: accesses.into_iter().map(number).collect(), watched }
    }

    /// The number of the type of an access; 0 where it may be any.
    fn of(&self, line: &str) -> u32 {
        let node = line.split_once(", !tbaa ").map(|(_, rest)| rest.split([',', ' ']).next());
        node.flatten().and_then(|node| self.of_access.get(node)).copied().unwrap_or(0)
    }

    fn is_watched(&self, definition: &str) -> bool {
        definition.split(' ').any(|word| self.watched.contains(word))
    }
}

/// The calls before and after a line.
#[derive(Default)]
struct Calls {
    before: String,
    after: String,
}

impl Calls {
    fn of(line: &str, types: &Metadata<'_>) -> Self {
        let mut calls = Self::default();
        let location = line.find(", !dbg ").map_or("", |at| &line[at..]);
        let code = line.trim_start();
        // Writing to a string cannot fail.
        if let Some(Access { is_store, kind, place, .. }) = Access::of(line) {
            let (size, number) = (size_of(kind), types.of(line));
            if is_store {
                calls.after = format!(
                    "  call void @clreduce_typed_store(ptr {place}, i64 {size}, i32 {number}){location}\n"
                );
            } else if number > 0 {
                calls.before = format!(
                    "  call void @clreduce_typed_load(ptr {place}, i64 {size}, i32 {number}){location}\n"
                );
            }
        } else if let Some((result, kind)) = code.split_once(" = alloca ") {
            // The variables of functions that have returned lay here. Those whose size is not known are left out.
            if let [kind, rest @ ..] = &operands(kind)[..]
                && !rest.iter().any(|operand| operand.starts_with('i'))
            {
                let size = size_of(kind);
                calls.after =
                    format!("  call void @clreduce_typed_store(ptr {result}, i64 {size}, i32 0)\n");
            }
        } else if let Some(arguments) = code.strip_prefix("call void @llvm.mem") {
            calls.after = block(arguments, location).unwrap_or_default();
        }
        calls
    }
}

/// Calls that forget what lay in the place of parameters which the compiler copies: `ptr byval(%struct.S) align 8 %v`.
fn copied_parameters(definition: &str) -> String {
    let mut calls = String::new();
    for parameter in definition.split("byval(").skip(1) {
        let parameter = parameter.split(", ptr").next().unwrap_or(parameter);
        let kind = parameter.split(')').next().unwrap_or_default();
        let name = parameter.split(' ').find(|word| word.starts_with('%') && !word.contains(kind));
        let name = name.map(|name| name.trim_end_matches([',', ')']));
        let size = size_of(kind);
        // Writing to a string cannot fail.
        let _ = name.map(|name| {
            writeln!(calls, "  call void @clreduce_typed_store(ptr {name}, i64 {size}, i32 0)")
        });
    }
    calls
}

/// Returns the call after an instruction that copies memory or sets a whole piece of it.
fn block(arguments: &str, location: &str) -> Option<String> {
    let (_, inside) = arguments.split_once('(')?;
    let operands = operands(inside);
    let [to, from, bytes, ..] = &operands[..] else { return None };
    let (to, bytes) = (place_in(to)?, bytes.strip_prefix("i64 ")?);
    Some(match place_in(from) {
        Some(from) => {
            format!(
                "  call void @clreduce_typed_copy(ptr {to}, ptr {from}, i64 {bytes}){location}\n"
            )
        }
        None => {
            format!("  call void @clreduce_typed_store(ptr {to}, i64 {bytes}, i32 0){location}\n")
        }
    })
}

/// The pointer in `ptr align 8 %1`.
fn place_in(operand: &str) -> Option<&str> {
    let rest = operand.strip_prefix("ptr ")?;
    match rest.strip_prefix("align ") {
        Some(rest) => rest.split_once(' ').map(|(_, place)| place),
        None => Some(rest),
    }
}

/// The size of a type, as an expression.
fn size_of(kind: &str) -> String {
    format!("ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "define void @k() #0 {\n  %1 = load float, ptr %0, align 4, !tbaa !3, !dbg !9\n  \
        store <2 x i32> <i32 1, i32 2>, ptr %0, align 8\n  ret void\n}\ndefine void @own() #1 {\n  \
        store i32 1, ptr %0, align 4, !tbaa !3\n}\nattributes #0 = { sanitize_address }\nattributes #1 = { }\n\
        !3 = !{!4, !4, i64 0}\n!4 = !{!\"float\", !5, i64 0}\n";

    #[test]
    fn accesses_of_watched_functions_are_told() {
        let text = check(MODULE);
        assert!(text.contains(
            "  call void @clreduce_typed_load(ptr %0, i64 ptrtoint (ptr getelementptr (float, ptr null, i32 1) to i64), i32 2), !dbg !9\n  %1 = load"
        ));
        assert!(
            text.contains("ptr getelementptr (<2 x i32>, ptr null, i32 1) to i64), i32 0)\n  ret")
        );
        assert_eq!(text.matches("call void @clreduce_typed_store").count(), 1, "{text}");
    }

    #[test]
    fn casts_to_numbers_are_found() {
        assert!(casts_to_numbers(b"x = *(float *)&i;"));
        assert!(casts_to_numbers(b"x = reinterpret_cast<const int&>(f);"));
        assert!(!casts_to_numbers(b"int *f(float *p) { return (char *)p; }"));
    }
}
