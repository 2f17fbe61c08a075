//! What was refused of large groups, so that nothing is asked that keeps still less.
//!
//! A variant all of whose text a refused one had as well is taken for refused too: the rest of a group of which a part
//! could go, or everything once more after the next pass. That holds of nearly all tests while large groups are
//! removed; where single declarations go, what lacks a use may be refused and with the use gone be fine, so that small
//! groups are asked about again.

use std::sync::Arc;

use clreduce_testcase::{Kept, Run, TestCase};

/// Refused variants of the test cases of several turns, in places of the first of them.
#[derive(Clone)]
pub(crate) struct RuledOut {
    first: TestCase,
    /// What the turn's base has of the first test case.
    base: Places,
    /// What the current test case has of it.
    current: Places,
    refused: Vec<Places>,
}

/// What is left of the first test case.
#[derive(Clone)]
pub(crate) struct Places {
    files: Arc<[Left]>,
    bytes: usize,
}

/// What is left of one of its files.
#[derive(Clone)]
struct Left {
    /// Index in the first test case.
    file: usize,
    runs: Arc<[Run]>,
}

impl RuledOut {
    /// Nothing is ruled out of a test case yet.
    pub(crate) fn new(first: TestCase) -> Self {
        let file = |(index, file): (usize, &clreduce_testcase::SourceFile)| {
            let all = Run { old: 0, new: 0, length: file.bytes.len() };
            Left { file: index, runs: Arc::new([all]) }
        };
        let whole = Places::new(first.files().iter().enumerate().map(file).collect());
        Self { first, base: whole.clone(), current: whole, refused: Vec::new() }
    }

    /// Where a variant's text comes from, given what it has of the base.
    pub(crate) fn places(&self, kept: &[Kept]) -> Places {
        let follow = |kept: &Kept| {
            let before = &self.base.files[kept.file];
            let runs = match &kept.runs {
                Some(runs) => followed(&before.runs, runs).into(),
                None => Arc::clone(&before.runs),
            };
            Left { file: before.file, runs }
        };
        Places::new(kept.iter().map(follow).collect())
    }

    /// Whether a refused variant had all that this one has.
    pub(crate) fn contains(&self, variant: &Places) -> bool {
        self.refused.iter().any(|refused| self.is_part(variant, refused))
    }

    /// A variant becomes the current test case, or is refused.
    pub(crate) fn take(&mut self, variant: Places, interesting: bool) {
        if interesting {
            self.current = variant;
        } else {
            self.refused.push(variant);
        }
    }

    /// What is ruled out of the turn that begins with the current test case.
    pub(crate) fn followed(self) -> Self {
        Self { base: self.current.clone(), ..self }
    }

    /// Forgets what was refused.
    pub(crate) fn clear(&mut self) {
        self.refused.clear();
    }

    /// Whether one has no text that the other has not; white space does not count.
    fn is_part(&self, part: &Places, whole: &Places) -> bool {
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

impl Places {
    fn new(files: Vec<Left>) -> Self {
        let runs = files.iter().flat_map(|file| file.runs.iter());
        Self { bytes: runs.map(|run| run.length).sum(), files: files.into() }
    }
}

/// Whether all text of a run lies in others.
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

/// What is left after two patches, given what is left of a file after one and of that after the other.
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

    proptest! {
        #[test]
        fn a_variant_is_ruled_out_if_a_refused_one_had_all_of_it(
            masks in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..9), 4),
        ) {
            let mut case = TestCase::single("a.c", [b';'; 24]).unwrap();
            let mut there: Vec<usize> = (0..24).collect();
            let mut ruled_out = RuledOut::new(case.clone());
            let mut refused: Vec<Vec<usize>> = Vec::new();
            for masks in masks.chunks(2) {
                let (_, kept, left) = delete(&case, &masks[0], &there);
                let places = ruled_out.places(&kept);
                let had = |refused: &Vec<usize>| left.iter().all(|at| refused.contains(at));
                prop_assert_eq!(ruled_out.contains(&places), refused.iter().any(had));
                ruled_out.take(places, false);
                refused.push(left);
                let kept;
                (case, kept, there) = delete(&case, &masks[1], &there);
                ruled_out.take(ruled_out.places(&kept), true);
                ruled_out = ruled_out.followed();
            }
        }
    }

    #[test]
    fn white_space_is_no_text() {
        let case = TestCase::single("a.c", *b"a;\nb;\nc;").unwrap();
        let places = |ruled_out: &RuledOut, gone: &[(usize, usize)]| {
            let edits = gone.iter().map(|&(start, end)| Edit::delete(0, start..end)).collect();
            ruled_out.places(&case.apply_and_track(&Patch::new(edits).unwrap()).1)
        };
        let mut ruled_out = RuledOut::new(case.clone());
        ruled_out.take(places(&ruled_out, &[(0, 3)]), false);
        assert!(ruled_out.contains(&places(&ruled_out, &[(0, 2), (3, 5)])));
        assert!(!ruled_out.contains(&places(&ruled_out, &[(3, 5)])));
        ruled_out.clear();
        assert!(!ruled_out.contains(&places(&ruled_out, &[(0, 5)])));
    }
}
