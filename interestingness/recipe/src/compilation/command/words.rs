//! Reads the words of a compiler command: which is the source, which options have a value, and which hold paths.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{CompileCommand, CompileCommandError, Part};

/// Programs that start a compiler.
const LAUNCHERS: [&str; 5] = ["ccache", "sccache", "distcc", "icecc", "gomacc"];
/// Endings of the names of source files.
const SOURCES: [&str; 18] = [
    "c", "i", "cc", "cpp", "cxx", "c++", "cp", "C", "ii", "cl", "clcpp", "cu", "m", "mm", "ll",
    "f90", "rs", "d",
];
/// Options whose value is the next word, and is no path.
const WITH_VALUE: [&str; 31] = [
    "-target",
    "-arch",
    "-Xclang",
    "-mllvm",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "--param",
    "-z",
    "-u",
    "-A",
    "-main-file-name",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-auxbase",
    "-auxbase-strip",
    "-triple",
    "-aux-triple",
    "-target-cpu",
    "-tune-cpu",
    "-target-feature",
    "-target-abi",
    "-mrelocation-model",
    "-pic-level",
    "-ferror-limit",
    "-imultiarch",
    "-mthread-model",
    "-fmessage-length",
    "-stack-protector",
    "--crate-type",
];
/// Options for the preprocessor. Their value is the rest of the word, or the next word.
const PREPROCESSOR: [&str; 12] = [
    "-include-pch",
    "-include",
    "-imacros",
    "-isystem",
    "-internal-isystem",
    "-internal-externc-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-I",
    "-D",
    "-U",
];

/// Of these, the options for folders whose headers are those of a project.
pub(super) const OWN_HEADERS: [&str; 2] = ["-iquote", "-I"];

/// Options whose value is always the next word, beside those above.
const WITH_WORD: [&str; 8] =
    ["-x", "-MF", "-MT", "-MQ", "-L", "-l", "-isysroot", "-dependency-file"];

/// Returns true if the value of an option is the word behind it.
pub(crate) fn has_value_behind(word: &str) -> bool {
    WITH_VALUE.contains(&word) || PREPROCESSOR.contains(&word) || WITH_WORD.contains(&word)
}

/// The option and the path in the words of an option for the preprocessor: a folder of headers, or a header.
pub(super) fn header_folder(words: &[String]) -> Option<(&'static str, &str)> {
    let first = words.first()?;
    let option = PREPROCESSOR.into_iter().find(|option| first.starts_with(option))?;
    let value = words.get(1).map_or(&first[option.len()..], |value| value);
    let is_path = !["-D", "-U", "-iprefix"].contains(&option);
    is_path.then_some((option, value))
}

/// Reads the words of a command.
pub(super) struct CommandReader<'a> {
    pub folder: &'a Path,
    /// The word that is the source, where that is known, and the file.
    pub source: Option<(&'a str, PathBuf)>,
}

