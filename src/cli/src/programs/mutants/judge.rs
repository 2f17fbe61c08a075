//! The judges of mutants: checks for undefined behaviour, a device, a recipe.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use clreduce_check::{CheckOptions, Finding, HostKernel, KernelCheck, Validity};
use clreduce_devices::DeviceWorker;
use clreduce_interestingness::{Cancel, Verdict};
use clreduce_kernel::{
    KernelRun, OutcomeClass, Output, Plan, PlanError, ProgramKind, RunLimits, RunOutcome,
    in_group_order,
};
use clreduce_recipe::{Depth, Recipe, RecipeTest};
use clreduce_testcase::TestCase;

use super::MutantsArgs;
use super::result::MutantResult;
use crate::failure::{CliError, KernelError, MutantsError, RunError};
use crate::judge::recipe;
use crate::kernels::check;
use crate::kernels::devices::{choose, worker_options};
use crate::settings::sandbox;

/// The judge that the user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JudgeKind {
    /// `clreduce check`.
    Check,
    /// A run on a device.
    Run,
    Recipe(PathBuf),
}

impl FromStr for JudgeKind {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "check" => Self::Check,
            "run" => Self::Run,
            path => Self::Recipe(path.into()),
        })
    }
}

/// A judge that accepts the program itself.
pub(super) enum MutantJudge {
    Check(CheckJudge),
    Run(Box<DeviceJudge>),
    Recipe(Box<RecipeTest>),
}

impl MutantJudge {
    /// Gets a judge ready, and lets it judge the program itself.
    ///
    /// # Errors
    /// When it does not accept the program.
    pub(super) fn ready(
        args: &MutantsArgs,
        case: &TestCase,
        cancel: &Cancel,
    ) -> Result<Self, CliError> {
        let judge = match &args.judge {
            JudgeKind::Check | JudgeKind::Recipe(_) if args.orders > 0 => {
                return Err(MutantsError::OrdersWithoutRun.into());
            }
            JudgeKind::Check => {
                let options = CheckOptions {
                    stages: check::stages(&args.only, &[]),
                    compile_worker: std::env::current_exe().ok(),
                    ..check_options(args)
                };
                let check = KernelCheck::new(&options)?;
                let launches = Launches::of(args, case, &options, cancel)?;
                Self::Check(CheckJudge { check, launches })
            }
            JudgeKind::Run => {
                // It has just run the program.
                return Ok(Self::Run(Box::new(DeviceJudge::of(args, case, cancel)?)));
            }
            JudgeKind::Recipe(_) if !args.launches.args.is_empty() => {
                return Err(MutantsError::ArgsWithRecipe.into());
            }
            JudgeKind::Recipe(path) => {
                let recipe = Recipe::load(path)?.options(recipe::options(cancel));
                Self::Recipe(Box::new(recipe.calibrate(case)?))
            }
        };
        match judge.judge(case, cancel) {
            MutantResult::Survived => Ok(judge),
            fate => Err(MutantsError::Original(fate.to_string()).into()),
        }
    }

    /// Judges a mutant that compiles.
    pub(super) fn judge(&self, mutant: &TestCase, cancel: &Cancel) -> MutantResult {
        match self {
            Self::Check(check) => check.judge(mutant, cancel),
            Self::Run(device) => device.judge(mutant, cancel),
            Self::Recipe(test) => by_recipe(test, mutant, cancel),
        }
    }
}

/// The options of runs on the host.
fn check_options(args: &MutantsArgs) -> CheckOptions {
    CheckOptions {
        timeout: args.timeout,
        worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        ..CheckOptions::default()
    }
}

/// The launches of the program and its mutants.
struct Launches {
    /// The launches that files describe, or that fit the program; without them, the text of each mutant decides.
    described: Option<Plan>,
}

impl Launches {
    fn of(
        args: &MutantsArgs,
        case: &TestCase,
        options: &CheckOptions,
        cancel: &Cancel,
    ) -> Result<Self, CliError> {
        let source = &case.files()[0].bytes;
        let unusable = |source: KernelError| CliError::Kernel { path: args.file.clone(), source };
        let described = args.launches.described(&args.file, source);
        if let Some(plan) = described.map_err(|error| unusable(error.into()))? {
            return Ok(Self { described: Some(plan) });
        }
        let planned =
            args.launches.planned(&args.file, ProgramKind::of_case(case), source, options, cancel);
        let planned = planned.map_err(|error| unusable(error.into()))?;
        Ok(Self { described: planned.plan.ok().filter(|_| planned.is_fitted) })
    }

    fn plan(&self, mutant: &TestCase) -> Result<Plan, PlanError> {
        let file = &mutant.files()[0];
        let from_text = || ProgramKind::of_case(mutant).plan(&file.bytes, None);
        self.described.clone().map_or_else(from_text, Ok)
    }
}

/// The checks with the launches that they run.
pub(super) struct CheckJudge {
    check: KernelCheck,
    launches: Launches,
}

impl CheckJudge {
    fn judge(&self, mutant: &TestCase, cancel: &Cancel) -> MutantResult {
        let file = &mutant.files()[0];
        let plan = self.launches.plan(mutant);
        let subject =
            match HostKernel::planned(ProgramKind::of_case(mutant), file.bytes.clone(), plan) {
                Ok(subject) => subject,
                Err(error) => return MutantResult::Undecided(error.to_string()),
            };
        let report = self.check.run(&subject, cancel);
        match report.validity {
            Validity::Valid => MutantResult::Survived,
            Validity::Invalid | Validity::InvalidWithChosenArguments => {
                let certain = report.findings.iter().find(|finding| finding.is_certain());
                MutantResult::Killed(certain.map(by).unwrap_or_default())
            }
            Validity::Unresolved => {
                let failures = report.failures.iter().map(|failure| failure.message.clone());
                let suspicions =
                    report.findings.iter().map(|finding| format!("perhaps {}", finding.kind));
                MutantResult::Undecided(failures.chain(suspicions).next().unwrap_or_default())
            }
        }
    }
}

