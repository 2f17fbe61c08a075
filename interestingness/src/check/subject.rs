//! The kernel that is looked at.

use std::sync::Arc;

use clreduce_testcase::TestCase;
use thiserror::Error;

use crate::opencl::{KernelLaunch, PlanError, Prototype, kernels, plan};

/// Name of the kernel's file where the tools run.
pub(super) const FILE: &str = "kernel.cl";

/// A kernel with what it is launched with.
#[derive(Clone, Debug)]
pub struct Subject {
    pub(super) files: TestCase,
    pub(super) source: Arc<[u8]>,
    pub(super) prototypes: Vec<Prototype>,
    /// Why it is not known how to launch it matters only to the stages that run the kernel.
    pub(super) launches: Result<Vec<KernelLaunch>, String>,
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
    /// A kernel that is launched as [`plan`] says without a description of its arguments.
    ///
    /// # Errors
    /// When there is no kernel, or it cannot be launched so.
    pub fn new(source: impl Into<Arc<[u8]>>) -> Result<Self, SubjectError> {
        let source = source.into();
        let launches = match plan(&source, None) {
            Err(PlanError::NoKernel) => return Err(SubjectError::NoKernel),
            Err(error) => Err(error.to_string()),
            Ok(plan) => match plan.compile_only {
                Some(reason) => Err(reason),
                None => Ok(plan.launches),
            },
        };
        Self::launched(source, launches)
    }

    /// A kernel with the launches that somebody else has found out, or why there are none.
    ///
    /// # Errors
    /// When there is no kernel, or it cannot be launched so.
    pub fn launched(
        source: impl Into<Arc<[u8]>>,
        launches: Result<Vec<KernelLaunch>, String>,
    ) -> Result<Self, SubjectError> {
        let source = source.into();
        let prototypes = kernels(&source);
        if prototypes.is_empty() {
            return Err(SubjectError::NoKernel);
        }
        if launches.iter().flatten().any(|launch| !has_whole_groups(launch)) {
            return Err(SubjectError::Launch);
        }
        // The name is no absolute path, and there is one file: this is always a test case.
        let files =
            TestCase::single(FILE, Arc::clone(&source)).map_err(|_| SubjectError::NoKernel)?;
        Ok(Self { files, source, prototypes, launches })
    }
}

fn has_whole_groups(launch: &KernelLaunch) -> bool {
    let local = launch.local.iter().flatten();
    launch.global.iter().zip(local).all(|(global, local)| global.is_multiple_of(*local))
}

/// Global and local size in three dimensions. Where the local size is left to the driver, each work-item is a
/// group of its own.
pub(super) fn sizes(launch: &KernelLaunch) -> [[u64; 3]; 2] {
    let padded = |sizes: &[u64]| [0, 1, 2].map(|at| sizes.get(at).copied().unwrap_or(1));
    [padded(&launch.global), padded(launch.local.as_deref().unwrap_or_default())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_launched_is_known() {
        let error = |source: &str| Subject::new(source.as_bytes()).map(drop);
        assert_eq!(error("int x;"), Err(SubjectError::NoKernel));
        let launch = "// -g 4 -l 3\nkernel void entry(global ulong *r) {}";
        assert_eq!(error(launch), Err(SubjectError::Launch));
        let image = Subject::new(&b"kernel void k(image2d_t i) {}"[..]).unwrap();
        assert!(image.launches.unwrap_err().contains("image2d_t i"));
        let two = Subject::new(&b"kernel void k(global int *p) {}"[..]).unwrap().launches.unwrap();
        assert_eq!(
            two.iter().map(sizes).collect::<Vec<_>>(),
            [[[1; 3], [1; 3]], [[2048, 1, 1], [32, 1, 1]]]
        );
    }
}
