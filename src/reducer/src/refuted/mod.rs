//! The memory of variants that are not interesting: it saves testing them again.
//!
//! [`Refuted`] is the one memory of the reducer. It knows three kinds of variants:
//!
//! - A proposal that was refuted alone in an earlier pass run. It is recognised by a fingerprint of what it touches,
//!   and is proposed again once that has changed.
//! - A group with a proposal that was refuted alone in this pass run, or with one that contains such a proposal.
//! - A variant all of whose text a refuted variant had as well. This holds for nearly all tests while large groups are
//!   removed, and is remembered only then: a single declaration may be refuted while it is used, and the variant
//!   without the use and the declaration be interesting.
//!
//! All of this rests on verdicts on variants. What rests on a verdict is forgotten when it is retracted.

mod fingerprint;
mod remains;

use std::collections::BTreeMap;
use std::sync::Arc;

use clreduce_passes::{Proposal, Row, Snapshot};
use clreduce_testcase::{ContentHash, Kept, Patch};

use fingerprint::Fingerprints;
use remains::{RefutedTexts, Remains};

/// The memory of what was refuted. A clone is cheap, because large parts are shared.
#[derive(Clone, Default)]
pub(crate) struct Refuted {
    /// Of earlier pass runs: the fingerprint of each proposal that was refuted alone, and the variant that was.
    earlier: Arc<BTreeMap<u64, ContentHash>>,
    /// Of the pass run under way: the fingerprint of each proposal, by index.
    fingerprints: Arc<[u64]>,
    /// The proposals that were refuted alone, by index, and the variants that were.
    alone: Vec<(u32, ContentHash)>,
    /// The proposals that were refuted alone or contain such a one, each with the variant that was refuted.
    hopeless: Arc<BTreeMap<u32, ContentHash>>,
    /// While large groups are tried: the text of refuted variants.
    texts: Option<RefutedTexts>,
    /// Everything that was ever refuted alone, as in `earlier`, where somebody is going to ask.
    ever: Option<Arc<BTreeMap<u64, ContentHash>>>,
}

/// The facts about a variant from which the memory learns when the verdict comes.
#[derive(Clone)]
pub(crate) struct Tried {
    hash: ContentHash,
    /// The proposals that are tried together, by index.
    proposals: Arc<[u32]>,
    remains: Option<Remains>,
}

impl Refuted {
    /// The same, which keeps what was refuted for [`alike`](Self::alike).
    pub(crate) fn keeping(self) -> Self {
        Self { ever: Some(Arc::default()), ..self }
    }

    /// Forgets everything but what is kept for [`alike`](Self::alike).
    pub(crate) fn forget(&mut self) {
        *self = Self { ever: self.ever.take(), ..Self::default() };
    }

    /// Forgets the text of refuted variants: another program is the current one.
    pub(crate) fn forget_texts(&mut self) {
        self.texts = None;
    }

    /// For each proposal, the variant that was refuted with one that looked the same, if there was one.
    pub(crate) fn alike(
        &self,
        base: &Snapshot,
        row: &Row,
        proposals: &[Proposal],
    ) -> Vec<Option<ContentHash>> {
        let known = Fingerprints::new(base, row);
        let ever = self.ever.as_ref().unwrap_or(&self.earlier);
        proposals.iter().map(|it| ever.get(&known.of(&it.patch)).copied()).collect()
    }

    /// Begins a pass run on the current test case. Returns the proposals that were not refuted earlier; their indices
    /// are the ones that the other functions take.
    pub(crate) fn begin_run(
        &mut self,
        base: &Snapshot,
        row: &Row,
        skips_texts: bool,
        proposals: Vec<Proposal>,
    ) -> Vec<Proposal> {
        let known = Fingerprints::new(base, row);
        let (mut open, mut fingerprints) = (Vec::with_capacity(proposals.len()), Vec::new());
        for proposal in proposals {
            let fingerprint = known.of(&proposal.patch);
            if !proposal.patch.is_empty() && !self.earlier.contains_key(&fingerprint) {
                open.push(proposal);
                fingerprints.push(fingerprint);
            }
        }
        self.fingerprints = fingerprints.into();
        self.texts = skips_texts.then(|| match self.texts.take() {
            Some(mut texts) => {
                texts.begin_run();
                texts
            }
            None => RefutedTexts::new(base.case().clone()),
        });
        open
    }

    /// Ends the pass run: what was refuted alone is known to later ones.
    pub(crate) fn end_run(&mut self) {
        if !self.alone.is_empty() {
            let alone = std::mem::take(&mut self.alone);
            let alone =
                alone.into_iter().map(|(index, hash)| (self.fingerprints[index as usize], hash));
            if let Some(ever) = &mut self.ever {
                Arc::make_mut(ever).extend(alone.clone());
            }
            Arc::make_mut(&mut self.earlier).extend(alone);
        }
        self.hopeless = Arc::default();
    }

    /// Returns whether every group with this proposal would be refuted.
    pub(crate) fn is_hopeless(&self, proposal: u32) -> bool {
        self.hopeless.contains_key(&proposal)
    }

