//! The configurations that build and run variants: a device with options, or commands. Both have a [`RunOutcome`].

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clreduce_check::HostKernel;
use clreduce_devices::{Device, DeviceWorker, WorkerOptions};
use clreduce_kernel::{
    Crash, KernelRun, Output, Plan, PlanError, ProgramKind, RunLimits, RunOutcome, Scalar,
    with_macros,
};
use clreduce_process::{Cancel, End, ToolRun, ToolRunner, describe_exit, quoted};
use clreduce_testcase::TestCase;

/// A configuration with its tools.
#[derive(Debug)]
pub(crate) struct RecipeConfiguration {
    pub name: String,
    pub means: Means,
    /// The memory that it may use, in bytes.
    pub memory: u64,
    /// The time limit in the recipe. Without one, the limit follows from the time of the original.
    pub timeout: Option<Duration>,
}

#[derive(Debug)]
pub(crate) enum Means {
    /// A device, by its place among the devices of the recipe, and all options of the build; whether it is a simulator,
    /// and whether its time limit is one of computing.
    Device { device: usize, options: String, simulated: bool, fair: bool },
    /// Commands for the shell.
    Commands { build: String, run: Option<String> },
}

/// A device with idle workers for it.
pub(crate) struct DevicePool {
    pub device: Device,
    options: WorkerOptions,
    idle: Mutex<Vec<DeviceWorker>>,
}

/// A variant, with everything that configurations need.
pub(crate) struct VariantProgram<'a> {
    pub case: &'a TestCase,
    /// The place of the file that is `{file}` in commands and runs on devices.
    pub file: usize,
    /// The launches of its kernels, or the reason that they are not known.
    pub plan: Result<Plan, PlanError>,
    /// The options for this program alone.
    pub options: &'a str,
}

/// An outcome with its time.
#[derive(Clone, Debug)]
pub(crate) struct ConfigurationRun {
    pub outcome: RunOutcome,
    /// Wall time, or processor time where limits are of computing.
    pub time: Duration,
}

impl<'a> VariantProgram<'a> {
    /// Makes the program of a file: the named one, which may be missing, or else the first kernel, or else the first
    /// file.
    pub(crate) fn new(
        case: &'a TestCase,
        named: Option<&str>,
        arguments: Option<&str>,
        options: &'a str,
    ) -> Option<Self> {
        let find = |is: &dyn Fn(&str) -> bool| case.files().iter().position(|file| is(&file.path));
        let file = match named {
            Some(named) => find(&|path| path == named)?,
            None => find(&|path| path.ends_with(".cl")).unwrap_or(0),
        };
        let source = &case.files().get(file)?.bytes;
        let runs = ProgramKind::of_file(case, file);
        let macros = shlex::split(options).unwrap_or_default();
        let plan = runs.plan(&with_macros(source, &macros), arguments);
        Some(Self { case, file, plan, options })
    }

    pub(crate) fn source(&self) -> &[u8] {
        self.case.files().get(self.file).map(|file| &*file.bytes).unwrap_or_default()
    }

    /// Returns the kernel that is checked; `None` where the program has none.
    pub(crate) fn subject(&self) -> Option<HostKernel> {
        let subject = HostKernel::planned(self.kind(), self.source().to_vec(), self.plan.clone());
        let options = shlex::split(self.options).unwrap_or_default();
        Some(subject.ok()?.with_signatures(&with_macros(self.source(), &options)))
    }

    pub(crate) fn kind(&self) -> ProgramKind {
        ProgramKind::of_file(self.case, self.file)
    }

    pub(crate) fn path(&self) -> &str {
        self.case.files().get(self.file).map(|file| &*file.path).unwrap_or_default()
    }
}

impl DevicePool {
    pub(crate) fn new(device: Device, options: WorkerOptions) -> Self {
        Self { device, options, idle: Mutex::new(Vec::new()) }
    }

    fn run(&self, run: &KernelRun, limit: Duration, cancel: &Cancel) -> ConfigurationRun {
        let take = || self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker =
            take().unwrap_or_else(|| DeviceWorker::new(self.options.clone(), self.device.clone()));
        let report = worker.run(run, RunLimits { build: limit, run: limit }, cancel);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        let time = report.computed.unwrap_or(report.build + report.run);
        ConfigurationRun { outcome: report.outcome, time }
    }
}

