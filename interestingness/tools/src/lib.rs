//! The table of the tools that clreduce uses: programs and libraries, what they are for, and the Debian package to
//! install. `clreduce doctor` prints it, and a message about a missing tool takes its advice from it.

mod drivers;
mod search;

use std::collections::BTreeSet;
use std::path::PathBuf;

pub use drivers::no_opencl_device;
pub use search::{find_program, has_sanitizers, is_installed, search_path};

/// A program or a library that clreduce uses.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name for people, which is that of the program if it is one.
    pub name: &'static str,
    /// The use that clreduce makes of it.
    pub purpose: &'static str,
    /// The Debian packages to install. `{clang}` stands for the version of clang.
    packages: &'static str,
    /// True if it is of use only with special hardware, so that most people can do without.
    pub is_special: bool,
    kind: ToolKind,
}

/// The way in which a tool is found.
#[derive(Debug, PartialEq, Eq)]
enum ToolKind {
    /// One of these programs, the best one first.
    Program(&'static [&'static str]),
    /// The best [clang](clangs).
    Clang,
    /// A shared library whose file name starts like one of these.
    Library(&'static [&'static str]),
    /// A file of libraries that come with clang: part of the file's name.
    OfClang(&'static str),
    /// A driver that OpenCL's loader finds: part of the name of its file.
    OpenClDriver(&'static str),
}

/// The version of clang to install where there is none.
const CLANG_VERSION: &str = "19";

/// The newest one comes first. Older ones lack the option that declares built-ins without a header of a megabyte.
const CLANGS: &[&str] =
    &["clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14", "clang"];

/// clang, which reads kernels and builds them for this machine.
pub static CLANG: Tool = Tool {
    name: "clang",
    purpose: "checks of kernels, `clreduce init` for C and C++",
    packages: "clang-19",
    is_special: false,
    kind: ToolKind::Clang,
};
/// The libraries of clang's sanitizers.
pub static SANITIZERS: Tool = Tool {
    name: "sanitizers",
    purpose: "the check `sanitize`, `clreduce init --run`; the version must be that of clang",
    packages: "libclang-rt-{clang}-dev",
    is_special: false,
    kind: ToolKind::OfClang(search::ADDRESS_SANITIZER),
};
/// libclang.
pub static LIBCLANG: Tool = Tool {
    name: "libclang",
    purpose: "the compile filter",
    packages: "libclang1-{clang}",
    is_special: false,
    kind: ToolKind::Library(&["libclang.so", "libclang-1", "libclang-2"]),
};
/// gcc.
pub static GCC: Tool = Tool {
    name: "gcc",
    purpose: "linking kernels for this machine; a witness of `clreduce init`",
    packages: "gcc libc6-dev",
    is_special: false,
    kind: ToolKind::Program(&["gcc"]),
};
/// Oclgrind.
pub static OCLGRIND: Tool = Tool {
    name: "oclgrind",
    purpose: "the check `simulate`, and a simulated device",
    packages: "oclgrind",
    is_special: false,
    kind: ToolKind::Program(&["oclgrind", "oclgrind-kernel"]),
};
/// The loader of OpenCL drivers.
pub static OPENCL_LOADER: Tool = Tool {
    name: "OpenCL loader",
    purpose: "every OpenCL device",
    packages: "ocl-icd-libopencl1",
    is_special: false,
    kind: ToolKind::Library(&["libOpenCL.so.1"]),
};
/// The OpenCL driver PoCL.
pub static POCL: Tool = Tool {
    name: "PoCL",
    purpose: "an OpenCL device on every processor",
    packages: "pocl-opencl-icd",
    is_special: false,
    kind: ToolKind::OpenClDriver("pocl"),
};
/// NVIDIA's driver for OpenCL.
pub static NVIDIA_OPENCL: Tool = Tool {
    name: "NVIDIA OpenCL",
    purpose: "OpenCL kernels on NVIDIA's GPUs",
    packages: "nvidia-opencl-icd",
    is_special: true,
    kind: ToolKind::OpenClDriver("nvidia"),
};
/// The driver of NVIDIA.
pub static NVIDIA_DRIVER: Tool = Tool {
    name: "CUDA driver",
    purpose: "CUDA kernels on NVIDIA's GPUs",
    packages: "libcuda1",
    is_special: true,
    kind: ToolKind::Library(&["libcuda.so.1"]),
};
/// NVIDIA's run-time compiler.
pub static NVRTC: Tool = Tool {
    name: "NVRTC",
    purpose: "CUDA kernels on NVIDIA's GPUs",
    packages: "nvidia-cuda-toolkit",
    is_special: true,
    kind: ToolKind::Library(&["libnvrtc.so"]),
};
/// NVIDIA's compiler.
pub static NVCC: Tool = Tool {
    name: "nvcc",
    purpose: "whole CUDA programs",
    packages: "nvidia-cuda-toolkit",
    is_special: true,
    kind: ToolKind::Program(&["nvcc"]),
};

/// NVIDIA's assembler of PTX.
pub static PTXAS: Tool = Tool {
    name: "ptxas",
    purpose: "kernels in PTX",
    packages: "nvidia-cuda-toolkit",
    is_special: true,
    kind: ToolKind::Program(&["ptxas"]),
};

/// NVIDIA's disassembler.
pub static NVDISASM: Tool = Tool {
    name: "nvdisasm",
    purpose: "machine code in reports",
    packages: "nvidia-cuda-toolkit",
    is_special: true,
    kind: ToolKind::Program(&["nvdisasm"]),
};

/// Bubblewrap, which makes sandboxes.
pub static BUBBLEWRAP: Tool = Tool {
    name: "bwrap",
    purpose: "`--sandbox strict`",
    packages: "bubblewrap",
    is_special: false,
    kind: ToolKind::Program(&["bwrap"]),
};

/// A solver that reads SMT-LIB.
pub static SOLVER: Tool = Tool {
    name: "z3",
    purpose: "`clreduce inputs`: arguments that conditions compute with; without it, they are searched for step by step",
    packages: "z3",
    is_special: false,
    kind: ToolKind::Program(&["z3", "cvc5"]),
};

/// Every tool, in the order in which people read them.
pub static TOOLS: [&Tool; 15] = [
    &CLANG,
    &SANITIZERS,
    &LIBCLANG,
    &GCC,
    &OCLGRIND,
    &OPENCL_LOADER,
    &POCL,
    &NVIDIA_OPENCL,
    &NVIDIA_DRIVER,
    &NVRTC,
    &NVCC,
    &PTXAS,
    &NVDISASM,
    &BUBBLEWRAP,
    &SOLVER,
];

impl Tool {
    /// Finds the tool. Returns its file.
    #[must_use]
    pub fn find(&self) -> Option<PathBuf> {
        match self.kind {
            ToolKind::Program(names) => names.iter().find_map(|name| find_program(name)),
            ToolKind::Clang => clangs().into_iter().find_map(find_program),
            ToolKind::Library(starts) => search::library(starts),
            ToolKind::OfClang(part) => search::of_clang(&CLANG.find()?, part),
            ToolKind::OpenClDriver(part) => search::opencl_driver(part),
        }
    }

    /// Returns the Debian packages to install: those of the clang that is there.
    #[must_use]
    pub fn packages(&self) -> String {
        let version = CLANG.find().and_then(|clang| search::version_of_clang(&clang));
        self.packages.replace("{clang}", version.as_deref().unwrap_or(CLANG_VERSION))
    }

    /// Returns the command that installs the tool, for people.
    #[must_use]
    pub fn install(&self) -> String {
        install_all(&[self])
    }
}

/// The names under which clang is looked for, the best one first: the newest of those that have the libraries of the
/// sanitizers, without which most of what is wrong with a program is not found.
#[must_use]
pub fn clangs() -> Vec<&'static str> {
    let mut names = CLANGS.to_vec();
    names.sort_by_key(|name| !has_sanitizers(name));
    names
}

