//! `clreduce explain` shows what each stage of a recipe says about a variant.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::ValueHint;
use clreduce_engine::SandboxOptions;
use clreduce_interestingness::Verdict;
use clreduce_recipe::{Depth, Judgement, Recipe, RecipeOptions, StageResult, StageVerdict};
use clreduce_testcase::{Language, TestCase};

use crate::failure::CliError;
use crate::files::load::{Input, ORIGINAL, beside, load};
use crate::judge::recipe;
use crate::terminal::clock::Clock;
use crate::terminal::interrupt;
use crate::terminal::printing::printable;
use crate::terminal::units::show_duration;

/// The arguments of `clreduce explain`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status:\n  0  interesting\n  1  not interesting, or the recipe cannot be used\n  \
    2  the command line is wrong\n  3  unresolved: a tool failed"
)]
pub(crate) struct ExplainArgs {
    /// Recipe
    #[arg(long, short = 't', value_name = "RECIPE", value_hint = ValueHint::FilePath)]
    pub test: PathBuf,

    /// Variant to test
    #[arg(value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub variant: PathBuf,

    /// Original whose outcome the variant must show [default: FILE.orig if it exists, otherwise the variant]
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub original: Option<PathBuf>,

    /// Language of the program [default: by its name and its text]
    #[arg(long, value_name = "LANG", value_parser = Language::from_str)]
    pub lang: Option<Language>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// Prints what happens to a variant.
///
/// # Errors
/// When the recipe cannot be used, or a file cannot be read.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    let clock = Clock::start();
    let options = RecipeOptions { progress: clock.progress(), ..recipe::options_alone(&cancel) };
    let recipe = Recipe::load(&args.test)?.options(options);
    let variant = read(&args.variant)?.in_language(args.lang);
    let kept = beside(&args.variant, ORIGINAL);
    let original = match &args.original {
        Some(original) => named_alike(read(original)?, &variant)?,
        None if kept.exists() => named_alike(read(&kept)?, &variant)?,
        None => variant.clone(),
    };
    let test = recipe.calibrate(&original)?;
    clock.progress().at("running every stage on the variant");
    let judgement = test.look(&variant, Depth::Everything, &cancel);
    drop(clock);
    let mut out = crate::terminal::printing::out();
    out.write_all(printable(&show(&judgement)).as_bytes()).map_err(CliError::Stdout)?;
    Ok(ExitCode::from(match judgement.outcome.verdict {
        Verdict::Interesting => 0,
        Verdict::Uninteresting | Verdict::TimedOut => 1,
        Verdict::Unresolved => 3,
    }))
}

fn read(path: &Path) -> Result<TestCase, CliError> {
    let inputs = Input::find_all(&[path.to_owned()])?;
    Ok(load(&inputs, &[], false)?.case)
}

/// `bug.c.orig` was called `bug.c` when it was reduced, and commands know it by that name.
fn named_alike(original: TestCase, variant: &TestCase) -> Result<TestCase, CliError> {
    let original = match (original.files(), variant.files()) {
        ([file], [name]) => TestCase::single(&name.path, file.bytes.clone())
            .map_err(|error| CliError::Load(error.into()))?,
        _ => original,
    };
    Ok(original.in_language(Some(variant.language())))
}

fn show(judgement: &Judgement) -> String {
    let width = judgement.results.iter().map(|result| result.stage.len()).max().unwrap_or_default();
    let mut text = String::new();
    for result in &judgement.results {
        let (stage, wall) = (&result.stage, show_duration(result.wall));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{stage:<width$}  {wall:>7}  {}", verdict(result));
        for note in &result.notes {
            let _ = writeln!(text, "{:<width$}           {note}", "");
        }
    }
    let verdict = match judgement.outcome.verdict {
        Verdict::Interesting => "interesting",
        Verdict::Uninteresting => "uninteresting",
        Verdict::TimedOut => "uninteresting (time limit)",
        Verdict::Unresolved => "unresolved",
    };
    let colon = if judgement.outcome.reason.is_empty() { "" } else { ": " };
    let _ = writeln!(text, "{verdict}{colon}{}", judgement.outcome.reason);
    text
}

fn verdict(result: &StageResult) -> String {
    match &result.verdict {
        StageVerdict::Passes => "holds".to_owned(),
        StageVerdict::Rejects(why) => format!("no: {why}"),
        StageVerdict::Slipped(what) => format!("another bug: {what}"),
        StageVerdict::TimedOut(why) => format!("too long: {why}"),
        StageVerdict::Unresolved(why) => format!("unresolved: {why}"),
        StageVerdict::NotRun(why) => format!("not run: {why}"),
    }
}
