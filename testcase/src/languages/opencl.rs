//! OpenCL C.

use super::detection::{FileEnding, TextLook};
use super::{Description, Feature, Grammar};
use crate::lexer::C_FAMILY;

pub(super) static DESCRIPTION: Description = Description {
    name: "opencl",
    endings: &[FileEnding::Always("cl"), FileEnding::Always("clh"), FileEnding::Always("ocl")],
    look: Some(TextLook { words: WORDS, also: None, certainty: 4 }),
    lexer: &C_FAMILY,
    grammar: Some(Grammar::C),
    features: &[
        Feature::Comments,
        Feature::Preprocessor,
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

/// The memory that a variable of OpenCL lies in, or that what a pointer points to lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// Each work-item has its own.
    Private,
    /// The work-items of a group share it.
    Local,
    /// All work-items share it.
    Global,
    /// The same, but it does not change.
    Constant,
    /// Any of them but constant memory, for pointers.
    Generic,
}

impl AddressSpace {
    /// The address space that a word names.
    #[must_use]
    pub fn of(word: &[u8]) -> Option<Self> {
        Some(match plain(word) {
            b"private" => Self::Private,
            b"local" => Self::Local,
            b"global" => Self::Global,
            b"constant" => Self::Constant,
            b"generic" => Self::Generic,
            _ => return None,
        })
    }

    /// The word for it.
    #[must_use]
    pub fn qualifier(self) -> &'static str {
        match self {
            Self::Private => "__private",
            Self::Local => "__local",
            Self::Global => "__global",
            Self::Constant => "__constant",
            Self::Generic => "__generic",
        }
    }
}

/// Returns true for a word of OpenCL that says how a kernel uses an image or pipe.
#[must_use]
pub fn is_access_qualifier(word: &[u8]) -> bool {
    matches!(plain(word), b"read_only" | b"write_only" | b"read_write")
}

/// Words of OpenCL also exist with two underscores.
fn plain(word: &[u8]) -> &[u8] {
    word.strip_prefix(b"__").unwrap_or(word)
}
