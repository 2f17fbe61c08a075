//! A person edits FILE while a reduction is stopped: what is interesting is gone on from, and nothing else is lost.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{BUG, Bench, SCRIPT, TEST, assert_mentions, stderr, stdout};

/// A program that no pass makes of `BUG`.
const GOOD: &str = "int other(int a) { return a; }\nint spare[3];\n\
    int needle(int a) { return other(a) + spare[1]; }\nint main(void) { return needle(3); }\n";

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["bug.c", "--test", SCRIPT, "--events", "e"], more].concat()
}

/// The program after so many steps, and the reduction stopped there.
fn stopped(steps: &str) -> Bench {
    let bench = Bench::with_bug();
    bench.reduce(&args(&["--max-steps", steps, "-j2", "-q"]));
    assert!(bench.path("bug.c.clreduce").exists(), "{steps} steps are too many");
    bench
}

/// What is in the folder with edits that were refused.
fn aside(bench: &Bench) -> Vec<(String, String)> {
    let entries = fs::read_dir(bench.path("bug.c.edited")).into_iter().flatten().flatten();
    let folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    let read = |path: PathBuf| fs::read_to_string(path).unwrap();
    folders
        .into_iter()
        .map(|folder| (read(folder.join("bug.c")), read(folder.with_extension("txt"))))
        .collect()
}

#[test]
fn a_good_edit_is_gone_on_from() {
    let ends = ["-j1", "-j2", "-j4"].map(|jobs| {
        let bench = stopped("12");
        bench.write("bug.c", GOOD);
        let said = stderr(&bench.reduce(&args(&[jobs, "--keep-state"])));
        assert_mentions(&said, &["`bug.c` was edited", "is interesting", "tokens"]);
        let events = bench.events("e");
        let edit =
            events.iter().find(|it| it["event"] == "committed" && it["pass"] == "edit").unwrap();
        assert_eq!(edit["step"], 13);
        assert!(bench.is_interesting(&["bug.c"]));
        assert_eq!(bench.read("bug.c.orig"), BUG);
        assert!(!bench.read("bug.c").contains("spare"), "{}", bench.read("bug.c"));
        assert_mentions(&stdout(&bench.reduce(&["history", "bug.c"])), &[" edit "]);
        assert_mentions(&stdout(&bench.reduce(&["why", "bug.c"])), &["needle", "without it"]);
        assert!(aside(&bench).is_empty());
        (bench.keys("e"), bench.read("bug.c"))
    });
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0], ends[2]);
    // In pieces, and with the edit in the journal alone.
    let pieces = stopped("12");
    pieces.write("bug.c", GOOD);
    for steps in ["13", "14", "20"] {
        pieces.reduce(&args(&["--max-steps", steps, "-j3"]));
        assert!(pieces.is_interesting(&["bug.c"]));
    }
    pieces.reduce(&args(&["-j2"]));
    assert_eq!((pieces.keys("e"), pieces.read("bug.c")), ends[0]);
}

#[test]
fn an_edit_that_is_not_interesting_is_put_aside() {
    let whole = Bench::with_bug();
    whole.reduce(&args(&["-j2", "-q"]));
    for bad in ["int main(void) { return 0; }\n", "int needle(int a) {", "", "int \u{e9}\0("] {
        let bench = stopped("9");
        bench.write("bug.c", bad);
        let said = stderr(&bench.reduce(&args(&["-j2"])));
        assert_mentions(&said, &["`bug.c` was edited", "is not interesting", "bug.c.edited"]);
        let (text, about) = aside(&bench).pop().unwrap();
        assert_eq!(text, bad);
        assert_mentions(&about, &["exit code 1"]);
        assert_eq!(bench.read("bug.c"), whole.read("bug.c"));
        assert_eq!(bench.keys("e").len(), whole.keys("e").len() + 1);
    }
    // As after a kill between the verdict and putting it aside.
    let bench = stopped("9");
    bench.write("bug.c", "mine");
    bench.reduce(&args(&["--max-steps", "11", "-j2"]));
    fs::remove_dir_all(bench.path("bug.c.edited")).unwrap();
    bench.write("bug.c", "mine");
    bench.reduce(&args(&["-j2"]));
    assert_eq!(aside(&bench).pop().unwrap().0, "mine");
    assert_eq!(bench.read("bug.c"), whole.read("bug.c"));
    // A version that the reduction wrote is no edit.
    let bench = stopped("9");
    bench.write("bug.c", BUG);
    let said = stderr(&bench.reduce(&args(&["-j2"])));
    assert!(!said.contains("was edited"), "{said}");
    assert_eq!(bench.keys("e"), whole.keys("e"));
}

#[test]
fn an_edit_that_cannot_be_put_aside_stays() {
    let bench = stopped("9");
    bench.write("bug.c.edited", "in the way");
    bench.write("bug.c", "mine");
    bench.run(&args(&["-j2"])).code(1);
    assert_eq!(bench.read("bug.c"), "mine");
}

