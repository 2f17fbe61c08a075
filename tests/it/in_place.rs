//! Where the result goes, and what is kept.

#[cfg(unix)]
use std::fs;

use crate::support::{BUG, Bench, SCRIPT, SCRIPT_NAME, assert_mentions, stderr, stdout};

#[test]
fn reduces_in_place_and_keeps_the_original() {
    let bench = Bench::with_bug();
    let run = bench.reduce(&["bug.c", "--test", SCRIPT]);
    let result = bench.read("bug.c");
    assert!(result.len() < BUG.len() / 4, "{result}");
    assert!(bench.is_interesting(&["bug.c"]));
    assert_eq!(bench.read("bug.c.orig"), BUG);
    assert_eq!(bench.names(), ["bug.c", "bug.c.orig", SCRIPT_NAME]);
    assert_mentions(&stdout(&run), &["steps", "tokens removed", "result:   bug.c", "bug.c.orig"]);
    bench.assert_nothing_left();
}

#[test]
fn a_later_run_does_not_touch_the_first_original() {
    let bench = Bench::with_bug();
    bench.reduce(&["bug.c", "--test", SCRIPT]);
    let reduced = bench.read("bug.c");
    let again = bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_mentions(&stdout(&again), &["minimal already"]);
    assert_eq!((bench.read("bug.c"), bench.read("bug.c.orig")), (reduced, BUG.to_owned()));

    let other = BUG.replace("table", "other");
    bench.write("bug.c", &other);
    bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_eq!(bench.read("bug.c.orig"), BUG);
    assert_eq!(bench.read("bug.c.2.orig"), other);
}

#[test]
fn the_older_order_means_the_same() {
    let (old, new) = (Bench::with_bug(), Bench::with_bug());
    old.reduce(&[SCRIPT, "bug.c"]);
    new.reduce(&["bug.c", "--test", SCRIPT]);
    assert_eq!(old.read("bug.c"), new.read("bug.c"));
}

/// Removes a file with the line that includes it, also one that is empty only after the reduction of others, and says so.
#[test]
#[cfg(unix)]
fn files_that_are_not_needed_go() {
    let bench = Bench::new();
    bench.write("a.h", "#include \"b.h\"\nint a;\n");
    bench.write("b.h", "int b;\n");
    bench.write("main.c", "#include \"a.h\"\n#include \"b.h\"\nint needle;\n");
    let run = bench.reduce(&[
        "a.h",
        "b.h",
        "main.c",
        "--test",
        "gcc -fsyntax-only main.c && grep -q needle main.c",
    ]);
    assert_eq!(bench.names(), ["a.h.orig", "b.h.orig", "main.c", "main.c.orig"]);
    let said = stdout(&run);
    assert_mentions(
        &said,
        &["result:   main.c", "removed:  a.h is not needed", "removed:  b.h is not needed"],
    );
    assert!(!said.contains("result:   a.h"), "{said}");
}

/// One file is needed until the other is small.
#[test]
#[cfg(unix)]
fn a_file_of_a_folder_that_became_empty_goes() {
    let bench = Bench::new();
    bench.write("in/x.txt", "needle\n1\n2\n3\n");
    bench.write("in/y.txt", "1\n2\n");
    let test = "grep -q needle x.txt && { test -s y.txt || test $(wc -l <x.txt) -lt 3; }";
    bench.reduce(&["in", "--test", test]);
    assert_eq!(bench.read("in/x.txt").trim(), "needle");
    assert_eq!(fs::read_dir(bench.path("in")).unwrap().count(), 1);
}

#[test]
fn output_leaves_the_input_alone() {
    let bench = Bench::with_bug();
    bench.reduce(&["bug.c", "--test", SCRIPT, "--output", "small.c"]);
    assert_eq!(bench.read("bug.c"), BUG);
    assert!(bench.read("small.c").len() < BUG.len() / 4);
    assert_eq!(bench.names(), ["bug.c", "small.c", SCRIPT_NAME]);
}

