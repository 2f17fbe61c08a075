//! Bad input: a clear error that says what to do, and nothing lost.

#![cfg(unix)]

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use support::{BUG, Bench, TEST, assert_mentions, stderr, stdout};

/// Runs a test that does not work; the input stays, and nothing is beside it but what is named.
#[track_caller]
fn refused(bench: &Bench, args: &[&str], parts: &[&str]) {
    let before = bench.read("bug.c");
    let run = bench.run(args).failure();
    assert_mentions(&stderr(&run), parts);
    assert_eq!(bench.read("bug.c"), before);
    assert!(!bench.path("bug.c.orig").exists());
    bench.assert_nothing_left();
}

#[test]
fn not_interesting_to_begin_with() {
    let bench = Bench::with_bug();
    bench
        .script("test.sh", "#!/bin/sh\necho looked for the bug; echo and found none >&2; exit 3\n");
    let args = ["bug.c", "--test", "./test.sh"];
    let parts = ["exit code 3", "looked for the bug", "and found none", "cd ", "test.sh"];
    refused(&bench, &args, &parts);

    // The command that is shown can be run as it is, and shows the same.
    let shown = stderr(&bench.run(&args).code(1));
    let command = shown.lines().find(|line| line.trim_start().starts_with("(cd ")).unwrap();
    let output = Command::new("sh").arg("-c").arg(command).output().unwrap();
    assert_mentions(&String::from_utf8_lossy(&output.stdout), &["looked for", "exit status 3"]);

    // And when the test is right, nothing of that is in the way.
    bench.script("test.sh", TEST);
    bench.reduce(&args);
    assert_eq!(bench.names(), ["bug.c", "bug.c.orig", "test.sh"]);
}

#[test]
fn a_signal_is_named() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\nkill -SEGV $$\n");
    refused(&bench, &["bug.c", "--test", "./test.sh"], &["SIGSEGV"]);
}

#[test]
fn a_test_that_cannot_be_run() {
    let bench = Bench::with_bug();
    refused(&bench, &["bug.c", "--test", "./none.sh"], &["none.sh", "does not exist"]);
    bench.script("test.sh", "#!/no/such/interpreter\n");
    refused(&bench, &["bug.c", "--test", "./test.sh"], &["/no/such/interpreter"]);
    bench.script("test.sh", "#!/bin/sh\r\nexit 0\r\n");
    refused(&bench, &["bug.c", "--test", "./test.sh"], &["CR LF", "sed"]);
    bench.write("test.sh", "#!/bin/sh\nexit 0\n");
    fs::set_permissions(bench.path("test.sh"), fs::Permissions::from_mode(0o644)).unwrap();
    refused(&bench, &["bug.c", "--test", "./test.sh"], &["not executable", "chmod +x"]);
    refused(&bench, &["./test.sh", "bug.c"], &["not executable", "chmod +x"]);
    refused(&bench, &["bug.c", "--test", "no-such-command bug.c"], &["127", "not found"]);
}

#[test]
fn a_test_that_changes_what_it_judges() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\necho >> bug.c\n");
    refused(&bench, &["bug.c", "--test", "./test.sh"], &["changes the file", "bug.c", "copy"]);
}

#[test]
fn a_test_that_judges_the_file_itself() {
    let bench = Bench::with_bug();
    let file = fs::canonicalize(bench.path("bug.c")).unwrap();
    bench.script("test.sh", &format!("#!/bin/sh\ngrep -q needle {}\n", file.display()));
    refused(&bench, &["bug.c", "--test", "./test.sh"], &["judges that file", "file's name alone"]);
    // Mentioning the path is not enough to be refused.
    bench.script("test.sh", &format!("{TEST}# {}\n", file.display()));
    let run = bench.reduce(&["bug.c", "--test", "./test.sh"]);
    assert_mentions(&stderr(&run), &["warning"]);
}

