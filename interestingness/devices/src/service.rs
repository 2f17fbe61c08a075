//! The service of a worker that keeps a device, for any driver. It runs inside the worker process.

use std::io;

use clreduce_kernel::KernelRun;
use clreduce_process::worker::{Replies, Service, WorkerFolder};

use crate::error::DriverError;
use crate::protocol::{DeviceOrder, DeviceReply, FoundDevice, RunEnd};

/// A driver, loaded into the worker process, with one device that is ready.
pub(crate) trait Driver: Sized + 'static {
    /// The name of the service on the command line of a worker program.
    const SERVICE: &'static str;

    /// Lists the devices of the driver.
    fn list() -> Result<Vec<FoundDevice>, DriverError>;

    /// Makes a device ready.
    fn open(platform: u32, device: u32) -> Result<Self, DriverError>;

    /// Builds a program and runs its launches; calls `built` in between.
    fn run(&self, run: &KernelRun, built: impl FnOnce()) -> RunEnd;
}

/// The reason that a program was not built: what the compiler printed, or else the error.
pub(crate) struct BuildLog(pub String);

/// A worker that keeps a device of driver `D`.
pub(crate) struct DeviceService<D> {
    folder: WorkerFolder,
    device: Option<D>,
}

impl<D: Driver> Service for DeviceService<D> {
    const NAME: &'static str = D::SERVICE;
    /// Drivers for CPUs keep the private memory of work-items on the stacks of their threads.
    const STACK_BYTES: u64 = 256 << 20;
    type Order = DeviceOrder;
    type Reply = DeviceReply;

    fn begin(folder: WorkerFolder) -> Self {
        Self { folder, device: None }
    }

    fn answer(&mut self, order: DeviceOrder, replies: &Replies<DeviceReply>) -> io::Result<()> {
        let reply = match order {
            DeviceOrder::List => DeviceReply::Devices(D::list()),
            DeviceOrder::Open { platform, device } => {
                let ready = D::open(platform, device);
                DeviceReply::Opened(ready.map(|ready| self.device = Some(ready)))
            }
            DeviceOrder::Run(run) => {
                let device = self.device.as_ref().ok_or(io::ErrorKind::InvalidData)?;
                let mut sent = Ok(());
                let done = device.run(&run, || sent = replies.send(&DeviceReply::Built));
                sent?;
                self.folder.empty_cache();
                DeviceReply::RunEnd(done)
            }
        };
        replies.send(&reply)
    }
}
