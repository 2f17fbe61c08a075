//! Programs on the `PATH`.

use std::path::PathBuf;

/// The program of that name, where it is installed.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|path| path.is_file())
}
