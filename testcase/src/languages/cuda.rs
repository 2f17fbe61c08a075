//! CUDA C++.

use super::detection::{NameEnding, TextLook};
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "cuda",
    endings: &[
        NameEnding::Always("cu"),
        NameEnding::Always("cuh"),
        NameEnding::Always("cui"),
        // nvcc's names for what it has preprocessed for a device and for the host.
        NameEnding::Always("cpp1.ii"),
        NameEnding::Always("cpp4.ii"),
    ],
    look: Some(TextLook { words: &["__global__", "__device__"], also: None, certainty: 3 }),
    grammar: Some(Grammar::Cpp),
    features: &[
        Feature::Syntax,
        Feature::Classes,
        Feature::GlobalVariables,
        Feature::Kernels,
        Feature::CheckedKernels,
        Feature::HostAndDevice,
    ],
};
