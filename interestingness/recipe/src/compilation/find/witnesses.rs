//! Witnesses against a compiler: other commands that handle the program as they should. They keep the program valid while
//! it is reduced.

use std::time::Duration;

use clreduce_kernel::RunOutcome;

use super::forms::ProgramForm;
use super::installed::{other_compilers, other_versions, stems_for};
use super::sanity::{self, CheckingCompiler};
use super::{BugSearch, CompilerBugError, CompilerRun};
use crate::compilation::command::Form;
use crate::suspect::with_compiler;

/// The time limit of a witness, where the person has not said when a compiler hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs the commands of the person, or else those that usually witness, until there are enough.
pub(super) fn run(
    search: &mut BugSearch<'_>,
    program: &ProgramForm,
    own: &CompilerRun,
) -> Result<Vec<CompilerRun>, CompilerBugError> {
    let wanted = match own.outcome {
        _ if !search.query.also.is_empty() => usize::MAX,
        // A majority is needed to tell what is right.
        RunOutcome::Results(_) | RunOutcome::RunCrash(_) => 2,
        RunOutcome::Built => 0,
        _ => 1,
    };
    let mut tried: Vec<CompilerRun> = Vec::new();
    let mut good = 0;
    let limit = search.query.timeout.unwrap_or(LIMIT);
    let action = action(search, program, own, limit)?;
    for Witness { name, build } in lines(search, program, own, action) {
        if good >= wanted {
            break;
        }
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
        let one = search.run(&name, build, &program.files, limit)?;
        good += usize::from(matches!(one.outcome, RunOutcome::Built | RunOutcome::Results(_)));
        tried.push(one);
    }
    Ok(tried)
}

/// What other compilers do with the program: as much as the suspected one did when it failed, so that they speak for the
/// program as far as that.
fn action(
    search: &BugSearch<'_>,
    program: &ProgramForm,
    own: &CompilerRun,
    limit: Duration,
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
        let (preprocessed, more) = (program.preprocessed, &program.more[..]);
        let build =
            program.command.reading_only().line(Form { preprocessed, more, ..Form::RECIPE });
        let read = search.run(&own.name, build, &program.files, limit)?;
        if search.is_same(&own.outcome, &read.outcome) {
            return Ok(READ);
        }
    }
    Ok("-c -o output")
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

/// The possible witnesses, the best one first.
fn lines(
    search: &BugSearch<'_>,
    program: &ProgramForm,
    own: &CompilerRun,
    action: &'static str,
) -> Vec<Witness> {
    let (command, preprocessed) = (&program.command, program.preprocessed);
    let form = Form { preprocessed, ..Form::RECIPE };
    let line = |name: String, line: String| Witness { name, build: WitnessBuild::Line(line) };
    if !program.also.is_empty() {
        let also = program.also.iter();
        return also.map(|command| line(command.short_name(None), command.line(form))).collect();
    }
    let mut lines = Vec::new();
    if !search.more.is_empty() {
        // The program without the message is valid for the compiler itself.
        lines.push(line(format!("{} without -Werror", own.name), command.line(form)));
    }
    let plain = command.optimises().then(|| {
        let level = Some("-O0");
        line(command.short_name(level), command.line(Form { optimisation: level, ..form }))
    });
    let libraries = if search.query.run { command.libraries() } else { String::new() };
    let reading = command.reading(preprocessed);
    // Of a language that no other family of compilers reads, other versions have the same options.
    let versions = match stems_for(&search.compilation.name) {
        [] => other_versions(command.compiler()),
        _ => Vec::new(),
    };
    let versions = versions
        .into_iter()
        .map(|name| line(name.clone(), with_compiler(&command.line(form), &name)));
    let others = other_compilers(command.compiler(), &search.compilation.name);
    let others = others.map(|name| {
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
