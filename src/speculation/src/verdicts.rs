//! The memory of verdicts: everything that is known of variants, by content hash.
//!
//! A verdict comes from a test, or from the compile filter, which says that a variant does not compile. Some bugs are
//! about code that does not compile, so the filter has to earn trust ([`FilterTrust`]). A single test that contradicts
//! it ends it for good, and everything that rested on its word alone is forgotten.

use std::collections::HashMap;

use clreduce_candidates::Candidate;
use clreduce_interestingness::{Filtered, Outcome, Quantity, Verdict};
use clreduce_testcase::{Complaint, ContentHash};

use crate::tally::{RepeatedResults, WrongSuccesses};

/// Larger variants are tested without a look by the filter: they nearly always compile, and looking takes its time.
const FILTER_AT_MOST: usize = 4_000;

/// Everything that is known of variants. Nothing iterates over it, so that the order of a hash map cannot matter.
#[derive(Debug, Default)]
pub struct Verdicts {
    entries: HashMap<ContentHash, KnownVariant>,
    filter: FilterTrust,
    /// The test is flaky: a variant is interesting only if it is again and again.
    wrong_successes: Option<WrongSuccesses>,
    counts: FlakyCounts,
}

/// Variants that were tested again because the test is flaky.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlakyCounts {
    /// The number of variants that were tested again.
    pub repeated: u64,
    /// Variants among them that were interesting at first, by mistake.
    pub wrongly_interesting: u64,
    /// Variants among them that are interesting, although a test said once that they are not.
    pub wrongly_rejected: u64,
}

impl FlakyCounts {
    /// Adds a variant that was tested again, after a first test that found it interesting.
    pub fn add(&mut self, tally: &RepeatedResults, is_interesting: bool) {
        self.repeated += 1;
        self.wrongly_interesting += u64::from(!is_interesting);
        self.wrongly_rejected += u64::from(is_interesting && tally.interesting < tally.runs);
    }
}

/// The facts that are known of one variant.
#[derive(Debug, Default)]
struct KnownVariant {
    tested: Option<Tested>,
    /// The word of the compile filter: whether it rejects the variant.
    rejected: Option<bool>,
    /// The source has taken a verdict on the variant in this run.
    taken: bool,
    /// The last verdict that the source took rests on the filter's word alone.
    rests_on_filter: bool,
    /// A test timed out while others ran, which says nothing. The variant is tested once more, alone.
    alone: bool,
}

/// The word of the tests of a variant.
#[derive(Debug)]
enum Tested {
    /// The source has taken it, in this run or an earlier one, with the complaints that it heeded, and with the rank.
    Taken(Verdict, Vec<Complaint>, Option<Quantity>),
    /// The source has not taken it yet: the outcomes in the order in which they came. There are several where the test is
    /// flaky.
    Waiting(Vec<Outcome>),
}

/// The first of the outcomes on a variant that decides, together with those before it.
#[derive(Debug)]
struct Decision {
    index: usize,
    verdict: Verdict,
    /// The outcomes after the first one, where that was a success and the test is flaky.
    again: Option<RepeatedResults>,
}

/// A verdict that the source takes.
#[derive(Debug)]
pub(crate) struct TakenVerdict {
    pub(crate) outcome: Outcome,
    /// The source has had this verdict before.
    pub(crate) known: bool,
    /// The part of the compile filter in it.
    pub(crate) filtered: Filtered,
}

impl TakenVerdict {
    pub(crate) fn is_interesting(&self) -> bool {
        self.outcome.verdict == Verdict::Interesting
    }

    /// Returns true if it proves the compile filter wrong.
    pub(crate) fn contradicts_filter(&self) -> bool {
        self.filtered == Filtered::Doubted && self.is_interesting()
    }
}

impl Verdicts {
    /// Turns the compile filter on.
    pub fn use_filter(&mut self) {
        self.filter.is_on = true;
    }

    /// Returns true if the compile filter is on: it was turned on, and no test has contradicted it.
    #[must_use]
    pub fn uses_filter(&self) -> bool {
        self.filter.is_on
    }

    /// Takes over a verdict that an earlier run of the reduction took.
    pub fn remember(
        &mut self,
        hash: ContentHash,
        verdict: Verdict,
        complaints: &[Complaint],
        filtered: Filtered,
        rank: Option<Quantity>,
    ) {
        let known = self.entries.entry(hash).or_default();
        if filtered != Filtered::Rejected {
            known.tested = Some(Tested::Taken(verdict, complaints.to_vec(), rank));
        }
        known.rejected.get_or_insert(filtered != Filtered::Passed);
    }

