//! The reasons that a device cannot be used.

use clreduce_process::worker::WorkerError;
use clreduce_tools::Tool;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The reason that a device cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The program that gives access to the device is not installed.
    #[error("`{}` is not installed; install it: {}", .0.name, .0.install())]
    NotInstalled(&'static Tool),
    /// The worker process failed: the driver crashed, or took too long.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The driver says so itself.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// The failure of a driver, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DriverError {
    /// The driver's library is missing or cannot be used.
    #[error("{0}")]
    Library(String),
    /// The platform or the device has gone since it was found.
    #[error("the {0} is no longer there")]
    Gone(String),
    /// A call has failed, with the name of the error.
    #[error("{0}")]
    Call(String),
    /// A call that does something in particular has failed, with the name of the error.
    #[error("{action}: {error}")]
    Action {
        /// The action that failed.
        action: String,
        /// The name of the error.
        error: String,
    },
    /// The launch makes no sense for the kernel or the device.
    #[error("{0}")]
    Launch(String),
}
