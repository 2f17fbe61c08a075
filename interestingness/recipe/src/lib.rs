//! Recipes: descriptions of interestingness tests. A recipe has stages that reject invalid variants, and configurations
//! whose outcome is pinned, that is, a variant must show the same outcome as the original. `docs/recipes.md` explains the
//! format. To add a key, add a field to a table in `format/`; to add a check, see clreduce-check.
//!
//! ```no_run
//! use clreduce_recipe::Recipe;
//! # let case = clreduce_testcase::TestCase::single("a.c", b"int x;".as_slice())?;
//! let test = Recipe::load("crash.toml".as_ref())?.calibrate(&case)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod admission;
mod calibrate;
mod calibrated;
mod calibration;
mod comparison;
mod compilation;
mod component;
mod configuration;
mod confirm;
mod counts;
mod error;
mod evidence;
mod expected;
mod flags;
mod format;
mod judgement;
mod limits;
mod machine;
mod naming;
mod pin;
mod plan;
mod resolved;
mod running;
mod shown;
mod stages;
mod suspect;
mod test;
mod toml_text;
mod trial;
mod unexecuted;

use std::fs;
use std::path::{Path, PathBuf};

use clreduce_devices::{Device, Installation};
use clreduce_process::{Cancel, Confinement, Progress};
use clreduce_testcase::TestCase;
use error::Problem;
use format::Document;
use resolved::ResolvedRecipe;

pub use calibration::Calibration;
pub use comparison::{
    ConfigurationResult, DeviceComparison, IsRight, SuspectedBug, SuspicionBasis,
};
pub use compilation::{
    AskedMessage, BugQuery, Compilation, CompilationError, CompileCommand, CompileCommandError,
    CompilerBug, CompilerBugError, NamedCommand, StageChoice, StageChoiceError,
};
pub use component::{CompilerStage, Component};
pub use configuration::{run_commands, show};
pub use counts::StageCounts;
pub use error::RecipeError;
pub use evidence::{BuiltWith, Evidence, Role};
pub use flags::{FlagChanges, compilers_called, flags_of_line, flags_of_list, line_with_flags};
pub use format::Preset;
pub use judgement::{Judgement, StageResult};
pub use naming::short as device_name;
pub use pin::{Pin, StageVerdict};
pub use plan::Depth;
pub use shown::{describe, warning_as_error};
pub use stages::Tolerated;
pub use suspect::{compiler_of, compilers_in, with_compiler};
pub use test::RecipeTest;

/// The surroundings of a recipe.
#[derive(Clone, Debug)]
pub struct RecipeOptions {
    /// A program, such as `clreduce`, that calls [`worker_main`](clreduce_process::worker_main) before anything else, with
    /// the services of the compiler and of devices. Devices cannot be used without it.
    pub worker: Option<PathBuf>,
    /// The devices that there are, if somebody has looked already. Each search starts every driver.
    pub devices: Option<Vec<Device>>,
    /// The installations whose labels are names of devices as well. One is started when it is named.
    pub zoo: Vec<Installation>,
    /// The folder for the directories in which tools run.
    pub temporary: PathBuf,
    /// The confinement of tools and devices.
    pub confinement: Confinement,
    /// The configurations and checks that run at the same time when the original is calibrated; at least one.
    pub jobs: usize,
    /// Ends a calibration early.
    pub cancel: Cancel,
    /// Is told which stage runs on which configuration.
    pub progress: Progress,
}

impl Default for RecipeOptions {
    fn default() -> Self {
        Self {
            worker: None,
            devices: None,
            zoo: Vec::new(),
            temporary: std::env::temp_dir(),
            confinement: Confinement::default(),
            jobs: 1,
            cancel: Cancel::new(),
            progress: Progress::default(),
        }
    }
}

/// A recipe without mistakes in its text. Its tools and devices are found when it is calibrated.
#[derive(Clone, Debug)]
pub struct Recipe {
    path: PathBuf,
    text: String,
    document: Document,
    options: RecipeOptions,
}

impl Recipe {
    /// Reads a recipe.
    ///
    /// # Errors
    /// When the file cannot be read or has a mistake; with the line and the remedy.
    pub fn load(path: &Path) -> Result<Self, RecipeError> {
        let text = fs::read_to_string(path).map_err(|error| {
            RecipeError::new(path, "", Problem::new(format!("cannot be read: {error}"), ""))
        })?;
        Self::parse(path, text)
    }

    /// Reads the text of a recipe. What it refers to lies beside `path`, which need not exist.
    ///
    /// # Errors
    /// When the text has a mistake; with the line and the remedy.
    pub fn parse(path: &Path, text: impl Into<String>) -> Result<Self, RecipeError> {
        let text = text.into();
        let document =
            Document::parse(&text).map_err(|problem| RecipeError::new(path, &text, problem))?;
        Ok(Self { path: path.to_owned(), text, document, options: RecipeOptions::default() })
    }

    /// Sets the surroundings; by default there is no worker program.
    #[must_use]
    pub fn options(self, options: RecipeOptions) -> Self {
        Self { options, ..self }
    }

    /// The recipe as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files beside the recipe that it reads, with their names in the recipe.
    #[must_use]
    pub fn files(&self) -> Vec<(String, PathBuf)> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let arguments = self.document.arguments.iter().map(|path| path.get_ref());
        arguments.map(|path| (path.to_string_lossy().into_owned(), folder.join(path))).collect()
    }

    /// Finds the tools and devices, runs every stage on the original, and pins its outcome.
    ///
    /// # Errors
    /// When a tool or device is missing, the original fails a required stage, or it does not show the bug.
    pub fn calibrate(&self, original: &TestCase) -> Result<RecipeTest, RecipeError> {
        self.kit(original)
            .and_then(|kit| calibrate::calibrate(kit, original, &self.options))
            .map_err(|problem| RecipeError::new(&self.path, &self.text, problem))
    }

    /// Makes the test from the results of an earlier calibration.
    ///
    /// # Errors
    /// When a tool or device is missing.
    pub fn resume(
        &self,
        original: &TestCase,
        calibration: Calibration,
    ) -> Result<RecipeTest, RecipeError> {
        self.kit(original)
            .and_then(|kit| calibrate::ready(kit, calibration, Vec::new()))
            .map_err(|problem| RecipeError::new(&self.path, &self.text, problem))
    }

    fn kit(&self, original: &TestCase) -> Result<ResolvedRecipe, Problem> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        ResolvedRecipe::find(&self.document, folder, original, &self.options)
    }
}
