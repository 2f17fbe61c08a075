//! What is wrong with a recipe, where, and what would be right.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a recipe cannot be used. Found before the reduction begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeError {
    path: PathBuf,
    line: Option<usize>,
    problem: Problem,
}

/// What is wrong, wherever the recipe lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Byte of the recipe's text.
    pub at: Option<usize>,
    pub what: String,
    pub help: String,
}

impl Problem {
    pub fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at: None, what: what.into(), help: help.into() }
    }

    pub fn interruption() -> Self {
        Self::new("interrupted", "")
    }

    pub fn at(self, byte: usize) -> Self {
        Self { at: Some(byte), ..self }
    }
}

impl RecipeError {
    /// Whether there is nothing wrong with it: somebody interrupted its calibration.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        self.problem == Problem::interruption()
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
