//! `clreduce history` lists the commits of a reduction, shows one, and goes back to one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueHint;
use clreduce_batch::{CommitRecord, diff, read_history};
use clreduce_engine::HistoryEnd;
use clreduce_journal::StateFolder;
use clreduce_testcase::{Size, TestCase};

use crate::failure::{CliError, PastError};
use crate::files::keep::{Keeper, repair};
use crate::files::target::{ReductionPaths, is_stdout};
use crate::past::{PastReduction, untold};
use crate::terminal::printing::{self, note_line, shown_path};
use crate::terminal::table;
use crate::terminal::units::{counted, show_bytes, show_count};

/// The arguments of `clreduce history`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct HistoryArgs {
    /// Files or folders as they were named to the reduction, its --output, or the folder of a case of a batch
    #[arg(value_name = "FILE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<PathBuf>,

    /// Show what commit N changed
    #[arg(long, value_name = "N", conflicts_with = "restore")]
    pub show: Option<u64>,

    /// Put the program back as it was after commit N; 0 is the original
    #[arg(long, value_name = "N")]
    pub restore: Option<u64>,

    /// Write that program to PATH and leave FILE alone; `-` is standard output
    #[arg(long, short = 'o', value_name = "PATH", requires = "restore", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
}

const HELP: &str = "\
The commits are in FILE.clreduce/, which is there while a reduction is under way, after it was interrupted, and at its end with \
--keep-state. No test is run.

Examples:
  clreduce bug.c --test ./interesting.sh --keep-state
  clreduce history bug.c
  clreduce history bug.c --show 12
  clreduce history bug.c --restore 12
  clreduce history bug.c --restore 0 --output - | less

Exit status:
  0  done
  1  there is no state, it cannot be used, or FILE was changed
  2  the command line is wrong";

/// The commits of a reduction, and the program after one of them.
struct CommitList {
    list: Vec<CommitRecord>,
    steps: u64,
    /// The program before the wanted commit, and after it.
    wanted: Option<(TestCase, TestCase)>,
    end: HistoryEnd,
}

