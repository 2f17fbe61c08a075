//! Diagnostics: the errors and warnings of a compiler.

use serde::{Deserialize, Serialize};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The program is accepted.
    Warning,
    /// It is not.
    Error,
    /// The compiler gave up.
    Fatal,
}

/// An error or a warning of the compiler; notes are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The file that it is about; empty where it is about none.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// The text.
    pub message: String,
    /// The name of the warning, as in `unused-variable`.
    pub flag: Option<String>,
}

impl Diagnostic {
    /// Reads a line that clang has printed, as in `a.c:3:7: warning: unused variable 'x' [-Wunused-variable]`.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let (place, severity, message) = [
            ("warning", Severity::Warning),
            ("fatal error", Severity::Fatal),
            ("error", Severity::Error),
        ]
        .into_iter()
        .find_map(|(word, severity)| {
            let (place, message) = line.split_once(&format!(": {word}: "))?;
            Some((place, severity, message))
        })?;
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let file = parts.next()?.to_owned();
        let flag = message.rsplit_once(" [-W").filter(|(_, rest)| rest.ends_with(']'));
        let (message, flag) = match flag {
            Some((message, rest)) => {
                // An error that is a warning elsewhere has two names: `-Werror,-Wx`.
                let name = rest.trim_end_matches(']').trim_start_matches("error,-W");
                (message, Some(name.split(',').next().unwrap_or(name).to_owned()))
            }
            None => (message, None),
        };
        Some(Self { severity, file, line, column, message: message.to_owned(), flag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_clang_prints() {
        let read = |line| Diagnostic::read(line).unwrap();
        let warning = read("a.c:3:7: warning: unused variable 'x' [-Wunused-variable]");
        assert_eq!((warning.file.as_str(), warning.line, warning.column), ("a.c", 3, 7));
        assert_eq!(warning.message, "unused variable 'x'");
        assert_eq!(warning.flag.as_deref(), Some("unused-variable"));
        let error = read(
            "a.c:1:2: error: call to undeclared function 'f' [-Wimplicit-function-declaration]",
        );
        assert_eq!(error.severity, Severity::Error);
        assert_eq!(read("a.c:1:2: fatal error: 'x.h' file not found").severity, Severity::Fatal);
        assert_eq!(Diagnostic::read("a.c:1:1: note: here"), None);
        assert_eq!(Diagnostic::read("1 warning generated."), None);
    }
}
