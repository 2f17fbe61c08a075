//! Votes: which configuration is wrong when the same kernel gives different results on several.

use crate::outcome::{Output, RunOutcome};

/// The role of a configuration in the search for a majority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BallotRole {
    /// Its result counts.
    Voter,
    /// It can be found wrong, but its result never counts: Oclgrind, which has bugs that no device
    /// shares.
    Accused,
}

/// One configuration in a vote.
#[derive(Clone, Copy, Debug)]
pub struct Ballot<'a> {
    /// Its role.
    pub role: BallotRole,
    /// Its outcome.
    pub outcome: &'a RunOutcome,
}

/// The rule by which a majority is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// More than half of the voters that have a result, and at least three (CLsmith).
    AtLeastThree,
    /// Two thirds of all voters, rounded up, and at least two (DeepSmith).
    TwoThirds,
}

/// The result of a vote for one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteResult {
    /// Its result is the majority's.
    Agrees,
    /// Nothing can be said: no majority, or the tool failed.
    Unknown,
    /// Its result is another one than the majority's.
    WrongCode,
    /// Its own repetitions gave different results.
    Unstable,
    /// A bug by itself, whatever the others say.
    BuildCrash,
    /// A bug by itself, whatever the others say.
    BuildTimeout,
    /// The majority could run what it refuses to build.
    BuildFailure,
    /// The majority could run what it refuses to run.
    RunFailure,
    /// The majority could run what it dies of.
    RunCrash,
    /// The majority finished what it does not finish.
    RunTimeout,
}

/// The result of a vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote<'a> {
    /// The result that the majority agrees on.
    pub majority: Option<&'a [Output]>,
    /// True if as many voters have a result as a majority needs, whether or not it is the same one.
    pub executed: bool,
    /// One for each ballot.
    pub findings: Vec<VoteResult>,
}

/// Counts the votes.
#[must_use]
pub fn vote<'a>(ballots: &[Ballot<'a>], rule: Rule) -> Vote<'a> {
    let voters: Vec<&Ballot<'a>> =
        ballots.iter().filter(|ballot| ballot.role == BallotRole::Voter).collect();
    let results: Vec<&'a [Output]> =
        voters.iter().filter_map(|ballot| ballot.outcome.result()).collect();
    let enough = match rule {
        Rule::AtLeastThree => (results.len() / 2 + 1).max(3),
        Rule::TwoThirds => (2 * voters.len()).div_ceil(3).max(2),
    };
    let votes_for = |result: &[Output]| results.iter().filter(|other| **other == result).count();
    // Both rules ask for more than half of all results, so there is at most one.
    let majority = results.iter().copied().find(|result| votes_for(result) >= enough);
    // Devices that ran it may disagree on the result, and still show that it can be run.
    let needed = match rule {
        Rule::AtLeastThree => (voters.len() / 2 + 1).max(3),
        Rule::TwoThirds => enough,
    };
    let executed = results.len() >= needed;
    let if_executed = |finding| if executed { finding } else { VoteResult::Unknown };
    let finding = |ballot: &Ballot<'_>| match ballot.outcome {
        RunOutcome::BuildCrash(_) => VoteResult::BuildCrash,
        RunOutcome::BuildTimeout => VoteResult::BuildTimeout,
        RunOutcome::BuildFailure { .. } => if_executed(VoteResult::BuildFailure),
        RunOutcome::RunFailure { .. } => if_executed(VoteResult::RunFailure),
        RunOutcome::RunCrash(_) => if_executed(VoteResult::RunCrash),
        RunOutcome::RunTimeout => if_executed(VoteResult::RunTimeout),
        RunOutcome::Results(_) => match (ballot.outcome.result(), majority) {
            (None, _) => VoteResult::Unstable,
            (Some(_), None) => VoteResult::Unknown,
            (Some(result), Some(majority)) if result == majority => VoteResult::Agrees,
            (Some(_), Some(_)) => VoteResult::WrongCode,
        },
        RunOutcome::Built | RunOutcome::Unresolved(_) | RunOutcome::NotRun(_) => {
            VoteResult::Unknown
        }
    };
    Vote { majority, executed, findings: ballots.iter().map(finding).collect() }
}

/// The comparison of variants that are equivalent modulo the input, on one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmiAgreement {
    /// All that have a result have the same, and there are at least two.
    Agree,
    /// These two, by their place in the list, have different results.
    Differ(usize, usize),
    /// Fewer than two have a result.
    Unknown,
}

/// Compares the variants of one base on one configuration.
#[must_use]
pub fn emi(outcomes: &[RunOutcome]) -> EmiAgreement {
    let results = outcomes.iter().enumerate();
    let mut results = results.filter_map(|(index, outcome)| Some((index, outcome.result()?)));
    let Some((first, expected)) = results.next() else { return EmiAgreement::Unknown };
    let mut count = 1;
    for (index, result) in results {
        if result != expected {
            return EmiAgreement::Differ(first, index);
        }
        count += 1;
    }
    if count > 1 { EmiAgreement::Agree } else { EmiAgreement::Unknown }
}

#[cfg(test)]
mod tests {
    use clreduce_language::Scalar;
    use clreduce_process::Crash;

