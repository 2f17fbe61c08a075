//! Tests that cannot be trusted are noticed, and failures are told where they belong.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::lists::{ListSource, Oracle, transcribe};
use clreduce::events::{Ending, Event};
use clreduce::{Reduction, ReductionError};
use clreduce_interestingness::{Cancel, Interestingness, NotRun, Outcome, Verdict};
use clreduce_testcase::TestCase;

const ORACLE: Oracle = Oracle { seed: 3, length: 40, bumpy: false, delay: Duration::ZERO };

fn jobs(jobs: usize) -> NonZeroUsize {
    NonZeroUsize::new(jobs).unwrap()
}

#[test]
fn a_test_that_wavers_on_the_original_is_refused_and_the_original_put_back() {
    let original = ORACLE.original();
    for n in [1, 4] {
        let (calls, of) = (AtomicU64::new(0), original.clone());
        // Right but for the second look at the original.
        let wavers = move |case: &TestCase| {
            let again = *case == of && calls.fetch_add(1, Ordering::Relaxed) > 0;
            !again && ORACLE.accepts(case)
        };
        let (mut commits, mut kept) = (0, Vec::new());
        let reduced = Reduction::of(original.clone())
            .test(wavers)
            .jobs(jobs(n))
            .keep(|case| {
                kept.push(case.clone());
                Ok(())
            })
            .on_event(|event| commits += u64::from(matches!(event, Event::Committed { .. })))
            .run_with(ListSource::new(&original));
        assert!(
            matches!(reduced, Err(ReductionError::Flaky { interesting: 1, .. })),
            "{reduced:?}"
        );
        assert!(commits > 0, "it is looked at again on the way");
        assert_eq!(kept.last(), Some(&original));
    }
}

/// Knows at once what to think of the original, and of nothing else: that takes as long as it may.
struct Slow {
    original: TestCase,
    limit_ms: AtomicU64,
}

impl Interestingness for Slow {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let limit = Duration::from_millis(self.limit_ms.load(Ordering::SeqCst));
        if *variant == self.original {
            std::thread::sleep(Duration::from_millis(50));
            return Ok(Outcome::from(Verdict::Interesting));
        }
        let stopped = cancel.wait(limit);
        assert!(stopped || limit < Duration::from_secs(60), "the limit before anything was known");
        Ok(Outcome::from(if stopped { Verdict::Uninteresting } else { Verdict::TimedOut }))
    }

    fn set_time_limit(&self, limit: Duration) {
        self.limit_ms.store(limit.as_millis() as u64, Ordering::SeqCst);
    }
}

#[test]
fn what_is_tested_beside_the_original_has_the_limit_that_the_original_sets() {
    let original = ORACLE.original();
    let slow = Slow { original: original.clone(), limit_ms: AtomicU64::new(0) };
    let reduction = Reduction::of(original.clone()).test(slow).jobs(jobs(2));
    let mut verdicts = Vec::new();
    let reduced = reduction
        .max_steps(1)
        .on_event(|event| {
            if let Event::Judged { outcome, .. } = event {
                verdicts.push(outcome.verdict);
            }
        })
        .run_with(ListSource::new(&original))
        .unwrap();
    assert_eq!((verdicts, reduced.ending), (vec![Verdict::TimedOut], Ending::StepLimit));
}

#[test]
fn an_uninteresting_original_is_refused() {
    let original = ORACLE.original();
    let (_, reduced) =
        transcribe(Reduction::of(original.clone()).test(|_: &TestCase| false), &original);
    assert!(matches!(reduced, Err(ReductionError::NotInteresting(_))), "{reduced:?}");
}

#[test]
fn a_test_that_panics_does_so_where_the_reduction_was_started() {
    let original = ORACLE.original();
    let panics = {
        let original = original.clone();
        move |case: &TestCase| case == &original || std::panic::panic_any("broken oracle")
    };
    let reduction = Reduction::of(original.clone()).test(panics).jobs(jobs(2));
    let run = AssertUnwindSafe(|| reduction.run_with(ListSource::new(&original)));
    let panic = catch_unwind(run).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"broken oracle"));
}

