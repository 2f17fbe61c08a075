//! An interrupted reduction goes on as if nothing had happened, or says why it cannot.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use crate::support::lists::{ListSource, Oracle, Transcript, transcribe};
use clreduce::events::{Ending, Event};
use clreduce::journal::{Facts, StateError, StateFolder};
use clreduce::{Reduced, Reduction, ReductionError, Resume, UserRequests};
use clreduce_interestingness::Cancel;
use clreduce_testcase::TestCase;
use tempfile::TempDir;

const ORACLE: Oracle =
    Oracle { seed: 11, length: 40, bumpy: true, delay: Duration::from_micros(50) };

fn facts(test: &str) -> Facts {
    Facts::from([("the test".to_owned(), test.to_owned())])
}

fn resume(directory: &Path, on_disk: Option<TestCase>) -> Resume {
    let folder = StateFolder::open(directory).unwrap();
    Resume { folder, facts: facts("exit 0"), on_disk }
}

fn reduction<'a>(jobs: usize) -> Reduction<'a> {
    let jobs = NonZeroUsize::new(jobs).unwrap();
    Reduction::of(ORACLE.original()).test(ORACLE.test()).jobs(jobs)
}

fn run(reduction: Reduction<'_>) -> (Transcript, Result<Reduced, ReductionError>) {
    transcribe(reduction, &ORACLE.original())
}

/// The outcome of an undisturbed run, with its journal.
fn undisturbed() -> (Transcript, TestCase, Vec<u8>) {
    let directory = TempDir::new().unwrap();
    let (transcript, reduced) = run(reduction(1).state(resume(directory.path(), None)));
    (transcript, reduced.unwrap().case, fs::read(directory.path().join("journal")).unwrap())
}

/// Numbers that look random and are the same each time.
fn instants(below: usize) -> impl Iterator<Item = usize> {
    (0..20).map(move |n| (n * 7919 + 13) % below)
}

#[test]
fn a_journal_cut_anywhere_is_gone_on_with() {
    let (transcript, end, journal) = undisturbed();
    let header = journal.iter().position(|&byte| byte == b'\n').unwrap();
    for cut in instants(journal.len()).chain([0, 1, header, header + 1, journal.len() - 1]) {
        let directory = TempDir::new().unwrap();
        drop(run(reduction(2).max_steps(0).state(resume(directory.path(), None))));
        let mut torn = journal[..cut].to_vec();
        torn.extend_from_slice(if cut % 2 == 0 { b"" } else { b"no \xff torn" });
        fs::write(directory.path().join("journal"), torn).unwrap();
        if cut <= header {
            // A header is whole or not there: somebody has damaged it.
            let (_, damaged) = run(reduction(2).state(resume(directory.path(), None)));
            let Err(ReductionError::State(StateError::Unreadable(_))) = damaged else {
                panic!("cut at {cut}: {damaged:?}")
            };
            continue;
        }

        let (resumed, reduced) = run(reduction(2).state(resume(directory.path(), None)));
        assert_eq!(resumed, transcript, "cut at {cut}");
        assert_eq!(reduced.unwrap().case, end, "cut at {cut}");
        assert_eq!(fs::read(directory.path().join("journal")).unwrap(), journal, "cut at {cut}");
    }
}

#[test]
fn a_run_that_dies_at_any_instant_is_gone_on_with() {
    let (transcript, end, _) = undisturbed();
    for (number, instant) in instants(transcript.len()).enumerate() {
        let directory = TempDir::new().unwrap();
        let disk = Mutex::new(ORACLE.original());
        let keep = |case: &TestCase| {
            *disk.lock().unwrap() = case.clone();
            Ok(())
        };
        let mut events = 0;
        let die = |_: &Event| {
            events += 1;
            assert!(events <= instant, "dies here");
        };
        let state = resume(directory.path(), Some(ORACLE.original()));
        let dying = reduction(1 + number % 4).state(state).keep(keep).on_event(die);
        let run_it = AssertUnwindSafe(|| dying.run_with(ListSource::new(&ORACLE.original())));
        assert!(catch_unwind(run_it).is_err());
        assert!(ORACLE.accepts(&disk.lock().unwrap()));

        let on_disk = disk.lock().unwrap().clone();
        let state = resume(directory.path(), Some(on_disk));
        assert_eq!(state.folder.unfinished().unwrap(), Some(ORACLE.original()));
        let (resumed, reduced) = run(reduction(2).state(state).keep(keep));
        assert_eq!(resumed, transcript);
        assert_eq!(reduced.unwrap().case, end);
        assert_eq!(*disk.lock().unwrap(), end);
    }
}

#[test]
fn a_cancelled_run_keeps_its_best_and_is_gone_on_with() {
    let (transcript, end, _) = undisturbed();
    for instant in instants(transcript.len() - 1) {
        let directory = TempDir::new().unwrap();
        let (cancel, mut consumed, mut best) = (Cancel::new(), 0, ORACLE.original());
        let listen = |event: &Event| match event {
            Event::Judged { .. } => {
                consumed += 1;
                if consumed == instant + 1 {
                    cancel.cancel();
                }
            }
            Event::Committed { case, .. } => best = case.clone(),
            _ => {}
        };
        let state = resume(directory.path(), None);
        let reduction_ = reduction(3).state(state).cancel(cancel.clone()).on_event(listen);
        let reduced = reduction_.run_with(ListSource::new(&ORACLE.original())).unwrap();
        assert_eq!(reduced.ending, Ending::Interrupted);
        assert_eq!(consumed, instant + 1, "an answer was consumed after the cancellation");
        assert_eq!(reduced.case, best);

        let (resumed, reduced) = run(reduction(3).state(resume(directory.path(), None)));
        assert_eq!((resumed, reduced.unwrap().case), (transcript.clone(), end.clone()));
    }
}

