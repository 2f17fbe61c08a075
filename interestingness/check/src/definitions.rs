//! What a kernel needs of its build besides its text: macros that its host program defines, and folders with its headers.
//!
//! clang tells which names are undeclared. Those that look like macros get a value, the first one with which clang accepts the whole
//! program; without such a value, nothing is chosen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clreduce_compiler::Diagnostic;
use clreduce_process::{Cancel, End};
use clreduce_testcase::{Language, tokens};

use crate::options::CheckOptions;
use crate::preprocess::read_by_clang;

/// The values of macros, in the order in which they are tried: most are sizes of blocks.
const VALUES: [&str; 5] = ["16", "8", "4", "1", "256"];
/// The type of a macro that stands where a type must.
const TYPE: &str = "float";
/// The most times that clang reads a program with one value: each time, it may find other names undeclared.
const ROUNDS: usize = 8;
/// The number of folders above that of the program that are searched for a header, too.
const FOLDERS_ABOVE: usize = 2;

/// The options of a build, and what is to be said of those that were added.
#[derive(Clone, Debug, Default)]
pub struct CompletedBuild {
    /// The options that were given, and those that the program needs besides.
    pub options: Vec<String>,
    /// A sentence about each macro that was defined, and each folder above that of the program.
    pub remarks: Vec<String>,
}

/// Completes the options with which a program in OpenCL C that lies in `folder` is built. They stay as they are where clang accepts the
/// program, or accepts it with no macros and folders that are tried.
#[must_use]
pub fn complete_build(
    source: &[u8],
    folder: &Path,
    options: &CheckOptions,
    cancel: &Cancel,
) -> CompletedBuild {
    let given = || CompletedBuild { options: options.build_options.clone(), remarks: Vec::new() };
    if !may_lack(source) {
        return given();
    }
    let mut folders = vec![];
    if includes_beside(source) {
        folders.extend(std::path::absolute(folder));
    }
    for value in VALUES {
        let mut build = Build { folders: folders.clone(), ..Build::default() };
        for _ in 0..ROUNDS {
            let tried = CheckOptions { build_options: build.options(options), ..options.clone() };
            let more = ["-fsyntax-only", "-ferror-limit=0"];
            let read = read_by_clang(source, folder, Language::OPENCL, &tried, &more, cancel);
            let Ok(read) = read else { return given() };
            if read.end == End::Exited(0) {
                return CompletedBuild {
                    options: build.options(options),
                    remarks: build.remarks(folder),
                };
            }
            let errors: Vec<Diagnostic> =
                read.stderr.lines().filter_map(Diagnostic::read).collect();
            if !build.extend(&errors, folder, value) {
                break;
            }
        }
        if build.macros.iter().all(|(_, value)| value == TYPE) {
            break;
        }
    }
    given()
}

/// Returns false if nothing in the text of a program may stand elsewhere: it includes no file of its own, and defines each of its macros.
fn may_lack(source: &[u8]) -> bool {
    let words: Vec<&[u8]> = tokens(source).map(|token| &source[token.range()]).collect();
    let macros = words.windows(2).filter(|pair| pair[0].ends_with(b"define"));
    let defined: BTreeSet<&[u8]> = macros.map(|pair| pair[1]).collect();
    let is_unknown = |word: &[u8]| {
        std::str::from_utf8(word).is_ok_and(is_like_macro)
            && !word.starts_with(b"CLK_")
            && !defined.contains(word)
    };
    includes_beside(source) || words.into_iter().any(is_unknown)
}

/// Returns true if a program includes a file by a name in quotes, which compilers look for beside it.
fn includes_beside(source: &[u8]) -> bool {
    source.split(|&byte| byte == b'\n').any(|line| {
        let name = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let name = name.and_then(|name| name.strip_prefix(b"include"));
        name.is_some_and(|name| name.trim_ascii_start().starts_with(b"\""))
    })
}

/// What was added to the options of a build.
#[derive(Default)]
struct Build {
    folders: Vec<PathBuf>,
    macros: Vec<(String, String)>,
}

impl Build {
    /// The options that were given, and these.
    fn options(&self, given: &CheckOptions) -> Vec<String> {
        let macros = self.macros.iter().map(|(name, value)| format!("-D{name}={value}"));
        let folders = self.folders.iter().filter_map(|folder| folder.to_str());
        // The options of a build are one text, in which white space separates them.
        let folders = folders.filter(|folder| !folder.contains(char::is_whitespace));
        let folders = folders.map(|folder| format!("-I{folder}"));
        given.build_options.iter().cloned().chain(macros).chain(folders).collect()
    }

