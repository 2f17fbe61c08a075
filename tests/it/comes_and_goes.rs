//! Bugs that come and go: `--flaky` reduces them, and without it they are named.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// Accepts a program with the bug in about two of three runs, as the number of the run and the program decide.
const COIN: &str = "#!/bin/sh\ngrep -q overflow bug.c || exit 1\n\
    sum=$( (echo \"$CLREDUCE_RUN\"; cat bug.c) | cksum | cut -d ' ' -f 1)\n[ $((sum / 7 % 3)) -gt 0 ]\n";

const PROGRAM: &str =
    "int a;\nint b = 2;\nint f(int x) { return x + b; }\nint overflow(int y) { return f(y); }\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("bug.c", PROGRAM);
    bench.script("coin.sh", COIN);
    bench
}

#[test]
fn the_result_is_the_same_for_every_number_of_jobs_and_after_an_interruption() {
    let mut results = Vec::new();
    for words in [&["-j", "1"][..], &["-j", "2"], &["-j", "8"], &["-j", "2", "--max-steps", "5"]] {
        let bench = bench();
        let args = ["bug.c", "--test", "./coin.sh", "--flaky", "--summary", "s.json"];
        let mut run = bench.run(&[&args[..], words].concat()).success();
        if words.len() > 2 {
            run = bench.run(&args).success();
        }
        let text = stdout(&run);
        assert_mentions(&text, &["the result shows the bug in", "runs (", "the original in"]);
        let rates = bench.json("s.json")["rates"].clone();
        assert!(rates["result"]["shown"].as_u64() >= Some(30), "{rates}");
        let measured = format!("{}, {}", rates["original"], rates["result"]);
        results.push((bench.read("bug.c"), measured));
        bench.assert_nothing_left();
    }
    assert!(results[0].0.contains("overflow") && results[0].0.len() < 15, "{results:?}");
    assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
}

/// The lines of the journal; none before there is one.
fn lines_of_journal(bench: &Bench) -> usize {
    bench.read_if_there("bug.c.clreduce/journal").map_or(0, |journal| journal.lines().count())
}

#[test]
fn the_result_is_the_same_after_kills() {
    let args =
        ["bug.c", "--test", "./coin.sh", "--flaky", "-j2", "--summary", "s.json", "--keep-state"];
    let result = |bench: &Bench| {
        bench.run(&args).success();
        let rates = bench.json("s.json")["rates"].clone();
        (bench.read("bug.c"), rates["original"].clone(), rates["result"].clone())
    };
    let (whole, killed) = (bench(), bench());
    for more in [1, 4, 9] {
        let before = lines_of_journal(&killed);
        let mut run = killed.start(&args);
        while lines_of_journal(&killed) < before + more {
            assert!(run.try_wait().unwrap().is_none(), "it ended before");
            sleep(Duration::from_millis(5));
        }
        run.kill().unwrap();
        run.wait().unwrap();
    }
    assert_eq!(result(&killed), result(&whole));
    // The journal has the way there, with what was tried again in the end.
    assert!(!stdout(&killed.run(&["history", "bug.c"]).success()).is_empty());
}

/// The order of a set of strings depends on the seed of their hashes, which is another one in each run.
#[test]
fn a_python_program_whose_bug_depends_on_the_hash_seed_is_reduced() {
    let bench = Bench::new();
    let program = "unused = 3\nnames = {'a', 'b'}\nif list(names)[0] == 'a':\n    raise KeyError\nprint(unused)\n";
    bench.write("bug.py", program);
    let test = "python3 bug.py 2>&1 | grep -q '^KeyError$'";
    // Never seldom: without the condition, it shows the bug always.
    let args = ["bug.py", "--test", test, "--flaky=20%", "--report", "page.html"];
    let run = bench.run(&args).success();
    assert_mentions(&stderr(&run), &["the original shows the bug in", "at least 20 % of its runs"]);
    let result = bench.read("bug.py");
    assert!(result.contains("KeyError") && !result.contains("unused"), "{result}");
    assert_mentions(&bench.read("page.html"), &["the result shows the bug in"]);
}

#[test]
fn a_test_that_accepts_the_original_now_and_then_is_named_with_its_rate() {
    let bench = bench();
    let count = bench.write("count", "0");
    let line = format!(
        "n=$(cat {0}); echo $((n + 1)) > {0}; grep -q overflow bug.c && [ $((n % 3)) = 2 ]",
        count.display()
    );
    // With more slots, tests beside that of the original count as well.
    let run = bench.run(&["bug.c", "--test", &line, "--sandbox", "off", "-j1"]).code(1);
    assert_mentions(&stderr(&run), &["is not steady", "in 6 of 20 runs (15 % to 52 %)", "--flaky"]);
    assert_eq!(fs::read_to_string(bench.path("bug.c")).unwrap(), PROGRAM);
}

#[test]
fn an_original_without_the_bug_is_refused_with_its_runs() {
    let bench = bench();
    let run = bench.run(&["bug.c", "--test", "grep -q nothing bug.c", "--flaky"]).code(1);
    assert_mentions(&stderr(&run), &["not interesting", "in 0 of 500 runs"]);
    let run = bench.run(&["bug.c", "--test", "./coin.sh", "--flaky=90%"]).code(1);
    assert_mentions(&stderr(&run), &["the 90 % that --flaky asks for"]);
}

#[test]
fn it_is_refused_where_it_means_nothing() {
    let bench = bench();
    bench.write("r.toml", "");
    for (words, expected) in [
        (&["--test", "./coin.sh", "--flaky=often"][..], "a rate is a number"),
        (&["--test", "gcc -O2 -c bug.c", "--flaky", "--reduce-flags"], "--reduce-flags cannot"),
    ] {
        let run = bench.run(&[&["bug.c"][..], words].concat()).code(2);
        assert_mentions(&stderr(&run), &[expected]);
    }
}

/// Where the bug always shows, nothing is refused in haste, and nothing is looked at again.
#[test]
fn what_was_refused_is_known_afterwards() {
    let bench = Bench::new();
    bench.write("bug.c", "int a;\nint b = 2;\nint needle(int y) { return y + b; }\n");
    bench.script("t.sh", "#!/bin/sh\ngrep -q 'needle(' bug.c && gcc -fsyntax-only bug.c\n");
    bench.reduce(&["bug.c", "--test", "./t.sh", "--flaky", "-j1", "--keep-state", "-o", "out.c"]);
    let said = stdout(&bench.run(&["why", "out.c"]).code(0));
    assert_mentions(&said, &["without `()`: not interesting", "without `needle`: not interesting"]);
}