#[test]
fn a_test_case_that_cannot_be_kept_ends_the_reduction() {
    let directory = TempDir::new().unwrap();
    let full = |_: &TestCase| Err(io::Error::from(io::ErrorKind::StorageFull));
    let (_, reduced) = run(reduction(2).state(resume(directory.path(), None)).keep(full));
    let Err(ReductionError::Keep(error)) = reduced else { panic!("{reduced:?}") };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    // The journal is a commit ahead of the disk; the next run puts that right.
    let mut kept = Vec::new();
    let keep = |case: &TestCase| {
        kept.push(case.clone());
        Ok(())
    };
    let state = resume(directory.path(), Some(ORACLE.original()));
    run(reduction(1).state(state).keep(keep).max_steps(0)).1.unwrap();
    assert_eq!(kept.len(), 1);
}

#[test]
fn what_has_changed_under_a_journal_is_named() {
    let directory = TempDir::new().unwrap();
    run(reduction(1).max_steps(30).state(resume(directory.path(), None))).1.unwrap();

    let mut state = resume(directory.path(), None);
    state.facts = facts("exit 1");
    let (_, changed) = run(reduction(1).timeout(Duration::from_secs(3)).state(state));
    let Err(ReductionError::State(StateError::Changed { what, .. })) = changed else {
        panic!("{changed:?}")
    };
    assert_eq!(what, "--timeout, the test");

    let other = Oracle { seed: 12, ..ORACLE }.original();
    fs::write(directory.path().join("original/list.txt"), &other.files()[0].bytes[1..]).unwrap();
    let folder = StateFolder::open(directory.path()).unwrap();
    assert!(matches!(folder.unfinished(), Err(StateError::Unreadable(_))));
    folder.discard().unwrap();
    assert_eq!(folder.unfinished().unwrap(), None);
}

#[test]
fn a_finished_reduction_is_not_gone_on_with() {
    let directory = TempDir::new().unwrap();
    let (first, _) = run(reduction(1).state(resume(directory.path(), None)));
    let state = resume(directory.path(), None);
    assert_eq!(state.folder.unfinished().unwrap(), None);
    let mut resumed = None;
    let listen = |event: &Event| {
        if let Event::Started { resumed_steps, .. } = event {
            resumed = Some(*resumed_steps);
        }
    };
    let again = reduction(1).state(state).on_event(listen);
    let reduced = again.run_with(ListSource::new(&ORACLE.original())).unwrap();
    assert_eq!(reduced.steps, first.len() as u64);
    assert_eq!(resumed, Some(0));
}

#[test]
fn one_run_at_a_time() {
    let directory = TempDir::new().unwrap();
    let held = StateFolder::open(directory.path()).unwrap();
    assert!(matches!(StateFolder::open(directory.path()), Err(StateError::Locked(_))));
    drop(held);
    StateFolder::open(directory.path()).unwrap();
}

/// Reduces a program and skips the pass of one step. Returns what happened in order, and the result.
fn skipping(
    directory: &Path,
    jobs: usize,
    max_steps: Option<u64>,
    skip_at: Option<u64>,
) -> (Vec<String>, TestCase) {
    let lines: String = (0..40).map(|n| format!("int value{n} = {n} + {n};\n")).collect();
    let program = TestCase::single("bug.c", format!("{lines}int needle = 1;\n").into_bytes());
    let requests = UserRequests::new();
    let mut told = Vec::new();
    let listener = |event: &Event| match event {
        Event::Judged { step, hash, pass, .. } => {
            told.push(format!("{step} {hash} {pass}"));
            if skip_at == Some(*step) {
                requests.skip_pass();
            }
        }
        Event::PassSkipped { pass } => told.push(format!("skipped {pass}")),
        _ => {}
    };
    let test = |case: &TestCase| {
        let text = String::from_utf8_lossy(&case.files()[0].bytes).into_owned();
        text.contains("needle") && ["3;", "17", "29 +"].iter().all(|part| text.contains(part))
    };
    let reduction = Reduction::of(program.unwrap()).test(test).requests(requests.clone());
    let reduction = reduction.jobs(NonZeroUsize::new(jobs).unwrap()).on_event(listener);
    let reduction = reduction.state(resume(directory, None));
    let reduction = match max_steps {
        Some(steps) => reduction.max_steps(steps),
        None => reduction,
    };
    let case = reduction.run().unwrap().case;
    (told, case)
}

#[test]
fn a_pass_that_was_skipped_is_skipped_again_after_an_interruption() {
    const SKIP_AT: u64 = 5;
    let directory = || TempDir::new().unwrap();
    let first = directory();
    let (told, case) = skipping(first.path(), 1, None, Some(SKIP_AT));
    let journal = fs::read(first.path().join("journal")).unwrap();
    let skips: Vec<_> = told.iter().filter(|line| line.starts_with("skipped")).collect();
    assert_eq!(skips.len(), 1, "{told:?}");
    assert_ne!(skipping(directory().path(), 1, None, None).0, told);
    // The number of jobs makes no difference.
    assert_eq!(skipping(directory().path(), 4, None, Some(SKIP_AT)), (told.clone(), case.clone()));
    // The question is not asked again: the journal knows the answer.
    for stopped_after in [SKIP_AT, SKIP_AT + 1, SKIP_AT + 9] {
        let second = directory();
        skipping(second.path(), 2, Some(stopped_after), Some(SKIP_AT));
        let resumed = skipping(second.path(), 2, None, None);
        if stopped_after > SKIP_AT {
            assert_eq!(resumed, (told.clone(), case.clone()));
            assert_eq!(fs::read(second.path().join("journal")).unwrap(), journal);
        }
    }
}
