//! The build: from a kernel to a program of this machine.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clreduce_kernel::{Argument, KernelLaunch};
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};
use clreduce_testcase::{TestCase, tokens};
use tempfile::TempDir;

use crate::error::HostError;
use crate::flavour::{BuildDetail, Flavour};
use crate::subject::HostKernel;
use crate::symbols::{self, ProgramSymbols};
use crate::toolchain::Toolchain;
use crate::{FILE, divisions, parts, start};

/// The file with the kernel's code.
pub const CODE: &str = "kernel.so";

/// The status of the run-time when the kernel needs what is nowhere.
const EXIT_UNKNOWN: i32 = 93;

/// The build of one kernel.
#[derive(Clone, Copy, Debug)]
pub struct HostBuild<'a> {
    /// The tools.
    pub toolchain: Toolchain<'a>,
    /// The kernel.
    pub subject: &'a HostKernel,
    /// As in `-O0`; instrumented programs are never optimised.
    pub optimisation: &'static str,
}

/// A kernel as a program; its files go with it.
#[derive(Debug)]
pub struct HostProgram {
    folder: TempDir,
    host: PathBuf,
    parts: Vec<PathBuf>,
    launches: Vec<KernelLaunch>,
    /// Words for the run-time about the program as a whole: its variables in local memory, and what to look for.
    words: Vec<OsString>,
    undefined: BTreeSet<String>,
    /// True if what the kernel writes is of interest.
    results: bool,
}

impl HostBuild<'_> {
    /// Compiles and links the kernel.
    ///
    /// # Errors
    /// When the kernel, or what it needs, cannot be compiled.
    pub fn program(&self, flavour: Flavour, detail: BuildDetail) -> Result<HostProgram, HostError> {
        let launches = self.subject.launches.clone()?;
        let folder = tempfile::Builder::new()
            .prefix("clreduce-host-")
            .tempdir_in(self.toolchain.tools.temporary())?;
        let object = self.compile_kernel(flavour, detail, &launches, folder.path())?;
        let kernel = symbols::of_kernel(&fs::read(&object)?)?;
        let parts = parts::of(&kernel.undefined);
        let parts = parts.map(|part| parts::built_in(&self.toolchain, flavour, part));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let code = folder.path().join(CODE);
        self.link(&object, &parts, &code)?;
        let mut words: Vec<OsString> = Vec::new();
        if flavour != Flavour::Plain {
            let places = symbols::addresses(&fs::read(&code)?, &kernel.local)?;
            words.extend(places.into_iter().map(|(at, size)| format!("m:{at}:{size}").into()));
        }
        if flavour == Flavour::Addresses && watches_races(&launches) {
            words.push("races".into());
        }
        let host = parts::host(&self.toolchain, flavour)?;
        let (undefined, results) = (kernel.undefined, flavour == Flavour::Plain);
        Ok(HostProgram { folder, host, parts, launches, words, undefined, results })
    }

    /// Compiles the kernel, where it divides vectors by way of LLVM's intermediate language, in which these
    /// divisions are replaced.
    fn compile_kernel(
        &self,
        flavour: Flavour,
        detail: BuildDetail,
        launches: &[KernelLaunch],
        folder: &Path,
    ) -> Result<PathBuf, HostError> {
        let start = start::function(self.subject, launches)?;
        let mut source = self.subject.source.to_vec();
        source.extend(start.into_bytes());
        let files = |name, bytes: Vec<u8>| TestCase::single(name, bytes);
        let (ir, object) = (folder.join("kernel.ll"), folder.join("kernel.o"));
        let switches = flavour.kernel_switches(detail);
        let code = [self.optimisation, "-fPIC", "-fno-omit-frame-pointer", "-w"];
        let code: Vec<OsString> = switches.iter().chain(&code).map(OsString::from).collect();
        let mut args = self.toolchain.clang.host(self.subject.language);
        args.extend(code.iter().cloned());
        let divides = divides_vectors(&self.subject.source);
        if divides {
            let to_ir = ["-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", FILE, "-o"];
            args.extend(to_ir.map(OsString::from));
            args.push(ir.clone().into());
        } else {
            args.extend(["-c", FILE, "-o"].map(OsString::from));
            args.push(object.clone().into());
        }
        let ran = self.toolchain.run_clang(args, &files(FILE, source)?);
        if ran.end != End::Exited(0) {
            return Err(HostError::Kernel(Box::new(ran)));
        }
        if divides {
            let text = fs::read_to_string(&ir)?;
            let text = divisions::replace(&text, flavour == Flavour::Memory);
            let mut args: Vec<OsString> = ["-x", "ir"].map(OsString::from).into();
            args.extend(code);
            args.extend(["-c", "kernel.ll", "-o"].map(OsString::from));
            args.push(object.clone().into());
            let files = files("kernel.ll", text.into_bytes())?;
            let ran = self.toolchain.run_clang(args, &files);
            if ran.end != End::Exited(0) {
                return Err(HostError::Kernel(Box::new(ran)));
            }
        }
        Ok(object)
    }

    /// Asks the linker itself: starting clang costs more than linking, and as much as compiling a small kernel.
    fn link(&self, object: &Path, parts: &[PathBuf], code: &Path) -> Result<(), HostError> {
        let library = parts::library(&self.toolchain, &self.subject.files)?;
        let mut args: Vec<OsString> = parts::LINKER.map(OsString::from).into();
        args.extend([code, object].map(OsString::from));
        args.extend(parts.iter().chain([&library]).map(OsString::from));
        let ran = self.toolchain.run("ld", args, &self.subject.files);
        match ran.end {
            End::Exited(0) => Ok(()),
            _ => Err(HostError::Linker(ran.trouble())),
        }
    }
}

