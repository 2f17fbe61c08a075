//! The section of a report with a program in C that runs the kernel: whoever reads it need not have clreduce.

use clreduce_kernel::{KernelRun, opencl_host};
use clreduce_recipe::{BuiltWith, Evidence};
use clreduce_report::{ReportBlock, Section};
use clreduce_testcase::TestCase;

/// The section, for a kernel that runs on a device of OpenCL.
pub(super) fn program(suspected: &Evidence, case: &TestCase) -> Option<Section> {
    let BuiltWith::Device { facts, options, launches, .. } = &suspected.tool else { return None };
    let [file] = case.files() else { return None };
    if !facts.version.starts_with("OpenCL") || launches.is_empty() {
        return None;
    }
    let (source, options) = (file.bytes.to_vec(), options.clone());
    let run = KernelRun { source, options, launches: launches.clone(), repeat: 1 };
    let text = opencl_host(&run, &facts.platform)?;
    let says = "This program in C runs the kernel and prints its result. `cc host.c -o host -lOpenCL` builds it, and its argument is \
                a part of the name of another platform.";
    let blocks =
        vec![ReportBlock::Text(says.to_owned()), ReportBlock::Verbatim { language: "c", text }];
    Some(Section { heading: "Host program", blocks })
}
