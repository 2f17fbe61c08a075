//! The flags to reduce: those in the test itself, or those that it takes from its environment.

use std::fs;
use std::path::PathBuf;

use clreduce_interestingness::{TestCommand, test_files};
use clreduce_process::quoted;
use clreduce_recipe::{compilers_called, flags_of_line, flags_of_list};
use regex::Regex;

use crate::failure::UsageError;
use crate::settings::test::Test;

/// The variable of the environment that has the flags.
pub(crate) const VARIABLE: &str = "CLREDUCE_FLAGS";

/// The flags to reduce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FlagSource {
    /// Those in the recipe.
    Recipe,
    /// Those of a test by a command.
    Command(CommandFlags),
}

/// The flags of a test by a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommandFlags {
    /// Those in this line for the shell.
    Line(String),
    /// These, which the test takes from its environment.
    Given {
        flags: Vec<String>,
        /// The test as the user named it.
        command: TestCommand,
    },
}

/// Finds the flags to reduce, and gives them to the test where it does not have them itself.
///
/// # Errors
/// When the test has no flags that can be found.
pub(crate) fn resolve(given: &str, test: Test) -> Result<(FlagSource, Test), UsageError> {
    let flags = flags_of_list(given);
    match test {
        Test::Recipe(..) if !given.is_empty() => Err(UsageError::NotForRecipes(
            "--reduce-flags=FLAGS",
            "leave out `=FLAGS`: the flags are those in the recipe",
        )),
        recipe @ Test::Recipe(..) => Ok((FlagSource::Recipe, recipe)),
        Test::Command(command) if !flags.is_empty() => {
            if !uses_variable(&command) {
                return Err(UsageError::FlagsUnused(command.to_string()));
            }
            let with = with_variable(&command, &flags);
            let given = CommandFlags::Given { flags, command };
            Ok((FlagSource::Command(given), Test::Command(with)))
        }
        Test::Command(TestCommand::Program { path, .. }) => Err(UsageError::FlagsOfScript(path)),
        Test::Command(TestCommand::Shell(line)) => {
            if compilers_called(&line) != 1 || flags_of_line(&line).is_empty() {
                return Err(UsageError::FlagsOfCompilers);
            }
            let flags = CommandFlags::Line(line.clone());
            Ok((FlagSource::Command(flags), Test::Command(TestCommand::Shell(line))))
        }
    }
}

/// Returns false if the variable is neither in the command nor in a script that it names. What a program of another kind reads
/// cannot be seen.
fn uses_variable(command: &TestCommand) -> bool {
    let in_line = matches!(command, TestCommand::Shell(line) if line.contains(VARIABLE));
    let files = test_files(command);
    let may_read = |path: &PathBuf| match fs::read_to_string(path) {
        Ok(text) => text.contains(VARIABLE),
        Err(_) => true,
    };
    in_line || files.iter().any(|(path, _)| may_read(path))
}

/// The same test with flags in its environment.
pub(crate) fn with_variable(command: &TestCommand, flags: &[String]) -> TestCommand {
    let line = match command {
        TestCommand::Shell(line) => line.clone(),
        TestCommand::Program { path, args } => {
            let words = [path.as_os_str()].into_iter().chain(args.iter().map(|arg| &**arg));
            words.map(quoted).collect::<Vec<_>>().join(" ")
        }
    };
    // A blank is no word for the script, but keeps the default of `${CLREDUCE_FLAGS:-...}` away.
    let flags = if flags.is_empty() { " ".to_owned() } else { flags.join(" ") };
    TestCommand::Shell(if cfg!(windows) {
        format!("set \"{VARIABLE}={flags}\"&& {line}")
    } else {
        format!("export {VARIABLE}={}; {line}", quoted(flags.as_ref()))
    })
}

/// A text with flags in the place of the variable, for people.
pub(crate) fn filled_in(text: &str, flags: &str) -> String {
    let variable = Regex::new(&format!(r"\$\{{{VARIABLE}([:+=?-][^}}]*)?\}}|\${VARIABLE}\b"));
    variable.map_or(text.to_owned(), |variable| {
        variable.replace_all(text, regex::NoExpand(flags)).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_filled_in_for_people() {
        let text = "g++ $CLREDUCE_FLAGS x\ng++ ${CLREDUCE_FLAGS:--O2 -g} ${CLREDUCE_FLAGS}";
        assert_eq!(filled_in(text, "-O1 $1"), "g++ -O1 $1 x\ng++ -O1 $1 -O1 $1");
        let others = "$CLREDUCE_FLAGS2 ${CLREDUCE_FLAGS2} ${CLREDUCE_FLAGS2:-x}";
        assert_eq!(filled_in(others, "-O1"), others);
    }

    #[cfg(unix)]
    #[test]
    fn flags_reach_a_test_by_its_environment() {
        let program = TestCommand::Program { path: "/a b.sh".into(), args: vec!["x.c".into()] };
        let flags = ["-O2".to_owned(), "-I x".to_owned()];
        let line = "export CLREDUCE_FLAGS='-O2 -I x'; '/a b.sh' x.c";
        assert_eq!(with_variable(&program, &flags), TestCommand::Shell(line.to_owned()));
    }
}
