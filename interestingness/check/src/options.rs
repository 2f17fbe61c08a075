//! The options of a check, and the errors that prevent every check.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use clreduce_compiler::NoClang;
use clreduce_host::Order;
use clreduce_process::{Confinement, Limits, Progress, ToolRunner};
use thiserror::Error;

use crate::stage::StageSetup;
use crate::table::StageName;

/// The options of a check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The stages to run.
    pub stages: BTreeSet<StageName>,
    /// The time limit of one tool. A kernel that exceeds it even without instrumentation is invalid.
    pub timeout: Duration,
    /// The memory limit of one tool, in bytes.
    pub memory_bytes: Option<u64>,
    /// Options for compiling the kernel, such as `-DN=4` or `-I DIR`.
    pub build_options: Vec<String>,
    /// The clang to use; by default the best one found.
    pub clang: Option<PathBuf>,
    /// True if all stages run even after one has found something.
    pub all_stages: bool,
    /// True if two sanitizers run at the same time. This suits a check that has cores and memory to itself.
    pub side_by_side: bool,
    /// A program that calls [`worker_main`](clreduce_process::worker_main) before anything else. With it, each tool has
    /// a supervisor process.
    pub worker: Option<PathBuf>,
    /// A program that calls [`worker_main`](clreduce_process::worker_main) before anything else. With it, clang checks
    /// the first kernel only; libclang checks the others, in a process that keeps running, and clang compiles them for the
    /// sanitizers without starting each time.
    pub compile_worker: Option<PathBuf>,
    /// The folder for the directories in which tools run.
    pub temporary: PathBuf,
    /// The confinement of tools, and with them of the kernel.
    pub confinement: Confinement,
    /// The folder in which compiled parts of the host run-time are kept.
    pub cache: PathBuf,
    /// The most jumps that a work-group may make once it is asked whether the kernel ends; one that makes more counts as a
    /// kernel that does not end.
    pub most_jumps: Option<u64>,
    /// The orders of work-items, beside the usual one, in which a kernel runs whose result an order could change. The same
    /// orders give the same verdict.
    pub orders: Vec<Order>,
    /// Is told which stage runs.
    pub progress: Progress,
}

impl Default for CheckOptions {
    /// Runs all stages until one finds something, with a minute for each tool.
    fn default() -> Self {
        Self {
            stages: StageName::ALL.iter().copied().collect(),
            timeout: Duration::from_secs(60),
            memory_bytes: None,
            build_options: Vec::new(),
            clang: None,
            all_stages: false,
            side_by_side: false,
            worker: None,
            compile_worker: None,
            temporary: std::env::temp_dir(),
            confinement: Confinement::default(),
            cache: clreduce_host::default_cache(),
            most_jumps: None,
            orders: vec![Order::Reverse, Order::Shuffled(1), Order::Shuffled(2)],
            progress: Progress::default(),
        }
    }
}

impl CheckOptions {
    /// Everything of which a stage is made.
    pub(crate) fn setup(&self) -> StageSetup {
        StageSetup {
            tools: self.tools(),
            clang: self.clang.clone(),
            build_options: self.build_options.clone(),
            compile_worker: self.compile_worker.clone(),
            confinement: self.confinement.clone(),
            cache: self.cache.clone(),
            side_by_side: self.side_by_side,
            most_jumps: self.most_jumps,
            orders: self.orders.clone(),
        }
    }

    pub(crate) fn tools(&self) -> ToolRunner {
        let limits = Limits {
            time: Some(self.timeout),
            memory_bytes: self.memory_bytes,
            ..Limits::default()
        };
        let (temporary, worker) = (self.temporary.clone(), self.worker.clone());
        ToolRunner::confined(temporary, worker, limits, self.confinement.clone())
    }
}

/// The reason that no kernel can be checked at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// clang is missing.
    #[error(transparent)]
    NoClang(#[from] NoClang),
}
