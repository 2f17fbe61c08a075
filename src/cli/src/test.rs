//! The interestingness test that the user named: a program, a shell command or a recipe.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clreduce_interestingness::{CommandError, TestCommand};
use clreduce_journal::Facts;
use clreduce_recipe::Recipe;
use clreduce_testcase::ContentHash;

use crate::failure::UsageError;

/// Scripts are smaller; compilers are larger, and hashing them at every start would take too long.
const SCRIPT_BYTES: u64 = 1 << 20;

/// The interestingness test.
#[derive(Debug)]
pub(crate) enum Test {
    /// A program or a shell command.
    Command(TestCommand),
    /// A recipe, and where it lies.
    Recipe(Box<Recipe>, PathBuf),
}

impl fmt::Display for Test {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => command.fmt(formatter),
            Self::Recipe(_, path) => path.display().fmt(formatter),
        }
    }
}

/// The test that was named with `--test`.
///
/// # Errors
/// When it is not a valid test, or cannot be run.
pub(crate) fn test_named(test: &str) -> Result<Test, UsageError> {
    let path = Path::new(test);
    if path.extension() == Some(OsStr::new("toml")) {
        return Ok(Test::Recipe(Box::new(Recipe::load(path)?), path.to_owned()));
    }
    Ok(Test::Command(TestCommand::parse(test)?))
}

/// `clreduce ./test.sh file.c`, as older tools have it: the first is the test if it can be run.
pub(crate) fn test_first(inputs: &mut Vec<PathBuf>) -> Result<TestCommand, UsageError> {
    let Some(first) = inputs.first() else { return Err(UsageError::NoInput) };
    let no_test = UsageError::NoTest(first.display().to_string());
    if inputs.len() < 2 || !first.is_file() {
        return Err(no_test);
    }
    match TestCommand::program(first) {
        Ok(test) if is_executable(first) => {
            inputs.remove(0);
            Ok(test)
        }
        Err(CommandError::NotExecutable { path }) if begins_as_script(first) => {
            Err(UsageError::FirstNotExecutable { path: path.display().to_string() })
        }
        Err(error) if is_executable(first) => Err(error.into()),
        _ => Err(no_test),
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["exe", "com", "bat", "cmd", "ps1", "py"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

fn begins_as_script(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 2];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == *b"#!"
}

/// Name of the fact in a journal that identifies the test.
const FACT: &str = "the test";

/// The fact that identifies a test: its text, and that of the scripts it names.
pub(crate) fn facts(test: &Test) -> Facts {
    let text = match test {
        Test::Command(command) => of_command(command),
        Test::Recipe(recipe, _) => ContentHash::of(recipe.text().as_bytes()).to_string(),
    };
    Facts::from([(FACT.to_owned(), text)])
}

/// The command and the content of the program or of the scripts it names.
fn of_command(command: &TestCommand) -> String {
    let mut text = command.to_string();
    let files: Vec<&Path> = match command {
        TestCommand::Program { path, .. } => vec![path],
        TestCommand::Shell(line) => {
            line.split_whitespace().map(Path::new).filter(is_script).collect()
        }
    };
    // A file that cannot be read now could not be read by the earlier run either.
    for bytes in files.into_iter().flat_map(fs::read) {
        text.push_str(&format!("\n{}", ContentHash::of(&bytes)));
    }
    text
}

fn is_script(path: &&Path) -> bool {
    path.is_absolute()
        && fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= SCRIPT_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_of_the_test_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("test.sh");
        let commands = [
            TestCommand::Program { path: path.clone(), args: Vec::new() },
            TestCommand::Shell(format!("sh {}", path.display())),
        ];
        for command in commands {
            fs::write(&path, "exit 0").unwrap();
            let before = of_command(&command);
            assert_eq!(before, of_command(&command));
            fs::write(&path, "exit 1").unwrap();
            assert_ne!(before, of_command(&command));
        }
    }
}
