//! `clreduce fuzz` on real devices: it finds a known bug of Oclgrind, reduces it, and goes on where it was killed.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// The program of this seed has `mad_sat` on `long`, which Oclgrind 21.10 computes wrongly.
const CAMPAIGN: [&str; 12] = [
    "--device",
    "oclgrind",
    "--mode",
    "vector",
    "--tokens",
    "300..1500",
    "--seed",
    "1185",
    "--count",
    "2",
    "--plain",
    "--timeout=60s",
];
const BUG: &str = "bugs/oclgrind-wrong-result-vector-1185";

fn args<'a>(out: &'a str, jobs: &'a str) -> Vec<&'a str> {
    [&["fuzz", "--out", out, jobs][..], &CAMPAIGN[..]].concat()
}

/// The files of the bugs, by path, and the log.
fn result(bench: &Bench, out: &str) -> BTreeMap<String, String> {
    let mut files = bench.files_of_bugs(out);
    files.insert("campaign.jsonl".into(), bench.read(&format!("{out}/campaign.jsonl")));
    files
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(600);
    while !condition() {
        assert!(Instant::now() < deadline, "it does not get that far: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn a_bug_is_found_and_reduced_and_a_killed_campaign_ends_alike() {
    let bench = Bench::new();
    let run = bench.reduce(&args("whole", "-j2"));
    let kernel = bench.read(&format!("whole/{BUG}/kernel.cl"));
    assert!(kernel.contains("mad_sat") && kernel.lines().count() <= 15, "{kernel}");
    assert_mentions(&bench.read(&format!("whole/{BUG}/report.md")), &["mad_sat", "Oclgrind"]);
    let before =
        "the first 2 programs show what each configuration can do; reducing begins after them";
    let seen = "reducing begins. Seen so far:\n  oclgrind: 1 wrong result\n";
    assert_mentions(&stderr(&run), &[before, seen, "new bug", "each alarm makes mad_sat"]);
    assert_mentions(&stdout(&run), &["oclgrind-wrong-result-vector-1185", "right without mad_sat"]);
    let bug = format!("whole/{BUG}/kernel.cl");
    bench.run(&["run", &bug, "--device-name", "oclgrind"]).code(24);
    bench.run(&["run", &bug, "--device-name", "host"]).code(0);
    let table = &bench.json("whole/report.json")["outcomes"];
    assert_eq!((&table["programs"], &table["rows"][0]["bugs"]), (&2.into(), &1.into()));

    // Killed while the program is reduced, and while the text is.
    let case = bench.path("killed/cases/oclgrind-wrong-result-vector-1185");
    for (journal, enough) in [("program/journal", 20), ("state/journal", 30)] {
        let mut run = bench.start(&args("killed", "-j1"));
        wait_until(journal, || lines(&case.join(journal)) >= enough);
        run.kill().unwrap();
        run.wait().unwrap();
        bench.assert_nothing_left();
        assert!(!bench.path("killed").join(BUG).exists(), "killed too late");
    }
    bench.reduce(&args("killed", "-j2"));
    assert_eq!(result(&bench, "whole"), result(&bench, "killed"));
    bench.assert_nothing_left();

    // What is finished stays as it is, and another campaign is refused.
    bench.reduce(&args("whole", "-j2"));
    assert_eq!(result(&bench, "whole"), result(&bench, "killed"));
    let other = bench.run(&["fuzz", "--out", "whole", "--device", "oclgrind", "--count", "2"]);
    assert_mentions(&stderr(&other.code(1)), &["--mode", "--seed", "undo the change"]);

    let replay = bench.run(&["fuzz", "--replay", "whole", "--device", "oclgrind"]).code(1);
    assert_mentions(&stdout(&replay), &["wrong result", "1 of 1 bugs are still there"]);
    let replay = bench.reduce(&["fuzz", "--replay", "whole", "--device", "host"]);
    assert_mentions(&stdout(&replay), &["gone", "0 of 1 bugs"]);
}

#[test]
fn wrong_options_are_answered_with_what_to_do() {
    let bench = Bench::new();
    let wrong = |args: &[&str]| stderr(&bench.run(&[&["fuzz"], args].concat()).code(2));
    assert_mentions(&wrong(&["--count", "1"]), &["--out"]);
    assert_mentions(&wrong(&["--out", "c", "--device", "nothing"]), &["nothing", "oclgrind"]);
    let twice = wrong(&["--out", "c", "--device", "host", "--device", "host"]);
    assert_mentions(&twice, &["named twice"]);
    let mode = wrong(&["--out", "c", "--mode", "vector", "--avoid", "vector"]);
    assert_mentions(&mode, &["cannot do without"]);
    assert!(!bench.path("c").exists());
}

#[test]
fn what_no_check_can_see_is_said_before_the_campaign_starts() {
    let bench = Bench::new();
    let args = ["--device", "Portable", "--count", "1", "--mode", "basic", "--plain"];
    let args = |out| [&["fuzz", "--out", out][..], &args[..]].concat();
    let mut command = assert_cmd::Command::from_std(bench.command(&args("c")));
    let told = stderr(&command.env("PATH", "").assert().code(0));
    let warning = told.find("no stage can look for anything").unwrap();
    assert!(warning < told.find("1 configurations").unwrap(), "{told}");
    let so = "wrong results cannot be told from faults of kernels: none of them will be reduced";
    assert_mentions(&told, &[so, "no usable clang was found", "apt-get install clang-19 gcc"]);
    let complete = stderr(&bench.reduce(&args("d")));
    assert!(!complete.contains("no stage can look for"), "{complete}");
}
