//! The functions of the OpenCL library, by name, and where the library is looked for.

use std::ffi::{c_char, c_void};

use libloading::Library;

/// Any of OpenCL's objects.
pub(super) type Object = *mut c_void;

/// Declares the table: a field per function, filled by the name of the field.
macro_rules! symbols {
    ($($(#[$doc:meta])* $name:ident($($argument:ty),* $(,)?) -> $result:ty;)*) => {
        #[allow(non_snake_case, reason = "the names are OpenCL's")]
        pub(super) struct Symbols {
            $($(#[$doc])* pub $name: unsafe extern "system" fn($($argument),*) -> $result,)*
        }

        impl Symbols {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: these are the signatures that the OpenCL specification gives for these
                // names; a library that uses the names for something else is no OpenCL library.
                unsafe {
                    Ok(Self {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)*
                    })
                }
            }
        }
    };
}

symbols! {
    clGetPlatformIDs(u32, *mut Object, *mut u32) -> i32;
    clGetPlatformInfo(Object, u32, usize, *mut c_void, *mut usize) -> i32;
    clGetDeviceIDs(Object, u64, u32, *mut Object, *mut u32) -> i32;
    clGetDeviceInfo(Object, u32, usize, *mut c_void, *mut usize) -> i32;
    clCreateContext(
        *const isize, u32, *const Object, *const c_void, *mut c_void, *mut i32,
    ) -> Object;
    clCreateCommandQueue(Object, Object, u64, *mut i32) -> Object;
    clCreateProgramWithSource(Object, u32, *const *const c_char, *const usize, *mut i32) -> Object;
    clBuildProgram(
        Object, u32, *const Object, *const c_char, *const c_void, *mut c_void,
    ) -> i32;
    clGetProgramBuildInfo(Object, Object, u32, usize, *mut c_void, *mut usize) -> i32;
    clCreateKernel(Object, *const c_char, *mut i32) -> Object;
    clGetKernelInfo(Object, u32, usize, *mut c_void, *mut usize) -> i32;
    clSetKernelArg(Object, u32, usize, *const c_void) -> i32;
    clCreateBuffer(Object, u64, usize, *mut c_void, *mut i32) -> Object;
    clEnqueueNDRangeKernel(
        Object, Object, u32, *const usize, *const usize, *const usize,
        u32, *const Object, *mut Object,
    ) -> i32;
    clEnqueueReadBuffer(
        Object, Object, u32, usize, usize, *mut c_void, u32, *const Object, *mut Object,
    ) -> i32;
    clFinish(Object) -> i32;
    clReleaseContext(Object) -> i32;
    clReleaseCommandQueue(Object) -> i32;
    clReleaseProgram(Object) -> i32;
    clReleaseKernel(Object) -> i32;
    clReleaseMemObject(Object) -> i32;
}

#[cfg(windows)]
const NAMES: [&str; 1] = ["OpenCL.dll"];
#[cfg(not(windows))]
const NAMES: [&str; 2] = ["libOpenCL.so.1", "libOpenCL.so"];

/// Loads the library, for as long as the process lives: drivers leave threads and exit handlers
/// behind that do not survive their code.
pub(super) fn load() -> Result<&'static Symbols, libloading::Error> {
    let library = match preloaded() {
        Some(library) => library,
        None => open()?,
    };
    let symbols = Symbols::of(&library)?;
    std::mem::forget(library);
    Ok(Box::leak(Box::new(symbols)))
}

fn open() -> Result<Library, libloading::Error> {
    let mut last = None;
    for name in NAMES {
        // SAFETY: loading runs the library's initialisers. They are the loader's and the drivers',
        // which this process exists to run.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok(library),
            Err(error) => last = last.or(Some(error)),
        }
    }
    Err(last.unwrap_or(libloading::Error::DlOpenUnknown))
}

/// An OpenCL library that is in the process already: Oclgrind puts itself under its hosts this way.
#[cfg(unix)]
fn preloaded() -> Option<Library> {
    let library = Library::from(libloading::os::unix::Library::this());
    // SAFETY: only whether there is such a symbol matters; it is not used.
    let found = unsafe { library.get::<*const c_void>(b"clGetPlatformIDs\0") }.is_ok();
    found.then_some(library)
}

#[cfg(not(unix))]
fn preloaded() -> Option<Library> {
    None
}
