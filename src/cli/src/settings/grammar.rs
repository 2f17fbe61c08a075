//! The option `--grammar`: a library of tree-sitter, and which of its grammars is meant.
//!
//! The `unsafe` code loads the library and calls the one function that every such library has. That is as sound as the library: it
//! is the user's, named on the command line, and runs with the user's rights, as a test does. What a file can get wrong without
//! being run (it is no library, lacks the function, or was built for another version) is an error.

#![allow(unsafe_code)]

use std::convert::Infallible;
use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clreduce_language::add_grammar;
use clreduce_testcase::Language;
use libloading::Library;
use tree_sitter::ffi::TSLanguage;

use crate::failure::GrammarFileError;

/// A grammar in a library, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrammarFile {
    path: PathBuf,
    name: String,
}

impl GrammarFile {
    /// Loads the grammar for as long as the process lives, and returns the language that it reads.
    ///
    /// # Errors
    /// When there is no such grammar, or it cannot be used.
    pub(crate) fn load(&self) -> Result<Language, GrammarFileError> {
        type Constructor = unsafe extern "C" fn() -> *const TSLanguage;
        let Self { path, name } = self;
        let missing = || GrammarFileError::Missing { path: path.clone(), name: name.clone() };
        // A bare name would be looked for where the system keeps its libraries.
        let here = Path::new(".").join(path);
        // SAFETY: loading runs the library's initialisers. The user named it to have it run.
        let library = unsafe { Library::new(if path.is_absolute() { path } else { &here }) }
            .map_err(|error| {
                let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                GrammarFileError::Library { path: path.clone(), reason }
            })?;
        // SAFETY: a function of this name takes nothing and returns a constant description, in all libraries of tree-sitter.
        let found = unsafe { library.get::<Constructor>(format!("tree_sitter_{name}").as_bytes()) };
        let constructor = found.map_err(|_| missing())?;
        // SAFETY: as above. The library is never closed, so that the description stays where it is.
        let description = unsafe { constructor() };
        if description.is_null() {
            return Err(missing());
        }
        // SAFETY: the description is constant and not null.
        let grammar = unsafe { tree_sitter::Language::from_raw(description) };
        std::mem::forget(library);
        Ok(add_grammar(name, grammar)?)
    }
}

impl FromStr for GrammarFile {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        // The colon of a drive is no separator.
        let named = text.rsplit_once(':').filter(|(path, name)| path.len() > 1 && is_name(name));
        Ok(match named {
            Some((path, name)) => Self { path: path.into(), name: name.to_owned() },
            None => Self { path: text.into(), name: name_of(Path::new(text)) },
        })
    }
}

/// The name of the grammar in a library that is called after it.
fn name_of(library: &Path) -> String {
    let file = library.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.split('.').next().unwrap_or_default();
    let stem = stem.strip_prefix("lib").filter(|rest| rest.starts_with("tree")).unwrap_or(stem);
    let stem = ["tree-sitter-", "tree_sitter_"]
        .iter()
        .find_map(|prefix| stem.strip_prefix(prefix))
        .unwrap_or(stem);
    stem.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_tells_the_name_of_its_grammar() {
        for (text, path, name) in [
            ("lua.so", "lua.so", "lua"),
            ("a/libtree-sitter-c-sharp.so.1", "a/libtree-sitter-c-sharp.so.1", "c_sharp"),
            ("tree_sitter_d.dll", "tree_sitter_d.dll", "d"),
            ("a/all.so:lua", "a/all.so", "lua"),
            (r"C:\lua.dll", r"C:\lua.dll", r"C:\lua"),
        ] {
            let found: GrammarFile = text.parse().unwrap();
            assert_eq!(found.path, Path::new(path));
            // Only Windows takes a backslash apart.
            assert!(found.name == name || cfg!(windows), "{found:?}");
        }
    }
}
