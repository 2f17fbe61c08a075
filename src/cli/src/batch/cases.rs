//! Finding the cases of a batch: the files or the folders of DIR.

use std::fs;
use std::path::{Path, PathBuf};

use super::BatchLayout;
use crate::files::load::{LoadError, OWN_ENDINGS};

/// A case that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundCase {
    /// Its base name.
    pub name: String,
    pub path: PathBuf,
}

/// Finds the cases, ordered by name. Hidden files, what reducers leave and what is excluded are none.
///
/// # Errors
/// When there are none, or DIR cannot be read.
pub(super) fn find(
    dir: &Path,
    layout: Option<BatchLayout>,
    excluded: &[PathBuf],
) -> Result<Vec<FoundCase>, LoadError> {
    let read = |source| LoadError::Read { path: dir.to_owned(), source };
    let dir = dunce::canonicalize(dir).map_err(read)?;
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(&dir).map_err(read)? {
        let path = entry.map_err(read)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| LoadError::NotUtf8(path.clone()))?.to_owned();
        let is_own = OWN_ENDINGS.iter().any(|ending| name.ends_with(ending));
        if is_own || name.starts_with('.') || excluded.contains(&path) {
            continue;
        }
        let kind = if path.is_dir() { &mut folders } else { &mut files };
        kind.push(FoundCase { name, path });
    }
    let mut found = match layout {
        Some(BatchLayout::Files) => files,
        Some(BatchLayout::Folders) => folders,
        None if files.is_empty() => folders,
        None => files,
    };
    if found.is_empty() {
        return Err(LoadError::NoFiles(dir));
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_files_or_folders() {
        let dir = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(dir.path()).unwrap();
        let names = |layout, excluded: &[PathBuf]| -> Vec<String> {
            let found = find(dir.path(), layout, excluded).unwrap_or_default();
            found.into_iter().map(|found| found.name).collect()
        };
        assert!(matches!(find(dir.path(), None, &[]), Err(LoadError::NoFiles(_))));
        fs::create_dir(root.join("two")).unwrap();
        fs::create_dir(root.join("out")).unwrap();
        assert_eq!(names(None, &[root.join("out")]), ["two"]);
        for name in ["b.c", "a.c", "a.c.orig", ".hidden", "test.sh"] {
            fs::write(root.join(name), "x").unwrap();
        }
        assert_eq!(names(None, &[root.join("test.sh")]), ["a.c", "b.c"]);
        assert_eq!(names(Some(BatchLayout::Folders), &[]), ["out", "two"]);
    }
}
