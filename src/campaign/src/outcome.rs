//! Outcomes: what a configuration made of a program, compared with the right result or that of a majority.

use clreduce_generator::Kernel;
use clreduce_kernel::{Crash, RunOutcome};
use clreduce_recipe::show;
use serde::{Deserialize, Serialize};

/// An outcome in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The right result, or none where a kernel is only built.
    Right,
    /// Another result, twice the same.
    Wrong,
    /// Another result than that of the majority, twice the same, for second inputs as well.
    Outvoted,
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
    /// Another result than that of the majority, for the first inputs alone. Nobody is accused.
    DependsOnInputs,
    /// Another result than that of the majority, from a program that computes in floating point. Nobody is accused.
    Inexact,
    /// There is no majority that has a result, or that runs the program at all.
    Undecided,
    /// A tool failed, and nothing can be said.
    Unresolved,
}

impl Class {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 12] = [
        Self::Right,
        Self::Wrong,
        Self::Outvoted,
        Self::Crash,
        Self::Hang,
        Self::Refused,
        Self::NotRun,
        Self::Unstable,
        Self::DependsOnInputs,
        Self::Inexact,
        Self::Undecided,
        Self::Unresolved,
    ];

    /// As people say it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong result",
            Self::Outvoted => "outvoted",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Refused => "refused",
            Self::NotRun => "not run",
            Self::Unstable => "unstable",
            Self::DependsOnInputs => "depends on inputs",
            Self::Inexact => "inexact",
            Self::Undecided => "undecided",
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
        self.is_wrong() || matches!(self, Self::Crash | Self::Hang | Self::Refused)
    }

    /// Returns true if the result is another one than it should be.
    pub(crate) fn is_wrong(self) -> bool {
        matches!(self, Self::Wrong | Self::Outvoted)
    }

    /// Returns true if the outcome says something about the configuration.
    pub(crate) fn is_telling(self) -> bool {
        !matches!(self, Self::DependsOnInputs | Self::Inexact | Self::Undecided)
    }
}

/// The result that a program should have, as `clreduce run` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedResult {
    /// Its maker knows it.
    Known(String),
    /// A majority has it. Another result says nothing if the program is not `exact`.
    Voted { result: String, exact: bool },
    /// No majority has one result; whether a majority could run the program.
    Open { executed: bool },
}

/// A program with its right result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub source: String,
    /// The description of the arguments of a kernel, if it comes with one.
    pub arguments: Option<String>,
    pub expected: ExpectedResult,
}

impl Subject {
    /// The result that it should have, if that is known.
    pub(crate) fn result(&self) -> Option<&str> {
        match &self.expected {
            ExpectedResult::Known(result) | ExpectedResult::Voted { result, .. } => Some(result),
            ExpectedResult::Open { .. } => None,
        }
    }
}

impl From<&Kernel> for Subject {
    fn from(kernel: &Kernel) -> Self {
        let expected = ExpectedResult::Known(kernel.expected_text());
        Self { source: kernel.source.clone(), arguments: None, expected }
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
    /// Compares an outcome with the one that the program should have.
    pub(crate) fn of(outcome: &RunOutcome, expected: &ExpectedResult) -> Self {
        let nobody_runs_it = *expected == ExpectedResult::Open { executed: false };
        let (class, signature) = match outcome {
            RunOutcome::Results(_) => (Self::of_result(outcome, expected), String::new()),
            RunOutcome::BuildCrash(crash) => (Class::Crash, signature_of(crash)),
            // Whatever the reason is, it may be the program's.
            RunOutcome::RunCrash(_)
            | RunOutcome::BuildTimeout
            | RunOutcome::RunTimeout
            | RunOutcome::BuildFailure { .. }
            | RunOutcome::RunFailure { .. }
                if nobody_runs_it =>
            {
                (Class::Undecided, String::new())
            }
            RunOutcome::RunCrash(crash) => (Class::Crash, signature_of(crash)),
            RunOutcome::BuildTimeout | RunOutcome::RunTimeout => (Class::Hang, String::new()),
            RunOutcome::BuildFailure { log } => {
                (Class::Refused, clreduce_crash::of_failure(log).unwrap_or_default())
            }
            RunOutcome::RunFailure { reason } => (Class::NotRun, reason.clone()),
            // There is no device that could run it.
            RunOutcome::Built if matches!(expected, ExpectedResult::Known(_)) => {
                (Class::Right, String::new())
            }
            // Some kernels are only built.
            RunOutcome::Built => (Class::Undecided, String::new()),
            RunOutcome::Unresolved(_) | RunOutcome::NotRun(_) => {
                (Class::Unresolved, outcome.details())
            }
        };
        Self { class, signature }
    }

    fn of_result(outcome: &RunOutcome, expected: &ExpectedResult) -> Class {
        let Some(outputs) = outcome.result() else { return Class::Unstable };
        let is = |result: &str| show(outputs) == result.trim();
        match expected {
            ExpectedResult::Open { .. } => Class::Undecided,
            ExpectedResult::Known(result) if is(result) => Class::Right,
            ExpectedResult::Known(_) => Class::Wrong,
            ExpectedResult::Voted { result, .. } if is(result) => Class::Right,
            ExpectedResult::Voted { exact: true, .. } => Class::Outvoted,
            ExpectedResult::Voted { exact: false, .. } => Class::Inexact,
        }
    }
}

fn signature_of(crash: &Crash) -> String {
    let words = clreduce_crash::signature(&crash.output);
    if words.is_empty() { crash.how.clone() } else { words.join("; ") }
}

#[cfg(test)]
mod tests {
    use clreduce_generator::{Profile, generate};
    use clreduce_kernel::{Output, Scalar};

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
        let expected = Subject::from(&kernel).expected;
        let class = |results: Vec<_>| Observed::of(&RunOutcome::Results(results), &expected).class;
        assert_eq!(class(vec![right.clone()]), Class::Right);
        assert_eq!(class(vec![wrong.clone()]), Class::Wrong);
        assert_eq!(class(vec![right, wrong]), Class::Unstable);
    }

    #[test]
    fn crashes_and_refusals_are_told_apart_by_their_messages() {
        let unknown = ExpectedResult::Open { executed: false };
        let runs = ExpectedResult::Open { executed: true };
        let crash = Crash { how: "SIGSEGV".into(), output: "Assertion `x' failed.".into() };
        let observed = Observed::of(&RunOutcome::BuildCrash(crash), &unknown);
        assert_eq!((observed.class, &*observed.signature), (Class::Crash, "assertion x"));
        let log = "k.cl:3:4: error: no member named 'x'".to_owned();
        let observed = Observed::of(&RunOutcome::BuildFailure { log: log.clone() }, &runs);
        assert_eq!(observed.signature, "error: no member named …");
        // What nobody can build accuses nobody.
        let observed = Observed::of(&RunOutcome::BuildFailure { log }, &unknown);
        assert_eq!(observed.class, Class::Undecided);
    }
}
