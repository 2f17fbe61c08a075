//! The text that a reduction prints on standard output when it ends.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clreduce_engine::Reduced;
use clreduce_engine::events::Ending;
use clreduce_testcase::TestCase;
use console::style;

use crate::failure::CliError;
use crate::files::report_file::ReportFile;
use crate::files::target::is_stdout;
use crate::reduce::finished::FinishedReduction;
use crate::settings::resolve::ReduceSettings;
use crate::terminal::printing::{printable, shown_path};
use crate::terminal::progress::{ProgressDisplay, Verbosity};
use crate::terminal::statistics::RunStatistics;
use crate::terminal::table;
use crate::terminal::units::{show_bytes, show_count, show_duration, show_refused, show_share};

/// Prints the table of passes, the figures, where the result is, and what to know about it.
///
/// # Errors
/// When standard output does not take it.
pub(crate) fn print(
    done: &FinishedReduction,
    results: &[PathBuf],
    settings: &ReduceSettings,
    progress: &ProgressDisplay,
) -> Result<(), CliError> {
    let FinishedReduction { reduced, statistics, stages, .. } = done;
    warn(reduced, progress);
    if settings.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    let to_stdout = settings.output.as_deref().is_some_and(is_stdout);
    let mut text = String::new();
    if !reduced.passes.is_empty() {
        text.push_str(&table::of_run(&reduced.passes));
        text.push('\n');
    }
    if !stages.is_empty() {
        text.push_str(&table::of_stages(stages));
        text.push('\n');
    }
    if statistics.began() {
        text.push_str(&figures(reduced, statistics));
        if let Some(rates) = &reduced.rates {
            text.push_str(&format!("{rates}\n"));
        }
        if let Some(numbers) = &reduced.numbers {
            text.push_str(&format!("{numbers}\n"));
        }
        if let Some(ranks) = &reduced.ranks {
            text.push_str(&format!("{ranks}\n"));
        }
        if console::user_attended() && !to_stdout {
            text.push_str(&short_program(&reduced.case));
        }
        text.push_str(&files(done, results, settings));
    }
    text.push_str(&ending(reduced, statistics, settings));
    text.push('\n');
    // Standard output belongs to what was sent there.
    let takes_reports = settings.reports().any(|report| *report == ReportFile::Stdout);
    if takes_reports || to_stdout {
        crate::terminal::printing::error_line(text.trim_end_matches('\n'));
        return Ok(());
    }
    match crate::terminal::printing::out().write_all(text.as_bytes()) {
        // `clreduce ... | head` is fine.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}

/// The files with the result, the original, the flags, the report and the page, a line for each.
fn files(done: &FinishedReduction, results: &[PathBuf], settings: &ReduceSettings) -> String {
    // With several files, some may have been removed.
    let (left, removed): (Vec<_>, Vec<_>) = results.iter().partition(|path| is_there(path));
    let mut text = places("result:  ", left);
    for path in removed {
        let name = style("removed: ").bold();
        text.push_str(&format!("{name} {} is not needed\n", shown(path)));
    }
    text.push_str(&places("original:", &done.originals));
    if let Some(flags) = &done.flags {
        let left = if flags.after.is_empty() { "none".to_owned() } else { flags.after.join(" ") };
        text.push_str(&format!(
            "{} {left} ({} of {} left, in {} tests), in {}\n",
            style("flags:   ").bold(),
            flags.after.len(),
            flags.before.len(),
            flags.tests,
            shown(&flags.path)
        ));
    }
    if let Some(report) = &done.bug_report {
        let [markdown, plain] = report.paths.each_ref().map(|path| shown(path));
        let name = style("report:  ").bold();
        text.push_str(&format!("{name} {markdown} (plain text: {plain})\n"));
    }
    if let Some(ReportFile::Path(page)) = &settings.report {
        text.push_str(&places("page:    ", [page]));
    }
    text
}

/// The program between empty lines, if it fits on a terminal.
fn short_program(case: &TestCase) -> String {
    let mut text = String::new();
    for file in case.files() {
        if case.files().len() > 1 {
            text.push_str(&format!("\n{}:", shown_path(Path::new(&*file.path))));
        }
        text.push_str(&format!(
            "\n{}\n",
            printable(&String::from_utf8_lossy(&file.bytes)).trim_end()
        ));
    }
    text.push('\n');
    let is_short = text.len() <= 2000 && text.lines().count() <= 25;
    if is_short { text } else { String::new() }
}

fn figures(reduced: &Reduced, statistics: &RunStatistics) -> String {
    let (size, bytes) = statistics.first;
    let now = reduced.case.total_bytes();
    format!(
        "{} -> {} ({} left), {} -> {} tokens\n\
         {} steps, {} known verdicts, {}{} tests in {}; cores {} busy\n",
        show_bytes(bytes),
        style(show_bytes(now)).green().bold(),
        show_share(now, bytes),
        show_count(size.tokens as u64),
        show_count(reduced.size.tokens as u64),
        show_count(reduced.steps),
        show_count(reduced.cache_hits),
        show_refused(reduced.compile_filter.rejected),
        show_count(reduced.tests),
        show_duration(reduced.wall),
        format_args!("{:.0} %", reduced.efficiency.busy * 100.0)
    )
}

fn places<'a>(name: &str, paths: impl IntoIterator<Item = &'a PathBuf>) -> String {
    paths.into_iter().map(|path| format!("{} {}\n", style(name).bold(), shown(path))).collect()
}

/// Tells whether there is a file, or a folder with something in it. Of several files, some may be gone.
fn is_there(path: &Path) -> bool {
    match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => path.exists(),
    }
}

