//! Tests whose compiler says what is missing in a variant that it refuses: all of it stays in the next one.

#![cfg(unix)]

use crate::support::Bench;

/// Functions that are called, two of which are needed while the program is compiled.
fn program() -> String {
    let mut text = "# 1 \"bug.cc\"\n# 1 \"functions.h\" 1\n".to_owned();
    for at in 0..60 {
        text.push_str(&format!(
            "constexpr int f{at}(int x) {{\n  int n = {at};\n  while (n < 9) n += 2;\n  if (n > x) n = x;\n  \
             for (int i = 0; i < x; i++) n -= i;\n  return n + {at};\n}}\n"
        ));
    }
    let calls: String = (1..60).map(|at| format!(", f{at}(x)")).collect();
    format!(
        "{text}# 2 \"bug.cc\" 2\nstatic_assert(f7(1) && f31(1), \"\");\nint g(int x) {{ int all[] = {{f0(x){calls}}}; return all[0]; }}\n"
    )
}

/// The variants that are tested one after the other, and the steps until half of the bytes are gone.
fn reduce(bench: &Bench, more: &[&str]) -> (Vec<String>, usize) {
    let args = ["bug.cc", "--test", "./test.sh", "--no-compile-filter", "--events", "events"];
    bench.reduce(&[&args, more].concat());
    let (mut keys, mut first) = (Vec::new(), None);
    for event in bench.events("events") {
        match event["event"].as_str().unwrap() {
            "judged" => keys.push(event["key"].as_str().unwrap().to_owned()),
            "committed" if event["bytes"].as_u64().unwrap() as usize * 2 <= program().len() => {
                first = first.or(Some(keys.len()));
            }
            _ => {}
        }
    }
    (keys, first.unwrap_or(usize::MAX))
}

/// A bench with a test that sends what the compiler says to a file.
fn bench(file: &str) -> Bench {
    let bench = Bench::new();
    bench.write("bug.cc", program());
    let compile = "g++ -w -fsyntax-only bug.cc";
    bench.script(
        "test.sh",
        &format!("#!/bin/sh\nexport LC_ALL=C\n{compile} >{file} 2>&1 && grep -q 'f0(x), f1(x)' bug.cc && grep -q 'f7(1) && f31(1)' bug.cc\n"),
    );
    bench
}

#[test]
fn what_the_compiler_misses_comes_back_at_once() {
    let (heard, unheard) = (bench("log"), bench("/dev/null"));
    let (all, with) = reduce(&heard, &["-j1", "--fresh", "--max-steps", "60"]);
    let (_, without) = reduce(&unheard, &["-j1", "--fresh", "--max-steps", "60"]);
    assert!(with < without && without < usize::MAX, "{with} and {without}");
    heard.write("bug.cc", program());
    std::fs::remove_file(heard.path("bug.cc.orig")).unwrap();
    let (same, _) = reduce(&heard, &["-j3", "--fresh", "--max-steps", "60"]);
    assert_eq!(all, same, "what errors say does not depend on the number of jobs");
}

#[test]
fn a_journal_knows_what_the_compiler_missed() {
    let (whole, _) = reduce(&bench("log"), &["-j1", "--max-steps", "12"]);
    let bench = bench("log");
    let (begun, _) = reduce(&bench, &["-j1", "--max-steps", "3"]);
    let (resumed, _) = reduce(&bench, &["-j1", "--max-steps", "12"]);
    assert_eq!((&begun[..], resumed.len()), (&whole[..3], 12));
    assert_eq!(resumed, whole);
}
