//! C++ for OpenCL.

use super::cpp::is_cpp;
use super::detection::{FileEnding, TextLook};
use super::opencl::WORDS;
use super::{Description, Feature, Grammar};
use crate::lexer::C_FAMILY;

pub(super) static DESCRIPTION: Description = Description {
    name: "clcpp",
    endings: &[
        FileEnding::Always("clcpp"),
        FileEnding::Where("cl", is_cpp),
        FileEnding::Where("clh", is_cpp),
        FileEnding::Where("ocl", is_cpp),
    ],
    look: Some(TextLook { words: WORDS, also: Some(is_cpp), certainty: 5 }),
    lexer: &C_FAMILY,
    grammar: Some(Grammar::Cpp),
    features: &[
        Feature::Comments,
        Feature::Preprocessor,
        Feature::Syntax,
        Feature::Classes,
        Feature::OpenClWords,
        Feature::Kernels,
    ],
};
