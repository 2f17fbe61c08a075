//! `clreduce fuzz` looks for bugs of compilers: it generates kernels, runs them on all configurations, and reduces what is
//! wrong.

mod compilers;
mod configurations;
mod display;
mod elsewhere;
mod known;
mod replay;
mod report;
mod source;
mod tally;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{ValueHint, value_parser};
use clreduce_campaign::{
    Campaign, CampaignStart, Matrix, Programs, ReportFailure, SourceKind, Toolchain, WriteReport,
};
use clreduce_check::FindingKind;
use clreduce_devices::WorkerOptions;
use clreduce_engine::SandboxOptions;
use clreduce_generator::{Target, VARIANTS};
use clreduce_interestingness::Cancel;
use clreduce_kernel::ProgramKind;
use clreduce_process::Limits;
use clreduce_remote::RemoteOptions;

use crate::bug::write_beside;
use crate::failure::{CliError, UsageError};
use crate::files::target::on_disk;
use crate::kernels::blind_spots;
use crate::kernels::devices::worker_options;
use crate::kernels::generate::{ProfileArgs, targets};
use crate::settings::args::{Color, REPORT};
use crate::settings::resolve::default_jobs;
use crate::terminal::clock::Clock;
use crate::terminal::interrupt::{self, INTERRUPTED};
use crate::terminal::printing::{error_line, warning_line};
use crate::terminal::units;
use configurations::DeviceChoice;
use display::Display;
use known::KnownCauses;
use source::VoteRule;
use tally::Tally;

/// The arguments of `clreduce fuzz`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct FuzzArgs {
    /// Folder of the campaign: the bugs, the log and the report; an existing campaign continues
    #[arg(long, short = 'o', value_name = "DIR", value_parser = on_disk(), value_hint = ValueHint::DirPath,
        required_unless_present = "replay")]
    pub out: Option<PathBuf>,

    /// Run on this device: a part of its name, and options of the compiler after a colon (may be repeated)
    /// [default: all devices, with and without optimisation]
    #[arg(long, value_name = "NAME[:OPTIONS]")]
    pub device: Vec<DeviceChoice>,

    /// Language: opencl-1.2, opencl-2, opencl-3, cuda, ptx, c++ or c
    ///
    /// Kernels for opencl-2 and opencl-3 are built with -cl-std=CL2.0 or -cl-std=CL3.0. Programs in C and C++ are compiled and run,
    /// and the configurations are compilers: --device gcc-12:-O2.
    #[arg(long, value_name = "LANGUAGE", default_value = "opencl-1.2", value_parser = targets(), hide_possible_values = true)]
    pub target: Target,

    /// Source of the programs: clreduce, a command with {seed} that prints a program, or a folder of programs
    ///
    /// The right results of programs from elsewhere are unknown, so the configurations vote on them.
    #[arg(long, value_name = "GENERATOR", default_value = source::OWN)]
    pub generator: String,

    /// Rule of votes: majority of the results and at least three, or two-thirds of all configurations
    #[arg(
        long,
        value_name = "RULE",
        value_enum,
        default_value = "majority",
        hide_possible_values = true
    )]
    pub votes: VoteRule,

    #[command(flatten)]
    pub profile: ProfileArgs,

    /// Run each program with up to N variants that have the same result; 40 at most
    ///
    /// The variants are those of `clreduce generate --emi`, and of `clreduce emi` for kernels in OpenCL C from elsewhere, whose result
    /// on the host is the right one. A program raises one alarm at most on each configuration: it has the first outcome that is not
    /// right. If that is its own, no variant runs.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
        value_parser = value_parser!(u32).range(0..=VARIANTS as i64))]
    pub emi: u32,

    /// Seed of the first program
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Stop after N programs, when their bugs are reduced
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub count: Option<u64>,

    /// Stop after TIME, as in 30m or 8h; the same command continues
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    pub time_limit: Option<Duration>,

    /// Run N kernels at a time; the bugs do not depend on N [default: physical cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = units::parse_count)]
    pub jobs: Option<NonZeroUsize>,

    /// Stop building a kernel after TIME, and running it after the same TIME
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration, default_value = "30s")]
    pub timeout: Duration,

    /// Stop a compiler or program that uses more memory than SIZE, as in 500M or 2G
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes, default_value = "4G")]
    pub memory_limit: u64,

    /// Stop the campaign when its folder has more than SIZE, as in 20G; the same command continues with another limit
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes)]
    pub disk: Option<u64>,

    /// Reduce nothing until N programs have shown what each configuration can do
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub gate: u64,

    /// Let later kernels use what a configuration is known to get wrong as often as others
    #[arg(long)]
    pub no_avoid: bool,

    /// Name the bugs at the end that are in this list of known ones
    ///
    /// Each line is a name, a colon and the words that the reduced programs of the bug have, as in `shift: cnot shf.l`; a # begins a
    /// comment. Of several, the one with the most words counts.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub known: Option<PathBuf>,

    /// Run the bugs of an earlier campaign, and say which ones still show
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath,
        conflicts_with_all = ["out", "seed", "count", "time_limit", "gate", "no_avoid", "known", "remote"])]
    pub replay: Option<PathBuf>,

    #[command(flatten)]
    pub remote: RemoteOptions,

    /// Let the service run N tests at the same time [default: -j]
    ///
    /// Only the tests of reductions run there. Kernels run on the devices of this machine, as many at a time as -j says.
    #[arg(long, value_name = "N", value_parser = units::parse_count, requires = "remote",
        help_heading = "Remote execution")]
    pub remote_jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,

    /// Print only errors and warnings
    #[arg(long, short, help_heading = REPORT)]
    pub quiet: bool,

    /// Print lines instead of drawing on the terminal
    #[arg(long, help_heading = REPORT)]
    pub plain: bool,

    /// Use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto, help_heading = REPORT)]
    pub color: Color,
}

