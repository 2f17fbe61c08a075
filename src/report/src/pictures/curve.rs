//! Curves: the size of a test case over tests and time, and the bugs of a campaign.

use std::fmt::Write;

use clreduce_batch::{CaseRecord, CommitRecord};

use super::axis::{Axis, plot};
use super::section;

/// The size over tests, and over time.
pub(crate) fn size(record: &CaseRecord, commits: &[CommitRecord]) -> String {
    let over = |name: &str, at: fn(&CommitRecord) -> f64, end: f64| {
        let first = (0.0, record.before.tokens as f64);
        let inside = commits.iter().map(|commit| (at(commit), commit.tokens as f64));
        let last = (end, record.after.tokens as f64);
        let points: Vec<_> = std::iter::once(first).chain(inside).chain([last]).collect();
        let y = Axis::logarithmic(points.iter().map(|point| point.1));
        steps((name, "tokens"), &points, &y)
    };
    let tests = over("tests", |commit| commit.tests as f64, record.tests as f64);
    let time = over("seconds", |commit| commit.seconds, record.seconds);
    section("curves", "Size", &(tests + &time))
}

/// The bugs of a campaign over the number of programs. The programs that showed them are in any order.
pub(crate) fn bugs(programs: u64, found_by: &[u64]) -> String {
    let mut sorted = found_by.to_vec();
    sorted.sort_unstable();
    let inside = sorted.iter().enumerate().map(|(at, program)| (*program as f64, at as f64 + 1.0));
    let last = (programs as f64, sorted.len() as f64);
    let points: Vec<_> = std::iter::once((0.0, 0.0)).chain(inside).chain([last]).collect();
    let y = Axis::counts(points.iter().map(|point| point.1));
    let heading = "Bugs, by the first program that showed each";
    section("curves", heading, &steps(("programs", "bugs"), &points, &y))
}

/// A line of steps through points.
fn steps(names: (&str, &str), points: &[(f64, f64)], y: &Axis) -> String {
    let values = points.iter().map(|point| point.0);
    let x = if names.0 == "seconds" { Axis::linear(values) } else { Axis::counts(values) };
    let mut path = String::new();
    for (number, point) in points.iter().enumerate() {
        let (across, down) = (x.place(point.0), 100.0 - y.place(point.1));
        // Writing to a string cannot fail.
        let _ = match number {
            0 => write!(path, "M{across:.2} {down:.2}"),
            _ => write!(path, "H{across:.2}V{down:.2}"),
        };
    }
    plot((names.0, &x), (names.1, y), &format!("<path class=line d=\"{path}\"/>"))
}
