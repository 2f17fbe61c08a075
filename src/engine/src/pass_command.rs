//! A user's pass: a program gets the current test case and prints groups of edits, one JSON object a line.
//!
//! It is asked once for each test case, and the journal has its answers. The first answer that is a failure ends it: the same program
//! would most likely fail again and again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clreduce_interestingness::Cancel;
use clreduce_journal::Proposed;
use clreduce_reducer::OwnPasses;
use clreduce_testcase::{ContentHash, Edit, Patch, TestCase};
use serde::{Deserialize, Serialize};

/// The fact that identifies the program. Without it, a reduction has no pass of its user.
pub const PASS_COMMAND_FACT: &str = "the pass command";

/// The most groups that are taken from one answer. A program that prints more does not know what is worth a test.
const MOST_GROUPS: usize = 100_000;

/// Runs the program on a test case, and returns what it prints, or the reason for a person why it failed.
pub type PassCommand = dyn Fn(&TestCase, &Cancel) -> Result<Vec<u8>, String> + Send + Sync;

/// Edits that belong together, as a program prints them on one line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    edits: Vec<TextEdit>,
}

/// The replacement of bytes `start..end` of a file. With one file, its name can be left out.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextEdit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    start: u32,
    end: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
}

/// What the program said of a test case.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CommandAnswer {
    Groups(Vec<Group>),
    Failed(String),
}

/// The program, and what it said so far.
pub(crate) struct AskedCommand {
    /// `None` where only earlier answers count.
    command: Option<Arc<PassCommand>>,
    cancel: Cancel,
    memory: Mutex<ProposalMemory>,
}

#[derive(Default)]
struct ProposalMemory {
    answers: BTreeMap<ContentHash, CommandAnswer>,
    has_failed: bool,
    /// Answers that are not in the journal yet.
    fresh: Vec<(ContentHash, CommandAnswer)>,
}

impl AskedCommand {
    pub(crate) fn new(command: Option<Arc<PassCommand>>, cancel: Cancel) -> Arc<Self> {
        Arc::new(Self { command, cancel, memory: Mutex::default() })
    }

    /// As a reducer has it.
    pub(crate) fn as_pass(self: &Arc<Self>) -> OwnPasses {
        let asked = Arc::clone(self);
        OwnPasses(Some(Arc::new(move |case| asked.propose(case))))
    }

    fn memory(&self) -> MutexGuard<'_, ProposalMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over the answers in a journal. One that cannot be read is asked for again.
    pub(crate) fn recall(&self, proposed: &[Proposed]) {
        let mut memory = self.memory();
        for (case, text) in proposed {
            if let Ok(answer) = serde_json::from_str(text) {
                memory.has_failed |= matches!(answer, CommandAnswer::Failed(_));
                memory.answers.insert(*case, answer);
            }
        }
    }

    /// The answers since the last call, for the journal, each with the reason if it is a failure.
    pub(crate) fn take_fresh(&self) -> Vec<(Proposed, Option<String>)> {
        let fresh = std::mem::take(&mut self.memory().fresh);
        let told = fresh.into_iter().map(|(case, answer)| {
            // Strings, numbers and lists: this cannot fail.
            let text = serde_json::to_string(&answer).unwrap_or_default();
            let reason = match answer {
                CommandAnswer::Failed(reason) => Some(reason),
                CommandAnswer::Groups(_) => None,
            };
            ((case, text), reason)
        });
        told.collect()
    }

    fn answer(&self, command: &PassCommand, case: &TestCase) -> Option<CommandAnswer> {
        let printed = command(case, &self.cancel);
        if self.cancel.is_cancelled() {
            // It was ended, too.
            return None;
        }
        let answer = printed.and_then(|printed| groups(&printed, case));
        Some(answer.map_or_else(CommandAnswer::Failed, CommandAnswer::Groups))
    }

