//! The steps of an earlier run are taken again: the verdicts in the journal, in their order. Then the files on disk are a version that
//! the journal knows, or a person has edited them.

use clreduce_candidates::CandidateSource;
use clreduce_interestingness::Verdict;
use clreduce_journal::{Between, Journal};
use clreduce_speculation::{Executor, WrongSuccesses};
use clreduce_testcase::TestCase;

use super::calibration::OriginalFirst;
use super::limits::put_into_force;
use super::result::ReductionError;
use super::resume::remember;
use super::run::ReductionRun;
use crate::events::Event;

impl<S: CandidateSource> ReductionRun<'_, S> {
    /// Repeats the steps in the journal. Neither a cancellation nor a limit stops it on the way, since the result would
    /// be larger than what is on disk.
    pub(super) fn replay(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
    ) -> Result<(), ReductionError> {
        self.versions.add(&self.best.0);
        let began_with = self.limits.now().clone();
        loop {
            match self.journal.as_mut().and_then(Journal::take_between) {
                Some(Between::Skipped(journaled)) => {
                    match executor.scheduler_mut().skip_pass() {
                        Some(pass) if *pass == journaled => self.skipped(pass),
                        _ => return Err(self.diverged()),
                    }
                    continue;
                }
                Some(Between::Edited(hash)) => {
                    let edit = self.journal.as_ref().map(|journal| journal.edit(&hash));
                    if let Some(case) = edit.transpose()? {
                        let case = case.in_language(Some(self.reduction.case.language()));
                        executor.scheduler_mut().take_edit(&case);
                        self.edited(case);
                    }
                    continue;
                }
                Some(Between::Limits(limits)) => {
                    self.limits.restore(limits);
                    continue;
                }
                Some(Between::LaidOut(case)) => {
                    self.versions.add_hash(case);
                    continue;
                }
                None => {}
            }
            let entry = self.journal.as_ref().and_then(|it| it.replay().front().cloned());
            let Some(entry) = entry else { break };
            // A flaky test may have had another verdict on the same variant later.
            remember(executor.scheduler_mut().verdicts_mut(), &entry);
            // Otherwise it is a candidate that the earlier run did not have.
            let Some(judged) = executor.known_verdict() else { return Err(self.diverged()) };
            if let Some(case) = self.consume(judged, executor.scheduler().counters())? {
                self.versions.add(&case);
            }
            self.look_again(executor);
        }
        put_into_force(self.limits.now(), &*self.reduction.test);
        if *self.limits.now() != began_with {
            executor.drop_tests_ahead();
        }
        if self.journal.as_ref().is_some_and(Journal::went_back) {
            executor.scheduler_mut().verdicts_mut().distrust(WrongSuccesses::default());
        }
        self.check_disk(executor)
    }

    /// The error for a source that proposes something else from the same verdicts.
    pub(super) fn diverged(&self) -> ReductionError {
        let journal = self.journal.as_ref();
        journal.map_or_else(|| panic!("a source repeats itself"), |it| it.diverged().into())
    }

    fn is_refused_edit(&self, case: &TestCase) -> bool {
        let hash = case.hash();
        let last = self.history.iter().rfind(|entry| entry.hash == hash);
        self.edits.iter().any(|(_, edit)| edit.hash() == hash)
            && last.is_some_and(|entry| entry.verdict != Verdict::Interesting)
    }

    /// Puts the best version on disk. Files that the journal does not know are an edit, which is judged first.
    fn check_disk(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
    ) -> Result<(), ReductionError> {
        let on_disk = self.on_disk.take();
        if let Some(case) = on_disk.as_ref().filter(|case| !self.versions.know(case)) {
            let case = case.clone().in_language(Some(self.reduction.case.language()));
            executor.scheduler_mut().take_edit(&case);
            self.record_edit(case)?;
        }
        if executor.scheduler().awaits_edit() {
            return Ok(());
        }
        if let Some(case) = on_disk.as_ref().filter(|case| self.is_refused_edit(case)).cloned() {
            // The earlier run was killed before it put the edit aside, or the same edit was made again.
            self.tell(&Event::EditRefused { case, reason: String::new() });
        }
        let is_there = on_disk.as_ref() == Some(&self.best.0);
        if is_there || (on_disk.is_none() && self.statistics.steps == 0) {
            return Ok(());
        }
        let best = self.best.0.clone();
        self.keep(&best)
    }
}
