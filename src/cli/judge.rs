//! The user's test as the reduction sees it: the first run of a program is watched closely, and variants
//! that `--also-interesting` or `--allow-slippage` asks for are put aside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use clreduce_interestingness::recipe::{RecipeTest, StageCounts};
use clreduce_interestingness::{Cancel, CommandTest, Interestingness, Outcome, Rehearsal, Verdict};
use clreduce_testcase::TestCase;

/// The test, and what is watched.
pub enum Judge {
    /// A program or a shell command.
    Command {
        /// The test.
        test: CommandTest,
        /// What its first run did.
        first: OnceLock<Rehearsal>,
        /// Which exit status is worth a copy of the variant.
        also: Option<(i32, Aside)>,
    },
    /// A recipe.
    Recipe {
        /// The test.
        test: RecipeTest,
        /// Where variants go that show another bug.
        slipped: Option<Aside>,
    },
}

/// Where variants are put aside.
pub struct Aside {
    /// Gets one folder per variant, named after its content.
    pub folder: PathBuf,
    /// For folders that are not finished, on the same file system.
    pub scratch: PathBuf,
}

impl Judge {
    /// Judges something that is not part of the reduction.
    pub fn judge_aside(&self, case: &TestCase, cancel: &Cancel) -> Outcome {
        match self {
            Self::Command { test, .. } => test.judge(case, cancel),
            Self::Recipe { test, .. } => test.judge(case, cancel),
        }
    }

    /// What the first run of a program did, once it has ended.
    pub fn first(&self) -> Option<&Rehearsal> {
        match self {
            Self::Command { first, .. } => first.get(),
            Self::Recipe { .. } => None,
        }
    }

    /// What the stages of a recipe have done.
    pub fn stages(&self) -> Vec<(String, StageCounts)> {
        match self {
            Self::Command { .. } => Vec::new(),
            Self::Recipe { test, .. } => test.counts(),
        }
    }
}

impl Interestingness for Judge {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Outcome {
        match self {
            // The original comes first, alone: the reduction asks nothing before it is known.
            Self::Command { test, first, .. } if first.get().is_none() => {
                rehearse(test, first, variant, cancel)
            }
            Self::Command { test, also, .. } => {
                let outcome = test.judge(variant, cancel);
                if let Some((code, aside)) = also
                    && outcome.exit_code == Some(*code)
                {
                    aside.keep(variant, "", cancel);
                }
                outcome
            }
            Self::Recipe { test, slipped } => {
                let judgement = test.look(variant, false, cancel);
                if let (Some(aside), Some(what)) = (slipped, judgement.slipped()) {
                    aside.keep(variant, what, cancel);
                }
                judgement.outcome
            }
        }
    }

    fn set_time_limit(&self, limit: Duration) {
        match self {
            Self::Command { test, .. } => test.set_time_limit(limit),
            // Its stages have limits of their own.
            Self::Recipe { .. } => {}
        }
    }
}

fn rehearse(
    test: &CommandTest,
    first: &OnceLock<Rehearsal>,
    original: &TestCase,
    cancel: &Cancel,
) -> Outcome {
    let rehearsal = test.rehearse(original, cancel);
    let mut outcome = rehearsal.outcome.clone();
    if !rehearsal.modified.is_empty() {
        outcome.verdict = Verdict::Unresolved;
    }
    if !cancel.is_cancelled() {
        let _ = first.set(rehearsal);
    }
    outcome
}

impl Aside {
    /// Puts a variant aside, with a line about it. That a copy cannot be made is no reason to stop; that none
    /// is there says so.
    fn keep(&self, variant: &TestCase, about: &str, cancel: &Cancel) {
        if !cancel.is_cancelled() {
            let _ = self.put(variant, about);
        }
    }

    /// Writes the variant to a folder of its own; there only whole.
    fn put(&self, variant: &TestCase, about: &str) -> io::Result<()> {
        let name = variant.hash().to_string();
        let folder = self.folder.join(&name[..16]);
        if folder.exists() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        if !about.is_empty() {
            fs::write(folder.with_extension("txt"), format!("{about}\n"))?;
        }
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
