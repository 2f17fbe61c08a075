//! The reasons for the lines of a result as text.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use clreduce_interestingness::{Filtered, Outcome, Verdict};
use clreduce_testcase::Complaint;

use crate::past::lines::{Fate, JudgedVariant, Reasons, ResultLine, Touch, part_in};
use crate::terminal::printing::printable;
use crate::terminal::units::{counted, show_count};

/// The most characters of a text inside a sentence, the most changes and names in one, and the most lines of what a test printed.
const MOST_CHARACTERS: usize = 40;
const MOST_CHANGES: usize = 2;
const MOST_NAMES: usize = 3;
const MOST_OUTPUT: usize = 5;

/// The text that is printed.
pub(super) struct WhyText<'a> {
    reasons: &'a Reasons,
    /// The outcomes of the variants that were tested a second time, by index.
    again: &'a BTreeMap<usize, Outcome>,
    is_finished: bool,
    /// Columns for numbers of lines.
    width: usize,
    pub(super) text: String,
}

impl<'a> WhyText<'a> {
    pub(super) fn new(
        reasons: &'a Reasons,
        again: &'a BTreeMap<usize, Outcome>,
        is_finished: bool,
    ) -> Self {
        let numbers = reasons.lines.iter().map(|line| line.number.to_string().len());
        let width = numbers.max().unwrap_or(1);
        Self { reasons, again, is_finished, width, text: String::new() }
    }

    /// Says what is left.
    pub(super) fn head(&mut self, name: &str, steps: u64) {
        let tokens = counted(self.reasons.shown.count() as u64, "token");
        let steps = counted(steps, "variant");
        let end = if self.is_finished { "" } else { "; the reduction is not finished" };
        let _ = writeln!(self.text, "`{name}`: {tokens} are left after {steps}{end}");
    }

    /// Explains a line by its nearest variants, of those that change a part of it by at most `most`.
    pub(super) fn line(&mut self, line: &ResultLine, most: usize) {
        let Reasons { shown, lines, .. } = self.reasons;
        let is_first = lines
            .iter()
            .find(|it| it.file == line.file)
            .is_some_and(|first| std::ptr::eq(first, line));
        if is_first && shown.case.files().len() > 1 {
            let _ = writeln!(self.text, "\n{}:", printable(&shown.case.files()[line.file].path));
        }
        let code = String::from_utf8_lossy(shown.text(line.file, line.tokens.clone()));
        let (number, width) = (line.number, self.width);
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "\n{number:>width$}  {}", printable(&code));
        match line.without {
            Some(variant) => self.variant(line, variant, "without it"),
            None => self.indented("without it: never proposed"),
        }
        let mut told = Vec::new();
        for &variant in &line.partly {
            let part = self.part(line, variant);
            // Some differ only in the layout.
            if told.len() < most && !told.contains(&part) {
                self.variant(line, variant, &part);
                told.push(part);
            }
        }
    }

    fn indented(&mut self, text: &str) {
        let width = self.width;
        let _ = writeln!(self.text, "{:width$}    {text}", "");
    }

    fn variant(&mut self, line: &ResultLine, index: usize, what: &str) {
        let variant = &self.reasons.variants[index];
        let outside = Touch::of(variant, line).map_or(0, |touch| touch.outside);
        let more = match outside {
            0 => String::new(),
            count => format!(", and {} changed elsewhere", counted(count as u64, "token")),
        };
        let reason = self.reason(&variant.fate, variant.pass);
        self.indented(&format!("{what}{more}: {reason}"));
        if let Some(outcome) = self.again.get(&index) {
            self.outcome(outcome);
        }
    }

    /// The change of a part of a line.
    fn part(&self, line: &ResultLine, variant: usize) -> String {
        let changes = &self.reasons.variants[variant].changes;
        let parts: Vec<String> = changes
            .iter()
            .filter_map(|change| {
                let here = part_in(change, line)?;
                let is_last = change.tokens.end <= line.tokens.end;
                let text = if is_last { &change.text[..] } else { b"" };
                Some(self.change(line.file, here, text))
            })
            .collect();
        let left = parts.len().saturating_sub(MOST_CHANGES);
        let shown = parts[..parts.len() - left].join(", ");
        if left == 0 { shown } else { format!("{shown} and {left} more") }
    }

    fn change(&self, file: usize, tokens: Range<usize>, text: &[u8]) -> String {
        let old = cut(self.reasons.shown.text(file, tokens));
        match (&*old, &*cut(text)) {
            (old, "") => format!("without `{old}`"),
            ("", new) => format!("with `{new}`"),
            (old, new) => format!("`{old}` as `{new}`"),
        }
    }

    /// The reason why a variant is not the result.
    fn reason(&self, fate: &Fate, pass: &str) -> String {
        match fate {
            Fate::Judged(judged) => verdict(judged, pass),
            Fate::Alike(step) => {
                format!("looked the same as what was refused in step {}", show_count(*step))
            }
            Fate::Contains(step) => {
                format!("contains what was refused in step {}", show_count(*step))
            }
            Fate::Protected => "protected".to_owned(),
            Fate::Untried if self.is_finished => format!("never tried ({pass})"),
            Fate::Untried => format!("not tried yet ({pass})"),
        }
    }

    /// Adds the outcome and the output of a second test.
    fn outcome(&mut self, outcome: &Outcome) {
        let said = match outcome.verdict {
            Verdict::Interesting => {
                "interesting: the test is flaky, or it was not the test of the reduction"
            }
            Verdict::TimedOut => "stopped at the time limit",
            _ if outcome.reason.is_empty() => "not interesting",
            _ => &outcome.reason,
        };
        self.indented(&format!("  tested again: {}", printable(said)));
        let output = String::from_utf8_lossy(&outcome.output_tail);
        let output = console::strip_ansi_codes(&output);
        let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
        // Otherwise the end tells most.
        let errors: Vec<&str> = lines.iter().copied().filter(|it| it.contains("error")).collect();
        let shown = match &errors[..] {
            [] => &lines[lines.len().saturating_sub(MOST_OUTPUT)..],
            errors => &errors[..errors.len().min(MOST_OUTPUT)],
        };
        for line in shown {
            let line: String = line.chars().take(4 * MOST_CHARACTERS).collect();
            self.indented(&format!("  | {}", printable(&line)));
        }
    }
}

fn verdict(judged: &JudgedVariant, pass: &str) -> String {
    let JudgedVariant { step, verdict, filtered, complaints, is_ranked } = judged;
    let step = format!("step {}, {pass}", show_count(*step));
    let said = match verdict {
        _ if *filtered == Filtered::Rejected => "libclang does not compile it",
        Verdict::Interesting => "interesting, but not smaller",
        Verdict::Uninteresting if *is_ranked => "interesting, but not preferred",
        Verdict::Uninteresting => "not interesting",
        Verdict::TimedOut => "stopped at the time limit",
        Verdict::Unresolved => "unresolved",
    };
    match names(complaints) {
        names if names.is_empty() => format!("{said} ({step})"),
        names => format!("{said} ({step}); errors about {names}"),
    }
}

/// The names that compilers complained about.
fn names(complaints: &[Complaint]) -> String {
    let mut names: Vec<String> = complaints
        .iter()
        .flat_map(|it| &it.names)
        .map(|name| format!("`{}`", cut(name.as_bytes())))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MOST_NAMES);
    names.join(", ")
}

/// A text on one line.
fn cut(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let mut cut: String = line.chars().take(MOST_CHARACTERS).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    printable(&cut).into_owned()
}
