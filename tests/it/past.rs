//! `clreduce history` and `clreduce why` tell what a reduction did, from its state alone.

#![cfg(unix)]

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::lists::noise;
use crate::support::{BUG, Bench, SCRIPT, SCRIPT_NAME, assert_mentions, slow, stderr, stdout};
use clreduce::History;
use clreduce::events::Event;
use clreduce::journal::{Facts, StateFolder};
use clreduce::{Reduction, Resume};
use clreduce_testcase::{ContentHash, TestCase};

/// A reduced program about which gcc warns, with its state.
fn warning() -> Bench {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/c-warning");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    bench.write("ledger.c", read("ledger.c"));
    bench.script("test.sh", &read("interesting.sh"));
    let args = ["ledger.c", "--test", "./test.sh", "--keep-state", "--events", "e", "-q", "-j2"];
    bench.reduce(&args);
    bench
}

/// Whether the test accepts a text.
fn accepts(bench: &Bench, name: &str, text: &str) -> bool {
    let copy = tempfile::tempdir().unwrap();
    fs::write(copy.path().join(name), text).unwrap();
    Command::new(bench.path("test.sh")).current_dir(copy.path()).status().unwrap().success()
}

fn out(bench: &Bench, args: &[&str]) -> String {
    stdout(&bench.reduce(args))
}

/// Step, pass, bytes and tokens of each commit, as `clreduce history` lists them.
fn listed(text: &str) -> Vec<[String; 4]> {
    let rows = text.lines().skip(1).map_while(|line| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let cells = (cells.len() >= 5 && cells[1] != "commits").then_some(cells)?;
        Some([2, 1, 3, 4].map(|at| cells[at].replace(',', "")))
    });
    rows.collect()
}

/// The same as the events tell.
fn told(bench: &Bench, events: &str) -> Vec<[String; 4]> {
    let events = bench.events(events);
    let commits = events.iter().filter(|event| event["event"] == "committed");
    let cell = |event: &serde_json::Value, name: &str| {
        let value = &event[name];
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    };
    commits.map(|event| ["step", "pass", "bytes", "tokens"].map(|name| cell(event, name))).collect()
}

#[test]
fn every_commit_can_be_shown_and_brought_back() {
    let bench = warning();
    let result = bench.read("ledger.c");
    fs::remove_file(bench.path("e")).ok();
    let text = out(&bench, &["history", "ledger.c"]);
    let commits = listed(&text);
    assert!(commits.len() > 5, "{text}");
    assert_mentions(&text, &["the reduction is finished"]);
    let of = |number: usize| {
        let number = number.to_string();
        out(&bench, &["history", "ledger.c", "--restore", &number, "-o", "-"])
    };
    assert_eq!(of(0), bench.read("ledger.c.orig"));
    assert_eq!(of(commits.len()), result);
    for (number, [_, _, bytes, _]) in (1..).zip(&commits).step_by(commits.len() / 5) {
        let text = of(number);
        assert_eq!(text.len().to_string(), *bytes, "commit {number}");
        assert!(accepts(&bench, "ledger.c", &text), "commit {number}: {text}");
    }
    let first = out(&bench, &["history", "ledger.c", "--show", "1"]);
    assert_mentions(&first, &["commit 1, step ", "\n@@ ", "\n-"]);

    // FILE itself goes back and forth; the copy of the original stays.
    let middle = commits.len() / 2;
    let said = out(&bench, &["history", "ledger.c", "--restore", &middle.to_string()]);
    assert_mentions(&said, &[&format!("`ledger.c` is commit {middle} again")]);
    assert_eq!(bench.read("ledger.c"), of(middle));
    out(&bench, &["history", "ledger.c", "--restore", "0"]);
    assert_eq!(bench.read("ledger.c"), bench.read("ledger.c.orig"));
    out(&bench, &["history", "ledger.c", "--restore", &commits.len().to_string()]);
    assert_eq!(bench.read("ledger.c"), result);

    let said = stderr(&bench.run(&["history", "ledger.c", "--show", "0"]).code(1));
    assert_mentions(&said, &[&format!("there is no commit 0: the last one is {}", commits.len())]);
    let said = stderr(&bench.run(&["history", "ledger.c", "--restore", "9999"]).code(1));
    assert_mentions(&said, &["there is no commit 9999"]);
    bench.write("ledger.c", "int mine;\n");
    let said = stderr(&bench.run(&["history", "ledger.c", "--restore", "1"]).code(1));
    assert_mentions(&said, &["was changed since", "--output"]);
    assert_eq!(bench.read("ledger.c"), "int mine;\n");
    let said = stderr(&bench.run(&["why", "ledger.c"]).code(1));
    assert_mentions(&said, &["was changed since"]);
}

