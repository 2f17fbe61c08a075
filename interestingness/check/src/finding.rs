//! Findings: the ways in which a kernel can be invalid, and the ways in which a stage can fail.

use std::fmt;
use std::str::FromStr;

use clreduce_process::{End, ToolRun};
use clreduce_tools::{install_of, is_installed};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A way in which a kernel can be invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The compiler refuses it.
    Rejected,
    /// It compiles, but a warning says that its meaning is undefined or not portable.
    NonPortable,
    /// A value that was never written is used, or becomes part of the result.
    Uninitialised,
    /// An access outside of what a pointer may reach.
    OutOfBounds,
    /// An access through a null pointer.
    NullPointer,
    /// An access to a variable that does not exist any more.
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
    /// A number converted to an integer type or an enumeration that cannot hold it.
    Conversion,
    /// A shift by the width of its type or more, or by a negative number. In OpenCL C, such counts wrap.
    ShiftCount,
    /// A value of one type is read or written through a pointer to another one.
    Aliasing,
    /// A work-item never ends.
    NonTermination,
    /// No access races with another, and still the result depends on the order of work-items: they ask by atomics who
    /// came first. This is legal, but no result of such a kernel is wrong.
    OrderDependence,
    /// The result depends on the order in which operands or arguments are evaluated, which the language leaves open. This is
    /// legal, too, and no such result is wrong.
    EvaluationOrder,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [Self; 18] = [
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
        Self::ShiftCount,
        Self::Aliasing,
        Self::NonTermination,
        Self::OrderDependence,
        Self::EvaluationOrder,
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
            Self::ShiftCount => "shift-count",
            Self::Aliasing => "aliasing",
            Self::NonTermination => "non-termination",
            Self::OrderDependence => "order-dependence",
            Self::EvaluationOrder => "evaluation-order",
        }
    }

    /// Returns true if a kernel with such a finding is legal, and only of no use for comparing results.
    #[must_use]
    pub fn is_legal(self) -> bool {
        matches!(self, Self::OrderDependence | Self::EvaluationOrder)
    }
}

/// A name that no kind has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no kind `{name}` of findings; write one of {}", FindingKind::ALL.map(FindingKind::name).join(", "))]
pub struct UnknownKind {
    /// The name.
    pub name: String,
}

impl FromStr for FindingKind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| UnknownKind { name: text.to_owned() })
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The certainty of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// It happened, or holds for every run.
    Certain,
    /// It follows from the text of the program, on a path that need not be taken. A run that watched for this kind and
    /// saw nothing refutes it, because a kernel has no input but its arguments. Or it is no error by itself, and only
    /// makes the kernel useless for comparing results.
    Suspected,
}

/// One reason that a kernel is invalid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The line of the kernel, from 1, if the tool names it.
    pub line: Option<u32>,
    /// The tool that found it, such as "clang" or "Oclgrind".
    pub tool: &'static str,
    /// Its certainty.
    pub certainty: Certainty,
    /// The message of the tool, on one line.
    pub message: String,
}

impl Finding {
    /// Returns true if it is certain, and not a suspicion.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.certainty == Certainty::Certain
    }
}

/// A failure of a stage: something that it could not check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageFailure {
    /// The tool that failed.
    pub tool: &'static str,
    /// The way in which it failed.
    pub kind: FailureKind,
    /// The reason, for people.
    pub message: String,
}

/// The way in which a stage failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The tool is not installed.
    ToolMissing,
    /// The tool was not run: its files could not be written, or its process could not be started.
    NotRun,
    /// The tool crashed, or ended with an error of its own.
    ToolFailed,
    /// The tool exceeded its time limit, or the check was cancelled.
    Stopped,
    /// The tool does not support the kernel, or it is not known how to launch the kernel.
    Unsupported,
}

impl StageFailure {
    /// The failure of a tool that has run.
    pub(crate) fn of_run(tool: &'static str, program: &str, ran: &ToolRun) -> Self {
        let kind = match ran.end {
            End::TimedOut | End::Cancelled => FailureKind::Stopped,
            End::NotRun(_) if !is_installed(program) => FailureKind::ToolMissing,
            End::NotRun(_) => FailureKind::NotRun,
            End::Exited(_) | End::Signalled(_) | End::Failed(_) => FailureKind::ToolFailed,
        };
        let message = match (kind, install_of(program)) {
            (FailureKind::ToolMissing, Some(install)) => {
                format!("`{program}` is not installed; install it: {install}")
            }
            _ => ran.trouble(),
        };
        Self { tool, kind, message }
    }
}

/// As `LINE: kind: message [tool]`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "{line}: ")?;
        }
        write!(f, "{}: {} [{}]", self.kind, self.message, self.tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_differs_from_one_that_crashed() {
        let run = |end| ToolRun { end, stdout: String::new(), stderr: String::new() };
        let failed = run(End::NotRun("could not be started".into()));
        let kind = |program, ran: &ToolRun| StageFailure::of_run("tool", program, ran).kind;
        assert_eq!(kind("/nowhere/clang", &failed), FailureKind::ToolMissing);
        assert_eq!(kind("no-such-program", &failed), FailureKind::ToolMissing);
        assert_eq!(kind("/nowhere/clang", &run(End::Signalled(11))), FailureKind::ToolFailed);
        assert_eq!(kind("/nowhere/clang", &run(End::TimedOut)), FailureKind::Stopped);
    }
}
