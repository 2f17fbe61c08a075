//! The launches of CUDA programs: a whole program launches itself, a bare kernel is launched as its prototype says.

use clreduce_testcase::{Launch, tokens};

use crate::arguments::{Plan, PlanError, harness, plan};
use crate::prototype::cuda_kernels;

/// Returns whether the text defines `main`: then it is a whole program.
#[must_use]
pub fn has_main(source: &[u8]) -> bool {
    let words: Vec<&[u8]> = tokens(source).map(|token| &source[token.range()]).collect();
    words.windows(3).any(|three| matches!(three, [b"int" | b"void" | b"auto", b"main", b"("]))
}

/// Finds out how to launch the bare kernels of a CUDA program: as [`plan`] does for OpenCL, but for kernels of
/// CLsmith.
///
/// # Errors
/// When that cannot be found out.
pub fn plan_cuda(source: &[u8], sidecar: Option<&str>) -> Result<Plan, PlanError> {
    if sidecar.is_some() {
        return plan(source, sidecar);
    }
    let kernels = cuda_kernels(source);
    if kernels.is_empty() {
        return Err(PlanError::NoKernel);
    }
    Ok(harness::plan(&kernels, Launch::find(source).as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_programs_are_told_by_their_main() {
        assert!(has_main(b"#include <stdio.h>\nint main(void) { }"));
        assert!(!has_main(b"__global__ void domain(int *p) { main_loop(); } // int main("));
    }

    #[test]
    fn bare_kernels_are_launched_twice() {
        let source =
            b"extern \"C\" __global__ void k(const float *__restrict__ a, int *b, int n) {}";
        let plan = plan_cuda(source, None).unwrap();
        assert_eq!(plan.launches.len(), 2);
        assert_eq!(plan.launches[1].arguments.len(), 3);
        assert!(matches!(plan_cuda(b"int x;", None), Err(PlanError::NoKernel)));
    }
}
