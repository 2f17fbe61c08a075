//! Programs from elsewhere: a command that makes one for each seed, or the files of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_interestingness::Cancel;
use clreduce_kernel::{Rule, description_names};
use clreduce_process::{End, ToolRunner};
use clreduce_testcase::{ContentHash, TestCase};
use thiserror::Error;

use crate::matrix::SourceKind;
use crate::outcome::{ExpectedResult, Subject};

/// What stands for the seed in a command.
pub const SEED: &str = "{seed}";

/// Programs from a command or a folder.
#[derive(Clone, Debug)]
pub struct ExternalPrograms {
    source: ExternalSource,
    /// The rule by which the results of configurations become an expected one.
    pub(crate) rule: Rule,
    pub(crate) variants: GivenVariants,
}

/// The variants that run with each program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GivenVariants {
    pub count: u32,
    pub seed: u64,
}

#[derive(Clone, Debug)]
enum ExternalSource {
    Command { line: String, first: u64, tools: ToolRunner },
    Folder { files: Vec<ProgramFile>, hash: ContentHash },
}

/// A file of a folder, with its name relative to it, without its ending.
#[derive(Clone, Debug)]
struct ProgramFile {
    name: String,
    path: PathBuf,
}

/// The reason that there is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoProgram {
    /// The generator has none for the seed, for this reason.
    None(String),
    /// The campaign is cancelled.
    Cancelled,
}

/// The reason that there are no programs.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExternalError {
    /// The seed has no place in the command.
    #[error(
        "the generator `{0}` is no folder, and as a command it lacks the seed\n\
         help: write {SEED} where the seed belongs, as in: csmith --seed {SEED}"
    )]
    NoSeed(String),
    /// A folder or file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is no program in the folder.
    #[error("there is no file in {} whose name ends in .{extension}", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
        /// The end of the names of programs.
        extension: &'static str,
    },
}

impl ExternalPrograms {
    /// The programs that a command prints for the seeds from `first` on. Each run has the limits of `tools`.
    ///
    /// # Errors
    /// When the command has no place for the seed.
    pub fn of_command(
        line: &str,
        first: u64,
        tools: ToolRunner,
        rule: Rule,
    ) -> Result<Self, ExternalError> {
        if !line.contains(SEED) {
            return Err(ExternalError::NoSeed(line.to_owned()));
        }
        let source = ExternalSource::Command { line: line.to_owned(), first, tools };
        Ok(Self { source, rule, variants: GivenVariants::default() })
    }

    /// The programs in a folder and those below it, in the order of their paths.
    ///
    /// # Errors
    /// When the folder or a file cannot be read, or there is none.
    pub fn of_folder(folder: &Path, kind: SourceKind, rule: Rule) -> Result<Self, ExternalError> {
        let extension = kind.extension();
        let mut found = BTreeMap::new();
        let mut pending = vec![folder.to_owned()];
        while let Some(below) = pending.pop() {
            let failed = |source| ExternalError::Read { path: below.clone(), source };
            for entry in fs::read_dir(&below).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                if path.is_dir() {
                    pending.push(path);
                } else if path.extension().is_some_and(|own| own == extension) {
                    let name = path.strip_prefix(folder).unwrap_or(&path).with_extension("");
                    found.insert(name.to_string_lossy().into_owned(), path);
                }
            }
        }
        if found.is_empty() {
            return Err(ExternalError::Empty { path: folder.to_owned(), extension });
        }
        let mut all = Vec::new();
        for (name, path) in &found {
            let failed = |source| ExternalError::Read { path: path.clone(), source };
            let hash = ContentHash::of(&fs::read(path).map_err(failed)?);
            all.extend_from_slice(format!("{name} {hash}\n").as_bytes());
        }
        let files = found.into_iter().map(|(name, path)| ProgramFile { name, path }).collect();
        let hash = ContentHash::of(&all);
        let source = ExternalSource::Folder { files, hash };
        Ok(Self { source, rule, variants: GivenVariants::default() })
    }

    /// The same programs, each with so many variants that a seed makes. The host says what the right results are, so nobody votes.
    #[must_use]
    pub fn with_variants(self, count: u32, seed: u64) -> Self {
        Self { variants: GivenVariants { count, seed }, ..self }
    }

    /// Returns true if a configuration can only be found wrong by a vote.
    #[must_use]
    pub fn needs_votes(&self) -> bool {
        match &self.source {
            _ if self.variants.count > 0 => false,
            ExternalSource::Command { .. } => true,
            ExternalSource::Folder { files, .. } => {
                files.iter().any(|file| !file.path.with_extension("expected").is_file())
            }
        }
    }

    pub(crate) fn name(&self, program: u64) -> String {
        match &self.source {
            ExternalSource::Command { first, .. } => {
                format!("seed-{}", first.wrapping_add(program))
            }
            ExternalSource::Folder { files, .. } => {
                file(files, program).map_or_else(|| program.to_string(), |file| file.name.clone())
            }
        }
    }

    pub(crate) fn count(&self) -> Option<u64> {
        match &self.source {
            ExternalSource::Command { .. } => None,
            ExternalSource::Folder { files, .. } => Some(files.len() as u64),
        }
    }

    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let rule = match self.rule {
            Rule::AtLeastThree => "majority",
            Rule::TwoThirds => "two-thirds",
        };
        let mut facts = vec![("--votes", rule.to_owned())];
        let GivenVariants { count, seed } = self.variants;
        if count > 0 {
            facts
                .extend([("--emi", count.to_string()), ("the seed of variants", seed.to_string())]);
        }
        match &self.source {
            ExternalSource::Command { line, first, .. } => {
                facts.extend([("--generator", line.clone()), ("--seed", first.to_string())]);
            }
            // A folder may move.
            ExternalSource::Folder { hash, .. } => {
                facts.push(("the programs of --generator", hash.to_string()));
            }
        }
        facts
    }

    /// Makes a program. Nobody knows its right result, unless that lies beside it.
    pub(crate) fn make(&self, program: u64, cancel: &Cancel) -> Result<Subject, NoProgram> {
        match &self.source {
            ExternalSource::Command { line, first, tools } => {
                let seed = first.wrapping_add(program).to_string();
                let source = printed(&line.replace(SEED, &seed), tools, cancel)?;
                let expected = ExpectedResult::Open { executed: false };
                Ok(Subject { source, arguments: None, expected })
            }
            ExternalSource::Folder { files, .. } => match file(files, program) {
                Some(file) => read(file),
                None => Err(NoProgram::None("there is no such file".to_owned())),
            },
        }
    }
}

