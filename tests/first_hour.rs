//! The first hour of a stranger: mistakes in the command line and in the test, habits from other reducers, and
//! names and pipes that break the display.

#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use support::{BUG, Bench, assert_mentions, stderr, stdout};

/// Runs a command line that ends with this status; says what standard error mentions; FILE stays as it was.
#[track_caller]
fn answered(bench: &Bench, args: &[&str], code: i32, parts: &[&str]) -> String {
    let before = bench.read_if_there("bug.c");
    let shown = stderr(&bench.run(args).code(code));
    assert_mentions(&shown, parts);
    assert_eq!(bench.read_if_there("bug.c"), before);
    bench.assert_nothing_left();
    shown
}

/// The command that a message shows on the line after this text, without `clreduce`.
#[track_caller]
fn command_after(shown: &str, text: &str) -> Vec<String> {
    let at = shown.find(text).unwrap_or_else(|| panic!("{text:?} is not in:\n{shown}"));
    let rest = shown[at + text.len()..].trim_start();
    let line = rest.lines().next().unwrap();
    line.split_whitespace().skip(1).map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn a_test_that_reads_the_file_through_its_own_path() {
    let bench = Bench::with_bug();
    let read = "grep -q needle \"$(dirname \"$(readlink -f \"$0\")\")/bug.c\"\n";
    bench.script("test.sh", &format!("#!/bin/sh\n{read}"));
    answered(
        &bench,
        &["bug.c", "--test", "./test.sh"],
        1,
        &["also accepts an empty directory", "readlink", "file's name alone"],
    );
    assert_eq!(bench.names(), ["bug.c", "test.sh"]);
    // A test for a message finds it where there is no file, too, and is no mistake.
    let pattern = ["--interesting-stderr", "error", "--max-steps", "3"];
    let args = [&["bug.c", "--test", "gcc -c bug.c"][..], &pattern].concat();
    bench.write("bug.c", "int needle(void) { return x; }\n");
    bench.reduce(&args);
}

#[test]
fn a_header_beside_the_file() {
    let bench = Bench::with_bug();
    bench.write("one.h", "#include \"two.h\"\n");
    bench.write("two.h", "#define NEEDLE needle\n");
    bench.write("bug.c", "#include \"one.h\"\nint NEEDLE;\n");
    bench.script("test.sh", "#!/bin/sh\ngcc -E bug.c | grep -q 'int needle'\n");
    let shown = answered(
        &bench,
        &["bug.c", "--test", "./test.sh"],
        1,
        &["together with one.h, two.h", "but not alone"],
    );
    let command = command_after(&shown, "reduce the files together:");
    bench.reduce(&command.iter().map(String::as_str).collect::<Vec<_>>());

    // A file that only the test names, and one in a folder.
    bench.script("test.sh", "#!/bin/sh\ngrep -q yes data.txt && grep -q needle bug.c\n");
    bench.write("bug.c", BUG);
    bench.write("data.txt", "yes\n");
    answered(&bench, &["bug.c", "--test", "./test.sh", "--fresh"], 1, &["bug.c data.txt --test"]);
    bench.write("bug.c", "#include \"in/one.h\"\nint x;\n");
    bench.write("in/one.h", "\n");
    bench.script("test.sh", "#!/bin/sh\ngcc -c bug.c\n");
    answered(
        &bench,
        &["bug.c", "--test", "./test.sh", "--fresh"],
        1,
        &["in/one.h", "into a folder"],
    );
}

#[test]
fn tests_get_the_names_of_the_files() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\n[ $# = 1 ] && grep -q needle \"$1\"\n");
    bench.reduce(&["bug.c", "--test", "./test.sh"]);
    assert_eq!(bench.read("bug.c").trim(), "needle");
    bench.write("bug.c", BUG);
    bench.reduce(&["bug.c", "--test", "grep -q needle {file}"]);
    assert_eq!(bench.read("bug.c").trim(), "needle");
    // In a batch, each test gets the name of its case.
    for name in ["a.c", "b.c"] {
        bench.write(&format!("cases/{name}"), BUG);
    }
    bench.reduce(&["batch", "cases", "--test", "grep -q needle {file}", "--out", "out1"]);
    bench.reduce(&["batch", "cases", "--test", "./test.sh", "--out", "out2"]);
    for file in ["out1/cases/a.c/reduced/a.c", "out2/cases/b.c/reduced/b.c"] {
        assert_eq!(bench.read(file).trim(), "needle");
    }
    // A folder has no name that stands for a file.
    answered(&bench, &["cases", "--test", "cat {file}"], 2, &["{file}", "folder"]);
}

#[test]
fn a_test_that_reads_standard_input() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\ngrep -q needle\n");
    let shown = answered(
        &bench,
        &["bug.c", "--test", "./test.sh"],
        1,
        &["printed nothing", "standard input, which is empty"],
    );
    let line = shown.lines().find(|line| line.trim_start().starts_with("--test")).unwrap();
    let line = line.trim().trim_start_matches("--test ").trim_matches('\'');
    bench.reduce(&["bug.c", "--test", line]);
}

