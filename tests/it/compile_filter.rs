//! The compile filter: it rejects variants instead of tests as long as tests agree with it, changes nothing else, and is
//! used or not whatever time tests take.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support::lists::noise;
use clreduce::events::Event;
use clreduce::journal::{Facts, StateFolder};
use clreduce::{Reduced, Reduction, Resume};
use clreduce_interestingness::{
    Cancel, CompileFilter, Filtered, Interestingness, NotRun, Outcome, Verdict,
};
use clreduce_testcase::{ContentHash, TestCase};
use tempfile::TempDir;

/// Below this, the filter that lies rejects everything.
const SMALL: usize = 300;

fn original() -> TestCase {
    let source = include_bytes!("../../fixtures/host/run_kernel.c");
    TestCase::single("run_kernel.c", source.as_slice()).unwrap()
}

/// The text that has to stay.
const WORDS: [&[u8]; 6] = [b"for", b"if", b"return", b"static", b"malloc", b"&&"];

/// A third of all variants do not, by chance.
fn compiles(case: &TestCase) -> bool {
    *case == original() || !noise(3, case).is_multiple_of(3)
}

/// The time that a test or a look takes, as a machine under load has it.
#[derive(Clone, Copy)]
enum Pace {
    /// Long enough for tests beside it to start.
    Even,
    /// By chance, from run to run and from variant to variant.
    Uneven(u64),
}

impl Pace {
    fn pass(self, seed: u64, case: &TestCase, cancel: &Cancel) -> Duration {
        let micros = match self {
            Self::Even => 300,
            Self::Uneven(run) => noise(run * 2 + seed, case) % 1_500,
        };
        cancel.wait(Duration::from_micros(micros));
        // What it says of itself is as uneven: from nothing to a minute.
        Duration::from_millis(micros * 40)
    }
}

/// Finds interesting what compiles and keeps some words.
struct Slow {
    pace: Pace,
    /// Tests of variants that do not compile.
    in_vain: Arc<AtomicU64>,
}

impl Interestingness for Slow {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let wall = self.pace.pass(0, variant, cancel);
        self.in_vain.fetch_add(u64::from(!compiles(variant)), Ordering::Relaxed);
        let has = |word: &&[u8]| variant.files()[0].bytes.windows(word.len()).any(|it| it == *word);
        let interesting = compiles(variant) && WORDS.iter().all(has);
        let verdict = if interesting { Verdict::Interesting } else { Verdict::Uninteresting };
        Ok(Outcome { wall, ..Outcome::from(verdict) })
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Honest,
    /// Honest about what is large.
    Liar,
    /// Works with the original only.
    Breaks,
    /// Rejects the original, and everything else.
    Prejudiced,
}

struct Scripted {
    kind: Kind,
    pace: Pace,
    looks: Arc<AtomicU64>,
}

impl CompileFilter for Scripted {
    fn accepts(&self, variant: &TestCase, cancel: &Cancel) -> Option<bool> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        if let Pace::Uneven(_) = self.pace {
            self.pace.pass(1, variant, cancel);
        }
        match self.kind {
            Kind::Honest => Some(compiles(variant)),
            Kind::Liar => Some(compiles(variant) && variant.total_bytes() >= SMALL),
            Kind::Breaks => (*variant == original()).then_some(true),
            Kind::Prejudiced => Some(false),
        }
    }
}

type Transcript = Vec<(ContentHash, Verdict, Filtered)>;

struct Run {
    transcript: Transcript,
    reduced: Reduced,
    warnings: usize,
    looks: u64,
    in_vain: u64,
}

impl Run {
    fn answers(&self) -> Vec<(ContentHash, Verdict)> {
        self.transcript.iter().map(|(hash, verdict, _)| (*hash, *verdict)).collect()
    }
}

fn run(filter: Option<Kind>, jobs: usize, state: Option<&Path>) -> Run {
    run_at(Pace::Even, filter, jobs, state)
}

fn run_at(pace: Pace, filter: Option<Kind>, jobs: usize, state: Option<&Path>) -> Run {
    let in_vain = Arc::new(AtomicU64::new(0));
    let test = Slow { pace, in_vain: Arc::clone(&in_vain) };
    let looks = Arc::new(AtomicU64::new(0));
    let (mut transcript, mut warnings) = (Vec::new(), 0);
    let mut reduction = Reduction::of(original())
        .test(test)
        .jobs(NonZeroUsize::new(jobs).unwrap())
        .on_event(|event| match event {
            Event::Judged { hash, outcome, filtered, .. } => {
                transcript.push((*hash, outcome.verdict, *filtered));
            }
            Event::Warning(_) => warnings += 1,
            _ => {}
        });
    if let Some(kind) = filter {
        reduction = reduction.compile_filter(Scripted { kind, pace, looks: Arc::clone(&looks) });
    }
    if let Some(directory) = state {
        let folder = StateFolder::open(directory).unwrap();
        reduction = reduction.state(Resume { folder, facts: Facts::new(), on_disk: None });
    }
    let reduced = reduction.run().unwrap();
    let (looks, in_vain) = (looks.load(Ordering::Relaxed), in_vain.load(Ordering::Relaxed));
    Run { transcript, reduced, warnings, looks, in_vain }
}

