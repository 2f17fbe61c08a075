//! Checks that a program is free of undefined behaviour, for the recipe of a wrong result or of a wrong message. A check is
//! used if its tool is installed and the original passes it.

use std::collections::BTreeSet;

use clreduce_check::FindingKind;
use clreduce_kernel::RunOutcome;
use clreduce_process::{End, quoted};
use clreduce_tools::{CLANG, GCC, find_program};

use super::installed::{CheckingCompiler, checking, is_c, is_cpp, stems_for};
use super::program::ProgramFiles;
use super::reports::{UnusableCheck, printed, report_at};
use super::{BugSearch, CompilerBugError, promises, warnings};

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
    /// The results of the program under the checks that run it, with the names of these.
    results: Vec<(&'static str, String)>,
    /// Checks that are left out.
    pub left_out: Vec<LeftOutCheck>,
    /// Warnings that the original itself triggers.
    tolerated: Vec<&'static str>,
}

/// A check that is not used.
pub(super) struct LeftOutCheck {
    check: &'static Check,
    why: UnusableCheck,
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
/// A program that only old C allows is not valid for a compiler that crashes either.
static LANGUAGE: Check = Check {
    name: "language",
    kinds: &[FindingKind::NonPortable],
    consequence: "contain what only old C allows, such as functions without a declaration",
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

static THREADS: Check = Check {
    name: "threads",
    kinds: &[FindingKind::DataRace],
    consequence: "have data races",
    is_of_gcc: true,
};

/// How `init` runs it to see the place of a report: the sanitizer itself names places only where LLVM's tool for it is.
const PLACED: &str = "./checked >/dev/null 2>report; cat report >&2; \
    addr2line -e checked $(grep -o 'checked+0x[0-9a-f]*' report | sed 's/.*+//') >&2";
/// How a check runs the program in a recipe, and how `init` runs it to see its result. The program may end with a status of
/// its own; that of a report is 99, and that of a crash is larger.
const QUIETLY: &str = "./checked >/dev/null; [ $? -lt 99 ]";
const VALGRIND: &str = "valgrind";
const ALOUD: &str = "./checked; s=$?; echo; echo \"exit status $s\"; [ $s -lt 99 ]";
/// Options with which clang reads the headers of glibc as they are for gcc: what they contain for gcc alone, clang spells
/// in another way.
pub(super) const SPELLINGS: &str = "-x c '-D__malloc__(...)=__malloc__' -D_Float32=float -D_Float64=double \
    -D_Float32x=double '-D_Float64x=long double' -D_Float128=__float128 ";

/// The checks that the recipe for an answer to the question needs. A program that is not run may have errors that only a
/// run shows.
pub(super) fn wanted(search: &BugSearch<'_>, observed: &RunOutcome) -> Vec<&'static Check> {
    let BugSearch { query, compilation, .. } = search;
    // The commands are for a POSIX shell.
    if cfg!(windows) {
        Vec::new()
    } else if query.run && promises::starts_threads(&compilation.source) {
        vec![&WARNINGS, &ADDRESS_AND_UNDEFINED, &MEMORY, &THREADS]
    } else if query.run {
        vec![&WARNINGS, &ADDRESS_AND_UNDEFINED, &MEMORY]
    } else if query.message.is_some() {
        vec![&WARNINGS]
    } else if matches!(observed, RunOutcome::BuildCrash(_)) && is_c(&compilation.name) {
        vec![&LANGUAGE]
    } else {
        Vec::new()
    }
}

/// Finds the checks that the original passes.
pub(super) fn checks(
    search: &BugSearch<'_>,
    files: &ProgramFiles,
    reading: &str,
    observed: &RunOutcome,
) -> Result<SanityChecks, CompilerBugError> {
    let mut checks = SanityChecks::default();
    let wanted = wanted(search, observed);
    if wanted.is_empty() {
        return Ok(checks);
    }
    let stems = stems_for(&files.main);
    let mut readers = Vec::new();
    for (index, stem) in stems.iter().enumerate() {
        readers.push(match checking(stem) {
            Some(compiler) => reader(search, files, compiler, reading)?,
            None => {
                let tool = if index == 0 { &CLANG } else { &GCC };
                Err(UnusableCheck::new(format!("{stem} is not installed ({})", tool.install())))
            }
        });
    }
    let there: Vec<&CheckingCompiler> = readers.iter().flatten().collect();
    for check in wanted {
        // clang comes first, and tells more. Each compiler has warnings that the other one lacks.
        let mut groups: Vec<&[&CheckingCompiler]> = Vec::new();
        if !check.is_run() && there.len() > 1 {
            groups.push(&there);
        }
        let alone = if check.is_of_gcc { &there[..] } else { of_first(&readers, &there) };
        groups.extend(alone.chunks(1));
        let mut why = readers.iter().find_map(|reader| reader.as_ref().err()).cloned();
        let mut is_found = false;
        for (index, group) in groups.into_iter().enumerate() {
            match check.tried(group, search, files, &mut checks)? {
                Ok(command) => {
                    checks.stages.push(SanityStage { name: check.name, command });
                    is_found = true;
                    break;
                }
                // One may overlook what another finds.
                Err(reason) if reason.is_report => {
                    why = Some(reason);
                    break;
                }
                Err(reason) if index == 0 && readers[0].is_ok() => why = Some(reason),
                Err(reason) => why = why.or(Some(reason)),
            }
        }
        // Nothing that a crash says depends on it.
        if !is_found && check.name != LANGUAGE.name {
            let why = why.unwrap_or_else(|| UnusableCheck::new("no compiler for it is known"));
            checks.left_out.push(LeftOutCheck { check, why });
        }
    }
    Ok(checks)
}

/// The first compiler, if it reads the program.
fn of_first<'a>(
    readers: &[Result<CheckingCompiler, UnusableCheck>],
    there: &'a [&'a CheckingCompiler],
) -> &'a [&'a CheckingCompiler] {
    let is_there = readers.first().is_some_and(Result::is_ok);
    &there[..usize::from(is_there)]
}

