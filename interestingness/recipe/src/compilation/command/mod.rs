//! A command that compiles one source file, as a person or a build system wrote it. It can be written anew for a scratch
//! folder: all paths are absolute, and the file is called `{file}`.

mod line;
mod words;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use thiserror::Error;
use words::{CommandReader, OWN_HEADERS, header_folder};

pub(crate) use line::{LineOptions, OUTPUT};
pub(crate) use words::has_value_behind;

use crate::naming::unversioned;

/// Compilers that optimise where no option says how much.
const OPTIMISERS: [&str; 2] = ["llc", "ptxas"];

/// A command that compiles one source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileCommand {
    parts: Vec<Part>,
    source: PathBuf,
}

/// A part of a command, by what becomes of it in a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// The compiler, and every option that is kept.
    Plain(String),
    /// The source file.
    Source,
    /// An option with a value that follows, such as `-mllvm`.
    Valued(String, String),
    /// The option for the output, such as `-o`, and the file.
    Output(String, String),
    /// An option that selects what is made: `-c`, `-S`.
    Mode(String),
    /// A level of optimisation: `-O2`.
    Optimisation(String),
    /// An option that lets the optimiser do more or less than the level says: `-ffast-math`.
    Tuning(String),
    /// Options for the preprocessor.
    Preprocessor(Vec<String>),
    /// Options that say how the source is to be read; other compilers know them, too.
    Dialect(Vec<String>),
}

/// The reason that a command cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompileCommandError {
    /// There are no words.
    #[error("the command of the compiler is empty")]
    Empty,
    /// No source file.
    #[error(
        "`{0}` names no source file that exists\nhelp: write the command as you would run it in this directory"
    )]
    NoSource(String),
    /// More than one source file.
    #[error(
        "the command compiles two files, `{first}` and `{second}`\n\
         help: write the command that compiles only the file that shows the bug"
    )]
    SeveralSources {
        /// The first one.
        first: String,
        /// The second one.
        second: String,
    },
    /// The source comes from standard input.
    #[error(
        "the command reads its source from standard input\nhelp: write the source into a file, and name the file"
    )]
    StandardInput,
    /// A quotation mark is missing.
    #[error("`{0}` ends within a quoted word\nhelp: close the quotation mark")]
    Quotation(String),
}

/// The variable part of the file's name in `--also`.
const FILE: &str = "{file}";

impl CompileCommand {
    /// Reads the words of a command that runs in `folder`.
    ///
    /// # Errors
    /// When it does not compile exactly one file.
    pub fn parse(words: &[String], folder: &Path) -> Result<Self, CompileCommandError> {
        CommandReader { folder, source: None }.read(words)
    }

    /// Reads a command of which one word is known to be the source, whose content is in another file.
    pub(crate) fn with_source(
        words: &[String],
        folder: &Path,
        word: &str,
        source: PathBuf,
    ) -> Result<Self, CompileCommandError> {
        CommandReader { folder, source: Some((word, source)) }.read(words)
    }

    /// Reads the line of another command for the same file, which is named as in this one, or as `{file}`.
    ///
    /// # Errors
    /// When the line does not name a file.
    pub fn parse_also(&self, line: &str, folder: &Path) -> Result<Self, CompileCommandError> {
        let words =
            shlex::split(line).ok_or_else(|| CompileCommandError::Quotation(line.into()))?;
        if words.iter().any(|word| word == FILE) {
            return Self::with_source(&words, folder, FILE, self.source.clone());
        }
        let also = Self::parse(&words, folder)?;
        if also.source != self.source {
            return Err(CompileCommandError::SeveralSources {
                first: self.source.display().to_string(),
                second: also.source.display().to_string(),
            });
        }
        Ok(also)
    }

    /// The source file; absolute.
    #[must_use]
    pub fn source(&self) -> &Path {
        &self.source
    }

    pub(crate) fn compiler(&self) -> &str {
        match self.parts.first() {
            Some(Part::Plain(program)) => program,
            _ => "",
        }
    }

    /// A short name: the compiler with the options that decide what it makes of a program, or with a level of
    /// optimisation instead of its own.
    pub(crate) fn short_name(&self, optimisation: Option<&str>) -> String {
        let compiler = Path::new(self.compiler()).file_name().unwrap_or_default().to_string_lossy();
        let with = |is_named: &dyn Fn(&str) -> bool| {
            let words = self.parts.iter().skip(1).filter_map(|part| match part {
                Part::Optimisation(level) => Some(optimisation.unwrap_or(level)),
                Part::Tuning(word) => optimisation.is_none().then_some(word),
                Part::Plain(word) => is_named(word).then_some(word),
                Part::Dialect(words) => is_named(&words[0]).then_some(&words[0]),
                _ => None,
            });
            let level = optimisation.filter(|_| self.optimises_unasked());
            let words = level.into_iter().chain(words);
            words.fold(compiler.to_string(), |name, word| format!("{name} {word}"))
        };
        let is_of_code = |word: &str| word.starts_with("-f") || word.starts_with("-m");
        let name = with(&|word| self.is_driver() && is_of_code(word));
        // Build systems give many.
        // A longer name has only the compiler and what belongs to the optimiser.
        if name.len() <= 60 { name } else { with(&|_| false) }
    }

