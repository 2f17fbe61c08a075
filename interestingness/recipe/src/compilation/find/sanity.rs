//! Checks that a program is free of undefined behaviour, for the recipe of a wrong result or of a wrong message. A check is
//! used if its tool is installed and the original passes it.

use std::collections::BTreeSet;

use clreduce_check::FindingKind;
use clreduce_process::{End, ToolRun};
use clreduce_tools::{CLANG, GCC, SANITIZERS};
use thiserror::Error;

use super::installed::{newest, stems_for};
use super::program::ProgramFiles;
use super::{BugQuery, BugSearch, CompilerBugError};
use crate::shown::sanitizer_report;

/// A check as a stage of a recipe.
pub(super) struct SanityStage {
    pub name: &'static str,
    pub command: String,
}

/// The checks of a program.
#[derive(Default)]
pub(super) struct SanityChecks {
    /// Checks that the original passes.
    pub stages: Vec<SanityStage>,
    /// Checks that are left out.
    pub left_out: Vec<LeftOutCheck>,
    /// Warnings that the original itself triggers.
    tolerated: Vec<String>,
}

/// A check that is not used.
pub(super) struct LeftOutCheck {
    check: &'static Check,
    why: Refusal,
}

/// A check by a compiler.
pub(super) struct Check {
    name: &'static str,
    /// The kinds of errors that it finds.
    kinds: &'static [FindingKind],
    /// The consequence where it is left out: the result may ...
    consequence: &'static str,
    /// True if gcc has it, too.
    is_of_gcc: bool,
}

static WARNINGS: Check = Check {
    name: "warnings",
    kinds: &[FindingKind::NonPortable],
    consequence: "contain what compilers warn of, such as functions that return no value",
    is_of_gcc: true,
};
static ADDRESS_AND_UNDEFINED: Check = Check {
    name: "address and undefined",
    kinds: &[
        FindingKind::OutOfBounds,
        FindingKind::NullPointer,
        FindingKind::Lifetime,
        FindingKind::Misaligned,
        FindingKind::SignedOverflow,
        FindingKind::DivisionByZero,
    ],
    consequence: "have undefined behaviour, such as accesses out of bounds",
    is_of_gcc: true,
};
static MEMORY: Check = Check {
    name: "memory",
    kinds: &[FindingKind::Uninitialised],
    consequence: "read uninitialised memory",
    is_of_gcc: false,
};

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

/// Flags of clang that other flags switch on: the other flag, and the name that is printed.
const PARTS_OF_FLAGS: [(&str, &str); 4] = [
    ("uninitialized", "sometimes-uninitialized"),
    ("format", "nonnull"),
    ("div-by-zero", "division-by-zero"),
    ("incompatible-pointer-types", "incompatible-function-pointer-types"),
];

/// Options with which clang reads the headers of glibc as they are for gcc: what they contain for gcc alone, clang spells
/// in another way.
pub(super) const SPELLINGS: &str = "-x c '-D__malloc__(...)=__malloc__' -D_Float32=float -D_Float64=double \
    -D_Float32x=double '-D_Float64x=long double' -D_Float128=__float128 ";

/// The checks that the recipe for an answer to the question needs. A program that is not run may have errors that only a
/// run shows.
pub(super) fn wanted(query: &BugQuery) -> Vec<&'static Check> {
    // The commands are for a POSIX shell.
    if cfg!(windows) {
        Vec::new()
    } else if query.run {
        vec![&WARNINGS, &ADDRESS_AND_UNDEFINED, &MEMORY]
    } else if query.message.is_some() {
        vec![&WARNINGS]
    } else {
        Vec::new()
    }
}

/// Finds the checks that the original passes.
pub(super) fn checks(
    search: &BugSearch<'_>,
    files: &ProgramFiles,
    reading: &str,
) -> Result<SanityChecks, CompilerBugError> {
    let mut checks = SanityChecks::default();
    let wanted = wanted(search.query);
    if wanted.is_empty() {
        return Ok(checks);
    }
    let stems = stems_for(&files.main);
    let mut readers = Vec::new();
    for (index, stem) in stems.iter().enumerate() {
        readers.push(match newest(stem, None) {
            Some(compiler) => reader(search, files, compiler, reading)?,
            None => {
                let tool = if index == 0 { &CLANG } else { &GCC };
                Err(Refusal::new(format!("{stem} is not installed ({})", tool.install())))
            }
        });
    }
    for check in wanted {
        let mut why = None;
        let mut stage = None;
        for reader in readers.iter().take(if check.is_of_gcc { usize::MAX } else { 1 }) {
            let tried = match reader {
                Ok(reader) => check.tried(reader, search, files, &mut checks.tolerated)?,
                Err(why) => Err(why.clone()),
            };
            match tried {
                Ok(command) => {
                    stage = Some(SanityStage { name: check.name, command });
                    break;
                }
                // clang comes first, and tells more.
                Err(reason) => why = why.or(Some(reason)),
            }
        }
        match stage {
            Some(stage) => checks.stages.push(stage),
            None => checks.left_out.push(LeftOutCheck {
                check,
                why: why.unwrap_or_else(|| Refusal::new("no compiler for it is known")),
            }),
        }
    }
    Ok(checks)
}

