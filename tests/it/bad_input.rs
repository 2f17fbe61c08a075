//! Bad input: a clear error that says what to do, and nothing lost.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use crate::support::{
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

/// 100 MB in a file in memory, and in a segment of System V.
#[cfg(target_os = "linux")]
#[test]
fn a_test_that_takes_memory_that_no_process_maps() {
    let bench = Bench::with_bug();
    let memfd = if cfg!(target_arch = "x86_64") { 319 } else { 279 };
    let key = 0x636c_0000_u32 + std::process::id() % 0x1_0000;
    let in_file = format!(
        "my $name = q(x); open(F, q(>&=), syscall({memfd}, $name, 0)); \
         syswrite(F, q(x) x (1 << 20)) for 1..100; sleep 2"
    );
    let in_segment = format!(
        "my $s = shmget({key}, 100 << 20, 01600); shmwrite($s, q(x) x (1 << 20), $_ << 20, 1 << 20) for 0..99; sleep 2"
    );
    for program in [in_file, in_segment] {
        bench.script(
            "test.sh",
            &format!("#!/bin/sh\ngrep -q needle bug.c || exit 1\nperl -e '{program}'\nexit 0\n"),
        );
        // More than perl needs itself.
        let args = ["bug.c", "--test", SCRIPT, "--memory-limit", "90M", "--sandbox", "off"];
        refused(&bench, &args, &["memory"]);
    }
    let removed = std::process::Command::new("ipcrm").args(["-M", &key.to_string()]).status();
    assert!(removed.unwrap().success());
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

#[cfg(unix)]
#[test]
fn a_test_that_says_both_in_turn_or_changes_ends_with_an_error() {
    const IN_TURN: &str = "[ $((n % 2)) = 0 ] && grep -q '<<' bug.c";
    const FOR_EVER: &str = "[ $n -gt 40 ] || { grep -q '<<' bug.c && grep -q return bug.c; }";
    let program = include_str!("../../fixtures/c-assembly/codec.c");
    for (condition, more, says) in [
        (IN_TURN, "-q", ["cannot decide", "out of 100 runs"]),
        (IN_TURN, "--max-steps=20", ["cannot decide", "help: "]),
        (FOR_EVER, "-q", ["the test has changed", "--fresh"]),
    ] {
        let bench = Bench::new();
        bench.write("bug.c", program);
        let count = bench.path("count").display().to_string();
        bench.script(
            SCRIPT_NAME,
            &format!(
                "#!/bin/sh\nn=$(cat {count} 2>/dev/null || echo 0)\necho $((n + 1)) >{count}\n{condition}\n"
            ),
        );
        let args = ["bug.c", "--test", SCRIPT, "--writable", ".", "-j1", more];
        assert_mentions(&stderr(&bench.run(&args).code(1)), &says);
        assert!(bench.read("bug.c").contains("<<"));
    }
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

/// Runs it; it must end by itself, which it does not if it waits for a pipe.
#[cfg(unix)]
#[track_caller]
fn ends(bench: &Bench, args: &[&str], parts: &[&str]) {
    let mut command = assert_cmd::Command::from_std(bench.command(args));
    let run = command.timeout(std::time::Duration::from_secs(60)).assert().failure();
    assert_mentions(&stderr(&run), parts);
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_link_in_the_place_of_the_state() {
    use std::os::unix::fs::symlink;
    let args = ["bug.c", "--test", SCRIPT];
    for name in ["journal", "journal.new", "lock", "original"] {
        let bench = Bench::with_bug();
        fs::create_dir(bench.path("bug.c.clreduce")).unwrap();
        let place = bench.path("bug.c.clreduce").join(name);
        assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
        ends(&bench, &args, &["bug.c.clreduce/", name, "remove it"]);
        fs::remove_file(&place).unwrap();
        symlink(bench.path("test.sh"), &place).unwrap();
        ends(&bench, &args, &["bug.c.clreduce/", name, "remove it"]);
        assert_eq!(bench.read("bug.c"), BUG);
        assert_eq!(bench.read("test.sh"), TEST);
    }
    let bench = Bench::with_bug();
    fs::create_dir(bench.path("elsewhere")).unwrap();
    symlink("elsewhere", bench.path("bug.c.clreduce")).unwrap();
    ends(&bench, &args, &["bug.c.clreduce", "remove it"]);
    assert_eq!(fs::read_dir(bench.path("elsewhere")).unwrap().count(), 0);

    let bench = Bench::with_bug();
    assert!(Command::new("mkfifo").arg(bench.path("bug.c.orig")).status().unwrap().success());
    let mut command = assert_cmd::Command::from_std(bench.command(&args));
    command.timeout(std::time::Duration::from_secs(60)).assert().success();
    // The original has another name.
    assert!(bench.names().contains(&"bug.c.2.orig".to_owned()));
}

#[cfg(unix)]
#[test]
fn a_link_in_a_folder_that_leads_nowhere() {
    let bench = Bench::new();
    bench.write("d/bug.c", BUG);
    bench.script("test.sh", TEST);
    std::os::unix::fs::symlink("gone.h", bench.path("d/a.h")).unwrap();
    ends(&bench, &["d", "--test", SCRIPT], &["a.h", "leads nowhere"]);
    assert_eq!(bench.names(), ["d", "test.sh"]);
}

#[test]
fn more_tests_at_a_time_than_there_can_be() {
    let bench = Bench::with_bug();
    refused(&bench, &["bug.c", "--test", SCRIPT, "-j", "100000"], &["1 to 4096"]);
}

/// The system ends programs that write beyond such a limit, unless they ask for an error.
#[cfg(target_os = "linux")]
#[test]
fn files_that_may_not_grow() {
    for most in ["0", "1", "2"] {
        let bench = Bench::with_bug();
        let line = format!("ulimit -f {most}; exec \"$0\" bug.c --test ./test.sh -q");
        let mut command = Command::new("bash");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_clreduce")]);
        let output =
            command.current_dir(bench.path("")).env("TMPDIR", bench.temporary()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{most}: {said}");
        assert_mentions(&said, &["error: ", "File too large"]);
        assert_eq!(bench.read("bug.c"), BUG);
        bench.assert_nothing_left();
    }
}

/// Who may start no thread, or no process, gets an error, and no test runs without its sandbox.
#[cfg(target_os = "linux")]
#[test]
fn a_system_that_gives_no_threads() {
    let bench = Bench::with_bug();
    let outside = bench.path("outside");
    bench.script("test.sh", &format!("{TEST}r=$?\necho x > {}\nexit $r\n", outside.display()));
    for folder in [bench.path(""), bench.temporary(), bench.path("..")] {
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(folder, all).unwrap();
    }
    let program = bench.path("clreduce");
    fs::copy(env!("CARGO_BIN_EXE_clreduce"), &program).unwrap();
    let own = fs::read_to_string("/proc/self/status").unwrap();
    let is_root = own.lines().any(|line| line.starts_with("Uid:\t0\t"));
    // Nobody else has this number, so that the limit counts what is started here alone.
    let user = ["setpriv", "--reuid=61234", "--regid=61234", "--clear-groups", "--"];
    for most in 1..12 {
        let line = format!(
            "ulimit -u {most}; exec {} bug.c --test ./test.sh -j 2 -q --fresh",
            program.display()
        );
        let mut command: Vec<&str> = if is_root { user.to_vec() } else { Vec::new() };
        command.extend(["bash", "-c", &line]);
        let mut started = Command::new(command[0]);
        started.args(&command[1..]).current_dir(bench.path("")).env("TMPDIR", bench.temporary());
        let mut started = assert_cmd::Command::from_std(started);
        let output = started.timeout(std::time::Duration::from_secs(120)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!outside.exists(), "{most}: {said}");
        assert!(!said.contains("panicked") && output.status.code().is_some(), "{most}: {said}");
        if !output.status.success() {
            assert!(said.contains("error: "), "{most}: {said}");
            assert_eq!(bench.read("bug.c"), BUG);
        }
        bench.write("bug.c", BUG);
        bench.assert_nothing_left();
    }
}
