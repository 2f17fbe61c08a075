//! The test of a reduction whose verdicts are about rates or numbers: it runs the user's test on a variant as often as the decision needs.
//!
//! Each slot conducts the runs of its own variant. Two things are done together: before anything else, the original is
//! measured; and a variant of which one run has shown the bug gets the next runs of all slots. It will most likely become the
//! current test case, and then what the other slots are about is not needed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clreduce_interestingness::{
    Cancel, Interestingness, NotRun, Occasion, Outcome, TimeLimits, Verdict,
};
use clreduce_testcase::{Clues, ContentHash, TestCase};

use super::criterion::{AskedBound, Criterion};
use super::numbered::NumberedRuns;
use super::{MeasuredNumber, MeasuredRate};

/// The numbers before those of the runs for a verdict and for a measurement. No run counts for both: a variant may owe its
/// verdict to good luck. All numbers have as many digits, since the size of the environment moves the stack of a program.
const VERDICTS_AFTER: u32 = 1_000_000;
const MEASUREMENTS_AFTER: u32 = 2_000_000;

/// The purpose of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Purpose {
    /// A verdict on a variant.
    Verdict,
    /// The rate of a program, as people read it.
    Measurement,
}

type TrialKey = (ContentHash, Purpose);

/// The runs of one program for one purpose.
#[derive(Debug)]
struct Trial {
    /// Its number among all trials.
    number: u64,
    program: TestCase,
    runs: NumberedRuns,
    /// The number of slots that wait for its decision.
    waiting: u32,
}

#[derive(Debug, Default)]
struct Trials {
    /// What is asked of variants, or the reason that the original is not interesting.
    criterion: Option<Result<Criterion, String>>,
    all: HashMap<TrialKey, Trial>,
    /// The trials that slots wait for, the oldest first.
    waited_for: BTreeMap<u64, TrialKey>,
    begun: u64,
    /// The runs of the test that have ended.
    runs: u64,
}

/// A run that is to be made.
struct NextRun {
    key: TrialKey,
    /// The number of its trial.
    trial: u64,
    /// Its own number.
    run: u32,
    program: TestCase,
}

pub(crate) struct RateTest {
    test: Arc<dyn Interestingness>,
    original: TestCase,
    asked: AskedBound,
    trials: Mutex<Trials>,
}

impl RateTest {
    /// A test that asks for something. `measured` is the note of an earlier run of the reduction that measured the original.
    pub(crate) fn new(
        test: Arc<dyn Interestingness>,
        original: &TestCase,
        asked: AskedBound,
        measured: Option<&[u64]>,
    ) -> Self {
        let criterion = measured.map(|note| Criterion::of_note(note, asked));
        let trials = Mutex::new(Trials { criterion, ..Trials::default() });
        Self { test, original: original.clone(), asked, trials }
    }

    /// What is asked of variants, once the original was measured and found interesting.
    pub(crate) fn criterion(&self) -> Option<Criterion> {
        self.lock().criterion.clone()?.ok()
    }

    /// Takes more runs for refusals from now on. False if it does so already.
    pub(crate) fn take_its_time(&self) -> bool {
        let mut trials = self.lock();
        let Some(Ok(criterion)) = &mut trials.criterion else { return false };
        let Some(last) = criterion.last.take() else { return false };
        criterion.test = last;
        trials.begin_all_again();
        true
    }

    /// The runs by which a program was measured, if they are enough.
    pub(crate) fn measured(&self, hash: &ContentHash) -> Option<MeasuredRate> {
        let trials = self.lock();
        let trial = trials.all.get(&(*hash, Purpose::Measurement))?;
        trial.runs.decided().map(|_| trial.runs.counted())
    }

    /// The numbers of the runs by which a program was measured, if they are enough.
    pub(crate) fn measured_number(&self, hash: &ContentHash) -> Option<MeasuredNumber> {
        self.measured(hash)?;
        let trials = self.lock();
        MeasuredNumber::of(trials.all.get(&(*hash, Purpose::Measurement))?.runs.numbers())
    }

    /// The number of runs that have ended.
    pub(crate) fn runs(&self) -> u64 {
        self.lock().runs
    }

