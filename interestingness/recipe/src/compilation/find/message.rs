//! The message that a compiler should not print, as a person copies it: with or without its flag, its place and brackets.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::str::FromStr;
use std::sync::LazyLock;

use clreduce_kernel::RunOutcome;
use clreduce_process::quoted;
use regex::{Captures, Regex};

use super::program::ProgramFiles;
use super::{BugSearch, CompilerBugError};
use crate::compilation::command::LineOptions;
use crate::shown::{from_match, says, warning_named};

/// A message, as patterns of which the first one that occurs is meant: the text as a pattern, and as it is.
#[derive(Clone, Debug)]
pub struct AskedMessage(Vec<Regex>);

impl FromStr for AskedMessage {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        static PLACE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^\S+?:\d+:(?:\d+:)? (?:error: |warning: )")
                .expect("the pattern is a constant")
        });
        // `[-Wunused]` is no set of characters.
        static FLAG: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\[(-W[\w+=,#-]+)\]").expect("the pattern is a constant"));
        // The program that is reduced has another name, and other lines.
        let place = PLACE
            .find(text)
            .map_or(0, |found| text[..found.end() - 1].rfind(' ').map_or(0, |at| at + 1));
        let text = &text[place..];
        let pattern = FLAG.replace_all(text, |found: &Captures<'_>| format!(r"\[{}\]", &found[1]));
        let patterns = [any_quotation_marks(&pattern), any_quotation_marks(&regex::escape(text))];
        Ok(Self(patterns.into_iter().flatten().collect()))
    }
}

impl AskedMessage {
    /// The pattern that an output of a compiler matches.
    pub(crate) fn matching(&self, output: &str) -> Option<&Regex> {
        self.0.iter().find(|pattern| says(output, pattern))
    }
}

impl BugSearch<'_> {
    /// Finds the message in what the command prints, and lets the compiler reject the program because of it.
    pub(super) fn with_message(
        &mut self,
        asked: &AskedMessage,
        files: &ProgramFiles,
        form: LineOptions<'_>,
        outcome: RunOutcome,
    ) -> Result<RunOutcome, CompilerBugError> {
        let command = self.compilation.command.line(form);
        let is_built = matches!(outcome, RunOutcome::Built | RunOutcome::Results(_));
        let printed = match is_built {
            true => self.shell("looking for the message", &command, files)?.stderr,
            false => outcome.details(),
        };
        let Some(message) = asked.matching(&printed) else {
            return Err(CompilerBugError::NoMessage {
                command,
                printed: printed_instead(&printed),
            });
        };
        self.message = Some(message.clone());
        if !is_built {
            return Ok(outcome);
        }
        // Where only the warning in question is an error, others are not mistaken for it.
        let only = warning_named(&printed, message).map(|flag| format!("-Werror={flag}"));
        for option in only.into_iter().chain(["-Werror".to_owned()]) {
            let more = vec![option];
            let outcome = self.outcome(files, LineOptions { more: &more, ..form })?;
            let fails = !matches!(outcome, RunOutcome::Built | RunOutcome::Results(_));
            if fails && says(&outcome.details(), message) {
                self.more = more;
                return Ok(outcome);
            }
        }
        let line = from_match(&printed, message).and_then(|text| text.lines().next());
        let own = quoted(OsStr::new(&self.compilation.name));
        let test = self.compilation.command.line(LineOptions { file: &own, ..form });
        let test = format!(
            "clreduce {} --test {} --interesting-stderr {}",
            quoted(self.compilation.command.source().as_os_str()),
            quoted(OsStr::new(&test)),
            quoted(OsStr::new(message.as_str()))
        );
        let line = line.unwrap_or_default().to_owned();
        Err(CompilerBugError::NoError { command, line, test })
    }
}

/// The first errors and warnings that a compiler prints, for a person who looks for another one.
fn printed_instead(output: &str) -> String {
    let text_of = |line: &'_ str| {
        let (_, text) = line.split_once("error: ").or_else(|| line.split_once("warning: "))?;
        Some(text.split(" [-W").next().unwrap_or(text).trim().to_owned())
    };
    let messages = output.lines().filter_map(|line| Some((line, text_of(line)?)));
    let messages: Vec<_> = messages.filter(|(_, text)| !text.is_empty()).take(5).collect();
    let Some((_, example)) = messages.first() else { return String::new() };
    let lines: String = messages.iter().map(|(line, _)| format!("\n    {line}")).collect();
    let example = quoted(OsStr::new(&regex::escape(example)));
    format!(
        "; it prints:{lines}\nhelp: give a part of a message that is printed, as in: --message {example}"
    )
}

/// Reads a pattern in which single quotation marks outside of brackets, straight or curly, stand for each other: which ones
/// a compiler prints depends on the locale.
fn any_quotation_marks(pattern: &str) -> Result<Regex, regex::Error> {
    let mut read = String::new();
    let mut brackets = 0_usize;
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '‘' | '’' if brackets == 0 => {
                read.push_str("['‘’]");
                continue;
            }
            '[' => brackets += 1,
            ']' => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        read.push(character);
        if character == '\\' {
            read.extend(characters.next());
        }
    }
    // Where Unicode is switched off, there are no curly ones.
    Regex::new(&read).or_else(|_| Regex::new(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_match_each_other() {
        for (pattern, text, matches) in [
            ("'x' is used", "warning: ‘x’ is used", true),
            ("‘x’ is used", "warning: 'x' is used", true),
            (r"'x\.y'", "‘x.y’", true),
            (r"'x\.y'", "‘xzy’", false),
            (r"\['", "[‘", true),
            (r"\\'", r"\‘", true),
            ("^[!-']x$", "$x", true),
            ("^[!-']x$", "ax", false),
            ("[^']x'", "'x'", false),
            ("[^']x'", "-x’", true),
            ("(?-u)'x'", "'x'", true),
        ] {
            assert_eq!(any_quotation_marks(pattern).unwrap().is_match(text), matches, "{pattern}");
        }
    }

    #[test]
    fn a_message_is_what_a_person_copies() {
        let printed = "a.c:4:12: warning: function returns address of local variable (really) [-Wreturn-local-addr]";
        let promoted = printed.replace("warning", "error").replace("-W", "-Werror=");
        for asked in [
            "Wreturn-local-addr",
            "-Wreturn-local-addr",
            "[-Wreturn-local-addr]",
            r"\[-Wreturn-local-addr\]",
            "warning: function returns",
            "variable (really) [-Wreturn",
            "returns address .* variable",
            "b.c:7:1: warning: function returns address of local variable (really) [-Wreturn-local-addr]",
        ] {
            let asked: AskedMessage = asked.parse().unwrap();
            assert!(asked.matching(printed).is_some(), "{asked:?}");
            assert!(asked.matching(&promoted).is_some(), "{asked:?}");
            assert!(asked.matching("a.c:4:1: warning: unused [-Wunused]").is_none(), "{asked:?}");
        }
        // Anything but a pattern is text.
        let asked: AskedMessage = "(".parse().unwrap();
        assert!(asked.matching("f(x)").is_some());
    }
}
