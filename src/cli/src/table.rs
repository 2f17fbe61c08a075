//! Tables that the program prints: passes with their figures, stages with theirs, and all passes.

use std::fmt::Write;

use clreduce_engine::PassStatistics;
use clreduce_passes::{Row, TABLE};
use clreduce_recipe::StageCounts;
use clreduce_testcase::Language;
use console::style;

use crate::units::{show_count, show_duration};

/// The figures of each pass. Passes that removed most come first.
pub(crate) fn of_run(passes: &[PassStatistics]) -> String {
    let mut passes: Vec<&PassStatistics> = passes.iter().collect();
    passes.sort_by_key(|pass| (-pass.tokens_removed, pass.steps));
    let mut rows =
        vec![["pass", "steps", "interesting", "tokens removed", "time"].map(str::to_owned)];
    rows.extend(passes.iter().map(|pass| {
        [
            pass.name.to_owned(),
            show_count(pass.steps),
            show_count(pass.interesting),
            signed(pass.tokens_removed),
            show_duration(pass.wall),
        ]
    }));
    of_rows(&rows)
}

/// The figures of each stage of a recipe, in order.
pub(crate) fn of_stages(stages: &[(String, StageCounts)]) -> String {
    let mut rows = vec![["stage", "variants", "rejected", "unresolved", "time"].map(str::to_owned)];
    rows.extend(stages.iter().map(|(name, counts)| {
        [
            name.clone(),
            show_count(counts.looked),
            show_count(counts.rejected),
            show_count(counts.unresolved),
            show_duration(counts.wall),
        ]
    }));
    of_rows(&rows)
}

/// Lines things up: the first column to the left, numbers to the right.
fn of_rows(rows: &[[String; 5]]) -> String {
    let widths: Vec<usize> = (0..5)
        .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or_default())
        .collect();
    let mut table = String::new();
    for (index, row) in rows.iter().enumerate() {
        let mut line = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            // Writing to a string cannot fail.
            let _ = write!(line, "  {cell:>width$}");
        }
        let _ = if index == 0 {
            writeln!(table, "{}", style(line).bold())
        } else {
            writeln!(table, "{line}")
        };
    }
    table
}

/// `--list-passes`: every pass with its phase, how it is explored, its languages and what it does, in order.
pub(crate) fn of_passes() -> String {
    let width = |of: &dyn Fn(&Row) -> usize| TABLE.iter().map(of).max().unwrap_or_default();
    let name_width = width(&|row| row.info().name.len());
    let policy_width = width(&|row| row.policy.to_string().len());
    let mut table = String::new();
    for row in TABLE {
        let info = row.info();
        let phase = format!("{:?}", row.phase).to_ascii_lowercase();
        let policy = row.policy.to_string();
        let languages = if info.languages.len() == Language::ALL.len() {
            "all".to_owned()
        } else {
            info.languages.iter().map(|language| language.name()).collect::<Vec<_>>().join(",")
        };
        let _ = writeln!(
            table,
            "{:<name_width$}  {phase:<7}  {policy:<policy_width$}  {languages:<23}  {}",
            info.name, info.about
        );
    }
    table
}

fn signed(count: i64) -> String {
    let sign = if count < 0 { "-" } else { "" };
    format!("{sign}{}", show_count(count.unsigned_abs()))
}