    fn lock(&self) -> MutexGuard<'_, Trials> {
        self.trials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the test on a program until the runs decide.
    fn conduct(
        &self,
        program: &TestCase,
        purpose: Purpose,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let key = (program.hash(), purpose);
        self.lock().enter(key, program);
        let result = loop {
            if cancel.is_cancelled() {
                break Ok(Outcome::from(Verdict::Unresolved));
            }
            let mut trials = self.lock();
            if let Some(outcome) = trials.outcome(&key) {
                break Ok(outcome);
            }
            let next = trials.next_run(&key);
            drop(trials);
            if let Some(next) = next
                && let Err(not_run) = self.run(next, cancel)
            {
                break Err(not_run);
            }
        };
        self.lock().leave(&key);
        result
    }

    fn run(&self, next: NextRun, cancel: &Cancel) -> Result<(), NotRun> {
        let NextRun { key, trial, run, program } = next;
        let first = match key.1 {
            Purpose::Verdict => VERDICTS_AFTER,
            Purpose::Measurement => MEASUREMENTS_AFTER,
        };
        let outcome = self.test.judge_on(&program, Occasion::Run(first + run), cancel);
        let mut trials = self.lock();
        let (outcome, result) = match outcome {
            Ok(outcome) => (Some(outcome).filter(|_| !cancel.is_cancelled()), Ok(())),
            Err(not_run) => (None, Err(not_run)),
        };
        trials.ended(&key, trial, run, outcome, self.asked);
        if key == (self.original.hash(), Purpose::Measurement) && trials.criterion.is_none() {
            trials.criterion = trials.criterion_of(&key, self.asked);
        }
        result
    }

    /// The verdict on a variant.
    fn verdict(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        if self.lock().criterion.is_none() {
            self.conduct(&self.original, Purpose::Measurement, cancel)?;
        }
        match self.criterion() {
            Some(_) if !cancel.is_cancelled() => self.conduct(variant, Purpose::Verdict, cancel),
            // It is not read: the reduction ends.
            _ => Ok(Outcome::from(Verdict::Unresolved)),
        }
    }

    /// The verdict on the original: it is measured.
    fn measure_original(&self, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let outcome = self.conduct(&self.original, Purpose::Measurement, cancel)?;
        let criterion = self.lock().criterion.clone();
        Ok(match criterion {
            Some(Ok(_)) => Outcome { verdict: Verdict::Interesting, ..outcome },
            Some(Err(reason)) if outcome.verdict != Verdict::TimedOut => {
                Outcome { verdict: Verdict::Uninteresting, reason, ..outcome }
            }
            _ => outcome,
        })
    }
}

impl Trials {
    fn enter(&mut self, key: TrialKey, program: &TestCase) {
        let begun = &mut self.begun;
        let trial = self.all.entry(key).or_insert_with(|| {
            *begun += 1;
            let (number, program) = (*begun, program.clone());
            Trial { number, program, runs: NumberedRuns::default(), waiting: 0 }
        });
        trial.waiting += 1;
        self.waited_for.insert(trial.number, key);
    }

    /// The verdict has been remembered elsewhere when the last one leaves. A measurement stays, to be read.
    fn leave(&mut self, key: &TrialKey) {
        let Some(trial) = self.all.get_mut(key) else { return };
        trial.waiting -= 1;
        if trial.waiting == 0 {
            self.waited_for.remove(&trial.number);
            if trial.runs.decided().is_some() && key.1 == Purpose::Verdict {
                self.all.remove(key);
            }
        }
    }

    fn outcome(&self, key: &TrialKey) -> Option<Outcome> {
        self.all.get(key)?.runs.outcome()
    }

    /// The criterion that the runs of the original make, once they are enough.
    fn criterion_of(&self, key: &TrialKey, asked: AskedBound) -> Option<Result<Criterion, String>> {
        let runs = &self.all.get(key)?.runs;
        runs.decided().map(|_| Criterion::new(runs.counted(), runs.numbers(), asked))
    }

    /// The next run for a slot: of its own program, or of the oldest variant that is promising.
    fn next_run(&mut self, own: &TrialKey) -> Option<NextRun> {
        let is_promising = |key: &&TrialKey| {
            key.1 == Purpose::Verdict
                && self.all.get(key).is_some_and(|trial| trial.runs.is_promising())
        };
        let promising = self.waited_for.values().find(is_promising).copied();
        let key = promising.filter(|_| own.1 == Purpose::Verdict).unwrap_or(*own);
        let trial = self.all.get_mut(&key)?;
        let (run, program) = (trial.runs.take(), trial.program.clone());
        Some(NextRun { key, trial: trial.number, run, program })
    }

