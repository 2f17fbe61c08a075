//! `clreduce run` is a host program for kernels: it runs one on a device, and prints the result.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueHint;
use clreduce_check::{CheckOptions, Coverage, HostKernel, HostKernelError};
use clreduce_devices::DeviceWorker;
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::Cancel;
use clreduce_kernel::{
    GROUP_ORDERS, KernelRun, OutcomeClass, Output, ProgramKind, RunLimits, RunReport, describe,
};
use clreduce_testcase::ContentHash;
use serde::Serialize;

use crate::failure::{CliError, RunError};
use crate::kernels::coverage;
use crate::kernels::devices::{DeviceArgs, choose, worker_options};
use crate::kernels::expected;
use crate::kernels::launches::{LaunchArgs, PlannedKernel};
use crate::kernels::orders::{self, OrdersTried};
use crate::settings::sandbox;
use crate::terminal::clock::Clock;
use crate::terminal::printing::{Data, data, error_line, json_line, out, printable};
use crate::terminal::units;

/// The arguments of `clreduce run`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = RUN_HELP)]
pub(crate) struct RunArgs {
    /// Kernel to run
    #[arg(value_name = "KERNEL", value_hint = ValueHint::FilePath)]
    pub kernel: PathBuf,

    #[command(flatten)]
    pub device: DeviceArgs,

    /// Build without optimisation (-cl-opt-disable; for CUDA -G)
    #[arg(long)]
    pub no_opt: bool,

    #[command(flatten)]
    pub launches: LaunchArgs,

    /// Print the arguments as a file KERNEL.args.toml has them, and do not run the kernel
    #[arg(long)]
    pub show_arguments: bool,

    /// Count the branches, conditions, loops and barriers that the work-items of all launches come to; only on the host
    #[arg(long)]
    pub coverage: bool,

    /// Run the kernel N times, and report results that differ as an unstable result
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,

    /// Run the kernel in N other orders of its groups, and report a result that depends on the order as an unstable result
    ///
    /// The device gives a group the number of another one, so that this works on each device. `clreduce check --orders`
    /// also changes the order of the work-items of a group, on the host.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
        value_parser = clap::value_parser!(u32).range(0..=i64::from(GROUP_ORDERS)))]
    pub orders: u32,

    /// Stop building after TIME, and running after the same TIME: seconds, or as in 500ms, 90s, 2m
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration, default_value = "60s")]
    pub timeout: Duration,

    /// Print the outcome as one line of JSON
    #[arg(long)]
    pub json: bool,

    /// More options for the compiler of the device; -w is always given
    #[arg(last = true, value_name = "BUILD OPTIONS", allow_hyphen_values = true)]
    pub build_options: Vec<String>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

const RUN_HELP: &str = "\
The arguments of the kernel come from its launch comment (as CLsmith writes it), from the file that --args \
names, or from its prototype. In the last case clreduce runs the kernel with n = 1 and n = 2048 work-items; \
each buffer has n elements with the values 1 to n, and each number is n. Where the kernel reaches beyond its buffers, \
crashes or does not end with them, clreduce looks for larger buffers and other numbers by runs on the host; \
--show-arguments prints what it has chosen. A file that ends in .cu is CUDA: \
NVRTC compiles bare kernels, and nvcc a program with `main`, whose result is its output.

If a file KERNEL.expected lies beside the kernel, as `clreduce generate` writes it, the result is compared with it.

Exit status:
  0   result: the numbers of each buffer are on standard output
  1   the kernel cannot be read, or its arguments cannot be determined
  2   the command line is wrong, or there is no such device
  3   unresolved: the device or its driver does not work
  10  build failure        20  the driver failed to run it
  11  build crash          21  run crash
  12  build timeout        22  run timeout
  13  built, but not run   23  the repetitions, or orders of groups, gave different results
                           24  the result is not the one in KERNEL.expected";