fn file(files: &[ProgramFile], program: u64) -> Option<&ProgramFile> {
    files.get(usize::try_from(program).ok()?)
}

/// The program that a command prints.
fn printed(line: &str, tools: &ToolRunner, cancel: &Cancel) -> Result<String, NoProgram> {
    let nothing = TestCase::new(Vec::new()).map_err(|error| NoProgram::None(error.to_string()))?;
    let ran = tools.shell(line, &nothing, cancel);
    if cancel.is_cancelled() {
        return Err(NoProgram::Cancelled);
    }
    match ran.end {
        End::Exited(0) if ran.stdout.trim().is_empty() => {
            Err(NoProgram::None("the generator prints nothing".to_owned()))
        }
        End::Exited(0) => Ok(ran.stdout),
        _ => Err(NoProgram::None(format!("the generator fails: {}", ran.trouble()))),
    }
}

/// A program of a folder, with the description of its arguments and its right result where they lie beside it.
fn read(file: &ProgramFile) -> Result<Subject, NoProgram> {
    let text = |path: &Path| match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(NoProgram::None(format!("cannot read {}: {error}", path.display()))),
    };
    let source = text(&file.path)?;
    let gone = || NoProgram::None(format!("{} is not there any more", file.path.display()));
    let expected = match text(&file.path.with_extension("expected"))? {
        Some(result) => ExpectedResult::Known(result),
        None => ExpectedResult::Open { executed: false },
    };
    let [arguments, other] = description_names(&file.path);
    let arguments = match text(&arguments)? {
        Some(found) => Some(found),
        None => text(&other)?,
    };
    Ok(Subject { source: source.ok_or_else(gone)?, arguments, expected })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use clreduce_kernel::ProgramKind;
    use clreduce_process::Limits;

    use super::*;

    fn command(line: &str, folder: &Path) -> Result<ExternalPrograms, ExternalError> {
        let tools = ToolRunner::local(folder.to_owned(), None, Limits::default());
        ExternalPrograms::of_command(line, 40, tools, Rule::AtLeastThree)
    }

    #[test]
    fn a_command_makes_the_program_of_a_seed_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let command = |line: &str| command(line, folder.path());
        let made = |line: &str| {
            let made = command(line).unwrap().make(2, &Cancel::new());
            made.map(|subject| subject.source)
        };
        assert_eq!(made("echo 'int x = {seed}, y = {seed};'").unwrap(), "int x = 42, y = 42;\n");
        let reason = |line: &str| match made(line) {
            Err(NoProgram::None(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert!(reason("echo oh: error {seed} >&2; exit 3").contains("error 42"));
        assert!(reason("true {seed}").contains("prints nothing"));
        assert!(matches!(command("csmith"), Err(ExternalError::NoSeed(_))));
        assert_eq!(command("true {seed}").unwrap().name(2), "seed-42");
    }

    #[test]
    fn files_come_in_the_order_of_their_paths_with_what_lies_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let of = || {
            let kind = SourceKind::Kernels(ProgramKind::OpenCl);
            ExternalPrograms::of_folder(folder.path(), kind, Rule::TwoThirds)
        };
        assert!(matches!(of(), Err(ExternalError::Empty { .. })));
        write("b.cl", "b");
        write("a/z.cl", "z");
        write("a/z.expected", "1,\n");
        write("a/z.args.toml", "x");
        write("c.cu", "c");
        let programs = of().unwrap();
        assert_eq!((programs.count(), programs.needs_votes()), (Some(2), true));
        assert_eq!([programs.name(0), programs.name(1)], ["a/z", "b"]);
        let first = programs.make(0, &Cancel::new()).unwrap();
        assert_eq!((first.result(), first.arguments.as_deref()), (Some("1,\n"), Some("x")));
        assert_eq!(programs.make(1, &Cancel::new()).unwrap().result(), None);
        let before = programs.facts();
        write("b.cl", "other");
        assert_ne!(before, of().unwrap().facts());
    }
}
