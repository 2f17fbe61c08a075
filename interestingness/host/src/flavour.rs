//! The flavours of a program: plain, or instrumented by one of clang's sanitizers.

/// The instrumentation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Nothing.
    Plain,
    /// UndefinedBehaviorSanitizer and AddressSanitizer; the run-time looks for data races as well.
    Addresses,
    /// MemorySanitizer.
    Memory,
    /// The run-time counts the jumps of each work-item, and ends a loop that never ends by itself.
    Steps,
    /// As `Addresses`, and the run-time counts jumps; it can also look at what the kernel reaches in its buffers.
    Reaches,
}

impl Flavour {
    /// The name of what watches the program, for reports.
    #[must_use]
    pub fn tool(self) -> &'static str {
        match self {
            Self::Plain | Self::Steps => "host",
            Self::Addresses | Self::Reaches => "AddressSanitizer",
            Self::Memory => "MemorySanitizer",
        }
    }

    /// For the run-time.
    pub(crate) fn switches(self) -> &'static [&'static str] {
        match self {
            Self::Plain | Self::Steps => &[],
            Self::Addresses | Self::Reaches => &[ADDRESS],
            Self::Memory => &["-fsanitize=memory", FOLLOW, ORIGINS],
        }
    }

    /// For the built-ins and the kernel: the run-time is told of their accesses.
    pub(crate) fn call_backs(self) -> &'static [&'static str] {
        match self {
            Self::Plain | Self::Memory | Self::Steps => &[],
            Self::Addresses | Self::Reaches => &CALL_BACKS,
        }
    }

    /// For the kernel. What a verdict costs is mostly the compiler's time: line tables, messages and origins
    /// double it.
    pub(crate) fn kernel_switches(self, detail: BuildDetail) -> Vec<&'static str> {
        const LINES: &str = "-gline-tables-only";
        let mut switches = match (self, detail) {
            (Self::Plain, _) => vec![],
            (Self::Steps, _) => vec![JUMPS, LINES],
            (Self::Reaches, _) => vec![ADDRESS, UNDEFINED, JUMPS],
            (Self::Addresses, BuildDetail::Verdict) => vec![ADDRESS, UNDEFINED, TRAP],
            (Self::Addresses, BuildDetail::Report) => vec![ADDRESS, UNDEFINED, LINES],
            (Self::Memory, BuildDetail::Verdict) => vec!["-fsanitize=memory", FOLLOW],
            (Self::Memory, BuildDetail::Report) => {
                vec!["-fsanitize=memory", FOLLOW, ORIGINS, LINES]
            }
        };
        if self == Self::Memory {
            // A vector of three does not give a value to the place of a fourth element.
            switches.extend(["-Xclang", "-fpreserve-vec3-type"]);
        }
        switches.extend(self.call_backs());
        switches
    }
}

/// The amount that is to be known of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildDetail {
    /// True if anything is wrong.
    Verdict,
    /// The kind and the line of everything that is wrong.
    Report,
}

const JUMPS: &str = "-fsanitize-coverage=trace-pc-guard,no-prune";
const ADDRESS: &str = "-fsanitize=address";
/// Functions of the run-time stand for the checks of AddressSanitizer, so that every access to memory that work-items
/// share is seen, also one that follows another to the same place or is known to be within its variable.
const CALL_BACKS: [&str; 8] = [
    "-mllvm",
    "-asan-instrumentation-with-call-threshold=0",
    "-mllvm",
    "-asan-memory-access-callback-prefix=clreduce_",
    "-mllvm",
    "-asan-opt-same-temp=0",
    "-mllvm",
    "-asan-opt-globals=0",
];
/// Shifts and enumerations are added for CUDA. Left out are `local-bounds`, which trap without a word.
const UNDEFINED: &str = "-fsanitize=signed-integer-overflow,integer-divide-by-zero,null,alignment,array-bounds,\
                         pointer-overflow,float-cast-overflow,unreachable,bool";
const TRAP: &str = "-fsanitize-trap=undefined";
/// Follow values through calls instead of asking at each call: lanes that are not used may be undefined.
const FOLLOW: &str = "-fno-sanitize-memory-param-retval";
const ORIGINS: &str = "-fsanitize-memory-track-origins=1";
