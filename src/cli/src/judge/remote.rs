//! Tests on the machines of a remote execution service.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clreduce_engine::{SandboxLevel, SandboxOptions};
use clreduce_interestingness::{Cancel, Outcome, Permissions, TestCommand};
use clreduce_journal::{Facts, StateFolder};
use clreduce_recipe::Recipe;
use clreduce_remote::{
    ActionFiles, OrderedSandboxLevel as RemoteLevel, Remote, RemoteError, RemoteSettings,
    RemoteTest, Sandbox,
};
use clreduce_testcase::TestCase;

use crate::failure::CliError;
use crate::settings::resolve::TestAndOptions;
use crate::settings::sandbox;
use crate::settings::test::{Test, on_files};
use crate::terminal::progress::ProgressDisplay;

/// Name of the fact in a journal that tells which tools the machines have.
const TOOLS: &str = "the tools of the remote machines";

/// Under this name, what was found out about the original stands in the journal.
const CALIBRATION: &str = "the calibration of the recipe on remote machines";

/// Connects to the service, if the options name one.
///
/// # Errors
/// When it cannot be used.
pub(crate) fn connect(how: &TestAndOptions) -> Result<Option<Arc<Remote>>, RemoteError> {
    Remote::connect(&how.remote, how.jobs())
}

/// A test by a command.
///
/// # Errors
/// When its files cannot be read, no machine answers, or it is interrupted.
pub(crate) fn by_command(
    remote: &Arc<Remote>,
    how: &TestAndOptions,
    command: &TestCommand,
    cancel: &Cancel,
) -> Result<RemoteTest, CliError> {
    let files = ActionFiles::of_command(command, &how.remote.remote_file)?;
    new(remote, how, files, cancel)
}

/// A test by a recipe, which is still to be calibrated.
///
/// # Errors
/// As [`by_command`].
pub(crate) fn by_recipe(
    remote: &Arc<Remote>,
    how: &TestAndOptions,
    recipe: (&Recipe, &Path),
    cancel: &Cancel,
) -> Result<RemoteTest, CliError> {
    let files = ActionFiles::of_recipe(recipe.0, recipe.1, &how.remote.remote_file)?;
    new(remote, how, files, cancel)
}

/// The test of a reduction. A recipe is calibrated, or the journal has its calibration.
///
/// # Errors
/// As [`by_command`]; or the original does not show the bug, or the journal cannot be read.
pub(crate) fn ready(
    remote: &Arc<Remote>,
    how: &TestAndOptions,
    original: &TestCase,
    folder: &StateFolder,
    cancel: &Cancel,
    progress: &ProgressDisplay,
) -> Result<RemoteTest, CliError> {
    let test = match &how.test {
        Test::Command(command) => by_command(remote, how, command, cancel)?,
        Test::Recipe(recipe, path) => {
            let test = by_recipe(remote, how, (recipe, path), cancel)?;
            let earlier = folder.unfinished_facts()?.and_then(|facts| {
                // A journal that was begun with another test is refused later, with a reason.
                serde_json::from_str(facts.get(CALIBRATION)?).ok()
            });
            match earlier {
                Some(calibration) => test.resume(original, calibration),
                None => {
                    progress.note("calibrating: running every stage of the recipe on the original");
                    test.calibrate(original, cancel)?.ok_or(CliError::Interrupted)?
                }
            }
        }
    };
    test.warnings().iter().for_each(|warning| progress.warning(warning));
    Ok(test)
}

/// A test of a whole batch, whose cases have names of their own.
///
/// # Errors
/// As [`by_command`].
pub(crate) fn of_batch(
    remote: &Arc<Remote>,
    how: &TestAndOptions,
    cancel: &Cancel,
) -> Result<RemoteTest, CliError> {
    match &how.test {
        Test::Command(command) => by_command(remote, how, command, cancel),
        Test::Recipe(recipe, path) => by_recipe(remote, how, (recipe, path), cancel),
    }
}

/// The test of a case of a batch. A recipe is calibrated.
///
/// # Errors
/// As [`ready`].
pub(crate) fn of_case(
    remote: &Arc<Remote>,
    how: &TestAndOptions,
    test: &Test,
    (inputs, original): (&[PathBuf], &TestCase),
    cancel: &Cancel,
) -> Result<RemoteTest, CliError> {
    match test {
        Test::Command(command) => by_command(remote, how, &on_files(command, inputs)?, cancel),
        Test::Recipe(recipe, path) => {
            let test = by_recipe(remote, how, (recipe, path), cancel)?;
            test.calibrate(original, cancel)?.ok_or(CliError::Interrupted)
        }
    }
}

/// Advice on a test that rejects the original on another machine.
pub(crate) fn advice(outcome: &Outcome) -> Option<String> {
    matches!(outcome.exit_code, Some(126 | 127)).then(|| {
        "a command in the test was not found or cannot be run on the machine of the service; upload a file that the test \
         needs by --remote-file, and choose machines with its tools by --remote-property"
            .to_owned()
    })
}

/// Adds what verdicts rest on.
pub(crate) fn note(facts: &mut Facts, test: &RemoteTest) {
    note_tools(facts, test);
    if let Some(calibration) = test.calibration() {
        // Strings, numbers and lists: this cannot fail.
        let text = serde_json::to_string(&calibration).unwrap_or_default();
        facts.insert(CALIBRATION.to_owned(), text);
    }
}

/// Adds what verdicts rest on, for a test that is calibrated anew each time.
pub(crate) fn note_tools(facts: &mut Facts, test: &RemoteTest) {
    facts.insert(TOOLS.to_owned(), test.fingerprint().digest());
    facts.insert(sandbox::FACT.to_owned(), test.sandbox().to_owned());
}

fn new(
    remote: &Arc<Remote>,
    how: &TestAndOptions,
    files: ActionFiles,
    cancel: &Cancel,
) -> Result<RemoteTest, CliError> {
    let settings = RemoteSettings {
        program: std::env::current_exe().map_err(CliError::OwnPath)?,
        limits: how.options.test_limits(),
        is_exact: how.options.timeout.is_some(),
        is_flaky: how.options.flaky.is_some(),
        pattern: how.options.output_pattern(),
        sandbox: sandbox_of(&how.options.sandbox),
    };
    let test = RemoteTest::new(Arc::clone(remote), files, settings, cancel)?;
    test.ok_or(CliError::Interrupted)
}

/// The sandbox on the other machines.
pub(crate) fn sandbox_of(options: &SandboxOptions) -> Sandbox {
    let level = match options.sandbox {
        SandboxLevel::Auto => RemoteLevel::Auto,
        SandboxLevel::Strict => RemoteLevel::Strict,
        SandboxLevel::Off => RemoteLevel::Off,
    };
    let permissions = Permissions {
        writable: options.writable.iter().map(Into::into).collect(),
        readable: options.readable.iter().map(Into::into).collect(),
        network: options.network,
        gpus: options.gpu,
        // Of this machine's variables, another one sees none.
        kept_variables: Vec::new(),
    };
    Sandbox { level, permissions }
}
