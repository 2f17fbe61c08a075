//! Speculation: tests run before the reducer asks for their verdicts.
//!
//! The [`Tree`] holds the candidates that would come next under each supposed verdict. The [`Scheduler`] decides
//! from it which tests run and which are killed; it has no threads and no clock, so that a simulator
//! can drive it as well. The [`Executor`] carries its decisions out on a [`Pool`] of threads. The source takes verdicts
//! in its own order, whatever the order in which tests end.

mod confirmations;
mod executor;
mod pool;
mod preference;
mod requests;
mod running;
mod scheduler;
mod search;
mod tally;
mod tree;
mod verdicts;

pub use confirmations::{Confirmation, Confirmations};
pub use executor::{Executor, Stop};
pub use pool::{Permit, Pool, Waiter};
pub use preference::Preference;
pub use requests::UserRequests;
pub use running::TestId;
pub use scheduler::{Action, Counters, Judged, Scheduler, SchedulerStep};
pub use tally::{RepeatedResults, WrongSuccesses};
pub use tree::Tree;
pub use verdicts::{FlakyCounts, Verdicts};
