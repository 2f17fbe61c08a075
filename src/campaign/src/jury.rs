//! Votes on programs whose right result nobody knows: all configurations run the program, and the result of the majority
//! counts as the right one.

use std::collections::BTreeMap;

use clreduce_kernel::{Ballot, BallotRole, Output, Rule, RunOutcome, vote};
use clreduce_recipe::show;

use crate::outcome::{Class, ExpectedResult, Observed, Subject};
use crate::runner::{Inputs, Runner};
use crate::shared::Outcomes;

/// A program after the vote.
pub(crate) struct JudgedProgram {
    /// The program, with what the majority says.
    pub subject: Subject,
    /// The first outcomes.
    first: BTreeMap<usize, RunOutcome>,
}

/// Has the configurations vote on a program. One whose right result is known is left as it is. `None` once the campaign is
/// cancelled.
pub(crate) fn judge(
    runner: &Runner,
    subject: Subject,
    configurations: &[usize],
    rule: Rule,
) -> Option<JudgedProgram> {
    if subject.result().is_some() {
        return Some(JudgedProgram { subject, first: BTreeMap::new() });
    }
    let first = outcomes(runner, &subject, configurations, Inputs::First)?;
    let votes = Votes::count(runner, &first, rule);
    let expected = match votes.majority {
        Some(outputs) => {
            let exact = runner.matrix.kind.is_exact(&subject.source);
            ExpectedResult::Voted { result: show(outputs), exact }
        }
        None => ExpectedResult::Open { executed: votes.executed },
    };
    Some(JudgedProgram { subject: Subject { expected, ..subject }, first })
}

impl JudgedProgram {
    /// The outcome on each configuration. Alarms are confirmed by a second run, and wrong results by second inputs. `None`
    /// once the campaign is cancelled.
    pub(crate) fn classes(
        &self,
        runner: &Runner,
        configurations: &[usize],
        rule: Rule,
    ) -> Option<Outcomes> {
        let mut classes = Outcomes::new();
        for index in configurations {
            let first = self.first.get(index);
            let first = first.map(|outcome| Observed::of(outcome, &self.subject.expected).class);
            let class = match first {
                Some(class) if !class.is_alarm() => class,
                _ => runner.observe(*index, &self.subject)?.class,
            };
            classes.insert(*index, class);
        }
        let is_outvoted = |index: &&usize| classes.get(index) == Some(&Class::Outvoted);
        let outvoted: Vec<usize> = configurations.iter().filter(is_outvoted).copied().collect();
        let depend = match outvoted.is_empty() {
            true => Vec::new(),
            false => depending(runner, &self.subject, (configurations, &outvoted), rule)?,
        };
        classes.extend(depend.into_iter().map(|index| (index, Class::DependsOnInputs)));
        Some(classes)
    }
}

/// Those of the outvoted configurations that agree with the majority, or have none against them, when the inputs are other
/// ones. There are none where a program has its own inputs.
fn depending(
    runner: &Runner,
    subject: &Subject,
    (configurations, outvoted): (&[usize], &[usize]),
    rule: Rule,
) -> Option<Vec<usize>> {
    if !runner.has_second_inputs(subject) {
        return Some(Vec::new());
    }
    let second = outcomes(runner, subject, configurations, Inputs::Second)?;
    let majority = Votes::count(runner, &second, rule).majority;
    let agrees = |index: &&usize| {
        let own = second.get(index).and_then(RunOutcome::result);
        own.is_none() || majority.is_none() || own == majority
    };
    Some(outvoted.iter().filter(agrees).copied().collect())
}

fn outcomes(
    runner: &Runner,
    subject: &Subject,
    configurations: &[usize],
    inputs: Inputs,
) -> Option<BTreeMap<usize, RunOutcome>> {
    let run = |index: &usize| Some((*index, runner.first_outcome(*index, subject, inputs)?));
    configurations.iter().map(run).collect()
}

/// The result of a vote.
struct Votes<'a> {
    majority: Option<&'a [Output]>,
    /// True if so many configurations have a result as a majority needs, the same or not.
    executed: bool,
}

impl<'a> Votes<'a> {
    fn count(runner: &Runner, outcomes: &'a BTreeMap<usize, RunOutcome>, rule: Rule) -> Self {
        let role = |index: &usize| match runner.matrix.toolchain(*index).is_simulated() {
            true => BallotRole::Accused,
            false => BallotRole::Voter,
        };
        let ballots: Vec<Ballot<'a>> =
            outcomes.iter().map(|(index, outcome)| Ballot { role: role(index), outcome }).collect();
        let vote = vote(&ballots, rule);
        Self { majority: vote.majority, executed: vote.executed }
    }
}
