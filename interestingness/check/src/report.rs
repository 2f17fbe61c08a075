//! The report on a kernel, and how the reports of all stages become one.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use crate::finding::{Certainty, Finding, FindingKind, StageFailure};
use crate::stage::StageReport;
use crate::table::{PreparedStage, StageName};

/// The result of all checks of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// Every kind was checked, and nothing was found.
    Valid,
    /// At least one finding is certain.
    Invalid,
    /// Nothing certain was found, but some kinds could not be checked, or a suspicion remains.
    Unresolved,
}

/// The report on one kernel.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The verdict.
    pub validity: Validity,
    /// The findings, each once.
    pub findings: Vec<Finding>,
    /// The suspicions that a run has refuted.
    pub refuted: Vec<Finding>,
    /// The failures of tools.
    pub failures: Vec<StageFailure>,
    /// The kinds that no stage could check.
    pub unchecked: BTreeSet<FindingKind>,
    /// The kinds that none of these stages looks for.
    pub not_looked_for: BTreeSet<FindingKind>,
    /// The stages that ran, with their wall time in seconds.
    pub stages: Vec<(StageName, f64)>,
}

/// The reports of several stages, collected.
#[derive(Debug, Default)]
pub struct CollectedReports {
    findings: BTreeSet<Finding>,
    failures: Vec<StageFailure>,
    looked_for: BTreeSet<FindingKind>,
    checked: BTreeSet<FindingKind>,
    /// The kinds that a stage checked by running the kernel.
    watched: BTreeSet<FindingKind>,
    stages: Vec<(StageName, f64)>,
}

impl CollectedReports {
    /// Adds the report of a stage.
    pub fn add(&mut self, stage: &PreparedStage, report: StageReport, wall: Duration) {
        self.stages.push((stage.name(), wall.as_secs_f64()));
        self.looked_for.extend(stage.looks_for());
        if stage.name().info().executes {
            self.watched.extend(report.checked.iter().copied());
        }
        self.checked.extend(report.checked);
        self.findings.extend(report.findings);
        self.failures.extend(report.failures);
    }

    /// Adds all reports of another collection.
    pub fn merge(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.failures.extend(other.failures);
        self.looked_for.extend(other.looked_for);
        self.checked.extend(other.checked);
        self.watched.extend(other.watched);
        self.stages.extend(other.stages);
    }

    /// Returns true if runs of the kernel have checked all that a stage looks for.
    #[must_use]
    pub fn covers(&self, stage: &PreparedStage) -> bool {
        stage.looks_for().is_subset(&self.watched)
    }

    /// Returns true if a finding is certain.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.findings.iter().any(Finding::is_certain)
    }

    /// The failure because of which nothing could be checked, if that is so.
    #[must_use]
    pub fn total_failure(&self) -> Option<&StageFailure> {
        self.failures.first().filter(|_| self.checked.is_empty())
    }

    /// Makes one report. Suspicions that a run has refuted do not count.
    #[must_use]
    pub fn report(self) -> CheckReport {
        let is_refuted = |finding: &Finding| {
            finding.certainty == Certainty::Suspected && self.watched.contains(&finding.kind)
        };
        let (refuted, findings): (Vec<_>, Vec<_>) = self.findings.into_iter().partition(is_refuted);
        let unchecked: BTreeSet<FindingKind> =
            self.looked_for.difference(&self.checked).copied().collect();
        let validity = if findings.iter().any(Finding::is_certain) {
            Validity::Invalid
        } else if !findings.is_empty() || !unchecked.is_empty() || self.stages.is_empty() {
            Validity::Unresolved
        } else {
            Validity::Valid
        };
        let is_ignored = |kind: &FindingKind| !self.looked_for.contains(kind);
        CheckReport {
            validity,
            findings,
            refuted,
            failures: self.failures,
            unchecked,
            not_looked_for: FindingKind::ALL.into_iter().filter(is_ignored).collect(),
            stages: self.stages,
        }
    }
}
