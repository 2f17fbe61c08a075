//! The recipe by which a bug is reduced, as `clreduce init` writes it.

use std::fs;
use std::path::Path;

use clreduce_check::FindingKind;
use clreduce_kernel::{RunOutcome, VoteResult};
use clreduce_recipe::{
    BugQuery, Compilation, CompilationError, CompilerBug, CompilerBugError, ConfigurationResult,
    DeviceComparison, Preset, RecipeOptions, SuspectedBug, SuspicionBasis,
};

use crate::CampaignError;
use crate::matrix::{Compiler, Configuration, Toolchain};
use crate::not_reduced::{NotReduced, Stop};
use crate::outcome::{Class, Observed, Subject};
use crate::publish::ARGUMENTS;
use crate::reduction::BugReduction;

/// A wrong result may waver when the program is small. One that hardly ever shows is of no use to anybody.
const TWICE: &str = "\n[outcome]\nconfirm = \"2 of 2\"\n";
/// The number of other compilers that a program in C is compared with.
const WITNESSES: usize = 2;

/// A recipe for a bug.
pub(crate) struct BugRecipe {
    /// The text.
    pub text: String,
    /// Configurations that have the right result of the program.
    pub witnesses: Vec<Configuration>,
    /// The program that the recipe is for.
    pub source: String,
}

