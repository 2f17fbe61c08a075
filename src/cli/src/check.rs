//! `clreduce check` looks for undefined behaviour in a kernel.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueHint;
use clreduce_check::{
    CheckOptions, CheckReport, Finding, FindingKind, HostKernel, KernelCheck, RefutedFinding,
    StageName, Validity,
};
use clreduce_interestingness::Cancel;

use crate::clock::Clock;
use crate::failure::{CliError, KernelError};
use crate::printing::{error_line, printable};
use crate::units;

/// Exit status when nothing can be said.
const UNRESOLVED: u8 = 3;

/// The arguments of `clreduce check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status:\n  0  valid\n  1  invalid; each problem is printed once\n  \
    2  the command line is wrong, or the kernel cannot be read\n  3  unresolved: a tool failed, a \
    suspicion could not be confirmed, or the result depends on the order of work-items")]
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

    /// Run the later stages also if an earlier one finds something
    #[arg(long)]
    pub all: bool,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Stop a tool after TIME, in seconds or as in 500ms, 90s, 2m [default: 60s]
    ///
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    pub timeout: Option<Duration>,

    /// Use this clang [default: the newest of clang-19 to clang-14]
    #[arg(long, value_name = "CLANG", value_hint = ValueHint::CommandName)]
    pub clang: Option<PathBuf>,

    /// Options for compiling the kernel, such as -DN=4
    #[arg(last = true, value_name = "BUILD OPTIONS")]
    pub build_options: Vec<String>,
}

/// Checks a kernel and prints what was found.
///
/// # Errors
/// When the kernel or a clang is missing, or the output cannot be written.
pub(crate) fn check(args: &CheckArgs) -> Result<ExitCode, CliError> {
    let path = &args.kernel;
    let unusable = |source: KernelError| CliError::Kernel { path: path.clone(), source };
    let source = fs::read(path).map_err(|error| unusable(error.into()))?;
    let subject =
        HostKernel::of(&path.to_string_lossy(), source).map_err(|error| unusable(error.into()))?;
    let clock = Clock::start();
    let defaults = CheckOptions::default();
    let options = CheckOptions {
        stages: stages(&args.only, &args.skip),
        timeout: args.timeout.unwrap_or(defaults.timeout),
        build_options: args.build_options.clone(),
        clang: args.clang.clone(),
        all_stages: args.all,
        side_by_side: true,
        worker: std::env::current_exe().ok(),
        progress: clock.progress(),
        ..defaults
    };
    let cancel = Cancel::new();
    let interrupted = cancel.clone();
    ctrlc::set_handler(move || interrupted.cancel())?;
    let report = KernelCheck::new(&options)?.run(&subject, &cancel);
    drop(clock);
    print(&report, path, args.json).map_err(CliError::Stdout)?;
    Ok(ExitCode::from(match report.validity {
        _ if cancel.is_cancelled() => 130,
        Validity::Valid => 0,
        Validity::Invalid => 1,
        Validity::Unresolved => UNRESOLVED,
    }))
}

/// The stages that were chosen.
pub(crate) fn stages(only: &[StageName], skip: &[StageName]) -> BTreeSet<StageName> {
    let chosen = |stage: &StageName| {
        if only.is_empty() { !skip.contains(stage) } else { only.contains(stage) }
    };
    StageName::ALL.iter().copied().filter(chosen).collect()
}

/// Findings go to standard output; what only explains, to standard error.
fn print(report: &CheckReport, kernel: &Path, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, report)?;
        return writeln!(out);
    }
    let kernel = kernel.display();
    let names = |kinds: &BTreeSet<FindingKind>| {
        kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    };
    if report.validity == Validity::Valid {
        let stages: Vec<&str> = report.stages.iter().map(|(stage, _)| stage.name()).collect();
        writeln!(out, "{kernel}: valid: nothing was found by {}", stages.join(", "))?;
        if !report.not_looked_for.is_empty() {
            error_line(&format!(
                "note: these were not looked for: {}",
                names(&report.not_looked_for)
            ));
        }
    }
    let at = |finding: &Finding| {
        let separator = if finding.line.is_some() { ":" } else { ": " };
        printable(&format!("{kernel}{separator}{finding}")).into_owned()
    };
    for finding in &report.findings {
        writeln!(out, "{}", at(finding))?;
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
    for failure in &report.failures {
        error_line(&format!("note: {}: {}", failure.tool, printable(&failure.message)));
    }
    if report.stages.is_empty() {
        error_line("unresolved: none of the chosen stages can check a program in this language");
    } else if report.validity == Validity::Unresolved {
        let suspected = report.findings.iter().map(|finding| finding.kind);
        let mut kinds: BTreeSet<FindingKind> =
            report.unchecked.iter().copied().chain(suspected.clone()).collect();
        if suspected.into_iter().any(|kind| kind == FindingKind::OrderDependence) {
            kinds.remove(&FindingKind::OrderDependence);
            error_line(
                "unresolved: the result depends on the order of work-items; this is legal, but no such result is wrong",
            );
        }
        if !kinds.is_empty() {
            error_line(&format!("unresolved: these could not be checked: {}", names(&kinds)));
        }
    }
    Ok(())
}
