//! The stages of a recipe that only reject: checks of validity, and commands of the user.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use clreduce_check::{
    CheckError, CheckOptions, CollectedReports, FailureKind, Finding, FindingKind, HostKernel,
    PreparedStage, Question, StageFailure, StageName,
};
use clreduce_process::{Cancel, End, ToolRunner};

use crate::configuration::{VariantProgram, expand};
use crate::format::RequiredRuns;
use crate::pin::StageVerdict;
use crate::shown::sanitizer_report;

#[derive(Clone, Debug)]
pub(crate) struct RecipeStage {
    pub name: String,
    pub does: StageKind,
    /// True if the original must pass.
    pub required: bool,
    /// The memory that it may use, in bytes.
    pub memory: u64,
    /// The time limit in the recipe. Without one, the limit follows from the time of the original.
    pub timeout: Option<Duration>,
    pub confirm: RequiredRuns,
    /// Its place in the text of the recipe. A stage that the preset implies has none.
    pub at: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum StageKind {
    /// The interpreter, which can decide alone: see [`crate::expected`].
    Expected,
    Check(StageName),
    Command(String),
}

/// The findings in the original that are tolerated in variants.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tolerated {
    /// The kinds that no stage could check in the original.
    pub unchecked: BTreeSet<FindingKind>,
    /// The kinds of suspicions of the original that no run could refute.
    pub suspected: BTreeSet<FindingKind>,
    /// The portability warnings for the original, as in `-Wzero-length-array`.
    pub warnings: BTreeSet<String>,
    /// The code of the original that only a device executes, as tokens. No check executes it. A variant may leave out any of
    /// it, and has no other.
    pub for_device: BTreeSet<String>,
}

impl Tolerated {
    fn covers(&self, finding: &Finding) -> bool {
        match finding.kind {
            FindingKind::NonPortable => {
                warning_of(finding).is_some_and(|warning| self.warnings.contains(warning))
            }
            kind => !finding.is_certain() && self.suspected.contains(&kind),
        }
    }

    /// Returns what only a device executes in a kernel, and is not in the original, if there is any.
    fn changed_for_device(&self, kernel: &HostKernel) -> Option<String> {
        kernel.code_for_device().into_iter().find(|code| !self.for_device.contains(code))
    }

    /// Tolerates the portability warnings among the findings. Returns the new ones.
    pub(crate) fn warnings_of(&mut self, findings: &[Finding]) -> Vec<String> {
        let portable = |finding: &&Finding| finding.kind == FindingKind::NonPortable;
        let new = findings.iter().filter(portable).filter_map(warning_of);
        new.filter(|warning| self.warnings.insert((*warning).to_owned()))
            .map(str::to_owned)
            .collect()
    }
}

/// Returns the flag at the end of a message of clang, as in `-Wzero-length-array`.
fn warning_of(finding: &Finding) -> Option<&str> {
    let (_, last) = finding.message.rsplit_once('[')?;
    Some(last.trim_end_matches(']')).filter(|word| word.starts_with("-W"))
}

impl RecipeStage {
    /// The memory of a stage where the recipe does not say, in bytes.
    pub(crate) fn usual_memory(does: &StageKind) -> u64 {
        match does {
            StageKind::Expected => 1 << 28,
            StageKind::Check(name) => name.info().memory_bytes,
            StageKind::Command(_) => 2 << 30,
        }
    }

    pub(crate) fn check(&self) -> Option<StageName> {
        match self.does {
            StageKind::Check(name) => Some(name),
            StageKind::Expected | StageKind::Command(_) => None,
        }
    }

    /// Returns true if it is the interpreter.
    pub(crate) fn is_expected(&self) -> bool {
        matches!(self.does, StageKind::Expected)
    }

    /// Returns true if it runs the kernel with instrumentation.
    pub(crate) fn is_costly(&self) -> bool {
        self.check().is_some_and(|name| name.info().executes)
    }

    /// The limit of each tool of the stage, where the whole stage took `wall` for the original.
    pub(crate) fn limit(&self, wall: Duration) -> Duration {
        const LEAST: Duration = Duration::from_secs(5);
        // A stage that takes long for the original takes as long for the first variants.
        const MOST: Duration = Duration::from_secs(60);
        let times = match self.does {
            StageKind::Check(name) => name.info().limit_factor,
            StageKind::Expected | StageKind::Command(_) => 10,
        };
        self.timeout.unwrap_or_else(|| (wall * times).clamp(LEAST, MOST))
    }
}

/// A variant, as a stage gets it.
#[derive(Clone, Copy)]
pub(crate) struct StageInput<'a> {
    pub program: &'a VariantProgram<'a>,
    /// The kernel that is checked, if there is one.
    pub subject: Option<&'a HostKernel>,
    pub tolerated: &'a Tolerated,
    /// The question to a check. The doubted result is that of the suspected configuration.
    pub question: Question<'a>,
    /// The checks that run later, and may refute what this one finds.
    pub to_run: &'a [StageName],
}

/// A stage with its tools.
pub(crate) struct ReadyStage {
    pub stage: RecipeStage,
    runs: StageTool,
}

enum StageTool {
    Interpreter,
    Check(PreparedStage),
    Command { line: String, bench: ToolRunner },
}

impl ReadyStage {
    /// Finds the tools of a stage.
    ///
    /// # Errors
    /// When clang is missing.
    pub(crate) fn new(
        stage: RecipeStage,
        options: &CheckOptions,
        bench: &ToolRunner,
        limit: Duration,
    ) -> Result<Self, CheckError> {
        let runs = match &stage.does {
            StageKind::Expected => StageTool::Interpreter,
            StageKind::Check(name) => {
                let options = CheckOptions {
                    timeout: limit,
                    memory_bytes: Some(stage.memory),
                    ..options.clone()
                };
                StageTool::Check(clreduce_check::prepare(*name, &options)?)
            }
            StageKind::Command(line) => {
                let mut bench = bench.within(Some(limit));
                bench.limits.memory_bytes = Some(stage.memory);
                StageTool::Command { line: line.clone(), bench }
            }
        };
        Ok(Self { stage, runs })
    }

