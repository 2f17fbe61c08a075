//! Kernels as CUDA C++: the same programs with the same meaning.
//!
//! The types have names of their own, and vectors are a template, because CUDA's vectors have no operators. What OpenCL C has
//! and C++ has not stands in a prelude before the kernel, as far as the kernel needs it.

mod c;
mod c_prelude;
mod copies;
mod cpp;
mod expressions;
mod host;
mod kernel;
mod names;
mod prelude;
mod tensors;

pub(super) use expressions::{assignment_to_lanes, atomic, is_float_division, write};
pub(super) use names::{instance, lanes, literal, name, number};
