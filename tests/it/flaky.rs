//! A flaky test, one that says "interesting" by mistake, does not lead to a result that is not interesting.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::lists::noise;
use clreduce::events::{Ending, Event};
use clreduce::journal::{Facts, StateFolder};
use clreduce::{Reduced, Reduction, ReductionError, Resume};
use clreduce_testcase::{ContentHash, TestCase};
use tempfile::TempDir;

fn original() -> TestCase {
    let source = include_bytes!("../../fixtures/c-assembly/codec.c");
    TestCase::single("codec.c", source.as_slice()).unwrap()
}

/// The truth about a variant.
fn shows_the_bug(case: &TestCase) -> bool {
    let text = &case.files()[0].bytes;
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    has(b"<<") && has(b"return") && has(b"for")
}

/// A test that is wrong about some variants, in so many of a thousand runs.
#[derive(Clone)]
struct Flaky {
    seed: u64,
    wrongly_interesting: u64,
    wrongly_rejected: u64,
    /// Runs of each variant: the same number of the same variant always ends in the same way.
    runs: Arc<Mutex<HashMap<ContentHash, u64>>>,
}

impl Flaky {
    fn new(seed: u64, wrongly_interesting: u64, wrongly_rejected: u64) -> Self {
        Self { seed, wrongly_interesting, wrongly_rejected, runs: Arc::default() }
    }

    fn says(&self, case: &TestCase) -> bool {
        let mut runs = self.runs.lock().unwrap();
        let run = runs.entry(case.hash()).or_default();
        *run += 1;
        let share = noise(self.seed * 1_000_003 + *run, case) % 1000;
        match shows_the_bug(case) {
            true => *case == original() && *run == 1 || share >= self.wrongly_rejected,
            false => share < self.wrongly_interesting,
        }
    }

    fn reduction<'a>(&self, jobs: usize) -> Reduction<'a> {
        let flaky = self.clone();
        let jobs = NonZeroUsize::new(jobs).unwrap();
        Reduction::of(original()).test(move |case: &TestCase| flaky.says(case)).jobs(jobs)
    }
}

/// Seeds for each rate; more by an environment variable, for a longer look.
fn seeds() -> u64 {
    let asked = std::env::var("CLREDUCE_TEST_SEEDS").ok();
    asked.map_or(3, |asked| asked.parse().expect("CLREDUCE_TEST_SEEDS is a number"))
}

#[test]
fn successes_by_mistake_do_not_reach_the_result() {
    let mut went_back = 0;
    for rate in [10, 50, 200] {
        for seed in 0..seeds() {
            let mut kept = original();
            let reduced = Flaky::new(seed, rate, 0)
                .reduction(1 + seed as usize % 3)
                .keep(|case| {
                    kept = case.clone();
                    Ok(())
                })
                .run()
                .unwrap();
            assert!(shows_the_bug(&reduced.case), "rate {rate}, seed {seed}");
            assert_eq!(kept, reduced.case);
            assert_eq!(reduced.ending, Ending::Minimal);
            assert!(reduced.size.tokens < 40, "{:?}", reduced.size);
            let removed: i64 = reduced.passes.iter().map(|pass| pass.tokens_removed).sum();
            let before = clreduce_testcase::Size::of(&original()).tokens;
            assert_eq!(removed, before as i64 - reduced.size.tokens as i64);
            went_back += reduced.flakiness.went_back;
        }
    }
    assert!(went_back >= 2 * seeds(), "{went_back}");
}

#[test]
fn rejections_by_mistake_break_nothing() {
    for rate in [10, 50, 200] {
        let mut commits = 0;
        let reduced = Flaky::new(rate, 0, rate)
            .reduction(2)
            .on_event(|event| commits += u64::from(matches!(event, Event::Committed { .. })))
            .run()
            .unwrap();
        assert!(shows_the_bug(&reduced.case) && commits > 0, "{rate}");
        assert_eq!(reduced.ending, Ending::Minimal);
        let before = clreduce_testcase::Size::of(&original()).tokens;
        assert!(reduced.size.tokens < before / 4, "{rate}: {:?}", reduced.size);
    }
}

#[test]
fn a_test_that_is_right_is_hardly_tested_again_and_every_job_count_has_one_result() {
    let results = [1, 3].map(|jobs| Flaky::new(0, 0, 0).reduction(jobs).run().unwrap());
    let [one, three] = &results;
    assert_eq!((&one.case, one.steps), (&three.case, three.steps));
    assert_eq!(one.flakiness, clreduce::Flakiness::default());
    // The original, its second test, six of the result, two of what was rejected, and one in a hundred.
    let needed = one.steps - one.cache_hits;
    let most = needed + 1 + 1 + 6 + 2 + needed / 100;
    assert!(one.steps > 100 && (needed + 9..=most).contains(&one.tests), "{needed}: {}", one.tests);
}

