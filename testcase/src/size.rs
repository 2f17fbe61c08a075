//! The order under which a variant is "smaller".

use std::cmp::Ordering;

use crate::files::TestCase;
use crate::launch::Launch;
use crate::lexer::count_tokens;

/// The size of a test case: work-items, then tokens, then bytes that are not white space. Fewer
/// work-items come first because every later test is faster for them; white space is left out so
/// that layout for a person costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    /// Work-items named by the launch comments; 1 where there is none.
    pub work_items: u64,
    /// Tokens of the C family, comments not counted.
    pub tokens: usize,
    /// Bytes that are not ASCII white space.
    pub dense_bytes: usize,
}

impl Size {
    /// Measures a test case.
    #[must_use]
    pub fn of(case: &TestCase) -> Self {
        let mut size = Self { work_items: 1, tokens: 0, dense_bytes: 0 };
        for file in case.files() {
            if let Some(launch) = Launch::find(&file.bytes) {
                size.work_items = size.work_items.saturating_mul(launch.work_items());
            }
            size.tokens += count_tokens(&file.bytes);
            size.dense_bytes += dense(&file.bytes).count();
        }
        size
    }

    /// How two test cases of equal size compare: fewer files, then the lower dense bytes. Renaming
    /// and rewriting to a canonical form so count as progress and never go in circles.
    #[must_use]
    pub fn tie_break(a: &TestCase, b: &TestCase) -> Ordering {
        let bytes = |case: &TestCase| -> Vec<u8> {
            case.files().iter().flat_map(|file| dense(&file.bytes)).collect()
        };
        a.files().len().cmp(&b.files().len()).then_with(|| bytes(a).cmp(&bytes(b)))
    }
}

fn dense(bytes: &[u8]) -> impl Iterator<Item = u8> {
    bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace())
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
