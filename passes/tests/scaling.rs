//! The work of every view and of every pass grows about as the program does: twice the program is at most
//! two and a half times the work, in programs that are very deep and in programs that are very wide.
//!
//! Work is counted in steps (a node visited, a symbol looked up, some bytes of text read, an edit made), so
//! that the result is the same on every machine. What a loop does with its own data counts where it says so
//! with `steps`.

mod shapes;

use std::collections::HashSet;
use std::fmt::Write;

use clreduce_passes::{Proposals, Snapshot, TABLE, UnusedDeclarations};
use clreduce_testcase::{Feature, Language, TestCase, count_steps};
use shapes::{Shape, nests, wide_shapes};

/// Parts of a shape in the smaller of its two programs.
const PARTS: usize = 400;

/// Work that does not depend on the number of parts.
const START: u64 = 2000;

/// The steps of each view, and then of each pass. A view is made once, from those before it.
fn work(bytes: &[u8], language: Language) -> Vec<(String, u64)> {
    let snapshot = Snapshot::new(TestCase::single("input", bytes).unwrap(), language);
    let mut work = Vec::new();
    let mut note = |name: &str, make: &dyn Fn()| {
        let ((), steps) = count_steps(make);
        work.push((name.to_owned(), steps));
    };
    note("tokens", &|| _ = snapshot.tokens(0));
    note("the syntax tree", &|| _ = snapshot.tree(0));
    // No other language has what these views are about.
    if language.has(Feature::Symbols) {
        note("symbols", &|| _ = snapshot.symbols(0));
        note("uses", &|| _ = snapshot.uses(0));
        note("types", &|| _ = snapshot.types(0));
        note("flow", &|| _ = snapshot.flow(0));
        note("structures", &|| _ = snapshot.aggregates(0));
        note("accesses", &|| _ = snapshot.accesses(0));
    }
    let mut seen = HashSet::new();
    for row in TABLE.iter().filter(|row| row.applies_to(language)) {
        if !seen.insert(row.pass.name) {
            continue;
        }
        note(row.pass.name, &|| drop(Proposals::of(row.pass, &snapshot)));
    }
    if language.has(Feature::Symbols) {
        note("unused declarations", &|| drop(UnusedDeclarations::new(&snapshot)));
    }
    work
}

/// The counts that grow more than they may, as lines for people.
fn check(shapes: &[Shape]) -> String {
    let mut wrong = String::new();
    for shape in shapes {
        let [small, large] =
            [PARTS, 2 * PARTS].map(|parts| work((shape.program)(parts).as_bytes(), shape.language));
        for ((name, small), (_, large)) in small.into_iter().zip(large) {
            if large > small * 5 / 2 + START {
                let growth = large as f64 / small.max(1) as f64;
                let shape = shape.name;
                let _ = writeln!(
                    wrong,
                    "{shape}: {name}: {small} steps, then {large} ({growth:.1} times)"
                );
            }
        }
    }
    wrong
}

#[test]
fn work_grows_as_nests_do() {
    let wrong = check(&nests());
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn work_grows_as_wide_programs_do() {
    let shapes = wide_shapes();
    // Two threads, each with steps of its own.
    let (first, second) = shapes.split_at(shapes.len() / 2);
    let wrong = std::thread::scope(|scope| {
        let first = scope.spawn(|| check(first));
        check(second) + &first.join().unwrap()
    });
    assert!(wrong.is_empty(), "{wrong}");
}
