//! OpenCL as Rust, as far as running kernels needs it.
//!
//! One of the modules with `unsafe` code. It is sound as long as the driver does what the OpenCL specification says:
//! every pointer passed is valid for the sizes passed with it, sizes come from slices, objects are created by the
//! library and released once, a kernel owns the buffers that are set as its arguments, and nothing is read from or
//! written to memory after the call that got its address, because all calls used here are blocking or are followed by
//! `clFinish` before their memory goes.
//!
//! What the specification leaves to the kernel is left to the caller: [`ClKernel::set_value`] and [`ClQueue::launch`]
//! are `unsafe`, and state what the caller has to ensure.

#![allow(unsafe_code)]

mod images;
mod symbols;

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use symbols::{ClObject, ClSymbols};

/// An error code of OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClError(pub i32);

type Result<T> = std::result::Result<T, ClError>;

impl ClError {
    /// The name that the specification gives it.
    pub(super) fn name(self) -> String {
        let known = match self.0 {
            -1 => "CL_DEVICE_NOT_FOUND",
            -2 => "CL_DEVICE_NOT_AVAILABLE",
            -3 => "CL_COMPILER_NOT_AVAILABLE",
            -4 => "CL_MEM_OBJECT_ALLOCATION_FAILURE",
            -5 => "CL_OUT_OF_RESOURCES",
            -6 => "CL_OUT_OF_HOST_MEMORY",
            -10 => "CL_IMAGE_FORMAT_NOT_SUPPORTED",
            -11 => "CL_BUILD_PROGRAM_FAILURE",
            -14 => "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
            -30 => "CL_INVALID_VALUE",
            -36 => "CL_INVALID_COMMAND_QUEUE",
            -39 => "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
            -40 => "CL_INVALID_IMAGE_SIZE",
            -43 => "CL_INVALID_BUILD_OPTIONS",
            -45 => "CL_INVALID_PROGRAM_EXECUTABLE",
            -46 => "CL_INVALID_KERNEL_NAME",
            -47 => "CL_INVALID_KERNEL_DEFINITION",
            -49 => "CL_INVALID_ARG_INDEX",
            -50 => "CL_INVALID_ARG_VALUE",
            -51 => "CL_INVALID_ARG_SIZE",
            -52 => "CL_INVALID_KERNEL_ARGS",
            -53 => "CL_INVALID_WORK_DIMENSION",
            -54 => "CL_INVALID_WORK_GROUP_SIZE",
            -55 => "CL_INVALID_WORK_ITEM_SIZE",
            -59 => "CL_INVALID_OPERATION",
            -61 => "CL_INVALID_BUFFER_SIZE",
            -63 => "CL_INVALID_GLOBAL_WORK_SIZE",
            -65 => "CL_INVALID_IMAGE_DESCRIPTOR",
            -1001 => "no OpenCL platform is installed",
            other => return format!("OpenCL error {other}"),
        };
        known.to_owned()
    }
}

fn check(code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(ClError(code)) }
}

/// The OpenCL library.
#[derive(Clone, Copy)]
pub(super) struct OpenClApi(&'static ClSymbols);

/// A platform; it lives as long as the process.
#[derive(Clone, Copy)]
pub(super) struct ClPlatform {
    api: OpenClApi,
    id: ClObject,
}

/// A device; it lives as long as the process.
#[derive(Clone, Copy)]
pub(super) struct ClDevice {
    api: OpenClApi,
    id: ClObject,
}

/// An object that was created and is released on drop.
macro_rules! owned {
    ($($(#[$doc:meta])* $name:ident by $release:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name {
            api: OpenClApi,
            raw: ClObject,
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: created by the library, and this is the only release. Objects that still
                // need it hold references of their own.
                unsafe { (self.api.0.$release)(self.raw) };
            }
        }
    )*};
}

owned! {
    /// The owner of programs, queues and buffers of one device.
    ClContext by clReleaseContext;
    /// The commands for a device, in order.
    ClQueue by clReleaseCommandQueue;
    /// Source text, later built.
    ClProgram by clReleaseProgram;
    /// The handle of a kernel.
    KernelHandle by clReleaseKernel;
    /// Memory of the device.
    ClMemory by clReleaseMemObject;
    /// A way to read images.
    ClSampler by clReleaseSampler;
}

/// A kernel of a built program, with the buffers and samplers that are set as its arguments: the library does not keep those
/// alive.
pub(super) struct ClKernel {
    /// Released before the others.
    handle: KernelHandle,
    buffers: Vec<ClBuffer>,
    samplers: Vec<ClSampler>,
}

