//! The user's test as the reduction sees it: the first run is watched closely, and variants that
//! `--also-interesting` asks for are put aside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use clreduce_interestingness::{Cancel, CommandTest, Interestingness, Outcome, Rehearsal, Verdict};
use clreduce_testcase::TestCase;

/// The test, and what is watched.
pub struct Judge {
    test: CommandTest,
    first: OnceLock<Rehearsal>,
    also: Option<AlsoInteresting>,
}

/// Which variants are put aside, and where.
pub struct AlsoInteresting {
    /// Exit status of the test.
    pub code: i32,
    /// Gets one folder per variant, named after its content.
    pub folder: PathBuf,
    /// For folders that are not finished, on the same file system.
    pub scratch: PathBuf,
}

impl Judge {
    /// Judges by `test`.
    pub fn new(test: CommandTest, also: Option<AlsoInteresting>) -> Self {
        Self { test, first: OnceLock::new(), also }
    }

    /// Judges something that is not part of the reduction.
    pub fn judge_aside(&self, case: &TestCase, cancel: &Cancel) -> Outcome {
        self.test.judge(case, cancel)
    }

    /// What the first run did, once it has ended.
    pub fn first(&self) -> Option<&Rehearsal> {
        self.first.get()
    }
}

impl Interestingness for Judge {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Outcome {
        // The original comes first, alone: the reduction asks nothing before it is known.
        if self.first.get().is_none() {
            let rehearsal = self.test.rehearse(variant, cancel);
            let mut outcome = rehearsal.outcome.clone();
            if !rehearsal.modified.is_empty() {
                outcome.verdict = Verdict::Unresolved;
            }
            if !cancel.is_cancelled() {
                let _ = self.first.set(rehearsal);
            }
            return outcome;
        }
        let outcome = self.test.judge(variant, cancel);
        if let Some(also) = self.also.as_ref().filter(|also| outcome.exit_code == Some(also.code))
            && !cancel.is_cancelled()
        {
            // A copy that cannot be made is no reason to stop; that none is there says so.
            let _ = also.put_aside(variant);
        }
        outcome
    }

    fn set_time_limit(&self, limit: Duration) {
        self.test.set_time_limit(limit);
    }
}

impl AlsoInteresting {
    /// Writes the variant to a folder of its own; there only whole.
    fn put_aside(&self, variant: &TestCase) -> io::Result<()> {
        let name = variant.hash().to_string();
        let folder = self.folder.join(&name[..16]);
        if folder.exists() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let unfinished = tempfile::Builder::new().prefix(".clreduce-").tempdir_in(&self.scratch)?;
        write(variant, unfinished.path())?;
        let unfinished = unfinished.keep();
        fs::rename(&unfinished, &folder).or_else(|error| {
            let _ = fs::remove_dir_all(&unfinished);
            // Another thread was faster.
            if folder.exists() { Ok(()) } else { Err(error) }
        })
    }
}

/// Writes a test case below a folder.
///
/// # Errors
/// When the system refuses.
pub fn write(case: &TestCase, folder: &Path) -> io::Result<()> {
    for file in case.files() {
        let path = folder.join(&*file.path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, &file.bytes)?;
    }
    Ok(())
}
