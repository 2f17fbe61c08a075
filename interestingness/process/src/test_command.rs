//! The command that a test consists of, as a person gave it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{self, Path, PathBuf};

use crate::diagnose::{self, CommandError};

/// The command that is run for each variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestCommand {
    /// A program, started directly.
    Program {
        /// Its absolute path: tests run in directories of their own.
        path: PathBuf,
        /// Its arguments.
        args: Vec<OsString>,
    },
    /// A line for the shell: `sh -c LINE`, on Windows `cmd /C LINE`.
    Shell(String),
}

impl TestCommand {
    /// Reads the command that a person wrote: an existing file is a program, anything else a line for the
    /// shell, unless it looks like the path of a file that is missing. On Windows the ending of the
    /// file's name may be left out.
    ///
    /// # Errors
    /// When the file cannot be run, with what to do about it.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        if text.trim().is_empty() {
            return Err(CommandError::Empty);
        }
        let file = Path::new(text);
        #[cfg(windows)]
        if !file.is_file()
            && let Some(file) = crate::interpreter::with_ending(file)
        {
            return Self::program(&file);
        }
        if file.exists() {
            return Self::program(file);
        }
        if looks_like_a_path(text) {
            return Err(CommandError::Missing { path: file.to_owned() });
        }
        Ok(Self::Shell(text.to_owned()))
    }

    /// A program without arguments; its path is made absolute.
    ///
    /// # Errors
    /// When it cannot be run, with what to do about it.
    pub fn program(file: &Path) -> Result<Self, CommandError> {
        let unreadable = |source| CommandError::Unreadable { path: file.to_owned(), source };
        let path = path::absolute(file).map_err(unreadable)?;
        diagnose::check_program(&path)?;
        Ok(Self::Program { path, args: Vec::new() })
    }

    /// Program and arguments as they are started.
    #[cfg(unix)]
    pub(crate) fn argv(&self) -> (OsString, Vec<OsString>) {
        match self {
            Self::Program { path, args } => (path.into(), args.clone()),
            Self::Shell(line) => ("/bin/sh".into(), vec!["-c".into(), line.into()]),
        }
    }
}

/// Shows the command so that it can be pasted into a shell.
impl fmt::Display for TestCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell(line) => f.write_str(line),
            Self::Program { path, args } => {
                f.write_str(&quoted(path.as_os_str()))?;
                args.iter().try_for_each(|arg| write!(f, " {}", quoted(arg)))
            }
        }
    }
}

/// A word as the system's shell reads it.
#[cfg(windows)]
#[must_use]
pub fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || r"\/:._-+=@".contains(c);
    // No path has a quote in it.
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("\"{word}\"") }
}

/// A word as the system's shell reads it.
#[cfg(unix)]
#[must_use]
pub fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    // The only word that cannot be quoted has a NUL in it and could not be passed either.
    shlex::try_quote(&word).map_or_else(|_| word.to_string(), Into::into)
}

/// The words of a line for the shell, without their quotes. A line that ends inside quotes is taken as it stands.
#[must_use]
pub fn words(line: &str) -> Vec<String> {
    let as_they_stand = || line.split_whitespace().map(str::to_owned).collect();
    if cfg!(windows) { as_they_stand() } else { shlex::split(line).unwrap_or_else(as_they_stand) }
}

/// A single word with a slash, or with the ending of a script.
fn looks_like_a_path(text: &str) -> bool {
    let endings = ["sh", "py", "pl", "bat", "cmd", "ps1", "exe"];
    let script = || {
        let ending = Path::new(text).extension().and_then(OsStr::to_str);
        ending.is_some_and(|ending| endings.contains(&ending))
    };
    !text.contains(char::is_whitespace) && (text.contains(path::is_separator) || script())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_paths_from_shell_lines() {
        for text in ["./gone.sh", "gone.sh", "gone.py", "/usr/bin/no-such-thing", "dir/gone"] {
            let parsed = TestCommand::parse(text);
            assert!(matches!(parsed, Err(CommandError::Missing { .. })), "{text}: {parsed:?}");
        }
        for text in ["true", "gcc -c a.c && ./a.out", "grep -q x a.c"] {
            assert_eq!(TestCommand::parse(text).unwrap(), TestCommand::Shell(text.to_owned()));
        }
        assert!(matches!(TestCommand::parse("  "), Err(CommandError::Empty)));
    }

    #[cfg(windows)]
    #[test]
    fn is_shown_for_pasting() {
        let args = vec!["-n".into()];
        let command = TestCommand::Program { path: r"C:\my tests\t.bat".into(), args };
        assert_eq!(command.to_string(), r#""C:\my tests\t.bat" -n"#);
    }

    #[cfg(unix)]
    #[test]
    fn is_shown_for_pasting() {
        let command = TestCommand::Program {
            path: "/tmp/my test.sh".into(),
            args: vec!["-n".into(), "it's".into()],
        };
        let shown = command.to_string();
        assert_eq!(shlex::split(&shown).unwrap(), ["/tmp/my test.sh", "-n", "it's"], "{shown}");
    }
}
