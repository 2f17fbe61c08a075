//! `clreduce report` writes a bug report about a program. The reduction by a recipe ends with the same.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ValueEnum, ValueHint};
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::Cancel;
use clreduce_kernel::RunOutcome;
use clreduce_recipe::{RecipeTest, Role};
use clreduce_report::{BugReport, ReportBlock};
use clreduce_testcase::TestCase;

use super::bisect::{CompilerArgs, versions};
use super::candidate::CompilerVersion;
use super::subject::{BugArgs, BugTest, open, say};
use super::text;
use super::versions::section;
use crate::failure::{BugError, CliError};
use crate::files::target::is_stdout;
use crate::flags::{ReducedFlags, TestWithFlags};
use crate::judge::Judge;
use crate::settings::flags::VARIABLE;
use crate::terminal::interrupt;
use crate::terminal::progress::ProgressDisplay;

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

    /// Write the report to FILE instead of standard output, which `-` names, too
    #[arg(long, short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

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
        BugTest::Recipe { test, .. } => of_recipe(test, &case, &cancel),
        BugTest::Command { command, outcome, .. } => {
            let flags = std::env::var(VARIABLE).ok();
            text::of_command(command, outcome, &case, flags.as_deref())
        }
        BugTest::Kernel(_) => return Err(BugError::NoTest(args.bug.program.clone()).into()),
    };
    let compilers = CompilerVersion::all(&args.compilers.compilers, &subject);
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
    match args.output.as_ref().filter(|path| !is_stdout(path)) {
        Some(path) => fs::write(path, text)
            .map_err(|source| CliError::Write { path: path.clone(), source })?,
        None => crate::terminal::printing::print(&text).map_err(CliError::Stdout)?,
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

/// The bug that a reduction ends with.
pub(crate) struct BugOfReduction<'a> {
    /// The test of the reduction.
    pub judge: &'a Judge,
    /// The flags that the bug needs, if they were reduced.
    pub flags: Option<&'a ReducedFlags>,
    /// The reduced program.
    pub case: &'a TestCase,
}

impl BugOfReduction<'_> {
    /// Writes a bug report in both formats. There is none on a command whose flags were not reduced, and the result of
    /// the reduction does not depend on it.
    pub(crate) fn write_beside(
        &self,
        paths: [PathBuf; 2],
        cancel: &Cancel,
        progress: &ProgressDisplay,
    ) -> Option<BugReportFile> {
        if self.flags.is_none() && !matches!(self.judge, Judge::Recipe(_)) {
            return None;
        }
        let runs =
            if self.flags.is_none() { ": each configuration runs on the result" } else { "" };
        progress.note(&format!("writing the bug report{runs}"));
        let (mut report, output) = match (self.flags.map(|flags| &flags.test), self.judge) {
            (Some(TestWithFlags::Command(command, outcome)), _) => {
                let flags = self.flags.map(|flags| flags.after.join(" "));
                let report = text::of_command(command, outcome, self.case, flags.as_deref());
                (report, String::from_utf8_lossy(&outcome.output_tail).into_owned())
            }
            (Some(TestWithFlags::Recipe(test)), _) => with_output(test, self.case, cancel)?,
            (None, Judge::Recipe(by)) => with_output(&by.test, self.case, cancel)?,
            (None, _) => return None,
        };
        if let (Some(flags), Some(notes)) = (self.flags, report.sections.last_mut()) {
            notes.blocks.push(ReportBlock::Text(flags.sentence()));
        }
        let written = write_both(paths, &report, output);
        let failed = |error: CliError| {
            progress.warning(&format!("the bug report is missing: {}", error.message()));
        };
        written.map_err(failed).ok()
    }
}

/// Writes both formats of the report on a bug that a recipe describes. Nothing is written after an interruption.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn write_beside(
    test: &RecipeTest,
    case: &TestCase,
    paths: [PathBuf; 2],
    cancel: &Cancel,
) -> Result<Option<BugReportFile>, CliError> {
    let with_output = with_output(test, case, cancel);
    with_output.map(|(report, output)| write_both(paths, &report, output)).transpose()
}

/// The report, and the output of the suspected configuration.
fn with_output(test: &RecipeTest, case: &TestCase, cancel: &Cancel) -> Option<(BugReport, String)> {
    let evidence = test.evidence(case, cancel);
    let report = text::of_recipe(test, &evidence, case);
    let suspected = evidence.iter().find(|one| one.role == Role::Suspected);
    let outcomes = suspected.into_iter().flat_map(|one| &one.outcomes);
    let output = outcomes.map(RunOutcome::details).collect();
    (!cancel.is_cancelled()).then_some((report, output))
}

fn write_both(
    paths: [PathBuf; 2],
    report: &BugReport,
    output: String,
) -> Result<BugReportFile, CliError> {
    let [markdown, plain] = &paths;
    let text = report.markdown();
    for (path, text) in [(plain, &report.plain()), (markdown, &text)] {
        let failed = |source| CliError::Write { path: path.clone(), source };
        clreduce_files::replace_with(path, |file| file.write_all(text.as_bytes()))
            .map_err(failed)?;
    }
    Ok(BugReportFile { paths, text, output })
}

fn of_recipe(test: &RecipeTest, case: &TestCase, cancel: &Cancel) -> BugReport {
    text::of_recipe(test, &test.evidence(case, cancel), case)
}