#[test]
fn each_line_has_a_reason_that_is_true() {
    let bench = warning();
    let test = bench.read("test.sh");
    // Nothing runs without --again.
    fs::remove_file(bench.path("test.sh")).unwrap();
    let text = out(&bench, &["why", "ledger.c"]);
    bench.script("test.sh", &test);
    let result = bench.read("ledger.c");
    let lines: Vec<&str> = result.lines().collect();
    let mut current = 0;
    let mut judged = 0;
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        if let Some((number, code)) = line.trim_start().split_once("  ")
            && let Ok(number) = number.parse::<usize>()
        {
            current = number;
            assert_eq!(code.trim(), lines[number - 1].trim(), "{text}");
        } else if line.trim().starts_with("without it: ") && !line.contains("never") {
            judged += 1;
            let mut left = lines.clone();
            left.remove(current - 1);
            assert!(!accepts(&bench, "ledger.c", &left.join("\n")), "line {current}: {text}");
        }
        assert!(!line.contains("never tried"), "{text}");
    }
    assert_eq!(current, lines.len(), "every line is there: {text}");
    assert!(judged > 0, "{text}");

    let line = current.to_string();
    let one = out(&bench, &["why", "ledger.c", "--line", &line]);
    assert_eq!(one.lines().filter(|line| !line.starts_with(' ')).count(), 3, "{one}");
    let said = stderr(&bench.run(&["why", "ledger.c", "--line", "9999"]).code(1));
    assert_mentions(&said, &["there is no line 9999"]);

    let again = out(&bench, &["why", "ledger.c", "--again", "--test", "./test.sh"]);
    assert_mentions(&again, &["tested again: exit code 1"]);
    assert!(!again.contains("interesting: the test is flaky"), "{again}");
    // What it prints and writes is shown.
    let prints = test.replace("\nexport", "\necho 'an error: as always' >said.txt\nexport");
    bench.script("test.sh", &prints);
    let assert = bench.reduce(&["why", "ledger.c", "--again", "--test", "./test.sh"]);
    assert_mentions(&stderr(&assert), &["is not the one of the reduction"]);
    assert_mentions(&stdout(&assert), &["tested again: ", "  | an error: as always"]);
}

#[test]
fn the_history_is_the_one_that_the_events_told() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let bench = Bench::with_bug();
    let kernel = fs::read_to_string(fixtures.join("host/histogram.cl"));
    bench.write("k.cl", kernel.unwrap_or_else(|_| "__kernel void f(__global int *a) { int i = get_global_id(0); if (i > 2) a[i] = i * 3; barrier(1); }\n".to_owned()));
    for entry in fs::read_dir(fixtures.join("c-project")).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        match name.strip_suffix(".sh") {
            Some(_) => bench.script("project.sh", &text),
            None => bench.write(&format!("src/{name}"), text),
        };
    }
    let runs: [&[&str]; 5] = [
        &["bug.c", "--test", SCRIPT, "-j2"],
        &[
            "bug.c",
            "--test",
            SCRIPT,
            "--keep-names",
            "--protect",
            "struct",
            "--skip-pass",
            "lines",
            "--output",
            "out.c",
        ],
        &["bug.c", "--test", SCRIPT, "--max-steps", "20", "--output", "early.c"],
        &["src", "--test", "./project.sh", "--output", "reduced"],
        &["k.cl", "--test", "grep -q get_global_id k.cl"],
    ];
    for args in runs {
        let output = args.iter().position(|word| *word == "--output").map(|at| args[at + 1]);
        let name = output.unwrap_or(args[0]);
        if name == "bug.c" {
            bench.write("bug.c", BUG);
        }
        bench.reduce(&[args, &["--keep-state", "--events", "e", "-q"]].concat());
        let text = out(&bench, &["history", name]);
        assert_eq!(listed(&text), told(&bench, "e"), "{args:?}: {text}");
        let why = out(&bench, &["why", name]);
        assert_mentions(&why, &["are left after", "without it"]);
        assert_eq!(why.contains("not finished"), name == "early.c");
        if name == "bug.c" {
            bench.write("bug.c", BUG);
        }
    }
    // Files that were removed come back, and nothing else changes.
    let left = fs::read_dir(bench.path("reduced")).unwrap().count();
    out(&bench, &["history", "reduced", "--restore", "0"]);
    assert_eq!(bench.read("reduced/map.h"), bench.read("src/map.h"));
    assert_eq!(fs::read_dir(bench.path("reduced")).unwrap().count(), 4);
    let last = listed(&out(&bench, &["history", "reduced"])).len().to_string();
    out(&bench, &["history", "reduced", "--restore", &last]);
    assert_eq!(fs::read_dir(bench.path("reduced")).unwrap().count(), left);
    let why = out(&bench, &["why", "reduced"]);
    assert_mentions(&why, &["\nmain.c:\n", "\ntext.h:\n"]);
}

