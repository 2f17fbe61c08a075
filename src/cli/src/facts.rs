//! What the answers of a journal rest on besides the original, by what people call it. A journal is gone
//! on with only under the same facts.

use std::fs;
use std::path::Path;

use clreduce_interestingness::TestCommand;
use clreduce_journal::Facts;
use clreduce_testcase::ContentHash;
use regex::bytes::Regex;

use crate::resolve::{How, Test};

/// Scripts are smaller; compilers are larger, and hashing them at every start would take too long.
const SCRIPT_BYTES: u64 = 1 << 20;

/// The facts of a run; the engine adds what it was told itself.
pub fn facts(how: &How) -> Facts {
    let pattern = |pick: fn(&clreduce_interestingness::OutputPattern) -> &Option<Regex>| {
        let regex = how.pattern.as_ref().and_then(|pattern| pick(pattern).as_ref());
        regex.map_or_else(String::new, Regex::to_string)
    };
    let memory = how.memory_limit.map_or_else(|| "none".to_owned(), |bytes| bytes.to_string());
    let facts = [
        ("the test", test(&how.test)),
        ("--interesting-stdout", pattern(|pattern| &pattern.stdout)),
        ("--interesting-stderr", pattern(|pattern| &pattern.stderr)),
        ("--memory-limit", memory),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).into()
}

fn test(test: &Test) -> String {
    match test {
        Test::Command(command) => of_command(command),
        Test::Recipe(recipe, _) => ContentHash::of(recipe.text().as_bytes()).to_string(),
    }
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
    // What cannot be read cannot have been read then either.
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
