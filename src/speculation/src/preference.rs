//! A preference among interesting variants: one that somebody ranks worse than the current test case has to be much smaller.
//!
//! Every commit is still smaller than the one before, so that a reduction ends as it does without a preference.

use clreduce_interestingness::{Outcome, Quantity, Verdict};
use clreduce_testcase::Size;

/// So many tokens are worth a worse rank.
pub const WORTH: usize = 10;

/// The ranks and sizes of the original and of the current test case.
#[derive(Clone, Copy, Debug)]
pub struct Preference {
    original: (Size, Quantity),
    current: (Size, Quantity),
}

impl Preference {
    /// The preference while the original is the current test case.
    #[must_use]
    pub fn new(size: Size, rank: Quantity) -> Self {
        Self { original: (size, rank), current: (size, rank) }
    }

    /// The ranks of the original and of the current test case.
    #[must_use]
    pub fn ranks(&self) -> [Quantity; 2] {
        [self.original.1, self.current.1]
    }

    /// Takes note that the original is the current test case again.
    pub(crate) fn restart(&mut self) {
        self.current = self.original;
    }

    /// Takes note that an interesting variant is the current test case.
    pub(crate) fn committed(&mut self, size: Size, rank: Option<Quantity>) {
        self.current = (size, rank.unwrap_or(Quantity::MAX));
    }

    /// Refuses an interesting variant of this size if its rank is worse and it is hardly smaller.
    pub(crate) fn judge(&self, size: &Size, outcome: &mut Outcome) {
        let Some(rank) = outcome.rank.filter(|_| outcome.verdict == Verdict::Interesting) else {
            return;
        };
        let (current_size, current) = self.current;
        let is_much_smaller = size.work_items < current_size.work_items
            || size.tokens.saturating_add(WORTH) <= current_size.tokens;
        if rank > current && !is_much_smaller {
            outcome.verdict = Verdict::Uninteresting;
            if rank < Quantity::MAX {
                let (rank, current) = (rank.rounded(), current.rounded());
                outcome.reason = format!("not preferred: {rank}, the current test case {current}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::TestCase;

    use super::*;

    fn size(tokens: usize) -> Size {
        let text = "a ".repeat(tokens).into_bytes();
        Size::of(&TestCase::single("a.c", text).unwrap())
    }

    #[test]
    fn a_worse_rank_costs_ten_tokens() {
        let rank = Quantity::millionths;
        let current = Preference::new(size(50), rank(7));
        for (tokens, its_rank, is_taken) in
            [(49, 7, true), (49, 6, true), (49, 8, false), (41, 8, false), (40, 8, true)]
        {
            let mut outcome = Outcome::from(Verdict::Interesting);
            outcome.rank = Some(rank(its_rank));
            current.judge(&size(tokens), &mut outcome);
            let is_interesting = outcome.verdict == Verdict::Interesting;
            assert_eq!(is_interesting, is_taken, "{tokens} tokens, rank {its_rank}");
        }
        let mut hangs = Outcome::from(Verdict::TimedOut);
        current.judge(&size(49), &mut hangs);
        assert_eq!(hangs.verdict, Verdict::TimedOut);
    }
}
