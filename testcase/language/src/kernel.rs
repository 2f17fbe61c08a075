//! The types of a kernel's signature: its name, its parameters and the sizes that it requires.

use crate::images::ImageKind;
use crate::layouts::Layout;
use crate::numbers::Number;

/// The signature of a kernel that the program defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSignature {
    /// The name of the kernel.
    pub name: String,
    /// The parameters, in order.
    pub parameters: Vec<KernelParameter>,
    /// The attribute `reqd_work_group_size`, three numbers.
    pub required_local: Option<Vec<u64>>,
    /// The attribute `work_group_size_hint`, three numbers.
    pub hinted_local: Option<Vec<u64>>,
    /// The attribute `intel_reqd_sub_group_size`.
    pub required_sub_group: Option<u64>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelParameter {
    /// A pointer to global or constant memory.
    Buffer {
        /// The name; empty where the parameter has none.
        name: String,
        /// The type that it points to.
        element: Number,
        /// True if the kernel cannot write there.
        read_only: bool,
    },
    /// A pointer to local memory, by the size in bytes of what it points to.
    Local(usize),
    /// A scalar or a vector.
    Value(Number),
    /// A structure, an enumeration or a truth value.
    Object {
        /// The type as it is written.
        kind: String,
        /// Its numbers.
        layout: Layout,
    },
    /// A pointer to such objects in global or constant memory.
    Objects {
        /// The name; empty where the parameter has none.
        name: String,
        /// The type as it is written.
        kind: String,
        /// The numbers of one of them.
        layout: Layout,
        /// True if the kernel cannot write there.
        read_only: bool,
    },
    /// An image.
    Image {
        /// The name; empty where the parameter has none.
        name: String,
        /// Its type.
        kind: ImageKind,
        /// The pixels with which the program uses it.
        pixel: Number,
        /// True if the kernel cannot write there.
        read_only: bool,
    },
    /// A sampler.
    Sampler,
    /// Any other parameter, such as a pointer to a pointer, as it is written.
    Other(String),
}
