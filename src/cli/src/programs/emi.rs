//! `clreduce emi` makes variants of a kernel that exists: other texts with the same results.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueHint;
use clreduce_campaign::{GivenKernel, NoVariants, described};
use clreduce_check::{CheckOptions, CompletedBuild};
use clreduce_devices::DeviceWorker;
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::Cancel;
use clreduce_kernel::{KernelLaunch, KernelRun, Output, ProgramKind, RunLimits};
use clreduce_splice::MOST_VARIANTS;

use crate::failure::{CliError, EmiError, KernelError, RunError};
use crate::files::target::on_disk;
use crate::kernels::devices::{DeviceArgs, choose, worker_options};
use crate::kernels::expected;
use crate::kernels::launches::LaunchArgs;
use crate::kernels::run::print_notes;
use crate::settings::sandbox;
use crate::terminal::clock::Clock;
use crate::terminal::interrupt;
use crate::terminal::printing::out;
use crate::terminal::units;

/// The arguments of `clreduce emi`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct EmiArgs {
    /// Kernel in OpenCL C
    #[arg(value_name = "KERNEL", value_hint = ValueHint::FilePath)]
    pub kernel: PathBuf,

    #[command(flatten)]
    pub launches: LaunchArgs,

    /// Make N variants at most
    #[arg(long, value_name = "N", default_value_t = MOST_VARIANTS as u32,
        value_parser = clap::value_parser!(u32).range(1..=MOST_VARIANTS as i64))]
    pub count: u32,

    /// Number that decides everything else
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Write NAME-emi-0.cl, which is the kernel itself, NAME-emi-1.cl and so on into this folder
    #[arg(long, value_name = "DIR", value_parser = on_disk(), value_hint = ValueHint::DirPath)]
    pub out: PathBuf,

    /// Stop a tool after TIME: seconds, or as in 500ms, 90s, 2m
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration, default_value = "60s")]
    pub timeout: Duration,

    /// Options for compiling the kernel, such as -DN=4
    #[arg(last = true, value_name = "BUILD OPTIONS", allow_hyphen_values = true)]
    pub build_options: Vec<String>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

const HELP: &str = "\
Each variant gets one more buffer, whose element i is i, and branches that compare two of its elements, which the compiler cannot \
know. Behind those that are never taken stand statements of this kernel and of generated ones, whose names mean \
variables of the kernel or variables of their own; variants delete some, and lift others out of branches and loops. Behind those that \
are always taken, a statement of the kernel remains, or a variable is kept, changed and restored. Nothing is put where no \
launch comes to.

Each variant runs on the host, and has the result of the kernel there; one that has not is left out, and said. \
Beside each lie its arguments, NAME-emi-N.args.toml, and that result, NAME-emi-N.expected, which `clreduce run` compares.

Examples:
  clreduce emi kernel.cl --out variants
  clreduce emi kernel.cl --count 10 --seed 7 --out variants -- -DN=4
  clreduce run variants/kernel-emi-3.cl --device-name pocl

Exit status:
  0  variants were written
  1  the kernel cannot be used, or a file cannot be written
  2  the command line is wrong";

