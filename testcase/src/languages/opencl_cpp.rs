//! C++ for OpenCL.

use super::cpp::is_cpp;
use super::detection::{Ending, Look};
use super::opencl::WORDS;
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "clcpp",
    endings: &[
        Ending::Always("clcpp"),
        Ending::Where("cl", is_cpp),
        Ending::Where("clh", is_cpp),
        Ending::Where("ocl", is_cpp),
    ],
    look: Some(Look { words: WORDS, also: Some(is_cpp), certainty: 5 }),
    grammar: Some(Grammar::Cpp),
    features: &[Feature::Syntax, Feature::Classes, Feature::OpenClWords, Feature::Kernels],
};
