//! Checks that a program is free of undefined behaviour, for the recipe of a wrong result. A check is used if its tool is
//! installed and the original passes it.

use clreduce_testcase::TestCase;
use clreduce_tools::SANITIZERS;

use super::witnesses::{newest, stems_for};
use super::{BugSearch, CompilerBugError};

/// A check as a stage of a recipe.
pub(super) struct SanityStage {
    pub name: &'static str,
    pub command: String,
}

/// Warnings about undefined behaviour that a run does not show.
const WARNINGS: &str = "-Werror=return-type -Werror=uninitialized -Werror=format -Werror=shift-count-overflow \
    -Werror=div-by-zero";
/// The same, and what only old C allows.
const WARNINGS_C: &str = "-Werror=implicit-int -Werror=implicit-function-declaration \
    -Werror=incompatible-pointer-types -Werror=int-conversion";

/// Finds the checks that the original passes.
pub(super) fn stages(
    search: &mut BugSearch<'_>,
    case: &TestCase,
    reading: &str,
) -> Result<Vec<SanityStage>, CompilerBugError> {
    // The commands are for a POSIX shell.
    if cfg!(windows) {
        return Ok(Vec::new());
    }
    let path = &case.files()[0].path;
    let stems = stems_for(path);
    let of_c = if stems.contains(&"gcc") { WARNINGS_C } else { "" };
    // clang rejects some programs that gcc has preprocessed, so that gcc has to check them.
    let compilers: Vec<String> = stems.iter().filter_map(|stem| newest(stem, None)).collect();
    let mut stages = Vec::new();
    for name in ["warnings", "address and undefined", "memory"] {
        let command = |compiler: &String| match name {
            "warnings" => {
                // gcc finds uninitialised variables only where it optimises.
                format!(
                    "{compiler} {reading}-O1 -c -Wno-everything {WARNINGS} {of_c} {{file}} -o checked"
                )
            }
            "memory" => sanitizer(compiler, reading, "memory"),
            _ => sanitizer(compiler, reading, "address,undefined"),
        };
        let mut passed = None;
        for command in compilers.iter().map(command) {
            if search.shell(&format!("checking: {name}"), &command, case)?.0 {
                passed = Some(command);
                break;
            }
        }
        match passed {
            Some(command) => stages.push(SanityStage { name, command }),
            None => search.note(format!(
                "the check `{name}` is left out: the original does not pass it, or its libraries are missing ({})",
                SANITIZERS.install()
            )),
        }
    }
    Ok(stages)
}

/// The command that builds and runs the program with a sanitizer. The program may end with a status of its own; that of
/// a report is 99, and that of a crash is larger.
fn sanitizer(compiler: &str, reading: &str, kinds: &str) -> String {
    format!(
        "{compiler} {reading}-w -g -fsanitize={kinds} -fno-sanitize-recover=all {{file}} -o checked && \
         {{ ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99 MSAN_OPTIONS=exitcode=99 \
         ./checked >/dev/null; [ $? -lt 99 ]; }}"
    )
}
