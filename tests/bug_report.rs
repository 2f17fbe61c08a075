//! Bug reports and the comparison of compilers, with real compilers that crash, and with compilers that are scripts.

#![cfg(target_os = "linux")]

mod support;

use support::{Bench, assert_mentions, stderr, stdout};

/// clang crashes on request; gcc does not know the pragma.
const CRASH: &str = "int a;\nint two(void) { return 2; }\n#pragma clang __debug crash\nint b;\n";

const RECIPE: &str = "\
preset = \"crash\"
[[configuration]]
build = \"clang-19 -O1 -w -c {file} -o /dev/null\"
accused = true
[[configuration]]
build = \"gcc -w -c {file} -o /dev/null\"
";

#[test]
fn a_reduction_by_a_recipe_ends_with_a_report_on_the_crash() {
    let bench = Bench::new();
    bench.write("bug.c", CRASH);
    bench.write("bug.toml", RECIPE);
    let done = bench.reduce(&["bug.c", "--test", "bug.toml"]);
    assert_mentions(&stdout(&done), &["report:   bug.c.report.md"]);
    let reduced = bench.read("bug.c");
    assert_eq!(reduced.trim(), "#pragma clang __debug crash");
    let function = "clang::Preprocessor::HandlePragmaDirective";
    for (name, parts) in [
        ("bug.c.report.md", ["# clang-19 crashes: in ", "```c\n#pragma clang", "| compiles |"]),
        (
            "bug.c.report.txt",
            ["clang-19 crashes: in ", "Program\n-------", "-o /dev/null: compiles"],
        ),
    ] {
        let text = bench.read(name);
        assert_mentions(&text, &parts);
        let stack = format!("#0 {function}(");
        assert_mentions(
            &text,
            &[function, &stack, "clang version 19", "clang-19 -O1 -w -c bug.c -o /dev/null", "gcc"],
        );
        assert!(!text.contains("RunSignalHandlers") && !text.contains("{file}"), "{text}");
    }
    // The report is no part of the test case of a folder, and does not change because of the format.
    let args = ["report", "bug.c", "--test", "bug.toml"];
    assert_eq!(stdout(&bench.reduce(&args)), bench.read("bug.c.report.md"));
    bench.reduce(&[&args[..], &["--format", "bugzilla", "-o", "text"]].concat());
    assert_eq!(bench.read("text"), bench.read("bug.c.report.txt"));

    // Another way to die of the same is the same bug, and what is missing is named with its package.
    let compilers = ["--compilers", "clang-{19,98}", "gcc"];
    let done = bench.reduce(&[&args[..], &compilers].concat());
    assert_mentions(
        &stdout(&done),
        &[
            "## Versions",
            "Only clang-19 shows the bug, of 2 that ran. 1 more is missing.",
            "not installed; the Debian package is clang-98",
            "| gcc | does not show it: built |",
        ],
    );
}

#[test]
fn a_command_and_a_script_are_reported_with_the_compilers_that_they_name() {
    let bench = Bench::new();
    bench.write("bug.c", CRASH);
    let command = ["--test", "clang-19 -c bug.c", "--interesting-stderr", "PLEASE submit"];
    let done = bench.reduce(&[&["report", "bug.c"], &command[..]].concat());
    let parts = ["# clang-19 crashes: in clang::Pre", "clang-19: ", "What should happen"];
    assert_mentions(&stdout(&done), &parts);
    let done = bench.reduce(
        &[&["bisect", "bug.c"], &command[..], &["--compilers", "clang-19", "gcc"]].concat(),
    );
    assert_mentions(&stdout(&done), &["clang-19  shows the bug", "gcc       does not show it"]);

    bench.script("t.sh", "#!/bin/sh\ngcc -fsyntax-only bug.c && echo so it is\n");
    let done = bench.reduce(&["report", "bug.c", "--test", "./t.sh"]);
    assert_mentions(&stdout(&done), &["gcc: gcc", "so it is", "gcc -fsyntax-only bug.c &&"]);
    let refused = bench.run(&["bisect", "bug.c", "--test", "./t.sh", "--compilers", "gcc"]).code(1);
    assert_mentions(&stderr(&refused), &["t.sh", "use a recipe or a command"]);
    let refused = bench.run(&["report", "bug.c", "--test", "false"]).code(1);
    assert_mentions(&stderr(&refused), &["does not find the bug in `bug.c`: exit code 1"]);
    bench.run(&["bisect", "bug.c", "--test", "true"]).code(2);
}

#[test]
fn a_bug_may_come_and_go_between_versions() {
    let bench = Bench::new();
    bench.write("p.c", "print 1\n");
    let compiler = |version: u32, wrong: bool| {
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo \"toy cc {version}.0\"; exit; }}\n\
             [ {version} = 5 ] && {{ echo 'p.c:1:1: error: too new' >&2; exit 1; }}\n\
             echo 'echo {}' > out; chmod +x out\n",
            if wrong { 2 } else { 1 }
        );
        bench.script(&format!("cc-{version}"), &text);
    };
    for version in 1..=6 {
        compiler(version, [2, 4].contains(&version));
    }
    let place = bench.path("cc-").display().to_string();
    let configuration = |version: u32, more: &str| {
        format!(
            "[[configuration]]\nbuild = \"{place}{version} {{file}}\"\nrun = \"sh ./out\"\n{more}"
        )
    };
    let two = [configuration(4, "accused = true\n"), configuration(1, "")].concat();
    bench.write("r.toml", format!("preset = \"wrong-code\"\nstage = []\n{two}"));
    let list = format!("{place}{{1..7}}");
    let args = ["p.c", "--test", "r.toml", "--compilers", &list];
    let done = bench.reduce(&[&["bisect"], &args[..]].concat());
    let said = stdout(&done);
    let line = |version: u32| {
        let name = format!("{place}{version} ");
        said.lines().find(|line| line.starts_with(&name)).unwrap_or_default().to_owned()
    };
    for (version, expected) in [
        (1, "does not show it: result 1"),
        (2, "shows the bug  (toy cc 2.0)"),
        (3, "does not show it: result 1"),
        (4, "shows the bug"),
        (5, "build failure error: too new"),
        (7, "not installed"),
    ] {
        assert_mentions(&line(version), &[expected]);
    }
    assert_mentions(&said, &["2 of the 6 that ran show the bug", "the first is", "the last"]);
    let report = stdout(&bench.reduce(&[&["report"], &args[..]].concat()));
    assert_mentions(
        &report,
        &[
            "compiles a program wrongly",
            "The result is wrong:\n\n```\n2\n```",
            "| 1 | toy cc 1.0 |",
        ],
    );
}
