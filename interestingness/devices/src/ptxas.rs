//! The backend for ptxas: it assembles a kernel in PTX, and a worker of the CUDA driver runs the code. Without a GPU, kernels
//! are assembled alone.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clreduce_kernel::{KernelRun, ProgramKind, RunLimits, RunOutcome};
use clreduce_process::worker::WorkerOptions;
use clreduce_process::{
    Cancel, Crash, End, ToolRun, ToolRunner, describe_exit, describe_signal, query,
};
use clreduce_testcase::TestCase;
use clreduce_tools::PTXAS;

use crate::backend::{Backend, Transport, list};
use crate::cuda::start;
use crate::device::Device;
use crate::error::DeviceError;
use crate::facts::{DeviceFacts, RUNS_NOTHING};
use crate::protocol::FoundDevice;

const FILE: &str = "kernel.ptx";
/// How the version of a device begins, and that of code where there is no device: every version of ptxas knows it.
const CAPABILITY: &str = "compute capability ";
const NO_GPU: &str = "compute capability 8.0, without a GPU";

/// NVIDIA's assembler, for kernels in PTX.
#[derive(Debug)]
pub struct Ptxas;

impl Backend for Ptxas {
    fn name(&self) -> &'static str {
        "ptxas"
    }

    fn title(&self) -> &'static str {
        "ptxas"
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::Ptx
    }

    fn remark(&self) -> &'static str {
        "assembler"
    }

    fn find(&self, options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        Ok(PTXAS.find().map(|program| assembles_for(&program, options)).unwrap_or_default())
    }

    fn transport(&self) -> Transport {
        Transport::Assembled(start)
    }
}

/// The devices that a program assembles for: all GPUs, or one that runs nothing.
pub(crate) fn assembles_for(program: &Path, options: &WorkerOptions) -> Vec<FoundDevice> {
    let Some(release) = release(program) else { return Vec::new() };
    let mut found = list(options, start).unwrap_or_default();
    if found.is_empty() {
        found.push(FoundDevice { platform: 0, device: 0, facts: without_gpu() });
    }
    for one in &mut found {
        let facts = &mut one.facts;
        facts.platform = "ptxas".to_owned();
        facts.platform_version = format!("ptxas {release}");
    }
    found
}

/// The version, as in "13.0.88".
fn release(program: &Path) -> Option<String> {
    let text = query(program, &["--version"])?;
    let release = text.split(", V").nth(1)?;
    Some(release.split_whitespace().next()?.to_owned())
}

fn without_gpu() -> DeviceFacts {
    DeviceFacts {
        platform: String::new(),
        platform_version: String::new(),
        name: "no GPU".to_owned(),
        vendor: "NVIDIA Corporation".to_owned(),
        driver: "none".to_owned(),
        version: NO_GPU.to_owned(),
        kind: RUNS_NOTHING.to_owned(),
        compute_units: 1,
        max_work_group: 1024,
        memory_bytes: 0,
    }
}

/// Assembles a kernel for a device. The end of a run that comes to nothing more is the error.
pub(crate) fn assemble(
    tools: &ToolRunner,
    device: &Device,
    run: &KernelRun,
    limits: RunLimits,
    cancel: &Cancel,
) -> Result<Vec<u8>, RunOutcome> {
    let unresolved = |reason: String| RunOutcome::Unresolved(reason);
    let installed = device.installation.as_ref().and_then(|one| one.program.clone());
    let ptxas = installed.or_else(|| PTXAS.find());
    let ptxas = ptxas.ok_or_else(|| unresolved("ptxas is not there any more".to_owned()))?;
    let options = shlex::split(&run.options)
        .ok_or_else(|| unresolved("a quotation in the build options does not end".to_owned()))?;
    let folder = tools.folder().map_err(|error| unresolved(error.to_string()))?;
    let code: PathBuf = folder.path().join("kernel.cubin");
    let mut args: Vec<OsString> = options.into_iter().map(OsString::from).collect();
    args.extend(["-arch", &architecture(&device.facts), FILE, "-o"].map(OsString::from));
    args.push(code.clone().into());
    let files = TestCase::single(FILE, &*run.source);
    let files = files.map_err(|error| unresolved(error.to_string()))?;
    let builds = tools.within(Some(limits.build)).with_writable(folder.path());
    let ran = builds.run(&ptxas.to_string_lossy(), args, &files, cancel);
    if ran.end != End::Exited(0) {
        return Err(build_outcome(&ran));
    }
    if !device.runs() {
        return Err(RunOutcome::Built);
    }
    fs::read(&code).map_err(|error| unresolved(format!("ptxas has made no code: {error}")))
}

/// The name of the architecture of a device for ptxas, as in `sm_90`.
#[must_use]
pub fn architecture(facts: &DeviceFacts) -> String {
    let number = facts.version.trim_start_matches(CAPABILITY);
    let digits = number.split(',').next().unwrap_or_default().replace('.', "");
    format!("sm_{digits}")
}

/// The outcome that a failed run means. ptxas ends with 255 for errors that it has found, and says so for its own.
fn build_outcome(ran: &ToolRun) -> RunOutcome {
    let log = format!("{}{}", ran.stdout, ran.stderr).trim().to_owned();
    let own = log.contains("Internal error") || log.contains("internal error");
    match &ran.end {
        End::Exited(1 | 255) if !own => RunOutcome::BuildFailure { log },
        End::Exited(code) => {
            RunOutcome::BuildCrash(Crash { how: describe_exit(*code), output: log })
        }
        End::Signalled(signal) => {
            RunOutcome::BuildCrash(Crash { how: describe_signal(*signal), output: log })
        }
        End::TimedOut => RunOutcome::BuildTimeout,
        End::Cancelled | End::Failed(_) => RunOutcome::Unresolved(ran.trouble()),
        End::NotRun(_) => RunOutcome::NotRun(ran.trouble()),
    }
}

/// A kernel `examine` with a loop: see the examination of a worker.
pub(crate) fn examination(factor: u32) -> String {
    format!(
        ".version 6.0\n.target sm_70\n.address_size 64\n\
         .visible .entry examine(.param .u64 p)\n{{\n\
         .reg .pred %q;\n.reg .b32 %x, %i, %s, %t;\n.reg .b64 %a;\n\
         ld.param.u64 %a, [p];\ncvta.to.global.u64 %a, %a;\n\
         mov.u32 %x, %ctaid.x;\nmov.u32 %i, 0;\nmov.u32 %s, 0;\n\
         L: mul.lo.u32 %t, %i, {factor};\nxor.b32 %t, %t, %x;\nadd.u32 %s, %s, %t;\n\
         add.u32 %i, %i, 1;\nsetp.le.u32 %q, %i, %x;\n@%q bra L;\n\
         mad.wide.u32 %a, %x, 4, %a;\nst.global.u32 [%a], %s;\nret;\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_made_for_the_device() {
        assert_eq!(architecture(&without_gpu()), "sm_80");
        let facts = DeviceFacts { version: format!("{CAPABILITY}12.1"), ..without_gpu() };
        assert_eq!(architecture(&facts), "sm_121");
    }
}
