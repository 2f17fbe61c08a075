//! `clreduce languages` lists the languages that clreduce knows, with the endings of their files.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use clreduce_testcase::{Feature, Language};

use crate::failure::CliError;

/// The arguments of `clreduce languages`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The ending of FILE tells the language, or else its text; `--lang NAME` says it. A file in another language \
    is read as text, of which clreduce removes lines, blocks and words."
)]
pub(crate) struct LanguagesArgs {}

/// Prints the languages.
///
/// # Errors
/// When standard output does not take it.
pub(crate) fn languages(_: &LanguagesArgs) -> Result<ExitCode, CliError> {
    let width = Language::ALL.iter().map(|language| language.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for language in Language::ALL {
        let endings: Vec<String> = language.endings().map(|ending| format!(".{ending}")).collect();
        let endings = if endings.is_empty() { "any other".to_owned() } else { endings.join(" ") };
        let known = known(language);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<width$}  {known:<12}  {endings}", language.name());
    }
    crate::terminal::printing::out().write_all(text.as_bytes()).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// What clreduce knows of a language.
fn known(language: Language) -> &'static str {
    match () {
        () if language.has(Feature::Syntax) || language.has(Feature::Blocks) => "its meaning",
        () if language.has(Feature::Grammar) => "its grammar",
        () if language.is_known() => "its tokens",
        () => "lines",
    }
}
