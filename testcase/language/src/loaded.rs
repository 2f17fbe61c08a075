//! A grammar from a file: a library as tree-sitter builds it, for a language that is not built in.
//!
//! The `unsafe` code loads a library and calls the one function that every such library has. That is as sound as the library: it
//! is the user's, named on the command line, and runs with the user's rights, as a test does. What a file can get wrong without
//! being run (it is no library, lacks the function, or was built for another version) is an error.

#![allow(unsafe_code)]

use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clreduce_testcase::Language;
use thiserror::Error;
use tree_sitter::{LANGUAGE_VERSION, MIN_COMPATIBLE_LANGUAGE_VERSION};

/// A grammar cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// The file is no library that can be loaded.
    #[error("the grammar `{}` cannot be loaded: {reason}", path.display())]
    Library {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The library has no grammar of this name.
    #[error("`{}` has no grammar `{name}`: there is no function {}", path.display(), symbol(name))]
    Missing {
        /// The file.
        path: PathBuf,
        /// The name of the grammar.
        name: String,
    },
    /// The grammar is of another version of tree-sitter.
    #[error(
        "the grammar `{}` has version {version} of tree-sitter's format, and clreduce reads {MIN_COMPATIBLE_LANGUAGE_VERSION} to \
         {LANGUAGE_VERSION}",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: usize,
    },
    /// Another grammar was loaded before.
    #[error("a grammar was loaded already, and there can be only one")]
    Second,
}

static LOADED: OnceLock<tree_sitter::Language> = OnceLock::new();

/// Loads the grammar `name` of a library, for as long as the process lives, and returns the language that it reads.
///
/// # Errors
/// When the library cannot be loaded, has no such grammar, or is of another version; and when it is not the first.
pub fn load_grammar(path: &Path, name: &str) -> Result<Language, GrammarError> {
    type Constructor = unsafe extern "C" fn() -> *const tree_sitter::ffi::TSLanguage;
    // SAFETY: loading runs the library's initialisers. The user named it to have it run.
    let library = unsafe { libloading::Library::new(path) }.map_err(|error| {
        let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        GrammarError::Library { path: path.to_owned(), reason }
    })?;
    // SAFETY: a function of this name takes nothing and returns a constant description, in every library that tree-sitter builds.
    let found = unsafe { library.get::<Constructor>(symbol(name).as_bytes()) };
    let missing = || GrammarError::Missing { path: path.to_owned(), name: name.to_owned() };
    let constructor = found.map_err(|_| missing())?;
    // SAFETY: as above. The library is never closed, so that the description stays where it is.
    let raw = unsafe { constructor() };
    if raw.is_null() {
        return Err(missing());
    }
    // SAFETY: the description is constant and not null.
    let grammar = unsafe { tree_sitter::Language::from_raw(raw) };
    std::mem::forget(library);
    let version = grammar.abi_version();
    if !(MIN_COMPATIBLE_LANGUAGE_VERSION..=LANGUAGE_VERSION).contains(&version) {
        return Err(GrammarError::Version { path: path.to_owned(), version });
    }
    LOADED.set(grammar).map_err(|_| GrammarError::Second)?;
    Language::loaded(name).ok_or(GrammarError::Second)
}

/// The grammar that was loaded.
pub(crate) fn loaded() -> Option<tree_sitter::Language> {
    LOADED.get().cloned()
}

fn symbol(name: &str) -> String {
    format!("tree_sitter_{name}")
}
