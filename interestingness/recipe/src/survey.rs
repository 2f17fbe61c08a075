//! What is wrong with a kernel on the devices at hand, and the recipe that says so: every device, with and
//! without optimisation, and a vote. Oclgrind can be found wrong; its result never counts.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use clreduce_devices::{DeviceWorker, Devices, WorkerOptions};
use clreduce_kernel::{
    Ballot, KernelRun, PlanError, ProgramKind, Role, Rule, RunLimits, RunOutcome, VoteResult, vote,
};

use crate::configuration::show;
use crate::format::Preset;
use crate::pin::describe;
use crate::{RecipeOptions, naming};

/// How long a device may take for building, and again for running, at first.
const FIRST_LIMIT: Duration = Duration::from_secs(10);

/// What has not ended by then is asked again: to call it a hang is serious. So many times as long as the slowest
/// of those that end, within bounds, and so long where none does.
const MORE_PATIENCE: u32 = 20;
const LEAST_LIMIT: Duration = Duration::from_secs(30);
const MOST_LIMIT: Duration = Duration::from_secs(300);
const USUAL_LIMIT: Duration = Duration::from_secs(60);

/// With the accused, enough for a majority.
const MOST_WITNESSES: usize = 3;

/// What one configuration makes of a kernel.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Enough of the device's name to tell it from the others.
    pub device: String,
    /// Whether the optimiser is on.
    pub optimises: bool,
    /// The option that switches it off.
    pub no_opt: &'static str,
    /// Whether it is Oclgrind.
    pub simulated: bool,
    /// Whether a kernel that does damage there damages more than a process.
    pub is_gpu: bool,
    /// What became of the kernel.
    pub outcome: RunOutcome,
    /// How long that took.
    pub wall: Duration,
    /// What that is, beside the others.
    pub finding: VoteResult,
}

/// What all configurations at hand make of a kernel.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Every configuration.
    pub seen: Vec<Seen>,
    /// Drivers that did not work, for people.
    pub problems: Vec<String>,
}

/// What is wrong with which configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accusation {
    /// Its place among [`Survey::seen`].
    pub accused: usize,
    /// What kind of bug it is.
    pub preset: Preset,
    /// Who says so.
    pub basis: Basis,
}

/// Who says that a configuration is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A majority of at least three; for crashes and time-outs of a build, nobody is needed.
    Majority,
    /// Two that agree, where there are no more.
    Two,
    /// Nobody: a device disagrees with itself, and its optimiser is suspected.
    Guess,
}

impl Seen {
    /// As in the recipe.
    #[must_use]
    pub fn name(&self) -> String {
        if self.optimises {
            self.device.clone()
        } else {
            format!("{} {}", self.device, self.no_opt)
        }
    }

    /// Whether it did not end within the limit.
    fn hangs(&self) -> bool {
        matches!(self.outcome, RunOutcome::BuildTimeout | RunOutcome::RunTimeout)
    }

    /// The outcome on one line.
    #[must_use]
    pub fn describe(&self) -> String {
        describe(&self.outcome)
    }
}

impl Survey {
    /// Runs a kernel on everything there is; the name of its file tells the language. `arguments` describes how it is launched, where its launch
    /// comment or its prototype does not; `build_options` are for every build.
    ///
    /// # Errors
    /// When nobody knows how to launch it.
    pub fn of(
        path: &str,
        source: &[u8],
        arguments: Option<&str>,
        build_options: &str,
        options: &RecipeOptions,
    ) -> Result<Self, PlanError> {
        let runs = ProgramKind::of(path, source);
        let plan = runs.plan(source, arguments)?;
        let Some(program) = options.worker.clone() else {
            let problems = vec!["no worker program is known".to_owned()];
            return Ok(Self { seen: Vec::new(), problems });
        };
        let worker =
            WorkerOptions { temporary: options.temporary.clone(), ..WorkerOptions::new(program) };
        let mut found = Devices::find(&worker);
        found.devices.retain(|device| device.takes() == runs);
        let mut seen = Vec::new();
        for device in &found.devices {
            let simulated = device.backend.is_simulated();
            for optimises in [true, false] {
                seen.push(Seen {
                    device: naming::short(device, &found.devices),
                    optimises,
                    no_opt: runs.no_opt(),
                    simulated,
                    is_gpu: !device.is_robust(),
                    outcome: RunOutcome::Unresolved("not run".to_owned()),
                    wall: Duration::ZERO,
                    finding: VoteResult::Unknown,
                });
            }
        }
        let mut runners: Vec<DeviceWorker> = found
            .devices
            .iter()
            .map(|device| DeviceWorker::new(worker.clone(), device.clone()))
            .collect();
        let mut ask = |seen: &mut [Seen], index: usize, limit: Duration| {
            let one = &mut seen[index];
            let switch = if one.optimises { "" } else { one.no_opt };
            let words = format!("-w {build_options} {switch}");
            let run = KernelRun {
                source: source.to_vec(),
                options: words.split_whitespace().collect::<Vec<_>>().join(" "),
                launches: plan.launches.clone(),
                repeat: 1,
            };
            let limits = RunLimits { build: limit, run: limit };
            let report = runners[index / 2].run(&run, limits, &options.cancel);
            (one.outcome, one.wall) = (report.outcome, report.build + report.run);
        };
        for index in 0..seen.len() {
            ask(&mut seen, index, FIRST_LIMIT);
        }
        let limit = more_patience(&seen);
        for index in 0..seen.len() {
            if seen[index].hangs() {
                ask(&mut seen, index, limit);
            }
        }
        Ok(Self { seen, problems: found.problems }.voted())
    }

