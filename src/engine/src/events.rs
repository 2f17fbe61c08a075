//! The one stream of what happens in a reduction. Everything a person or a program sees (progress,
//! JSON lines, statistics, the report) is a listener; the engine itself prints nothing.

use std::time::Duration;

use clreduce_interestingness::{Gated, Outcome};
use clreduce_testcase::{ContentHash, Size, TestCase};

/// Something that happened, in the order of the conversation.
#[derive(Clone, Debug)]
pub enum Event {
    /// The original was found interesting; the reduction starts.
    Started {
        /// Size of the original.
        size: Size,
        /// Bytes of the original, white space included.
        bytes: usize,
        /// Answers that a journal of an earlier run holds.
        resumed_answers: u64,
        /// Wall-time limit of one test.
        time_limit: Duration,
    },
    /// An answer was consumed.
    Answered {
        /// Number of the question, from 1.
        question: u64,
        /// Content hash of the variant.
        hash: ContentHash,
        /// Pass that proposed it.
        pass: &'static str,
        /// How likely it was thought to be interesting, in thousandths.
        chance: u16,
        /// The answer and how it came about.
        outcome: Outcome,
        /// Whether it was known already, from this run's cache or an earlier run's journal.
        known: bool,
        /// What the gate had to do with it.
        gated: Gated,
        /// Tests started so far, killed and speculative ones included.
        tests: u64,
    },
    /// A variant became the current test case.
    Committed {
        /// Number of the question that was answered.
        question: u64,
        /// Pass that proposed it.
        pass: &'static str,
        /// Its size.
        size: Size,
        /// Its bytes, white space included.
        bytes: usize,
        /// The new current test case.
        case: TestCase,
    },
    /// A pass has no more to ask for now.
    PassFinished {
        /// Its name.
        pass: &'static str,
        /// Questions it asked in this turn.
        asked: u64,
        /// How many of them were interesting.
        interesting: u64,
    },
    /// Something a person should know, although the reduction goes on.
    Warning(String),
    /// The reduction ended.
    Finished {
        /// Size of the result.
        size: Size,
        /// Why it ended.
        ending: Ending,
    },
}

/// Why a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing proposed is left to try.
    Minimal,
    /// `max_questions` was reached.
    QuestionLimit,
    /// The time limit was reached.
    TimeLimit,
    /// It was cancelled.
    Interrupted,
}
