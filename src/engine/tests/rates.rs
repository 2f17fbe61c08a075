//! Simulated reductions of bugs that come and go, in worlds whose true rates are known.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use clreduce_engine::events::Event;
use clreduce_engine::{AskedRate, Rates, Reduced, Reduction, Resume};
use clreduce_interestingness::{Cancel, Interestingness, NotRun, Occasion, Outcome, Verdict};
use clreduce_journal::{Facts, StateFolder};
use clreduce_testcase::{ContentHash, TestCase};

/// The words of an original.
const WORDS: u64 = 60;

/// The share of a hash, from 0 to 1.
fn share(parts: &[&[u8]]) -> f64 {
    (ContentHash::of(&parts.concat()).low_bits() % (1 << 30)) as f64 / f64::from(1 << 30)
}

/// What decides the rate of a variant.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Without one of the words that are needed, the bug is gone.
    AllOrNothing,
    /// Without them, it is seldom.
    Seldom,
    /// Each of many words makes it more frequent.
    Graded,
}

/// A program, and how often its variants show the bug.
#[derive(Clone, Copy, Debug)]
struct World {
    kind: Kind,
    seed: u64,
    /// The rate of the original.
    rate: f64,
}

impl World {
    fn original() -> TestCase {
        let words = (0..WORDS).map(|word| format!("w{word} ")).collect::<String>();
        TestCase::single("words.txt", words.into_bytes()).unwrap()
    }

    /// A number of the words, which are chosen by the seed.
    fn chosen(&self, salt: u8, count: usize) -> Vec<String> {
        let draw = |word: &u64| {
            ContentHash::of(&[&self.seed.to_le_bytes()[..], &[salt], &word.to_le_bytes()].concat())
                .0
        };
        let mut words: Vec<u64> = (0..WORDS).collect();
        words.sort_by_key(draw);
        words.iter().take(count).map(|word| format!("w{word}")).collect()
    }

    /// A reduction and the runs of its test.
    fn reduce(self, asked: Option<AskedRate>, jobs: usize) -> (Reduced, u64) {
        let runs = Arc::new(AtomicU64::new(0));
        let test = Coin { truth: Truth::of(self), runs: Arc::clone(&runs) };
        let reduction = Reduction::of(Self::original()).test(test);
        let reduction = reduction.jobs(NonZeroUsize::new(jobs).unwrap());
        let reduced = match asked {
            Some(asked) => reduction.flaky(asked).run(),
            None => reduction.run(),
        };
        (reduced.unwrap(), runs.load(Ordering::Relaxed))
    }

    /// The same test made steady: it knows whether the true rate is what was asked.
    fn reduce_steadily(self, rates: Rates) -> Reduced {
        let (asked, truth) = (rates.asked.as_share(), Truth::of(self));
        let test = move |variant: &TestCase| truth.rate(variant) >= asked;
        Reduction::of(Self::original()).test(test).jobs(NonZeroUsize::MIN).run().unwrap()
    }
}

/// The true rates of variants in a world.
struct Truth {
    world: World,
    needed: Vec<String>,
    helpful: Vec<String>,
    /// The last variant and its rate: the runs of one come together.
    last: Mutex<Option<(ContentHash, f64)>>,
}

impl Truth {
    fn of(world: World) -> Self {
        let (needed, helpful) = (world.chosen(1, 5), world.chosen(2, 20));
        Self { world, needed, helpful, last: Mutex::default() }
    }

    fn rate(&self, variant: &TestCase) -> f64 {
        let mut last = self.last.lock().unwrap();
        match *last {
            Some((hash, rate)) if hash == variant.hash() => rate,
            _ => last.insert((variant.hash(), self.find(variant))).1,
        }
    }

    fn find(&self, variant: &TestCase) -> f64 {
        let text = variant.files().first().map(|file| &*file.bytes).unwrap_or_default();
        let there: HashSet<&str> =
            std::str::from_utf8(text).unwrap_or_default().split_whitespace().collect();
        let missing = |words: &[String]| {
            words.iter().filter(|word| !there.contains(word.as_str())).count() as i32
        };
        let is_whole = missing(&self.needed) == 0;
        self.world.rate
            * match self.world.kind {
                Kind::AllOrNothing => f64::from(u8::from(is_whole)),
                Kind::Seldom => {
                    if is_whole {
                        1.0
                    } else {
                        0.15
                    }
                }
                Kind::Graded if !is_whole => 0.0,
                Kind::Graded => 0.9_f64.powi(missing(&self.helpful)),
            }
    }
}

/// A test whose runs are thrown like coins, each by its number.
struct Coin {
    truth: Truth,
    runs: Arc<AtomicU64>,
}

impl Interestingness for Coin {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.judge_on(variant, Occasion::Next, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        _: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let run = if let Occasion::Run(run) = occasion { run } else { 0 };
        self.runs.fetch_add(1, Ordering::Relaxed);
        let seed = self.truth.world.seed.to_le_bytes();
        let coin = share(&[&seed, &run.to_le_bytes(), &variant.hash().0]);
        let shown = coin < self.truth.rate(variant);
        Ok(Outcome::from(if shown { Verdict::Interesting } else { Verdict::Uninteresting }))
    }
}

/// What came of many reductions.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    reductions: u64,
    too_low: u64,
    tokens: usize,
    tokens_of_steady: usize,
    runs: u64,
    tests_of_steady: u64,
}

