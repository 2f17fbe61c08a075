//! Results that depend on the order in which operands are evaluated.
//!
//! The program for MemorySanitizer evaluates operands in the other order wherever one of them may change what another one
//! reads, so the results of the two programs tell whether the order matters, at no cost.

use super::CleanProgram;
use super::orders::{first_difference, legal};
use crate::finding::{Finding, FindingKind};

/// Returns the finding for two programs with different results; the second one differs from the first in these lines.
pub(super) fn difference(
    one: &CleanProgram,
    other: &CleanProgram,
    lines: &[u32],
) -> Option<Finding> {
    let [expected, seen] = [one, other].map(|(program, runs)| program.outputs(runs));
    let (place, values) = first_difference(&expected, &seen)?;
    let mut lines = lines.to_vec();
    lines.sort_unstable();
    lines.dedup();
    let (line, others) = lines.split_first()?;
    let others: String = others.iter().map(|line| format!(" or at line {line}")).collect();
    let others = if others.is_empty() { others } else { format!(" (here{others})") };
    let message = format!(
        "`{place}` is {} if operands are evaluated from left to right{others}, and {} from right to left; the language leaves \
         the order open",
        values[0], values[1]
    );
    Some(legal(FindingKind::EvaluationOrder, Some(*line), message))
}
