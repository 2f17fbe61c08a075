//! `clreduce bisect` says which versions of a compiler, or which devices, show a bug.

use std::process::ExitCode;

use clap::ValueHint;
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::{Cancel, TestCommand, Verdict};
use clreduce_kernel::{OutcomeClass, RunOutcome};
use clreduce_recipe::{StageVerdict, compiler_of, describe, with_compiler};
use clreduce_testcase::TestCase;
use clreduce_tools::{is_installed, package_of};

use super::subject::{BugArgs, Subject, judge, open, say};
use super::tools::version_of;
use super::versions::{VersionResult, VersionRow, expanded, run_all, summary};
use crate::failure::{BugError, CliError};
use crate::interrupt;

/// The arguments of `clreduce bisect`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct BisectArgs {
    #[command(flatten)]
    pub bug: BugArgs,

    #[command(flatten)]
    pub compilers: CompilerArgs,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// The compilers to compare.
#[derive(Debug, clap::Args)]
pub(crate) struct CompilerArgs {
    /// Compilers to try in the place of the suspected one, as in 'clang-{13..19}'; also whole commands or devices
    ///
    /// {13..19} and {a,b} stand for several names. A text with a space is a whole command line, in which {file} stands
    /// for the program. If the recipe suspects a device, these are parts of the names of devices.
    #[arg(long, visible_alias = "devices", value_name = "COMPILER", num_args = 1..,
        value_hint = ValueHint::CommandName)]
    pub compilers: Vec<String>,
}

const AFTER_HELP: &str = "\
Every compiler is run, in the given order: a bug may come and go. If there are more than 40, some are run \
first, and then those between two that differ.

Exit status:
  0    at least one compiler shows the bug
  1    none shows it, or the test cannot be used
  2    the command line is wrong
  130  interrupted";

/// Prints which compilers show the bug.
///
/// # Errors
/// When the test does not find the bug, or cannot be used with other compilers.
pub(crate) fn bisect(args: &BisectArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    if args.compilers.compilers.is_empty() {
        return Err(BugError::NoCompilers.into());
    }
    let (case, subject) = open(&args.bug, &cancel)?;
    let rows = versions(&subject, &case, &args.compilers.compilers, &cancel)?;
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for row in &rows {
        let version = row.version.lines().next().unwrap_or_default();
        let version = if version.is_empty() { String::new() } else { format!("  ({version})") };
        text.push_str(&format!("{:<width$}  {}{version}\n", row.name, row.words()));
    }
    text.push_str(&format!("\n{}\n", summary(&rows)));
    crate::print(&text)?;
    let is_found = rows.iter().any(|row| row.result == Some(VersionResult::Shows));
    Ok(if is_found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the program with each of the compilers.
///
/// # Errors
/// When the test cannot be used with other compilers.
pub(super) fn versions(
    subject: &Subject,
    case: &TestCase,
    compilers: &[String],
    cancel: &Cancel,
) -> Result<Vec<VersionRow>, CliError> {
    let names: Vec<String> = compilers.iter().flat_map(|text| expanded(text)).collect();
    let is_device = suspects_a_device(subject);
    let results = run_all(names.len(), |at| {
        let name = &names[at];
        say(&format!("{name} ({} of {})", at + 1, names.len()));
        let missing = if is_device { None } else { compiler_of(name).and_then(missing) };
        let result = match missing {
            Some(missing) => missing,
            None => run(subject, case, name, cancel)?,
        };
        if cancel.is_cancelled() { Err(CliError::Interrupted) } else { Ok(result) }
    })?;
    let row = |(name, result): (String, _)| {
        let program = compiler_of(&name).filter(|_| !is_device);
        let version = program.and_then(version_of).unwrap_or_default();
        VersionRow { name, version, result }
    };
    Ok(names.into_iter().zip(results).map(row).collect())
}

fn missing(program: &str) -> Option<VersionResult> {
    if is_installed(program) {
        return None;
    }
    let package = package_of(program);
    let how = package.map(|package| format!("; the Debian package is {package}"));
    Some(VersionResult::Missing(how.unwrap_or_default()))
}

fn suspects_a_device(subject: &Subject) -> bool {
    match subject {
        Subject::Recipe { test, .. } => test.suspects_a_device(),
        Subject::Command { .. } => false,
    }
}

fn run(
    subject: &Subject,
    case: &TestCase,
    name: &str,
    cancel: &Cancel,
) -> Result<VersionResult, CliError> {
    match subject {
        Subject::Recipe { recipe, test } => {
            let calibration = test.calibration().clone();
            let other = recipe.with_tool(&calibration.pin.accused, name);
            Ok(match other.resume(case, calibration) {
                Ok(other) => {
                    let (verdict, outcomes) = other.outcome_of(case, cancel);
                    result_of(&verdict, outcomes.first())
                }
                Err(error) => VersionResult::Missing(format!(": {}", error.what())),
            })
        }
        Subject::Command { command: TestCommand::Shell(line), options, .. } => {
            let file = case.files().first().map_or("", |file| &*file.path);
            let line = with_compiler(line, name).replace("{file}", file);
            let outcome = judge(&TestCommand::Shell(line), options, case, cancel)?;
            Ok(match outcome.verdict {
                Verdict::Interesting => VersionResult::Shows,
                Verdict::Uninteresting => VersionResult::Right(outcome.reason),
                Verdict::TimedOut | Verdict::Unresolved => VersionResult::Unclear(outcome.reason),
            })
        }
        Subject::Command { command: TestCommand::Program { path, .. }, .. } => {
            Err(BugError::Script(path.clone()).into())
        }
    }
}

/// Sorts the outcome of another compiler. The verdict says whether it is the pinned one.
fn result_of(verdict: &StageVerdict, outcome: Option<&RunOutcome>) -> VersionResult {
    if *verdict == StageVerdict::Passes {
        return VersionResult::Shows;
    }
    let Some(outcome) = outcome else {
        return VersionResult::Unclear("no outcome".to_owned());
    };
    match (outcome.class(), verdict) {
        // The witnesses no longer agree with each other.
        (OutcomeClass::Result, StageVerdict::Slipped(why) | StageVerdict::Unresolved(why)) => {
            VersionResult::Unclear(why.clone())
        }
        (OutcomeClass::Result | OutcomeClass::Built, _) => VersionResult::Right(describe(outcome)),
        _ => VersionResult::Unclear(describe(outcome)),
    }
}
