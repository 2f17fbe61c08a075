//! Whatever the number of jobs and the timing, the conversation is the same.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::lists::{Oracle, Transcript, list, noise, transcribe};
use clreduce::Reduction;
use clreduce::events::Event;
use clreduce::speculation::Pool;
use clreduce_interestingness::{Cancel, Interestingness, NotRun, Outcome, Verdict};
use clreduce_testcase::{Language, Size, TestCase, tokens};
use proptest::prelude::*;

fn jobs(jobs: usize) -> NonZeroUsize {
    NonZeroUsize::new(jobs).unwrap()
}

fn run(oracle: Oracle, n: usize) -> (Transcript, TestCase) {
    let original = oracle.original();
    let reduction = Reduction::of(original.clone()).test(oracle.test()).jobs(jobs(n));
    let (transcript, reduced) = transcribe(reduction, &original);
    let reduced = reduced.unwrap();
    assert!(oracle.accepts(&reduced.case));
    assert_eq!(reduced.steps, transcript.len() as u64);
    (transcript, reduced.case)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_number_of_jobs_holds_the_same_conversation(
        seed: u64,
        length in 1u16..40,
        bumpy: bool,
        delay in prop_oneof![3 => Just(0u64), 1 => Just(60u64)],
    ) {
        let oracle = Oracle { seed, length, bumpy, delay: Duration::from_micros(delay) };
        let one = run(oracle, 1);
        prop_assert_eq!(&one, &run(oracle, 2));
        prop_assert_eq!(&one, &run(oracle, 8));
    }
}

#[test]
fn two_reductions_share_a_pool_and_nothing_else() {
    let pool = Arc::new(Pool::new(jobs(3)).unwrap());
    let oracle = |seed| Oracle { seed, length: 60, bumpy: true, delay: Duration::from_micros(200) };
    let together = std::thread::scope(|scope| {
        let handles = [1, 2].map(|seed| {
            let pool = Arc::clone(&pool);
            scope.spawn(move || {
                let original = oracle(seed).original();
                let reduction = Reduction::of(original.clone()).test(oracle(seed).test());
                let (transcript, reduced) =
                    transcribe(reduction.jobs(jobs(3)).pool(pool), &original);
                (transcript, reduced.unwrap().case)
            })
        });
        handles.map(|handle| handle.join().unwrap())
    });
    assert_eq!(together, [1, 2].map(|seed| run(oracle(seed), 1)));
}

/// Times out whenever another test runs, and always on some variants.
struct Overloaded {
    oracle: Oracle,
    running: AtomicUsize,
    crowded: Arc<AtomicUsize>,
}

impl Interestingness for Overloaded {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let alone = self.running.fetch_add(1, Ordering::SeqCst) == 0;
        cancel.wait(Duration::from_micros(300));
        let last = self.running.fetch_sub(1, Ordering::SeqCst) == 1;
        let alone = alone && last;
        let hangs = *variant != self.oracle.original() && noise(7, variant).is_multiple_of(10);
        let verdict = if !alone || hangs {
            self.crowded.fetch_add(usize::from(!alone), Ordering::SeqCst);
            Verdict::TimedOut
        } else if self.oracle.accepts(variant) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        };
        Ok(Outcome::from(verdict))
    }
}

#[test]
fn a_time_out_under_load_is_not_believed() {
    let oracle = Oracle { seed: 5, length: 30, bumpy: false, delay: Duration::ZERO };
    let original = oracle.original();
    let crowded = Arc::new(AtomicUsize::new(0));
    let transcripts = [1, 4].map(|n| {
        let crowded = Arc::clone(&crowded);
        let test = Overloaded { oracle, running: AtomicUsize::new(0), crowded };
        let reduction = Reduction::of(original.clone()).test(test).jobs(jobs(n));
        let (transcript, reduced) = transcribe(reduction, &original);
        (transcript, reduced.unwrap().case)
    });
    assert!(crowded.load(Ordering::SeqCst) > 0, "the test was never run beside another");
    assert_eq!(transcripts[0], transcripts[1]);
}

#[test]
fn the_reducer_itself_does_not_notice_speculation() {
    let source = include_bytes!("../../fixtures/c-assembly/codec.c");
    let original = TestCase::single("codec.c", source.as_slice()).unwrap();
    // Refuses a third of the variants for no reason, so that successes and refusals mix.
    let has = |case: &TestCase, word: &[u8]| {
        case.files()[0].bytes.windows(word.len()).any(|part| part == word)
    };
    let whole = original.clone();
    let test = Arc::new(move |case: &TestCase| {
        // Long enough for tests beside it to start.
        std::thread::sleep(Duration::from_micros(500));
        let kept = has(case, b"<<") && has(case, b"return");
        kept && (*case == whole || !noise(3, case).is_multiple_of(3))
    });
    let transcripts = [1, 2, 8].map(|n| {
        let mut transcript = Vec::new();
        let reduction = Reduction::of(original.clone()).shared_test(test.clone()).jobs(jobs(n));
        let listen = |event: &Event| {
            if let Event::Judged { hash, outcome, .. } = event {
                transcript.push((*hash, outcome.verdict));
            }
        };
        let reduced = reduction.max_steps(400).on_event(listen).run().unwrap();
        (transcript, reduced.case)
    });
    assert!(transcripts[0].0.len() > 50);
    assert_eq!(transcripts[0], transcripts[1]);
    assert_eq!(transcripts[0], transcripts[2]);
}

