//! Searches that the reducer's own is measured against.

mod ddmin;
mod linear;
mod probdd;

pub use ddmin::Ddmin;
pub use linear::Linear;
pub use probdd::Probdd;

use clreduce_reducer::search::Weighted;

/// The items without their weights, the last of the list first.
fn from_the_end(items: Vec<Weighted>) -> Vec<u32> {
    items.into_iter().rev().map(|(item, _)| item).collect()
}
