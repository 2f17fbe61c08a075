//! `clreduce inputs` looks for launches of a kernel that cover more of it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueHint;
use clreduce_check::{CheckOptions, FoundInputs, RefusedLaunch, find_inputs};
use clreduce_engine::SandboxOptions;
use clreduce_kernel::{Argument, KernelLaunch, ProgramKind, describe};

use crate::failure::{CliError, InputsError, KernelError};
use crate::files::target::on_disk;
use crate::kernels::coverage;
use crate::kernels::launches::LaunchArgs;
use crate::kernels::run::print_notes;
use crate::settings::sandbox;
use crate::terminal::clock::Clock;
use crate::terminal::interrupt;
use crate::terminal::printing::{error_line, printable};
use crate::terminal::units;

/// The arguments of `clreduce inputs`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct InputsArgs {
    /// Kernel in OpenCL C, or in CUDA if its name ends in .cu
    #[arg(value_name = "KERNEL", value_hint = ValueHint::FilePath)]
    pub kernel: PathBuf,

    #[command(flatten)]
    pub launches: LaunchArgs,

    /// Write the launches to FILE [default: KERNEL.args.toml]
    #[arg(long, short = 'o', value_name = "FILE", value_parser = on_disk(), value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Number that decides which launches are tried; the same number gives the same file
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Stop a tool after TIME: seconds, or as in 500ms, 90s, 2m
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration, default_value = "60s")]
    pub timeout: Duration,

    /// Use this clang [default: the newest that has sanitizers]
    #[arg(long, value_name = "CLANG", value_hint = ValueHint::CommandName)]
    pub clang: Option<PathBuf>,

    /// Options for compiling the kernel, such as -DN=4
    #[arg(last = true, value_name = "BUILD OPTIONS")]
    pub build_options: Vec<String>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

const HELP: &str = "\
clreduce begins with the launches that `clreduce run` would make. It looks at the values that the kernel compares, \
puts them in the place of arguments, and then changes arguments and sizes at random. It keeps a launch if the launch \
reaches code or combinations of conditions that earlier ones did not, and if the sanitizers find nothing wrong with it. \
`clreduce check` and `clreduce run` read KERNEL.args.toml by themselves.

Examples:
  clreduce inputs kernel.cl
  clreduce inputs kernel.cl --seed 7 --output seven.toml
  clreduce inputs kernel.cl --args small.toml --output more.toml -- -DN=4
  clreduce run kernel.cl --device-name host --coverage

Exit status:
  0  launches were found and written; what no launch comes to is printed
  1  no launch is valid, or the file cannot be written
  2  the command line is wrong, or the kernel cannot be read";

/// Looks for launches, and writes them.
///
/// # Errors
/// When the kernel cannot be used, or no launch of it is valid.
pub(crate) fn inputs(args: &InputsArgs) -> Result<ExitCode, CliError> {
    let path = &args.kernel;
    let cancel = interrupt::on_interrupt()?;
    let unusable = |source: KernelError| CliError::Kernel { path: path.clone(), source };
    let source = fs::read(path).map_err(|error| unusable(error.into()))?;
    let output = args.output.clone().unwrap_or_else(|| path.with_extension("args.toml"));
    if output.exists() {
        return Err(InputsError::Exists(output).into());
    }
    let clock = Clock::start();
    let mut options = CheckOptions {
        timeout: args.timeout,
        build_options: args.build_options.clone(),
        clang: args.clang.clone(),
        side_by_side: true,
        worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        progress: clock.progress(),
        ..CheckOptions::default()
    };
    let kind = ProgramKind::of(&path.to_string_lossy(), &source);
    let planned = args.launches.planned(path, kind, &source, &options, &cancel);
    let planned = planned.map_err(|error| unusable(error.into()))?;
    options.build_options = planned.build.options.clone();
    let kernel = planned.subject(&source).map_err(|error| unusable(error.into()))?;
    let found = find_inputs(&kernel, &options, args.seed, &cancel);
    drop(clock);
    if cancel.is_cancelled() {
        return Err(CliError::Interrupted);
    }
    let found = found
        .map_err(|source| InputsError::Coverage { path: path.clone(), source: Box::new(source) })?;
    print_notes(&planned.build.remarks);
    print_refused(&found.refused, path);
    if found.launches.is_empty() {
        return Err(InputsError::NoneValid(path.clone()).into());
    }
    let text = describe(&found.launches, &kernel.kernels)
        .ok_or_else(|| InputsError::NotDescribed(path.clone()))?;
    let text = format!("# Written by `clreduce inputs --seed {}`.\n{text}", args.seed);
    fs::File::create_new(&output)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|source| InputsError::Write { path: output.clone(), source })?;
    print(&found, path, &output).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

fn print(found: &FoundInputs, kernel: &Path, output: &Path) -> io::Result<()> {
    coverage::print(&found.coverage, &kernel.display().to_string())?;
    let kept = match found.launches.len() {
        1 => "1 launch".to_owned(),
        kept => format!("{kept} launches"),
    };
    writeln!(
        crate::terminal::printing::out(),
        "{}: {kept} of {} that were run",
        output.display(),
        found.runs
    )
}

/// Launches that would cover more, but under which the kernel is invalid.
fn print_refused(refused: &[RefusedLaunch], kernel: &Path) {
    for RefusedLaunch { launch, finding, with_larger_buffers } in refused {
        let why = finding.as_ref().map_or_else(
            || ": the tools cannot tell whether it is valid".to_owned(),
            |finding| format!("{}{finding}", if finding.line.is_some() { ":" } else { ": " }),
        );
        let why = printable(&format!("{}{why}", kernel.display())).into_owned();
        let larger =
            with_larger_buffers.as_ref().map_or_else(Vec::new, |larger| enlarged(launch, larger));
        let why = match &larger[..] {
            [] => why,
            larger => format!("{why}; it needs {}", larger.join(" and ")),
        };
        error_line(&format!("note: left out: a launch of {}: {why}", shown(launch)));
    }
}

/// The buffers that are larger in the second of two launches, for people.
fn enlarged(launch: &KernelLaunch, larger: &KernelLaunch) -> Vec<String> {
    let arguments = launch.arguments.iter().zip(&larger.arguments).enumerate();
    let shown = |(index, (one, other)): (usize, (&Argument, &Argument))| match (one, other) {
        (Argument::Buffer { elements: before, .. }, Argument::Buffer { elements, .. })
            if elements > before =>
        {
            Some(format!("{elements} elements in argument {} instead of {before}", index + 1))
        }
        _ => None,
    };
    arguments.filter_map(shown).collect()
}

/// The size of a launch for people.
fn shown(launch: &KernelLaunch) -> String {
    let items = launch.global.iter().copied().fold(1, u64::saturating_mul);
    let plural = if items == 1 { "" } else { "s" };
    format!("`{}` with {items} work-item{plural}", launch.kernel)
}