impl Figures {
    fn add(&mut self, more: Self) {
        self.reductions += more.reductions;
        self.too_low += more.too_low;
        self.tokens += more.tokens;
        self.tokens_of_steady += more.tokens_of_steady;
        self.runs += more.runs;
        self.tests_of_steady += more.tests_of_steady;
    }

    fn add_reduction(&mut self, world: World, asked: AskedRate) {
        let (reduced, runs) = world.reduce(Some(asked), 1);
        let rates = reduced.rates.unwrap();
        let steady = world.reduce_steadily(rates);
        self.reductions += 1;
        self.too_low += u64::from(Truth::of(world).rate(&reduced.case) < rates.asked.as_share());
        self.tokens += reduced.size.tokens;
        self.tokens_of_steady += steady.size.tokens;
        self.runs += runs;
        self.tests_of_steady += steady.tests;
    }
}

const RATES: [f64; 9] = [0.02, 0.05, 0.1, 0.2, 0.31, 0.5, 0.7, 0.9, 0.98];

/// What was measured; the number of all runs depends on the slots.
fn measured(rates: Option<Rates>) -> Option<Rates> {
    rates.map(|rates| Rates { runs: 0, ..rates })
}

/// Figures for people, who let the thousand reductions run.
fn tell(figures: &str) {
    let _ = writeln!(io::stderr(), "{figures}");
}

fn simulate(seeds: std::ops::Range<u64>) {
    for kind in [Kind::AllOrNothing, Kind::Seldom, Kind::Graded] {
        let mut of_kind = Figures::default();
        for rate in RATES {
            let mut figures = Figures::default();
            for seed in seeds.clone() {
                figures.add_reduction(World { kind, seed, rate }, AskedRate::AsOriginal);
            }
            of_kind.add(figures);
            tell(&format!("{kind:?} {rate}: {figures:?}"));
        }
        tell(&format!("{kind:?}: {of_kind:?}"));
        assert!(of_kind.too_low * 100 <= of_kind.reductions, "{kind:?}: {of_kind:?}");
        // A variant between the rates that are asked and good is refused now and then, and so the variants of it are.
        let (most, of) = if kind == Kind::Graded { (25, 10) } else { (11, 10) };
        assert!(of_kind.tokens * of <= of_kind.tokens_of_steady * most, "{kind:?}: {of_kind:?}");
    }
}

#[test]
fn results_are_small_and_show_the_bug_as_often_as_was_asked() {
    simulate(0..1);
}

#[test]
#[ignore = "a thousand reductions take five minutes"]
fn a_thousand_results_are_small_and_show_the_bug_as_often_as_was_asked() {
    simulate(100..137);
}

#[test]
fn every_number_of_jobs_and_every_kind_of_world_has_one_result() {
    for kind in [Kind::AllOrNothing, Kind::Seldom, Kind::Graded] {
        for (seed, rate) in [(1, 0.2), (2, 0.6)] {
            let world = World { kind, seed, rate };
            let results = [1, 2, 8].map(|jobs| {
                let (reduced, _) = world.reduce(Some(AskedRate::AsOriginal), jobs);
                (reduced.case, reduced.steps, measured(reduced.rates))
            });
            assert_eq!(results[0], results[1], "{world:?}");
            assert_eq!(results[0], results[2], "{world:?}");
        }
    }
}

#[test]
fn a_reduction_goes_on_wherever_its_journal_is_cut() {
    let world = World { kind: Kind::Graded, seed: 4, rate: 0.7 };
    let run = |directory: &Path| {
        let folder = StateFolder::open(directory).unwrap();
        let state = Resume { folder, facts: Facts::default(), on_disk: None };
        let test = Coin { truth: Truth::of(world), runs: Arc::default() };
        let reduction = Reduction::of(World::original()).test(test).state(state);
        let reduced = reduction.flaky(AskedRate::AsOriginal).jobs(NonZeroUsize::MIN).run().unwrap();
        (reduced.case, reduced.steps, measured(reduced.rates))
    };
    let whole = tempfile::tempdir().unwrap();
    let result = run(whole.path());
    let journal = fs::read(whole.path().join("journal")).unwrap();
    let header = journal.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for part in 0..5 {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("original")).unwrap();
        let original = "original/words.txt";
        fs::copy(whole.path().join(original), directory.path().join(original)).unwrap();
        let cut = header + (journal.len() - header) * part / 5;
        fs::write(directory.path().join("journal"), &journal[..cut]).unwrap();
        assert_eq!(run(directory.path()), result, "cut at {cut} of {}", journal.len());
    }
}

#[test]
fn a_rate_can_be_asked_for() {
    let world = World { kind: Kind::Graded, seed: 3, rate: 0.8 };
    let ask = |text: &str| world.reduce(Some(text.parse().unwrap()), 2).0;
    let (often, seldom) = (ask("0.5"), ask("0.05"));
    let truth = Truth::of(world);
    assert!(truth.rate(&often.case) >= 0.5 && truth.rate(&seldom.case) >= 0.05);
    assert!(seldom.size.tokens < often.size.tokens);
}

#[test]
fn an_original_without_the_bug_is_not_interesting() {
    let world = World { kind: Kind::AllOrNothing, seed: 3, rate: 0.0 };
    let test = Coin { truth: Truth::of(world), runs: Arc::default() };
    let mut began = false;
    let reduced = Reduction::of(World::original())
        .test(test)
        .flaky(AskedRate::AsOriginal)
        .on_event(|event| began |= matches!(event, Event::Started { .. }))
        .run();
    let error = reduced.unwrap_err().to_string();
    assert!(error.contains("in 0 of 500 runs") && !began, "{error}");
}