/// Numbers that depend on a seed alone.
struct Draw(u64, u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.1 += 1;
        noise(self.0 * 1_000_003 + self.1, &list(&[])) % most
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

/// A program of a few functions, or lines of words, with some needles in them.
fn program(draw: &mut Draw, language: Language) -> (TestCase, Vec<String>) {
    let needles: Vec<String> = (0..1 + draw.below(3)).map(|at| format!("needle{at}")).collect();
    let mut text = String::from("typedef struct { int a; int b : 3; } rec;\n#define K 3\n");
    let mut placed = 0;
    for function in 0..3 + draw.below(5) {
        if language == Language::C {
            text.push_str(&format!("static int f{function}(int x, int y, rec *r) {{\n"));
        }
        for statement in 0..draw.below(6) {
            let number = draw.below(90);
            text.push_str(&match (language == Language::C, draw.below(6)) {
                (true, 0) => format!("  int v{statement} = x * {number} + y;\n"),
                (true, 1) => format!("  while (y-- > {number}) {{ r->b ^= y; }}\n"),
                (true, 2) => {
                    format!("  if (x > {number}) {{ y += r->a; }} else {{ y -= K; }}\n")
                }
                (true, 3) => {
                    format!("  for (int i = 0; i < {number}; i++) x += i * (y + 8);\n")
                }
                (true, _) => format!("  r->a = f{function}(x, (int)y << {number}, r);\n"),
                (_, 0) => format!("  key{number} =  [ a, {number} ]\n"),
                (_, 1) => "\tend } of\n\n".to_owned(),
                (_, _) => format!("section {number} {{ \"a b\"; c }}\n"),
            });
            if placed < needles.len() && draw.below(4) == 0 {
                text.push_str(&needles[placed]);
                text.push_str(draw.of(&["(x, 5);\n", ";\n", "\n"]));
                placed += 1;
            }
        }
        text.push_str(if language == Language::C { "  return x;\n}\n" } else { "\n" });
    }
    needles[placed..].iter().for_each(|needle| text.push_str(&format!("{needle};\n")));
    let name = if language == Language::C { "a.c" } else { "a.txt" };
    (TestCase::single(name, text.into_bytes()).unwrap(), needles)
}

/// A test that depends on the content of a variant: all needles must be there, and but for the original, some variants are
/// refused for no reason that a reducer could know.
fn by_hash(
    seed: u64,
    original: &TestCase,
    needles: &[String],
) -> impl Fn(&TestCase) -> bool + use<> {
    let (original, needles) = (original.clone(), needles.to_vec());
    move |case| {
        let text =
            String::from_utf8_lossy(case.files().first().map_or(&[][..], |file| &file.bytes))
                .into_owned();
        // What a test thinks of a program does not depend on its blanks.
        let words: Vec<&str> =
            tokens(text.as_bytes()).filter_map(|token| text.get(token.range())).collect();
        let plain = TestCase::single("words", words.join(" ").into_bytes()).unwrap();
        let has_all = needles.iter().all(|needle| text.contains(needle.as_str()));
        let refuses = match seed % 4 {
            0 => false,
            1 => noise(seed, &plain).is_multiple_of(2),
            2 => noise(seed, &plain).is_multiple_of(10),
            _ => !noise(seed, &plain).is_multiple_of(5),
        };
        has_all && (*case == original || !refuses)
    }
}

#[test]
fn no_single_token_of_a_result_can_go() {
    let seeds = std::env::var("CLREDUCE_TEST_SEEDS").ok();
    let seeds = seeds.map_or(6, |seeds| seeds.parse().expect("CLREDUCE_TEST_SEEDS is a number"));
    let mut wrong = Vec::new();
    for seed in 0..seeds {
        let mut draw = Draw(seed, 0);
        let language = if seed % 3 == 2 { Language::TEXT } else { Language::C };
        let (original, needles) = program(&mut draw, language);
        let test = by_hash(seed, &original, &needles);
        let first = Reduction::of(original.clone()).test(test).jobs(jobs(1)).run().unwrap();
        let text = String::from_utf8_lossy(&first.case.files()[0].bytes);
        let accepts = by_hash(seed, &original, &needles);
        for token in tokens(&first.case.files()[0].bytes) {
            let mut left = first.case.files()[0].bytes.to_vec();
            // A blank in its place: the tokens beside it do not become one.
            left.splice(token.range(), [b' ']);
            let variant = TestCase::single(&first.case.files()[0].path, left).unwrap();
            if accepts(&variant) && Size::of(&variant) < first.size {
                wrong.push(format!("seed {seed}: `{}` can go:\n{text}", &text[token.range()]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {seeds}:\n{}", wrong.len(), wrong.join("\n"));
}
