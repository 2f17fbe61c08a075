//! The environment variables of an action that judges.
//!
//! They are set before anything else is done, while the process has one thread, which makes it sound: the functions that set
//! them are unsafe because other threads may read the environment at the same time.
#![expect(unsafe_code, reason = "environment variables are set by unsafe functions")]

use std::ffi::OsString;
use std::io;
use std::path::Path;

/// The folder for caches, in the folder of the action: nothing of it is met by a later one.
const CACHES: &str = ".cache";

/// Lets programs be found by their names in the folder of the test as well, and gives a home to tools that want one: services
/// set neither. Caches are in the folder of the action.
///
/// Call it before the process has other threads.
///
/// # Errors
/// When the folder has a name that no search path can contain.
pub(crate) fn set(test: &Path, root: &Path) -> io::Result<()> {
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&before);
    let folders = std::iter::once(test.to_owned()).chain(folders);
    let path = std::env::join_paths(folders).map_err(io::Error::other)?;
    let has_home = std::env::var_os("HOME").is_some_and(|home| !home.is_empty());
    let mut variables: Vec<(&str, OsString)> =
        vec![("PATH", path), ("XDG_CACHE_HOME", root.join(CACHES).into())];
    if !has_home {
        variables.push(("HOME", root.as_os_str().to_owned()));
    }
    for (name, value) in variables {
        // SAFETY: `judge_main` is the first thing that a process does, so that no other thread reads the environment.
        unsafe { std::env::set_var(name, value) };
    }
    Ok(())
}