/// Finds the options with which a compiler reads the program, or the reason that it does not.
pub(super) fn reader(
    search: &BugSearch<'_>,
    files: &ProgramFiles,
    compiler: String,
    reading: &str,
) -> Result<Result<CheckingCompiler, UnusableCheck>, CompilerBugError> {
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
        why = why.or_else(|| Some(UnusableCheck::of(&ran, &compiler)));
    }
    Ok(Err(why.unwrap_or_default()))
}

impl Check {
    /// The command of the check, if the original passes it; else the reason that it does not.
    fn tried(
        &self,
        readers: &[&CheckingCompiler],
        search: &BugSearch<'_>,
        files: &ProgramFiles,
        checks: &mut SanityChecks,
    ) -> Result<Result<String, UnusableCheck>, CompilerBugError> {
        let [reader, ..] = readers else { return Ok(Err(UnusableCheck::default())) };
        let mut own: Vec<&str> = Vec::new();
        loop {
            let command = match self.name {
                name if name == LANGUAGE.name => warnings::of_language(readers, &own),
                name if name == WARNINGS.name => warnings::command(readers, &files.main, &own),
                _ => self.command(reader, search),
            };
            let aloud = command.replace(QUIETLY, ALOUD);
            let ran = search.shell(&format!("checking: {}", self.name), &aloud, files)?;
            if ran.end == End::Exited(0) {
                checks.tolerated.extend(own);
                if self.is_run() {
                    checks.results.push((self.name, printed(&ran.stdout)));
                }
                return Ok(Ok(command));
            }
            // The original itself may have some of the warnings.
            let new = warnings::triggered(&command, &ran.stderr);
            if new.is_empty() {
                let mut refusal = UnusableCheck::of(&ran, &reader.compiler);
                if refusal.is_report && self.name == MEMORY.name && is_cpp(&files.main) {
                    refusal.is_report = self.is_confirmed(reader, search, files)?;
                }
                if refusal.is_report {
                    refusal.why = self.located(reader, search, files)?.unwrap_or(refusal.why);
                }
                return Ok(Err(refusal));
            }
            own.extend(new);
        }
    }

