//! Outcomes: the fate of a kernel on one configuration.

use std::fmt::Write;
use std::time::Duration;

use clreduce_language::{Number, Scalar};
use clreduce_process::Crash;
use serde::{Deserialize, Serialize};

/// The name of the one output of a whole program.
pub const OUTPUT: &str = "standard output";
/// The name of what stands for the kernel of a whole program.
pub const PROGRAM: &str = "main";

/// The content of a buffer that a kernel wrote.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Output {
    /// The name of the kernel.
    pub kernel: String,
    /// The name of its parameter.
    pub name: String,
    /// The type of its numbers.
    pub scalar: Scalar,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl Output {
    /// The content of a buffer in OpenCL. The padding behind vectors of three is set to 0, as kernels need not write it.
    #[must_use]
    pub fn of_buffer(kernel: &str, name: &str, element: Number, mut bytes: Vec<u8>) -> Self {
        if element.lanes == 3 {
            let numbers = 3 * element.scalar.bytes();
            bytes.chunks_mut(element.bytes()).for_each(|one| {
                one.iter_mut().skip(numbers).for_each(|byte| *byte = 0);
            });
        }
        let (kernel, name) = (kernel.to_owned(), name.to_owned());
        Self { kernel, name, scalar: element.scalar, bytes }
    }

    /// Returns the standard output of a whole program, if that is what it is.
    #[must_use]
    pub fn printed(&self) -> Option<&[u8]> {
        (self.kernel == PROGRAM && self.name == OUTPUT).then_some(&self.bytes)
    }

    /// As the hosts of CLsmith print it: every number as `%#lx` and a comma.
    #[must_use]
    pub fn show(&self) -> String {
        let mut text = String::new();
        for bytes in self.bytes.chunks(self.scalar.bytes()) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            // C writes a zero without prefix. Writing to a string cannot fail.
            let _ = match u64::from_le_bytes(whole) {
                0 => write!(text, "0,"),
                number => write!(text, "{number:#x},"),
            };
        }
        text
    }
}

/// The outcome of a kernel on one configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// The compiler refused it.
    BuildFailure {
        /// The compiler's log.
        log: String,
    },
    /// The compiler died of it.
    BuildCrash(Crash),
    /// The compiler did not finish in time.
    BuildTimeout,
    /// It was built, and nothing was to be launched.
    Built,
    /// The driver refused to run it, or said that it failed.
    RunFailure {
        /// The action that failed, and the error.
        reason: String,
    },
    /// The driver died when it was run. Some drivers compile as late as here.
    RunCrash(Crash),
    /// It did not finish in time.
    RunTimeout,
    /// It ran: the outputs of each repetition. More than one only if they differ.
    Results(Vec<Vec<Output>>),
    /// Nothing can be said: a tool failed.
    Unresolved(String),
    /// Nothing was run: the files could not be written, or a process could not be started.
    NotRun(String),
}

/// An outcome and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// The outcome.
    pub outcome: RunOutcome,
    /// Time until it was built; all of the time where it was not.
    pub build: Duration,
    /// Time after that.
    pub run: Duration,
    /// Processor time of both, where limits are of computing.
    pub computed: Option<Duration>,
}

/// A [`RunOutcome`] without its details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "explained there")]
pub enum OutcomeClass {
    BuildFailure,
    BuildCrash,
    BuildTimeout,
    Built,
    RunFailure,
    RunCrash,
    RunTimeout,
    Result,
    /// Repetitions gave different results.
    UnstableResult,
    Unresolved,
}

impl OutcomeClass {
    /// As in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BuildFailure => "build_failure",
            Self::BuildCrash => "build_crash",
            Self::BuildTimeout => "build_timeout",
            Self::Built => "built",
            Self::RunFailure => "run_failure",
            Self::RunCrash => "run_crash",
            Self::RunTimeout => "run_timeout",
            Self::Result => "result",
            Self::UnstableResult => "unstable_result",
            Self::Unresolved => "unresolved",
        }
    }
}

impl RunOutcome {
    /// Which kind it is.
    #[must_use]
    pub fn class(&self) -> OutcomeClass {
        match self {
            Self::BuildFailure { .. } => OutcomeClass::BuildFailure,
            Self::BuildCrash(_) => OutcomeClass::BuildCrash,
            Self::BuildTimeout => OutcomeClass::BuildTimeout,
            Self::Built => OutcomeClass::Built,
            Self::RunFailure { .. } => OutcomeClass::RunFailure,
            Self::RunCrash(_) => OutcomeClass::RunCrash,
            Self::RunTimeout => OutcomeClass::RunTimeout,
            Self::Results(results) if results.len() > 1 => OutcomeClass::UnstableResult,
            Self::Results(_) => OutcomeClass::Result,
            Self::Unresolved(_) | Self::NotRun(_) => OutcomeClass::Unresolved,
        }
    }

    /// The result, where there is one and only one.
    #[must_use]
    pub fn result(&self) -> Option<&[Output]> {
        match self {
            Self::Results(results) if results.len() == 1 => Some(&results[0]),
            _ => None,
        }
    }

    /// Returns the details besides the class, for people; there may be several lines, or none.
    #[must_use]
    pub fn details(&self) -> String {
        match self {
            Self::BuildFailure { log: text }
            | Self::RunFailure { reason: text }
            | Self::Unresolved(text)
            | Self::NotRun(text) => text.clone(),
            Self::BuildCrash(crash) | Self::RunCrash(crash) => {
                format!("{}\n{}", crash.how, crash.output).trim_end().to_owned()
            }
            Self::Results(results) if results.len() > 1 => {
                format!("{} different results", results.len())
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_numbers_as_c_does() {
        let output = |scalar, bytes: &[u8]| Output {
            kernel: "k".into(),
            name: "p".into(),
            scalar,
            bytes: bytes.into(),
        };
        assert_eq!(output(Scalar::Uchar, &[0, 1, 255]).show(), "0,0x1,0xff,");
        assert_eq!(output(Scalar::Ulong, &[0xff; 16]).show(), "0xffffffffffffffff,".repeat(2));
    }

    #[test]
    fn what_nobody_writes_behind_vectors_of_three_is_no_result() {
        let of = |lanes| {
            let element = Number { scalar: Scalar::Uchar, lanes };
            Output::of_buffer("k", "p", element, (1..=8).collect()).bytes
        };
        assert_eq!(of(3), [1, 2, 3, 0, 5, 6, 7, 0]);
        assert_eq!(of(4), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
