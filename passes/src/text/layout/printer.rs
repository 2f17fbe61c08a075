//! Prints pieces line by line.

use clreduce_testcase::LexicalRules;

use super::lines::{join_blanks, line_break};
use super::pieces::{Piece, PieceKind};
use super::roles::TokenRole;
use super::spacing::{SpacedToken, blank_between};
use crate::analysis::Tokens;

const INDENT: usize = 4;
/// Levels beyond this look alike: nesting as deep as a file is long must not make it quadratic.
const DEEPEST: usize = 20;
/// Columns after which a list goes on in the next line.
const WIDTH: usize = 90;

/// The pieces of a file, laid out.
pub(super) fn print(unit: Tokens<'_>, pieces: &[Piece]) -> Vec<u8> {
    let bytes = unit.bytes;
    let mut printer = LayoutPrinter {
        rules: unit.rules,
        line_break: line_break(bytes),
        out: Vec::with_capacity(bytes.len() + bytes.len() / 8),
        line_start: 0,
        blocks: Vec::new(),
        holders: Vec::new(),
        inside: 0,
        headers: Vec::new(),
        expected: None,
        last: None,
        pending: Pending::None,
        in_statement: false,
        after_do: false,
    };
    let is_token = |piece: &&Piece| matches!(piece.kind, PieceKind::Token(..));
    for (index, piece) in pieces.iter().enumerate() {
        let text = &bytes[piece.range.clone()];
        match piece.kind {
            PieceKind::Token(kind, role) => {
                let word = |piece: &Piece, kind, role| SpacedToken {
                    text: &bytes[piece.range.clone()],
                    kind,
                    role,
                    spaced: piece.spaced,
                };
                // Comments may stand in between, but hardly many.
                let next = pieces[index + 1..].iter().take(8).find(is_token);
                let next = next.and_then(|piece| match piece.kind {
                    PieceKind::Token(kind, role) => Some(word(piece, kind, role)),
                    _ => None,
                });
                printer.token(word(piece, kind, role), next);
            }
            PieceKind::LineComment | PieceKind::BlockComment => printer.comment(piece, text),
            PieceKind::Directive => printer.directive(text),
        }
    }
    if !printer.out.is_empty() {
        printer.out.extend_from_slice(printer.line_break);
    }
    printer.out
}

/// The white space before the next piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pending {
    None,
    Line,
    /// A line break and an empty line.
    Empty,
}

/// Braces that are open, their content indented.
struct OpenBlock {
    /// Level of the content.
    level: usize,
    /// The things that were open outside: holders, headers, parentheses.
    holders: usize,
    headers: usize,
    inside: usize,
}

/// Something that holds one statement, such as `if (c)` or `else`.
#[derive(Clone, Copy)]
struct Holder {
    word: Hold,
    /// Level of the statement that it holds.
    inner: usize,
}

/// The node around a statement, which decides where the statement ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    If,
    Do,
    Other,
}

struct LayoutPrinter<'a> {
    rules: &'static LexicalRules,
    line_break: &'static [u8],
    out: Vec<u8>,
    line_start: usize,
    blocks: Vec<OpenBlock>,
    holders: Vec<Holder>,
    /// Parentheses, brackets and inline braces that are open in the innermost block.
    inside: usize,
    /// For each open parenthesis, what begins when it closes.
    headers: Vec<Option<Hold>>,
    /// The statement to which the next parenthesis belongs as header.
    expected: Option<Hold>,
    /// The token before on this line.
    last: Option<SpacedToken<'a>>,
    pending: Pending,
    in_statement: bool,
    /// True if the next `while` ends a loop instead of beginning one.
    after_do: bool,
}

impl<'a> LayoutPrinter<'a> {
    fn token(&mut self, word: SpacedToken<'a>, next: Option<SpacedToken<'a>>) {
        let next_text = next.map_or(b"".as_slice(), |next| next.text);
        if matches!(word.role, TokenRole::Block | TokenRole::Members) {
            match word.text {
                b"{" => self.open_block(word, next_text),
                _ => self.close_block(word, next),
            }
            return;
        }
        let begins_label = matches!(word.text, b"case" | b"default")
            || next.is_some_and(|next| next.role == TokenRole::Label);
        self.place(word, begins_label && !self.in_statement);
        self.in_statement = true;
        let block_follows = next.is_some_and(|next| next.role == TokenRole::Block);
        match word.text {
            b"if" => self.expected = Some(Hold::If),
            b"for" | b"switch" => self.expected = Some(Hold::Other),
            b"while" if std::mem::take(&mut self.after_do) => self.expected = None,
            b"while" => self.expected = Some(Hold::Other),
            b"else" => self.hold(Hold::Other, block_follows || next_text == b"if", next_text),
            b"do" => self.hold(Hold::Do, block_follows, next_text),
            b"(" => {
                self.inside += 1;
                self.headers.push(self.expected.take());
            }
            b"[" | b"{" => self.inside += 1,
            b"]" | b"}" => self.inside = self.inside.saturating_sub(1),
            b")" => {
                self.inside = self.inside.saturating_sub(1);
                if let Some(Some(hold)) = self.headers.pop() {
                    self.hold(hold, block_follows, next_text);
                }
            }
            b";" if self.inside == 0 => self.end_statement(next_text, false),
            b"," if self.inside > 0 && self.out.len() - self.line_start > WIDTH => {
                self.end_line(Pending::Line);
            }
            _ if word.role == TokenRole::Label => {
                self.in_statement = false;
                self.end_line(Pending::Line);
            }
            _ => {}
        }
    }