#[test]
fn roles_and_their_order() {
    let bench = Bench::with_bug();
    let shown = answered(&bench, &["--test", "bug.c", "test.sh"], 2, &["test.sh is the program"]);
    let command = command_after(&shown, "did you mean:");
    assert_eq!(command, ["bug.c", "--test", "test.sh"]);
    for order in [["bug.c", "./test.sh"], ["./test.sh", "bug.c"], ["test.sh", "bug.c"]] {
        bench.write("bug.c", BUG);
        bench.reduce(&order);
        assert_ne!(bench.read("bug.c"), BUG);
    }
    bench.write("bug.c", BUG);
    answered(&bench, &["none.c", "--test", "./test.sh"], 2, &["`none.c` does not exist"]);
}

#[test]
fn habits_from_other_reducers() {
    let bench = Bench::with_bug();
    for (args, part) in [
        (&["--tidy", "./test.sh", "bug.c"][..], "FILE.orig"),
        (&["--not-c", "./test.sh", "bug.c"], "--lang text"),
        (&["--remove-pass", "pass_lines", "./test.sh", "bug.c"], "--skip-pass"),
        (&["--log-level=DEBUG", "./test.sh", "bug.c"], "-vv"),
        (&["batch", "--print-diff", "."], "write -v"),
    ] {
        answered(&bench, args, 2, &[part, "unexpected argument"]);
    }
    let command = "grep -q 'needle(' bug.c";
    bench.reduce(&["--n", "2", "--timeout", "30", "--save-temps", "-c", command, "bug.c"]);
    assert!(bench.read("bug.c").len() < BUG.len());
    for entry in fs::read_dir(bench.temporary()).unwrap() {
        fs::remove_dir_all(entry.unwrap().path()).unwrap();
    }
    bench.assert_nothing_left();
}

#[test]
fn a_relative_path_in_a_shell_command() {
    let bench = Bench::with_bug();
    bench.script("tools/check.sh", "#!/bin/sh\ngrep -q $1 bug.c\n");
    bench.reduce(&["bug.c", "--test", "./tools/check.sh needle"]);
    assert_eq!(bench.read("bug.c").trim(), "needle");
    let path = fs::canonicalize(bench.path("tools/check.sh")).unwrap();
    let instead = format!("write {} instead of tools/check.sh", path.display());
    answered(&bench, &["bug.c", "--test", "sh tools/check.sh needle"], 1, &[&instead]);
}

#[test]
fn a_log_that_the_test_wrote_is_shown() {
    let bench = Bench::with_bug();
    let test = "#!/bin/sh\necho first >old.log\nsleep 0.1\n\
                printf 'one\\ntwo: \\033[31mwhy\\033[0m\\007\\n' >new.log; exit 1\n";
    bench.script("test.sh", test);
    let shown = answered(
        &bench,
        &["bug.c", "--test", "./test.sh"],
        1,
        &["`new.log`", "    | one\n", "    | two: why\\u{7}\n"],
    );
    assert!(!shown.contains("first"));
}

