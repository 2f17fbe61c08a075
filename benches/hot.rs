//! Benchmarks of the work of clreduce around tests, one for each hot path, on a program of 100 KB:
//!
//! - `cargo bench --bench hot`: in time;
//! - `bench/instructions`: in instructions, with valgrind.

use std::hint::black_box;
use std::num::NonZeroUsize;

use clreduce::journal::{Facts, StateFolder};
use clreduce::{Reduction, Resume};
use clreduce_candidates::{CandidateSource, Next};
use clreduce_passes::{Proposals, Snapshot, TABLE};
use clreduce_reducer::{Reducer, ReducerPlan};
use clreduce_testcase::{Edit, Language, Patch, TestCase, tokens};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const SIZE: usize = 100_000;

/// The number of steps of a conversation, enough for several pass runs.
const QUESTIONS: u64 = 200;

/// Functions that call one another, with statements, structures and arrays in them.
fn program() -> TestCase {
    let mut text = String::from("struct s { int a, b; } g;\n");
    for number in 0.. {
        let earlier = if number > 0 { number * 7919 % number } else { 0 };
        let call = if number > 0 { format!("f{earlier}(x, y[1])") } else { "1".to_owned() };
        text.push_str(&format!(
            "int f{number}(int x, int n) {{\n    int y[4] = {{1, 2, x, n}};\n    \
             for (int i = 0; i < n; i++) {{ y[i & 3] += x * {number}; }}\n    \
             if (x > {number}) {{ g.a = {call}; }} else {{ x -= y[2]; g.b ^= x; }}\n    \
             return x + y[n & 3];\n}}\n"
        ));
        if text.len() >= SIZE {
            break;
        }
    }
    TestCase::single("program.c", text.into_bytes()).expect("one file")
}

fn snapshot() -> Snapshot {
    Snapshot::new(program(), Language::C)
}

/// A snapshot whose views are made already.
fn warm_snapshot() -> Snapshot {
    let snapshot = snapshot();
    for row in TABLE.iter().filter(|row| row.applies_to(Language::C)) {
        let _ = Proposals::of(row.pass, &snapshot);
    }
    snapshot
}

/// A patch that removes every tenth token.
fn patch(case: &TestCase) -> Patch {
    let tokens = tokens(&case.files()[0].bytes).step_by(10);
    Patch::new(tokens.map(|token| Edit::delete(0, token.range())).collect()).expect("apart")
}

#[inline(never)]
fn apply(case: &TestCase, patch: &Patch) -> TestCase {
    case.apply(patch)
}

#[inline(never)]
fn parse(snapshot: &Snapshot) -> usize {
    snapshot.tokens(0).len() + usize::from(snapshot.tree(0).is_empty())
}

#[inline(never)]
fn symbols(snapshot: &Snapshot) -> usize {
    snapshot.symbols(0).unresolved().len()
}

#[inline(never)]
fn propose(snapshot: &Snapshot) -> usize {
    let rows = TABLE.iter().filter(|row| row.applies_to(Language::C));
    rows.map(|row| Proposals::of(row.pass, snapshot).list.len()).sum()
}

/// Takes candidates and gives verdicts, one in three of them "interesting", without a scheduler or threads.
#[inline(never)]
fn converse(mut reducer: Reducer) -> usize {
    for question in 0..QUESTIONS {
        let Next::Candidate(_) = reducer.next() else { break };
        reducer.take_verdict(question % 3 == 0);
    }
    reducer.current().total_bytes()
}

/// The same through the whole engine, with a closure as the test.
#[inline(never)]
fn reduce(case: TestCase, state: Option<Resume>) -> usize {
    let test = |variant: &TestCase| variant.hash().low_bits().is_multiple_of(3);
    let original = case.clone();
    let reduction = Reduction::of(case)
        .test(move |variant: &TestCase| *variant == original || test(variant))
        .jobs(NonZeroUsize::MIN)
        .max_steps(QUESTIONS);
    let reduction = match state {
        Some(state) => reduction.state(state),
        None => reduction,
    };
    reduction.run().expect("it is interesting").case.total_bytes()
}

fn state(folder: &tempfile::TempDir) -> Resume {
    let folder = StateFolder::open(folder.path()).expect("a folder of our own");
    folder.discard().expect("a folder of our own");
    Resume { folder, facts: Facts::new(), on_disk: None }
}

fn hot(criterion: &mut Criterion) {
    let case = program();
    let few = patch(&case);
    criterion.bench_function("apply", |b| b.iter(|| apply(black_box(&case), &few)));
    criterion.bench_function("parse", |b| {
        b.iter_batched_ref(snapshot, |fresh| parse(fresh), BatchSize::LargeInput);
    });
    criterion.bench_function("symbols", |b| {
        let parsed = || {
            let fresh = snapshot();
            parse(&fresh);
            fresh
        };
        b.iter_batched_ref(parsed, |parsed| symbols(parsed), BatchSize::LargeInput);
    });
    let warm = warm_snapshot();
    criterion.bench_function("propose", |b| b.iter(|| propose(black_box(&warm))));
    let reducer = || Reducer::new(case.clone(), ReducerPlan::new(Language::C));
    criterion.bench_function("converse", |b| {
        b.iter_batched(reducer, converse, BatchSize::LargeInput);
    });
    criterion.bench_function("reduce", |b| b.iter(|| reduce(case.clone(), None)));
    let folder = tempfile::tempdir().expect("a temporary folder");
    criterion.bench_function("reduce-with-journal", |b| {
        b.iter(|| reduce(case.clone(), Some(state(&folder))));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = hot
}
criterion_main!(benches);
