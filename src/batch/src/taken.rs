//! Which lines of the original went with which commit. Tokens are followed from one commit to the next, so that a line that
//! was only changed is still there.

use clreduce_testcase::TestCase;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The lines of the original that are left, followed through the commits of a reduction.
pub struct LinesLeft {
    original: TestCase,
    current: Vec<FollowedFile>,
    /// For each line of the original, its tokens that are left.
    left: Vec<u32>,
    /// For each line with tokens, the first line that shares its fate: those without tokens before it.
    first: Vec<u32>,
}

/// A file of a test case.
struct FollowedFile {
    path: Box<str>,
    lines: Vec<Box<[u8]>>,
    tokens: Vec<FollowedToken>,
}

struct FollowedToken {
    text: Box<[u8]>,
    /// Index of its line in the file.
    line: usize,
    /// Index of the line of the original that it comes from, if it does.
    origin: Option<u32>,
}

impl LinesLeft {
    /// All of them.
    #[must_use]
    pub fn new(original: &TestCase) -> Self {
        let mut current = FollowedFile::all(original);
        let (mut left, mut first) = (Vec::new(), Vec::new());
        for file in &mut current {
            let start = left.len();
            left.resize(start + file.lines.len(), 0);
            for token in &mut file.tokens {
                left[start + token.line] += 1;
                token.origin = u32::try_from(start + token.line).ok();
            }
            let mut begin = start;
            for (line, tokens) in left.iter().enumerate().skip(start) {
                first.push(begin as u32);
                begin = if *tokens > 0 { line + 1 } else { begin };
            }
        }
        Self { original: original.clone(), current, left, first }
    }

    /// Follows a commit, and returns the lines that went with it: the numbers of the first and the last line of each run,
    /// from 1 and through all files.
    pub fn follow(&mut self, case: &TestCase) -> Vec<[u32; 2]> {
        let mut next = FollowedFile::all(case);
        for new in &mut next {
            if let Some(old) = self.current.iter().find(|old| old.path == new.path) {
                follow_file(old, new);
            }
        }
        let none = vec![0; self.left.len()];
        let before = std::mem::replace(&mut self.left, none);
        for origin in next.iter().flat_map(|file| &file.tokens).filter_map(|token| token.origin) {
            self.left[origin as usize] += 1;
        }
        self.current = next;
        let mut taken: Vec<[u32; 2]> = Vec::new();
        for line in (0..before.len()).filter(|&line| before[line] > 0 && self.left[line] == 0) {
            let (from, to) = (self.first[line] + 1, line as u32 + 1);
            match taken.last_mut().filter(|last| last[1] + 1 == from) {
                Some(last) => last[1] = to,
                None => taken.push([from, to]),
            }
        }
        taken
    }

    /// Goes back to an earlier test case.
    pub fn go_back(&mut self, case: &TestCase) {
        *self = Self::new(&self.original);
        self.follow(case);
    }
}

impl FollowedFile {
    fn all(case: &TestCase) -> Vec<Self> {
        let lexer = case.language().lexer();
        let files = case.files().iter().map(|file| {
            let (mut line, mut at) = (0, 0);
            let tokens = lexer.tokens(&file.bytes).map(|token| {
                let start = token.range().start;
                line += file.bytes[at..start].iter().filter(|byte| **byte == b'\n').count();
                at = start;
                FollowedToken { text: file.bytes[token.range()].into(), line, origin: None }
            });
            let tokens = tokens.collect();
            let lines = file.bytes.split_inclusive(|&byte| byte == b'\n').map(Into::into).collect();
            Self { path: (&*file.path).into(), lines, tokens }
        });
        files.collect()
    }

    /// The tokens that begin on some lines.
    fn on_lines(&self, lines: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let at = |line: usize| self.tokens.partition_point(|token| token.line < line);
        at(lines.start)..at(lines.end)
    }
}

/// Finds the tokens of a file in its next version: line by line, and within lines that differ.
fn follow_file(old: &FollowedFile, new: &mut FollowedFile) {
    for op in capture_diff_slices(Algorithm::Myers, &old.lines, &new.lines) {
        let (was, is) = (old.on_lines(op.old_range()), new.on_lines(op.new_range()));
        // Only names, numbers or nothing at all changed.
        if was.len() == is.len() {
            follow_tokens(old, new, (was.start, is.start), is.len());
            continue;
        }
        let words = |tokens: &[FollowedToken]| -> Vec<Box<[u8]>> {
            tokens.iter().map(|token| token.text.clone()).collect()
        };
        let (before, after) = (words(&old.tokens[was.clone()]), words(&new.tokens[is.clone()]));
        for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
            let (from, to) = (op.old_range(), op.new_range());
            if matches!(op, DiffOp::Equal { .. }) || from.len() == to.len() {
                follow_tokens(old, new, (was.start + from.start, is.start + to.start), to.len());
            }
        }
    }
}

fn follow_tokens(
    old: &FollowedFile,
    new: &mut FollowedFile,
    (from, to): (usize, usize),
    count: usize,
) {
    for at in 0..count {
        new.tokens[to + at].origin = old.tokens[from + at].origin;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str) -> TestCase {
        TestCase::single("a.c", text.as_bytes()).unwrap()
    }

    #[test]
    fn a_line_goes_with_its_last_token_and_takes_blank_lines_before_it_along() {
        let original =
            case("int used;\n\n// a comment\nint gone;\nint f(int x) {\n    return x + 1;\n}\n");
        let mut lines = LinesLeft::new(&original);
        let next = case("int used;\nint f(int x) {\n    return 1;\n}\n");
        assert_eq!(lines.follow(&next), [[2, 4]]);
        // Other names and another layout take nothing.
        assert_eq!(
            lines.follow(&case("int a;\nint b(int c) { return 1; }\n")),
            [] as [[u32; 2]; 0]
        );
        assert_eq!(lines.follow(&case("int a;\n")), [[5, 7]]);
        lines.go_back(&next);
        assert_eq!(lines.follow(&case("int f(int x) {\n    return 1;\n}\n")), [[1, 1]]);
    }

    #[test]
    fn lines_are_counted_through_all_files() {
        let file = |path: &str, text: &str| clreduce_testcase::SourceFile {
            path: path.into(),
            bytes: text.as_bytes().into(),
        };
        let original =
            TestCase::new(vec![file("a.c", "int a;\nint b;\n"), file("b.c", "int c;\n")]).unwrap();
        let mut lines = LinesLeft::new(&original);
        let next = TestCase::new(vec![file("a.c", "int b;\n")]).unwrap();
        assert_eq!(lines.follow(&next), [[1, 1], [3, 3]]);
    }
}
