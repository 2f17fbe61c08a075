//! `clreduce batch` from outside: many cases, killed and begun again, in the order in which somebody
//! should look at them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
#[cfg(unix)]
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Bench, assert_mentions, stderr, stdout};
use serde_json::Value;

/// The planted compiler as `compiler`, and as many planted cases in `cases`; which kind each is.
fn planted(bench: &Bench, count: usize) -> Value {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/planted");
    let run = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?}");
    let compiler = bench.path("compiler");
    run(Command::new("cc").arg("-O1").arg(fixture.join("compiler.c")).arg("-o").arg(&compiler));
    let generate = fixture.join("generate");
    run(Command::new(generate).arg(bench.path("cases")).arg(count.to_string()));
    bench.json("cases.kinds.json")
}

fn test_of(bench: &Bench) -> String {
    format!("{} *.c", bench.path("compiler").display())
}

/// Records of finished cases, by name.
fn finished(bench: &Bench) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in fs::read_dir(bench.path("out/cases")).into_iter().flatten() {
        let folder = folder.unwrap().path();
        if let Ok(record) = fs::read(folder.join("case.json")) {
            found.push((folder.file_name().unwrap().to_str().unwrap().to_owned(), record));
        }
    }
    found.sort();
    found
}

fn cases(bench: &Bench) -> Vec<Value> {
    bench.json("out/report.json")["cases"].as_array().unwrap().clone()
}

fn name(case: &Value) -> &str {
    case["name"].as_str().unwrap()
}

