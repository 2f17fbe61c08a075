//! CUDA C++.

use super::detection::{Ending, Look};
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "cuda",
    endings: &[
        Ending::Always("cu"),
        Ending::Always("cuh"),
        Ending::Always("cui"),
        // nvcc's names for what it has preprocessed for a device and for the host.
        Ending::Always("cpp1.ii"),
        Ending::Always("cpp4.ii"),
    ],
    look: Some(Look { words: &["__global__", "__device__"], also: None, certainty: 3 }),
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
