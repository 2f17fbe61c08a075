//! Counts the tokens of a variant from those of the text that it was made from, and reads only what is new.

use crate::apply::Run;
use crate::lexer::{Lexer, LexicalRules, Token};

/// Returns true if [`recount`] may be used: each token depends on what stands beside it alone. A lone quote, or a
/// comment that never ends, depends on everything behind it.
#[must_use]
pub fn is_recountable(rules: &LexicalRules, bytes: &[u8], tokens: &[Token]) -> bool {
    tokens.iter().all(|token| rules.is_closed(bytes, token))
}

/// The number of tokens of a file after a patch: that of [`LexicalRules::tokens`] for `new`.
/// `runs` are what the patch left of the file before, and `old` its tokens, which are
/// [recountable](is_recountable).
#[must_use]
pub fn recount(rules: &LexicalRules, new: &[u8], runs: &[Run], old: &[Token]) -> usize {
    let mut lexer = Lexer::new(rules, new);
    let mut count = 0;
    for run in runs {
        loop {
            let at = lexer.next_start();
            if at >= run.new + run.length {
                break;
            }
            if at >= run.new
                && let Some((tokens, end)) = known(rules, run, old, at)
            {
                count += tokens;
                lexer.skip_to(end);
            } else {
                count += usize::from(lexer.next().is_some());
            }
        }
    }
    count + lexer.count()
}

/// The tokens that follow `at` in a run and are as they were: how many, and where the last one ends.
fn known(rules: &LexicalRules, run: &Run, old: &[Token], at: usize) -> Option<(usize, usize)> {
    let before = at - run.new + run.old;
    let first = old.partition_point(|token| (token.start as usize) < before);
    let run_end = run.old + run.length;
    let after = old.partition_point(|token| token.end as usize + rules.look_ahead() <= run_end);
    let known = old.get(first..after)?;
    let (first, last) = (known.first()?, known.last()?);
    (first.start as usize == before).then(|| (known.len(), last.end as usize - run.old + run.new))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lexer::{C_FAMILY, count_tokens, tokens};
    use crate::{Edit, Patch, TestCase};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn the_same_as_counting_anew(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "b1", " ", "\n", "1", ".", "e", "+", "<", "=", "-", ">", "/", "*", "//", "/*",
                    "*/", "\"", "'", "\\", "L", "u8", "#", ",", "{", "}", "\"s\"", "/*c*/", "0x1p", "..",
                ]),
                0..40,
            ),
            edits in prop::collection::vec(
                (0..60_usize, 0..12_usize, 0..3_u8, prop::sample::select(vec!["", "x", "\"", "/*", "*/", "<", " "])),
                1..5,
            ),
        ) {
            let source = pieces.concat();
            let old: Vec<_> = tokens(source.as_bytes()).collect();
            let edits = edits.into_iter().map(|(start, length, kind, text)| {
                let start = start.min(source.len());
                let range = start..(start + length).min(source.len());
                match kind {
                    0 => Edit::delete_element(0, range),
                    1 => Edit::delete(0, range),
                    _ => Edit::replace(0, range, text.as_bytes()),
                }
            });
            let case = TestCase::single("a.c", source.as_bytes()).unwrap();
            if let Some(patch) = Patch::new(edits.collect()) {
                let (variant, kept) = case.apply_and_track(&patch);
                let new = &variant.files()[0].bytes;
                let runs = kept[0].runs.as_deref().unwrap();
                for run in runs {
                    prop_assert_eq!(
                        &new[run.new..run.new + run.length],
                        &source.as_bytes()[run.old..run.old + run.length]
                    );
                }
                if is_recountable(&C_FAMILY, source.as_bytes(), &old) {
                    prop_assert_eq!(recount(&C_FAMILY, new, runs, &old), count_tokens(new));
                }
            }
        }
    }
}