    fn voted(mut self) -> Self {
        let role = |seen: &Seen| if seen.simulated { Role::Accused } else { Role::Voter };
        let ballots: Vec<Ballot<'_>> = self
            .seen
            .iter()
            .map(|seen| Ballot { role: role(seen), outcome: &seen.outcome })
            .collect();
        let voters = ballots.iter().filter(|ballot| ballot.role == Role::Voter).count();
        let rule = if voters < 3 { Rule::TwoThirds } else { Rule::AtLeastThree };
        let findings = vote(&ballots, rule).findings;
        for (seen, finding) in self.seen.iter_mut().zip(findings) {
            seen.finding = finding;
        }
        self
    }

    /// What is wrong, the gravest and surest first.
    #[must_use]
    pub fn accusations(&self) -> Vec<Accusation> {
        let voters = self.seen.iter().filter(|seen| !seen.simulated).count();
        let mut found: Vec<Accusation> = (0..self.seen.len())
            .filter_map(|accused| {
                let finding = self.seen[accused].finding;
                let needs_nobody =
                    matches!(finding, VoteResult::BuildCrash | VoteResult::BuildTimeout);
                let basis = if voters < 3 && !needs_nobody { Basis::Two } else { Basis::Majority };
                Some(Accusation { accused, preset: preset_of(finding)?, basis })
            })
            .collect();
        // Oclgrind takes its time; and on a busy machine everything does.
        found.retain(|found| !(self.seen[found.accused].simulated && found.preset == Preset::Hang));
        found.sort_by_key(|found| {
            (found.preset == Preset::Hang, self.seen[found.accused].simulated)
        });
        if found.is_empty() {
            found.extend(self.guess());
        }
        found
    }

    /// Two results and no majority: of a device that disagrees with itself, the optimiser is suspected.
    fn guess(&self) -> Option<Accusation> {
        let accused = self.seen.windows(2).position(|pair| {
            let both = pair[0].outcome.result().zip(pair[1].outcome.result());
            pair[0].device == pair[1].device
                && !pair[0].simulated
                && both.is_some_and(|(optimised, plain)| optimised != plain)
        })?;
        Some(Accusation { accused, preset: Preset::WrongCode, basis: Basis::Guess })
    }

    /// The configurations that an accused is compared with: up to three of those that agree with each other, or,
    /// where nobody does, the same device's other one.
    #[must_use]
    pub fn witnesses(&self, accusation: Accusation) -> Vec<usize> {
        let accused = &self.seen[accusation.accused];
        let others = (0..self.seen.len()).filter(|&index| index != accusation.accused);
        let fits = |index: &usize| {
            let other = &self.seen[*index];
            let is_fine = match accusation.basis {
                Basis::Majority | Basis::Two => other.finding == VoteResult::Agrees,
                Basis::Guess => other.device == accused.device,
            };
            is_fine && !other.simulated
        };
        let mut found: Vec<usize> = others.filter(fits).collect();
        // More say no more and cost time in every test. The same device says that its optimiser is wrong; of the
        // others, one each.
        let twins = |index: &usize| {
            let device = &self.seen[*index].device;
            let before = self.seen[..*index].iter().filter(|seen| seen.device == *device);
            (*device != accused.device, before.count())
        };
        found.sort_by_key(twins);
        found.truncate(MOST_WITNESSES);
        // The first of them decides most variants, before it is known that they are valid.
        let cost = |index: &usize| {
            let one = &self.seen[*index];
            (one.is_gpu, one.device != accused.device, one.wall)
        };
        found.sort_by_key(cost);
        found
    }

