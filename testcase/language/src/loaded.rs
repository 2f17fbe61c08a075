//! A grammar that is not built in: the program loads it from a library.

use std::sync::OnceLock;

use clreduce_testcase::Language;
use thiserror::Error;
use tree_sitter::{LANGUAGE_VERSION, MIN_COMPATIBLE_LANGUAGE_VERSION};

/// A grammar cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// The grammar is of another version of tree-sitter.
    #[error(
        "the grammar `{name}` has version {version} of tree-sitter's format, and clreduce reads {MIN_COMPATIBLE_LANGUAGE_VERSION} to \
         {LANGUAGE_VERSION}"
    )]
    Version {
        /// Its name.
        name: String,
        /// Its version.
        version: usize,
    },
    /// Another grammar was added before.
    #[error("a grammar was loaded already, and there can be only one")]
    Second,
}

static LOADED: OnceLock<tree_sitter::Language> = OnceLock::new();

/// Adds the grammar `name`, for as long as the process lives, and returns the language that it reads.
///
/// # Errors
/// When it is of another version, and when it is not the first.
pub fn add_grammar(name: &str, grammar: tree_sitter::Language) -> Result<Language, GrammarError> {
    let version = grammar.abi_version();
    if !(MIN_COMPATIBLE_LANGUAGE_VERSION..=LANGUAGE_VERSION).contains(&version) {
        return Err(GrammarError::Version { name: name.to_owned(), version });
    }
    LOADED.set(grammar).map_err(|_| GrammarError::Second)?;
    Language::loaded(name).ok_or(GrammarError::Second)
}

/// The grammar that was added.
pub(crate) fn loaded() -> Option<tree_sitter::Language> {
    LOADED.get().cloned()
}
