//! Lines as compilers number them: a preprocessed file contains markers that say which file and line it came from.

use std::collections::HashMap;
use std::ops::Range;

use clreduce_testcase::TestCase;

use super::directives::directives;
use super::tokens::Tokens;
use crate::snapshot::Snapshot;

/// The lines of a text, each with its line break.
pub(crate) fn line_ranges(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    bytes.split_inclusive(|&byte| byte == b'\n').map(move |line| {
        let start = end;
        end += line.len();
        start..end
    })
}

/// The lines of a file, by the names and numbers that messages of compilers call them.
pub(crate) struct PresumedLines<'a> {
    bytes: &'a [u8],
    /// By name of the file without folders, and number: where the line begins. The first of several.
    starts: HashMap<(&'a [u8], u32), usize>,
}

impl<'a> PresumedLines<'a> {
    /// The lines of one file of a snapshot.
    pub(crate) fn of(snapshot: &'a Snapshot, file: usize) -> Self {
        Self::in_file(snapshot.case(), file)
    }

    /// The lines of one file of a test case.
    pub(crate) fn in_file(case: &'a TestCase, file: usize) -> Self {
        let bytes = &case.files()[file].bytes;
        let mut name = base_name(case.files()[file].path.as_bytes());
        let (mut number, mut start) = (1, 0);
        let mut starts = HashMap::new();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            if let Some((next, called)) = marker(line) {
                number = next;
                name = called.unwrap_or(name);
            } else {
                starts.entry((name, number)).or_insert(start);
                number = number.saturating_add(1);
            }
            start += line.len();
        }
        Self { bytes, starts }
    }

    /// The offset of a place that a message names; without a column, of the first character that is no white space.
    pub(crate) fn offset(&self, file: &str, line: u32, column: u32) -> Option<usize> {
        let start = *self.starts.get(&(base_name(file.as_bytes()), line))?;
        let line = self.bytes[start..].split(|&byte| byte == b'\n').next()?;
        let first = line.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let at = (column as usize).checked_sub(1).unwrap_or(first);
        Some(start + at.clamp(first, line.len() - 1))
    }
}

/// The lines of a file that are line markers, with their line breaks.
pub(crate) fn line_markers(unit: Tokens<'_>) -> Vec<Range<usize>> {
    let markers = directives(unit).into_iter();
    let markers = markers.filter(|directive| matches!(directive.name, b"" | b"line"));
    markers.map(|directive| directive.line).collect()
}

/// The line markers that say nothing new: what follows one of them is from the main file, which the first marker names, only if what
/// stands before it is. The same holds for headers of the system, in which compilers do not warn.
pub(crate) fn without_effect(bytes: &[u8], markers: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut main, mut file, mut state) = (None, None, None);
    let has_no_effect = |line: &&Range<usize>| {
        let line = &bytes[(*line).clone()];
        file = file_of_marker(line).or(file);
        let is_main = file == *main.get_or_insert(file);
        let now = (is_main, begins_system_header(line));
        state.replace(now) == Some(now)
    };
    markers.iter().filter(has_no_effect).cloned().collect()
}

/// Returns whether what follows a line marker is from a header of the system.
pub(crate) fn begins_system_header(marker: &[u8]) -> bool {
    let words = marker.rsplit(|&byte| byte == b'"').next().unwrap_or_default();
    words.split(u8::is_ascii_whitespace).any(|flag| flag == b"3")
}

/// The file that a line marker names, with its folders.
pub(super) fn file_of_marker(line: &[u8]) -> Option<&[u8]> {
    marker(line)?;
    line.split(|&byte| byte == b'"').nth(1)
}

/// The number of the next line and its file, if a line is a marker: `# 12 "a.c" 2`, `#line 12`.
fn marker(line: &[u8]) -> Option<(u32, Option<&[u8]>)> {
    let text = line.trim_ascii().strip_prefix(b"#")?.trim_ascii_start();
    let text = text.strip_prefix(b"line").unwrap_or(text).trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    let mut quoted = text[digits..].split(|&byte| byte == b'"');
    let name = quoted.nth(1).map(base_name);
    Some((number, name))
}

fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;

    #[test]
    fn lines_are_those_of_messages() {
        let text = "a\n  b\n# 7 \"src/x.h\" 1\nc\n#line 3\nd\n\n# 3 \"\"\ne";
        let case = TestCase::single("dir/a.c", text.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::C);
        let lines = PresumedLines::of(&snapshot, 0);
        let at = |file, line, column| lines.offset(file, line, column).map(|at| &text[at..=at]);
        assert_eq!(at("a.c", 1, 1), Some("a"));
        assert_eq!(at("/tmp/a.c", 2, 0), Some("b"));
        assert_eq!(at("a.c", 2, 99), Some("b"));
        assert_eq!(at("x.h", 7, 1), Some("c"));
        assert_eq!(at("x.h", 3, 0), Some("d"));
        for nowhere in [("x.h", 4), ("a.c", 3), ("a.c", 0), ("b.c", 1), ("a.c", u32::MAX)] {
            assert_eq!(at(nowhere.0, nowhere.1, 0), None, "{nowhere:?}");
        }
    }
}
