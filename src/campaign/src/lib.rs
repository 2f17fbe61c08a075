//! Campaigns: random kernels run on every configuration, and each bug that they show is reduced and written to a folder.
//!
//! A configuration is a device with options. Each kernel comes with its right result, so a single configuration can be
//! found wrong. Everything shares one pool. The outcome does not depend on the number of threads: which programs depend on what
//! is learnt from an alarm follows from the programs and alarms before them alone (see [`WINDOW`]).

mod alarm;
mod campaign;
mod cause;
mod cure;
mod disk;
mod drawn;
mod elsewhere;
mod external;
mod family;
mod gate;
mod given;
mod initialisers;
mod jury;
mod knowledge;
mod lanes;
mod log;
mod matrix;
mod needed;
mod not_reduced;
mod outcome;
mod parts;
mod programs;
mod progress;
mod publish;
mod queues;
mod recipes;
mod reduction;
mod replay;
mod rewrites;
mod runner;
mod shared;
mod shrink;

pub use campaign::{Campaign, CampaignResult, CampaignStart};
pub use drawn::Drawn;
pub use elsewhere::{Elsewhere, MakeTest, NoTest, ReductionTest};
pub use external::{ExternalError, ExternalPrograms, SEED};
pub use given::{GivenKernel, NoVariants, described};
pub use log::{AvoidLine, Conclusion, End, LogError};
pub use matrix::{Compiler, Configuration, Matrix, SourceKind, Toolchain};
pub use outcome::Class;
pub use programs::{GeneratedPrograms, Programs};
pub use progress::Progress;
pub use publish::{BUGS, ReportFailure, WriteReport};
pub use queues::WINDOW;
pub use replay::{Replayed, replay};

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use clreduce_batch::BatchError;
use clreduce_journal::StateError;
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
    /// The generator makes no programs.
    #[error("there is no program for the first {count} seeds or files: {reason}")]
    NoPrograms {
        /// The number of programs that were asked for.
        count: u64,
        /// The reason for the last one.
        reason: String,
    },
    /// No configuration has passed the gate.
    #[error(
        "all configurations fail too often to go on: {}\n\
         help: `clreduce generate` and `clreduce run` show what is wrong with one of the first {programs} programs",
        shares(left_out)
    )]
    AllLeftOut {
        /// The number of programs that have run.
        programs: u64,
        /// The configurations, with their share of failures in percent.
        left_out: BTreeMap<String, u32>,
    },
    /// A device or compiler is not there any more.
    #[error(
        "{name} does not run programs any more: {reason}\n\
         help: nothing is lost; when it works again, run the same command"
    )]
    Gone {
        /// Its name.
        name: String,
        /// What it says.
        reason: String,
    },
    /// The folder has become too large, or the disk is full.
    #[error(
        "{} has {used} bytes, more than the limit of {limit}\n\
         help: nothing is lost; run the same command with another --disk", path.display()
    )]
    Disk {
        /// The folder.
        path: PathBuf,
        /// Its size, in bytes.
        used: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The journal of a reduction cannot be used.
    #[error(transparent)]
    Journal(#[from] StateError),
    /// A reduction stopped for a reason that has nothing to do with the program.
    #[error("cannot reduce {name}: {reason}\nhelp: nothing is lost; run the same command again")]
    Stopped {
        /// The bug.
        name: String,
        /// The reason.
        reason: String,
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

/// Configurations with their share of failures, for people.
fn shares(left_out: &BTreeMap<String, u32>) -> String {
    let share = |(name, percent): (&String, &u32)| format!("{name} ({percent} %)");
    left_out.iter().map(share).collect::<Vec<_>>().join(", ")
}
