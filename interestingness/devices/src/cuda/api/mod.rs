//! The CUDA driver and NVRTC as Rust, as far as running kernels needs them.
//!
//! One of the modules with `unsafe` code. It is sound as long as driver and compiler do what their manuals say: every
//! pointer passed is valid for the sizes passed with it, sizes come from slices or were asked for immediately before,
//! objects are released once by the types that own them, and all calls used here are blocking or are followed by a
//! synchronisation before their memory goes. The driver reads as many arguments as a kernel has, whatever their
//! number: [`CuModule::launch`] therefore hands over as many as any kernel can have.
//!
//! What a kernel does is left to the caller: [`CuModule::launch`] is `unsafe`, and states what the caller has to
//! ensure.

#![allow(unsafe_code)]

mod symbols;

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use symbols::{CuObject, DriverSymbols, NvrtcSymbols};

/// An error code of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CuError(i32);

type Result<T> = std::result::Result<T, CuError>;

fn check(code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(CuError(code)) }
}

/// The driver.
#[derive(Clone, Copy)]
pub(super) struct CudaApi(&'static DriverSymbols);

/// A device; it lives as long as the process.
#[derive(Clone, Copy)]
pub(super) struct CuDevice {
    api: CudaApi,
    id: i32,
}

/// An attribute for `cuDeviceGetAttribute`.
#[derive(Clone, Copy)]
pub(super) enum CuAttribute {
    MaxThreadsPerBlock = 1,
    Multiprocessors = 16,
    CapabilityMajor = 75,
    CapabilityMinor = 76,
}

impl CudaApi {
    /// Loads the driver and starts it. `None`: there is none.
    pub(super) fn load() -> Option<Result<Self>> {
        let api = Self(symbols::load_driver().ok()?);
        // SAFETY: as the manual says.
        Some(check(unsafe { (api.0.init)(0) }).map(|()| api))
    }

    /// The version of CUDA that it speaks, as in "13.0".
    pub(super) fn version(self) -> Result<String> {
        let mut version = 0;
        // SAFETY: it writes one number.
        check(unsafe { (self.0.version)(&mut version) })?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// All devices.
    pub(super) fn devices(self) -> Result<Vec<CuDevice>> {
        let mut count = 0;
        // SAFETY: it writes one number.
        check(unsafe { (self.0.device_count)(&mut count) })?;
        let device = |ordinal| {
            let mut id = 0;
            // SAFETY: it writes one number.
            check(unsafe { (self.0.device)(&mut id, ordinal) })?;
            Ok(CuDevice { api: self, id })
        };
        (0..count).map(device).collect()
    }

    /// The name of an error, as in "CUDA_ERROR_ILLEGAL_ADDRESS".
    pub(super) fn name(self, error: CuError) -> String {
        let mut name: *const c_char = null();
        // SAFETY: it writes one pointer, to a text that stays.
        if unsafe { (self.0.error_name)(error.0, &mut name) } != 0 || name.is_null() {
            return format!("CUDA error {}", error.0);
        }
        // SAFETY: the text ends with a zero byte.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }

    /// Waits until everything is done.
    pub(super) fn synchronise(self) -> Result<()> {
        // SAFETY: it has no arguments.
        check(unsafe { (self.0.synchronise)() })
    }

    /// A copy of the bytes in the device's memory.
    pub(super) fn buffer(self, content: &[u8]) -> Result<CuBuffer> {
        let mut address = 0;
        // SAFETY: it writes one address. No memory at all is an error, so there is at least one byte.
        check(unsafe { (self.0.allocate)(&mut address, content.len().max(1)) })?;
        let buffer = CuBuffer { api: self, address, bytes: content.len() };
        // SAFETY: both sides have as many bytes.
        check(unsafe { (self.0.copy_to_device)(address, content.as_ptr().cast(), content.len()) })?;
        Ok(buffer)
    }

    /// Loads what a compiler made; the error comes with what the driver says.
    pub(super) fn module(self, code: &[u8]) -> std::result::Result<CuModule, (CuError, String)> {
        const ERROR_LOG: i32 = 5;
        const ERROR_LOG_BYTES: i32 = 6;
        let mut log = vec![0_u8; 16 << 10];
        let mut options = [ERROR_LOG, ERROR_LOG_BYTES];
        // Numbers go where pointers do.
        let mut values = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
        let mut raw = null_mut();
        // SAFETY: the options are two, each with its value, and the log is as long as it says.
        let code = unsafe {
            (self.0.load_module)(
                &mut raw,
                code.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        check(code).map_err(|error| (error, text(&log)))?;
        Ok(CuModule { api: self, raw })
    }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

impl CuDevice {
    pub(super) fn name(self) -> Result<String> {
        let mut name = vec![0_u8; 256];
        // SAFETY: it writes at most as many bytes.
        check(unsafe { (self.api.0.device_name)(name.as_mut_ptr().cast(), 256, self.id) })?;
        Ok(text(&name))
    }

    pub(super) fn memory_bytes(self) -> Result<u64> {
        let mut bytes = 0;
        // SAFETY: it writes one number.
        check(unsafe { (self.api.0.device_memory)(&mut bytes, self.id) })?;
        Ok(bytes as u64)
    }

    pub(super) fn attribute(self, attribute: CuAttribute) -> Result<u64> {
        let mut value = 0;
        // SAFETY: it writes one number.
        check(unsafe { (self.api.0.device_attribute)(&mut value, attribute as i32, self.id) })?;
        Ok(u64::try_from(value).unwrap_or(0))
    }

    /// Makes it this thread's device, for good.
    pub(super) fn open(self) -> Result<()> {
        let mut context = null_mut();
        // SAFETY: it writes one handle, which is never given back.
        check(unsafe { (self.api.0.retain_context)(&mut context, self.id) })?;
        // SAFETY: the handle is valid.
        check(unsafe { (self.api.0.set_context)(context) })
    }
}

/// Memory of the device.
pub(super) struct CuBuffer {
    api: CudaApi,
    address: u64,
    bytes: usize,
}

impl CuBuffer {
    /// Its content.
    pub(super) fn read(&self) -> Result<Vec<u8>> {
        let mut content = vec![0; self.bytes];
        // SAFETY: both sides have as many bytes.
        let code = unsafe {
            (self.api.0.copy_to_host)(content.as_mut_ptr().cast(), self.address, self.bytes)
        };
        check(code).map(|()| content)
    }

    /// Its address, as a kernel gets it.
    pub(super) fn argument(&self) -> Vec<u8> {
        self.address.to_ne_bytes().to_vec()
    }
}

impl Drop for CuBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated by the driver, and this is the only release.
        unsafe { (self.api.0.free)(self.address) };
    }
}

/// Code on the device.
pub(super) struct CuModule {
    api: CudaApi,
    raw: CuObject,
}

/// The most bytes that all parameters of a kernel have together, in any version of CUDA, and so the most parameters.
const MOST_PARAMETER_BYTES: usize = 32 << 10;

impl CuModule {
    /// Starts a kernel of the module: blocks, threads of each, and its arguments in memory. Arguments that are
    /// missing, and bytes that an argument lacks, are zeros.
    ///
    /// # Safety
    /// The kernel accesses no memory but that of its arguments. Some devices share their memory with this process.
    /// Where the program comes from somebody else, the process must be one that may crash: a worker, which holds
    /// nothing of value.
    pub(super) unsafe fn launch(
        &self,
        name: &CStr,
        blocks: [u32; 3],
        threads: [u32; 3],
        arguments: &[Vec<u8>],
    ) -> Result<()> {
        let mut function = null_mut();
        // SAFETY: it writes one handle, which lives as long as the module.
        check(unsafe { (self.api.0.function)(&mut function, self.raw, name.as_ptr()) })?;
        let mut room: Vec<Vec<u128>> = arguments.iter().map(|bytes| padded(bytes)).collect();
        let mut zeros = padded(&[]);
        let mut pointers: Vec<*mut c_void> =
            room.iter_mut().map(|words| words.as_mut_ptr().cast()).collect();
        let missing = MOST_PARAMETER_BYTES.saturating_sub(pointers.len());
        pointers.extend(std::iter::repeat_n(zeros.as_mut_ptr().cast::<c_void>(), missing));
        let ([bx, by, bz], [tx, ty, tz]) = (blocks, threads);
        // SAFETY: there are at least as many pointers as any kernel has parameters, each to as many bytes as any
        // parameter has, which the driver copies before it returns. The caller knows what the kernel does.
        check(unsafe {
            (self.api.0.launch)(
                function,
                bx,
                by,
                bz,
                tx,
                ty,
                tz,
                0,
                null_mut(),
                pointers.as_mut_ptr(),
                null_mut(),
            )
        })
    }
}

/// Bytes in memory as aligned as any argument may have to be, with zeros behind them.
fn padded(bytes: &[u8]) -> Vec<u128> {
    let mut words = vec![0; bytes.len().max(MOST_PARAMETER_BYTES).div_ceil(16)];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(16)) {
        let mut whole = [0; 16];
        whole[..chunk.len()].copy_from_slice(chunk);
        *word = u128::from_ne_bytes(whole);
    }
    words
}

impl Drop for CuModule {
    fn drop(&mut self) {
        // SAFETY: loaded by the driver, and this is the only release.
        unsafe { (self.api.0.unload_module)(self.raw) };
    }
}

/// The compiler's errors, for people.
pub(super) struct NvrtcError(pub String);

/// The compiler.
#[derive(Clone, Copy)]
pub(super) struct NvrtcCompiler(&'static NvrtcSymbols);

/// The code that the compiler made of a program.
pub(super) struct NvrtcCode {
    /// For [`CudaApi::module`].
    pub code: Vec<u8>,
    /// The names of the kernels asked for, as the code has them, in the same order.
    pub names: Vec<CString>,
}

impl NvrtcCompiler {
    /// Loads NVRTC.
    pub(super) fn load() -> std::result::Result<Self, libloading::Error> {
        symbols::load_nvrtc().map(Self)
    }

    /// As in "13.0".
    pub(super) fn version(self) -> String {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: it writes two numbers.
        unsafe { (self.0.version)(&mut major, &mut minor) };
        format!("{major}.{minor}")
    }

    /// Compiles a program; the error is what the compiler says.
    pub(super) fn compile(
        self,
        source: &CStr,
        options: &[CString],
        kernels: &[CString],
    ) -> std::result::Result<NvrtcCode, NvrtcError> {
        let mut raw = null_mut();
        // SAFETY: the texts end with zero bytes, and there are no headers.
        let code = unsafe {
            (self.0.create)(&mut raw, source.as_ptr(), c"kernel.cu".as_ptr(), 0, null(), null())
        };
        if code != 0 {
            return Err(NvrtcError(format!("NVRTC error {code}")));
        }
        let program = NvrtcProgram { compiler: self, raw };
        for (at, kernel) in kernels.iter().enumerate() {
            if kernels[..at].contains(kernel) {
                continue;
            }
            // SAFETY: the text ends with a zero byte and is copied.
            unsafe { (self.0.add_name)(raw, kernel.as_ptr()) };
        }
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = i32::try_from(pointers.len()).unwrap_or(0);
        // SAFETY: there are as many options.
        let code = unsafe { (self.0.compile)(raw, count, pointers.as_ptr()) };
        if code != 0 {
            let text = format!("NVRTC error {code}\n{}", program.log());
            return Err(NvrtcError(text.trim_end().to_owned()));
        }
        let names = kernels.iter().map(|kernel| program.lowered_name(kernel)).collect();
        let code = program.code().ok_or_else(|| NvrtcError("NVRTC has made no code".to_owned()))?;
        Ok(NvrtcCode { code, names })
    }
}

struct NvrtcProgram {
    compiler: NvrtcCompiler,
    raw: CuObject,
}

impl NvrtcProgram {
    fn log(&self) -> String {
        let mut bytes = 0;
        // SAFETY: it writes one number.
        unsafe { (self.compiler.0.log_size)(self.raw, &mut bytes) };
        let mut log = vec![0_u8; bytes.max(1)];
        // SAFETY: it writes as many bytes as it said.
        unsafe { (self.compiler.0.log)(self.raw, log.as_mut_ptr().cast()) };
        text(&log)
    }

    fn code(&self) -> Option<Vec<u8>> {
        let mut bytes = 0;
        // SAFETY: it writes one number.
        let asked = unsafe { (self.compiler.0.code_size)(self.raw, &mut bytes) };
        let mut code = vec![0_u8; bytes];
        // SAFETY: it writes as many bytes as it said.
        let got = unsafe { (self.compiler.0.code)(self.raw, code.as_mut_ptr().cast()) };
        (asked == 0 && got == 0 && bytes > 0).then_some(code)
    }

    /// A name that the compiler does not know stays as it is: the launch will say that there is no such kernel.
    fn lowered_name(&self, kernel: &CStr) -> CString {
        let mut name: *const c_char = null();
        // SAFETY: it writes one pointer, to a text that lives as long as the program.
        let code = unsafe { (self.compiler.0.lowered_name)(self.raw, kernel.as_ptr(), &mut name) };
        if code != 0 || name.is_null() {
            return kernel.to_owned();
        }
        // SAFETY: the text ends with a zero byte.
        unsafe { CStr::from_ptr(name) }.to_owned()
    }
}

impl Drop for NvrtcProgram {
    fn drop(&mut self) {
        // SAFETY: created by the compiler, and this is the only release.
        unsafe { (self.compiler.0.destroy)(&mut self.raw) };
    }
}