    /// The recipe for it. `arguments` is the file that describes the arguments, `build_options` are for every
    /// build.
    #[must_use]
    pub fn recipe(
        &self,
        kernel: &str,
        accusation: Accusation,
        arguments: Option<&Path>,
        build_options: &str,
    ) -> String {
        let mut text = format!("# The bug that `clreduce init` found with {kernel}:\n");
        let width = self.seen.iter().map(|seen| seen.name().len()).max().unwrap_or_default();
        // Writing to a string cannot fail, here and below.
        for seen in &self.seen {
            let _ = writeln!(text, "#   {:<width$}  {}", seen.name(), seen.describe());
        }
        let _ = writeln!(text, "preset = \"{}\"", accusation.preset.name());
        if !build_options.is_empty() {
            let _ = writeln!(text, "options = {}", quoted(build_options));
        }
        if let Some(arguments) = arguments {
            let _ = writeln!(text, "arguments = {}", quoted(&arguments.to_string_lossy()));
        }
        let witnesses = self.witnesses(accusation);
        for index in std::iter::once(accusation.accused).chain(witnesses.iter().copied()) {
            let seen = &self.seen[index];
            let _ = write!(text, "\n[[configuration]]\ndevice = {}\n", quoted(&seen.device));
            if !seen.optimises {
                let _ = writeln!(text, "options = \"{}\"", seen.no_opt);
            }
            if index == accusation.accused {
                text.push_str("accused = true\n");
            }
        }
        if accusation.preset == Preset::Hang && witnesses.is_empty() {
            let _ = writeln!(text, "timeout = \"{}s\"", USUAL_LIMIT.as_secs());
        }
        text
    }

    /// What the majority computed, for people.
    #[must_use]
    pub fn result_of(&self, index: usize) -> Option<String> {
        self.seen.get(index)?.outcome.result().map(show)
    }
}

/// How long those get that have not ended.
fn more_patience(seen: &[Seen]) -> Duration {
    let ended = seen.iter().filter(|one| !one.hangs() && !one.simulated);
    let slowest = ended.map(|one| one.wall).max();
    slowest.map_or(USUAL_LIMIT, |wall| (wall * MORE_PATIENCE).clamp(LEAST_LIMIT, MOST_LIMIT))
}

fn preset_of(finding: VoteResult) -> Option<Preset> {
    match finding {
        VoteResult::WrongCode => Some(Preset::WrongCode),
        VoteResult::BuildCrash | VoteResult::RunCrash => Some(Preset::Crash),
        VoteResult::BuildTimeout | VoteResult::RunTimeout => Some(Preset::Hang),
        VoteResult::BuildFailure => Some(Preset::BuildFailure),
        // What a driver refuses to launch is mostly a matter of its limits.
        VoteResult::RunFailure
        | VoteResult::Agrees
        | VoteResult::Unknown
        | VoteResult::Unstable => None,
    }
}

/// A text in TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use clreduce_kernel::{Crash, Output, Scalar};

    use super::*;
    use crate::Recipe;

    /// The result of a kernel that wrote one byte.
    fn result(value: u8) -> RunOutcome {
        let (kernel, name) = ("k".into(), "r".into());
        let output = Output { kernel, name, scalar: Scalar::Uchar, bytes: vec![value] };
        RunOutcome::Results(vec![vec![output]])
    }

    fn survey(outcomes: &[(&str, bool, RunOutcome)]) -> Survey {
        let seen = outcomes.iter().map(|(device, optimises, outcome)| Seen {
            device: (*device).to_owned(),
            optimises: *optimises,
            no_opt: ProgramKind::OpenCl.no_opt(),
            simulated: *device == "oclgrind",
            is_gpu: *device == "nvidia",
            outcome: outcome.clone(),
            wall: Duration::from_secs(device.len() as u64),
            finding: VoteResult::Unknown,
        });
        Survey { seen: seen.collect(), problems: Vec::new() }.voted()
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
        let accusations = survey.accusations();
        assert_eq!(accusations.len(), 2);
        assert_eq!(survey.seen[accusations[0].accused].name(), "pocl");
        let text = survey.recipe("k.cl", accusations[0], None, "-DN=\"4\"");
        assert_eq!(text.matches("[[configuration]]").count(), 4, "{text}");
        Recipe::parse("k.toml".as_ref(), text).unwrap();
        let text = survey.recipe("k.cl", accusations[1], None, "");
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
        let [found] = survey.accusations()[..] else { panic!() };
        assert_eq!(survey.witnesses(found), [3, 1, 0]);
        assert_eq!(more_patience(&survey.seen), Duration::from_secs(120));
    }

    #[test]
    fn two_results_are_a_guess() {
        let survey = survey(&[("pocl", true, result(2)), ("pocl", false, result(1))]);
        let [guess] = survey.accusations()[..] else { panic!() };
        assert_eq!((guess.basis, guess.accused), (Basis::Guess, 0));
        assert_eq!(survey.witnesses(guess), [1]);
        let two =
            [("pocl", true, result(1)), ("pocl", false, result(1)), ("oclgrind", true, result(2))];
        let survey = self::survey(&two);
        let [found] = survey.accusations()[..] else { panic!() };
        assert_eq!((found.basis, found.accused), (Basis::Two, 2));
    }

    #[test]
    fn a_crash_of_a_compiler_needs_nobody() {
        let crash = RunOutcome::BuildCrash(Crash { how: "SIGSEGV".into(), output: String::new() });
        let survey = survey(&[("pocl", true, crash), ("pocl", false, result(1))]);
        let [found] = survey.accusations()[..] else { panic!() };
        assert_eq!((found.preset, found.accused), (Preset::Crash, 0));
        let text = survey.recipe("k.cl", found, None, "");
        Recipe::parse("k.toml".as_ref(), text).unwrap();
    }
}
