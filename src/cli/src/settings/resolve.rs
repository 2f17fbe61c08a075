//! Makes the settings of a reduction from its options, and checks everything that can be checked without running a test.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clreduce_compiler::LibclangFilter;
use clreduce_devices::WorkerOptions;
use clreduce_engine::{Options, Reduction};
use clreduce_interestingness::{CommandOptions, TestCommand};
use clreduce_remote::RemoteOptions;
use clreduce_testcase::Language;

use crate::failure::UsageError;
use crate::files::report_file::ReportFile;
use crate::files::target::is_stdout;
use crate::settings::args::{ReduceArgs, ShowArgs};
use crate::settings::flags::{self, FlagSource};
use crate::settings::sandbox;
use crate::settings::test::{Test, command_named, on_files, test_among, test_for};
use crate::terminal::progress::Verbosity;

/// The settings that a reduction starts with.
#[derive(Debug)]
pub(crate) struct ReduceSettings {
    /// The files and folders to reduce, as the user named them.
    pub inputs: Vec<PathBuf>,
    /// The test and the options.
    pub how: TestAndOptions,
    /// Keep a copy of variants for which the test exits with this status.
    pub also_interesting: Option<i32>,
    /// Keep valid variants that show another bug.
    pub allow_slippage: bool,
    /// Reduce these flags of the compiler as well.
    pub reduce_flags: Option<FlagSource>,
    /// Keep the directories of the tests.
    pub save_temps: bool,
    /// Path of the result, if not in place.
    pub output: Option<PathBuf>,
    /// Discard an interrupted run.
    pub fresh: bool,
    /// A program of the user that proposes variants beside the passes.
    pub pass_command: Option<TestCommand>,
    /// The command that ranks interesting variants.
    pub prefer: Option<TestCommand>,
    /// Keep the state of a finished run.
    pub keep_state: bool,
    /// The file for the events, if they are asked for.
    pub events: Option<ReportFile>,
    /// The file for the summary, if it is asked for.
    pub summary: Option<ReportFile>,
    /// The file for the page about the reduction, if it is asked for.
    pub report: Option<ReportFile>,
    /// The amount of output.
    pub verbosity: Verbosity,
    /// Print lines, and draw nothing on the terminal.
    pub plain: bool,
}

/// The test and the options: the part of the settings that `clreduce batch` has as well.
#[derive(Debug)]
pub(crate) struct TestAndOptions {
    /// The command or recipe that judges variants.
    pub test: Test,
    /// The options, with the number of jobs filled in.
    pub options: Options,
    /// The service that runs the tests, if they do not run on this machine.
    pub remote: RemoteOptions,
}

impl ReduceSettings {
    /// The reports that are written.
    pub(crate) fn reports(&self) -> impl Iterator<Item = &ReportFile> {
        self.events.iter().chain(&self.summary).chain(&self.report)
    }
}

impl TestAndOptions {
    /// Checks the options against each other and fills in the number of jobs.
    ///
    /// # Errors
    /// When no pass is left.
    pub(crate) fn new(
        test: Test,
        options: Options,
        remote: RemoteOptions,
    ) -> Result<Self, UsageError> {
        if options.pass_choice().rows().is_empty() {
            return Err(UsageError::NoPasses);
        }
        let options = Options { jobs: Some(options.jobs.unwrap_or_else(default_jobs)), ..options };
        Ok(Self { test, options, remote })
    }