#[test]
fn limits_end_a_reduction_early() {
    let original = ORACLE.original();
    for n in [1, 3] {
        let reduction = Reduction::of(original.clone()).test(ORACLE.test()).jobs(jobs(n));
        let (transcript, reduced) = transcribe(reduction.max_steps(7), &original);
        let reduced = reduced.unwrap();
        assert_eq!((transcript.len(), reduced.ending), (7, Ending::StepLimit));
    }
    let reduction = Reduction::of(original.clone()).test(Stuck(AtomicUsize::new(0)));
    let (_, reduced) = transcribe(reduction.time_limit(Duration::from_millis(50)), &original);
    let reduced = reduced.unwrap();
    assert_eq!(reduced.ending, Ending::TimeLimit);
    assert!(ORACLE.accepts(&reduced.case));
}

/// Answers a few times, then only waits for its cancellation.
struct Stuck(AtomicUsize);

impl Interestingness for Stuck {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        if self.0.fetch_add(1, Ordering::SeqCst) > 8 {
            while !cancel.wait(Duration::from_secs(1)) {}
        }
        let yes = ORACLE.accepts(variant);
        Ok(Outcome::from(if yes { Verdict::Interesting } else { Verdict::Uninteresting }))
    }
}

/// Notes when it runs, and whether it is told to stop.
#[derive(Default)]
struct Watched {
    running: AtomicUsize,
    most: AtomicUsize,
    cancelled: AtomicBool,
    limit: AtomicU64,
}

struct Watcher(Arc<Watched>);

impl Interestingness for Watcher {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let running = self.0.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.most.fetch_max(running, Ordering::SeqCst);
        // Some take much longer than others, so that answers come while what they rule out still runs.
        let wait = if variant.hash().low_bits().is_multiple_of(2) { 1 } else { 30 };
        if cancel.wait(Duration::from_millis(wait)) {
            self.0.cancelled.store(true, Ordering::SeqCst);
        }
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        let yes = ORACLE.accepts(variant);
        Ok(Outcome::from(if yes { Verdict::Interesting } else { Verdict::Uninteresting }))
    }

    fn set_time_limit(&self, limit: Duration) {
        self.0.limit.store(limit.as_secs(), Ordering::SeqCst);
    }
}

#[test]
fn tests_run_side_by_side_and_none_outlives_the_reduction() {
    let original = ORACLE.original();
    let watched = Arc::new(Watched::default());
    let mut most_reported = 0;
    let reduction =
        Reduction::of(original.clone()).test(Watcher(Arc::clone(&watched))).jobs(jobs(4));
    let reduced = reduction
        .on_event(|event| {
            if let Event::Judged { tests, .. } = event {
                most_reported = *tests;
            }
        })
        .run_with(ListSource::new(&original))
        .unwrap();
    assert_eq!(watched.running.load(Ordering::SeqCst), 0);
    assert_eq!(watched.most.load(Ordering::SeqCst), 4);
    assert_eq!(
        watched.limit.load(Ordering::SeqCst),
        2,
        "ten times the median, at least two seconds"
    );
    assert!(watched.cancelled.load(Ordering::SeqCst));
    assert!(reduced.killed > 0);
    assert!(reduced.tests >= most_reported && most_reported >= reduced.steps - reduced.cache_hits);
    assert!(reduced.efficiency.consumed > 0.0 && reduced.efficiency.consumed <= 1.0);
    assert_eq!(reduced.passes.iter().map(|pass| pass.steps).sum::<u64>(), reduced.steps);
    let removed: i64 = reduced.passes.iter().map(|pass| pass.tokens_removed).sum();
    let before = clreduce_testcase::Size::of(&original).tokens;
    assert_eq!(removed, before as i64 - reduced.size.tokens as i64);
}
