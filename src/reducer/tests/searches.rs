//! Every search, also those that exist only to be measured, keeps exactly what is needed.

#[path = "../../../benches/searches/mod.rs"]
mod searches;

use clreduce_reducer::search::{GroupSizes, Groups, ProposalSearch};
use searches::{Ddmin, Linear, Probdd};

/// Runs a search where the `needed` items cannot go. Returns the items that are left, and the number of steps.
fn run<S: ProposalSearch>(count: u32, needed: &[u32]) -> (Vec<u32>, usize) {
    let mut search = S::over((0..count).map(|item| (item, 1)).collect(), GroupSizes::ALL);
    let (mut left, mut steps) = ((0..count).collect::<Vec<_>>(), 0);
    while !search.next().is_empty() {
        let group = search.next().to_vec();
        let interesting = !group.iter().any(|item| needed.contains(item));
        if interesting {
            left.retain(|item| !group.contains(item));
        }
        search.take_verdict(interesting);
        steps += 1;
        assert!(steps < 100_000, "the search does not end");
    }
    (left, steps)
}

fn keeps_exactly_what_is_needed<S: ProposalSearch>() {
    for needed in [&[][..], &[0], &[7, 8, 500], &[999], &[1, 2, 3, 4, 5, 6, 7, 8, 9]] {
        assert_eq!(run::<S>(1000, needed).0, needed);
    }
    assert_eq!(run::<S>(0, &[]), (vec![], 0));
    assert_eq!(run::<S>(3, &[0, 1, 2]).0, [0, 1, 2]);
}

#[test]
fn groups_keep_exactly_what_is_needed() {
    keeps_exactly_what_is_needed::<Groups>();
}

#[test]
fn linear_keeps_exactly_what_is_needed() {
    keeps_exactly_what_is_needed::<Linear>();
}

#[test]
fn ddmin_keeps_exactly_what_is_needed() {
    keeps_exactly_what_is_needed::<Ddmin>();
}

#[test]
fn probdd_keeps_exactly_what_is_needed() {
    keeps_exactly_what_is_needed::<Probdd>();
}

#[test]
fn only_the_linear_search_tries_each_item() {
    assert_eq!(run::<Linear>(1000, &[500]).1, 1000);
    for (steps, most) in [
        (run::<Groups>(1000, &[500]).1, 30),
        (run::<Ddmin>(1000, &[500]).1, 60),
        (run::<Probdd>(1000, &[500]).1, 200),
    ] {
        assert!(steps <= most, "{steps} steps, at most {most} expected");
    }
}
