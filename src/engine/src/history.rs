//! The history of a reduction, from its state folder: the reducer takes the verdicts in the journal once more. No test runs,
//! and the reduction may be under way.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clreduce_candidates::{Candidate, CandidateSource, EDIT, Next};
use clreduce_interestingness::{Cancel, Filtered, Verdict};
use clreduce_journal::{Between, JournalEntry, Record, StateError};
use clreduce_reducer::Reducer;
use clreduce_testcase::{ContentHash, TestCase};

use crate::options::Options;
use crate::pass_command::{AskedCommand, PASS_COMMAND_FACT};
use crate::rate::{AskedBound, Criterion};
use crate::reduction::Versions;

/// What a state folder tells of a reduction.
#[derive(Debug)]
pub struct History {
    /// The journal and the original.
    pub record: Record,
    /// The options of the reduction, as far as verdicts depend on them.
    pub options: Options,
    folder: PathBuf,
}

/// A step of the reduction.
#[derive(Debug)]
pub struct PastStep<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// The pass that proposed the variant.
    pub pass: &'static str,
    /// The verdict on the variant.
    pub entry: &'a JournalEntry,
    /// The test case that became the current one.
    pub committed: Option<TestCase>,
}

/// The state after the last step.
pub struct HistoryEnd {
    /// The reducer in its present state.
    pub now: Reducer,
    /// The reducer before names and layout were changed for people, if they were.
    pub before_finish: Option<Reducer>,
    versions: Versions,
}

impl History {
    /// Reads a state folder. `None` means that there is no journal.
    ///
    /// # Errors
    /// When it cannot be read, or another build of the program wrote it.
    pub fn read(folder: &Path) -> Result<Option<Self>, StateError> {
        let Some(record) = Record::read(folder)? else { return Ok(None) };
        let options =
            Options::of_facts(record.header.facts()).ok_or_else(|| Record::diverged(folder))?;
        Ok(Some(Self { record, options, folder: folder.to_owned() }))
    }

    /// Goes through all steps in their order.
    ///
    /// # Errors
    /// When the reducer does not go the way that the journal says.
    pub fn replay(&self, mut each: impl FnMut(PastStep<'_>)) -> Result<HistoryEnd, StateError> {
        let Record { header, original, entries, between, edits, proposed, .. } = &self.record;
        let original = original.clone().in_language(self.options.lang);
        let mut plan = self.options.plan(original.language());
        if header.facts().contains_key(PASS_COMMAND_FACT) {
            let asked = AskedCommand::new(None, Cancel::new());
            asked.recall(proposed);
            plan.own = asked.as_pass();
        }
        let mut now = Reducer::new(original.clone(), plan).keeping_refusals();
        now.take_clues(&Arc::new(header.clues().clone()));
        let mut replay = Replay {
            again: self.is_in_haste().then(|| now.clone()),
            end: HistoryEnd { now, before_finish: None, versions: Versions::default() },
            rests_on_filter: HashSet::new(),
            edits,
            pending: VecDeque::new(),
            folder: &self.folder,
        };
        replay.end.versions.add(&original);
        let mut between = between.iter().peekable();
        for number in 0..=entries.len() {
            while let Some((_, here)) = between.next_if(|(before, _)| *before == number) {
                replay.pass(here)?;
            }
            let Some(entry) = entries.get(number) else { break };
            let (pass, committed) = replay.take(entry)?;
            replay.look_again();
            each(PastStep { number: number as u64 + 1, pass, entry, committed });
        }
        Ok(replay.end)
    }

    /// Returns true if the reduction refused variants in haste at first, and so looked at what was left again.
    fn is_in_haste(&self) -> bool {
        let Some((asked, note)) = self.options.flaky.zip(self.record.header.measured()) else {
            return false;
        };
        Criterion::of_note(note, AskedBound::Rate(asked)).is_ok_and(|it| it.is_in_haste())
    }
}

impl HistoryEnd {
    /// Returns whether a test case is one that the reduction wrote, or the original.
    #[must_use]
    pub fn knows(&self, case: &TestCase) -> bool {
        self.versions.know(case)
    }
}

/// A replay under way.
struct Replay<'a> {
    /// The reducer that looks at what is left again once nothing is left to try, if one does.
    again: Option<Reducer>,
    end: HistoryEnd,
    /// Variants whose verdict rests on the word of the compile filter alone.
    rests_on_filter: HashSet<ContentHash>,
    edits: &'a BTreeMap<ContentHash, TestCase>,
    /// The edits whose verdicts come next.
    pending: VecDeque<TestCase>,
    folder: &'a Path,
}

impl Replay<'_> {
    /// The candidate that comes next.
    fn candidate(&mut self) -> Result<Candidate, StateError> {
        match self.end.now.next() {
            Next::Candidate(candidate) => Ok(candidate),
            Next::Blocked | Next::Done => Err(Record::diverged(self.folder)),
        }
    }

    /// Does what a reduction does whose test was in haste.
    fn look_again(&mut self) {
        if self.pending.is_empty()
            && matches!(self.end.now.next(), Next::Done)
            && let Some(mut again) = self.again.take()
        {
            again.go_on_from(self.end.now.current().clone());
            self.end.now = again;
            self.end.before_finish = None;
        }
    }

    /// Passes a line between two verdicts.
    fn pass(&mut self, between: &Between) -> Result<(), StateError> {
        match between {
            Between::Skipped(pass) if self.candidate()?.pass == pass => self.end.now.skip_pass(),
            Between::Skipped(_) => return Err(Record::diverged(self.folder)),
            Between::Edited(hash) => {
                let language = self.end.now.current().language();
                let edit = self.edits.get(hash).cloned().map(|it| it.in_language(Some(language)));
                self.pending.extend(edit);
            }
            Between::Limits(_) => {}
            Between::LaidOut(case) => self.end.versions.add_hash(*case),
        }
        Ok(())
    }

    /// Gives a verdict to the reducer. Returns the pass, and the new current test case if there is one.
    fn take(
        &mut self,
        entry: &JournalEntry,
    ) -> Result<(&'static str, Option<TestCase>), StateError> {
        let is_interesting = entry.verdict == Verdict::Interesting;
        if let Some(edit) = self.pending.pop_front() {
            if edit.hash() != entry.hash {
                return Err(Record::diverged(self.folder));
            }
            self.end.versions.add(&edit);
            if is_interesting {
                self.end.now.go_on_from(edit.clone());
                self.end.before_finish = None;
            }
            return Ok((EDIT, is_interesting.then_some(edit)));
        }
        let candidate = self.candidate()?;
        if candidate.hash != entry.hash {
            return Err(Record::diverged(self.folder));
        }
        let HistoryEnd { now, before_finish, versions } = &mut self.end;
        if before_finish.is_none() && now.is_finishing() {
            *before_finish = Some(now.clone());
        }
        if !entry.complaints.is_empty() {
            now.take_complaints(&entry.complaints);
        }
        let committed = now.take_verdict(is_interesting);
        match entry.filtered {
            Filtered::Rejected => self.rests_on_filter.insert(entry.hash),
            _ => self.rests_on_filter.remove(&entry.hash),
        };
        if entry.filtered == Filtered::Doubted && is_interesting {
            now.retract(&|hash| self.rests_on_filter.contains(hash));
        }
        committed.iter().for_each(|case| versions.add(case));
        Ok((candidate.pass, committed))
    }
}
