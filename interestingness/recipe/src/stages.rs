//! Stages that only reject: checks of validity, and commands of a person's own.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use clreduce_check::{
    CheckError, CheckOptions, CollectedReports, Finding, FindingKind, PreparedStage, StageName,
    Subject,
};
use clreduce_process::{Cancel, End, ToolRunner};

use crate::configuration::{Program, expand};
use crate::format::Confirm;
use crate::pin::Answer;

/// One stage, as the recipe has it.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub name: String,
    pub does: Does,
    /// Whether the original has to pass it.
    pub required: bool,
    /// Bytes.
    pub memory: u64,
    /// Given by a person; measured otherwise.
    pub timeout: Option<Duration>,
    pub confirm: Confirm,
    /// Byte of the recipe where it is asked for; none for those that the preset stands for.
    pub at: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Does {
    Check(StageName),
    Command(String),
}

/// What was found on the original and is held against nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tolerated {
    /// Kinds that no stage could look for in the original.
    pub unchecked: BTreeSet<FindingKind>,
    /// Suspicions of the original that no run could refute.
    pub suspected: BTreeSet<FindingKind>,
    /// Warnings of the compiler, as `-Wzero-length-array`, that say that the original is not portable.
    pub warnings: BTreeSet<String>,
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

    /// Puts up with the warnings of the original, and tells which they are.
    pub(crate) fn warnings_of(&mut self, findings: &[Finding]) -> Vec<String> {
        let portable = |finding: &&Finding| finding.kind == FindingKind::NonPortable;
        let new = findings.iter().filter(portable).filter_map(warning_of);
        new.filter(|warning| self.warnings.insert((*warning).to_owned()))
            .map(str::to_owned)
            .collect()
    }
}

/// `-Wzero-length-array` at the end of clang's message.
fn warning_of(finding: &Finding) -> Option<&str> {
    let (_, last) = finding.message.rsplit_once('[')?;
    Some(last.trim_end_matches(']')).filter(|word| word.starts_with("-W"))
}

impl Stage {
    /// How many bytes a stage gets where the recipe does not say.
    pub fn usual_memory(does: &Does) -> u64 {
        match does {
            Does::Check(name) => name.info().memory_bytes,
            Does::Command(_) => 2 << 30,
        }
    }

    /// Whether it runs the kernel under instruments.
    pub fn is_costly(&self) -> bool {
        matches!(self.does, Does::Check(name) if name.info().executes)
    }

    /// A stage consists of several runs of tools, each with the limit. Optimistic for cheap ones: machines
    /// are busy now and then.
    pub fn limit(&self, wall: Duration) -> Duration {
        const LEAST: Duration = Duration::from_secs(5);
        // What takes longer on the original than anybody waits mostly does so on the first variants, too.
        const MOST: Duration = Duration::from_secs(60);
        let times = match self.does {
            Does::Check(name) => name.info().limit_factor,
            Does::Command(_) => 10,
        };
        self.timeout.unwrap_or_else(|| (wall * times).clamp(LEAST, MOST))
    }
}

/// A stage that is ready to run.
pub(crate) struct Ready {
    pub stage: Stage,
    runs: StageTool,
}

enum StageTool {
    Check(PreparedStage),
    Command { line: String, bench: ToolRunner },
}

impl Ready {
    /// With its limit.
    ///
    /// # Errors
    /// When there is no clang.
    pub fn new(
        stage: Stage,
        options: &CheckOptions,
        bench: &ToolRunner,
        limit: Duration,
    ) -> Result<Self, CheckError> {
        let runs = match &stage.does {
            Does::Check(name) => {
                let options = CheckOptions {
                    timeout: limit,
                    memory_bytes: Some(stage.memory),
                    ..options.clone()
                };
                StageTool::Check(clreduce_check::prepare(*name, &options)?)
            }
            Does::Command(line) => {
                let mut bench = bench.within(Some(limit));
                bench.limits.memory_bytes = Some(stage.memory);
                StageTool::Command { line: line.clone(), bench }
            }
        };
        Ok(Self { stage, runs })
    }

    /// What a check finds, whatever of it is tolerated.
    pub fn findings(&self, subject: Option<&Subject>, cancel: &Cancel) -> Vec<Finding> {
        match (&self.runs, subject) {
            (StageTool::Check(check), Some(subject)) => check.run(subject, cancel).findings,
            _ => Vec::new(),
        }
    }

    /// Looks at a variant; a check adds what it found to `gathered`.
    pub fn run(
        &self,
        program: &Program<'_>,
        subject: Option<&Subject>,
        tolerated: &Tolerated,
        gathered: &mut CollectedReports,
        cancel: &Cancel,
    ) -> Answer {
        match (&self.runs, subject) {
            (StageTool::Check(check), Some(subject)) => {
                let started = Instant::now();
                let mut report = check.run(subject, cancel);
                report.findings.retain(|finding| !tolerated.covers(finding));
                let certain = report.findings.iter().find(|finding| finding.is_certain());
                let answer =
                    certain.map_or(Answer::Holds, |finding| Answer::No(finding.to_string()));
                gathered.add(check, report, started.elapsed());
                answer
            }
            (StageTool::Check(_), None) => Answer::No("there is no kernel in it".to_owned()),
            (StageTool::Command { line, bench }, _) => {
                let line = expand(line, program.path(), program.options);
                let ran = bench.shell(&line, program.case, cancel);
                match &ran.end {
                    End::Exited(0) => Answer::Holds,
                    End::Exited(126 | 127 | 9009) | End::Cancelled | End::Failed(_) => {
                        Answer::Unresolved(ran.trouble())
                    }
                    End::TimedOut => {
                        Answer::TimedOut("did not finish within the time limit".to_owned())
                    }
                    // Tools crash.
                    end if end.crash().is_some() => Answer::Unresolved(ran.trouble()),
                    End::Exited(_) | End::Signalled(_) => Answer::No(ran.trouble()),
                }
            }
        }
    }
}

/// What all checks together say, when none has rejected for certain.
pub(crate) fn sum_up(gathered: CollectedReports, tolerated: &Tolerated) -> Answer {
    let report = gathered.report();
    if let Some(finding) = report.findings.first() {
        return Answer::No(format!("{finding} (suspected, and not refuted by a run)"));
    }
    let open: Vec<&str> = report
        .unchecked
        .iter()
        .filter(|kind| !tolerated.unchecked.contains(kind))
        .map(|kind| kind.name())
        .collect();
    if open.is_empty() {
        return Answer::Holds;
    }
    let failures: Vec<String> = report
        .failures
        .iter()
        .map(|failure| format!("{}: {}", failure.tool, failure.message))
        .collect();
    Answer::Unresolved(format!(
        "these could not be checked: {} ({})",
        open.join(", "),
        failures.join("; ")
    ))
}
