//! The order under which a variant is "smaller".

use std::cmp::Ordering;

use crate::apply::Kept;
use crate::files::TestCase;
use crate::languages::Feature;
use crate::launch::Launch;
use crate::lexer::Token;
use crate::recount::recount;

/// The size of a test case: work-items, then tokens, then bytes that are not white space. Fewer
/// work-items come first because every later test is faster for them; white space is left out so
/// that layout for a person costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    /// Work-items named by the launch comments of kernels; 1 where there is none, and in a language without kernels.
    pub work_items: u64,
    /// Tokens, comments not counted.
    pub tokens: usize,
    /// Bytes that are not ASCII white space.
    pub dense_bytes: usize,
}

impl Size {
    /// Measures a test case.
    #[must_use]
    pub fn of(case: &TestCase) -> Self {
        let rules = case.language().lexer();
        Self::with_tokens(case, |_, bytes| rules.tokens(bytes).count())
    }

    /// Measures a variant from the tokens of the test case that it was made from by
    /// [`apply_and_track`](TestCase::apply_and_track). `tokens` are those of one file before; `None`
    /// where they are not [recountable](crate::is_recountable).
    #[must_use]
    pub fn of_variant<'a>(
        variant: &TestCase,
        kept: &[Kept],
        tokens: impl Fn(usize) -> Option<&'a [Token]>,
    ) -> Self {
        let rules = variant.language().lexer();
        Self::with_tokens(variant, |file, bytes| {
            let known = kept.get(file).and_then(|kept| Some((tokens(kept.file)?, &kept.runs)));
            match known {
                Some((old, Some(runs))) => recount(rules, bytes, runs, old),
                Some((old, None)) => old.len(),
                None => rules.tokens(bytes).count(),
            }
        })
    }

    fn with_tokens(case: &TestCase, tokens: impl Fn(usize, &[u8]) -> usize) -> Self {
        let mut size = Self { work_items: 1, tokens: 0, dense_bytes: 0 };
        let has_kernels = case.language().has(Feature::Kernels);
        for (index, file) in case.files().iter().enumerate() {
            if let Some(launch) = Launch::find(&file.bytes).filter(|_| has_kernels) {
                size.work_items = size.work_items.saturating_mul(launch.work_items());
            }
            size.tokens += tokens(index, &file.bytes);
            size.dense_bytes += count_dense(&file.bytes);
        }
        size
    }

    /// The order of two test cases of equal size: fewer files, then the lower dense bytes. Renaming
    /// and rewriting to a canonical form so count as progress and never go in circles.
    #[must_use]
    pub fn tie_break(a: &TestCase, b: &TestCase) -> Ordering {
        a.files().len().cmp(&b.files().len()).then_with(|| dense_of(a).cmp(dense_of(b)))
    }
}

fn dense_of(case: &TestCase) -> impl Iterator<Item = u8> {
    case.files().iter().flat_map(|file| dense(&file.bytes))
}

fn dense(bytes: &[u8]) -> impl Iterator<Item = u8> {
    bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace())
}

/// As many bytes at a time as a byte can count: so the compiler can count many at once.
fn count_dense(bytes: &[u8]) -> usize {
    let count =
        |part: &[u8]| -> u8 { part.iter().map(|byte| u8::from(!byte.is_ascii_whitespace())).sum() };
    bytes.chunks(usize::from(u8::MAX)).map(|part| usize::from(count(part))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(source: &str) -> Size {
        Size::of(&TestCase::single("a.cl", source.as_bytes()).unwrap())
    }

    #[test]
    fn work_items_weigh_more_than_tokens_and_layout_nothing() {
        assert!(size("// -g 2,1 -l 1,1\nint a, b, c;") < size("// -g 4 -l 1\nint a;"));
        assert_eq!(size("int a;"), size("int\n\ta ;\n"));
        assert!(size("int a;") < size("int ab;"));
    }
}
