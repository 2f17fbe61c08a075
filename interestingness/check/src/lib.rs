//! Whether a kernel is valid: stages of tools, cheap ones first.
//!
//! A stage only ever *finds*: what none of them finds, and all of them could have seen, is valid. Each
//! says which kinds of findings it looks for and, after a run, which of them it could really look for.
//! Where a tool crashed or does not know a built-in, another stage that saw the same kind stands in;
//! otherwise nothing can be said.

mod analyze;
mod compile;
mod finding;
mod preprocess;
mod sanitize;
mod simulate;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clreduce_compiler::{Clang, NoClang};
use clreduce_process::{Cancel, Limits, ToolRunner};
use clreduce_testcase::Language;
use serde::Serialize;
use thiserror::Error;

pub use analyze::Analyze;
pub use clreduce_host::{Subject, SubjectError};
pub use compile::Compile;
pub use finding::{Certainty, Failure, Finding, Kind};
pub use preprocess::{needs_preprocessing, preprocess};
pub use sanitize::Sanitize;
pub use simulate::Simulate;

/// The stages, in order of cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageName {
    /// clang's warnings.
    Compile,
    /// The Clang Static Analyzer.
    Analyze,
    /// The kernel as a host program under clang's sanitizers.
    Sanitize,
    /// Oclgrind.
    Simulate,
}

impl StageName {
    /// Every stage, cheapest first.
    pub const ALL: [Self; 4] = [Self::Compile, Self::Analyze, Self::Sanitize, Self::Simulate];

    /// The name that people read and write.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Analyze => "analyze",
            Self::Sanitize => "sanitize",
            Self::Simulate => "simulate",
        }
    }

    /// Whether it can look at programs in that language.
    #[must_use]
    pub fn reads(self, language: Language) -> bool {
        match language {
            Language::OpenCl => true,
            Language::Cuda => matches!(self, Self::Compile | Self::Sanitize),
            Language::C | Language::Text => false,
        }
    }
}

impl FromStr for StageName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|stage| stage.name() == text)
            .ok_or_else(|| format!("`{text}` is no stage; there are {names}"))
    }
}

/// What one stage says of one kernel.
#[derive(Clone, Debug, Default)]
pub struct StageReport {
    /// What is wrong, each once.
    pub findings: Vec<Finding>,
    /// What went wrong with the tools.
    pub failures: Vec<Failure>,
    /// The kinds that it would have reported. Kinds that it looks for and that are not here remain open.
    pub checked: BTreeSet<Kind>,
}

impl StageReport {
    /// Nothing could be looked at.
    fn failed(tool: &'static str, message: impl Into<String>) -> Self {
        Self { failures: vec![Failure { tool, message: message.into() }], ..Self::default() }
    }
}

/// One way to look at a kernel.
pub trait Stage: Send + Sync {
    /// Which one it is.
    fn name(&self) -> StageName;

    /// The kinds of findings it looks for.
    fn looks_for(&self) -> BTreeSet<Kind>;

    /// Whether it watches the kernel run, so that not finding a kind refutes suspicions of it.
    fn runs(&self) -> bool;

    /// Looks at a kernel. Returns soon after `cancel`, with whatever it has.
    fn run(&self, subject: &Subject, cancel: &Cancel) -> StageReport;
}

/// How a check is made.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The stages to run.
    pub stages: BTreeSet<StageName>,
    /// Longest time for one tool. A kernel that, compiled plainly for the host, runs longer is invalid.
    pub timeout: Duration,
    /// Memory for one tool, in bytes.
    pub memory_bytes: Option<u64>,
    /// Options for the kernel's compilation, such as `-DN=4` or `-I DIR`.
    pub build_options: Vec<String>,
    /// The clang to use; by default the newest one found.
    pub clang: Option<PathBuf>,
    /// Goes on to the more costly stages when one has found something.
    pub all_stages: bool,
    /// Runs two sanitizers at a time: for a check that need not share its cores and its memory with others.
    pub side_by_side: bool,
    /// A program that calls [`worker_main`](clreduce_process::worker_main) first thing. With it, each tool has a
    /// supervisor.
    pub worker: Option<PathBuf>,
    /// A program that calls [`worker_main`](clreduce_process::worker_main) first thing. With it, clang is started for
    /// the first kernel only, and a process that stays has libclang look at the others.
    pub compile_worker: Option<PathBuf>,
    /// Where the tools' directories go.
    pub temporary: PathBuf,
    /// Where compiled parts of the run-time are kept from one check to the next.
    pub cache: PathBuf,
}