/// The reason that a check cannot be used.
#[derive(Clone, Debug, Default, Error)]
#[error("{why}")]
pub(super) struct Refusal {
    why: String,
    /// True if a sanitizer has found an error in the program.
    is_report: bool,
}

impl Refusal {
    fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_report: false }
    }

    fn of(ran: &ToolRun, compiler: &str) -> Self {
        let is_report = sanitizer_report(&ran.stderr).is_some();
        Self { why: failure(ran, compiler), is_report }
    }
}

/// A compiler that can read the program, and the options with which it does.
pub(super) struct CheckingCompiler {
    pub compiler: String,
    pub reading: String,
}

/// Finds the options with which a compiler reads the program, or the reason that it does not.
pub(super) fn reader(
    search: &BugSearch<'_>,
    files: &ProgramFiles,
    compiler: String,
    reading: &str,
) -> Result<Result<CheckingCompiler, Refusal>, CompilerBugError> {
    let is_c_for_clang = compiler.starts_with("clang") && !compiler.starts_with("clang++");
    let spellings = is_c_for_clang.then_some(SPELLINGS);
    let mut why = None;
    for more in std::iter::once("").chain(spellings) {
        let reading = format!("{reading}{more}");
        let line = format!("{compiler} {reading}-w -fsyntax-only {{file}}");
        let ran = search.shell(&format!("{compiler}: reading {}", files.main), &line, files)?;
        if ran.end == End::Exited(0) {
            return Ok(Ok(CheckingCompiler { compiler, reading }));
        }
        why = why.or_else(|| Some(Refusal::of(&ran, &compiler)));
    }
    Ok(Err(why.unwrap_or_default()))
}

impl Check {
    /// The command of the check, if the original passes it; else the reason that it does not.
    fn tried(
        &self,
        reader: &CheckingCompiler,
        search: &BugSearch<'_>,
        files: &ProgramFiles,
        tolerated: &mut Vec<String>,
    ) -> Result<Result<String, Refusal>, CompilerBugError> {
        let mut own: Vec<String> = Vec::new();
        loop {
            let command = self.command(reader, search, files, &own);
            let ran = search.shell(&format!("checking: {}", self.name), &command, files)?;
            if ran.end == End::Exited(0) {
                tolerated.extend(own);
                return Ok(Ok(command));
            }
            // The original itself may have some of the warnings.
            let all = FLAGS.iter().chain(&FLAGS_OF_C);
            let named = all.filter(|flag| command.contains(&format!("-Werror={flag} ")));
            let new: Vec<String> = named
                .filter(|flag| is_triggered(flag, &ran.stderr))
                .map(|flag| (*flag).to_owned())
                .collect();
            if new.is_empty() {
                return Ok(Err(Refusal::of(&ran, &reader.compiler)));
            }
            own.extend(new);
        }
    }

    fn command(
        &self,
        reader: &CheckingCompiler,
        search: &BugSearch<'_>,
        files: &ProgramFiles,
        tolerated: &[String],
    ) -> String {
        let CheckingCompiler { compiler, reading } = reader;
        if self.name == WARNINGS.name {
            let is_c = stems_for(&files.main).contains(&"gcc");
            let of_c = if is_c { &FLAGS_OF_C[..] } else { &[] };
            let flags = FLAGS.iter().chain(of_c);
            let flags: String = flags
                .filter(|flag| !tolerated.iter().any(|own| own == *flag))
                .map(|flag| format!("-Werror={flag} "))
                .collect();
            // gcc finds uninitialised variables only where it optimises.
            return format!(
                "{compiler} {reading}-O1 -c -Wno-everything {flags}{{file}} -o checked"
            );
        }
        let kinds = if self.name == MEMORY.name { "memory" } else { "address,undefined" };
        let libraries = search.compilation.command.libraries();
        // The program may end with a status of its own; that of a report is 99, and that of a crash is larger.
        format!(
            "{compiler} {reading}-w -g -fsanitize={kinds} -fno-sanitize-recover=all {{file}} -o checked{libraries} && \
             {{ ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99 MSAN_OPTIONS=exitcode=99 \
             ./checked >/dev/null; [ $? -lt 99 ]; }}"
        )
    }
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

impl SanityChecks {
    /// The kinds of errors that nobody looks for.
    pub(super) fn unchecked(&self) -> BTreeSet<FindingKind> {
        self.left_out.iter().flat_map(|left_out| left_out.check.kinds).copied().collect()
    }

