//! From a kernel to a program of the host.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clreduce_testcase::TestCase;
use tempfile::TempDir;
use thiserror::Error;

use super::cache;
use super::divisions;
use super::symbols::{self, Symbols};
use crate::Cancel;
use crate::check::Clang;
use crate::check::arguments::{Argument, Space};
use crate::check::finding::Kind;
use crate::check::subject::{FILE, Subject};
use crate::command::{Bench, End, Ran};

/// What a program is instrumented with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Flavour {
    /// Nothing.
    Plain,
    /// UndefinedBehaviorSanitizer and AddressSanitizer.
    Addresses,
    /// MemorySanitizer.
    Memory,
}

impl Flavour {
    pub fn tool(self) -> &'static str {
        match self {
            Self::Plain => "host",
            Self::Addresses => "AddressSanitizer",
            Self::Memory => "MemorySanitizer",
        }
    }

    /// What a run in this flavour would have shown.
    pub fn looks_for(self) -> BTreeSet<Kind> {
        match self {
            Self::Plain => [Kind::NonTermination].into(),
            Self::Addresses => [
                Kind::OutOfBounds,
                Kind::NullPointer,
                Kind::Lifetime,
                Kind::Misaligned,
                Kind::Divergence,
                Kind::SignedOverflow,
                Kind::DivisionByZero,
                Kind::ClampRange,
                Kind::Conversion,
                Kind::NonTermination,
            ]
            .into(),
            Self::Memory => [Kind::Uninitialised].into(),
        }
    }

    /// For the run-time and for linking.
    fn switches(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Addresses => &["-fsanitize=address,undefined"],
            Self::Memory => &["-fsanitize=memory", FOLLOW, "-fsanitize-memory-track-origins=1"],
        }
    }

    /// For the kernel. Shifts are left out: in OpenCL their counts wrap. So are `local-bounds`, which trap
    /// without a word.
    fn kernel_switches(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Addresses => &[
                "-fsanitize=address,signed-integer-overflow,integer-divide-by-zero,null,alignment,array-bounds,\
                 pointer-overflow,float-cast-overflow,unreachable,bool",
            ],
            Self::Memory => self.switches(),
        }
    }
}

/// Follow values through calls instead of asking at each call: lanes that nobody uses may be undefined.
const FOLLOW: &str = "-fno-sanitize-memory-param-retval";

/// Why there is no program.
#[derive(Debug, Error)]
pub(super) enum Trouble {
    #[error("built-in{} {} not known to the host run-time", if .0.len() == 1 { "" } else { "s" }, .0.join(", "))]
    BuiltIns(Vec<String>),
    #[error("there is no argument for {0}")]
    Argument(String),
    #[error("clang: {0}")]
    Clang(String),
    #[error("the object of the kernel cannot be read: {0}")]
    Object(#[from] object::Error),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The parts of the run-time that are written in OpenCL C.
const COMMON: &str = include_str!("runtime/common.cl");
const RUNTIME: &str = include_str!("runtime/runtime.c");
const PARTS: [(&str, &str); 5] = [
    ("work_items", include_str!("runtime/work_items.cl")),
    ("integers", include_str!("runtime/integers.cl")),
    ("conversions", include_str!("runtime/conversions.cl")),
    ("memory", include_str!("runtime/memory.cl")),
    ("floats", include_str!("runtime/floats.cl")),
];

/// How long a part of the run-time may take to compile, on a machine that is busy.
const PART_LIMIT: Duration = Duration::from_secs(300);

/// Everything needed to build a kernel.
pub(super) struct Build<'a> {
    pub clang: &'a Clang,
    pub bench: &'a Bench,
    pub cache: &'a Path,
    pub subject: &'a Subject,
    pub cancel: &'a Cancel,
}

/// A kernel as a program; its files go with it.
pub(super) struct Program {
    folder: TempDir,
    args: Vec<OsString>,
}

impl Build<'_> {
    /// Compiles and links the kernel.
    pub fn program(&self, flavour: Flavour) -> Result<Program, Trouble> {
        let arguments = self.subject.arguments.as_ref();
        let arguments = arguments.map_err(|reason| Trouble::Argument(reason.clone()))?;
        let folder =
            tempfile::Builder::new().prefix("clreduce-host-").tempdir_in(&self.bench.temporary)?;
        let object = self.compile_kernel(flavour, arguments, folder.path())?;
        let kernel = symbols::of_kernel(&fs::read(&object)?)?;
        let mut inputs = vec![object, self.runtime(flavour)?];
        for part in parts_of(&kernel.undefined) {
            inputs.push(self.part(flavour, part)?);
        }
        let program = folder.path().join("kernel");
        let mut args: Vec<OsString> = flavour.switches().iter().map(OsString::from).collect();
        args.extend(["-target", "x86_64-linux-gnu", "-rdynamic", "-o"].map(OsString::from));
        args.push(program.clone().into());
        args.extend(inputs.into_iter().map(OsString::from));
        args.push("-lm".into());
        let ran = self.bench.run(&self.clang.program, args, &self.subject.files, self.cancel);
        if ran.end != End::Exited(0) {
            let unknown = symbols::unresolved(&ran.stderr, &kernel.undefined);
            return Err(if unknown.is_empty() {
                Trouble::Clang(ran.trouble())
            } else {
                Trouble::BuiltIns(unknown)
            });
        }
        let mut args = launch(self.subject, arguments);
        if flavour == Flavour::Memory {
            let places = symbols::addresses(&fs::read(&program)?, &kernel.local)?;
            args.extend(places.into_iter().map(|(at, size)| format!("m:{at}:{size}").into()));
        }
        Ok(Program { folder, args })
    }