/// Runs a kernel and prints what became of it.
///
/// # Errors
/// When the kernel cannot be run at all.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, CliError> {
    let source = read(&args.kernel)?;
    // The file is about the launch in the kernel, not about the launches of named files.
    let own = args.launches.args.is_empty();
    let expected = if own { expected::read(&args.kernel)? } else { None };
    let kind = ProgramKind::of(&args.kernel.to_string_lossy(), &source);
    let options = worker_options()?;
    let clock = Clock::start();
    let checks = CheckOptions { progress: clock.progress(), ..check_options(args) };
    let planned = args.launches.planned(&args.kernel, kind, &source, &checks, &Cancel::new());
    let planned = planned.map_err(RunError::from)?;
    if args.show_arguments {
        drop(clock);
        return show_arguments(args, &planned, &source);
    }
    let subject = planned.subject(&source);
    let build = planned.build;
    let plan =
        planned.plan.map_err(|source| RunError::Plan { path: args.kernel.clone(), source })?;
    clock.progress().at("looking for devices");
    let device = choose(&args.device, kind, &options).map_err(RunError::NoDevice)?;
    if args.coverage && device.backend.name() != "host" {
        return Err(RunError::NotTheHost.into());
    }
    let run = KernelRun {
        source,
        options: device_options(args, kind, &build.options),
        launches: plan.launches,
        repeat: args.repeat,
    };
    let mut worker = DeviceWorker::new(options, device);
    let name = format!("{}: {}", worker.device().facts.platform, worker.device().facts.name);
    clock.progress().at(&format!("{name}: building and running {}", args.kernel.display()));
    let limits = RunLimits { build: args.timeout, run: args.timeout };
    let report = worker.run(&run, limits, &Cancel::new());
    let orders = report.outcome.result().filter(|_| args.orders > 0).map(|result| {
        clock
            .progress()
            .at(&format!("{name}: {} in other orders of groups", args.kernel.display()));
        orders::tried(args.orders, kind, &run, result, |run| {
            worker.run(run, limits, &Cancel::new()).outcome
        })
    });
    let seen = args.coverage.then(|| {
        clock.progress().at(&format!("measuring the coverage of {}", args.kernel.display()));
        measured(args, subject, &run, build.options)
    });
    drop(clock);
    print_notes(&build.remarks);
    let (seen, orders) = (seen.transpose()?, orders.transpose()?);
    let note = plan.compile_only.map(|parameter| parameter.to_string()).unwrap_or_default();
    finish(args, &worker, &report, &note, (seen, orders), expected.as_deref())
}

/// Prints what a run showed, and returns the exit status that says it.
fn finish(
    args: &RunArgs,
    worker: &DeviceWorker,
    report: &RunReport,
    note: &str,
    (seen, orders): (Option<Coverage>, Option<OrdersTried>),
    expected: Option<&str>,
) -> Result<ExitCode, CliError> {
    let difference = expected.zip(report.outcome.result());
    let difference = difference.map(|(text, outputs)| expected::difference(text, outputs));
    let is_expected = difference.as_ref().map(Option::is_none);
    let printed = if args.json {
        print_json(worker, report, note, is_expected, (seen.as_ref(), orders.as_ref()))
    } else {
        print(report, note)
    };
    printed.map_err(CliError::Stdout)?;
    if let Some(seen) = seen.filter(|_| !args.json) {
        coverage::print(&seen, &args.kernel.display().to_string()).map_err(CliError::Stdout)?;
    }
    if let Some(orders) = &orders {
        orders.say();
    }
    if let Some(difference) = difference.flatten() {
        return Ok(unexpected(&args.kernel, &difference));
    }
    let class = match orders {
        Some(orders) if !orders.different.is_empty() => OutcomeClass::UnstableResult,
        _ => report.outcome.class(),
    };
    Ok(ExitCode::from(status(class)))
}

/// Says how the result of a kernel differs from the one beside it.
fn unexpected(kernel: &Path, difference: &str) -> ExitCode {
    let path = expected::beside(kernel);
    error_line(&format!("the result is not the one in {}: {difference}", path.display()));
    ExitCode::from(24)
}

/// Runs all launches once more, with probes.
fn measured(
    args: &RunArgs,
    subject: Result<HostKernel, HostKernelError>,
    run: &KernelRun,
    build_options: Vec<String>,
) -> Result<Coverage, RunError> {
    let failed = |error: String| RunError::Coverage { path: args.kernel.clone(), error };
    let mut subject = subject.map_err(|error| failed(error.to_string()))?;
    subject.launches = Ok(run.launches.clone());
    let options = CheckOptions { build_options, ..check_options(args) };
    clreduce_check::coverage(&subject, &options, &Cancel::new())
        .map_err(|error| failed(error.to_string()))
}

/// The options for runs on the host beside that on the device.
fn check_options(args: &RunArgs) -> CheckOptions {
    CheckOptions {
        timeout: args.timeout,
        build_options: args.build_options.clone(),
        worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        ..CheckOptions::default()
    }
}

