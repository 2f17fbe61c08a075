//! A source that repeats a recorded conversation and makes up what was never asked.

use std::sync::Arc;

use clreduce_candidates::{Candidate, CandidateSource, Next};
use clreduce_reducer::CHEAP_TO_PARSE;
use clreduce_testcase::{ContentHash, Size, TestCase};

use super::Trace;

/// Where the chances come from that speculation goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chances {
    /// As recorded; learned where they were not.
    Recorded,
    /// The rate of the pass so far.
    Learned,
    /// The rate of the pass over the whole conversation.
    Known,
}

/// Repeats a conversation. After an answer that it did not have, questions are new ones of the passes
/// that were then under way.
#[derive(Clone)]
pub struct Replay {
    trace: Arc<Trace>,
    /// By entry: its chance in thousandths.
    chances: Arc<Vec<u16>>,
    at: usize,
    /// Set after an answer that differs: tells such states apart.
    astray: Option<u64>,
    supposed: bool,
    supposed_commit: bool,
}

impl Replay {
    pub fn new(trace: Trace, chances: Chances) -> Self {
        let chances = Arc::new(chances_of(&trace, chances));
        let trace = Arc::new(trace);
        Self { trace, chances, at: 0, astray: None, supposed: false, supposed_commit: false }
    }

    /// What the recorded conversation says of a variant; of a made-up one, a number with its rate.
    pub fn oracle(trace: &Trace) -> impl Fn(&TestCase) -> bool {
        let answers: Vec<bool> = trace.entries.iter().map(|entry| entry.interesting).collect();
        move |variant| {
            let text = std::str::from_utf8(&variant.files()[0].bytes).expect("text");
            match text.parse::<usize>() {
                Ok(index) => answers[index],
                Err(_) => variant.hash().low_bits().is_multiple_of(5),
            }
        }
    }
}

impl CandidateSource for Replay {
    fn next(&mut self) -> Next {
        let Some(entry) = self.trace.entries.get(self.at) else { return Next::Done };
        let new_pass = self.at > 0 && self.trace.entries[self.at - 1].pass != entry.pass;
        if new_pass && self.supposed_commit && entry.bytes > CHEAP_TO_PARSE {
            return Next::Blocked;
        }
        let text = match self.astray {
            None => self.at.to_string(),
            Some(path) => format!("{} after {path}", self.at),
        };
        let variant = TestCase::single("question", text.into_bytes()).expect("a plain path");
        Next::Candidate(Candidate {
            hash: variant.hash(),
            size: Size { work_items: 1, tokens: 0, dense_bytes: 0 },
            variant,
            pass: entry.pass,
            chance: self.chances[self.at],
        })
    }

    fn take_verdict(&mut self, interesting: bool) -> Option<TestCase> {
        if self.astray.is_some() || self.trace.entries[self.at].interesting != interesting {
            let path = [self.astray.unwrap_or(0), self.at as u64, u64::from(interesting)];
            let bytes: Vec<u8> = path.iter().flat_map(|part| part.to_le_bytes()).collect();
            self.astray = Some(ContentHash::of(&bytes).low_bits());
        }
        self.supposed_commit |= self.supposed && interesting;
        self.at += 1;
        None
    }

    fn mark_supposed(&mut self) {
        self.supposed = true;
    }

    fn confirm(&mut self) {
        self.supposed = false;
        self.supposed_commit = false;
    }
}

fn chances_of(trace: &Trace, chances: Chances) -> Vec<u16> {
    let rates = trace.rates();
    let mut counts = std::collections::BTreeMap::new();
    let chance = |entry: &super::Entry| {
        let (asked, yes): &mut (u32, u32) = counts.entry(entry.pass).or_default();
        let learned = ((*yes + 1) * 1000 / (*asked + 2)) as u16;
        *asked += 1;
        *yes += u32::from(entry.interesting);
        match chances {
            Chances::Recorded => entry.chance.unwrap_or(learned),
            Chances::Learned => learned,
            Chances::Known => (rates[entry.pass] * 1000.0) as u16,
        }
    };
    trace.entries.iter().map(chance).collect()
}
