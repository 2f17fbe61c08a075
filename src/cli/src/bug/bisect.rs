//! `clreduce bisect` says which versions of a compiler, or which devices, show a bug.

use std::process::ExitCode;

use clap::ValueHint;
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::{Cancel, TestCommand, Verdict};
use clreduce_kernel::{OutcomeClass, RunOutcome};
use clreduce_recipe::{StageVerdict, compiler_of, describe};
use clreduce_testcase::TestCase;
use clreduce_tools::{is_installed, package_of};

use super::candidate::CompilerVersion;
use super::kernel::ExpectedKernel;
use super::subject::{BugArgs, BugTest, judge, open, say};
use super::tools::version_of;
use super::versions::{VersionResult, VersionRow, page, run_all, summary};
use crate::failure::{BugError, CliError};
use crate::files::load::{Input, load};
use crate::files::report_file::ReportFile;
use crate::settings::zoo;
use crate::terminal::interrupt;

/// The arguments of `clreduce bisect`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct BisectArgs {
    #[command(flatten)]
    pub bug: BugArgs,

    #[command(flatten)]
    pub compilers: CompilerArgs,

    /// Write the versions as a page to FILE, as HTML; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<ReportFile>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// The compilers to compare.
#[derive(Debug, clap::Args)]
pub(crate) struct CompilerArgs {
    /// Compilers to try instead of the suspected one, as in 'clang-{13..19}'; also whole commands or devices
    ///
    /// {13..19} and {a,b} stand for several names. A text with a space is a whole command line, in which {file} stands
    /// for the program. If the recipe suspects a device, these are parts of the names of devices. With --zoo, the name
    /// of an installation stands for all its versions; by default, these are the versions of the suspected device.
    #[arg(long, visible_alias = "devices", value_name = "COMPILER", num_args = 1..,
        value_hint = ValueHint::CommandName)]
    pub compilers: Vec<String>,
}

const AFTER_HELP: &str = "\
Every compiler is run, in the given order: a bug may come and go. If there are more than 40, some are run \
first, and then those between two that differ.

Without --test, the program is the folder of a bug in a campaign, or a kernel with its right result in KERNEL.expected. A \
script gets a version of a zoo in its environment: what the version needs, such as OCL_ICD_VENDORS; its name in \
CLREDUCE_ZOO; and in CC the program of a compiler. If it ends with 125, as for git bisect, the version cannot tell.

Examples:
  clreduce bisect bug.c --test bug.toml --compilers 'clang-{13..19}'
  clreduce bisect campaign/bugs/pocl-3.0-wrong-result-7 --zoo zoo
  clreduce bisect kernel.cl --zoo zoo --devices intel

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
    if args.compilers.compilers.is_empty() && zoo::installations().is_empty() {
        return Err(BugError::NoCompilers.into());
    }
    if let Some(report) = &args.report {
        report.check()?;
    }
    let (case, subject) = opened(&args.bug, &cancel)?;
    let candidates = CompilerVersion::all(&args.compilers.compilers, &subject);
    if candidates.is_empty() {
        return Err(BugError::NoCompilers.into());
    }
    let rows = versions(&subject, &case, candidates, &cancel)?;
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for row in &rows {
        let version = row.version.lines().next().unwrap_or_default();
        let version = if version.is_empty() { String::new() } else { format!("  ({version})") };
        text.push_str(&format!("{:<width$}  {}{version}\n", row.name, row.words()));
    }
    text.push_str(&format!("\n{}\n", summary(&rows)));
    crate::terminal::printing::print(&text).map_err(CliError::Stdout)?;
    if let Some(report) = &args.report {
        report.write(&page(&args.bug.program, &rows))?;
    }
    let is_found = rows.iter().any(|row| row.result == Some(VersionResult::Shows));
    Ok(if is_found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The subject. Without a test, a kernel is one if its right result lies beside it.
fn opened(args: &BugArgs, cancel: &Cancel) -> Result<(TestCase, BugTest), CliError> {
    let program = &args.program;
    if args.test.is_none()
        && program.is_file()
        && let Some(kernel) = ExpectedKernel::open(program)?
    {
        let case = load(&Input::find_all(std::slice::from_ref(program))?, &[], false)?.case;
        return Ok((case, BugTest::Kernel(Box::new(kernel))));
    }
    open(args, cancel)
}

/// Runs the program with each of the compilers.
///
/// # Errors
/// When the test cannot be used with other compilers.
pub(super) fn versions(
    subject: &BugTest,
    case: &TestCase,
    candidates: Vec<CompilerVersion>,
    cancel: &Cancel,
) -> Result<Vec<VersionRow>, CliError> {
    let is_device = suspects_a_device(subject);
    let results = run_all(candidates.len(), |at| {
        let candidate = &candidates[at];
        say(&format!("{} ({} of {})", candidate.name, at + 1, candidates.len()));
        let program = compiler_of(candidate.tool()).filter(|_| !is_device);
        let result = match program.and_then(missing) {
            Some(missing) => missing,
            None => run(subject, case, candidate, cancel)?,
        };
        if cancel.is_cancelled() { Err(CliError::Interrupted) } else { Ok(result) }
    })?;
    let row = |(candidate, result): (CompilerVersion, _)| {
        let program = compiler_of(candidate.tool()).filter(|_| !is_device);
        let version = program.and_then(version_of).unwrap_or_default();
        VersionRow { name: candidate.name, version, result }
    };
    Ok(candidates.into_iter().zip(results).map(row).collect())
}

fn missing(program: &str) -> Option<VersionResult> {
    if is_installed(program) {
        return None;
    }
    let package = package_of(program);
    let how = package.map(|package| format!("; the Debian package is {package}"));
    Some(VersionResult::Missing(how.unwrap_or_default()))
}

fn suspects_a_device(subject: &BugTest) -> bool {
    match subject {
        BugTest::Recipe { test, .. } => test.suspects_a_device(),
        BugTest::Command { .. } => false,
        BugTest::Kernel(_) => true,
    }
}

fn run(
    subject: &BugTest,
    case: &TestCase,
    candidate: &CompilerVersion,
    cancel: &Cancel,
) -> Result<VersionResult, CliError> {
    // A version of ptxas is a compiler in a zoo, and a device here.
    let tool = if suspects_a_device(subject) { &candidate.name } else { candidate.tool() };
    match subject {
        BugTest::Recipe { recipe, test } => {
            let calibration = test.calibration().clone();
            let other = recipe.with_tool(&calibration.pin.accused, tool);
            Ok(match other.resume(case, calibration) {
                Ok(other) => {
                    let (verdict, outcomes) = other.outcome_of(case, cancel);
                    result_of(&verdict, outcomes.first())
                }
                Err(error) => VersionResult::Missing(format!(": {}", error.what())),
            })
        }
        BugTest::Kernel(kernel) => kernel.on(tool, cancel),
        BugTest::Command { command, options, .. } => {
            let file = case.files().first().map_or("", |file| &*file.path);
            let line = candidate.command_line(command)?.replace("{file}", file);
            let outcome = judge(&TestCommand::Shell(line), options, case, cancel)?;
            Ok(match outcome.verdict {
                Verdict::Interesting => VersionResult::Shows,
                // As for `git bisect`; and a shell did not find or start a program.
                Verdict::Uninteresting if matches!(outcome.exit_code, Some(125..=127)) => {
                    VersionResult::Unclear(outcome.reason)
                }
                Verdict::Uninteresting => VersionResult::Right(outcome.reason),
                Verdict::TimedOut | Verdict::Unresolved => VersionResult::Unclear(outcome.reason),
            })
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