    /// Returns true if it runs the program.
    fn is_run(&self) -> bool {
        ![WARNINGS.name, LANGUAGE.name].contains(&self.name)
    }

    /// The report on the source of the person, with its place there; `None` if it is not the one on the program.
    fn located(
        &self,
        reader: &CheckingCompiler,
        search: &BugSearch<'_>,
        files: &ProgramFiles,
    ) -> Result<Option<String>, CompilerBugError> {
        let command = &search.compilation.command;
        let reader = CheckingCompiler {
            compiler: reader.compiler.clone(),
            reading: command.reading(search.compilation.preprocessed),
        };
        let source = quoted(command.source().as_os_str());
        let line = self.command(&reader, search).replace("{file}", &source);
        let line = line.replace(QUIETLY, PLACED);
        let ran = search.shell("looking for the place of the report", &line, files)?;
        Ok(report_at(&ran.stderr, command.source()))
    }

    /// Returns true if valgrind finds garbage as well. The library of C++ is not compiled for the sanitizer, which takes what it
    /// writes for garbage.
    fn is_confirmed(
        &self,
        reader: &CheckingCompiler,
        search: &BugSearch<'_>,
        files: &ProgramFiles,
    ) -> Result<bool, CompilerBugError> {
        if find_program(VALGRIND).is_none() {
            return Ok(false);
        }
        let CheckingCompiler { compiler, reading } = reader;
        let libraries = search.compilation.command.libraries();
        let line = format!(
            "{compiler} {reading}-w -g -O0 {{file}} -o checked{libraries} && {{ {VALGRIND} -q --error-exitcode=99 ./checked \
             >/dev/null; [ $? -eq 99 ]; }}"
        );
        let ran = search.shell("valgrind: looking for uninitialised values", &line, files)?;
        Ok(ran.end == End::Exited(0))
    }

    fn command(&self, reader: &CheckingCompiler, search: &BugSearch<'_>) -> String {
        let CheckingCompiler { compiler, reading } = reader;
        let kinds = match self.name {
            name if name == MEMORY.name => "memory",
            name if name == THREADS.name => "thread",
            _ => "address,undefined",
        };
        let libraries = search.compilation.command.libraries();
        format!(
            "{compiler} {reading}-w -g -fsanitize={kinds} -fno-sanitize-recover=all {{file}} -o checked{libraries} && \
             {{ ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99 MSAN_OPTIONS=exitcode=99 \
             TSAN_OPTIONS=exitcode=99 {QUIETLY}; }}"
        )
    }
}

impl SanityChecks {
    /// The kinds of errors that no check looks for.
    pub(super) fn unchecked(&self) -> BTreeSet<FindingKind> {
        self.left_out.iter().flat_map(|left_out| left_out.check.kinds).copied().collect()
    }

    /// The first report of a sanitizer on the original, with the kinds of errors that the check looks for.
    pub(super) fn invalid(&self) -> Option<(&'static [FindingKind], &str)> {
        let report = self.left_out.iter().find(|left_out| left_out.why.is_report)?;
        Some((report.check.kinds, &report.why.why))
    }

    /// Returns true if a check looks for this kind of errors, and the original has none.
    pub(super) fn has_none_of(&self, kind: FindingKind) -> bool {
        let finds = |check: &&Check| check.kinds.contains(&kind);
        let checks = [&WARNINGS, &ADDRESS_AND_UNDEFINED, &MEMORY, &THREADS].into_iter();
        checks.filter(finds).any(|check| self.stages.iter().any(|one| one.name == check.name))
    }

    /// The first check under which the program has another result than this one, and that result.
    pub(super) fn other_result(&self, right: &str) -> Option<(&'static str, &str)> {
        let other = self.results.iter().find(|(_, result)| result != right)?;
        Some((other.0, &other.1))
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
            let fails = if why.is_report { "the original does not pass it: " } else { "" };
            format!(
                "the check `{}` is left out, and without it the result may {}: {fails}{why}",
                check.name, check.consequence
            )
        });
        missing.chain(tolerated).collect()
    }
}