    use super::*;

    fn result(value: u8) -> RunOutcome {
        let output = |value| Output {
            kernel: "k".into(),
            name: "r".into(),
            scalar: Scalar::Uchar,
            bytes: vec![value],
        };
        RunOutcome::Results(vec![vec![output(value)]])
    }

    fn crash() -> Crash {
        Crash { how: "killed".into(), output: String::new() }
    }

    fn findings(outcomes: &[RunOutcome], accused: usize, rule: Rule) -> Vec<VoteResult> {
        let role = |index| if index < accused { BallotRole::Accused } else { BallotRole::Voter };
        let ballots: Vec<Ballot<'_>> = outcomes
            .iter()
            .enumerate()
            .map(|(index, outcome)| Ballot { role: role(index), outcome })
            .collect();
        vote(&ballots, rule).findings
    }

    use VoteResult::*;

    #[test]
    fn three_must_agree() {
        let rule = Rule::AtLeastThree;
        let of = |values: &[u8]| {
            let outcomes: Vec<_> = values.iter().map(|&value| result(value)).collect();
            findings(&outcomes, 0, rule)
        };
        assert_eq!(of(&[1, 1, 2, 1]), [Agrees, Agrees, WrongCode, Agrees]);
        assert_eq!(of(&[1, 1, 2]), [Unknown; 3]);
        assert_eq!(of(&[1, 1, 1, 2, 2, 2]), [Unknown; 6]);
        assert_eq!(of(&[1, 1, 1, 2, 2]), [Agrees, Agrees, Agrees, WrongCode, WrongCode]);
    }

    #[test]
    fn two_thirds_of_all_must_agree() {
        let rule = Rule::TwoThirds;
        let of = |outcomes: &[RunOutcome]| findings(outcomes, 0, rule);
        assert_eq!(of(&[result(1), result(1), result(2)]), [Agrees, Agrees, WrongCode]);
        let four = [result(1), result(1), result(2), RunOutcome::RunTimeout];
        assert_eq!(of(&four), [Unknown, Unknown, Unknown, RunTimeout]);
        assert_eq!(of(&[result(1)]), [Unknown]);
    }

    #[test]
    fn two_thirds_are_rounded_up() {
        let of = |agree: usize, differ: usize| {
            let outcomes = [vec![result(1); agree], vec![result(2); differ]].concat();
            findings(&outcomes, 0, Rule::TwoThirds)[0]
        };
        assert_eq!([of(14, 6), of(13, 7)], [Agrees, Unknown]);
        assert_eq!([of(3, 1), of(2, 2), of(2, 1), of(1, 2)], [Agrees, Unknown, Agrees, WrongCode]);
    }

    #[test]
    fn the_accused_does_not_count() {
        let outcomes = [result(2), result(1), result(1), result(1)];
        assert_eq!(findings(&outcomes, 1, Rule::AtLeastThree), [WrongCode, Agrees, Agrees, Agrees]);
        // Its vote would make a majority.
        let outcomes = [result(1), result(1), result(1), result(2)];
        assert_eq!(findings(&outcomes, 1, Rule::AtLeastThree), [Unknown; 4]);
        assert_eq!(findings(&outcomes, 1, Rule::TwoThirds), [Agrees, Agrees, Agrees, WrongCode]);
    }

    #[test]
    fn crashes_of_builds_need_nobody_and_failures_a_majority() {
        let rule = Rule::AtLeastThree;
        let bad = || {
            vec![
                RunOutcome::BuildCrash(crash()),
                RunOutcome::BuildTimeout,
                RunOutcome::BuildFailure { log: String::new() },
                RunOutcome::RunCrash(crash()),
                RunOutcome::Unresolved(String::new()),
                RunOutcome::Built,
            ]
        };
        assert_eq!(
            findings(&bad(), 0, rule),
            [BuildCrash, BuildTimeout, Unknown, Unknown, Unknown, Unknown]
        );
        let mut with_results = bad();
        with_results.extend((0..7).map(|_| result(1)));
        assert_eq!(
            findings(&with_results, 0, rule)[2..6],
            [BuildFailure, VoteResult::RunCrash, Unknown, Unknown]
        );
    }

    #[test]
    fn unstable_results_do_not_count() {
        let RunOutcome::Results(mut both) = result(1) else { unreachable!() };
        let RunOutcome::Results(other) = result(2) else { unreachable!() };
        both.extend(other);
        let outcomes = [RunOutcome::Results(both), result(1), result(1)];
        assert_eq!(findings(&outcomes, 0, Rule::AtLeastThree), [Unstable, Unknown, Unknown]);
    }

    #[test]
    fn emi_variants_agree_or_not() {
        assert_eq!(emi(&[result(1), RunOutcome::RunTimeout, result(1)]), EmiAgreement::Agree);
        assert_eq!(
            emi(&[RunOutcome::Built, result(1), result(1), result(2)]),
            EmiAgreement::Differ(1, 3)
        );
        assert_eq!(emi(&[result(1), RunOutcome::BuildTimeout]), EmiAgreement::Unknown);
        assert_eq!(emi(&[]), EmiAgreement::Unknown);
    }
}
