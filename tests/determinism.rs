//! Whatever the number of jobs and the timing, the conversation is the same.

#[allow(dead_code)]
mod common;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clreduce::Reduction;
use clreduce::events::Event;
use clreduce::speculation::Pool;
use clreduce_interestingness::{Cancel, Interestingness, NotRun, Outcome, Verdict};
use clreduce_testcase::TestCase;
use common::{Oracle, Transcript, noise, transcribe};
use proptest::prelude::*;

fn jobs(jobs: usize) -> NonZeroUsize {
    NonZeroUsize::new(jobs).unwrap()
}

fn run(oracle: Oracle, n: usize) -> (Transcript, TestCase) {
    let original = oracle.original();
    let reduction = Reduction::of(original.clone()).test(oracle.test()).jobs(jobs(n));
    let (transcript, reduced) = transcribe(reduction, &original);
    let reduced = reduced.unwrap();
    assert!(oracle.accepts(&reduced.case));
    assert_eq!(reduced.steps, transcript.len() as u64);
    (transcript, reduced.case)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_number_of_jobs_holds_the_same_conversation(
        seed: u64,
        length in 1u16..40,
        bumpy: bool,
        delay in prop_oneof![3 => Just(0u64), 1 => Just(60u64)],
    ) {
        let oracle = Oracle { seed, length, bumpy, delay: Duration::from_micros(delay) };
        let one = run(oracle, 1);
        prop_assert_eq!(&one, &run(oracle, 2));
        prop_assert_eq!(&one, &run(oracle, 8));
    }
}

#[test]
fn two_reductions_share_a_pool_and_nothing_else() {
    let pool = Arc::new(Pool::new(jobs(3)).unwrap());
    let oracle = |seed| Oracle { seed, length: 60, bumpy: true, delay: Duration::from_micros(200) };
    let together = std::thread::scope(|scope| {
        let handles = [1, 2].map(|seed| {
            let pool = Arc::clone(&pool);
            scope.spawn(move || {
                let original = oracle(seed).original();
                let reduction = Reduction::of(original.clone()).test(oracle(seed).test());
                let (transcript, reduced) =
                    transcribe(reduction.jobs(jobs(3)).pool(pool), &original);
                (transcript, reduced.unwrap().case)
            })
        });
        handles.map(|handle| handle.join().unwrap())
    });
    assert_eq!(together, [1, 2].map(|seed| run(oracle(seed), 1)));
}

/// Times out whenever another test runs, and always on some variants.
struct Overloaded {
    oracle: Oracle,
    running: AtomicUsize,
    crowded: Arc<AtomicUsize>,
}

impl Interestingness for Overloaded {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let alone = self.running.fetch_add(1, Ordering::SeqCst) == 0;
        cancel.wait(Duration::from_micros(300));
        let last = self.running.fetch_sub(1, Ordering::SeqCst) == 1;
        let alone = alone && last;
        let hangs = *variant != self.oracle.original() && noise(7, variant).is_multiple_of(10);
        let verdict = if !alone || hangs {
            self.crowded.fetch_add(usize::from(!alone), Ordering::SeqCst);
            Verdict::TimedOut
        } else if self.oracle.accepts(variant) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        };
        Ok(Outcome::from(verdict))
    }
}

#[test]
fn a_time_out_under_load_is_not_believed() {
    let oracle = Oracle { seed: 5, length: 30, bumpy: false, delay: Duration::ZERO };
    let original = oracle.original();
    let crowded = Arc::new(AtomicUsize::new(0));
    let transcripts = [1, 4].map(|n| {
        let crowded = Arc::clone(&crowded);
        let test = Overloaded { oracle, running: AtomicUsize::new(0), crowded };
        let reduction = Reduction::of(original.clone()).test(test).jobs(jobs(n));
        let (transcript, reduced) = transcribe(reduction, &original);
        (transcript, reduced.unwrap().case)
    });
    assert!(crowded.load(Ordering::SeqCst) > 0, "the test was never run beside another");
    assert_eq!(transcripts[0], transcripts[1]);
}

#[test]
fn the_reducer_itself_does_not_notice_speculation() {
    let source = include_bytes!("../fixtures/c-assembly/codec.c");
    let original = TestCase::single("codec.c", source.as_slice()).unwrap();
    // Refuses a third of the variants for no reason, so that successes and refusals mix.
    let has = |case: &TestCase, word: &[u8]| {
        case.files()[0].bytes.windows(word.len()).any(|part| part == word)
    };
    let whole = original.clone();
    let test = Arc::new(move |case: &TestCase| {
        // Long enough for tests beside it to start.
        std::thread::sleep(Duration::from_micros(500));
        let kept = has(case, b"<<") && has(case, b"return");
        kept && (*case == whole || !noise(3, case).is_multiple_of(3))
    });
    let transcripts = [1, 2, 8].map(|n| {
        let mut transcript = Vec::new();
        let reduction = Reduction::of(original.clone()).shared_test(test.clone()).jobs(jobs(n));
        let listen = |event: &Event| {
            if let Event::Judged { hash, outcome, .. } = event {
                transcript.push((*hash, outcome.verdict));
            }
        };
        let reduced = reduction.max_steps(400).on_event(listen).run().unwrap();
        (transcript, reduced.case)
    });
    assert!(transcripts[0].0.len() > 50);
    assert_eq!(transcripts[0], transcripts[1]);
    assert_eq!(transcripts[0], transcripts[2]);
}
