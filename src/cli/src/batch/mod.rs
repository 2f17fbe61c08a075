//! `clreduce batch` reduces every test case in a folder.

mod cases;
mod display;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ValueEnum, ValueHint};
use clreduce_batch::{Batch, BatchResult, Case, CaseOutcome, CaseRecord, OpenError};
use clreduce_engine::{Options, Reduction};
use clreduce_interestingness::{Cancel, CommandTest, TestCommand};
use clreduce_journal::Facts;
use clreduce_remote::{Remote, RemoteOptions};

use crate::failure::{CliError, UsageError};
use crate::files::load::{Input, load};
use crate::files::target::on_disk;
use crate::judge::recipe;
use crate::judge::remote;
use crate::settings::args::{ShowArgs, TestArgs};
use crate::settings::resolve::{TestAndOptions, verbosity};
use crate::settings::test::{Test, facts, on_files, test_named};
use crate::terminal::interrupt::{self, INTERRUPTED};
use crate::terminal::progress::Verbosity;
use crate::terminal::units::{show_bytes, show_count, show_duration};
use display::BatchDisplay;

/// The arguments of `clreduce batch`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct BatchArgs {
    /// Folder with the test cases; it is not changed
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,

    #[command(flatten)]
    pub test: TestArgs,

    /// Folder for the results and the report
    #[arg(long, short = 'o', value_name = "OUT", value_parser = on_disk(), value_hint = ValueHint::DirPath)]
    pub out: PathBuf,

    /// Treat each file or each folder of DIR as a test case [default: files, if DIR has any]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub layout: Option<BatchLayout>,

    /// Results of an earlier batch, or a folder of programs; cases equal to one of these come last
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub known: Option<PathBuf>,

    #[command(flatten)]
    pub options: Options,

    #[command(flatten)]
    pub remote: RemoteOptions,

    #[command(flatten)]
    pub show: ShowArgs,
}

/// The test cases of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BatchLayout {
    /// Each file of DIR
    Files,
    /// Each folder in DIR, with all its files
    Folders,
}

const AFTER_HELP: &str = "\
The test finds each case under its base name, so a test for many files uses `*.c`. Limits apply to each case. \
After an interruption, the same command continues, and leaves finished cases alone. A case that fails, is not \
interesting or gives inconsistent verdicts is recorded, and the batch continues with the others.

Exit status:
  0    every case was reduced, or recorded with the reason why not
  1    the batch failed
  2    the command line is wrong
  130  interrupted; the same command continues";

/// Reduces the cases and writes the report.
///
/// # Errors
/// When there are no cases, or OUT cannot be used.
pub(crate) fn batch(args: BatchArgs) -> Result<ExitCode, CliError> {
    args.show.color.apply();
    let verbosity = verbosity(&args.show);
    let command = match &args.test.test {
        Some(test) => test_named(test)?,
        None => return Err(UsageError::NoBatchTest(args.dir).into()),
    };
    let how = Arc::new(TestAndOptions::new(command, args.options, args.remote)?);
    let mut excluded = vec![crate::files::target::absolute(&args.out).unwrap_or(args.out.clone())];
    if let Test::Command(TestCommand::Program { path, .. }) | Test::Recipe(_, path) = &how.test {
        excluded.extend(crate::files::target::absolute(path));
    }
    let found = cases::find(&args.dir, args.layout, &excluded)?;
    let cancel = interrupt::on_interrupt()?;
    let service = remote::connect(&how)?;
    let mut facts = facts(&how.test);
    if let Some(service) = &service {
        remote::note(&mut facts, &remote::of_batch(service, &how, &cancel)?);
    }
    let batch =
        Batch::open(&args.out, &how.options, facts)?.jobs(how.jobs()).cancel(cancel.clone());
    let names = found.iter().map(|case| case.name.clone()).collect();
    let mut display = BatchDisplay::new(verbosity, args.show.plain, names);
    let cases =
        found.into_iter().map(|found| case(found, &how, &service, &excluded, &cancel)).collect();
    let done = batch.run(cases, |progress| display.update(progress))?;
    display.finish();
    let folders =
        report::BatchFolders { dir: &args.dir, out: &args.out, known: args.known.as_deref() };
    let first = report::write(&folders, &batch, &how, &done.records)?;
    if verbosity > Verbosity::Quiet {
        crate::terminal::printing::print(&(summary(&done) + &first)).map_err(CliError::Stdout)?;
        if cancel.is_cancelled() {
            crate::terminal::printing::print("Interrupted; to continue, run the same command.\n")
                .map_err(CliError::Stdout)?;
        }
    }
    Ok(if cancel.is_cancelled() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

fn case(
    found: cases::FoundCase,
    how: &Arc<TestAndOptions>,
    service: &Option<Arc<Remote>>,
    excluded: &[PathBuf],
    cancel: &Cancel,
) -> Case {
    let (how, excluded, cancel) = (Arc::clone(how), excluded.to_vec(), cancel.clone());
    let service = service.clone();
    let open = move || -> Result<Reduction<'static>, OpenError> {
        let path = [found.path];
        let inputs = Input::find_all(&path).map_err(|error| error.to_string())?;
        let loaded = load(&inputs, &excluded, false).map_err(|error| error.to_string())?;
        let original = loaded.case.in_language(how.options.lang);
        // Its own: each case has its own time limit.
        let reduction = match (&how.test, &service) {
            (test, Some(service)) => {
                let test = remote::of_case(service, &how, test, (&path, &original), &cancel);
                Reduction::of(original).test(test.map_err(|error| error.message())?)
            }
            (Test::Command(command), None) => {
                let command = on_files(command, &path).map_err(|error| error.to_string())?;
                let test = CommandTest::new(&command, how.command_options());
                Reduction::of(original).test(test.map_err(|error| error.to_string())?)
            }
            (Test::Recipe(recipe, _), None) => {
                let recipe = recipe.clone().options(recipe::options(&cancel));
                let test = recipe.calibrate(&original).map_err(|error| error.to_string())?;
                Reduction::of(original).test(test)
            }
        };
        Ok(how.apply_to(reduction))
    };
    Case { name: found.name, facts: Facts::new(), open: Box::new(open) }
}

fn summary(done: &BatchResult) -> String {
    let BatchResult { records, wall, busy } = done;
    let mut text = String::new();
    for outcome in [
        CaseOutcome::Minimal,
        CaseOutcome::Limit,
        CaseOutcome::NotInteresting,
        CaseOutcome::Flaky,
        CaseOutcome::Failed,
        CaseOutcome::Interrupted,
    ] {
        let count = records.iter().filter(|record| record.outcome == outcome).count();
        if count > 0 {
            text.push_str(&format!("{:>6} {}\n", show_count(count as u64), outcome.name()));
        }
    }
    let reduced = || records.iter().filter(|record| record.outcome.is_reduced());
    let sum = |of: fn(&CaseRecord) -> usize| show_bytes(reduced().map(of).sum());
    if reduced().next().is_some() {
        text.push_str(&format!("{} -> {}\n", sum(|r| r.before.bytes), sum(|r| r.after.bytes)));
    }
    let tests = records.iter().map(|record| record.tests).sum();
    text.push_str(&format!(
        "{} tests in total; this run took {}, cores {:.0} % busy\n",
        show_count(tests),
        show_duration(*wall),
        busy * 100.0
    ));
    text
}
