//! The library as a program embeds it: with real tests, many reductions at once, ended at any time.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{BUG, Bench, SCRIPT_NAME};
use clreduce::events::{Ending, Event};
use clreduce::{
    Cancel, CommandOptions, Interestingness, NotRun, Outcome, PassChoice, Pool, Reduced, Reduction,
    ReductionError, TestCase, TestCommand, Verdict,
};
use regex::bytes::Regex;

fn case() -> TestCase {
    TestCase::single("bug.c", BUG.as_bytes()).unwrap()
}

fn text(case: &TestCase) -> String {
    String::from_utf8_lossy(&case.files()[0].bytes).into_owned()
}

/// Of a result: whether there is a type before it is up to the passes.
fn last_word(case: &TestCase) -> String {
    text(case).split_whitespace().last().unwrap_or_default().to_owned()
}

fn mentions(word: &'static str) -> impl Fn(&TestCase) -> bool + Send + Sync {
    move |variant| text(variant).contains(word)
}

fn pool(threads: usize) -> Arc<Pool> {
    Arc::new(Pool::new(NonZeroUsize::new(threads).unwrap()).unwrap())
}

/// A line for the shell that is interesting where a word is found.
fn finds(word: &str) -> String {
    if cfg!(windows) {
        format!("find \"{word}\" bug.c >nul")
    } else {
        format!("grep -q '{word}' bug.c")
    }
}

/// Options for tests whose directories and processes `bench` sees.
fn options(bench: &Bench) -> CommandOptions {
    CommandOptions {
        worker: Some(env!("CARGO_BIN_EXE_clreduce").into()),
        temporary: bench.temporary(),
        ..CommandOptions::default()
    }
}

#[test]
fn programs_and_closures_share_a_pool_and_do_not_disturb_each_other() {
    let bench = Bench::new();
    let pool = pool(2);
    let needs = |word: &str| TestCommand::parse(&finds(word)).unwrap();
    let of = || Reduction::of(case());
    let alone = |reduction: Reduction<'_>| reduction.run().unwrap().case;
    let program = |word| of().command(&needs(word), options(&bench)).unwrap();
    let running = [
        program("table").pool(Arc::clone(&pool)).start().unwrap(),
        program("thrice").pool(Arc::clone(&pool)).start().unwrap(),
        of().test(mentions("needle")).pool(Arc::clone(&pool)).start().unwrap(),
    ];
    let together = running.map(|running| running.wait().unwrap().case);
    let one_by_one =
        [alone(program("table")), alone(program("thrice")), alone(of().test(mentions("needle")))];
    assert_eq!(together, one_by_one);
    assert_eq!(together.map(|case| last_word(&case)), ["table", "thrice", "needle"]);
    bench.assert_nothing_left();
}

/// Longer than any clock goes.
#[test]
fn limits_may_be_as_long_as_one_likes() {
    let bench = Bench::new();
    let needle = TestCommand::parse(&finds("needle")).unwrap();
    let alone = Reduction::of(case()).test(mentions("needle"));
    let program = Reduction::of(case()).command(&needle, options(&bench)).unwrap();
    for reduction in [alone, program] {
        let reduced = reduction.timeout(Duration::MAX).time_limit(Duration::MAX).run().unwrap();
        assert_eq!(last_word(&reduced.case), "needle");
    }
    bench.assert_nothing_left();
}

#[test]
fn dropping_a_running_reduction_kills_its_tests() {
    let bench = Bench::new();
    let started = bench.path("started");
    let hangs_later = if cfg!(windows) {
        format!(
            "@find \"needle\" bug.c >nul\r\n@if errorlevel 1 exit /b 1\r\n@find \"twice\" bug.c >nul\r\n\
             @if not errorlevel 1 exit /b 0\r\n@echo x>{}\r\n@ping -n 1000 127.0.0.1 >nul\r\n",
            started.display()
        )
    } else {
        format!(
            "#!/bin/sh\ngrep -q needle bug.c || exit 1\n\
             grep -q twice bug.c || {{ touch {}; sleep 1000; }}\n",
            started.display()
        )
    };
    let test = TestCommand::program(&bench.script(SCRIPT_NAME, &hangs_later)).unwrap();
    let other = Reduction::of(case()).test(mentions("needle"));
    let pool = pool(2);
    let running = Reduction::of(case())
        .command(&test, options(&bench))
        .unwrap()
        .timeout(Duration::from_secs(900))
        .pool(Arc::clone(&pool))
        .start()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !started.exists() {
        assert!(Instant::now() < deadline && !running.is_finished(), "no test hangs");
        thread::sleep(Duration::from_millis(5));
    }
    drop(running);
    bench.assert_nothing_left();
    // The threads are free again.
    assert_eq!(last_word(&other.pool(pool).run().unwrap().case), "needle");
}

