//! Having questions answered before they are asked.
//!
//! The [`Tree`] holds what would be asked next under each supposed answer. The [`Scheduler`] decides
//! from it which tests run and which are killed; it has no threads and no clock, so that a simulator
//! can drive it as well. The [`Executor`] carries its decisions out on a [`Pool`] of threads. Answers
//! are consumed in the order of the conversation, whatever the order in which they come in.

mod checks;
mod executor;
mod gatekeeper;
mod pool;
mod scheduler;
mod tree;
mod verdicts;

pub use checks::Recheck;
pub use executor::{Executor, Stop};
pub use gatekeeper::Gatekeeper;
pub use pool::{Permit, Pool, Seat};
pub use scheduler::{Action, Answered, Counters, Scheduler, Step, TestId};
pub use tree::Tree;
pub use verdicts::Verdicts;
