//! Time limits follow the program, and each commit that is tested again has the time that it needs.

#![cfg(unix)]

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::support::lists::{ListSource, Transcript, items, list, transcribe};
use crate::support::{BUG, Bench, SCRIPT};
use clreduce::events::Event;
use clreduce::journal::{Facts, StateFolder};
use clreduce::{Reduced, Reduction, Resume};
use clreduce_interestingness::{
    Cancel, Interestingness, NotRun, Occasion, Outcome, TimeLimits, Verdict,
};
use clreduce_testcase::{ContentHash, TestCase};
use serde_json::Value;
use tempfile::TempDir;

/// A test in virtual time: what takes longer than its limit is timed out. Interesting is what has two of forty items.
#[derive(Clone, Default)]
struct Timed {
    /// Accepts some variants by mistake, the first time.
    is_flaky: bool,
    /// True if a part of the test has the limit.
    in_parts: bool,
    /// Lets tests that began later end before one that finds its variant interesting.
    is_last: bool,
    state: Arc<Mutex<State>>,
    ended: Arc<Condvar>,
}

#[derive(Default)]
struct State {
    asked: HashSet<ContentHash>,
    timed_out: u64,
    ended: u64,
    /// Limits as they were set, in milliseconds.
    limits: Vec<u64>,
}

fn original() -> TestCase {
    list(&(0..40).collect::<Vec<_>>())
}

/// The original takes 16 seconds, and the result less than a tenth of a second.
fn wall(case: &TestCase) -> Duration {
    Duration::from_millis(10 * items(case).len().pow(2) as u64)
}

impl Timed {
    fn set(&self, limit: Duration) {
        self.state.lock().unwrap().limits.push(limit.as_millis() as u64);
    }
}

impl Interestingness for Timed {
    fn judge(&self, variant: &TestCase, _cancel: &Cancel) -> Result<Outcome, NotRun> {
        let mut state = self.state.lock().unwrap();
        let is_first = state.asked.insert(variant.hash());
        let has = |item: u16| items(variant).contains(&item);
        let by_mistake = self.is_flaky && is_first && (2..5).contains(&items(variant).len());
        let limit = state.limits.last().map_or(Duration::MAX, |ms| Duration::from_millis(*ms));
        let verdict = match wall(variant) {
            wall if wall > limit => Verdict::TimedOut,
            _ if has(17) && has(30) || by_mistake => Verdict::Interesting,
            _ => Verdict::Uninteresting,
        };
        state.timed_out += u64::from(verdict == Verdict::TimedOut);
        // A test that ends beside the first test of the original needs less than the limit that follows from it.
        let reason = format!("limit {:?}", limit.min(wall(&original()) * 10));
        let mut outcome = Outcome { wall: wall(variant), reason, ..Outcome::from(verdict) };
        if self.in_parts {
            let limit = outcome.wall * 10;
            outcome.part_limits.insert("part".to_owned(), limit.max(Duration::from_secs(2)));
        }
        if self.is_last && verdict == Verdict::Interesting {
            let before = state.ended;
            let is_first = |state: &mut State| state.ended == before;
            let moment = Duration::from_millis(100);
            state = self.ended.wait_timeout_while(state, moment, is_first).unwrap().0;
        }
        state.ended += 1;
        self.ended.notify_all();
        Ok(outcome)
    }

    fn set_time_limit(&self, limit: Duration) {
        if !self.in_parts {
            self.set(limit);
        }
    }

    fn part_limits(&self) -> TimeLimits {
        let limit = ("part".to_owned(), Duration::from_secs(160));
        self.in_parts.then_some(limit).into_iter().collect()
    }

    fn set_part_limits(&self, limits: &TimeLimits) {
        limits.get("part").into_iter().for_each(|limit| self.set(*limit));
    }
}

struct Run {
    transcript: Transcript,
    reduced: Reduced,
    limits: Vec<u64>,
    timed_out: u64,
}

fn run(test: &Timed, jobs: usize, directory: &Path, steps: u64) -> Run {
    *test.state.lock().unwrap() = State::default();
    let folder = StateFolder::open(directory).unwrap();
    let state = Resume { folder, facts: Facts::default(), on_disk: None };
    let jobs = NonZeroUsize::new(jobs).unwrap();
    let reduction = Reduction::of(original()).test(test.clone()).jobs(jobs).state(state);
    let (transcript, reduced) = transcribe(reduction.max_steps(steps), &original());
    let State { limits, timed_out, .. } = std::mem::take(&mut *test.state.lock().unwrap());
    Run { transcript, reduced: reduced.unwrap(), limits, timed_out }
}

/// The limits in a journal, in milliseconds: first that of the original.
fn journaled(folder: &Path, name: &str) -> Vec<u64> {
    let text = std::fs::read_to_string(folder.join("journal")).unwrap();
    let mut records = text.lines().map(|line| line.split_once(' ').unwrap().1);
    let header: Value = serde_json::from_str(records.next().unwrap()).unwrap();
    let limits = records.filter_map(|record| record.strip_prefix("limits "));
    let limit = |json| serde_json::from_str::<Value>(json).unwrap()[name].as_u64().unwrap();
    std::iter::once(header["time_limit"].as_u64().unwrap()).chain(limits.map(limit)).collect()
}

