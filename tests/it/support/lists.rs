//! A small but complete source over lists of lines, and oracles to answer it, for tests of the engine.

use std::sync::Arc;
use std::time::Duration;

use clreduce::events::Event;
use clreduce::{Reduced, Reduction};
use clreduce_candidates::{Candidate, CandidateSource, Next};
use clreduce_interestingness::Verdict;
use clreduce_testcase::{ContentHash, Size, TestCase};

/// A list of numbers, one per line.
pub fn list(items: &[u16]) -> TestCase {
    let text: String = items.iter().map(|item| format!("{item}\n")).collect();
    TestCase::single("list.txt", text.into_bytes()).unwrap()
}

/// The numbers of a list.
pub fn items(case: &TestCase) -> Vec<u16> {
    let text = std::str::from_utf8(&case.files()[0].bytes).unwrap();
    text.lines().map(|line| line.parse::<u16>().unwrap()).collect()
}

/// A pseudo-random number that depends on a seed and a variant alone.
pub fn noise(seed: u64, case: &TestCase) -> u64 {
    let bytes = [&seed.to_le_bytes()[..], &case.hash().0].concat();
    ContentHash::of(&bytes).low_bits()
}

/// Removes runs of items, in halves; then pairs of neighbours at a distance; both until neither finds
/// anything.
#[derive(Clone, Debug)]
pub struct ListSource {
    items: Arc<Vec<u16>>,
    pairs: bool,
    width: usize,
    /// End of the run to remove, exclusive.
    end: usize,
    progress: bool,
    round_progress: bool,
    asked: u16,
    successes: u16,
    supposed: bool,
    supposed_commit: bool,
    proposed: Option<Vec<u16>>,
}

impl ListSource {
    pub fn new(case: &TestCase) -> Self {
        let items = Arc::new(items(case));
        Self {
            width: items.len().div_ceil(2),
            end: items.len(),
            items,
            pairs: false,
            progress: false,
            round_progress: false,
            asked: 0,
            successes: 0,
            supposed: false,
            supposed_commit: false,
            proposed: None,
        }
    }

    fn without(&self) -> Vec<u16> {
        let start = self.end - self.width;
        let gone = |at: usize| {
            if self.pairs {
                at == start || at + 1 == self.end
            } else {
                (start..self.end).contains(&at)
            }
        };
        let kept = self.items.iter().enumerate().filter(|(at, _)| !gone(*at));
        kept.map(|(_, item)| *item).collect()
    }

    /// Goes to the next run; false when the pass is over.
    fn settle(&mut self) -> bool {
        loop {
            if self.end >= self.width && self.width > usize::from(self.pairs) {
                return true;
            }
            let next = if self.pairs { self.width.saturating_sub(1) } else { self.width / 2 };
            if next <= usize::from(self.pairs) {
                return false;
            }
            self.width = next;
            self.end = self.items.len();
        }
    }

    fn begin(&mut self, pairs: bool) {
        self.pairs = pairs;
        self.width = if pairs { 4.min(self.items.len()) } else { self.items.len().div_ceil(2) };
        self.end = self.items.len();
        self.progress = false;
        (self.asked, self.successes) = (0, 0);
    }
}

impl CandidateSource for ListSource {
    fn next(&mut self) -> Next {
        if self.proposed.is_none() {
            while !self.settle() {
                if self.supposed_commit {
                    return Next::Blocked;
                }
                self.round_progress |= self.progress;
                if !self.pairs {
                    self.begin(true);
                } else if self.round_progress {
                    self.round_progress = false;
                    self.begin(false);
                } else {
                    return Next::Done;
                }
            }
            self.proposed = Some(self.without());
        }
        let variant = list(self.proposed.as_deref().unwrap_or_default());
        Next::Candidate(Candidate {
            hash: variant.hash(),
            size: Size::of(&variant),
            variant,
            pass: if self.pairs { "pairs" } else { "runs" },
            chance: (self.successes + 1) * 1000 / (self.asked + 2),
        })
    }

    fn take_verdict(&mut self, interesting: bool) -> Option<TestCase> {
        let variant = self.proposed.take().expect("a candidate was proposed");
        self.asked += 1;
        if !interesting {
            self.end -= if self.pairs { 1 } else { self.width };
            return None;
        }
        self.successes += 1;
        self.progress = true;
        self.supposed_commit |= self.supposed;
        self.end = (self.end - if self.pairs { 2 } else { self.width }).min(variant.len());
        let case = list(&variant);
        self.items = Arc::new(variant);
        Some(case)
    }

    fn mark_supposed(&mut self) {
        self.supposed = true;
    }

    fn confirm(&mut self) {
        self.supposed = false;
        self.supposed_commit = false;
    }
}

/// An oracle made from a seed: some items must stay, some pairs only together, and, where `bumpy`, one
/// in five other variants is refused for no reason.
#[derive(Clone, Copy, Debug)]
pub struct Oracle {
    pub seed: u64,
    pub length: u16,
    pub bumpy: bool,
    /// Longest delay of an answer.
    pub delay: Duration,
}

impl Oracle {
    pub fn original(&self) -> TestCase {
        list(&(0..self.length).collect::<Vec<_>>())
    }

    pub fn accepts(&self, case: &TestCase) -> bool {
        let items = items(case);
        let has = |item: u16| items.binary_search(&item).is_ok();
        let mut numbers = (0..4).map(|n| {
            let bytes = [self.seed.to_le_bytes(), u64::to_le_bytes(n)].concat();
            (ContentHash::of(&bytes).low_bits() % u64::from(self.length)) as u16
        });
        let mut number = || numbers.next().unwrap_or(0);
        let needed = has(number()) && has(number());
        let together = has(number()) == has(number());
        let whole = items.len() == usize::from(self.length);
        needed && together && (!self.bumpy || whole || !noise(self.seed, case).is_multiple_of(5))
    }

    /// Waits for a time that differs from run to run and from variant to variant.
    pub fn dawdle(&self, case: &TestCase) {
        let limit = self.delay.as_micros() as u64;
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |now| u64::from(now.subsec_nanos()));
        if let Some(wait) = (noise(now, case)).checked_rem(limit) {
            std::thread::sleep(Duration::from_micros(wait));
        }
    }

    pub fn test(self) -> impl Fn(&TestCase) -> bool + Send + Sync {
        move |case: &TestCase| {
            self.dawdle(case);
            self.accepts(case)
        }
    }
}

/// The content of a conversation: every step with its verdict.
pub type Transcript = Vec<(ContentHash, bool)>;

/// Runs a reduction by the list source and takes its minutes.
pub fn transcribe(
    reduction: Reduction<'_>,
    original: &TestCase,
) -> (Transcript, Result<Reduced, clreduce::ReductionError>) {
    let mut transcript = Vec::new();
    let reduced = reduction
        .on_event(|event| {
            if let Event::Judged { hash, outcome, .. } = event {
                transcript.push((*hash, outcome.verdict == Verdict::Interesting));
            }
        })
        .run_with(ListSource::new(original));
    (transcript, reduced)
}