/// Lists, shows or restores commits.
///
/// # Errors
/// When there is no state, it cannot be used, or FILE was changed.
pub(crate) fn history(args: &HistoryArgs) -> Result<ExitCode, CliError> {
    if let [folder] = &args.inputs[..]
        && folder.is_dir()
        && let Ok(commits) = read_history(folder)
        && !commits.is_empty()
    {
        return of_case(args, folder, &commits);
    }
    let past = PastReduction::open(&args.inputs)?;
    let commits = CommitList::of(&past, args.show.or(args.restore))?;
    if let Some(number) = args.show {
        let (before, after) = commits.wanted(number)?;
        let text = shown(number, at(&commits.list, number)?, &diff(before, after));
        printing::print(&text).map_err(CliError::Stdout)?;
    } else if let Some(number) = args.restore {
        let (_, case) = commits.wanted(number)?;
        restore(&past, &commits.end, number, case, args.output.as_deref())?;
    } else {
        let is_finished = past.history.record.is_finished;
        let end = if is_finished { "is finished" } else { "is not finished" };
        let (list, steps) = (&commits.list, counted(commits.steps, "step"));
        let count = counted(list.len() as u64, "commit");
        let text = format!("{}\n{count} in {steps}; the reduction {end}\n", of_list(list, false));
        printing::print(&text).map_err(CliError::Stdout)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl CommitList {
    fn of(past: &PastReduction, number: Option<u64>) -> Result<Self, CliError> {
        let original = past.history.record.original.clone();
        let mut before = original.clone();
        let mut wanted = (number == Some(0)).then(|| (original.clone(), original));
        let (mut list, mut steps) = (Vec::new(), 0);
        let end = past.history.replay(|step| {
            steps = step.number;
            let Some(case) = step.committed else { return };
            let (bytes, Size { tokens, work_items, .. }) = (case.total_bytes(), Size::of(&case));
            let (step, pass, diff, taken) =
                (step.number, step.pass.to_owned(), String::new(), Vec::new());
            // Neither tests nor times are in a journal.
            let (tests, seconds) = (0, 0.0);
            list.push(CommitRecord {
                step,
                tests,
                seconds,
                pass,
                bytes,
                tokens,
                work_items,
                diff,
                taken,
            });
            let before = std::mem::replace(&mut before, case.clone());
            if number == Some(list.len() as u64) {
                wanted = Some((before, case));
            }
        });
        let end = end.map_err(|error| untold(error, &past.target.state()))?;
        Ok(Self { list, steps, wanted, end })
    }

    fn wanted(&self, number: u64) -> Result<(&TestCase, &TestCase), CliError> {
        let wanted = self.wanted.as_ref().map(|(before, after)| (before, after));
        Ok(wanted.ok_or_else(|| no_commit(number, self.list.len()))?)
    }
}

fn no_commit(number: u64, last: usize) -> PastError {
    PastError::NoCommit { number, last: last as u64 }
}

/// The commit of a number.
fn at(commits: &[CommitRecord], number: u64) -> Result<&CommitRecord, PastError> {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.and_then(|index| commits.get(index)).ok_or_else(|| no_commit(number, commits.len()))
}

/// Lists or shows the commits of a case of a batch, which are kept as diffs.
fn of_case(
    args: &HistoryArgs,
    folder: &Path,
    commits: &[CommitRecord],
) -> Result<ExitCode, CliError> {
    if args.restore.is_some() {
        return Err(PastError::OnlyDiffs(folder.to_owned()).into());
    }
    let text = match args.show {
        None => of_list(commits, true),
        Some(number) => {
            let record = at(commits, number)?;
            shown(number, record, &record.diff)
        }
    };
    printing::print(&text).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// The table of all commits. A case of a batch also knows the numbers of tests.
fn of_list(commits: &[CommitRecord], has_tests: bool) -> String {
    let has_items = commits.iter().any(|commit| commit.work_items > 1);
    let row = |cells: [String; 7]| -> Vec<String> {
        let is_shown = |at: &usize| (*at != 3 || has_tests) && (*at != 6 || has_items);
        (0..7).filter(is_shown).map(|at| cells[at].clone()).collect()
    };
    let head = ["commit", "pass", "step", "tests", "bytes", "tokens", "work-items"];
    let mut rows = vec![row(head.map(str::to_owned))];
    rows.extend((1_u64..).zip(commits).map(|(number, commit)| {
        let CommitRecord { step, tests, bytes, tokens, work_items, .. } = commit;
        let figures = [*step, *tests, *bytes as u64, *tokens as u64, *work_items];
        let [step, tests, bytes, tokens, work_items] = figures.map(show_count);
        row([number.to_string(), commit.pass.clone(), step, tests, bytes, tokens, work_items])
    }));
    table::of_rows(&rows)
}

/// One commit with what it changed.
fn shown(number: u64, commit: &CommitRecord, diff: &str) -> String {
    let CommitRecord { step, pass, bytes, tokens, .. } = commit;
    let (bytes, tokens) = (show_bytes(*bytes), counted(*tokens as u64, "token"));
    format!("commit {number}, step {step}, pass {pass}: {bytes}, {tokens}\n{diff}")
}

/// Writes the program after a commit, to its place or elsewhere.
fn restore(
    past: &PastReduction,
    end: &HistoryEnd,
    number: u64,
    case: &TestCase,
    output: Option<&Path>,
) -> Result<(), CliError> {
    if let Some(output) = output {
        return write(past, case, output);
    }
    let state = past.target.state();
    let _lock = StateFolder::open(&state)?;
    let original = past.history.record.original.clone();
    repair(&past.places, &state)?;
    let on_disk = crate::files::target::read(&past.places)?;
    if !end.knows(&on_disk) {
        return Err(PastError::FileChanged(past.name.clone()).into());
    }
    // A file that comes back gets the attributes of the copy of the original.
    let copies = past.target.originals(&original);
    let mut places = past.places.clone();
    for place in places.iter_mut().filter(|place| !place.disk.exists()) {
        let copy = copies.iter().find(|copy| copy.path == place.path && copy.copy.exists());
        copy.into_iter().for_each(|copy| place.like = copy.copy.clone());
    }
    Keeper::new(places, state, on_disk, Vec::new(), original).keep(case)?;
    let (name, size) = (shown_path(&past.name), Size::of(case));
    let what = if number == 0 { "the original".to_owned() } else { format!("commit {number}") };
    let tokens = counted(size.tokens as u64, "token");
    printing::print(&format!("`{name}` is {what} again, with {tokens}\n"))
        .map_err(CliError::Stdout)?;
    if !past.history.record.is_finished {
        note_line(
            "the same command as before goes on from the best version; with --fresh, it starts from this one",
        );
    }
    Ok(())
}

fn write(past: &PastReduction, case: &TestCase, output: &Path) -> Result<(), CliError> {
    let target = ReductionPaths::of(past.target.inputs.clone(), Some(output))?;
    if is_stdout(output) {
        let file = case.files().first();
        let bytes = file.map(|file| &*file.bytes).unwrap_or_default();
        return printing::data(bytes).map_err(CliError::Stdout);
    }
    target.check_output_empty()?;
    let path = target.output().unwrap_or(output);
    let is_folder = past.target.inputs.len() > 1 || past.target.inputs[0].is_dir;
    let written = match case.files() {
        [file] if !is_folder => clreduce_files::write(path, &file.bytes),
        _ => crate::judge::write(case, path),
    };
    written.map_err(|source| CliError::Write { path: path.to_owned(), source })
}