    /// The most tests that run at a time.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        self.options.jobs.unwrap_or(NonZeroUsize::MIN)
    }

    /// A reduction with these options and, where they want one, with a compile filter.
    pub(crate) fn apply_to<'a>(&self, reduction: Reduction<'a>) -> Reduction<'a> {
        let reduction = reduction.options(self.options.clone());
        match self.compile_filter(reduction.language_of_passes()) {
            Some(filter) => reduction.compile_filter(filter),
            None => reduction,
        }
    }

    /// The compile filter, if one is wanted. A recipe has none, because its first stage does the same.
    fn compile_filter(&self, language: Language) -> Option<LibclangFilter> {
        let is_command = matches!(self.test, Test::Command(_));
        let wanted = is_command && self.options.wants_compile_filter(language);
        let worker = std::env::current_exe().ok().filter(|_| wanted)?;
        let confinement = sandbox::confinement();
        let worker = WorkerOptions { confinement, ..WorkerOptions::new(worker) };
        LibclangFilter::new(language, worker)
    }

    /// The options with which a test command runs.
    pub(crate) fn command_options(&self) -> CommandOptions {
        CommandOptions {
            limits: self.options.test_limits(),
            pattern: self.options.output_pattern(),
            prints_number: self.options.measure.is_some(),
            // Without a worker, tests run, but they survive if this process is killed.
            worker: std::env::current_exe().ok(),
            confinement: sandbox::confinement().with_readable(self.test.files()),
            ..CommandOptions::default()
        }
    }
}

/// Checks the options against each other, and fills in defaults.
///
/// # Errors
/// When options contradict each other or one is missing, with what to write instead.
pub(crate) fn resolve(mut args: ReduceArgs) -> Result<ReduceSettings, UsageError> {
    let test = match args.test.test.take() {
        Some(test) => test_for(&test, &args.inputs)?,
        None => Test::Command(test_among(&mut args.inputs)?),
    };
    if args.inputs.is_empty() {
        return Err(UsageError::NoInput);
    }
    if let Some(grammar) = &args.grammar {
        args.options.lang = Some(grammar.load()?);
    }
    let test = match test {
        Test::Command(command) => Test::Command(on_files(&command, &args.inputs)?),
        recipe => recipe,
    };
    let command = |line: &Option<String>| {
        let line = line.as_ref();
        line.map(|line| on_files(&command_named(line)?, &args.inputs)).transpose()
    };
    let (pass_command, prefer) = (command(&args.pass_command)?, command(&args.prefer)?);
    check_reports(&args)?;
    check_recipe(&args, &test)?;
    check_remote(&args)?;
    let runs =
        [(args.options.flaky.is_some(), "--flaky"), (args.options.measure.is_some(), "--measure")];
    if let Some((_, option)) =
        runs.into_iter().find(|(given, _)| *given && args.reduce_flags.is_some())
    {
        return Err(UsageError::FlagsFlaky(option));
    }
    let (reduce_flags, test) = match &args.reduce_flags {
        Some(given) => {
            let (source, test) = flags::resolve(given.trim(), test)?;
            (Some(source), test)
        }
        None => (None, test),
    };
    Ok(ReduceSettings {
        inputs: args.inputs,
        how: TestAndOptions::new(test, args.options, args.remote)?,
        also_interesting: args.also_interesting,
        allow_slippage: args.allow_slippage,
        reduce_flags,
        save_temps: args.save_temps,
        output: args.output,
        fresh: args.fresh,
        pass_command,
        prefer,
        keep_state: args.keep_state,
        events: args.events,
        summary: args.summary,
        report: args.report,
        verbosity: verbosity(&args.show),
        plain: args.show.plain,
    })
}

/// The amount of output.
pub(crate) fn verbosity(show: &ShowArgs) -> Verbosity {
    match (show.quiet, show.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, 0) => Verbosity::Normal,
        (false, 1) => Verbosity::Commits,
        (false, _) => Verbosity::Steps,
    }
}

/// Refuses two outputs in one file, and the result with a report on standard output.
fn check_reports(args: &ReduceArgs) -> Result<(), UsageError> {
    let reports: Vec<&ReportFile> =
        [&args.events, &args.summary, &args.report].into_iter().flatten().collect();
    let mut paths: Vec<&Path> = reports.iter().filter_map(|report| report.path()).collect();
    let count = paths.len();
    paths.sort_unstable();
    paths.dedup();
    let to_stdout = args.output.as_deref().is_some_and(is_stdout);
    if paths.len() < count || (to_stdout && reports.contains(&&ReportFile::Stdout)) {
        return Err(UsageError::OneReport);
    }
    Ok(())
}