/// A way in which the mistakes of a test hang together.
#[derive(Clone, Copy, Debug)]
enum Unsteady {
    /// It accepts everything for a while, again and again.
    AcceptsInRows,
    /// It rejects everything for a while, again and again.
    RejectsInRows,
    /// It accepts everything from some time on.
    AcceptsForEver,
    /// It rejects everything from some time on.
    RejectsForEver,
    /// It is right every other time, and rejects everything in between.
    RejectsInTurn,
    /// It is right every other time, and accepts everything in between.
    AcceptsInTurn,
    /// Each time it accepts what it has not seen yet, and whatever it likes of the rest.
    Guesses,
}

impl Unsteady {
    const ALL: [Self; 7] = [
        Self::AcceptsInRows,
        Self::RejectsInRows,
        Self::AcceptsForEver,
        Self::RejectsForEver,
        Self::RejectsInTurn,
        Self::AcceptsInTurn,
        Self::Guesses,
    ];

    /// What it says of a variant in its run of this number.
    fn says(self, seed: u64, run: u64, case: &TestCase) -> bool {
        let draw = |salt: u64| noise(seed * 31 + salt, &original());
        let right = shows_the_bug(case);
        // Between 8 and 39 of 100 to 399 runs, and the original is accepted.
        let in_row = run > 0 && (run + draw(1)) % (100 + draw(2) % 300) < 8 + draw(3) % 32;
        let is_over = run > 10 + draw(4) % 300;
        match self {
            Self::AcceptsInRows => right || in_row,
            Self::RejectsInRows => right && !in_row,
            Self::AcceptsForEver => right || is_over,
            Self::RejectsForEver => right && !is_over,
            Self::RejectsInTurn => right && run.is_multiple_of(2),
            Self::AcceptsInTurn => right || run.is_multiple_of(2),
            Self::Guesses => run == 0 || noise(seed + run, case).is_multiple_of(2),
        }
    }
}

#[test]
fn mistakes_that_hang_together_lead_to_the_right_result_or_to_an_error_and_to_an_end() {
    let mut results = [0; Unsteady::ALL.len()];
    for (unsteady, results) in Unsteady::ALL.into_iter().zip(&mut results) {
        for seed in 0..seeds() {
            let runs = Arc::new(AtomicU64::new(0));
            let (counted, mut kept) = (Arc::clone(&runs), original());
            let reduced = Reduction::of(original())
                .test(move |case: &TestCase| {
                    unsteady.says(seed, counted.fetch_add(1, Ordering::Relaxed), case)
                })
                .jobs(NonZeroUsize::new(1 + seed as usize % 2).unwrap())
                .keep(|case| {
                    kept = case.clone();
                    Ok(())
                })
                .run();
            let says = format!("{unsteady:?}, seed {seed}: {reduced:?}");
            if !matches!(unsteady, Unsteady::Guesses) {
                assert!(shows_the_bug(&kept), "{says}");
            }
            match reduced {
                Ok(reduced) => {
                    assert_eq!(reduced.case, kept, "{says}");
                    *results += 1;
                }
                Err(error) => assert!(error.is_of_the_test(), "{says}"),
            }
            let runs = runs.load(Ordering::Relaxed);
            assert!(runs < 50_000, "{runs} runs: {says}");
        }
    }
    println!("{results:?}");
}

/// A test that accepts everything with a certain letter at first, and is right when it is asked again.
fn wrong_at_first() -> impl Fn(&TestCase) -> bool + Send + Sync + 'static {
    let asked = Mutex::new(HashSet::<ContentHash>::new());
    move |case| {
        let is_first = asked.lock().unwrap().insert(case.hash());
        shows_the_bug(case) || is_first && noise(1, case).is_multiple_of(20)
    }
}

fn run(
    directory: &TempDir,
    test: impl Fn(&TestCase) -> bool + Send + Sync + 'static,
) -> Result<Reduced, ReductionError> {
    let folder = StateFolder::open(directory.path()).unwrap();
    let state = Resume { folder, facts: Facts::default(), on_disk: None };
    Reduction::of(original()).test(test).jobs(NonZeroUsize::MIN).state(state).run()
}

#[test]
fn a_journal_that_went_back_is_resumed_wherever_it_is_cut() {
    let whole = TempDir::new().unwrap();
    let reduced = run(&whole, wrong_at_first()).unwrap();
    assert!(shows_the_bug(&reduced.case) && reduced.flakiness.went_back > 0);
    let journal = fs::read(whole.path().join("journal")).unwrap();
    let text = String::from_utf8(journal.clone()).unwrap();
    let back = text.find(" back ").unwrap();
    for cut in [back / 2, back - 20, back + 2, back + 400, journal.len() - 20] {
        let directory = TempDir::new().unwrap();
        fs::create_dir(directory.path().join("original")).unwrap();
        fs::copy(whole.path().join("original/codec.c"), directory.path().join("original/codec.c"))
            .unwrap();
        fs::write(directory.path().join("journal"), &journal[..cut]).unwrap();
        let resumed = run(&directory, shows_the_bug).unwrap();
        assert!(shows_the_bug(&resumed.case), "cut at {cut}");
        assert_eq!(resumed.ending, Ending::Minimal);
    }
}
