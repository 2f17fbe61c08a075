//! What the options mean together: from [`ReduceArgs`] to [`Settings`], with everything checked that
//! can be checked without running a test.

use std::ffi::OsStr;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clreduce_compiler::LibclangFilter;
use clreduce_devices::WorkerOptions;
use clreduce_engine::{PassChoice, Reduction};
use clreduce_interestingness::{CommandError, CommandOptions, Limits, OutputPattern, TestCommand};
use clreduce_recipe::{Recipe, RecipeError};
use clreduce_testcase::Language;
use regex::bytes::Regex;
use thiserror::Error;

use crate::args::{LimitArgs, PassArgs, ReduceArgs, ShowArgs, TestArgs};
use crate::progress::Verbosity;

/// Everything a reduction is started with.
#[derive(Debug)]
pub struct Settings {
    /// What to reduce, as named.
    pub inputs: Vec<PathBuf>,
    /// By what test, within what limits.
    pub how: How,
    /// Exit status of variants to keep a copy of.
    pub also_interesting: Option<i32>,
    /// Whether valid variants that show another bug are kept.
    pub allow_slippage: bool,
    /// Whether the tests' directories stay.
    pub save_temps: bool,
    /// Where the result goes, if not in place.
    pub output: Option<PathBuf>,
    /// Whether an interrupted run is forgotten.
    pub fresh: bool,
    /// File for the events.
    pub events: Option<PathBuf>,
    /// File for the summary.
    pub summary: Option<PathBuf>,
    /// How much is shown.
    pub verbosity: Verbosity,
}

/// What decides.
#[derive(Debug)]
pub enum Test {
    /// A program or a shell command.
    Command(TestCommand),
    /// A recipe, and where it lies.
    Recipe(Box<Recipe>, PathBuf),
}

impl fmt::Display for Test {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => command.fmt(formatter),
            Self::Recipe(_, path) => path.display().fmt(formatter),
        }
    }
}

/// How one or many test cases are reduced.
#[derive(Debug)]
pub struct How {
    /// The test.
    pub test: Test,
    /// What its output must look like, instead of an exit status of 0.
    pub pattern: Option<OutputPattern>,
    /// Tests at the same time.
    pub jobs: NonZeroUsize,
    /// Longest time for one test; `None` is ten times what the original takes.
    pub timeout: Option<Duration>,
    /// Longest time for the whole of one test case.
    pub time_limit: Option<Duration>,
    /// Most questions about one test case.
    pub max_questions: Option<u64>,
    /// Memory of one test, in bytes.
    pub memory_limit: Option<u64>,
    /// The language; `None` is for finding out.
    pub language: Option<Language>,
    /// Which passes may run.
    pub passes: PassChoice,
    /// Whether names must stay.
    pub keep_names: bool,
    /// Text that must stay.
    pub protect: Vec<Regex>,
    /// Have libclang refuse what does not compile.
    pub gate: bool,
}

impl How {
    /// A reduction told all of it, but for the test.
    pub fn apply_to<'a>(&self, reduction: Reduction<'a>) -> Reduction<'a> {
        let mut reduction = reduction
            .jobs(self.jobs)
            .passes(self.passes.clone())
            .protect(self.protect.iter().cloned());
        if self.keep_names {
            reduction = reduction.keep_names();
        }
        if let Some(language) = self.language {
            reduction = reduction.language(language);
        }
        if let Some(gate) = self.gate_for(reduction.language_of_passes()) {
            reduction = reduction.gate(gate);
        }
        if let Some(timeout) = self.timeout {
            reduction = reduction.timeout(timeout);
        }
        if let Some(limit) = self.time_limit {
            reduction = reduction.time_limit(limit);
        }
        if let Some(limit) = self.max_questions {
            reduction = reduction.max_questions(limit);
        }
        reduction
    }

    /// The first stage of a recipe does what a gate would.
    fn gate_for(&self, language: Language) -> Option<LibclangFilter> {
        let wanted = self.gate && matches!(self.test, Test::Command(_));
        let worker = std::env::current_exe().ok().filter(|_| wanted)?;
        LibclangFilter::new(language, WorkerOptions::new(worker))
    }

    /// What tests are run with.
    pub fn options(&self) -> CommandOptions {
        CommandOptions {
            limits: Limits { memory_bytes: self.memory_limit, ..Limits::default() },
            pattern: self.pattern.clone(),
            // Without it, tests survive a kill of this process; they run all the same.
            worker: std::env::current_exe().ok(),
            ..CommandOptions::default()
        }
    }
}

/// Why the command line makes no sense.
#[derive(Debug, Error)]
pub enum UsageError {
    #[error("nothing to reduce was named\nhelp: clreduce bug.c --test ./interesting.sh")]
    NoInput,
    #[error(
        "no test was given: what decides whether a variant is interesting?\n\
         help: clreduce {0} --test ./interesting.sh"
    )]
    NoTest(String),
    #[error(
        "no test was given: what decides whether a variant is interesting?\n\
         help: clreduce batch {} --test ./interesting.sh --out OUT", .0.display()
    )]
    NoBatchTest(PathBuf),
    #[error(
        "`{path}` looks like the test but is not executable\n\
         help: chmod +x {path}"
    )]
    FirstNotExecutable { path: String },
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error("{0} is not for recipes\nhelp: {1}")]
    NotForRecipes(&'static str, &'static str),
    #[error(
        "--allow-slippage needs a recipe as the test: a program does not tell one bug from another"
    )]
    NeedsRecipe,
    #[error("the choice of passes leaves none to run")]
    NoPasses,
    #[error(transparent)]
    Test(#[from] CommandError),
}

