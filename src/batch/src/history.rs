//! The history of a case: a file with a line for every commit, written when it happens. A run that continues an earlier
//! one adds to its lines and figures.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use clreduce_engine::events::Event;
use clreduce_testcase::{TestCase, printable_json};
use serde::{Deserialize, Serialize};

use crate::Measure;
use crate::diff::diff;
use crate::taken::LinesLeft;

/// Name of the file in a case's folder.
const FILE: &str = "history.jsonl";
/// Its name in folders of older versions.
const OLD_FILE: &str = "course.jsonl";

/// A variant that became the current test case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommitRecord {
    /// Number of the step that committed it, from 1.
    pub step: u64,
    /// The number of tests started until then.
    pub tests: u64,
    /// Wall time until then, in seconds.
    pub seconds: f64,
    /// Pass that proposed it.
    pub pass: String,
    /// Its size in bytes, white space included.
    pub bytes: usize,
    /// Its size in tokens.
    pub tokens: usize,
    /// The work-items that its launch comment asks for; 1 without one.
    pub work_items: u64,
    /// The change as a unified diff; long runs of lines are cut.
    pub diff: String,
    /// The lines of the original that went with it: the first and the last of each run, from 1 and through all files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<[u32; 2]>,
}

impl CommitRecord {
    /// The commit that an event tells of, still without its diff, and the test case that it made.
    #[must_use]
    pub fn of(event: &Event, tests: u64, seconds: f64) -> Option<(Self, &TestCase)> {
        let Event::Committed { step, pass, size, bytes, case } = event else { return None };
        let Measure { bytes, tokens, work_items } = Measure::new(*size, *bytes);
        let (step, pass, diff, taken) = (*step, (*pass).to_owned(), String::new(), Vec::new());
        Some((Self { step, tests, seconds, pass, bytes, tokens, work_items, diff, taken }, case))
    }
}

/// The commits of a case so far.
///
/// # Errors
/// When a file cannot be read. A missing file is no error.
pub fn read_history(folder: &Path) -> io::Result<Vec<CommitRecord>> {
    let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let mut files = [FILE, OLD_FILE].into_iter().map(|name| fs::read(folder.join(name)));
    let found = files.find(|bytes| !bytes.as_ref().is_err_and(is_missing));
    let Some(bytes) = found.transpose()? else { return Ok(Vec::new()) };
    // Nothing was written after a line that was torn by a kill.
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    Ok(lines.map_while(|line| serde_json::from_slice(line.strip_suffix(b"\n")?).ok()).collect())
}

/// The history of a case that is being reduced.
pub(crate) struct History {
    file: File,
    /// The steps of the commits in the file, and where their lines end.
    lines: Vec<(u64, u64)>,
    current: TestCase,
    lines_left: LinesLeft,
    /// The last commit that an earlier run came to.
    earlier: Option<CommitRecord>,
}

impl History {
    /// Continues the history in a folder, or begins a new one if nothing is resumed.
    pub(crate) fn open(folder: &Path, original: TestCase, is_resumed: bool) -> io::Result<Self> {
        let commits = if is_resumed { read_history(folder)? } else { Vec::new() };
        let file =
            OpenOptions::new().create(true).write(true).truncate(true).open(folder.join(FILE))?;
        let lines_left = LinesLeft::new(&original);
        let mut history =
            Self { file, lines: Vec::new(), current: original, lines_left, earlier: None };
        commits.iter().try_for_each(|commit| history.write(commit))?;
        history.earlier = commits.into_iter().last();
        Ok(history)
    }

    fn write(&mut self, commit: &CommitRecord) -> io::Result<()> {
        let line = line(commit)?;
        self.file.write_all(&line)?;
        self.lines.push((commit.step, self.length() + line.len() as u64));
        Ok(())
    }

    fn length(&self) -> u64 {
        self.lines.last().map_or(0, |(_, end)| *end)
    }

    /// Removes the commits after a step: they were a mistake. `case` is the current test case now.
    pub(crate) fn go_back(&mut self, step: u64, case: &TestCase) -> io::Result<()> {
        self.lines.retain(|(commit, _)| *commit <= step);
        if let Some(earlier) = &mut self.earlier {
            earlier.step = earlier.step.min(step);
        }
        self.current = case.clone();
        self.lines_left.go_back(case);
        self.file.set_len(self.length())?;
        self.file.seek(SeekFrom::Start(self.length())).map(drop)
    }

    /// Wall time and tests of earlier runs, as far as they are known.
    pub(crate) fn before(&self) -> (f64, u64) {
        self.earlier.as_ref().map_or((0.0, 0), |commit| (commit.seconds, commit.tests))
    }

    /// Writes a commit, unless an earlier run did. Its figures are of this run alone.
    pub(crate) fn add(&mut self, mut commit: CommitRecord, case: &TestCase) -> io::Result<()> {
        let is_told = self.earlier.as_ref().is_some_and(|last| commit.step <= last.step);
        let before = std::mem::replace(&mut self.current, case.clone());
        commit.taken = self.lines_left.follow(case);
        if is_told {
            return Ok(());
        }
        let (seconds, tests) = self.before();
        commit.seconds += seconds;
        commit.tests += tests;
        commit.diff = diff(&before, case);
        self.write(&commit)
    }
}

/// One write for each: what a kill leaves is at worst one torn line.
fn line(commit: &CommitRecord) -> io::Result<Vec<u8>> {
    let line = serde_json::to_string(commit)?;
    Ok(format!("{}\n", printable_json(&line)).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str) -> TestCase {
        TestCase::single("a.c", text.as_bytes()).unwrap()
    }

    fn commit(step: u64) -> CommitRecord {
        CommitRecord {
            step,
            tests: step,
            seconds: 1.0,
            pass: "lines".to_owned(),
            bytes: 1,
            tokens: 1,
            work_items: 1,
            diff: String::new(),
            taken: Vec::new(),
        }
    }

    #[test]
    fn a_history_of_an_older_version_is_read_and_continued() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(OLD_FILE), line(&commit(3)).unwrap()).unwrap();
        assert_eq!(read_history(dir.path()).unwrap(), [commit(3)]);
        let mut history = History::open(dir.path(), case("a\nb\n"), true).unwrap();
        history.add(commit(5), &case("a\n")).unwrap();
        let steps: Vec<_> = read_history(dir.path()).unwrap().iter().map(|c| c.step).collect();
        assert_eq!(steps, [3, 5]);
    }

    #[test]
    fn a_history_goes_on_after_a_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let mut history = History::open(dir.path(), case("a\nb\nc\n"), false).unwrap();
        history.add(commit(3), &case("a\nb\n")).unwrap();
        history.file.write_all(b"{\"step\":5,").unwrap();
        let mut history = History::open(dir.path(), case("a\nb\nc\n"), true).unwrap();
        history.add(commit(3), &case("a\nb\n")).unwrap();
        history.add(commit(5), &case("a\n")).unwrap();
        let commits = read_history(dir.path()).unwrap();
        let figures: Vec<_> = commits.iter().map(|c| (c.step, c.tests, c.seconds)).collect();
        assert_eq!(figures, [(3, 3, 1.0), (5, 8, 2.0)]);
        assert!(commits[0].diff.contains("-c") && commits[1].diff.contains("-b"), "{commits:?}");
        let history = History::open(dir.path(), case("a\n"), false).unwrap();
        assert_eq!((history.before(), read_history(dir.path()).unwrap()), ((0.0, 0), Vec::new()));
    }
}