    /// Takes the outcome of a run; none if it was not finished.
    fn ended(
        &mut self,
        key: &TrialKey,
        trial: u64,
        run: u32,
        outcome: Option<Outcome>,
        asked: AskedBound,
    ) {
        let criterion = self.criterion.as_ref().and_then(|criterion| criterion.as_ref().ok());
        let Some(trial) = self.all.get_mut(key).filter(|known| known.number == trial) else {
            return;
        };
        self.runs += u64::from(outcome.is_some());
        match (outcome, key.1, criterion) {
            (Some(outcome), Purpose::Verdict, Some(criterion)) => {
                let outcome = criterion.judged(outcome);
                trial.runs.add(run, outcome, |runs, last| criterion.decides(runs, last));
            }
            (Some(outcome), Purpose::Measurement, _) => {
                trial.runs.add(run, outcome, |runs, last| asked.is_measured(runs, last));
            }
            (None, ..) | (_, Purpose::Verdict, None) => trial.runs.put_back(run),
        }
    }

    /// Forgets the runs of variants without a verdict: those to come have other limits.
    fn begin_all_again(&mut self) {
        self.all
            .retain(|(_, purpose), trial| *purpose == Purpose::Measurement || trial.waiting > 0);
        let waited_for: Vec<TrialKey> = self.waited_for.values().copied().collect();
        let verdicts = waited_for.iter().filter(|(_, purpose)| *purpose == Purpose::Verdict);
        verdicts.for_each(|key| self.begin_again(key));
    }

    /// Forgets the runs of a program; the number of the trial tells those that are still under way.
    fn begin_again(&mut self, key: &TrialKey) {
        let Some(trial) = self.all.get_mut(key) else { return };
        let is_waited_for = self.waited_for.remove(&trial.number).is_some();
        self.begun += 1;
        (trial.number, trial.runs) = (self.begun, NumberedRuns::default());
        if is_waited_for {
            self.waited_for.insert(trial.number, *key);
        }
    }
}

impl Interestingness for RateTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.verdict(variant, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        match occasion {
            // The runs so far say nothing.
            Occasion::Afresh => {
                self.lock().begin_again(&(variant.hash(), Purpose::Verdict));
                self.verdict(variant, cancel)
            }
            // Measures the rate.
            Occasion::Again => self.conduct(variant, Purpose::Measurement, cancel),
            Occasion::Next | Occasion::Early | Occasion::Run(_) => self.verdict(variant, cancel),
        }
    }

    /// Measures the original, and looks for clues in the first run that shows the bug.
    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        if self.criterion().is_some() {
            // An earlier run measured it.
            return Ok((Outcome::from(Verdict::Interesting), Clues::default()));
        }
        let (mut looked, mut clues) = self.test.judge_original(original, cancel)?;
        let fails =
            matches!(self.asked, AskedBound::Number(_)) && looked.verdict != Verdict::Interesting;
        if fails || looked.verdict == Verdict::Unresolved || cancel.is_cancelled() {
            return Ok((looked, Clues::default()));
        }
        let mut outcome = self.measure_original(cancel)?;
        let Some(criterion) = self.criterion() else {
            let Outcome { output_tail, exit_code, .. } = looked;
            return Ok((Outcome { output_tail, exit_code, ..outcome }, Clues::default()));
        };
        let is_steady = criterion.original.shown == criterion.original.runs;
        if is_steady && looked.verdict != Verdict::Interesting {
            // The first run looks more closely, and has found a mistake of the test.
            return Ok((looked, Clues::default()));
        }
        for _ in 0..criterion.last.as_ref().unwrap_or(&criterion.test).screen() {
            if looked.verdict == Verdict::Interesting || cancel.is_cancelled() {
                break;
            }
            (looked, clues) = self.test.judge_original(original, cancel)?;
        }
        if looked.verdict != Verdict::Interesting {
            clues = Clues::default();
        }
        outcome.wall = outcome.wall.max(looked.wall);
        Ok((outcome, clues))
    }

    fn set_time_limit(&self, limit: Duration) {
        self.test.set_time_limit(limit);
        self.lock().begin_all_again();
    }

    fn part_limits(&self) -> TimeLimits {
        self.test.part_limits()
    }

    fn set_part_limits(&self, limits: &TimeLimits) {
        self.test.set_part_limits(limits);
        self.lock().begin_all_again();
    }
}
