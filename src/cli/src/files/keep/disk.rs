//! Single files and folders that are written, read and removed.

use std::fs;
use std::io;
use std::path::Path;

use clreduce_interestingness::when_free;
use clreduce_testcase::{SourceFile, TestCase};

use super::KeepError;
use crate::files::load::FilePlace;

/// Makes the folders of a copy, `base` and below, with the permissions of the folders that hold the file `like`.
pub(super) fn make_folders(copy: &Path, base: &Path, like: &Path) -> io::Result<()> {
    let pairs = copy.ancestors().zip(like.ancestors()).skip(1);
    let missing: Vec<_> =
        pairs.take_while(|(folder, _)| folder.starts_with(base) && !folder.exists()).collect();
    for (folder, like) in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        if let Ok(meta) = fs::metadata(like) {
            fs::set_permissions(folder, meta.permissions())?;
        }
    }
    Ok(())
}

/// Replaces a file that has the bytes `old`; `None` stands for no file. Between the last look at it and the rename is no time
/// in which a person could save it.
pub(super) fn put(
    place: &FilePlace,
    old: Option<&[u8]>,
    new: Option<&[u8]>,
    scratch: &Path,
    like: &Path,
) -> Result<(), KeepError> {
    let is_free = || read(&place.disk).is_ok_and(|now| now.as_deref() == old);
    let is_done = match new {
        Some(bytes) => {
            let failed = failed("write", &place.disk);
            if let Some(folder) = place.disk.parent() {
                fs::create_dir_all(folder).map_err(&failed)?;
            }
            clreduce_files::replace_if(&place.disk, bytes, scratch, like, is_free)
                .map_err(failed)?
        }
        None => is_free() && remove(place).map(|()| true)?,
    };
    if is_done { Ok(()) } else { Err(KeepError::ChangedMeanwhile(place.disk.clone())) }
}

fn remove(place: &FilePlace) -> Result<(), KeepError> {
    match when_free(|| fs::remove_file(&place.disk)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed("remove", &place.disk)(error));
        }
        _ => {}
    }
    // Folders that became empty go as well; the first that is not empty refuses, and that is the end.
    let parents = place.disk.ancestors().skip(1).take_while(|parent| *parent != place.root);
    for parent in parents {
        if fs::remove_dir(parent).is_err() {
            break;
        }
    }
    Ok(())
}

pub(super) fn write_tree(folder: &Path, case: &TestCase) -> Result<(), KeepError> {
    remove_tree(folder)?;
    fs::create_dir_all(folder).map_err(failed("write", folder))?;
    for SourceFile { path, bytes } in case.files() {
        let path = folder.join(&**path);
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            let mut file = fs::File::create(&path)?;
            io::Write::write_all(&mut file, bytes)?;
            file.sync_all()
        };
        write().map_err(failed("write", &path))?;
    }
    Ok(())
}

pub(super) fn remove_tree(folder: &Path) -> Result<(), KeepError> {
    clreduce_files::remove_tree(folder).map_err(failed("remove", folder))
}

/// Removes the copy of a FILE or a DIR.
pub(super) fn remove_copy(path: &Path) -> Result<(), KeepError> {
    if path.is_dir() {
        return remove_tree(path);
    }
    when_free(|| fs::remove_file(path)).map_err(failed("remove", path))
}

/// The bytes of a file; `None` where there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, KeepError> {
    match when_free(|| fs::read(path)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
    }
}

pub(super) fn bytes_of<'a>(case: &'a TestCase, path: &str) -> Option<&'a [u8]> {
    let index = case.files().binary_search_by(|file| (*file.path).cmp(path)).ok()?;
    Some(&case.files()[index].bytes)
}

pub(super) fn failed(action: &'static str, path: &Path) -> impl Fn(io::Error) -> KeepError {
    let path = path.to_owned();
    move |source| KeepError::Io { action, path: path.clone(), source }
}