fn wait_until(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(300);
    while !condition() {
        assert!(Instant::now() < deadline, "it does not get that far");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a compiler and Python")]
fn sixty_cases_killed_twice_come_out_once_each_and_one_of_each_kind_comes_first() {
    let bench = Bench::new();
    let kinds = planted(&bench, 60);
    let test = test_of(&bench);
    let args = ["batch", "cases", "--test", &test, "--out", "out", "-j2"];
    let mut before = Vec::new();
    for enough in [9, 30] {
        let mut run = bench.start(&args);
        wait_until(|| finished(&bench).len() >= enough);
        run.kill().unwrap();
        run.wait().unwrap();
        bench.assert_nothing_left();
        before = finished(&bench);
        assert!(before.len() < 60, "killed too late");
    }
    bench.reduce(&args);
    bench.assert_nothing_left();

    let after = finished(&bench);
    assert_eq!(after.len(), 60);
    assert!(before.iter().all(|record| after.contains(record)), "finished cases are not touched");
    let cases = cases(&bench);
    let names: BTreeSet<&str> = cases.iter().map(name).collect();
    assert_eq!((cases.len(), names.len()), (60, 60));
    assert!(cases.iter().all(|case| case["outcome"] == "minimal"));

    let of = |case: &Value| kinds[name(case)].as_str().unwrap().to_owned();
    let first: BTreeSet<String> = cases[..8].iter().map(of).collect();
    assert_eq!(first.len(), 6, "{first:?}");
    let page = bench.read("out/report.html");
    assert!(names.iter().all(|name| page.contains(name)));
    assert!(!page.contains("http://") && !page.contains("https://"), "it needs no network");

    // A case that was under way ends as in a reduction which nothing stopped.
    let unfinished = |case: &&Value| !before.iter().any(|(known, _)| known == name(case));
    let case = cases.iter().find(unfinished).unwrap();
    let file = format!("cases/{}", name(case));
    bench.reduce(&[&file, "--test", &test, "--output", "alone.c", "-j1"]);
    assert_eq!(case["reduced"][0]["text"].as_str().unwrap(), bench.read("alone.c"));
    let commits = case["commits"].as_array().unwrap();
    let figure = |name: &'static str| commits.iter().map(move |c| c[name].as_u64().unwrap());
    assert!(figure("step").is_sorted() && figure("tests").is_sorted(), "{commits:?}");
}

#[test]
#[cfg_attr(windows, ignore = "needs a compiler and Python")]
fn what_is_known_comes_last() {
    let bench = Bench::new();
    let kinds = planted(&bench, 12);
    let test = test_of(&bench);
    let run = |out: &str, more: &[&str]| {
        let args = ["batch", "cases", "--test", &test, "--out", out, "-j2"];
        bench.reduce(&[&args, more].concat())
    };
    run("known", &[]);
    let common = |case: &&Value| kinds[name(case)] == "unswitch";
    let known = bench.json("known/report.json")["cases"].as_array().unwrap().clone();
    let result = known.iter().find(common).unwrap()["reduced"][0]["text"].as_str().unwrap();
    bench.write("bugs/my-bug.c", result.replace(" a(", " another_name("));

    run("out", &["--known", "bugs"]);
    let order = cases(&bench);
    let is_known: Vec<bool> = order.iter().map(|case| case["known"] == true).collect();
    assert_eq!(is_known, order.iter().map(|case| common(&case)).collect::<Vec<_>>());
    assert!(is_known.is_sorted() && is_known.contains(&true), "{is_known:?}");
    run("out", &["--known", "known"]);
    assert!(cases(&bench).iter().all(|case| case["known"] == true));
}

#[test]
#[cfg_attr(windows, ignore = "its test is a shell script")]
fn what_goes_wrong_is_recorded_and_the_rest_goes_on() {
    let bench = Bench::new();
    let good = "int needle;\nint other;\n";
    for (name, text) in [
        ("a.c", good),
        ("b.c", "int hay;\n"),
        ("c.c", "int needle; int hangs;\n"),
        ("d.c", ""),
        ("e.c", "int needle; int wavers;\n"),
        ("f.c", good),
    ] {
        bench.write(&format!("cases/{name}"), text);
    }
    let marks = bench.path("marks");
    let test = format!(
        "grep -q hangs *.c && sleep 1000; grep -q 'needle;.*wavers' *.c && ! mkdir {} 2>/dev/null && exit 1; \
         echo looking at *.c; grep -q needle *.c",
        marks.display()
    );
    bench.script("test.sh", &format!("#!/bin/sh\n{test}\n"));
    let args = [
        "batch",
        "cases",
        "--test",
        "./test.sh",
        "--out",
        "out",
        "-j2",
        "--timeout",
        "700ms",
        "--writable",
        ".",
    ];
    let shown = bench.run(&args).code(0);
    let records = cases(&bench);
    let of = |wanted: &str| records.iter().find(|case| name(case) == wanted).unwrap();
    let outcomes = ["a.c", "b.c", "c.c", "d.c", "e.c", "f.c"].map(|name| &of(name)["outcome"]);
    let expected = ["minimal", "not_interesting", "not_interesting", "failed", "flaky", "minimal"];
    assert_eq!(outcomes, expected, "{records:?}");
    assert_mentions(of("c.c")["reason"].as_str().unwrap(), &["stopped after"]);
    assert_mentions(of("d.c")["reason"].as_str().unwrap(), &["is empty"]);
    assert_eq!(of("b.c")["output"], "looking at b.c\n");
    assert_eq!(of("f.c")["duplicate_of"], "a.c");
    assert_mentions(&stdout(&shown), &["2 minimal", "2 not interesting", "1 flaky", "1 failed"]);
    assert_mentions(&stderr(&shown), &["b.c: not interesting: exit code 1"]);
    bench.assert_nothing_left();

    // What could not be read is tried again, and nothing else.
    bench.write("cases/d.c", good);
    let shown = bench.run(&args).code(0);
    assert_mentions(&stderr(&shown), &["d.c: "]);
    assert!(!stderr(&shown).contains("a.c: "), "{}", stderr(&shown));
    bench.write("test.sh", "exit 0\n");
    assert_mentions(&stderr(&bench.run(&args).code(1)), &["batch", "different: the test"]);
}

/// Finished cases are left as they are, so that a batch with other options would mix two kinds of results.
#[test]
fn a_batch_goes_on_only_with_the_options_it_was_begun_with() {
    let bench = Bench::new();
    bench.write("cases/a.c", "int needle;\nint hay;\n");
    let test = if cfg!(windows) { "find \"needle\" a.c" } else { "grep -q needle a.c" };
    let args = ["batch", "cases", "-t", test, "-o", "out"];
    bench.reduce(&[&args[..], &["-j1"]].concat());
    for option in [
        "--timeout=7s",
        "--time-limit=1h",
        "--max-steps=1000000",
        "--memory-limit=1T",
        "--interesting-stdout=needle",
        "--interesting-stderr=needle",
        "--lang=text",
        "--passes=lines",
        "--skip-pass=lines",
        "--keep-names",
        "--protect=needle",
        "--compile-filter",
        "--no-compile-filter",
    ] {
        let name = option.split('=').next().unwrap();
        let name = if name.contains("pass") { "the choice of passes" } else { name };
        let refused = bench.run(&[&args[..], &[option]].concat()).code(1);
        assert_mentions(&stderr(&refused), &["different: ", name]);
    }
    bench.reduce(&[&args[..], &["-j2"]].concat());
}

#[test]
fn folders_are_cases_too_and_inputs_are_left_alone() {
    let bench = Bench::new();
    bench.write("cases/one/main.c", "#include \"x.h\"\nint main(void) { return needle(); }\n");
    bench.write("cases/one/x.h", "int needle(void);\nint hay(void);\n");
    bench.write("cases/two/main.c", "int needle;\nint hay;\n");
    bench.write("cases/two/unused.h", "int nothing;\n");
    let test = if cfg!(windows) {
        "find \"needle\" main.c"
    } else {
        "grep -q needle main.c && gcc -fsyntax-only -w main.c"
    };
    bench.reduce(&["batch", "cases", "-t", test, "-o", "cases/out", "--layout", "folders", "-j2"]);
    assert_eq!(bench.read("cases/one/x.h"), "int needle(void);\nint hay(void);\n");
    let reduced = bench.read("cases/out/cases/two/reduced/main.c");
    assert!(reduced.contains("needle") && !reduced.contains("hay"), "{reduced}");
    assert!(!bench.path("cases/out/cases/two/reduced/unused.h").exists());
    assert_eq!(bench.names(), ["cases"]);
    let report = bench.json("cases/out/report.json");
    assert_eq!(report["cases"].as_array().unwrap().len(), 2, "the results are no case");
}

#[cfg(unix)]
#[test]
fn a_batch_that_is_interrupted_at_once_says_that_the_same_command_goes_on() {
    let bench = Bench::new();
    bench.write("cases/a.c", "int needle;\n");
    bench.script("test.sh", "#!/bin/sh\nsleep 1000\n");
    let args = ["batch", "cases", "--test", "./test.sh", "--out", "out"];
    let mut command = bench.command(&args);
    let run = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    wait_until(|| bench.processes().iter().any(|process| process.contains("sleep")));
    let signal = Command::new("kill").arg("-INT").arg(run.id().to_string()).status();
    assert!(signal.unwrap().success());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_mentions(&shown, &["1 interrupted", "Interrupted; to continue, run the same command."]);
    assert!(!shown.contains("0 B") && !shown.contains("no new programs"), "{shown}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_batch_says_so_and_goes_on() {
    let bench = Bench::new();
    planted(&bench, 12);
    let test = test_of(&bench);
    let args = ["batch", "cases", "--test", &test, "--out", "out", "-j2"];
    let mut run = bench.start(&args);
    wait_until(|| finished(&bench).len() >= 2);
    let signal = Command::new("kill").arg("-INT").arg(run.id().to_string()).status();
    assert!(signal.unwrap().success());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    bench.assert_nothing_left();
    assert!(cases(&bench).iter().any(|case| case["outcome"] == "interrupted"));
    bench.reduce(&args);
    assert!(cases(&bench).iter().all(|case| case["outcome"] == "minimal"));
}
