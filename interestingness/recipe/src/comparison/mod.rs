//! A comparison of all devices, as `clreduce init` makes it: one kernel runs on every device, with and without
//! optimisation, and a vote shows which of these configurations are wrong. Oclgrind can be wrong, too, but its result never
//! counts. Where the right result is known, there is no vote.

mod devices;
mod recipe_text;

use std::time::Duration;

use clreduce_kernel::{Ballot, BallotRole, Output, Rule, RunOutcome, VoteResult, vote};

use crate::configuration::show;
use crate::format::Preset;
use crate::shown::describe;

/// Judges whether a result is the right one.
pub type IsRight<'a> = &'a dyn Fn(&[Output]) -> bool;

/// The outcome of a kernel on one configuration.
#[derive(Clone, Debug)]
pub struct ConfigurationResult {
    /// A name of the device that no other device has.
    pub device: String,
    /// Compiler options of this configuration alone. `init` has none, or the one that switches the optimiser off.
    pub options: String,
    /// True if it is Oclgrind.
    pub simulated: bool,
    /// True if it is a GPU, which an invalid kernel can damage for other processes, too.
    pub is_gpu: bool,
    /// The outcome.
    pub outcome: RunOutcome,
    /// The wall time.
    pub wall: Duration,
    /// The result of the vote on it.
    pub finding: VoteResult,
}

/// The outcomes of a kernel on all configurations.
#[derive(Clone, Debug, Default)]
pub struct DeviceComparison {
    /// Every configuration.
    pub configurations: Vec<ConfigurationResult>,
    /// The drivers that did not work, for people.
    pub problems: Vec<String>,
    /// The first kernel that is named like a built-in function, which not every driver launches.
    pub named_like_builtin: Option<String>,
    /// True if the right result was known, and a configuration has it.
    pub has_right_result: bool,
}

/// A bug of one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspectedBug {
    /// The place of the suspected configuration in [`DeviceComparison::configurations`].
    pub configuration: usize,
    /// The kind of the bug.
    pub preset: Preset,
    /// The grounds for suspecting it.
    pub basis: SuspicionBasis,
}

/// The grounds for suspecting a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspicionBasis {
    /// The right result is known.
    Known,
    /// A majority of at least three. A crash or a time-out of a build needs no comparison.
    Majority,
    /// Two configurations agree, and there are no others.
    Two,
    /// Only a device that disagrees with itself. Its optimiser is suspected.
    Guess,
}

impl ConfigurationResult {
    /// The name in recipes.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.device, self.options).trim_end().to_owned()
    }

    /// Returns true if it exceeded its time limit.
    fn hangs(&self) -> bool {
        matches!(self.outcome, RunOutcome::BuildTimeout | RunOutcome::RunTimeout)
    }

    /// The outcome on one line.
    #[must_use]
    pub fn describe(&self) -> String {
        describe(&self.outcome)
    }
}

impl DeviceComparison {
    fn voted(mut self, is_right: Option<IsRight<'_>>) -> Self {
        let role = |seen: &ConfigurationResult| {
            if seen.simulated { BallotRole::Accused } else { BallotRole::Voter }
        };
        let ballots: Vec<Ballot<'_>> = self
            .configurations
            .iter()
            .map(|seen| Ballot { role: role(seen), outcome: &seen.outcome })
            .collect();
        let voters = ballots.iter().filter(|ballot| ballot.role == BallotRole::Voter).count();
        let rule = if voters < 3 { Rule::TwoThirds } else { Rule::AtLeastThree };
        let findings = vote(&ballots, rule).findings;
        for (seen, finding) in self.configurations.iter_mut().zip(findings) {
            seen.finding = finding;
        }
        self.compare_with(is_right);
        self
    }