fn by(finding: &Finding) -> String {
    format!("{} ({})", finding.kind, finding.tool)
}

fn by_recipe(test: &RecipeTest, mutant: &TestCase, cancel: &Cancel) -> MutantResult {
    let judgement = test.look(mutant, Depth::Verdict, cancel);
    match judgement.outcome.verdict {
        Verdict::Interesting => MutantResult::Survived,
        _ if judgement.outcome.ran_out_of_time => MutantResult::TimedOut,
        Verdict::Uninteresting | Verdict::TimedOut => {
            let decides = judgement.deciding().map(|result| result.stage.clone());
            MutantResult::Killed(decides.unwrap_or_default())
        }
        Verdict::Unresolved => MutantResult::Undecided(judgement.outcome.reason),
    }
}

/// A device with the result that the program has there.
pub(super) struct DeviceJudge {
    path: PathBuf,
    launches: Launches,
    /// The number of other orders of groups in which each program runs.
    orders: u32,
    limits: RunLimits,
    /// Workers that are idle; each thread takes one.
    idle: Mutex<Vec<DeviceWorker>>,
    device: clreduce_devices::Device,
    expected: Vec<Output>,
}

impl DeviceJudge {
    fn of(args: &MutantsArgs, case: &TestCase, cancel: &Cancel) -> Result<Self, CliError> {
        let kind = ProgramKind::of_case(case);
        let mut device = args.device.clone();
        if device.device_name.is_none() && device.platform.is_none() && device.device.is_none() {
            device.device_name = Some("host".to_owned());
        }
        let device = choose(&device, kind, &worker_options()?).map_err(RunError::NoDevice)?;
        let limits = RunLimits { build: args.timeout, run: args.timeout };
        let idle = Mutex::default();
        let (path, launches) =
            (args.file.clone(), Launches::of(args, case, &check_options(args), cancel)?);
        let orders = args.orders;
        let mut judge = Self { path, launches, orders, limits, idle, device, expected: Vec::new() };
        let outcome = judge.run(case, 0, cancel)?;
        let Some(outputs) = outcome.result() else {
            let class = outcome.class().name().replace('_', " ");
            let fate = format!("{class}: {}", outcome.details());
            return Err(MutantsError::Original(fate).into());
        };
        judge.expected = outputs.to_vec();
        for order in 1..=orders {
            if judge.run(case, order, cancel)?.result() != Some(&judge.expected[..]) {
                let fate = format!("another outcome in order {order} of its groups");
                return Err(MutantsError::Original(fate).into());
            }
        }
        Ok(judge)
    }

    /// Runs a program in an order of its groups; 0 is the usual one.
    fn run(&self, case: &TestCase, order: u32, cancel: &Cancel) -> Result<RunOutcome, CliError> {
        let source = &case.files()[0].bytes;
        let source = match order {
            0 => source.to_vec(),
            _ => in_group_order(source, ProgramKind::of_case(case), order)
                .ok_or(RunError::WholeProgram)?,
        };
        let plan = self.launches.plan(case);
        let plan = plan.map_err(|source| RunError::Plan { path: self.path.clone(), source })?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = idle.pop();
        drop(idle);
        let mut worker = match worker {
            Some(worker) => worker,
            None => DeviceWorker::new(worker_options()?, self.device.clone()),
        };
        let options = "-w".to_owned();
        let run = KernelRun { source, options, launches: plan.launches, repeat: 1 };
        let report = worker.run(&run, self.limits, cancel);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        Ok(report.outcome)
    }

    /// A mutant that is noticed in some orders only is undecided.
    fn judge(&self, mutant: &TestCase, cancel: &Cancel) -> MutantResult {
        let first = self.judge_in_order(mutant, 0, cancel);
        let is_noticed = |result: &MutantResult| match result {
            MutantResult::Killed(_) | MutantResult::TimedOut => Some(true),
            MutantResult::Survived => Some(false),
            _ => None,
        };
        let Some(is_noticed_first) = is_noticed(&first) else { return first };
        let others = (1..=self.orders).map(|order| self.judge_in_order(mutant, order, cancel));
        let noticed = others.filter(|result| is_noticed(result) == Some(true)).count();
        let (noticed, all) = (noticed + usize::from(is_noticed_first), self.orders as usize + 1);
        match noticed {
            0 => MutantResult::Survived,
            _ if noticed == all => first,
            _ => MutantResult::Undecided(format!("killed in {noticed} of {all} orders of groups")),
        }
    }

    fn judge_in_order(&self, mutant: &TestCase, order: u32, cancel: &Cancel) -> MutantResult {
        let outcome = match self.run(mutant, order, cancel) {
            Ok(outcome) => outcome,
            Err(error) => return MutantResult::Undecided(error.to_string()),
        };
        match outcome.class() {
            OutcomeClass::Result if outcome.result() == Some(&self.expected[..]) => {
                MutantResult::Survived
            }
            OutcomeClass::Result => MutantResult::Killed("another result".to_owned()),
            OutcomeClass::BuildFailure => MutantResult::Stillborn,
            OutcomeClass::BuildTimeout | OutcomeClass::RunTimeout => MutantResult::TimedOut,
            OutcomeClass::Unresolved | OutcomeClass::Built => {
                MutantResult::Undecided(outcome.details())
            }
            class => MutantResult::Killed(class.name().replace('_', " ")),
        }
    }
}
