//! `clreduce help`: the commands, the options of a command, and the pages of the documentation.

pub(crate) mod generate;
mod markdown;
mod reference;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use clap::CommandFactory;
use console::{Term, style};

use crate::command_line::{Args, HelpArgs};
use crate::failure::{CliError, UsageError};
use crate::terminal::printing;

/// The width of text where no terminal says another, and the largest one that is good to read.
const WIDTH: usize = 100;

/// A page of the documentation, in Markdown.
#[derive(Clone, Copy, Debug)]
pub struct HelpPage {
    /// The name of the page, by which `clreduce help` finds it.
    pub name: &'static str,
    /// Its text. The first line is its title.
    pub text: &'static str,
}

impl HelpPage {
    /// The title, from the first line.
    fn title(&self) -> &str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

/// Prints the help of the program, of a command, or a page.
///
/// # Errors
/// When there is neither a command nor a page of that name, or standard output does not take it.
pub(crate) fn help(args: &HelpArgs, pages: &[HelpPage]) -> Result<ExitCode, CliError> {
    let text = match &args.topic {
        None => overview(pages),
        Some(topic) => match (of_command(topic), pages.iter().find(|page| page.name == *topic)) {
            (Some(text), _) => text,
            (None, Some(page)) => markdown::shown(page.text, width()),
            (None, None) => return Err(UsageError::NoTopic(topic.clone()).into()),
        },
    };
    printing::out().write_all(text.as_bytes()).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

fn width() -> usize {
    let columns = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    columns.map_or(WIDTH, |columns| columns.min(WIDTH))
}

/// The options of a command, as `clreduce COMMAND --help` prints them.
fn of_command(name: &str) -> Option<String> {
    let mut all = Args::command();
    all.build();
    let command = all.find_subcommand_mut(name)?;
    let help = command.render_long_help();
    let has_colors = console::colors_enabled();
    Some(if has_colors { help.ansi().to_string() } else { help.to_string() })
}

/// The short help of the program, and the pages.
fn overview(pages: &[HelpPage]) -> String {
    let mut text = String::new();
    let commands = Args::command();
    let names = commands.get_subcommands().filter(|command| !command.is_hide_set());
    let rows: Vec<(&str, String)> = names
        .map(|command| (command.get_name(), command.get_about().unwrap_or_default().to_string()))
        .collect();
    let pages: Vec<(&str, String)> =
        pages.iter().map(|page| (page.name, page.title().to_owned())).collect();
    text.push_str(
        "Usage: clreduce [OPTIONS] <FILE|DIR>... --test <TEST>\n       clreduce <COMMAND> ...\n\n\
         `clreduce --help` explains the options of a reduction.\n",
    );
    for (head, rows) in [
        ("Commands, with their options: clreduce help COMMAND", rows),
        ("Pages of the book: clreduce help PAGE", pages),
    ] {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{}", style(head).bold());
        let widest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, about) in rows {
            let _ = writeln!(text, "  {name:<widest$}  {about}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_pages_are_listed_and_found() {
        let page = HelpPage { name: "tests", text: "# Writing a test\n\nFor all.\n" };
        let shown = overview(&[page]);
        for part in ["batch ", "bisect ", "tests ", "Writing a test"] {
            assert!(shown.contains(part), "{part} is not in:\n{shown}");
        }
        let shown = of_command("batch").unwrap();
        assert!(shown.contains("Usage: clreduce batch"), "{shown}");
        assert_eq!(of_command("tests"), None);
    }
}