    /// From now on, a variant is interesting only if repeated tests say so, as many as the mistakes that were seen
    /// ask for. Earlier successes are forgotten, so that they are tested again where they matter.
    #[expect(clippy::disallowed_methods, reason = "each for itself, in whatever order")]
    pub fn distrust(&mut self, seen: WrongSuccesses) {
        self.wrong_successes = Some(seen);
        let is_interesting = |known: &&mut KnownVariant| {
            matches!(known.tested, Some(Tested::Taken(Verdict::Interesting, ..)))
        };
        self.entries.values_mut().filter(is_interesting).for_each(|known| known.tested = None);
    }

    /// Forgets what tests said of variants whose verdict the source has not taken.
    #[expect(clippy::disallowed_methods, reason = "each for itself, in whatever order")]
    pub(crate) fn drop_untaken(&mut self) {
        let is_taken = |known: &KnownVariant| matches!(known.tested, Some(Tested::Taken(..)));
        for known in self.entries.values_mut().filter(|known| !is_taken(known)) {
            (known.tested, known.alone) = (None, false);
        }
    }

    /// The mistakes that were seen, where the test is flaky.
    #[must_use]
    pub fn wrong_successes(&self) -> Option<WrongSuccesses> {
        self.wrong_successes
    }

    /// The variants that were tested again by [`distrust`](Self::distrust).
    #[must_use]
    pub fn flaky_counts(&self) -> FlakyCounts {
        self.counts
    }

    /// Keeps the word of a test until the source asks for it. The first word stands, but for a success where the test is
    /// flaky: then it is tested again, until the outcomes decide.
    pub(crate) fn insert(&mut self, hash: ContentHash, outcome: Outcome) {
        let known = self.entries.entry(hash).or_default();
        match known.tested.get_or_insert_with(|| Tested::Waiting(Vec::new())) {
            Tested::Waiting(outcomes) => outcomes.push(outcome),
            Tested::Taken(..) => {}
        }
    }

    /// Keeps the word of the compile filter: whether it rejects a variant. The first word stands.
    pub fn insert_filtered(&mut self, hash: ContentHash, rejected: bool) {
        self.entries.entry(hash).or_default().rejected.get_or_insert(rejected);
    }

    /// Returns true if the compile filter has to say something before the candidate is judged.
    pub(crate) fn needs_filter(&self, candidate: &Candidate) -> bool {
        let has_said = |known: &KnownVariant| known.rejected.is_some();
        self.filter.is_on
            && candidate.size.tokens <= FILTER_AT_MOST
            && !self.entries.get(&candidate.hash).is_some_and(has_said)
    }

    /// The verdict that the source will get on a variant, as far as it can be told: whether it is interesting. A test
    /// that timed out beside others is expected to do so again.
    pub(crate) fn expected(&self, hash: &ContentHash) -> Option<bool> {
        let known = self.entries.get(hash)?;
        if self.is_rejected(hash, known) {
            return Some(false);
        }
        let verdict = match known.tested.as_ref() {
            Some(Tested::Taken(verdict, ..)) => Some(*verdict),
            Some(Tested::Waiting(outcomes)) => {
                Decision::of(outcomes, self.wrong_successes).map(|decision| decision.verdict)
            }
            None => None,
        };
        let of_test = verdict.map(|verdict| verdict == Verdict::Interesting);
        of_test.or_else(|| known.alone.then_some(false))
    }

    /// Gives the verdict on a variant to the source, if there is one, with the complaints if the source heeds them. Whether the
    /// filter is trusted, and how far a success is, changes here only, in the order in which the source takes verdicts. `prefer` may
    /// refuse a success that it takes for the first time.
    pub(crate) fn take(
        &mut self,
        hash: &ContentHash,
        heeds_complaints: bool,
        prefer: impl FnOnce(&mut Outcome),
    ) -> Option<TakenVerdict> {
        let known = self.entries.get(hash)?;
        // Before the word of a test: whether one ran depends on the number of slots.
        let is_rejected = self.is_rejected(hash, known);
        let known = self.entries.get_mut(hash)?;
        if is_rejected {
            known.rests_on_filter = true;
            let is_known = std::mem::replace(&mut known.taken, true);
            let reason = "it does not compile".to_owned();
            let outcome = Outcome { reason, ..Outcome::from(Verdict::Uninteresting) };
            return Some(TakenVerdict { outcome, known: is_known, filtered: Filtered::Rejected });
        }
        let (mut outcome, is_known) = match known.tested.as_mut()? {
            Tested::Taken(verdict, complaints, rank) => {
                let (complaints, rank) = (complaints.clone(), *rank);
                (Outcome { complaints, rank, ..Outcome::from(*verdict) }, true)
            }
            Tested::Waiting(outcomes) => {
                let decision = Decision::of(outcomes, self.wrong_successes)?;
                if let Some(seen) = &mut self.wrong_successes {
                    decision.count(seen, &mut self.counts);
                }
                (decision.outcome(outcomes), false)
            }
        };
        if !is_known {
            prefer(&mut outcome);
        }
        let verdict = outcome.verdict;
        if !heeds_complaints || verdict == Verdict::Interesting {
            // A run that is resumed does not have them either.
            outcome.complaints.clear();
        }
        known.tested = Some(Tested::Taken(verdict, outcome.complaints.clone(), outcome.rank));
        (known.alone, known.rests_on_filter) = (false, false);
        let is_first = !std::mem::replace(&mut known.taken, true);
        let filtered = if is_first && known.rejected == Some(true) && self.filter.is_on {
            self.filter.learn(verdict == Verdict::Interesting);
            Filtered::Doubted
        } else {
            Filtered::Passed
        };
        Some(TakenVerdict { outcome, known: is_known, filtered })
    }