    /// Returns true if the command asks for any optimisation.
    pub(crate) fn optimises(&self) -> bool {
        let tunes = self.parts.iter().any(|part| matches!(part, Part::Tuning(_)));
        tunes || self.optimisation().map_or(self.optimises_unasked(), |level| level != "-O0")
    }

    /// Returns true if nothing in the command says how much to optimise, and the compiler then does.
    fn optimises_unasked(&self) -> bool {
        let name = Path::new(self.compiler()).file_name().and_then(OsStr::to_str);
        self.optimisation().is_none() && OPTIMISERS.contains(&unversioned(name.unwrap_or_default()))
    }

    /// The file that the command writes, if it says so.
    pub(crate) fn output(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            Part::Output(_, file) => Some(file.as_str()),
            _ => None,
        })
    }

    pub(crate) fn optimisation(&self) -> Option<&str> {
        self.parts.iter().rev().find_map(|part| match part {
            Part::Optimisation(level) => Some(level.as_str()),
            _ => None,
        })
    }

    /// Returns true if the command is that of a driver, and not of the compiler proper that a driver starts.
    pub(crate) fn is_driver(&self) -> bool {
        let name =
            Path::new(self.compiler()).file_name().and_then(OsStr::to_str).unwrap_or_default();
        !name.starts_with("cc1") && !self.parts.contains(&Part::Plain("-cc1".to_owned()))
    }

    /// The option that says only what is made, such as `-c`; `None` where the command makes a program.
    pub(crate) fn mode(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            Part::Mode(mode) => Some(mode.as_str()),
            _ => None,
        })
    }

    /// Returns true if options change what the preprocessor makes of the source.
    pub(crate) fn defines_macros(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Preprocessor(words) => ["-D", "-U", "-include", "-imacros"]
                .iter()
                .any(|option| words[0].starts_with(option)),
            _ => false,
        })
    }

    /// The folders in which headers are looked for, and headers that are always included: without links, those that are
    /// there.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let values = self.parts.iter().filter_map(|part| match part {
            Part::Preprocessor(words) => header_folder(words).map(|(_, folder)| folder),
            _ => None,
        });
        values.filter_map(real).collect()
    }

    /// The same command in a folder with copies of some `files` below `root`, by their paths there. Folders of headers of
    /// which none of the files that are `read` is one are left out.
    pub(crate) fn relative_to(&self, root: &Path, files: &[&Path], read: &[PathBuf]) -> Self {
        let part = |part: &Part| {
            let Part::Preprocessor(words) = part else { return Some(part.clone()) };
            let Some((option, path)) = header_folder(words) else { return Some(part.clone()) };
            let path = real(path).unwrap_or_default();
            let is_within = |file: &Path| path.is_absolute() && file.starts_with(&path);
            if !files.iter().any(|file| is_within(file)) {
                // The compiler does not list what it reads of other folders, which have the system's headers.
                let is_listed = OWN_HEADERS.contains(&option);
                let is_needed = !is_listed || read.iter().any(|file| is_within(file));
                return is_needed.then(|| part.clone());
            }
            let Ok(below) = path.strip_prefix(root) else { return Some(part.clone()) };
            let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
            let below = below.to_string_lossy().into_owned();
            Some(Part::Preprocessor(match &words[..] {
                [_] => vec![format!("{option}{below}")],
                _ => vec![option.to_owned(), below],
            }))
        };
        Self { parts: self.parts.iter().filter_map(part).collect(), source: self.source.clone() }
    }
}

