//! `--reduce-flags`: the flags of real compilers that crash are reduced after the program, and stand in the bug report.

#![cfg(target_os = "linux")]

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// g++ 12 dies of it, if destructors may be `constexpr`.
const PROGRAM: &str = "\
#include \"unused.h\"
struct base {
    struct part {
        int a, b, c;
        constexpr part() : a(), b(), c() {}
    };
    struct checked : part {
        constexpr ~checked();
    };
    checked member;
};
class derived : base {};
struct other {
    other();
};
struct item {
    derived part{};
};
struct whole {
    item items[1]{};
    other last;
};
int twice(int x) { return unused(x) * 2; }
void make() { whole{}; }
";

/// Flags of a build, of which the bug needs one.
const FLAGS: &str =
    "-O3 -g -std=c++20 -Wall -fno-strict-aliasing -march=native -I inc -DNDEBUG -fPIC";

const MESSAGE: &str = "internal compiler error: in gimplify_var_or_parm_decl";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("inc/unused.h", "inline int unused(int x) { return x + 1; }\n");
    bench.write("bug.cc", PROGRAM);
    bench
}

/// Few passes: how well programs are reduced is no matter here.
const FEW: [&str; 2] = ["--passes", "cpp-declarations,directives"];

#[test]
fn a_recipe_of_init_ends_at_the_flag_that_matters() {
    let bench = bench();
    let flags: Vec<&str> = FLAGS.split(' ').collect();
    let command = [&["init", "--", "g++-12"], &flags[..], &["-c", "bug.cc"]].concat();
    bench.run(&command).code(0);
    let recipe = bench.read("bug.toml");
    assert_mentions(&recipe, &["-O3", "-march=native", "-fno-strict-aliasing"]);

    let args = ["bug.ii", "--test", "bug.toml", "--reduce-flags", "--summary", "sum.json"];
    let done = bench.run(&[&args[..], &FEW].concat()).code(0);
    assert_mentions(&stdout(&done), &["flags:    -std=c++20 (1 of ", "bug.ii.flags.toml"]);
    let written = bench.read("bug.ii.flags.toml");
    let suspected = "build = \"g++-12 -std=c++20 -c {file}";
    assert_mentions(&written, &[suspected, "name = \"g++-12\"", "accused = true"]);
    let report = bench.read("bug.ii.report.md");
    assert_mentions(
        &report,
        &[
            "g++-12 -std=c++20 -c bug.ii",
            "found with the flags -O3 -g ",
            "of which -std=c++20 is left",
            MESSAGE,
        ],
    );
    assert!(!bench.read("bug.ii").contains("twice"));
    let summary = bench.json("sum.json");
    assert_eq!(summary["flags"]["after"], serde_json::json!(["-std=c++20"]));
    // The new recipe is one, and finds the same bug.
    let again = bench.run(&["report", "bug.ii", "--test", "bug.ii.flags.toml"]).code(0);
    assert_mentions(&stdout(&again), &[MESSAGE, "g++-12 -std=c++20 -c bug.ii"]);
    bench.assert_nothing_left();
}

#[test]
fn a_shell_command_keeps_what_is_made() {
    let bench = bench();
    bench.write("bug.cc", PROGRAM.replace("#include \"unused.h\"\n", "").replace("unused(x)", "x"));
    let test = format!("g++-12 {FLAGS} -S {{file}} -o /dev/null 2>&1 | grep -q '{MESSAGE}'");
    let args = ["bug.cc", "--test", &test, "--reduce-flags"];
    let done = bench.run(&[&args[..], &FEW].concat()).code(0);
    assert_mentions(&stdout(&done), &["flags:    -std=c++20 (1 of 9 left", "bug.cc.flags"]);
    assert_eq!(bench.read("bug.cc.flags"), "-std=c++20\n");
    let line = format!("g++-12 -std=c++20 -S bug.cc -o /dev/null 2>&1 | grep -q '{MESSAGE}'");
    assert_mentions(&bench.read("bug.cc.report.md"), &[&line, "found with the flags -O3 -g "]);
    assert_mentions(&bench.read("bug.cc.report.txt"), &[&line]);
    bench.assert_nothing_left();
}

/// The optimiser of this compiler dies from `-O2` on, and only with debug information.
const COMPILER: &str = "#!/bin/sh
for word; do
  case $word in
    -O2 | -O3) fast=1;;
    -O[01]) fast=;;
    -g) debug=1;;
    *.c) file=$word;;
  esac
