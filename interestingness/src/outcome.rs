//! What a test says of one variant.

use std::time::Duration;

/// The answer to a question. The reducer sees everything but `Interesting` as "no".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The variant still shows what is looked for.
    Interesting,
    /// It does not.
    Uninteresting,
    /// The test exceeded its time limit.
    TimedOut,
    /// The test or a tool it needs failed, so that nothing can be said.
    Unresolved,
}

/// A verdict and what is worth telling a person about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// Exit status of the test program, where there is one.
    pub exit_code: Option<i32>,
    /// One line for people: "exit code 1", "killed by signal 11 (SIGSEGV)", "more than 2 GiB of
    /// memory", "stage `simulate`: data race". Empty where the verdict says it all.
    pub reason: String,
    /// The last lines of what the test printed, standard output and error together as they came.
    pub output_tail: Vec<u8>,
    /// Wall time of the test.
    pub wall: Duration,
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        Self {
            verdict,
            exit_code: None,
            reason: String::new(),
            output_tail: Vec::new(),
            wall: Duration::ZERO,
        }
    }
}
