//! The stage that runs a kernel as a program of this machine, under clang's sanitizers.
//!
//! clang's own OpenCL front end compiles the kernel for the host, and a small run-time supplies work-items, barriers and
//! built-in functions. There are two instrumented builds: one for undefined behaviour, addresses and data races, one for
//! uninitialised values. Each is first built in the way that compiles fastest and tells only whether anything is wrong; if so, a second
//! build tells what and where. Where the program does not end soon, `endless.rs` tells whether it ever will; where the order
//! of work-items may matter, `orders.rs` runs it in other orders. Both builds must have the same result: see `evaluation.rs` and
//! `addresses.rs`.

mod addresses;
mod endless;
mod evaluation;
mod orders;
mod reports;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::thread;

use clreduce_compiler::{Clang, ForkServers};
use clreduce_host::{
    BuildDetail, Flavour, HostBuild, HostError, HostKernel, HostProgram, Order, Toolchain,
    watches_bounds, watches_races,
};
use clreduce_kernel::is_exact;
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};
use clreduce_testcase::{Feature, TokenKind, tokens};

use crate::expanded::expanded;
use crate::finding::{FailureKind, Finding, FindingKind, StageFailure};
use crate::stage::{CheckStage, ComputedResult, Question, StageInfo, StageReport, StageSetup};
use endless::Patience;

const TOOL: &str = "sanitizers";

pub(crate) const STAGE: StageInfo = StageInfo {
    name: "sanitize",
    needs: &[Feature::CheckedKernels],
    executes: true,
    takes_images: true,
    exact: &EXACT,
    required: true,
    memory_bytes: 2 << 30,
    limit_factor: 2,
    tool: None,
    make: |setup| {
        let clang = setup.clang()?;
        let forks = setup.compile_workers().map(ForkServers::new);
        let StageSetup { tools, cache, side_by_side, build_options, most_jumps, orders, .. } =
            setup;
        let is_exact = is_exact(build_options.join(" ").as_bytes());
        let patience = Patience::default();
        Ok(Box::new(Sanitize {
            clang,
            tools,
            cache,
            forks,
            side_by_side,
            is_exact,
            most_jumps,
            orders,
            patience,
        }))
    },
};

/// Not among them are accesses out of bounds, which can hit another variable, and accesses to variables that do not exist
/// any more, whose memory can have been used again.
const EXACT: [FindingKind; 10] = [
    FindingKind::Uninitialised,
    FindingKind::NullPointer,
    FindingKind::Misaligned,
    FindingKind::DataRace,
    FindingKind::Divergence,
    FindingKind::SignedOverflow,
    FindingKind::DivisionByZero,
    FindingKind::ClampRange,
    FindingKind::Conversion,
    FindingKind::ShiftCount,
];

#[derive(Debug)]
struct Sanitize {
    clang: Clang,
    tools: ToolRunner,
    cache: PathBuf,
    forks: Option<ForkServers>,
    side_by_side: bool,
    /// True if the macros of the build options bring nothing that devices may compute differently.
    is_exact: bool,
    /// The most jumps of a work-group, where the number is bounded.
    most_jumps: Option<u64>,
    /// The orders of work-items, beside the usual one.
    orders: Vec<Order>,
    patience: Patience,
}

/// The result of a run in one flavour.
enum FlavourResult {
    /// Nothing was found in these runs.
    Clean(Vec<ToolRun>),
    Findings(Vec<Finding>),
    /// A work-item does not go on until another one does something; with the line where it waits.
    Waits(Option<u32>),
    /// The program does not finish within the time limit; true if it does without the sanitizer.
    TimedOut(bool),
    Unclear(String),
}

/// A program without findings, and its runs.
type CleanProgram = (HostProgram, Vec<ToolRun>);