/// Memory of the device and how many bytes it has.
pub(super) struct ClBuffer {
    memory: ClMemory,
    bytes: usize,
    /// Width, height and depth, if it is an image.
    region: Option<[usize; 3]>,
    /// The buffer that its pixels are in, if they are in one.
    _store: Option<ClMemory>,
}

/// The flags of memory that kernels read and write, and that begins with a copy.
const READ_WRITE_COPY: u64 = 1 | 1 << 5;

/// Asks for something of unknown length as the API wants it: first the length, then the content.
fn ask(call: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Result<Vec<u8>> {
    let mut length = 0;
    check(call(0, null_mut(), &mut length))?;
    let mut bytes = vec![0; length];
    check(call(length, bytes.as_mut_ptr().cast(), null_mut()))?;
    Ok(bytes)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

impl OpenClApi {
    /// Loads the library.
    pub(super) fn load() -> std::result::Result<Self, libloading::Error> {
        symbols::load().map(Self)
    }

    /// All platforms; none is not an error.
    pub(super) fn platforms(self) -> Result<Vec<ClPlatform>> {
        let mut count = 0;
        // SAFETY: asks for the number only.
        let code = unsafe { (self.0.clGetPlatformIDs)(0, null_mut(), &mut count) };
        // The ICD loader has an error of its own for "there is none".
        if code == -1001 {
            return Ok(Vec::new());
        }
        check(code)?;
        let mut ids = vec![null_mut(); count as usize];
        if count > 0 {
            // SAFETY: there is room for `count` platforms.
            check(unsafe { (self.0.clGetPlatformIDs)(count, ids.as_mut_ptr(), null_mut()) })?;
        }
        Ok(ids.into_iter().map(|id| ClPlatform { api: self, id }).collect())
    }
}

impl ClPlatform {
    /// CL_PLATFORM_NAME.
    pub(super) fn name(self) -> Result<String> {
        self.info(0x0902)
    }

    /// CL_PLATFORM_VERSION.
    pub(super) fn version(self) -> Result<String> {
        self.info(0x0901)
    }

    fn info(self, what: u32) -> Result<String> {
        // SAFETY: `ask` passes a length and memory of that length.
        let call = |length, at, needed| unsafe {
            (self.api.0.clGetPlatformInfo)(self.id, what, length, at, needed)
        };
        ask(call).map(|bytes| text(&bytes))
    }

    /// Devices of every type.
    pub(super) fn devices(self) -> Result<Vec<ClDevice>> {
        const ALL: u64 = 0xffff_ffff;
        let mut count = 0;
        // SAFETY: asks for the number only.
        let code = unsafe { (self.api.0.clGetDeviceIDs)(self.id, ALL, 0, null_mut(), &mut count) };
        if code == -1 {
            return Ok(Vec::new());
        }
        check(code)?;
        let mut ids = vec![null_mut(); count as usize];
        // SAFETY: there is room for `count` devices.
        check(unsafe {
            (self.api.0.clGetDeviceIDs)(self.id, ALL, count, ids.as_mut_ptr(), null_mut())
        })?;
        Ok(ids.into_iter().map(|id| ClDevice { api: self.api, id }).collect())
    }
}

impl ClDevice {
    fn info(self, what: u32) -> Result<Vec<u8>> {
        // SAFETY: `ask` passes a length and memory of that length.
        ask(|length, at, needed| unsafe {
            (self.api.0.clGetDeviceInfo)(self.id, what, length, at, needed)
        })
    }

    /// CL_DEVICE_NAME.
    pub(super) fn name(self) -> Result<String> {
        self.info(0x102b).map(|bytes| text(&bytes))
    }

    /// CL_DEVICE_VENDOR.
    pub(super) fn vendor(self) -> Result<String> {
        self.info(0x102c).map(|bytes| text(&bytes))
    }

    /// CL_DRIVER_VERSION.
    pub(super) fn driver(self) -> Result<String> {
        self.info(0x102d).map(|bytes| text(&bytes))
    }

    /// CL_DEVICE_VERSION.
    pub(super) fn version(self) -> Result<String> {
        self.info(0x102f).map(|bytes| text(&bytes))
    }

    /// CL_DEVICE_TYPE: 2 is a CPU, 4 a GPU, 8 an accelerator.
    pub(super) fn kind(self) -> Result<u64> {
        self.info(0x1000).map(|bytes| number(&bytes))
    }

    /// CL_DEVICE_MAX_COMPUTE_UNITS.
    pub(super) fn compute_units(self) -> Result<u64> {
        self.info(0x1002).map(|bytes| number(&bytes))
    }

    /// CL_DEVICE_MAX_WORK_GROUP_SIZE.
    pub(super) fn max_work_group(self) -> Result<u64> {
        self.info(0x1004).map(|bytes| number(&bytes))
    }

    /// CL_DEVICE_GLOBAL_MEM_SIZE, in bytes.
    pub(super) fn memory_bytes(self) -> Result<u64> {
        self.info(0x101f).map(|bytes| number(&bytes))
    }

    /// A context of this device alone.
    pub(super) fn context(self) -> Result<ClContext> {
        let mut code = 0;
        // SAFETY: no properties, one device, no callback.
        let raw = unsafe {
            (self.api.0.clCreateContext)(null(), 1, &self.id, null(), null_mut(), &mut code)
        };
        check(code).map(|()| ClContext { api: self.api, raw })
    }
}

/// A number of four or eight bytes.
fn number(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    let length = bytes.len().min(8);
    whole[..length].copy_from_slice(&bytes[..length]);
    u64::from_ne_bytes(whole)
}

impl ClContext {
    /// A queue that works in order.
    pub(super) fn queue(&self, device: ClDevice) -> Result<ClQueue> {
        let mut code = 0;
        // SAFETY: both are live; no properties.
        let raw = unsafe { (self.api.0.clCreateCommandQueue)(self.raw, device.id, 0, &mut code) };
        check(code).map(|()| ClQueue { api: self.api, raw })
    }

    /// A program from its source text.
    pub(super) fn program(&self, source: &[u8]) -> Result<ClProgram> {
        let (start, length): (*const c_char, _) = (source.as_ptr().cast(), source.len());
        let mut code = 0;
        // SAFETY: one text of the length given; the library makes a copy.
        let raw = unsafe {
            (self.api.0.clCreateProgramWithSource)(self.raw, 1, &start, &length, &mut code)
        };
        check(code).map(|()| ClProgram { api: self.api, raw })
    }

    /// A buffer with this content, which must not be empty.
    pub(super) fn buffer(&self, content: &mut [u8]) -> Result<ClBuffer> {
        let (bytes, mut code) = (content.len(), 0);
        let at = content.as_mut_ptr().cast();
        // SAFETY: the library copies `bytes` bytes from `content` before it returns.
        let raw =
            unsafe { (self.api.0.clCreateBuffer)(self.raw, READ_WRITE_COPY, bytes, at, &mut code) };
        let memory = check(code).map(|()| ClMemory { api: self.api, raw })?;
        Ok(ClBuffer { memory, bytes, region: None, _store: None })
    }
}

impl ClProgram {
    /// Compiles and links it.
    pub(super) fn build(&self, device: ClDevice, options: &CStr) -> Result<()> {
        // SAFETY: one device, a terminated text, no callback.
        check(unsafe {
            let options = options.as_ptr();
            (self.api.0.clBuildProgram)(self.raw, 1, &device.id, options, null(), null_mut())
        })
    }

    /// The compiler's log.
    pub(super) fn log(&self, device: ClDevice) -> Result<String> {
        const BUILD_LOG: u32 = 0x1183;
        // SAFETY: `ask` passes a length and memory of that length.
        let call = |length, at, needed| unsafe {
            (self.api.0.clGetProgramBuildInfo)(self.raw, device.id, BUILD_LOG, length, at, needed)
        };
        ask(call).map(|bytes| text(&bytes))
    }

    /// The kernel of that name.
    pub(super) fn kernel(&self, name: &str) -> Result<ClKernel> {
        let name = CString::new(name).map_err(|_| ClError(-46))?;
        let mut code = 0;
        // SAFETY: a terminated text.
        let raw = unsafe { (self.api.0.clCreateKernel)(self.raw, name.as_ptr(), &mut code) };
        let handle = check(code).map(|()| KernelHandle { api: self.api, raw })?;
        Ok(ClKernel { handle, buffers: Vec::new(), samplers: Vec::new() })
    }
}

impl ClKernel {
    /// The number of its arguments.
    pub(super) fn argument_count(&self) -> Result<u64> {
        let handle = &self.handle;
        // SAFETY: `ask` passes a length and memory of that length.
        let call = |length, at, needed| unsafe {
            (handle.api.0.clGetKernelInfo)(handle.raw, 0x1191, length, at, needed)
        };
        ask(call).map(|bytes| number(&bytes))
    }

    /// Sets a buffer, which the kernel keeps. Returns its number, for [`buffer`](Self::buffer).
    pub(super) fn set_buffer(&mut self, index: u32, buffer: ClBuffer) -> Result<usize> {
        let (handle, raw): (_, *const ClObject) = (&self.handle, &buffer.memory.raw);
        // SAFETY: what is passed is the address of a handle, with the size of a handle. The memory lives as long as
        // the kernel.
        check(unsafe {
            (handle.api.0.clSetKernelArg)(handle.raw, index, size_of::<ClObject>(), raw.cast())
        })?;
        self.buffers.push(buffer);
        Ok(self.buffers.len() - 1)
    }

    /// Sets a sampler, which the kernel keeps.
    pub(super) fn set_sampler(&mut self, index: u32, sampler: ClSampler) -> Result<()> {
        let (handle, raw): (_, *const ClObject) = (&self.handle, &sampler.raw);
        // SAFETY: what is passed is the address of a handle, with the size of a handle. The sampler lives as long as the
        // kernel.
        check(unsafe {
            (handle.api.0.clSetKernelArg)(handle.raw, index, size_of::<ClObject>(), raw.cast())
        })?;
        self.samplers.push(sampler);
        Ok(())
    }

    /// The buffer that was set with this number.
    pub(super) fn buffer(&self, number: usize) -> Option<&ClBuffer> {
        self.buffers.get(number)
    }

    /// Sets a value.
    ///
    /// # Safety
    /// The parameter is a value: no pointer to global or constant memory, no image and no sampler. For these the
    /// library would take the bytes for one of its own handles. Where the program comes from somebody else, the
    /// process must be one that may crash: a worker, which holds nothing of value.
    pub(super) unsafe fn set_value(&self, index: u32, value: &[u8]) -> Result<()> {
        let handle = &self.handle;
        // SAFETY: the library copies as many bytes as the slice has; the caller knows that they are a value.
        check(unsafe {
            (handle.api.0.clSetKernelArg)(handle.raw, index, value.len(), value.as_ptr().cast())
        })
    }

    /// Gives an argument `bytes` bytes of local memory.
    pub(super) fn set_local(&self, index: u32, bytes: usize) -> Result<()> {
        let handle = &self.handle;
        // SAFETY: null is what the specification asks for here.
        check(unsafe { (handle.api.0.clSetKernelArg)(handle.raw, index, bytes, null()) })
    }
}

impl ClQueue {
    /// Starts a kernel; one to three sizes, as many local as global ones.
    ///
    /// # Safety
    /// The kernel accesses no memory but that of its arguments. On a device that is a CPU it may otherwise write
    /// anywhere in this process. Where the program comes from somebody else, the process must be one that may crash:
    /// a worker, which holds nothing of value.
    pub(super) unsafe fn launch(
        &self,
        kernel: &ClKernel,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<()> {
        const INVALID_WORK_DIMENSION: ClError = ClError(-53);
        if local.is_some_and(|local| local.len() != global.len())
            || !(1..=3).contains(&global.len())
        {
            return Err(INVALID_WORK_DIMENSION);
        }
        let local = local.map_or(null(), <[usize]>::as_ptr);
        let dimensions = global.len() as u32;
        // SAFETY: both arrays have `dimensions` elements, which the library copies. The buffers among the arguments
        // are alive, because the kernel owns them. The caller knows what the kernel does.
        check(unsafe {
            (self.api.0.clEnqueueNDRangeKernel)(
                self.raw,
                kernel.handle.raw,
                dimensions,
                null(),
                global.as_ptr(),
                local,
                0,
                null(),
                null_mut(),
            )
        })
    }

    /// Waits until everything is done.
    pub(super) fn finish(&self) -> Result<()> {
        // SAFETY: the queue is live.
        check(unsafe { (self.api.0.clFinish)(self.raw) })
    }

    /// The content of a buffer.
    pub(super) fn read(&self, buffer: &ClBuffer) -> Result<Vec<u8>> {
        let mut content = vec![0; buffer.bytes];
        let at = content.as_mut_ptr().cast();
        if let Some(region) = buffer.region {
            let origin = [0; 3];
            // SAFETY: there is room for all pixels of the region without a pitch, and the call blocks until they are there.
            check(unsafe {
                let (queue, memory) = (self.raw, buffer.memory.raw);
                let read = self.api.0.clEnqueueReadImage;
                let (origin, region) = (origin.as_ptr(), region.as_ptr());
                read(queue, memory, 1, origin, region, 0, 0, at, 0, null(), null_mut())
            })?;
            return Ok(content);
        }
        // SAFETY: there is room for all of the buffer, and the call blocks until it is there.
        check(unsafe {
            let (queue, memory) = (self.raw, buffer.memory.raw);
            let read = self.api.0.clEnqueueReadBuffer;
            read(queue, memory, 1, 0, buffer.bytes, at, 0, null(), null_mut())
        })?;
        Ok(content)
    }
}

#[cfg(test)]
mod tests;
