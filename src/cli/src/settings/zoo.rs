//! The zoo of this run of the program: installations of compilers and run-times beside those of the system. It is chosen
//! once, from the command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clreduce_devices::{Installation, ZooError, read_zoo};

static CHOSEN: OnceLock<(PathBuf, Vec<Installation>)> = OnceLock::new();

/// Reads the zoo.
///
/// # Errors
/// When the folder cannot be read, or holds no installation.
pub(crate) fn choose(folder: &Path) -> Result<(), ZooError> {
    let source = |source| ZooError::Read { path: folder.to_owned(), source };
    let absolute = fs::canonicalize(folder).map_err(source)?;
    // The first choice stays.
    let _ = CHOSEN.set((absolute, read_zoo(folder)?));
    Ok(())
}

/// The folder; `None` without a zoo.
pub(crate) fn folder() -> Option<PathBuf> {
    CHOSEN.get().map(|(folder, _)| folder.clone())
}

/// All installations, by name and in order of version; none without a zoo.
pub(crate) fn installations() -> &'static [Installation] {
    CHOSEN.get().map(|(_, all)| &all[..]).unwrap_or_default()
}

/// The installation with a label, such as `pocl-3.0`.
pub(crate) fn installation(label: &str) -> Option<&'static Installation> {
    installations().iter().find(|one| one.label() == label)
}