done
if [ -n \"$fast\" ] && [ -n \"$debug\" ] && grep -q two \"$file\"; then
  echo 'internal compiler error: in two, at two.c:2' >&2
  exit 4
fi
";

#[test]
fn a_script_takes_its_flags_from_the_environment() {
    let bench = Bench::new();
    bench.script("cc.sh", COMPILER);
    bench.write("bug.c", "int one;\nint two;\nint three;\n");
    let cc = bench.path("cc.sh");
    let test = format!(
        "#!/bin/sh\n{} ${{CLREDUCE_FLAGS:--O3 -g}} -c bug.c 2>&1 | tee log | grep 'compiler error: in two'\n",
        cc.display()
    );
    bench.script("t.sh", &test);
    let flags = "--reduce-flags=-m64 -O3 -I /usr/include -g -Wall";
    let done = bench.run(&["bug.c", "--test", "./t.sh", flags, "--passes", "top-level"]).code(0);
    assert_mentions(&stdout(&done), &["flags:    -O2 -g (2 of 5 left"]);
    assert_eq!(bench.read("bug.c"), "int two;\n");
    assert_eq!(bench.read("bug.c.flags"), "-O2 -g\n");
    let report = bench.read("bug.c.report.md");
    let line = format!("{} -O2 -g -c bug.c", cc.display());
    assert_mentions(&report, &[&line, "found with the flags -m64 -O3 -I /usr/include -g -Wall,"]);
    bench.assert_nothing_left();

    // The report of later is the same, with the flags in the environment.
    let mut later = bench.command(&["report", "bug.c", "--test", "./t.sh"]);
    later.env("CLREDUCE_FLAGS", "-O2 -g");
    let later = assert_cmd::Command::from_std(later).assert().code(0);
    assert_mentions(&stdout(&later), &[&line]);
}

/// The script lies in the folder that is reduced.
#[test]
fn the_script_that_takes_flags_is_no_part_of_the_folder() {
    let bench = Bench::new();
    bench.script("cc.sh", COMPILER);
    bench.write("d/bug.c", "int one;\nint two;\n");
    let cc = bench.path("cc.sh");
    let test = format!(
        "#!/bin/sh\n# a comment\n{} $CLREDUCE_FLAGS bug.c 2>&1 | grep 'error: in two'\n",
        cc.display()
    );
    bench.script("d/t.sh", &test);
    let args = ["d", "--test", "d/t.sh", "--reduce-flags=-O2 -Wall -g", "--passes", "top-level"];
    let done = bench.run(&args).code(0);
    assert_mentions(&stdout(&done), &["flags:    -O2 -g (2 of 3 left"]);
    assert_eq!(bench.read("d/bug.c"), "int two;\n");
    assert_eq!(bench.read("d/t.sh"), test);
    let over = ["d/bug.c", "-o", "d/t.sh", "--test", "d/t.sh", "--reduce-flags=-O2 -Wall -g"];
    assert_mentions(&stderr(&bench.run(&over).code(1)), &["d/t.sh` is the test"]);
    assert_eq!(bench.read("d/t.sh"), test);
}

/// This test accepts what has no `-g` only once.
#[test]
fn flags_without_which_the_bug_shows_only_now_and_then_stay() {
    let bench = Bench::new();
    bench.write("bug.c", "int two;\n");
    let once = bench.path("once");
    let test = format!(
        "#!/bin/sh\ngrep -q two bug.c || exit 1\ncase $CLREDUCE_FLAGS in *-g*) exit 0;; esac\nmkdir {}\n",
        once.display()
    );
    bench.script("t.sh", &test);
    let args = ["bug.c", "--test", "./t.sh", "--reduce-flags=-O2 -g", "--sandbox", "off"];
    let done = bench.run(&args).code(0);
    assert_mentions(&stderr(&done), &["the test is flaky", "all flags stay"]);
    assert_eq!(bench.read("bug.c.flags"), "-O2 -g\n");
}

/// The compiler cannot be run any more when the flags are reduced: the program is reduced all the same, and its figures are there.
#[test]
fn what_fails_while_flags_are_reduced_costs_no_result() {
    let bench = Bench::new();
    bench.script("cc.sh", COMPILER);
    bench.write("bug.c", "int one;\nint two;\n");
    let cc = bench.path("cc.sh");
    let test = format!("#!/bin/sh\n{} $CLREDUCE_FLAGS bug.c 2>&1 | grep 'in two'\n", cc.display());
    bench.script("t.sh", &test);
    std::fs::create_dir(bench.path("bug.c.flags")).unwrap();
    let args =
        ["bug.c", "--test", "./t.sh", "--reduce-flags=-O2 -Wall -g", "--summary", "sum.json"];
    let done = bench.run(&args).code(0);
    assert_mentions(&stderr(&done), &["the flags are not reduced", "bug.c.flags"]);
    assert_eq!(bench.json("sum.json")["ending"], "minimal");
    assert_eq!(bench.read("bug.c"), "two\n");
}

#[test]
fn flags_that_cannot_be_found_are_asked_for() {
    let bench = Bench::new();
    bench.write("bug.c", "int two;\n");
    bench.script("t.sh", "#!/bin/sh\ngcc -O2 -c bug.c\n");
    bench.write("a.toml", "preset = \"crash\"\n[[configuration]]\nbuild = \"gcc -O1 -c {file}\"\n");
    for (test, option, says) in [
        ("./t.sh", "--reduce-flags", "--reduce-flags='-O2 -g'"),
        ("./t.sh", "--reduce-flags=-O2", "does not use $CLREDUCE_FLAGS"),
        ("gcc -c bug.c && clang -c bug.c", "--reduce-flags", "calls several compilers"),
        ("gcc -c {file}", "--reduce-flags", "has no flags"),
        ("gcc -c {file} -g", "--reduce-flags=-O2", "does not use $CLREDUCE_FLAGS"),
        ("a.toml", "--reduce-flags=-O1", "leave out `=FLAGS`"),
    ] {
        let refused = bench.run(&["bug.c", "--test", test, option]).code(2);
        assert_mentions(&stderr(&refused), &[says]);
    }
    bench.assert_nothing_left();
}
