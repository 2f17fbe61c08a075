//! Windows alone has these: its scripts, its line ends, its paths.
#![cfg(windows)]

use std::fs;

use crate::support::{BUG, Bench, SCRIPT, TEST, assert_mentions, stderr};

#[test]
fn tests_are_named_as_people_name_them() {
    let expected = {
        let bench = Bench::with_bug();
        bench.reduce(&["bug.c", "--test", SCRIPT]);
        bench.read("bug.c")
    };
    for (file, name) in [
        ("test.bat", "test.bat"),
        ("test.bat", "test"),
        ("test.cmd", r".\test"),
        ("Test.CMD", "./Test.CMD"),
        ("my tests/test 1.bat", r"my tests\test 1.bat"),
    ] {
        let bench = Bench::new();
        bench.write("bug.c", BUG);
        bench.write(file, TEST);
        bench.reduce(&["bug.c", "--test", name]);
        assert_eq!(bench.read("bug.c"), expected, "{name}");
        bench.assert_nothing_left();
    }
    let bench = Bench::new();
    bench.write("bug.c", BUG);
    let absolute = bench.write("test.bat", TEST);
    bench.reduce(&["bug.c", "--test", absolute.to_str().unwrap()]);
    assert_eq!(bench.read("bug.c"), expected);
}

#[test]
fn programs_and_lines_for_the_shell_are_tests_as_well() {
    let program = env!("CARGO_BIN_EXE_clreduce");
    let bench = Bench::with_bug();
    let line = format!("\"{program}\" --version | find \"clreduce\" && find \"needle\" bug.c");
    bench.reduce(&["bug.c", "--test", &line]);
    let result = bench.read("bug.c");
    assert!(result.trim_end().ends_with("needle") && result.len() < 20, "{result}");
    // Without arguments it says how it is used, which is no 0.
    let run = bench.run(&["bug.c.orig", "--test", program]).code(1);
    assert_mentions(&stderr(&run), &["not interesting", "exit code 2", "--test"]);
}

#[test]
fn line_ends_stay() {
    let bench = Bench::with_bug();
    let text = "int a;\r\nint needle(int b);\r\nint other;\r\nint c = needle(3);\r\n";
    bench.write("bug.c", text);
    bench.reduce(&["bug.c", "--test", SCRIPT, "--protect", "int needle|int c = needle"]);
    let result = bench.read("bug.c");
    assert!(result.lines().count() > 1 && !result.contains("other"), "{result:?}");
    assert_eq!(result.matches('\n').count(), result.matches("\r\n").count(), "{result:?}");
    assert_eq!(bench.read("bug.c.orig"), text);
}

#[test]
fn paths_may_be_long() {
    let bench = Bench::with_bug();
    let deep = ["long-name-of-a-folder"; 15].join("/");
    bench.write(&format!("src/{deep}/part.h"), "int needle(int);\nint other(int);\n");
    bench.write("src/bug.c", BUG);
    bench.reduce(&["src", "--test", SCRIPT, "--protect", "int needle.int.;"]);
    assert_eq!(bench.read(&format!("src/{deep}/part.h")).trim(), "int needle(int);");
    assert!(bench.read("src/bug.c").contains("needle("));
    assert!(bench.read(&format!("src.orig/{deep}/part.h")).contains("other"));
    bench.assert_nothing_left();
}

#[test]
fn paths_are_shown_as_people_and_cmd_know_them() {
    let bench = Bench::with_bug();
    let run = bench.run(&["bug.c", "--test", "exit 3"]).code(1);
    let shown = stderr(&run);
    assert_mentions(&shown, &["cd /d ", "exit code 3"]);
    assert!(!shown.contains(r"\\?\"), "{shown}");
}

#[test]
fn a_file_that_is_read_elsewhere_is_replaced_when_it_is_free() {
    use std::os::windows::fs::OpenOptionsExt;
    use std::time::Duration;
    let bench = Bench::with_bug();
    let file = bench.path("bug.c");
    // A virus scanner, say: it reads the file over and over and lets nobody replace it meanwhile.
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let reader = fs::File::options().read(true).share_mode(1).open(&file);
                std::thread::sleep(Duration::from_millis(20));
                drop(reader);
                std::thread::sleep(Duration::from_millis(30));
            }
        });
        let run = bench.run(&["bug.c", "--test", SCRIPT]);
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        run.code(0);
    });
    assert!(bench.read("bug.c").len() < BUG.len() / 4);
}