impl Sanitize {
    /// Returns the reason that a run under sanitizers would say nothing of the kernel, if there is one: an attribute with
    /// which clang leaves a function without instrumentation (clreduce's own declarations for CUDA have some), or a name of
    /// the run-time.
    fn hindrance(&self, subject: &HostKernel, cancel: &Cancel) -> Option<String> {
        let is_opencl = subject.language.has(Feature::OpenClWords);
        let text = if is_opencl {
            let (clang, language) = (self.clang.program(), self.clang.language());
            expanded(clang, language, &self.tools, subject, cancel)?
        } else {
            Cow::Borrowed(&*subject.source)
        };
        if let Some(name) = subject.reserved_name(&text) {
            return Some(format!(
                "the kernel uses the name `{name}`, and names that begin with `clreduce_` belong to clreduce's run-time; \
                 rename it"
            ));
        }
        let attribute = unwatched(&text).filter(|_| is_opencl)?;
        Some(format!(
            "a function of the kernel runs without sanitizers, because of its attribute `{attribute}`"
        ))
    }

    fn build(
        &self,
        flavour: Flavour,
        detail: BuildDetail,
        subject: &HostKernel,
        cancel: &Cancel,
    ) -> Result<HostProgram, HostError> {
        let (clang, tools, cache) = (&self.clang, &self.tools, &self.cache);
        let forks = self.forks.as_ref();
        let toolchain = Toolchain { clang, tools, cache, forks, cancel };
        let build = HostBuild { toolchain, subject, optimisation: "-O0" };
        build.program(flavour, detail)
    }

    /// Runs a program in one flavour. If anything is wrong, another build tells what and where, unless the first one has
    /// told enough.
    fn examine(
        &self,
        program: &HostProgram,
        (flavour, order): (Flavour, Order),
        subject: &HostKernel,
        question: Question<'_>,
        cancel: &Cancel,
    ) -> Result<FlavourResult, HostError> {
        let runs = if flavour == Flavour::Addresses {
            match self.run_to_the_end(program, order, subject, cancel)? {
                FlavourResult::Clean(runs) => runs,
                other => return Ok(other),
            }
        } else {
            program.run(order, &self.tools, cancel)?
        };
        if has_timed_out(&runs) {
            return Ok(FlavourResult::TimedOut(true));
        }
        if runs.iter().all(|ran| ran.end == End::Exited(0) && !reports::says_anything(&ran.stderr))
        {
            return Ok(FlavourResult::Clean(runs));
        }
        let findings = findings_of(program, &runs);
        if question.verdict_only && !findings.is_empty() {
            return Ok(FlavourResult::Findings(findings.into_iter().collect()));
        }
        let program = self.build(flavour, BuildDetail::Report, subject, cancel)?;
        let runs = program.run(order, &self.tools, cancel)?;
        let findings = findings_of(&program, &runs);
        let last = runs.last().map_or_else(String::new, ToolRun::trouble);
        Ok(match has_timed_out(&runs) {
            _ if !findings.is_empty() => FlavourResult::Findings(findings.into_iter().collect()),
            true => FlavourResult::TimedOut(true),
            false => FlavourResult::Unclear(format!(
                "the sanitizer stopped the program without a report: {last}"
            )),
        })
    }

    /// Builds and runs the kernel in one flavour.
    fn run_flavour(
        &self,
        flavour: Flavour,
        subject: &HostKernel,
        question: Question<'_>,
        cancel: &Cancel,
    ) -> Result<(HostProgram, FlavourResult), HostError> {
        let program = self.build(flavour, BuildDetail::Verdict, subject, cancel)?;
        let result =
            self.examine(&program, (flavour, Order::Forward), subject, question, cancel)?;
        Ok((program, result))
    }

    /// Runs the flavour for memory, in another order of evaluation if there is one.
    fn run_memory(
        &self,
        subject: &HostKernel,
        moved: Option<&HostKernel>,
        question: Question<'_>,
        cancel: &Cancel,
    ) -> Result<(HostProgram, FlavourResult), HostError> {
        match self.run_flavour(Flavour::Memory, moved.unwrap_or(subject), question, cancel) {
            // What is moved need not have a type that a variable can have.
            Err(HostError::Kernel(_)) if moved.is_some() => {
                self.run_flavour(Flavour::Memory, subject, question, cancel)
            }
            result => result,
        }
    }

    /// Returns the result of a program, if it prints it.
    fn result(
        &self,
        (program, runs): &CleanProgram,
        subject: &HostKernel,
    ) -> Option<ComputedResult> {
        let is_only_right = self.is_exact && subject.has_one_result();
        let outputs = program.prints_results().then(|| program.outputs(runs))?;
        Some(ComputedResult { outputs, is_only_right })
    }

