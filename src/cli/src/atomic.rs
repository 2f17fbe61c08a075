//! Replacing a file so that at every instant the old or the new content is there, whole.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clreduce_interestingness::when_free;
use tempfile::NamedTempFile;

/// Ends of names of files that are not finished.
const PREFIX: &str = ".clreduce-";

/// Replaces `path` by a file with these bytes. Permissions and, where allowed, owner stay. `scratch` is a
/// folder for the unfinished file, best on the same file system; [`clean`] removes what a crash left.
///
/// # Errors
/// When the new file cannot be written whole (a full disk) or put in place; then `path` is as it was.
pub fn replace(path: &Path, bytes: &[u8], scratch: &Path) -> io::Result<()> {
    place(path, bytes, scratch, path, |file| {
        let mut file = Some(file);
        when_free(|| {
            let Some(unfinished) = file.take() else { return Ok(()) };
            unfinished.persist(path).map(drop).map_err(|failed| {
                file = Some(failed.file);
                failed.error
            })
        })
    })
}

/// Writes a file that must not be there yet, with the attributes of `like`.
///
/// # Errors
/// When it cannot be written whole. That it is there already is no error: it stays as it is.
pub fn create(path: &Path, bytes: &[u8], scratch: &Path, like: &Path) -> io::Result<()> {
    let result = place(path, bytes, scratch, like, |file| {
        file.persist_noclobber(path).map(drop).map_err(|error| error.error)
    });
    result.or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    })
}

/// Removes what a killed run left in its scratch folder.
pub fn clean(scratch: &Path) {
    for entry in fs::read_dir(scratch).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
}

fn place(
    path: &Path,
    bytes: &[u8],
    scratch: &Path,
    like: &Path,
    persist: impl Fn(NamedTempFile) -> io::Result<()>,
) -> io::Result<()> {
    match persist(written(bytes, scratch, like)?) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            persist(written(bytes, path.parent().unwrap_or(Path::new(".")), like)?)
        }
        result => result,
    }
}

fn written(bytes: &[u8], folder: &Path, like: &Path) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)?;
    file.write_all(bytes)?;
    copy_attributes(like, file.path());
    // Without it, some file systems keep the rename but not the bytes when the power fails.
    file.as_file().sync_all()?;
    Ok(file)
}

/// As far as the system lets us: a file with default attributes is better than no result.
fn copy_attributes(from: &Path, to: &Path) {
    let Ok(meta) = fs::metadata(from) else {
        default_attributes(to);
        return;
    };
    let _ = fs::set_permissions(to, meta.permissions());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let _ = std::os::unix::fs::chown(to, Some(meta.uid()), Some(meta.gid()));
    }
}

/// Temporary files are private; a new result is for everybody, as far as the umask allows. It can only
/// be read by setting it, so the usual one is assumed.
fn default_attributes(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let (path, scratch) = (dir.path().join("a.c"), dir.path().join("scratch"));
        fs::create_dir(&scratch).unwrap();
        fs::write(&path, "old").unwrap();
        replace(&path, b"new", &scratch).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn never_overwrites_an_original() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.c.orig");
        create(&path, b"first", dir.path(), &path).unwrap();
        create(&path, b"second", dir.path(), &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.c");
        fs::write(&path, "old").unwrap();
        replace(&path, b"new", &dir.path().join("missing")).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn what_a_crash_left_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let left = written(b"half", dir.path(), dir.path()).unwrap();
        left.keep().unwrap();
        fs::write(dir.path().join("journal"), "").unwrap();
        clean(dir.path());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.c");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"new", dir.path()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
