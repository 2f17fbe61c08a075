//! Events of a reduction. Everything that a person or a program sees of it (progress, JSON lines, statistics, the
//! report) is made from these events; the engine itself prints nothing.

use std::time::Duration;

use clreduce_interestingness::{Filtered, Outcome};
use clreduce_testcase::{ContentHash, Size, TestCase};

use crate::rate::{MeasuredNumber, MeasuredRate, NumberBound, Rate};

/// Something that happened, in the order of the steps.
#[derive(Clone, Debug)]
pub enum Event {
    /// The original was found interesting; the reduction starts.
    Started {
        /// Size of the original.
        size: Size,
        /// Bytes of the original, white space included.
        bytes: usize,
        /// Steps that the journal of an earlier run holds.
        resumed_steps: u64,
        /// Wall-time limit of one test.
        time_limit: Duration,
        /// Wall time of the test of the original, if the limit follows from it.
        original_time: Option<Duration>,
    },
    /// The reducer took a verdict.
    Judged {
        /// Number of the step, from 1.
        step: u64,
        /// Content hash of the variant.
        hash: ContentHash,
        /// Pass that proposed it.
        pass: &'static str,
        /// The chance of "interesting" that was expected, in thousandths.
        chance: u16,
        /// The verdict and how it came about.
        outcome: Outcome,
        /// True if the verdict was known already, from this run or from the journal of an earlier one.
        known: bool,
        /// The part of the compile filter in it.
        filtered: Filtered,
        /// Tests started so far, killed and speculative ones included.
        tests: u64,
    },
    /// A variant became the current test case.
    Committed {
        /// Number of the step.
        step: u64,
        /// Pass that proposed it.
        pass: &'static str,
        /// The size of the new test case, by which test cases are ordered.
        size: Size,
        /// Its bytes, white space included.
        bytes: usize,
        /// The new current test case.
        case: TestCase,
    },
    /// A person edited the files, and the test does not accept that. The current test case comes back to its place.
    EditRefused {
        /// The files as they were edited.
        case: TestCase,
        /// What the test said, in a line. Empty where the verdict says it all.
        reason: String,
    },
    /// The current test case was interesting only by mistake: the steps after this one are void.
    WentBack {
        /// Number of the last step that counts.
        step: u64,
        /// Size of the current test case, which an earlier commit made.
        size: Size,
        /// Its bytes, white space included.
        bytes: usize,
        /// The current test case.
        case: TestCase,
    },
    /// The original or the result of a reduction by rates was measured.
    Measured {
        /// True if the original was measured, and false for the result.
        is_original: bool,
        /// The number of runs, and of those that showed the bug.
        runs: MeasuredRate,
        /// The least rate that is asked of a variant.
        asked: Rate,
    },
    /// The original or the result of a reduction by numbers was measured.
    MeasuredNumber {
        /// True if the original was measured, and false for the result.
        is_original: bool,
        /// The numbers that its runs printed.
        number: MeasuredNumber,
        /// The number that is asked of a variant.
        asked: NumberBound,
    },
    /// A pass has nothing left to try for now.
    PassFinished {
        /// Its name.
        pass: &'static str,
        /// Its steps in this run of the pass.
        steps: u64,
        /// The number of those that were interesting.
        interesting: u64,
    },
    /// A pass did not look at everything, because there was too much of something.
    LeftOut {
        /// Its name.
        pass: &'static str,
        /// The things that were counted: "calls of one function".
        of: &'static str,
        /// The number of them that the pass looks at.
        most: usize,
    },
    /// A person skipped what was left of a pass.
    PassSkipped {
        /// Its name.
        pass: &'static str,
    },
    /// No more variants are tried, although some are left. The result is tested once more, and laid out.
    LastTests {
        /// The reason.
        ending: Ending,
        /// How long these tests may take, if there is a limit.
        limit: Option<Duration>,
    },
    /// Something that the user should know, although the reduction continues.
    Warning(String),
    /// The reduction ended.
    Finished {
        /// Size of the result.
        size: Size,
        /// The reason why it ended.
        ending: Ending,
    },
}

/// A reason why a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing proposed is left to try.
    Minimal,
    /// `max_steps` was reached.
    StepLimit,
    /// The time limit was reached.
    TimeLimit,
    /// It was cancelled.
    Interrupted,
}
