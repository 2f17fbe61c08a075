//! What the checks cannot see on this machine: a kernel without a fault is checked, and its report says what was left open.

use std::collections::BTreeSet;

use clreduce_host::HostKernel;
use clreduce_kernel::ProgramKind;
use clreduce_process::Cancel;
use clreduce_tools::{CLANG, GCC, OCLGRIND, SANITIZERS, Tool};

use crate::check::KernelCheck;
use crate::finding::{FindingKind, StageFailure};
use crate::options::CheckOptions;

/// The smallest kernels that need all tools: two groups, whose work-items share memory.
const OPENCL: &str = "// -g 4,1,1 -l 2,1,1\n\
    kernel void entry(global ulong *result) {\n\
    \x20 local int shared[2];\n\
    \x20 shared[get_local_id(0)] = 7;\n\
    \x20 barrier(CLK_LOCAL_MEM_FENCE);\n\
    \x20 result[get_global_id(0)] = shared[1 - get_local_id(0)];\n\
    }\n";
const CUDA: &str = "// -g 4,1,1 -l 2,1,1\n\
    extern \"C\" __global__ void entry(unsigned long long *result) {\n\
    \x20 __shared__ int shared[2];\n\
    \x20 shared[threadIdx.x] = 7;\n\
    \x20 __syncthreads();\n\
    \x20 result[blockIdx.x * 2 + threadIdx.x] = shared[1 - threadIdx.x];\n\
    }\n";

/// What no stage can see on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlindSpots {
    /// The kinds of findings that no stage can check.
    pub kinds: BTreeSet<FindingKind>,
    /// What the tools say about it.
    pub reasons: Vec<String>,
    /// The tools to install.
    pub missing: Vec<&'static Tool>,
}

/// Finds out what the stages cannot see in kernels of a kind.
#[must_use]
pub fn blind_spots(kind: ProgramKind, options: &CheckOptions, cancel: &Cancel) -> BlindSpots {
    let of_opencl = kind == ProgramKind::OpenCl;
    let source = if of_opencl { OPENCL } else { CUDA }.as_bytes().to_vec();
    let plan = kind.plan(&source, None);
    let (kinds, reasons) = match HostKernel::planned(kind, source, plan) {
        Ok(subject) => match KernelCheck::new(options) {
            Ok(check) => {
                // The first kernel is checked by clang, the others by processes that hold its libraries.
                let _ = check.run(&subject, cancel);
                let report = check.run(&subject, cancel);
                (report.unchecked, report.failures.iter().map(said_by).collect())
            }
            Err(error) => (FindingKind::ALL.into(), vec![error.to_string()]),
        },
        Err(error) => (FindingKind::ALL.into(), vec![error.to_string()]),
    };
    if kinds.is_empty() {
        return BlindSpots::default();
    }
    let used = [&CLANG, &SANITIZERS, &GCC].into_iter().chain(of_opencl.then_some(&OCLGRIND));
    let missing = used.filter(|tool| tool.find().is_none()).collect();
    BlindSpots { kinds, reasons, missing }
}

fn said_by(failure: &StageFailure) -> String {
    let first = failure.message.lines().next().unwrap_or_default();
    format!("{}: {first}", failure.tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_clang_sees_nothing_and_one_with_all_tools_everything() {
        let of = |kind, clang: Option<&str>| {
            let options = CheckOptions { clang: clang.map(Into::into), ..CheckOptions::default() };
            blind_spots(kind, &options, &Cancel::new())
        };
        for kind in [ProgramKind::OpenCl, ProgramKind::CudaKernels] {
            assert_eq!(of(kind, None), BlindSpots::default(), "{kind:?}");
            let none = of(kind, Some("/nowhere/clang"));
            assert_eq!(none.kinds.len(), FindingKind::ALL.len(), "{none:?}");
            assert!(none.reasons[0].contains("/nowhere/clang"), "{none:?}");
        }
    }
}
