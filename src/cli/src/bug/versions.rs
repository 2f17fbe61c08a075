//! Which of several compilers have a bug.

use std::path::Path;

use clreduce_report::{ReportBlock, Section, VersionMark, VersionSeen, page_of_versions};

/// The most compilers that are all run. Of more, some are run first, and those between two that differ afterwards.
const ALL: usize = 40;

/// The behaviour of a compiler on the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VersionResult {
    /// It shows the bug.
    Shows,
    /// It does what it should.
    Right(String),
    /// It shows another bug, rejects the program, or does not run: neither.
    Unclear(String),
    /// It is not installed.
    Missing(String),
}

/// A compiler and its result; `None` where it was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VersionRow {
    pub name: String,
    pub version: String,
    pub result: Option<VersionResult>,
}

impl VersionRow {
    fn shows(&self) -> bool {
        self.result == Some(VersionResult::Shows)
    }

    /// The result in words.
    pub(super) fn words(&self) -> String {
        match &self.result {
            None => "not run".to_owned(),
            Some(VersionResult::Shows) => "shows the bug".to_owned(),
            Some(VersionResult::Right(what)) => format!("does not show it: {what}"),
            Some(VersionResult::Unclear(what)) => what.clone(),
            Some(VersionResult::Missing(how)) => format!("not installed{how}"),
        }
    }
}

/// Expands `{13..19}` and `{a,b}`, as shells do. Other braces stay.
pub(super) fn expanded(text: &str) -> Vec<String> {
    let open = text.match_indices('{').find_map(|(open, _)| {
        let close = open + text[open..].find('}')?;
        let parts = alternatives(&text[open + 1..close])?;
        Some((open, close, parts))
    });
    let Some((open, close, parts)) = open else { return vec![text.to_owned()] };
    let ends = expanded(&text[close + 1..]);
    let one = |part: String| {
        let start = format!("{}{part}", &text[..open]);
        ends.iter().map(move |end| format!("{start}{end}")).collect::<Vec<_>>()
    };
    parts.into_iter().flat_map(one).collect()
}

fn alternatives(inside: &str) -> Option<Vec<String>> {
    if let Some((first, last)) = inside.split_once("..") {
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first.abs_diff(last) > 1000 {
            return None;
        }
        let numbers = first.min(last)..=first.max(last);
        let mut numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        if first > last {
            numbers.reverse();
        }
        return Some(numbers);
    }
    let parts = inside.split(',').map(str::to_owned);
    inside.contains(',').then(|| parts.collect())
}

/// Runs compilers until it is known between which neighbours the result changes. It may change any number of times.
pub(super) fn run_all<E>(
    count: usize,
    mut run: impl FnMut(usize) -> Result<VersionResult, E>,
) -> Result<Vec<Option<VersionResult>>, E> {
    let mut results: Vec<Option<VersionResult>> = vec![None; count];
    let step = count.div_ceil(ALL).max(1);
    let mut pending: Vec<usize> = (0..count).step_by(step).chain(count.checked_sub(1)).collect();
    while !pending.is_empty() {
        for at in pending.drain(..) {
            if results[at].is_none() {
                results[at] = Some(run(at)?);
            }
        }
        let known: Vec<usize> = (0..count).filter(|at| results[*at].is_some()).collect();
        let kind = |at: usize| results[at].as_ref().map(std::mem::discriminant);
        let differ = |pair: &&[usize]| kind(pair[0]) != kind(pair[1]) && pair[1] - pair[0] > 1;
        pending = known.windows(2).filter(differ).map(|pair| pair[0].midpoint(pair[1])).collect();
    }
    Ok(results)
}

/// Says which compilers show the bug, the first and the last of them.
pub(super) fn summary(rows: &[VersionRow]) -> String {
    let ran =
        rows.iter().filter(|row| !matches!(row.result, None | Some(VersionResult::Missing(_))));
    let names: Vec<&str> = rows.iter().filter(|row| row.shows()).map(|row| &*row.name).collect();
    let ran = ran.count();
    let found = match names[..] {
        [] => format!("None of the {ran} that ran shows the bug."),
        [only] => format!("Only {only} shows the bug, of {ran} that ran."),
        [first, .., last] => format!(
            "{} of the {ran} that ran show the bug: the first is {first}, the last {last}.",
            names.len()
        ),
    };
    let found = [found].into_iter().chain(changes(rows)).collect::<Vec<_>>().join(" ");
    match rows.iter().filter(|row| matches!(row.result, Some(VersionResult::Missing(_)))).count() {
        0 => found,
        1 => format!("{found} 1 more is missing."),
        missing => format!("{found} {missing} more are missing."),
    }
}

