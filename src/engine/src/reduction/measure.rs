//! Where rates decide, the result is measured as the original was: by runs that did not lead to its verdict.

use clreduce_candidates::CandidateSource;
use clreduce_speculation::Executor;

use super::calibration::OriginalFirst;
use super::result::Rates;
use super::run::{Halt, ReductionRun};
use crate::events::Event;
use crate::rate::{Criterion, MeasuredRate, RateTest};

impl<S: CandidateSource> ReductionRun<'_, S> {
    /// Tells of the runs of the original, and of what is asked of variants.
    pub(super) fn tell_criterion(&mut self) {
        if let Some(criterion) = self.rates.as_ref().and_then(|rates| rates.criterion()) {
            let (runs, asked) = (criterion.original, criterion.asked);
            self.tell(&Event::Measured { is_original: true, runs, asked });
        }
    }

    /// Measures the result on all slots. A result that is the original was measured before.
    pub(super) fn measure_result(
        &mut self,
        rates: &RateTest,
        executor: &mut Executor<OriginalFirst<S>>,
    ) -> Result<(), Halt> {
        let Some(criterion) = rates.criterion() else { return Ok(()) };
        let last = self.commits.last();
        if last == 0 {
            self.result_rate = Some(criterion.original);
            return Ok(());
        }
        let case = self.commits.at(last).case.clone();
        for _ in 0..executor.scheduler().slots() {
            executor.scheduler_mut().confirmations_mut().add(&case, 0);
        }
        executor.confirm()?;
        while executor.scheduler_mut().take_confirmation().is_some() {}
        if let Some(runs) = rates.measured(&case.hash()) {
            self.result_rate = Some(runs);
            self.tell_result(runs, &criterion);
        }
        Ok(())
    }

    /// How often the original and the result show the bug.
    pub(super) fn measured_rates(&self) -> Option<Rates> {
        let rates = self.rates.as_ref()?;
        let Criterion { original, asked, .. } = rates.criterion()?;
        Some(Rates { original, asked, result: self.result_rate, runs: rates.runs() })
    }

    fn tell_result(&mut self, runs: MeasuredRate, criterion: &Criterion) {
        let asked = criterion.asked;
        self.tell(&Event::Measured { is_original: false, runs, asked });
        let [_, highest] = runs.interval();
        if highest < asked {
            self.tell(&Event::Warning(format!(
                "the result shows the bug {runs}, less often than the {asked} that were asked for: the test has changed \
                 meanwhile, or the machine is busier"
            )));
        }
    }
}
