//! The reductions of a campaign on the machines of a remote execution service.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use clreduce_campaign::{Elsewhere, NoTest, ReductionTest};
use clreduce_interestingness::{Cancel, Limits};
use clreduce_journal::Facts;
use clreduce_recipe::Recipe;
use clreduce_remote::{ActionFiles, Remote, RemoteError, RemoteSettings, RemoteTest};
use clreduce_testcase::TestCase;

use super::FuzzArgs;
use crate::failure::CliError;
use crate::judge::remote;
use crate::terminal::printing::warning_line;

/// Connects to the service, if the options name one.
///
/// # Errors
/// When it cannot be used.
pub(super) fn elsewhere(
    args: &FuzzArgs,
    jobs: NonZeroUsize,
    cancel: &Cancel,
) -> Result<Option<Elsewhere>, CliError> {
    let Some(service) = Remote::connect(&args.remote, jobs)? else { return Ok(None) };
    let settings = RemoteSettings {
        program: std::env::current_exe().map_err(CliError::OwnPath)?,
        // The stages of a recipe have limits of their own.
        limits: Limits::default(),
        is_exact: false,
        is_flaky: false,
        pattern: None,
        sandbox: remote::sandbox_of(&args.sandbox),
    };
    let there = Service {
        remote: service,
        files: args.remote.remote_file.clone(),
        settings,
        cancel: cancel.clone(),
        warned: Once::new(),
    };
    let make = move |recipe: &Recipe, path: &Path, case: &TestCase| there.test(recipe, path, case);
    Ok(Some(Elsewhere { make: Box::new(make), jobs }))
}

/// A service, and what every test on it has in common.
struct Service {
    remote: Arc<Remote>,
    files: Vec<PathBuf>,
    settings: RemoteSettings,
    cancel: Cancel,
    warned: Once,
}

impl Service {
    /// The test by a recipe, calibrated on the original.
    fn test(
        &self,
        recipe: &Recipe,
        path: &Path,
        original: &TestCase,
    ) -> Result<ReductionTest, NoTest> {
        let reason = |error: RemoteError| match error {
            _ if self.cancel.is_cancelled() => NoTest::Cancelled,
            RemoteError::NotShown(why) => NoTest::NotShown(why),
            RemoteError::Invalid(why) => NoTest::Invalid(why),
            error => NoTest::Unusable(error.to_string()),
        };
        let files = ActionFiles::of_recipe(recipe, path, &self.files).map_err(reason)?;
        let (remote, settings) = (Arc::clone(&self.remote), self.settings.clone());
        let test = RemoteTest::new(remote, files, settings, &self.cancel).map_err(reason)?;
        let test = test.ok_or(NoTest::Cancelled)?;
        let test = test.calibrate(original, &self.cancel).map_err(reason)?;
        let test = test.ok_or(NoTest::Cancelled)?;
        self.warned.call_once(|| test.warnings().iter().for_each(|text| warning_line(text)));
        let mut facts = Facts::new();
        remote::note_tools(&mut facts, &test);
        Ok(ReductionTest { test: Arc::new(test), facts })
    }
}
