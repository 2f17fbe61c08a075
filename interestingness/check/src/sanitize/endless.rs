//! Programs that may never end.
//!
//! A program that does not end soon is built again, so that the run-time counts the jumps of each work-item. It proves that
//! a loop never ends where memory is the same as before, and else believes it after a fixed number of jumps. In a
//! reduction that number is lower: it follows from the original. So no clock decides whether a kernel ends; a clock decides
//! only when the question is asked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clreduce_host::{BuildDetail, Flavour, HostError, HostKernel, HostProgram, Order};
use clreduce_process::Cancel;

use super::{FlavourResult, Sanitize, has_timed_out, reports};

/// The time after which it is asked whether a program ever ends: some times what those took that did. They become faster
/// while a kernel is reduced, and the first may have run on a busy machine, so the last ones count most.
#[derive(Debug, Default)]
pub(super) struct Patience {
    recent_millis: AtomicU64,
}

impl Patience {
    fn time(&self) -> Duration {
        const LEAST: Duration = Duration::from_millis(400);
        const TIMES: u32 = 4;
        LEAST.max(Duration::from_millis(self.recent_millis.load(Ordering::Relaxed)) * TIMES)
    }

    fn has_ended_after(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let earlier = self.recent_millis.load(Ordering::Relaxed);
        // Two runs at a time may forget one of them, which does no harm.
        self.recent_millis.store(millis.max(millis.midpoint(earlier)), Ordering::Relaxed);
    }
}

impl Sanitize {
    /// Runs a program until it ends or never will. Its runs are [`FlavourResult::Clean`] here, whatever they say.
    pub(super) fn run_to_the_end(
        &self,
        program: &HostProgram,
        order: Order,
        subject: &HostKernel,
        cancel: &Cancel,
    ) -> Result<FlavourResult, HostError> {
        let mut started = Instant::now();
        let limit = self.tools.limits.time;
        let patience = limit.map_or(self.patience.time(), |limit| limit.min(self.patience.time()));
        let mut runs = program.run(order, &self.tools.within(Some(patience)), cancel)?;
        if has_timed_out(&runs) {
            let ending = self.ending(order, subject, cancel)?;
            let ends = match ending {
                FlavourResult::Clean(_) => true,
                FlavourResult::TimedOut(_) => false,
                decided => return Ok(decided),
            };
            started = Instant::now();
            runs = program.run(order, &self.tools, cancel)?;
            if has_timed_out(&runs) {
                return Ok(FlavourResult::TimedOut(ends));
            }
        }
        self.patience.has_ended_after(started.elapsed());
        Ok(FlavourResult::Clean(runs))
    }

    /// Counts the steps of the kernel, to learn whether it ends.
    fn ending(
        &self,
        order: Order,
        subject: &HostKernel,
        cancel: &Cancel,
    ) -> Result<FlavourResult, HostError> {
        // The number of steps is bounded; on a busy machine, it must not be a clock that ends them.
        const LEAST: Duration = Duration::from_secs(60);
        let limit = self.tools.limits.time.map(|limit| limit.max(LEAST));
        let mut program = self.build(Flavour::Steps, BuildDetail::Report, subject, cancel)?;
        if let Some(most) = self.most_jumps {
            program = program.within_jumps(most);
        }
        let runs = program.run(order, &self.tools.within(limit), cancel)?;
        let symbols = program.symbols();
        let said = runs.last().map_or("", |ran| &ran.stderr);
        let findings = reports::parse(said, &symbols);
        let endless = |finding: &crate::Finding| finding.kind == crate::FindingKind::NonTermination;
        Ok(if findings.iter().any(endless) {
            FlavourResult::Findings(findings)
        } else if let Some(line) = reports::waits(said, &symbols) {
            FlavourResult::Waits(line)
        } else if has_timed_out(&runs) || reports::stopped_after_many_steps(said) {
            FlavourResult::TimedOut(false)
        } else {
            FlavourResult::Clean(runs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_follows_the_program() {
        let patience = Patience::default();
        let after = |seconds: &[u64]| {
            for &seconds in seconds {
                patience.has_ended_after(Duration::from_secs(seconds));
            }
            patience.time()
        };
        let least = after(&[]);
        assert!(least > Duration::ZERO);
        assert_eq!(after(&[8]), Duration::from_secs(32));
        assert_eq!(after(&[0, 8]), Duration::from_secs(32));
        assert_eq!(after(&[0; 20]), least);
    }
}
