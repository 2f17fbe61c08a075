//! Mistakes in recipes, with their place and the remedy.

use std::fmt;
use std::path::{Path, PathBuf};

/// The reason that a recipe cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeError {
    path: PathBuf,
    line: Option<usize>,
    problem: Problem,
}

/// A mistake, without the path of the recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Byte of the recipe's text.
    pub at: Option<usize>,
    pub what: String,
    pub help: String,
    pub kind: ProblemKind,
}

/// The cause of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// The recipe, or a tool that it needs.
    Recipe,
    /// The original does not show the bug.
    NotShown,
    /// A check calls the original invalid.
    Invalid,
    /// Nothing: the calibration was interrupted.
    Interruption,
}

impl Problem {
    pub(crate) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at: None, what: what.into(), help: help.into(), kind: ProblemKind::Recipe }
    }

    pub(crate) fn interruption() -> Self {
        Self::new("interrupted", "").of(ProblemKind::Interruption)
    }

    pub(crate) fn at(self, byte: usize) -> Self {
        Self { at: Some(byte), ..self }
    }

    pub(crate) fn of(self, kind: ProblemKind) -> Self {
        Self { kind, ..self }
    }
}

impl RecipeError {
    /// Returns true if the recipe is fine, but its calibration was interrupted.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        self.problem.kind == ProblemKind::Interruption
    }

    /// Returns true if the recipe is fine, but one of its checks calls the original invalid.
    #[must_use]
    pub fn rejects_original(&self) -> bool {
        self.problem.kind == ProblemKind::Invalid
    }

    /// Returns true if the recipe is fine, but the original does not show the bug.
    #[must_use]
    pub fn is_not_shown(&self) -> bool {
        self.problem.kind == ProblemKind::NotShown
    }

    /// The mistake alone, without its place and the remedy.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.problem.what
    }

    pub(crate) fn new(path: &Path, text: &str, problem: Problem) -> Self {
        let before = |byte: usize| &text.as_bytes()[..byte.min(text.len())];
        let line = |byte| before(byte).iter().filter(|&&byte| byte == b'\n').count() + 1;
        Self { path: path.to_owned(), line: problem.at.map(line), problem }
    }
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.problem.what)?;
        if self.problem.help.is_empty() {
            return Ok(());
        }
        write!(f, "\nhelp: {}", self.problem.help)
    }
}

impl std::error::Error for RecipeError {}
