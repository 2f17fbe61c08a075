//! The places that compiler commands come from: a command line, a database of a build system, and the files that compilers
//! leave when they crash.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_check::needs_preprocessing;
use clreduce_testcase::InvalidTestCase;
use serde::Deserialize;
use thiserror::Error;

use super::command::{CompileCommand, CompileCommandError};

/// A command of a compiler, with the program that it compiles.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The command.
    pub command: CompileCommand,
    /// The name of the program's file, without a folder.
    pub name: String,
    /// The text of the program.
    pub source: Vec<u8>,
    /// True if the program has no directives that the preprocessor would follow.
    pub(crate) preprocessed: bool,
}

/// The reason that there is no command or no program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompilationError {
    /// The command cannot be used.
    #[error(transparent)]
    Command(#[from] CompileCommandError),
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is no command in a file that a compiler left.
    #[error(
        "`{}` contains no command of a compiler\n\
         help: give the `.sh` file that clang wrote when it crashed, the file that gcc calls `Preprocessed source`, or the \
         command itself: clreduce init -- gcc -O2 -c x.c", .0.display()
    )]
    NoCommand(PathBuf),
    /// The database is not in the format of `compile_commands.json`.
    #[error("`{}` is no database of compile commands: {source}", .path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The mistake.
        source: serde_json::Error,
    },
    /// The database does not have the file.
    #[error("`{}` has no command for `{}`{similar}", .path.display(), .file.display())]
    NotInDatabase {
        /// The database.
        path: PathBuf,
        /// The file.
        file: PathBuf,
        /// Files with the same name, for people.
        similar: String,
    },
    /// It is not said which command of a database is meant.
    #[error(
        "`{path}` has the commands for many files\nhelp: name the file that shows the bug, as in: clreduce init {path} src/x.cc",
        path = .0.display()
    )]
    NoFile(PathBuf),
    /// The database has several commands for the file.
    #[error(
        "`{}` has several commands for `{}`:{commands}\nhelp: choose one, as in: --entry 1", .path.display(),
        .file.display()
    )]
    SeveralInDatabase {
        /// The database.
        path: PathBuf,
        /// The file.
        file: PathBuf,
        /// The commands with their numbers, one in a line.
        commands: String,
    },
    /// The name of the program makes no test case.
    #[error(transparent)]
    Name(#[from] InvalidTestCase),
}

/// An entry of `compile_commands.json`.
#[derive(Deserialize)]
struct DatabaseEntry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    #[serde(default)]
    arguments: Vec<String>,
}

impl DatabaseEntry {
    fn path(&self, folder: &Path) -> PathBuf {
        real(&folder.join(&self.directory).join(&self.file))
    }

    fn words(&self) -> Result<Vec<String>, CompileCommandError> {
        match &self.command {
            Some(line) => {
                shlex::split(line).ok_or_else(|| CompileCommandError::Quotation(line.clone()))
            }
            None => Ok(self.arguments.clone()),
        }
    }
}

impl Compilation {
    /// Reads the words of a command that runs in `folder`, and the program.
    ///
    /// # Errors
    /// When the command does not compile exactly one file, or the file cannot be read.
    pub fn of_command(words: &[String], folder: &Path) -> Result<Self, CompilationError> {
        Self::of(CompileCommand::parse(words, folder)?)
    }

    fn of(command: CompileCommand) -> Result<Self, CompilationError> {
        let source = read(command.source())?;
        let name = file_name(command.source());
        let preprocessed = !needs_preprocessing(&source) && !command.defines_macros();
        Ok(Self { command, name, source, preprocessed })
    }

    /// Reads the script that clang writes when it crashes. The preprocessed program lies beside it.
    ///
    /// # Errors
    /// When a file cannot be read, or there is no command.
    pub fn of_clang_script(script: &Path) -> Result<Self, CompilationError> {
        let text = read(script)?;
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let line = lines.rfind(|line| !line.trim().is_empty());
        let words = line.and_then(shlex::split).unwrap_or_default();
        if words.len() < 2 {
            return Err(CompilationError::NoCommand(script.to_owned()));
        }
        let command = CompileCommand::parse(&words, &folder_of(script))?;
        Ok(Self { preprocessed: true, ..Self::of(command)? })
    }

    /// Reads the file that gcc calls "Preprocessed source": comments with the command, and the program.
    ///
    /// # Errors
    /// When the file cannot be read, or there is no command.
    pub fn of_gcc_report(report: &Path) -> Result<Self, CompilationError> {
        let text = read(report)?;
        let is_comment = |line: &[u8]| line.starts_with(b"//") || line.trim_ascii().is_empty();
        let head: Vec<&[u8]> = text
            .split_inclusive(|&byte| byte == b'\n')
            .take_while(|line| is_comment(line))
            .collect();
        let length = head.iter().map(|line| line.len()).sum();
        let mut commands = head.iter().filter_map(|line| {
            let line = String::from_utf8_lossy(line.strip_prefix(b"//")?).into_owned();
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let compiler = Path::new(words.first()?).file_name()?.to_str()?.to_owned();
            compiler.starts_with("cc1").then_some(words)
        });
        let none = || CompilationError::NoCommand(report.to_owned());
        let words = commands.next_back().ok_or_else(none)?;
        // Its own name for the source follows `-dumpbase`, too.
        let base = words.iter().skip_while(|word| *word != "-dumpbase").nth(1).ok_or_else(none)?;
        let is_source = |word: &&String| file_name(Path::new(word)) == *base;
        let word = words.iter().find(is_source).ok_or_else(none)?.clone();
        let mut words = words.clone();
        words.push("-fpreprocessed".to_owned());
        let command =
            CompileCommand::with_source(&words, &folder_of(report), &word, report.to_owned())?;
        let name = file_name(Path::new(&word));
        Ok(Self { command, name, source: text[length..].to_vec(), preprocessed: true })
    }

