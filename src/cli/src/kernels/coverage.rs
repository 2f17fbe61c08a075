//! Coverage as people read it.

use std::io::{self, Write};

use clreduce_check::{Coverage, Share};

use crate::terminal::printing::{error_line, printable};

/// A line for each thing that never happened, and one for the whole.
///
/// # Errors
/// When standard output does not take it.
pub(crate) fn print(coverage: &Coverage, kernel: &str) -> io::Result<()> {
    let mut out = crate::terminal::printing::out();
    let number = |count: u64, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    let runs = format!(
        "({}, {})",
        number(coverage.work_items, "work-item", "work-items"),
        number(coverage.launches as u64, "launch", "launches")
    );
    for (line, column, what) in coverage.missing() {
        writeln!(out, "{kernel}:{line}:{column}: {what} {runs}")?;
    }
    let sum = &coverage.summary;
    let of = |share: Share, what: &str| format!("{} of {} {what}", share.covered, share.all);
    let shares = [
        of(sum.branches, "branches"),
        of(sum.conditions, "values of conditions"),
        of(sum.deciding, "conditions that change a branch alone"),
        of(sum.loops, "loop cases"),
        of(sum.barriers, "barriers"),
    ];
    writeln!(out, "{kernel}: covered: {} {runs}", shares.join(", "))?;
    if let Some(why) = &coverage.incomplete {
        error_line(&format!("note: the coverage is incomplete: {}", printable(why)));
    }
    if coverage.functions_left_out > 0 {
        let functions = number(coverage.functions_left_out as u64, "function", "functions");
        error_line(&format!(
            "note: coverage leaves out {functions} that the parser does not understand"
        ));
    }
    Ok(())
}
