//! The user's test, wrapped: its first run is examined for mistakes, and variants that `--also-interesting` or
//! `--allow-slippage` asks for are copied to a folder.

pub(crate) mod pass_command;
pub(crate) mod recipe;
pub(crate) mod remote;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clreduce_interestingness::{
    Cancel, CommandTest, FirstRun, Interestingness, NotRun, Occasion, Outcome, TimeLimits,
};
use clreduce_recipe::{Depth, RecipeTest, StageCounts};
use clreduce_remote::RemoteTest;
use clreduce_testcase::{Clues, TestCase};

/// A test whose first run is watched.
pub(crate) enum Judge {
    /// A program or a shell command.
    Command(Box<ByCommand>),
    Recipe(Box<ByRecipe>),
    /// A command or a recipe that runs on other machines.
    Remote(Box<ByRemote>),
}

/// A program or a shell command as the test.
pub(crate) struct ByCommand {
    pub test: CommandTest,
    /// The observations of its first run.
    pub first: OnceLock<FirstRun>,
    /// The exit status for which a variant is copied, and the folder for the copies.
    pub also: Option<(i32, Aside)>,
}

/// A recipe as the test.
pub(crate) struct ByRecipe {
    pub test: RecipeTest,
    /// The folder for variants that show another bug.
    pub slipped: Option<Aside>,
}

/// A test on the machines of a remote execution service.
pub(crate) struct ByRemote {
    pub test: RemoteTest,
    /// The exit status for which a variant is copied, and the folder for the copies.
    pub also: Option<(i32, Aside)>,
}

/// A folder for copies of variants.
pub(crate) struct Aside {
    /// The folder in which each variant gets a folder, named after its content.
    pub folder: PathBuf,
    /// A folder on the same file system, for folders that are not finished.
    pub scratch: PathBuf,
}

impl Judge {
    /// The observations of the first run of a program, once it has ended.
    pub(crate) fn first(&self) -> Option<&FirstRun> {
        match self {
            Self::Command(by) => by.first.get(),
            Self::Recipe(_) => None,
            Self::Remote(by) => by.test.first_run(),
        }
    }

    /// The figures of the stages of a recipe.
    pub(crate) fn stages(&self) -> Vec<(String, StageCounts)> {
        match self {
            Self::Command(_) | Self::Remote(_) => Vec::new(),
            Self::Recipe(by) => by.test.counts(),
        }
    }

    /// The line by which a report tells the bug of a recipe from others.
    pub(crate) fn signature_line(&self) -> String {
        match self {
            Self::Recipe(by) => format!("signature: {}\n", by.test.signature()),
            Self::Command(_) | Self::Remote(_) => String::new(),
        }
    }
}

impl Interestingness for Judge {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.judge_on(variant, Occasion::Next, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let (outcome, also) = match self {
            Self::Command(by) => (by.test.judge_on(variant, occasion, cancel)?, &by.also),
            Self::Recipe(by) => return by.judge(variant, Depth::on(occasion), cancel),
            Self::Remote(by) => (by.test.judge_on(variant, occasion, cancel)?, &by.also),
        };
        if let Some((code, aside)) = also
            && outcome.exit_code == Some(*code)
        {
            aside.keep(variant, "", cancel);
        }
        Ok(outcome)
    }

    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        match self {
            Self::Command(by) => by.judge_original(original, cancel),
            Self::Recipe(by) => {
                let outcome = by.judge(original, Depth::Verdict, cancel)?;
                Ok((outcome, by.test.clues().clone()))
            }
            Self::Remote(by) => by.test.judge_original(original, cancel),
        }
    }

    fn set_time_limit(&self, limit: Duration) {
        match self {
            Self::Command(by) => by.test.set_time_limit(limit),
            // The stages of a recipe have limits of their own.
            Self::Recipe(_) => {}
            Self::Remote(by) => by.test.set_time_limit(limit),
        }
    }

    fn part_limits(&self) -> TimeLimits {
        match self {
            Self::Command(by) => by.test.part_limits(),
            Self::Recipe(by) => by.test.part_limits(),
            Self::Remote(by) => by.test.part_limits(),
        }
    }

    fn set_part_limits(&self, limits: &TimeLimits) {
        match self {
            Self::Command(by) => by.test.set_part_limits(limits),
            Self::Recipe(by) => by.test.set_part_limits(limits),
            Self::Remote(by) => by.test.set_part_limits(limits),
        }
    }
}

