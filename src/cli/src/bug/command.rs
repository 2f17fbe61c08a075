//! The command of a bug report: one that the authors of the tool can run, without the folders of the user.

use std::sync::LazyLock;

use clreduce_check::simulation;
use clreduce_kernel::KernelLaunch;
use clreduce_recipe::{BuiltWith, Evidence};
use clreduce_report::{BugReport, ReportBlock};
use clreduce_testcase::TestCase;
use regex::Regex;

use super::host::HostProgram;
use crate::settings::zoo;
use crate::terminal::quoting::quoted;

/// The command that shows the bug, and the files besides the program that it needs.
pub(super) fn command(
    suspected: &Evidence,
    case: &TestCase,
    host: Option<&HostProgram>,
) -> Vec<ReportBlock> {
    match &suspected.tool {
        BuiltWith::Commands { build, run } => {
            let run = run.as_ref().map(|run| format!("\n{run}")).unwrap_or_default();
            vec![ReportBlock::output(for_others(&format!("{build}{run}"), case))]
        }
        BuiltWith::Device { facts, label, options, launches } => {
            let file = case.files().first().map_or("", |file| &*file.path);
            if facts.platform == "Oclgrind"
                && let Some(blocks) = of_oclgrind(file, options, launches)
            {
                return blocks;
            }
            if let Some(host) = host {
                return vec![ReportBlock::output(&host.command)];
            }
            // It always builds with -w.
            let options = options.trim_start_matches("-w").trim();
            if facts.platform == "nvcc" {
                let line = format!("nvcc {options} -o program {}\n./program", quoted(file));
                return vec![ReportBlock::output(line.replace("  ", " "))];
            }
            let options = if options.is_empty() { String::new() } else { format!(" -- {options}") };
            let folder = zoo::folder().filter(|_| label.is_some());
            let zoo = folder.map(|path| format!(" --zoo {}", quoted(&path.display().to_string())));
            let device = quoted(label.as_ref().unwrap_or(&facts.platform));
            let zoo = zoo.unwrap_or_default();
            let line =
                format!("clreduce run {}{zoo} --device-name {device}{options}", quoted(file));
            vec![ReportBlock::output(line)]
        }
    }
}

/// Oclgrind's own program, and the files that describe the launches to it; `None` where these are too long.
fn of_oclgrind(file: &str, options: &str, launches: &[KernelLaunch]) -> Option<Vec<ReportBlock>> {
    let number =
        |at: usize| if launches.len() > 1 { format!("-{}", at + 1) } else { String::new() };
    let name = |at: usize| format!("launch{}.sim", number(at));
    let texts: Vec<String> = launches.iter().map(|launch| simulation(file, launch, true)).collect();
    // Longer descriptions of launches are of no use to a reader.
    if launches.is_empty() || texts.iter().any(|text| text.len() > 4000) {
        return None;
    }
    let line = |at| format!("oclgrind-kernel --build-options {} {}", quoted(options), name(at));
    let lines: Vec<String> = (0..launches.len()).map(line).collect();
    let files = texts.iter().enumerate().flat_map(|(at, text)| {
        [ReportBlock::Text(format!("{}:", name(at))), ReportBlock::output(text.trim_end())]
    });
    Some(std::iter::once(ReportBlock::output(lines.join("\n"))).chain(files).collect())
}

/// A command without folders of headers that the program does not include, and with `$HOME` for the user's own folder.
pub(super) fn for_others(line: &str, case: &TestCase) -> String {
    static FOLDERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\s-(?:iquote|isystem|idirafter|I) ?(?:'(?:/[^']*)'|(?:/[^\s';&|()]*))")
            .expect("the pattern is a constant")
    });
    let includes = |text: &str| {
        let directive =
            text.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        directive.starts_with("include")
            || directive.starts_with("embed")
            || text.contains("__has_include")
    };
    let texts = case.files().iter().map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
    let reads_headers = texts.into_iter().any(|text| text.lines().any(includes));
    let line =
        if reads_headers { line.to_owned() } else { FOLDERS.replace_all(line, "").into_owned() };
    match home() {
        Some(home) => line.replace(&format!("{home}/"), "$HOME/"),
        None => line,
    }
}

/// The report with `~` for the user's own folder, which is private. In a program, line markers have it.
pub(super) fn without_home(report: BugReport) -> BugReport {
    let Some(home) = home() else { return report };
    let shown = |text: String| text.replace(&format!("{home}/"), "~/");
    let block = |block: ReportBlock| match block {
        ReportBlock::Text(text) => ReportBlock::Text(shown(text)),
        ReportBlock::Verbatim { language: "", text } => ReportBlock::output(shown(text)),
        ReportBlock::Table { head, rows } => {
            let row = |row: Vec<String>| row.into_iter().map(shown).collect();
            ReportBlock::Table { head, rows: rows.into_iter().map(row).collect() }
        }
        ReportBlock::Verbatim { language, text } => {
            let is_marker = |line: &str| {
                let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "));
                rest.is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
            };
            let line =
                |line: &str| if is_marker(line) { shown(line.to_owned()) } else { line.to_owned() };
            ReportBlock::Verbatim {
                language,
                text: text.split('\n').map(line).collect::<Vec<_>>().join("\n"),
            }
        }
    };
    let sections = report.sections.into_iter().map(|mut section| {
        section.blocks = section.blocks.into_iter().map(block).collect();
        section
    });
    let sections = sections.collect();
    BugReport { title: shown(report.title), sections }
}

fn home() -> Option<String> {
    let home = std::env::var("HOME").ok()?;
    let home = home.trim_end_matches('/');
    (home.starts_with('/') && home.len() > 1).then(|| home.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_no_header_is_read_of_are_left_out() {
        let line = "clang-19 -iquote /srv/own -I '/srv/a b' -I/srv/c -isystem /srv/d -Iinc -DN=/x -c x.c && ./x";
        let case = |text: &str| TestCase::single("x.c", text.as_bytes()).unwrap();
        assert_eq!(for_others(line, &case("int x;\n")), "clang-19 -Iinc -DN=/x -c x.c && ./x");
        assert_eq!(for_others(line, &case("# include \"x.h\"\n")), line);
    }
}
