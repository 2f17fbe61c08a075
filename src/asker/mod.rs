//! Who asks: a deterministic state machine that proposes one variant after the other.
//!
//! Only answers decide what is asked next: no clock, no thread timing, no random numbers, no order of
//! hash maps. That is what makes parallelism prefetching, resuming asking again, and every `-j` equal.

mod choice;
mod headers;
mod pump;
mod rates;
mod reducer;
mod refusals;
#[cfg(test)]
mod respect;
mod ruled_out;
mod schedule;
pub mod search;
mod stays;
mod turn;

pub use choice::PassChoice;
pub use reducer::{CHEAP_TO_LOOK_AT, Plan, Reducer};
pub use stays::Stays;

use clreduce_testcase::{ContentHash, Size, TestCase};

/// A variant that the reducer wants judged.
#[derive(Clone, Debug)]
pub struct Question {
    /// The variant.
    pub variant: TestCase,
    /// Its content hash.
    pub hash: ContentHash,
    /// Its size.
    pub size: Size,
    /// Name of the pass that proposed it.
    pub pass: &'static str,
    /// How likely the answer is "interesting", in thousandths, as far as earlier answers tell.
    pub chance: u16,
}

/// What a state machine of questions wants.
#[derive(Clone, Debug)]
pub enum Next {
    /// An answer to this question.
    Question(Question),
    /// Only in supposed states: going on would mean work (a new syntax tree, new proposals) for a
    /// commit that may never happen. Asked again once the state is real, it goes on.
    Blocked,
    /// Nothing: the reduction is finished.
    Done,
}

/// A deterministic conversation. Cloning is cheap: what is large is shared.
pub trait Asker: Clone + Send {
    /// What is wanted next. Without an answer in between, it says the same again (a blocked state
    /// that was confirmed excepted).
    fn next(&mut self) -> Next;

    /// Takes the answer to the last question. Returns the variant that is now the current test case
    /// when the answer made it so.
    fn answer(&mut self, interesting: bool) -> Option<TestCase>;

    /// The state that an answer would lead to; marked as supposed.
    #[must_use]
    fn suppose(&self, interesting: bool) -> Self {
        let mut supposed = self.clone();
        supposed.mark_supposed();
        supposed.answer(interesting);
        supposed
    }

    /// These answers, all of them "no", are withdrawn: what is remembered because of them is forgotten,
    /// so that it is proposed again. What remembers nothing has nothing to do.
    fn withdraw(&mut self, _is_withdrawn: &dyn Fn(&ContentHash) -> bool) {}

    /// Marks the state as resting on answers that nobody has given yet.
    fn mark_supposed(&mut self);

    /// The suppositions that led here came true.
    fn confirm(&mut self);
}
