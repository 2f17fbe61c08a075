//! `clreduce init -- COMMAND`: real compilers that crash and disagree, and fake ones that hang and lie on demand.

#![cfg(target_os = "linux")]

use std::fs;

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// clang has no registers to return a `double` in, and dies of it; true of clang 14 to 19.
const NO_SSE: &str = "\
#include <stddef.h>
#include \"width.h\"
static size_t used(const int *table) { size_t n = 0; while (n < WIDTH && table[n]) n++; return n; }
__attribute__((target(\"no-sse2\"))) double twice(double value) { return value * 2; }
int sum(const int *table) { int all = 0; for (size_t i = 0; i < used(table); i++) all += table[i]; return all; }
";

/// Says of a program whether it was compiled with optimisation.
const OPTIMISED: &str = "\
#include <stdio.h>
static int unused(int a) { return a + 1; }
static inline int is_known(int value) { return __builtin_constant_p(value); }
int main(void) { int i = unused(2); printf(\"%d %d\\n\", is_known(7), i); return 3; }
";

/// A program whose result differs with `-ffast-math`. gcc's headers have attributes and types that clang does not know,
/// and the difference is gone where clang preprocesses them.
const NOT_A_NUMBER: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static int unused(int a) { return a + 1; }
int main(void) {
    int bad = 0, used = unused(2);
    double *values = malloc(2 * sizeof *values);
    if (!values) return 1;
    values[0] = strtod(\"nan\", NULL), values[1] = sqrt(used);
    for (int i = 0; i < 2; i++) bad += isnan(values[i]) ? 1 : 0;
    printf(\"%d %.3f\\n\", bad, values[1]);
    free(values);
    return 0;
}
";

/// A program that says whether it was compiled with optimisation, and reads memory that was not written.
const UNINITIALISED: &str = "\
#include <stdio.h>
static inline int is_known(int value) { return __builtin_constant_p(value); }
int main(void) { volatile int junk[2]; printf(\"%d\\n\", is_known(7)); return junk[1] == 77 ? 3 : 2; }
";

/// gcc's analyzer warns of the pointer.
const UNCHECKED: &str = "\
#include <stdlib.h>
#include <string.h>
struct item { struct item *next; int count; };
static struct item *table[4];
static int unused(int a) { return a + 1; }
struct item *add(int count) {
    struct item *p = malloc(sizeof *p);
    p->count = unused(count);
    p->next = table[1];
    table[1] = p;
    return p;
}
";

/// A compiler that hangs on `spin`, warns of `warn`, and rejects `bad`. It knows -E, -Werror and -O0.
const FAKE: &str = "#!/bin/sh
for word; do
  case $word in
    -Werror) error=1;;
    -E) preprocess=1;;
    -O0) plain=1;;
    -*) ;;
    *.c | *.i) file=$word;;
  esac
done
[ -z \"$preprocess\" ] || { grep -v '^#' \"$file\"; exit; }
[ -n \"$plain\" ] || ! grep -q spin \"$file\" || sleep 1000
if grep -q warn \"$file\"; then
  echo \"$file:1:1: warning: strange thing\" >&2
  [ -z \"$error\" ] || exit 1
fi
! grep -q bad \"$file\" || { echo \"$file:2:1: error: bad thing 'x7'\" >&2; exit 1; }
";

/// Runs it, and every compiler that it runs, with memory at fixed places: clang reads past an array when it dies, and how
/// it dies depends on what is there.
fn run(bench: &Bench, args: &[&str]) -> assert_cmd::assert::Assert {
    let plain = bench.command(args);
    let mut command = std::process::Command::new("setarch");
    command.arg("-R").arg(plain.get_program()).args(plain.get_args());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(bench.path(""));
    assert_cmd::Command::from_std(command).assert()
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("src/no-sse.c", NO_SSE);
    bench.write("inc/width.h", "#define WIDTH 8\n");
    bench.script("bin/cc.sh", FAKE);
    bench.write("p.c", "#define N 3\nint a;\nint spin;\nint warn;\nint bad;\nint b = 3;\n");
    bench
}

/// The number of words of a program.
fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[test]
fn a_crash_of_a_real_compiler_is_reduced() {
    let bench = bench();
    let command = ["clang", "-O1", "-Iinc", "-MMD", "-c", "src/no-sse.c", "-o", "no-sse.o"];
    let args = [&["init", "--report", "groups.html", "--"], &command[..]].concat();
    let found = stdout(&run(&bench, &args).code(0));
    let page = bench.read("groups.html");
    assert_mentions(&page, &["<div class=bad><h3>shows the bug <small>1</small>", "suspected"]);
    assert_mentions(&page, &["<div class=good><h3>does not show the bug", "crash: clang -O1"]);
    assert_mentions(
        &found,
        &["crash: clang -O1", "Access past stack top", "clreduce no-sse.i --test no-sse.toml"],
    );
    let recipe = bench.read("no-sse.toml");
    // The program is preprocessed: no header is needed, and another compiler says that it is valid.
    assert!(!recipe.contains("-Iinc") && !recipe.contains("-MMD"), "{recipe}");
    assert_eq!(recipe.matches("[[configuration]]").count(), 2, "{recipe}");
    // The crash is one of the back end, and so far the other compiler has gone as well.
    assert!(recipe.contains("-w -c -o output {file}"), "{recipe}");
    assert!(!bench.read("no-sse.i").contains('#'));
    assert_eq!(bench.read("src/no-sse.c"), NO_SSE);
    assert_mentions(&stderr(&run(&bench, &args).code(1)), &["no-sse.toml", "already exists"]);

    // What it has written is all that it makes of that.
    let program = bench.read("no-sse.i");
    fs::remove_file(bench.path("no-sse.toml")).unwrap();
    let args = ["init", "--", "clang", "-O1", "-c", "no-sse.i", "-o", "no-sse.o"];
    assert_mentions(&stdout(&run(&bench, &args).code(0)), &["written: no-sse.toml\n"]);
    assert_eq!((bench.read("no-sse.i"), bench.read("no-sse.toml")), (program, recipe));

    run(&bench, &["no-sse.i", "--test", "no-sse.toml"]).code(0);
    let result = bench.read("no-sse.i");
    assert!(result.contains("no-sse2") && words(&result) < 12, "{result}");
    bench.assert_nothing_left();
}

#[test]
fn what_clang_leaves_and_what_a_build_system_knows() {
    let bench = bench();
    let crash = std::process::Command::new("setarch")
        .args([
            "-R",
            "clang",
            "-O1",
            "-Iinc",
            "-fcrash-diagnostics-dir=left",
            "-c",
            "src/no-sse.c",
            "-o",
            "no-sse.o",
        ])
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    assert!(!crash.status.success());
    let entries = fs::read_dir(bench.path("left")).unwrap().map(|entry| entry.unwrap().path());
    let script = entries
        .into_iter()
        .find(|path| path.extension().is_some_and(|ending| ending == "sh"))
        .unwrap();
    let found = stdout(&run(&bench, &["init", script.to_str().unwrap()]).code(0));
    assert_mentions(&found, &["Access past stack top", "clreduce no-sse-"]);
    let name = script.with_extension("toml").file_name().unwrap().to_str().unwrap().to_owned();
    let program = script.with_extension("c").file_name().unwrap().to_str().unwrap().to_owned();
    run(&bench, &["explain", "--test", &name, &program]).code(0);

    let database = format!(
        "[{{ \"directory\": \"{}\", \"file\": \"src/no-sse.c\", \"command\": \"ccache clang -O1 -Iinc -c src/no-sse.c\" }}]",
        bench.path("").display()
    );
    bench.write("build/compile_commands.json", database);
    let args = ["init", "build/compile_commands.json", "src/no-sse.c"];
    let found = stdout(&run(&bench, &args).code(0));
    assert_mentions(&found, &["Access past stack top", "clreduce no-sse.i"]);
    let args = ["init", "build/compile_commands.json", "no-sse.c"];
    assert_mentions(
        &stderr(&run(&bench, &args).code(2)),
        &["no command for `no-sse.c`", "src/no-sse.c"],
    );
}

#[test]
fn what_gcc_leaves() {
    let bench = bench();
    // The compiler proper, as the comment names it.
    let compiler = bench.script(
        "libexec/cc1",
        "#!/bin/sh\nfor word; do [ -f \"$word\" ] && file=$word; done\ngrep -q boom \"$file\" || exit 0\n\
         echo \"during GIMPLE pass: slp\nx.c:1:1: internal compiler error: in f, at g.cc:12\" >&2\nexit 1\n",
    );
    bench.write(
        "ccx.out",
        format!(
            "// Target: x\n\n// {} -quiet src/x.c -quiet -dumpbase x.c -O2 -o - -frandom-seed=0\n\n# 0 \"x.c\"\nint a;\nint boom;\n",
            compiler.display()
        ),
    );
    let found = stdout(&bench.run(&["init", "ccx.out"]).code(0));
    assert_mentions(&found, &["crash: cc1 -O2", "in f, at g.cc", "clreduce x.c --test x.toml"]);
    bench.reduce(&["x.c", "--test", "x.toml"]);
    let result = bench.read("x.c");
    assert!(result.contains("boom") && !result.contains("int a"), "{result}");
}

#[test]
fn a_program_that_behaves_differently_without_optimisation() {
    let bench = bench();
    bench.write("o.c", OPTIMISED);
    let refused = stderr(&bench.run(&["init", "--run", "--", "gcc", "-O2", "-c", "o.c"]).code(1));
    assert_mentions(&refused, &["--run needs a command that builds a program", "`-c`"]);
    let refused = stderr(
        &bench.run(&["init", "--run", "--also", "gcc -O1 o.c", "--", "gcc", "-O2", "o.c"]).code(1),
    );
    assert_mentions(&refused, &["behaves as others say", "gcc -O1 {file}", "--also 'gcc -O0"]);
    // No other compiler takes the program.
    let only = "#!/bin/sh\ncase \"$*\" in *-E*) exit 1;; esac\nexec gcc -DONLY \"$@\"\n";
    bench.script("bin/only.sh", only);
    bench.write("only.c", format!("#ifndef ONLY\n#error only here\n#endif\n{OPTIMISED}"));
    let refused = stderr(&bench.run(&["init", "--run", "--", "bin/only.sh", "only.c"]).code(1));
    let parts = ["nothing to compare its result with", "only here", "--also"];
    assert_mentions(&refused, &parts);
    let found = stdout(&bench.run(&["init", "--run", "--", "gcc", "-O2", "o.c"]).code(0));
    assert_mentions(&found, &["wrong-code: gcc -O2: result", "gcc -O0  "]);
    let recipe = bench.read("o.toml");
    assert_mentions(&recipe, &["run = \"./output\"", "fsanitize=address,undefined", "[[stage]]"]);
    bench.reduce(&["o.i", "--test", "o.toml", "--max-steps", "150"]);
    let result = bench.read("o.i");
    assert!(result.contains("__builtin_constant_p") && !result.contains("unused"), "{result}");
}

#[test]
fn a_hang_and_wrong_messages() {
    let bench = bench();
    let compiler = bench.path("bin/cc.sh");
    let compiler = compiler.to_str().unwrap();
    let reduce = |more: &[&str], kept: &str, gone: &[&str]| {
        let args = [&["init"], more, &["--", compiler, "-O2", "-c", "p.c"]].concat();
        let found = stdout(&bench.run(&args).code(0));
        bench.reduce(&["p.i", "--test", "p.toml"]);
        let result = bench.read("p.i");
        assert!(result.contains(kept), "{result}\n{found}");
        assert!(!gone.iter().any(|word| result.contains(word)), "{result}\n{found}");
        for name in ["p.i", "p.i.orig", "p.toml"] {
            fs::remove_file(bench.path(name)).unwrap();
        }
        found
    };
    let found = reduce(&["--timeout", "500ms"], "spin", &["int a", "warn", "bad"]);
    assert!(found.contains("hang: cc.sh -O2"), "{found}");
    bench.write("p.c", bench.read("p.c").replace("int spin;\n", ""));
    let found = reduce(&[], "bad", &["int a", "warn"]);
    assert!(found.contains("error: bad thing"), "{found}");
    bench.write("p.c", bench.read("p.c").replace("int bad;\n", ""));
    let found = reduce(&["--message", "strange .*"], "warn", &["int a"]);
    assert!(found.contains("without -Werror"), "{found}");
    // Another compiler rejects what this one accepts.
    bench.write("p.c", bench.read("p.c").replace("warn", "good"));
    let also = "sh -c '! grep -q good $0 || { echo error: it is good >&2; exit 1; }' p.c";
    let found = reduce(&["--also", also], "good", &["int a"]);
    assert!(found.contains("build-failure: sh"), "{found}");
}

#[test]
fn what_cannot_be_used() {
    let bench = bench();
    let mark = bench.path("mark");
    let slow =
        format!("#!/bin/sh\n[ -e {0} ] || {{ touch {0}; sleep 4; }}\necho x\n", mark.display());
    bench.script("bin/slow.sh", &slow);
    bench.write("w.c", "int f(void) { return 1 / 0; }\n");
    let cases: &[(&[&str], i32, &[&str])] = &[
        (&[], 2, &["no kernel and no command"]),
        (&["--", "gcc", "-c", "gone.c"], 2, &["names no source file"]),
        (&["--", "gcc", "p.c", "src/no-sse.c"], 2, &["compiles two files"]),
        (&["--", "gcc", "-x", "c", "-"], 2, &["standard input"]),
        (&["--script", "shell", "--", "gcc", "-c", "p.c"], 2, &["for kernels"]),
        (&["p.c"], 2, &["no command of a compiler", "init -- gcc"]),
        (&["--", "gcc", "-c", "p.c"], 1, &["nothing is wrong", "--run"]),
        (
            &["--message", "never", "--", "gcc", "-c", "w.c"],
            1,
            &["prints no error or warning", "    w.c:1:", "--message 'division by zero'"],
        ),
        // What takes long is shown, with its time.
        (
            &["--writable", ".", "--", "bin/slow.sh", "-c", "p.c"],
            1,
            &["nothing is wrong", "slow.sh: compiling p.c ("],
        ),
        (&["--", "./no-such-compiler", "-c", "p.c"], 1, &["cannot run", "exit code 127"]),
    ];
    for (args, status, parts) in cases {
        let args = [&["init"], *args].concat();
        assert_mentions(&stderr(&bench.run(&args).code(*status)), parts);
    }
    assert!(!bench.names().iter().any(|name| name.ends_with(".toml") || name.ends_with(".i")));
}

#[test]
fn no_check_is_lost_to_the_headers_of_gcc() {
    let bench = bench();
    bench.write("inv.c", NOT_A_NUMBER);
    let command = ["--", "gcc", "-O2", "-ffast-math", "inv.c", "-o", "inv", "-lm"];
    let refused = stderr(&bench.run(&[&["init", "--run"], &command[..]].concat()).code(1));
    assert_mentions(
        &refused,
        &["how exactly floating-point numbers", "--allow-unchecked non-portable"],
    );
    let allowed = ["init", "--run", "--allow-unchecked", "non-portable"];
    let done = bench.run(&[&allowed, &command[..]].concat()).code(0);
    let said = stderr(&done);
    assert_mentions(&stdout(&done), &["wrong-code: gcc -O2 -ffast-math: result", "gcc -O0  "]);
    // It says with which commands it compares, and that it does not write the file that the command names.
    assert_mentions(&said, &["no --also", "`gcc -O0 {file} -o output -lm`", "instead of `inv`"]);
    assert!(!said.contains("left out"), "{said}");
    let recipe = bench.read("inv.toml");
    assert_mentions(&recipe, &["fsanitize=memory", "let clang read the headers of gcc"]);
    assert!(!recipe.contains("allow-unchecked"), "{recipe}");
    let program = bench.read("inv.i");
    let reads = program.replace("values[0] = strtod(\"nan\", ((void *)0)), ", "");
    assert_ne!(reads, program);
    bench.write("u/inv.i", reads);
    let explained = bench.run(&["explain", "--test", "inv.toml", "--original", "inv.i", "u/inv.i"]);
    assert_mentions(&stdout(&explained), &["memory", "MemorySanitizer"]);
    bench.assert_nothing_left();
}

#[test]
fn what_is_not_looked_for_is_said_from_init_to_the_result() {
    let bench = bench();
    bench.write("u.c", UNINITIALISED);
    let refused = stderr(&bench.run(&["init", "--run", "--", "gcc", "-O2", "u.c"]).code(1));
    let parts = ["undefined behaviour: u.c:3:", "--allow-unchecked uninitialised"];
    assert_mentions(&refused, &parts);
    assert!(!bench.path("u.toml").exists());
    let allowed = ["--allow-unchecked", "uninitialised", "--", "gcc", "-O2", "u.c"];
    let done = bench.run(&[&["init", "--run"], &allowed[..]].concat()).code(0);
    let parts = [
        "warning: the check `memory` is left out",
        "the result may read uninitialised memory",
        "does not pass it: u.c:3:",
        "MemorySanitizer: use-of-uninitialized-value",
    ];
    assert_mentions(&stderr(&done), &parts);
    assert!(bench.read("u.toml").contains("allow-unchecked = [\"uninitialised\"]"));
    let done = bench.reduce(&["u.i", "--test", "u.toml", "--max-steps", "5"]);
    let parts = [
        "no stage of the recipe looks for these errors",
        "every variant must have another result with gcc -O0",
        "No stage of the recipe looked for these errors in the program: uninitialised",
    ];
    assert_mentions(&stderr(&done), &parts);
    assert_mentions(&stdout(&done), &["u.i.report.md (plain text: u.i.report.txt)"]);
}

#[test]
fn a_wrong_warning_is_told_from_others() {
    let bench = bench();
    bench.write("inv.c", UNCHECKED);
    let gcc = ["--", "gcc", "-fanalyzer", "-O2", "-c", "inv.c"];
    let args = [&["init", "--message", "possible-null-dereference|CWE-690"], &gcc[..]].concat();
    bench.run(&args).code(0);
    let recipe = bench.read("inv.toml");
    let parts =
        ["-Werror=analyzer-possible-null-dereference", "name = \"warnings\"", "implicit-int"];
    assert_mentions(&recipe, &parts);
    bench.reduce(&["inv.i", "--test", "inv.toml"]);
    let result = bench.read("inv.i");
    assert!(!result.contains("unused") && words(&result) < 30, "{result}");
    let strict = ["-fsyntax-only", "-Werror=implicit-int", "-Werror=int-conversion", "inv.i"];
    let checked =
        std::process::Command::new("gcc").args(strict).current_dir(bench.path("")).output();
    assert!(checked.unwrap().status.success(), "{result}");
    let report = bench.read("inv.i.report.md");
    let parts = [
        "# gcc prints a wrong warning: dereference of possibly-NULL",
        "The compiler prints this warning",
        "without this warning",
    ];
    assert_mentions(&report, &parts);
}
