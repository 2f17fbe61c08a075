//! The report on a kernel, and how the reports of all stages become one.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use crate::compile::TOOL_FOR_DEVICE;
use crate::finding::{Finding, FindingKind, StageFailure};
use crate::stage::{ComputedResult, StageReport};
use crate::table::{PreparedStage, StageName};

/// The result of all checks of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// Every kind was checked, and nothing was found.
    Valid,
    /// At least one finding is certain.
    Invalid,
    /// The same, but the findings come from runs with arguments that clreduce has chosen: with those that are meant, the kernel
    /// may be valid.
    InvalidWithChosenArguments,
    /// Nothing certain was found, but some kinds could not be checked, or a suspicion remains.
    Unresolved,
}

/// A finding that does not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RefutedFinding {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// The stage that has refuted it.
    pub refuted_by: StageName,
}

/// The report on one kernel.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The verdict.
    pub validity: Validity,
    /// The findings, each once.
    pub findings: Vec<Finding>,
    /// The findings that do not count.
    pub refuted: Vec<RefutedFinding>,
    /// The failures of tools.
    pub failures: Vec<StageFailure>,
    /// Remarks for people on the verdict: parts of the kernel that no stage looked at.
    pub remarks: Vec<String>,
    /// The kinds that no stage could check.
    pub unchecked: BTreeSet<FindingKind>,
    /// The kinds that none of these stages looks for.
    pub not_looked_for: BTreeSet<FindingKind>,
    /// The stages that looked for something, with their wall time in seconds. One whose tool is missing found nothing.
    pub stages: Vec<(StageName, f64)>,
}

/// The reports of several stages, collected.
#[derive(Clone, Debug, Default)]
pub struct CollectedReports(Vec<Collected>);

/// The report of one stage.
#[derive(Clone, Debug)]
struct Collected {
    stage: StageName,
    looks_for: BTreeSet<FindingKind>,
    report: StageReport,
    wall: Duration,
}

impl Collected {
    /// Returns true if the stage has checked or found anything.
    fn has_looked(&self) -> bool {
        !self.report.checked.is_empty() || !self.report.findings.is_empty()
    }

    /// Returns true if the stage refutes a finding: it ran the kernel, checked this kind and saw nothing of it. A
    /// certain finding needs a stage that sees every case of the kind. Code for a device alone is not run.
    fn refutes(&self, finding: &Finding) -> bool {
        let kind = finding.kind;
        let info = self.stage.info();
        let saw = |own: &Finding| own.kind == kind && (own.is_certain() || !finding.is_certain());
        finding.tool != TOOL_FOR_DEVICE
            && self.report.checked.contains(&kind)
            && !self.report.findings.iter().any(saw)
            && if finding.is_certain() { info.exact.contains(&kind) } else { info.executes }
    }
}

fn seconds(one: &Collected) -> (StageName, f64) {
    (one.stage, one.wall.as_secs_f64())
}

impl CollectedReports {
    /// Adds the report of a stage.
    pub fn add(&mut self, stage: &PreparedStage, report: StageReport, wall: Duration) {
        let (stage, looks_for) = (stage.name(), stage.looks_for());
        self.0.push(Collected { stage, looks_for, report, wall });
    }

    /// The result of the kernel, where a stage has computed it.
    #[must_use]
    pub fn result(&self) -> Option<&ComputedResult> {
        self.0.iter().find_map(|one| one.report.result.as_ref())
    }

    /// Returns true if runs of the kernel have checked everything that a stage looks for.
    #[must_use]
    pub fn covers(&self, stage: &PreparedStage) -> bool {
        let ran = |one: &&Collected| one.stage.info().executes;
        let is_checked = |kind: &FindingKind| {
            self.0.iter().filter(ran).any(|one| one.report.checked.contains(kind))
        };
        stage.looks_for().iter().all(is_checked)
    }

    /// A finding that is certain, and that none of the stages `to_run` may still refute.
    #[must_use]
    pub fn decides(&self, to_run: &[StageName]) -> Option<&Finding> {
        let may_go = |finding: &Finding| {
            to_run.iter().any(|stage| stage.info().exact.contains(&finding.kind))
        };
        let findings = self.0.iter().flat_map(|one| &one.report.findings);
        findings
            .filter(|finding| finding.is_certain())
            .find(|finding| !may_go(finding) && self.refuted_by(finding).is_none())
    }

    /// Returns true if only runs of the kernel have found anything for certain.
    pub(crate) fn only_runs_find(&self) -> bool {
        let counts = |finding: &Finding| finding.is_certain() && self.refuted_by(finding).is_none();
        let mut finders = self.0.iter().filter(|one| one.report.findings.iter().any(counts));
        finders.all(|one| one.stage.info().executes)
    }

    fn refuted_by(&self, finding: &Finding) -> Option<StageName> {
        self.0.iter().find(|one| one.refutes(finding)).map(|one| one.stage)
    }

    /// The failure because of which a stage could not check anything, if that is so.
    #[must_use]
    pub fn total_failure(&self, stage: StageName) -> Option<&StageFailure> {
        let one = self.0.iter().find(|one| one.stage == stage)?;
        one.report.failures.first().filter(|_| one.report.checked.is_empty())
    }

    /// Makes one report. Findings that a stage has refuted do not count.
    #[must_use]
    pub fn report(self) -> CheckReport {
        let all: BTreeSet<&Finding> = self.0.iter().flat_map(|one| &one.report.findings).collect();
        let (mut findings, mut refuted) = (Vec::new(), Vec::new());
        for finding in all {
            let finding = finding.clone();
            match self.refuted_by(&finding) {
                Some(refuted_by) => refuted.push(RefutedFinding { finding, refuted_by }),
                None => findings.push(finding),
            }
        }
        let kinds = |of: fn(&Collected) -> &BTreeSet<FindingKind>| -> BTreeSet<FindingKind> {
            self.0.iter().flat_map(of).copied().collect()
        };
        let looked_for = kinds(|one| &one.looks_for);
        let checked = kinds(|one| &one.report.checked);
        let unchecked: BTreeSet<FindingKind> = looked_for.difference(&checked).copied().collect();
        let validity = if findings.iter().any(Finding::is_certain) {
            Validity::Invalid
        } else if !findings.is_empty() || !unchecked.is_empty() || self.0.is_empty() {
            Validity::Unresolved
        } else {
            Validity::Valid
        };
        let is_ignored = |kind: &FindingKind| !looked_for.contains(kind);
        CheckReport {
            validity,
            findings,
            refuted,
            unchecked,
            not_looked_for: FindingKind::ALL.into_iter().filter(is_ignored).collect(),
            remarks: self.0.iter().flat_map(|one| one.report.remarks.clone()).collect(),
            stages: self.0.iter().filter(|one| one.has_looked()).map(seconds).collect(),
            failures: self.0.into_iter().flat_map(|one| one.report.failures).collect(),
        }
    }
}
