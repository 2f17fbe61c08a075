//! The reduction of a bug: first as a program, with known results, then as a text by a recipe. The folder of the case has
//! the journals of both, so that a killed campaign goes on where it was.

use std::path::Path;

use clreduce_batch::{Batch, Case, CaseOutcome, OpenError};
use clreduce_devices::WorkerOptions;
use clreduce_engine::Reduction;
use clreduce_generator::Kernel;
use clreduce_interestingness::Cancel;
use clreduce_kernel::{RunOutcome, VoteResult};
use clreduce_recipe::{
    ConfigurationResult, DeviceComparison, Preset, Recipe, RecipeOptions, SuspectedBug,
    SuspicionBasis,
};
use clreduce_testcase::{ContentHash, InvalidTestCase, TestCase};
use clreduce_triage::TriageCase;

use crate::CampaignError;
use crate::cure::{self, Cure};
use crate::matrix::Configuration;
use crate::outcome::{Class, Observed, Subject};
use crate::programs::Programs;
use crate::publish::{self, BugFolder, WriteReport};
use crate::runner::Runner;
use crate::shared::Shared;
use crate::shrink;

/// A wrong result may waver when the program is small. One that hardly ever shows is of no use to anybody.
const TWICE: &str = "\n[outcome]\nconfirm = \"2 of 2\"\n";
/// Attempts to see the bug in the result.
const ATTEMPTS: u32 = 5;

/// Reduces bugs and writes them down.
pub(crate) struct BugReduction<'a> {
    pub runner: &'a Runner,
    pub programs: &'a Programs,
    pub shared: &'a Shared,
    pub batch: &'a Batch,
    /// The way in which workers are started.
    pub worker: WorkerOptions,
    pub report: &'a WriteReport,
    /// The folder of the campaign.
    pub directory: &'a Path,
}

/// The end of a reduction.
pub(crate) enum Reduced {
    /// The bug is new and written down; with the feature that cures it, if one does.
    Bug(Option<Cure>),
    /// The reduced program is that of this bug.
    Duplicate(String),
    /// It could not be reduced, for this reason.
    Failed(String),
    /// The campaign is cancelled.
    Cancelled,
}

