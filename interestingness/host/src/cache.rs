//! Compiled parts of the run-time, kept from one check to the next.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use clreduce_process::when_free;

/// Returns the folder for parts unless told otherwise: it lies in the user's folder for caches, or, where there is
/// none, in
/// one for this user alone among the temporary files.
#[must_use]
pub fn default_cache() -> PathBuf {
    let variable = |name: &str| env::var_os(name).filter(|value: &OsString| !value.is_empty());
    let folder = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| {
        Some(PathBuf::from(variable("LOCALAPPDATA").or_else(|| variable("HOME"))?).join(".cache"))
    });
    folder
        .unwrap_or_else(|| env::temp_dir().join(format!("clreduce-{}", std::process::id())))
        .join("clreduce")
}

/// The file for a part with this key; the same for every process that runs this version of clreduce.
pub(crate) fn place(cache: &Path, name: &str, key: &impl Hash) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    cache.join(format!("{name}-{:016x}", hasher.finish()))
}

/// Has a file made in a folder beside its place, and then puts it there, so that nobody ever sees half of it.
/// Somebody else may have done so meanwhile: then theirs is as good.
pub(crate) fn make<E: From<io::Error>>(
    place: &Path,
    make: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let folder = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = tempfile::Builder::new().prefix("making-").tempdir_in(folder)?;
    let finished = beside.path().join("part");
    make(&finished)?;
    Ok(when_free(|| fs::rename(&finished, place))?)
}
