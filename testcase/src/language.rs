//! Which language a test case is written in.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use crate::files::{SourceFile, TestCase};
use crate::lexer::tokens;

/// A language whose structure the passes know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// OpenCL C.
    OpenCl,
    /// C++ for OpenCL.
    OpenClCpp,
    /// CUDA C++.
    Cuda,
    /// C.
    C,
    /// C++.
    Cpp,
    /// Anything else: only passes over lines and tokens apply.
    Text,
}

impl Language {
    /// Every language, in the order of `--lang`.
    pub const ALL: [Language; 6] =
        [Self::OpenCl, Self::OpenClCpp, Self::Cuda, Self::C, Self::Cpp, Self::Text];

    /// The language that it extends or restricts.
    #[must_use]
    pub fn family(self) -> Family {
        match self {
            Self::OpenCl | Self::C => Family::C,
            Self::OpenClCpp | Self::Cuda | Self::Cpp => Family::Cpp,
            Self::Text => Family::Text,
        }
    }

    /// Guesses by file names, then by content: the first file that tells decides. The name of a header tells least.
    #[must_use]
    pub fn detect(case: &TestCase) -> Self {
        let is_header = |file: &&SourceFile| file.path.ends_with(".h");
        let sources = case.files().iter().filter(|file| !is_header(file));
        let headers = case.files().iter().filter(is_header);
        let by_name = sources.chain(headers).find_map(|file| {
            let ending = Path::new(&*file.path).extension()?.to_str()?;
            match ending.to_ascii_lowercase().as_str() {
                "clcpp" => Some(Self::OpenClCpp),
                "cl" | "clh" | "ocl" => Some(Self::opencl(is_cpp(&file.bytes))),
                "cu" | "cuh" | "cui" => Some(Self::Cuda),
                // nvcc's names for what it has preprocessed for a device and for the host.
                "ii" if [".cpp1.ii", ".cpp4.ii"].iter().any(|it| file.path.ends_with(it)) => {
                    Some(Self::Cuda)
                }
                "c" | "h" if matches!(ending, "C" | "H") => Some(Self::Cpp),
                "h" if is_cpp(&file.bytes) => Some(Self::Cpp),
                "c" | "h" | "i" => Some(Self::C),
                ending => CPP_ENDINGS.contains(&ending).then_some(Self::Cpp),
            }
        });
        by_name.unwrap_or_else(|| {
            let mentions = |word: &[u8]| {
                let mentions = |bytes: &[u8]| bytes.windows(word.len()).any(|part| part == word);
                case.files().iter().any(|file| mentions(&file.bytes))
            };
            if mentions(b"__kernel") || mentions(b"get_global_id") {
                Self::opencl(case.files().iter().any(|file| is_cpp(&file.bytes)))
            } else if mentions(b"__global__") || mentions(b"__device__") {
                Self::Cuda
            } else if case.files().iter().any(|file| is_cpp(&file.bytes)) {
                Self::Cpp
            } else if mentions(b"int main") || mentions(b"#include") {
                Self::C
            } else {
                Self::Text
            }
        })
    }

    /// The language of a program for OpenCL, by whether it has what only C++ has.
    fn opencl(is_cpp: bool) -> Self {
        if is_cpp { Self::OpenClCpp } else { Self::OpenCl }
    }

    /// Returns whether it has the words of OpenCL, such as `kernel` and `global`.
    #[must_use]
    pub fn is_opencl(self) -> bool {
        matches!(self, Self::OpenCl | Self::OpenClCpp)
    }

    /// Returns whether it is C++, or extends it.
    #[must_use]
    pub fn is_cpp(self) -> bool {
        self.family() == Family::Cpp
    }

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenCl => "opencl",
            Self::OpenClCpp => "clcpp",
            Self::Cuda => "cuda",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A language with its dialects: what the files of one family have in common is their grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// C, and OpenCL C.
    C,
    /// C++, and those for OpenCL and CUDA.
    Cpp,
    /// No language that there is a grammar for.
    Text,
}

/// Endings of the names of files in C++: sources, headers, modules, and what a preprocessor made of them.
const CPP_ENDINGS: [&str; 13] =
    ["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ii", "cppm", "ixx", "tcc", "ipp"];

/// Returns whether a file that may be C or C++ has a construct of C++ that C has no use for. One in a comment or a literal
/// does not count.
fn is_cpp(bytes: &[u8]) -> bool {
    let mut words: [&[u8]; 3] = [b"", b"", b""];
    tokens(bytes).any(|token| {
        words = [words[1], words[2], &bytes[token.range()]];
        matches!(
            words,
            [_, b"template", b"<"]
                | [b"namespace", _, b"{"]
                | [b"using", b"namespace", _]
                | [b"class", _, b"{" | b":" | b";"]
                | [_, b"public" | b"private" | b"protected", b":"]
        )
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_language_and_content_where_they_do_not() {
        let detect = |path: &str, text: &str| {
            Language::detect(&TestCase::single(path, text.as_bytes()).unwrap())
        };
        for ending in ["cc", "cpp", "cxx", "C", "hh", "hpp", "ii", "cppm", "ixx", "CPP"] {
            assert_eq!(detect(&format!("a.{ending}"), "int x;"), Language::Cpp, "{ending}");
        }
        for (name, text, expected) in [
            ("a.c", "class A { };", Language::C),
            ("a.i", "int x;", Language::C),
            ("a.h", "int class; /* template <class T> */", Language::C),
            ("a.h", "template <class T> struct A;", Language::Cpp),
            ("a.h", "namespace a { }", Language::Cpp),
            ("a.clcpp", "int x;", Language::OpenClCpp),
            ("a.cl", "template <class T> T f(T x);", Language::OpenClCpp),
            ("a.cl", "kernel void f(private int x) { }", Language::OpenCl),
            ("a.cu", "class A { };", Language::Cuda),
            ("a.cui", "int x;", Language::Cuda),
            ("a.cpp1.ii", "int x;", Language::Cuda),
            ("bug", "using namespace std;", Language::Cpp),
            ("bug", "__kernel void f() { } namespace n { }", Language::OpenClCpp),
            ("bug", "__kernel void f() { }", Language::OpenCl),
            ("bug", "int main(void) { }", Language::C),
            ("bug", "what is this", Language::Text),
        ] {
            assert_eq!(detect(name, text), expected, "{name}: {text}");
        }
    }

    #[test]
    fn sources_tell_more_than_their_headers() {
        let file =
            |path: &str| SourceFile { path: path.into(), bytes: b"int x;".as_slice().into() };
        for (source, expected) in
            [("src/b.cc", Language::Cpp), ("b.cl", Language::OpenCl), ("b.txt", Language::C)]
        {
            let case = TestCase::new(vec![file("a.h"), file(source)]).unwrap();
            assert_eq!(Language::detect(&case), expected, "{source}");
        }
    }
}
