//! Blocks of lines in a text without a grammar: a line that opens a block, the lines that are indented below it, and
//! lines such as `else` and `end if` that go on with the block or close it.
//!
//! The indentation says what is nested in what. A line that closes a block is told by its first words: `end`, alone or with
//! a word of the line that it closes (`end do`, `endmodule`), a word spelled backwards (`fi`), or a bracket. Where indentation
//! says nothing, as in `do` directly before `end do`, these words alone are enough. A line that is nothing but `{` opens its
//! block together with the lines before it that name the block.

use std::ops::Range;

use clreduce_testcase::steps;

use super::lines::line_ranges;

/// A block of lines.
#[derive(Debug)]
pub(crate) struct Block {
    /// From its first line to its last.
    pub range: Range<usize>,
    /// The line or lines that open it, those that divide it, and the line that closes it, in order. What is between them is
    /// its parts.
    pub frame: Vec<Range<usize>>,
    /// True if the last line of the frame closes the block. Otherwise its last part ends where the indentation does.
    pub is_closed: bool,
    /// Blocks around it, as the indentation says. One that only the indentation ends is also below brackets at its own.
    pub depth: u32,
}

impl Block {
    /// The parts between the lines of the frame.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.frame.iter().skip(1).map(|line| line.start).chain([self.range.end]);
        self.frame
            .iter()
            .zip(ends)
            .map(|(line, end)| line.end..end)
            .take(self.frame.len() - usize::from(self.is_closed))
    }
}

/// A line that is not blank.
struct Line<'a> {
    range: Range<usize>,
    text: &'a [u8],
    indent: usize,
    /// The index of the line after the last one that is indented below it.
    end: usize,
    depth: u32,
}

/// Words that divide a block into parts.
const DIVIDERS: [&[u8]; 16] = [
    b"else",
    b"elseif",
    b"elsif",
    b"elif",
    b"case",
    b"when",
    b"default",
    b"catch",
    b"except",
    b"finally",
    b"rescue",
    b"ensure",
    b"then",
    b"do",
    b"contains",
    b"begin",
];
/// Bytes at the start of a line among which the words that open a block are.
const OPENING_BYTES: usize = 256;
const LONGEST_WORD: usize = 32;
/// Lines that are looked at to find the one that a closing line or a bracket belongs to.
const NEAR: usize = 64;

/// The blocks of a text, in the order of their first lines.
pub(crate) fn blocks(bytes: &[u8]) -> Vec<Block> {
    let lines = lines(bytes);
    let mut blocks = Vec::new();
    // For each level of indentation, the lines that have the same parent and that no closing line was found for yet.
    let mut levels: Vec<Vec<usize>> = vec![Vec::new()];
    for (index, line) in lines.iter().enumerate() {
        steps(1);
        while levels.len() > line.depth as usize + 1 {
            blocks.extend(open_blocks(&lines, &levels.pop().unwrap_or_default()));
        }
        while levels.len() <= line.depth as usize {
            levels.push(Vec::new());
        }
        let level = &mut levels[line.depth as usize];
        match opener(&lines, level, index) {
            Some(at) => {
                let members = level.split_off(at);
                blocks.push(block(&lines, &members, Some(index)));
                // Within the block, lines without an end of their own may open blocks by their indentation alone.
                let inner = open_blocks(&lines, members.get(1..).unwrap_or_default());
                blocks.extend(inner.into_iter().map(|it| Block { depth: it.depth + 1, ..it }));
            }
            None => {
                level.push(index);
                // Brackets in the lines that name a block open none.
                let start = lines[first_line(&lines, index)].range.start;
                while blocks.pop_if(|block| start <= block.range.start).is_some() {}
            }
        }
    }
    for level in &levels {
        blocks.extend(open_blocks(&lines, level));
    }
    blocks.sort_by_key(|block| (block.range.start, usize::MAX - block.range.end));
    blocks
}

fn lines(bytes: &[u8]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for range in line_ranges(bytes) {
        steps(1);
        let whole = &bytes[range.clone()];
        let text = whole.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let blanks = whole.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let indent = blanks.map(|&blank| if blank == b'\t' { 8 } else { 1 }).sum();
        while let Some(last) = open.pop_if(|last| lines[*last].indent >= indent) {
            lines[last].end = lines.len();
        }
        let depth = u32::try_from(open.len()).unwrap_or(u32::MAX);
        open.push(lines.len());
        lines.push(Line { range, text, indent, end: 0, depth });
    }
    let count = lines.len();
    for index in open {
        lines[index].end = count;
    }
    lines
}

