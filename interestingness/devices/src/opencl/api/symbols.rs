//! The functions of the OpenCL library, by name, and where the library is looked for.

use std::ffi::{c_char, c_void};

use libloading::Library;

/// Any of OpenCL's objects.
pub(super) type ClObject = *mut c_void;

/// `cl_image_format`.
#[repr(C)]
pub(super) struct ImageFormat {
    pub order: u32,
    pub data_type: u32,
}

/// `cl_image_desc`.
#[repr(C)]
pub(super) struct ImageDescription {
    pub kind: u32,
    pub size: [usize; 3],
    pub layers: usize,
    pub row_pitch: usize,
    pub slice_pitch: usize,
    pub mip_levels: u32,
    pub samples: u32,
    pub buffer: ClObject,
}

/// Declares the table: a field per function, filled by the name of the field.
macro_rules! symbols {
    ($($(#[$doc:meta])* $name:ident($($argument:ty),* $(,)?) -> $result:ty;)*) => {
        #[allow(non_snake_case, reason = "the names are OpenCL's")]
        pub(super) struct ClSymbols {
            $($(#[$doc])* pub $name: unsafe extern "system" fn($($argument),*) -> $result,)*
        }

        impl ClSymbols {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: these are the signatures that the OpenCL specification gives for these
                // names; a library that uses the names for something else is no OpenCL library.
                unsafe {
                    Ok(Self {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)*
                    })
                }
            }

            /// A table of functions that only note that they were called.
            #[cfg(test)]
            #[allow(non_snake_case, reason = "the names are OpenCL's")]
            pub(super) fn noting() -> Self {
                $(extern "system" fn $name($(_: $argument),*) -> $result {
                    super::tests::note(stringify!($name))
                })*
                Self { $($name,)* }
            }
        }
    };
}

symbols! {
    clGetPlatformIDs(u32, *mut ClObject, *mut u32) -> i32;
    clGetPlatformInfo(ClObject, u32, usize, *mut c_void, *mut usize) -> i32;
    clGetDeviceIDs(ClObject, u64, u32, *mut ClObject, *mut u32) -> i32;
    clGetDeviceInfo(ClObject, u32, usize, *mut c_void, *mut usize) -> i32;
    clCreateContext(
        *const isize, u32, *const ClObject, *const c_void, *mut c_void, *mut i32,
    ) -> ClObject;
    clCreateCommandQueue(ClObject, ClObject, u64, *mut i32) -> ClObject;
    clCreateProgramWithSource(ClObject, u32, *const *const c_char, *const usize, *mut i32) -> ClObject;
    clBuildProgram(
        ClObject, u32, *const ClObject, *const c_char, *const c_void, *mut c_void,
    ) -> i32;
    clGetProgramBuildInfo(ClObject, ClObject, u32, usize, *mut c_void, *mut usize) -> i32;
    clCreateKernel(ClObject, *const c_char, *mut i32) -> ClObject;
    clGetKernelInfo(ClObject, u32, usize, *mut c_void, *mut usize) -> i32;
    clSetKernelArg(ClObject, u32, usize, *const c_void) -> i32;
    clCreateBuffer(ClObject, u64, usize, *mut c_void, *mut i32) -> ClObject;
    clEnqueueNDRangeKernel(
        ClObject, ClObject, u32, *const usize, *const usize, *const usize,
        u32, *const ClObject, *mut ClObject,
    ) -> i32;
    clEnqueueReadBuffer(
        ClObject, ClObject, u32, usize, usize, *mut c_void, u32, *const ClObject, *mut ClObject,
    ) -> i32;
    clCreateImage(
        ClObject, u64, *const ImageFormat, *const ImageDescription, *mut c_void, *mut i32,
    ) -> ClObject;
    clEnqueueReadImage(
        ClObject, ClObject, u32, *const usize, *const usize, usize, usize, *mut c_void,
        u32, *const ClObject, *mut ClObject,
    ) -> i32;
    clCreateSampler(ClObject, u32, u32, u32, *mut i32) -> ClObject;
    clFinish(ClObject) -> i32;
    clReleaseContext(ClObject) -> i32;
    clReleaseCommandQueue(ClObject) -> i32;
    clReleaseProgram(ClObject) -> i32;
    clReleaseKernel(ClObject) -> i32;
    clReleaseMemObject(ClObject) -> i32;
    clReleaseSampler(ClObject) -> i32;
}

#[cfg(windows)]
const NAMES: [&str; 1] = ["OpenCL.dll"];
#[cfg(not(windows))]
const NAMES: [&str; 2] = ["libOpenCL.so.1", "libOpenCL.so"];

/// Loads the library, for as long as the process lives: drivers leave threads and exit handlers
/// behind that do not survive their code.
pub(super) fn load() -> Result<&'static ClSymbols, libloading::Error> {
    let library = match preloaded() {
        Some(library) => library,
        None => open()?,
    };
    let symbols = ClSymbols::of(&library)?;
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
