//! Results that depend on the order in which operands are evaluated.
//!
//! The program for MemorySanitizer evaluates operands in the other order wherever one of them may change what another one
//! reads, so the results of the two programs tell whether the order matters, at no cost.

use clreduce_host::{Flavour, HostError, HostKernel};
use clreduce_process::Cancel;

use super::orders::{first_difference, legal};
use super::{CleanProgram, FlavourResult, Sanitize};
use crate::finding::{Finding, FindingKind};
use crate::stage::Question;

impl Sanitize {
    /// Returns the finding for two programs with different results, of which the second one differs from the first in these
    /// lines; none if the result depends on where variables lie, which differs as well.
    pub(super) fn evaluation_order(
        &self,
        [one, other]: [&CleanProgram; 2],
        lines: &[u32],
        subject: &HostKernel,
        question: Question<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Finding>, HostError> {
        let Some(found) = difference(one, other, lines) else { return Ok(None) };
        let (program, result) = self.run_flavour(Flavour::Memory, subject, question, cancel)?;
        let FlavourResult::Clean(runs) = result else { return Ok(None) };
        let is_same = program.outputs(&runs) == one.0.outputs(&one.1);
        Ok(is_same.then_some(found))
    }
}

fn difference(one: &CleanProgram, other: &CleanProgram, lines: &[u32]) -> Option<Finding> {
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
