//! Likely mistakes in a test that can be run, and advice.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use clreduce_process::TestCommand;
use regex::Regex;

/// Something a person should know about the test. Shown as one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// The test names the file being reduced by its absolute path.
    AbsolutePath(PathBuf),
    /// The test has a time limit of its own: this line.
    OwnTimeLimit(String),
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AbsolutePath(path) => write!(
                f,
                "the test mentions `{}`, so it may judge that file instead of the variant; use the file's name \
                 alone, because the variant lies in the directory in which the test is started",
                path.display()
            ),
            Self::OwnTimeLimit(line) => write!(
                f,
                "the test sets a time limit of its own (`{line}`); a limit of ten times what the original needs is best, \
                 because tests run side by side and a machine may be busy"
            ),
        }
    }
}

impl Hint {
    /// Returns true if it is a likely mistake, and not just advice.
    #[must_use]
    pub fn is_mistake(&self) -> bool {
        match self {
            Self::AbsolutePath(_) => true,
            Self::OwnTimeLimit(_) => false,
        }
    }
}

/// Looks for likely mistakes in the text of a test. `inputs` are the files being reduced.
#[must_use]
pub fn hints(command: &TestCommand, inputs: &[PathBuf]) -> Vec<Hint> {
    let text = text(command);
    let mut hints = Vec::new();
    for input in inputs {
        let absolute = std::path::absolute(input).unwrap_or_else(|_| input.clone());
        if absolute.to_str().is_some_and(|path| mentions(&text, path)) {
            hints.push(Hint::AbsolutePath(absolute));
        }
    }
    hints.extend(own_time_limit(&text).map(Hint::OwnTimeLimit));
    hints
}

/// The script or the line for the shell, arguments included; empty for a binary.
pub(crate) fn text(command: &TestCommand) -> String {
    let TestCommand::Program { path, args } = command else {
        return command.to_string();
    };
    let mut bytes = Vec::new();
    // Hints are a courtesy: what cannot be read gives none.
    // Scripts are shorter; binaries are not worth reading on.
    let read = File::open(path).and_then(|f| f.take(1 << 20).read_to_end(&mut bytes));
    if read.is_err() || bytes.contains(&0) {
        bytes.clear();
    }
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    for arg in args {
        text.push('\n');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Returns whether a path is in the text; to Windows, small and capital letters and both slashes are the same.
fn mentions(text: &str, path: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace('/', r"\");
    if cfg!(windows) { plain(text).contains(&plain(path)) } else { text.contains(path) }
}

/// The first line that sets a limit of time: `timeout 5 ...`, `ulimit -t 5`, `timeout=5` (Python). On Windows the
/// first only waits, and the second is not there.
fn own_time_limit(text: &str) -> Option<String> {
    const SHELL: &str =
        r"\btimeout\s+(?:-\S+\s+(?:[A-Z]\S*\s+)?)*[0-9.$]|\bulimit\s+-[a-zA-Z]*t\b|";
    let shell = if cfg!(windows) { "" } else { SHELL };
    let pattern = Regex::new(&format!(r"{shell}\btimeout\s*=\s*[0-9.]")).ok()?;
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.starts_with('#') && pattern.is_match(line)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_time_limits() {
        let shell = ["timeout 5 ./a.out", "  timeout -s KILL 10s x", "ulimit -St 5"];
        for line in shell {
            assert_eq!(own_time_limit(line).is_some(), cfg!(unix), "{line}");
        }
        for line in ["run(x, timeout=2.5)", "  timeout = 3"] {
            assert_eq!(own_time_limit(line).as_deref(), Some(line.trim()));
        }
        for line in ["# timeout 5", "echo timeout", "ulimit -c 0", "ulimit -v 100", "notimeout 5"] {
            assert_eq!(own_time_limit(line), None, "{line}");
        }
    }

    #[test]
    fn finds_absolute_paths() {
        let input = std::path::absolute("bug.c").unwrap();
        let command = TestCommand::Shell(format!("gcc {}", input.display()));
        assert_eq!(hints(&command, &["bug.c".into()]), [Hint::AbsolutePath(input)]);
        #[cfg(windows)]
        {
            let path = std::path::absolute("bug.c").unwrap().display().to_string();
            let command =
                TestCommand::Shell(format!("cl {}", path.to_uppercase().replace('\\', "/")));
            assert_eq!(hints(&command, &["bug.c".into()]).len(), 1);
        }
        assert!(hints(&TestCommand::Shell("gcc bug.c".into()), &["bug.c".into()]).is_empty());
    }
}
