//! `--pass-command`: a program proposes beside the passes, and nothing that it does harms a reduction.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{BUG, Bench, SCRIPT, SCRIPT_NAME, assert_mentions, slow, stderr, stdout};

/// Two words that have to be the same, which no pass makes shorter.
const TWINS: &str = "a=mississippi\nnothing\nb=mississippi\nmore\n";
const ARE_TWINS: &str = "#!/bin/sh\na=$(sed -n 's/^a=//p' f.txt); b=$(sed -n 's/^b=//p' f.txt)\n\
    [ -n \"$a\" ] && [ \"$a\" = \"$b\" ]\n";

/// Takes the last letter from both words, and writes down what it was asked about.
const SHORTEN: &str = r#"#!/usr/bin/env python3
import hashlib, json, re, sys
text = open(sys.argv[1], "rb").read()
open("LOG", "a").write(hashlib.sha256(text).hexdigest() + "\n")
ends = [found.end() for found in re.finditer(rb"(?m)^[ab]=\w+", text)]
print(json.dumps({"edits": [{"start": end - 1, "end": end} for end in ends]}))
"#;

fn twins() -> Bench {
    let bench = Bench::new();
    bench.write("f.txt", TWINS);
    bench.script("test.sh", ARE_TWINS);
    let log = bench.path("asked");
    bench.script("shorten.py", &SHORTEN.replace("LOG", log.to_str().unwrap()));
    bench
}

const TWIN_ARGS: [&str; 10] = [
    "f.txt",
    "--test",
    "./test.sh",
    "--pass-command",
    "./shorten.py",
    "--sandbox",
    "off",
    "--events",
    "e",
    "-q",
];

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

#[test]
fn a_program_proposes_what_no_pass_does() {
    let plain = twins();
    plain.reduce(&["f.txt", "--test", "./test.sh", "-q"]);
    assert!(plain.read("f.txt").contains("mississippi"));

    let bench = twins();
    bench.reduce(&with(&TWIN_ARGS, &["-j1", "--keep-state"]));
    assert_eq!(bench.read("f.txt").split_whitespace().collect::<Vec<_>>(), ["a=m", "b=m"]);
    let own = bench
        .events("e")
        .into_iter()
        .filter(|it| it["event"] == "committed" && it["pass"] == "own");
    assert_eq!(own.count(), 10);
    let asked = bench.read("asked");
    assert_eq!(asked.lines().collect::<BTreeSet<_>>().len(), asked.lines().count(), "asked twice");
    // The history asks nothing.
    let history = stdout(&bench.reduce(&["history", "f.txt"]));
    assert_eq!(
        history.lines().filter(|line| line.split_whitespace().nth(1) == Some("own")).count(),
        10
    );
    assert_mentions(&stdout(&bench.reduce(&["why", "f.txt"])), &["without it: "]);
    assert_eq!(bench.read("asked"), asked);

    // The same with more jobs, and in pieces.
    for jobs in ["-j3", "-j8"] {
        let other = twins();
        other.reduce(&with(&TWIN_ARGS, &[jobs]));
        assert_eq!(
            (other.keys("e"), other.read("asked")),
            (bench.keys("e"), asked.clone()),
            "{jobs}"
        );
    }
    let pieces = twins();
    for steps in ["3", "8", "9", "20"] {
        pieces.reduce(&with(&TWIN_ARGS, &["--max-steps", steps, "-j2"]));
    }
    pieces.reduce(&with(&TWIN_ARGS, &["-j2"]));
    assert_eq!((pieces.keys("e"), pieces.read("asked")), (bench.keys("e"), asked));

    // Another program is another reduction.
    let other = twins();
    other.reduce(&with(&TWIN_ARGS, &["--max-steps", "5"]));
    let changed = format!("{}# more\n", other.read("shorten.py"));
    other.script("shorten.py", &changed);
    let said = stderr(&other.run(&TWIN_ARGS).code(1));
    assert_mentions(&said, &["the pass command", "--fresh"]);
}

