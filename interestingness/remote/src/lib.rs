//! Tests on other machines, by the Bazel Remote Execution API (version 2).
//!
//! This crate is a client of that API and nothing else: workers, queues and caches are those of a service that exists
//! (`docs/remote.md`). A [`RemoteTest`] is an interestingness test whose every run is an *action* of the service. The
//! action runs the program clreduce itself, which lies in the files of the action beside the test and the variant. So
//! the supervisor, the limits, the sandbox and the recipes are those of this machine, in the same version.
//!
//! ```text
//! clreduce     the program, started as `./clreduce --internal-judge`
//! order.json   an Order: what is asked, the command, limits, sandbox, the tools that must be there
//! test/        the files of the test
//! original/    the original, where a recipe needs it
//! variant/     the variant
//! answer.json  an Answer, written by the action
//! ```
//!
//! The action ends with status 0 if it has an answer. Everything else is a failure of the machines and says nothing
//! about the variant: the action is run again, and in the end the test was [not run](clreduce_interestingness::NotRun).

mod agreement;
mod answer;
mod blobs;
mod calls;
mod connection;
mod digest;
mod elf;
mod environment;
mod execution;
mod failure;
mod fingerprint;
mod job;
mod options;
mod order;
mod test;
mod tree;
mod worker;

pub use connection::Remote;
pub use failure::RemoteError;
pub use fingerprint::Fingerprint;
pub use options::{KeyValue, RemoteAddress, RemoteOptions};
pub use order::{ActionFiles, OrderedSandboxLevel, Sandbox};
pub use test::{RemoteCalibration, RemoteSettings, RemoteTest};
pub use worker::judge_main;
