//! The validity of launches that were found: what the check says of each, and of all together at the end.

use clreduce_kernel::KernelLaunch;

use super::{InputSearch, RefusedLaunch};
use crate::report::CheckReport;

impl InputSearch<'_> {
    pub(super) fn refuse(
        &mut self,
        launch: KernelLaunch,
        report: &CheckReport,
        with_larger_buffers: Option<KernelLaunch>,
    ) {
        let finding = report.findings.iter().find(|finding| finding.is_certain()).cloned();
        if self.refused.iter().all(|other| other.finding != finding) {
            self.refused.push(RefusedLaunch { launch, finding, with_larger_buffers });
        }
    }

    /// The search looks at addresses, undefined behaviour and races. Here all launches are checked as a whole. Returns true if one
    /// was left out.
    pub(super) fn leave_out_invalid(&mut self) -> bool {
        let launches = self.kept.iter().map(|(launch, _)| launch.clone()).collect();
        if self.kept.is_empty() || is_valid(&self.check.run(&self.with(launches), self.cancel)) {
            return false;
        }
        let all = std::mem::take(&mut self.kept);
        let before = all.len();
        for (launch, trace) in all {
            let report = self.check(&launch);
            if is_valid(&report) {
                self.kept.push((launch, trace));
            } else {
                self.refuse(launch, &report, None);
            }
        }
        self.features = self.kept.iter().flat_map(|(_, trace)| trace.features()).collect();
        self.idle = 0;
        self.kept.len() < before
    }

    pub(super) fn check(&self, launch: &KernelLaunch) -> CheckReport {
        self.check.run(&self.with(vec![launch.clone()]), self.cancel)
    }
}

/// Returns true if the sanitizers have seen the launch and found nothing. A result that depends on the order of
/// work-items is legal.
pub(super) fn is_valid(report: &CheckReport) -> bool {
    report.failures.is_empty() && report.findings.iter().all(|finding| finding.kind.is_legal())
}
