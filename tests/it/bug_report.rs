//! Bug reports and the comparison of compilers, with real compilers that crash, and with compilers that are scripts.

#![cfg(target_os = "linux")]

use std::process::Command;

use crate::support::{Bench, assert_mentions, stderr, stdout};

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
    let versions = ["--compilers", "clang-19", "gcc", "--report", "versions.html"];
    let done = bench.reduce(&[&["bisect", "bug.c"], &command[..], &versions].concat());
    assert_mentions(&stdout(&done), &["clang-19  shows the bug", "gcc       does not show it"]);
    let page = bench.read("versions.html");
    let parts = ["<li class=bad title=\"clang-19: shows the bug\"><b>clang-19</b><span>bug</span>"];
    assert_mentions(
        &page,
        &[parts[0], "<li class=good title=\"gcc: ", "Only clang-19 shows the bug"],
    );

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

/// The verbatim blocks of a report in Markdown, with the line before each.
fn blocks(report: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut before = String::new();
    let mut lines = report.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let inside: Vec<&str> =
                lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            found.push((before.clone(), inside.join("\n")));
        } else if !line.is_empty() {
            before = line.to_owned();
        }
    }
    found
}

/// Does what a reader of a report does: writes the files that it shows into an empty folder, and copies its command into a
/// shell. Returns what the command prints.
fn follow(report: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = String::new();
    for (before, text) in blocks(report) {
        match before.strip_suffix(':').map(|name| name.replace('\\', "")) {
            _ if before == "## Command" => command = text,
            Some(name) if !name.contains(' ') => {
                std::fs::write(folder.path().join(name), text + "\n").unwrap();
            }
            _ => {}
        }
    }
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &command]).current_dir(folder.path()).output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    format!("{command}\n{}", String::from_utf8_lossy(&printed))
}

#[test]
fn the_command_of_a_report_runs_when_copied_and_names_no_private_folder() {
    let bench = Bench::new();
    let private = bench.path("own").display().to_string();
    bench.write("own/x.h", "");
    bench.write("bug.c", format!("#define N 2\n{CRASH}"));
    let build = format!("clang-19 -iquote {private} -I {private} -DM -c {{file}} -o bug.o");
    let configuration = format!("[[configuration]]\nbuild = \"{build}\"\n");
    bench.write("bug.toml", format!("preset = \"crash\"\n{configuration}"));
    let report = stdout(&bench.reduce(&["report", "bug.c", "--test", "bug.toml"]));
    assert!(!report.contains(&private) && report.contains("clang-19 -DM -c bug.c"), "{report}");
    assert_mentions(&follow(&report), &["PLEASE submit a bug report"]);
    let home = bench.path("").display().to_string();
    let mut command = bench.command(&[
        "report",
        "bug.c",
        "--test",
        &build.replace("{file}", "bug.c"),
        "--interesting-stderr",
        "PLEASE",
    ]);
    let done = assert_cmd::Command::from_std({
        command.env("HOME", home.trim_end_matches('/'));
        command
    })
    .assert()
    .code(0);
    assert!(!stdout(&done).contains(home.trim_end_matches('/')), "{}", stdout(&done));
}

#[test]
fn a_report_shows_the_first_error_and_names_it_in_the_title() {
    let bench = Bench::new();
    bench.write("p.c", "int x;\n");
    let rest = "echo 'p.c:9:1: note: and so on'; ".repeat(40);
    let script = format!(
        "#!/bin/sh\n{{ echo 'p.c:1:5: warning: w'; echo \"p.c:1:5: error: no constraint 'C' here\"; {rest}}} >&2\nexit 1\n"
    );
    let compiler = bench.script("cc.sh", &script);
    let configuration = format!("[[configuration]]\nbuild = \"{} {{file}}\"\n", compiler.display());
    bench.write("r.toml", format!("preset = \"build-failure\"\n{configuration}"));
    for test in [&["r.toml"][..], &["./cc.sh", "--interesting-stderr", "constraint"]] {
        let report = stdout(&bench.reduce(&[&["report", "p.c", "--test"], test].concat()));
        assert_mentions(
            &report,
            &["no constraint 'C' here\n\n## ", "```\np.c:1:5: error: no constraint"],
        );
    }
}