impl BugReduction<'_> {
    /// The surroundings of recipes.
    pub(crate) fn recipe_options(&self) -> RecipeOptions {
        let devices = self.runner.matrix.devices.iter();
        let devices = devices.filter_map(|(_, toolchain)| toolchain.device().cloned());
        RecipeOptions {
            worker: Some(self.worker.program.clone()),
            devices: Some(devices.collect()),
            temporary: self.worker.temporary.clone(),
            confinement: self.worker.confinement.clone(),
            cancel: self.runner.cancel.clone(),
            ..RecipeOptions::default()
        }
    }

    /// The recipe for a bug. It will lie in `folder`.
    pub(crate) fn recipe(
        &self,
        configuration: usize,
        small: &Subject,
        observed: &Observed,
        folder: &Path,
    ) -> Result<BugRecipe, Stop> {
        let preset = match observed.class {
            Class::Crash => Preset::Crash,
            Class::Hang => Preset::Hang,
            Class::Refused => Preset::BuildFailure,
            _ => Preset::WrongCode,
        };
        let matrix = &self.runner.matrix;
        match matrix.toolchain(configuration) {
            Toolchain::Compiler(compiler) => {
                self.recipe_of_compiler(configuration, compiler, small, preset, folder)
            }
            Toolchain::Device(_) => self.recipe_of_devices(configuration, small, observed, preset),
        }
    }

    fn recipe_of_devices(
        &self,
        configuration: usize,
        small: &Subject,
        observed: &Observed,
        preset: Preset,
    ) -> Result<BugRecipe, Stop> {
        let matrix = &self.runner.matrix;
        let host = matrix.host.map(|device| Configuration { device, options: String::new() });
        let mut all = matrix.configurations.clone();
        all.extend(host.filter(|host| !matrix.configurations.contains(host)));
        let mut comparison = DeviceComparison { has_right_result: true, ..Default::default() };
        for (index, one) in all.iter().enumerate() {
            let (outcome, wall) = self.runner.outcome(one, small).ok_or(Stop::Cancelled)?;
            let (short, toolchain) = &matrix.devices[one.device];
            let finding = match Observed::of(&outcome, &small.expected).class {
                _ if index == configuration => finding_of(&outcome, observed.class),
                Class::Right => VoteResult::Agrees,
                class => finding_of(&outcome, class),
            };
            comparison.configurations.push(ConfigurationResult {
                device: short.clone(),
                options: one.options.clone(),
                simulated: toolchain.is_simulated(),
                is_gpu: !toolchain.is_robust(),
                outcome,
                wall,
                finding,
            });
        }
        let bug = SuspectedBug { configuration, preset, basis: SuspicionBasis::Known };
        let file = matrix.kind.file_name();
        let arguments = small.arguments.as_ref().map(|_| Path::new(file).with_extension(ARGUMENTS));
        // A text that is not reduced further is the generator's, which has no races.
        let unchecked: &[FindingKind] = match preset == Preset::WrongCode && !matrix.judges_text() {
            true => &[FindingKind::DataRace],
            false => &[],
        };
        let mut text =
            comparison.recipe(file, bug, arguments.as_deref(), &matrix.options, unchecked);
        if preset == Preset::WrongCode {
            text.push_str(TWICE);
        }
        let witnesses = comparison.witnesses(bug).into_iter().map(|one| all[one].clone()).collect();
        Ok(BugRecipe { text, witnesses, source: small.source.clone() })
    }

    /// The recipe for a compiler, as `clreduce init -- COMMAND` writes it, with the checks that a program needs to
    /// accuse a compiler.
    fn recipe_of_compiler(
        &self,
        configuration: usize,
        compiler: &Compiler,
        small: &Subject,
        preset: Preset,
        folder: &Path,
    ) -> Result<BugRecipe, Stop> {
        let matrix = &self.runner.matrix;
        let witnesses = self.agreeing(configuration, small)?;
        let path = folder.join(matrix.kind.file_name());
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &small.source));
        written.map_err(|source| Stop::Campaign(CampaignError::Write { path, source }))?;
        let own = &matrix.configurations[configuration];
        let compilation = Compilation::of_command(&matrix.words(compiler, &own.options), folder)?;
        let also = witnesses.iter().filter_map(|one| match &matrix.devices[one.device].1 {
            Toolchain::Compiler(other) => Some(matrix.command(other, &one.options)),
            Toolchain::Device(_) => None,
        });
        let also: Result<Vec<_>, _> =
            also.map(|line| compilation.command.parse_also(&line, folder)).collect();
        let (outcome, _) = self.runner.outcome(own, small).ok_or(Stop::Cancelled)?;
        // What a compiler does shows without running the program, so it need not be valid.
        let is_of_build = matches!(
            outcome,
            RunOutcome::BuildCrash(_) | RunOutcome::BuildTimeout | RunOutcome::BuildFailure { .. }
        );
        let query = BugQuery {
            also: also.map_err(CompilationError::from)?,
            run: !is_of_build,
            ..BugQuery::default()
        };
        let found = CompilerBug::find(&compilation, &query, &self.recipe_options());
        let found = found.map_err(|error| match error {
            CompilerBugError::Interrupted => Stop::Cancelled,
            CompilerBugError::OwnFault { what, .. } => NotReduced::Invalid(what).into(),
            error => error.into(),
        })?;
        if found.preset != preset {
            return Err(NotReduced::OtherKind(found.preset.name()).into());
        }
        // It may be preprocessed.
        let source = String::from_utf8_lossy(found.source()).into_owned();
        Ok(BugRecipe { text: found.recipe, witnesses, source })
    }

    /// Other configurations that have the right result: those of other compilers first.
    fn agreeing(&self, suspected: usize, small: &Subject) -> Result<Vec<Configuration>, Stop> {
        let mut found = Vec::new();
        for one in self.runner.matrix.others(suspected) {
            if found.len() == WITNESSES {
                break;
            }
            let (outcome, _) = self.runner.outcome(&one, small).ok_or(Stop::Cancelled)?;
            let is_right = match small.result() {
                Some(_) => Observed::of(&outcome, &small.expected).class == Class::Right,
                None => outcome.result().is_some(),
            };
            if is_right {
                found.push(one);
            }
        }
        Ok(found)
    }
}

/// The finding about an outcome that is not right.
fn finding_of(outcome: &RunOutcome, class: Class) -> VoteResult {
    match (class, outcome) {
        (Class::Wrong | Class::Outvoted, _) => VoteResult::WrongCode,
        (Class::Crash, RunOutcome::BuildCrash(_)) => VoteResult::BuildCrash,
        (Class::Crash, _) => VoteResult::RunCrash,
        (Class::Hang, RunOutcome::BuildTimeout) => VoteResult::BuildTimeout,
        (Class::Hang, _) => VoteResult::RunTimeout,
        (Class::Refused, _) => VoteResult::BuildFailure,
        (Class::NotRun, _) => VoteResult::RunFailure,
        (Class::Unstable, _) => VoteResult::Unstable,
        // Somebody who has some result witnesses that a program without a majority can be built and run.
        (Class::Undecided, outcome) if outcome.result().is_some() => VoteResult::Agrees,
        _ => VoteResult::Unknown,
    }
}
