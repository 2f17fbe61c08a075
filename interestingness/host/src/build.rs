//! The build: from a kernel to a program of this machine.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_compiler::Clang;
use clreduce_kernel::KernelLaunch;
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};
use clreduce_testcase::{TestCase, tokens};
use tempfile::TempDir;
use thiserror::Error;

use crate::subject::{FILE, Subject};
use crate::symbols::{self, Symbols};
use crate::{divisions, parts, start};

/// The file with the kernel's code.
pub const CODE: &str = "kernel.so";

/// The status of the run-time when the kernel needs what is nowhere.
const EXIT_UNKNOWN: i32 = 93;

/// What a program is instrumented with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Nothing.
    Plain,
    /// UndefinedBehaviorSanitizer and AddressSanitizer.
    Addresses,
    /// MemorySanitizer.
    Memory,
}

impl Flavour {
    /// The name of what watches the program, for reports.
    #[must_use]
    pub fn tool(self) -> &'static str {
        match self {
            Self::Plain => "host",
            Self::Addresses => "AddressSanitizer",
            Self::Memory => "MemorySanitizer",
        }
    }

    /// For the run-time and the built-ins.
    pub(crate) fn switches(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Addresses => &["-fsanitize=address"],
            Self::Memory => &["-fsanitize=memory", FOLLOW, ORIGINS],
        }
    }

    /// For the kernel. What a verdict costs is mostly the compiler's time: line tables, messages and origins
    /// double it.
    fn kernel_switches(self, detail: Detail) -> Vec<&'static str> {
        const LINES: &str = "-gline-tables-only";
        match (self, detail) {
            (Self::Plain, _) => vec![],
            (Self::Addresses, Detail::Verdict) => vec![ADDRESS, UNDEFINED, TRAP],
            (Self::Addresses, Detail::Report) => vec![ADDRESS, UNDEFINED, LINES],
            (Self::Memory, Detail::Verdict) => vec!["-fsanitize=memory", FOLLOW],
            (Self::Memory, Detail::Report) => vec!["-fsanitize=memory", FOLLOW, ORIGINS, LINES],
        }
    }
}

/// What is to be known of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Whether anything is wrong.
    Verdict,
    /// What is wrong, and where.
    Report,
}

const ADDRESS: &str = "-fsanitize=address";
/// Shifts are left out: in OpenCL their counts wrap. So are `local-bounds`, which trap without a word.
const UNDEFINED: &str = "-fsanitize=signed-integer-overflow,integer-divide-by-zero,null,alignment,array-bounds,\
                         pointer-overflow,float-cast-overflow,unreachable,bool";
const TRAP: &str = "-fsanitize-trap=undefined";
/// Follow values through calls instead of asking at each call: lanes that nobody uses may be undefined.
const FOLLOW: &str = "-fno-sanitize-memory-param-retval";
const ORIGINS: &str = "-fsanitize-memory-track-origins=1";

/// The reason that there is no program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HostError {
    /// The run-time lacks these built-ins.
    #[error("built-in{} {} not known to the host run-time", if .0.len() == 1 { "" } else { "s" }, .0.join(", "))]
    BuiltIns(Vec<String>),
    /// The kernel cannot be launched.
    #[error("{0}")]
    Launch(String),
    /// clang fails on a part of the run-time.
    #[error("clang: {0}")]
    Clang(String),
    /// The linker fails.
    #[error("ld: {0}")]
    Linker(String),
    /// clang fails on the kernel itself; with that run, for a caller that wants to know more.
    #[error("clang: {}", first_error(.0))]
    Kernel(Box<ToolRun>),
    /// clang has written something that is no object.
    #[error("the object of the kernel cannot be read: {0}")]
    Object(#[from] object::Error),
    /// A file cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Everything needed to build a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The compiler.
    pub clang: &'a Clang,
    /// Runs the compiler and the linker.
    pub tools: &'a ToolRunner,
    /// Where compiled parts of the run-time are kept.
    pub cache: &'a Path,
    /// The kernel.
    pub subject: &'a Subject,
    /// Ends the build early.
    pub cancel: &'a Cancel,
    /// As in `-O0`; instrumented programs are never optimised.
    pub optimisation: &'static str,
}

