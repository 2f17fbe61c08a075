//! Outcomes: what a configuration made of a program whose right result is known.

use clreduce_generator::Kernel;
use clreduce_kernel::RunOutcome;
use serde::{Deserialize, Serialize};

/// An outcome in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The right result.
    Right,
    /// Another result, twice the same.
    Wrong,
    /// The compiler or the driver died.
    Crash,
    /// It did not end.
    Hang,
    /// The compiler refused a valid program.
    Refused,
    /// The driver did not run the program, often because of a limit of its own.
    NotRun,
    /// A second run had another outcome. Nobody is accused.
    Unstable,
    /// A tool failed, and nothing can be said.
    Unresolved,
}

impl Class {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 8] = [
        Self::Right,
        Self::Wrong,
        Self::Crash,
        Self::Hang,
        Self::Refused,
        Self::NotRun,
        Self::Unstable,
        Self::Unresolved,
    ];

    /// As people say it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong result",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Refused => "refused",
            Self::NotRun => "not run",
            Self::Unstable => "unstable",
            Self::Unresolved => "unresolved",
        }
    }

    /// In names of folders.
    pub(crate) fn slug(self) -> String {
        self.name().replace(' ', "-")
    }

    /// Returns true for an outcome that may be a bug, which is looked into.
    #[must_use]
    pub fn is_alarm(self) -> bool {
        matches!(self, Self::Wrong | Self::Crash | Self::Hang | Self::Refused)
    }
}

/// A program with its right result, as `clreduce run` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub source: String,
    pub expected: String,
}

impl From<&Kernel> for Subject {
    fn from(kernel: &Kernel) -> Self {
        Self { source: kernel.source.clone(), expected: kernel.expected_text() }
    }
}

/// An outcome with what tells bugs apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Observed {
    pub class: Class,
    /// Of a crash, or of the message of a refusal; empty for the others.
    pub signature: String,
}

impl Observed {
    /// Compares an outcome with the right result.
    pub(crate) fn of(outcome: &RunOutcome, expected: &str) -> Self {
        let (class, signature) = match outcome {
            RunOutcome::Results(_) => match outcome.result() {
                None => (Class::Unstable, String::new()),
                Some(outputs) => {
                    let found: Vec<String> = outputs.iter().map(|output| output.show()).collect();
                    let is_right = found.join("\n") == expected.trim_end();
                    (if is_right { Class::Right } else { Class::Wrong }, String::new())
                }
            },
            RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash) => {
                let words = clreduce_crash::signature(&crash.output);
                let how = || crash.how.clone();
                (Class::Crash, if words.is_empty() { how() } else { words.join("; ") })
            }
            RunOutcome::BuildTimeout | RunOutcome::RunTimeout => (Class::Hang, String::new()),
            RunOutcome::BuildFailure { log } => {
                (Class::Refused, clreduce_crash::of_failure(log).unwrap_or_default())
            }
            RunOutcome::RunFailure { reason } => (Class::NotRun, reason.clone()),
            RunOutcome::Built | RunOutcome::Unresolved(_) | RunOutcome::NotRun(_) => {
                (Class::Unresolved, outcome.details())
            }
        };
        Self { class, signature }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_generator::{Profile, generate};
    use clreduce_kernel::{Crash, Output, Scalar};

    use super::*;

    #[test]
    fn results_are_compared_with_the_right_one() {
        let kernel = generate(1, &Profile::default()).unwrap();
        let result = |words: &[u64]| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let (kernel, name) = ("entry".to_owned(), "result".to_owned());
            vec![Output { kernel, name, scalar: Scalar::Ulong, bytes }]
        };
        let right = result(&kernel.expected);
        let mut words = kernel.expected.clone();
        words[0] ^= 1;
        let wrong = result(&words);
        let class = |results: Vec<_>| {
            Observed::of(&RunOutcome::Results(results), &kernel.expected_text()).class
        };
        assert_eq!(class(vec![right.clone()]), Class::Right);
        assert_eq!(class(vec![wrong.clone()]), Class::Wrong);
        assert_eq!(class(vec![right, wrong]), Class::Unstable);
    }

    #[test]
    fn crashes_and_refusals_are_told_apart_by_their_messages() {
        let crash = Crash { how: "SIGSEGV".into(), output: "Assertion `x' failed.".into() };
        let observed = Observed::of(&RunOutcome::BuildCrash(crash), "1,");
        assert_eq!((observed.class, &*observed.signature), (Class::Crash, "assertion x"));
        let log = "k.cl:3:4: error: no member named 'x'".to_owned();
        let observed = Observed::of(&RunOutcome::BuildFailure { log }, "1,");
        assert_eq!(observed.signature, "error: no member named …");
    }
}
