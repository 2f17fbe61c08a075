//! OpenCL C.

use super::detection::{Ending, Look};
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "opencl",
    endings: &[Ending::Always("cl"), Ending::Always("clh"), Ending::Always("ocl")],
    look: Some(Look { words: WORDS, also: None, certainty: 4 }),
    grammar: Some(Grammar::C),
    features: &[
        Feature::Syntax,
        Feature::Symbols,
        Feature::OpenClWords,
        Feature::Vectors,
        Feature::Kernels,
        Feature::CheckedKernels,
    ],
};

/// Words that tell a program for OpenCL.
pub(super) const WORDS: &[&str] = &["__kernel", "get_global_id"];
