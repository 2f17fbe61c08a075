//! The check of a kernel by all stages, cheap ones first.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clreduce_host::HostKernel;
use clreduce_process::{Cancel, Progress};

use crate::options::{CheckError, CheckOptions};
use crate::report::{CheckReport, CollectedReports, Validity};
use crate::stage::Question;
use crate::stage::StageReport;
use crate::table::{PreparedStage, StageName};

/// Finds the tools of one stage.
///
/// # Errors
/// When clang is missing.
pub fn prepare(name: StageName, options: &CheckOptions) -> Result<PreparedStage, CheckError> {
    Ok(PreparedStage::new(name, options.setup())?)
}

/// A check with its tools; several threads may use it at the same time.
pub struct KernelCheck {
    stages: Vec<TimedStage>,
    all_stages: bool,
    progress: Progress,
}

/// A stage with the time that it has taken so far.
struct TimedStage {
    stage: PreparedStage,
    /// The seconds of all runs, and their number.
    spent: Mutex<(f64, u32)>,
}

impl TimedStage {
    /// The mean time of a run in seconds; 0 before the first run.
    fn mean_seconds(&self) -> f64 {
        let (seconds, runs) = *self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        seconds / f64::from(runs.max(1))
    }

    fn run(&self, subject: &HostKernel, cancel: &Cancel) -> (StageReport, Duration) {
        let start = Instant::now();
        let report = self.stage.run(subject, Question::default(), cancel);
        let wall = start.elapsed();
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = (spent.0 + wall.as_secs_f64(), spent.1 + 1);
        (report, wall)
    }
}

impl KernelCheck {
    /// Finds the tools.
    ///
    /// # Errors
    /// When clang is missing.
    pub fn new(options: &CheckOptions) -> Result<Self, CheckError> {
        let timed = |name: &StageName| {
            Ok(TimedStage { stage: prepare(*name, options)?, spent: Mutex::default() })
        };
        let stages = options.stages.iter().map(timed).collect::<Result<_, CheckError>>()?;
        let progress = options.progress.clone();
        Ok(Self { stages, all_stages: options.all_stages, progress })
    }

    /// Checks one kernel with the stages for its language. The stage that was fastest on earlier kernels runs first.
    /// The order decides which of several findings comes first, never whether there is one.
    #[must_use]
    pub fn run(&self, subject: &HostKernel, cancel: &Cancel) -> CheckReport {
        let mut all = CollectedReports::default();
        let reads = |stage: &&TimedStage| stage.stage.name().suits(subject);
        let mut stages: Vec<(f64, &TimedStage)> =
            self.stages.iter().filter(reads).map(|stage| (stage.mean_seconds(), stage)).collect();
        stages.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let names: Vec<StageName> = stages.iter().map(|(_, stage)| stage.stage.name()).collect();
        for (index, (_, stage)) in stages.into_iter().enumerate() {
            self.progress.at(&format!("checking: {}", stage.stage.name().name()));
            let (report, wall) = stage.run(subject, cancel);
            all.add(&stage.stage, report, wall);
            let decided = all.decides(&names[index + 1..]).is_some();
            if cancel.is_cancelled() || decided && !self.all_stages {
                break;
            }
        }
        let may_be_valid = subject.has_chosen_arguments && all.only_runs_find();
        let mut report = all.report();
        if report.validity == Validity::Invalid && may_be_valid {
            report.validity = Validity::InvalidWithChosenArguments;
        }
        report
    }
}