impl Default for CheckOptions {
    /// All stages until one finds something, a minute for each tool.
    fn default() -> Self {
        Self {
            stages: StageName::ALL.into_iter().collect(),
            timeout: Duration::from_secs(60),
            memory_bytes: None,
            build_options: Vec::new(),
            clang: None,
            all_stages: false,
            side_by_side: false,
            worker: None,
            compile_worker: None,
            temporary: std::env::temp_dir(),
            cache: clreduce_host::default_cache(),
        }
    }
}

impl CheckOptions {
    fn tools(&self) -> ToolRunner {
        let limits = Limits {
            time: Some(self.timeout),
            memory_bytes: self.memory_bytes,
            ..Limits::default()
        };
        ToolRunner::local(self.temporary.clone(), self.worker.clone(), limits)
    }
}

/// The reason that no check can be made at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// There is no clang.
    #[error(transparent)]
    NoClang(#[from] NoClang),
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// Everything that should have been looked at was, and nothing was found.
    Valid,
    /// Something was found.
    Invalid,
    /// Nothing certain was found, but not everything could be looked at, or a suspicion remains.
    Unresolved,
}

/// What was found out about one kernel.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The answer.
    pub validity: Validity,
    /// What is wrong, each thing once.
    pub findings: Vec<Finding>,
    /// Suspicions that a run has refuted.
    pub refuted: Vec<Finding>,
    /// What went wrong with the tools.
    pub failures: Vec<Failure>,
    /// Kinds that nobody could look for.
    pub unchecked: BTreeSet<Kind>,
    /// The stages that ran, with their wall time in seconds.
    pub stages: Vec<(StageName, f64)>,
}

/// One stage with its tools.
///
/// # Errors
/// When there is no clang.
pub fn stage(name: StageName, options: &CheckOptions) -> Result<Box<dyn Stage>, CheckError> {
    let tools = options.tools();
    let clang = || Clang::find(options.clang.as_deref(), &options.build_options);
    Ok(match name {
        StageName::Compile => {
            Box::new(Compile::new(clang()?, tools, options.compile_worker.clone()))
        }
        StageName::Analyze => Box::new(Analyze::new(clang()?, tools)),
        StageName::Sanitize => Box::new(Sanitize::new(clang()?, tools, options)),
        StageName::Simulate => Box::new(Simulate::new(tools, options.build_options.clone())),
    })
}

/// A check that is ready to look at kernels; calls may come from several threads.
pub struct Check {
    stages: Vec<Timed>,
    all_stages: bool,
}

/// A stage, and what it has cost so far.
struct Timed {
    stage: Box<dyn Stage>,
    /// Seconds of all runs, and how many there were.
    spent: Mutex<(f64, u32)>,
}

impl Timed {
    /// Seconds of a run, as far as is known; 0 for one that has not been tried.
    fn mean_seconds(&self) -> f64 {
        let (seconds, runs) = *self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        seconds / f64::from(runs.max(1))
    }

    fn run(&self, subject: &Subject, cancel: &Cancel) -> (StageReport, Duration) {
        let start = Instant::now();
        let report = self.stage.run(subject, cancel);
        let wall = start.elapsed();
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = (spent.0 + wall.as_secs_f64(), spent.1 + 1);
        (report, wall)
    }
}

impl Check {
    /// Finds the tools.
    ///
    /// # Errors
    /// When there is no clang.
    pub fn new(options: &CheckOptions) -> Result<Self, CheckError> {
        let timed =
            |name: &StageName| Ok(Timed { stage: stage(*name, options)?, spent: Mutex::default() });
        let stages = options.stages.iter().map(timed).collect::<Result<_, CheckError>>()?;
        Ok(Self { stages, all_stages: options.all_stages })
    }

