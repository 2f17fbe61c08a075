//! Bad input: a clear error that says what to do, and nothing lost.

mod support;

use std::fs;
#[cfg(unix)]
use std::process::Command;

use support::{
    BUG, Bench, HANGS, SCRIPT, SCRIPT_NAME, TEST, YES, assert_mentions, slow, stderr, stdout,
};

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

#[cfg(windows)]
#[test]
fn not_interesting_to_begin_with() {
    let bench = Bench::with_bug();
    bench.script(
        SCRIPT_NAME,
        "@echo looked for the bug\r\n@echo and found none>&2\r\n@exit /b 3\r\n",
    );
    let parts = ["exit code 3", "looked for the bug", "and found none", "cd /d ", "test.bat"];
    refused(&bench, &["bug.c", "--test", SCRIPT], &parts);
    bench.script(SCRIPT_NAME, TEST);
    bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_eq!(bench.names(), ["bug.c", "bug.c.orig", "test.bat"]);
}

#[cfg(unix)]
#[test]
fn not_interesting_to_begin_with() {
    let bench = Bench::with_bug();
    bench
        .script("test.sh", "#!/bin/sh\necho looked for the bug; echo and found none >&2; exit 3\n");
    let args = ["bug.c", "--test", SCRIPT];
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

#[cfg(unix)]
#[test]
fn a_signal_is_named() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\nkill -SEGV $$\n");
    refused(&bench, &["bug.c", "--test", SCRIPT], &["SIGSEGV"]);
}

#[cfg(windows)]
#[test]
fn a_test_that_cannot_be_run() {
    let bench = Bench::with_bug();
    refused(&bench, &["bug.c", "--test", r".\none.bat"], &["none.bat", "does not exist"]);
    bench.write("test.txt", "exit 0\r\n");
    refused(&bench, &["bug.c", "--test", r".\test.txt"], &["test.txt", ".bat"]);
    refused(&bench, &["test.txt", "bug.c"], &["--test"]);
    bench.write("test.pl", "exit 0\r\n");
    let mut nowhere = bench.command(&["bug.c", "--test", r".\test.pl"]);
    let output = nowhere.env("PATH", "").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_mentions(&said, &["`perl`", "does not exist", "install it"]);
    refused(&bench, &["bug.c", "--test", "no-such-command bug.c"], &["not interesting"]);
}

#[cfg(unix)]
#[test]
fn a_test_that_cannot_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::with_bug();
    refused(&bench, &["bug.c", "--test", "./none.sh"], &["none.sh", "does not exist"]);
    bench.script("test.sh", "#!/no/such/interpreter\n");
    refused(&bench, &["bug.c", "--test", SCRIPT], &["/no/such/interpreter"]);
    bench.script("test.sh", "#!/bin/sh\r\nexit 0\r\n");
    refused(&bench, &["bug.c", "--test", SCRIPT], &["CR LF", "sed"]);
    bench.write("test.sh", "#!/bin/sh\nexit 0\n");
    fs::set_permissions(bench.path("test.sh"), fs::Permissions::from_mode(0o644)).unwrap();
    refused(&bench, &["bug.c", "--test", SCRIPT], &["not executable", "chmod +x"]);
    refused(&bench, &[SCRIPT, "bug.c"], &["not executable", "chmod +x"]);
    refused(&bench, &["bug.c", "--test", "no-such-command bug.c"], &["127", "not found"]);
}

#[test]
fn a_test_that_changes_what_it_judges() {
    let bench = Bench::with_bug();
    let test = if cfg!(windows) { "@echo. >> bug.c\r\n" } else { "#!/bin/sh\necho >> bug.c\n" };
    bench.script(SCRIPT_NAME, test);
    refused(&bench, &["bug.c", "--test", SCRIPT], &["changes the file", "bug.c", "copy"]);
}

#[test]
fn a_test_that_judges_the_file_itself() {
    let bench = Bench::with_bug();
    let file = dunce::canonicalize(bench.path("bug.c")).unwrap().display().to_string();
    let test = if cfg!(windows) {
        format!("@find \"needle\" \"{file}\" >nul\r\n@if errorlevel 1 exit /b 1\r\n")
    } else {
        format!("#!/bin/sh\ngrep -q needle {file}\n")
    };
    bench.script(SCRIPT_NAME, &test);
    refused(
        &bench,
        &["bug.c", "--test", SCRIPT],
        &["accepts an empty directory and an empty program", "file's name alone"],
    );
    // Mentioning the path is not enough to be refused.
    let comment = if cfg!(windows) { "rem" } else { "#" };
    bench.script(SCRIPT_NAME, &format!("{TEST}{comment} {file}\n"));
    let run = bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_mentions(&stderr(&run), &["warning"]);
}

#[test]
fn a_test_that_hangs() {
    let bench = Bench::with_bug();
    bench.script(SCRIPT_NAME, HANGS);
    let args = ["bug.c", "--test", SCRIPT, "--timeout", "1s"];
    refused(&bench, &args, &["time limit", "--timeout"]);
}