#[test]
fn output_is_written_also_when_nothing_can_be_removed() {
    let bench = Bench::new();
    bench.write("bug.c", "int a;\n");
    let test = if cfg!(windows) { "find \"int a;\" bug.c" } else { "grep -qx 'int a;' bug.c" };
    bench.reduce(&["bug.c", "--test", test, "--output", "small.c"]);
    assert_eq!(bench.read("small.c"), "int a;\n");
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_read_only_is_refused() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let bench = Bench::with_bug();
    fs::set_permissions(bench.path("bug.c"), fs::Permissions::from_mode(0o444)).unwrap();
    let refused = bench.run(&["bug.c", "--test", SCRIPT]).code(1);
    assert_mentions(&stderr(&refused), &["read-only", "chmod u+w", "--output"]);
    assert_eq!(bench.names(), ["bug.c", "test.sh"]);
    bench.reduce(&["bug.c", "--test", SCRIPT, "--output", "small.c"]);

    fs::set_permissions(bench.path("bug.c"), fs::Permissions::from_mode(0o640)).unwrap();
    bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_eq!(fs::metadata(bench.path("bug.c")).unwrap().mode() & 0o777, 0o640);
}

/// The mode of a file or folder.
#[cfg(unix)]
fn mode(bench: &Bench, name: &str) -> u32 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(bench.path(name)).unwrap().mode() & 0o777
}

