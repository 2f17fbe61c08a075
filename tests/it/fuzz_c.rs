//! `clreduce fuzz` on programs in C from a command, with compilers that have planted faults: configurations vote, and what
//! goes wrong around a campaign costs nothing of it.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// Makes a program for each seed but 3. That of seed 2 divides, that of seed 4 takes remainders, that of seed 6 multiplies, that
/// of seed 8 adds, that of seed 10 divides, too, but shifts too far, and that of seed 12 divides a floating-point number.
const GENERATOR: &str = r#"#!/bin/sh
seed=$1
more=
case $seed in
2) more='x = x / 7;' ;;
3) echo 'no program for this seed' >&2; exit 1 ;;
4) more='x = x % 11;' ;;
6) more='x = x * 13;' ;;
8) more='x = x + 17;' ;;
10) more='x = (x << 26) / 7;' ;;
12) more='x = 1.5f * x / 7;' ;;
esac
cat <<EOF
extern int printf(const char *, ...);
int main(void) {
  int x = $seed;
  x = x * 31;
  $more
  printf("%d\n", x);
}
EOF
"#;

/// gcc with faults: wrong code for divisions, and a crash at remainders.
const FAULTY: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo 'faulty 1.0'; exit; fi
if grep -q '% 11' program.c 2>/dev/null; then
  echo 'faulty: Assertion `divisor != 11'"'"' failed.' >&2
  kill -ABRT $$
fi
[ -f program.c ] && sed -i 's|/ 7|/ 3|' program.c
exec gcc "$@"
"#;

/// gcc with the crash alone.
const CRASHING: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo 'crashing 1.0'; exit; fi
if grep -q '% 11' program.c 2>/dev/null; then
  echo 'crashing: Assertion `divisor != 11'"'"' failed.' >&2
  kill -ABRT $$
fi
exec gcc "$@"
"#;

const VOTERS: [&str; 3] = ["gcc:-O0", "gcc:-O1", "gcc:-O2"];

/// The arguments of a campaign with a fourth compiler.
fn campaign(bench: &Bench, out: &str, compiler: &str, count: &str) -> Vec<String> {
    let generator = bench.path("generator");
    if !generator.exists() {
        bench.script("generator", GENERATOR);
    }
    let generator = format!("{} {{seed}}", generator.display());
    let compiler = bench.path(compiler).display().to_string();
    let mut args: Vec<String> = ["fuzz", "--plain", "--out", out, "--target", "c", "-j2"]
        .into_iter()
        .chain(["--count", count, "--timeout", "60s", "--generator", &generator])
        .chain(["--device", &compiler])
        .map(str::to_owned)
        .collect();
    args.extend(VOTERS.into_iter().flat_map(|voter| ["--device".to_owned(), voter.to_owned()]));
    args
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// The log, and the programs of the bugs.
fn result(bench: &Bench, out: &str) -> BTreeMap<String, String> {
    let mut files =
        BTreeMap::from([("log".to_owned(), bench.read(&format!("{out}/campaign.jsonl")))]);
    let bugs = fs::read_dir(bench.path(out).join("bugs")).into_iter().flatten();
    for bug in bugs {
        let path = bug.unwrap().path().join("program.c");
        files.insert(
            path.strip_prefix(bench.path(out)).unwrap().display().to_string(),
            fs::read_to_string(path).unwrap(),
        );
    }
    files
}

#[test]
fn configurations_vote_and_only_valid_programs_accuse() {
    let bench = Bench::new();
    bench.script("faulty", FAULTY);
    let run = bench.reduce(&words(&campaign(&bench, "out", "faulty", "12")));
    assert_mentions(
        &stdout(&run),
        &[
            "outvoted",
            "inexact",
            "1 seeds or files gave no program",
            "1 suspected bug came from invalid",
            "2 bugs in",
        ],
    );
    assert_mentions(&stderr(&run), &["seed-10 on faulty: outvoted: the program is invalid"]);
    let files = result(&bench, "out");
    let program = |bug: &str| files[&format!("bugs/{bug}/program.c")].clone();
    assert!(program("faulty-outvoted-seed-2").contains("/ 7"));
    assert!(program("faulty-crash-seed-4").contains("% 11"));
    assert!(
        files.iter().all(|(name, text)| name == "log" || text.lines().count() <= 15),
        "{files:#?}"
    );
    assert_mentions(&files["log"], &["no program for this seed", "\"invalid\""]);
    // Each bug is reproduced by its recipe.
    let bug = bench.path("out/bugs/faulty-outvoted-seed-2");
    let recipe = bug.join("recipe.toml");
    let program = bug.join("program.c");
    let [program, recipe] = [&program, &recipe].map(|path| path.to_str().unwrap());
    bench.run(&["explain", program, "--test", recipe]).code(0);
    let replay = ["fuzz", "--replay", "out", "--target", "c", "--device", "gcc:-O1"];
    assert_mentions(&stdout(&bench.reduce(&replay)), &["0 of 2 bugs"]);
    let faulty = bench.path("faulty").display().to_string();
    let replay = ["fuzz", "--replay", "out", "--target", "c", "--device", &faulty];
    assert_mentions(&stdout(&bench.run(&replay).code(1)), &["2 of 2 bugs"]);
}

#[test]
fn hangs_and_large_compilers_do_not_stop_a_campaign() {
    let bench = Bench::new();
    let hungry = "awk 'BEGIN { x = \"0123456789abcdef\"; while (1) x = x x }'";
    let bad = format!(
        "#!/bin/sh\n\
         if grep -q '% 11' program.c 2>/dev/null; then sleep 1000; fi\n\
         if grep -q '[*] 13' program.c 2>/dev/null; then {hungry}; fi\n\
         exec gcc \"$@\"\n"
    );
    bench.script("bad", &bad);
    let mut args = campaign(&bench, "out", "bad", "6");
    // To reduce what hangs takes long.
    let more = ["--memory-limit", "200M", "--timeout", "2s", "--time-limit", "30s"];
    args.extend(more.map(str::to_owned));
    let at = args.iter().position(|arg| arg == "60s").unwrap();
    args.drain(at - 1..=at);
    let run = bench.reduce(&words(&args));
    assert_mentions(&stdout(&run), &["hang", "unresolved", "6 programs"]);
    assert_mentions(
        &bench.read("out/campaign.jsonl"),
        &[r#"{"bad":"hang"}"#, r#"{"bad":"unresolved"}"#],
    );
    bench.assert_nothing_left();
}

#[test]
fn a_compiler_that_vanishes_stops_the_campaign_and_nothing_is_lost() {
    let bench = Bench::new();
    bench.script("crashing", CRASHING);
    bench.reduce(&words(&campaign(&bench, "whole", "crashing", "8")));
    // The same compiler, but it goes when it sees the program of seed 6.
    let going = CRASHING.replace(
        "exec gcc",
        "if grep -q '[*] 13' program.c 2>/dev/null && [ ! -e $(dirname $0)/gone ]; then mv $0 $(dirname $0)/gone; exit 126; fi\nexec gcc",
    );
    let folder = bench.path("bin");
    bench.script("bin/crashing", &going);
    // A sandbox would not let it go.
    let mut args = campaign(&bench, "out", "bin/crashing", "8");
    args.extend(["--sandbox", "off"].map(str::to_owned));
    let stopped = bench.run(&words(&args)).code(1);
    assert_mentions(
        &stderr(&stopped),
        &["crashing does not run programs any more", "nothing is lost"],
    );
    assert!(!bench.read("out/campaign.jsonl").contains("unresolved"));
    bench.assert_nothing_left();
    // Meanwhile the clock is set back: everything that was written is of the future.
    age(&bench.path("out"));
    fs::copy(folder.join("gone"), folder.join("crashing")).unwrap();
    bench.reduce(&words(&args));
    assert_eq!(result(&bench, "whole"), result(&bench, "out"));
}

/// Makes all files as old as if a clock had been set back by ten days.
fn age(folder: &Path) {
    let then = SystemTime::now() + Duration::from_secs(10 * 24 * 60 * 60);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age(&path);
        }
        fs::File::open(&path).unwrap().set_modified(then).unwrap();
    }
}

