//! C++ for OpenCL.

use super::cpp::is_cpp;
use super::detection::{NameEnding, TextLook};
use super::opencl::WORDS;
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "clcpp",
    endings: &[
        NameEnding::Always("clcpp"),
        NameEnding::Where("cl", is_cpp),
        NameEnding::Where("clh", is_cpp),
        NameEnding::Where("ocl", is_cpp),
    ],
    look: Some(TextLook { words: WORDS, also: Some(is_cpp), certainty: 5 }),
    grammar: Some(Grammar::Cpp),
    features: &[Feature::Syntax, Feature::Classes, Feature::OpenClWords, Feature::Kernels],
};
