//! A program as a source with the headers of its project, as files of a test case.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clreduce_process::End;
use clreduce_testcase::{SourceFile, TestCase};

use super::forms::ProgramForm;
use super::program::ProgramFiles;
use super::{BugSearch, CompilerBugError};
use crate::compilation::command::CompileCommand;

/// Headers below this folder are those of libraries.
const LIBRARIES: &str = "/usr";

impl BugSearch<'_> {
    /// The program with the headers of its project, in their folders; `None` if it has no such header, or the compiler does
    /// not say which.
    pub(super) fn with_headers(&self) -> Result<Option<ProgramForm>, CompilerBugError> {
        let compilation = self.compilation;
        let files = ProgramFiles::single(&compilation.name, &compilation.source)?;
        let line = compilation.command.preprocessing(&["-MM".to_owned()]);
        let ran = self.shell("looking for the headers of the project", &line, &files)?;
        if ran.end != End::Exited(0) {
            return Ok(None);
        }
        let Ok(source) = fs::canonicalize(compilation.command.source()) else { return Ok(None) };
        let real = |path: String| fs::canonicalize(path).ok();
        let all: Vec<PathBuf> = dependencies(&ran.stdout).into_iter().filter_map(real).collect();
        let is_own =
            |path: &&PathBuf| !path.starts_with(LIBRARIES) || source.starts_with(LIBRARIES);
        let mut own: Vec<&Path> = all.iter().filter(is_own).map(PathBuf::as_path).collect();
        own.push(&source);
        own.sort_unstable();
        own.dedup();
        if own.len() < 2 {
            return Ok(None);
        }
        let commands = std::iter::once(&compilation.command).chain(&self.query.also);
        let folders: Vec<PathBuf> = commands.flat_map(CompileCommand::folders).collect();
        let used = folders.iter().filter(|folder| own.iter().any(|path| path.starts_with(folder)));
        let beside = own.iter().filter_map(|path| path.parent());
        let Some(root) = common(used.map(PathBuf::as_path).chain(beside)) else { return Ok(None) };
        let Some(case) = read(&own, &root) else { return Ok(None) };
        let Some(main) = relative(&source, &root) else { return Ok(None) };
        let moved = |command: &CompileCommand| command.relative_to(&root, &own, &all);
        Ok(Some(ProgramForm {
            files: ProgramFiles { case, main },
            command: moved(&compilation.command),
            also: self.query.also.iter().map(moved).collect(),
            preprocessed: false,
            more: self.more.clone(),
            headers: Vec::new(),
        }))
    }
}

/// The files as a test case, by their paths in a folder.
fn read(paths: &[&Path], root: &Path) -> Option<TestCase> {
    let file = |path: &&Path| {
        let bytes = fs::read(path).ok()?;
        Some(SourceFile { path: Arc::from(relative(path, root)?), bytes: bytes.into() })
    };
    TestCase::new(paths.iter().map(file).collect::<Option<_>>()?).ok()
}

/// A path below a folder, with `/` between its parts.
fn relative(path: &Path, root: &Path) -> Option<String> {
    let parts = path.strip_prefix(root).ok()?.iter().map(|part| part.to_str());
    Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
}

/// The innermost folder that holds all of these.
fn common<'a>(mut folders: impl Iterator<Item = &'a Path>) -> Option<PathBuf> {
    let mut root = folders.next()?;
    for folder in folders {
        while !folder.starts_with(root) {
            root = root.parent()?;
        }
    }
    Some(root.to_owned())
}

/// The files that a rule for `make` names behind its colon, as compilers write them: with a backslash before a blank.
fn dependencies(rule: &str) -> Vec<String> {
    let rule = rule.replace("\\\r\n", " ").replace("\\\n", " ");
    let Some((_, behind)) = rule.split_once(": ") else { return Vec::new() };
    let mut paths = vec![String::new()];
    let mut signs = behind.chars().peekable();
    while let Some(sign) = signs.next() {
        let escaped = match sign {
            '\\' => signs.next_if(|next| *next == ' ' || *next == '#'),
            '$' => signs.next_if_eq(&'$'),
            _ => None,
        };
        match escaped {
            None if sign.is_whitespace() => paths.push(String::new()),
            escaped => {
                if let Some(path) = paths.last_mut() {
                    path.push(escaped.unwrap_or(sign));
                }
            }
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_files_with_blanks_and_other_signs() {
        let rule = "a\\ b.o: /p/a\\ b.cc /p/x.h \\\n  /p/$$y\\#z.h\n";
        assert_eq!(dependencies(rule), ["/p/a b.cc", "/p/x.h", "/p/$y#z.h"]);
        assert!(dependencies("").is_empty() && dependencies("x.o:").is_empty());
    }

    #[test]
    fn folders_have_one_in_common() {
        let common = |paths: &[&str]| common(paths.iter().map(Path::new));
        assert_eq!(common(&["/p/src/a", "/p/inc", "/p/src"]), Some("/p".into()));
        assert_eq!(common(&["/p/src", "/p/src/a"]), Some("/p/src".into()));
        assert_eq!(common(&["/p", "/q"]), Some("/".into()));
        assert_eq!(common(&[]), None);
        assert_eq!(relative("/p/src/x.h".as_ref(), "/p".as_ref()).as_deref(), Some("src/x.h"));
    }
}