#[test]
#[cfg_attr(windows, ignore = "its test is a shell script")]
fn a_test_with_a_time_limit_of_its_own() {
    let bench = Bench::with_bug();
    bench.script("test.sh", &TEST.replace("gcc", "timeout 20 gcc"));
    let run = bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_mentions(&stderr(&run), &["note", "timeout 20"]);
}

#[test]
fn a_test_that_prints_without_end() {
    let bench = Bench::with_bug();
    let test = if cfg!(windows) {
        let much = bench.write("much", "much of it\r\n".repeat(1 << 20));
        format!(":again\r\n@type \"{}\"\r\n@goto again\r\n", much.display())
    } else {
        "#!/bin/sh\nexec yes\n".to_owned()
    };
    bench.script(SCRIPT_NAME, &test);
    refused(&bench, &["bug.c", "--test", SCRIPT], &["printed more than"]);
}

#[test]
#[cfg_attr(
    windows,
    ignore = "wine limits no memory; see interestingness/test-host/tests/windows.rs"
)]
fn a_test_that_needs_too_much_memory() {
    let bench = Bench::with_bug();
    bench.script("test.sh", "#!/bin/sh\nhead -c 300000000 /dev/zero | tail\nsleep 2\n");
    let args = ["bug.c", "--test", SCRIPT, "--memory-limit", "50M"];
    refused(&bench, &args, &["memory"]);
}

#[test]
fn a_test_that_leaves_processes_behind() {
    let bench = Bench::with_bug();
    let test = if cfg!(windows) {
        format!("{TEST}start /b ping -n 1000 127.0.0.1 >nul\r\nexit /b 0\r\n")
    } else {
        format!("{TEST}r=$?\nsleep 1000 > /dev/null 2>&1 &\nexit $r\n")
    };
    bench.script(SCRIPT_NAME, &test);
    let run = bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_mentions(
        &stderr(&run),
        &["the test left ", " running when it ended; clreduce kills them"],
    );
    bench.assert_nothing_left();
}

#[test]
fn a_flaky_test() {
    let bench = Bench::with_bug();
    // Of the original, which nothing else is as long as, it says this first and then that.
    let (length, seen) = (BUG.len(), bench.path("seen").display().to_string());
    let line = if cfg!(windows) {
        format!(
            "@echo off\r\nfor %%F in (bug.c) do if %%~zF=={length} goto original\r\n\
             find \"needle(\" bug.c >nul\r\nexit /b %errorlevel%\r\n\
             :original\r\nif exist {seen} exit /b 1\r\nmkdir {seen}\r\n"
        )
    } else {
        format!(
            "#!/bin/sh\nif [ $(wc -c <bug.c) = {length} ]; then mkdir {seen} 2>/dev/null\n\
             else grep -q 'needle(' bug.c; fi\n"
        )
    };
    bench.script(SCRIPT_NAME, &line);
    let args = ["bug.c", "--test", SCRIPT, "--writable", "."];
    refused(&bench, &args, &["flaky", "in 1 out of "]);
}

#[test]
fn a_test_that_accepts_everything_is_pointed_out() {
    let bench = Bench::with_bug();
    refused(&bench, &["bug.c", "--test", YES], &["accepts an empty directory", "checks nothing"]);
    let no_empty_directory =
        if cfg!(windows) { "if not exist bug.c exit 1" } else { "test -e bug.c" };
    let run = bench.reduce(&["bug.c", "--test", no_empty_directory]);
    assert_mentions(&stderr(&run), &["warning", "nothing of the program is left"]);
    assert_eq!(bench.read("bug.c.orig"), BUG);
}

/// A test that accepts an empty directory and an empty program once each, by mistake, looks at the program all the same.
#[cfg(unix)]
#[test]
fn a_test_that_accepts_nothing_by_mistake_is_used() {
    let bench = Bench::with_bug();
    let mistake = bench.path("mistake");
    bench.script(
        SCRIPT_NAME,
        &format!(
            "grep -q needle bug.c 2>/dev/null && exit 0\n\
             if [ -s bug.c ]; then exit 1; elif [ -e bug.c ]; then kind=program; else kind=directory; fi\n\
             mkdir {}-$kind 2>/dev/null\n",
            mistake.display()
        ),
    );
    bench.reduce(&["bug.c", "--test", SCRIPT, "--writable", "."]).code(0);
    assert!(
        ["program", "directory"].iter().all(|kind| bench.path(&format!("mistake-{kind}")).is_dir())
    );
    assert_mentions(&bench.read("bug.c"), &["needle"]);
}

#[test]
fn files_that_are_none() {
    let bench = Bench::with_bug();
    bench.write("bug.c", "");
    refused(&bench, &["bug.c", "--test", YES], &["bug.c", "empty"]);
    fs::create_dir(bench.path("folder")).unwrap();
    refused(&bench, &["folder", "--test", YES], &["no files"]);
    refused(&bench, &["none.c", "--test", YES], &["none.c", "does not exist"]);
}

