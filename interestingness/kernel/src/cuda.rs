//! Launches of CUDA programs. A program with `main` launches its kernels itself; kernels without one get arguments
//! that fit their signatures.

use clreduce_language::kernel_signatures;
use clreduce_testcase::{Language, Launch, tokens};

use crate::arguments::{Plan, PlanError, from_comment, from_signature, plan_in};

/// Returns true if the text defines `main`, so that it is a whole program.
#[must_use]
pub fn has_main(source: &[u8]) -> bool {
    let words: Vec<&[u8]> = tokens(source).map(|token| &source[token.range()]).collect();
    words.windows(3).any(|three| matches!(three, [b"int" | b"void" | b"auto", b"main", b"("]))
}

/// Plans the launches of kernels in CUDA C++ or PTX without a host program, as [`plan`](crate::plan) does for OpenCL. A kernel
/// `entry` gets the arguments that a launch comment of CLsmith describes where their number is that of its parameters; other
/// kernels get sizes alone from it.
///
/// # Errors
/// When the program has no kernel, or the description is wrong.
pub(crate) fn plan_of_nvidia(
    language: Language,
    source: &[u8],
    description: Option<&str>,
) -> Result<Plan, PlanError> {
    if description.is_some() {
        return plan_in(language, source, description);
    }
    let kernels = kernel_signatures(source, language);
    if kernels.is_empty() {
        return Err(PlanError::NoKernel);
    }
    let comment = Launch::find(source);
    let entry = kernels.iter().find(|kernel| kernel.name == "entry");
    if let (Some(sizes), Some(entry)) = (&comment, entry) {
        let launch = from_comment::launch(&source[sizes.comment.clone()], sizes)?;
        if launch.arguments.len() == entry.parameters.len() {
            return Ok(Plan { launches: vec![launch], compile_only: None, is_chosen: false });
        }
    }
    Ok(from_signature::plan(&kernels, comment.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramKind;

    #[test]
    fn a_program_with_main_is_whole() {
        assert!(has_main(b"#include <stdio.h>\nint main(void) { }"));
        assert!(!has_main(b"__global__ void domain(int *p) { main_loop(); } // int main("));
    }

    #[test]
    fn bare_kernels_are_launched_twice() {
        let source =
            b"extern \"C\" __global__ void k(const float *__restrict__ a, int *b, int n) {}";
        let plan = ProgramKind::CudaKernels.plan(source, None).unwrap();
        assert_eq!(plan.launches.len(), 2);
        assert_eq!(plan.launches[1].arguments.len(), 3);
        assert!(matches!(ProgramKind::CudaKernels.plan(b"int x;", None), Err(PlanError::NoKernel)));
    }

    #[test]
    fn the_launch_comment_describes_the_arguments_of_entry_where_their_number_fits() {
        let elements = |parameters: &str| -> Vec<u64> {
            let source = format!(
                "// ---emi -g 8 -l 4\ntypedef int word;\nextern \"C\" __global__ void __launch_bounds__(4) entry({parameters}) {{}}"
            );
            let plan = ProgramKind::CudaKernels.plan(source.as_bytes(), None).unwrap();
            let arguments = plan.launches.into_iter().flat_map(|launch| launch.arguments);
            let elements = arguments.map(|argument| match argument {
                crate::Argument::Buffer { elements, .. } => elements,
                other => panic!("{other:?}"),
            });
            elements.collect()
        };
        assert_eq!(elements("unsigned long long *result, word *emi_input"), [8, 1024]);
        assert_eq!(elements("int *a"), [8]);
    }
}
