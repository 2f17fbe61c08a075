//! The kernel that is looked at.

use std::sync::Arc;

use clreduce_testcase::{Launch, TestCase};
use thiserror::Error;

use super::arguments::{self, Argument};

/// Name of the kernel's file where the tools run.
pub(super) const FILE: &str = "kernel.cl";

/// A kernel with the sizes and arguments it is launched with.
#[derive(Clone, Debug)]
pub struct Subject {
    pub(super) files: TestCase,
    pub(super) source: Arc<[u8]>,
    /// Name of the kernel function.
    pub(super) kernel: String,
    pub(super) global: Vec<u64>,
    pub(super) local: Vec<u64>,
    /// Why the arguments are not known matters only to the stages that run the kernel.
    pub(super) arguments: Result<Vec<Argument>, String>,
}

/// Why a file is no kernel that could be looked at.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubjectError {
    /// There is no `__kernel` function with a body.
    #[error("there is no kernel function in it")]
    NoKernel,
    /// The global sizes are no multiples of the local ones.
    #[error("the launch comment's global sizes are not multiples of its local ones")]
    Launch,
}

impl Subject {
    /// Reads the launch comment and the kernel's prototype. Without a launch comment, one work-item is
    /// launched.
    ///
    /// # Errors
    /// When there is no kernel, or it cannot be launched so.
    pub fn new(source: impl Into<Arc<[u8]>>) -> Result<Self, SubjectError> {
        let source = source.into();
        let launch = Launch::find(&source);
        let (global, local) = match launch {
            Some(launch) => (launch.global, launch.local),
            None => (vec![1], vec![1]),
        };
        if !global.iter().zip(&local).all(|(global, local)| global.is_multiple_of(*local)) {
            return Err(SubjectError::Launch);
        }
        let prototype = arguments::Prototype::find(&source).ok_or(SubjectError::NoKernel)?;
        let arguments = arguments::arguments(&source, &prototype, &global, &local);
        // The name is no absolute path, and there is one file: this is always a test case.
        let files =
            TestCase::single(FILE, Arc::clone(&source)).map_err(|_| SubjectError::NoKernel)?;
        Ok(Self { files, source, kernel: prototype.name, global, local, arguments })
    }
}
