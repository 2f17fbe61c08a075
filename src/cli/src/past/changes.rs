//! What a variant changes, in tokens of the program as it is shown. Names and layout may have changed between the program that
//! the variant was made of and the one that is shown; tokens are followed from one to the other.

use std::ops::Range;

use clreduce_testcase::{Kept, Patch, Run, TestCase, Token};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The tokens of a test case, by file.
pub(super) struct TokenText {
    pub(super) case: TestCase,
    pub(super) tokens: Vec<Vec<Token>>,
}

/// A run of tokens that a variant does not have, and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Change {
    /// Index of the file.
    pub(super) file: usize,
    /// The tokens, by index; empty where something is only added.
    pub(super) tokens: Range<usize>,
    /// The text instead of them.
    pub(super) text: Vec<u8>,
}

impl TokenText {
    pub(super) fn new(case: &TestCase) -> Self {
        let lexer = case.language().lexer();
        let tokens = case.files().iter().map(|file| lexer.tokens(&file.bytes).collect()).collect();
        Self { case: case.clone(), tokens }
    }

    pub(super) fn count(&self) -> usize {
        self.tokens.iter().map(Vec::len).sum()
    }

    /// The text of some tokens, with what stands between them.
    pub(super) fn text(&self, file: usize, tokens: Range<usize>) -> &[u8] {
        let all = &self.tokens[file][tokens];
        let range = match all {
            [] => 0..0,
            [first, .., last] => first.start as usize..last.end as usize,
            [only] => only.range(),
        };
        &self.case.files()[file].bytes[range]
    }

    fn words(&self, file: usize) -> Vec<&[u8]> {
        let bytes = &self.case.files()[file].bytes;
        self.tokens[file].iter().map(|token| &bytes[token.range()]).collect()
    }

    /// Returns true if the files and their tokens are the same.
    pub(super) fn has_tokens_of(&self, other: &Self) -> bool {
        let (own, others) = (self.case.files(), other.case.files());
        let is_same =
            |at: usize| own[at].path == others[at].path && self.words(at) == other.words(at);
        own.len() == others.len() && (0..own.len()).all(is_same)
    }

    /// For each token, the one that it is in `later`, if it is still there: the file and the index.
    pub(super) fn followed_to(&self, later: &Self) -> Vec<Vec<Option<(usize, usize)>>> {
        let follow = |file: usize| {
            let path = &self.case.files()[file].path;
            let count = self.tokens[file].len();
            let now = later.case.files().iter().position(|file| file.path == *path);
            let Some(now) = now else { return vec![None; count] };
            if later.tokens[now].len() == count {
                return (0..count).map(|at| Some((now, at))).collect();
            }
            let mut places = vec![None; count];
            let (old, new) = (self.words(file), later.words(now));
            for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
                if let DiffOp::Equal { old_index, new_index, len } = op {
                    (0..len).for_each(|at| places[old_index + at] = Some((now, new_index + at)));
                }
            }
            places
        };
        (0..self.tokens.len()).map(follow).collect()
    }

    /// What a patch of this test case changes.
    pub(super) fn changes(&self, patch: &Patch) -> Vec<Change> {
        let (variant, kept) = self.case.apply_and_track(patch);
        let mut changes = Vec::new();
        for file in 0..self.tokens.len() {
            match kept.iter().position(|kept| kept.file == file) {
                None => {
                    let tokens = 0..self.tokens[file].len();
                    changes.push(Change { file, tokens, text: Vec::new() });
                }
                Some(at) => {
                    let Kept { runs: Some(runs), .. } = &kept[at] else { continue };
                    let bytes = &variant.files()[at].bytes;
                    self.of_file(file, runs, bytes, &mut changes);
                }
            }
        }
        changes
    }

    /// The changes of one file, of which these runs are left in its new text.
    fn of_file(&self, file: usize, runs: &[Run], new: &[u8], changes: &mut Vec<Change>) {
        let run_of = |token: &Token| {
            let range = token.range();
            let index = runs.partition_point(|run| run.old + run.length < range.end);
            let run = runs.get(index).filter(|run| run.old <= range.start)?;
            Some(run.new + range.start - run.old..run.new + range.end - run.old)
        };
        let tokens = &self.tokens[file];
        let (mut at, mut first) = (0, 0);
        for index in 0..=tokens.len() {
            let place = tokens.get(index).map(run_of);
            // A token that is not left belongs to the gap before the next one that is.
            let (start, end) = match place {
                Some(None) => continue,
                Some(Some(place)) => (place.start, place.end),
                None => (new.len(), new.len()),
            };
            let gap = &new[at.min(start)..start];
            if first < index || !gap.iter().all(u8::is_ascii_whitespace) {
                self.of_gap(file, first..index, gap, changes);
            }
            (at, first) = (end, index + 1);
        }
    }

    /// The changes between two tokens that are left: of what went, some may stand in the new text.
    fn of_gap(&self, file: usize, gone: Range<usize>, gap: &[u8], changes: &mut Vec<Change>) {
        let bytes = &self.case.files()[file].bytes;
        let old: Vec<&[u8]> =
            self.tokens[file][gone.clone()].iter().map(|token| &bytes[token.range()]).collect();
        let added: Vec<Token> = self.case.language().lexer().tokens(gap).collect();
        let new: Vec<&[u8]> = added.iter().map(|token| &gap[token.range()]).collect();
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if matches!(op, DiffOp::Equal { .. }) {
                continue;
            }
            let (was, is) = (op.old_range(), &added[op.new_range()]);
            let text = match is {
                [] => Vec::new(),
                [first, ..] => {
                    let last = is.last().map_or(first.end, |last| last.end);
                    gap[first.start as usize..last as usize].to_vec()
                }
            };
            let tokens = gone.start + was.start..gone.start + was.end;
            changes.push(Change { file, tokens, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Edit;

    use super::*;

    fn text(source: &str) -> TokenText {
        TokenText::new(&TestCase::single("a.c", source.as_bytes()).unwrap())
    }

    fn changes(source: &str, edits: Vec<Edit>) -> Vec<(Range<usize>, String)> {
        let patch = Patch::new(edits).unwrap();
        let changes = text(source).changes(&patch);
        changes.into_iter().map(|it| (it.tokens, String::from_utf8(it.text).unwrap())).collect()
    }

    #[test]
    fn a_change_is_told_in_tokens() {
        let source = "f(a, b);\nif (x) { g(); }\n";
        assert_eq!(changes(source, vec![Edit::delete(0, 0..9)]), [(0..7, String::new())]);
        // The comma goes with the element.
        let comma = changes(source, vec![Edit::delete_element(0, 5..6)]);
        assert_eq!(comma, [(3..5, String::new())]);
        let unwrapped = changes(source, vec![Edit::replace(0, 9..24, b"g();".as_slice())]);
        assert_eq!(unwrapped, [(7..12, String::new()), (16..17, String::new())]);
        let constant = changes(source, vec![Edit::replace(0, 2..6, b"0".as_slice())]);
        assert_eq!(constant, [(2..5, "0".to_owned())]);
    }

    #[test]
    fn tokens_are_followed_through_other_names_and_layout() {
        let (old, new) = (text("int foo = 1;"), text("int\na\n= 1 ;"));
        let places = old.followed_to(&new);
        assert_eq!(places[0], (0..5).map(|at| Some((0, at))).collect::<Vec<_>>());
        let places = old.followed_to(&text("int foo;"));
        assert_eq!(places[0], [Some((0, 0)), Some((0, 1)), None, None, Some((0, 2))]);
    }
}
