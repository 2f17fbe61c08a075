//! The first part of a reduction: the kernel as a program, with the right results of each candidate. A journal in the folder
//! of the case has the verdicts, so that a killed campaign does not run them again.

use std::path::Path;
use std::time::Duration;

use clreduce_generator::{Kernel, reduce};
use clreduce_interestingness::{Filtered, Verdict};
use clreduce_journal::{Facts, Journal, JournalEntry, JournalHeader, StateError, StateFolder};
use clreduce_testcase::{ContentHash, TestCase};

use crate::outcome::{Observed, Subject};
use crate::runner::Runner;

/// Folder of the journal, in the folder of the case.
pub(crate) const STATE: &str = "program";
/// The pass that stands in the journal.
const PASS: &str = "program";

/// Makes a kernel smaller that shows an outcome on a configuration. `None` once the campaign is cancelled.
///
/// # Errors
/// When the journal cannot be used.
pub(crate) fn shrink(
    runner: &Runner,
    configuration: usize,
    (kernel, original): (&Kernel, &TestCase),
    wanted: &Observed,
    folder: &Path,
    tell: &dyn Fn(u64, usize),
) -> Result<Option<Kernel>, StateError> {
    let facts = Facts::from([
        ("the configuration".to_owned(), runner.matrix.name(configuration)),
        ("the outcome".to_owned(), format!("{}: {}", wanted.class.name(), wanted.signature)),
    ]);
    let header = JournalHeader::new(&original.hash(), Duration::ZERO, false, facts);
    let (_lock, mut journal) = begin(folder, original, &header)?;
    let (mut error, mut steps) = (None, 0);
    let mut size = kernel.source.len();
    let small = reduce(kernel, &mut |candidate| {
        if error.is_some() || runner.cancel.is_cancelled() {
            return false;
        }
        steps += 1;
        tell(steps, size);
        match judged(runner, configuration, candidate, wanted, &mut journal) {
            Ok(Some(true)) => size = candidate.source.len(),
            Ok(Some(false) | None) => return false,
            Err(failed) => {
                error = Some(failed);
                return false;
            }
        }
        true
    });
    match error {
        Some(error) => Err(error),
        None => Ok((!runner.cancel.is_cancelled()).then_some(small)),
    }
}

/// The journal in the folder of a case.
fn begin(
    case: &Path,
    original: &TestCase,
    header: &JournalHeader,
) -> Result<(StateFolder, Journal), StateError> {
    let folder = StateFolder::open(case.join(STATE))?;
    match folder.resume(header) {
        Ok(Some((journal, _))) => return Ok((folder, journal)),
        // Since then an earlier alarm has shown a bug, and the program goes without it. Nothing of the other reduction fits.
        Err(StateError::Changed { .. }) => {}
        Ok(None) => {
            let journal = folder.begin(original, header)?;
            return Ok((folder, journal));
        }
        Err(error) => return Err(error),
    }
    drop(folder);
    clreduce_files::remove_tree(case).map_err(|source| {
        let path = case.to_owned();
        StateError::Io { action: "remove", path, source }
    })?;
    let folder = StateFolder::open(case.join(STATE))?;
    let journal = folder.begin(original, header)?;
    Ok((folder, journal))
}

/// The verdict on a candidate, from the journal or by running it.
fn judged(
    runner: &Runner,
    configuration: usize,
    candidate: &Kernel,
    wanted: &Observed,
    journal: &mut Journal,
) -> Result<Option<bool>, StateError> {
    let hash = ContentHash::of(candidate.source.as_bytes());
    let known = journal.replay().front().filter(|entry| entry.hash == hash);
    let shown = match known {
        Some(entry) => entry.verdict == Verdict::Interesting,
        None => match runner.shows(configuration, &Subject::from(candidate), wanted) {
            Some(shown) => shown,
            None => return Ok(None),
        },
    };
    let verdict = if shown { Verdict::Interesting } else { Verdict::Uninteresting };
    let (filtered, complaints) = (Filtered::Passed, Vec::new());
    journal.record(&JournalEntry { hash, verdict, filtered, complaints }, PASS)?;
    Ok(Some(shown))
}