#[test]
fn an_honest_filter_changes_nothing_but_who_judges() {
    let without = run(None, 1, None);
    for jobs in [1, 2, 8] {
        let with = run(Some(Kind::Honest), jobs, None);
        assert_eq!(with.answers(), without.answers(), "-j {jobs}");
        assert_eq!(with.reduced.case, without.reduced.case);
        let figures = with.reduced.compile_filter;
        let is_trusted = figures.rejected > 20 && figures.rejected > figures.doubted;
        assert!(is_trusted && !figures.ended, "{figures:?}");
        if jobs == 1 {
            // One in a hundred tests is followed by another one of the last commit.
            let (tests, all) = (with.reduced.tests + figures.rejected, without.reduced.tests);
            assert!(all - all / 100 - 1 <= tests && tests <= all, "{tests} of {all}");
            assert_eq!(with.in_vain, figures.doubted, "the first ones, and the samples");
            assert_eq!(with.looks, figures.checked + 1, "the original is looked at, too");
        }
    }
}

#[test]
fn the_first_rejections_are_tested_and_later_a_sample() {
    let run = run(Some(Kind::Honest), 1, None);
    let rejected = run.transcript.iter().filter(|(_, _, filtered)| *filtered != Filtered::Passed);
    let refused: Vec<bool> =
        rejected.map(|(_, _, filtered)| *filtered == Filtered::Rejected).collect();
    assert_eq!(refused.iter().position(|refused| *refused), Some(20));
    assert!(refused[20..].iter().any(|refused| !refused));
}

#[test]
fn a_contradiction_ends_the_filter_and_retracts_what_it_said() {
    let without = run(None, 1, None);
    assert!(without.reduced.case.total_bytes() < SMALL);
    let one = run(Some(Kind::Liar), 1, None);
    let contradiction = (Verdict::Interesting, Filtered::Doubted);
    let at = one
        .transcript
        .iter()
        .position(|(_, verdict, filtered)| (*verdict, *filtered) == contradiction);
    let (before, after) = one.transcript.split_at(at.unwrap());
    assert!(before.iter().any(|(_, _, filtered)| *filtered == Filtered::Rejected));
    assert!(after[1..].iter().all(|(_, _, filtered)| *filtered == Filtered::Passed));
    assert!(one.reduced.compile_filter.ended);
    assert_eq!(one.warnings, 1);
    assert!(one.reduced.case.total_bytes() < SMALL, "what it had refused is found all the same");
    for jobs in [2, 8] {
        let more = run(Some(Kind::Liar), jobs, None);
        assert_eq!(more.transcript, one.transcript, "-j {jobs}");
        assert_eq!(more.reduced.case, one.reduced.case);
    }
}

#[test]
fn a_filter_that_fails_or_rejects_the_original_means_tests() {
    let without = run(None, 1, None);
    let breaks = run(Some(Kind::Breaks), 1, None);
    assert_eq!(breaks.transcript, without.transcript);
    assert_eq!(breaks.reduced.tests, without.reduced.tests);
    let prejudiced = run(Some(Kind::Prejudiced), 1, None);
    assert_eq!(prejudiced.transcript, without.transcript);
    assert_eq!(prejudiced.looks, 1);
}

#[test]
fn a_journal_cut_anywhere_is_resumed_with_a_filter() {
    for kind in [Kind::Honest, Kind::Liar] {
        let directory = TempDir::new().unwrap();
        let whole = run(Some(kind), 1, Some(directory.path()));
        let journal = fs::read(directory.path().join("journal")).unwrap();
        for cut in (1..=12).map(|part| journal.len() * part / 13) {
            let directory = TempDir::new().unwrap();
            let original_folder = directory.path().join("original");
            fs::create_dir(&original_folder).unwrap();
            fs::write(original_folder.join("run_kernel.c"), &original().files()[0].bytes).unwrap();
            fs::write(directory.path().join("journal"), &journal[..cut]).unwrap();
            let resumed = run(Some(kind), 2, Some(directory.path()));
            assert_eq!(resumed.transcript, whole.transcript, "cut at {cut}");
            assert_eq!(fs::read(directory.path().join("journal")).unwrap(), journal);
        }
    }
}

/// A filter's use, the trust in it and its rejections depend on verdicts alone: 20 fresh runs in which
/// tests and looks take all kinds of times try the same variants with the same verdicts from the same sources.
#[test]
fn no_clock_decides_whether_there_is_a_filter() {
    let expected = run(Some(Kind::Honest), 1, None);
    assert!(expected.reduced.compile_filter.rejected > 20);
    for load in 0..20 {
        let jobs = [1, 2, 4, 8][load as usize % 4];
        let run = run_at(Pace::Uneven(load), Some(Kind::Honest), jobs, None);
        assert_eq!(run.transcript, expected.transcript, "run {load} at -j {jobs}");
        assert_eq!(run.reduced.case, expected.reduced.case);
    }
}
