//! Removes lines, where the parser fails: first those outside all braces with all that is nested in
//! them, then less and less nested ones together, and last every line alone.
//!
//! In code a line also ends behind `;`, `{` and `}`, as if the program were laid out with one
//! statement a line. So it does, and behind `,`, in other texts where lines are long, as those of JSON without line breaks are.
//! It never ends inside a comment or a literal.
//!
//! before:
//! ```c
//! void f( { g();
//! if }
//! h();
//! ```
//! after:
//! ```c
//! void f( { g();
//! if }
//! ```

use std::ops::Range;

use clreduce_testcase::{Edit, Feature, Language};

use crate::Snapshot;
use crate::analysis::{Tokens, comments, launch_comment, line_ranges};
use crate::budget::Budget;
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("lines", "Remove lines grouped by nesting, where the parser fails", ANY, propose);

/// Braces around a line up to which it begins a group.
const DEPTHS: [i64; 9] = [0, 1, 2, 3, 4, 6, 8, 10, i64::MAX];
/// Bytes of a line that was not written as one.
const LONG: usize = 1_000;
/// Most groups of one depth; where there are more lines, several go together.
const GROUPS: Budget = Budget::new("groups of lines that are not joined", 50_000);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::unparsed(snapshot) {
        let lines = lines(unit, snapshot.language());
        let mut before = usize::MAX;
        for (list, depth) in (0..).zip(DEPTHS) {
            let begins = |line: &&LineStart| line.depth <= depth;
            let count = lines.iter().filter(begins).count();
            if count == before {
                continue; // the same groups again
            }
            before = count;
            proposals.allow(&GROUPS, count);
            let stride = count.div_ceil(proposals.limit(&GROUPS)).max(1);
            let starts = lines.iter().filter(begins).step_by(stride);
            let starts: Vec<usize> = starts.map(|line| line.start).collect();
            let ends = starts.iter().copied().skip(1).chain([unit.bytes.len()]);
            for (start, end) in starts.iter().copied().zip(ends) {
                if unit.bytes[start..end].iter().any(|byte| !byte.is_ascii_whitespace()) {
                    let edit = Edit::delete(unit.file, start..end);
                    proposals.push(Proposal::edit(edit).in_list(list));
                }
            }
        }
    }
}

struct LineStart {
    start: usize,
    /// Braces that are open where it starts.
    depth: i64,
}

fn lines(unit: Tokens<'_>, language: Language) -> Vec<LineStart> {
    let bytes = unit.bytes;
    let is_code = language.has(Feature::Syntax);
    let mut long_lines = long_lines(bytes).peekable();
    let tokens = unit.tokens.iter().enumerate().map(|(index, token)| {
        let (text, start) = (unit.text(index), token.range().start);
        while long_lines.next_if(|line| line.end <= start).is_some() {}
        let is_long = long_lines.peek().is_some_and(|line| line.start <= start);
        let nests = i64::from(text == b"{") - i64::from(text == b"}");
        let ends = matches!(text, b";" | b"{" | b"}") || !is_code && text == b",";
        (token.range(), nests, (is_code || is_long) && ends)
    });
    let comments = if language.has(Feature::Comments) { comments(unit) } else { Vec::new() };
    let mut comments = comments.into_iter().map(|comment| (comment.range, 0, false)).peekable();
    let mut lines = vec![LineStart { start: launch_comment(bytes).end, depth: 0 }];
    let (mut at, mut depth) = (0, 0);
    let mut pass = |(range, nests, ends_line): (Range<usize>, i64, bool)| {
        let breaks = (at..range.start).filter(|&at| bytes[at] == b'\n');
        lines.extend(breaks.map(|at| LineStart { start: at + 1, depth }));
        depth += nests;
        at = range.end;
        let goes_on = bytes.get(at).is_some_and(|&byte| byte != b'\n' && byte != b'\r');
        if ends_line && goes_on {
            lines.push(LineStart { start: at, depth });
        }
    };
    // Where no line may end, in order: tokens and comments, each up to before its last byte. There may be millions.
    let end = (bytes.len()..bytes.len() + 1, 0, false);
    for token in tokens.chain([end]) {
        while let Some(comment) = comments.next_if(|(range, ..)| range.start < token.0.start) {
            pass(comment);
        }
        pass(token);
    }
    let first = lines[0].start;
    lines.retain(|line| (first..bytes.len()).contains(&line.start));
    // A closing brace belongs to what it closes.
    for line in &mut lines {
        let next = bytes[line.start..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        line.depth += i64::from(next == Some(&b'}'));
        line.depth = line.depth.max(0);
    }
    lines
}

/// The lines that are too long to have been written as such.
fn long_lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    line_ranges(bytes).filter(|line| line.len() > LONG)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn whole_functions_go_first() {
        let source = "a {\n b;\n c;\n}\nd {\n e;\n}\n";
        let case = clreduce_testcase::TestCase::single("x", source.as_bytes()).unwrap();
        let proposals = Proposals::of(&PASS, &Snapshot::new(case, Language::TEXT)).list;
        let first: Vec<&str> = proposals
            .iter()
            .filter(|proposal| proposal.list == 0)
            .map(|proposal| &source[proposal.patch.edits()[0].range()])
            .collect();
        assert_eq!(first, ["a {\n b;\n c;\n}\n", "d {\n e;\n}\n"]);
    }

    #[test]
    fn one_line_may_hold_many_statements() {
        let source = "// -g 1 -l 1\nvoid f( { a(); b(); /* ; \n */ c(); }";
        let left = reduce_with(&PASS, source, Language::C, |text| {
            text.contains("b()") && text.contains('{')
        });
        assert_eq!(left, "// -g 1 -l 1\nvoid f( { b();");
    }

    #[test]
    fn a_text_may_be_one_long_line() {
        let source = format!("[{}{{\"needle\": [1, 2]}}, 7]", "{\"a\": [0, 0]}, ".repeat(100));
        let left = reduce_with(&PASS, &source, Language::TEXT, |text| text.contains("needle"));
        assert_eq!(left.trim(), "\"needle\": [1,");
    }
}
