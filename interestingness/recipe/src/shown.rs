//! The outcomes that a configuration shows.

use std::time::Duration;

use clreduce_check::{ComputedResult, StageName};
use clreduce_kernel::{Crash, EmiAgreement, OutcomeClass, Output, RunOutcome, emi};
use clreduce_testcase::printable;
use regex::Regex;

use crate::configuration::show;

/// Text of compilers and programs, for a comment.
pub(crate) fn on_one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// The outcomes of one configuration: one for each program that is compared, usually one.
pub(crate) struct ShownOutcomes<'a> {
    pub name: &'a str,
    pub accused: bool,
    pub simulated: bool,
    pub outcomes: Vec<RunOutcome>,
    /// The time of the slowest program: wall time, or processor time where limits are of computing.
    pub time: Duration,
}

impl ShownOutcomes<'static> {
    /// The right result as the check `sanitize` computes it.
    pub(crate) fn computed(result: &ComputedResult) -> Self {
        Self::right(StageName::Sanitize.name(), result.outputs.clone())
    }

    /// The right result, as a stage knows it.
    pub(crate) fn right(name: &'static str, outputs: Vec<Output>) -> Self {
        let outcomes = vec![RunOutcome::Results(vec![outputs])];
        Self { name, accused: false, simulated: false, outcomes, time: Duration::ZERO }
    }
}

impl ShownOutcomes<'_> {
    /// Describes them for people.
    pub(crate) fn describe(&self) -> String {
        let outcomes: Vec<String> = self.outcomes.iter().map(describe).collect();
        format!("{}: {}", self.name, outcomes.join(" / "))
    }

    /// Returns true if every program came to an end by itself.
    pub(crate) fn has_ended(&self) -> bool {
        use OutcomeClass::{BuildTimeout, RunTimeout, Unresolved};
        let is_open = |class| matches!(class, BuildTimeout | RunTimeout | Unresolved);
        !self.outcomes.iter().any(|outcome| is_open(outcome.class()))
    }

    /// Returns the result, if all programs have the same.
    pub(crate) fn success(&self) -> Option<&[Output]> {
        match &self.outcomes[..] {
            [RunOutcome::Built] => Some(&[]),
            [one] => one.result(),
            several => (emi(several) == EmiAgreement::Agree)
                .then(|| several.iter().find_map(RunOutcome::result))?,
        }
    }
}

/// Describes an outcome on one short line.
#[must_use]
pub fn describe(outcome: &RunOutcome) -> String {
    const MOST: usize = 60;
    let details = match outcome {
        RunOutcome::Results(_) => outcome.result().map(show).unwrap_or_default(),
        RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash) => {
            let words = clreduce_crash::signature(&crash.output);
            std::iter::once(crash.how.clone()).chain(words).collect::<Vec<_>>().join("; ")
        }
        RunOutcome::BuildFailure { log } => clreduce_crash::of_failure(log).unwrap_or_default(),
        _ => outcome.details(),
    };
    let line: String = details.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(MOST).collect();
    let dots = if short.len() < line.len() { "…" } else { "" };
    let colon = if short.is_empty() { "" } else { " " };
    format!("{}{colon}{short}{dots}", outcome.class().name().replace('_', " "))
}

/// Returns true if an outcome is a crash or a compile error with this signature.
pub(crate) fn has_signature(outcome: &RunOutcome, signature: &[String]) -> bool {
    crash_of(outcome).is_some_and(|crash| clreduce_crash::has_parts(&crash.output, signature))
        || signature_of(outcome) == signature
}

/// Returns the parts that all crashes among these outcomes of one program have in common, if they are enough to recognise
/// it.
pub(crate) fn common_signature(outcomes: &[&RunOutcome]) -> Option<Vec<String>> {
    let crashes = outcomes.iter().copied().filter_map(crash_of);
    let common =
        crashes.map(|crash| clreduce_crash::parts(&crash.output)).reduce(|mut common, parts| {
            common.retain(|part| parts.contains(part));
            common
        })?;
    (common.len() >= clreduce_crash::ENOUGH_PARTS).then_some(common)
}

/// The crash that an outcome is.
pub(crate) fn crash_of(outcome: &RunOutcome) -> Option<&Crash> {
    match outcome {
        RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash) => Some(crash),
        _ => None,
    }
}

/// Returns the signature of a crash or of a compile error.
pub(crate) fn signature_of(outcome: &RunOutcome) -> Vec<String> {
    match outcome {
        RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash) => {
            let words = clreduce_crash::signature(&crash.output);
            // The same bug can end with one signal or another.
            if words.is_empty() { vec![crash.how.clone()] } else { words }
        }
        RunOutcome::BuildFailure { log } => clreduce_crash::of_failure(log).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The report of a sanitizer in the output of a program, without the number of the process.
pub(crate) fn sanitizer_report(output: &str) -> Option<&str> {
    let is_report = |line: &&str| line.contains("Sanitizer: ") || line.contains("runtime error: ");
    let line = output.lines().find(is_report)?;
    Some(line.rsplit("==").next().unwrap_or(line).trim())
}

/// The line of a compiler's output that matches the pattern of a recipe, and all after it.
pub(crate) fn from_match<'a>(output: &'a str, message: &Regex) -> Option<&'a str> {
    let at = message.find(output)?.start();
    let start = output[..at].rfind('\n').map_or(0, |end| end + 1);
    Some(&output[start..])
}

/// The name of the warning that a line of a compiler's output reports as an error: `unused` for `[-Werror=unused]` of gcc
/// and `[-Werror,-Wunused]` of clang.
#[must_use]
pub fn warning_as_error(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("[-Werror")?;
    let name = rest.strip_prefix(",-W").or_else(|| rest.strip_prefix('='))?;
    name.split([']', '=', ',']).next().filter(|name| !name.is_empty())
}

/// The name of the warning that matches the pattern, where it is reported as an error.
pub(crate) fn promoted_warning(output: &str, message: &Regex) -> Option<String> {
    let line = from_match(output, message)?.lines().next()?;
    warning_as_error(line).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_in_question_has_a_name() {
        let gcc = "x.c:1:1: error: return type defaults to ‘int’ [-Werror=implicit-int]\n\
            x.c:2:3: error: dereference of possibly-NULL ‘p’ [CWE-690] [-Werror=analyzer-null]\n   2 | *p\n\
            x.c:3:3: error: ‘%d’ [-Werror=format-overflow=]\ncc1: all warnings being treated as errors\n";
        let name = |pattern: &str| promoted_warning(gcc, &Regex::new(pattern).unwrap());
        assert_eq!(name("CWE-690").as_deref(), Some("analyzer-null"));
        assert_eq!(name("‘%d’").as_deref(), Some("format-overflow"));
        assert_eq!(name("all warnings"), None);
        assert_eq!(warning_as_error("y.c:1: error: x [-Werror,-Wunused]"), Some("unused"));
        let from = from_match(gcc, &Regex::new("possibly").unwrap()).unwrap();
        assert!(from.starts_with("x.c:2:3") && from.contains("   2 | *p"), "{from}");
    }
}
