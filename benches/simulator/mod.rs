//! The scheduler of speculative tests in virtual time, and the bound it is held to.
//!
//! What the bound is and why: `notes/speculation.md`.

mod bound;
pub mod real;
mod replay;
mod trace;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use clreduce_candidates::CandidateSource;
use clreduce_interestingness::{Outcome, Verdict};
use clreduce_speculation::{Action, Counters, Scheduler, SchedulerStep, TestId, Verdicts};
use clreduce_testcase::TestCase;

#[allow(unused_imports, reason = "each program uses a part")]
pub use bound::{bound_ms, possible, share_of_bound};
pub use replay::{ChanceSource, Replay};
pub use trace::{Trace, TraceStep};

/// Recorded conversations by name.
pub const RECORDED: [(&str, &str); 8] = [
    ("assembly-1", include_str!("../traces/assembly-1.txt")),
    ("c-asm", include_str!("../traces/c-asm.txt")),
    ("c-assembly", include_str!("../traces/c-assembly.txt")),
    ("c-clang14-crash", include_str!("../traces/c-clang14-crash.txt")),
    ("c-crash", include_str!("../traces/c-crash.txt")),
    ("c-project", include_str!("../traces/c-project.txt")),
    ("c-sanitizer", include_str!("../traces/c-sanitizer.txt")),
    ("c-warning", include_str!("../traces/c-warning.txt")),
];

/// Time a test takes, in virtual milliseconds.
pub const TEST_MS: u64 = 100;

/// Time from the decision to kill a test to its end.
const KILL_MS: u64 = 1;

/// The times of tests that run somewhere.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// From the decision to start a test to its verdict.
    pub test_ms: u64,
    /// From the decision to kill a test to its end. It ends no later than by itself.
    pub kill_ms: u64,
}

impl Times {
    /// Tests on this machine.
    pub const HERE: Self = Self { test_ms: TEST_MS, kill_ms: KILL_MS };
    /// Tests that end at once when they are not wanted any more.
    pub const IDEAL: Self = Self { test_ms: TEST_MS, kill_ms: 0 };
}

/// The outcome of a simulated reduction.
#[derive(Debug)]
pub struct Simulated {
    /// Virtual wall time in milliseconds.
    pub wall_ms: u64,
    /// The conversation.
    pub trace: Trace,
    pub counters: Counters,
    /// Most states held at a time.
    pub states: usize,
}

/// Holds a conversation with `slots` tests at a time.
pub fn simulate<S: CandidateSource>(
    source: S,
    slots: usize,
    oracle: impl Fn(&TestCase) -> bool,
) -> Simulated {
    simulate_with(source, slots, Times::HERE, oracle)
}

/// Holds a conversation with `slots` tests at a time, which take their times.
pub fn simulate_with<S: CandidateSource>(
    source: S,
    slots: usize,
    times: Times,
    oracle: impl Fn(&TestCase) -> bool,
) -> Simulated {
    let mut scheduler = Scheduler::new(source, slots, Verdicts::default());
    let mut now = 0;
    let mut ends: BinaryHeap<Reverse<(u64, TestId)>> = BinaryHeap::new();
    let mut variants: HashMap<TestId, TestCase> = HashMap::new();
    let mut killed: HashSet<TestId> = HashSet::new();
    let mut entries = Vec::new();
    let mut states = 0;
    loop {
        match scheduler.step() {
            SchedulerStep::Judged(judged) => {
                let interesting = judged.outcome.verdict == Verdict::Interesting;
                let candidate = judged.candidate;
                if !judged.known {
                    entries.push(TraceStep {
                        pass: candidate.pass,
                        trial: None,
                        interesting,
                        repeats: None,
                        bytes: 0,
                    });
                }
                continue;
            }
            SchedulerStep::Done => break,
            SchedulerStep::Waiting => {}
        }
        let mut actions = scheduler.plan(true);
        while let Some(action) = actions.pop() {
            match action {
                Action::Start(id, _, variant) => {
                    variants.insert(id, variant);
                    ends.push(Reverse((now + times.test_ms, id)));
                }
                Action::Filter(..) => unreachable!("there is no compile filter"),
                Action::Kill(id) => {
                    killed.insert(id);
                    ends.push(Reverse((now + times.kill_ms, id)));
                }
            }
            if actions.is_empty() {
                actions = scheduler.plan(true);
            }
        }
        states = states.max(scheduler.states());
        // Everything that ends at one moment is known before anything is decided.
        while let Some(Reverse((end, id))) = ends.pop() {
            // A killed test is in the queue twice.
            if let Some(variant) = variants.remove(&id) {
                now = end;
                let yes = !killed.contains(&id) && oracle(&variant);
                let verdict = if yes { Verdict::Interesting } else { Verdict::Uninteresting };
                scheduler.ended(id, Ok(Outcome::from(verdict)));
            }
            if ends.peek().is_none_or(|Reverse((next, _))| *next > now) {
                break;
            }
        }
    }
    Simulated { wall_ms: now, trace: Trace::new(entries), counters: scheduler.counters(), states }
}
