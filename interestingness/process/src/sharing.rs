//! Files that another process has open for a moment. On Windows neither they nor their folder can be removed, renamed
//! or replaced then, and virus scanners, indexers and processes that are just ending do that all the time.

use std::io;
use std::thread::sleep;
use std::time::Duration;

/// The pauses between attempts, in milliseconds; two seconds together.
const PAUSES: [u64; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Does something to a file or folder, on Windows again and again for two seconds while somebody else uses it.
///
/// # Errors
/// The outcome of the last attempt.
pub fn when_free<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for pause in PAUSES {
        match attempt() {
            Err(error) if is_in_use(&error) => sleep(Duration::from_millis(pause)),
            result => return result,
        }
    }
    attempt()
}

/// Access denied (a file that is about to go), sharing violation, lock violation, directory not empty.
fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 33 | 145))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_failures_are_told_at_once() {
        let mut attempts = 0;
        let result: io::Result<()> = when_free(|| {
            attempts += 1;
            Err(io::ErrorKind::NotFound.into())
        });
        assert_eq!((attempts, result.unwrap_err().kind()), (1, io::ErrorKind::NotFound));
    }

    #[cfg(windows)]
    #[test]
    fn a_file_in_use_is_removed_when_it_is_free() {
        use std::os::windows::fs::OpenOptionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.c");
        let user = std::fs::File::options().write(true).create(true).share_mode(0).open(&path);
        let mut user = Some(user.unwrap());
        let mut attempts = 0;
        let removed = when_free(|| {
            attempts += 1;
            let result = std::fs::remove_file(&path);
            if attempts == 3 {
                user = None;
            }
            result
        });
        removed.unwrap();
        assert_eq!(attempts, 4);
        assert!(!path.exists());
    }
}