    /// Runs one flavour and, if it finds nothing and the doubted result is not right, the other one, which may run
    /// already; then, where the order of work-items may matter, other orders.
    fn run_all(
        &self,
        subject: &HostKernel,
        question: Question<'_>,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<(), HostError> {
        let needless = Cancel::new();
        let _hook = cancel.on_cancel({
            let needless = needless.clone();
            move || needless.cancel()
        });
        let other = LazyLock::new(|| subject.in_other_order());
        let run_memory = || {
            let moved = (*other).as_ref().map(|(moved, _)| moved);
            self.run_memory(subject, moved, question, &needless)
        };
        thread::scope(|scope| {
            // Where the system gives no thread, it is done later.
            let spawn = || thread::Builder::new().spawn_scoped(scope, run_memory).ok();
            let begun = self.side_by_side.then(spawn).flatten();
            let result = self.run_flavour(Flavour::Addresses, subject, question, cancel);
            let clean = result.map(|result| self.add(Flavour::Addresses, result, subject, report));
            let Ok(Some(addresses)) = clean else {
                needless.cancel();
                return clean.map(drop);
            };
            report.result = self.result(&addresses, subject);
            if report.confirms(question.doubted) {
                needless.cancel();
                return Ok(());
            }
            let right = report.result.take();
            let result = match begun {
                Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                None => run_memory(),
            };
            let Some(memory) = self.add(Flavour::Memory, result?, subject, report) else {
                return Ok(());
            };
            if let Some((_, lines)) = &*other {
                let both = [&addresses, &memory];
                let found = self.evaluation_order(both, lines, subject, question, cancel)?;
                report.findings.extend(found);
            }
            if report.findings.is_empty() {
                report.findings.extend(addresses::difference(&addresses, &memory));
            }
            self.run_in_other_orders(addresses, subject, question, cancel, report)?;
            // The result counts only if runs in other orders were compared, and the runs of both flavours agree.
            let is_one = report.findings.is_empty()
                && report.checked.contains(&FindingKind::OrderDependence)
                && self.result(&memory, subject) == right;
            report.result = right.filter(|_| is_one);
            Ok(())
        })
    }

    /// Adds the result of one flavour to the report. Returns the program if nothing was found.
    fn add(
        &self,
        flavour: Flavour,
        (program, result): (HostProgram, FlavourResult),
        subject: &HostKernel,
        report: &mut StageReport,
    ) -> Option<CleanProgram> {
        let (findings, runs) = match result {
            FlavourResult::Clean(runs) => (Vec::new(), Some(runs)),
            FlavourResult::Findings(findings) => (findings, None),
            other => {
                if matches!(other, FlavourResult::TimedOut(true)) {
                    report.checked.insert(FindingKind::NonTermination);
                }
                report.failures.extend(failure(flavour, other));
                return None;
            }
        };
        report.findings.extend(findings);
        report.checked.extend(looks_for(flavour));
        if !subject.launches.as_ref().is_ok_and(|launches| watches_races(launches)) {
            report.checked.remove(&FindingKind::DataRace);
        }
        if !watches_bounds(&self.clang, subject) {
            report.checked.remove(&FindingKind::OutOfBounds);
        }
        runs.map(|runs| (program, runs))
    }
}

/// Returns the failure of a run that says nothing about the kernel.
fn failure(flavour: Flavour, result: FlavourResult) -> Option<StageFailure> {
    let (kind, message) = match result {
        FlavourResult::Clean(_) | FlavourResult::Findings(_) => return None,
        FlavourResult::Unclear(reason) => (FailureKind::ToolFailed, reason),
        FlavourResult::Waits(line) => {
            let place = line.map_or_else(String::new, |line| format!(" at line {line}"));
            let message = format!(
                "a work-item waits{place} until another one changes memory: the kernel needs a fair scheduler; work-items run \
                 one after another here, so it is not known whether the loop ends"
            );
            (FailureKind::Unsupported, message)
        }
        FlavourResult::TimedOut(ends) => {
            let message = "the program does not finish within the time limit with this sanitizer";
            let but = if ends { ", but does without it" } else { "" };
            (FailureKind::Stopped, format!("{message}{but}"))
        }
    };
    Some(StageFailure { tool: flavour.tool(), kind, message })
}