/// The path without links, if it leads anywhere. Those that did were made absolute.
fn real(path: &str) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok().filter(|_| Path::new(path).is_absolute())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in ["src/a b.c", "src/x.cc", "y.c", "cfg.h", "c", "prog.xyz"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    fn read(line: &str, folder: &Path) -> Result<CompileCommand, CompileCommandError> {
        CompileCommand::parse(&shlex::split(line).unwrap(), folder)
    }

    #[test]
    fn a_command_works_in_another_folder() {
        let folder = folder();
        let at = folder.path().display().to_string();
        let cases = [
            (
                "ccache gcc -O2 -Isrc -I src -c 'src/a b.c' -o src/out.o -MMD -MF x.d",
                format!("gcc -O2 -I{at}/src -I {at}/src -c {{file}} -o output"),
            ),
            (
                "./src/../gcc -include cfg.h -D c -Dc=cfg.h -x c -std=c y.c",
                format!(
                    "{at}/./src/../gcc -include {at}/cfg.h -D c -Dc=cfg.h -x c -std=c {{file}} -o output"
                ),
            ),
            (
                "g++ -fprofile-use=src/x.cc --param max=c -S src/x.cc",
                format!("g++ -fprofile-use={at}/src/x.cc --param max=c -S {{file}}"),
            ),
            ("strange prog.xyz", "strange {file} -o output".to_owned()),
        ];
        for (line, expected) in cases {
            let command = read(line, folder.path()).unwrap();
            assert_eq!(command.line(LineOptions::RECIPE), expected, "{line}");
        }
    }

    #[test]
    fn a_preprocessed_file_needs_no_options_for_the_preprocessor() {
        let folder = folder();
        let command = read("g++ -O2 -DN=1 -Isrc -c src/x.cc -o x.o", folder.path()).unwrap();
        let at = folder.path().display();
        assert_eq!(
            command.preprocessing(&["-P".to_owned()]),
            format!("g++ -O2 -DN=1 -I{at}/src -P {at}/src/x.cc -E")
        );
        let form = LineOptions {
            preprocessed: true,
            optimisation: Some("-O0"),
            more: &["-w".to_owned()],
            ..LineOptions::RECIPE
        };
        assert_eq!(command.line(form), "g++ -O0 -c -w {file} -o output");
        assert_eq!(command.short_name(Some("-O0")), "g++ -O0");
    }

    #[test]
    fn a_copy_of_some_files_has_their_folders() {
        let folder = folder();
        let at = fs::canonicalize(folder.path()).unwrap();
        for path in ["lib/system.h", "far/x/far.h", "none/x"] {
            fs::create_dir_all(at.join(path).parent().unwrap()).unwrap();
            fs::write(at.join(path), "").unwrap();
        }
        let line = "g++ -I. -Isrc/../src -I none -I gone -I far -isystem lib -iquote far/x -include cfg.h -DI=. -O2 -c src/x.cc";
        let command = read(line, &at).unwrap();
        assert_eq!(command.folders().len(), 7);
        let (source, own) = (at.join("src/x.cc"), at.join("cfg.h"));
        let all = [source.clone(), own.clone(), at.join("far/x/far.h")];
        let copied = command.relative_to(&at, &[&source, &own], &all);
        let far = at.display();
        assert_eq!(
            copied.line(LineOptions::RECIPE),
            format!(
                "g++ -I. -Isrc -I {far}/far -isystem {far}/lib -iquote {far}/far/x -include cfg.h -DI=. -O2 -c {{file}}"
            )
        );
    }

    #[test]
    fn without_optimisation_nothing_of_it_is_left() {
        let folder = folder();
        let line = "gcc -O2 -ffast-math -flto=2 -fwrapv -march=native -Wall -DN y.c -o bin/y -lm";
        let command = read(line, folder.path()).unwrap();
        assert_eq!(command.short_name(None), "gcc -O2 -ffast-math -flto=2 -fwrapv -march=native");
        assert_eq!(command.short_name(Some("-O0")), "gcc -O0 -fwrapv -march=native");
        assert_eq!((command.output(), &*command.libraries()), (Some("bin/y"), " -lm"));
        let plain = LineOptions { optimisation: Some("-O0"), ..LineOptions::RECIPE };
        assert_eq!(
            command.line(plain),
            "gcc -O0 -fwrapv -march=native -Wall -DN {file} -o output -lm"
        );
        let tuned = read("gcc -ffast-math y.c", folder.path()).unwrap();
        let unoptimised = read("gcc -O0 -fwrapv y.c", folder.path()).unwrap();
        assert!(command.optimises() && tuned.optimises() && !unoptimised.optimises());
        // These optimise unless they are told not to.
        let command = read("ptxas -arch=sm_90 y.c", folder.path()).unwrap();
        assert!(command.optimises());
        assert_eq!(command.short_name(Some("-O0")), "ptxas -O0");
        assert_eq!(command.line(plain), "ptxas -arch=sm_90 -O0 {file} -o output");
        let many = format!("gcc -O2 {} y.c", "-fno-common ".repeat(9));
        assert_eq!(read(&many, folder.path()).unwrap().short_name(None), "gcc -O2");
    }

    #[test]
    fn exactly_one_file_is_compiled() {
        let folder = folder();
        use CompileCommandError::*;
        assert!(matches!(read("gcc -c gone.c", folder.path()), Err(NoSource(_))));
        assert!(matches!(read("gcc y.c src/x.cc", folder.path()), Err(SeveralSources { .. })));
        assert!(matches!(read("gcc -x c -", folder.path()), Err(StandardInput)));
        assert!(matches!(read("ccache", folder.path()), Err(Empty)));
        let command = read("gcc -c y.c", folder.path()).unwrap();
        let also = command.parse_also("clang -O0 -c {file}", folder.path()).unwrap();
        assert_eq!(also.line(LineOptions::RECIPE), "clang -O0 -c {file}");
        assert_eq!(also.source(), command.source());
        let other = command.parse_also("clang -c src/x.cc", folder.path());
        assert!(matches!(other, Err(SeveralSources { .. })));
    }

    #[test]
    fn values_of_options_are_no_sources() {
        let folder = folder();
        let line = "clang -cc1 -triple x -main-file-name y.c -x c y.c";
        let command = read(line, folder.path()).unwrap();
        assert_eq!(
            command.line(LineOptions::RECIPE),
            "clang -cc1 -triple x -main-file-name y.c -x c {file}"
        );
        assert!(!command.is_driver());
    }
}