#[test]
fn files_that_are_removed_and_files_that_change() {
    let bench = Bench::with_bug();
    bench.write("helper.h", "int x;\n");
    let run = bench.reduce(&["bug.c", "helper.h", "--test", "./test.sh"]);
    assert_mentions(&stdout(&run), &["result:   bug.c\n", "removed:  helper.h"]);
    assert!(!bench.path("helper.h").exists());

    bench.write("src/bug.c", BUG);
    bench.write("src/log.txt", "begin\n");
    let log = bench.path("src/log.txt").display().to_string();
    bench.script("log.sh", &format!("#!/bin/sh\necho line >>{log}\ngrep -q needle bug.c\n"));
    answered(
        &bench,
        &["src", "--test", "./log.sh", "--writable", "src"],
        1,
        &["src/log.txt", "write logs"],
    );
}

#[test]
fn cpp_is_a_language_of_its_own() {
    let bench = Bench::with_bug();
    let member = "int needle(); ";
    let text = format!(
        "namespace n {{ struct A {{ int f() {{ return 1; }} {member}}}; }}\nint n::A::needle() {{ return f(); }}\n"
    );
    let args = ["--passes", "cpp-declarations", "--test", "grep -q 'needle();' {file}"];
    for (name, lang) in [("bug.ii", &[][..]), ("bug.txt", &["--lang", "cpp"])] {
        bench.write(name, &text);
        let run = bench.reduce(&[&[name][..], &args, lang].concat());
        assert!(!stderr(&run).contains("warning"), "{}", stderr(&run));
        let left: String = bench.read(name).split_whitespace().collect();
        assert_eq!(left, "namespacen{structA{intneedle();};}");
    }
}

#[test]
fn help_and_version_are_where_they_are_looked_for() {
    let bench = Bench::new();
    assert_mentions(&stdout(&bench.run(&["help"]).code(0)), &["Usage", "--test", "batch"]);
    assert_mentions(&stdout(&bench.run(&["help", "batch"]).code(0)), &["--out"]);
    assert_mentions(&stdout(&bench.run(&["batch", "--version"]).code(0)), &["clreduce"]);
}

#[test]
fn names_with_escape_sequences_are_shown_escaped() {
    let bench = Bench::with_bug();
    let name = "bug\u{1b}[31m\u{202e}\n.c";
    bench.write(name, BUG);
    let test = ["--test", "cat *.c | grep -q needle", "-vv"];
    let all = |run: &assert_cmd::assert::Assert| stdout(run) + &stderr(run);
    let run = bench.reduce(&[&[name][..], &test].concat());
    assert_mentions(&stdout(&run), &[r"bug\u{1b}[31m\u{202e}\n.c"]);
    assert!(!all(&run).contains(['\u{1b}', '\u{202e}']));
    for (args, shown) in [
        (&[name, "--test", "false"][..], r"\u{1b}"),
        (&["no\u{1b}\nne.c", "--test", "true"][..], r"no\u{1b}\nne.c"),
    ] {
        let run = bench.run(args).failure();
        assert_mentions(&all(&run), &[shown]);
        assert!(!all(&run).contains('\u{1b}'));
    }
    // Also where the name is not even text.
    let run =
        bench.command(&["--test", "true"]).arg(std::ffi::OsStr::from_bytes(b"\x1b\xff.c")).output();
    assert!(!run.unwrap().stderr.contains(&0x1b));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let bench = Bench::with_bug();
    let reduce = ["bug.c", "--test", "./test.sh", "-vv"];
    for args in [
        &["--help"][..],
        &["help"],
        &["--list-passes"],
        &["--generate", "man"],
        &["devices"],
        &[&reduce[..], &["--events", "-", "--summary", "-"]].concat(),
        &reduce,
    ] {
        let (out_read, out) = std::io::pipe().unwrap();
        let (err_read, err) = std::io::pipe().unwrap();
        let mut command = bench.command(args);
        drop(out_read);
        let closed_stdout = command.stdout(out).stderr(Stdio::piped()).output().unwrap();
        let shown = String::from_utf8_lossy(&closed_stdout.stderr).into_owned();
        assert!(!shown.contains("panicked") && !shown.contains("roken pipe"), "{args:?}: {shown}");
        drop(err_read);
        let status = bench.command(args).stdout(Stdio::null()).stderr(err).status().unwrap();
        assert_ne!(status.code(), Some(101), "{args:?}");
        assert!(status.code().is_some(), "{args:?}");
    }
    // Nobody reads what is printed; the reduction goes on all the same.
    assert_ne!(bench.read("bug.c"), BUG);
}