    /// Finds the command for a file in a database of compile commands, and reads the program. `number` counts from 1 the
    /// different commands for the file.
    ///
    /// # Errors
    /// When a file cannot be read, or the database has no command for the file, or several without a number.
    pub fn of_database(
        database: &Path,
        file: &Path,
        number: Option<usize>,
    ) -> Result<Self, CompilationError> {
        let text = read(database)?;
        let entries: Vec<DatabaseEntry> = serde_json::from_slice(&text)
            .map_err(|source| CompilationError::Database { path: database.to_owned(), source })?;
        let (folder, wanted) = (folder_of(database), real(file));
        let is_meant = |entry: &&DatabaseEntry| entry.path(&folder) == wanted || entry.file == file;
        let mut found: Vec<(PathBuf, Vec<String>)> = Vec::new();
        for entry in entries.iter().filter(is_meant) {
            let one = (folder.join(&entry.directory), entry.words()?);
            if !found.contains(&one) {
                found.push(one);
            }
        }
        let (path, file) = (database.to_owned(), file.to_owned());
        match (&found[..], number) {
            ([], _) => {
                let same = |entry: &&DatabaseEntry| entry.file.file_name() == file.file_name();
                let names = entries.iter().filter(same);
                let names = names.map(|entry| format!("\n    {}", entry.path(&folder).display()));
                let names: String = names.collect();
                let similar =
                    if names.is_empty() { names } else { format!("; it has these:{names}") };
                Err(CompilationError::NotInDatabase { path, file, similar })
            }
            ([(folder, words)], None) => Self::of_command(words, folder),
            (found, number) => {
                let chosen = number.and_then(|number| found.get(number.checked_sub(1)?));
                let Some((folder, words)) = chosen else {
                    let line = |(at, (_, words)): (usize, &(PathBuf, Vec<String>))| {
                        format!("\n    {}: {}", at + 1, words.join(" "))
                    };
                    let commands = found.iter().enumerate().map(line).collect();
                    return Err(CompilationError::SeveralInDatabase { path, file, commands });
                };
                Self::of_command(words, folder)
            }
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CompilationError> {
    fs::read(path).map_err(|source| CompilationError::Read { path: path.to_owned(), source })
}

fn file_name(path: &Path) -> String {
    path.file_name().and_then(OsStr::to_str).unwrap_or("program").to_owned()
}

/// The folder of a file; absolute.
fn folder_of(file: &Path) -> PathBuf {
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    path.parent().map(Path::to_owned).unwrap_or_default()
}

/// The path without links and dots, where there is a file.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compilation::command::LineOptions;

    #[test]
    fn gcc_leaves_the_command_in_comments() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("ccAbCd.out");
        let text = "// Target: x86_64-linux-gnu\n// x.c:1:1: internal compiler error: in f, at g.cc:1\n\n\
            // /usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -imultiarch x86_64-linux-gnu src/x.c -quiet -dumpbase x.c \
            -dumpbase-ext .c -mtune=generic -O2 -o - -frandom-seed=0\n\n# 0 \"x.c\"\nint x;\n";
        fs::write(&report, text).unwrap();
        let found = Compilation::of_gcc_report(&report).unwrap();
        assert_eq!(
            (found.name.as_str(), &found.source[..]),
            ("x.c", &b"# 0 \"x.c\"\nint x;\n"[..])
        );
        assert_eq!(
            found.command.line(LineOptions::RECIPE),
            "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -imultiarch x86_64-linux-gnu {file} -quiet -dumpbase x.c \
             -dumpbase-ext .c -mtune=generic -O2 -o output -frandom-seed=0 -fpreprocessed"
        );
        fs::write(&report, "int x;\n").unwrap();
        assert!(matches!(Compilation::of_gcc_report(&report), Err(CompilationError::NoCommand(_))));
    }

    #[test]
    fn a_database_has_words_or_lines() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::create_dir(at.join("src")).unwrap();
        for name in ["src/a.c", "src/b.c"] {
            fs::write(at.join(name), "int x;\n").unwrap();
        }
        let text = serde_json::json!([
            { "directory": at, "file": "src/a.c", "command": "gcc -c src/a.c -o a.o" },
            { "directory": at.join("src"), "file": "b.c", "arguments": ["gcc", "-c", "b.c"] },
            { "directory": at, "file": "src/a.c", "command": "gcc -c src/a.c -o a.o" },
            { "directory": "src", "file": "b.c", "command": "gcc -DN -c b.c" },
        ]);
        let database = at.join("compile_commands.json");
        fs::write(&database, text.to_string()).unwrap();
        let of = |name: &str, number| {
            Compilation::of_database(&database, &at.join("src").join(name), number)
        };
        assert_eq!(of("a.c", None).unwrap().name, "a.c");
        for number in [None, Some(0), Some(3)] {
            let several = of("b.c", number).unwrap_err().to_string();
            let lines = "\n    1: gcc -c b.c\n    2: gcc -DN -c b.c\nhelp: choose one";
            assert!(several.contains(lines), "{several}");
        }
        let second = of("b.c", Some(2)).unwrap();
        assert_eq!(second.command.line(LineOptions::RECIPE), "gcc -DN -c {file}");
        let gone = Compilation::of_database(&database, "other/b.c".as_ref(), None);
        let gone = gone.unwrap_err().to_string();
        assert!(gone.contains("src/b.c") && gone.contains("no command for `other/b.c`"), "{gone}");
    }
}
