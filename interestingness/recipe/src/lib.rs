//! Recipes: what a test does, said rather than programmed. A recipe is a list of stages that reject what is
//! invalid, and an outcome that is pinned on the original. `docs/recipes.md` explains the format.
//!
//! ```no_run
//! use clreduce_recipe::Recipe;
//! # let case = clreduce_testcase::TestCase::single("a.c", b"int x;".as_slice())?;
//! let test = Recipe::load("crash.toml".as_ref())?.calibrate(&case)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod admission;
mod calibration;
mod configuration;
mod counts;
mod error;
mod format;
mod kit;
mod naming;
mod pin;
mod signature;
mod stages;
mod survey;
mod test;

use std::fs;
use std::path::{Path, PathBuf};

use clreduce_process::Cancel;
use clreduce_testcase::TestCase;
use error::Problem;
use format::Document;
use kit::Kit;

pub use calibration::Calibration;
pub use counts::StageCounts;
pub use error::RecipeError;
pub use format::Preset;
pub use pin::{Answer, Pin};
pub use stages::Tolerated;
pub use survey::{Accusation, Basis, Seen, Survey};
pub use test::{Judgement, RecipeTest, Step};

/// What a recipe needs to know of its surroundings.
#[derive(Clone, Debug)]
pub struct RecipeOptions {
    /// A program that calls [`worker_main`](clreduce_process::worker_main) first thing with the services of the
    /// compiler and of devices, such as `clreduce`. Devices cannot be used without it.
    pub worker: Option<PathBuf>,
    /// Where the directories of the tools go.
    pub temporary: PathBuf,
    /// Ends a calibration early.
    pub cancel: Cancel,
}

impl Default for RecipeOptions {
    fn default() -> Self {
        Self { worker: None, temporary: std::env::temp_dir(), cancel: Cancel::new() }
    }
}

/// A recipe that makes sense. Whether what it names is there shows when it is calibrated.
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
    /// When it cannot be read or makes no sense, with the line and what would be right.
    pub fn load(path: &Path) -> Result<Self, RecipeError> {
        let text = fs::read_to_string(path).map_err(|error| {
            RecipeError::new(path, "", Problem::new(format!("cannot be read: {error}"), ""))
        })?;
        Self::parse(path, text)
    }

    /// Reads the text of a recipe. What it refers to lies beside `path`, which need not exist.
    ///
    /// # Errors
    /// When it makes no sense, with the line and what would be right.
    pub fn parse(path: &Path, text: impl Into<String>) -> Result<Self, RecipeError> {
        let text = text.into();
        let document =
            Document::parse(&text).map_err(|problem| RecipeError::new(path, &text, problem))?;
        Ok(Self { path: path.to_owned(), text, document, options: RecipeOptions::default() })
    }

    /// Where it runs; by default without a worker program.
    #[must_use]
    pub fn options(self, options: RecipeOptions) -> Self {
        Self { options, ..self }
    }

    /// The recipe as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Finds the tools and devices, runs every stage on the original, and pins its outcome.
    ///
    /// # Errors
    /// When something is missing, a stage that must hold does not, or the original does not show the bug.
    pub fn calibrate(&self, original: &TestCase) -> Result<RecipeTest, RecipeError> {
        self.kit(original)
            .and_then(|kit| calibration::calibrate(kit, original, &self.options.cancel))
            .map_err(|problem| RecipeError::new(&self.path, &self.text, problem))
    }

    /// Takes over what an earlier run found out about the original.
    ///
    /// # Errors
    /// When something is missing.
    pub fn resume(
        &self,
        original: &TestCase,
        calibration: Calibration,
    ) -> Result<RecipeTest, RecipeError> {
        self.kit(original)
            .and_then(|kit| calibration::ready(kit, calibration, Vec::new()))
            .map_err(|problem| RecipeError::new(&self.path, &self.text, problem))
    }

    fn kit(&self, original: &TestCase) -> Result<Kit, Problem> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Kit::find(&self.document, folder, original, &self.options)
    }
}