#[cfg(unix)]
#[test]
fn files_that_no_test_case_can_have() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::with_bug();
    refused(&bench, &["/dev/null", "--test", YES], &["neither a file nor a folder"]);
    let odd = std::ffi::OsStr::from_bytes(b"odd-\xff.c");
    fs::write(bench.path("").join(odd), "int a;").unwrap();
    let mut command = bench.command(&["--test", YES]);
    let output = command.arg(odd).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_mentions(&String::from_utf8_lossy(&output.stderr), &["UTF-8", "rename"]);
}

/// Interesting is what calls `needle`, whatever it is.
const FIND: &str = if cfg!(windows) { TEST } else { "#!/bin/sh\ngrep -aq 'needle(' bug.c\n" };

#[test]
fn bytes_that_are_no_program() {
    let mut binary: Vec<u8> = (0..=255).cycle().take(4096).collect();
    binary.extend_from_slice(b"needle(");
    let crlf = "int a;\r\nint needle(int b);\r\nint c;\r\n".as_bytes().to_vec();
    let latin = b"/* \xe9\xff */ int a; int needle(int b); char *s = \"\xfe\";\n".to_vec();
    for (name, bytes) in [("binary", binary), ("crlf", crlf), ("latin", latin)] {
        let bench = Bench::new();
        bench.script(SCRIPT_NAME, FIND);
        bench.write("bug.c", &bytes);
        bench.reduce(&["bug.c", "--test", SCRIPT]);
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
        bench.script(SCRIPT_NAME, FIND);
        bench.write("bug.c", &text);
        // What is asked here is that it works at all, not that it comes to an end.
        let args = ["bug.c", "--test", SCRIPT, "--max-steps", "20"];
        bench.reduce(&args);
        assert!(bench.is_interesting(&["bug.c"]), "{name}");
        bench.assert_nothing_left();
    }
}

#[test]
fn two_runs_on_one_file() {
    let bench = Bench::with_bug();
    bench.script(SCRIPT_NAME, &slow(200));
    let mut first = bench.start(&["bug.c", "--test", SCRIPT]);
    while !bench.path("bug.c.clreduce/journal").exists() {
        assert!(first.try_wait().unwrap().is_none(), "the first run ended");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let second = bench.run(&["bug.c", "--test", SCRIPT]).code(1);
    assert_mentions(&stderr(&second), &["another run"]);
    first.kill().unwrap();
    first.wait().unwrap();
    bench.assert_nothing_left_after_kill();
}

#[test]
fn what_changes_under_a_journal() {
    let bench = Bench::with_bug();
    let args = ["bug.c", "--test", SCRIPT];
    bench.reduce(&[&args[..], &["--max-steps", "5"]].concat());
    let best = bench.read("bug.c");

    bench.write("bug.c", "int needle(int a); int mine;\n");
    let run = bench.run(&args).code(1);
    assert_mentions(&stderr(&run), &["changed", "--fresh"]);
    assert_eq!(bench.read("bug.c"), "int needle(int a); int mine;\n");

    bench.write("bug.c", &best);
    let changed = if cfg!(windows) { "rem changed\r\n" } else { "# changed\n" };
    bench.script(SCRIPT_NAME, &format!("{TEST}{changed}"));
    let run = bench.run(&args).code(1);
    assert_mentions(&stderr(&run), &["the test", "--fresh"]);
    let run = bench.run(&[&args[..], &["--keep-names"]].concat()).code(1);
    assert_mentions(&stderr(&run), &["--keep-names"]);
    assert_eq!(bench.read("bug.c"), best);

    // The original and every committed version are fine.
    bench.script(SCRIPT_NAME, TEST);
    bench.write("bug.c", BUG);
    bench.reduce(&args);
    assert!(bench.read("bug.c").len() <= best.len());
}

#[test]
fn a_file_that_somebody_edits_meanwhile() {
    let bench = Bench::with_bug();
    let file = bench.path("bug.c").display().to_string();
    // The second test, the last on the original, edits the file that is being reduced.
    let count = bench.path("count").display().to_string();
    let test = if cfg!(windows) {
        let first = format!("if exist {count}1 goto second\r\necho x>{count}1\r\nexit /b 0\r\n");
        let edit =
            format!("if exist {count}2 exit /b 0\r\necho x>{count}2\r\necho // mine>>{file}\r\n");
        format!("{TEST}{first}:second\r\n{edit}exit /b 0\r\n")
    } else {
        let edit =
            format!("echo x >> {count}; test $(wc -l < {count}) != 2 || echo '// mine' >> {file}");
        format!("{TEST}r=$?\n{edit}\nexit $r\n")
    };
    bench.script(SCRIPT_NAME, &test);
    // The editor is only pretended to be the test; that it names the file is no reason to refuse.
    let run = bench.run(&["bug.c", "--test", SCRIPT, "-j1", "--writable", "."]).code(1);
    assert_mentions(&stderr(&run), &["changed by someone else"]);
    assert_eq!(bench.read("bug.c").replace('\r', ""), format!("{BUG}// mine\n"));
    assert!(stdout(&run).is_empty());
}
