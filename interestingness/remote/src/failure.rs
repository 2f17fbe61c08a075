//! Errors of a remote execution service.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The reason that a service cannot be used at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The text is no address.
    #[error(
        "`{0}` is no address of a remote execution service; write grpc://HOST:PORT or grpcs://HOST:PORT"
    )]
    Address(String),
    /// A property or header has no value.
    #[error("`{0}` has no value; write KEY=VALUE")]
    NoValue(String),
    /// A header cannot be sent.
    #[error(
        "the header `{0}` cannot be sent; a name consists of lower-case letters, digits, `-`, `_` and `.`"
    )]
    Header(String),
    /// A file that is part of an action cannot be read.
    #[error("cannot read `{}` for the remote execution service: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Two files have the same place in the folder of the test.
    #[error("two files are uploaded as `{0}`; give one of them another name")]
    SameName(String),
    /// The certificates cannot be used, or the address cannot be connected to.
    #[error("cannot connect to {address}: {reason}")]
    Connect {
        /// The address.
        address: String,
        /// The error of the connection.
        reason: String,
    },
    /// The service lacks a part of the API.
    #[error("the service at {address} {reason}")]
    Unfit {
        /// The address.
        address: String,
        /// The part.
        reason: String,
    },
    /// A file lies where no file of an action can be.
    #[error(
        "`{0}` is outside of the folder of the test, so that it cannot be uploaded; put it beside the test or recipe"
    )]
    Outside(String),
    /// The original does not show the bug on the other machines.
    #[error("{0}")]
    NotShown(String),
    /// A check on the other machines calls the original invalid.
    #[error("{0}")]
    Invalid(String),
    /// An action that is needed before the first test has no answer.
    #[error("{0}")]
    NoAnswer(String),
    /// Two workers do not agree.
    #[error(
        "the machines of the service do not agree: {0}\nhelp: choose machines with the same tools by --remote-property"
    )]
    Disagreement(String),
    /// The system has no thread to give.
    #[error("cannot start the thread for the remote execution service: {0}")]
    Thread(io::Error),
}

/// An action without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Failure {
    /// It can be tried again, and was, as often as that makes sense.
    #[error("{0}")]
    NoAnswer(String),
    /// The worker has other tools than the one of the first run. The text names it.
    #[error("{0}")]
    OtherTools(String),
}
