//! The program in C that runs a kernel, for reports: whoever reads them need not have clreduce.

use clreduce_devices::architecture;
use clreduce_kernel::{HostInterface, KernelRun, host_program};
use clreduce_recipe::{BuiltWith, Evidence};
use clreduce_report::{ReportBlock, Section};
use clreduce_testcase::TestCase;

use crate::terminal::quoting::quoted;

const BUILD_FOR_CUDA: &str = "cc host.c -o host -I/usr/local/cuda/include -L/usr/local/cuda/lib64";

/// A host program and the command that builds and runs it.
pub(super) struct HostProgram {
    text: String,
    says: &'static str,
    pub command: String,
}

impl HostProgram {
    /// The program, for a kernel that runs on a device of OpenCL or CUDA.
    pub(super) fn of(suspected: &Evidence, case: &TestCase) -> Option<Self> {
        let BuiltWith::Device { facts, options, launches, .. } = &suspected.tool else {
            return None;
        };
        let [file] = case.files() else { return None };
        if launches.is_empty() {
            return None;
        }
        let (interface, command, says) = if facts.version.starts_with("OpenCL") {
            (
                HostInterface::OpenCl { platform: &facts.platform },
                "cc host.c -o host -lOpenCL\n./host".to_owned(),
                "It prints the result of the kernel. Its argument is a part of the name of another platform.",
            )
        } else if facts.platform == "NVIDIA CUDA" {
            (
                HostInterface::Cuda,
                format!("{BUILD_FOR_CUDA} -lnvrtc -lcuda\n./host"),
                "It prints the result of the kernel. Its arguments are further options of NVRTC.",
            )
        } else if facts.platform == "ptxas" {
            let (file, options) = (quoted(&file.path), options.trim());
            let architecture = architecture(facts);
            let assemble = format!("ptxas -arch {architecture} {options} {file} -o kernel.cubin");
            (
                HostInterface::Ptx,
                format!("{assemble}\n{BUILD_FOR_CUDA} -lcuda\n./host kernel.cubin"),
                "It prints the result of the kernel. Its argument is the code that ptxas has made.",
            )
        } else {
            return None;
        };
        let (source, options) = (file.bytes.to_vec(), options.clone());
        let run = KernelRun { source, options, launches: launches.clone(), repeat: 1 };
        Some(Self { text: host_program(&run, interface)?, says, command })
    }

    pub(super) fn section(self) -> Section {
        let blocks = vec![
            ReportBlock::Text("host.c:".to_owned()),
            ReportBlock::Verbatim { language: "c", text: self.text },
            ReportBlock::Text(self.says.to_owned()),
        ];
        Section { heading: "Host program", blocks }
    }
}
