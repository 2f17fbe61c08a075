//! `clreduce check` looks for undefined behaviour in a kernel.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueHint;
use clreduce_check::{
    CheckOptions, CheckReport, Coverage, Finding, FindingKind, KernelCheck, Order, RefutedFinding,
    Share, StageName, Validity, coverage,
};
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::Cancel;
use clreduce_kernel::ProgramKind;
use serde::Serialize;

use crate::failure::{CliError, KernelError};
use crate::kernels::launches::LaunchArgs;
use crate::settings::sandbox;
use crate::terminal::clock::Clock;
use crate::terminal::printing::{Data, error_line, json_line, printable};
use crate::terminal::quoting::quoted;
use crate::terminal::units;

/// The arguments of `clreduce check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status:\n  0  valid\n  1  invalid; each problem is printed once\n  \
    2  the command line is wrong, or the kernel cannot be read\n  3  unresolved: a tool failed, a \
    suspicion could not be confirmed, or the result depends on an order that the language leaves open\n  \
    4  invalid with the arguments that clreduce has chosen; with others, it may be valid")]
pub(crate) struct CheckArgs {
    /// Kernel in OpenCL C, or in CUDA if its name ends in .cu
    ///
    /// The first line can say how the kernel is launched, as in `// -g 4,1,1 -l 2,1,1`.
    #[arg(value_name = "KERNEL", value_hint = ValueHint::FilePath)]
    pub kernel: PathBuf,

    /// Run only these stages: compile, analyze, sanitize, simulate (for CUDA: compile, sanitize)
    #[arg(long, value_name = "STAGE", value_delimiter = ',', conflicts_with = "skip")]
    pub only: Vec<StageName>,

    /// Skip these stages
    #[arg(long, value_name = "STAGE", value_delimiter = ',')]
    pub skip: Vec<StageName>,

    /// Run the later stages even if an earlier one finds something
    #[arg(long)]
    pub all: bool,

    #[command(flatten)]
    pub launches: LaunchArgs,

    /// Run a kernel whose result the order of work-items could change in these orders too: `reverse`, or the seed of a
    /// random one [default: reverse,1,2]
    #[arg(long, value_name = "ORDER", value_delimiter = ',')]
    pub orders: Vec<Order>,

    /// Count the branches, conditions, loops and barriers that the work-items come to
    ///
    /// A line is printed for each that never happened in any launch.
    #[arg(long)]
    pub coverage: bool,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Stop a tool after TIME, in seconds or as in 500ms, 90s, 2m [default: 60s]
    ///
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    pub timeout: Option<Duration>,

    /// Use this clang [default: the newest that has sanitizers]
    #[arg(long, value_name = "CLANG", value_hint = ValueHint::CommandName)]
    pub clang: Option<PathBuf>,