#[test]
fn a_full_disk_stops_the_campaign_and_nothing_is_lost() {
    let bench = Bench::new();
    bench.script("crashing", CRASHING);
    bench.reduce(&words(&campaign(&bench, "whole", "crashing", "8")));
    let args = campaign(&bench, "disk/out", "crashing", "8");
    fs::create_dir(bench.path("disk")).unwrap();
    let line =
        |args: &[String]| args.iter().map(|arg| format!("'{arg}'")).collect::<Vec<_>>().join(" ");
    // The disk is one of 3 MB. All but seven pages of it are in use at first.
    let script = format!(
        "dd if=/dev/zero of=disk/other bs=4096 count=761 2>/dev/null\n\
         {program} {args}; echo \"first: $?\" >&2\n\
         rm disk/other\n\
         {program} {args}; echo \"then: $?\" >&2\n\
         cp -r disk/out saved\n",
        program = env!("CARGO_BIN_EXE_clreduce"),
        args = line(&args),
    );
    bench.write("script", script);
    let disk = bench.path("disk");
    let run = std::process::Command::new("bwrap")
        .args(["--dev-bind", "/", "/", "--size", "3145728", "--tmpfs"])
        .arg(&disk)
        .arg("sh")
        .arg(bench.path("script"))
        .current_dir(bench.path(""))
        .env("TMPDIR", bench.temporary())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_mentions(&said, &["No space left on device", "first: 1", "then: 0"]);
    assert_eq!(result(&bench, "whole"), result(&bench, "saved"));
}

#[test]
fn a_limit_on_the_folder_stops_the_campaign() {
    let bench = Bench::new();
    bench.script("crashing", CRASHING);
    let mut args = campaign(&bench, "out", "crashing", "1");
    let without = args.clone();
    fs::create_dir(bench.path("out")).unwrap();
    args.extend(["--disk", "1K"].map(str::to_owned));
    bench.write("out/other", [0; 2048]);
    let stopped = bench.run(&words(&args)).code(1);
    assert_mentions(&stderr(&stopped), &["more than the limit of 1024", "--disk"]);
    bench.reduce(&words(&without));
}

