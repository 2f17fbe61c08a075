//! The files that a test consists of, and whether they are still what they were: a test that is edited while a
//! reduction runs would give verdicts that do not fit the earlier ones.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use clreduce_process::TestCommand;
use clreduce_testcase::ContentHash;

use crate::not_run::NotRun;

/// A file of a test, with its content when the test was made.
#[derive(Debug)]
struct TestFile {
    path: PathBuf,
    content: ContentHash,
    /// The file looked so when it had that content.
    stamp: Mutex<FileStamp>,
}

/// The attributes of a file that the system tells without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Number of the file, and the time of its last change of any kind; they change when it is replaced.
    identity: (u64, i64, i64),
}

/// The files of a test that can be told from those of another.
#[derive(Debug, Default)]
pub(crate) struct TestFiles(Vec<TestFile>);

/// The program, or the scripts that a line for the shell names by absolute paths, with the hash of their content.
/// Files that cannot be read are left out: the earlier run could not read them either.
#[must_use]
pub fn test_files(command: &TestCommand) -> Vec<(PathBuf, ContentHash)> {
    let paths: Vec<PathBuf> = match command {
        TestCommand::Program { path, .. } => vec![path.clone()],
        TestCommand::Shell(line) => {
            let words = clreduce_process::words(line).into_iter();
            words.map(PathBuf::from).filter(|path| is_script(path)).collect()
        }
    };
    let read = |path: PathBuf| Some((ContentHash::of(&fs::read(&path).ok()?), path));
    paths.into_iter().filter_map(read).map(|(content, path)| (path, content)).collect()
}

fn is_script(path: &Path) -> bool {
    path.is_absolute()
        // Scripts are smaller. Compilers that a line for the shell names are larger, and they are not the test.
        && fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= 1 << 20)
}

impl TestFiles {
    /// The files of a command as they are now.
    pub(crate) fn of(command: &TestCommand) -> Self {
        let file = |(path, content): (PathBuf, ContentHash)| {
            let stamp = Mutex::new(FileStamp::of(&fs::metadata(&path).ok()?));
            Some(TestFile { path, content, stamp })
        };
        Self(test_files(command).into_iter().filter_map(file).collect())
    }

    /// Runs a test between two looks at its files.
    ///
    /// # Errors
    /// When a file has changed, also if it was changed back.
    pub(crate) fn unchanged<T>(&self, run: impl FnOnce() -> T) -> Result<T, NotRun> {
        let before = self.stamps()?;
        let result = run();
        if before == self.stamps()? {
            return Ok(result);
        }
        // Changed and changed back: it is not known what has run.
        Err(NotRun::Failed("the test was edited while it ran".to_owned()))
    }

    /// The stamps of all files, each of which still has its content.
    fn stamps(&self) -> Result<Vec<FileStamp>, NotRun> {
        self.0.iter().map(TestFile::stamp).collect()
    }
}

impl TestFile {
    fn stamp(&self) -> Result<FileStamp, NotRun> {
        let lost = |_: io::Error| NotRun::TestLost(self.path.clone());
        let stamp = FileStamp::of(&fs::metadata(&self.path).map_err(lost)?);
        let mut known = self.stamp.lock().unwrap_or_else(PoisonError::into_inner);
        if *known != stamp {
            if ContentHash::of(&fs::read(&self.path).map_err(lost)?) != self.content {
                return Err(NotRun::TestChanged(self.path.clone()));
            }
            *known = stamp;
        }
        Ok(stamp)
    }
}

impl FileStamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let identity = (0, 0, 0);
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), identity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_content_is_another_test() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("test.sh");
        let commands = [
            TestCommand::Program { path: path.clone(), args: Vec::new() },
            TestCommand::Shell(format!("sh {} --strict", path.display())),
        ];
        for command in commands {
            fs::write(&path, "exit 0").unwrap();
            let files = TestFiles::of(&command);
            let before = test_files(&command);
            assert_eq!(files.unchanged(|| 1), Ok(1));
            // Written again, with the same content.
            fs::remove_file(&path).unwrap();
            fs::write(&path, "exit 0").unwrap();
            assert_eq!(files.unchanged(|| 2), Ok(2));
            fs::write(&path, "exit 1").unwrap();
            assert_eq!(files.unchanged(|| ()), Err(NotRun::TestChanged(path.clone())));
            assert_ne!(test_files(&command), before);
            fs::write(&path, "exit 0").unwrap();
            assert_eq!(test_files(&command), before);
            let edited = || {
                fs::write(&path, "exit 1, for a moment").unwrap();
                fs::write(&path, "exit 0").unwrap();
            };
            assert!(matches!(files.unchanged(edited), Err(NotRun::Failed(_))));
            fs::remove_file(&path).unwrap();
            assert_eq!(files.unchanged(|| ()), Err(NotRun::TestLost(path.clone())));
        }
    }
}