impl CommandReader<'_> {
    pub(super) fn read(mut self, words: &[String]) -> Result<CompileCommand, CompileCommandError> {
        let is_launcher = |word: &&String| {
            let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or_default();
            LAUNCHERS.contains(&name)
        };
        let mut words = words.iter().skip_while(is_launcher);
        let all = || words.clone().map(String::as_str).collect::<Vec<_>>().join(" ");
        let text = all();
        let program = words.next().ok_or(CompileCommandError::Empty)?;
        let mut parts = vec![Part::Plain(self.program(program))];
        let mut sources: Vec<(usize, PathBuf)> = Vec::new();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().unwrap_or_default();
            if let Some(source) = self.take_source(word) {
                sources.push((parts.len(), source));
                parts.push(Part::Source);
                continue;
            }
            match word.as_str() {
                "-" => return Err(CompileCommandError::StandardInput),
                "-o" | "--output" => parts.push(Part::Output(word.clone(), value())),
                "-c" | "-S" | "-E" | "-fsyntax-only" | "-emit-obj" => {
                    parts.push(Part::Mode(word.clone()))
                }
                "-MF" | "-MT" | "-MQ" | "-dependency-file" => drop(value()),
                "-x" => parts.push(Part::Dialect(vec![word.clone(), value()])),
                _ if is_left_out(word) => {}
                _ if WITH_VALUE.contains(&word.as_str()) => {
                    parts.push(Part::Valued(word.clone(), value()));
                }
                _ if word.starts_with("-O") => parts.push(Part::Optimisation(word.clone())),
                _ if is_tuning(word) => parts.push(Part::Tuning(self.absolute_within(word))),
                _ if is_dialect(word) => parts.push(Part::Dialect(vec![word.clone()])),
                _ => {
                    let part = self.preprocessor(word, &mut value);
                    parts.push(part.unwrap_or_else(|| Part::Plain(self.absolute_within(word))));
                }
            }
        }
        let last = self.last_file(&parts);
        let found = match &sources[..] {
            [] => last.ok_or(CompileCommandError::NoSource(text))?,
            [one] => one.clone(),
            [first, second, ..] => {
                return Err(CompileCommandError::SeveralSources {
                    first: first.1.display().to_string(),
                    second: second.1.display().to_string(),
                });
            }
        };
        parts[found.0] = Part::Source;
        Ok(CompileCommand { parts, source: found.1 })
    }

    /// A compiler by its path works in every folder.
    fn program(&self, word: &str) -> String {
        if word.contains(['/', std::path::MAIN_SEPARATOR]) {
            self.folder.join(word).to_string_lossy().into_owned()
        } else {
            word.to_owned()
        }
    }

    /// The source that a word names.
    fn take_source(&mut self, word: &str) -> Option<PathBuf> {
        if let Some((known, source)) = &self.source {
            return (known == &word).then(|| source.clone());
        }
        let ending = Path::new(word).extension().and_then(OsStr::to_str)?;
        let path = self.folder.join(word);
        (!word.starts_with('-') && SOURCES.contains(&ending) && path.is_file()).then_some(path)
    }

    /// A compiler of another language has sources with other names.
    fn last_file(&self, parts: &[Part]) -> Option<(usize, PathBuf)> {
        let own = |(index, part): (usize, &Part)| match part {
            Part::Plain(word) if index > 0 && !word.starts_with('-') => {
                let path = PathBuf::from(word);
                let is_library = ["o", "a", "so", "lib", "obj", "dll"]
                    .iter()
                    .any(|ending| path.extension().is_some_and(|own| own == *ending));
                (path.is_absolute() && path.is_file() && !is_library).then_some((index, path))
            }
            _ => None,
        };
        parts.iter().enumerate().filter_map(own).next_back()
    }

    /// An option for the preprocessor, with its value.
    fn preprocessor(&self, word: &str, value: &mut dyn FnMut() -> String) -> Option<Part> {
        let option = PREPROCESSOR.into_iter().find(|option| word.starts_with(option))?;
        let is_macro = ["-D", "-U"].contains(&option);
        let resolve =
            |value: &str| if is_macro { value.to_owned() } else { self.absolute(value, is_path) };
        Some(Part::Preprocessor(match &word[option.len()..] {
            "" => vec![option.to_owned(), resolve(&value())],
            joined => vec![format!("{option}{}", resolve(joined))],
        }))
    }

    /// An option or a word with the paths in it made absolute.
    fn absolute_within(&self, word: &str) -> String {
        if !word.starts_with('-') {
            return match word.strip_prefix('@') {
                Some(path) => format!("@{}", self.absolute(path, is_path)),
                None => self.absolute(word, is_path),
            };
        }
        for option in ["-L", "-B", "-F", "-T"] {
            if let Some(path) = word.strip_prefix(option).filter(|path| !path.is_empty()) {
                return format!("{option}{}", self.absolute(path, is_path));
            }
        }
        match word.split_once('=') {
            Some((option, value)) => format!("{option}={}", self.absolute(value, looks_like_path)),
            None => word.to_owned(),
        }
    }

    /// The absolute path of a file or folder that is there; else the text.
    fn absolute(&self, text: &str, is_path: fn(&str) -> bool) -> String {
        let path = self.folder.join(text);
        let is_there = !text.is_empty() && is_path(text) && path.exists();
        if is_there { path.to_string_lossy().into_owned() } else { text.to_owned() }
    }
}

fn is_path(_: &str) -> bool {
    true
}

/// The value of an option is mostly a word, such as `c` in `-std=c`.
fn looks_like_path(text: &str) -> bool {
    text.contains(['/', '.'])
}

/// Options that write files which are of no use in a scratch folder.
fn is_left_out(word: &str) -> bool {
    const LEFT_OUT: [&str; 7] = ["-MD", "-MMD", "-MP", "-MG", "-freport-bug", "-pipe", "-v"];
    LEFT_OUT.contains(&word)
        || word.starts_with("-MF")
        || word.starts_with("-Wp,-M")
        || word.starts_with("-save-temps")
        || word.starts_with("--save-temps")
}

/// Options that change what a program computes, or how much is optimised, and that a comparison without optimisation
/// leaves out. Those that make the language stricter or laxer, such as `-fwrapv`, stay.
fn is_tuning(word: &str) -> bool {
    const TUNING: [&str; 22] = [
        "-ffast-math",
        "-funsafe-math-optimizations",
        "-ffinite-math-only",
        "-fassociative-math",
        "-freciprocal-math",
        "-fapprox-func",
        "-fno-honor-",
        "-fno-math-errno",
        "-fno-signed-zeros",
        "-fno-trapping-math",
        "-fcx-",
        "-ffp-",
        "-fexcess-precision=fast",
        "-flto",
        "-fwhole-program",
        "-fprofile-",
        "-ftree-",
        "-fipa-",
        "-floop-",
        "-funroll-",
        "-fvect",
        "-finline",
    ];
    TUNING.iter().any(|start| word.starts_with(start))
}

fn is_dialect(word: &str) -> bool {
    const DIALECT: [&str; 9] = [
        "-ansi",
        "-m32",
        "-m64",
        "-fopenmp",
        "-fms-extensions",
        "-fgnu89-inline",
        "-funsigned-char",
        "-fcoroutines",
        "-fpermissive",
    ];
    // An error that is switched off is part of what the compiler accepts, as in `-Wno-narrowing`.
    const STARTS: [&str; 6] = ["-std=", "-x", "-Wno-", "-march=", "-msse", "-mavx"];
    DIALECT.contains(&word) || STARTS.iter().any(|start| word.starts_with(start))
}
