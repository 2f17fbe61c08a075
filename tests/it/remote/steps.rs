//! Helpers of the tests of remote execution: the steps of a reduction, and waiting.

use std::time::{Duration, Instant};

use crate::support::Bench;

/// Steps of a reduction: variants in their order, each with its verdict.
pub fn steps(bench: &Bench, events: &str) -> Vec<(String, String)> {
    let events = bench.events(events);
    let judged = events.iter().filter(|event| event["event"] == "judged");
    judged.map(|event| (event["key"].to_string(), event["verdict"].to_string())).collect()
}

pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !condition() {
        assert!(Instant::now() < deadline, "not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
