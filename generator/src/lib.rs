//! Random kernels in OpenCL C, CUDA C++ and PTX that come with their right results.
//!
//! A kernel is a typed [program](ir::Program). A reference interpreter executes it, and a repair changes what
//! misbehaves, until the kernel is valid and its results are certain. Then it is printed.

mod avoid;
mod constructs;
#[cfg(test)]
mod documented;
mod emi;
mod features;
mod instructions;
pub mod interpret;
pub mod ir;
mod kernel;
mod policy;
pub mod print;
mod profile;
mod random;
pub mod read;
mod reduce;
mod repair;
mod siblings;

pub use avoid::{Avoid, AvoidError, is_general, names, operator_name};
pub use constructs::{Construct, ConstructKind};
pub use emi::{EmiRates, PrunedAs, VARIANTS, Variants, variants};
pub use instructions::{instruction, is_plain};
pub use kernel::{Kernel, generate};
pub use profile::{Edits, Mode, Profile, ProfileError, Target, TokenRange};
pub use random::{SeedKey, Stream};
pub use reduce::reduce;
pub use siblings::SubstituteNumber;
