//! The file of `--summary`: the figures of the whole run as one JSON object.

use std::io::{self, Write};

use clreduce_engine::{MeasuredNumber, MeasuredRate, Numbers, PassStatistics, Rate, Rates};
use clreduce_recipe::StageCounts;
use clreduce_testcase::printable_json;
use serde::Serialize;

use crate::reduce::finished::FinishedReduction;
use crate::terminal::statistics::ending_name;

/// Number of the format of the summary. It grows when a field is removed or gets another meaning, not when one is added.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Summary<'a> {
    schema: u32,
    version: &'static str,
    ending: &'static str,
    steps: u64,
    tests: u64,
    killed_tests: u64,
    cache_hits: u64,
    commits: u64,
    resumed_steps: u64,
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
    /// Of the tests that ran to their end, the share whose answer was consumed.
    consumed_share: f64,
    /// Of the time of all jobs, the share in which a test ran.
    busy_share: f64,
    /// How often the original and the result show the bug, where that decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    rates: Option<RatesSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<NumbersSummary>,
    contradictions: u64,
    went_back: u64,
    /// Variants that libclang looked at, and what came of those that it rejected.
    compile_filter: FilterSummary,
    passes: Vec<PassSummary>,
    /// The stages of a recipe; none for any other test.
    stages: Vec<StageSummary<'a>>,
    /// The flags of the compiler, if they were reduced.
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<FlagsSummary<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct FlagsSummary<'a> {
    before: &'a [String],
    after: &'a [String],
    tests: u64,
}

#[derive(Serialize)]
struct RatesSummary {
    asked: f64,
    runs: u64,
    original: RunsSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<RunsSummary>,
}

/// The runs of a program that showed the bug, all of them, and between which rates the true one lies.
#[derive(Serialize)]
struct RunsSummary {
    shown: u32,
    runs: u32,
    interval: [f64; 2],
}

#[derive(Serialize)]
struct NumbersSummary {
    asked: String,
    runs: u64,
    original: NumberSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<NumberSummary>,
}

#[derive(Serialize)]
struct NumberSummary {
    median: f64,
    low: f64,
    high: f64,
    runs: usize,
}

#[derive(Serialize)]
struct FilterSummary {
    checked: u64,
    rejected: u64,
    doubted: u64,
    ended: bool,
}

#[derive(Serialize)]
struct PassSummary {
    name: &'static str,
    steps: u64,
    interesting: u64,
    tokens_removed: i64,
    seconds: f64,
}

#[derive(Serialize)]
struct StageSummary<'a> {
    name: &'a str,
    looked: u64,
    rejected: u64,
    unresolved: u64,
    seconds: f64,
}

impl RatesSummary {
    fn of(rates: &Rates) -> Self {
        let runs = |runs: MeasuredRate| RunsSummary {
            shown: runs.shown,
            runs: runs.runs,
            interval: runs.interval().map(Rate::as_share),
        };
        let Rates { original, asked, result, runs: all } = *rates;
        let (original, result) = (runs(original), result.map(runs));
        Self { asked: asked.as_share(), runs: all, original, result }
    }
}

impl NumbersSummary {
    fn of(numbers: &Numbers) -> Self {
        let summary = |number: MeasuredNumber| NumberSummary {
            median: number.median.as_float(),
            low: number.low.as_float(),
            high: number.high.as_float(),
            runs: number.runs,
        };
        let Numbers { original, asked, result, runs } = *numbers;
        let (original, result) = (summary(original), result.map(summary));
        Self { asked: asked.to_string(), runs, original, result }
    }
}

impl PassSummary {
    fn of(pass: &PassStatistics) -> Self {
        Self {
            name: pass.name,
            steps: pass.steps,
            interesting: pass.interesting,
            tokens_removed: pass.tokens_removed,
            seconds: pass.wall.as_secs_f64(),
        }
    }
}

impl<'a> StageSummary<'a> {
    fn of((name, counts): &'a (String, StageCounts)) -> Self {
        Self {
            name,
            looked: counts.looked,
            rejected: counts.rejected,
            unresolved: counts.unresolved,
            seconds: counts.wall.as_secs_f64(),
        }
    }
}

/// Writes the summary.
///
/// # Errors
/// When the file does not take it.
pub(crate) fn write(
    mut file: Box<dyn Write + Send>,
    done: &FinishedReduction,
    jobs: usize,
) -> io::Result<()> {
    let FinishedReduction { reduced, statistics, stages, flags, .. } = done;
    let summary = Summary {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        ending: ending_name(reduced.ending),
        steps: reduced.steps,
        tests: reduced.tests,
        killed_tests: reduced.killed,
        cache_hits: reduced.cache_hits,
        commits: statistics.commits,
        resumed_steps: statistics.resumed_steps,
        timed_out: statistics.timed_out,
        unresolved: statistics.unresolved,
        original_bytes: statistics.first.1,
        original_tokens: statistics.first.0.tokens,
        bytes: reduced.case.total_bytes(),
        tokens: reduced.size.tokens,
        work_items: reduced.size.work_items,
        seconds: reduced.wall.as_secs_f64(),
        timeout: reduced.timeout.as_secs_f64(),
        jobs,
        consumed_share: reduced.efficiency.consumed,
        busy_share: reduced.efficiency.busy,
        rates: reduced.rates.as_ref().map(RatesSummary::of),
        numbers: reduced.numbers.as_ref().map(NumbersSummary::of),
        contradictions: reduced.flakiness.contradictions(),
        went_back: reduced.flakiness.went_back,
        compile_filter: FilterSummary {
            checked: reduced.compile_filter.checked,
            rejected: reduced.compile_filter.rejected,
            doubted: reduced.compile_filter.doubted,
            ended: reduced.compile_filter.ended,
        },
        passes: reduced.passes.iter().map(PassSummary::of).collect(),
        stages: stages.iter().map(StageSummary::of).collect(),
        flags: flags.as_ref().map(|flags| FlagsSummary {
            before: &flags.before,
            after: &flags.after,
            tests: flags.tests,
        }),
        warnings: &statistics.warnings,
    };
    let json = serde_json::to_string_pretty(&summary)?;
    file.write_all(format!("{}\n", printable_json(&json)).as_bytes())
}