    /// Compares the results with the right one, if that is known. One that no configuration has is not believed: another
    /// file, other arguments or other options can be the reason.
    fn compare_with(&mut self, is_right: Option<IsRight<'_>>) {
        let Some(is_right) = is_right else { return };
        let judged: Vec<Option<bool>> =
            self.configurations.iter().map(|seen| seen.outcome.result().map(is_right)).collect();
        self.has_right_result = judged.contains(&Some(true));
        if !self.has_right_result {
            let problem = "no configuration has the result that is expected, so it is not used";
            self.problems.push(problem.to_owned());
            return;
        }
        for (seen, is_right) in self.configurations.iter_mut().zip(judged) {
            seen.finding = match is_right {
                Some(true) => VoteResult::Agrees,
                Some(false) => VoteResult::WrongCode,
                None => seen.finding,
            };
        }
    }

    /// Returns the configurations whose outcome is no result, and the number of the largest group that has one result.
    #[must_use]
    pub fn failing_and_agreeing(&self) -> (Vec<&ConfigurationResult>, usize) {
        let failing = self.configurations.iter().filter(|seen| seen.outcome.result().is_none());
        let results = self.configurations.iter().filter_map(|seen| seen.outcome.result());
        let agreeing = |result| results.clone().filter(|other| *other == result).count();
        (failing.collect(), results.clone().map(agreeing).max().unwrap_or_default())
    }

    /// Returns the bugs, the most serious and most certain first.
    #[must_use]
    pub fn bugs(&self) -> Vec<SuspectedBug> {
        let voters = self.configurations.iter().filter(|seen| !seen.simulated).count();
        let mut found: Vec<SuspectedBug> = (0..self.configurations.len())
            .filter_map(|configuration| {
                let finding = self.configurations[configuration].finding;
                let needs_nobody =
                    matches!(finding, VoteResult::BuildCrash | VoteResult::BuildTimeout);
                let basis = match finding {
                    VoteResult::WrongCode if self.has_right_result => SuspicionBasis::Known,
                    _ if voters < 3 && !needs_nobody => SuspicionBasis::Two,
                    _ => SuspicionBasis::Majority,
                };
                Some(SuspectedBug { configuration, preset: preset_of(finding)?, basis })
            })
            .collect();
        // Oclgrind is slow, so that its time-outs are no bugs. On a busy machine every time-out is uncertain.
        found.retain(|found| {
            !(self.configurations[found.configuration].simulated && found.preset == Preset::Hang)
        });
        found.sort_by_key(|found| {
            (found.preset == Preset::Hang, self.configurations[found.configuration].simulated)
        });
        if found.is_empty() {
            found.extend(self.guess());
        }
        found
    }

    /// Suspects the optimiser of a device that disagrees with itself, where there is no majority.
    fn guess(&self) -> Option<SuspectedBug> {
        let configuration = self.configurations.windows(2).position(|pair| {
            let both = pair[0].outcome.result().zip(pair[1].outcome.result());
            pair[0].device == pair[1].device
                && !pair[0].simulated
                && both.is_some_and(|(optimised, plain)| optimised != plain)
        })?;
        Some(SuspectedBug {
            configuration,
            preset: Preset::WrongCode,
            basis: SuspicionBasis::Guess,
        })
    }

    /// Returns the witnesses: the configurations that the suspected one is compared with. These are up to three that
    /// agree with each other or, where none do, the other configuration of the same device.
    #[must_use]
    pub fn witnesses(&self, bug: SuspectedBug) -> Vec<usize> {
        let accused = &self.configurations[bug.configuration];
        let others = (0..self.configurations.len()).filter(|&index| index != bug.configuration);
        let fits = |index: &usize| {
            let other = &self.configurations[*index];
            let is_fine = match bug.basis {
                SuspicionBasis::Known | SuspicionBasis::Majority | SuspicionBasis::Two => {
                    other.finding == VoteResult::Agrees
                }
                SuspicionBasis::Guess => other.device == accused.device,
            };
            is_fine && !other.simulated
        };
        let mut found: Vec<usize> = others.filter(fits).collect();
        // More witnesses only cost time in every test. The same device shows that its optimiser is wrong. The two
        // configurations of another device share most of their bugs: without its optimiser, it is the better witness, and
        // with it, it comes in only where one witness would be alone.
        let agreeing = found.clone();
        let is_twin = |index: &usize| {
            let device = &self.configurations[*index].device;
            let mut later = agreeing.iter().filter(|other| *other > index);
            *device != accused.device
                && later.any(|other| self.configurations[*other].device == *device)
        };
        found.sort_by_key(|index| {
            (is_twin(index), self.configurations[*index].device != accused.device)
        });
        let different = found.iter().filter(|index| !is_twin(index)).count();
        // Two witnesses outvote the suspected configuration, and a third makes it certain.
        found.truncate(different.clamp(2, 3));
        // The first witness decides most variants, before it is known whether they are valid.
        let cost = |index: &usize| {
            let one = &self.configurations[*index];
            (one.is_gpu, one.device != accused.device, one.wall)
        };
        found.sort_by_key(cost);
        found
    }

