//! Refuted variants by the text that they had, over several pass runs.
//!
//! A variant all of whose text a refuted variant had as well is taken for refuted too: it is what is left of a group
//! of which a part could go, or nearly everything once more in the next pass.

use std::sync::Arc;

use clreduce_testcase::{ContentHash, Kept, Run, SourceFile, TestCase};

/// The refuted variants, with their text as positions in the test case that the first of the pass runs began with.
#[derive(Clone)]
pub(super) struct RefutedTexts {
    first: TestCase,
    /// The parts of the first test case that the snapshot of the pass run has.
    base: Remains,
    /// The parts of it that the current test case has.
    current: Remains,
    refuted: Vec<(Remains, ContentHash)>,
}

/// The parts of the first test case that a variant has.
#[derive(Clone)]
pub(crate) struct Remains {
    files: Arc<[Left]>,
    bytes: usize,
}

/// The parts that are left of one of its files.
#[derive(Clone)]
struct Left {
    /// Index in the first test case.
    file: usize,
    runs: Arc<[Run]>,
}

impl RefutedTexts {
    /// Begins with a test case of which nothing is known.
    pub(super) fn new(first: TestCase) -> Self {
        let file = |(index, file): (usize, &SourceFile)| {
            let all = Run { old: 0, new: 0, length: file.bytes.len() };
            Left { file: index, runs: Arc::new([all]) }
        };
        let whole = Remains::new(first.files().iter().enumerate().map(file).collect());
        Self { first, base: whole.clone(), current: whole, refuted: Vec::new() }
    }

    /// The parts of the first test case that a variant has, given those of the pass run's snapshot.
    pub(super) fn remains(&self, kept: &[Kept]) -> Remains {
        let follow = |kept: &Kept| {
            let before = &self.base.files[kept.file];
            let runs = match &kept.runs {
                Some(runs) => followed(&before.runs, runs).into(),
                None => Arc::clone(&before.runs),
            };
            Left { file: before.file, runs }
        };
        Remains::new(kept.iter().map(follow).collect())
    }

    /// Returns whether a refuted variant had all the text that this one has.
    pub(super) fn contain(&self, variant: &Remains) -> bool {
        self.refuted.iter().any(|(refuted, _)| self.is_part(variant, refuted))
    }

    /// A variant became the current test case.
    pub(super) fn accept(&mut self, variant: Remains) {
        self.current = variant;
    }

    /// A variant was refuted.
    pub(super) fn refute(&mut self, variant: Remains, hash: ContentHash) {
        self.refuted.push((variant, hash));
    }

    /// A pass run begins with the current test case as its snapshot.
    pub(super) fn begin_run(&mut self) {
        self.base = self.current.clone();
    }

    /// Forgets what rests on retracted verdicts.
    pub(super) fn retract(&mut self, is_retracted: &dyn Fn(&ContentHash) -> bool) {
        self.refuted.retain(|(_, hash)| !is_retracted(hash));
    }

    /// Returns whether one has only text that the other has as well. White space does not count.
    fn is_part(&self, part: &Remains, whole: &Remains) -> bool {
        part.bytes <= whole.bytes
            && part.files.iter().all(|part| {
                let Some(whole) = whole.files.iter().find(|whole| whole.file == part.file) else {
                    return false;
                };
                let text = &self.first.files()[part.file].bytes;
                part.runs.iter().all(|run| has_all(&whole.runs, run, text))
            })
    }
}

impl Remains {
    fn new(files: Vec<Left>) -> Self {
        let runs = files.iter().flat_map(|file| file.runs.iter());
        Self { bytes: runs.map(|run| run.length).sum(), files: files.into() }
    }
}

/// Returns whether all text of a run lies in others.
fn has_all(runs: &[Run], wanted: &Run, text: &[u8]) -> bool {
    let end = wanted.old + wanted.length;
    let first = runs.partition_point(|run| run.old + run.length <= wanted.old);
    let mut at = wanted.old;
    for run in runs[first..].iter().take_while(|run| run.old < end) {
        if !text[at..run.old.max(at)].trim_ascii().is_empty() {
            return false;
        }
        at = run.old + run.length;
    }
    at >= end || text[at..end].trim_ascii().is_empty()
}

/// The parts that are left after two patches, given those that one leaves of a file and the other leaves of that.
fn followed(before: &[Run], after: &[Run]) -> Vec<Run> {
    let mut runs = Vec::with_capacity(before.len() + after.len());
    for run in after {
        let end = run.old + run.length;
        let first = before.partition_point(|piece| piece.new + piece.length <= run.old);
        for piece in before[first..].iter().take_while(|piece| piece.new < end) {
            let (from, to) = (run.old.max(piece.new), end.min(piece.new + piece.length));
            runs.push(Run {
                old: piece.old + from - piece.new,
                new: run.new + from - run.old,
                length: to - from,
            });
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Edit, Patch};
    use proptest::prelude::*;

    use super::*;

    /// A patch that deletes bytes of the only file, and which are left of those that are there.
    fn delete(
        case: &TestCase,
        is_gone: &[bool],
        there: &[usize],
    ) -> (TestCase, Vec<Kept>, Vec<usize>) {
        let gone = |at: &usize| is_gone[at % is_gone.len()];
        let edits = (0..there.len()).filter(gone).map(|at| Edit::delete(0, at..at + 1));
        let (variant, kept) = case.apply_and_track(&Patch::new(edits.collect()).unwrap());
        let left = (0..there.len()).filter(|at| !gone(at)).map(|at| there[at]).collect();
        (variant, kept, left)
    }

    const HASH: ContentHash = ContentHash([0; 32]);

    proptest! {
        #[test]
        fn a_variant_is_refuted_if_a_refuted_one_had_all_of_it(
            masks in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..9), 4),
        ) {
            let mut case = TestCase::single("a.c", [b';'; 24]).unwrap();
            let mut there: Vec<usize> = (0..24).collect();
            let mut texts = RefutedTexts::new(case.clone());
            let mut refuted: Vec<Vec<usize>> = Vec::new();
            for masks in masks.chunks(2) {
                let (_, kept, left) = delete(&case, &masks[0], &there);
                let remains = texts.remains(&kept);
                let had = |refuted: &Vec<usize>| left.iter().all(|at| refuted.contains(at));
                prop_assert_eq!(texts.contain(&remains), refuted.iter().any(had));
                texts.refute(remains, HASH);
                refuted.push(left);
                let kept;
                (case, kept, there) = delete(&case, &masks[1], &there);
                texts.accept(texts.remains(&kept));
                texts.begin_run();
            }
        }
    }

    #[test]
    fn white_space_is_no_text() {
        let case = TestCase::single("a.c", *b"a;\nb;\nc;").unwrap();
        let remains = |texts: &RefutedTexts, gone: &[(usize, usize)]| {
            let edits = gone.iter().map(|&(start, end)| Edit::delete(0, start..end)).collect();
            texts.remains(&case.apply_and_track(&Patch::new(edits).unwrap()).1)
        };
        let mut texts = RefutedTexts::new(case.clone());
        texts.refute(remains(&texts, &[(0, 3)]), HASH);
        assert!(texts.contain(&remains(&texts, &[(0, 2), (3, 5)])));
        assert!(!texts.contain(&remains(&texts, &[(3, 5)])));
        texts.retract(&|hash| *hash == HASH);
        assert!(!texts.contain(&remains(&texts, &[(0, 5)])));
    }
}