impl RecipeConfiguration {
    /// The place of its device.
    pub(crate) fn device(&self) -> Option<usize> {
        match self.means {
            Means::Device { device, .. } => Some(device),
            Means::Commands { .. } => None,
        }
    }

    /// Returns true if its time limit is one of computing, so that other work on the machine does not matter.
    pub(crate) fn is_timed_fairly(&self) -> bool {
        matches!(self.means, Means::Device { fair: true, .. })
    }

    /// Returns true if it is a simulator, whose result does not count.
    pub(crate) fn is_simulated(&self) -> bool {
        matches!(self.means, Means::Device { simulated: true, .. })
    }

    /// Builds and runs a program.
    pub(crate) fn run(
        &self,
        program: &VariantProgram<'_>,
        pools: &[DevicePool],
        bench: &ToolRunner,
        limit: Duration,
        cancel: &Cancel,
    ) -> ConfigurationRun {
        match &self.means {
            Means::Device { device, options, .. } => {
                let plan = match &program.plan {
                    Ok(plan) => plan,
                    Err(error) => {
                        let outcome = RunOutcome::RunFailure { reason: error.to_string() };
                        return ConfigurationRun { outcome, time: Duration::ZERO };
                    }
                };
                let run = KernelRun {
                    source: program.source().to_vec(),
                    options: format!("{options} {}", program.options).trim_end().to_owned(),
                    launches: plan.launches.clone(),
                    repeat: 1,
                };
                pools[*device].run(&run, limit, cancel)
            }
            Means::Commands { build, run } => {
                let mut bench = bench.within(Some(limit));
                bench.limits.memory_bytes = Some(self.memory);
                let expand = |line: &str| expand(line, program.path(), program.options);
                let (build, run) = (expand(build), run.as_deref().map(expand));
                let started = Instant::now();
                let outcome = run_commands(&build, run.as_deref(), program.case, &bench, cancel);
                ConfigurationRun { outcome, time: started.elapsed() }
            }
        }
    }
}

/// Builds a program by a command for the shell, and runs it by another, both in a fresh directory with its files, as the
/// configurations of recipes do. The limits of `tools` are for both together.
#[must_use]
pub fn run_commands(
    build: &str,
    run: Option<&str>,
    case: &TestCase,
    tools: &ToolRunner,
    cancel: &Cancel,
) -> RunOutcome {
    outcome_of(tools.shell(&one_line(build, run), case, cancel), run.is_some())
}

/// Replaces `{file}` and `{options}` in a command.
pub(crate) fn expand(line: &str, path: &str, options: &str) -> String {
    let quoted = quoted(path.as_ref());
    line.replace("{file}", &quoted).replace("{options}", options)
}

/// Printed on both streams between building and running.
const BUILT: &str = "clreduce: built";

/// Joins both commands, so that they run in one directory.
fn one_line(build: &str, run: Option<&str>) -> String {
    let echo = if cfg!(windows) {
        format!("echo {BUILT}&& echo {BUILT}>&2")
    } else {
        format!("echo '{BUILT}' && echo '{BUILT}' >&2")
    };
    without_symbols(&match run {
        Some(run) => format!("({build}) && {echo} && ({run})"),
        None => format!("({build}) && {echo}"),
    })
}

/// A line of the shell in which compilers that crash do not look up symbols.
pub(crate) fn without_symbols(line: &str) -> String {
    let quiet = if cfg!(windows) {
        "set LLVM_DISABLE_SYMBOLIZATION=1&&"
    } else {
        "export LLVM_DISABLE_SYMBOLIZATION=1;"
    };
    format!("{quiet} {line}")
}