/// A kernel as a program; its files go with it.
#[derive(Debug)]
pub struct Program {
    folder: TempDir,
    host: PathBuf,
    parts: Vec<PathBuf>,
    launches: Vec<KernelLaunch>,
    /// Variables in local memory, for the run-time.
    variables: Vec<OsString>,
    undefined: BTreeSet<String>,
    /// Whether what the kernel writes is of interest.
    results: bool,
}

impl Build<'_> {
    /// Compiles and links the kernel.
    ///
    /// # Errors
    /// When the kernel, or what it needs, cannot be compiled.
    pub fn program(&self, flavour: Flavour, detail: Detail) -> Result<Program, HostError> {
        let launches = self.subject.launches.clone().map_err(HostError::Launch)?;
        let folder = tempfile::Builder::new()
            .prefix("clreduce-host-")
            .tempdir_in(&self.tools.temporary())?;
        let object = self.compile_kernel(flavour, detail, &launches, folder.path())?;
        let kernel = symbols::of_kernel(&fs::read(&object)?)?;
        let parts = parts::of(&kernel.undefined);
        let parts = parts.map(|part| parts::built_in(self, flavour, part));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let code = folder.path().join(CODE);
        self.link(&object, &parts, &code)?;
        let mut variables = Vec::new();
        if flavour == Flavour::Memory {
            let places = symbols::addresses(&fs::read(&code)?, &kernel.local)?;
            variables.extend(places.into_iter().map(|(at, size)| format!("m:{at}:{size}").into()));
        }
        let host = parts::host(self, flavour)?;
        let (undefined, results) = (kernel.undefined, flavour == Flavour::Plain);
        Ok(Program { folder, host, parts, launches, variables, undefined, results })
    }

    /// Compiles the kernel, where it divides vectors by way of LLVM's intermediate language, in which these
    /// divisions are replaced.
    fn compile_kernel(
        &self,
        flavour: Flavour,
        detail: Detail,
        launches: &[KernelLaunch],
        folder: &Path,
    ) -> Result<PathBuf, HostError> {
        let start = start::function(self.subject, launches).map_err(HostError::Launch)?;
        let mut source = self.subject.source.to_vec();
        source.extend(start.into_bytes());
        let files = |name, bytes: Vec<u8>| {
            TestCase::single(name, bytes).map_err(|error| HostError::Clang(error.to_string()))
        };
        let (ir, object) = (folder.join("kernel.ll"), folder.join("kernel.o"));
        let switches = flavour.kernel_switches(detail);
        let code = [self.optimisation, "-fPIC", "-fno-omit-frame-pointer", "-w"];
        let code: Vec<OsString> = switches.iter().chain(&code).map(OsString::from).collect();
        let mut args = self.clang.host(self.subject.language);
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
        let ran = self.tools.run(self.clang.program(), args, &files(FILE, source)?, self.cancel);
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
            let ran = self.tools.run(self.clang.program(), args, &files, self.cancel);
            if ran.end != End::Exited(0) {
                return Err(HostError::Kernel(Box::new(ran)));
            }
        }
        Ok(object)
    }

    /// Asks the linker itself: starting clang costs more than linking, and as much as compiling a small kernel.
    fn link(&self, object: &Path, parts: &[PathBuf], code: &Path) -> Result<(), HostError> {
        let library = parts::library(self)?;
        let mut args: Vec<OsString> = parts::LINKER.map(OsString::from).into();
        args.extend([code, object].map(OsString::from));
        args.extend(parts.iter().chain([&library]).map(OsString::from));
        let ran = self.tools.run("ld", args, &self.subject.files, self.cancel);
        match ran.end {
            End::Exited(0) => Ok(()),
            _ => Err(HostError::Linker(ran.trouble())),
        }
    }

    pub(crate) fn clang(&self, args: Vec<OsString>, files: &TestCase) -> Result<(), HostError> {
        let ran = self.tools.run(self.clang.program(), args, files, self.cancel);
        match ran.end {
            End::Exited(0) => Ok(()),
            _ => Err(HostError::Clang(first_error(&ran))),
        }
    }
}

/// Whether a program may divide vectors: it has a type of vectors and a division.
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

impl Program {
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
            args.extend(self.variables.iter().cloned());
            let contents = start::contents(launch).map_err(HostError::Launch)?;
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
    pub fn symbols(&self) -> Symbols {
        Symbols::of(&self.code(), &self.host)
    }
}

fn first_error(ran: &ToolRun) -> String {
    let error = ran.stderr.lines().find(|line| line.contains("error: "));
    error.map_or_else(|| ran.trouble(), str::to_owned)
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
