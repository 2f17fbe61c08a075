//! The interestingness test that the user named: a program, a shell command or a recipe.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use clreduce_interestingness::{TestCommand, test_files};
use clreduce_journal::Facts;
use clreduce_process::quoted;
use clreduce_recipe::Recipe;
use clreduce_testcase::{ContentHash, TestCase};

use crate::failure::UsageError;
use crate::settings::sandbox;

/// Stands for the name of the first FILE in a shell command.
const FILE: &str = "{file}";

/// The interestingness test.
#[derive(Debug)]
pub(crate) enum Test {
    /// A program or a shell command.
    Command(TestCommand),
    /// A recipe, and where it lies.
    Recipe(Box<Recipe>, PathBuf),
}

impl Test {
    /// The files that the test consists of.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Command(command) => {
                test_files(command).into_iter().map(|(path, _)| path).collect()
            }
            Self::Recipe(_, path) => vec![path.clone()],
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => command.fmt(formatter),
            Self::Recipe(_, path) => path.display().fmt(formatter),
        }
    }
}

/// A test as it runs on these files: a program gets their names as arguments, and in a shell command `{file}` stands for
/// the name of the first. The files of a folder have no names that the user gave.
///
/// # Errors
/// When `{file}` stands for a folder.
pub(crate) fn on_files(
    command: &TestCommand,
    inputs: &[PathBuf],
) -> Result<TestCommand, UsageError> {
    let has_folder = inputs.iter().any(|input| input.is_dir());
    let names = inputs.iter().filter_map(|input| input.file_name());
    let mut names = names.map(OsStr::to_owned);
    Ok(match command {
        TestCommand::Shell(line) if line.contains(FILE) => {
            if has_folder {
                return Err(UsageError::FileOfFolder);
            }
            let first = names.next().unwrap_or_default();
            TestCommand::Shell(line.replace(FILE, &quoted(&first)))
        }
        TestCommand::Program { path, .. } if !has_folder => {
            TestCommand::Program { path: path.clone(), args: names.collect() }
        }
        command => command.clone(),
    })
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
    Ok(Test::Command(command_named(test)?))
}

/// The program or shell command that was named.
///
/// # Errors
/// When it cannot be run.
pub(crate) fn command_named(command: &str) -> Result<TestCommand, UsageError> {
    Ok(TestCommand::parse(&with_absolute_program(command))?)
}

/// A shell command whose program has an absolute path. The command starts in a directory in which a relative path of
/// this directory leads nowhere.
fn with_absolute_program(line: &str) -> Cow<'_, str> {
    let line = line.trim();
    let Some((program, rest)) = line.split_once(char::is_whitespace) else { return line.into() };
    let path = Path::new(program);
    match std::path::absolute(path) {
        Ok(absolute) if path.is_relative() && has_folder(program) && path.is_file() => {
            format!("{} {rest}", quoted(absolute.as_os_str())).into()
        }
        _ => line.into(),
    }
}

/// Returns true if a word is a path with a folder in it, and not a name that is looked up in `PATH`.
pub(crate) fn has_folder(word: &str) -> bool {
    word.contains(std::path::is_separator)
}

/// The same, unless the user named a FILE as the test and the test as the FILE.
///
/// # Errors
/// As [`test_named`]; or the roles are swapped.
pub(crate) fn test_for(test: &str, inputs: &[PathBuf]) -> Result<Test, UsageError> {
    let named = Path::new(test);
    let is_recipe = named.extension() == Some(OsStr::new("toml"));
    if named.is_file()
        && !is_recipe
        && !is_program(named)
        && let [program] = inputs
        && is_program(program)
    {
        return Err(UsageError::RolesSwapped { program: program.clone(), file: named.to_owned() });
    }
    test_named(test)
}

/// Takes the test out of the positional arguments: `clreduce ./test.sh file.c`, as older tools have it, or the only one
/// that is a program.
///
/// # Errors
/// When no argument is a test, or the test cannot be run.
pub(crate) fn test_among(inputs: &mut Vec<PathBuf>) -> Result<TestCommand, UsageError> {
    let Some(first) = inputs.first() else { return Err(UsageError::NoInput) };
    let no_test = UsageError::NoTest(first.clone());
    if inputs.len() < 2 {
        return Err(no_test);
    }
    let mut programs = (0..inputs.len()).filter(|&at| is_program(&inputs[at]));
    let at = match (programs.next(), programs.next()) {
        (Some(0), _) => 0,
        (Some(only), None) => only,
        _ if is_executable(first) => 0,
        _ => return Err(no_test),
    };
    let test = TestCommand::program(&inputs[at])?;
    inputs.remove(at);
    Ok(test)
}

/// Returns true if a file is a script, or can be run and is not a source file by its name.
fn is_program(path: &Path) -> bool {
    let is_source = || {
        let named = path.file_name().and_then(OsStr::to_str);
        let empty = TestCase::single(named.unwrap_or_default(), Vec::new());
        empty.is_ok_and(|case| case.language().grammar().is_some())
    };
    path.is_file() && (begins_as_script(path) || (is_executable(path) && !is_source()))
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
    Facts::from([(FACT.to_owned(), text), (sandbox::FACT.to_owned(), sandbox::fact().to_owned())])
}

/// The command and the content of the program or of the scripts it names.
pub(crate) fn of_command(command: &TestCommand) -> String {
    let contents = test_files(command).into_iter().map(|(_, content)| format!("\n{content}"));
    std::iter::once(command.to_string()).chain(contents).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_to_the_test() {
        let dir = tempfile::tempdir().unwrap();
        let inputs = [PathBuf::from("x/a b.c"), PathBuf::from("h.h")];
        let program = TestCommand::Program { path: "/t.sh".into(), args: Vec::new() };
        let named =
            TestCommand::Program { path: "/t.sh".into(), args: vec!["a b.c".into(), "h.h".into()] };
        assert_eq!(on_files(&program, &inputs).unwrap(), named);
        let shell = |line: &str| TestCommand::Shell(line.to_owned());
        let line = on_files(&shell("cc -c {file}"), &inputs).unwrap();
        assert_eq!(line, TestCommand::Shell(format!("cc -c {}", quoted("a b.c".as_ref()))));
        assert_eq!(on_files(&shell("cc *.c"), &inputs).unwrap(), shell("cc *.c"));
        let folder = [dir.path().to_owned()];
        assert_eq!(on_files(&program, &folder).unwrap(), program);
        assert!(matches!(on_files(&shell("cc {file}"), &folder), Err(UsageError::FileOfFolder)));
    }

    #[test]
    fn a_relative_program_gets_its_path() {
        // Tests run in the crate's folder.
        let path = std::path::absolute("src/lib.rs").unwrap();
        let line = with_absolute_program("./src/lib.rs -x ./src/test.rs");
        assert_eq!(line, format!("{} -x ./src/test.rs", quoted(path.as_os_str())));
        for line in ["gcc -c a.c", "./none.sh -x", "./src/lib.rs"] {
            assert_eq!(with_absolute_program(line), line);
        }
    }
}