    /// Compiles the kernel by way of LLVM's intermediate language, where the divisions of vectors are
    /// replaced.
    fn compile_kernel(
        &self,
        flavour: Flavour,
        arguments: &[Argument],
        folder: &Path,
    ) -> Result<PathBuf, Trouble> {
        let mut source = self.subject.source.to_vec();
        source.extend(start(&self.subject.kernel, arguments).into_bytes());
        let files = |name, bytes: Vec<u8>| {
            TestCase::single(name, bytes).map_err(|error| Trouble::Clang(error.to_string()))
        };
        let (ir, object) = (folder.join("kernel.ll"), folder.join("kernel.o"));
        let mut args = self.clang.language();
        args.extend(flavour.kernel_switches().iter().map(OsString::from));
        // Line tables cost a tenth of the time and save a second build when something is found.
        let fixed = ["-O0", "-gline-tables-only", "-fno-omit-frame-pointer", "-w", "-Xclang"];
        args.extend(fixed.map(OsString::from));
        args.extend(["-disable-llvm-passes", "-S", "-emit-llvm", FILE, "-o"].map(OsString::from));
        args.push(ir.clone().into());
        self.clang(args, &files(FILE, source)?)?;
        let text = fs::read_to_string(&ir)?;
        let text = divisions::replace(&text, flavour == Flavour::Memory);
        let mut args: Vec<OsString> =
            ["-x", "ir", "-O0", "-w", "-c", "kernel.ll", "-o"].map(OsString::from).into();
        args.push(object.clone().into());
        args.extend(flavour.kernel_switches().iter().map(OsString::from));
        self.clang(args, &files("kernel.ll", text.into_bytes())?)?;
        Ok(object)
    }

    /// The part in C: launch, fibres, barriers.
    fn runtime(&self, flavour: Flavour) -> Result<PathBuf, Trouble> {
        // The sanitizer of undefined behaviour has nothing to find in our own code.
        let switches = if flavour == Flavour::Addresses {
            &["-fsanitize=address"]
        } else {
            flavour.switches()
        };
        let fixed = [
            "-x",
            "c",
            "-std=gnu11",
            "-target",
            "x86_64-linux-gnu",
            "-O1",
            "-fno-omit-frame-pointer",
        ];
        let args = fixed.iter().chain(switches).map(OsString::from).collect();
        self.cached("runtime", RUNTIME, "runtime.c", args)
    }

    /// A part in OpenCL C. Not optimised: that takes three times as long and is done for a small share of what
    /// the kernel uses.
    fn part(&self, flavour: Flavour, (name, text): (&str, &str)) -> Result<PathBuf, Trouble> {
        let switches = if flavour == Flavour::Addresses {
            &["-fsanitize=address"]
        } else {
            flavour.switches()
        };
        let fixed = [
            "-x",
            "cl",
            "-cl-std=CL1.2",
            "-target",
            "x86_64-linux-gnu",
            "-O0",
            "-fno-omit-frame-pointer",
            "-ffunction-sections",
        ];
        let args = fixed.iter().chain(switches).map(OsString::from).collect();
        self.cached(name, &format!("{COMMON}\n{text}"), "part.cl", args)
    }

    fn cached(
        &self,
        name: &str,
        text: &str,
        file: &str,
        mut args: Vec<OsString>,
    ) -> Result<PathBuf, Trouble> {
        let place = cache::place(
            self.cache,
            name,
            &(text, &args, &self.clang.program, &self.clang.version),
        );
        if place.exists() {
            return Ok(place);
        }
        let folder =
            tempfile::Builder::new().prefix("clreduce-part-").tempdir_in(&self.bench.temporary)?;
        let object = folder.path().join("part.o");
        args.extend(["-w", "-c", file, "-o"].map(OsString::from));
        args.push(object.clone().into());
        let files = TestCase::single(file, text.as_bytes());
        let files = files.map_err(|error| Trouble::Clang(error.to_string()))?;
        // The limit is meant for kernels; this is done once and kept.
        let mut bench = self.bench.clone();
        bench.limits.time = bench.limits.time.map(|limit| limit.max(PART_LIMIT));
        Build { bench: &bench, ..*self }.clang(args, &files)?;
        cache::put(&object, &place)?;
        Ok(place)
    }

