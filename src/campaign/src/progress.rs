//! The events of a campaign, for a display.

use std::collections::BTreeMap;

use crate::log::{AvoidLine, Conclusion};
use crate::outcome::Class;

/// The events of a campaign.
#[derive(Clone, Debug)]
pub enum Progress {
    /// A program has run on all configurations.
    Ran {
        /// The number of the program.
        program: u64,
        /// The outcomes by configuration. One that is missing is right or was left out.
        outcomes: BTreeMap<usize, Class>,
        /// The numbers of the variants that showed them. One that is missing was shown by the program itself.
        variants: BTreeMap<usize, u32>,
        /// The reason, if there was no program to run.
        missing: Option<String>,
        /// It ran before this run began.
        earlier: bool,
    },
    /// The first programs have shown what the configurations can do.
    Gate {
        /// The configurations that are left out, with the share of failures in percent.
        left_out: BTreeMap<String, u32>,
        /// The features that a configuration never gets right.
        avoid: Vec<AvoidLine>,
    },
    /// A bug is being reduced.
    Reducing {
        /// Its name.
        name: String,
        /// Tests so far.
        tests: u64,
        /// Bytes that are left.
        bytes: usize,
    },
    /// A bug is reduced, before the alarms are concluded that came before it.
    Reduced {
        /// Its name.
        name: String,
        /// True if its folder is there; false if an earlier alarm has shown that it is none of its own.
        is_published: bool,
    },
    /// An alarm has been looked into.
    Concluded {
        /// Its end.
        conclusion: Conclusion,
        /// It was looked into before this run began.
        earlier: bool,
    },
}
