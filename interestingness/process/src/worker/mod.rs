//! Worker processes: programs that stay, keep something that is slow to load, and answer orders one after the other.
//!
//! Compilers and drivers are what is being tested, so they crash and hang. They therefore run in processes that can
//! be killed and replaced. This module knows none of them. A [`Service`] says what a kind of worker is asked and
//! what it replies; [`WorkerProcess`] is this process's end of a worker, and [`worker_main`] is the worker's end.
//!
//! A worker program is any program that calls [`worker_main`] first thing with the services that it offers.

mod client;
mod serve;

pub use crate::frames::FrameError;
pub use client::{WorkerError, WorkerEvent, WorkerOptions, WorkerProcess};
pub use serve::{Replies, Service, ServiceEntry, WorkerFolder, worker_main};

/// The environment variable that names the worker's own folder, which it makes, and which goes with it.
pub(crate) const FOLDER: &str = "CLREDUCE_WORKER_FOLDER";
/// In that folder, what the worker's libraries keep.
pub(crate) const CACHE: &str = "cache";
