//! Witnesses against a compiler: other commands that handle the program as they should. They keep the program valid while
//! it is reduced.

use std::time::Duration;

use clreduce_kernel::RunOutcome;
use clreduce_process::quoted;

use super::forms::ProgramForm;
use super::installed::{CheckingCompiler, family, other_compilers, other_versions, stems_for};
use super::sanity;
use super::{BugSearch, CompilerBugError, CompilerRun};
use crate::compilation::command::LineOptions;
use crate::suspect::with_compiler;

/// The time limit of a witness, where the person has not said when a compiler hangs.
const LIMIT: Duration = Duration::from_secs(60);

fn limit_of(search: &BugSearch<'_>) -> Duration {
    search.query.timeout.unwrap_or(LIMIT)
}

/// Runs those that usually witness, until there are enough.
pub(super) fn run(
    search: &mut BugSearch<'_>,
    program: &ProgramForm,
    own: &CompilerRun,
) -> Result<Vec<CompilerRun>, CompilerBugError> {
    let wanted = match own.outcome {
        // A majority is needed to tell what is right.
        RunOutcome::Results(_) | RunOutcome::RunCrash(_) | RunOutcome::RunTimeout => 2,
        RunOutcome::Built => 0,
        _ => 1,
    };
    let mut tried: Vec<CompilerRun> = Vec::new();
    let mut good = 0;
    let action = action(search, program, own)?;
    for witness in usual(search, program, own, action, false) {
        if good >= wanted {
            break;
        }
        let one = run_one(search, program, (own, &tried), witness)?;
        good += usize::from(matches!(one.outcome, RunOutcome::Built | RunOutcome::Results(_)));
        tried.push(one);
    }
    Ok(tried)
}

/// The work of other compilers on the program: as much as the suspected one did when it failed, so that they speak for the
/// program as far as that.
fn action(
    search: &BugSearch<'_>,
    program: &ProgramForm,
    own: &CompilerRun,
) -> Result<&'static str, CompilerBugError> {
    const READ: &str = "-fsyntax-only";
    if search.query.run {
        return Ok("-O0 -o output");
    }
    let has_failed =
        matches!(own.outcome, RunOutcome::BuildCrash(_) | RunOutcome::BuildFailure { .. });
    if program.command.mode() == Some(READ) || matches!(own.outcome, RunOutcome::Built) {
        return Ok(READ);
    }
    if has_failed && program.also.is_empty() {
        let preprocessed = program.preprocessed;
        let more: Vec<String> = program.more.iter().chain(&program.headers).cloned().collect();
        let build = program.command.reading_only().line(LineOptions {
            preprocessed,
            more: &more,
            ..LineOptions::RECIPE
        });
        let read = search.run(&own.name, build, &program.files, limit_of(search))?;
        if search.is_same(&own.outcome, &read.outcome) {
            return Ok(READ);
        }
    }
    Ok("-c -o output")
}

/// Runs those that usually witness and have not been heard, one after the other, until it is decided who is right.
pub(super) fn run_more(
    search: &mut BugSearch<'_>,
    program: &ProgramForm,
    accused: &CompilerRun,
    heard: &mut Vec<CompilerRun>,
    is_decided: impl Fn(&[CompilerRun]) -> bool,
) -> Result<(), CompilerBugError> {
    let action = action(search, program, accused)?;
    for witness in usual(search, program, accused, action, true) {
        if is_decided(heard) {
            break;
        }
        let is_known = |one: &CompilerRun| match &witness.build {
            WitnessBuild::Line(line) => one.build == *line,
            WitnessBuild::By { .. } => one.compiler() == witness.name,
        };
        if !heard.iter().any(is_known) && !is_known(accused) {
            let one = run_one(search, program, (accused, heard), witness)?;
            heard.push(one);
        }
    }
    Ok(())
}

/// Another version of the accused that does not print the message in question. Where it stays silent, the message stays wrong.
pub(super) fn silent(
    search: &BugSearch<'_>,
    program: &ProgramForm,
    accused: &CompilerRun,
) -> Result<Option<CompilerRun>, CompilerBugError> {
    let limit = limit_of(search);
    let others = other_compilers(accused.compiler(), &search.compilation.name);
    let own = family(accused.compiler());
    for other in others.filter(|other| family(other) == own) {
        let build = with_compiler(&accused.build, &other);
        let ran = search.run(&other, build, &program.files, limit)?;
        if matches!(ran.outcome, RunOutcome::Built) {
            return Ok(Some(ran));
        }
    }
    Ok(None)
}