fn outcome_of(ran: ToolRun, runs: bool) -> RunOutcome {
    let after = |text: &str| text.split_once(BUILT).map(|(_, after)| after.to_owned());
    let printed = after(&ran.stdout);
    let built = after(&ran.stderr).is_some();
    let said = if built { after(&ran.stderr).unwrap_or_default() } else { ran.stderr.clone() };
    let crash = |how: String| Crash { how, output: said.clone() };
    if let Some(how) = ran.end.crash() {
        let crash = crash(how);
        return if built { RunOutcome::RunCrash(crash) } else { RunOutcome::BuildCrash(crash) };
    }
    match ran.end {
        End::Cancelled => RunOutcome::Unresolved("cancelled".to_owned()),
        End::Failed(reason) => RunOutcome::Unresolved(reason),
        End::NotRun(reason) => RunOutcome::NotRun(reason),
        End::TimedOut if built => RunOutcome::RunTimeout,
        End::TimedOut => RunOutcome::BuildTimeout,
        End::Exited(0) if !runs => RunOutcome::Built,
        End::Exited(0) => {
            let text = printed.unwrap_or_default();
            RunOutcome::Results(vec![vec![printed_result(text.trim_start_matches(['\r', '\n']))]])
        }
        End::Exited(status @ (126 | 127 | 9009)) if !built => {
            RunOutcome::Unresolved(describe_exit(status))
        }
        // The exit status is a part of the result.
        End::Exited(status) if built => {
            let text = printed.unwrap_or_default();
            let text = format!("{}\nexit status {status}", text.trim_start_matches(['\r', '\n']));
            RunOutcome::Results(vec![vec![printed_result(&text)]])
        }
        End::Exited(status) if clreduce_crash::is_crash(&said) => {
            RunOutcome::BuildCrash(crash(describe_exit(status)))
        }
        End::Exited(_) | End::Signalled(_) => RunOutcome::BuildFailure { log: said },
    }
}

/// Makes an output of the text that a program printed.
fn printed_result(text: &str) -> Output {
    Output {
        kernel: String::new(),
        name: "standard output".to_owned(),
        scalar: Scalar::Uchar,
        bytes: text.as_bytes().to_vec(),
    }
}

/// Shows a result for people, and for a comparison with `reference` in a recipe: text as it is, numbers as `clreduce run`
/// shows them.
#[must_use]
pub fn show(outputs: &[Output]) -> String {
    let show = |output: &Output| {
        if output.kernel.is_empty() {
            String::from_utf8_lossy(&output.bytes).into_owned()
        } else {
            output.show()
        }
    };
    outputs.iter().map(show).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use clreduce_kernel::OutcomeClass;
    use clreduce_process::Limits;

    use super::*;

    fn class(build: &str, run: Option<&str>) -> OutcomeClass {
        let means = Means::Commands { build: build.to_owned(), run: run.map(str::to_owned) };
        let memory = 1 << 30;
        let configuration =
            RecipeConfiguration { name: "fake".into(), means, memory, timeout: None };
        let case = TestCase::single("my file.c", b"int x;\n".as_slice()).unwrap();
        let program = VariantProgram::new(&case, None, None, "").unwrap();
        let limits = Limits { output_bytes: 1 << 20, ..Limits::default() };
        let bench = ToolRunner::local(std::env::temp_dir(), None, limits);
        let limit = Duration::from_secs(2);
        configuration.run(&program, &[], &bench, limit, &Cancel::new()).outcome.class()
    }

    /// Compilers and programs that crash, hang, print without end, or have a misleading status.
    #[test]
    fn every_end_has_its_class() {
        use OutcomeClass::*;
        let cases: &[(&str, Option<&str>, OutcomeClass)] = &[
            ("grep -q int {file}", None, Built),
            ("grep -q float {file}", None, BuildFailure),
            ("kill -11 $$", None, BuildCrash),
            ("sh -c 'kill -6 $$'", None, BuildCrash),
            ("echo 'PLEASE submit a bug report' >&2; exit 1", None, BuildCrash),
            ("sleep 1000", None, BuildTimeout),
            ("yes", None, Unresolved),
            ("no-such-compiler {file}", None, Unresolved),
            ("exit 3 || true", Some("true"), BuildFailure),
            ("echo noise", Some("echo 7"), Result),
            ("true", Some("exit 3"), Result),
            ("true", Some("kill -11 $$"), RunCrash),
            ("true", Some("sleep 1000"), RunTimeout),
            ("true", Some("yes"), Unresolved),
        ];
        for (build, run, expected) in cases {
            assert_eq!(class(build, *run), *expected, "{build} {run:?}");
        }
    }

    #[test]
    fn what_the_build_prints_is_no_result() {
        let ran = ToolRun {
            end: End::Exited(0),
            stdout: format!("noise\n{BUILT}\n7\n"),
            stderr: format!("{BUILT}\n"),
        };
        let outcome = outcome_of(ran, true);
        assert_eq!(show(outcome.result().unwrap()), "7");
    }
}
