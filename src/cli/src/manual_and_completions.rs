//! The manual page and the shell completions that `--generate` prints.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use crate::command_line::{Args, Generate};

/// Writes what is asked for.
///
/// # Errors
/// When `out` does not take it.
pub(crate) fn write(what: Generate, out: &mut dyn Write) -> io::Result<()> {
    let mut command = Args::command();
    let shell = match what {
        Generate::Man => return clap_mangen::Man::new(command).render(out),
        Generate::Bash => Shell::Bash,
        Generate::Elvish => Shell::Elvish,
        Generate::Fish => Shell::Fish,
        Generate::PowerShell => Shell::PowerShell,
        Generate::Zsh => Shell::Zsh,
    };
    // Into memory first: the generator does not pass on errors of writing.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "clreduce", &mut script);
    out.write_all(&script)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn everything_knows_every_option() {
        for what in Generate::value_variants() {
            let mut text = Vec::new();
            write(*what, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap().replace('\\', "");
            for option in Args::command().get_arguments().filter(|option| !option.is_hide_set()) {
                let Some(name) = option.get_long() else { continue };
                assert!(text.contains(name), "{what:?} lacks --{name}");
            }
        }
    }
}