#[test]
fn killed_runs_with_a_program_end_like_undisturbed_ones() {
    let make = || {
        let bench = twins();
        bench.script("test.sh", &ARE_TWINS.replace("\na=", "\nsleep 0.02\na="));
        bench
    };
    let whole = make();
    let began = Instant::now();
    whole.reduce(&with(&TWIN_ARGS, &["-j2"]));
    let time = began.elapsed();
    let bench = make();
    for part in 1..5 {
        let mut child = bench.start(&with(&TWIN_ARGS, &["-j2"]));
        sleep(time * part / 12);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    if bench.path("f.txt.clreduce").exists() {
        bench.reduce(&with(&TWIN_ARGS, &["-j2"]));
    }
    assert_eq!(bench.read("f.txt"), whole.read("f.txt"));
    assert_eq!(bench.keys("e"), whole.keys("e"));
    bench.assert_nothing_left();
}

/// Programs that fail, and what is said of each.
const HOSTILE: [(&str, &str); 17] = [
    ("rm -rf ./* ../*; exit 4", "exit code 4"),
    ("echo hello", "line 1 "),
    ("echo '{\"edits\": []}'", "there are none"),
    ("echo '{\"edits\": [{\"start\": 0, \"end\": 9}, {\"start\": 5, \"end\": 12}]}'", "overlap"),
    ("echo '{\"edits\": [{\"start\": 0, \"end\": 999999}]}'", "bytes 0 to 999999"),
    ("echo '{\"edits\": [{\"start\": 0.5, \"end\": 1e99}]}'", "line 1 "),
    ("echo '{\"edits\": [{\"file\": \"../test.sh\", \"start\": 0, \"end\": 1}]}'", "no file"),
    ("printf '\\377\\376\\n'", "UTF-8"),
    ("head -c 200000 /dev/zero | tr '\\0' '['", "line 1 "),
    ("yes '{\"edits\": [{\"start\": 0, \"end\": 1}]}'", "pass command failed"),
    ("head -c 100000000 /dev/zero", "pass command failed"),
    ("sleep 1000", "time limit"),
    ("trap '' TERM; sleep 1000 & exec >&-; sleep 1000", "time limit"),
    ("exit 3", "exit code 3"),
    ("echo '{\"edits\": [{\"start\": 0, \"end\": 19}]}'; echo broken >&2; exit 1", "(broken)"),
    ("kill -9 $$", "SIGKILL"),
    ("echo '{\"edits\": [{\"start\": 0, \"end\": 1}]}'; echo '{\"edits\": [{\"sta'", "line 2 "),
];

/// Programs of which nothing comes, good or bad.
const USELESS: [&str; 4] = [
    "rm -rf ./*; echo other >bug.c",
    "chmod 0 bug.c .; : >/dev/full",
    "sleep 1000 & sleep 1000 &",
    "i=0; while [ $i -lt 3000 ]; do echo '{\"edits\": [{\"start\": 0, \"end\": 1, \"text\": \"/* longer */ int longer;\"}]}'; i=$((i+1)); done",
];

#[test]
fn a_hostile_program_costs_its_time_and_nothing_else() {
    let plain = Bench::with_bug();
    plain.reduce(&["bug.c", "--test", SCRIPT, "-q"]);
    let programs = HOSTILE.iter().copied().chain(USELESS.map(|program| (program, "")));
    for (program, part) in programs {
        let bench = Bench::with_bug();
        bench.script("own.sh", &format!("#!/bin/sh\n{program}\n"));
        let began = Instant::now();
        let args =
            ["bug.c", "--test", SCRIPT, "--pass-command", "./own.sh", "--timeout", "8s", "-q"];
        let said = stderr(&bench.reduce(&args));
        assert!(began.elapsed() < Duration::from_secs(100), "{program}");
        assert_eq!(bench.read("bug.c"), plain.read("bug.c"), "{program}");
        assert_eq!(bench.read("bug.c.orig"), BUG, "{program}");
        assert_eq!(
            said.matches("pass command failed").count(),
            usize::from(!part.is_empty()),
            "{program}: {said}"
        );
        assert_mentions(&said, &[part]);
        bench.assert_nothing_left();
    }
}

/// The failure of an earlier run is remembered: the program is not asked again.
#[test]
fn a_failure_is_in_the_journal() {
    let bench = Bench::with_bug();
    let log = bench.path("asked");
    bench.script("own.sh", &format!("#!/bin/sh\necho asked >>{}\nexit 1\n", log.display()));
    let args = ["bug.c", "--test", SCRIPT, "--pass-command", "./own.sh", "--sandbox", "off", "-q"];
    bench.reduce(&with(&args, &["--max-steps", "30"]));
    bench.reduce(&args);
    assert_eq!(bench.read("asked"), "asked\n");
}

#[test]
fn an_interrupt_does_not_wait_for_the_program() {
    let bench = Bench::with_bug();
    let log = bench.path("asked");
    bench.script(SCRIPT_NAME, &slow(1));
    bench.script("own.sh", &format!("#!/bin/sh\necho asked >>{}\nsleep 1000\n", log.display()));
    let args = [
        "bug.c",
        "--test",
        SCRIPT,
        "--pass-command",
        "./own.sh",
        "--sandbox",
        "off",
        "--timeout",
        "500s",
        "-q",
    ];
    let mut child = bench.start(&args);
    let deadline = Instant::now() + Duration::from_secs(60);
    while !log.exists() {
        assert!(Instant::now() < deadline, "it is not asked");
        sleep(Duration::from_millis(10));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    bench.assert_nothing_left();
    // It has not failed: it is asked again.
    bench.script("own.sh", &fs::read_to_string(bench.path("own.sh")).unwrap());
    let mut child = bench.start(&args);
    while bench.read("asked").lines().count() < 2 {
        assert!(Instant::now() < deadline, "it is not asked again");
        sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    bench.assert_nothing_left();
}

#[test]
fn the_example_removes_calls() {
    let bench = Bench::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pass_command.py");
    bench.write("bug.c", "int log_it(const char *a, int b);\nint needle(int a) {\n  log_it(\"x\", (a));\n  return a; }\n");
    bench.script("test.sh", "#!/bin/sh\ngrep -q needle bug.c && gcc -fsyntax-only bug.c\n");
    let own = example.to_str().unwrap();
    bench.reduce(&["bug.c", "--test", "./test.sh", "--pass-command", own, "--events", "e", "-q"]);
    assert!(bench.events("e").iter().any(|it| it["event"] == "judged" && it["pass"] == "own"));
    let said = stderr(
        &bench.run(&["bug.c", "--test", "./test.sh", "--pass-command", "./none.py"]).code(2),
    );
    assert_mentions(&said, &["none.py"]);
}
