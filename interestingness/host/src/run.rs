//! A run of a kernel, compiled plainly for this machine: a configuration beside those of devices.

use std::ffi::OsString;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use clreduce_compiler::Clang;
use clreduce_kernel::{KernelRun, Output, Plan, ProgramKind, RunLimits, RunOutcome, RunReport};
use clreduce_process::{Cancel, Crash, End, ToolRun, ToolRunner, describe_exit, describe_signal};

use crate::FILE;
use crate::build::{HostBuild, HostProgram};
use crate::cache::default_cache;
use crate::error::HostError;
use crate::flavour::{BuildDetail, Flavour};
use crate::order::Order;
use crate::subject::{HostKernel, HostKernelError};
use crate::toolchain::Toolchain;

/// The status of the run-time when the work-items of a group do not meet at a barrier.
pub(crate) const EXIT_DIVERGENCE: i32 = 90;
/// The status of the run-time when a work-item never ends.
pub(crate) const EXIT_ENDLESS: i32 = 94;

/// Returns whether kernels can be run on such a system.
#[must_use]
pub fn is_supported() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64"))
}

/// The best clang there is; looked for once.
#[must_use]
pub fn clang() -> Option<&'static Clang> {
    static CLANG: OnceLock<Option<Clang>> = OnceLock::new();
    CLANG.get_or_init(|| Clang::find(None, &[]).ok()).as_ref()
}

/// Compiles and runs a kernel of this kind. It is optimised, unless an option [says otherwise](ProgramKind::no_opt).
#[must_use]
pub fn run(
    kind: ProgramKind,
    tools: &ToolRunner,
    run: &KernelRun,
    limits: RunLimits,
    cancel: &Cancel,
) -> RunReport {
    let started = Instant::now();
    let program = build(kind, &tools.within(Some(limits.build)), run, cancel);
    let build = started.elapsed();
    let outcome = match program {
        Ok(_) if run.launches.is_empty() => RunOutcome::Built,
        Ok(program) => repeat(&program, &tools.within(Some(limits.run)), run.repeat, cancel),
        Err(outcome) => outcome,
    };
    RunReport { outcome, build, run: started.elapsed().saturating_sub(build), computed: None }
}

fn build(
    kind: ProgramKind,
    tools: &ToolRunner,
    run: &KernelRun,
    cancel: &Cancel,
) -> Result<HostProgram, RunOutcome> {
    let unresolved = |reason: &str| RunOutcome::Unresolved(reason.to_owned());
    let clang = clang().ok_or_else(|| unresolved("there is no clang"))?;
    let mut options = shlex::split(&run.options)
        .ok_or_else(|| unresolved("a quotation in the build options does not end"))?;
    let all = options.len();
    options.retain(|option| option != kind.no_opt());
    let optimisation = if options.len() < all { "-O0" } else { "-O2" };
    let launches = run.launches.clone();
    let subject = match kind {
        ProgramKind::OpenCl => HostKernel::launched(&run.source[..], Ok(launches)),
        _ => {
            let plan = Plan { launches, compile_only: None, is_chosen: false };
            HostKernel::planned(kind, &run.source[..], Ok(plan))
        }
    };
    let subject = subject.map_err(|error| RunOutcome::RunFailure { reason: error.to_string() })?;
    if let Some(name) = subject.reserved_name(&subject.source) {
        let reason = format!("the kernel uses the name `{name}`, which belongs to clreduce");
        return Err(RunOutcome::RunFailure { reason });
    }
    let clang = clang.with(&options);
    let cache = default_cache();
    let toolchain = Toolchain { clang: &clang, tools, cache: &cache, forks: None, cancel };
    let subject = with_types_of_clang(subject, toolchain);
    if kind == ProgramKind::OpenCl && subject.kernels.is_empty() {
        return Err(RunOutcome::RunFailure { reason: HostKernelError::NoKernel.to_string() });
    }
    let build = HostBuild { toolchain, subject: &subject, optimisation };
    build.program(Flavour::Plain, BuildDetail::Verdict).map_err(|error| match error {
        HostError::Kernel(ran) => build_outcome(&ran),
        error @ (HostError::Launch(_) | HostError::Start(_)) => {
            RunOutcome::RunFailure { reason: error.to_string() }
        }
        error @ HostError::Io(_) => RunOutcome::NotRun(error.to_string()),
        error => RunOutcome::Unresolved(error.to_string()),
    })
}

