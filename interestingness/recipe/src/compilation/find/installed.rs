//! The compilers that are installed, by the language of a file.

use std::fs;
use std::path::{Path, PathBuf};

use clreduce_tools::{find_program, has_sanitizers};

use crate::naming::unversioned;

/// A compiler that can read the program, and the options with which it does.
pub(super) struct CheckingCompiler {
    pub compiler: String,
    pub reading: String,
}

/// The newest clang and the newest gcc that are installed, but for the one that is suspected.
pub(super) fn other_compilers(suspected: &str, name: &str) -> impl Iterator<Item = String> {
    let suspected = program(suspected);
    stems_for(name).iter().filter_map(move |stem| newest(stem, suspected.as_deref()))
}

/// The clang that checks a file with that name.
pub(super) fn clang_for(name: &str) -> Option<String> {
    checking(stems_for(name).first()?)
}

/// The version of a compiler with which programs are checked: the newest one, or the newest clang with sanitizers.
pub(super) fn checking(stem: &str) -> Option<String> {
    versions(stem, None).find(|name| has_sanitizers(name)).or_else(|| newest(stem, None))
}

/// The compilers for a file with that name, without their versions: clang, then gcc.
pub(super) fn stems_for(name: &str) -> &'static [&'static str] {
    match Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "c" | "i" => &["clang", "gcc"],
        "cc" | "cpp" | "cxx" | "c++" | "cp" | "C" | "ii" => &["clang++", "g++"],
        _ => &[],
    }
}

/// The family of a compiler, whose versions share most of what they make of a program: `clang`, `gcc`, or the name of another
/// program.
pub(super) fn family(compiler: &str) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let real = program(compiler).map_or_else(|| name(Path::new(compiler)), |path| name(&path));
    let families = [("clang", "clang"), ("gcc", "gcc"), ("g++", "gcc")];
    let known = families.into_iter().find(|(part, _)| real.contains(part));
    known.map_or(real, |(_, family)| family.to_owned())
}

/// Returns true if a file with that name is in C.
pub(super) fn is_c(name: &str) -> bool {
    stems_for(name).contains(&"gcc")
}

/// Returns true if a file with that name is in C++.
pub(super) fn is_cpp(name: &str) -> bool {
    stems_for(name).contains(&"g++")
}

/// The newest installed version of a compiler, such as `clang-19`, other than the suspected program.
pub(super) fn newest(stem: &str, suspected: Option<&Path>) -> Option<String> {
    versions(stem, suspected).next()
}

/// The other installed versions of a compiler, the newest first.
pub(super) fn other_versions(suspected: &str) -> Vec<String> {
    let name = Path::new(suspected).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let own = program(suspected);
    versions(unversioned(name), own.as_deref()).collect()
}

/// The installed versions of a compiler other than the suspected program, the newest first.
fn versions(stem: &str, suspected: Option<&Path>) -> impl Iterator<Item = String> {
    let versions = (1..40).rev().map(move |version| format!("{stem}-{version}"));
    let names = versions.chain([stem.to_owned()]);
    names.filter(move |name| program(name).is_some_and(|program| Some(&*program) != suspected))
}

/// The file of a program; links are followed.
fn program(name: &str) -> Option<PathBuf> {
    fs::canonicalize(find_program(name)?).ok()
}