#[test]
fn a_reduction_under_way_is_asked_and_not_disturbed() {
    let whole = Bench::with_bug();
    whole.reduce(&["bug.c", "--test", SCRIPT, "-q"]);
    let bench = Bench::with_bug();
    bench.script(SCRIPT_NAME, &slow(30));
    let args = ["bug.c", "--test", SCRIPT, "-q", "-j2"];
    let mut child = bench.start(&args);
    let deadline = Instant::now() + Duration::from_secs(60);
    while bench.read("bug.c") == BUG {
        assert!(Instant::now() < deadline, "nothing was committed");
        sleep(Duration::from_millis(5));
    }
    for _ in 0..3 {
        let (text, why) = (out(&bench, &["history", "bug.c"]), out(&bench, &["why", "bug.c"]));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        assert_mentions(&text, &["the reduction is not finished"]);
        assert_mentions(&why, &["not finished", "without it"]);
        let said = stderr(&bench.run(&["history", "bug.c", "--restore", "0"]).code(1));
        assert_mentions(&said, &["another run of clreduce is reducing"]);
    }
    assert!(child.try_wait().unwrap().is_none(), "there was no time to ask");
    child.kill().unwrap();
    child.wait().unwrap();
    bench.assert_nothing_left();
    // What was brought back is a version that the next run knows.
    let said = bench.reduce(&["history", "bug.c", "--restore", "0"]);
    assert_mentions(&stderr(&said), &["goes on from the best version"]);
    assert_eq!(bench.read("bug.c"), BUG);
    bench.reduce(&args);
    assert_eq!(bench.read("bug.c"), whole.read("bug.c"));
}

#[test]
fn what_is_missing_or_damaged_is_said() {
    let bench = Bench::with_bug();
    for command in ["history", "why"] {
        let said = stderr(&bench.run(&[command, "bug.c"]).code(1));
        assert_mentions(&said, &["no state of a reduction of `bug.c`", "--keep-state"]);
        let said = stderr(&bench.run(&[command, "none.c"]).code(2));
        assert_mentions(&said, &["`none.c` does not exist"]);
    }
    bench.reduce(&["bug.c", "--test", SCRIPT, "-q"]);
    assert!(!bench.path("bug.c.clreduce").exists());
    // Where it is reduced already, one more run tells why.
    bench.reduce(&["bug.c", "--test", SCRIPT, "-q", "--keep-state"]);
    assert_mentions(&out(&bench, &["why", "bug.c"]), &["without it: not interesting"]);
    assert_eq!(bench.names().iter().filter(|name| name.starts_with("bug.c")).count(), 3);
    let journal = bench.path("bug.c.clreduce/journal");
    let bytes = fs::read(&journal).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let other = |from: &str, to: &str| {
        fs::write(&journal, text.replacen(from, to, 1)).unwrap();
        let said = stderr(&bench.run(&["why", "bug.c"]).code(1));
        assert_mentions(&said, &["bug.c.clreduce"]);
    };
    other("\"format\":", "\"form\":");
    // A run of its own begins afresh.
    bench.reduce(&["bug.c", "--test", SCRIPT, "-q", "--fresh"]);
    assert!(!bench.path("bug.c.clreduce").exists());
}

/// The steps that were voided are no part of the history.
#[test]
fn a_history_with_steps_back_has_only_what_stands() {
    let source = include_bytes!("../../fixtures/c-assembly/codec.c");
    let original = TestCase::single("codec.c", source.as_slice()).unwrap();
    let mut went_back = false;
    for seed in 0..4 {
        let runs: Arc<Mutex<HashMap<ContentHash, u64>>> = Arc::default();
        let first = original.clone();
        let test = move |case: &TestCase| {
            let mut runs = runs.lock().unwrap();
            let run = runs.entry(case.hash()).or_default();
            *run += 1;
            let has = |word: &[u8]| case.files()[0].bytes.windows(word.len()).any(|it| it == word);
            let shows = has(b"<<") && has(b"return") && has(b"for");
            *case == first || shows || noise(seed * 1_000_003 + *run, case) % 1000 < 20
        };
        let directory = tempfile::tempdir().unwrap();
        let state = Resume {
            folder: StateFolder::open(directory.path()).unwrap(),
            facts: Facts::default(),
            on_disk: None,
        };
        let mut commits: Vec<(u64, ContentHash)> = Vec::new();
        let reduced = Reduction::of(original.clone())
            .test(test)
            .state(state)
            .on_event(|event| match event {
                Event::Committed { step, case, .. } => commits.push((*step, case.hash())),
                Event::WentBack { step, .. } => {
                    went_back = true;
                    commits.retain(|(commit, _)| commit <= step);
                }
                _ => {}
            })
            .run();
        let reduced = reduced.unwrap();
        let history = History::read(directory.path()).unwrap().unwrap();
        let mut past = Vec::new();
        let end = history.replay(|step| {
            past.extend(step.committed.iter().map(|case| (step.number, case.hash())));
        });
        assert_eq!(past, commits, "seed {seed}");
        assert_eq!(*end.unwrap().now.current(), reduced.case);
        assert!(history.record.is_finished);
    }
    assert!(went_back, "the test was never wrong");
}
