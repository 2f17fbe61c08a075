//! The reducer: decides which variant of a test case is tested next.
//!
//! A [`Reducer`] runs the passes in the order of a schedule. In each pass run, a search on integers decides which
//! proposals of the pass are tried together. Only verdicts decide what is tried next, so that a reduction with the
//! same verdicts always tries the same variants in the same order.

mod chances;
mod choice;
mod headers;
mod lists;
mod order;
mod own_pass;
mod pass_run;
mod protected;
mod reducer;
mod refuted;
mod repairs;
mod schedule;
pub mod search;
#[cfg(test)]
mod tests;

pub use chances::{ChanceKey, Chances};
pub use choice::PassChoice;
pub use own_pass::{OwnPasses, OwnPatches};
pub use protected::Protected;
pub use reducer::{Basis, CHEAP_TO_PARSE, Considered, Reducer, ReducerPlan};
