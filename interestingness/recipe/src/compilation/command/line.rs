//! A command as a line for the shell, as it is or with other options.

use std::ffi::OsStr;

use clreduce_process::quoted;

use super::{CompileCommand, Part};

/// The form in which a command is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineOptions<'a> {
    /// The source file: `{file}`, or a path in quotes.
    pub file: &'a str,
    /// True if the file is preprocessed, so that the options for the preprocessor are left out.
    pub preprocessed: bool,
    /// The level of optimisation instead of the own one and everything that tunes it.
    pub optimisation: Option<&'a str>,
    /// More options.
    pub more: &'a [String],
}

impl LineOptions<'_> {
    /// The file of a recipe.
    pub(crate) const RECIPE: LineOptions<'static> =
        LineOptions { file: "{file}", preprocessed: false, optimisation: None, more: &[] };
}

/// The output of every command, in the directory of the variant.
pub(crate) const OUTPUT: &str = "output";

impl CompileCommand {
    /// The options with which other compilers read the source as this one does.
    pub(crate) fn reading(&self, preprocessed: bool) -> String {
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Dialect(words) => Some(words),
            Part::Preprocessor(words) if !preprocessed => Some(words),
            _ => None,
        });
        words.flatten().map(|word| format!("{} ", shell_word(word))).collect()
    }

    /// The options with which other compilers link the program as this one does; each begins with a space.
    pub(crate) fn libraries(&self) -> String {
        let is_library =
            |word: &str| word == "-pthread" || word.starts_with("-l") || word.starts_with("-L");
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Plain(word) if is_library(word) => Some(word),
            _ => None,
        });
        words.map(|word| format!(" {}", shell_word(word))).collect()
    }

    /// The values of an option such as `-mllvm`.
    pub(crate) fn values_of(&self, option: &str) -> Vec<String> {
        let value = |part: &Part| match part {
            Part::Valued(own, value) if own == option => Some(value.clone()),
            _ => None,
        };
        self.parts.iter().filter_map(value).collect()
    }

    /// The words that stay as they are, without the compiler.
    pub(crate) fn plain_words(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().skip(1).filter_map(|part| match part {
            Part::Plain(word) => Some(word.as_str()),
            _ => None,
        })
    }

    /// The options that say for which machine code is made.
    pub(crate) fn machine(&self) -> Vec<String> {
        let is_machine = |word: &str| word.starts_with("-m") || word.starts_with("--target=");
        let words = self.parts.iter().flat_map(|part| match part {
            Part::Plain(word) if is_machine(word) => vec![word.clone()],
            Part::Dialect(words) if is_machine(&words[0]) => words.clone(),
            Part::Valued(option, value) if option == "-target" => {
                vec![option.clone(), value.clone()]
            }
            _ => Vec::new(),
        });
        words.collect()
    }

    /// The command for the shell.
    pub(crate) fn line(&self, form: LineOptions<'_>) -> String {
        let mut words: Vec<String> = Vec::new();
        for part in &self.parts {
            match part {
                Part::Plain(word) | Part::Mode(word) => words.push(shell_word(word)),
                Part::Source => {
                    let level = form.optimisation.filter(|_| self.optimises_unasked());
                    words.extend(level.map(str::to_owned));
                    words.extend(form.more.iter().map(shell_word));
                    words.push(form.file.to_owned());
                }
                Part::Valued(option, value) => {
                    words.extend([shell_word(option), shell_word(value)]);
                }
                Part::Output(option, _) => words.extend([option.clone(), OUTPUT.to_owned()]),
                Part::Optimisation(level) => {
                    words.push(form.optimisation.unwrap_or(level).to_owned());
                }
                Part::Tuning(word) if form.optimisation.is_none() => words.push(shell_word(word)),
                Part::Tuning(_) => {}
                Part::Preprocessor(_) if form.preprocessed => {}
                Part::Preprocessor(options) | Part::Dialect(options) => {
                    words.extend(options.iter().map(shell_word));
                }
            }
        }
        // Where the output goes matters to programs that are run.
        if self.mode().is_none() && self.is_driver() && self.output().is_none() {
            words.extend(["-o".to_owned(), OUTPUT.to_owned()]);
        }
        words.join(" ")
    }

    /// The command for the shell that prints the preprocessed source, with one more option.
    pub(crate) fn preprocessing(&self, more: &[String]) -> String {
        let file = quoted(self.source.as_os_str());
        let mut command = self.in_mode("-E");
        let mut more = more.to_vec();
        // The command on the preprocessed program declares the built-in functions of OpenCL again.
        if self.source.extension().is_some_and(|ending| ending == "cl")
            && self.compiler().contains("clang")
        {
            command.parts.retain(|part| match part {
                Part::Valued(_, word) => word != "-finclude-default-header",
                _ => true,
            });
            more.push("-cl-no-stdinc".to_owned());
        }
        command.line(LineOptions { file: &file, more: &more, ..LineOptions::RECIPE })
    }

    /// The same command where it only reads the program, and makes no code.
    pub(crate) fn reading_only(&self) -> Self {
        self.in_mode("-fsyntax-only")
    }

    /// The same command where it makes something else, which goes to its usual file.
    pub(crate) fn in_mode(&self, mode: &str) -> Self {
        let kept = |part: &&Part| !matches!(part, Part::Mode(_) | Part::Output(..));
        let parts = self.parts.iter().filter(kept).cloned().chain([Part::Mode(mode.to_owned())]);
        Self { parts: parts.collect(), source: self.source.clone() }
    }
}

/// A word for the shell. [`quoted`] would quote `=`, too, which makes options hard to read.
pub(super) fn shell_word(word: &String) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    let needs_no_quotes = !word.is_empty() && word.chars().all(is_plain);
    if needs_no_quotes { word.clone() } else { quoted(OsStr::new(word)) }
}
