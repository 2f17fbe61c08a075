//! The layout of a text without a grammar: blanks that say nothing go.

use clreduce_testcase::LexicalRules;

/// A text in which blanks at the ends of lines and repeated empty lines are gone, and several blanks where words went are one.
pub(in crate::text) fn trim_lines(rules: &LexicalRules, bytes: &[u8]) -> Vec<u8> {
    let bytes = &join_blanks(rules, bytes);
    let line_break = line_break(bytes);
    let mut out = Vec::with_capacity(bytes.len());
    let mut blank_lines = 0;
    for line in bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end) {
        if line.is_empty() {
            blank_lines += 1;
            continue;
        }
        if blank_lines > 0 && !out.is_empty() {
            out.extend_from_slice(line_break);
        }
        blank_lines = 0;
        match begins_after_brace(line) {
            Some(at) => {
                out.extend_from_slice(line[..at].trim_ascii_end());
                out.extend_from_slice(line_break);
                let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                out.extend_from_slice(&line[..indent]);
                out.extend_from_slice(&line[at..]);
            }
            None => out.extend_from_slice(line),
        }
        out.extend_from_slice(line_break);
    }
    out
}

/// A text without empty lines, in which each line is indented by as much as the fewest blanks that any line has more than the
/// one that it is nested in, and by `most` at most. Where more is possible, a single blank more is what a deleted word left, and
/// no nesting. Tabs stay as they are.
pub(in crate::text) fn indented(bytes: &[u8], most: usize) -> Vec<u8> {
    let line_break = line_break(bytes);
    let lines = || bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    let lines = || lines().filter(|line| !line.is_empty());
    let blanks = |line: &[u8]| line.iter().take_while(|byte| **byte == b' ').count();
    let (mut depths, mut step) = (Vec::new(), None);
    let mut open: Vec<usize> = Vec::new();
    for blanks in lines().map(blanks) {
        while open.pop_if(|outer| blanks <= *outer).is_some() {}
        let more = open.last().map(|outer| blanks - outer);
        if more != Some(1) || most == 1 {
            step = step.into_iter().chain(more).min();
            open.push(blanks);
        }
        depths.push(open.len() - 1);
    }
    let mut out = Vec::with_capacity(bytes.len());
    for (line, depth) in lines().zip(depths) {
        let text = &line[blanks(line)..];
        if text.starts_with(b"\t") {
            out.extend_from_slice(&line[..line.len() - text.len()]);
        } else {
            out.resize(out.len() + step.unwrap_or(0).min(most) * depth, b' ');
        }
        out.extend_from_slice(text);
        out.extend_from_slice(line_break);
    }
    out
}

/// Where a line such as `} struct S {` goes on with something new: two lines were joined.
fn begins_after_brace(line: &[u8]) -> Option<usize> {
    const GO_ON: [&[u8]; 8] =
        [b"else", b"elif", b"catch", b"finally", b"while", b"until", b"on", b"do"];
    let rest = line.trim_ascii_start().strip_prefix(b"} ").filter(|rest| rest.ends_with(b"{"))?;
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let word = &rest[..rest.iter().take_while(is_word).count()];
    (!word.is_empty() && !GO_ON.contains(&word)).then_some(line.len() - rest.len())
}

/// A text in which several blanks between two tokens of a line are one, and none stands inside of brackets or before a comma.
pub(super) fn join_blanks(rules: &LexicalRules, bytes: &[u8]) -> Vec<u8> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for token in rules.tokens(bytes) {
        let (start, end) = (token.start as usize, token.end as usize);
        let gap = &bytes[at..start];
        let is_between = at > 0 && !gap.is_empty() && gap.iter().all(is_blank);
        let closes = matches!(&bytes[start..end], b"," | b";" | b")" | b"]");
        let is_inside = closes || matches!(out.last(), Some(b'(' | b'['));
        match is_between {
            true if is_inside => {}
            true if gap.len() > 1 => out.push(b' '),
            _ => out.extend_from_slice(gap),
        }
        out.extend_from_slice(&bytes[start..end]);
        at = end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

/// The line ending of a file: that of its first line.
pub(super) fn line_break(bytes: &[u8]) -> &'static [u8] {
    let first = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    if first > 0 && bytes[first - 1] == b'\r' { b"\r\n" } else { b"\n" }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::{indented, trim_lines};

    #[test]
    fn texts_lose_what_deleted_words_left() {
        for (before, after) in [
            ("OBJS =  src/stats \n\tcc  \"a  b\"\n", "OBJS = src/stats\n\tcc \"a  b\"\n"),
            ("  } struct S {\n", "  }\n  struct S {\n"),
            ("f( i32 , i32  ) ;\n", "f(i32, i32);\n"),
            ("} else if (a) {\n} \n\n\n} name;\n", "} else if (a) {\n}\n\n} name;\n"),
        ] {
            let once = trim_lines(Language::TEXT.lexer(), before.as_bytes());
            assert_eq!(String::from_utf8_lossy(&once), after);
            assert_eq!(trim_lines(Language::TEXT.lexer(), &once), once);
        }
    }

    #[test]
    fn texts_are_indented_by_what_is_left() {
        for (before, after) in [
            (
                "  complex z(0)\n   real re(:)\n\n    do\n        x\n    end do\n",
                "complex z(0)\nreal re(:)\n  do\n    x\n  end do\n",
            ),
            ("        a:\n            b\n\n        c\n", "a:\n    b\nc\n"),
            ("all:\n\tcc\n  \tld\n", "all:\n\tcc\n  \tld\n"),
        ] {
            let once = indented(before.as_bytes(), usize::MAX);
            assert_eq!(String::from_utf8_lossy(&once), after);
            assert_eq!(indented(&once, usize::MAX), once);
        }
    }
}
