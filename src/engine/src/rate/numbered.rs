//! The runs of one program, which have numbers from 1: several threads take them, and what they say counts in the order of the
//! numbers. A run that was not finished is taken again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use clreduce_interestingness::{Outcome, Quantity, Verdict};

use super::{MeasuredNumber, MeasuredRate};

/// A program whose first runs all ran out of time is refused after this number of them.
const HANGS: u32 = 3;

/// The decision on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    /// Its runs were enough for the rule, which says so.
    ByRule(bool),
    /// As the first run says: it hangs, or it fails where a number is asked for.
    AsFirst,
}

/// The runs so far.
#[derive(Debug, Default)]
pub(super) struct NumberedRuns {
    /// The runs that count: without a gap from the first on, and none after the decision.
    counted: MeasuredRate,
    /// The numbers that those printed.
    numbers: Vec<Quantity>,
    hung: u32,
    decided: Option<Decided>,
    /// The outcome of the first run, for people and for the complaints in it.
    first: Option<Outcome>,
    longest: Duration,
    /// Runs that ended before one with a lower number.
    ahead: BTreeMap<u32, Run>,
    /// Numbers that were given out and came back.
    returned: BTreeSet<u32>,
    given_out: u32,
    /// One of the runs showed the bug, counted or not.
    is_promising: bool,
}

/// The result of one run.
#[derive(Clone, Debug)]
pub(super) struct Run {
    shown: bool,
    pub(super) number: Option<Quantity>,
    hung: bool,
    wall: Duration,
}

impl NumberedRuns {
    /// The next number.
    pub(super) fn take(&mut self) -> u32 {
        self.returned.pop_first().unwrap_or_else(|| {
            self.given_out += 1;
            self.given_out
        })
    }

    /// Takes a number back whose run was not finished.
    pub(super) fn put_back(&mut self, number: u32) {
        self.returned.insert(number);
    }

    /// Adds the outcome of a run. `decides` is the rule for those that count.
    pub(super) fn add(
        &mut self,
        number: u32,
        outcome: Outcome,
        decides: impl Fn(&MeasuredRate, &Run) -> Option<Decided>,
    ) {
        let shown = outcome.verdict == Verdict::Interesting;
        let (hung, wall) = (outcome.ran_out_of_time, outcome.wall);
        self.ahead.insert(number, Run { shown, number: outcome.number, hung, wall });
        self.is_promising |= shown;
        if number == 1 {
            self.first = Some(outcome);
        }
        while self.decided.is_none()
            && let Some(run) = self.ahead.remove(&(self.counted.runs + 1))
        {
            self.counted.add(run.shown);
            self.numbers.extend(run.number);
            self.hung += u32::from(run.hung);
            self.longest = self.longest.max(run.wall);
            let hangs = self.hung == HANGS && self.counted.runs == HANGS;
            self.decided =
                if hangs { Some(Decided::AsFirst) } else { decides(&self.counted, &run) };
        }
    }

    /// The decision, if there is one.
    pub(super) fn decided(&self) -> Option<Decided> {
        self.decided
    }

    /// The runs that count.
    pub(super) fn counted(&self) -> MeasuredRate {
        self.counted
    }

    /// The numbers of the runs that count.
    pub(super) fn numbers(&self) -> &[Quantity] {
        &self.numbers
    }

    /// Returns true if it is undecided, and one of the runs showed the bug.
    pub(super) fn is_promising(&self) -> bool {
        self.is_promising && self.decided.is_none()
    }

    /// All runs as one outcome, once they have decided.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let decided = self.decided?;
        let first = self.first.clone()?;
        let verdict = match decided {
            Decided::ByRule(true) => Verdict::Interesting,
            Decided::ByRule(false) => Verdict::Uninteresting,
            Decided::AsFirst => return Some(Outcome { wall: self.longest, ..first }),
        };
        Some(Outcome {
            verdict,
            // Now and then one does.
            ran_out_of_time: false,
            reason: match MeasuredNumber::of(&self.numbers) {
                Some(numbers) => format!("the test measures {numbers}"),
                None => format!("it shows the bug {}", self.counted),
            },
            wall: self.longest,
            ..first
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(shown: bool) -> Outcome {
        Outcome::from(if shown { Verdict::Interesting } else { Verdict::Uninteresting })
    }

    fn three(runs: &MeasuredRate, _: &Run) -> Option<Decided> {
        (runs.runs == 3).then_some(Decided::ByRule(runs.shown >= 2))
    }

    #[test]
    fn runs_count_in_the_order_of_their_numbers() {
        // The fourth would decide otherwise if it counted.
        let says = [true, false, true, false];
        for order in [[1, 2, 3, 4], [4, 3, 2, 1], [2, 4, 1, 3]] {
            let mut runs = NumberedRuns::default();
            assert_eq!([(); 4].map(|()| runs.take()), [1, 2, 3, 4]);
            for number in order {
                runs.add(number, run(says[number as usize - 1]), three);
            }
            assert_eq!(runs.decided(), Some(Decided::ByRule(true)));
            assert_eq!(runs.counted(), MeasuredRate { shown: 2, runs: 3 });
            assert_eq!(runs.outcome().unwrap().reason, "it shows the bug in 2 of 3 runs");
        }
    }

    #[test]
    fn an_unfinished_run_is_taken_again() {
        let mut runs = NumberedRuns::default();
        let (one, two) = (runs.take(), runs.take());
        runs.add(two, run(true), three);
        assert!(runs.is_promising() && runs.counted().runs == 0);
        runs.put_back(one);
        assert_eq!((runs.take(), runs.take()), (1, 3));
    }

    #[test]
    fn what_hangs_from_the_first_run_on_is_refused_soon() {
        let hang = || Outcome::from(Verdict::TimedOut);
        let decided = |says: [Outcome; 3]| {
            let mut runs = NumberedRuns::default();
            for outcome in says {
                let number = runs.take();
                runs.add(number, outcome, |_, _| None);
            }
            runs.outcome().map(|outcome| (outcome.verdict, outcome.ran_out_of_time))
        };
        assert_eq!(decided([hang(), hang(), hang()]), Some((Verdict::TimedOut, true)));
        assert_eq!(decided([hang(), run(false), hang()]), None);
    }
}