/// Checks the options against each other and fills in what was left open.
///
/// # Errors
/// When they make no sense, with what to write instead.
pub fn resolve(mut args: ReduceArgs) -> Result<Settings, UsageError> {
    let test = match args.test.test.take() {
        Some(test) => test_named(&test)?,
        None => Test::Command(test_first(&mut args.inputs)?),
    };
    if args.inputs.is_empty() {
        return Err(UsageError::NoInput);
    }
    check_recipe(&args, &test)?;
    Ok(Settings {
        inputs: args.inputs,
        how: how(test, args.test, args.limits, args.passes)?,
        also_interesting: args.also_interesting,
        allow_slippage: args.allow_slippage,
        save_temps: args.save_temps,
        output: args.output,
        fresh: args.fresh,
        events: args.events,
        summary: args.summary,
        verbosity: verbosity(&args.show),
    })
}

/// What reducing one and reducing many have in common.
///
/// # Errors
/// When no pass is left.
pub fn how(
    test: Test,
    output: TestArgs,
    limits: LimitArgs,
    passes: PassArgs,
) -> Result<How, UsageError> {
    let pattern =
        OutputPattern { stdout: output.interesting_stdout, stderr: output.interesting_stderr };
    let choice =
        PassChoice { only: passes.passes, skip: passes.skip_pass, first: passes.start_with_pass };
    if choice.rows().is_empty() {
        return Err(UsageError::NoPasses);
    }
    let jobs = match passes.no_speculation {
        true => 1,
        false => limits.jobs.map_or_else(default_jobs, usize::from),
    };
    Ok(How {
        test,
        pattern: (pattern.stdout.is_some() || pattern.stderr.is_some()).then_some(pattern),
        jobs: NonZeroUsize::new(jobs).unwrap_or(NonZeroUsize::MIN),
        timeout: limits.timeout,
        time_limit: limits.time_limit,
        max_questions: limits.max_questions,
        memory_limit: limits.memory_limit,
        language: passes.lang.and_then(|name| name.parse().ok()),
        passes: choice,
        keep_names: passes.keep_names,
        protect: passes.protect,
        gate: !passes.no_gate,
    })
}

/// How much is shown.
pub fn verbosity(show: &ShowArgs) -> Verbosity {
    match (show.quiet, show.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, 0) => Verbosity::Normal,
        (false, 1) => Verbosity::Steps,
        (false, _) => Verbosity::Questions,
    }
}

/// A recipe has its own words for what some options say of programs.
fn check_recipe(args: &ReduceArgs, test: &Test) -> Result<(), UsageError> {
    if matches!(test, Test::Command(_)) {
        return if args.allow_slippage { Err(UsageError::NeedsRecipe) } else { Ok(()) };
    }
    let limits = "write `timeout` or `memory` in a [[stage]] or [[configuration]]";
    let outcome = "write `message` in [outcome]";
    let options = [
        (args.limits.timeout.is_some(), "--timeout", limits),
        (args.limits.memory_limit.is_some(), "--memory-limit", limits),
        (args.test.interesting_stdout.is_some(), "--interesting-stdout", outcome),
        (args.test.interesting_stderr.is_some(), "--interesting-stderr", outcome),
        (args.also_interesting.is_some(), "--also-interesting", "give --allow-slippage instead"),
        (args.save_temps, "--save-temps", "`clreduce explain` shows what happens to a variant"),
    ];
    match options.into_iter().find(|(given, ..)| *given) {
        Some((_, option, help)) => Err(UsageError::NotForRecipes(option, help)),
        None => Ok(()),
    }
}

/// The test that was named with `--test`.
///
/// # Errors
/// When it makes no sense or cannot be run.
pub fn test_named(test: &str) -> Result<Test, UsageError> {
    let path = Path::new(test);
    if path.extension() == Some(OsStr::new("toml")) {
        return Ok(Test::Recipe(Box::new(Recipe::load(path)?), path.to_owned()));
    }
    Ok(Test::Command(TestCommand::parse(test)?))
}

/// `clreduce ./test.sh file.c`, as older tools have it: the first is the test if it can be run.
fn test_first(inputs: &mut Vec<PathBuf>) -> Result<TestCommand, UsageError> {
    let Some(first) = inputs.first() else { return Err(UsageError::NoInput) };
    let no_test = UsageError::NoTest(first.display().to_string());
    if inputs.len() < 2 || !first.is_file() {
        return Err(no_test);
    }
    match TestCommand::program(first) {
        Ok(test) if is_executable(first) => {
            inputs.remove(0);
            Ok(test)
        }
        Err(CommandError::NotExecutable { path }) if is_script(first) => {
            Err(UsageError::FirstNotExecutable { path: path.display().to_string() })
        }
        Err(error) if is_executable(first) => Err(error.into()),
        _ => Err(no_test),
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["exe", "com", "bat", "cmd", "ps1", "py"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

fn is_script(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 2];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == *b"#!"
}

/// Physical cores, as far as this process may use them: tests are bound by the cores, and two on one
/// core take longer than one after the other when they share a cache.
fn default_jobs() -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    num_cpus::get_physical().clamp(1, allowed)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Args;

    fn settings(words: &[&str]) -> Result<Settings, UsageError> {
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