/// Returns one command that installs tools, for people.
#[must_use]
pub fn install_all(tools: &[&Tool]) -> String {
    let all: BTreeSet<String> = tools
        .iter()
        .flat_map(|tool| tool.packages().split(' ').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    format!("apt-get install {}", all.into_iter().collect::<Vec<_>>().join(" "))
}

/// Returns the Debian packages of a program which the user names, such as `clang++-16`; `None` if clreduce does not know
/// it.
#[must_use]
pub fn package_of(program: &str) -> Option<String> {
    let (stem, version) = program.rsplit_once('-').unwrap_or((program, ""));
    let has_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    match stem {
        "clang" | "clang++" if has_version => return Some(format!("clang-{version}")),
        "opt" | "llc" if has_version => return Some(format!("llvm-{version}")),
        "opt" | "llc" if version.is_empty() => return Some("llvm".to_owned()),
        "gcc" | "g++" if has_version => return Some(program.to_owned()),
        "clang++" | "g++" if version.is_empty() => return Some(stem.replace("clang++", "clang")),
        _ => {}
    }
    let has_it = |tool: &&&Tool| match tool.kind {
        ToolKind::Program(names) => names.contains(&program),
        ToolKind::Clang => CLANGS.contains(&program),
        _ => false,
    };
    TOOLS.iter().find(has_it).map(|tool| tool.packages())
}

/// Returns the command that installs a program which the user names; `None` if clreduce does not know it.
#[must_use]
pub fn install_of(program: &str) -> Option<String> {
    package_of(program).map(|packages| format!("apt-get install {packages}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_packages_are_there() {
        for tool in TOOLS {
            assert!(!tool.packages.is_empty() && !tool.purpose.is_empty(), "{tool:?}");
            assert_eq!(TOOLS.iter().filter(|other| other.name == tool.name).count(), 1, "{tool:?}");
        }
        let install = |program| install_of(program).unwrap_or_default();
        assert_eq!(install("clang++-16"), "apt-get install clang-16");
        assert_eq!(install("clang-15"), "apt-get install clang-15");
        assert_eq!(install("g++"), "apt-get install g++");
        assert_eq!(install("oclgrind"), "apt-get install oclgrind");
        assert_eq!((install_of("frobnicate"), install_of("clang-x")), (None, None));
    }
}
