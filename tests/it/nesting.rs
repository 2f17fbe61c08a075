//! Programs that are nested very deep, and brackets that are never closed, from outside.

use crate::support::Bench;

const TEST: &str =
    if cfg!(windows) { "find \"needle\" input.c >nul" } else { "grep -q needle input.c" };

/// The number of tests, and what is left.
fn reduce(program: &str, arguments: &[&str]) -> (u64, String) {
    let bench = Bench::new();
    bench.write("input.c", program);
    bench.reduce(&[&["input.c", "--test", TEST, "--summary", "s.json"], arguments].concat());
    (bench.json("s.json")["tests"].as_u64().unwrap(), bench.read("input.c"))
}

#[test]
fn brackets_that_are_not_closed_go() {
    for program in ["needle((((((", "needle]]}", "needle ( [ ) ]"] {
        for arguments in [&["--lang", "text"][..], &[]] {
            assert_eq!(reduce(program, arguments).1.trim(), "needle", "{program} {arguments:?}");
        }
    }
}

#[test]
fn a_hundred_thousand_levels_cost_tens_of_tests() {
    for (open, close) in [("{", "}"), ("if (a) ", ""), ("\n#if A\n", "\n#endif\n")] {
        let (open_all, close_all) = (open.repeat(100_000), close.repeat(100_000));
        let program = format!("int a; void f(void) {{ {open_all} needle(); {close_all} }}");
        let (tests, left) = reduce(&program, &[]);
        assert_eq!(left.trim(), "needle");
        assert!(tests < 100, "{open}: {tests} tests");
    }
}