const HELP: &str = "\
Each kernel comes with its right result, so that one configuration is enough to find a bug. A wrong result counts if a second \
run on a fresh process gives the same, and if the host, which executes kernels without a driver, has the right one. \
Bugs are reduced, and checked as by `clreduce check`. If a kernel is right without a construct, this construct tells the bug from \
others, and later kernels for the configuration do not use it.

After an interruption or a crash, the same command continues. The bugs do not depend on -j.

Examples:
  clreduce fuzz --out campaign --time-limit 8h
  clreduce fuzz --out campaign --device oclgrind --device pocl --device pocl:-cl-opt-disable -j 8
  clreduce fuzz --out campaign --mode vector --tokens 300..1000 --avoid mad_sat --count 1000
  clreduce fuzz --out campaign --target cuda --device nvidia --device nvidia:-G
  clreduce fuzz --out campaign --emi 40 --device pocl     # each kernel and 40 variants of it
  clreduce fuzz --out campaign --generator 'my-generator {seed}' --device pocl --device pocl:-cl-opt-disable --device host --device nvidia
  clreduce fuzz --out campaign --target c --generator 'csmith --seed {seed} | sed s:csmith.h:/usr/include/csmith/csmith.h:'
  clreduce fuzz --replay campaign                 # which of its bugs are still there?

Exit status:
  0    the campaign came to --count or --time-limit; with --replay, no bug is left
  1    the campaign failed; with --replay, a bug is still there
  2    the command line is wrong
  130  interrupted; the same command continues";

/// Runs a campaign.
///
/// # Errors
/// When the options or the folder cannot be used, or a file cannot be written.
pub(crate) fn fuzz(args: &FuzzArgs) -> Result<ExitCode, CliError> {
    args.color.apply();
    let worker = WorkerOptions { memory_bytes: Some(args.memory_limit), ..worker_options()? };
    let programs = match args.replay {
        Some(_) => None,
        None => Some(source::programs(args, &worker)?),
    };
    let cancel = interrupt::on_interrupt()?;
    let matrix = matrix(args, &worker)?;
    let jobs = args.jobs.unwrap_or_else(default_jobs);
    if let Some(directory) = &args.replay {
        let limits = Limits { memory_bytes: Some(args.memory_limit), ..Limits::default() };
        return replay::replay(directory, matrix, (worker, args.timeout, jobs, limits), &cancel);
    }
    let (Some(out), Some(programs)) = (&args.out, programs) else {
        return Err(UsageError::NoInput.into());
    };
    source::check_voters(args, &programs, &matrix)?;
    warn(args, &programs, &matrix, &cancel);
    let elsewhere = elsewhere::elsewhere(args, args.remote_jobs.unwrap_or(jobs), &cancel)?;
    let start = CampaignStart {
        programs,
        count: args.count,
        matrix,
        jobs,
        time: args.time_limit,
        limit: args.timeout,
        memory: Some(args.memory_limit),
        disk: args.disk,
        gate: args.gate,
        avoids: !args.no_avoid,
        worker,
        cancel,
        elsewhere,
        report: report_writer(),
    };
    run(args, out, start)
}

