//! Which language a test case is written in.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use crate::files::TestCase;

/// A language whose structure the passes know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// OpenCL C.
    OpenCl,
    /// CUDA C++, as far as it resembles C.
    Cuda,
    /// C.
    C,
    /// Anything else: only passes over lines and tokens apply.
    Text,
}

impl Language {
    /// Every language, in the order of `--lang`.
    pub const ALL: [Language; 4] = [Self::OpenCl, Self::Cuda, Self::C, Self::Text];

    /// Guesses by file names, then by content: the first file that tells decides.
    #[must_use]
    pub fn detect(case: &TestCase) -> Self {
        let by_name = case.files().iter().find_map(|file| {
            match Path::new(&*file.path).extension()?.to_str()?.to_ascii_lowercase().as_str() {
                "cl" | "clh" | "ocl" => Some(Self::OpenCl),
                "cu" | "cuh" => Some(Self::Cuda),
                "c" | "h" | "i" => Some(Self::C),
                // The passes for C and for text do what they can.
                _ => is_cpp_name(&file.path).then_some(Self::C),
            }
        });
        by_name.unwrap_or_else(|| {
            let mentions = |word: &[u8]| {
                let mentions = |bytes: &[u8]| bytes.windows(word.len()).any(|part| part == word);
                case.files().iter().any(|file| mentions(&file.bytes))
            };
            if mentions(b"__kernel") || mentions(b"get_global_id") {
                Self::OpenCl
            } else if mentions(b"__global__") || mentions(b"__device__") {
                Self::Cuda
            } else if mentions(b"int main") || mentions(b"#include") {
                Self::C
            } else {
                Self::Text
            }
        })
    }

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenCl => "opencl",
            Self::Cuda => "cuda",
            Self::C => "c",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns true if a file is C++ by its name. There are no passes for C++ yet; it is read as C.
#[must_use]
pub fn is_cpp_name(path: &str) -> bool {
    const ENDINGS: [&str; 9] = ["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ii"];
    let ending = Path::new(path).extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    ENDINGS.iter().any(|cpp| ending.eq_ignore_ascii_case(cpp))
}

/// There is no language of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown language `{0}`")]
pub struct UnknownLanguage(String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, UnknownLanguage> {
        Self::ALL
            .into_iter()
            .find(|language| language.name() == name)
            .ok_or_else(|| UnknownLanguage(name.to_owned()))
    }
}