/// Refuses options for which a recipe has fields of its own.
fn check_recipe(args: &ReduceArgs, test: &Test) -> Result<(), UsageError> {
    if matches!(test, Test::Command(_)) {
        return if args.allow_slippage { Err(UsageError::NeedsRecipe) } else { Ok(()) };
    }
    let limits = "write `timeout` or `memory` in a [[stage]] or [[configuration]]";
    let outcome = "write `message` in [outcome]";
    let options = [
        (args.options.timeout.is_some(), "--timeout", limits),
        (args.options.memory_limit.is_some(), "--memory-limit", limits),
        (args.options.interesting_stdout.is_some(), "--interesting-stdout", outcome),
        (args.options.interesting_stderr.is_some(), "--interesting-stderr", outcome),
        (args.also_interesting.is_some(), "--also-interesting", "give --allow-slippage instead"),
        (args.options.flaky.is_some(), "--flaky", "let a command test the program"),
        (args.options.measure.is_some(), "--measure", "let a command test the program"),
        (args.save_temps, "--save-temps", "`clreduce explain` shows what happens to a variant"),
    ];
    match options.into_iter().find(|(given, ..)| *given) {
        Some((_, option, help)) => Err(UsageError::NotForRecipes(option, help)),
        None => Ok(()),
    }
}

/// Refuses options about folders of tests, which are on other machines.
fn check_remote(args: &ReduceArgs) -> Result<(), UsageError> {
    let options = [(args.save_temps, "--save-temps"), (args.allow_slippage, "--allow-slippage")];
    if args.options.measure.is_some() && args.remote.remote.is_some() {
        return Err(UsageError::MeasureRemote);
    }
    if args.reduce_flags.is_some() && args.remote.remote.is_some() {
        return Err(UsageError::FlagsRemote);
    }
    let given = options.into_iter().find(|(given, _)| *given && args.remote.remote.is_some());
    given.map_or(Ok(()), |(_, option)| Err(UsageError::NotRemote(option)))
}

/// The number of physical cores that this process may use. Two tests on one core take longer than one after the
/// other, because they share a cache.
pub(crate) fn default_jobs() -> NonZeroUsize {
    let allowed = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let physical = NonZeroUsize::new(num_cpus::get_physical());
    physical.map_or(allowed, |physical| physical.min(allowed))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::Args;

    fn settings(words: &[&str]) -> Result<ReduceSettings, UsageError> {
        let words = ["clreduce"].iter().chain(words);
        resolve(Args::try_parse_from(words).unwrap().reduce)
    }

    #[test]
    fn both_orders_mean_the_same() {
        // A program that is there.
        let test = std::env::current_exe().unwrap().display().to_string();
        let new = settings(&["a.c", "--test", &test]).unwrap();
        let old = settings(&[&test, "a.c"]).unwrap();
        assert_eq!(new.inputs, old.inputs);
        let (Test::Command(new), Test::Command(old)) = (new.how.test, old.how.test) else {
            panic!()
        };
        assert_eq!(new, old);
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(matches!(settings(&[]), Err(UsageError::NoInput)));
        assert!(matches!(settings(&["a.c"]), Err(UsageError::NoTest(_))));
        assert!(matches!(settings(&["a.c", "b.c"]), Err(UsageError::NoTest(_))));
        assert!(matches!(settings(&["/bin/true"]), Err(UsageError::NoTest(_))));
        assert!(matches!(settings(&["--test", "true"]), Err(UsageError::NoInput)));
        assert!(matches!(settings(&["a.c", "-t", "x.toml"]), Err(UsageError::Recipe(_))));
        let needs = settings(&["a.c", "-t", "true", "--allow-slippage"]);
        assert!(matches!(needs, Err(UsageError::NeedsRecipe)));
    }
}
