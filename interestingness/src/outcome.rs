//! Verdicts, and what is known of them.

use std::time::Duration;

use clreduce_process::{Completed, End};
use clreduce_testcase::Complaint;
use serde::{Deserialize, Serialize};

use crate::not_run::NotRun;
use crate::{Quantity, TimeLimits};

/// The result of a test. The reducer sees everything but `Interesting` as "no".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// The variant still shows the bug.
    Interesting,
    /// It does not.
    Uninteresting,
    /// The test exceeded its time limit.
    TimedOut,
    /// The test exceeded another limit, or a tool that it needs failed on the variant.
    Unresolved,
}

/// A verdict and what is worth telling a person about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// A time limit decided it. Where no other test runs, the verdict may be another one.
    #[serde(default)]
    pub ran_out_of_time: bool,
    /// Exit status of the test program, where there is one.
    pub exit_code: Option<i32>,
    /// One line for people: "exit code 1", "killed by signal 11 (SIGSEGV)", "more than 2 GiB of
    /// memory", "stage `simulate`: data race". Empty where the verdict says it all.
    pub reason: String,
    /// The last lines of what the test printed, standard output and error together as they came.
    pub output_tail: Vec<u8>,
    /// Wall time of the test.
    pub wall: Duration,
    /// The limits that parts of the test would have if the variant were the original, as far as its test shows them.
    pub part_limits: TimeLimits,
    /// The errors that compilers reported, where the variant is not interesting and large.
    #[serde(default)]
    pub complaints: Vec<Complaint>,
    /// The number that the test printed, where numbers decide.
    #[serde(default)]
    pub number: Option<Quantity>,
    /// The rank of an interesting variant among others, where somebody prefers one to another: the lower the better.
    #[serde(default)]
    pub rank: Option<Quantity>,
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        Self {
            verdict,
            ran_out_of_time: verdict == Verdict::TimedOut,
            exit_code: None,
            reason: String::new(),
            output_tail: Vec::new(),
            wall: Duration::ZERO,
            part_limits: TimeLimits::new(),
            complaints: Vec::new(),
            number: None,
            rank: None,
        }
    }
}

/// The outcome of a test whose exit code decides.
impl TryFrom<Completed> for Outcome {
    type Error = NotRun;

    fn try_from(completed: Completed) -> Result<Self, NotRun> {
        let (verdict, exit_code) = match completed.end {
            End::Exited(0) => (Verdict::Interesting, Some(0)),
            End::Exited(code) => (Verdict::Uninteresting, Some(code)),
            End::Signalled(_) => (Verdict::Uninteresting, None),
            End::TimedOut => (Verdict::TimedOut, None),
            End::Cancelled | End::Failed(_) => (Verdict::Unresolved, None),
            End::NotRun(reason) => return Err(NotRun::Failed(reason)),
        };
        let (reason, output_tail) = (completed.end.reason(), completed.tail);
        let wall = completed.wall;
        Ok(Self { exit_code, reason, output_tail, wall, ..Self::from(verdict) })
    }
}
