//! The programs on the search path.

use std::path::{Path, PathBuf};

/// Returns the folders of the search path.
#[must_use]
pub fn search_path() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

/// Returns true if a program is installed: on the search path, or at its path.
#[must_use]
pub fn is_installed(program: &str) -> bool {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    if program.contains(['/', std::path::MAIN_SEPARATOR]) {
        return Path::new(program).is_file() || Path::new(&name).is_file();
    }
    search_path().iter().any(|folder| folder.join(&name).is_file())
}