#[test]
fn a_test_that_hangs() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\nsleep 1000\n");
    let args = ["bug.c", "--test", "./test.sh", "--timeout", "1s"];
    refused(&bench, &args, &["time limit", "--timeout"]);
}

#[test]
fn a_test_with_a_time_limit_of_its_own() {
    let bench = Bench::with_bug();
    bench.script("test.sh", &TEST.replace("gcc", "timeout 20 gcc"));
    let run = bench.reduce(&["bug.c", "--test", "./test.sh"]);
    assert_mentions(&stderr(&run), &["warning", "timeout 20"]);
}

#[test]
fn a_test_that_prints_without_end() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\nexec yes\n");
    refused(&bench, &["bug.c", "--test", "./test.sh"], &["printed more than"]);
}

#[test]
fn a_test_that_needs_too_much_memory() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\nhead -c 300000000 /dev/zero | tail\nsleep 2\n");
    let args = ["bug.c", "--test", "./test.sh", "--memory-limit", "50M"];
    refused(&bench, &args, &["memory"]);
}

#[test]
fn a_test_that_leaves_processes_behind() {
    let bench = Bench::with_bug();
    bench.script("test.sh", &format!("{TEST}r=$?\nsleep 1000 > /dev/null 2>&1 &\nexit $r\n"));
    let run = bench.reduce(&["bug.c", "--test", "./test.sh"]);
    assert_mentions(&stderr(&run), &["left a process running"]);
    bench.assert_nothing_left();
}

#[test]
fn a_flaky_test() {
    let bench = Bench::with_bug();
    // Interesting every other time.
    let toggle = bench.path("toggle");
    let line = format!("#!/bin/sh\nrmdir {0} 2>/dev/null && exit 1\nmkdir {0}\n", toggle.display());
    bench.script("test.sh", &line);
    refused(&bench, &["bug.c", "--test", "./test.sh"], &["flaky", "out of 4"]);
}

#[test]
fn a_test_that_accepts_everything_is_pointed_out() {
    let bench = Bench::with_bug();
    let run = bench.reduce(&["bug.c", "--test", "true"]);
    assert_mentions(&stderr(&run), &["warning", "nothing of the program is left"]);
    assert_eq!(bench.read("bug.c.orig"), BUG);
}

#[test]
fn files_that_are_none() {
    let bench = Bench::with_bug();
    bench.write("bug.c", "");
    refused(&bench, &["bug.c", "--test", "true"], &["bug.c", "empty"]);
    fs::create_dir(bench.path("folder")).unwrap();
    refused(&bench, &["folder", "--test", "true"], &["no files"]);
    refused(&bench, &["none.c", "--test", "true"], &["none.c", "does not exist"]);
    refused(&bench, &["/dev/null", "--test", "true"], &["neither a file nor a folder"]);
    let odd = OsStr::from_bytes(b"odd-\xff.c");
    fs::write(bench.path("").join(odd), "int a;").unwrap();
    let mut command = bench.command(&["--test", "true"]);
    let output = command.arg(odd).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_mentions(&String::from_utf8_lossy(&output.stderr), &["UTF-8", "rename"]);
}

#[test]
fn bytes_that_are_no_program() {
    let mut binary: Vec<u8> = (0..=255).cycle().take(4096).collect();
    binary.extend_from_slice(b"needle(");
    let crlf = "int a;\r\nint needle(int b);\r\nint c;\r\n".as_bytes().to_vec();
    let latin = b"/* \xe9\xff */ int a; int needle(int b); char *s = \"\xfe\";\n".to_vec();
    for (name, bytes) in [("binary", binary), ("crlf", crlf), ("latin", latin)] {
        let bench = Bench::new();
        bench.script("test.sh", "#!/bin/sh\ngrep -aq 'needle(' bug.c\n");
        bench.write("bug.c", &bytes);
        bench.reduce(&["bug.c", "--test", "./test.sh"]);
        let result = fs::read(bench.path("bug.c")).unwrap();
        assert!(result.len() <= bytes.len() && result.windows(7).any(|part| part == b"needle("));
        if result != bytes {
            assert_eq!(fs::read(bench.path("bug.c.orig")).unwrap(), bytes, "{name}");
        }
    }
}

