//! OpenCL C.

use super::detection::{NameEnding, TextLook};
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "opencl",
    endings: &[NameEnding::Always("cl"), NameEnding::Always("clh"), NameEnding::Always("ocl")],
    look: Some(TextLook { words: WORDS, also: None, certainty: 4 }),
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
