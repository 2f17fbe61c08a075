//! CUDA C++.

use super::detection::{FileEnding, TextLook};
use super::{Description, Feature, Grammar};
use crate::lexer::C_FAMILY;

pub(super) static DESCRIPTION: Description = Description {
    name: "cuda",
    endings: &[
        FileEnding::Always("cu"),
        FileEnding::Always("cuh"),
        FileEnding::Always("cui"),
        // nvcc's names for what it has preprocessed for a device and for the host.
        FileEnding::Always("cpp1.ii"),
        FileEnding::Always("cpp4.ii"),
    ],
    look: Some(TextLook { words: &["__global__", "__device__"], also: None, certainty: 3 }),
    lexer: &C_FAMILY,
    grammar: Some(Grammar::Cpp),
    features: &[
        Feature::Comments,
        Feature::Preprocessor,
        Feature::Syntax,
        Feature::Classes,
        Feature::GlobalVariables,
        Feature::Kernels,
        Feature::CheckedKernels,
        Feature::HostAndDevice,
    ],
};

/// The words of CUDA that programs have beside those of C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CudaWord {
    /// It says in which memory of a device a variable lies.
    Memory,
    /// It makes a function a kernel.
    Kernel,
    /// It says where a function runs, how it is compiled, or what the compiler knows of a type or parameter.
    Specifier,
    /// The same, with arguments in parentheses.
    WithArguments,
}

impl CudaWord {
    /// What a word is.
    #[must_use]
    pub fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"__shared__" | b"__constant__" | b"__managed__" => Self::Memory,
            b"__global__" => Self::Kernel,
            b"__device__"
            | b"__device_builtin__"
            | b"__forceinline__"
            | b"__grid_constant__"
            | b"__host__"
            | b"__noinline__" => Self::Specifier,
            b"__align__" | b"__block_size__" | b"__cluster_dims__" | b"__launch_bounds__"
            | b"__maxnreg__" => Self::WithArguments,
            _ => return None,
        })
    }
}
