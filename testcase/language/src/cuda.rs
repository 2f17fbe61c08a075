//! Hides words of CUDA at places where the grammar does not know them.

use clreduce_testcase::{CudaWord, Token, step};

use crate::shadow::{blank, parentheses};

/// Pragmas about the next declaration.
const PRAGMAS: [&[u8]; 2] = [b"hd_warning_disable", b"nv_exec_check_disable"];

/// Hides in the shadow text `out` of `bytes` what the grammar of CUDA does not know.
///
/// - `__align__(16)` between `struct` and its name, and attributes of newer versions, become blanks.
/// - So do `__host__` and `__device__` in `[=] __device__ (int x) { }` and before `friend`.
/// - `__launch_bounds__(256, 2, 4)` loses its third argument.
/// - `#pragma nv_exec_check_disable` becomes a part of the declaration that it must stand before.
pub(super) fn hide(bytes: &[u8], tokens: &[Token], out: &mut [u8]) {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    let partners = parentheses(bytes, tokens);
    for at in 0..tokens.len() {
        step();
        let word = text(at);
        let closing = partners.get(at + 1).copied().flatten();
        match (word, closing) {
            (b"__launch_bounds__", Some(closing)) => {
                let list = at + 2..closing;
                if let Some(comma) = second_comma(list, &text) {
                    blank(out, tokens[comma].range().start..tokens[closing].range().start);
                }
            }
            (b"#", _) if text(at + 1) == b"pragma" && PRAGMAS.contains(&text(at + 2)) => {
                blank(out, tokens[at].range().start..tokens[at + 2].range().end);
            }
            (_, Some(closing)) if CudaWord::of(word) == Some(CudaWord::WithArguments) => {
                blank(out, tokens[at].range().start..tokens[closing].range().end);
            }
            (b"friend" | b"(" | b"{", _) => {
                let is_word =
                    |index: &usize| CudaWord::of(text(*index)).is_some_and(is_of_function);
                let words: Vec<usize> =
                    (0..at).rev().take(MOST_WORDS).take_while(is_word).collect();
                let before = at.checked_sub(words.len() + 1).map_or(&b""[..], text);
                if word == b"friend" || before == b"]" {
                    words.into_iter().for_each(|index| blank(out, tokens[index].range()));
                }
            }
            _ => {}
        }
    }
}

/// Returns true for words that say where a function runs, and how it is compiled.
fn is_of_function(word: CudaWord) -> bool {
    matches!(word, CudaWord::Kernel | CudaWord::Specifier)
}

/// The most such words in a row that are read; programs have fewer.
const MOST_WORDS: usize = 8;

/// The second comma of a list that is in no parentheses.
fn second_comma<'a>(
    list: std::ops::Range<usize>,
    text: &impl Fn(usize) -> &'a [u8],
) -> Option<usize> {
    let (mut depth, mut commas) = (0_usize, 0);
    // Longer lists are left as they are.
    list.take(256).find(|&at| {
        step();
        match text(at) {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            b"," if depth == 0 => commas += 1,
            _ => {}
        }
        commas == 2
    })
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use crate::{NodeId, SyntaxTree};

    #[test]
    fn words_at_odd_places_are_no_errors() {
        for source in [
            "struct __align__(sizeof(int)) A { int x; };",
            "auto f = [=] __host__ __device__ (int x) { return x; }; auto g = [] __device__ { };",
            "struct A { __host__ __device__ friend bool operator==(A, A) { return true; } };",
            "template <int N> __global__ void __launch_bounds__(N, f(1, 2), 4) k(int *p) { *p = N; }",
            "__global__ void __cluster_dims__(2, 1, 1) k(int *__restrict__ p) { *p = 1; }",
            "extern \"C\" __global__ void __launch_bounds__(64) k(); void g() { k<<<1, 2>>>(); }",
            "__attribute__((device)) static __inline__ __attribute__((always_inline)) int f() { return 1; }",
            "struct A { __device__ A() { } __host__ __device__ operator int() const; __device__ ~A(); };",
            "static __attribute__((shared)) int x[4]; __device__ __constant__ const int y = 1;",
        ] {
            let tree = SyntaxTree::parse(source.as_bytes(), Language::CUDA);
            assert!(!tree.has_error(NodeId(0)), "{source}");
        }
    }
}
