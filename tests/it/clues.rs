//! Tests that say which part of the program matters, and recipes that know which part is never executed. It is tried first; a test
//! that says nothing or something wrong costs three steps at most.

use std::num::NonZeroUsize;
use std::sync::Mutex;

#[cfg(unix)]
use crate::support::Bench;
use clreduce::events::Event;
use clreduce::journal::{Facts, StateFolder};
use clreduce::{Reduction, Resume};
use clreduce_interestingness::{Cancel, Interestingness, NotRun, Outcome};
use clreduce_testcase::{Clues, Mention, TestCase};

/// Functions that `main` calls, one of which is the needle; each uses one that is called by others, too.
fn program(needle: &str) -> String {
    let mut text = "typedef unsigned word;\nstatic word table[4];\n".to_owned();
    for at in 0..60 {
        text.push_str(&format!(
            "static word helper{at}(word x) {{ return x ^ table[{}]; }}\n",
            at % 4
        ));
        let body = if at == 41 { needle } else { "" };
        text.push_str(&format!(
            "word function{at}(word x)\n{{\n  word y = helper{at}(x), z = 1;\n  while (z < 9) {{ z += y; }}\n{body}\n  \
             return y + z + helper{}(x);\n}}\n",
            at / 2
        ));
    }
    let calls: String = (0..60).map(|at| format!("  x += function{at}(x);\n")).collect();
    format!("{text}int main(void)\n{{\n  word x = 3;\n{calls}  return x;\n}}\n")
}

/// A test with clues, for programs that contain the needle.
struct Told(Clues);

const NEEDLE: &str = "z *= 77;";

impl Interestingness for Told {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        let contains = |variant: &TestCase| {
            String::from_utf8_lossy(&variant.files()[0].bytes).contains(NEEDLE)
        };
        contains.judge(variant, cancel)
    }

    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        Ok((self.judge(original, cancel)?, self.0.clone()))
    }
}

fn place(file: &str, line: u32) -> Mention {
    Mention::Place { file: file.to_owned(), line, column: 1 }
}

fn name(name: &str) -> Mention {
    Mention::Name(name.to_owned())
}

/// The steps until nine tenths of the bytes are gone, all steps, and the result.
fn reduce(mentions: &[Vec<Mention>], jobs: usize) -> (usize, usize, TestCase) {
    let case = TestCase::single("bug.c", program(NEEDLE).as_bytes()).unwrap();
    let original = case.total_bytes();
    let (mut steps, mut first) = (0, None);
    let reduced = Reduction::of(case)
        .test(Told(Clues { mentions: mentions.to_vec(), ..Clues::default() }))
        .jobs(NonZeroUsize::new(jobs).unwrap())
        .on_event(|event| match event {
            Event::Judged { .. } => steps += 1,
            Event::Committed { case, .. } if case.total_bytes() * 10 <= original => {
                first = first.or(Some(steps));
            }
            _ => {}
        })
        .run()
        .unwrap();
    (first.unwrap(), steps, reduced.case)
}

fn line_of_the_needle() -> u32 {
    program(NEEDLE).lines().position(|line| line.contains(NEEDLE)).unwrap() as u32 + 1
}

#[test]
fn what_a_test_mentions_is_found_in_one_step() {
    let (without, _, result) = reduce(&[], 1);
    let line = line_of_the_needle();
    for mention in [place("bug.c", line), place("/tmp/x/bug.c", line), name("function41")] {
        for jobs in [1, 4] {
            let (with, _, same) = reduce(&[vec![mention.clone()]], jobs);
            assert_eq!((with, &same), (1, &result), "{mention:?} {jobs}");
        }
    }
    assert!(without >= 5, "{without}");
    // Of several places one is enough.
    let (with, _, same) = reduce(&[vec![place("bug.c", 1), place("bug.c", line)]], 1);
    assert!(with <= 3 && same == result, "{with}");
}