    /// Looks at one kernel with the stages that read its language, the cheapest first: which that is, the kernels
    /// before have shown. The order decides which of several findings comes first, never whether there is one.
    #[must_use]
    pub fn run(&self, subject: &Subject, cancel: &Cancel) -> Report {
        let mut all = Gathered::default();
        let reads = |stage: &&Timed| suits(subject, stage.stage.name());
        let mut stages: Vec<(f64, &Timed)> =
            self.stages.iter().filter(reads).map(|stage| (stage.mean_seconds(), stage)).collect();
        stages.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        for (_, stage) in stages {
            let (report, wall) = stage.run(subject, cancel);
            all.add(stage.stage.as_ref(), report, wall);
            let decided = all.findings.iter().any(Finding::is_certain);
            if cancel.is_cancelled() || decided && !self.all_stages {
                break;
            }
        }
        all.report()
    }
}

/// What the stages so far have said, put together.
#[derive(Debug, Default)]
pub struct Gathered {
    findings: BTreeSet<Finding>,
    failures: Vec<Failure>,
    looked_for: BTreeSet<Kind>,
    checked: BTreeSet<Kind>,
    /// Checked by a stage that ran the kernel.
    watched: BTreeSet<Kind>,
    stages: Vec<(StageName, f64)>,
}

impl Gathered {
    /// Adds what a stage said.
    pub fn add(&mut self, stage: &dyn Stage, report: StageReport, wall: Duration) {
        self.stages.push((stage.name(), wall.as_secs_f64()));
        self.looked_for.extend(stage.looks_for());
        if stage.runs() {
            self.watched.extend(report.checked.iter().copied());
        }
        self.checked.extend(report.checked);
        self.findings.extend(report.findings);
        self.failures.extend(report.failures);
    }

    /// Adds what others have said.
    pub fn merge(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.failures.extend(other.failures);
        self.looked_for.extend(other.looked_for);
        self.checked.extend(other.checked);
        self.watched.extend(other.watched);
        self.stages.extend(other.stages);
    }

    /// Why nobody could look for anything, where that is so.
    #[must_use]
    pub fn blind(&self) -> Option<String> {
        let failure = self.failures.first().filter(|_| self.checked.is_empty())?;
        Some(format!("{}: {}", failure.tool, failure.message))
    }

    /// Suspicions that a run has refuted are put aside.
    #[must_use]
    pub fn report(self) -> Report {
        let is_refuted = |finding: &Finding| {
            finding.certainty == Certainty::Suspected && self.watched.contains(&finding.kind)
        };
        let (refuted, findings): (Vec<_>, Vec<_>) = self.findings.into_iter().partition(is_refuted);
        let unchecked: BTreeSet<Kind> =
            self.looked_for.difference(&self.checked).copied().collect();
        let validity = if findings.iter().any(Finding::is_certain) {
            Validity::Invalid
        } else if !findings.is_empty() || !unchecked.is_empty() || self.stages.is_empty() {
            Validity::Unresolved
        } else {
            Validity::Valid
        };
        let failures = self.failures;
        Report { validity, findings, refuted, failures, unchecked, stages: self.stages }
    }
}

/// Whether a stage can look at a kernel. Programs in CUDA that nobody knows how to launch are compiled only.
#[must_use]
pub fn suits(subject: &Subject, stage: StageName) -> bool {
    let is_run = subject.language == Language::OpenCl || subject.launches.is_ok();
    stage.reads(subject.language) && (is_run || stage == StageName::Compile)
}

/// The line `KERNEL:LINE:COLUMN: ` at the start of a diagnostic of clang, and what follows.
fn split_location(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix(clreduce_host::FILE)?.strip_prefix(':')?;
    let (number, rest) = rest.split_once(':')?;
    let (column, rest) = rest.split_once(": ")?;
    column.parse::<u32>().ok()?;
    Some((number.parse().ok()?, rest))
}