#[test]
fn limits_are_lowered_once_nothing_needs_the_old_ones_and_are_gone_on_with() {
    for in_parts in [false, true] {
        let test = Timed { in_parts, ..Timed::default() };
        let whole = TempDir::new().unwrap();
        let one = run(&test, 1, whole.path(), u64::MAX);
        assert_eq!(one.reduced.case, list(&[17, 30]));
        // The second test of the original takes longer than what the limit is in the end.
        assert_eq!((one.timed_out, one.reduced.flakiness), (0, clreduce::Flakiness::default()));
        assert!(one.limits.last().is_some_and(|last| *last < 5000), "{:?}", one.limits);
        let name = if in_parts { "part" } else { "" };
        let journaled = &journaled(whole.path(), name)[1..];
        assert!(one.limits.ends_with(journaled) && !journaled.is_empty(), "{journaled:?}");
        assert!(one.limits.contains(&160_000), "{:?}", one.limits);

        let three = run(&test, 3, TempDir::new().unwrap().path(), u64::MAX);
        assert_eq!((&three.transcript, three.timed_out), (&one.transcript, 0));
        assert!(three.limits.last().is_some_and(|last| *last < 5000), "{:?}", three.limits);
        for steps in (1..one.transcript.len() as u64).step_by(7) {
            let parts = TempDir::new().unwrap();
            let before = run(&test, 1, parts.path(), steps);
            let after = run(&test, 1, parts.path(), u64::MAX);
            assert_eq!(after.transcript, one.transcript, "{steps}");
            let first = if in_parts { 0 } else { 2 };
            assert_eq!(after.limits[first], before.limits[before.limits.len() - 1], "{steps}");
            assert_eq!(after.timed_out, 0);
        }
    }
}

/// The variants of a reduction whose tests run some at a time, each with its verdict and the limit that its test had.
fn limits_of_steps(test: Timed, jobs: usize) -> Vec<(ContentHash, Verdict, String)> {
    let mut steps = Vec::new();
    let jobs = NonZeroUsize::new(jobs).unwrap();
    let reduction = Reduction::of(original()).test(test).jobs(jobs).on_event(|event| {
        if let Event::Judged { hash, outcome, .. } = event {
            steps.push((*hash, outcome.verdict, outcome.reason.clone()));
        }
    });
    let reduced = reduction.run_with(ListSource::new(&original())).unwrap();
    assert_eq!(reduced.case, list(&[17, 30]));
    steps
}

#[test]
fn a_variant_that_was_tested_ahead_has_the_limit_of_its_place() {
    for in_parts in [false, true] {
        let one = limits_of_steps(Timed { in_parts, ..Timed::default() }, 1);
        let limits: HashSet<_> = one.iter().map(|(.., limit)| limit).collect();
        assert!(limits.len() > 3, "{limits:?}");
        for jobs in [2, 4] {
            let test = Timed { in_parts, is_last: true, ..Timed::default() };
            let more = limits_of_steps(test, jobs);
            assert_eq!(more, one, "-j {jobs}, in parts: {in_parts}");
        }
    }
}

#[test]
fn what_is_gone_back_to_has_its_limits_again() {
    let test = Timed { is_flaky: true, ..Timed::default() };
    let directory = TempDir::new().unwrap();
    let run = run(&test, 1, directory.path(), u64::MAX);
    assert_eq!(run.reduced.case, list(&[17, 30]));
    let flakiness = run.reduced.flakiness;
    assert!(flakiness.went_back > 0 && flakiness.wrongly_rejected == 0, "{flakiness:?}");
    assert_eq!(run.timed_out, 0, "{:?}", run.limits);
    let limits = journaled(directory.path(), "");
    let is_raised = |pair: &[u64]| pair[0] < pair[1];
    assert!(limits.windows(2).any(is_raised) && limits.last() < Some(&5000), "{limits:?}");
}

#[test]
fn a_script_that_takes_less_time_for_less() {
    let bench = Bench::with_bug();
    let slow = "#!/bin/sh\n! grep -q thrice bug.c || sleep 3\n";
    let test = "grep -q 'needle(' bug.c && gcc -fsyntax-only -w bug.c\n";
    bench.script("test.sh", &format!("{slow}{test}"));
    let args = ["bug.c", "--test", SCRIPT, "-j", "1", "--no-compile-filter"];
    bench.reduce(&[&args[..], &["--max-steps", "18"]].concat());
    let limits = journaled(&bench.path("bug.c.clreduce"), "");
    assert!(limits.len() > 1 && limits[0] >= 30_000, "{limits:?}");
    let last = limits[limits.len() - 1];
    assert!(last >= 2000 && last * 2 <= limits[0], "{limits:?}");
    bench.reduce(&[&args[..], &["--summary", "s.json", "--events", "e.jsonl"]].concat());
    let limit = bench.json("s.json")["timeout"].as_f64().unwrap();
    assert!(limit * 1500.0 <= limits[0] as f64, "{limit} s, {limits:?}");
    let result = bench.read("bug.c");
    assert!(!result.contains("thrice") && result.contains("needle("), "{result}");
}

