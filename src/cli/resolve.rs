//! What the options mean together: from [`ReduceArgs`] to [`Settings`], with everything checked that
//! can be checked without running a test.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clreduce_interestingness::recipe::{Recipe, RecipeError};
use clreduce_interestingness::{CommandError, OutputPattern, TestCommand};
use clreduce_passes::{Row, TABLE};
use clreduce_testcase::Language;
use regex::bytes::Regex;
use thiserror::Error;

use super::args::ReduceArgs;
use super::progress::Verbosity;

/// Everything a reduction is started with.
#[derive(Debug)]
pub struct Settings {
    /// What to reduce, as named.
    pub inputs: Vec<PathBuf>,
    /// The test.
    pub test: Test,
    /// What its output must look like, instead of an exit status of 0.
    pub pattern: Option<OutputPattern>,
    /// Exit status of variants to keep a copy of.
    pub also_interesting: Option<i32>,
    /// Whether valid variants that show another bug are kept.
    pub allow_slippage: bool,
    /// Whether the tests' directories stay.
    pub save_temps: bool,
    /// Tests at the same time.
    pub jobs: usize,
    /// Longest time for one test; `None` is ten times what the original takes.
    pub timeout: Option<Duration>,
    /// Longest time for the whole.
    pub time_limit: Option<Duration>,
    /// Most questions.
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
    Recipe(Recipe, PathBuf),
}

/// Which passes may run, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassChoice {
    /// Only these; empty is all.
    pub only: Vec<String>,
    /// All but these.
    pub skip: Vec<String>,
    /// Before all others.
    pub first: Option<String>,
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
    let test = match args.test.take() {
        Some(test) => test_named(&test)?,
        None => Test::Command(test_first(&mut args.inputs)?),
    };
    if args.inputs.is_empty() {
        return Err(UsageError::NoInput);
    }
    check_recipe(&args, &test)?;
    let passes =
        PassChoice { only: args.passes, skip: args.skip_pass, first: args.start_with_pass };
    let language = args.lang.and_then(|name| name.parse().ok());
    if passes.rows().is_empty() {
        return Err(UsageError::NoPasses);
    }
    let pattern =
        OutputPattern { stdout: args.interesting_stdout, stderr: args.interesting_stderr };
    Ok(Settings {
        inputs: args.inputs,
        test,
        pattern: (pattern.stdout.is_some() || pattern.stderr.is_some()).then_some(pattern),
        also_interesting: args.also_interesting,
        allow_slippage: args.allow_slippage,
        save_temps: args.save_temps,
        jobs: args.jobs.map_or_else(default_jobs, usize::from),
        timeout: args.timeout,
        time_limit: args.time_limit,
        max_questions: args.max_questions,
        memory_limit: args.memory_limit,
        language,
        passes,
        keep_names: args.keep_names,
        protect: args.protect,
        output: args.output,
        fresh: args.fresh,
        events: args.events,
        summary: args.summary,
        verbosity: match (args.quiet, args.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, 0) => Verbosity::Normal,
            (false, 1) => Verbosity::Steps,
            (false, _) => Verbosity::Questions,
        },
    })
}

impl PassChoice {
    /// The chosen rows in the order of the table.
    pub fn rows(&self) -> Vec<&'static Row> {
        let chosen = |row: &&Row| {
            let is = |name: &String| name == row.pass.name();
            (self.only.is_empty() || self.only.iter().any(is)) && !self.skip.iter().any(is)
        };
        TABLE.iter().filter(chosen).collect()
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
        (args.timeout.is_some(), "--timeout", limits),
        (args.memory_limit.is_some(), "--memory-limit", limits),
        (args.interesting_stdout.is_some(), "--interesting-stdout", outcome),
        (args.interesting_stderr.is_some(), "--interesting-stderr", outcome),
        (args.also_interesting.is_some(), "--also-interesting", "give --allow-slippage instead"),
        (args.save_temps, "--save-temps", "`clreduce explain` shows what happens to a variant"),
    ];
    match options.into_iter().find(|(given, ..)| *given) {
        Some((_, option, help)) => Err(UsageError::NotForRecipes(option, help)),
        None => Ok(()),
    }
}

fn test_named(test: &str) -> Result<Test, UsageError> {
    let path = Path::new(test);
    if path.extension() == Some(OsStr::new("toml")) {
        return Ok(Test::Recipe(Recipe::load(path)?, path.to_owned()));
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
    ["exe", "bat", "cmd", "ps1", "py"].iter().any(|known| ending.eq_ignore_ascii_case(known))
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
    use crate::cli::args::Args;

    fn settings(words: &[&str]) -> Result<Settings, UsageError> {
        let words = ["clreduce"].iter().chain(words);
        resolve(Args::try_parse_from(words).unwrap().reduce)
    }

    #[test]
    fn both_orders_mean_the_same() {
        let new = settings(&["a.c", "--test", "/bin/true"]).unwrap();
        let old = settings(&["/bin/true", "a.c"]).unwrap();
        assert_eq!(new.inputs, old.inputs);
        let (Test::Command(new), Test::Command(old)) = (new.test, old.test) else { panic!() };
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

    #[test]
    fn passes_are_chosen_by_name() {
        let names: Vec<&str> = TABLE.iter().map(|row| row.pass.name()).collect();
        let last = (*names.last().unwrap()).to_owned();
        let chosen = |choice: PassChoice| -> Vec<&str> {
            choice.rows().iter().map(|row| row.pass.name()).collect()
        };
        assert_eq!(chosen(PassChoice::default()), names);
        let only = PassChoice { only: vec![last.clone()], ..PassChoice::default() };
        assert_eq!(chosen(only), [&last]);
        let skip = PassChoice { skip: vec![last.clone()], ..PassChoice::default() };
        assert_eq!(chosen(skip), names[..names.len() - 1]);
    }
}
