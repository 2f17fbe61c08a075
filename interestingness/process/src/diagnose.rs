//! The check of a test program before the first test: the reasons that it cannot run, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A test command that cannot work.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The command is empty.
    #[error("the test command is empty; name a program, or write a shell command in quotes")]
    Empty,
    /// The text looks like a path, but there is no such file.
    #[error(
        "the test `{path}` does not exist; check its path (to run a shell command of this name, write \
         `sh -c '{path}'`)"
    )]
    Missing {
        /// As it was given.
        path: PathBuf,
    },
    /// The path is a directory.
    #[error("the test `{path}` is a directory; name a program")]
    Directory {
        /// Absolute.
        path: PathBuf,
    },
    /// The ending of the file's name is none that Windows can run.
    #[error(
        "Windows does not know how to run the test `{path}`; its name should end in .exe, .bat, .cmd, \
         .ps1 or .py"
    )]
    NoProgram {
        /// Absolute.
        path: PathBuf,
    },
    /// The file has no permission to be run.
    #[error("the test `{path}` is not executable; run: chmod +x {path}")]
    NotExecutable {
        /// Absolute.
        path: PathBuf,
    },
    /// The first line ends in a line break of Windows, and the system takes the `\r` for part of the interpreter's name.
    #[error(
        "the first line of the test `{path}` ends in CR LF, so the system looks for an interpreter \
         called `{interpreter}\\r`; run: sed -i 's/\\r$//' {path}"
    )]
    CrLf {
        /// Absolute.
        path: PathBuf,
        /// As written after `#!`, without the carriage return.
        interpreter: String,
    },
    /// The interpreter after `#!`, or on Windows the one for the ending of the name, is not installed.
    #[error("the interpreter `{interpreter}` of the test `{path}` does not exist; install it{or}",
        or = if cfg!(windows) { "" } else { ", or correct the first line of the test" })]
    NoInterpreter {
        /// Absolute.
        path: PathBuf,
        /// As written after `#!` (or after `env`).
        interpreter: String,
    },
    /// The system refuses to tell what the file is, or its path cannot be made absolute.
    #[error("cannot read the test `{path}`")]
    Unreadable {
        /// As it was given.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Checks that the system can start `path`, as far as that can be told without a start.
///
/// # Errors
/// The first reason why it cannot.
pub(crate) fn check_program(path: &Path) -> Result<(), CommandError> {
    let owned = || path.to_owned();
    let metadata = match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(CommandError::Missing { path: owned() });
        }
        other => other.map_err(|source| CommandError::Unreadable { path: owned(), source })?,
    };
    if metadata.is_dir() {
        return Err(CommandError::Directory { path: owned() });
    }
    #[cfg(unix)]
    unix::check(path, &metadata)?;
    #[cfg(windows)]
    check_ending(path)?;
    Ok(())
}

#[cfg(windows)]
fn check_ending(path: &Path) -> Result<(), CommandError> {
    use crate::interpreter::{RunBy, interpreter, run_by};
    let path = || path.to_owned();
    match run_by(&path()) {
        RunBy::System => Ok(()),
        RunBy::Nothing => Err(CommandError::NoProgram { path: path() }),
        RunBy::OneOf(..) if interpreter(&path()).is_some() => Ok(()),
        RunBy::OneOf(names, _) => {
            Err(CommandError::NoInterpreter { path: path(), interpreter: names.join("` or `") })
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, Metadata};
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::CommandError;

    pub(super) fn check(path: &Path, metadata: &Metadata) -> Result<(), CommandError> {
        if metadata.permissions().mode() & 0o111 == 0 {
            return Err(CommandError::NotExecutable { path: path.to_owned() });
        }
        let mut start = Vec::new();
        // A program that may be run but not read is rare and fine.
        if let Ok(file) = File::open(path)
            // The number of bytes of the first line that Linux reads.
            && file.take(256).read_to_end(&mut start).is_ok()
        {
            check_interpreter(path, &start)?;
        }
        Ok(())
    }

    fn check_interpreter(path: &Path, start: &[u8]) -> Result<(), CommandError> {
        let Some(line) =
            start.strip_prefix(b"#!").and_then(|rest| rest.split(|&b| b == b'\n').next())
        else {
            return Ok(());
        };
        let line = String::from_utf8_lossy(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(&interpreter) = words.first() else { return Ok(()) };
        if line.ends_with('\r') {
            let interpreter = words.join(" ");
            return Err(CommandError::CrLf { path: path.to_owned(), interpreter });
        }
        let missing = |interpreter: &str| CommandError::NoInterpreter {
            path: path.to_owned(),
            interpreter: interpreter.to_owned(),
        };
        if !Path::new(interpreter).exists() {
            return Err(missing(interpreter));
        }
        // `#!/usr/bin/env NAME`: the name is looked for along PATH.
        if interpreter.ends_with("/env")
            && let [_, name] = words[..]
            && !name.starts_with('-')
            && !on_path(name)
        {
            return Err(missing(name));
        }
        Ok(())
    }

    fn on_path(name: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|directory| directory.join(name).exists())
    }
}
