//! What `clreduce run --orders` prints: whether a result depends on the order of groups.

use clreduce_kernel::{KernelRun, Output, ProgramKind, RunOutcome, in_group_order};
use serde::Serialize;

use crate::failure::RunError;
use crate::terminal::printing::{error_line, printable};

/// The outcomes of a kernel in other orders of its groups.
#[derive(Debug, Serialize)]
pub(crate) struct OrdersTried {
    /// The number of orders.
    tried: u32,
    /// The orders with another outcome, each with what came of it.
    pub different: Vec<(u32, String)>,
    /// True if each launch has one group, so that there is no other order.
    one_group: bool,
}

/// Runs a kernel in the first orders, and compares each outcome with the result in the usual one.
///
/// # Errors
/// For a whole program.
pub(crate) fn tried(
    orders: u32,
    kind: ProgramKind,
    run: &KernelRun,
    result: &[Output],
    mut outcome: impl FnMut(&KernelRun) -> RunOutcome,
) -> Result<OrdersTried, RunError> {
    let mut different = Vec::new();
    for order in 1..=orders {
        let source = in_group_order(&run.source, kind, order).ok_or(RunError::WholeProgram)?;
        let outcome = outcome(&KernelRun { source, ..run.clone() });
        match outcome.result() {
            Some(outputs) if outputs == result => {}
            Some(_) => different.push((order, "another result".to_owned())),
            None => {
                let class = outcome.class().name().replace('_', " ");
                different.push((order, format!("{class}: {}", outcome.details())));
            }
        }
    }
    let one_group = run.launches.iter().all(|launch| launch.local.as_ref() == Some(&launch.global));
    Ok(OrdersTried { tried: orders, different, one_group })
}

impl OrdersTried {
    /// Says it in one line.
    pub(crate) fn say(&self) {
        let (tried, count) = (self.tried, self.different.len());
        error_line(&match self.different.first() {
            None if self.one_group => {
                "note: each launch has one group, so there is no other order".to_owned()
            }
            None => format!("note: the same result in {tried} other orders of groups"),
            Some((order, what)) => {
                let what = printable(what);
                format!(
                    "the outcome depends on the order of groups: it differs in {count} of {tried}, first in {order}: {what}"
                )
            }
        });
    }
}
