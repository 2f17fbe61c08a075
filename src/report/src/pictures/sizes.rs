//! The sizes of all cases of a batch, before and after.

use std::fmt::Write;

use super::axis::{Axis, plot};
use super::{count, escaped, section};

/// A case of a batch.
pub(crate) struct SizedCase<'a> {
    pub(crate) name: &'a str,
    pub(crate) tokens: [usize; 2],
    /// The signature of its bug, and the colour of that.
    pub(crate) bug: (&'a str, usize),
}

/// A line for each case, in the order of the table, from its size before to a point at its size after.
pub(crate) fn sizes(cases: &[SizedCase<'_>]) -> String {
    let all = cases.iter().flat_map(|case| case.tokens).map(|tokens| tokens as f64);
    let (x, y) = (Axis::counts([cases.len() as f64].into_iter()), Axis::logarithmic(all));
    let mut marks = String::new();
    for (at, case) in cases.iter().enumerate() {
        let across = x.place(at as f64 + 0.5);
        let [before, after] = case.tokens.map(|tokens| y.place(tokens as f64));
        let [was, is] = case.tokens.map(|tokens| count(tokens as u64));
        let title = format!("{}: {was} → {is} tokens, {}", case.name, case.bug.0);
        // Writing to a string cannot fail.
        let _ = write!(
            marks,
            "<a class=case href=\"#{}\" title=\"{}\" style=\"left:{across:.2}%;bottom:{after:.2}%;height:{:.2}%\">\
             <i class=fill{}></i></a>",
            fragment(case.name),
            escaped(&title),
            (before - after).max(0.0),
            case.bug.1
        );
    }
    let picture = plot(("cases, in the order of the table", &x), ("tokens", &y), &marks);
    section("sizes", "Sizes before and after", &picture)
}

/// A name as the end of an address.
pub(crate) fn fragment(name: &str) -> String {
    let mut shown = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                shown.push(char::from(byte))
            }
            // Writing to a string cannot fail.
            byte => _ = write!(shown, "%{byte:02X}"),
        }
    }
    shown
}
