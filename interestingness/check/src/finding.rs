//! What a check can say of a kernel.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is wrong with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The compiler refuses it.
    Rejected,
    /// It compiles, with a warning that says that its meaning is not defined or not portable.
    NonPortable,
    /// A value that was never written is used, or becomes part of the result.
    Uninitialised,
    /// An access outside of what a pointer may reach.
    OutOfBounds,
    /// An access through a null pointer.
    NullPointer,
    /// An access to what does not exist any more.
    Lifetime,
    /// An access that is not aligned as its type demands.
    Misaligned,
    /// Two work-items access the same memory without order, and one of them writes; also where both
    /// write the same value.
    DataRace,
    /// Work-items of a group reach different barriers, or not all of them reach one.
    Divergence,
    /// Signed arithmetic whose result does not fit.
    SignedOverflow,
    /// An integer divided by zero.
    DivisionByZero,
    /// `clamp` with a minimum above its maximum.
    ClampRange,
    /// A floating-point number converted to an integer type that cannot hold it.
    Conversion,
    /// It does not end within the limit, without any instrumentation.
    NonTermination,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Rejected,
        Self::NonPortable,
        Self::Uninitialised,
        Self::OutOfBounds,
        Self::NullPointer,
        Self::Lifetime,
        Self::Misaligned,
        Self::DataRace,
        Self::Divergence,
        Self::SignedOverflow,
        Self::DivisionByZero,
        Self::ClampRange,
        Self::Conversion,
        Self::NonTermination,
    ];

    /// The name that people read and write.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::NonPortable => "non-portable",
            Self::Uninitialised => "uninitialised",
            Self::OutOfBounds => "out-of-bounds",
            Self::NullPointer => "null-pointer",
            Self::Lifetime => "lifetime",
            Self::Misaligned => "misaligned",
            Self::DataRace => "data-race",
            Self::Divergence => "divergence",
            Self::SignedOverflow => "signed-overflow",
            Self::DivisionByZero => "division-by-zero",
            Self::ClampRange => "clamp-range",
            Self::Conversion => "conversion",
            Self::NonTermination => "non-termination",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much a finding is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// It happened, or it is so whatever happens.
    Certain,
    /// It follows from reading the program, on a path that need not be taken. A run that watched for this
    /// kind and saw nothing refutes it: a kernel has no input but what it is launched with.
    Suspected,
}

/// One thing that is wrong with a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Finding {
    /// What is wrong.
    pub kind: Kind,
    /// Line of the kernel, from 1, where the tool told.
    pub line: Option<u32>,
    /// Who says so, such as "clang" or "Oclgrind".
    pub tool: &'static str,
    /// How much it is worth.
    pub certainty: Certainty,
    /// What the tool said, on one line.
    pub message: String,
}

impl Finding {
    /// Whether it is more than a suspicion.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.certainty == Certainty::Certain
    }
}

/// Something that a stage should have looked at and could not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Who failed.
    pub tool: &'static str,
    /// How, for people.
    pub message: String,
}

/// `KERNEL:LINE: kind: message [tool]`, but for the file's name.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "{line}: ")?;
        }
        write!(f, "{}: {} [{}]", self.kind, self.message, self.tool)
    }
}