    /// Returns the result of a configuration, for people.
    #[must_use]
    pub fn result_of(&self, index: usize) -> Option<String> {
        self.configurations.get(index)?.outcome.result().map(show)
    }
}

fn preset_of(finding: VoteResult) -> Option<Preset> {
    match finding {
        VoteResult::WrongCode => Some(Preset::WrongCode),
        VoteResult::BuildCrash | VoteResult::RunCrash => Some(Preset::Crash),
        VoteResult::BuildTimeout | VoteResult::RunTimeout => Some(Preset::Hang),
        VoteResult::BuildFailure => Some(Preset::BuildFailure),
        // A driver that refuses to launch a kernel mostly has a limit of its own.
        VoteResult::RunFailure
        | VoteResult::Agrees
        | VoteResult::Unknown
        | VoteResult::Unstable => None,
    }
}

#[cfg(test)]
mod tests {
    use clreduce_check::FindingKind;
    use clreduce_kernel::{Crash, Output, ProgramKind, Scalar};

    use super::devices::more_patience;
    use super::*;
    use crate::Recipe;

    /// The result of a kernel that wrote one byte.
    fn result(value: u8) -> RunOutcome {
        let (kernel, name) = ("k".into(), "r".into());
        let output = Output { kernel, name, scalar: Scalar::Uchar, bytes: vec![value] };
        RunOutcome::Results(vec![vec![output]])
    }

    fn survey(outcomes: &[(&str, bool, RunOutcome)]) -> DeviceComparison {
        survey_knowing(outcomes, None)
    }

    fn survey_knowing(
        outcomes: &[(&str, bool, RunOutcome)],
        right: Option<u8>,
    ) -> DeviceComparison {
        let seen = outcomes.iter().map(|(device, optimises, outcome)| ConfigurationResult {
            device: (*device).to_owned(),
            options: if *optimises { "" } else { ProgramKind::OpenCl.no_opt() }.to_owned(),
            simulated: *device == "oclgrind",
            is_gpu: *device == "nvidia",
            outcome: outcome.clone(),
            wall: Duration::from_secs(device.len() as u64),
            finding: VoteResult::Unknown,
        });
        let comparison =
            DeviceComparison { configurations: seen.collect(), ..DeviceComparison::default() };
        let is_right = right.map(|right| move |outputs: &[Output]| outputs[0].bytes == [right]);
        comparison.voted(is_right.as_ref().map(|is_right| is_right as _))
    }

    #[test]
    fn the_majority_accuses_and_its_recipe_is_one() {
        let survey = survey(&[
            ("pocl", true, result(2)),
            ("pocl", false, result(1)),
            ("intel", true, result(1)),
            ("intel", false, result(1)),
            ("oclgrind", true, result(3)),
        ]);
        let bugs = survey.bugs();
        assert_eq!(bugs.len(), 2);
        assert_eq!(survey.configurations[bugs[0].configuration].name(), "pocl");
        let text = survey.recipe("k.cl", bugs[0], None, "-DN=\"4\"", &[FindingKind::DataRace]);
        // The other configuration of the same device, and one of the two of another device.
        assert_eq!(survey.witnesses(bugs[0]), [1, 3]);
        assert_eq!(text.matches("[[configuration]]").count(), 3, "{text}");
        Recipe::parse("k.toml".as_ref(), text).unwrap();
        let text = survey.recipe("k.cl", bugs[1], None, "", &[]);
        assert!(text.contains("device = \"oclgrind\"\naccused = true"), "{text}");
        Recipe::parse("k.toml".as_ref(), text).unwrap();
    }

