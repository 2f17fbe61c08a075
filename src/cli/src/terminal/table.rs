//! Tables that the program prints: passes with their figures, stages with theirs, and all passes.

use std::fmt::Write;

use clreduce_engine::PassStatistics;
use clreduce_passes::{Row, TABLE};
use clreduce_recipe::StageCounts;
use console::{Term, style};

use crate::terminal::units::{show_count, show_duration};

/// Blanks between columns.
const GAP: usize = 2;

/// The figures of each pass. Passes that removed most come first.
pub(crate) fn of_run(passes: &[PassStatistics]) -> String {
    let mut passes: Vec<&PassStatistics> = passes.iter().collect();
    passes.sort_by_key(|pass| (-pass.tokens_removed, pass.steps));
    let mut rows = vec![
        ["pass", "steps", "interesting", "tokens removed", "time"].map(str::to_owned).to_vec(),
    ];
    rows.extend(passes.iter().map(|pass| {
        vec![
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
    let mut rows =
        vec![["stage", "variants", "rejected", "unresolved", "time"].map(str::to_owned).to_vec()];
    rows.extend(stages.iter().map(|(name, counts)| {
        vec![
            name.clone(),
            show_count(counts.looked),
            show_count(counts.rejected),
            show_count(counts.unresolved),
            show_duration(counts.wall),
        ]
    }));
    of_rows(&rows)
}

/// Lines things up: the first column to the left, numbers to the right. The first row is the head. On a terminal that is too
/// narrow, each row becomes a sentence.
pub(crate) fn of_rows(rows: &[Vec<String>]) -> String {
    let columns = Term::stdout().size_checked().map(|(_, columns)| columns.into());
    fitted(rows, columns.unwrap_or(usize::MAX))
}

fn fitted(rows: &[Vec<String>], room: usize) -> String {
    let Some(head) = rows.first() else { return String::new() };
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).filter_map(width).collect();
    if widths.iter().sum::<usize>() + GAP * (head.len() - 1) > room {
        return rows[1..].iter().map(|row| sentence(head, row, room)).collect();
    }
    let mut table = String::new();
    for (index, row) in rows.iter().enumerate() {
        let mut line = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{:GAP$}{cell:>width$}", "");
        }
        let _ = if index == 0 {
            writeln!(table, "{}", style(line).bold())
        } else {
            writeln!(table, "{line}")
        };
    }
    table
}

/// A row with the names of its columns, on as many lines as it needs.
fn sentence(head: &[String], row: &[String], room: usize) -> String {
    let cells = head.iter().zip(row).skip(1).map(|(head, cell)| format!("{head} {cell}"));
    wrapped(&format!("{}: {}", row[0], cells.collect::<Vec<_>>().join(", ")), room, GAP)
}

/// Text on lines of this width. All but the first are indented by this number of blanks.
pub(crate) fn wrapped(text: &str, room: usize, indent: usize) -> String {
    let (mut lines, mut width) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > room {
            let _ = write!(lines, "\n{:indent$}", "");
            width = indent;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(word);
        width += length;
    }
    lines + "\n"
}

/// `--list-passes`: every pass with its phase, how it is explored, its languages and what it does, in order.
pub(crate) fn of_passes() -> String {
    let width = |of: &dyn Fn(&Row) -> usize| TABLE.iter().map(of).max().unwrap_or_default();
    let name_width = width(&|row| row.pass.name.len());
    let policy_width = width(&|row| row.policy.to_string().len());
    let mut table = String::new();
    for row in TABLE {
        let info = row.pass;
        let phase = format!("{:?}", row.phase).to_ascii_lowercase();
        let policy = row.policy.to_string();
        let languages = if info.needs.is_empty() {
            "all".to_owned()
        } else {
            info.languages().map(|language| language.name()).collect::<Vec<_>>().join(",")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_does_not_fit_becomes_a_sentence() {
        let rows = [["pass", "steps", "tokens removed"], ["remove-functions", "1,234", "-5,678"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let table =
            "pass              steps  tokens removed\nremove-functions  1,234          -5,678\n";
        assert_eq!(console::strip_ansi_codes(&fitted(&rows, 39)), table);
        let narrow = "remove-functions: steps 1,234, tokens\n  removed -5,678\n";
        assert_eq!(fitted(&rows, 38), narrow);
    }
}