#[test]
fn a_wrong_result_has_both_results_in_its_title_and_a_signature_on_the_page() {
    let bench = Bench::new();
    bench.write("cases/p.c", "print 1\n");
    let compiler = |name: &str, result: u32| {
        let path = bench.script(name, &format!("#!/bin/sh\necho 'echo {result}' > out\n"));
        format!(
            "[[configuration]]\nname = \"{name} -O2\"\nbuild = \"{} {{file}}\"\nrun = \"sh ./out\"\n",
            path.display()
        )
    };
    let two = format!("{}accused = true\n{}", compiler("gcc-bad", 2), compiler("gcc-good", 1));
    bench.write(
        "r.toml",
        format!("preset = \"wrong-code\"\nallow-unchecked = []\nstage = []\n{two}"),
    );
    let report = stdout(&bench.reduce(&["report", "cases/p.c", "--test", "r.toml"]));
    assert_mentions(&report, &["compiles a program wrongly: 2 instead of 1"]);
    bench.reduce(&["batch", "cases", "--test", "r.toml", "--out", "out"]);
    let data = bench.json("out/report.json");
    assert_eq!(data["clusters"], serde_json::json!(["wrong-code: gcc-bad -O2"]));
}

/// Each command on the page of a batch is one that can be pasted into a shell.
#[test]
fn the_commands_of_a_batch_run_when_copied() {
    let bench = Bench::new();
    bench.write("cases/a b.c", "int needle;\nint other;\n");
    bench.reduce(&["batch", "cases", "--test", "grep -q needle {file}", "--out", "out"]);
    let data = bench.json("out/report.json");
    let commands = data["cases"][0]["commands"].as_array().unwrap().clone();
    assert_eq!(commands.len(), 3, "{commands:?}");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_clreduce")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    for command in commands {
        let line = command["command"].as_str().unwrap().to_owned();
        let folder = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        let ran = shell.args(["-c", &line]).env("PATH", &path).current_dir(folder.path()).output();
        let ran = ran.unwrap();
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// Oclgrind 21.10 computes `mad_sat` on `long` wrongly. Its authors have no clreduce.
#[test]
fn a_bug_of_oclgrind_is_reported_with_its_own_command() {
    let bench = Bench::new();
    bench.write(
        "k.cl",
        "// -g 2,1,1 -l 1,1,1\n__kernel void entry(__global ulong *result) {\n  long a = 1L, b = -1L;\n  \
         result[get_global_id(0)] = mad_sat(a, b, 0L);\n}\n",
    );
    bench.run(&["init", "k.cl"]).code(0);
    let report = stdout(&bench.reduce(&["report", "k.cl", "--test", "k.toml"]));
    assert!(!report.contains("clreduce run"), "{report}");
    let printed = follow(&report);
    assert_mentions(&printed, &["oclgrind-kernel", "result[0] = 9223372036854775808"]);
}

/// A constant that one configuration gets from its options stands for a bug of a driver, whose authors have a compiler and a loader.
#[test]
fn a_bug_of_a_device_is_reported_with_a_host_program() {
    let bench = Bench::new();
    bench.write(
        "k.cl",
        "// -g 2,1,1 -l 1,1,1\nkernel void entry(global ulong *result) { result[get_global_id(0)] = N; }\n",
    );
    let configuration =
        |device, n| format!("[[configuration]]\ndevice = \"{device}\"\noptions = \"-DN={n}\"\n");
    let (wrong, right) = (configuration("pocl", 7), configuration("host", 5));
    bench.write(
        "k.toml",
        format!("preset = \"wrong-code\"\nstage = []\nallow-unchecked = [\"data-race\"]\n{wrong}accused = true\n{right}"),
    );
    let report = stdout(&bench.reduce(&["report", "k.cl", "--test", "k.toml"]));
    assert!(!report.contains("clreduce run"), "{report}");
    assert_mentions(&follow(&report), &["-lOpenCL", "\n0x7,0x7,"]);
}
