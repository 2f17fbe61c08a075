//! The matrix of a campaign: its devices or compilers, and the configurations that every program runs on.

use std::path::PathBuf;

use crate::drawn::Drawn;
use clreduce_devices::Device;
use clreduce_kernel::{ProgramKind, is_exact, is_exact_program};
use clreduce_process::quoted;
use clreduce_testcase::Language;

/// The file that a compiler writes in its directory.
const OUTPUT: &str = "output";

/// What builds and runs programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// A device for kernels.
    Device(Device),
    /// A compiler of C and C++.
    Compiler(Compiler),
}

/// A compiler of C and C++ for this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// Its file, or its name on the `PATH`.
    pub program: PathBuf,
    /// The first line that it says about its version.
    pub version: String,
}

impl Toolchain {
    /// The device, if it is one.
    #[must_use]
    pub fn device(&self) -> Option<&Device> {
        match self {
            Self::Device(device) => Some(device),
            Self::Compiler(_) => None,
        }
    }

    /// The compiler, if it is one.
    pub(crate) fn compiler(&self) -> Option<&Compiler> {
        match self {
            Self::Device(_) => None,
            Self::Compiler(compiler) => Some(compiler),
        }
    }

    /// Its version, for a comparison with that of an earlier run.
    pub(crate) fn version(&self) -> String {
        match self {
            Self::Device(device) => {
                format!("{} {}", device.facts.platform_version, device.facts.driver)
            }
            Self::Compiler(compiler) => compiler.version.clone(),
        }
    }

    /// Returns true if a program can harm no more than processes of its own.
    pub(crate) fn is_robust(&self) -> bool {
        self.device().is_none_or(Device::is_robust)
    }

    /// Returns true if its results do not count in votes.
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        self.device().is_some_and(|device| device.backend.is_simulated())
    }
}

/// A device or a compiler with options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The device, by its place in [`Matrix::devices`].
    pub device: usize,
    /// Compiler options of this configuration alone.
    pub options: String,
}

/// The kind of the programs of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Kernels for devices.
    Kernels(ProgramKind),
    /// Whole programs in C.
    C,
    /// Whole programs in C++.
    Cpp,
}

impl SourceKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Kernels(ProgramKind::OpenCl),
        Self::Kernels(ProgramKind::CudaKernels),
        Self::Kernels(ProgramKind::Ptx),
        Self::C,
        Self::Cpp,
    ];

    /// The file of a program.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Kernels(ProgramKind::OpenCl) => "kernel.cl",
            Self::Kernels(ProgramKind::Ptx) => "kernel.ptx",
            Self::Kernels(_) => "kernel.cu",
            Self::C => "program.c",
            Self::Cpp => "program.cpp",
        }
    }

    /// The language of the programs.
    pub(crate) fn language(self) -> Language {
        match self {
            Self::Kernels(ProgramKind::OpenCl) => Language::OPENCL,
            Self::Kernels(ProgramKind::Ptx) => Language::PTX,
            Self::Kernels(_) => Language::CUDA,
            Self::C => Language::C,
            Self::Cpp => Language::CPP,
        }
    }

    /// The end of the names of the programs' files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.file_name().rsplit('.').next().unwrap_or_default()
    }

    /// Returns true if programs are made of instructions, so that a bug may be in plain ones beside each other.
    pub(crate) fn has_instructions(self) -> bool {
        self == Self::Kernels(ProgramKind::Ptx)
    }

    /// Returns true if a program has the same result wherever it is compiled right.
    pub(crate) fn is_exact(self, source: &str) -> bool {
        match self {
            Self::Kernels(_) => is_exact(source.as_bytes()),
            Self::C | Self::Cpp => is_exact_program(source.as_bytes()),
        }
    }
}

/// The devices and configurations of a campaign.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Each device or compiler with a short name that no other one has. It may be there for alarms alone.
    pub devices: Vec<(String, Toolchain)>,
    /// The configurations.
    pub configurations: Vec<Configuration>,
    /// The device that executes kernels without a driver, if there is one: it confirms right results.
    pub host: Option<usize>,
    /// Options for every build, such as the version of the language.
    pub options: String,
    /// The kind of the programs.
    pub kind: SourceKind,
    /// The options of compilers that the word `random` stands for.
    pub drawn: Drawn,
}