/// Makes variants of a kernel.
///
/// # Errors
/// When the kernel has no result on the host, there is no place for an edit, or a file cannot be written.
pub(crate) fn emi(args: &EmiArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    let clock = Clock::start();
    let mut options = CheckOptions {
        timeout: args.timeout,
        build_options: args.build_options.clone(),
        worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        progress: clock.progress(),
        ..CheckOptions::default()
    };
    let (base, build) = base(args, &options, &cancel)?;
    options.build_options = build.options;
    let no_variants = |source| EmiError::NoVariants { path: args.kernel.clone(), source };
    let family = base.family(args.seed, &options, &cancel).map_err(no_variants)?;
    let mut host = Host::find(args, &options.build_options)?;
    let result = host
        .result(&base.text, &base.launches)
        .map_err(|outcome| EmiError::NoResult { path: args.kernel.clone(), outcome })?;
    fs::create_dir_all(&args.out).map_err(|source| write_error(&args.out, source))?;
    write(args, 0, &base.text, &base.launches, &result)?;
    let launches = base.variant_launches();
    let (mut written, mut left_out) = (0, Vec::new());
    for (number, text) in (1..).zip(family.variants(args.count as usize)) {
        if cancel.is_cancelled() {
            return Err(CliError::Interrupted);
        }
        clock.progress().at(&format!("variant {number} of {}", args.count));
        match host.result(&text, &launches) {
            Ok(found) if found == result => {
                write(args, number, &text, &launches, &result)?;
                written += 1;
            }
            Ok(_) => left_out.push(format!("variant {number} has another result")),
            Err(outcome) => left_out.push(format!("variant {number}: {outcome}")),
        }
    }
    drop(clock);
    print_notes(&build.remarks);
    for why in &left_out {
        crate::terminal::printing::error_line(&format!("note: left out: {why}"));
    }
    let parts = family.parts();
    writeln!(
        out(),
        "{}: {written} variants with the result of {} on the host; parts in dead blocks: {} of the kernel, {} of generated ones",
        args.out.display(),
        args.kernel.display(),
        parts.own,
        parts.others,
    )
    .map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

fn base(
    args: &EmiArgs,
    options: &CheckOptions,
    cancel: &Cancel,
) -> Result<(GivenKernel, CompletedBuild), CliError> {
    let path = &args.kernel;
    let unusable = |source: KernelError| CliError::Kernel { path: path.clone(), source };
    let no_variants = |source| EmiError::NoVariants { path: path.clone(), source };
    let source = fs::read(path).map_err(|error| unusable(error.into()))?;
    let kind = ProgramKind::of(&path.to_string_lossy(), &source);
    if kind != ProgramKind::OpenCl {
        return Err(no_variants(NoVariants::NoPlace).into());
    }
    let planned = args.launches.planned(path, kind, &source, options, cancel);
    let planned = planned.map_err(|error| unusable(error.into()))?;
    let plan = planned.plan.map_err(|source| RunError::Plan { path: path.clone(), source })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let options = CheckOptions { build_options: planned.build.options.clone(), ..options.clone() };
    let base = GivenKernel::of(source, plan.launches, folder, &options, cancel);
    Ok((base.map_err(no_variants)?, planned.build))
}

/// The host as a device.
struct Host {
    worker: DeviceWorker,
    options: String,
    limits: RunLimits,
}

impl Host {
    fn find(args: &EmiArgs, build_options: &[String]) -> Result<Self, CliError> {
        let options = worker_options()?;
        let named = DeviceArgs { device_name: Some("host".to_owned()), ..DeviceArgs::default() };
        let device = choose(&named, ProgramKind::OpenCl, &options).map_err(RunError::NoDevice)?;
        let worker = DeviceWorker::new(options, device);
        let words = std::iter::once("-w").chain(build_options.iter().map(String::as_str));
        let options = words.collect::<Vec<_>>().join(" ");
        let limits = RunLimits { build: args.timeout, run: args.timeout };
        Ok(Self { worker, options, limits })
    }

    /// The result of a text, or what became of it.
    fn result(&mut self, text: &[u8], launches: &[KernelLaunch]) -> Result<Vec<Output>, String> {
        let run = KernelRun {
            source: text.to_vec(),
            options: self.options.clone(),
            launches: launches.to_vec(),
            repeat: 1,
        };
        let report = self.worker.run(&run, self.limits, &Cancel::new());
        report.outcome.result().map(<[Output]>::to_vec).ok_or_else(|| {
            format!(
                "{}: {}",
                report.outcome.class().name().replace('_', " "),
                report.outcome.details()
            )
        })
    }
}

/// Writes a variant, its arguments and its result.
fn write(
    args: &EmiArgs,
    number: usize,
    text: &[u8],
    launches: &[KernelLaunch],
    result: &[Output],
) -> Result<(), CliError> {
    let stem = args.kernel.file_stem().unwrap_or_default().to_string_lossy();
    let path = args.out.join(format!("{stem}-emi-{number}.cl"));
    let described =
        described(text, launches).ok_or_else(|| EmiError::NotDescribed(args.kernel.clone()))?;
    let shown: String = result.iter().map(|output| output.show() + "\n").collect();
    let files = [
        (path.clone(), text),
        (path.with_extension("args.toml"), described.as_bytes()),
        (expected::beside(&path), shown.as_bytes()),
    ];
    for (path, content) in files {
        fs::write(&path, content).map_err(|source| write_error(&path, source))?;
    }
    Ok(())
}

fn write_error(path: &Path, source: std::io::Error) -> CliError {
    CliError::Write { path: path.to_owned(), source }
}
