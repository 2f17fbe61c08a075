//! Languages: one file for each, with a description. Everything else asks a description and compares no language with another, so
//! that a language is added in one place.

mod ada;
mod c;
mod cpp;
mod cuda;
mod d;
mod detection;
mod fortran;
mod glsl;
mod go;
mod java;
mod javascript;
mod json;
mod llvm;
mod mlir;
mod opencl;
mod opencl_cpp;
mod ptx;
mod python;
mod rust;
mod smtlib;
mod spirv;
mod text;
mod typescript;
mod vhdl;
mod wgsl;

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use thiserror::Error;

pub use cuda::CudaWord;
pub use detection::{FileEnding, TextLook};
pub use opencl::{AddressSpace, is_access_qualifier};

use crate::lexer::LexicalRules;

/// A language that test cases are written in.
#[derive(Clone, Copy)]
pub struct Language(&'static Description);

/// The language of the grammar that was loaded from a file.
static LOADED: OnceLock<Description> = OnceLock::new();

/// All that is known of a language.
#[derive(Debug)]
pub struct Description {
    /// The name used on the command line.
    pub name: &'static str,
    /// Endings of the names of its files.
    pub endings: &'static [FileEnding],
    /// What tells it where no name does.
    pub look: Option<TextLook>,
    /// How it writes comments, literals and words. They decide what counts as a token.
    pub lexer: &'static LexicalRules,
    /// The grammar that reads it.
    pub grammar: Option<Grammar>,
    /// What programs in it may have.
    pub features: &'static [Feature],
}

/// A grammar. Languages that extend or restrict each other share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// C, and OpenCL C.
    C,
    /// C++, and what extends it for OpenCL and CUDA.
    Cpp,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// JavaScript.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// Java.
    Java,
    /// Fortran in free form.
    Fortran,
    /// Ada.
    Ada,
    /// D.
    D,
    /// LLVM IR.
    Llvm,
    /// MLIR.
    Mlir,
    /// JSON.
    Json,
    /// GLSL.
    Glsl,
    /// WGSL.
    Wgsl,
    /// VHDL.
    Vhdl,
    /// The one that was loaded from a file. It stays the last one.
    Loaded,
}

impl Grammar {
    /// The number of grammars.
    pub const COUNT: usize = Self::Loaded as usize + 1;
}

/// What programs in a language may have. Passes and checks say what they need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Comments as the rules of the lexer say. Any other text may have something else there.
    Comments,
    /// The directives and line markers of C's preprocessor.
    Preprocessor,
    /// The structure of the C family, which passes know by the kinds of nodes.
    Syntax,
    /// Functions of blocks of instructions, as LLVM IR writes them.
    Blocks,
    /// Blocks that nothing but their indentation ends.
    Indentation,
    /// A grammar that says what can be left out and what can stand where. Passes that need no more work on any such language.
    Grammar,
    /// Declarations, types and flow as in C, which [symbols](https://docs.rs/clreduce-language) describe.
    Symbols,
    /// What C++ has beside them, such as classes, templates and references.
    Classes,
    /// Functions that are called without a declaration, and declarations without a type, as in old C.
    ImplicitDeclarations,
    /// The words of OpenCL, such as `kernel` and `global`.
    OpenClWords,
    /// Vectors as in OpenCL C, such as `int4` and its `.xyzw`.
    Vectors,
    /// Variables outside functions that functions may change.
    GlobalVariables,
    /// Functions that run in many work-items on a device.
    Kernels,
    /// Kernels whose arguments, barriers and built-in functions are known well enough to run and to check them.
    CheckedKernels,
    /// Functions for a host and for a device side by side, and launches such as `f<<<1, 1>>>()`.
    HostAndDevice,
    /// Instructions of NVIDIA's virtual processor, which ptxas assembles for a GPU.
    VirtualInstructions,
}