    fn remarks(&self, own: &Path) -> Vec<String> {
        let macros = self.macros.iter().map(|(name, value)| {
            format!(
                "`{name}` is not defined; clreduce has chosen -D{name}={value}; what is meant comes after the kernel: \
                 `-- -D{name}=...`"
            )
        });
        let own = std::path::absolute(own).ok();
        let above = self.folders.iter().filter(|folder| own.as_ref() != Some(folder));
        let above = above.map(|folder| {
            format!("headers are included from {}; another folder: `-- -I...`", folder.display())
        });
        macros.chain(above).collect()
    }

    /// Adds what errors of clang ask for. Returns false if that is nothing new.
    fn extend(&mut self, errors: &[Diagnostic], folder: &Path, value: &str) -> bool {
        let before = self.macros.len() + self.folders.len();
        for error in errors {
            if let Some(header) = quoted(&error.message, "", "' file not found") {
                let known = std::path::absolute(folder).unwrap_or_default();
                let mut above = known.ancestors().skip(1).take(FOLDERS_ABOVE);
                let found = above.find(|folder| folder.join(header).is_file());
                self.folders.extend(found.map(Path::to_owned));
                continue;
            }
            let (name, value) = match quoted(&error.message, "unknown type name ", "'") {
                Some(name) => (name, TYPE),
                None => match quoted(&error.message, "use of undeclared identifier ", "'") {
                    Some(name) => (name, value),
                    None => continue,
                },
            };
            let known = self.macros.iter_mut().find(|(known, _)| known == name);
            match known {
                // A type may stand in an expression before it stands where only a type may.
                Some((_, known)) if value == TYPE => TYPE.clone_into(known),
                None if is_like_macro(name) => {
                    self.macros.push((name.to_owned(), value.to_owned()));
                }
                _ => {}
            }
        }
        self.macros.len() + self.folders.len() > before
    }
}

/// The text between an opening quote after `start` and `end`.
fn quoted<'a>(message: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = message.strip_prefix(start)?.strip_prefix('\'')?;
    Some(&rest[..rest.find(end)?])
}

/// Returns true for a name in capital letters: any other one is more likely a mistake.
fn is_like_macro(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name.contains(|c: char| c.is_ascii_uppercase())
        && !name.contains(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(source: &[u8], folder: &Path, given: &[&str]) -> CompletedBuild {
        let build_options = given.iter().map(|&option| option.to_owned()).collect();
        let options = CheckOptions { build_options, ..CheckOptions::default() };
        complete_build(source, folder, &options, &Cancel::new())
    }

    #[test]
    #[cfg_attr(windows, ignore = "needs clang")]
    fn macros_of_sizes_and_types_are_found_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let source =
            b"kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void k(global REAL *a) {\n\
            local REAL b[BLOCK * ROWS]; b[0] = (REAL)1; a[0] = b[0]; }\n";
        let all = completed(source, folder.path(), &["-DROWS=2"]);
        assert_eq!(all.options[0], "-DROWS=2");
        let mut chosen = all.options[1..].to_vec();
        chosen.sort();
        assert_eq!(chosen, ["-DBLOCK=16", "-DREAL=float"]);
        assert_eq!(all.remarks.len(), 2);
        for mistake in [
            &b"kernel void k(global int *a) { a[0] = i; }"[..],
            b"kernel void k(global int *a) { a[0] = N }",
        ] {
            assert!(completed(mistake, folder.path(), &[]).options.is_empty());
        }
        let small = b"kernel void k(global int *a) { int b[9 - N]; a[0] = N; }";
        assert_eq!(completed(small, folder.path(), &[]).options, ["-DN=8"]);
    }

    #[test]
    #[cfg_attr(windows, ignore = "needs clang")]
    fn headers_lie_beside_a_program_or_above_it() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("kernels");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("own.h"), "#define ONE 1\n").unwrap();
        std::fs::write(top.path().join("main.h"), "#define TWO 2\n").unwrap();
        let source = |name: &str| {
            format!("#include \"{name}\"\nkernel void k(global int *a) {{ a[0] = 1; }}\n")
        };
        let own = completed(source("own.h").as_bytes(), &folder, &[]);
        assert_eq!(own.options, [format!("-I{}", folder.display())]);
        assert!(own.remarks.is_empty());
        let above = completed(source("./main.h").as_bytes(), &folder, &[]);
        assert_eq!(above.options.last().unwrap(), &format!("-I{}", top.path().display()));
        assert_eq!(above.remarks.len(), 1);
        assert!(completed(source("gone.h").as_bytes(), &folder, &[]).options.is_empty());
    }
}