/// Of a test that takes long, one confirms the result after the limit and one lays it out.
#[test]
fn few_tests_begin_after_the_time_limit_and_that_is_told() {
    let bench = Bench::with_bug();
    let log = bench.path("log");
    let slow = format!("#!/bin/sh\ndate +%s%3N >> {}\nsleep 1\n", log.display());
    bench.script("test.sh", &format!("{slow}grep -q 'needle(' bug.c\n"));
    let args = ["bug.c", "--test", SCRIPT, "-j", "1", "--writable", ".", "--time-limit", "6s"];
    let run = bench.reduce(&args);
    let told = "the time limit is reached; the result is tested again and laid out";
    crate::support::assert_mentions(&crate::support::stderr(&run), &[told]);
    let log = bench.read("log");
    let starts: Vec<u64> = log.lines().map(|line| line.parse().unwrap()).collect();
    let late = starts.iter().filter(|start| **start > starts[0] + 6000).count();
    assert!(starts.len() > 3 && (1..=4).contains(&late), "{late} of {starts:?}");
    assert!(bench.read("bug.c").len() < BUG.len());
}

/// A shorter limit finds hangs sooner, and takes what is slow for one. To confirm a hang, the limit is that of the original.
#[test]
fn a_hang_is_waited_for_less_and_confirmed_with_the_limit_that_the_user_gave() {
    let bench = Bench::new();
    bench.script("good.sh", "#!/bin/sh\nexit 0\n");
    bench.script(
        "bad.sh",
        "#!/bin/sh\ngrep -q slow $1 && exec sleep 2\ngrep -q spin $1 && sleep 1000\nexit 0\n",
    );
    let configuration = |name: &str, more: &str| {
        let path = bench.path(&format!("{name}.sh"));
        format!(
            "[[configuration]]\nname = \"{name}\"\nbuild = \"{} {{file}}\"\n{more}",
            path.display()
        )
    };
    let bad = configuration("bad", "accused = true\ntimeout = \"4s\"\n");
    let recipe = format!("preset = \"hang\"\n{bad}{}", configuration("good", ""));
    let recipe = clreduce_recipe::Recipe::parse("r.toml".as_ref(), recipe).unwrap();
    let case = |text: &str| TestCase::single("p.c", text.as_bytes()).unwrap();
    let test = recipe.calibrate(&case("int spin;")).unwrap();
    let cancel = Cancel::new();
    let outcome = test.judge(&case("spin"), &cancel).unwrap();
    let fitting = outcome.part_limits["bad"];
    assert!(fitting >= Duration::from_secs(1) && fitting < Duration::from_secs(4), "{fitting:?}");
    test.set_part_limits(&TimeLimits::from([("bad".to_owned(), Duration::from_secs(1))]));
    let (hangs, slow) = (case("spin;"), case("slow"));
    let verdicts = [&hangs, &slow].map(|case| test.judge(case, &cancel).unwrap().verdict);
    assert_eq!(verdicts, [Verdict::Interesting; 2]);
    let verdicts =
        [&hangs, &slow].map(|case| test.judge_on(case, Occasion::Again, &cancel).unwrap().verdict);
    assert_eq!(verdicts, [Verdict::Interesting, Verdict::Uninteresting]);
}

#[test]
fn a_recipe_whose_configurations_take_less_time_for_less() {
    let bench = Bench::with_bug();
    bench.script("good.sh", "#!/bin/sh\n! grep -q thrice $1 || sleep 1.5\n");
    let hangs = "grep -q 'needle(' $1 && gcc -fsyntax-only -w $1 || exit 0";
    bench.script("bad.sh", &format!("#!/bin/sh\n{hangs}\nsleep 1000\n"));
    let configuration = |name: &str, more: &str| {
        let path = bench.path(&format!("{name}.sh"));
        let path = path.display();
        format!("[[configuration]]\nname = \"{name}\"\nbuild = \"{path} {{file}}\"\n{more}")
    };
    let bad = configuration("bad", "accused = true\ntimeout = \"500ms\"\n");
    let good = configuration("good", "");
    bench.write("r.toml", format!("preset = \"hang\"\n{bad}{good}"));
    bench.reduce(&["bug.c", "--test", "r.toml", "-j", "1", "--max-steps", "18"]);
    let limits = journaled(&bench.path("bug.c.clreduce"), "good");
    assert_eq!(limits.last(), Some(&5_000), "{limits:?}");
    let fixed = journaled(&bench.path("bug.c.clreduce"), "bad");
    assert!(fixed[1..].iter().all(|limit| *limit == 500), "{fixed:?}");
    assert!(bench.read("bug.c").len() < BUG.len() / 2);
}
