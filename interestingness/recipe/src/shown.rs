//! The outcomes that a configuration shows.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Duration;

use clreduce_check::{ComputedResult, StageName};
use clreduce_kernel::{Crash, EmiAgreement, OutcomeClass, Output, RunOutcome, emi};
use clreduce_testcase::printable;
use regex::{Captures, Regex};

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
    let short: String = line.chars().take(60).collect();
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
    // One that cannot work has nothing to report.
    let is_report = |line: &&str| {
        let has_report = line.contains("Sanitizer: ") || line.contains("runtime error: ");
        has_report && !line.contains("FATAL: ")
    };
    let line = output.lines().find(is_report)?;
    Some(line.rsplit("==").next().unwrap_or(line).trim())
}

/// Returns true if the output of a compiler matches the pattern of a recipe: as it is, or with the warnings that are errors
/// by an option as the compiler prints them without it, since that is what a person copies.
pub(crate) fn says(output: &str, message: &Regex) -> bool {
    from_match(output, message).is_some()
}

/// The line of a compiler's output that matches the pattern of a recipe, and all after it.
pub(crate) fn from_match<'a>(output: &'a str, message: &Regex) -> Option<&'a str> {
    let lines_before = |text: &str| {
        let at = message.find(text)?.start();
        Some(text[..at].matches('\n').count())
    };
    let before = lines_before(output).or_else(|| lines_before(&as_warnings(output)))?;
    let ends = output.match_indices('\n').map(|(end, _)| end + 1);
    let start = std::iter::once(0).chain(ends).nth(before)?;
    Some(&output[start..])
}

/// An output in which the warnings that `-Werror` makes errors are warnings again, in the same lines.
pub(crate) fn as_warnings(output: &str) -> Cow<'_, str> {
    static PROMOTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)\berror: (.*?) ?\[-Werror(?:(?:=|,-W)([^\]\n]+))?\]")
            .expect("the pattern is a constant")
    });
    PROMOTED.replace_all(output, |found: &Captures<'_>| {
        let flag = found.get(2).map(|flag| format!(" [-W{}]", flag.as_str()));
        format!("warning: {}{}", &found[1], flag.unwrap_or_default())
    })
}

/// The name of the warning that a line of a compiler's output reports as an error: `unused` for `[-Werror=unused]` of gcc
/// and `[-Werror,-Wunused]` of clang.
#[must_use]
pub fn warning_as_error(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("[-Werror")?;
    let name = rest.strip_prefix(",-W").or_else(|| rest.strip_prefix('='))?;
    name.split([']', '=', ',']).next().filter(|name| !name.is_empty())
}

/// The name of the warning that matches the pattern: `unused` for `[-Wunused]` and for `[-Werror=unused]`.
pub(crate) fn warning_named(output: &str, message: &Regex) -> Option<String> {
    let line = as_warnings(from_match(output, message)?.lines().next()?);
    let (_, flag) = line.rsplit_once("[-W")?;
    flag.split([']', '=', ',']).next().filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_in_question_has_a_name() {
        let gcc = "x.c:1:1: error: return type defaults to ‘int’ [-Werror=implicit-int]\n\
            x.c:2:3: error: dereference of possibly-NULL ‘p’ [CWE-690] [-Werror=analyzer-null]\n   2 | *p\n\
            x.c:3:3: error: ‘%d’ [-Werror=format-overflow=]\ncc1: all warnings being treated as errors\n";
        let name = |pattern: &str| warning_named(gcc, &Regex::new(pattern).unwrap());
        assert_eq!(name("CWE-690").as_deref(), Some("analyzer-null"));
        assert_eq!(name("‘%d’").as_deref(), Some("format-overflow"));
        assert_eq!(name("all warnings"), None);
        assert_eq!(warning_as_error("y.c:1: error: x [-Werror,-Wunused]"), Some("unused"));
        let from = from_match(gcc, &Regex::new("possibly").unwrap()).unwrap();
        assert!(from.starts_with("x.c:2:3") && from.contains("   2 | *p"), "{from}");
    }

    #[test]
    fn a_warning_matches_as_the_compiler_prints_it() {
        let gcc = "x.c:1:1: error: first [-Werror=unused]\nx.c:2:3: error: second thing [-Werror=format-overflow=]\n";
        let clang = "x.c:1:1: error: first [-Werror,-Wunused]\nx.c:2:3: error: second thing [-Werror,-Wformat]\n";
        for output in [gcc, clang] {
            for pattern in [
                "-Wformat",
                r"\[-Wformat",
                "warning: second",
                "thing .-W",
                "error: second",
                "Werror.*format",
            ] {
                let message = Regex::new(pattern).unwrap();
                let from = from_match(output, &message).unwrap_or_default();
                assert!(
                    from.starts_with("x.c:2:3: error: second"),
                    "{pattern} in {output}: {from}"
                );
            }
        }
        assert!(!says(gcc, &Regex::new("warning: third").unwrap()));
        assert!(says("x.c:1: error: odd [-Werror]", &Regex::new("warning: odd$").unwrap()));
    }
}
