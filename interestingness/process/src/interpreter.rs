//! The interpreters of files on Windows, by the endings of their names.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The endings of files that Windows starts by itself; the standard library knows that `.bat` and `.cmd` need `cmd`.
const PROGRAMS: [&str; 4] = ["exe", "com", "bat", "cmd"];
/// Endings that are left out when a test is named, in the order in which they are tried.
pub(crate) const ENDINGS: [&str; 6] = ["com", "exe", "bat", "cmd", "ps1", "py"];

/// The program that runs a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RunBy {
    /// The system.
    System,
    /// The first of these programs that is there, with these arguments before the file.
    OneOf(&'static [&'static str], &'static [&'static str]),
    /// No program.
    Nothing,
}

/// Returns the program that runs files with the ending of `path`.
pub(crate) fn run_by(path: &Path) -> RunBy {
    const POWERSHELL: &[&str] =
        &["-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"];
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some(ending) if PROGRAMS.contains(&ending) => RunBy::System,
        Some("ps1") => RunBy::OneOf(&["pwsh", "powershell"], POWERSHELL),
        // The launcher knows what the first line asks for.
        Some("py") => RunBy::OneOf(&["py", "python", "python3"], &[]),
        Some("sh") => RunBy::OneOf(&["sh", "bash"], &[]),
        Some("pl") => RunBy::OneOf(&["perl"], &[]),
        _ => RunBy::Nothing,
    }
}

/// The program and its first arguments that run `path`; `None` where it is started by itself.
#[cfg(windows)]
pub(crate) fn interpreter(path: &Path) -> Option<(PathBuf, &'static [&'static str])> {
    match run_by(path) {
        RunBy::OneOf(names, args) => names.iter().find_map(|name| on_path(name)).map(|p| (p, args)),
        RunBy::System | RunBy::Nothing => None,
    }
}

/// The program of this name in a folder of `PATH`.
#[cfg(windows)]
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let files = std::env::split_paths(&path).map(|folder| folder.join(name).with_extension("exe"));
    // The bare name of a Python that is not installed opens a shop instead: an alias, an empty file.
    files
        .into_iter()
        .find(|file| file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0))
}

/// The file that is meant by a name without its ending.
pub(crate) fn with_ending(name: &Path) -> Option<PathBuf> {
    let candidates = ENDINGS.iter().map(|ending| {
        let mut whole = OsString::from(name);
        whole.push(".");
        whole.push(ending);
        PathBuf::from(whole)
    });
    candidates.into_iter().find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_decides() {
        for name in ["t.bat", "T.CMD", "a b/t.exe", "t.1.com"] {
            assert_eq!(run_by(name.as_ref()), RunBy::System, "{name}");
        }
        for (name, first) in [("t.ps1", "pwsh"), ("t.PY", "py"), ("t.sh", "sh"), ("t.pl", "perl")] {
            assert!(matches!(run_by(name.as_ref()), RunBy::OneOf(names, _) if names[0] == first));
        }
        for name in ["t", "t.c", "t.txt", ".bat"] {
            assert_eq!(run_by(name.as_ref()), RunBy::Nothing, "{name}");
        }
    }

    #[test]
    fn an_ending_may_be_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().join("my.test");
        assert_eq!(with_ending(&name), None);
        for ending in ["py", "bat"] {
            let file = dir.path().join(format!("my.test.{ending}"));
            std::fs::write(&file, "").unwrap();
            assert_eq!(with_ending(&name), Some(file));
        }
    }
}