#[test]
fn one_token_ends_many_reductions_and_a_handle_its_own() {
    let slow = || {
        |variant: &TestCase| {
            thread::sleep(Duration::from_millis(20));
            mentions("needle")(variant)
        }
    };
    let all = Cancel::new();
    let start = || Reduction::of(case()).test(slow()).cancel(all.clone()).start().unwrap();
    let [first, second, third] = [(); 3].map(|()| start());
    first.cancel();
    assert_eq!(first.wait().unwrap().ending, Ending::Interrupted);
    drop(second);
    assert!(!all.is_cancelled() && !third.is_finished());
    all.cancel();
    assert_eq!(third.wait().unwrap().ending, Ending::Interrupted);
}

/// Interesting is what mentions a word. Counts what runs, and what runs without being asked for.
struct Slow {
    word: &'static str,
    judged: Arc<AtomicUsize>,
}

impl Interestingness for Slow {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        cancel.wait(Duration::from_millis(4));
        self.judged.fetch_add(1, Ordering::Relaxed);
        Ok(Outcome::from(if mentions(self.word)(variant) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }))
    }
}

/// Many reductions on few threads have no use for guesses, and do not make them.
#[test]
fn questions_that_are_waited_for_come_before_guesses() {
    let words = ["needle", "table", "thrice", "second", "pair", "first"];
    let run_all = |pool: &Arc<Pool>| {
        let judged = Arc::new(AtomicUsize::new(0));
        let running = words.map(|word| {
            let test = Slow { word, judged: Arc::clone(&judged) };
            let reduction = Reduction::of(case()).test(test);
            reduction.jobs(NonZeroUsize::new(2).unwrap()).pool(Arc::clone(pool)).start().unwrap()
        });
        let reduced: Vec<Reduced> = running.into_iter().map(|r| r.wait().unwrap()).collect();
        let needed: u64 = reduced.iter().map(|r| r.steps - r.cache_hits).sum();
        (needed as usize, judged.load(Ordering::Relaxed), reduced)
    };
    let (needed, judged, reduced) = run_all(&pool(2));
    // Two runs of each original, and six more of each result. While several are under way, all others are asked for.
    let guessed = judged - needed - 8 * words.len();
    assert!(guessed * 4 < needed, "{guessed} guesses beside {needed} questions");
    let alone = Reduction::of(case()).test(mentions(words[0])).run().unwrap();
    assert_eq!((reduced[0].steps, &reduced[0].case), (alone.steps, &alone.case));
}

#[test]
fn everything_a_person_can_choose_a_program_can() {
    let choice = |only: &[&str]| PassChoice {
        only: only.iter().map(|name| (*name).to_owned()).collect(),
        ..PassChoice::default()
    };
    let reduction = || Reduction::of(case()).test(mentions("needle"));
    let wrong = reduction().passes(choice(&["statement"])).run();
    assert!(matches!(wrong, Err(ReductionError::UnknownPass(name)) if name == "statement"));

    let mut passes = Vec::new();
    let listener = |event: &Event| {
        if let Event::Judged { pass, .. } = event {
            passes.push(*pass);
        }
    };
    reduction().passes(choice(&["statements"])).on_event(listener).run().unwrap();
    assert!(!passes.is_empty() && passes.iter().all(|pass| *pass == "statements"), "{passes:?}");

    let protected = Regex::new(r"int table\[4\]").unwrap();
    let kept = reduction().protect([protected]).keep_names().run().unwrap();
    assert!(text(&kept.case).contains("int table[4]"), "{}", text(&kept.case));
    let cut = reduction().max_steps(3).run().unwrap();
    assert_eq!((cut.steps, cut.ending), (3, Ending::StepLimit));
}
