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

    /// The search looks at addresses, undefined behaviour and races. Here all launches are checked as a whole.
    pub(super) fn leave_out_invalid(&mut self) {
        let launches = self.kept.iter().map(|(launch, _)| launch.clone()).collect();
        if self.kept.is_empty() || is_valid(&self.check.run(&self.with(launches), self.cancel)) {
            return;
        }
        for (launch, trace) in std::mem::take(&mut self.kept) {
            let report = self.check(&launch);
            if is_valid(&report) {
                self.kept.push((launch, trace));
            } else {
                self.refuse(launch, &report, None);
            }
        }
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