#[test]
fn wrong_generators_are_answered_with_what_to_do() {
    let bench = Bench::new();
    let wrong = |args: &[&str], status: i32| {
        let all = [&["fuzz", "--out", "o", "--target", "c", "--count", "30"][..], args].concat();
        stderr(&bench.run(&all).code(status))
    };
    let four = [
        "--device", "gcc:-O0", "--device", "gcc:-O1", "--device", "gcc:-O2", "--device", "gcc:-O3",
    ];
    let with = |generator: &'static str| [&["--generator", generator][..], &four].concat();
    assert_mentions(&wrong(&with("csmith"), 2), &["lacks the seed", "csmith --seed {seed}"]);
    assert_mentions(&wrong(&with("."), 2), &["ends in .c"]);
    let few = ["--generator", "x {seed}", "--device", "gcc:-O0", "--device", "gcc:-O1"];
    assert_mentions(&wrong(&few, 2), &["too few for a vote", "at least 4"]);
    let mode = [&with("x {seed}")[..], &["--mode", "vector"]].concat();
    assert_mentions(&wrong(&mode, 2), &["--mode is for the generator of clreduce"]);
    let nothing = ["--generator", "x {seed}", "--device", "no-such-compiler"];
    assert_mentions(&wrong(&nothing, 2), &["no-such-compiler", "gcc"]);
    // A command that never works is noticed soon.
    assert_mentions(&wrong(&with("false {seed}"), 1), &["no program for the first 20 seeds"]);
}

/// clreduce's own programs in C++ have known results, so that one compiler with two options is enough. The planted compiler
/// multiplies wrongly where it optimises.
#[test]
#[ignore = "takes some minutes of two cores"]
fn own_programs_in_cpp_need_no_vote() {
    let bench = Bench::new();
    bench.script(
        "faulty",
        r#"#!/bin/sh
if [ "$1" = --version ]; then echo 'faulty 1.0'; exit; fi
case "$*" in *-O2*) sed -i 's/0x100000001b3ULL/0x100000001b5ULL/' program.cpp ;; esac
exec g++ "$@"
"#,
    );
    let compiler = bench.path("faulty").display().to_string();
    let [plain, optimised] = ["-O0", "-O2"].map(|level| format!("{compiler}:{level}"));
    let args = ["fuzz", "--plain", "--out", "out", "--target", "c++", "-j2", "--count", "1"];
    let args = args.into_iter().chain(["--tokens", "300..320", "--timeout", "5s"]);
    let args: Vec<&str> = args.chain(["--device", &plain, "--device", &optimised]).collect();
    let run = bench.reduce(&args);
    assert_mentions(&stdout(&run), &["1 bug in out/bugs"]);
    let bugs: Vec<_> = fs::read_dir(bench.path("out/bugs")).unwrap().collect();
    let program = fs::read_to_string(bugs[0].as_ref().unwrap().path().join("program.cpp")).unwrap();
    assert!(program.contains("0x100000001b3") && program.len() < 600, "{program}");
}

/// An assembler with two faults: it rotates the other way, and finds the lowest bit in the place of the highest one.
#[cfg(target_arch = "x86_64")]
const ASSEMBLER: &str = r#"#!/bin/sh
for file; do :; done
sed -i 's/\brol\([bwlq]\)\b/ror\1/; s/\bbsr\([lq]\)\b/bsf\1/' "$file"
exec as "$@"
"#;

/// clreduce's own programs in C have known results, so that one compiler with one level is enough. It has faults where it
/// optimises. They are told apart.
#[test]
#[cfg(target_arch = "x86_64")]
#[ignore = "takes some minutes of two cores"]
fn own_programs_in_c_need_no_vote() {
    let bench = Bench::new();
    bench.script("asm/as", ASSEMBLER);
    bench.script(
        "faulty",
        r#"#!/bin/sh
if [ "$1" = --version ]; then echo 'faulty 1.0'; exit; fi
case "$*" in *-O2*) exec gcc -B"${0%/*}/asm/" "$@" ;; esac
exec gcc "$@"
"#,
    );
    let optimised = format!("{}:-O2", bench.path("faulty").display());
    let args = ["fuzz", "--plain", "--out", "out", "--target", "c", "-j2", "--mode", "basic"];
    let args = args.into_iter().chain(["--seed", "21", "--count", "4", "--timeout", "60s"]);
    let args = args.chain(["--tokens", "300..900", "--device", &optimised]);
    let run = bench.reduce(&args.collect::<Vec<_>>());
    assert_mentions(&stdout(&run), &["2 bugs in out/bugs", "right without"]);
    let programs = result(&bench, "out");
    let programs: Vec<_> = programs.iter().filter(|(name, _)| *name != "log").collect();
    let has = |what: &str| programs.iter().filter(|(_, text)| text.contains(what)).count();
    assert_eq!([has("__builtin_clz"), has("<<")], [1, 1], "{programs:#?}");
    assert!(programs.iter().all(|(_, text)| text.lines().count() <= 12), "{programs:#?}");
}