fn run_one(
    search: &BugSearch<'_>,
    program: &ProgramForm,
    (own, tried): (&CompilerRun, &[CompilerRun]),
    Witness { name, build }: Witness,
) -> Result<CompilerRun, CompilerBugError> {
    let build = match build {
        WitnessBuild::Line(line) => line,
        WitnessBuild::By { reading, action, libraries } => {
            let read = sanity::reader(search, &program.files, name.clone(), &reading)?;
            // If it cannot read the program, it says so.
            let reading = read.map_or(reading, |CheckingCompiler { reading, .. }| reading);
            format!("{name} {reading}-w {action} {{file}}{libraries}")
        }
    };
    let same = |one: &CompilerRun| one.name == name;
    let name = if own.name == name || tried.iter().any(same) { build.clone() } else { name };
    search.run(&name, build, &program.files, limit_of(search))
}

/// A possible witness.
struct Witness {
    name: String,
    build: WitnessBuild,
}

/// The command of a witness.
enum WitnessBuild {
    Line(String),
    /// The command of another compiler, which may need options to read the program.
    By {
        reading: String,
        action: &'static str,
        libraries: String,
    },
}

/// The name and the line of the same compiler without optimisation; with it, if the command has none and `optimised` is
/// set.
fn other_level(
    program: &ProgramForm,
    form: LineOptions<'_>,
    optimised: bool,
) -> Option<(String, String)> {
    let command = &program.command;
    if command.optimises() {
        let level = Some("-O0");
        let build = command.line(LineOptions { optimisation: level, ..form });
        return Some((command.short_name(level), build));
    }
    let more: Vec<String> = program.headers.iter().cloned().chain(["-O2".to_owned()]).collect();
    let name = format!("{} -O2", command.short_name(None));
    optimised.then(|| (name, command.line(LineOptions { more: &more, ..form })))
}

/// The possible witnesses, the best one first; with `optimised`, a command without optimisation has one with it as well.
fn usual(
    search: &BugSearch<'_>,
    program: &ProgramForm,
    own: &CompilerRun,
    action: &'static str,
    optimised: bool,
) -> Vec<Witness> {
    let (command, preprocessed) = (&program.command, program.preprocessed);
    let form = LineOptions { preprocessed, more: &program.headers, ..LineOptions::RECIPE };
    let line = |name: String, line: String| Witness { name, build: WitnessBuild::Line(line) };
    let mut lines = Vec::new();
    if !search.more.is_empty() {
        // The program without the message is valid for the compiler itself.
        lines.push(line(format!("{} without -Werror", own.name), command.line(form)));
    }
    let plain = other_level(program, form, optimised).map(|(name, build)| line(name, build));
    let libraries = if search.query.run { command.libraries() } else { String::new() };
    let headers = program.headers.iter().map(|word| format!("{} ", quoted(word.as_ref())));
    let reading = format!("{}{}", command.reading(preprocessed), headers.collect::<String>());
    // Of a language that no other family of compilers reads, other versions have the same options.
    let versions = match stems_for(&search.compilation.name) {
        [] => other_versions(command.compiler()),
        _ => Vec::new(),
    };
    let versions = versions
        .into_iter()
        .map(|name| line(name.clone(), with_compiler(&command.line(form), &name)));
    let mut others: Vec<String> =
        other_compilers(own.compiler(), &search.compilation.name).collect();
    if search.query.run {
        // Versions of one compiler share what they make of a program.
        others.sort_by_key(|name| family(name) == family(own.compiler()));
    }
    let is_version = |name: &str| search.query.run && family(name) == family(own.compiler());
    let others = others.into_iter().map(|name| {
        // Another version reads all options, also those that another family does not know.
        if is_version(&name) {
            let build = command.line(LineOptions { optimisation: Some("-O0"), ..form });
            return line(name.clone(), with_compiler(&build, &name));
        }
        let (reading, libraries) = (reading.clone(), libraries.clone());
        Witness { name, build: WitnessBuild::By { reading, action, libraries } }
    });
    match own.outcome {
        // Only a compilation to the end takes a time that can be compared. Wrong code is the optimiser's.
        RunOutcome::BuildTimeout
        | RunOutcome::Results(_)
        | RunOutcome::RunCrash(_)
        | RunOutcome::RunTimeout => {
            lines.extend(plain.into_iter().chain(others).chain(versions));
        }
        _ => lines.extend(others.chain(versions).chain(plain)),
    }
    lines
}
