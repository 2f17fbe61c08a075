//! Counts of the conversation, by pass.

use std::time::Instant;

use clreduce_interestingness::Gated;
use clreduce_testcase::Size;

use super::result::{GateFigures, PassStatistics};
use crate::events::Event;
use clreduce_speculation::Answered;

/// Figures of the conversation so far.
#[derive(Debug)]
pub struct Statistics {
    /// Answers consumed.
    pub questions: u64,
    /// Answers that had been consumed before.
    pub cache_hits: u64,
    /// What the gate had to do with answers.
    pub gate: GateFigures,
    passes: Vec<PassStatistics>,
    /// The pass under way: its index, and what it asked in this turn.
    turn: Option<(usize, u64, u64)>,
    last: Instant,
}

impl Statistics {
    /// No figures yet.
    pub fn new() -> Self {
        Self {
            questions: 0,
            cache_hits: 0,
            gate: GateFigures::default(),
            passes: Vec::new(),
            turn: None,
            last: Instant::now(),
        }
    }

    /// Counts an answer. Returns the end of another pass's turn, where it is one.
    pub fn count(&mut self, answered: &Answered) -> Option<Event> {
        self.questions += 1;
        self.cache_hits += u64::from(answered.known);
        let index = self.index(answered.candidate.pass);
        let finished = match self.turn {
            Some((current, ..)) if current != index => self.finish_turn(),
            _ => None,
        };
        let interesting =
            u64::from(answered.outcome.verdict == clreduce_interestingness::Verdict::Interesting);
        match answered.gated {
            Gated::Passed => {}
            Gated::Doubted => {
                self.gate.tested += 1;
                self.gate.ended |= interesting > 0;
            }
            Gated::Refused => self.gate.refused += u64::from(!answered.known),
        }
        let (_, asked, successes) = self.turn.get_or_insert((index, 0, 0));
        *asked += 1;
        *successes += interesting;
        let pass = &mut self.passes[index];
        pass.asked += 1;
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
        let (index, asked, interesting) = self.turn.take()?;
        Some(Event::PassFinished { pass: self.passes[index].name, asked, interesting })
    }

    /// The passes, in the order in which they first asked.
    pub fn into_passes(self) -> Vec<PassStatistics> {
        self.passes
    }

    fn index(&mut self, name: &'static str) -> usize {
        self.passes.iter().position(|pass| pass.name == name).unwrap_or_else(|| {
            let wall = std::time::Duration::ZERO;
            let pass = PassStatistics { name, asked: 0, interesting: 0, tokens_removed: 0, wall };
            self.passes.push(pass);
            self.passes.len() - 1
        })
    }
}