    fn clang(&self, args: Vec<OsString>, files: &TestCase) -> Result<(), Trouble> {
        let ran = self.bench.run(&self.clang.program, args, files, self.cancel);
        match ran.end {
            End::Exited(0) => Ok(()),
            _ => Err(Trouble::Clang(first_error(&ran))),
        }
    }
}

impl Program {
    fn path(&self) -> PathBuf {
        self.folder.path().join("kernel")
    }

    /// Runs it once.
    pub fn run(&self, bench: &Bench, subject: &Subject, cancel: &Cancel) -> Ran {
        bench.run(&self.path().to_string_lossy(), self.args.clone(), &subject.files, cancel)
    }

    /// What its addresses mean.
    pub fn symbols(&self) -> Symbols {
        Symbols::of(&self.path())
    }
}

fn first_error(ran: &Ran) -> String {
    let error = ran.stderr.lines().find(|line| line.contains("error: "));
    error.map_or_else(|| ran.trouble(), str::to_owned)
}

/// The function, in the kernel's own language, that calls it with its arguments: so types and calling
/// conventions are the compiler's business.
fn start(kernel: &str, arguments: &[Argument]) -> String {
    let mut text = String::from(
        "\n#line 1 \"start\"\n__global void *clreduce_buffer(unsigned, unsigned long);\n\
         long clreduce_scalar(unsigned);\nvoid clreduce_start(void)\n{\n",
    );
    let mut values = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let declared = &argument.declared;
        values.push(match argument.space {
            Space::Scalar => format!("({declared})clreduce_scalar({index})"),
            Space::Global | Space::Local => {
                // Through an integer: there is no conversion from one address space to another.
                format!("({declared})(size_t)clreduce_buffer({index}, sizeof(*({declared})0))")
            }
        });
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "    {kernel}({});\n}}\n", values.join(", "));
    text
}

/// The program's arguments: sizes, then what the kernel gets.
fn launch(subject: &Subject, arguments: &[Argument]) -> Vec<OsString> {
    let mut words = vec![subject.global.len().to_string()];
    for sizes in [&subject.global, &subject.local] {
        words
            .extend((0..3).map(|dimension| sizes.get(dimension).copied().unwrap_or(1).to_string()));
    }
    for argument in arguments {
        let space = match argument.space {
            Space::Global => 'g',
            Space::Local => 'l',
            Space::Scalar => 's',
        };
        let (kind, lanes) = match argument.element {
            None => ('?', 1),
            // In memory, a vector of three is one of four with padding.
            Some(element) => (if element.is_floating() { 'f' } else { 'i' }, element.lanes),
        };
        let Argument { start, step, count, .. } = argument;
        words.push(format!("{space}:{kind}:{lanes}:{start}:{step}:{count}"));
    }
    words.into_iter().map(OsString::from).collect()
}

/// The parts of the run-time in which the symbols would be.
fn parts_of(undefined: &BTreeSet<String>) -> Vec<(&'static str, &'static str)> {
    let names: BTreeSet<&str> = undefined.iter().filter_map(|symbol| part_of(symbol)).collect();
    PARTS.into_iter().filter(|(name, _)| names.contains(name)).collect()
}

/// The part for a built-in, by its name and the types of its arguments.
fn part_of(symbol: &str) -> Option<&'static str> {
    let (name, types) = symbols::split_mangled(symbol)?;
    let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    Some(if begins(&["get_", "barrier", "mem_fence", "read_mem_", "write_mem_"]) {
        "work_items"
    } else if begins(&["vload", "vstore", "atom"]) {
        "memory"
    } else if begins(&["convert_"]) {
        "conversions"
    } else if symbols::has_floating(types) {
        "floats"
    } else {
        "integers"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_by_name_and_types() {
        let part = |symbol| part_of(symbol);
        assert_eq!(part("_Z13get_global_idj"), Some("work_items"));
        assert_eq!(part("_Z5clampDv4_iS_S_"), Some("integers"));
        assert_eq!(part("_Z5clampDv4_fff"), Some("floats"));
        assert_eq!(part("_Z6vload4mPU8CLglobalKf"), Some("memory"));
        assert_eq!(part("printf"), None);
    }
}