/// The place in its level of the line that a closing line closes.
fn opener(lines: &[Line<'_>], level: &[usize], closing: usize) -> Option<usize> {
    let line = &lines[closing];
    // What is indented behind a bracket is not below it: a cut has left a blank there.
    let has_body = line.end > closing + 1 && !matches!(line.text[0], b'}' | b')' | b']');
    if has_body || !may_close(line.text) {
        return None;
    }
    let near = || (level.len().saturating_sub(NEAR)..level.len()).rev();
    let is_opened_at = |at: &usize| {
        steps(1);
        let opening = &lines[level[*at]];
        opening.indent == line.indent && closes(line.text, opening.text)
    };
    // `else if` is no opening line of `end if`, but `do` may be one of `end do`.
    let first = near().find(|at| is_opened_at(at) && !divides(lines[level[*at]].text));
    first.or_else(|| near().find(is_opened_at))
}

/// The blocks of a level that nothing closes: lines with others indented below them, together with those that divide them.
fn open_blocks(lines: &[Line<'_>], level: &[usize]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < level.len() {
        steps(1);
        let first = level[at];
        at += 1;
        if lines[first].end == first + 1 {
            continue;
        }
        let mut members = vec![first];
        while let Some(&next) = level.get(at)
            && lines[next].end > next + 1
            && divides(lines[next].text)
        {
            members.push(next);
            at += 1;
        }
        blocks.push(block(lines, &members, None));
    }
    blocks
}

/// The first of the lines that open a block with this one: where it is nothing but a bracket, the nearest one with the
/// parentheses of a signature, or else the one directly before it.
fn first_line(lines: &[Line<'_>], opening: usize) -> usize {
    let line = &lines[opening];
    if line.text != b"{" {
        return opening;
    }
    let goes_on = |at: &usize| {
        steps(1);
        let (before, after) = (&lines[*at], &lines[*at + 1]);
        let ends = matches!(before.text.last(), Some(b';' | b'{' | b'}'));
        !ends && before.range.end == after.range.start && line.indent <= before.indent
    };
    let mut before = (opening.saturating_sub(NEAR)..opening).rev().take_while(goes_on).peekable();
    let nearest = before.peek().copied();
    let names = |&at: &usize| lines[at].indent == line.indent && lines[at].text.contains(&b'(');
    before.find(names).or(nearest).unwrap_or(opening)
}

/// The block of an opening line, of what follows it in its level, and of the line that closes it.
fn block(lines: &[Line<'_>], members: &[usize], closing: Option<usize>) -> Block {
    let dividing = members[1..].iter().filter(|&&member| divides(lines[member].text));
    let framing = [members[0]].into_iter().chain(dividing.copied()).chain(closing);
    let mut frame: Vec<Range<usize>> = framing.map(|index| lines[index].range.clone()).collect();
    let start = lines[first_line(lines, members[0])].range.start;
    frame[0].start = start;
    let last = closing.unwrap_or_else(|| lines[members[members.len() - 1]].end - 1);
    Block { range: start..lines[last].range.end, frame, is_closed: closing.is_some(), depth: 0 }
}

/// The first word of a line, in lower case; a bracket is a word.
fn first_word(text: &[u8]) -> Vec<u8> {
    let word = text
        .iter()
        .take(LONGEST_WORD)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    text[..word.count().max(1).min(text.len())].to_ascii_lowercase()
}

fn divides(text: &[u8]) -> bool {
    let word = first_word(text);
    let text = text.strip_prefix(b"}").unwrap_or(text).trim_ascii_start();
    DIVIDERS.contains(&&*word) || DIVIDERS.contains(&&*first_word(text))
}

/// Returns true if a line may close a block. Few lines do, so that not each is compared with those before it.
fn may_close(text: &[u8]) -> bool {
    let word = first_word(text);
    word.starts_with(b"end")
        || matches!(&*word, b"}" | b")" | b"]" | b"fi" | b"esac" | b"done" | b"until")
}

/// Returns true if a line closes the block that another one opens.
fn closes(closing: &[u8], opening: &[u8]) -> bool {
    let word = first_word(closing);
    let bracket = |open: u8| opening.last() == Some(&open);
    let opens_with = |name: &[u8]| {
        let start = &opening[..opening.len().min(OPENING_BYTES)];
        let mut words = start.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        words.any(|word| word.eq_ignore_ascii_case(name))
    };
    match &*word {
        b"}" => bracket(b'{'),
        b")" => bracket(b'('),
        b"]" => bracket(b'['),
        b"fi" => opens_with(b"if"),
        b"esac" => opens_with(b"case"),
        b"done" => opens_with(b"do") || opens_with(b"for") || opens_with(b"while"),
        b"until" => opens_with(b"repeat"),
        b"end" => {
            let named = first_word(closing[3..].trim_ascii_start());
            !named.first().is_some_and(u8::is_ascii_alphabetic) || opens_with(&named)
        }
        word => word.strip_prefix(b"end").is_some_and(opens_with),
    }
}
