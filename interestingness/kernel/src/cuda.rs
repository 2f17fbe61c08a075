//! Launches of CUDA programs. A program with `main` launches its kernels itself; kernels without one get arguments
//! that fit their signatures.

use clreduce_language::kernel_signatures;
use clreduce_testcase::{Language, Launch, tokens};

use crate::arguments::{Plan, PlanError, from_signature, plan};

/// Returns true if the text defines `main`, so that it is a whole program.
#[must_use]
pub fn has_main(source: &[u8]) -> bool {
    let words: Vec<&[u8]> = tokens(source).map(|token| &source[token.range()]).collect();
    words.windows(3).any(|three| matches!(three, [b"int" | b"void" | b"auto", b"main", b"("]))
}

/// Plans the launches of a CUDA program without `main`, as [`plan`] does for OpenCL. Launch comments of CLsmith give
/// sizes only.
///
/// # Errors
/// When the program has no kernel, or the description is wrong.
pub fn plan_cuda(source: &[u8], description: Option<&str>) -> Result<Plan, PlanError> {
    if description.is_some() {
        return plan(source, description);
    }
    let kernels = kernel_signatures(source, Language::Cuda);
    if kernels.is_empty() {
        return Err(PlanError::NoKernel);
    }
    Ok(from_signature::plan(&kernels, Launch::find(source).as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_main_is_whole() {
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