/// Prints the launches as a file KERNEL.args.toml has them.
fn show_arguments(
    args: &RunArgs,
    planned: &PlannedKernel,
    source: &[u8],
) -> Result<ExitCode, CliError> {
    let plan = planned.plan.clone();
    let plan = plan.map_err(|source| RunError::Plan { path: args.kernel.clone(), source })?;
    let failed = |why: String| RunError::NotDescribed { path: args.kernel.clone(), why };
    let subject = planned.subject(source).map_err(|error| failed(error.to_string()))?;
    if let Some(parameter) = plan.compile_only {
        return Err(failed(parameter.to_string()).into());
    }
    let text = describe(&plan.launches, &subject.kernels)
        .ok_or_else(|| failed("a value is of a type that cannot be written there".to_owned()))?;
    print_notes(&planned.build.remarks);
    print_notes(&planned.remarks);
    data(text.as_bytes()).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what clreduce has chosen, a line for each choice.
pub(crate) fn print_notes(remarks: &[String]) {
    for remark in remarks {
        error_line(&format!("note: {remark}"));
    }
}

fn read(path: &Path) -> Result<Vec<u8>, RunError> {
    fs::read(path).map_err(|source| RunError::Read { path: path.to_owned(), source })
}

/// Warnings are off, as in the hosts of CLsmith.
fn device_options(args: &RunArgs, kind: ProgramKind, build_options: &[String]) -> String {
    let mut options = vec!["-w"];
    if args.no_opt {
        options.push(kind.no_opt());
    }
    options.extend(build_options.iter().map(String::as_str));
    options.join(" ")
}

/// The exit status of each class; 0 is a result, 1 and 2 are the program's own, 3 says nothing.
pub(crate) fn status(class: OutcomeClass) -> u8 {
    match class {
        OutcomeClass::Result => 0,
        OutcomeClass::Unresolved => 3,
        OutcomeClass::BuildFailure => 10,
        OutcomeClass::BuildCrash => 11,
        OutcomeClass::BuildTimeout => 12,
        OutcomeClass::Built => 13,
        OutcomeClass::RunFailure => 20,
        OutcomeClass::RunCrash => 21,
        OutcomeClass::RunTimeout => 22,
        OutcomeClass::UnstableResult => 23,
    }
}

/// The results on standard output, a line for each buffer, everything else on standard error.
fn print(report: &RunReport, note: &str) -> io::Result<()> {
    let mut out = out();
    if let Some(outputs) = report.outcome.result() {
        for output in outputs {
            // The output of a program is text already.
            match output.printed() {
                Some(text) => data(text)?,
                None => writeln!(out, "{}", output.show())?,
            }
        }
        return out.flush();
    }
    let class = report.outcome.class().name().replace('_', " ");
    let details = [report.outcome.details(), note.to_owned()];
    let details: Vec<_> = details.into_iter().filter(|text| !text.is_empty()).collect();
    let colon = if details.is_empty() { "" } else { ": " };
    error_line(&format!("{class}{colon}{}", printable(&details.join("\n"))));
    Ok(())
}

/// The line that `--json` prints.
#[derive(Serialize)]
struct RunLine<'a> {
    class: OutcomeClass,
    device: String,
    driver: &'a str,
    details: String,
    build_seconds: f64,
    run_seconds: f64,
    /// Of all outputs together; `null` without a result.
    hash: Option<String>,
    /// True if the result is the one in `KERNEL.expected`; `null` without a result or without the file.
    expected: Option<bool>,
    outputs: Vec<JsonOutput<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<&'a Coverage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orders: Option<&'a OrdersTried>,
}

#[derive(Serialize)]
struct JsonOutput<'a> {
    kernel: &'a str,
    name: &'a str,
    #[serde(rename = "type")]
    scalar: &'static str,
    values: String,
}

fn print_json(
    worker: &DeviceWorker,
    report: &RunReport,
    note: &str,
    expected: Option<bool>,
    (coverage, orders): (Option<&Coverage>, Option<&OrdersTried>),
) -> io::Result<()> {
    let facts = &worker.device().facts;
    let seconds = |time: Duration| (time.as_secs_f64() * 1000.0).round() / 1000.0;
    let result = report.outcome.result();
    let details = format!("{}\n{note}", report.outcome.details());
    let line = RunLine {
        class: report.outcome.class(),
        device: format!("{}: {}", facts.platform, facts.name),
        driver: &facts.driver,
        details: details.trim().to_owned(),
        build_seconds: seconds(report.build),
        run_seconds: seconds(report.run),
        hash: result.map(hash),
        expected,
        outputs: result.unwrap_or_default().iter().map(json_output).collect(),
        coverage,
        orders,
    };
    json_line(&mut Data, &line)
}

fn json_output(output: &Output) -> JsonOutput<'_> {
    let (kernel, name) = (&output.kernel, &output.name);
    let values = output
        .printed()
        .map_or_else(|| output.show(), |text| String::from_utf8_lossy(text).into_owned());
    JsonOutput { kernel, name, scalar: output.scalar.name(), values }
}

fn hash(outputs: &[Output]) -> String {
    let text: String = outputs.iter().map(|output| output.show() + "\n").collect();
    ContentHash::of(text.as_bytes()).to_string()
}
