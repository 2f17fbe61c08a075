//! The filter of `--keep-names`: no name that the program declares is replaced by another name.
//!
//! It judges edits, so that no pass escapes it. An edit that replaces a name together with other tokens (a call by the
//! body of its function, an expression by its value) is no renaming. An edit that replaces one name by one other name
//! is, also where the one is the value of the other: the edit alone does not tell the difference.

use std::collections::HashSet;
use std::ops::Range;
use std::slice;

use clreduce_language::{NodeKind, Number};
use clreduce_passes::Snapshot;
use clreduce_testcase::{Edit, Patch, Token, TokenKind, tokens};

/// The names of a snapshot.
pub(super) struct Names<'a> {
    base: &'a Snapshot,
    /// The names that the program declares.
    declared: HashSet<&'a [u8]>,
    /// Every word of the program.
    words: HashSet<&'a [u8]>,
}

impl<'a> Names<'a> {
    pub(super) fn of(base: &'a Snapshot) -> Self {
        let mut names = Self { base, declared: HashSet::new(), words: HashSet::new() };
        for file in 0..base.file_count() {
            let (bytes, tree, symbols) = (base.bytes(file), base.tree(file), base.symbols(file));
            let declarations = symbols.ids().flat_map(|id| &symbols.get(id).declarations);
            names.declared.extend(declarations.map(|&name| &bytes[tree.range(name)]));
            let fields = tree.ids().filter(|&node| {
                let is_use = |parent| {
                    matches!(
                        tree.kind(parent),
                        NodeKind::FieldExpression | NodeKind::FieldDesignator
                    )
                };
                tree.kind(node) == NodeKind::FieldIdentifier
                    && !tree.parent(node).is_some_and(is_use)
            });
            names.declared.extend(fields.map(|name| &bytes[tree.range(name)]));
            let words = base.tokens(file).iter().filter(|token| token.kind == TokenKind::Word);
            names.words.extend(words.map(|token| &bytes[token.range()]));
        }
        names
    }

    /// Returns whether a patch renames something.
    pub(super) fn are_replaced_by(&self, patch: &Patch) -> bool {
        let edits = patch.edits();
        let mut first = 0;
        while first < edits.len() {
            // Edits that touch are one change.
            let mut last = first;
            while edits.get(last + 1).is_some_and(|next| self.touch(&edits[last], next)) {
                last += 1;
            }
            // One of them alone may rename as well: `a` for `t` in `int t = a; t + 1`, where the declaration goes beside it.
            let change = &edits[first..=last];
            if self.renames(change) || change.iter().any(|edit| self.renames(slice::from_ref(edit)))
            {
                return true;
            }
            first = last + 1;
        }
        false
    }

    /// Returns true if no token stands between two edits.
    fn touch(&self, edit: &Edit, next: &Edit) -> bool {
        edit.file == next.file
            && self.tokens(edit.file, edit.range().end..next.start as usize).is_empty()
    }

    fn renames(&self, edits: &[Edit]) -> bool {
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return false };
        let bytes = self.base.bytes(first.file as usize);
        let old = self.tokens(first.file, first.start as usize..last.range().end);
        let old: Vec<&[u8]> = old.iter().map(|token| &bytes[token.range()]).collect();
        let text: Vec<u8> = edits.iter().flat_map(|edit| [&*edit.text, b" "].concat()).collect();
        let new: Vec<&[u8]> = tokens(&text).map(|token| &text[token.range()]).collect();
        let before = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let (old, new) = (&old[before..], &new[before..]);
        let after =
            old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
        let (old, new) = (&old[..old.len() - after], &new[..new.len() - after]);
        old.len() == new.len() && old.iter().zip(new).any(|(old, new)| self.is_renamed(old, new))
    }

    fn is_renamed(&self, old: &[u8], new: &[u8]) -> bool {
        let is_type = || {
            std::str::from_utf8(new).is_ok_and(|new| new == "void" || Number::named(new).is_some())
        };
        let is_word = new.first().is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphabetic());
        let is_name =
            is_word && (self.declared.contains(new) || !self.words.contains(new) && !is_type());
        old != new && is_name && self.declared.contains(old)
    }

    fn tokens(&self, file: u32, range: Range<usize>) -> &'a [Token] {
        let tokens = self.base.tokens(file as usize);
        let first = tokens.partition_point(|token| (token.start as usize) < range.start);
        let after = tokens.partition_point(|token| (token.start as usize) < range.end);
        &tokens[first..after.max(first)]
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;

    const SOURCE: &str =
        "typedef int T; struct S { T f, g; } s; int a, b; int h(T x) { return s.f + a + NULL; }";

    /// Returns true if replacing the last `old` by `new` renames something.
    fn renames(old: &str, new: &'static str) -> bool {
        let base = Snapshot::new(TestCase::single("a.c", SOURCE.as_bytes()).unwrap(), Language::C);
        let start = SOURCE.rfind(old).unwrap();
        let edit = Edit::replace(0, start..start + old.len(), new.as_bytes());
        Names::of(&base).are_replaced_by(&Patch::single(edit))
    }

    #[test]
    fn one_name_for_another_is_a_renaming() {
        for (old, new) in [("a", "b"), ("a", "z"), ("a + NULL", "b + NULL"), ("s.f", "s.g")] {
            assert!(renames(old, new), "{old} to {new}");
        }
        assert!(renames("T x", "T y") && renames("h(", "i("));
    }

    #[test]
    fn a_value_for_a_name_is_none() {
        for (old, new) in
            [("a", "0"), ("a", "(b + 1)"), ("s.f", "b"), ("T x", "int x"), ("a", "NULL")]
        {
            assert!(!renames(old, new), "{old} to {new}");
        }
        assert!(!renames("NULL", "a") && !renames("a + NULL", "") && !renames("T x", ""));
    }

    #[test]
    fn a_deletion_beside_an_insertion_is_a_renaming_too() {
        let base = Snapshot::new(TestCase::single("a.c", SOURCE.as_bytes()).unwrap(), Language::C);
        let at = SOURCE.rfind("a +").unwrap();
        let edits = vec![Edit::replace(0, at..at, b"b ".as_slice()), Edit::delete(0, at..at + 1)];
        let patch = Patch::new(edits).unwrap();
        assert!(Names::of(&base).are_replaced_by(&patch));
    }

    #[test]
    fn a_renaming_beside_a_deletion_is_one() {
        let source = "int f(int a) { int t = a; t; }";
        let base = Snapshot::new(TestCase::single("a.c", source.as_bytes()).unwrap(), Language::C);
        let edits = vec![Edit::delete(0, 15..25), Edit::replace(0, 26..27, b"a".as_slice())];
        let patch = Patch::new(edits).unwrap();
        assert!(Names::of(&base).are_replaced_by(&patch));
    }
}
