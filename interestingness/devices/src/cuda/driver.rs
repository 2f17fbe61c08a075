//! A CUDA device in a worker: it builds programs and runs their launches. It runs inside the worker process only.
//!
//! The `unsafe` code runs a foreign kernel. That is sound for one reason alone: the worker process has nothing that
//! could be damaged.

#![allow(unsafe_code)]

use std::ffi::CString;

use clreduce_kernel::{Argument, KernelLaunch, KernelRun, Output};

use super::api::{
    CuAttribute, CuBuffer, CuDevice, CuError, CuModule, CudaApi, NvrtcCompiler, NvrtcError,
};
use super::toolkit::header_options;
use crate::error::DriverError;
use crate::facts::DeviceFacts;
use crate::protocol::{FoundDevice, RunEnd};
use crate::service::{BuildLog, Driver};

/// The beginning of code for a device.
const CUBIN: &[u8] = b"\x7fELF";

/// A device that is ready.
pub(crate) struct CudaDevice {
    api: CudaApi,
    /// It is not needed for code that is made already.
    compiler: Result<NvrtcCompiler, String>,
    /// The compiler's option for it.
    architecture: String,
}

/// `None` where there is no driver; one that is there without a device is no error.
fn load() -> Option<CudaApi> {
    CudaApi::load()?.ok()
}

fn facts(api: CudaApi, device: CuDevice) -> Result<DeviceFacts, CuError> {
    let version = api.version()?;
    let [major, minor] = capability(device)?;
    Ok(DeviceFacts {
        platform: "NVIDIA CUDA".to_owned(),
        platform_version: match NvrtcCompiler::load() {
            Ok(compiler) => format!("CUDA {version}, NVRTC {}", compiler.version()),
            Err(_) => format!("CUDA {version}, without NVRTC"),
        },
        name: device.name()?,
        vendor: "NVIDIA Corporation".to_owned(),
        driver: format!("CUDA {version}"),
        version: format!("compute capability {major}.{minor}"),
        kind: "gpu".to_owned(),
        compute_units: device.attribute(CuAttribute::Multiprocessors)?,
        max_work_group: device.attribute(CuAttribute::MaxThreadsPerBlock)?,
        memory_bytes: device.memory_bytes()?,
    })
}

fn capability(device: CuDevice) -> Result<[u64; 2], CuError> {
    let [major, minor] = [CuAttribute::CapabilityMajor, CuAttribute::CapabilityMinor];
    Ok([device.attribute(major)?, device.attribute(minor)?])
}

fn call(api: CudaApi) -> impl Fn(CuError) -> DriverError {
    move |error| DriverError::Call(api.name(error))
}

impl Driver for CudaDevice {
    const SERVICE: &'static str = "cuda";

    /// None where there is no driver.
    fn list() -> Result<Vec<FoundDevice>, DriverError> {
        let Some(api) = load() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (number, device) in api.devices().map_err(call(api))?.into_iter().enumerate() {
            let facts = facts(api, device).map_err(call(api))?;
            found.push(FoundDevice { platform: 0, device: number as u32, facts });
        }
        Ok(found)
    }

    fn open(_platform: u32, device: u32) -> Result<Self, DriverError> {
        let api = load().ok_or_else(|| DriverError::Gone("CUDA driver".to_owned()))?;
        let devices = api.devices().map_err(call(api))?;
        let device = devices.get(device as usize);
        let device = *device.ok_or_else(|| DriverError::Gone("device".to_owned()))?;
        device.open().map_err(|error| {
            let (action, error) = ("no context".to_owned(), api.name(error));
            DriverError::Action { action, error }
        })?;
        let [major, minor] = capability(device).map_err(call(api))?;
        let architecture = format!("--gpu-architecture=sm_{major}{minor}");
        let compiler =
            NvrtcCompiler::load().map_err(|error| format!("NVRTC is not there: {error}"));
        Ok(Self { api, compiler, architecture })
    }

    fn run(&self, run: &KernelRun, built: impl FnOnce()) -> RunEnd {
        let built_module = match run.source.starts_with(CUBIN) {
            true => self.load(&run.source, run),
            false => self.build(run),
        };
        let (names, module) = match built_module {
            Ok(built) => built,
            Err(BuildLog(log)) => return RunEnd::BuildFailure(log),
        };
        built();
        if run.launches.is_empty() {
            return RunEnd::Built;
        }
        let launches = run.launches.iter().zip(&names);
        RunEnd::repeat(run.repeat, launches, |(launch, name)| self.launch(&module, name, launch))
    }
}

