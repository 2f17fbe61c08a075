//! Warnings about undefined behaviour: those that variants must not have, and those that tell of the original where it
//! breaks a rule.

use clreduce_process::quoted;

use super::installed::{CheckingCompiler, family, is_c, newest, stems_for};
use super::program::ProgramFiles;
use super::{BugSearch, CompilerBugError};

/// Warnings about undefined behaviour that a run does not show.
const FLAGS: [&str; 5] =
    ["return-type", "uninitialized", "format", "shift-count-overflow", "div-by-zero"];
/// The same about what only old C allows.
const FLAGS_OF_C: [&str; 4] = [
    "implicit-int",
    "implicit-function-declaration",
    "incompatible-pointer-types",
    "int-conversion",
];
/// Warnings of clang alone: two changes of a variable without order, and declarations that declare nothing.
const FLAGS_OF_CLANG: [&str; 2] = ["unsequenced", "missing-declarations"];
/// Warnings of gcc alone.
const FLAGS_OF_GCC: [&str; 5] =
    ["sequence-point", "strict-aliasing", "restrict", "maybe-uninitialized", "clobbered"];

/// Flags of clang that other flags switch on: the other flag, and the name that is printed.
const PARTS_OF_FLAGS: [(&str, &str); 4] = [
    ("uninitialized", "sometimes-uninitialized"),
    ("format", "nonnull"),
    ("div-by-zero", "division-by-zero"),
    ("incompatible-pointer-types", "incompatible-function-pointer-types"),
];

/// Warnings about the source of a person, each with its place, by flag.
pub(super) struct PlacedWarning {
    pub flag: String,
    pub text: String,
}

/// The flags for a compiler and a file.
fn flags_for(compiler: &str, name: &str) -> Vec<&'static str> {
    let mut flags = FLAGS.to_vec();
    flags.extend(if is_c(name) { &FLAGS_OF_C[..] } else { &[] });
    flags.extend(match &*family(compiler) {
        "clang" => &FLAGS_OF_CLANG[..],
        "gcc" => &FLAGS_OF_GCC[..],
        _ => &[],
    });
    flags
}

/// The command that these compilers accept if they warn of nothing but what is tolerated.
pub(super) fn command(
    readers: &[&CheckingCompiler],
    name: &str,
    tolerated: &[&'static str],
) -> String {
    let of_one = |CheckingCompiler { compiler, reading }: &CheckingCompiler| {
        let flags = flags_for(compiler, name).into_iter();
        let flags: String = flags
            .filter(|flag| !tolerated.contains(flag))
            .map(|flag| format!("-Werror={flag} "))
            .collect();
        // gcc finds much only where it optimises.
        let level = if family(compiler) == "gcc" { "-O2" } else { "-O1" };
        format!("{compiler} {reading}{level} -c -Wno-everything {flags}{{file}} -o checked")
    };
    readers.iter().map(|reader| of_one(reader)).collect::<Vec<_>>().join(" && ")
}

/// The command that these compilers accept if they take the program for C of today.
pub(super) fn of_language(readers: &[&CheckingCompiler], tolerated: &[&'static str]) -> String {
    let of_one = |CheckingCompiler { compiler, reading }: &CheckingCompiler| {
        let is_clang = family(compiler) == "clang";
        let own = is_clang.then_some(&"missing-declarations");
        let flags = FLAGS_OF_C.iter().chain(own).filter(|flag| !tolerated.contains(flag));
        let flags: String = flags.map(|flag| format!("-Werror={flag} ")).collect();
        format!("{compiler} {reading}-fsyntax-only -Wno-everything {flags}{{file}}")
    };
    readers.iter().map(|reader| of_one(reader)).collect::<Vec<_>>().join(" && ")
}

/// The flags of a command of which these messages are.
pub(super) fn triggered(command: &str, messages: &str) -> Vec<&'static str> {
    let all = FLAGS.iter().chain(&FLAGS_OF_C).chain(&FLAGS_OF_CLANG).chain(&FLAGS_OF_GCC);
    all.copied()
        .filter(|flag| command.contains(&format!("-Werror={flag} ")))
        .filter(|flag| is_triggered(flag, messages))
        .collect()
}

/// Returns true if an error in these messages is due to `-Werror=flag`.
fn is_triggered(flag: &str, messages: &str) -> bool {
    let parts = PARTS_OF_FLAGS.iter().filter(|(whole, _)| *whole == flag).map(|(_, part)| *part);
    std::iter::once(flag).chain(parts).any(|name| {
        [format!("[-Werror={name}"), format!("[-Werror,-W{name}")]
            .iter()
            .any(|form| messages.contains(form))
    })
}

/// The warnings of compilers about the user's source when they are asked for more than usual.
pub(super) fn of_source(search: &BugSearch<'_>) -> Result<Vec<PlacedWarning>, CompilerBugError> {
    const OF_GCC: &str = "-O2 -c -Wsequence-point -Wstrict-aliasing=1 -Wcast-qual -Wreturn-type -Wuninitialized \
        -Wmaybe-uninitialized";
    const OF_CLANG: &str = "-fsyntax-only -Wunsequenced";
    let command = &search.compilation.command;
    let source = quoted(command.source().as_os_str());
    let files = ProgramFiles::single(&search.compilation.name, &search.compilation.source)?;
    let mut found = Vec::new();
    for stem in stems_for(&search.compilation.name) {
        let Some(compiler) = newest(stem, None) else { continue };
        let flags = if family(&compiler) == "clang" { OF_CLANG } else { OF_GCC };
        let reading = command.reading(search.compilation.preprocessed);
        let line = format!("{compiler} {reading}{flags} {source} -o checked");
        let ran = search.shell(&format!("{compiler}: looking for warnings"), &line, &files)?;
        let start = format!("{}:", command.source().display());
        found.extend(ran.stderr.lines().filter_map(|line| placed(line, &start)));
    }
    Ok(found)
}

/// A warning in the source, whose path begins the line.
fn placed(line: &str, start: &str) -> Option<PlacedWarning> {
    let rest = line.strip_prefix(start)?;
    let (text, flag) = rest.rsplit_once(" [-W")?;
    let name = start.trim_end_matches(':').rsplit('/').next().unwrap_or_default();
    let flag = flag.split(['=', ']']).next().unwrap_or_default().to_owned();
    let text = format!("{name}:{}", text.replacen(" warning:", "", 1));
    Some(PlacedWarning { flag, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_belongs_to_the_flag_that_switches_it_on() {
        let messages = "x.c:1:1: error: a [-Werror,-Wsometimes-uninitialized]\n\
            x.c:2:1: error: b [-Werror,-Wdivision-by-zero]\n\
            x.c:3:1: error: c [-Werror=format=]\n";
        let command: String = FLAGS.iter().map(|flag| format!("-Werror={flag} ")).collect();
        assert_eq!(triggered(&command, messages), ["uninitialized", "format", "div-by-zero"]);
        assert_eq!(triggered("-Werror=format ", messages), ["format"]);
    }

    #[test]
    fn a_warning_has_its_place_in_the_source() {
        let line = "/p/x.c:3:9: warning: dereferencing type-punned pointer [-Wstrict-aliasing]";
        let found = placed(line, "/p/x.c:").unwrap();
        assert_eq!(found.text, "x.c:3:9: dereferencing type-punned pointer");
        assert_eq!(found.flag, "strict-aliasing");
        assert!(placed(line, "/p/y.c:").is_none());
    }
}
