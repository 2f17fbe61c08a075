//! `--summary`: the figures of the whole run as one JSON object.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::statistics::{Statistics, ending_name};

#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    /// How it ended; absent when it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<&'static str>,
    questions: u64,
    tests: u64,
    cache_hits: u64,
    commits: u64,
    resumed_answers: u64,
    timed_out: u64,
    unresolved: u64,
    original_bytes: usize,
    original_tokens: usize,
    bytes: usize,
    tokens: usize,
    work_items: u64,
    seconds: f64,
    /// Time limit of one test, in seconds.
    timeout: f64,
    jobs: usize,
    passes: Vec<Pass>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Pass {
    name: &'static str,
    asked: u64,
    interesting: u64,
    tokens_removed: i64,
    seconds: f64,
}

/// Writes the summary to `path`.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, statistics: &Statistics, jobs: usize) -> io::Result<()> {
    let passes = statistics.passes.iter().map(|pass| Pass {
        name: pass.name,
        asked: pass.asked,
        interesting: pass.interesting,
        tokens_removed: pass.tokens_removed,
        seconds: pass.time.as_secs_f64(),
    });
    let summary = Summary {
        version: env!("CARGO_PKG_VERSION"),
        ending: statistics.ending.map(ending_name),
        questions: statistics.questions,
        tests: statistics.tests,
        cache_hits: statistics.cache_hits,
        commits: statistics.commits,
        resumed_answers: statistics.resumed_answers,
        timed_out: statistics.timed_out,
        unresolved: statistics.unresolved,
        original_bytes: statistics.first.1,
        original_tokens: statistics.first.0.tokens,
        bytes: statistics.best.1,
        tokens: statistics.best.0.tokens,
        work_items: statistics.best.0.work_items,
        seconds: statistics.elapsed().as_secs_f64(),
        timeout: statistics.timeout.as_secs_f64(),
        jobs,
        passes: passes.collect(),
        warnings: &statistics.warnings,
    };
    let mut file = File::create(path)?;
    serde_json::to_writer_pretty(&mut file, &summary)?;
    file.write_all(b"\n")
}
