//! The launch comment of a spliced kernel: few work-items, and buffers with room for what kernels compute of their ids.

use clreduce_language::kernel_signatures;
use clreduce_testcase::{Language, TokenKind, tokens};

/// Work-items and sizes of groups by the number of dimensions that the kernel asks for.
const SIZES: [([u64; 3], [u64; 3]); 3] =
    [([16, 1, 1], [4, 1, 1]), ([8, 4, 1], [4, 2, 1]), ([4, 4, 2], [2, 2, 2])];
/// Elements of each buffer; with many work-items more.
const ELEMENTS: u64 = 8192;
/// Elements that a work-item has for itself in a buffer that a part writes.
pub(crate) const OWN_ELEMENTS: u64 = 128;

/// The number of a work-item among all, by the number of dimensions.
pub(crate) fn linear_id(dimensions: usize) -> &'static str {
    match dimensions {
        1 => "get_global_id(0)",
        2 => "(get_global_id(0) + get_global_size(0) * get_global_id(1))",
        _ => {
            "(get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2)))"
        }
    }
}

/// The first line of a kernel that is launched in this number of dimensions.
pub(crate) fn comment(source: &[u8], dimensions: usize) -> String {
    let signatures = kernel_signatures(source, Language::OPENCL);
    let required = signatures.iter().find_map(|kernel| kernel.required_local.clone());
    let (global, local) = match required {
        Some(local) => {
            let mut global = local.clone();
            if let Some(first) = global.first_mut() {
                *first *= 2;
            }
            (global, local)
        }
        None => {
            let (global, local) = SIZES[dimensions - 1];
            (global[..dimensions].to_vec(), local[..dimensions].to_vec())
        }
    };
    let items = global.iter().copied().fold(1, u64::saturating_mul);
    let elements = if items > 64 { 8 * ELEMENTS } else { ELEMENTS };
    let list = |sizes: &[u64]| sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    format!("// -g {} -l {} --elements {elements}", list(&global), list(&local))
}

/// The number of dimensions that a kernel asks for: one more than the largest argument of `get_global_id` and its like.
pub(crate) fn dimensions(source: &[u8]) -> usize {
    let all: Vec<_> = tokens(source).collect();
    let text = |index: usize| all.get(index).map_or(&b""[..], |token| &source[token.range()]);
    let asked = all.iter().enumerate().filter_map(|(index, token)| {
        let is_question = token.kind == TokenKind::Word
            && text(index).starts_with(b"get_")
            && text(index + 1) == b"(";
        let digits = text(index + 2).strip_suffix(b"u").unwrap_or(text(index + 2));
        match (is_question, digits) {
            (true, b"1") => Some(2),
            (true, b"2") => Some(3),
            _ => None,
        }
    });
    asked.max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_what_the_kernel_asks_for() {
        let of = |body: &str| {
            let source = format!("kernel void k(global int *a) {{ {body} }}");
            comment(source.as_bytes(), dimensions(source.as_bytes()))
        };
        assert_eq!(of("a[get_global_id(0)] = 1;"), "// -g 16 -l 4 --elements 8192");
        assert_eq!(of("a[get_local_id(1)] = 1;"), "// -g 8,4 -l 4,2 --elements 8192");
        assert_eq!(of("a[get_group_id(2u)] = 1;"), "// -g 4,4,2 -l 2,2,2 --elements 8192");
        let required =
            b"__attribute__((reqd_work_group_size(8, 16, 1))) kernel void k(global int *a) {}";
        assert_eq!(comment(required, 1), "// -g 16,16,1 -l 8,16,1 --elements 65536");
    }
}
