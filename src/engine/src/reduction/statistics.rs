//! Counts of the conversation, by pass.

use std::time::Instant;

use clreduce_interestingness::Filtered;
use clreduce_testcase::Size;

use super::result::{FilterFigures, PassStatistics};
use crate::events::Event;
use clreduce_speculation::Judged;

/// Figures of the conversation so far.
#[derive(Debug)]
pub struct Statistics {
    /// Answers consumed.
    pub steps: u64,
    /// Answers that had been consumed before.
    pub cache_hits: u64,
    /// What the gate had to do with answers.
    pub compile_filter: FilterFigures,
    passes: Vec<PassStatistics>,
    /// The pass under way: its index, and what it asked in this turn.
    turn: Option<(usize, u64, u64)>,
    last: Instant,
}

impl Statistics {
    /// No figures yet.
    pub fn new() -> Self {
        Self {
            steps: 0,
            cache_hits: 0,
            compile_filter: FilterFigures::default(),
            passes: Vec::new(),
            turn: None,
            last: Instant::now(),
        }
    }

    /// Counts an answer. Returns the end of another pass's turn, where it is one.
    pub fn count(&mut self, answered: &Judged) -> Option<Event> {
        self.steps += 1;
        self.cache_hits += u64::from(answered.known);
        let index = self.index(answered.candidate.pass);
        let finished = match self.turn {
            Some((current, ..)) if current != index => self.finish_turn(),
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
        let (_, steps, successes) = self.turn.get_or_insert((index, 0, 0));
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
    pub fn committed(&mut self, before: Size, after: Size) {
        if let Some((index, ..)) = self.turn {
            let tokens = |size: Size| i64::try_from(size.tokens).unwrap_or(i64::MAX);
            self.passes[index].tokens_removed += tokens(before) - tokens(after);
        }
    }

    /// The end of the turn under way.
    pub fn finish_turn(&mut self) -> Option<Event> {
        let (index, steps, interesting) = self.turn.take()?;
        Some(Event::PassFinished { pass: self.passes[index].name, steps, interesting })
    }

    /// The passes, in the order in which they first asked.
    pub fn into_passes(self) -> Vec<PassStatistics> {
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