    /// Returns true if the source took a verdict on the variant that rests on the compile filter's word alone.
    pub(crate) fn rests_on_filter(&self, hash: &ContentHash) -> bool {
        self.entries.get(hash).is_some_and(|known| known.rests_on_filter)
    }

    /// Has a variant tested again alone.
    pub(crate) fn retest_alone(&mut self, hash: ContentHash) {
        self.entries.entry(hash).or_default().alone = true;
    }

    /// Returns true if a variant is to be tested alone.
    pub(crate) fn is_alone(&self, hash: &ContentHash) -> bool {
        self.entries.get(hash).is_some_and(|known| known.alone)
    }

    /// Returns true if the variant is rejected without a test.
    fn is_rejected(&self, hash: &ContentHash, known: &KnownVariant) -> bool {
        known.rejected == Some(true) && self.filter.is_trusted_with(hash)
    }
}

impl Decision {
    /// Returns the decision that these outcomes make, if they make one. With `seen`, the test is flaky.
    fn of(outcomes: &[Outcome], seen: Option<WrongSuccesses>) -> Option<Self> {
        let verdict = outcomes.first()?.verdict;
        let Some(seen) = seen.filter(|_| verdict == Verdict::Interesting) else {
            return Some(Self { index: 0, verdict, again: None });
        };
        let (lead, mut tally) = (seen.lead(), RepeatedResults::default());
        outcomes.iter().enumerate().skip(1).find_map(|(index, outcome)| {
            tally.add(outcome.verdict == Verdict::Interesting);
            let verdict = match tally.decides(lead)? {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            };
            Some(Self { index, verdict, again: Some(tally) })
        })
    }

    /// Counts the mistakes of a flaky test that it shows.
    fn count(&self, seen: &mut WrongSuccesses, counts: &mut FlakyCounts) {
        let is_interesting = self.verdict == Verdict::Interesting;
        match &self.again {
            Some(tally) => {
                seen.refuted += u64::from(!is_interesting);
                counts.add(tally, is_interesting);
            }
            None => seen.rejected += 1,
        }
    }

    /// The outcome that decides, out of all of them.
    fn outcome(self, outcomes: &mut Vec<Outcome>) -> Outcome {
        let mut outcome = outcomes.swap_remove(self.index);
        if let Some(tally) = self.again
            && self.verdict != Verdict::Interesting
        {
            let (yes, runs) = (tally.interesting + 1, tally.runs + 1);
            outcome.reason = format!("interesting in {yes} of {runs} tests");
        }
        outcome.verdict = self.verdict;
        outcome
    }
}

/// The trust in the compile filter.
#[derive(Debug, Default)]
struct FilterTrust {
    is_on: bool,
    /// Variants that it rejected and a test found uninteresting.
    confirmed: u64,
}

impl FilterTrust {
    /// Rejected variants that must have been tested, and found uninteresting, before one is not tested.
    const PROBATION: u64 = 20;

    /// Of the later ones, one in this number is tested nevertheless, chosen by content.
    const SAMPLE: u64 = 16;

    fn is_trusted_with(&self, hash: &ContentHash) -> bool {
        let is_sample = hash.low_bits().is_multiple_of(Self::SAMPLE);
        self.is_on && self.confirmed >= Self::PROBATION && !is_sample
    }

    /// Learns from the test of a variant that the filter rejects.
    fn learn(&mut self, interesting: bool) {
        self.confirmed += u64::from(!interesting);
        self.is_on = !interesting;
    }
}
