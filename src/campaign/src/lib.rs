//! Campaigns: random kernels run on every configuration, and each bug that they show is reduced and written to a folder.
//!
//! A configuration is a device with options. Each kernel comes with its right result, so a single configuration can be
//! found wrong. Everything shares one pool. The outcome does not depend on the number of threads: what is learnt from a
//! program changes the programs from a fixed distance on, and no earlier one (see [`WINDOW`]).

mod alarm;
mod campaign;
mod cure;
mod gate;
mod knowledge;
mod log;
mod matrix;
mod outcome;
mod programs;
mod progress;
mod publish;
mod reduction;
mod replay;
mod runner;
mod shared;
mod shrink;

pub use campaign::{Campaign, CampaignResult, CampaignStart};
pub use knowledge::WINDOW;
pub use log::{AvoidLine, Conclusion, End, LogError};
pub use matrix::{Configuration, Matrix};
pub use outcome::Class;
pub use programs::Programs;
pub use progress::Progress;
pub use publish::{BUGS, WriteReport};
pub use replay::{Replayed, replay};

use std::io;
use std::path::PathBuf;

use clreduce_batch::BatchError;
use thiserror::Error;

/// The reason why a campaign cannot go on.
#[derive(Debug, Error)]
pub enum CampaignError {
    /// The folder is in use, belongs to something else, or cannot be used.
    #[error(transparent)]
    Folder(#[from] BatchError),
    /// The file with the outcomes cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The system has no threads to give.
    #[error("cannot start a thread")]
    Threads(#[source] io::Error),
    /// The bugs cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A bug cannot be written down.
    #[error("cannot write to {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}
