//! Where rates or numbers decide, the result is measured as the original was: by runs that did not lead to its verdict.

use clreduce_candidates::CandidateSource;
use clreduce_speculation::Executor;

use super::calibration::OriginalFirst;
use super::result::{Numbers, Rates};
use super::resume::recall;
use super::run::{Halt, ReductionRun};
use super::start::restart;
use crate::events::Event;
use crate::rate::{Criterion, MeasuredNumber, MeasuredRate, NumberBound, RateTest};

impl<S: CandidateSource> ReductionRun<'_, S> {
    /// Tells of the runs of the original, and of what is asked of variants.
    pub(super) fn tell_criterion(&mut self) {
        let Some(criterion) = self.rates.as_ref().and_then(|rates| rates.criterion()) else {
            return;
        };
        if let Some((bound, original)) = bound_and_original(&criterion) {
            self.tell(&Event::MeasuredNumber { is_original: true, number: original, asked: bound });
        } else {
            let (runs, asked) = (criterion.original, criterion.asked);
            self.tell(&Event::Measured { is_original: true, runs, asked });
        }
    }

    /// Begins again with what is left once nothing is left to try, if variants were refused in haste: then more runs refuse them.
    pub(super) fn look_again(&mut self, executor: &mut Executor<OriginalFirst<S>>) {
        let Some(rates) = self.rates.as_ref().filter(|_| executor.is_done()) else { return };
        if !rates.take_its_time() {
            return;
        }
        let best = self.best.0.clone();
        let mut source = self.source.clone();
        source.go_on_from(best.clone());
        restart(executor, &best, source, recall(&best, [], self.is_filtered));
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
        if let Some((bound, _)) = &criterion.number {
            if let Some(number) = rates.measured_number(&case.hash()) {
                self.tell_number(number, *bound);
            }
        } else if let Some(runs) = rates.measured(&case.hash()) {
            self.result_rate = Some(runs);
            self.tell_result(runs, &criterion);
        }
        Ok(())
    }

    /// How often the original and the result show the bug.
    pub(super) fn measured_rates(&self) -> Option<Rates> {
        let rates = self.rates.as_ref()?;
        let Criterion { original, asked, number, .. } = rates.criterion()?;
        let result = self.result_rate;
        number.is_none().then_some(Rates { original, asked, result, runs: rates.runs() })
    }

    /// What the test measures for the original and for the result.
    pub(super) fn measured_numbers(&self) -> Option<Numbers> {
        let rates = self.rates.as_ref()?;
        let (asked, original) = bound_and_original(&rates.criterion()?)?;
        let result = match self.commits.last() {
            0 => Some(original),
            last => rates.measured_number(&self.commits.at(last).case.hash()),
        };
        Some(Numbers { original, asked, result, runs: rates.runs() })
    }

    fn tell_number(&mut self, number: MeasuredNumber, asked: NumberBound) {
        self.tell(&Event::MeasuredNumber { is_original: false, number, asked });
        if asked.is_missed(number.median) {
            self.tell(&Event::Warning(format!(
                "the test measures {number} for the result, and {asked} was asked for: the test has changed meanwhile, or the \
                 machine is busier"
            )));
        }
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

/// The bound and the numbers of the original, where numbers decide.
fn bound_and_original(criterion: &Criterion) -> Option<(NumberBound, MeasuredNumber)> {
    let (bound, original) = criterion.number.as_ref()?;
    Some((*bound, MeasuredNumber::of(original)?))
}