/// The findings in what runs of a program have printed.
fn findings_of(program: &HostProgram, runs: &[ToolRun]) -> BTreeSet<Finding> {
    let symbols = program.symbols();
    runs.iter().flat_map(|ran| reports::parse(&ran.stderr, &symbols)).collect()
}

fn has_timed_out(runs: &[ToolRun]) -> bool {
    runs.iter().any(|ran| ran.end == End::TimedOut)
}

/// Returns the kinds of findings that a run in this flavour would have shown.
fn looks_for(flavour: Flavour) -> BTreeSet<FindingKind> {
    match flavour {
        Flavour::Plain | Flavour::Steps | Flavour::Reaches => [FindingKind::NonTermination].into(),
        Flavour::Addresses => {
            let inexact = [
                FindingKind::OutOfBounds,
                FindingKind::Lifetime,
                FindingKind::NonTermination,
                FindingKind::Aliasing,
            ];
            let others = EXACT.into_iter().filter(|kind| *kind != FindingKind::Uninitialised);
            others.chain(inexact).collect()
        }
        // Its operands are evaluated in the other order.
        Flavour::Memory => [FindingKind::Uninitialised, FindingKind::EvaluationOrder].into(),
    }
}

impl CheckStage for Sanitize {
    fn looks_for(&self) -> BTreeSet<FindingKind> {
        let mut kinds = looks_for(Flavour::Addresses);
        kinds.extend(looks_for(Flavour::Memory));
        kinds.insert(FindingKind::OrderDependence);
        kinds
    }

    fn run(&self, subject: &HostKernel, question: Question<'_>, cancel: &Cancel) -> StageReport {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return StageReport::unsupported(
                TOOL,
                "the sanitizers run kernels on x86-64 Linux only",
            );
        }
        if let Some(hindrance) = self.hindrance(subject, cancel) {
            return StageReport::unsupported(TOOL, hindrance);
        }
        let mut report = StageReport::default();
        if subject.has_code_for_device() {
            let remark = "the kernel ran as the compiler of the host sees it; what `__CUDA_ARCH__` chooses for a device \
                          was compiled and not executed";
            report.remarks.push(remark.to_owned());
        }
        if subject.has_dynamic_memory() {
            let remark = "the launch decides how large `extern __shared__` arrays are; here they have 48 KiB";
            report.remarks.push(remark.to_owned());
        }
        if let Err(error) = self.run_all(subject, question, cancel, &mut report) {
            report.failures.push(failure_of(&error));
        }
        report
    }
}

/// Attributes of functions whose code clang does not instrument: those that say so, and those without an ordinary body.
const UNWATCHED: [&str; 8] = [
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_memory",
    "no_sanitize_thread",
    "no_address_safety_analysis",
    "disable_sanitizer_instrumentation",
    "naked",
    "ifunc",
];

/// Returns such an attribute of a program as the compiler sees it, if it has one. Attributes can be spelled with
/// underscores around them.
fn unwatched(text: &[u8]) -> Option<&'static str> {
    let words = tokens(text).filter(|token| token.kind == TokenKind::Word);
    let mut names = words.filter_map(|token| std::str::from_utf8(&text[token.range()]).ok());
    names.find_map(|name| {
        let plain = name.trim_matches('_');
        UNWATCHED.into_iter().find(|known| *known == plain)
    })
}

/// The failure of the stage for which no program was built, or the program could not run.
fn failure_of(error: &HostError) -> StageFailure {
    let kind = match error {
        HostError::BuiltIns(_)
        | HostError::SubGroups(_)
        | HostError::Launch(_)
        | HostError::Start(_) => FailureKind::Unsupported,
        HostError::Kernel(ran) => StageFailure::of_run(TOOL, "clang", ran).kind,
        _ => FailureKind::ToolFailed,
    };
    StageFailure { tool: TOOL, kind, message: error.to_string() }
}
