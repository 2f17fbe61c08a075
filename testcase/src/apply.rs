//! Applying a patch: ranges copied, list commas repaired, tokens kept apart.

use std::sync::Arc;

use crate::files::{SourceFile, TestCase};
use crate::patch::{Edit, EditKind, Patch};

impl TestCase {
    /// The test case with a patch applied.
    ///
    /// A blank is inserted where an edit would otherwise glue two tokens into one.
    ///
    /// # Panics
    /// When an edit names a file or a range that does not exist: patches are made for one snapshot
    /// and applied to it.
    #[must_use]
    pub fn apply(&self, patch: &Patch) -> TestCase {
        let mut files = Vec::with_capacity(self.files().len());
        for (index, file) in self.files().iter().enumerate() {
            let edits = edits_of_file(patch.edits(), index as u32);
            match edits {
                [] => files.push(file.clone()),
                _ if edits.iter().any(|edit| edit.kind == EditKind::RemoveFile) => {}
                _ => files.push(SourceFile {
                    path: Arc::clone(&file.path),
                    bytes: apply_to_bytes(&file.bytes, edits).into(),
                }),
            }
        }
        TestCase::from_sorted(files)
    }
}

fn edits_of_file(edits: &[Edit], file: u32) -> &[Edit] {
    let first = edits.partition_point(|edit| edit.file < file);
    let last = edits.partition_point(|edit| edit.file <= file);
    &edits[first..last]
}

fn apply_to_bytes(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.range();
        // An element's comma may reach into the next edit's range.
        if at < range.start {
            append(&mut out, &bytes[at..range.start]);
        }
        at = at.max(range.end);
        append(&mut out, &edit.text);
        if edit.kind == EditKind::Element && edit.text.is_empty() {
            at = remove_one_comma(bytes, at, &mut out);
        }
    }
    append(&mut out, &bytes[at..]);
    out
}

/// Skips the comma that follows `at`, or takes back the one that was written last. Where nothing is left
/// between braces, writes `0`.
fn remove_one_comma(bytes: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let is_code = |byte: &u8| !byte.is_ascii_whitespace();
    if let Some(next) = bytes[at..].iter().position(is_code)
        && bytes[at + next] == b','
    {
        return at + next + 1;
    }
    match out.iter().rposition(is_code) {
        Some(last) if out[last] == b',' => out.truncate(last),
        // An initialiser list must not be empty (C99 6.7.8).
        Some(last) if out[last] == b'{' && closes_braces(&bytes[at..]) => out.push(b'0'),
        _ => {}
    }
    at
}

fn closes_braces(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'}')
}

fn append(out: &mut Vec<u8>, text: &[u8]) {
    if let (Some(&last), Some(&first)) = (out.last(), text.first())
        && would_glue(last, first)
    {
        out.push(b' ');
    }
    out.extend_from_slice(text);
}

fn would_glue(last: u8, first: u8) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let operator = |byte: u8| b"+-*/%&|^<>=!#:".contains(&byte);
    (word(last) && word(first)) || (operator(last) && operator(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(source: &str, edits: Vec<Edit>) -> String {
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let variant = case.apply(&Patch::new(edits).unwrap());
        String::from_utf8(variant.files()[0].bytes.to_vec()).unwrap()
    }

    #[test]
    fn any_subset_of_a_list_can_go() {
        let source = "f(a, b, c)";
        let elements = [2..3, 5..6, 8..9];
        let expected =
            ["f(a, b, c)", "f( b, c)", "f(a,  c)", "f(  c)", "f(a, b)", "f( b)", "f(a)", "f( )"];
        for (subset, expected) in expected.iter().enumerate() {
            let edits = (0..3)
                .filter(|index| subset >> index & 1 == 1)
                .map(|index| Edit::delete_element(0, elements[index].clone()))
                .collect();
            let got = apply(source, edits).replace(' ', "");
            assert_eq!(got, expected.replace(' ', ""), "subset {subset:03b}");
        }
    }

    #[test]
    fn tokens_stay_apart() {
        assert_eq!(apply("int const x;", vec![Edit::delete(0, 3..10)]), "int x;");
        assert_eq!(apply("a+b+c", vec![Edit::delete(0, 2..3)]), "a+ +c");
    }

    #[test]
    fn a_removed_file_is_gone() {
        let case = TestCase::single("a.c", b"x".as_slice()).unwrap();
        assert!(case.apply(&Patch::single(Edit::remove_file(0))).files().is_empty());
    }
}
