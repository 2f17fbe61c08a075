//! `clreduce mutants` judges a check or a test: it changes a program in one small way after the other, and counts which
//! changes are noticed.

mod compiled;
mod judge;
mod result;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clreduce_check::StageName;
use clreduce_engine::SandboxOptions;
use clreduce_kernel::GROUP_ORDERS;
use clreduce_passes::{MUTATION_OPERATORS, Mutant, Mutants, MutationOperator, Snapshot};
use clreduce_process::in_parallel;
use clreduce_testcase::{ContentHash, TestCase};

use crate::failure::{CliError, KernelError, MutantsError};
use crate::kernels::devices::DeviceArgs;
use crate::kernels::launches::LaunchArgs;
use crate::settings::resolve::default_jobs;
use crate::terminal::clock::Clock;
use crate::terminal::interrupt;
use crate::terminal::units;
use compiled::Compiled;
use judge::{JudgeKind, MutantJudge};
use result::{JudgedMutant, Results};

/// The arguments of `clreduce mutants`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct MutantsArgs {
    /// Program whose mutants are judged: a valid kernel, or a reduced program
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// Judge: `check`, `run`, or a recipe
    #[arg(long, value_name = "check|run|RECIPE", default_value = "check")]
    pub judge: JudgeKind,

    /// Check only with these stages, as `clreduce check` does
    #[arg(long, value_name = "STAGE", value_delimiter = ',')]
    pub only: Vec<StageName>,

    /// Make only mutants of these kinds
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = operators())]
    pub operator: Vec<String>,

    /// Judge only N of the mutants, chosen by --seed
    #[arg(long, value_name = "N")]
    pub count: Option<NonZeroUsize>,

    /// Number that decides which mutants are judged
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    pub launches: LaunchArgs,

    #[command(flatten)]
    pub device: DeviceArgs,

    /// Run each mutant in N other orders of its groups too, with `--judge run`; one that is killed in some orders only is
    /// undecided
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
        value_parser = clap::value_parser!(u32).range(0..=i64::from(GROUP_ORDERS)))]
    pub orders: u32,

    /// Judge N mutants at a time [default: the number of cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = units::parse_count)]
    pub jobs: Option<NonZeroUsize>,

    /// Stop a tool, or a run on a device, after TIME: seconds, or as in 500ms, 90s, 2m
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration, default_value = "20s")]
    pub timeout: Duration,

    /// Print one JSON object for each mutant, and a last one with the counts
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

const HELP: &str = "\
The judges:
  check    a mutant is killed if `clreduce check` finds undefined behaviour in it
  run      a mutant is killed if a device (by default the host) does not give the result of FILE
  RECIPE   a mutant is killed if it is not interesting; those that survive show what the recipe does not check

Mutants that do not compile are stillborn, and those whose code clang -O2 makes the same are equivalent; neither counts.

Examples:
  clreduce mutants kernel.cl
  clreduce mutants kernel.cl --judge run --operator relational,loop-bound
  clreduce mutants bug.cl --judge bug.toml --count 100 --seed 7 --json

Exit status:
  0  every mutant was judged
  1  FILE cannot be used: the judge does not accept it as it is
  2  the command line is wrong";

/// The names of all kinds of mutants, with what they are.
fn operators() -> PossibleValuesParser {
    let value = |operator: &'static MutationOperator| {
        PossibleValue::new(operator.name).help(operator.summary)
    };
    PossibleValuesParser::new(MUTATION_OPERATORS.into_iter().map(value))
}

/// Judges mutants, and prints the results.
///
/// # Errors
/// When the program cannot be used, or the judge finds fault with it.
pub(crate) fn mutants(args: &MutantsArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    let case = read(&args.file)?;
    let language = case.language();
    let all = Mutants::of(&Snapshot::new(case.clone(), language));
    let chosen = sample(of_operators(all.list, &args.operator), args.count, args.seed);
    if chosen.is_empty() {
        return Err(MutantsError::None(args.file.clone()).into());
    }
    let clock = Clock::start();
    clock.progress().at("judging the program itself");
    let compiled = Compiled::of(&case, language, args.timeout, &cancel)?;
    let judge = MutantJudge::ready(args, &case, &cancel)?;
    let jobs = args.jobs.unwrap_or_else(default_jobs).get();
    let judged = judge_all(&chosen, &case, jobs, &clock, |variant| {
        compiled.compare(variant, &cancel).unwrap_or_else(|| judge.judge(variant, &cancel))
    });
    drop(clock);
    if cancel.is_cancelled() {
        return Err(CliError::Interrupted);
    }
    let results = Results { path: &args.file, judged, in_macros: all.in_macros };
    let printed = if args.json { results.print_json() } else { results.print() };
    printed.map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<TestCase, CliError> {
    let unusable = |source: KernelError| CliError::Kernel { path: path.to_owned(), source };
    let bytes = fs::read(path).map_err(|error| unusable(error.into()))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    TestCase::single(&name, bytes).map_err(|error| CliError::Load(error.into()))
}

fn of_operators(list: Vec<Mutant>, wanted: &[String]) -> Vec<Mutant> {
    let is_wanted =
        |one: &Mutant| wanted.is_empty() || wanted.iter().any(|name| name == one.operator.name);
    list.into_iter().filter(is_wanted).collect()
}

/// Some of the mutants, in their order. The same seed gives the same ones.
fn sample(list: Vec<Mutant>, count: Option<NonZeroUsize>, seed: u64) -> Vec<Mutant> {
    let Some(count) = count else { return list };
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by_key(|index| {
        ContentHash::of(&[seed.to_le_bytes(), (*index as u64).to_le_bytes()].concat())
    });
    order.truncate(count.get());
    let is_chosen = |index: &usize| order.contains(index);
    list.into_iter().enumerate().filter(|(index, _)| is_chosen(index)).map(|(_, one)| one).collect()
}

/// Judges mutants by several threads; the results are in the order of the mutants.
fn judge_all(
    chosen: &[Mutant],
    case: &TestCase,
    jobs: usize,
    clock: &Clock,
    judge: impl Fn(&TestCase) -> result::MutantResult + Sync,
) -> Vec<JudgedMutant> {
    let progress = clock.progress();
    in_parallel(chosen, jobs, |index, mutant| {
        progress.at(&format!("mutant {} of {}", index + 1, chosen.len()));
        JudgedMutant::new(mutant, case, judge(&case.apply(&mutant.patch)))
    })
}
