//! Lays the program out for a person: one statement a line, indented by its nesting.
//!
//! Exempt from the size order, which does not see white space.
//!
//! before:
//! ```c
//! int f(int x) {return x  *-1;}
//! ```
//! after:
//! ```c
//! int f(int x) {
//!     return x * -1;
//! }
//! ```

use std::ops::Range;

use clreduce_testcase::{Edit, Feature, Language};

use super::layout::{indented, lay_out, trim_lines};
use crate::analysis::{Tokens, comments};
use crate::pass::{ANY, Pass, Proposal, Proposals};
use crate::{Snapshot, SyntaxTree};

pub(crate) const PASS: Pass =
    Pass::new("format", "Lay the program out for a person", ANY, propose).layout_only();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let language = snapshot.language();
    for unit in Tokens::all(snapshot) {
        // A single token cannot be laid out, and a line break would double the size of a file of one byte.
        if unit.tokens.len() < 2 && unit.bytes.trim_ascii() == unit.bytes {
            continue;
        }
        for (list, new) in (0..).zip(formatted(unit, snapshot.tree(unit.file), language)) {
            if new != unit.bytes && with_tokens(&new, language, |other| says_the_same(unit, other))
            {
                let edit = Edit::replace(unit.file, 0..unit.bytes.len(), new);
                proposals.push(Proposal::edit(edit).in_list(list));
            }
        }
    }
}

/// A file laid out, in the ways to try, the best first; none where the result would not be stable.
fn formatted(unit: Tokens<'_>, tree: &SyntaxTree, language: Language) -> Vec<Vec<u8>> {
    if !language.has(Feature::Syntax) {
        let trimmed = trim_lines(unit.rules, unit.bytes);
        // Where indentation is part of the program, one blank says it.
        let most = if language.has(Feature::Indentation) { 1 } else { usize::MAX };
        return vec![indented(&trimmed, most), trimmed];
    }
    let laid_out = lay_out(unit, tree).filter(|new| {
        let again = with_tokens(new, language, |unit| {
            lay_out(unit, &SyntaxTree::parse(unit.bytes, language))
        });
        again.as_ref() == Some(new)
    });
    laid_out.into_iter().collect()
}

fn with_tokens<T>(bytes: &[u8], language: Language, with: impl FnOnce(Tokens<'_>) -> T) -> T {
    let rules = language.lexer();
    let tokens: Vec<_> = rules.tokens(bytes).collect();
    with(Tokens { file: 0, rules, bytes, tokens: &tokens })
}

/// Returns true if two texts have the same tokens, directives and comments.
fn says_the_same(old: Tokens<'_>, new: Tokens<'_>) -> bool {
    let tokens = |unit: Tokens<'_>| (0..unit.tokens.len()).all(|at| unit.text(at) == old.text(at));
    let comments = |unit: Tokens<'_>| -> Vec<Vec<u8>> {
        let text = |range: Range<usize>| unit.bytes[range].trim_ascii_end().to_vec();
        comments(unit).into_iter().map(|comment| text(comment.range)).collect()
    };
    old.tokens.len() == new.tokens.len()
        && tokens(new)
        && old.directives().eq(new.directives())
        && comments(old) == comments(new)
}
