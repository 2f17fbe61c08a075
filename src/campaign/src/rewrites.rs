//! Cures that are changes of the text: what is wrong goes with a type or with lists of initialisers, and with no construct.

use clreduce_testcase::{Feature, Language};

use crate::initialisers::{INITIALISER, one_by_one};
use crate::lanes::{THREE_LANES, with_four};
use crate::matrix::Configuration;
use crate::outcome::{ExpectedResult, Subject};
use crate::runner::Runner;

/// The names of these cures: the narrowest one first.
pub(crate) const REWRITES: [&str; 2] = [THREE_LANES, INITIALISER];

/// Returns true for the name of such a cure.
pub(crate) fn is_rewrite(name: &str) -> bool {
    REWRITES.contains(&name)
}

/// A text without what a cure changes. `None` if it has nothing of it.
pub(crate) fn rewritten(name: &str, source: &str, language: Language) -> Option<String> {
    match name {
        THREE_LANES if language.has(Feature::OpenClWords) => with_four(source),
        INITIALISER => one_by_one(source, language),
        _ => None,
    }
}

/// Returns true if a program has one result with a cure, on a configuration and on the host. `None` once the campaign is cancelled.
pub(crate) fn cures(
    runner: &Runner,
    configuration: usize,
    name: &str,
    subject: &Subject,
) -> Option<bool> {
    let text = rewritten(name, &subject.source, runner.matrix.kind.language());
    let (Some(source), Some(device)) = (text, runner.matrix.host) else { return Some(false) };
    let expected = ExpectedResult::Open { executed: true };
    let subject = Subject { source, expected, ..subject.clone() };
    let host = Configuration { device, options: String::new() };
    let (right, _) = runner.outcome(&host, &subject)?;
    let (own, _) = runner.outcome(&runner.matrix.configurations[configuration], &subject)?;
    Some(right.result().is_some() && right.result() == own.result())
}
