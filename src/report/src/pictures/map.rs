//! The map of the original: a strip in the order of its lines, coloured by the pass that took each part, and one by when.

use std::collections::BTreeMap;
use std::fmt::Write;

use clreduce_batch::{CaseRecord, CommitRecord};

use super::axis::piece;
use super::{COLOURS, count, escaped, percent, seconds, section};

/// The most columns of a strip. Of the lines in a column, what most of them share is shown; a line that is left is always.
const COLUMNS: usize = 480;
/// The number of shades of "when".
const SHADES: f64 = 6.0;

/// The map, if the lines of the original are known.
pub(crate) fn map(record: &CaseRecord, commits: &[CommitRecord]) -> String {
    let lines: usize = record.files.iter().map(|file| file.lines).sum();
    if lines == 0 || commits.iter().all(|commit| commit.taken.is_empty()) {
        return String::new();
    }
    let fates = fates(lines, commits);
    let legend = Legend::of(&fates, commits);
    let columns = columns(&fates);
    let by_pass = strip(&columns, lines, |fate| match fate {
        None => ("left".to_owned(), "left".to_owned()),
        Some(commit) => {
            let CommitRecord { pass, seconds: time, .. } = &commits[commit];
            let about = format!("{pass}, commit {}, after {}", commit + 1, seconds(*time));
            (format!("fill{}", legend.colour(pass)), about)
        }
    });
    let end = commits.last().map_or(0.0, |commit| commit.seconds);
    let by_time = strip(&columns, lines, |fate| match fate {
        None => ("left".to_owned(), "left".to_owned()),
        Some(commit) => {
            let time = commits[commit].seconds;
            let shade = (time / end.max(1e-9) * SHADES).floor().clamp(0.0, SHADES - 1.0);
            (format!("when{shade}"), format!("after {}", seconds(time)))
        }
    });
    let scale = format!(
        "<ul class=legend><li>when:</li><li><i class=when0></i>at once</li><li><i class=when3></i>after {}</li>\
         <li><i class=when5></i>after {}</li></ul>",
        seconds(end / 2.0),
        seconds(end)
    );
    let content = format!("{by_pass}{}{}{by_time}{scale}", axis(record, lines), legend.html());
    section("map", "The original, line by line, and what took each part", &content)
}

/// For each line, the commit that took it; `None` if it is left.
fn fates(lines: usize, commits: &[CommitRecord]) -> Vec<Option<usize>> {
    let mut fates = vec![None; lines];
    for (number, commit) in commits.iter().enumerate() {
        for [first, last] in &commit.taken {
            let end = (*last as usize).min(lines);
            let start = (*first as usize).saturating_sub(1).min(end);
            fates[start..end].fill(Some(number));
        }
    }
    fates
}

/// The lines of each column, and their common fate.
fn columns(fates: &[Option<usize>]) -> Vec<(usize, usize, Option<usize>)> {
    let count = fates.len().min(COLUMNS);
    let edge = |column: usize| column * fates.len() / count;
    let column = |column: usize| {
        let (start, end) = (edge(column), edge(column + 1));
        let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
        let inside = &fates[start..end];
        inside.iter().flatten().for_each(|commit| *votes.entry(*commit).or_default() += 1);
        let most = votes.into_iter().max_by_key(|(commit, votes)| (*votes, *commit));
        let is_left = inside.contains(&None);
        (start, end, most.map(|(commit, _)| commit).filter(|_| !is_left))
    };
    (0..count).map(column).collect()
}

/// Columns side by side; neighbours that look the same are one piece.
fn strip(
    columns: &[(usize, usize, Option<usize>)],
    lines: usize,
    look: impl Fn(Option<usize>) -> (String, String),
) -> String {
    let mut text = "<div class=strip>".to_owned();
    for same in columns.chunk_by(|a, b| a.2 == b.2) {
        let (Some((start, _, fate)), Some((_, end, _))) = (same.first(), same.last()) else {
            continue;
        };
        let (class, about) = look(*fate);
        let title =
            format!("lines {} to {}: {about}", count(*start as u64 + 1), count(*end as u64));
        text += &piece(&class, (*start as f64, *end as f64), lines as f64, &title);
    }
    text + "</div>"
}

/// Numbers of lines below the strip, or the names of several files.
fn axis(record: &CaseRecord, lines: usize) -> String {
    let mut text = "<div class=scale>".to_owned();
    let at = |line: usize| percent(line as f64, lines as f64);
    // Writing to a string cannot fail.
    if let [_] = &record.files[..] {
        for part in 0..=4 {
            let line = (part * lines / 4).max(1);
            let class = ["first", "", "", "", "last"][part];
            let _ = write!(
                text,
                "<span class=\"{class}\" style=\"left:{}\">{}</span>",
                at(part * lines / 4),
                count(line as u64)
            );
        }
        return text + "</div><p class=unit>line</p>";
    }
    let mut start = 0;
    for file in &record.files {
        let width = at(file.lines);
        let path = escaped(&file.path);
        let _ = write!(
            text,
            "<span class=file style=\"left:{};width:{width}\" title=\"{path}\">{path}</span>",
            at(start)
        );
        start += file.lines;
    }
    text + "</div>"
}

/// The passes that took most lines, each with its colour; the others share one.
struct Legend {
    /// The passes with the lines that they took, in the order of their colours.
    passes: Vec<(String, usize)>,
    others: usize,
    left: usize,
}

impl Legend {
    fn of(fates: &[Option<usize>], commits: &[CommitRecord]) -> Self {
        let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
        for commit in fates.iter().flatten() {
            *taken.entry(&commits[*commit].pass).or_default() += 1;
        }
        let mut passes: Vec<(String, usize)> =
            taken.into_iter().map(|(pass, lines)| (pass.to_owned(), lines)).collect();
        passes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let rest = passes.split_off(passes.len().min(COLOURS - 1));
        let left = fates.iter().filter(|fate| fate.is_none()).count();
        Self { passes, others: rest.iter().map(|(_, lines)| lines).sum(), left }
    }

    fn colour(&self, pass: &str) -> usize {
        self.passes.iter().position(|(name, _)| name == pass).unwrap_or(COLOURS - 1)
    }

    fn html(&self) -> String {
        let item = |class: String, name: &str, lines: usize| {
            let lines = if lines == 1 {
                "1 line".to_owned()
            } else {
                format!("{} lines", count(lines as u64))
            };
            format!("<li><i class={class}></i>{} <small>{lines}</small></li>", escaped(name))
        };
        let passes = self.passes.iter().enumerate();
        let mut text: String =
            passes.map(|(at, (name, lines))| item(format!("fill{at}"), name, *lines)).collect();
        if self.others > 0 {
            text += &item(format!("fill{}", COLOURS - 1), "other passes", self.others);
        }
        text += &item("left".to_owned(), "left", self.left);
        format!("<ul class=legend>{text}</ul>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_left_is_seen_in_a_long_program() {
        let mut fates = vec![Some(0); 100_000];
        fates[77_777] = None;
        let columns = columns(&fates);
        assert_eq!(columns.len(), COLUMNS);
        assert_eq!(columns.iter().filter(|column| column.2.is_none()).count(), 1);
        let (first, last) = (columns[0], columns[COLUMNS - 1]);
        assert_eq!((first.0, last.1), (0, 100_000));
    }
}