    fn propose(&self, case: &TestCase) -> Vec<Patch> {
        let hash = case.hash();
        let known = self.memory().answers.get(&hash).cloned();
        let answer = match (known, &self.command) {
            (Some(known), _) => known,
            (None, Some(command)) if !self.memory().has_failed => {
                let Some(answer) = self.answer(&**command, case) else { return Vec::new() };
                let mut memory = self.memory();
                memory.has_failed |= matches!(answer, CommandAnswer::Failed(_));
                memory.answers.insert(hash, answer.clone());
                memory.fresh.push((hash, answer.clone()));
                answer
            }
            (None, _) => return Vec::new(),
        };
        match answer {
            CommandAnswer::Groups(groups) => {
                groups.iter().filter_map(|it| patch(it, case).ok()).collect()
            }
            CommandAnswer::Failed(_) => Vec::new(),
        }
    }
}

/// Reads what the program printed.
fn groups(printed: &[u8], case: &TestCase) -> Result<Vec<Group>, String> {
    let text = std::str::from_utf8(printed).map_err(|_| "it printed no UTF-8".to_owned())?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let mut groups = Vec::new();
    for (index, line) in lines {
        if groups.len() == MOST_GROUPS {
            return Err(format!("it printed more than {MOST_GROUPS} lines"));
        }
        let on_line = |what: String| format!("line {} of what it printed: {what}", index + 1);
        let group = serde_json::from_str(line).map_err(|error| on_line(error.to_string()))?;
        patch(&group, case).map_err(on_line)?;
        groups.push(group);
    }
    Ok(groups)
}

fn patch(group: &Group, case: &TestCase) -> Result<Patch, String> {
    let files = case.files();
    let edit = |it: &TextEdit| {
        let index = match &it.file {
            Some(name) => files.iter().position(|file| *file.path == **name),
            None => (files.len() == 1).then_some(0),
        };
        let name = it.file.as_deref().unwrap_or("(none)");
        let index = index.ok_or_else(|| format!("there is no file `{name}`"))?;
        let (start, end) = (it.start as usize, it.end as usize);
        let length = files[index].bytes.len();
        if start > end || end > length {
            return Err(format!("bytes {start} to {end} are not in a file of {length} bytes"));
        }
        Ok(Edit::replace(index, start..end, it.text.clone().into_bytes()))
    };
    let edits: Vec<Edit> = group.edits.iter().map(edit).collect::<Result<_, _>>()?;
    let mut ranges: Vec<(u32, u32, u32)> =
        edits.iter().map(|it| (it.file, it.start, it.end)).collect();
    ranges.sort_unstable();
    let overlap = ranges.windows(2).any(|pair| pair[0].0 == pair[1].0 && pair[1].1 < pair[0].2);
    let patch = (!overlap && !edits.is_empty()).then(|| Patch::new(edits)).flatten();
    patch.ok_or_else(|| "its edits overlap, or there are none".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> TestCase {
        TestCase::single("a.c", b"int a; int b;".as_slice()).unwrap()
    }

    #[test]
    fn a_line_is_a_group_of_edits() {
        let line = r#"{"edits": [{"start": 0, "end": 7}, {"file": "a.c", "start": 11, "end": 12, "text": "c"}]}"#;
        let groups = groups(format!("\n{line}\n").as_bytes(), &case()).unwrap();
        let patch = patch(&groups[0], &case()).unwrap();
        assert_eq!(&*case().apply(&patch).files()[0].bytes, b"int c;");
    }

    #[test]
    fn nonsense_is_named_with_its_line() {
        let fails = |line: &str| groups(format!("\n{line}\n").as_bytes(), &case()).unwrap_err();
        for (line, part) in [
            ("hello", "line 2 "),
            ("{\"edits\": []}", "none"),
            (r#"{"edits": [{"start": 3, "end": 2}]}"#, "bytes 3 to 2"),
            (r#"{"edits": [{"start": 0, "end": 99}]}"#, "13 bytes"),
            (r#"{"edits": [{"start": -1, "end": 2}]}"#, "invalid value"),
            (r#"{"edits": [{"start": 0, "end": 5}, {"start": 4, "end": 7}]}"#, "overlap"),
            (r#"{"edits": [{"file": "../b.c", "start": 0, "end": 1}]}"#, "no file `../b.c`"),
            (r#"{"edits": [{"start": 0, "end": 1, "txt": ""}]}"#, "unknown field"),
        ] {
            assert!(fails(line).contains(part), "{line}: {}", fails(line));
        }
        assert!(groups(b"\xff\n", &case()).unwrap_err().contains("UTF-8"));
    }
}
