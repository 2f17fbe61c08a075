//! The functions of the CUDA driver and of NVRTC, by name, and where the libraries are looked for.

use std::ffi::{c_char, c_void};
use std::path::PathBuf;

use libloading::Library;

use super::super::toolkit::toolkits;

/// Any of CUDA's objects.
pub(super) type CuObject = *mut c_void;

/// Declares a table: a field per function, and the name that the library has for it.
macro_rules! symbols {
    ($table:ident: $($name:ident = $symbol:literal ($($argument:ty),* $(,)?);)*) => {
        pub(super) struct $table {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> i32,)*
        }

        impl $table {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: these are the signatures that the manuals give for these names; a library
                // that uses the names for something else is not this library.
                unsafe {
                    Ok(Self { $($name: *library.get(concat!($symbol, "\0").as_bytes())?,)* })
                }
            }
        }
    };
}

symbols! { DriverSymbols:
    init = "cuInit"(u32);
    version = "cuDriverGetVersion"(*mut i32);
    device_count = "cuDeviceGetCount"(*mut i32);
    device = "cuDeviceGet"(*mut i32, i32);
    device_name = "cuDeviceGetName"(*mut c_char, i32, i32);
    device_memory = "cuDeviceTotalMem_v2"(*mut usize, i32);
    device_attribute = "cuDeviceGetAttribute"(*mut i32, i32, i32);
    retain_context = "cuDevicePrimaryCtxRetain"(*mut CuObject, i32);
    set_context = "cuCtxSetCurrent"(CuObject);
    synchronise = "cuCtxSynchronize"();
    load_module = "cuModuleLoadDataEx"(*mut CuObject, *const c_void, u32, *mut i32, *mut *mut c_void);
    unload_module = "cuModuleUnload"(CuObject);
    function = "cuModuleGetFunction"(*mut CuObject, CuObject, *const c_char);
    allocate = "cuMemAlloc_v2"(*mut u64, usize);
    free = "cuMemFree_v2"(u64);
    copy_to_device = "cuMemcpyHtoD_v2"(u64, *const c_void, usize);
    copy_to_host = "cuMemcpyDtoH_v2"(*mut c_void, u64, usize);
    launch = "cuLaunchKernel"(
        CuObject, u32, u32, u32, u32, u32, u32, u32, CuObject, *mut *mut c_void, *mut *mut c_void,
    );
    error_name = "cuGetErrorName"(i32, *mut *const c_char);
}

symbols! { NvrtcSymbols:
    version = "nvrtcVersion"(*mut i32, *mut i32);
    create = "nvrtcCreateProgram"(
        *mut CuObject, *const c_char, *const c_char, i32, *const *const c_char, *const *const c_char,
    );
    destroy = "nvrtcDestroyProgram"(*mut CuObject);
    add_name = "nvrtcAddNameExpression"(CuObject, *const c_char);
    lowered_name = "nvrtcGetLoweredName"(CuObject, *const c_char, *mut *const c_char);
    compile = "nvrtcCompileProgram"(CuObject, i32, *const *const c_char);
    log_size = "nvrtcGetProgramLogSize"(CuObject, *mut usize);
    log = "nvrtcGetProgramLog"(CuObject, *mut c_char);
    code_size = "nvrtcGetCUBINSize"(CuObject, *mut usize);
    code = "nvrtcGetCUBIN"(CuObject, *mut c_char);
}

#[cfg(windows)]
const DRIVER_NAMES: [&str; 1] = ["nvcuda.dll"];
#[cfg(not(windows))]
const DRIVER_NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Loads the driver, for as long as the process lives.
pub(super) fn load_driver() -> Result<&'static DriverSymbols, libloading::Error> {
    let library = open(&DRIVER_NAMES.map(PathBuf::from))?;
    let symbols = DriverSymbols::of(&library)?;
    std::mem::forget(library);
    Ok(Box::leak(Box::new(symbols)))
}

/// Loads NVRTC, for as long as the process lives.
pub(super) fn load_nvrtc() -> Result<&'static NvrtcSymbols, libloading::Error> {
    let library = open(&nvrtc_paths())?;
    let symbols = NvrtcSymbols::of(&library)?;
    std::mem::forget(library);
    Ok(Box::leak(Box::new(symbols)))
}

/// The first of these files that can be loaded.
fn open(paths: &[PathBuf]) -> Result<Library, libloading::Error> {
    let mut first = None;
    for path in paths {
        // SAFETY: loading runs the library's initialisers. They are the driver's, which this process exists
        // to run.
        match unsafe { Library::new(path) } {
            Ok(library) => return Ok(library),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or(libloading::Error::DlOpenUnknown))
}

/// Returns the paths of NVRTC: where the system looks, and in the toolkit, which the system need not know.
fn nvrtc_paths() -> Vec<PathBuf> {
    #[cfg(windows)]
    let names = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];
    #[cfg(not(windows))]
    let names = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"];
    let mut paths: Vec<PathBuf> = names.map(PathBuf::from).into();
    for toolkit in toolkits() {
        for folder in ["lib64", "lib", "bin", "bin/x64"] {
            paths.extend(
                names
                    .map(|name| toolkit.join(folder).join(name))
                    .into_iter()
                    .filter(|path| path.is_file()),
            );
        }
    }
    paths
}
