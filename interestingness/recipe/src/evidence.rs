//! Evidence of a bug: everything that the configurations of a recipe do with a program, for a bug report.

use std::collections::BTreeSet;
use std::time::Duration;

use clreduce_devices::DeviceFacts;
use clreduce_interestingness::Cancel;
use clreduce_kernel::{KernelLaunch, OutcomeClass, RunOutcome};
use clreduce_testcase::TestCase;

use crate::compilation::not_checked;
use crate::configuration::{Means, RecipeConfiguration, VariantProgram, expand, show};
use crate::format::Preset;
use crate::pin::StageVerdict;
use crate::shown::{describe, from_match};
use crate::test::RecipeTest;

/// The behaviour of one configuration on a program.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Name of the configuration.
    pub configuration: String,
    /// Its part in the comparison.
    pub role: Role,
    /// The commands or the device.
    pub tool: BuiltWith,
    /// The outcome of each program that is compared, usually of one.
    pub outcomes: Vec<RunOutcome>,
    /// The limit of wall time for a build, and the same for a run.
    pub limit: Duration,
}

/// The part of a configuration in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It shows the bug.
    Suspected,
    /// Its outcome is right.
    Witness,
    /// It takes no part.
    Other,
}

/// The means by which a configuration builds and runs programs.
#[derive(Clone, Debug)]
pub enum BuiltWith {
    /// Commands for the shell, in which `{file}` is filled in.
    Commands {
        /// The command that builds.
        build: String,
        /// The command that runs, if there is one.
        run: Option<String>,
    },
    /// A device.
    Device {
        /// The description that its driver gives.
        facts: Box<DeviceFacts>,
        /// The label of its installation in a zoo.
        label: Option<String>,
        /// The options of the build.
        options: String,
        /// The launches of the first program.
        launches: Vec<KernelLaunch>,
    },
}

impl Evidence {
    /// Describes the outcomes on one short line.
    #[must_use]
    pub fn summary(&self) -> String {
        self.outcomes.iter().map(describe).collect::<Vec<_>>().join(" / ")
    }

    /// The result of the first program, as text.
    #[must_use]
    pub fn result(&self) -> Option<String> {
        self.outcomes.first()?.result().map(show)
    }
}

impl RecipeTest {
    /// The kind of bug that the recipe is about.
    #[must_use]
    pub fn preset(&self) -> Preset {
        self.recipe.kit.preset
    }

    /// Returns the part of a compiler's output that the recipe asks for: from the line that matches the pattern in its
    /// `[outcome]`. `None` where it has no pattern, or the output does not match.
    #[must_use]
    pub fn asked_for<'a>(&self, output: &'a str) -> Option<&'a str> {
        from_match(output, self.recipe.kit.demands.message.as_ref()?)
    }

    /// Returns true if the suspected configuration is a device.
    #[must_use]
    pub fn suspects_a_device(&self) -> bool {
        let is_suspected =
            |one: &&RecipeConfiguration| one.name == self.recipe.calibration.pin.accused;
        self.recipe
            .kit
            .configurations
            .iter()
            .find(is_suspected)
            .is_some_and(|one| one.device().is_some())
    }

    /// The parts of a program in C or C++ that no check sees, if its result accuses a compiler.
    #[must_use]
    pub fn not_checked(&self, case: &TestCase) -> Option<String> {
        let is_run = matches!(
            self.recipe.calibration.pin.class,
            OutcomeClass::Result | OutcomeClass::RunCrash | OutcomeClass::RunTimeout
        );
        if !is_run || self.suspects_a_device() {
            return None;
        }
        let found: BTreeSet<&str> =
            case.files().iter().flat_map(|file| not_checked(&file.bytes)).collect();
        let found: Vec<&str> = found.into_iter().collect();
        (!found.is_empty()).then(|| format!("Not checked: {}.", found.join("; ")))
    }

    /// Runs a program on every configuration.
    #[must_use]
    pub fn evidence(&self, case: &TestCase, cancel: &Cancel) -> Vec<Evidence> {
        let pin = &self.recipe.calibration.pin;
        let programs = self.recipe.kit.programs(case).unwrap_or_default();
        let of = |one| {
            let limit = self.recipe.calibration.limit_of(one);
            let shown = self.recipe.kit.run_on(one, &programs, limit, cancel);
            let role = match &one.name {
                name if *name == pin.accused => Role::Suspected,
                name if pin.witnesses.contains(name) => Role::Witness,
                _ => Role::Other,
            };
            let tool = self.tool(&one.means, programs.first());
            let configuration = one.name.clone();
            Evidence { configuration, role, tool, outcomes: shown.outcomes, limit }
        };
        self.recipe.kit.configurations.iter().map(of).collect()
    }

    /// Judges the outcome of a program alone, without the checks before it. Returns what the suspected configuration
    /// does with it as well.
    ///
    /// Another version of a compiler may end in another way for the same reason. So a crash in the same function is the
    /// pinned one, whatever the signal or the exit status.
    #[must_use]
    pub fn outcome_of(&self, case: &TestCase, cancel: &Cancel) -> (StageVerdict, Vec<RunOutcome>) {
        let Some(programs) = self.recipe.kit.programs(case) else {
            let why = "a file that the recipe needs is missing".to_owned();
            return (StageVerdict::Unresolved(why), Vec::new());
        };
        let mut known = Vec::new();
        let verdict = self.recipe.decide(&programs, &mut known, cancel);
        let outcomes = known.into_iter().next().map(|accused| accused.outcomes).unwrap_or_default();
        match verdict {
            StageVerdict::Slipped(_) if outcomes.iter().all(|one| self.is_same_crash(one)) => {
                (StageVerdict::Passes, outcomes)
            }
            verdict => (verdict, outcomes),
        }
    }

    /// Returns true for a crash with the messages of the pinned one.
    fn is_same_crash(&self, outcome: &RunOutcome) -> bool {
        let (RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash)) = outcome else {
            return false;
        };
        let signature = clreduce_crash::signature(&crash.output);
        let pinned = self.recipe.calibration.pin.signature.get(1..).unwrap_or_default();
        self.recipe.kit.demands.message.is_none() && !signature.is_empty() && signature == pinned
    }

    fn tool(&self, means: &Means, program: Option<&VariantProgram<'_>>) -> BuiltWith {
        let path = program.map_or("", |program| program.path());
        let plan = program.and_then(|program| program.plan.as_ref().ok());
        let expanded = |line: &str| expand(line, path, "").trim().to_owned();
        match means {
            Means::Commands { build, run } => {
                BuiltWith::Commands { build: expanded(build), run: run.as_deref().map(expanded) }
            }
            Means::Device { device, options, .. } => BuiltWith::Device {
                facts: Box::new(self.recipe.kit.pools[*device].device.facts.clone()),
                label: self.recipe.kit.pools[*device].device.label(),
                options: options.clone(),
                launches: plan.map(|plan| plan.launches.clone()).unwrap_or_default(),
            },
        }
    }
}