#[test]
fn reports_are_tried_before_the_run() {
    let bench = Bench::with_bug();
    for option in ["--events", "--summary"] {
        let run = |path: &str| ["bug.c", "--test", "./test.sh", option, path].map(str::to_owned);
        for (path, part) in [
            ("none/report", "cannot write `none/report`"),
            (".", "cannot write `.`"),
            ("bug.c", "is not a report"),
            ("test.sh", "is not a report"),
        ] {
            let args = run(path);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            answered(&bench, &args, 2, &[part]);
        }
    }
    for (first, second) in [("--events", "--summary"), ("--summary", "--report")] {
        let both = ["bug.c", "--test", "./test.sh", first, "x.json", second, "x.json"];
        answered(&bench, &both, 2, &["name the same file"]);
    }
    // A program may begin like a report.
    let braces = format!("{{ }}\n{BUG}");
    bench.write("braces.c", &braces);
    for option in ["--events", "--summary", "--report"] {
        for path in ["braces.c", "braces.c.orig", "braces.c.2.orig", "braces.c.clreduce"] {
            let args = ["braces.c", "--test", "./test.sh", option, path];
            answered(&bench, &args, 2, &["needed by the reduction itself"]);
        }
        let args = ["bug.c", "--test", "./test.sh", "--output", "out.c", option, "out.c"];
        answered(&bench, &args, 2, &["needed by the reduction itself"]);
    }
    assert_eq!(bench.read("braces.c"), braces);
    std::fs::remove_file(bench.path("braces.c")).unwrap();
    #[cfg(unix)]
    {
        let socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
        let args = ["bug.c", "--test", "./test.sh", "--summary", "socket"];
        answered(&bench, &args, 2, &["cannot write `socket`"]);
        drop(socket);
        std::fs::remove_file(bench.path("socket")).unwrap();
    }
    assert_eq!(bench.names(), ["bug.c", "test.sh"]);

    let run =
        bench.reduce(&["bug.c", "--test", "./test.sh", "--events", "-", "--summary", "s.json"]);
    let lines = stdout(&run);
    let events = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    let events: Vec<serde_json::Value> = events.collect();
    assert_eq!(events.last().unwrap()["event"], "finished");
    assert_mentions(&stderr(&run), &["result:", "Nothing is left to remove"]);
    // A report of an earlier run is replaced.
    let run =
        bench.reduce(&["bug.c", "--test", "./test.sh", "--events", "s.json", "--summary", "-"]);
    let summary: serde_json::Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(summary["ending"], "minimal");
    assert!(!bench.path("-").exists());
}

#[test]
fn a_file_of_one_byte_stays_one_byte() {
    let bench = Bench::new();
    bench.write("bug.c", "x");
    bench.reduce(&["bug.c", "--test", "grep -q x bug.c"]);
    assert_eq!(bench.read("bug.c"), "x");
}

#[test]
fn where_time_limits_come_from() {
    let bench = Bench::with_bug();
    let test = "timeout 20 true && sleep 0.25 && grep -q needle bug.c";
    let shown = stderr(&bench.reduce(&["bug.c", "--test", test, "--max-steps", "1"]));
    let parts =
        ["note: the test sets a time limit of its own", "ten times", "(10 x the original's "];
    assert_mentions(&shown, &parts);
    assert!(!shown.contains("warning"), "{shown}");
}
