//! Whether the "no" of a gate is taken for an answer.
//!
//! A gate says that a variant does not compile, and some bugs are about what does not compile. So it has to
//! earn being believed, in the order in which answers are consumed: the first variants that it rejects are
//! tested all the same, and later a fixed share of them, chosen by content. One that turns out interesting
//! ends it for good, and withdraws all that it has said.

use std::collections::HashMap;

use clreduce_interestingness::Gated;
use clreduce_testcase::ContentHash;

use clreduce_candidates::Candidate;

/// Rejected variants that must have been tested, and uninteresting, before one is not tested.
const PROBATION: u64 = 20;

/// One in so many of the later ones is tested as well.
const SAMPLE: u64 = 16;

/// Larger variants are tested: they nearly always compile, and looking at them takes its time.
const MOST_TOKENS: usize = 4_000;

/// What a gate has said, and how far it is believed.
#[derive(Debug, Default)]
pub struct Gatekeeper {
    is_on: bool,
    /// Nothing iterates over it, so that its order cannot matter.
    said: HashMap<ContentHash, Said>,
    confirmed: u64,
}

#[derive(Debug)]
struct Said {
    rejected: bool,
    /// An answer about the variant was consumed.
    consumed: bool,
    /// It came from a test.
    tested: bool,
}

impl Gatekeeper {
    /// With a gate; [`Default`] is without.
    #[must_use]
    pub fn new() -> Self {
        Self { is_on: true, ..Self::default() }
    }

    /// Takes over what the gate has said of a variant. The first word stands.
    pub fn remember(&mut self, hash: ContentHash, rejected: bool) {
        self.said.entry(hash).or_insert(Said { rejected, consumed: false, tested: false });
    }

    /// Whether the gate has to say something before the question is answered.
    pub(crate) fn has_to_look(&self, candidate: &Candidate) -> bool {
        self.is_on
            && candidate.size.tokens <= MOST_TOKENS
            && !self.said.contains_key(&candidate.hash)
    }

    /// Whether a variant is refused without a test.
    pub(crate) fn refuses(&self, hash: &ContentHash) -> bool {
        self.is_on
            && self.confirmed >= PROBATION
            && !hash.low_bits().is_multiple_of(SAMPLE)
            && self.said.get(hash).is_some_and(|said| said.rejected)
    }

    /// Consumes a refusal; whether it had been consumed before.
    pub(crate) fn consume(&mut self, hash: &ContentHash) -> bool {
        let said = self.said.get_mut(hash);
        said.is_some_and(|said| std::mem::replace(&mut said.consumed, true))
    }

    /// Learns from the test of a variant. Ends, for good, where the test contradicts the gate.
    pub(crate) fn learn(&mut self, hash: &ContentHash, interesting: bool) -> Gated {
        let Some(said) = self.said.get_mut(hash) else { return Gated::Passed };
        said.tested = true;
        if std::mem::replace(&mut said.consumed, true) || !said.rejected || !self.is_on {
            return Gated::Passed;
        }
        self.confirmed += u64::from(!interesting);
        self.is_on = !interesting;
        Gated::Doubted
    }

    /// Whether there is a gate that nothing has contradicted.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether no more than the gate's word has been known of a variant.
    pub(crate) fn rests_on_it(&self, hash: &ContentHash) -> bool {
        self.said.get(hash).is_some_and(|said| said.rejected && !said.tested)
    }
}
