//! Replacing a file so that at every instant the old or the new content is there, whole.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Replaces `path` by a file with these bytes. Permissions and, where allowed, owner stay. `scratch` is a
/// folder for the unfinished file, best on the same file system; what a crash leaves there is nobody's
/// business but the owner's of that folder.
///
/// # Errors
/// When the new file cannot be written whole (a full disk) or put in place; then `path` is as it was.
pub fn replace(path: &Path, bytes: &[u8], scratch: &Path) -> io::Result<()> {
    let file = written(bytes, scratch)?;
    copy_attributes(path, file.path());
    match file.persist(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::CrossesDevices => {
            let folder = path.parent().unwrap_or(Path::new("."));
            let file = written(bytes, folder)?;
            copy_attributes(path, file.path());
            file.persist(path).map(drop).map_err(|error| error.error)
        }
        Err(error) => Err(error.error),
    }
}

/// Writes a file that must not be there yet.
///
/// # Errors
/// When it cannot be written whole. That it is there already is no error: it stays as it is, and the
/// answer is `false`.
pub fn create(path: &Path, bytes: &[u8], like: &Path) -> io::Result<bool> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let file = written(bytes, folder)?;
    copy_attributes(like, file.path());
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

fn written(bytes: &[u8], folder: &Path) -> io::Result<NamedTempFile> {
    let mut file =
        tempfile::Builder::new().prefix(".clreduce-").suffix(".tmp").tempfile_in(folder)?;
    file.write_all(bytes)?;
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
        assert!(create(&path, b"first", &path).unwrap());
        assert!(!create(&path, b"second", &path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"first");
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