    fn comment(&mut self, piece: &Piece, text: &[u8]) {
        let own_line = piece.on_new_line || self.out.is_empty();
        if own_line {
            self.end_line(Pending::Line);
            self.begin_line(self.level());
        } else {
            self.out.push(b' ');
        }
        let is_line = piece.kind == PieceKind::LineComment;
        self.out.extend_from_slice(if is_line { text.trim_ascii_end() } else { text });
        if own_line || is_line {
            self.end_line(Pending::Line);
        }
        self.last = None;
    }

    fn directive(&mut self, text: &[u8]) {
        self.end_line(Pending::Line);
        self.begin_line(0);
        // The name of a file may have several blanks side by side.
        match text.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start) {
            Some(rest) if rest.starts_with(b"include") => self.out.extend_from_slice(text),
            _ => self.out.extend_from_slice(&join_blanks(self.rules, text)),
        }
        self.end_line(Pending::Line);
        self.last = None;
    }

    /// Level of the statement that is being printed or begins next.
    fn level(&self) -> usize {
        let (level, outside) =
            self.blocks.last().map_or((0, 0), |block| (block.level, block.holders));
        match self.holders.last() {
            Some(holder) if self.holders.len() > outside => holder.inner,
            _ => level,
        }
    }

    fn place(&mut self, word: SpacedToken<'a>, outdented: bool) {
        if self.pending != Pending::None || self.out.is_empty() {
            let level = self.level() + usize::from(self.in_statement);
            self.begin_line(level - usize::from(outdented).min(level));
        } else if self.last.is_none_or(|last| blank_between(last, word)) {
            self.out.push(b' ');
        }
        self.out.extend_from_slice(word.text);
        self.last = Some(word);
    }

    fn end_line(&mut self, pending: Pending) {
        self.pending = self.pending.max(pending);
    }

    fn begin_line(&mut self, level: usize) {
        let breaks = if self.out.is_empty() { 0 } else { self.pending as usize };
        for _ in 0..breaks {
            self.out.extend_from_slice(self.line_break);
        }
        self.pending = Pending::None;
        self.line_start = self.out.len();
        self.out.resize(self.out.len() + INDENT * level.min(DEEPEST), b' ');
    }

    fn open_block(&mut self, word: SpacedToken<'a>, next: &[u8]) {
        self.place(word, false);
        self.blocks.push(OpenBlock {
            level: self.level() + 1,
            holders: self.holders.len(),
            headers: self.headers.len(),
            inside: std::mem::take(&mut self.inside),
        });
        self.in_statement = false;
        if next != b"}" {
            self.end_line(Pending::Line);
        }
    }

    fn close_block(&mut self, word: SpacedToken<'a>, next: Option<SpacedToken<'a>>) {
        let empty =
            self.last.is_some_and(|last| last.text == b"{") && self.pending == Pending::None;
        // A brace that closes nothing leaves nothing open.
        let outside = OpenBlock { level: 1, holders: 0, headers: 0, inside: 0 };
        let block = self.blocks.pop().unwrap_or(outside);
        self.holders.truncate(block.holders);
        self.headers.truncate(block.headers);
        self.inside = block.inside;
        if empty {
            self.out.push(b'}');
            self.last = Some(word);
        } else {
            self.end_line(Pending::Line);
            self.in_statement = false;
            self.place(word, false);
        }
        self.in_statement = true;
        let has_handler = next.is_some_and(|next| next.role == TokenRole::Handler);
        if word.role == TokenRole::Block && self.inside == 0 && !has_handler {
            self.end_statement(next.map_or(b"", |next| next.text), true);
        }
    }

    /// The head of a statement that holds another one has ended, such as `if (c)` or `else`.
    fn hold(&mut self, word: Hold, on_same_line: bool, next: &[u8]) {
        if self.inside > 0 {
            return;
        }
        let inner = self.level() + usize::from(!on_same_line);
        self.holders.push(Holder { word, inner });
        self.in_statement = false;
        if !on_same_line && next != b";" {
            self.end_line(Pending::Line);
        }
    }

    /// A statement ends, and with it those that hold it, unless they go on with `else` or `while`.
    fn end_statement(&mut self, next: &[u8], with_brace: bool) {
        self.in_statement = false;
        let outside = self.blocks.last().map_or(0, |block| block.holders);
        while self.holders.len() > outside {
            let Some(holder) = self.holders.pop() else { break };
            self.after_do = holder.word == Hold::Do && next == b"while";
            if self.after_do || (holder.word == Hold::If && next == b"else") {
                if !with_brace {
                    self.end_line(Pending::Line);
                }
                return;
            }
        }
        let ends_function = with_brace && self.blocks.is_empty();
        self.end_line(if ends_function { Pending::Empty } else { Pending::Line });
    }
}