    /// Returns what to remember of a variant, or `None` if it would be refuted.
    pub(crate) fn consider(
        &self,
        hash: ContentHash,
        proposals: Arc<[u32]>,
        kept: &[Kept],
    ) -> Option<Tried> {
        let remains = self.texts.as_ref().map(|texts| texts.remains(kept));
        if let (Some(texts), Some(remains)) = (&self.texts, &remains)
            && texts.contain(remains)
        {
            return None;
        }
        Some(Tried { hash, proposals, remains })
    }

    /// Learns from the verdict on a variant. `patches` are those of the proposals of the pass run.
    pub(crate) fn learn(&mut self, tried: &Tried, interesting: bool, patches: &[Patch]) {
        if let (Some(texts), Some(remains)) = (&mut self.texts, tried.remains.clone()) {
            if interesting {
                texts.accept(remains);
            } else {
                texts.refute(remains, tried.hash);
            }
        }
        if let (&[proposal], false) = (&*tried.proposals, interesting) {
            self.alone.push((proposal, tried.hash));
            let refuted = &patches[proposal as usize];
            let containing = (0..).zip(patches).filter(|(_, patch)| patch.contains(refuted));
            Arc::make_mut(&mut self.hopeless)
                .extend(containing.map(|(index, _)| (index, tried.hash)));
        }
    }

    /// Forgets what rests on retracted verdicts.
    pub(crate) fn retract(&mut self, is_retracted: &dyn Fn(&ContentHash) -> bool) {
        for refuted in [&mut self.earlier].into_iter().chain(&mut self.ever) {
            Arc::make_mut(refuted).retain(|_, hash| !is_retracted(hash));
        }
        self.alone.retain(|(_, hash)| !is_retracted(hash));
        Arc::make_mut(&mut self.hopeless).retain(|_, hash| !is_retracted(hash));
        if let Some(texts) = &mut self.texts {
            texts.retract(is_retracted);
        }
    }
}

#[cfg(test)]
mod tests {

    use clreduce_passes::find;
    use clreduce_testcase::{Edit, Language, TestCase};

    use super::*;

    const SOURCE: &str = "int a;\nint b;\nint c;\n";

    fn snapshot() -> Snapshot {
        Snapshot::new(TestCase::single("a.c", SOURCE.as_bytes()).unwrap(), Language::C)
    }

    /// Removes a line, the first two lines, or the last.
    fn proposals() -> Vec<Proposal> {
        let lines = [vec![(0, 7)], vec![(0, 7), (7, 14)], vec![(14, 21)]];
        let delete = |ranges: Vec<(usize, usize)>| {
            let edits = ranges.into_iter().map(|(start, end)| Edit::delete(0, start..end));
            Proposal::new(Patch::new(edits.collect()).unwrap())
        };
        lines.map(delete).into()
    }

    fn patches() -> Vec<Patch> {
        proposals().into_iter().map(|proposal| proposal.patch).collect()
    }

    /// A pass run in which one proposal is refuted alone.
    fn after_refuting(index: u32, skips_texts: bool) -> (Refuted, ContentHash) {
        let (base, row) = (snapshot(), find("statements").unwrap());
        let mut refuted = Refuted::default();
        assert_eq!(refuted.begin_run(&base, row, skips_texts, proposals()).len(), 3);
        let (variant, kept) = base.case().apply_and_track(&patches()[index as usize]);
        let tried = refuted.consider(variant.hash(), Arc::new([index]), &kept).unwrap();
        refuted.learn(&tried, false, &patches());
        (refuted, variant.hash())
    }

    /// The number of proposals that the next pass run has on the same program.
    fn left(refuted: &Refuted) -> usize {
        let mut next = refuted.clone();
        next.end_run();
        next.begin_run(&snapshot(), find("statements").unwrap(), false, proposals()).len()
    }

    fn is_tried(refuted: &Refuted, index: usize) -> bool {
        let (variant, kept) = snapshot().case().apply_and_track(&patches()[index]);
        refuted.consider(variant.hash(), Arc::new([index as u32]), &kept).is_some()
    }

    #[test]
    fn a_refuted_proposal_and_what_contains_it_are_not_tried_again() {
        let (refuted, _) = after_refuting(0, false);
        assert!([0, 1].iter().all(|index| refuted.is_hopeless(*index)));
        assert!(!refuted.is_hopeless(2));
        assert_eq!(left(&refuted), 2);
    }

    #[test]
    fn text_counts_only_while_large_groups_are_tried() {
        let (refuted, _) = after_refuting(0, true);
        assert!(!is_tried(&refuted, 1) && is_tried(&refuted, 2));
        let (refuted, _) = after_refuting(0, false);
        assert!(is_tried(&refuted, 1));
    }

    #[test]
    fn what_rests_on_a_retracted_verdict_is_forgotten_everywhere() {
        let (mut refuted, hash) = after_refuting(0, true);
        refuted.retract(&|other| *other != hash);
        assert!(refuted.is_hopeless(1) && !is_tried(&refuted, 1), "another verdict");
        refuted.retract(&|other| *other == hash);
        assert!(!refuted.is_hopeless(0) && !refuted.is_hopeless(1));
        assert!(is_tried(&refuted, 1));
        assert_eq!(left(&refuted), 3);
        let (mut refuted, hash) = after_refuting(0, false);
        refuted.end_run();
        refuted.retract(&|other| *other == hash);
        assert_eq!(left(&refuted), 3, "of an earlier pass run");
    }
}