/// The devices or compilers with their options.
fn matrix(args: &FuzzArgs, worker: &WorkerOptions) -> Result<Matrix, CliError> {
    let clock = Clock::start();
    clock.progress().at("looking for devices");
    let (matrix, problems) = match args.target {
        Target::C | Target::Cpp => {
            (compilers::matrix(&args.device, source::kind(args.target))?, Vec::new())
        }
        target => configurations::matrix(&args.device, target, worker)?,
    };
    drop(clock);
    problems.iter().for_each(|problem| warning_line(problem));
    Ok(matrix)
}

/// Says what the campaign cannot do on this machine.
fn warn(args: &FuzzArgs, programs: &Programs, matrix: &Matrix, cancel: &Cancel) {
    let SourceKind::Kernels(kind) = matrix.kind else { return };
    if kind == ProgramKind::Ptx {
        let assembles = |(index, (_, one)): (usize, &(String, Toolchain))| {
            matrix.host == Some(index) || one.device().is_none_or(|one| !one.runs())
        };
        if matrix.devices.iter().enumerate().all(assembles) {
            warning_line(
                "there is no GPU, so kernels are assembled alone: only crashes and hangs of ptxas are found",
            );
        }
        return;
    }
    if matrix.host.is_none() && matches!(programs, Programs::Generated(_)) {
        warning_line(
            "kernels cannot be run on the host (`clreduce doctor` says why), so results are confirmed by other devices",
        );
    }
    // With --remote, reductions check kernels on other machines.
    if args.remote.remote.is_some() {
        return;
    }
    let clock = Clock::start();
    clock.progress().at("trying the checks");
    let spots = blind_spots::find(kind, cancel);
    drop(clock);
    if let Some(told) = blind_spots::told(&spots) {
        let so = match spots.kinds.contains(&FindingKind::DataRace) {
            true => {
                "wrong results cannot be told from faults of kernels: none of them will be reduced"
            }
            false => "kernels with such a fault may be reported as bugs of compilers",
        };
        warning_line(&format!("{told}, so {so}{}", blind_spots::help(&spots)));
    }
}

/// Runs the campaign of a folder to its end, and reports it.
fn run(args: &FuzzArgs, out: &Path, start: CampaignStart) -> Result<ExitCode, CliError> {
    let (names, programs, cancel) =
        (start.matrix.names(), start.programs.clone(), start.cancel.clone());
    let count = args.count.into_iter().chain(programs.count()).min();
    let known = args.known.as_deref().map(KnownCauses::read).transpose()?.unwrap_or_default();
    let campaign = Campaign::open(out, start)?;
    if !args.quiet {
        error_line(&format!("{} configurations: {}", names.len(), names.join(", ")));
    }
    let mut tally = Tally::new(names, programs.variants() > 0);
    let gate = count.map_or(args.gate, |count| count.min(args.gate));
    let mut display = Display::new(args.quiet, args.plain, gate);
    let (result, batch) = campaign.run(|progress| {
        display.update(&progress, &tally, &programs);
        tally.add(progress);
    })?;
    display.finish();
    report::write(out, &batch, &tally)?;
    if !args.quiet {
        let known = known.of(&batch, &tally)?;
        let text = report::summary(out, (&tally, &known), &result, (count, gate));
        crate::terminal::printing::print(&text).map_err(CliError::Stdout)?;
    }
    let interrupted = cancel.is_cancelled() && !result.timed_out;
    Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Writes bug reports as a reduction does.
fn report_writer() -> WriteReport {
    Box::new(|test, case, paths, cancel| {
        let written = write_beside(test, case, paths, cancel);
        written.map(|report| report.is_some()).map_err(|error| ReportFailure(error.into()))
    })
}
