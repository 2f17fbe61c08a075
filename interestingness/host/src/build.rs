//! The build: from a kernel to a program of this machine.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use clreduce_compiler::Clang;
use clreduce_kernel::{Argument, KernelLaunch, KernelSignature, Output};
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};
use clreduce_testcase::{Feature, TestCase, tokens};
use tempfile::TempDir;

use crate::changes::Changes;
use crate::error::HostError;
use crate::flavour::{BuildDetail, Flavour};
use crate::order::Order;
use crate::start::StartError;
use crate::subject::HostKernel;
use crate::symbols::{self, CodeAddress, ProgramSymbols};
use crate::toolchain::Toolchain;
use crate::{FILE, cache, cuda, dynamic, forked, lanes, own, parts, start, sub_groups};

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
    /// The folder of the host program.
    cache: PathBuf,
    parts: Vec<PathBuf>,
    launches: Vec<KernelLaunch>,
    kernels: Vec<KernelSignature>,
    /// Words for the run-time about the program as a whole: its variables in local memory, and what to look for.
    words: Vec<OsString>,
    undefined: BTreeSet<String>,
    /// True if it prints what the kernel writes.
    results: bool,
    /// Its launcher removes the folder at the end.
    _tools: ToolRunner,
}

impl HostBuild<'_> {
    /// Compiles and links the kernel.
    ///
    /// # Errors
    /// When the kernel, or what it needs, cannot be compiled.
    pub fn program(&self, flavour: Flavour, detail: BuildDetail) -> Result<HostProgram, HostError> {
        let launches = self.subject.launches.clone()?;
        let folder = self.toolchain.tools.folder()?;
        let cache = cache::folder(&self.toolchain);
        let tools = self.toolchain.tools.with_readable(&cache).with_writable(folder.path());
        let mut writing: HostBuild<'_> = *self;
        writing.toolchain.tools = &tools;
        let object = writing.compile_kernel(flavour, detail, &launches, folder.path())?;
        let kernel = symbols::of_kernel(&fs::read(&object)?)?;
        let foreign = own::foreign(&kernel.undefined, self.subject);
        if !foreign.is_empty() {
            return Err(HostError::BuiltIns(foreign));
        }
        let mut parts = Vec::new();
        for part in parts::of(&kernel.undefined) {
            let built = parts::built_in(&self.toolchain, flavour, part)?;
            if part.0 == parts::SUB_GROUPS {
                let functions = symbols::exported(&built);
                sub_groups::check(&kernel.undefined, &functions, &self.subject.kernels, &launches)?;
            }
            parts.push(built);
        }
        let code = folder.path().join(CODE);
        writing.link(&object, &parts, &code)?;
        let mut words: Vec<OsString> = Vec::new();
        if matches!(flavour, Flavour::Addresses | Flavour::Memory | Flavour::Reaches) {
            let places = symbols::addresses(&fs::read(&code)?, &kernel.local)?;
            words.extend(places.into_iter().map(|(at, size)| format!("m:{at}:{size}").into()));
        }
        if flavour == Flavour::Addresses && watches_races(&launches) {
            words.push("races".into());
        }
        let host = parts::host(&self.toolchain, flavour)?;
        let results = match flavour {
            Flavour::Plain => true,
            Flavour::Addresses | Flavour::Memory => buffer_bytes(&launches) <= MOST_PRINTED_BYTES,
            Flavour::Steps | Flavour::Reaches => false,
        };
        let undefined = kernel.undefined;
        Ok(HostProgram {
            folder,
            host,
            cache,
            parts,
            launches,
            kernels: self.subject.kernels.clone(),
            words,
            undefined,
            results,
            _tools: self.toolchain.tools.clone(),
        })
    }

    /// Compiles the kernel: where its operations on vectors or its pointers need more checks than clang makes, by way of LLVM's
    /// intermediate language, in which these are put.
    fn compile_kernel(
        &self,
        flavour: Flavour,
        detail: BuildDetail,
        launches: &[KernelLaunch],
        folder: &Path,
    ) -> Result<PathBuf, HostError> {
        let source = self.source(flavour, launches)?;
        let (ir, object) = (folder.join("kernel.ll"), folder.join("kernel.o"));
        let changes = Changes::of(self.subject, flavour);
        let mut code: Vec<OsString> = self.switches(flavour, detail).map(OsString::from).collect();
        let mut args = self.toolchain.clang.host(self.subject.language);
        // As in C99, a function that is only `inline` has no code to link. In GNU C89 it has, but `extern inline` has none.
        if self.subject.language.has(Feature::OpenClWords)
            && !own::has_word(&self.subject.source, &["extern"])
        {
            args.push("-fgnu89-inline".into());
        }
        args.extend(code.iter().cloned());
        if !changes.is_any() {
            args.extend([self.optimisation, "-c"].map(OsString::from));
            self.compile(args, FILE, source, &object)?;
            return Ok(object);
        }
        // Only for an optimiser, clang says of which types accesses are.
        args.push(if changes.types { "-O1" } else { self.optimisation }.into());
        let to_ir = ["-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"];
        args.extend(to_ir.map(OsString::from));
        self.compile(args, FILE, source, &ir)?;
        let text = changes.made(fs::read_to_string(&ir)?, flavour);
        let mut args: Vec<OsString> = ["-x", "ir"].map(OsString::from).into();
        args.append(&mut code);
        args.extend([self.optimisation, "-c"].map(OsString::from));
        self.compile(args, "kernel.ll", text.into_bytes(), &object)?;
        Ok(object)
    }

    /// The text that is compiled: the kernel, what has to stand before it, and the function that launches it.
    fn source(&self, flavour: Flavour, launches: &[KernelLaunch]) -> Result<Vec<u8>, HostError> {
        let subject = self.subject;
        let start = start::function(subject, launches)?;
        let mut source = own::before(subject, flavour).into_bytes();
        let program = match flavour {
            _ if subject.is_cuda() => dynamic::with_size(&subject.source),
            Flavour::Memory => lanes::watched(&subject.source),
            _ => None,
        };
        source.extend_from_slice(program.as_deref().unwrap_or(&subject.source));
        source.extend(start.into_bytes());
        Ok(source)
    }

    /// The switches for clang that both steps of a compilation have.
    fn switches(
        &self,
        flavour: Flavour,
        detail: BuildDetail,
    ) -> impl Iterator<Item = &'static str> {
        let mut switches = flavour.kernel_switches(detail);
        if matches!(flavour, Flavour::Steps | Flavour::Reaches)
            && own::has_word(&self.subject.source, &["volatile", "__volatile__"])
        {
            switches.push("-fsanitize-coverage=trace-loads");
        }
        if matches!(flavour, Flavour::Addresses | Flavour::Reaches)
            && knows_last_members(self.toolchain.clang)
        {
            switches.push("-fstrict-flex-arrays=3");
        }
        // In OpenCL C, the count of a shift wraps, and an enumeration is an integer.
        if flavour == Flavour::Addresses && self.subject.is_cuda() {
            switches.push("-fsanitize=shift-exponent,enum");
        }
        switches.extend(["-fPIC", "-fno-omit-frame-pointer", "-fno-builtin", "-w"]);
        switches.into_iter()
    }

    /// Has clang make one file of another: as a fork server if there is one, which cannot tell why clang does not succeed. The declarations
    /// before a program are read once, if clang can do that.
    fn compile(
        &self,
        args: Vec<OsString>,
        from: &str,
        text: Vec<u8>,
        to: &Path,
    ) -> Result<(), HostError> {
        if from == FILE
            && self.subject.is_cuda()
            && let (declarations @ [_, ..], program) = cuda::split(&text)
            && let Ok(precompiled) = parts::precompiled(&self.toolchain, &args, declarations)
        {
            let precompiled = ["-include-pch".into(), precompiled.into()];
            let args = args.iter().cloned().chain(precompiled).collect();
            if self.compile_once(args, from, program.to_vec(), to).is_ok() {
                return Ok(());
            }
        }
        self.compile_once(args, from, text, to)
    }

    fn compile_once(
        &self,
        mut args: Vec<OsString>,
        from: &str,
        text: Vec<u8>,
        to: &Path,
    ) -> Result<(), HostError> {
        if let Some(written) = forked::compile(&self.toolchain, args.clone(), from, &text) {
            return Ok(fs::write(to, written)?);
        }
        args.extend([from, "-o"].map(OsString::from));
        args.push(to.into());
        let ran = self.toolchain.run_clang(args, &TestCase::single(from, text)?);
        match ran.end {
            End::Exited(0) => Ok(()),
            _ => Err(HostError::Kernel(Box::new(ran))),
        }
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

/// Returns true if the same code calls the kernel for both.
fn has_same_call(one: &KernelLaunch, other: &KernelLaunch) -> bool {
    let kind = std::mem::discriminant::<Argument>;
    one.kernel == other.kernel
        && one.arguments.iter().map(kind).eq(other.arguments.iter().map(kind))
}

/// Launches for whose calls there is code, where some of these will do: values, buffers and sizes are told when it runs.
pub(crate) fn distinct_calls(launches: &[KernelLaunch]) -> Vec<KernelLaunch> {
    let mut distinct: Vec<KernelLaunch> = Vec::new();
    for launch in launches {
        if !distinct.iter().any(|other| has_same_call(other, launch)) {
            distinct.push(launch.clone());
        }
    }
    distinct
}

/// The most bytes of buffers whose accesses the run-time can remember; each takes 96 bytes more.
const MOST_WATCHED_BYTES: u64 = 8 << 20;

/// True if an instrumented program with these launches looks for data races: what the run-time has to remember must
/// fit into memory.
#[must_use]
pub fn watches_races(launches: &[KernelLaunch]) -> bool {
    buffer_bytes(launches) <= MOST_WATCHED_BYTES
}

/// The most bytes of buffers that an instrumented program prints; each takes two characters.
const MOST_PRINTED_BYTES: u64 = 8 << 20;

/// The bytes of all buffers of the launch that has most.
fn buffer_bytes(launches: &[KernelLaunch]) -> u64 {
    let of_launch = |launch: &KernelLaunch| {
        let bytes = launch.arguments.iter().map(|argument| match argument {
            Argument::Buffer { element, elements, .. } => {
                elements.saturating_mul(element.bytes() as u64)
            }
            Argument::Local(bytes) => *bytes,
            Argument::Value(_) | Argument::Sampler(_) => 0,
        });
        bytes.fold(0, u64::saturating_add)
    };
    launches.iter().map(of_launch).max().unwrap_or(0)
}

/// Returns true if the clang can be told that arrays at the end of structures have no more elements than they say.
fn knows_last_members(clang: &Clang) -> bool {
    clang.major().is_some_and(|major| major >= 16)
}

/// Returns true if a program under AddressSanitizer finds every index beyond an array. Older clangs take an array of at
/// most one element at the end of a structure for one whose size is not known.
#[must_use]
pub fn watches_bounds(clang: &Clang, subject: &HostKernel) -> bool {
    knows_last_members(clang) || !has_last_array(&subject.source)
}

/// Returns true if a structure may end with an array of at most one element, as in `int a[1]; }`.
fn has_last_array(source: &[u8]) -> bool {
    let texts: Vec<&[u8]> = tokens(source).map(|token| &source[token.range()]).collect();
    let ends = |window: &[&[u8]]| window[0] == b"[" && window[2..] == [&b"]"[..], b";", b"}"];
    // A size that is no number may be a macro for one.
    let is_small =
        |size: &[u8]| !size.first().is_some_and(u8::is_ascii_digit) || matches!(size, b"0" | b"1");
    texts.windows(5).any(|window| ends(window) && is_small(window[1]))
        || texts.windows(4).any(|window| *window == [&b"["[..], b"]", b";", b"}"])
}

/// Returns true if work-items have changed the same place atomically, in an order that nothing decides. Programs under
/// AddressSanitizer tell. Without it, and without a data race, every order gives the same result.
#[must_use]
pub fn atomics_meet(runs: &[ToolRun]) -> bool {
    runs.iter().any(|ran| ran.stdout.lines().any(|line| line == "clreduce-atomics-meet"))
}

/// Returns the places of two calls of atomic functions on one place whose order matters and that nothing orders, if there
/// are any: the calls on the way to one of them, and the other one. Programs under AddressSanitizer tell.
#[must_use]
pub fn conflict(runs: &[ToolRun]) -> Option<(Vec<CodeAddress>, CodeAddress)> {
    let said = |ran: &ToolRun| {
        let mut lines = ran.stdout.lines();
        let (calls, earlier) =
            lines.find_map(|line| line.strip_prefix("clreduce-conflict: "))?.split_once(' ')?;
        let calls = calls.split(',').filter_map(CodeAddress::in_kernel).collect();
        Some((calls, CodeAddress::in_kernel(earlier)?))
    };
    runs.iter().find_map(said)
}

impl HostProgram {
    fn code(&self) -> PathBuf {
        self.folder.path().join(CODE)
    }

    /// Runs every launch, until one does not end well.
    ///
    /// # Errors
    /// When the program needs what is nowhere.
    pub fn run(
        &self,
        order: Order,
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Result<Vec<ToolRun>, HostError> {
        let mut runs = Vec::new();
        for number in 0..self.launches.len() {
            let ran = self.run_launch(number, order, tools, cancel)?;
            let ended_well = ran.end == End::Exited(0);
            runs.push(ran);
            if !ended_well {
                break;
            }
        }
        Ok(runs)
    }

    /// Runs the launch with this number.
    ///
    /// # Errors
    /// When the program needs what is nowhere.
    pub(crate) fn run_launch(
        &self,
        number: usize,
        order: Order,
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Result<ToolRun, HostError> {
        self.run_as(&self.launches[number], &[], order, tools, cancel)
    }

    /// Runs a launch of a kernel for which the program was built, with the same kinds of arguments.
    ///
    /// # Errors
    /// When the program needs what is nowhere.
    pub(crate) fn run_as(
        &self,
        launch: &KernelLaunch,
        words: &[OsString],
        order: Order,
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Result<ToolRun, HostError> {
        let number = self.launches.iter().position(|built| has_same_call(built, launch));
        let no_kernel = || HostError::Start(StartError::NoKernel(launch.kernel.clone()));
        let number = number.ok_or_else(no_kernel)?;
        let mut args = vec![self.code().into_os_string()];
        args.extend(start::words(number, launch, &self.kernels, self.results));
        args.extend(self.words.iter().chain(words).cloned().chain(order.word()));
        // A kernel that ends the program by itself cannot know this word.
        let end = RandomState::new().build_hasher().finish();
        args.push(format!("end:{end}").into());
        let contents = start::contents(launch)?;
        let tools = tools.with_readable(&self.cache);
        let mut ran = tools.run(&self.host.to_string_lossy(), args, &contents, cancel);
        ran.end = match ran.end {
            End::Exited(EXIT_UNKNOWN) => return Err(self.unknown(&ran)),
            End::Exited(_) if ran.stdout.ends_with(&format!("\nclreduce-end: {end}\n")) => ran.end,
            End::Exited(0) => End::Failed("the kernel ended the program".to_owned()),
            other => other,
        };
        Ok(ran)
    }

    /// The same program, which stops a work-group after `most` jumps if it counts them.
    #[must_use]
    pub fn within_jumps(self, most: u64) -> Self {
        self.with_word(format!("steps:{most}").into())
    }

    /// The same program, with one more word for the run-time.
    pub(crate) fn with_word(mut self, word: OsString) -> Self {
        self.words.push(word);
        self
    }

    /// The buffers that the kernel has written, in runs of all launches.
    #[must_use]
    pub fn outputs(&self, runs: &[ToolRun]) -> Vec<Output> {
        let of_run = |(ran, launch): (&ToolRun, _)| start::outputs(launch, &ran.stdout);
        runs.iter().zip(&self.launches).flat_map(of_run).collect()
    }

    /// True if [`outputs`](Self::outputs) has everything that the kernel writes: an instrumented program does not print large
    /// buffers.
    #[must_use]
    pub fn prints_results(&self) -> bool {
        self.results
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
    fn small_arrays_at_the_end_of_structures_are_suspected_from_afar() {
        assert!(has_last_array(b"struct S { ulong f; uint a[1]; };"));
        assert!(has_last_array(b"struct S { ulong f; uint a[]; }; struct T { int b; };"));
        assert!(has_last_array(b"struct S { uint a[/* N */N]; } s;"));
        assert!(!has_last_array(b"struct S { uint a[1]; ulong f; uint b[2]; };"));
    }
}
