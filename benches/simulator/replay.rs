//! A source of candidates that repeats a recorded conversation and makes up what was never tried.

use std::collections::BTreeMap;
use std::sync::Arc;

use clreduce_candidates::{Candidate, CandidateSource, Next};
use clreduce_passes::TABLE;
use clreduce_reducer::{CHEAP_TO_PARSE, ChanceKey, Chances};
use clreduce_testcase::{ContentHash, Size, TestCase};

use super::Trace;

/// The source of the chances by which speculation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChanceSource {
    /// The estimates of the reducer; learned where the conversation is made up.
    Reducer,
    /// The share of interesting variants of the pass so far.
    Learned,
    /// The share of interesting variants of the pass over the whole conversation.
    Known,
}

/// Repeats a conversation. After a verdict that it did not have, candidates are new ones of the passes
/// that were then under way.
#[derive(Clone)]
pub struct Replay {
    trace: Arc<Trace>,
    /// By entry: its chance in thousandths, where it does not depend on the verdicts before.
    fixed: Arc<Vec<u16>>,
    /// The estimates of the reducer.
    chances: Option<Chances>,
    at: usize,
    /// Set after a verdict that differs: tells such states apart.
    astray: Option<u64>,
    supposed: bool,
    supposed_commit: bool,
    /// States behind a supposed success at the end of a pass are looked at like others.
    never_blocked: bool,
}

impl Replay {
    pub fn new(trace: Trace, source: ChanceSource) -> Self {
        let is_recorded = trace.entries.iter().all(|entry| entry.trial.is_some());
        let chances = (source == ChanceSource::Reducer && is_recorded)
            .then(|| Chances::new(&TABLE.iter().collect::<Vec<_>>()));
        let fixed = Arc::new(fixed_chances(&trace, source));
        let trace = Arc::new(trace);
        let (supposed, supposed_commit, never_blocked) = (false, false, false);
        Self {
            trace,
            fixed,
            chances,
            at: 0,
            astray: None,
            supposed,
            supposed_commit,
            never_blocked,
        }
    }

    /// Repeats a conversation whose passes are known to have these rates.
    pub fn with_rates(trace: Trace, rates: &BTreeMap<&'static str, f64>) -> Self {
        let chance = |entry: &super::TraceStep| (rates[entry.pass] * 1000.0) as u16;
        let fixed = Arc::new(trace.entries.iter().map(chance).collect());
        Self { fixed, ..Self::new(trace, ChanceSource::Known) }
    }

    /// The same, where looking ahead costs nothing.
    pub fn never_blocked(self) -> Self {
        Self { never_blocked: true, ..self }
    }

    /// The chances that the step under way belongs to, and the key by which they estimate it.
    fn estimate(&mut self) -> Option<(&mut Chances, ChanceKey)> {
        Some((self.chances.as_mut()?, self.trace.entries[self.at].trial?))
    }

    /// The log loss of the chances of the recorded conversation, in bits for each verdict.
    pub fn log_loss(mut self) -> f64 {
        let mut bits = 0.0;
        while let Next::Candidate(candidate) = self.next() {
            let interesting = self.trace.entries[self.at].interesting;
            let chance = f64::from(candidate.chance.clamp(1, 999)) / 1000.0;
            bits -= (if interesting { chance } else { 1.0 - chance }).log2();
            self.take_verdict(interesting);
        }
        bits / self.trace.entries.len() as f64
    }

    /// The recorded verdict on a variant; for a made-up variant, a number with its rate.
    pub fn oracle(trace: &Trace) -> impl Fn(&TestCase) -> bool {
        let verdicts: Vec<bool> = trace.entries.iter().map(|entry| entry.interesting).collect();
        move |variant| {
            let text = std::str::from_utf8(&variant.files()[0].bytes).expect("text");
            match text.parse::<usize>() {
                Ok(index) => verdicts[index],
                Err(_) => variant.hash().low_bits().is_multiple_of(5),
            }
        }
    }
}

impl CandidateSource for Replay {
    fn next(&mut self) -> Next {
        let Some(entry) = self.trace.entries.get(self.at) else { return Next::Done };
        let new_pass = self.at > 0 && self.trace.entries[self.at - 1].pass != entry.pass;
        let is_expensive = entry.bytes > CHEAP_TO_PARSE && !self.never_blocked;
        if new_pass && self.supposed_commit && is_expensive {
            return Next::Blocked;
        }
        let (pass, step) = (entry.pass, entry.repeats.unwrap_or(self.at));
        let text = match self.astray {
            None => step.to_string(),
            Some(path) => format!("{} after {path}", self.at),
        };
        let chance = match self.estimate() {
            Some((chances, trial)) => chances.of(trial),
            None => self.fixed[self.at],
        };
        let variant = TestCase::single("candidate", text.into_bytes()).expect("a plain path");
        Next::Candidate(Candidate {
            hash: variant.hash(),
            size: Size { work_items: 1, tokens: 0, dense_bytes: 0 },
            variant,
            pass,
            chance,
        })
    }

    fn take_verdict(&mut self, interesting: bool) -> Option<TestCase> {
        if let Some((chances, trial)) = self.estimate() {
            chances.learn(trial, interesting);
        }
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

fn fixed_chances(trace: &Trace, source: ChanceSource) -> Vec<u16> {
    let rates = trace.rates();
    let mut counts = BTreeMap::new();
    let chance = |entry: &super::TraceStep| {
        let (tried, yes): &mut (u32, u32) = counts.entry(entry.pass).or_default();
        let learned = ((*yes + 1) * 1000 / (*tried + 2)) as u16;
        *tried += 1;
        *yes += u32::from(entry.interesting);
        match source {
            ChanceSource::Reducer | ChanceSource::Learned => learned,
            ChanceSource::Known => (rates[entry.pass] * 1000.0) as u16,
        }
    };
    trace.entries.iter().map(chance).collect()
}