impl Matrix {
    /// Returns true if it can be judged whether a variant of a text is valid. Only the host can say that of PTX: without it,
    /// kernels with wrong results are reduced as programs alone.
    pub(crate) fn judges_text(&self) -> bool {
        self.kind != SourceKind::Kernels(ProgramKind::Ptx) || self.host.is_some()
    }

    /// The name of a configuration, as in recipes.
    #[must_use]
    pub fn name(&self, configuration: usize) -> String {
        let Configuration { device, options } = &self.configurations[configuration];
        format!("{} {options}", self.devices[*device].0).trim_end().to_owned()
    }

    /// The names of all configurations.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        (0..self.configurations.len()).map(|index| self.name(index)).collect()
    }

    /// The configuration with a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        (0..self.configurations.len()).find(|index| self.name(*index) == name)
    }

    /// The number of configurations whose results count in votes.
    #[must_use]
    pub fn voters(&self) -> usize {
        let counts = |one: &&Configuration| !self.devices[one.device].1.is_simulated();
        self.configurations.iter().filter(counts).count()
    }

    /// The device of a configuration.
    pub(crate) fn toolchain(&self, configuration: usize) -> &Toolchain {
        &self.devices[self.configurations[configuration].device].1
    }

    /// The configurations that may confirm what a program should do on one, those of other devices first. A compiler without options is
    /// among them where it has no other ones: with each of its options, it makes other code.
    pub(crate) fn others(&self, suspected: usize) -> Vec<Configuration> {
        let own = &self.configurations[suspected];
        let others = self.configurations.iter().filter(|one| *one != own);
        let mut others: Vec<Configuration> = others.cloned().collect();
        let is_compiler = self.toolchain(suspected).device().is_none();
        if is_compiler && others.iter().all(|one| one.device != own.device) {
            let plain = Configuration { device: own.device, options: String::new() };
            others.extend((plain != *own).then_some(plain));
        }
        others.sort_by_key(|one| one.device == own.device);
        others
    }

    /// The devices that may have bugs in common with that of a configuration, as the first of them: versions of one compiler or
    /// run-time, whose names differ in the version alone, as in `intel-2024.0.0`.
    pub(crate) fn family(&self, configuration: usize) -> usize {
        let stem = |device: usize| without_version(&self.devices[device].0);
        let own = self.configurations[configuration].device;
        (0..own).find(|device| stem(*device) == stem(own)).unwrap_or(own)
    }

    /// The options of a build on a device. Warnings are off, as for `clreduce run`.
    pub(crate) fn build_options(&self, own: &str) -> String {
        let words = format!("-w {} {own}", self.options);
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The words of the command of a compiler, for a file in its directory.
    pub(crate) fn words(&self, compiler: &Compiler, own: &str) -> Vec<String> {
        let options = self.build_options(&self.drawn.put_into(own, &compiler.version));
        let program = compiler.program.to_string_lossy().into_owned();
        let options = options.split(' ').map(str::to_owned);
        let file = [self.kind.file_name(), "-o", OUTPUT].map(str::to_owned);
        // clreduce's programs call functions of the mathematical library.
        let library = (!matches!(self.kind, SourceKind::Kernels(_))).then(|| "-lm".to_owned());
        std::iter::once(program).chain(options).chain(file).chain(library).collect()
    }

    /// The same for a shell.
    pub(crate) fn command(&self, compiler: &Compiler, own: &str) -> String {
        let words = self.words(compiler, own);
        words.iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
    }
}

/// A name without the version at its end.
fn without_version(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((stem, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// Runs what [`Matrix::command`] builds.
pub(crate) const RUN: &str = "./output";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_one_run_time_are_a_family() {
        let names = ["pocl", "intel-2024.0.0", "intel-2026.2.0", "gcc-12", "zig-cc-0.8.1"];
        let stems: Vec<&str> = names.into_iter().map(without_version).collect();
        assert_eq!(stems, ["pocl", "intel", "intel", "gcc", "zig-cc"]);
    }
}