#[test]
fn a_run_that_is_killed_while_an_edit_is_tested_tests_it_again() {
    let make = || {
        let bench = Bench::with_bug();
        let slow = TEST
            .replace("\ngrep", "\n[ -e HOLD ] && grep -q 'spare\\|mine' bug.c && sleep 100\ngrep");
        bench.script("test.sh", &slow.replace("HOLD", bench.path("hold").to_str().unwrap()));
        let common = ["--max-steps", "9", "-j2", "-q", "--sandbox", "off", "--timeout", "500s"];
        bench.reduce(&args(&common));
        bench
    };
    let common = ["-j2", "-q", "--sandbox", "off", "--timeout", "500s"];
    for (edit, is_good) in [(GOOD, true), ("mine", false)] {
        let bench = make();
        bench.write("bug.c", edit);
        bench.write("hold", "");
        let journal = bench.path("bug.c.clreduce/journal");
        let mut child = bench.start(&args(&common));
        let deadline = Instant::now() + Duration::from_secs(60);
        while !fs::read_to_string(&journal).unwrap().contains(" edited ") {
            assert!(Instant::now() < deadline, "the edit is not noticed");
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(bench.read("bug.c"), edit);
        fs::remove_file(bench.path("hold")).unwrap();
        bench.reduce(&args(&common));
        let text = bench.read("bug.c");
        assert!(bench.is_interesting(&["bug.c"]), "{text}");
        let judged = bench.events("e").iter().filter(|it| it["pass"] == "edit").count();
        assert!(judged >= 1);
        let put_aside = aside(&bench).into_iter().any(|(text, _)| text == edit);
        assert_eq!(put_aside, !is_good);
    }
}

#[test]
fn edits_at_many_steps_are_deterministic_and_nothing_is_lost() {
    let edits = |text: &str, round: usize| match round % 5 {
        0 => format!("{text}int more{round} = {round};\n"),
        1 => text[..text.len() / 2].to_owned(),
        2 => GOOD.replace("spare", &format!("spare{round}")),
        3 => String::new(),
        _ => text.replace("int", "long"),
    };
    let results = ["-j1", "-j3"].map(|jobs| {
        let bench = Bench::with_bug();
        let mut made = Vec::new();
        for round in 0..15 {
            let steps = (round * 4 + 3).to_string();
            bench.reduce(&args(&["--max-steps", &steps, jobs, "-q"]));
            if !bench.path("bug.c.clreduce").exists() {
                break;
            }
            let edited = edits(&bench.read("bug.c"), round);
            bench.write("bug.c", &edited);
            made.push(edited);
        }
        bench.reduce(&args(&[jobs, "-q"]));
        assert!(bench.is_interesting(&["bug.c"]));
        let refused: Vec<String> = aside(&bench).into_iter().map(|(text, _)| text).collect();
        let accepted = bench.events("e");
        let accepted =
            accepted.iter().filter(|it| it["event"] == "committed" && it["pass"] == "edit");
        assert!(accepted.count() > 2 && refused.len() > 2);
        for edit in made.iter().filter(|edit| !edit.contains("needle(")) {
            assert!(refused.contains(edit), "lost: {edit}");
        }
        let mut refused = refused;
        refused.sort();
        (bench.keys("e"), bench.read("bug.c"), refused)
    });
    assert_eq!(results[0], results[1]);
}

/// The test itself edits FILE, once: after the last commit of a program from which nothing can be removed.
#[test]
fn an_edit_after_the_last_commit_is_not_lost() {
    let bench = Bench::new();
    bench.write("bug.c", "needle\n");
    let [file, done] = ["bug.c", "done"].map(|name| bench.path(name).display().to_string());
    bench.script(
        "test.sh",
        &format!(
            "#!/bin/sh\n[ -e {done} ] || {{ : >{done}; echo 'needle mine' >{file}; }}\ngrep -q needle bug.c\n"
        ),
    );
    let args = ["bug.c", "--test", SCRIPT, "--sandbox", "off", "-q", "--events", "e"];
    let said = stderr(&bench.run(&args).code(1));
    assert_mentions(&said, &["changed by someone else", "run the same command again"]);
    assert_eq!(bench.read("bug.c"), "needle mine\n");
    bench.reduce(&args);
    assert!(bench.events("e").iter().any(|it| it["event"] == "committed" && it["pass"] == "edit"));
    assert_eq!(bench.read("bug.c"), "needle\n");
}

/// All files of such an edit are versions that the reduction wrote, but not together.
#[test]
fn in_a_project_a_file_may_be_removed_or_put_back() {
    let file = |letter: char| {
        (0..8)
            .map(|n| format!("int {letter}{n}(int x) {{ return x + {n}; }}\n"))
            .collect::<String>()
    };
    let stopped = || {
        let bench = Bench::new();
        bench.write("p/a.c", format!("{}int needle(int a) {{ return a; }}\n", file('a')));
        bench.write("p/b.c", format!("{}int thread;\n", file('b')));
        bench.write("p/c.c", file('c'));
        bench.script(
            "test.sh",
            "#!/bin/sh\ngrep -q needle a.c && grep -q thread b.c && [ -e c.c ]\n",
        );
        let args = ["p", "--test", SCRIPT, "-q", "--events", "e"];
        bench.reduce(&[&args[..], &["--max-steps", "20"]].concat());
        assert_ne!(bench.read("p/b.c"), bench.read("p.orig/b.c"));
        (bench, args)
    };
    let (bench, args) = stopped();
    fs::remove_file(bench.path("p/c.c")).unwrap();
    let said = stderr(&bench.reduce(&args));
    assert_mentions(&said, &["`p` was edited", "is not interesting", "p.edited"]);

    let (bench, args) = stopped();
    bench.write("p/b.c", bench.read("p.orig/b.c"));
    bench.reduce(&args);
    assert!(bench.events("e").iter().any(|it| it["event"] == "committed" && it["pass"] == "edit"));
}
