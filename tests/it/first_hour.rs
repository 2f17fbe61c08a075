//! The first hour of a stranger: mistakes in the command line and in the test, habits from other reducers, and
//! names and pipes that break the display.

#![cfg(unix)]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use crate::support::{BUG, Bench, assert_mentions, stderr, stdout};

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
    answered(&bench, &["bugg.c", "--test", "./test.sh"], 2, &["did you mean `bug.c`?"]);
    answered(&bench, &["bug.c", "--test", "./tets.sh"], 2, &["did you mean `./test.sh`?"]);
    let shown = answered(&bench, &["zzz.c", "--test", "./test.sh"], 2, &["`zzz.c` does not exist"]);
    assert!(!shown.contains("did you mean"), "{shown}");
}

/// The options of other reducers that clreduce spells otherwise or does not need, as their users write them.
const OF_OTHERS: &str = "
    --tidy --not-c --print-diff --remove-pass=pass_lines --no-default-passes --pass-group=all --debug --log-level=DEBUG
    --log-file=log --timing --timestamp --no-timing --clang-delta-preserve-routine=f --shell=bash --max-improvement=9
    --stopping-threshold=0.5 --skip-interestingness-test-check -s --skip-initial-passes --sllooww --no-give-up --no-cache
    --no-kill --shaddap --die-on-pass-bug --skip-key-off --clang-delta-std=c++20 --renaming --to-utf8 --sanitize
    --skip-after-n-transforms=3 --pass-group-file=all.json --add-pass=pass_lines --sanity-checks
    --parallelism=2 --volume=quiet --in-place --not-in-place --input-type=basename --backup=bug.bak --seed=0 --ui=basic
    --theme=dark --formatter=none --trivial-is-error --no-clang-delta --clang-delta=/usr/bin/clang_delta
    --test-arg=-O2 --delta-passes=functions --skip-delta-passes=metadata --print-delta-passes --starting-granularity-level=3
    --max-pass-iterations=2 --abort-on-invalid-reduction --write-tmp-files-as-bitcode --mtriple=x86_64 -x=ir";

/// The command lines that a tip leads to, for the shell. Words in capitals stand for values.
fn followed(tip: &str) -> Vec<String> {
    if let Some(rest) = tip.strip_prefix("run `") {
        return vec![rest.split('`').next().unwrap().to_owned()];
    }
    let end = [": ", "; ", ", "].iter().filter_map(|end| tip.find(end)).min();
    let words = match tip[..end.unwrap_or(tip.len())].strip_prefix("write ") {
        Some(words) => words,
        None => tip.strip_prefix("leave it out").map(|_| "").expect(tip),
    };
    let mut words = words.to_owned();
    for (name, value) in [
        ("PASS", "lines"),
        ("PATH", "out.c"),
        ("FILE", "e.jsonl"),
        ("REGEX", "needle"),
        ("TIME", "1m"),
        ("COMMAND", "grep -q needle bug.c"),
        (" ARG ", " needle "),
        (" N", " 3"),
    ] {
        words = words.replace(name, value);
    }
    let test = if words.contains("--test") { "" } else { "./test.sh" };
    let line = |one: &str| format!("clreduce --max-steps 3 --fresh {one} {test} bug.c");
    words.split(" or ").map(line).collect()
}

#[test]
fn tips_about_options_of_other_reducers_work_when_they_are_followed() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\ngrep -q needle bug.c\n");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_clreduce")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut lines = 0;
    for option in OF_OTHERS.split_whitespace() {
        let shown = answered(&bench, &[option, "./test.sh", "bug.c"], 2, &["unexpected argument"]);
        let tip = shown.lines().find_map(|line| line.trim().strip_prefix("tip: "));
        let tip = tip.unwrap_or_else(|| panic!("no tip on {option}: {shown}"));
        for line in followed(tip) {
            bench.write("bug.c", BUG);
            let mut command = bench.command(&[]);
            let environment: Vec<_> = command
                .get_envs()
                .map(|(k, v)| (k.to_owned(), v.unwrap_or_default().to_owned()))
                .collect();
            command = std::process::Command::new("sh");
            command
                .args(["-c", &line])
                .current_dir(bench.path(""))
                .envs(environment)
                .env("PATH", &path);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{option}: {line}: {output:?}");
            lines += 1;
        }
        bench.write("bug.c", BUG);
    }
    assert!(lines > 60, "{lines}");
    // What another command would not know is no tip for it.
    answered(&bench, &["batch", "--print-diff", "."], 2, &["write -v"]);
    let shown = answered(&bench, &["batch", "--tidy", "."], 2, &["unexpected argument"]);
    assert!(!shown.contains("tip:"), "{shown}");
}

#[test]
fn options_with_one_dash_as_llvm_has_them() {
    let bench = Bench::with_bug();
    for (option, tip) in [
        ("-test=./test.sh", "write --test=./test.sh"),
        ("-delta-passes=functions", "write --passes PASS"),
        ("-abort-on-invalid-reduction", "leave it out"),
        ("-skip-delta-passes=metadata", "write --skip-pass PASS"),
        ("-output=small.c", "write --output=small.c"),
    ] {
        answered(&bench, &[option, "bug.c"], 2, &[tip]);
    }
    assert_eq!(bench.names(), ["bug.c", "test.sh"]);
}

#[test]
fn habits_from_other_reducers() {
    let bench = Bench::with_bug();
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

/// Where they were not parsed, only passes over lines and tokens worked on them.
#[test]
fn new_types_of_c_and_digraphs_are_parsed() {
    let bench = Bench::new();
    let names = ["red", "green", "blue", "black"];
    let of = |line: fn(&str) -> String| names.map(line).concat();
    for (lines, keep) in [
        (
            of(|name| {
                format!(
                    "extern _BitInt(5) {name}(unsigned _BitInt(6 + 1) x) __attribute__((leaf));\n"
                )
            }),
            "int keep(int x) { return x + 12345; }\n",
        ),
        (
            of(|name| format!("enum {name} : unsigned char {{ A_{name}, B_{name} }};\n")),
            "int keep(int x) { return x + 12345; }\n",
        ),
        (
            of(|name| {
                format!(
                    "static int {name}(int x)\n<%\n int a<:2:> = <% x, 1 %>;\n return a<:1:>;\n%>\n"
                )
            }),
            "int keep(int x) <% return x + 12345; %>\n",
        ),
    ] {
        bench.write("bug.c", format!("{lines}{keep}"));
        let test = "grep -q keep {file} && grep -q 12345 {file}";
        bench.reduce(&["bug.c", "--test", test, "-j1", "--max-steps", "1", "--fresh"]);
        // The result is laid out, since a limit ends the reduction.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&bench.read("bug.c")), words(keep));
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
        answered(&bench, &both, 2, &["go to the same place"]);
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
    assert_mentions(&stderr(&run), &["result:", "No single token is left to remove"]);
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