    /// Options for compiling the kernel, such as -DN=4
    #[arg(last = true, value_name = "BUILD OPTIONS")]
    pub build_options: Vec<String>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// Checks a kernel and prints what was found.
///
/// # Errors
/// When the kernel or a clang is missing, or the output cannot be written.
pub(crate) fn check(args: &CheckArgs) -> Result<ExitCode, CliError> {
    let path = &args.kernel;
    let unusable = |source: KernelError| CliError::Kernel { path: path.clone(), source };
    let source = fs::read(path).map_err(|error| unusable(error.into()))?;
    let clock = Clock::start();
    let defaults = CheckOptions::default();
    let mut options = CheckOptions {
        stages: stages(&args.only, &args.skip),
        timeout: args.timeout.unwrap_or(defaults.timeout),
        build_options: args.build_options.clone(),
        clang: args.clang.clone(),
        all_stages: args.all,
        side_by_side: true,
        worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        orders: if args.orders.is_empty() { defaults.orders } else { args.orders.clone() },
        progress: clock.progress(),
        ..defaults
    };
    let cancel = Cancel::new();
    let interrupted = cancel.clone();
    ctrlc::set_handler(move || interrupted.cancel())?;
    let kind = ProgramKind::of(&path.to_string_lossy(), &source);
    let planned = args.launches.planned(path, kind, &source, &options, &cancel);
    let planned = planned.map_err(|error| unusable(error.into()))?;
    let subject = planned.subject(&source).map_err(|error| unusable(error.into()))?;
    options.build_options = planned.build.options;
    let check = KernelCheck::new(&options)?;
    let mut report = check.run(&subject, &cancel);
    report.remarks.extend(planned.build.remarks);
    report.remarks.extend(planned.remarks);
    let measured = args.coverage.then(|| {
        options.progress.at("measuring coverage");
        coverage(&subject, &options, &cancel)
    });
    drop(clock);
    let (seen, unknown) = match measured {
        None => (None, None),
        Some(Ok(seen)) => (Some(seen), None),
        Some(Err(error)) => (None, Some(error.to_string())),
    };
    let printed = if args.json {
        print_json(&report, seen.as_ref(), unknown.as_deref())
    } else {
        print(&report, seen.as_ref(), unknown.as_deref(), path)
    };
    printed.map_err(CliError::Stdout)?;
    // The help of the command explains them.
    Ok(ExitCode::from(match report.validity {
        _ if cancel.is_cancelled() => 130,
        Validity::Valid => 0,
        Validity::Invalid => 1,
        Validity::InvalidWithChosenArguments => 4,
        Validity::Unresolved => 3,
    }))
}

/// The stages that were chosen.
pub(crate) fn stages(only: &[StageName], skip: &[StageName]) -> BTreeSet<StageName> {
    let chosen = |stage: &StageName| {
        if only.is_empty() { !skip.contains(stage) } else { only.contains(stage) }
    };
    StageName::ALL.iter().copied().filter(chosen).collect()
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct JsonReport<'a> {
    #[serde(flatten)]
    report: &'a CheckReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<&'a Coverage>,
    /// The reason that coverage is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage_failure: Option<&'a str>,
}

fn print_json(
    report: &CheckReport,
    coverage: Option<&Coverage>,
    coverage_failure: Option<&str>,
) -> io::Result<()> {
    json_line(&mut Data, &JsonReport { report, coverage, coverage_failure })
}

/// Says how to give a kernel other arguments than those that clreduce chooses.
pub(crate) fn other_arguments(kernel: &Path) -> String {
    format!(
        "help: with the arguments that are meant, the kernel may be valid; describe them in {file}: `clreduce inputs {kernel}` \
         writes such a file to begin with",
        file = kernel.with_extension("args.toml").display(),
        kernel = quoted(&kernel.display().to_string())
    )
}

/// Findings go to standard output; what only explains, to standard error.
fn print(
    report: &CheckReport,
    coverage: Option<&Coverage>,
    coverage_failure: Option<&str>,
    path: &Path,
) -> io::Result<()> {
    let mut out = crate::terminal::printing::out();
    let kernel = path.display();
    if report.validity == Validity::Valid {
        print_valid(&mut out, report, coverage, path)?;
    }
    let at = |finding: &Finding| {
        let separator = if finding.line.is_some() { ":" } else { ": " };
        printable(&format!("{kernel}{separator}{finding}")).into_owned()
    };
    for finding in &report.findings {
        writeln!(out, "{}", at(finding))?;
    }
    if report.validity == Validity::InvalidWithChosenArguments {
        writeln!(out, "{kernel}: invalid with these arguments, which clreduce has chosen")?;
        error_line(&other_arguments(path));
    }
    for RefutedFinding { finding, refuted_by } in &report.refuted {
        let why = if finding.is_certain() {
            format!(
                "does not count, as `{}` sees every case of this and saw none",
                refuted_by.name()
            )
        } else {
            "not confirmed by a run".to_owned()
        };
        error_line(&format!("note: {why}: {}", at(finding)));
    }
    if let Some(coverage) = coverage {
        crate::kernels::coverage::print(coverage, &kernel.to_string())?;
    }
    if let Some(why) = coverage_failure {
        error_line(&format!("note: the coverage is not known: {}", printable(why)));
    }
    for remark in &report.remarks {
        error_line(&format!("note: {remark}"));
    }
    for failure in &report.failures {
        error_line(&format!("note: {}: {}", failure.tool, printable(&failure.message)));
    }
    print_unresolved(report);
    Ok(())
}

/// The stages that found nothing, and the parts of the kernel that did not run.
fn print_valid(
    out: &mut impl Write,
    report: &CheckReport,
    coverage: Option<&Coverage>,
    path: &Path,
) -> io::Result<()> {
    let stages: Vec<&str> = report.stages.iter().map(|(stage, _)| stage.name()).collect();
    let complete = coverage.filter(|coverage| coverage.incomplete.is_none());
    let (scope, branches) = match complete.map(|coverage| coverage.summary.branches) {
        Some(Share { covered, all }) if covered < all => {
            (" for these arguments", format!("; {} of {all} branches never ran", all - covered))
        }
        _ => ("", String::new()),
    };
    let (kernel, stages) = (path.display(), stages.join(", "));
    writeln!(out, "{kernel}: valid{scope}: nothing was found by {stages}{branches}")?;
    if !report.not_looked_for.is_empty() {
        let kinds = names(&report.not_looked_for);
        error_line(&format!("note: these were not looked for: {kinds}"));
    }
    Ok(())
}

/// The reasons why a kernel could not be checked to the end.
fn print_unresolved(report: &CheckReport) {
    if report.stages.is_empty() && report.failures.is_empty() {
        error_line("unresolved: none of the chosen stages can check such a program");
    } else if report.validity == Validity::Unresolved {
        let suspected = report.findings.iter().map(|finding| finding.kind);
        let mut kinds: BTreeSet<FindingKind> =
            report.unchecked.iter().copied().chain(suspected.clone()).collect();
        for (kind, what) in [
            (FindingKind::OrderDependence, "the order of work-items"),
            (FindingKind::EvaluationOrder, "the order in which operands are evaluated"),
        ] {
            if suspected.clone().any(|found| found == kind) {
                kinds.remove(&kind);
                error_line(&format!(
                    "unresolved: the result depends on {what}; this is legal, but no such result is wrong"
                ));
            }
        }
        if !kinds.is_empty() {
            error_line(&format!("unresolved: these could not be checked: {}", names(&kinds)));
        }
    }
}

fn names(kinds: &BTreeSet<FindingKind>) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}
