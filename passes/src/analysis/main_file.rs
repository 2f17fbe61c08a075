//! The part of a preprocessed file that is not from headers.

use std::ops::Range;

use super::lines::file_of_marker;

/// The ranges of a preprocessed file that come from the file that was compiled, in order: the one that the first line marker
/// names. None if there is no other file in it.
pub(crate) fn main_file(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut main = None;
    let (mut is_main, mut has_others) = (true, false);
    let mut start = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let end = start + line.len();
        if let Some(name) = file_of_marker(line) {
            is_main = *main.get_or_insert(name) == name;
            has_others |= !is_main && !name.starts_with(b"<");
        } else if is_main {
            match ranges.last_mut().filter(|last| last.end == start) {
                Some(last) => last.end = end,
                None => ranges.push(start..end),
            }
        }
        start = end;
    }
    if has_others { ranges } else { Vec::new() }
}

/// Returns whether one of some ranges, which are in order and apart from each other, holds an offset.
pub(crate) fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.start <= at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_left_out() {
        let text = "# 0 \"a.cc\"\n# 0 \"<built-in>\"\nint b;\n# 1 \"x.h\" 1\nint x;\n# 2 \"a.cc\" 2\nint a;\nint c;\n";
        let texts: Vec<_> =
            main_file(text.as_bytes()).into_iter().map(|range| &text[range]).collect();
        assert_eq!(texts, ["int a;\nint c;\n"]);
        assert!(main_file(b"# 1 \"a.cc\"\nint x;\n").is_empty());
        assert!(main_file(b"int x;\n").is_empty());
    }
}