impl Language {
    /// OpenCL C.
    pub const OPENCL: Self = Self(&opencl::DESCRIPTION);
    /// C++ for OpenCL.
    pub const OPENCL_CPP: Self = Self(&opencl_cpp::DESCRIPTION);
    /// CUDA C++.
    pub const CUDA: Self = Self(&cuda::DESCRIPTION);
    /// C.
    pub const C: Self = Self(&c::DESCRIPTION);
    /// C++.
    pub const CPP: Self = Self(&cpp::DESCRIPTION);
    /// Python.
    pub const PYTHON: Self = Self(&python::DESCRIPTION);
    /// Rust.
    pub const RUST: Self = Self(&rust::DESCRIPTION);
    /// Go.
    pub const GO: Self = Self(&go::DESCRIPTION);
    /// JavaScript.
    pub const JAVASCRIPT: Self = Self(&javascript::DESCRIPTION);
    /// TypeScript.
    pub const TYPESCRIPT: Self = Self(&typescript::DESCRIPTION);
    /// Java.
    pub const JAVA: Self = Self(&java::DESCRIPTION);
    /// Fortran in free form.
    pub const FORTRAN: Self = Self(&fortran::DESCRIPTION);
    /// Ada.
    pub const ADA: Self = Self(&ada::DESCRIPTION);
    /// D.
    pub const D: Self = Self(&d::DESCRIPTION);
    /// LLVM IR.
    pub const LLVM: Self = Self(&llvm::DESCRIPTION);
    /// MLIR.
    pub const MLIR: Self = Self(&mlir::DESCRIPTION);
    /// JSON.
    pub const JSON: Self = Self(&json::DESCRIPTION);
    /// GLSL.
    pub const GLSL: Self = Self(&glsl::DESCRIPTION);
    /// WGSL.
    pub const WGSL: Self = Self(&wgsl::DESCRIPTION);
    /// VHDL.
    pub const VHDL: Self = Self(&vhdl::DESCRIPTION);
    /// SPIR-V assembly.
    pub const SPIRV: Self = Self(&spirv::DESCRIPTION);
    /// PTX.
    pub const PTX: Self = Self(&ptx::DESCRIPTION);
    /// SMT-LIB.
    pub const SMTLIB: Self = Self(&smtlib::DESCRIPTION);
    /// Anything else: only passes over lines and tokens apply.
    pub const TEXT: Self = Self(&text::DESCRIPTION);

    /// Every language, in the order of `--lang`.
    pub const ALL: [Language; 24] = [
        Self::OPENCL,
        Self::OPENCL_CPP,
        Self::CUDA,
        Self::C,
        Self::CPP,
        Self::PYTHON,
        Self::RUST,
        Self::GO,
        Self::JAVASCRIPT,
        Self::TYPESCRIPT,
        Self::JAVA,
        Self::FORTRAN,
        Self::ADA,
        Self::D,
        Self::LLVM,
        Self::MLIR,
        Self::JSON,
        Self::GLSL,
        Self::WGSL,
        Self::VHDL,
        Self::SPIRV,
        Self::PTX,
        Self::SMTLIB,
        Self::TEXT,
    ];

    /// A language that is described elsewhere: one that is not in [`Language::ALL`], for a library that reduces programs in it.
    #[must_use]
    pub const fn described(description: &'static Description) -> Self {
        Self(description)
    }

    /// The language of a grammar that was loaded from a file; `None` if there was one with another name before. It is known by this
    /// name from then on.
    #[must_use]
    pub fn loaded(name: &str) -> Option<Self> {
        let known = LOADED.get_or_init(|| text::with_grammar(name));
        (known.name == name).then_some(Self(known))
    }

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The endings of the names of its files.
    pub fn endings(self) -> impl Iterator<Item = &'static str> {
        self.0.endings.iter().map(FileEnding::text)
    }

    /// Returns false for a text in a language that is none of those described.
    #[must_use]
    pub fn is_known(self) -> bool {
        self != Self::TEXT
    }

    /// The grammar that reads it, if there is one.
    #[must_use]
    pub fn grammar(self) -> Option<Grammar> {
        self.0.grammar
    }

    /// How it writes comments, literals and words.
    #[must_use]
    pub fn lexer(self) -> &'static LexicalRules {
        self.0.lexer
    }

    /// Returns true if programs in it may have this.
    #[must_use]
    pub fn has(self, feature: Feature) -> bool {
        self.0.features.contains(&feature)
    }

    /// Returns true if programs in it may have all of these.
    #[must_use]
    pub fn has_all(self, features: &[Feature]) -> bool {
        features.iter().all(|feature| self.has(*feature))
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no language of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown language `{0}`")]
pub struct UnknownLanguage(String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, UnknownLanguage> {
        let loaded = LOADED.get().map(Self);
        Self::ALL
            .into_iter()
            .chain(loaded)
            .find(|language| language.name() == name)
            .ok_or_else(|| UnknownLanguage(name.to_owned()))
    }
}
