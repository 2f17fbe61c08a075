//! Alignment of vectors.
//!
//! Before: `%9 = load <4 x i32>, ptr %8, align 16`
//! After: the same, and before it `call void @clreduce_aligned(ptr %8, i64 16)`
//!
//! UndefinedBehaviorSanitizer checks the alignment of what reads or writes a whole vector in OpenCL C or a member of one in
//! CUDA, where vectors are structures; but not of what reads or writes lanes, as in `p->x`, nor of what copies a whole
//! structure.

use std::fmt::Write;

use clreduce_testcase::tokens;

use crate::operands::{Access, operands};

/// Returns true if a program has a pointer to a vector that it may have made of another one: a cast, as in `(int4 *)p` or
/// `reinterpret_cast<int4 *>(p)`.
pub(crate) fn casts_to_vectors(program: &[u8]) -> bool {
    let words: Vec<&[u8]> = tokens(program).map(|token| &program[token.range()]).collect();
    let is_vector = |word: &[u8]| {
        let is_wide =
            ["1", "2", "3", "4", "8", "16"].iter().any(|lanes| word.ends_with(lanes.as_bytes()));
        is_wide && word.first().is_some_and(u8::is_ascii_lowercase)
    };
    words.windows(3).any(|three| {
        is_vector(three[0]) && three[1] == b"*" && matches!(three[2], b")" | b">" | b"const")
    })
}

/// Puts checks before the copies of a module, and before its accesses to vectors.
pub(crate) fn check(module: &str) -> String {
    let mut pointer = None;
    let mut text = String::with_capacity(module.len() + module.len() / 8);
    for line in module.lines() {
        for (kind, value, alignment) in copied(line).chain(accessed(line)) {
            let location = line.find(", !dbg ").map_or("", |at| &line[at..]);
            // All pointers are of one type. Writing to a string cannot fail, here and below.
            pointer = Some(kind);
            let _ = writeln!(
                text,
                "  call void @clreduce_aligned({kind} {value}, i64 {alignment}){location}"
            );
        }
        text.push_str(line);
        text.push('\n');
    }
    if let Some(kind) = pointer {
        let _ = writeln!(text, "declare void @clreduce_aligned({kind}, i64)");
    }
    text
}

/// The two pointers of a call of `memcpy`, each with its type and its alignment.
fn copied(line: &str) -> impl Iterator<Item = (&str, &str, u64)> {
    let call = line.trim_start().strip_prefix("call void @llvm.memcpy.");
    let inside = call.and_then(|call| call.split_once('(')).map_or("", |(_, inside)| inside);
    let all = operands(inside).into_iter().take(2).filter_map(aligned);
    all.filter(|(.., alignment)| *alignment > 1)
}

/// Type, value and alignment in `ptr align 16 %1`.
fn aligned(operand: &str) -> Option<(&str, &str, u64)> {
    let (kind, rest) = operand.split_once(" align ")?;
    let (alignment, value) = rest.split_once(' ')?;
    Some((kind, value, alignment.parse().ok()?))
}

/// The pointer through which a vector is read or written.
fn accessed(line: &str) -> Option<(&str, &str, u64)> {
    let Access { kind, place, alignment, .. } = Access::of(line)?;
    (kind.starts_with('<') && alignment > 1).then_some(("ptr", place, alignment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_checked_by_the_alignment_of_their_types() {
        let copy = "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %7, ptr align 4 %8, i64 16, i1 false), !dbg !3\n";
        let checks = "  call void @clreduce_aligned(ptr %7, i64 16), !dbg !3\n  call void @clreduce_aligned(ptr %8, i64 4), !dbg !3\n";
        assert_eq!(
            check(copy),
            format!("{checks}{copy}declare void @clreduce_aligned(ptr, i64)\n")
        );
        let other = "  call void @llvm.memset.p0.i64(ptr align 16 %7, i8 0, i64 16, i1 false)\n";
        assert_eq!(check(other), other);
    }

    #[test]
    fn accesses_to_vectors_are_checked() {
        let load = "  %31 = load <3 x i32>, ptr %30, align 16, !dbg !4\n";
        assert!(
            check(load).starts_with("  call void @clreduce_aligned(ptr %30, i64 16), !dbg !4\n")
        );
        let store = "  store volatile <2 x i8> <i8 1, i8 2>, ptr %v, align 2, !tbaa !5\n";
        assert!(check(store).starts_with("  call void @clreduce_aligned(ptr %v, i64 2)\n"));
        let scalar = "  %31 = load i32, ptr %30, align 4\n";
        assert_eq!(check(scalar), scalar);
    }

    #[test]
    fn casts_to_vectors_are_found() {
        assert!(casts_to_vectors(b"int4 v = *(int4 *)p;"));
        assert!(casts_to_vectors(b"auto p = reinterpret_cast<const float2*>(q);"));
        assert!(!casts_to_vectors(
            b"__global__ void k(int4 *p, int *x1) { p[0] = make_int4(1, 2, 3, 4); }"
        ));
    }
}
