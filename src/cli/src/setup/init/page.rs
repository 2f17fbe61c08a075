//! The page of `clreduce init --report`: configurations in groups that agree.

use clreduce_kernel::VoteResult;
use clreduce_recipe::{CompilerBug, ConfigurationResult, SuspectedBug};
use clreduce_report::{AgreeingGroup, page_of_groups};

use super::InitArgs;
use crate::failure::CliError;

/// Writes the page about compilers.
///
/// # Errors
/// When it cannot be written.
pub(super) fn of_compilers(
    args: &InitArgs,
    bug: &CompilerBug,
    accused: &str,
) -> Result<(), CliError> {
    let shown = bug.configurations.iter().find(|(name, _)| name == accused);
    let judged = bug.configurations.iter().map(|(name, outcome)| {
        let is_right = shown.is_none_or(|(_, shown)| shown != outcome);
        let finding = if is_right { "does not show the bug" } else { "shows the bug" };
        (&**name, finding, is_right, outcome.clone())
    });
    write_groups(args, bug.preset.name(), accused, judged)
}

/// Writes the page about devices.
///
/// # Errors
/// When it cannot be written.
pub(super) fn of_devices(
    args: &InitArgs,
    bug: &SuspectedBug,
    all: &[ConfigurationResult],
) -> Result<(), CliError> {
    let names: Vec<String> = all.iter().map(ConfigurationResult::name).collect();
    let judged = names.iter().zip(all).map(|(name, seen)| {
        let is_right = seen.finding == VoteResult::Agrees;
        (&**name, finding(seen), is_right, seen.describe())
    });
    let suspect = &names[bug.configuration];
    write_groups(args, bug.preset.name(), suspect, judged)
}

/// A configuration: its name, the judgement on it, whether it is taken for right, and its result.
type ComparedConfiguration<'a> = (&'a str, &'a str, bool, String);

/// Writes the page of `--report`, on which configurations with the same result are a group.
///
/// # Errors
/// When it cannot be written.
fn write_groups<'a>(
    args: &InitArgs,
    found: &str,
    suspect: &str,
    configurations: impl Iterator<Item = ComparedConfiguration<'a>>,
) -> Result<(), CliError> {
    let Some(report) = &args.report else { return Ok(()) };
    let mut groups: Vec<AgreeingGroup> = Vec::new();
    for (name, finding, is_right, result) in configurations {
        let is_same =
            |group: &&mut AgreeingGroup| group.finding == finding && group.result == result;
        let at = groups.iter_mut().find(is_same);
        match at {
            Some(group) => group.configurations.push(name.to_owned()),
            None => groups.push(AgreeingGroup {
                result,
                finding: finding.to_owned(),
                is_right,
                configurations: vec![name.to_owned()],
                suspect: Some(suspect.to_owned()),
            }),
        }
    }
    let page = page_of_groups("clreduce init", &format!("{found}: {suspect}"), &groups);
    Ok(report.write(&page)?)
}

/// The result of the vote, for people.
pub(super) fn finding(seen: &ConfigurationResult) -> &'static str {
    match seen.finding {
        VoteResult::Agrees => "agrees",
        VoteResult::Unknown => "?",
        VoteResult::WrongCode => "wrong code",
        VoteResult::Unstable => "unstable",
        VoteResult::BuildCrash => "build crash",
        VoteResult::BuildTimeout => "build hangs",
        VoteResult::BuildFailure => "refused",
        VoteResult::RunFailure => "run failure",
        VoteResult::RunCrash => "run crash",
        VoteResult::RunTimeout => "run hangs",
    }
}
