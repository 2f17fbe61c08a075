//! Files that are replaced so that at every instant the old or the new content is there, whole, also after a power cut.
//!
//! This crate is the only one of the engine and the program that renames anything. On Windows, a file that somebody
//! else has open for a moment (a virus scanner, an indexer) cannot be replaced, so that every rename and every
//! removal here is tried again for two seconds.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clreduce_process::when_free;
use tempfile::NamedTempFile;

/// Beginning of the names of files that are not finished.
const PREFIX: &str = ".clreduce-";

/// Replaces `path` by a file with these bytes. Permissions and, where allowed, owner stay. `scratch` is a
/// folder for the unfinished file, best on the same file system; [`clean`] removes what a crash left.
///
/// # Errors
/// When the new file cannot be written whole (a full disk) or put in place; then `path` is as it was.
pub fn replace(path: &Path, bytes: &[u8], scratch: &Path) -> io::Result<()> {
    replace_if(path, bytes, scratch, path, || true).map(drop)
}

/// Replaces `path` as [`replace`] does, by a file with the attributes of `like`, if `is_free` says so at the last moment.
/// Returns what it said.
///
/// # Errors
/// As [`replace`].
pub fn replace_if(
    path: &Path,
    bytes: &[u8],
    scratch: &Path,
    like: &Path,
    is_free: impl Fn() -> bool,
) -> io::Result<bool> {
    let persist = |file| if is_free() { persist(file, path).map(|()| true) } else { Ok(false) };
    place(scratch, path, like, |file| file.write_all(bytes), persist)
}

/// Replaces `path` by a file that `write` fills, and that is not held in memory. The unfinished file lies beside it.
///
/// # Errors
/// As [`replace`], or when `write` fails.
pub fn replace_with<E: From<io::Error>>(
    path: &Path,
    write: impl Fn(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let buffered = |file: &mut NamedTempFile| {
        let mut buffer = io::BufWriter::new(file);
        write(&mut buffer)?;
        Ok(buffer.flush()?)
    };
    place(beside(path), path, path, buffered, |file| persist(file, path))
}

/// Writes a file that must not be there yet, with the attributes of `like`.
///
/// # Errors
/// When it cannot be written whole, or something else is there. A file with the same bytes is no error.
pub fn create(path: &Path, bytes: &[u8], scratch: &Path, like: &Path) -> io::Result<()> {
    let is_file = || fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    let is_there = || is_file() && fs::read(path).is_ok_and(|there| there == bytes);
    let created = |file: NamedTempFile| {
        if let Err(failed) = file.persist_noclobber(path)
            && !is_there()
        {
            return Err(failed.error);
        }
        sync_folder(beside(path));
        Ok(())
    };
    place(scratch, path, like, |file| file.write_all(bytes), created)
}

/// Renames a file or a folder. The new name survives a power cut.
///
/// # Errors
/// When the system refuses.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    when_free(|| fs::rename(from, to))?;
    sync_folder(beside(to));
    Ok(())
}

/// Writes a new file, or replaces the content of one, so that it survives a power cut.
///
/// # Errors
/// When the system refuses.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    sync_folder(beside(path));
    Ok(())
}

/// Has the system write the names in a folder to the disk. Not every file system can do that; without it, a file that
/// was made or renamed just before a power cut may have its old name, or none.
pub fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

/// Removes a folder with everything in it. If it is not there, that is no error.
///
/// # Errors
/// When the system refuses.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    match when_free(|| fs::remove_dir_all(folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the unfinished files that a killed run left in its scratch folder.
pub fn clean(scratch: &Path) {
    for entry in fs::read_dir(scratch).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            // A folder that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
}

/// Puts an unfinished file in the place of `path`, again and again while somebody else has that open.
fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    let mut file = Some(file);
    when_free(|| {
        let Some(unfinished) = file.take() else { return Ok(()) };
        unfinished.persist(path).map(drop).map_err(|failed| {
            file = Some(failed.file);
            failed.error
        })
    })?;
    sync_folder(beside(path));
    Ok(())
}

/// Fills an unfinished file in `scratch`, or beside `path` if `scratch` turns out to be on another file system, and
/// puts it in its place.
fn place<T, E: From<io::Error>>(
    scratch: &Path,
    path: &Path,
    like: &Path,
    fill: impl Fn(&mut NamedTempFile) -> Result<(), E>,
    persist: impl Fn(NamedTempFile) -> io::Result<T>,
) -> Result<T, E> {
    match persist(unfinished(scratch, like, &fill)?) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            Ok(persist(unfinished(beside(path), like, &fill)?)?)
        }
        result => Ok(result?),
    }
}

fn beside(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

fn unfinished<E: From<io::Error>>(
    folder: &Path,
    like: &Path,
    fill: impl Fn(&mut NamedTempFile) -> Result<(), E>,
) -> Result<NamedTempFile, E> {
    let mut file = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)?;
    fill(&mut file)?;
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
    #[cfg(not(unix))]
    if !meta.permissions().readonly() {
        let _ = fs::set_permissions(to, meta.permissions());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        // Writable by its owner: it may be a copy of a file that is not.
        let _ = fs::set_permissions(to, fs::Permissions::from_mode(meta.mode() | 0o200));
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
        replace_with(&path, |file| file.write_all(b"newer")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn never_overwrites_an_original() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.c.orig");
        create(&path, b"first", dir.path(), &path).unwrap();
        create(&path, b"first", dir.path(), &path).unwrap();
        let error = create(&path, b"second", dir.path(), &path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.c");
        fs::write(&path, "old").unwrap();
        replace(&path, b"new", &dir.path().join("missing")).unwrap_err();
        let fails = |file: &mut dyn Write| -> io::Result<()> {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        let error = replace_with(&path, fails).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_crash_left_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let left = unfinished(dir.path(), dir.path(), |file| file.write_all(b"half")).unwrap();
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

    /// Somebody reads the file for a moment, as a virus scanner does; both ways to replace it wait.
    #[cfg(windows)]
    #[test]
    fn a_file_in_use_is_replaced_when_it_is_free() {
        use std::os::windows::fs::OpenOptionsExt;
        type Replace = fn(&Path) -> io::Result<()>;
        let ways: [Replace; 2] = [
            |path| replace(path, b"new", beside(path)),
            |path| replace_with(path, |file| file.write_all(b"new")),
        ];
        for way in ways {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("report.html");
            fs::write(&path, "old").unwrap();
            let user = fs::File::options().read(true).share_mode(0).open(&path).unwrap();
            let waits = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(100));
                drop(user);
            });
            way(&path).unwrap();
            waits.join().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
        }
    }
}
