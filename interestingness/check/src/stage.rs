//! A stage: one way to check a kernel, by one tool.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clreduce_compiler::{Clang, NoClang};
use clreduce_host::{HostKernel, Order};
use clreduce_kernel::Output;
use clreduce_process::worker::WorkerOptions;
use clreduce_process::{Cancel, Confinement, ToolRunner};
use clreduce_testcase::Feature;
use clreduce_tools::Tool;

use crate::finding::{FailureKind, Finding, FindingKind, StageFailure};

/// The facts about a stage: its row in the table of stages.
#[derive(Debug)]
pub struct StageInfo {
    /// The name that people read and write.
    pub name: &'static str,
    /// The features that a language must have so that the stage can check its kernels.
    pub needs: &'static [Feature],
    /// True if it watches the kernel run. If it does, a kind that it looks for and does not find refutes suspicions of
    /// that kind.
    pub executes: bool,
    /// True if it can check kernels that are given images.
    pub takes_images: bool,
    /// The kinds of which it sees every case that happens, and no other. Where it saw none, it is believed and not
    /// another stage that reports one.
    pub exact: &'static [FindingKind],
    /// True if a recipe demands, unless it says otherwise, that the original passes. A stage that only ever suspects
    /// should not.
    pub required: bool,
    /// The memory that its tools usually need, in bytes.
    pub memory_bytes: u64,
    /// The limit of one of its tools, as a multiple of the time that the whole stage takes for the original. A stage
    /// with cheap tools has a large one, as machines are busy now and then.
    pub limit_factor: u32,
    /// The tool that has to be installed, where clang does not suffice.
    pub tool: Option<&'static Tool>,
    /// Makes the stage.
    pub(crate) make: fn(StageSetup) -> Result<Box<dyn CheckStage>, NoClang>,
}

/// Everything of which a stage is made.
#[derive(Debug)]
pub(crate) struct StageSetup {
    /// Runs the tools, within their limits.
    pub tools: ToolRunner,
    /// The clang to use; by default the best one found.
    pub clang: Option<PathBuf>,
    /// Options for compiling the kernel.
    pub build_options: Vec<String>,
    /// The program whose worker processes hold libclang and clang.
    pub compile_worker: Option<PathBuf>,
    /// The confinement of these processes.
    pub confinement: Confinement,
    /// The folder in which compiled parts of the host run-time are kept.
    pub cache: PathBuf,
    /// True if two sanitizers run at the same time.
    pub side_by_side: bool,
    /// The most jumps of a work-group, where the number is bounded.
    pub most_jumps: Option<u64>,
    /// The orders of work-items, beside the usual one.
    pub orders: Vec<Order>,
}

impl StageSetup {
    pub(crate) fn clang(&self) -> Result<Clang, NoClang> {
        Clang::find(self.clang.as_deref(), &self.build_options)
    }

    /// The way in which worker processes that hold compilers are started, if they are.
    pub(crate) fn compile_workers(&self) -> Option<WorkerOptions> {
        let mut worker = WorkerOptions::new(self.compile_worker.clone()?);
        worker.temporary = self.tools.temporary().to_owned();
        // Compilers that have started load a part that is kept.
        worker.confinement = self.confinement.clone().with_readable([self.cache.clone()]);
        worker.start_limit = self.tools.limits.time.unwrap_or(worker.start_limit);
        Some(worker)
    }
}

/// One way to check a kernel.
pub trait CheckStage: Send + Sync {
    /// The kinds of findings that it looks for.
    fn looks_for(&self) -> BTreeSet<FindingKind>;

    /// Checks a kernel. Returns soon after `cancel`, with the findings so far.
    fn run(&self, subject: &HostKernel, question: Question<'_>, cancel: &Cancel) -> StageReport;
}

/// What a stage is asked about a kernel. By default, that is everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// A result; if it is the right one, the kernel is of no interest. A stage that finds that out may end early, with
    /// this result in its report.
    pub doubted: Option<&'a [Output]>,
    /// True if it suffices to know whether anything is wrong. Then findings may lack their lines, and some findings may
    /// be missing beside another one.
    pub verdict_only: bool,
}

/// The report of one stage on one kernel.
#[derive(Clone, Debug, Default)]
pub struct StageReport {
    /// The findings, each once.
    pub findings: Vec<Finding>,
    /// The failures of its tools.
    pub failures: Vec<StageFailure>,
    /// The kinds that the stage would have found. Kinds that it looks for and that are missing here remain open.
    pub checked: BTreeSet<FindingKind>,
    /// Remarks for people on a verdict: parts of the kernel that the stage does not look at.
    pub remarks: Vec<String>,
    /// The result of the kernel. Only a stage that ran it and found nothing wrong has it.
    pub result: Option<ComputedResult>,
}

/// The result of a kernel, computed by a run in which nothing wrong was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedResult {
    /// The buffers that the kernel wrote.
    pub outputs: Vec<Output>,
    /// True if every device that is right has this result: OpenCL leaves nothing of it to the device.
    pub is_only_right: bool,
}

impl ComputedResult {
    /// Returns true if these outputs are right for certain.
    #[must_use]
    pub fn confirms(&self, outputs: &[Output]) -> bool {
        self.is_only_right && self.outputs == outputs
    }
}

impl StageReport {
    /// Returns true if `doubted` is the right result for certain.
    #[must_use]
    pub fn confirms(&self, doubted: Option<&[Output]>) -> bool {
        self.result.as_ref().zip(doubted).is_some_and(|(result, doubted)| result.confirms(doubted))
    }

    /// A report that says only why nothing could be checked.
    pub(crate) fn failed(failure: StageFailure) -> Self {
        Self { failures: vec![failure], ..Self::default() }
    }

    /// A report on a kernel that the stage does not support.
    pub(crate) fn unsupported(tool: &'static str, message: impl Into<String>) -> Self {
        Self::failed(StageFailure { tool, kind: FailureKind::Unsupported, message: message.into() })
    }
}