#[test]
fn shapes_that_break_recursion_and_patience() {
    let depth = 100_000;
    let nested =
        format!("int needle(int a) {{ return {}a{}; }}\n", "(".repeat(depth), ")".repeat(depth));
    let line = format!("int needle(int a);{}\n", "int b;".repeat((10 << 20) / 6));
    for (name, text) in [("nested", nested), ("line", line)] {
        let bench = Bench::new();
        bench.script("test.sh", "#!/bin/sh\ngrep -q 'needle(' bug.c\n");
        bench.write("bug.c", &text);
        // What is asked here is that it works at all, not that it comes to an end.
        let args = ["bug.c", "--test", "./test.sh", "--max-questions", "20"];
        bench.reduce(&args);
        assert!(bench.is_interesting(&["bug.c"]), "{name}");
        bench.assert_nothing_left();
    }
}

#[test]
fn two_runs_on_one_file() {
    let bench = Bench::with_bug();
    bench.script("test.sh", &TEST.replace("\ngrep", "\nsleep 0.2\ngrep"));
    let mut first = bench.start(&["bug.c", "--test", "./test.sh"]);
    while !bench.path("bug.c.clreduce/journal").exists() {
        assert!(first.try_wait().unwrap().is_none(), "the first run ended");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let second = bench.run(&["bug.c", "--test", "./test.sh"]).code(1);
    assert_mentions(&stderr(&second), &["another run"]);
    first.kill().unwrap();
    first.wait().unwrap();
    bench.assert_nothing_left();
}

#[test]
fn what_changes_under_a_journal() {
    let bench = Bench::with_bug();
    let args = ["bug.c", "--test", "./test.sh"];
    bench.reduce(&[&args[..], &["--max-questions", "5"]].concat());
    let best = bench.read("bug.c");

    bench.write("bug.c", "int needle(int a); int mine;\n");
    let run = bench.run(&args).code(1);
    assert_mentions(&stderr(&run), &["changed", "--fresh"]);
    assert_eq!(bench.read("bug.c"), "int needle(int a); int mine;\n");

    bench.write("bug.c", &best);
    bench.script("test.sh", &format!("{TEST}# changed\n"));
    let run = bench.run(&args).code(1);
    assert_mentions(&stderr(&run), &["the test", "--fresh"]);
    let run = bench.run(&[&args[..], &["--keep-names"]].concat()).code(1);
    assert_mentions(&stderr(&run), &["--keep-names"]);
    assert_eq!(bench.read("bug.c"), best);

    // The original and every committed version are fine.
    bench.script("test.sh", TEST);
    bench.write("bug.c", BUG);
    bench.reduce(&args);
    assert!(bench.read("bug.c").len() <= best.len());
}

#[test]
fn a_file_that_somebody_edits_meanwhile() {
    let bench = Bench::with_bug();
    let file = bench.path("bug.c").display().to_string();
    // The fourth test, the last on the original, edits the file that is being reduced.
    let count = bench.path("count").display().to_string();
    let edit =
        format!("echo x >> {count}; test $(wc -l < {count}) != 4 || echo '// mine' >> {file}");
    bench.script("test.sh", &format!("{TEST}r=$?\n{edit}\nexit $r\n"));
    // The editor is only pretended to be the test; that it names the file is no reason to refuse.
    let run = bench.run(&["bug.c", "--test", "./test.sh", "-j1"]).code(1);
    assert_mentions(&stderr(&run), &["changed by someone else"]);
    assert_eq!(bench.read("bug.c"), format!("{BUG}// mine\n"));
    assert!(stdout(&run).is_empty());
}
