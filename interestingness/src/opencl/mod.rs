//! Kernels on real devices, on Oclgrind, and on this machine itself.
//!
//! Drivers crash and hang, so everything that touches one runs in a worker process: this process
//! never loads a driver. [`Devices`] finds the devices, [`plan`] finds out with which arguments a
//! kernel is to be launched, a [`DeviceWorker`] runs kernels on a device, and [`vote`] says who is
//! wrong.

mod api;
mod arguments;
mod client;
mod device;
mod host;
mod job;
mod outcome;
pub(crate) mod process;
pub(crate) mod protocol;
mod prototype;
mod votes;
mod worker;

pub(crate) use arguments::harness;
pub use arguments::{Plan, PlanError, plan};
pub use client::{DeviceWorker, RunLimits, RunReport, WorkerStatistics};
pub use device::{Device, Devices, Facts, Through, oclgrind};
pub use job::{Argument, ElementType, Fill, KernelLaunch, KernelRun, Scalar};
#[cfg(test)]
pub(crate) use outcome::result;
pub use outcome::{Crash, OutcomeClass, Output, RunOutcome};
pub use process::WorkerOptions;
pub use prototype::{Parameter, Prototype, cuda_kernels, kernels};
pub use votes::{Ballot, Emi, Finding, Role, Rule, Vote, emi, vote};
pub use worker::device_worker_main;