    #[test]
    fn the_first_witness_is_cheap() {
        let survey = survey(&[
            ("nvidia", true, result(1)),
            ("intel", true, result(1)),
            ("pocl", true, result(2)),
            ("host", true, result(1)),
        ]);
        let [found] = survey.bugs()[..] else { panic!() };
        assert_eq!(survey.witnesses(found), [3, 1, 0]);
        assert_eq!(more_patience(&survey.configurations), Duration::from_secs(120));
    }

    #[test]
    fn two_results_are_a_guess() {
        let survey = survey(&[("pocl", true, result(2)), ("pocl", false, result(1))]);
        let [guess] = survey.bugs()[..] else { panic!() };
        assert_eq!((guess.basis, guess.configuration), (SuspicionBasis::Guess, 0));
        assert_eq!(survey.witnesses(guess), [1]);
        let two =
            [("pocl", true, result(1)), ("pocl", false, result(1)), ("oclgrind", true, result(2))];
        let survey = self::survey(&two);
        let [found] = survey.bugs()[..] else { panic!() };
        assert_eq!((found.basis, found.configuration), (SuspicionBasis::Two, 2));
    }

    #[test]
    fn a_right_result_that_is_known_outvotes_everybody() {
        let outcomes = [
            ("nvidia", true, result(2)),
            ("nvidia", false, result(2)),
            ("pocl", true, result(2)),
            ("host", true, result(1)),
        ];
        let survey = survey_knowing(&outcomes, Some(1));
        let bugs = survey.bugs();
        assert_eq!((bugs.len(), bugs[0].basis), (3, SuspicionBasis::Known));
        assert_eq!(survey.witnesses(bugs[0]), [3]);
        let text = survey.recipe("k.cl", bugs[0], None, "", &[]);
        Recipe::parse("k.toml".as_ref(), text).unwrap();
        // One that no configuration has is not believed.
        let survey = survey_knowing(&outcomes, Some(7));
        let [found] = survey.bugs()[..] else { panic!() };
        assert_eq!((found.configuration, found.basis), (3, SuspicionBasis::Majority));
        assert_eq!(survey.problems.len(), 1);
    }

    #[test]
    fn a_crash_of_a_compiler_needs_nobody() {
        let crash = RunOutcome::BuildCrash(Crash { how: "SIGSEGV".into(), output: String::new() });
        let survey = survey(&[("pocl", true, crash), ("pocl", false, result(1))]);
        let [found] = survey.bugs()[..] else { panic!() };
        assert_eq!((found.preset, found.configuration), (Preset::Crash, 0));
        let text = survey.recipe("k.cl", found, None, "", &[]);
        assert!(!text.contains("class"), "{text}");
        Recipe::parse("k.toml".as_ref(), text).unwrap();
    }

    #[test]
    fn a_crash_of_a_program_that_runs_asks_for_a_valid_one() {
        let crash = RunOutcome::RunCrash(Crash { how: "SIGSEGV".into(), output: String::new() });
        let right = |name, optimises| (name, optimises, result(1));
        let others = [right("pocl", false), right("intel", true), right("host", true)];
        let survey = survey(&[&[("pocl", true, crash)], &others[..]].concat());
        let [found] = survey.bugs()[..] else { panic!() };
        assert_eq!((found.preset, found.configuration), (Preset::Crash, 0));
        let text = survey.recipe("k.cl", found, None, "", &[]);
        assert!(text.ends_with("[outcome]\nclass = \"run_crash\"\n"), "{text}");
        Recipe::parse("k.toml".as_ref(), text).unwrap();
    }
}
