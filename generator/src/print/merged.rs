//! Statements that the text makes one.

use super::KernelPrinter;
use crate::ir::{Block, Change, Merge, Pair, StmtKind};

impl KernelPrinter<'_> {
    pub(super) fn merged(&mut self, merge: Merge, block: &Block) {
        let program = self.program;
        let text =
            program.pair(merge, block).and_then(|pair| Some((pair, self.one(merge, &pair)?)));
        let Some((pair, text)) = text else {
            block.iter().for_each(|id| self.statement(*id));
            return;
        };
        match &program.stmt(pair.other).kind {
            StmtKind::Hash(value) => self.hash(&text, program.ty(*value)),
            StmtKind::If(_, then, other) => self.branches(&text, then, other),
            StmtKind::Switch(switch) => self.switch(&text, switch),
            StmtKind::Jump(jump, _) => self.jump(&text, *jump),
            _ => self.line(&format!("{text};")),
        }
    }

    /// The text of the other statement's expression, with the assignment in the place of the variable; where that statement is an
    /// assignment, its whole text. `None` unless the variable occurs in the text exactly once.
    fn one(&self, merge: Merge, pair: &Pair) -> Option<String> {
        let program = self.program;
        let name = &program.variable(pair.variable).name;
        let head = program.head(pair.other)?;
        let target = match &program.stmt(pair.other).kind {
            StmtKind::Assign(place, _) => Some(&program.variable(place.variable()).name),
            _ => None,
        };
        let before = self.assignment(name, pair.value);
        if merge == Merge::Comma {
            return Some(match target {
                // Both are the same.
                Some(target) if pair.variable.0.is_multiple_of(2) => {
                    format!("{before}, {}", self.assignment(target, head))
                }
                Some(target) => format!("{target} = ({before}, {})", self.text(head)),
                None => format!("({before}, {})", self.text(head)),
            });
        }
        let within = match (merge, pair.change) {
            (Merge::Increment, Some((change, is_after))) => {
                let sign = if change == Change::Up { "++" } else { "--" };
                if is_after { format!("({name}{sign})") } else { format!("({sign}{name})") }
            }
            _ => format!("({before})"),
        };
        let text = match target {
            Some(target) => self.assignment(target, head),
            None => self.text(head),
        };
        with_word(&text, name, &within)
    }
}

/// A text with another one in the place of a word, if it has the word once.
fn with_word(text: &str, word: &str, other: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let at = |(at, _): &(usize, &str)| {
        let (before, after) = (&text[..*at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    };
    let places: Vec<(usize, &str)> = text.match_indices(word).filter(at).collect();
    let [(place, _)] = places[..] else { return None };
    Some(format!("{}{other}{}", &text[..place], &text[place + word.len()..]))
}
