//! What a worker does with its device. Runs inside the worker process only.

use std::ffi::CString;

use super::api::{Api, Buffer, ClError, Context, Device, Kernel, Program, Queue};
use super::device::Facts;
use super::job::{Argument, ElementType, KernelLaunch, KernelRun};
use super::outcome::Output;
use super::protocol::{Done, Found};

/// A device that is ready.
pub(super) struct Host {
    device: Device,
    context: Context,
    queue: Queue,
}

/// Every device of every platform. A platform that fails is left out, as if it were not there.
pub(super) fn list() -> Result<Vec<Found>, String> {
    let platforms = Api::load()?.platforms().map_err(|error| error.name())?;
    let mut found = Vec::new();
    for (platform_index, platform) in platforms.into_iter().enumerate() {
        for (device_index, device) in platform.devices().unwrap_or_default().into_iter().enumerate()
        {
            let facts = || -> Result<Facts, ClError> {
                Ok(Facts {
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
                found.push(Found { platform, device, facts });
            }
        }
    }
    Ok(found)
}

fn kind(bits: u64) -> &'static str {
    match bits {
        bits if bits & 4 != 0 => "gpu",
        bits if bits & 8 != 0 => "accelerator",
        bits if bits & 2 != 0 => "cpu",
        _ => "other",
    }
}

impl Host {
    pub fn open(platform: u32, device: u32) -> Result<Self, String> {
        let name = |error: ClError| error.name();
        let platforms = Api::load()?.platforms().map_err(name)?;
        let platform =
            platforms.get(platform as usize).ok_or("there is no such platform any more")?;
        let devices = platform.devices().map_err(name)?;
        let device = *devices.get(device as usize).ok_or("there is no such device any more")?;
        let context = device.context().map_err(|error| format!("no context: {}", error.name()))?;
        let queue = context.queue(device).map_err(|error| format!("no queue: {}", error.name()))?;
        Ok(Self { device, context, queue })
    }

    /// Builds and runs; calls `built` in between.
    pub fn run(&self, run: &KernelRun, built: impl FnOnce()) -> Done {
        let program = match self.build(run) {
            Ok(program) => program,
            Err(log) => return Done::BuildFailure(log),
        };
        built();
        if run.launches.is_empty() {
            return Done::Built;
        }
        Done::repeat(run.repeat, &run.launches, |launch| self.launch(&program, launch))
    }

    fn build(&self, run: &KernelRun) -> Result<Program, String> {
        let options = CString::new(run.options.as_str());
        let options = options.map_err(|_| "the build options contain a zero byte".to_owned())?;
        let program = self.context.program(&run.source).map_err(|error| error.name())?;
        program.build(self.device, &options).map_err(|error| {
            // Without a log, the error says what there is to say.
            let log = program.log(self.device).unwrap_or_default();
            format!("{}\n{log}", error.name()).trim_end().to_owned()
        })?;
        Ok(program)
    }

    fn launch(&self, program: &Program, launch: &KernelLaunch) -> Result<Vec<Output>, String> {
        let failed = |what: &str| {
            let what = format!("{what} of `{}`", launch.kernel);
            move |error: ClError| format!("{what}: {}", error.name())
        };
        let kernel = program.kernel(&launch.kernel).map_err(failed("creation"))?;
        let count = kernel.argument_count().map_err(failed("arguments"))?;
        if count != launch.arguments.len() as u64 {
            let (name, given) = (&launch.kernel, launch.arguments.len());
            return Err(format!("`{name}` takes {count} arguments, and there are {given}"));
        }
        let buffers = self.set_arguments(&kernel, launch)?;
        let sizes = |sizes: &[u64]| sizes.iter().map(|&size| size as usize).collect::<Vec<_>>();
        let local = launch.local.as_deref().map(sizes);
        let started = self.queue.launch(&kernel, &sizes(&launch.global), local.as_deref());
        started.map_err(failed("launch"))?;
        self.queue.finish().map_err(failed("execution"))?;
        let mut outputs = Vec::new();
        for (name, element, buffer) in buffers.iter().filter_map(|buffer| buffer.as_output()) {
            let bytes = self.queue.read(buffer).map_err(failed("result"))?;
            outputs.push(Output {
                kernel: launch.kernel.clone(),
                name: name.to_owned(),
                scalar: element.scalar,
                bytes,
            });
        }
        Ok(outputs)
    }

    fn set_arguments<'a>(
        &self,
        kernel: &Kernel,
        launch: &'a KernelLaunch,
    ) -> Result<Vec<Bound<'a>>, String> {
        let mut bound = Vec::new();
        for (index, argument) in launch.arguments.iter().enumerate() {
            let at = index as u32;
            let set = match argument {
                Argument::Local(bytes) => kernel.set_local(at, *bytes as usize),
                Argument::Value(bytes) => kernel.set_value(at, bytes),
                Argument::Buffer { name, element, elements, fill, output } => {
                    let mut content = fill.content(*element, *elements);
                    self.context.buffer(&mut content).and_then(|buffer| {
                        kernel.set_buffer(at, &buffer)?;
                        bound.push(Bound { name, element: *element, output: *output, buffer });
                        Ok(())
                    })
                }
            };
            set.map_err(|error| {
                format!("argument {} of `{}`: {}", index + 1, launch.kernel, error.name())
            })?;
        }
        Ok(bound)
    }
}

/// A buffer that is set as an argument.
struct Bound<'a> {
    name: &'a str,
    element: ElementType,
    output: bool,
    buffer: Buffer,
}

impl Bound<'_> {
    fn as_output(&self) -> Option<(&str, ElementType, &Buffer)> {
        self.output.then_some((self.name, self.element, &self.buffer))
    }
}