impl CudaDevice {
    /// Loads code, with the names of its kernels.
    fn load(&self, code: &[u8], run: &KernelRun) -> Result<(Vec<CString>, CuModule), BuildLog> {
        let names = run.launches.iter().map(|launch| CString::new(&*launch.kernel));
        let names = names.collect::<Result<_, _>>();
        let names = names.map_err(|_| BuildLog("there is a zero byte in a name".to_owned()))?;
        Ok((names, self.module(code)?))
    }

    fn module(&self, code: &[u8]) -> Result<CuModule, BuildLog> {
        self.api.module(code).map_err(|(error, log)| {
            BuildLog(format!("{}\n{log}", self.api.name(error)).trim_end().to_owned())
        })
    }

    fn build(&self, run: &KernelRun) -> Result<(Vec<CString>, CuModule), BuildLog> {
        let refused = |reason: &str| BuildLog(reason.to_owned());
        let zero = |_| refused("there is a zero byte in it");
        let text = |text: &str| CString::new(text).map_err(zero);
        let source = CString::new(&*run.source).map_err(zero)?;
        let mut options = shlex::split(&run.options)
            .ok_or_else(|| refused("a quotation in the options does not end"))?;
        let is_architecture = |option: &String| {
            ["-arch", "--gpu-architecture"].iter().any(|name| option.starts_with(name))
        };
        if !options.iter().any(is_architecture) {
            options.push(self.architecture.clone());
        }
        options.extend(header_options(&run.source));
        let options = options.iter().map(|option| text(option)).collect::<Result<Vec<_>, _>>()?;
        let kernels = run.launches.iter().map(|launch| text(&launch.kernel));
        let kernels = kernels.collect::<Result<Vec<_>, _>>()?;
        let compiler = self.compiler.as_ref().map_err(|error| BuildLog(error.clone()))?;
        let compiled = compiler
            .compile(&source, &options, &kernels)
            .map_err(|NvrtcError(text)| BuildLog(text))?;
        let module = self.module(&compiled.code)?;
        Ok((compiled.names, module))
    }

    fn launch(
        &self,
        module: &CuModule,
        name: &CString,
        launch: &KernelLaunch,
    ) -> Result<Vec<Output>, DriverError> {
        let failed = |what: &str| {
            let action = format!("{what} of `{}`", launch.kernel);
            move |error: CuError| DriverError::Action { action, error: self.api.name(error) }
        };
        let [blocks, threads] = grid(launch)?;
        let mut buffers: Vec<Option<CuBuffer>> = Vec::new();
        let mut arguments = Vec::new();
        for argument in &launch.arguments {
            let (buffer, bytes) = match argument {
                Argument::Value(bytes) => (None, bytes.clone()),
                Argument::Buffer { element, elements, fill, .. } => {
                    let content = fill.content(*element, *elements);
                    let buffer = self.api.buffer(&content).map_err(failed("arguments"))?;
                    let bytes = buffer.argument();
                    (Some(buffer), bytes)
                }
                Argument::Local(_) | Argument::Sampler(_) => {
                    let reason =
                        "CUDA has no arguments in local memory, and no samplers".to_owned();
                    return Err(DriverError::Launch(reason));
                }
            };
            buffers.push(buffer);
            arguments.push(bytes);
        }
        // SAFETY: this is a worker.
        let launched = unsafe { module.launch(name, blocks, threads, &arguments) };
        launched.map_err(failed("launch"))?;
        self.api.synchronise().map_err(failed("execution"))?;
        let mut outputs = Vec::new();
        for (argument, buffer) in launch.arguments.iter().zip(&buffers) {
            if let (Argument::Buffer { name, element, output: true, .. }, Some(buffer)) =
                (argument, buffer)
            {
                let bytes = buffer.read().map_err(failed("result"))?;
                let (kernel, name) = (launch.kernel.clone(), name.clone());
                outputs.push(Output { kernel, name, scalar: element.scalar, bytes });
            }
        }
        Ok(outputs)
    }
}

/// Blocks, and threads of a block, in three dimensions.
fn grid(launch: &KernelLaunch) -> Result<[[u32; 3]; 2], DriverError> {
    let local = launch.local.as_deref().unwrap_or_default();
    let mut grid = [[1; 3]; 2];
    for (at, &global) in launch.global.iter().enumerate().take(3) {
        let threads = local.get(at).copied().unwrap_or(1);
        if !global.is_multiple_of(threads) {
            let reason = format!("{global} work-items are not divisible into groups of {threads}");
            return Err(DriverError::Launch(reason));
        }
        let number = |size: u64| {
            u32::try_from(size).map_err(|_| DriverError::Launch(format!("{size} is too many")))
        };
        grid[0][at] = number(global / threads)?;
        grid[1][at] = number(threads)?;
    }
    Ok(grid)
}
