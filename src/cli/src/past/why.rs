//! `clreduce why` says of each line of a reduced program what the test said without it.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueHint;
use clreduce_engine::{HistoryEnd, ReductionError};
use clreduce_interestingness::{Cancel, Outcome};

use crate::failure::{CliError, PastError};
use crate::past::again::TestAgain;
use crate::past::answer::WhyText;
use crate::past::changes::TokenText;
use crate::past::lines::{Fate, JudgedVariant, Reasons, lines_of};
use crate::past::{PastReduction, untold};
use crate::terminal::clock::Clock;
use crate::terminal::interrupt::{self, INTERRUPTED};
use crate::terminal::printing::{self, note_line, shown_path};

/// The arguments of `clreduce why`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct WhyArgs {
    /// Files or folders as they were named to the reduction, or its --output
    #[arg(value_name = "FILE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<PathBuf>,

    /// Only line N, with all its variants; can be given several times
    #[arg(long, value_name = "N")]
    pub line: Vec<u32>,

    /// Test the nearest variant of each line once more, and show what the test prints
    #[arg(long, requires = "test")]
    pub again: bool,

    /// The test of the reduction; its options are in the state
    #[arg(long, short = 't', value_name = "TEST", requires = "again", value_hint = ValueHint::CommandString)]
    pub test: Option<String>,
}

const HELP: &str = "\
For each line that is left, it lists the nearest variants without the line or a part of it, and what became of them: \
what the test said, or that the same was refused before. A variant that no pass proposes is `never proposed`. The verdicts are in \
FILE.clreduce/, which is there while a reduction is under way, after it was interrupted, and at its end with --keep-state. A test \
runs only with --again.

Examples:
  clreduce bug.c --test ./interesting.sh --keep-state
  clreduce why bug.c
  clreduce why bug.c --line 4
  clreduce why bug.c --again --test ./interesting.sh

Exit status:
  0  done
  1  there is no state, it cannot be used, or FILE was changed
  2  the command line is wrong";

/// The most lines that are explained without --line, and the most variants of a part of each.
const MOST_LINES: u32 = 200;
const MOST_PARTS: usize = 2;

/// Prints the reasons.
///
/// # Errors
/// When there is no state, it cannot be used, or FILE was changed.
pub(crate) fn why(args: &WhyArgs) -> Result<ExitCode, CliError> {
    let cancel = interrupt::on_interrupt()?;
    let past = PastReduction::open(&args.inputs)?;
    let clock = Clock::start();
    clock.progress().at("repeating the steps of the reduction");
    let (mut judged, mut steps) = (HashMap::new(), 0);
    let end = past.history.replay(|step| {
        let (entry, complaints) = (step.entry, step.entry.complaints.clone());
        let (verdict, filtered) = (entry.verdict, entry.filtered);
        steps = step.number;
        let is_ranked = entry.rank.is_some();
        let variant = JudgedVariant { step: steps, verdict, filtered, complaints, is_ranked };
        judged.insert(entry.hash, variant);
    });
    let end = end.map_err(|error| untold(error, &past.target.state()))?;
    let shown = shown(&past, &end)?;
    let last_line = check_lines(args, &shown)?;
    clock.progress().at("looking for the reasons");
    let is_wanted = |number: u32| match &args.line[..] {
        [] => number <= MOST_LINES,
        lines => lines.contains(&number),
    };
    let reasons = Reasons::of(&end, &judged, shown, is_wanted);
    drop(clock);
    let again = match &args.test {
        Some(test) => tested_again(test, args, &past, &reasons, &cancel)?,
        None => BTreeMap::new(),
    };
    let is_finished = past.history.record.is_finished;
    let mut answer = WhyText::new(&reasons, &again, is_finished);
    answer.head(&shown_path(&past.name), steps);
    let most = if args.line.is_empty() { MOST_PARTS } else { usize::MAX };
    reasons.lines.iter().for_each(|line| answer.line(line, most));
    printing::print(&answer.text).map_err(CliError::Stdout)?;
    if args.line.is_empty() && last_line > MOST_LINES {
        note_line(&format!("these are the first {MOST_LINES} lines; --line N explains another"));
    }
    Ok(if cancel.is_cancelled() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// The text whose lines are explained: the files as they are, if they are the result, laid out or not.
fn shown(past: &PastReduction, end: &HistoryEnd) -> Result<TokenText, CliError> {
    let result = end.now.current();
    let language = result.language();
    let on_disk = past.on_disk.as_ref().filter(|on_disk| end.knows(on_disk));
    let on_disk = on_disk.ok_or_else(|| PastError::OtherLines(past.name.clone()))?;
    let on_disk = TokenText::new(&on_disk.clone().in_language(Some(language)));
    let result = TokenText::new(result);
    if on_disk.has_tokens_of(&result) {
        return Ok(on_disk);
    }
    let name = shown_path(&past.name);
    note_line(&format!("`{name}` is an earlier version; these are the lines of the result"));
    Ok(result)
}

/// The last line with code.
///
/// # Errors
/// When there is none in a line that is asked for.
fn check_lines(args: &WhyArgs, shown: &TokenText) -> Result<u32, PastError> {
    let lines = lines_of(shown);
    let last = lines.iter().map(|line| line.number).max().unwrap_or_default();
    let is_there = |number: &&u32| !lines.iter().any(|line| line.number == **number);
    match args.line.iter().find(is_there) {
        Some(number) => Err(PastError::NoLine(*number, last)),
        None => Ok(last),
    }
}

/// What the test says of the nearest variant of each line, by the index of the variant.
fn tested_again(
    test: &str,
    args: &WhyArgs,
    past: &PastReduction,
    reasons: &Reasons,
    cancel: &Cancel,
) -> Result<BTreeMap<usize, Outcome>, CliError> {
    let test = TestAgain::new(test, &args.inputs, &past.history, cancel)?;
    let clock = Clock::start();
    let mut outcomes = BTreeMap::new();
    for line in &reasons.lines {
        let nearest = line.without.iter().chain(&line.partly).copied();
        let mut testable =
            nearest.filter(|index| !matches!(reasons.variants[*index].fate, Fate::Protected));
        let Some(index) = testable.next().filter(|index| !outcomes.contains_key(index)) else {
            continue;
        };
        clock.progress().at(&format!("testing again without line {}", line.number));
        let outcome = test.run(&reasons.program(index), cancel);
        if cancel.is_cancelled() {
            break;
        }
        let outcome =
            outcome.map_err(|error| CliError::Reduction(ReductionError::NotRun(error)))?;
        outcomes.insert(index, outcome);
    }
    Ok(outcomes)
}
