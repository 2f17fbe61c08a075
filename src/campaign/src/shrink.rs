//! The first part of a reduction: the kernel as a program, with the right results of each candidate. A journal in the folder
//! of the case has the verdicts, so that a killed campaign does not run them again.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clreduce_generator::{Kernel, reduce};
use clreduce_interestingness::{Filtered, Verdict};
use clreduce_journal::{Facts, Journal, JournalEntry, JournalHeader, StateError, StateFolder};
use clreduce_process::in_parallel;
use clreduce_testcase::{ContentHash, TestCase};

use crate::outcome::{Observed, Subject};
use crate::runner::Runner;

/// Folder of the journal, in the folder of the case.
pub(crate) const STATE: &str = "program";
/// The pass that stands in the journal.
const PASS: &str = "program";
/// See [`Judge::at_once`].
const MOST_AT_ONCE: usize = 8;

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
    let (_lock, journal) = begin(folder, original, &header)?;
    let under_way = UnderWay::new(&runner.shrinking);
    let mut judge = Judge { runner, configuration, wanted, journal, under_way };
    let (mut error, mut steps, mut size) = (None, 0, kernel.source.len());
    let small = reduce(kernel, &mut |candidates| {
        let mut count = 0;
        while error.is_none() && !runner.cancel.is_cancelled() {
            let mut some: Vec<Kernel> = candidates.take(judge.at_once()).collect();
            let verdicts = judge.verdicts(&some).unwrap_or_else(|failed| {
                error = Some(failed);
                Vec::new()
            });
            steps += verdicts.len() as u64;
            let shown = verdicts.iter().position(|shown| *shown);
            size = shown.map_or(size, |index| some[index].source.len());
            tell(steps, size);
            if some.is_empty() || shown.is_some() {
                return shown.map(|index| (count + index, some.swap_remove(index)));
            }
            count += some.len();
        }
        None
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

/// Counts a reduction as long as it lives.
struct UnderWay<'a>(&'a AtomicUsize);

impl<'a> UnderWay<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs candidates, or reads in the journal what they have shown.
struct Judge<'a> {
    runner: &'a Runner,
    configuration: usize,
    wanted: &'a Observed,
    journal: Journal,
    under_way: UnderWay<'a>,
}

impl Judge<'_> {
    /// The number of candidates that are run at the same time: this reduction's share of the processors. As most candidates are
    /// rejected, most of those after the first are of use.
    fn at_once(&self) -> usize {
        let reductions = self.under_way.0.load(Ordering::Relaxed).max(1);
        (self.runner.pool.threads() / reductions).clamp(1, MOST_AT_ONCE)
    }

    /// The verdicts on candidates up to the first one that shows the outcome. There are none once the campaign is cancelled.
    fn verdicts(&mut self, candidates: &[Kernel]) -> Result<Vec<bool>, StateError> {
        let hash = |candidate: &Kernel| ContentHash::of(candidate.source.as_bytes());
        let from_journal = candidates.iter().zip(self.journal.replay());
        let known = from_journal.take_while(|(candidate, entry)| entry.hash == hash(candidate));
        let mut verdicts: Vec<bool> =
            known.map(|(_, entry)| entry.verdict == Verdict::Interesting).collect();
        if !verdicts.contains(&true) {
            let rest = &candidates[verdicts.len()..];
            let (runner, wanted) = (self.runner, self.wanted);
            let shows = |_, one| runner.shows(self.configuration, &Subject::from(one), wanted);
            match in_parallel(rest, rest.len(), shows).into_iter().collect::<Option<Vec<bool>>>() {
                Some(shown) => verdicts.extend(shown),
                None => return Ok(Vec::new()),
            }
        }
        if let Some(first) = verdicts.iter().position(|shown| *shown) {
            verdicts.truncate(first + 1);
        }
        for (candidate, shown) in candidates.iter().zip(&verdicts) {
            let verdict = if *shown { Verdict::Interesting } else { Verdict::Uninteresting };
            let (filtered, complaints) = (Filtered::Passed, Vec::new());
            let entry =
                JournalEntry { hash: hash(candidate), verdict, filtered, complaints, rank: None };
            self.journal.record(&entry, PASS)?;
        }
        Ok(verdicts)
    }
}