/// Sentences on the versions between which the bug came or went, where all rows are versions of one compiler.
fn changes(rows: &[VersionRow]) -> Vec<String> {
    let family = |row: &VersionRow| {
        let mut dashes = row.name.rmatch_indices('-').map(|(at, _)| at);
        let is_number = |at: &usize| row.name[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        dashes.find(is_number).map(|at| row.name[..at].to_owned())
    };
    let first = rows.first().and_then(family);
    if first.is_none() || rows.iter().any(|row| family(row) != first) {
        return Vec::new();
    }
    let is_decided = |row: &VersionRow| {
        matches!(row.result, Some(VersionResult::Shows | VersionResult::Right(_)))
    };
    let decided: Vec<usize> = (0..rows.len()).filter(|at| is_decided(&rows[*at])).collect();
    let differ = |pair: &&[usize]| rows[pair[0]].shows() != rows[pair[1]].shows();
    let sentence = |pair: &[usize]| {
        let (from, to) = (&rows[pair[0]], &rows[pair[1]]);
        let verb = if to.shows() { "came" } else { "went" };
        let between: Vec<&str> = rows[pair[0] + 1..pair[1]].iter().map(|row| &*row.name).collect();
        let open = if between.is_empty() {
            String::new()
        } else {
            format!("; {} in between cannot tell", between.join(", "))
        };
        format!("It {verb} between {} and {}{open}.", from.name, to.name)
    };
    decided.windows(2).filter(differ).map(sentence).collect()
}

/// The page of `--report`.
pub(super) fn page(program: &Path, rows: &[VersionRow]) -> String {
    let seen = |row: &VersionRow| VersionSeen {
        name: row.name.clone(),
        mark: match row.result {
            Some(VersionResult::Shows) => VersionMark::Bug,
            Some(VersionResult::Right(_)) => VersionMark::Right,
            Some(VersionResult::Unclear(_)) => VersionMark::Unclear,
            Some(VersionResult::Missing(_)) | None => VersionMark::NotRun,
        },
        words: row.words(),
        version: row.version.lines().next().unwrap_or_default().to_owned(),
    };
    let seen: Vec<VersionSeen> = rows.iter().map(seen).collect();
    page_of_versions(&format!("clreduce bisect {}", program.display()), &summary(rows), &seen)
}

/// The section of a bug report.
pub(super) fn section(rows: &[VersionRow]) -> Section {
    let row = |row: &VersionRow| {
        let version = row.version.lines().next().unwrap_or_default().to_owned();
        vec![row.name.clone(), row.words(), version]
    };
    let table = ReportBlock::Table {
        head: vec!["compiler", "result", "version"],
        rows: rows.iter().map(row).collect(),
    };
    Section { heading: "Versions", blocks: vec![ReportBlock::Text(summary(rows)), table] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_expanded_and_others_stay() {
        assert_eq!(expanded("clang-{13..15}"), ["clang-13", "clang-14", "clang-15"]);
        assert_eq!(
            expanded("{g,cl}ang {file} {2..1}"),
            ["gang {file} 2", "gang {file} 1", "clang {file} 2", "clang {file} 1"]
        );
        for same in ["clang -c {file}", "a{", "{1..2000000000}", "{a..b}", "}{"] {
            assert_eq!(expanded(same), [same]);
        }
    }

    #[test]
    fn the_versions_between_which_a_bug_comes_and_goes_are_named() {
        let right = || Some(VersionResult::Right("built".to_owned()));
        let unclear = || Some(VersionResult::Unclear("does not build".to_owned()));
        let rows = |results: Vec<(&str, Option<VersionResult>)>| -> Vec<VersionRow> {
            let row = |(name, result): (&str, _)| VersionRow {
                name: name.to_owned(),
                version: String::new(),
                result,
            };
            results.into_iter().map(row).collect()
        };
        let shows = || Some(VersionResult::Shows);
        let history = rows(vec![
            ("zig-cc-0.8", right()),
            ("zig-cc-0.9", unclear()),
            ("zig-cc-0.10.1.post1", shows()),
            ("zig-cc-0.11", right()),
            ("zig-cc-0.12", unclear()),
        ]);
        let told = changes(&history);
        assert_eq!(
            told,
            [
                "It came between zig-cc-0.8 and zig-cc-0.10.1.post1; zig-cc-0.9 in between cannot tell.",
                "It went between zig-cc-0.10.1.post1 and zig-cc-0.11.",
            ]
        );
        let others = rows(vec![("gcc", right()), ("clang-13", shows())]);
        assert!(changes(&others).is_empty());
    }

    /// Every change is found between its neighbours, also where the bug comes and goes.
    #[test]
    fn of_many_compilers_those_between_different_results_are_run() {
        let shows = |at: usize| (100..300).contains(&at) || (700..800).contains(&at);
        let mut runs = 0;
        let results = run_all(1000, |at| {
            runs += 1;
            let right = VersionResult::Right("compiles".to_owned());
            Ok::<_, ()>(if shows(at) { VersionResult::Shows } else { right })
        })
        .unwrap();
        for at in [99, 100, 299, 300, 699, 700, 799, 800, 0, 999] {
            assert_eq!(results[at] == Some(VersionResult::Shows), shows(at), "{at}");
            assert!(results[at].is_some(), "{at} was not run");
        }
        assert!(runs < 70, "{runs}");
        let all = run_all(ALL, |_| Ok::<_, ()>(VersionResult::Shows)).unwrap();
        assert!(all.iter().all(Option::is_some));
    }
}
