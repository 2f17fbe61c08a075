//! Figures of a reduction, by pass.

use std::time::Instant;

use clreduce_interestingness::Filtered;
use clreduce_testcase::Size;

use super::result::{FilterFigures, PassStatistics};
use crate::events::Event;
use clreduce_speculation::Judged;

/// Figures of the reduction so far.
#[derive(Debug)]
pub(super) struct StepCounts {
    /// Steps: verdicts that the reducer took.
    pub steps: u64,
    /// Steps whose verdict was known already.
    pub cache_hits: u64,
    /// The work and the verdicts of the compile filter.
    pub compile_filter: FilterFigures,
    passes: Vec<PassStatistics>,
    /// The pass that runs: its index, its steps and successes in this run.
    pass_run: Option<(usize, u64, u64)>,
    last: Instant,
}

impl StepCounts {
    /// No figures yet.
    pub(super) fn new() -> Self {
        Self {
            steps: 0,
            cache_hits: 0,
            compile_filter: FilterFigures::default(),
            passes: Vec::new(),
            pass_run: None,
            last: Instant::now(),
        }
    }

    /// Counts a step. Returns the event of the end of another pass, if this step is the first after it.
    pub(super) fn count(&mut self, answered: &Judged) -> Option<Event> {
        self.steps += 1;
        self.cache_hits += u64::from(answered.known);
        let index = self.index(answered.candidate.pass);
        let finished = match self.pass_run {
            Some((current, ..)) if current != index => self.finish_pass_run(),
            _ => None,
        };
        let interesting =
            u64::from(answered.outcome.verdict == clreduce_interestingness::Verdict::Interesting);
        match answered.filtered {
            Filtered::Passed => {}
            Filtered::Doubted => {
                self.compile_filter.doubted += 1;
                self.compile_filter.ended |= interesting > 0;
            }
            Filtered::Rejected => self.compile_filter.rejected += u64::from(!answered.known),
        }
        let (_, steps, successes) = self.pass_run.get_or_insert((index, 0, 0));
        *steps += 1;
        *successes += interesting;
        let pass = &mut self.passes[index];
        pass.steps += 1;
        pass.interesting += interesting;
        let now = Instant::now();
        pass.wall += now.duration_since(self.last);
        self.last = now;
        finished
    }

    /// Counts what a commit of the last pass removed.
    pub(super) fn committed(&mut self, before: Size, after: Size) {
        if let Some((index, ..)) = self.pass_run {
            let tokens = |size: Size| i64::try_from(size.tokens).unwrap_or(i64::MAX);
            self.passes[index].tokens_removed += tokens(before) - tokens(after);
        }
    }

    /// The event of the end of the pass that runs.
    pub(super) fn finish_pass_run(&mut self) -> Option<Event> {
        let (index, steps, interesting) = self.pass_run.take()?;
        Some(Event::PassFinished { pass: self.passes[index].name, steps, interesting })
    }

    /// The passes, in the order of their first steps.
    pub(super) fn into_passes(self) -> Vec<PassStatistics> {
        self.passes
    }

    fn index(&mut self, name: &'static str) -> usize {
        self.passes.iter().position(|pass| pass.name == name).unwrap_or_else(|| {
            let wall = std::time::Duration::ZERO;
            let pass = PassStatistics { name, steps: 0, interesting: 0, tokens_removed: 0, wall };
            self.passes.push(pass);
            self.passes.len() - 1
        })
    }
}
