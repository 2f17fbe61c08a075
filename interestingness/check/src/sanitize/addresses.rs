//! Results that depend on addresses.
//!
//! Variables and buffers lie at other addresses in the program for MemorySanitizer than in the other one. So where the value of a
//! pointer becomes a part of the result, the results of the two programs differ, and tell it at no cost.

use super::CleanProgram;
use super::orders::first_difference;
use crate::finding::{Certainty, Finding, FindingKind};

/// The finding for two programs whose results differ and that nothing else tells apart.
pub(super) fn difference(one: &CleanProgram, other: &CleanProgram) -> Option<Finding> {
    let [first, second] = [one, other].map(|(program, runs)| program.outputs(runs));
    let (place, _) = first_difference(&first, &second)?;
    let message = format!(
        "`{place}` depends on where variables lie: the value of a pointer is part of the result, and differs on every device"
    );
    let (kind, certainty) = (FindingKind::NonPortable, Certainty::Certain);
    Some(Finding { kind, line: None, tool: "host", certainty, message })
}