/// The same kernel; macros may be its name or types of its parameters, and conditionals decide about them.
fn with_types_of_clang(subject: HostKernel, toolchain: Toolchain<'_>) -> HostKernel {
    let has_directives = subject.source.split(|&byte| byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        line.starts_with(b"#") && !line.starts_with(b"#pragma")
    });
    if subject.is_cuda() || !(has_directives || subject.kernels.is_empty()) {
        return subject;
    }
    let mut args = toolchain.clang.language();
    args.extend(["-E", "-P", "-w", "-cl-no-stdinc", FILE].map(OsString::from));
    let ran = toolchain.run_clang(args, &subject.files);
    match ran.end {
        End::Exited(0) => subject.with_signatures(ran.stdout.as_bytes()),
        _ => subject,
    }
}

fn build_outcome(ran: &ToolRun) -> RunOutcome {
    let crash = |how| RunOutcome::BuildCrash(Crash { how, output: ran.stderr.trim().to_owned() });
    match ran.end {
        End::Exited(1) if ran.stderr.contains(": error: ") => {
            RunOutcome::BuildFailure { log: ran.stderr.trim().to_owned() }
        }
        End::Exited(code) => crash(describe_exit(code)),
        End::Signalled(signal) => crash(describe_signal(signal)),
        End::TimedOut => RunOutcome::BuildTimeout,
        End::Cancelled | End::Failed(_) => RunOutcome::Unresolved(ran.trouble()),
        End::NotRun(_) => RunOutcome::NotRun(ran.trouble()),
    }
}

fn repeat(program: &HostProgram, tools: &ToolRunner, times: u32, cancel: &Cancel) -> RunOutcome {
    let mut results: Vec<Vec<Output>> = Vec::new();
    let deadline = tools.limits.time.and_then(|limit| Instant::now().checked_add(limit));
    for _ in 0..times.max(1) {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let tools = tools.within(left);
        if left.is_some_and(|left| left < Duration::from_millis(1)) {
            return RunOutcome::RunTimeout;
        }
        match once(program, &tools, cancel) {
            Ok(outputs) if results.contains(&outputs) => {}
            Ok(outputs) => results.push(outputs),
            Err(outcome) => return outcome,
        }
    }
    RunOutcome::Results(results)
}

fn once(
    program: &HostProgram,
    tools: &ToolRunner,
    cancel: &Cancel,
) -> Result<Vec<Output>, RunOutcome> {
    let runs = program.run(Order::Forward, tools, cancel);
    let runs = runs.map_err(|error| RunOutcome::Unresolved(error.to_string()))?;
    for ran in &runs {
        match ran.end {
            End::NotRun(_) => return Err(RunOutcome::NotRun(ran.trouble())),
            End::Exited(0) => {}
            End::Exited(EXIT_DIVERGENCE) => {
                let reason = "the work-items of a group do not meet at a barrier".to_owned();
                return Err(RunOutcome::RunFailure { reason });
            }
            End::TimedOut => return Err(RunOutcome::RunTimeout),
            End::Signalled(signal) => {
                let (how, output) = (describe_signal(signal), ran.stderr.trim().to_owned());
                return Err(RunOutcome::RunCrash(Crash { how, output }));
            }
            _ => return Err(RunOutcome::Unresolved(ran.trouble())),
        }
    }
    Ok(program.outputs(&runs))
}
