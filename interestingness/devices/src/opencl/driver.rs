//! An OpenCL device in a worker: it builds programs and runs their launches. It runs inside the worker process only.
//!
//! The `unsafe` code runs a foreign program on whatever driver there is, and either may write anywhere. That is sound
//! for one reason alone: the worker process has nothing that could be damaged. clreduce believes nothing bad that a
//! worker says without trying again, and kills and replaces one that behaves badly.

#![allow(unsafe_code)]

use std::ffi::CString;

use clreduce_kernel::{Argument, KernelLaunch, KernelRun, Number, Output};

use super::api::{ClContext, ClDevice, ClError, ClKernel, ClProgram, ClQueue, OpenClApi};
use crate::error::DriverError;
use crate::facts::DeviceFacts;
use crate::protocol::{FoundDevice, RunEnd};
use crate::service::{BuildLog, Driver};

/// A device that is ready.
pub(crate) struct OpenClDevice {
    device: ClDevice,
    context: ClContext,
    queue: ClQueue,
}

fn kind(bits: u64) -> &'static str {
    match bits {
        bits if bits & 4 != 0 => "gpu",
        bits if bits & 8 != 0 => "accelerator",
        bits if bits & 2 != 0 => "cpu",
        _ => "other",
    }
}

fn load() -> Result<OpenClApi, DriverError> {
    OpenClApi::load().map_err(|error| DriverError::Library(error.to_string()))
}

fn call(error: ClError) -> DriverError {
    DriverError::Call(error.name())
}

fn failed(action: impl Into<String>) -> impl FnOnce(ClError) -> DriverError {
    let action = action.into();
    move |error| DriverError::Action { action, error: error.name() }
}

impl Driver for OpenClDevice {
    const SERVICE: &'static str = "opencl";

    /// A platform that fails is left out, as if it were not there.
    fn list() -> Result<Vec<FoundDevice>, DriverError> {
        let platforms = load()?.platforms().map_err(call)?;
        let mut found = Vec::new();
        for (platform_index, platform) in platforms.into_iter().enumerate() {
            for (device_index, device) in
                platform.devices().unwrap_or_default().into_iter().enumerate()
            {
                let facts = || -> Result<DeviceFacts, ClError> {
                    Ok(DeviceFacts {
                        platform: platform.name()?,
                        platform_version: platform.version()?,
                        name: device.name()?,
                        vendor: device.vendor()?,
                        driver: device.driver()?,
                        version: device.version()?,
                        kind: kind(device.kind()?).to_owned(),
                        compute_units: device.compute_units()?,
                        max_work_group: device.max_work_group()?,
                        memory_bytes: device.memory_bytes()?,
                    })
                };
                if let Ok(facts) = facts() {
                    let (platform, device) = (platform_index as u32, device_index as u32);
                    found.push(FoundDevice { platform, device, facts });
                }
            }
        }
        Ok(found)
    }

    fn open(platform: u32, device: u32) -> Result<Self, DriverError> {
        let platforms = load()?.platforms().map_err(call)?;
        let gone = |what: &str| DriverError::Gone(what.to_owned());
        let platform = platforms.get(platform as usize).ok_or_else(|| gone("platform"))?;
        let devices = platform.devices().map_err(call)?;
        let device = *devices.get(device as usize).ok_or_else(|| gone("device"))?;
        let context = device.context().map_err(failed("no context"))?;
        let queue = context.queue(device).map_err(failed("no queue"))?;
        Ok(Self { device, context, queue })
    }

    fn run(&self, run: &KernelRun, built: impl FnOnce()) -> RunEnd {
        let program = match self.build(run) {
            Ok(program) => program,
            Err(BuildLog(log)) => return RunEnd::BuildFailure(log),
        };
        built();
        if run.launches.is_empty() {
            return RunEnd::Built;
        }
        RunEnd::repeat(run.repeat, &run.launches, |launch| self.launch(&program, launch))
    }
}

impl OpenClDevice {
    fn build(&self, run: &KernelRun) -> Result<ClProgram, BuildLog> {
        let options = CString::new(run.options.as_str());
        let options =
            options.map_err(|_| BuildLog("the build options contain a zero byte".to_owned()))?;
        let program = self.context.program(&run.source);
        let program = program.map_err(|error| BuildLog(error.name()))?;
        program.build(self.device, &options).map_err(|error| {
            // Without a log, the error says what there is to say.
            let log = program.log(self.device).unwrap_or_default();
            BuildLog(format!("{}\n{log}", error.name()).trim_end().to_owned())
        })?;
        Ok(program)
    }

    fn launch(
        &self,
        program: &ClProgram,
        launch: &KernelLaunch,
    ) -> Result<Vec<Output>, DriverError> {
        let failed = |what: &str| failed(format!("{what} of `{}`", launch.kernel));
        let mut kernel = program.kernel(&launch.kernel).map_err(failed("creation"))?;
        let count = kernel.argument_count().map_err(failed("arguments"))?;
        if count != launch.arguments.len() as u64 {
            let (name, given) = (&launch.kernel, launch.arguments.len());
            let reason = format!("`{name}` takes {count} arguments, and there are {given}");
            return Err(DriverError::Launch(reason));
        }
        let bound = self.set_arguments(&mut kernel, launch)?;
        let sizes = |sizes: &[u64]| sizes.iter().map(|&size| size as usize).collect::<Vec<_>>();
        let local = launch.local.as_deref().map(sizes);
        // SAFETY: this is a worker.
        let started =
            unsafe { self.queue.launch(&kernel, &sizes(&launch.global), local.as_deref()) };
        started.map_err(failed("launch"))?;
        self.queue.finish().map_err(failed("execution"))?;
        let mut outputs = Vec::new();
        for Bound { name, element, buffer } in bound {
            let Some(buffer) = kernel.buffer(buffer) else { continue };
            let bytes = self.queue.read(buffer).map_err(failed("result"))?;
            outputs.push(Output::of_buffer(&launch.kernel, name, element, bytes));
        }
        Ok(outputs)
    }

    fn set_arguments<'a>(
        &self,
        kernel: &mut ClKernel,
        launch: &'a KernelLaunch,
    ) -> Result<Vec<Bound<'a>>, DriverError> {
        let mut bound = Vec::new();
        for (index, argument) in launch.arguments.iter().enumerate() {
            let at = index as u32;
            let set = match argument {
                Argument::Local(bytes) => kernel.set_local(at, *bytes as usize),
                // SAFETY: this is a worker.
                Argument::Value(bytes) => unsafe { kernel.set_value(at, bytes) },
                Argument::Sampler(sampler) => self
                    .context
                    .sampler(*sampler)
                    .and_then(|sampler| kernel.set_sampler(at, sampler)),
                Argument::Buffer { name, element, elements, fill, output, image } => {
                    let mut content = fill.content(*element, *elements);
                    let made = match image {
                        Some(image) => self.context.image(*image, *element, &mut content),
                        None => self.context.buffer(&mut content),
                    };
                    made.and_then(|buffer| {
                        let buffer = kernel.set_buffer(at, buffer)?;
                        if *output {
                            bound.push(Bound { name, element: *element, buffer });
                        }
                        Ok(())
                    })
                }
            };
            set.map_err(failed(format!("argument {} of `{}`", index + 1, launch.kernel)))?;
        }
        Ok(bound)
    }
}

/// A buffer that is set as an argument, and whose content is part of the result.
struct Bound<'a> {
    name: &'a str,
    element: Number,
    /// Its number in the kernel.
    buffer: usize,
}
