//! Further runs of a test that rejects the original. They find out whether a common mistake is the reason: a file that is
//! missing in the directory of the test, or a test that reads standard input.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Outcome, TestCommand, Verdict, allowed_time,
};
use clreduce_process::quoted;
use clreduce_testcase::{SourceFile, TestCase};

use crate::files::load::OWN_ENDINGS;
use crate::files::target::{ReductionPaths, absolute};
use crate::settings::test::has_folder;

/// Files of a folder that are looked at. In a larger one, nothing is looked for.
const MOST_FILES: usize = 2000;
/// The largest file that is tried together with the original.
const MOST_BYTES: u64 = 16 << 20;

/// A test that rejects the original.
pub(crate) struct Diagnosis<'a> {
    pub command: &'a TestCommand,
    pub options: CommandOptions,
    pub target: &'a ReductionPaths,
    pub original: &'a TestCase,
    pub outcome: &'a Outcome,
    pub cancel: &'a Cancel,
}

impl Diagnosis<'_> {
    /// The reason and the remedy, if one of the common mistakes is the reason.
    pub(crate) fn find(&self) -> Option<String> {
        if self.outcome.verdict != Verdict::Uninteresting {
            return None;
        }
        self.missing_files().or_else(|| self.standard_input()).or_else(|| self.relative_path())
    }

    fn accepts(&self, command: &TestCommand, case: &TestCase) -> bool {
        let limit = allowed_time(self.outcome.wall);
        let test = CommandTest::new(command, self.options.clone());
        test.is_ok_and(|test| {
            let outcome = test.judge_within(case, limit, self.cancel);
            outcome.is_ok_and(|outcome| outcome.verdict == Verdict::Interesting)
        })
    }

    /// The test needs files that lie beside the original.
    fn missing_files(&self) -> Option<String> {
        let added = self.files_beside();
        if added.is_empty() {
            return None;
        }
        let files = self.original.files().iter().cloned();
        let together = files.chain(added.clone()).collect();
        if !self.accepts(self.command, &TestCase::new(together).ok()?) {
            return None;
        }
        let names: Vec<&str> = added.iter().map(|file| &*file.path).collect();
        let test = match self.command {
            TestCommand::Program { path, .. } => quoted(path.as_os_str()),
            TestCommand::Shell(line) => quoted(line.as_ref()),
        };
        let inputs = self.target.inputs.iter().map(|input| input.named.clone());
        let folder = self.target.inputs.first()?.named.parent().unwrap_or(Path::new("")).to_owned();
        let (how, words) = if names.iter().all(|name| !name.contains('/')) {
            let words = inputs.chain(names.iter().map(|name| folder.join(name)));
            let words: Vec<String> = words.map(|word| quoted(word.as_os_str())).collect();
            ("reduce the files together", words.join(" "))
        } else {
            ("put these files into a folder, and reduce the folder", "FOLDER".to_owned())
        };
        let names = names.join(", ");
        Some(format!(
            "the test accepts the original together with {names}, but not alone; {how}:\n    \
             clreduce {words} --test {test}"
        ))
    }

    /// The files that the original includes, and those beside it that the test or its output names.
    fn files_beside(&self) -> Vec<SourceFile> {
        let mut added: BTreeMap<String, SourceFile> = BTreeMap::new();
        for input in self.target.inputs.iter().filter(|input| !input.is_dir) {
            let Some(folder) = input.absolute.parent() else { continue };
            let mut wanted = self.named_in_test(folder);
            wanted.extend(self.original.files().iter().flat_map(|file| includes(&file.bytes)));
            while let Some(name) = wanted.pop() {
                let known = self.original.files().iter().any(|file| *file.path == *name);
                if known || added.contains_key(&name) || added.len() > MOST_FILES {
                    continue;
                }
                let path = folder.join(&name);
                let small = fs::metadata(&path)
                    .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_BYTES);
                let Some(bytes) = small.then(|| fs::read(path).ok()).flatten() else { continue };
                wanted.extend(includes(&bytes));
                let file = SourceFile { path: name.as_str().into(), bytes: bytes.into() };
                added.insert(name, file);
            }
        }
        added.into_values().collect()
    }

    /// Names of files in a folder that the test or its output contains.
    fn named_in_test(&self, folder: &Path) -> Vec<String> {
        let mut text = String::from_utf8_lossy(&self.outcome.output_tail).into_owned();
        let own = match self.command {
            TestCommand::Shell(line) => {
                text.push_str(line);
                None
            }
            TestCommand::Program { path, .. } => {
                let small = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= MOST_BYTES);
                let script = small.then(|| fs::read(path).ok()).flatten().unwrap_or_default();
                text.push_str(&String::from_utf8_lossy(&script));
                path.file_name()
            }
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_FILES);
        let names = entries.map(|entry| entry.file_name()).filter(|name| Some(&**name) != own);
        let names = names.filter_map(|name| name.into_string().ok());
        let is_own = |name: &str| OWN_ENDINGS.iter().any(|ending| name.ends_with(ending));
        names.filter(|name| text.contains(name.as_str()) && !is_own(name)).collect()
    }

    /// The test reads the program from standard input.
    fn standard_input(&self) -> Option<String> {
        let [file] = self.original.files() else { return None };
        let command = match self.command {
            TestCommand::Program { path, .. } => quoted(path.as_os_str()),
            TestCommand::Shell(line) => line.clone(),
        };
        let line = format!("{command} < {}", quoted(file.path.as_ref().as_ref()));
        self.accepts(&TestCommand::Shell(line.clone()), self.original).then(|| {
            format!(
                "the test reads standard input, which is empty; give it the file:\n    --test {}",
                quoted(line.as_ref())
            )
        })
    }

    /// A word of the command is a path from the directory in which clreduce was started.
    fn relative_path(&self) -> Option<String> {
        let TestCommand::Shell(line) = self.command else { return None };
        let is_meant = |word: &&str| {
            let path = Path::new(word);
            has_folder(word) && path.is_relative() && path.is_file()
        };
        let word = line.split_whitespace().find(is_meant)?;
        let path = absolute(Path::new(word)).ok()?;
        Some(format!(
            "write {} instead of {word}: each test runs in a directory of its own, which contains only the variant",
            quoted(path.as_os_str())
        ))
    }
}

/// Names in the `#include "..."` directives of a file.
fn includes(bytes: &[u8]) -> Vec<String> {
    let name = |line: &[u8]| {
        let line = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        let rest = line.strip_prefix(b"include")?.trim_ascii_start().strip_prefix(b"\"")?;
        let end = rest.iter().position(|&byte| byte == b'"')?;
        String::from_utf8(rest[..end].to_vec()).ok()
    };
    bytes.split(|&byte| byte == b'\n').filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_includes() {
        let text = b"#include \"a.h\"\n  #  include\"b/c.h\" // x\n#include <d.h>\n// #include \"e.h\"\n#include \"f";
        assert_eq!(includes(text), ["a.h", "b/c.h"]);
    }
}