/// The last line: why the reduction ended.
fn ending(reduced: &Reduced, statistics: &RunStatistics, settings: &ReduceSettings) -> String {
    let text = match reduced.ending {
        Ending::Minimal if !reduced.left_out.is_empty() || !reduced.skipped.is_empty() => {
            return format!(
                "The last search found nothing, but it was cut short: {}.",
                cut_short(reduced).join("; ")
            );
        }
        Ending::Minimal
            if !settings.how.options.passes.is_empty()
                || !settings.how.options.skip_pass.is_empty() =>
        {
            "The chosen passes find nothing else to remove."
        }
        Ending::Minimal if statistics.commits == 0 => {
            "No single token can be removed: the test case is minimal already."
        }
        Ending::Minimal => "No single token is left to remove.",
        Ending::StepLimit => {
            "Stopped at --max-steps; to continue, run the same command with a larger limit."
        }
        Ending::TimeLimit => "Stopped at --time-limit; to continue, run the same command.",
        Ending::Interrupted if !statistics.began() => "Interrupted before anything was reduced.",
        Ending::Interrupted => {
            "Interrupted; to continue, run the same command, or start again with --fresh."
        }
    };
    text.to_owned()
}

/// The proposals that were not looked at since the last success.
fn cut_short(reduced: &Reduced) -> Vec<String> {
    let left_out = reduced.left_out.iter().map(|left_out| {
        let most = show_count(left_out.most as u64);
        format!("`{}` looks at no more than {most} {}", left_out.pass, left_out.of)
    });
    left_out.chain(reduced.skipped.iter().map(|pass| format!("`{pass}` was skipped"))).collect()
}

fn warn(reduced: &Reduced, progress: &ProgressDisplay) {
    let flaky = reduced.flakiness;
    if flaky.contradictions() > 0 {
        let result = if reduced.ending == Ending::Interrupted {
            ""
        } else {
            "; the result was tested several times and is interesting"
        };
        progress.warning(&format!(
            "the test is flaky: of {} variants that were tested again, it had accepted {} by mistake and rejected {} by \
             mistake{result}",
            flaky.repeated, flaky.wrongly_interesting, flaky.wrongly_rejected
        ));
    }
    if reduced.size.tokens == 0 {
        progress.warning(
            "nothing of the program is left: the test accepts an empty program, so it does not check enough",
        );
    }
}

/// Relative to the current directory where it lies below.
fn shown(path: &Path) -> String {
    let current = std::env::current_dir().and_then(dunce::canonicalize);
    let relative = current.as_ref().ok().and_then(|dir| path.strip_prefix(dir).ok());
    // The current directory itself has no name below it.
    let relative = relative.filter(|relative| !relative.as_os_str().is_empty());
    shown_path(relative.unwrap_or(path))
}