impl BugReduction<'_> {
    /// Reduces a kernel. `original` is the program that was found.
    ///
    /// # Errors
    /// When the bug cannot be written down.
    pub(crate) fn run(
        &self,
        name: &str,
        configuration: usize,
        (kernel, original): (&Kernel, &Subject),
        observed: &Observed,
    ) -> Result<Reduced, CampaignError> {
        let folder = self.batch.folder_of(name);
        let case = match self.case(&kernel.source) {
            Ok(case) => case,
            Err(error) => return Ok(Reduced::Failed(error.to_string())),
        };
        let tell = |steps, bytes| self.shared.reducing(name, steps, bytes);
        let shrunk =
            shrink::shrink(self.runner, configuration, (kernel, &case), observed, &folder, &tell);
        let small = match shrunk {
            Ok(Some(small)) => small,
            Ok(None) => return Ok(Reduced::Cancelled),
            Err(error) => return Ok(Reduced::Failed(error.to_string())),
        };
        let cure = cure::find(self.runner, self.programs, configuration, (&small, kernel));
        let Some(cure) = cure else { return Ok(Reduced::Cancelled) };
        let Some((recipe, witness)) = self.recipe(configuration, &small, observed) else {
            return Ok(Reduced::Cancelled);
        };
        let path = folder.join("recipe.toml");
        let devices = self.runner.matrix.devices.iter();
        let recipe = match Recipe::parse(&path, recipe) {
            Ok(recipe) => recipe.options(RecipeOptions {
                worker: Some(self.worker.program.clone()),
                devices: Some(devices.map(|(_, device)| device.clone()).collect()),
                confinement: self.worker.confinement.clone(),
                cancel: self.runner.cancel.clone(),
                ..RecipeOptions::default()
            }),
            Err(error) => return Ok(Reduced::Failed(error.to_string())),
        };
        let text = match self.reduce_text(name, &small, &recipe) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Reduced::Cancelled),
            Err(reason) => return Ok(Reduced::Failed(reason)),
        };
        if let Some(bug) = self.duplicate_of(configuration, &text, observed) {
            return Ok(Reduced::Duplicate(bug));
        }
        let end = self.publish(name, (&text, original), &recipe, &witness)?;
        if let Some(end) = end {
            return Ok(end);
        }
        let state = folder.join(shrink::STATE);
        clreduce_files::remove_tree(&state)
            .map_err(|source| CampaignError::Write { path: state, source })?;
        Ok(Reduced::Bug(cure))
    }

    fn case(&self, source: &str) -> Result<TestCase, InvalidTestCase> {
        TestCase::single(&format!("kernel.{}", self.programs.extension()), source.as_bytes())
    }

    /// The recipe for the bug, as `clreduce init` writes it, and the first witness. `None` once the campaign is cancelled.
    fn recipe(
        &self,
        configuration: usize,
        small: &Kernel,
        observed: &Observed,
    ) -> Option<(String, Configuration)> {
        let matrix = &self.runner.matrix;
        let host = matrix.host.map(|device| Configuration { device, options: String::new() });
        let mut all = matrix.configurations.clone();
        all.extend(host.filter(|host| !matrix.configurations.contains(host)));
        let subject = Subject::from(small);
        let mut comparison = DeviceComparison { has_right_result: true, ..Default::default() };
        for (index, one) in all.iter().enumerate() {
            let (outcome, wall) = self.runner.outcome(one, &subject)?;
            let (short, device) = &matrix.devices[one.device];
            let finding = match Observed::of(&outcome, &subject.expected).class {
                _ if index == configuration => finding_of(&outcome, observed.class),
                Class::Right => VoteResult::Agrees,
                class => finding_of(&outcome, class),
            };
            comparison.configurations.push(ConfigurationResult {
                device: short.clone(),
                options: one.options.clone(),
                simulated: device.backend.is_simulated(),
                is_gpu: !device.is_robust(),
                outcome,
                wall,
                finding,
            });
        }
        let preset = match observed.class {
            Class::Crash => Preset::Crash,
            Class::Hang => Preset::Hang,
            Class::Refused => Preset::BuildFailure,
            _ => Preset::WrongCode,
        };
        let bug = SuspectedBug { configuration, preset, basis: SuspicionBasis::Known };
        let file = format!("kernel.{}", self.programs.extension());
        let mut text = comparison.recipe(&file, bug, None, &matrix.options, &[]);
        if preset == Preset::WrongCode {
            text.push_str(TWICE);
        }
        let witness = comparison.witnesses(bug).first().map(|witness| all[*witness].clone());
        Some((text, witness.unwrap_or_else(|| all[configuration].clone())))
    }

    /// Reduces the text by the recipe. `None` once the campaign is cancelled; an error is the reason that there is no
    /// result.
    fn reduce_text(
        &self,
        name: &str,
        small: &Kernel,
        recipe: &Recipe,
    ) -> Result<Option<String>, String> {
        let case = self.case(&small.source).map_err(|error| error.to_string())?;
        let open = {
            let recipe = recipe.clone();
            move || -> Result<Reduction<'static>, OpenError> {
                let test = recipe.calibrate(&case).map_err(|error| error.to_string())?;
                Ok(Reduction::of(case).test(test))
            }
        };
        let case = Case { name: name.to_owned(), open: Box::new(open) };
        let bytes = small.source.len();
        let tell = |tests| self.shared.reducing(name, tests, bytes);
        let (record, _) = self.batch.reduce(case, &self.runner.pool, &tell);
        if self.runner.cancel.is_cancelled() || record.outcome == CaseOutcome::Interrupted {
            return Ok(None);
        }
        if !record.outcome.is_reduced() {
            let colon = if record.reason.is_empty() { "" } else { ": " };
            return Err(format!("{}{colon}{}", record.outcome.name(), record.reason));
        }
        let file = format!("reduced/kernel.{}", self.programs.extension());
        let path = self.batch.folder_of(name).join(file);
        let text = std::fs::read_to_string(&path);
        text.map(Some).map_err(|error| format!("cannot read {}: {error}", path.display()))
    }

    /// The bug of the same device that shows in the same way and has the same reduced program, but for names and layout.
    fn duplicate_of(
        &self,
        configuration: usize,
        text: &str,
        observed: &Observed,
    ) -> Option<String> {
        let device = self.runner.matrix.configurations[configuration].device;
        let bugs = self.shared.with_knowledge(|known| known.bugs_of(device, observed));
        let mine = self.fingerprint(text)?;
        let is_same = |name: &String| {
            let other = publish::read(self.directory, name, self.programs.extension());
            other.and_then(|other| self.fingerprint(&other.source)) == Some(mine)
        };
        bugs.into_iter().map(|bug| bug.name).find(is_same)
    }

    fn fingerprint(&self, source: &str) -> Option<ContentHash> {
        Some(TriageCase::new(&self.case(source).ok()?, "", None, []).fingerprint())
    }

    /// Writes the folder of the bug. Returns an end only where there is no bug.
    fn publish(
        &self,
        name: &str,
        (text, original): (&str, &Subject),
        recipe: &Recipe,
        witness: &Configuration,
    ) -> Result<Option<Reduced>, CampaignError> {
        let mut kernel = Subject { source: text.to_owned(), expected: String::new() };
        let Some((outcome, _)) = self.runner.outcome(witness, &kernel) else {
            return Ok(Some(Reduced::Cancelled));
        };
        let shown = outcome.result().unwrap_or_default().iter().map(|output| output.show() + "\n");
        kernel.expected = shown.collect();
        let case = match self.case(text) {
            Ok(case) => case,
            Err(error) => return Ok(Some(Reduced::Failed(error.to_string()))),
        };
        // Every stage runs on the result once more: only a valid program accuses a compiler.
        let Some(permit) = self.runner.pool.wait(&self.runner.cancel) else {
            return Ok(Some(Reduced::Cancelled));
        };
        let mut test = recipe.calibrate(&case);
        for _ in 1..ATTEMPTS {
            if test.is_ok() || self.runner.cancel.is_cancelled() {
                break;
            }
            test = recipe.calibrate(&case);
        }
        let test = match test {
            Ok(test) => test,
            Err(error) if error.is_interruption() => return Ok(Some(Reduced::Cancelled)),
            Err(error) => return Ok(Some(Reduced::Failed(error.to_string()))),
        };
        let extension = self.programs.extension();
        let folder = BugFolder { kernel: &kernel, original, recipe: recipe.text(), extension };
        let cancel: &Cancel = &self.runner.cancel;
        let mut failure = None;
        let written = folder.write(self.directory, name, |paths| {
            Ok((self.report)(&test, &case, paths, cancel).unwrap_or_else(|reason| {
                failure = Some(reason);
                false
            }))
        })?;
        drop(permit);
        Ok(match (written, failure) {
            (true, _) => None,
            (false, Some(reason)) => Some(Reduced::Failed(reason)),
            (false, None) => Some(Reduced::Cancelled),
        })
    }
}

/// The finding about an outcome that is not right.
fn finding_of(outcome: &RunOutcome, class: Class) -> VoteResult {
    match (class, outcome) {
        (Class::Wrong, _) => VoteResult::WrongCode,
        (Class::Crash, RunOutcome::BuildCrash(_)) => VoteResult::BuildCrash,
        (Class::Crash, _) => VoteResult::RunCrash,
        (Class::Hang, RunOutcome::BuildTimeout) => VoteResult::BuildTimeout,
        (Class::Hang, _) => VoteResult::RunTimeout,
        (Class::Refused, _) => VoteResult::BuildFailure,
        (Class::NotRun, _) => VoteResult::RunFailure,
        (Class::Unstable, _) => VoteResult::Unstable,
        (Class::Right | Class::Unresolved, _) => VoteResult::Unknown,
    }
}