/// A test that counts how many of its runs are under way.
pub(crate) struct CountedTest {
    /// The test.
    pub judge: Arc<Judge>,
    /// The runs under way.
    pub running: Arc<AtomicUsize>,
}

impl CountedTest {
    fn count<T>(&self, run: impl FnOnce(&Judge) -> T) -> T {
        self.running.fetch_add(1, Ordering::Relaxed);
        let result = run(&self.judge);
        self.running.fetch_sub(1, Ordering::Relaxed);
        result
    }
}

impl Interestingness for CountedTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.judge_on(variant, Occasion::Next, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        self.count(|judge| judge.judge_on(variant, occasion, cancel))
    }

    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        self.count(|judge| judge.judge_original(original, cancel))
    }

    fn set_time_limit(&self, limit: Duration) {
        self.judge.set_time_limit(limit);
    }

    fn part_limits(&self) -> TimeLimits {
        self.judge.part_limits()
    }

    fn set_part_limits(&self, limits: &TimeLimits) {
        self.judge.set_part_limits(limits);
    }
}

impl ByCommand {
    /// Judges the original, and looks for mistakes of the test.
    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        let first = self.test.first_run(original, cancel)?;
        let (outcome, clues) = (first.outcome(), first.rehearsal.clues.clone());
        if !cancel.is_cancelled() {
            let _ = self.first.set(first);
        }
        Ok((outcome, clues))
    }
}

impl ByRecipe {
    fn judge(&self, variant: &TestCase, depth: Depth, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let judgement = self.test.look(variant, depth, cancel);
        if let (Some(aside), Some(what)) = (&self.slipped, judgement.slipped()) {
            aside.keep(variant, what, cancel);
        }
        judgement.verdict()
    }
}

impl Aside {
    /// Puts a variant aside, with a line about it. A copy that cannot be made does not stop the reduction: its absence
    /// tells of the failure.
    fn keep(&self, variant: &TestCase, about: &str, cancel: &Cancel) {
        if !cancel.is_cancelled() {
            let _ = self.put(variant, about);
        }
    }

    /// Writes the variant to a folder of its own, which it returns. The folder appears only when it is complete.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn put(&self, variant: &TestCase, about: &str) -> io::Result<PathBuf> {
        let name = variant.hash().to_string();
        let folder = self.folder.join(&name[..16]);
        if folder.exists() {
            return Ok(folder);
        }
        fs::create_dir_all(&self.folder)?;
        if !about.is_empty() {
            fs::write(folder.with_extension("txt"), format!("{about}\n"))?;
        }
        let unfinished = tempfile::Builder::new().prefix(".clreduce-").tempdir_in(&self.scratch)?;
        write(variant, unfinished.path())?;
        let unfinished = unfinished.keep();
        clreduce_files::rename(&unfinished, &folder).or_else(|error| {
            let _ = clreduce_files::remove_tree(&unfinished);
            // Another thread has put the same variant there.
            if folder.exists() { Ok(()) } else { Err(error) }
        })?;
        Ok(folder)
    }
}

/// Writes a test case below a folder.
///
/// # Errors
/// When the system refuses.
pub(crate) fn write(case: &TestCase, folder: &Path) -> io::Result<()> {
    for file in case.files() {
        let path = folder.join(&*file.path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, &file.bytes)?;
    }
    Ok(())
}