/// The most bytes of buffers whose accesses the run-time can remember; each takes 80 bytes more.
const MOST_WATCHED_BYTES: u64 = 8 << 20;

/// True if an instrumented program with these launches looks for data races: what the run-time has to remember must
/// fit into memory.
#[must_use]
pub fn watches_races(launches: &[KernelLaunch]) -> bool {
    launches.iter().all(|launch| {
        let bytes = launch.arguments.iter().map(|argument| match argument {
            Argument::Buffer { element, elements, .. } => {
                elements.saturating_mul(element.bytes() as u64)
            }
            Argument::Local(bytes) => *bytes,
            Argument::Value(_) => 0,
        });
        bytes.fold(0, u64::saturating_add) <= MOST_WATCHED_BYTES
    })
}

/// Returns whether a program may divide vectors: it has a type of vectors and a division.
fn divides_vectors(source: &[u8]) -> bool {
    const TYPES: [&str; 10] = [
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "ext_vector_type",
        "vector_size",
    ];
    let (mut vectors, mut divisions) = (false, false);
    for token in tokens(source) {
        let text = &source[token.range()];
        divisions |= matches!(text, b"/" | b"%" | b"/=" | b"%=");
        let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let name = String::from_utf8_lossy(&text[..text.len() - digits]);
        let name = name.trim_matches('_');
        vectors |= TYPES.contains(&name) && (digits > 0 || name.contains('_'));
    }
    vectors && divisions
}

impl HostProgram {
    fn code(&self) -> PathBuf {
        self.folder.path().join(CODE)
    }

    /// Runs every launch, until one does not end well.
    ///
    /// # Errors
    /// When the program needs what is nowhere.
    pub fn run(&self, tools: &ToolRunner, cancel: &Cancel) -> Result<Vec<ToolRun>, HostError> {
        let mut runs = Vec::new();
        for (number, launch) in self.launches.iter().enumerate() {
            let mut args = vec![self.code().into_os_string()];
            args.extend(start::words(number, launch, self.results));
            args.extend(self.words.iter().cloned());
            let contents = start::contents(launch)?;
            let ran = tools.run(&self.host.to_string_lossy(), args, &contents, cancel);
            if ran.end == End::Exited(EXIT_UNKNOWN) {
                return Err(self.unknown(&ran));
            }
            let ended_well = ran.end == End::Exited(0);
            runs.push(ran);
            if !ended_well {
                break;
            }
        }
        Ok(runs)
    }

    /// The launches, in the order of [`run`](Self::run).
    #[must_use]
    pub fn launches(&self) -> &[KernelLaunch] {
        &self.launches
    }

    /// The names that nothing defines; the loader itself complains of the first one only.
    fn unknown(&self, ran: &ToolRun) -> HostError {
        let complaint = &ran.stderr;
        let known: BTreeSet<String> =
            self.parts.iter().flat_map(|part| symbols::exported(part)).collect();
        let missing = self.undefined.iter().filter(|symbol| {
            let complained = complaint.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            symbols::split_mangled(symbol).is_some() && !known.contains(*symbol)
                || complained.into_iter().any(|word| word == symbol.as_str())
        });
        let name = |symbol: &String| {
            symbols::split_mangled(symbol).map_or(symbol.as_str(), |(name, _)| name).to_owned()
        };
        let names: BTreeSet<String> = missing.map(name).collect();
        // One that a part of the run-time itself lacks is our own fault.
        if names.is_empty() {
            return HostError::Clang(ran.trouble());
        }
        HostError::BuiltIns(names.into_iter().collect())
    }

    /// The names and lines behind its addresses.
    #[must_use]
    pub fn symbols(&self) -> ProgramSymbols {
        ProgramSymbols::of(&self.code(), &self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_of_vectors_are_suspected_from_afar() {
        assert!(divides_vectors(b"int4 f(__global int4 *p) { return *p / p[1]; }"));
        assert!(divides_vectors(
            b"typedef int v __attribute__((__ext_vector_type__(4))); v g; v h = g % g;"
        ));
        assert!(!divides_vectors(b"int f(int a1) { return a1 / 2; }"));
        assert!(!divides_vectors(b"int4 f(int4 a) { return a * 2; } // a / b"));
    }
}
