//! Results that depend on the order of work-items.
//!
//! Without a data race, and without two work-items that change the same place atomically in an order that nothing decides,
//! every order gives the same result. So only where the run-time has seen the latter, the program runs again in other
//! orders. That does not try every order of the steps of two work-items. So the run-time also looks for atomic functions of
//! two work-items that do not commute, such as `atomic_sub` and `atomic_and`.

use clreduce_host::{BuildDetail, Flavour, HostError, HostKernel, Order, atomics_meet, conflict};
use clreduce_kernel::Output;
use clreduce_process::{Cancel, ToolRun};

use super::{CleanProgram, FlavourResult, Sanitize, failure};
use crate::finding::{Certainty, FailureKind, Finding, FindingKind, StageFailure};
use crate::stage::{Question, StageReport};

impl Sanitize {
    pub(super) fn run_in_other_orders(
        &self,
        (program, runs): CleanProgram,
        subject: &HostKernel,
        question: Question<'_>,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<(), HostError> {
        if let Some(found) = self.conflict((&runs, Order::Forward), subject, question, cancel)? {
            report.findings.push(found);
            report.checked.insert(FindingKind::OrderDependence);
            return Ok(());
        }
        let expected = program.outputs(&runs);
        let orders = if atomics_meet(&runs) { &self.orders[..] } else { &[] };
        if !orders.is_empty() && !program.prints_results() {
            let message = "the buffers are too large to compare results of other orders".to_owned();
            let kind = FailureKind::Unsupported;
            report.failures.push(StageFailure { tool: "host", kind, message });
            return Ok(());
        }
        for &order in orders {
            match self.examine(&program, (Flavour::Addresses, order), subject, question, cancel)? {
                FlavourResult::Clean(runs) => {
                    let found = difference(&expected, &program.outputs(&runs), order);
                    let found = match found {
                        None => self.conflict((&runs, order), subject, question, cancel)?,
                        found => found,
                    };
                    if let Some(found) = found {
                        report.findings.push(found);
                        report.checked.insert(FindingKind::OrderDependence);
                        return Ok(());
                    }
                }
                FlavourResult::Findings(findings) => {
                    report.findings.extend(findings);
                    return Ok(());
                }
                other => {
                    report.failures.extend(failure(Flavour::Addresses, other));
                    return Ok(());
                }
            }
        }
        report.checked.insert(FindingKind::OrderDependence);
        Ok(())
    }

    /// The finding for atomic functions that do not commute in runs of a program, if there are any. Where it is to have
    /// its lines, the kernel is built and run once more.
    fn conflict(
        &self,
        (runs, order): (&[ToolRun], Order),
        subject: &HostKernel,
        question: Question<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Finding>, HostError> {
        if conflict(runs).is_none() {
            return Ok(None);
        }
        let (mut line, mut earlier) = (None, None);
        if !question.verdict_only {
            let program = self.build(Flavour::Addresses, BuildDetail::Report, subject, cancel)?;
            if let Some((calls, other)) = conflict(&program.run(order, &self.tools, cancel)?) {
                let symbols = program.symbols();
                (line, earlier) = (symbols.line(calls), symbols.line([other]));
            }
        }
        let elsewhere = match earlier {
            Some(other) if earlier != line => format!(", the other one at line {other}"),
            _ => String::new(),
        };
        let message = format!(
            "two work-items change the same place by atomic functions{elsewhere}; it matters which comes first, and no \
             barrier orders them"
        );
        Ok(Some(legal(FindingKind::OrderDependence, line, message)))
    }
}

/// Names the first element that another order changes.
fn difference(expected: &[Output], seen: &[Output], order: Order) -> Option<Finding> {
    let (place, [one, other]) = first_difference(expected, seen)?;
    let message = format!(
        "`{place}` is {one} if groups and work-items run in order, and {other} if they run {order}, without a data race"
    );
    Some(legal(FindingKind::OrderDependence, None, message))
}

/// The first element in which two results differ, and its two values.
pub(super) fn first_difference(
    expected: &[Output],
    seen: &[Output],
) -> Option<(String, [String; 2])> {
    let (one, other) = expected.iter().zip(seen).find(|(one, other)| one != other)?;
    let size = one.scalar.bytes();
    let [one_elements, other_elements] =
        [one, other].map(|output| output.bytes.chunks(size).collect::<Vec<_>>());
    let differ = |(one, other): (&&[u8], &&[u8])| one != other;
    let index = one_elements.iter().zip(&other_elements).position(differ)?;
    let shown = |output: &Output, element: &[u8]| {
        let shown = Output { bytes: element.to_vec(), ..output.clone() }.show();
        shown.trim_end_matches(',').to_owned()
    };
    let values = [shown(one, one_elements[index]), shown(other, other_elements[index])];
    Some((format!("{}[{index}]", one.name), values))
}

/// The finding for a kernel that is legal, and whose result is of no use.
pub(super) fn legal(kind: FindingKind, line: Option<u32>, message: String) -> Finding {
    let certainty = Certainty::Suspected;
    Finding { kind, line, tool: "host", certainty, message }
}