    /// Returns all findings of a check, tolerated ones too.
    pub(crate) fn findings(
        &self,
        program: &VariantProgram<'_>,
        subject: Option<&HostKernel>,
        cancel: &Cancel,
    ) -> Vec<Finding> {
        let alone = self.without_kernel(program, subject);
        match (&self.runs, subject.or(alone.as_ref())) {
            (StageTool::Check(check), Some(subject)) => {
                check.run(subject, Question::default(), cancel).findings
            }
            _ => Vec::new(),
        }
    }

    /// The program, where it has no kernel and a compiler only reads it.
    fn without_kernel(
        &self,
        program: &VariantProgram<'_>,
        subject: Option<&HostKernel>,
    ) -> Option<HostKernel> {
        let is_read = subject.is_none() && !self.stage.is_costly();
        is_read.then(|| HostKernel::without_kernel(program.kind(), program.source().to_vec()))?
    }

    /// Returns true if it is a check, and the reports in `gathered` are about everything that it looks for.
    pub(crate) fn is_covered_by(&self, gathered: &CollectedReports) -> bool {
        matches!(&self.runs, StageTool::Check(check) if gathered.covers(check))
    }

    /// Judges a variant. A check adds its report to `gathered`.
    pub(crate) fn run(
        &self,
        input: StageInput<'_>,
        gathered: &mut CollectedReports,
        cancel: &Cancel,
    ) -> StageVerdict {
        let StageInput { program, subject, tolerated, question, to_run } = input;
        let subject_of_run = subject.filter(|_| self.stage.is_costly());
        if let Some(code) = subject_of_run.and_then(|subject| tolerated.changed_for_device(subject))
        {
            return StageVerdict::Rejects(format!(
                "only a device executes this, so no check would see an error in it, and the original does not have it: {code}"
            ));
        }
        match (&self.runs, subject) {
            // It has been asked already, and has not decided.
            (StageTool::Interpreter, _) => StageVerdict::Passes,
            (StageTool::Check(check), subject) => {
                let alone = self.without_kernel(program, subject);
                let Some(subject) = subject.or(alone.as_ref()) else {
                    return StageVerdict::Rejects("the program has no kernel".to_owned());
                };
                let started = Instant::now();
                let mut report = check.run(subject, question, cancel);
                report.findings.retain(|finding| !tolerated.covers(finding));
                let is_right = report.confirms(question.doubted);
                // A result that depends on the order is legal, and useless for comparisons.
                let mut findings = report.findings.iter();
                let depends = findings.find(|one| one.kind.is_legal()).cloned();
                gathered.add(check, report, started.elapsed());
                match gathered.decides(to_run).or(depends.as_ref()) {
                    Some(finding) => StageVerdict::Rejects(finding.to_string()),
                    None if is_right => {
                        StageVerdict::Rejects("the suspected result is right".to_owned())
                    }
                    None => StageVerdict::Passes,
                }
            }
            (StageTool::Command { line, bench }, _) => {
                let line = expand(line, program.path(), program.options);
                let ran = bench.shell(&line, program.case, cancel);
                match &ran.end {
                    End::Exited(0) => StageVerdict::Passes,
                    End::Exited(126 | 127 | 9009) | End::Cancelled | End::Failed(_) => {
                        StageVerdict::Unresolved(ran.trouble())
                    }
                    End::NotRun(_) => StageVerdict::NotRun(ran.trouble()),
                    End::TimedOut => {
                        StageVerdict::TimedOut("did not finish within the time limit".to_owned())
                    }
                    // A tool that crashed has not judged the variant.
                    end if end.crash().is_some() => StageVerdict::Unresolved(ran.trouble()),
                    End::Exited(_) | End::Signalled(_) => {
                        let report = sanitizer_report(&ran.stderr).map(str::to_owned);
                        StageVerdict::Rejects(report.unwrap_or_else(|| ran.trouble()))
                    }
                }
            }
        }
    }
}

/// Returns the verdict of all checks together, where none has rejected the variant for certain.
pub(crate) fn sum_up(gathered: CollectedReports, tolerated: &Tolerated) -> StageVerdict {
    let report = gathered.report();
    if let Some(finding) = report.findings.first() {
        let doubt =
            if finding.is_certain() { "" } else { " (suspected, and not refuted by a run)" };
        return StageVerdict::Rejects(format!("{finding}{doubt}"));
    }
    let open = report.unchecked.difference(&tolerated.unchecked);
    let open: Vec<&str> = open.map(|kind| kind.name()).collect();
    if open.is_empty() {
        return StageVerdict::Passes;
    }
    let failures: Vec<String> = report
        .failures
        .iter()
        .map(|failure| format!("{}: {}", failure.tool, failure.message))
        .collect();
    // All tools were there for the original if it left nothing unchecked.
    let had_tools = tolerated.unchecked.is_empty();
    let was_run = |failure: &StageFailure| match failure.kind {
        FailureKind::NotRun => false,
        FailureKind::ToolMissing => !had_tools,
        _ => true,
    };
    let verdict = if report.failures.iter().all(was_run) {
        StageVerdict::Unresolved
    } else {
        StageVerdict::NotRun
    };
    verdict(format!("these could not be checked: {} ({})", open.join(", "), failures.join("; ")))
}

/// The kinds, for people.
pub(crate) fn names_of(kinds: &BTreeSet<FindingKind>) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}
