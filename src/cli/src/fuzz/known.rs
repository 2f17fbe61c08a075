//! Bugs that are known from elsewhere: a list with the words that the reduced programs of each have.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clreduce_batch::Batch;
use clreduce_report::read_result;

use super::tally::Tally;
use crate::failure::{CliError, FuzzError};

/// The list. Each line is a name, a colon and words; `#` begins a comment.
#[derive(Debug, Default)]
pub(super) struct KnownCauses(Vec<(String, Vec<String>)>);

impl KnownCauses {
    /// Reads the list.
    ///
    /// # Errors
    /// When the file cannot be read, or a line has no name or no words.
    pub(super) fn read(path: &Path) -> Result<Self, FuzzError> {
        let text = fs::read_to_string(path)
            .map_err(|source| FuzzError::ReadKnown { path: path.to_owned(), source })?;
        let lines = (1..).zip(text.lines()).map(|(number, line)| {
            (number, line.split_once('#').map_or(line, |(before, _)| before).trim())
        });
        let named = lines.filter(|(_, line)| !line.is_empty()).map(|(line, text)| {
            let (name, words) = text.split_once(':').unwrap_or_default();
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            if name.trim().is_empty() || words.is_empty() {
                return Err(FuzzError::NoKnown { path: path.to_owned(), line });
            }
            Ok((name.trim().to_owned(), words))
        });
        Ok(Self(named.collect::<Result<_, _>>()?))
    }

    /// The names that the bugs of a campaign have here.
    ///
    /// # Errors
    /// When a reduced program cannot be read.
    pub(super) fn of(
        &self,
        batch: &Batch,
        tally: &Tally,
    ) -> Result<BTreeMap<String, &str>, CliError> {
        let mut found = BTreeMap::new();
        for name in tally.bugs.keys().filter(|_| !self.0.is_empty()) {
            let Some(program) = read_result(&batch.folder_of(name))? else { continue };
            let texts = program.files().iter().map(|file| String::from_utf8_lossy(&file.bytes));
            let text = texts.collect::<Vec<_>>().concat();
            if let Some(known) = self.name_of(&text) {
                found.insert(name.clone(), known);
            }
        }
        Ok(found)
    }

    /// The name of the bug that a program shows: of those whose words it has, the one with the most.
    fn name_of(&self, program: &str) -> Option<&str> {
        let lines: Vec<&str> =
            program.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let has = |word: &String| lines.iter().any(|line| has_word(line, word));
        let fits = self.0.iter().rev().filter(|(_, words)| words.iter().all(has));
        fits.max_by_key(|(_, words)| words.len()).map(|(name, _)| name.as_str())
    }
}

/// Returns true if a line has a word as a whole. An instruction such as `shf.l.wrap.b32` has the word `shf.l`.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(|c| is_part(c) || c == '.') && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_words_name_a_bug() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known");
        let text = "# of others\nshift: cnot shf.l\nplain: cnot  # alone\n\n";
        fs::write(&path, text).unwrap();
        let known = KnownCauses::read(&path).unwrap();
        let program = "// neg.s16\ncnot.b32 %r1, %r2;\nshf.l.wrap.b32 %r3, %r1, 0, 1;";
        assert_eq!(known.name_of(program), Some("shift"));
        assert_eq!(known.name_of("cnot.b64 %d1, %d2;"), Some("plain"));
        assert_eq!(known.name_of("xcnot.b64 ptx.cnot shf.l"), None);
        for bad in ["cnot shf.l", ": cnot", "name:"] {
            fs::write(&path, format!("plain: cnot\n{bad}\n")).unwrap();
            let error = KnownCauses::read(&path).unwrap_err().to_string();
            assert!(error.contains("line 2") && error.contains("help: "), "{error}");
        }
    }
}
