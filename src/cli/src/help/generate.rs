//! The texts that `--generate` writes: manual pages, pages of the book about the commands, and completions for shells.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::reference;
use crate::command_line::{Args, Generate};
use crate::failure::CliError;

/// Prints what is asked for, or writes it to a path: the completions to a file, the pages of all commands into a folder.
///
/// # Errors
/// When a file or standard output cannot be written.
pub(crate) fn generate(
    what: Generate,
    to: Option<&Path>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let Some(to) = to else {
        let text = text_of(what, &command).map_err(CliError::Stdout)?;
        return out.write_all(&text).map_err(CliError::Stdout);
    };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| CliError::Write { path, source }
    };
    let mut files: Vec<(PathBuf, &Command)> = Vec::new();
    if matches!(what, Generate::Man | Generate::Markdown) {
        fs::create_dir_all(to).map_err(failed(to))?;
        let ending = if what == Generate::Man { "1" } else { "md" };
        for command in
            command.get_subcommands().filter(|command| !command.is_hide_set()).chain([&command])
        {
            let name = command.get_display_name().unwrap_or_else(|| command.get_name());
            files.push((to.join(format!("{name}.{ending}")), command));
        }
    } else {
        files.push((to.to_owned(), &command));
    }
    for (path, command) in files {
        let text = text_of(what, command).map_err(failed(&path))?;
        fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(())
}

fn text_of(what: Generate, command: &Command) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let shell = match what {
        Generate::Man => {
            clap_mangen::Man::new(command.clone()).render(&mut text)?;
            return Ok(text);
        }
        Generate::Markdown => return Ok(reference::of_command(command).into_bytes()),
        Generate::Bash => Shell::Bash,
        Generate::Elvish => Shell::Elvish,
        Generate::Fish => Shell::Fish,
        Generate::PowerShell => Shell::PowerShell,
        Generate::Zsh => Shell::Zsh,
    };
    clap_complete::generate(shell, &mut Args::command(), "clreduce", &mut text);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn everything_knows_every_option() {
        for what in Generate::value_variants() {
            let mut text = Vec::new();
            generate(*what, None, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap().replace('\\', "");
            for option in Args::command().get_arguments().filter(|option| !option.is_hide_set()) {
                let Some(name) = option.get_long() else { continue };
                assert!(text.contains(name), "{what:?} lacks --{name}");
            }
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        for (what, name) in
            [(Generate::Man, "clreduce-batch.1"), (Generate::Markdown, "clreduce-batch.md")]
        {
            let to = folder.path().join(name.replace('.', "-"));
            generate(what, Some(&to), &mut Vec::new()).unwrap();
            let pages = fs::read_dir(&to).unwrap().count();
            assert_eq!(pages, Args::command().get_subcommands().count() + 1, "{what:?}");
            let page = fs::read_to_string(to.join(name)).unwrap().replace('\\', "");
            assert!(page.contains("clreduce batch") && page.contains("--out"), "{page}");
        }
    }
}