    /// The first report of a sanitizer on the original.
    pub(super) fn invalid(&self) -> Option<String> {
        let report = self.left_out.iter().find(|left_out| left_out.why.is_report)?;
        Some(report.why.to_string())
    }

    /// Describes the missing check, for people.
    pub(super) fn warnings(&self) -> Vec<String> {
        let tolerated = (!self.tolerated.is_empty()).then(|| {
            let flags: Vec<String> =
                self.tolerated.iter().map(|flag| format!("-W{flag}")).collect();
            format!(
                "the original has warnings of {} itself, so variants may have them, too",
                flags.join(", ")
            )
        });
        let missing = self.left_out.iter().map(|LeftOutCheck { check, why }| {
            format!(
                "the check `{}` is left out, and without it the result may {}: {why}",
                check.name, check.consequence
            )
        });
        missing.chain(tolerated).collect()
    }
}

/// The reason that a check did not accept the program: a report, missing libraries, or the first error.
fn failure(ran: &ToolRun, compiler: &str) -> String {
    let is_library = |line: &&str| {
        const LIBRARIES: [&str; 5] = ["libclang_rt.", "-lasan", "-lubsan", "libasan", "libubsan"];
        line.contains("cannot find") && LIBRARIES.iter().any(|name| line.contains(name))
    };
    if ran.stderr.lines().any(|line| is_library(&line)) {
        let version = compiler.rsplit('-').next().filter(|word| word.parse::<u32>().is_ok());
        let install = SANITIZERS.install();
        // The table of tools names the newest version; the libraries must be those of this compiler.
        let install = match version.filter(|_| compiler.starts_with("clang")) {
            Some(version) => install.replace("-19-", &format!("-{version}-")),
            None => install,
        };
        return format!("the libraries of the sanitizers of {compiler} are missing ({install})");
    }
    if let Some(report) = sanitizer_report(&ran.stderr) {
        return format!("the original does not pass it: {report}");
    }
    if ran.end == End::TimedOut {
        return "it did not finish with the original in time".to_owned();
    }
    match ran.stderr.lines().find_map(clreduce_crash::first_error) {
        Some(error) => format!("{compiler} does not compile the program: error: {error}"),
        None => format!("{compiler}: {}", ran.trouble()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_belongs_to_the_flag_that_switches_it_on() {
        let messages = "x.c:1:1: error: a [-Werror,-Wsometimes-uninitialized]\n\
            x.c:2:1: error: b [-Werror,-Wdivision-by-zero]\n\
            x.c:3:1: error: c [-Werror=format=]\n";
        let triggered: Vec<&str> =
            FLAGS.into_iter().filter(|flag| is_triggered(flag, messages)).collect();
        assert_eq!(triggered, ["uninitialized", "format", "div-by-zero"]);
    }

    #[test]
    fn a_failure_has_its_true_reason() {
        let ran = |stderr: &str| {
            let end = End::Exited(1);
            failure(&ToolRun { end, stdout: String::new(), stderr: stderr.into() }, "clang-16")
        };
        let missing = "/usr/bin/ld: cannot find /usr/lib/llvm-16/lib/libclang_rt.msan-x86_64.a: No such file\n\
            clang: error: linker command failed with exit code 1";
        assert!(ran(missing).contains("libclang-rt-16-dev"), "{}", ran(missing));
        let unread =
            "x.i:1:2: warning: a\nx.i:140:48: error: '__malloc__' attribute takes no arguments\n";
        assert!(ran(unread).ends_with("error: '__malloc__' attribute takes no arguments"));
        let report =
            "==7==WARNING: MemorySanitizer: use-of-uninitialized-value\n    #0 0x1 in main\n";
        assert_eq!(
            ran(report),
            "the original does not pass it: WARNING: MemorySanitizer: use-of-uninitialized-value"
        );
    }
}
