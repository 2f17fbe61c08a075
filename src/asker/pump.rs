//! A nested search on a program that was made larger first.
//!
//! Some reductions go uphill: a function inlined at three calls is more code until its copies have
//! been simplified. A pump asks for the larger variant, lets the ordinary passes work on it with a
//! budget of questions, and is committed as one step when the whole is smaller than what there was;
//! otherwise it is forgotten. So no pass undoes another's work for ever. The idea is shrinkray's.

use clreduce_testcase::{ContentHash, Size, TestCase};

use super::headers::Headers;
use super::reducer::Reducer;
use super::turn::is_smaller;
use super::{Asker, Next};

/// Questions that a grown variant may cost before it is given up.
const BUDGET: u32 = 60;

/// Most tokens that a variant may have more than the current test case.
const GROWTH: usize = 200;

/// Whether a variant of so many tokens may be tried on a test case of so many.
pub(super) fn may_grow(variant: &Size, current: &Size) -> bool {
    variant.work_items <= current.work_items && variant.tokens <= current.tokens + GROWTH
}

/// The nested search.
#[derive(Clone)]
pub(super) struct Pump {
    inner: Box<Reducer>,
    budget: u32,
}

impl Pump {
    /// Begins with a reducer for the grown variant.
    pub(super) fn new(inner: Reducer) -> Self {
        Self { inner: Box::new(inner), budget: BUDGET }
    }

    /// What to ask; [`Next::Done`] when it is to be given up.
    pub(super) fn next(&mut self) -> Next {
        if self.budget == 0 { Next::Done } else { self.inner.next() }
    }

    /// Takes an answer; what is now better than `current`, if anything is.
    pub(super) fn answer(
        &mut self,
        interesting: bool,
        current: &(TestCase, Size),
    ) -> Option<(TestCase, Size)> {
        self.budget = self.budget.saturating_sub(1);
        let case = self.inner.answer(interesting)?;
        let size = Size::of(&case);
        is_smaller((&case, &size), current).then_some((case, size))
    }

    /// Where text from headers is by now.
    pub(super) fn headers(&self) -> Headers {
        self.inner.headers_now()
    }

    pub(super) fn withdraw(&mut self, is_withdrawn: &dyn Fn(&ContentHash) -> bool) {
        self.inner.withdraw(is_withdrawn);
    }

    pub(super) fn mark_supposed(&mut self) {
        self.inner.mark_supposed();
    }

    pub(super) fn confirm(&mut self) {
        self.inner.confirm();
    }
}
