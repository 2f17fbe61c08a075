//! CUDA: bare kernels through the driver and NVRTC, whole programs through nvcc. All of it is looked for at run
//! time; what touches the driver runs in a worker process, as in [`opencl`](crate::opencl).

mod api;
mod host;
pub(crate) mod nvcc;
mod plan;

pub(crate) use host::{Host, list};
pub use plan::{has_main, plan_cuda};
