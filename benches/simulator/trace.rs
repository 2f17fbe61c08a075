//! Recorded and made-up conversations.
//!
//! A recorded one has a line for each step: the row of the table (a pass, and which of its rows it is), whether the
//! row had run before, the tokens of the variant, the tokens and the bytes of the current test case, and the verdict. Where the same variant was tried before, the number of that step
//! (from 0) takes the place of the verdict: `statements#2 1 353 1200 5120 =17`.

use std::collections::BTreeMap;

use clreduce_passes::TABLE;
use clreduce_reducer::{Basis, ChanceKey};
use thiserror::Error;

/// One step.
#[derive(Clone, Debug)]
pub struct TraceStep {
    pub pass: &'static str,
    /// The key of the chance's estimate, with the index of the row in the table; none where it is made up.
    pub trial: Option<ChanceKey>,
    pub interesting: bool,
    /// The earlier step with the same variant.
    pub repeats: Option<usize>,
    /// Bytes of the current test case.
    pub bytes: usize,
}

/// A conversation.
#[derive(Clone, Debug)]
pub struct Trace {
    pub entries: Vec<TraceStep>,
}

/// A line of a recorded conversation does not say what it should.
#[derive(Debug, Error)]
#[error(
    "line {line} of the recorded conversation: `{text}` names no step of this table of passes; record it again"
)]
pub struct InvalidTrace {
    line: usize,
    text: String,
}

impl Trace {
    pub fn new(entries: Vec<TraceStep>) -> Self {
        Self { entries }
    }

    /// Reads a recorded conversation.
    pub fn recorded(text: &str) -> Result<Self, InvalidTrace> {
        let mut trace = Self { entries: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            let entry = trace
                .entry(line)
                .ok_or_else(|| InvalidTrace { line: index + 1, text: line.to_owned() })?;
            trace.entries.push(entry);
        }
        Ok(trace)
    }

    fn entry(&self, line: &str) -> Option<TraceStep> {
        let mut words = line.split(' ');
        let (pass, number) = words.next()?.split_once('#')?;
        let rows = TABLE.iter().enumerate().filter(|(_, row)| row.pass.name == pass);
        let (row, pass) =
            rows.map(|(index, row)| (index, row.pass.name)).nth(number.parse().ok()?)?;
        let mut number = || words.next()?.parse::<usize>().ok();
        let in_later_run = number()? == 1;
        let trial = Some(ChanceKey { row, in_later_run, tokens: number()?, current: number()? });
        let bytes = number()?;
        let verdict = words.next()?;
        let repeats = match verdict.strip_prefix('=') {
            Some(step) => Some(step.parse().ok()?),
            None => None,
        };
        let interesting = match repeats {
            Some(step) => self.entries.get::<usize>(step)?.interesting,
            None => verdict == "1",
        };
        Some(TraceStep { pass, trial, interesting, repeats, bytes })
    }

    /// The line of a step.
    pub fn line(basis: &Basis, bytes: usize, verdict: &str) -> String {
        let name = basis.row.pass.name;
        let mut rows = TABLE.iter().filter(|row| row.pass.name == name);
        let number = rows.position(|row| std::ptr::eq(row, basis.row)).unwrap_or_default();
        let ChanceKey { in_later_run, tokens, current, .. } = basis.trial;
        let later = u8::from(in_later_run);
        format!("{name}#{number} {later} {tokens} {current} {bytes} {verdict}")
    }

    /// The number of steps that need a test.
    pub fn tests(&self) -> usize {
        self.entries.iter().filter(|entry| entry.repeats.is_none()).count()
    }

    /// A conversation of passes with rates of success between 1 and 60 per cent. `streaks`: how much
    /// more likely a verdict is to be that of the step before, in per cent.
    pub fn random(seed: u64, steps: usize, streaks: u64) -> Self {
        const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        const RATES: [u64; 8] = [1, 3, 5, 10, 20, 30, 45, 60];
        let mut random = Random(seed);
        let mut entries = Vec::with_capacity(steps);
        let mut pass = 0;
        while entries.len() < steps {
            let rate = RATES[(random.next() % 8) as usize];
            let mut interesting = false;
            for _ in 0..40 + random.next() % 300 {
                if random.next() % 100 >= streaks {
                    interesting = random.next() % 100 < rate;
                }
                entries.push(TraceStep {
                    pass: NAMES[pass % NAMES.len()],
                    trial: None,
                    interesting,
                    repeats: None,
                    bytes: usize::MAX,
                });
            }
            pass += 1;
        }
        entries.truncate(steps);
        Self { entries }
    }

    /// The steps that need a test.
    pub fn tested(&self) -> Self {
        let is_new = |entry: &&TraceStep| entry.repeats.is_none();
        Self { entries: self.entries.iter().filter(is_new).cloned().collect() }
    }

    /// A conversation of the same passes whose verdicts are independent and drawn with these rates.
    pub fn drawn(&self, rates: &BTreeMap<&'static str, f64>, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut draw = |entry: &TraceStep| {
            let interesting = (random.next() % 1_000_000) as f64 / 1e6 < rates[entry.pass];
            TraceStep { interesting, trial: None, ..entry.clone() }
        };
        Self { entries: self.entries.iter().map(&mut draw).collect() }
    }

    /// By pass: the share of interesting variants.
    pub fn rates(&self) -> BTreeMap<&'static str, f64> {
        let mut counts: BTreeMap<&'static str, (u32, u32)> = BTreeMap::new();
        for entry in &self.entries {
            let (tried, yes) = counts.entry(entry.pass).or_default();
            *tried += 1;
            *yes += u32::from(entry.interesting);
        }
        let rate = |(tried, yes)| f64::from(yes) / f64::from(tried);
        counts.into_iter().map(|(pass, counts)| (pass, rate(counts))).collect()
    }
}

/// A linear congruential generator, mixed: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 33)
    }
}