#[cfg(unix)]
#[test]
fn copies_of_a_private_file_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let private = |bench: &Bench, name: &str, mode: u32| {
        fs::set_permissions(bench.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    let bench = Bench::with_bug();
    private(&bench, "bug.c", 0o600);
    bench.reduce(&["bug.c", "--test", SCRIPT, "--output", "small.c"]);
    bench.reduce(&["bug.c", "--test", SCRIPT, "--max-steps", "5"]);
    assert_eq!(mode(&bench, "bug.c.clreduce"), 0o700);
    assert_eq!(["small.c", "bug.c", "bug.c.orig"].map(|name| mode(&bench, name)), [0o600; 3]);

    let bench = Bench::new();
    bench.write("dir/inner/bug.c", BUG);
    bench.script(SCRIPT_NAME, "#!/bin/sh\ngrep -q 'needle(' inner/bug.c\n");
    private(&bench, "dir", 0o700);
    private(&bench, "dir/inner", 0o750);
    private(&bench, "dir/inner/bug.c", 0o640);
    bench.reduce(&["dir", "--test", SCRIPT]);
    let copies = ["dir.orig", "dir.orig/inner", "dir.orig/inner/bug.c"];
    assert_eq!(copies.map(|name| mode(&bench, name)), [0o700, 0o750, 0o640]);
}

/// Whatever lies where the copy of the original would be, there is a copy.
#[cfg(unix)]
#[test]
fn the_original_is_never_without_a_copy() {
    use std::os::unix::fs::symlink;
    let in_the_way: [fn(&Bench); 5] = [
        |bench| fifo(bench, "bug.c.orig"),
        |bench| symlink("nowhere", bench.path("bug.c.orig")).unwrap(),
        |bench| symlink("bug.c", bench.path("bug.c.orig")).unwrap(),
        |bench| fs::create_dir(bench.path("bug.c.orig")).unwrap(),
        |bench| drop(bench.write("bug.c.orig", "something else")),
    ];
    for put in in_the_way {
        let bench = Bench::with_bug();
        put(&bench);
        let run = bench.reduce(&["bug.c", "--test", SCRIPT, "--max-steps", "8"]);
        assert_mentions(&crate::support::stdout(&run), &["original: bug.c.2.orig"]);
        assert_eq!(bench.read("bug.c.2.orig"), BUG);
        assert!(bench.read("bug.c").len() < BUG.len());
    }
}

#[cfg(unix)]
#[test]
fn output_that_is_no_file_is_refused_before_anything_runs() {
    let bench = Bench::with_bug();
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    fifo(&bench, "fifo");
    std::os::unix::fs::symlink("nowhere", bench.path("link")).unwrap();
    let before = bench.names();
    for (output, says) in [
        ("socket", "neither a file nor a folder"),
        ("fifo", "neither a file nor a folder"),
        ("link", "a symbolic link that leads nowhere"),
        (SCRIPT, "is the test"),
    ] {
        let refused = bench.run(&["bug.c", "--test", SCRIPT, "--output", output]).code(1);
        assert_mentions(&stderr(&refused), &[output.trim_start_matches("./"), says]);
        assert_eq!(bench.names(), before, "{output}");
    }
}

#[cfg(unix)]
fn fifo(bench: &Bench, name: &str) {
    let made = std::process::Command::new("mkfifo").arg(bench.path(name)).status().unwrap();
    assert!(made.success());
}

#[cfg(unix)]
#[test]
fn what_a_symbolic_link_points_to_is_reduced() {
    use std::os::unix::fs::symlink;
    let bench = Bench::with_bug();
    fs::create_dir(bench.path("elsewhere")).unwrap();
    fs::rename(bench.path("bug.c"), bench.path("elsewhere/real.c")).unwrap();
    symlink("elsewhere/real.c", bench.path("bug.c")).unwrap();
    let run = bench.reduce(&["bug.c", "--test", SCRIPT]);
    assert_mentions(&stderr(&run), &["symbolic link", "real.c"]);
    assert!(fs::symlink_metadata(bench.path("bug.c")).unwrap().is_symlink());
    assert!(bench.read("elsewhere/real.c").len() < BUG.len() / 4);
    assert_eq!(bench.read("bug.c.orig"), BUG);
}

/// A test for two files: `bug.c` must include `part.h`, which must define `needle`.
const TWO: &str = if cfg!(windows) {
    "@find \"needle\" part.h >nul\r\n@if errorlevel 1 exit /b 1\r\n\
     @find \"part.h\" bug.c >nul\r\n@if errorlevel 1 exit /b 1\r\n"
} else {
    "#!/bin/sh\ngrep -q needle part.h && grep -q part.h bug.c && gcc -fsyntax-only -w bug.c\n"
};

fn with_two_files() -> Bench {
    let bench = Bench::new();
    bench.script(SCRIPT_NAME, TWO);
    bench.write("src/part.h", "int other(int);\nint needle(int);\n");
    bench.write("src/bug.c", "#include \"part.h\"\nint a;\nint b;\nint main(void) { return 0; }\n");
    bench.write("src/unused.h", "int unused;\n");
    bench
}

#[test]
fn a_folder_is_reduced_as_a_whole() {
    let bench = with_two_files();
    bench.write("src/bug.c.orig", "from an older tool");
    bench.reduce(&["src", "--test", SCRIPT]);
    assert!(!bench.read("src/part.h").contains("other"));
    assert!(!bench.read("src/bug.c").contains("main"));
    assert_eq!(bench.read("src.orig/unused.h"), "int unused;\n");
    assert_eq!(bench.read("src/bug.c.orig"), "from an older tool");
    assert!(!bench.path("src.orig/bug.c.orig").exists());
    assert_eq!(bench.names(), ["src", "src.orig", SCRIPT_NAME]);
}

#[test]
fn several_files_have_an_original_each() {
    let bench = with_two_files();
    bench.reduce(&["src/bug.c", "src/part.h", "--test", SCRIPT]);
    assert!(!bench.read("src/part.h").contains("other"));
    assert!(bench.read("src/part.h.orig").contains("other"));
    assert!(bench.read("src/bug.c.orig").contains("main"));
    assert_eq!(bench.read("src/unused.h"), "int unused;\n");
}

#[test]
fn a_folder_goes_to_a_new_folder_and_the_test_is_no_part_of_it() {
    let bench = with_two_files();
    let test = format!("src/{SCRIPT_NAME}");
    bench.script(&test, TWO);
    bench.reduce(&["src", "--test", &test, "--output", "small"]);
    assert!(bench.read("src/part.h").contains("other"));
    assert!(!bench.read("small/part.h").contains("other"));
    assert!(!bench.path("small").join(SCRIPT_NAME).exists());
    let refused = bench.run(&["src", "--test", &test, "--output", "small"]).code(1);
    assert_mentions(&stderr(&refused), &["small", "not empty"]);
}
