//! `clreduce report` writes a bug report about a program. The reduction by a recipe ends with the same.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ValueEnum, ValueHint};
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::Cancel;
use clreduce_kernel::RunOutcome;
use clreduce_recipe::{RecipeTest, Role};
use clreduce_report::BugReport;
use clreduce_testcase::TestCase;

use super::bisect::{CompilerArgs, versions};
use super::candidate::Candidate;
use super::subject::{BugArgs, Subject, open, say};
use super::text;
use super::versions::section;
use crate::failure::{BugError, CliError};
use crate::interrupt;

/// The arguments of `clreduce report`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub bug: BugArgs,

    #[command(flatten)]
    pub compilers: CompilerArgs,

    /// Format of the report
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ReportFormat::Markdown)]
    pub format: ReportFormat,

    /// Write the report to FILE instead of standard output
    #[arg(long, short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For GitHub, GitLab and others
    Markdown,
    /// Plain text
    Bugzilla,
}

/// Writes a bug report.
///
/// # Errors
/// When the test does not find the bug, or the report cannot be written.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    say("running the test on the program");
    let (case, subject) = open(&args.bug, &cancel)?;
    let mut report = match &subject {
        Subject::Recipe { test, .. } => of_recipe(test, &case, &cancel),
        Subject::Command { command, outcome, .. } => text::of_command(command, outcome, &case),
        Subject::Kernel(_) => return Err(BugError::NoTest(args.bug.program.clone()).into()),
    };
    let compilers = Candidate::all(&args.compilers.compilers, &subject);
    if !compilers.is_empty() {
        let rows = versions(&subject, &case, compilers, &cancel)?;
        report.sections.push(section(&rows));
    }
    if cancel.is_cancelled() {
        return Err(CliError::Interrupted);
    }
    let text = match args.format {
        ReportFormat::Markdown => report.markdown(),
        ReportFormat::Bugzilla => report.plain(),
    };
    match &args.output {
        Some(path) => fs::write(path, text)
            .map_err(|source| CliError::Write { path: path.clone(), source })?,
        None => crate::print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A bug report that was written at the end of a reduction.
pub(crate) struct BugReportFile {
    /// The files: in Markdown, and in plain text.
    pub paths: [PathBuf; 2],
    /// The text in Markdown.
    pub text: String,
    /// The output of the suspected configuration.
    pub output: String,
}

/// Writes both formats at the end of a reduction by a recipe.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn write_beside(
    test: &RecipeTest,
    case: &TestCase,
    paths: [PathBuf; 2],
    cancel: &Cancel,
) -> Result<Option<BugReportFile>, CliError> {
    let evidence = test.evidence(case, cancel);
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let report = text::of_recipe(test, &evidence, case);
    let suspected = evidence.iter().find(|one| one.role == Role::Suspected);
    let output =
        suspected.into_iter().flat_map(|one| &one.outcomes).map(RunOutcome::details).collect();
    let [markdown, plain] = &paths;
    let text = report.markdown();
    for (path, text) in [(plain, &report.plain()), (markdown, &text)] {
        let failed = |source| CliError::Write { path: path.clone(), source };
        clreduce_files::replace_with(path, |file| file.write_all(text.as_bytes()))
            .map_err(failed)?;
    }
    Ok(Some(BugReportFile { paths, text, output }))
}

fn of_recipe(test: &RecipeTest, case: &TestCase, cancel: &Cancel) -> BugReport {
    text::of_recipe(test, &test.evidence(case, cancel), case)
}
