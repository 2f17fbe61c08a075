//! The figures of a run, gathered from its events: what the progress display, the table at the end and
//! the summary show.

use std::time::{Duration, Instant};

use clreduce::events::{Ending, Event};
use clreduce_testcase::Size;

/// What one pass did in all its turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassFigures {
    /// Its name.
    pub name: &'static str,
    /// Questions it asked.
    pub asked: u64,
    /// How many of them were interesting.
    pub interesting: u64,
    /// Tokens that are gone since; negative where a pass made something longer to make it simpler.
    pub tokens_removed: i64,
    /// Wall time between the answers before its questions and the answers to them.
    pub time: Duration,
}

/// The figures so far.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// When the run was started.
    pub began: Instant,
    /// Size and bytes of the original.
    pub first: (Size, usize),
    /// Size and bytes of the best so far.
    pub best: (Size, usize),
    /// Answers consumed.
    pub questions: u64,
    /// Tests started, killed and speculative ones included.
    pub tests: u64,
    /// Answers that were known already.
    pub cache_hits: u64,
    /// Answers that a journal of an earlier run held at the start.
    pub resumed_answers: u64,
    /// Answers by which the test case became smaller.
    pub commits: u64,
    /// Time limit of one test.
    pub timeout: Duration,
    /// Consumed answers that were time-outs, and those where the test or a tool failed.
    pub timed_out: u64,
    /// See `timed_out`.
    pub unresolved: u64,
    /// Every pass that asked something, in the order of their first questions.
    pub passes: Vec<PassFigures>,
    /// What the engine warned of.
    pub warnings: Vec<String>,
    /// How it ended, once it has.
    pub ending: Option<Ending>,
    last_answer: Instant,
}

impl Statistics {
    /// Nothing has happened yet.
    pub fn new() -> Self {
        let nothing = (Size { work_items: 1, tokens: 0, dense_bytes: 0 }, 0);
        let now = Instant::now();
        Self {
            began: now,
            first: nothing,
            best: nothing,
            questions: 0,
            tests: 0,
            cache_hits: 0,
            resumed_answers: 0,
            commits: 0,
            timeout: Duration::ZERO,
            timed_out: 0,
            unresolved: 0,
            passes: Vec::new(),
            warnings: Vec::new(),
            ending: None,
            last_answer: now,
        }
    }

    /// Takes note of one event.
    pub fn update(&mut self, event: &Event) {
        use clreduce_interestingness::Verdict;
        match event {
            Event::Started { size, bytes, resumed_answers, time_limit } => {
                (self.first, self.best) = ((*size, *bytes), (*size, *bytes));
                (self.resumed_answers, self.timeout) = (*resumed_answers, *time_limit);
                self.last_answer = Instant::now();
            }
            Event::Answered { question, pass, outcome, known, tests, .. } => {
                (self.questions, self.tests) = (*question, *tests);
                self.cache_hits += u64::from(*known);
                self.timed_out += u64::from(outcome.verdict == Verdict::TimedOut);
                self.unresolved += u64::from(outcome.verdict == Verdict::Unresolved);
                let now = Instant::now();
                let time = now.duration_since(self.last_answer);
                self.last_answer = now;
                let figures = self.pass(pass);
                figures.asked += 1;
                figures.interesting += u64::from(outcome.verdict == Verdict::Interesting);
                figures.time += time;
            }
            Event::Committed { pass, size, bytes, .. } => {
                // Both are below 2^63: they count bytes in memory.
                let removed = self.best.0.tokens as i64 - size.tokens as i64;
                self.pass(pass).tokens_removed += removed;
                self.best = (*size, *bytes);
                self.commits += 1;
            }
            Event::PassFinished { .. } => {}
            Event::Warning(text) => self.warnings.push(text.clone()),
            Event::Finished { ending, .. } => self.ending = Some(*ending),
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn pass(&mut self, name: &'static str) -> &mut PassFigures {
        let index = self.passes.iter().position(|pass| pass.name == name).unwrap_or_else(|| {
            self.passes.push(PassFigures {
                name,
                asked: 0,
                interesting: 0,
                tokens_removed: 0,
                time: Duration::ZERO,
            });
            self.passes.len() - 1
        });
        &mut self.passes[index]
    }
}

/// The name of an ending in JSON.
pub fn ending_name(ending: Ending) -> &'static str {
    match ending {
        Ending::Minimal => "minimal",
        Ending::QuestionLimit => "question_limit",
        Ending::TimeLimit => "time_limit",
        Ending::Interrupted => "interrupted",
    }
}
