//! The engine: a reduction from the first test of the original to its result.
//!
//! A [`Reduction`] says what is reduced, which test judges variants, and with which options. It takes candidates from
//! the reducer, has them judged by the speculation, writes the verdicts to the journal, and tells of everything that
//! happens by [events].

pub mod events;
mod history;
mod options;
mod pass_command;
mod pattern;
mod ranked;
mod rate;
mod reduction;
mod sandbox;

pub use clreduce_candidates::EDIT;
pub use clreduce_reducer::{Considered, PassChoice, Reducer};
pub use clreduce_speculation::UserRequests;
pub use history::{History, HistoryEnd, PastStep};
pub use options::Options;
pub use pass_command::{PASS_COMMAND_FACT, PassCommand};
pub use pattern::TextPattern;
pub use ranked::{PREFER_FACT, RankCommand, Ranks};
pub use rate::{
    AskedNumber, AskedRate, InvalidRate, MeasuredNumber, MeasuredRate, NumberBound, Rate,
};
pub use reduction::{
    CaseToReduce, Efficiency, FilterFigures, Flakiness, LIMIT_FACTOR, Numbers, PassStatistics,
    Rates, Reduced, Reduction, ReductionError, Resume, Running,
};
pub use sandbox::{SandboxError, SandboxLevel, SandboxOptions};