#[test]
fn what_is_wrong_costs_three_steps() {
    let (_, steps, result) = reduce(&[], 1);
    let line = line_of_the_needle();
    for mention in [
        name("nobody"),
        name(""),
        name("helper3"),
        name("table"),
        name("main"),
        place("bug.c", 5),
        place("bug.c", 0),
        place("bug.c", 1_000_000),
        place("other.c", line),
        place("", line),
    ] {
        let (_, with, same) = reduce(&[vec![mention.clone()]], 1);
        assert!(with <= steps + 3, "{mention:?}: {with} instead of {steps}");
        assert_eq!(same, result, "{mention:?}");
    }
}

#[test]
fn clues_are_those_of_the_first_run() {
    let folder = tempfile::tempdir().unwrap();
    let hashes = Mutex::new(Vec::new());
    let run = |mentions: Vec<Mention>, steps: Option<u64>| {
        let case = TestCase::single("bug.c", program(NEEDLE).as_bytes()).unwrap();
        let state = Resume {
            folder: StateFolder::open(folder.path()).unwrap(),
            facts: Facts::new(),
            on_disk: None,
        };
        let told = Told(Clues { mentions: vec![mentions], ..Clues::default() });
        let reduction = Reduction::of(case).test(told).state(state).on_event(|event| {
            if let Event::Judged { hash, .. } = event {
                hashes.lock().unwrap().push(*hash);
            }
        });
        let reduction = match steps {
            Some(steps) => reduction.max_steps(steps),
            None => reduction,
        };
        reduction.run().unwrap();
        std::mem::take(&mut *hashes.lock().unwrap())
    };
    let begun = run(vec![name("function41")], Some(4));
    // Another time the tool says something else.
    let resumed = run(vec![name("function2")], None);
    assert_eq!(begun[..], resumed[..4]);
    let whole = run(vec![name("function41")], None);
    assert_eq!(whole, resumed);
}

/// The steps until nine tenths of the bytes are gone, and of all.
#[cfg(unix)]
fn steps(bench: &Bench, more: &[&str]) -> (usize, usize) {
    let text = program(bench.read("needle").trim_end());
    bench.write("bug.c", &text);
    let args = ["bug.c", "--test", "./test.sh", "-j1", "--events", "events", "--fresh"];
    bench.reduce(&[&args, more].concat());
    let events = bench.read("events");
    let (mut steps, mut first) = (0, None);
    for event in events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
    {
        match event["event"].as_str().unwrap() {
            "judged" => steps += 1,
            "committed" if event["bytes"].as_u64().unwrap() as usize * 10 <= text.len() => {
                first = first.or(Some(steps));
            }
            _ => {}
        }
    }
    (first.unwrap(), steps)
}

/// clang's own crash, in the function that it was parsing; clang says so in a file of the test, which prints nothing.
#[cfg(unix)]
#[test]
fn the_crash_of_a_compiler_says_which_function() {
    let bench = Bench::new();
    bench.write("needle", "#pragma clang __debug crash");
    bench.script(
        "test.sh",
        "#!/bin/sh\nLLVM_DISABLE_SYMBOLIZATION=1 clang -fno-crash-diagnostics -c bug.c -o bug.o >log 2>&1\n\
         grep -q 'arsing function body' log\n",
    );
    let (with, all) = steps(&bench, &[]);
    let (without, all_without) = steps(&bench, &["--skip-pass", "clues"]);
    assert!(with <= 2 && without > with, "{with} and {without}");
    assert!(all <= all_without, "{all} and {all_without}");
}

/// Many warnings are printed, and the pattern of the test says which one matters.
#[cfg(unix)]
#[test]
fn what_the_test_looks_for_says_which_message_matters() {
    let bench = Bench::new();
    bench.write("needle", "  if (z = x) z++;");
    bench.script(
        "test.sh",
        "#!/bin/sh\nexport LC_ALL=C\ngcc -Wall -Wextra -Wunused-macros -Wconversion -fsyntax-only bug.c >log 2>&1 &&\n\
         grep -q 'suggest parentheses around assignment' log\n",
    );
    let (with, _) = steps(&bench, &[]);
    let (without, _) = steps(&bench, &["--skip-pass", "clues"]);
    assert!(with == 1 && without > with, "{with} and {without}");
}

/// Half of the program is never executed: functions, a branch that calls them, cases and operands.
#[cfg(unix)]
fn mostly_unexecuted(head: &str, body: &str) -> String {
    let mut text = String::new();
    for at in 0..8 {
        text.push_str(&format!(
            "int dead{at}(int x)\n{{\n  int y = x * {at};\n  for (int i = 0; i < {at}; i++) y ^= x + i;\n  return y;\n}}\n"
        ));
    }
    let calls: String = (0..8).map(|at| format!("    n += dead{at}(n);\n")).collect();
    format!(
        "{head}{text}int alive(int n)\n{{\n  if (n > 100) {{\n{calls}  }}\n  switch (n) {{\n  case 2: n = 5; break;\n  \
         default: n = n + 7 * dead1(n) + dead2(n * 3); return n;\n  }}\n  return n || dead3(n) + 1;\n}}\n{body}"
    )
}

/// The step with which half of the bytes are gone, of the first few.
#[cfg(target_os = "linux")]
fn halved_at(bench: &Bench, file: &str, recipe: &str, more: &[&str]) -> Option<usize> {
    let original = bench.read(file);
    let args = [file, "--test", recipe, "-j1", "--events", "events", "--max-steps", "8"];
    bench.reduce(&[&args, more].concat());
    let events = bench.events("events");
    let (mut steps, mut first) = (0, None);
    for event in events {
        match event["event"].as_str().unwrap() {
            "judged" => steps += 1,
            "committed" if event["bytes"].as_u64().unwrap() as usize * 2 <= original.len() => {
                first = first.or(Some(steps));
            }
            _ => {}
        }
    }
    bench.write(file, original);
    std::fs::remove_file(bench.path(&format!("{file}.orig"))).unwrap();
    first
}

/// Oclgrind 21.10 computes `mad_sat` wrongly. `init` writes the recipe; the host says what is never executed.
#[cfg(target_os = "linux")]
#[test]
fn what_no_work_item_executes_goes_first() {
    let bench = Bench::new();
    let entry = "__kernel void entry(__global ulong *result) {\n  long a = 1L, b = -1L;\n  \
        result[get_global_id(0)] = mad_sat(a, b, 0L) + alive(2) * 0;\n}\n";
    bench.write("k.cl", mostly_unexecuted("// -g 2,1,1 -l 1,1,1\n", entry));
    bench.run(&["init", "k.cl"]).code(0);
    assert_eq!(halved_at(&bench, "k.cl", "k.toml", &["--fresh"]), Some(1));
    let without = halved_at(&bench, "k.cl", "k.toml", &["--fresh", "--skip-pass", "unexecuted"]);
    assert!(without.is_none_or(|step| step > 3), "{without:?}");
}

/// The compiled program itself says what is never executed, whatever else it prints.
#[cfg(target_os = "linux")]
#[test]
fn what_a_program_does_not_execute_goes_first() {
    let bench = Bench::new();
    let main = "int main(void)\n{\n#ifdef BUG\n  int wrong = 4;\n#else\n  int wrong = 3;\n#endif\n  \
        printf(\"%d\", wrong + alive(2) * 0);\n  return 0;\n}\n";
    bench.write("bug.c", mostly_unexecuted("#include <stdio.h>\n", main));
    let configuration = |options: &str| {
        format!(
            "[[configuration]]\nbuild = \"gcc -w {options} {{file}} -o program\"\nrun = \"./program\"\n"
        )
    };
    let recipe = format!(
        "preset = \"wrong-code\"\n{}accused = true\n{}{}",
        configuration("-DBUG"),
        configuration("-O0"),
        configuration("-O1")
    );
    bench.write("bug.toml", recipe);
    assert_eq!(halved_at(&bench, "bug.c", "bug.toml", &["--fresh"]), Some(1));
    let without = halved_at(&bench, "bug.c", "bug.toml", &["--fresh", "--skip-pass", "unexecuted"]);
    assert!(without.is_none_or(|step| step > 1), "{without:?}");
}
