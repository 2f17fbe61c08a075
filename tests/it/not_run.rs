//! A test that cannot be run any more has no verdict: the reduction stops, says what is broken, and goes on from there
//! once that is mended.

#![cfg(unix)]

use std::fs;
use std::thread;
use std::time::Duration;

use crate::support::{Bench, SCRIPT, SCRIPT_NAME, assert_mentions, stderr};
use serde_json::Value;

const ARGS: [&str; 9] =
    ["bug.c", "--test", SCRIPT, "-j", "2", "--events", "e.jsonl", "--sandbox", "off"];

/// The run that breaks has one worker: a test that runs ahead may be killed in the middle of breaking something.
const BREAKING: [&str; 9] =
    ["bug.c", "--test", SCRIPT, "-j", "1", "--events", "e.jsonl", "--sandbox", "off"];

/// Something that breaks in the middle of a reduction.
struct Break {
    /// The command by which a test breaks it. `WORK` is the folder of the test, and `ALL` that of temporary files.
    how: &'static str,
    /// The command that mends it.
    mend: &'static str,
    /// The words that the message contains.
    says: &'static [&'static str],
}

const BREAKS: [Break; 5] = [
    Break {
        how: "mv $WORK/test.sh $WORK/away",
        mend: "mv away test.sh",
        says: &["test.sh", "removed"],
    },
    Break {
        how: "chmod -x $WORK/test.sh",
        mend: "chmod +x test.sh",
        says: &["test.sh` could not be started", "ermission denied"],
    },
    Break {
        how: "cp -p $WORK/test.sh $WORK/good; echo '# edited' >> $WORK/test.sh",
        mend: "mv good test.sh",
        says: &["test.sh", "changed", "undo the change"],
    },
    Break {
        how: "mv $ALL $ALL.away; touch $ALL",
        mend: "rm ../tmp; rm -rf ../tmp.away; mkdir ../tmp",
        says: &["cannot create a directory for tests"],
    },
    Break {
        how: "until rm -rf $ALL 2>/dev/null; do :; done; touch $ALL",
        mend: "rm ../tmp; mkdir ../tmp",
        says: &["tmp"],
    },
];

/// A test that breaks something in its eighth run or soon after, once. What it says in that run is wrong.
fn bench(how: &str) -> Bench {
    let bench = Bench::new();
    bench.write("bug.c", crate::support::BUG);
    let (work, all) =
        (bench.path("").display().to_string(), bench.temporary().display().to_string());
    let script = format!(
        "#!/bin/sh\nWORK={work}\nALL={all}\necho run >> $WORK/runs.log\n\
         if [ $(wc -l < $WORK/runs.log) -ge 8 ] && mkdir $WORK/broken 2>/dev/null; then {how}; exit 1; fi\n\
         grep -q 'needle(' bug.c\n"
    );
    bench.script(SCRIPT_NAME, &script);
    bench
}

/// The verdicts in the order of the steps.
fn verdicts(bench: &Bench) -> Vec<(String, Value)> {
    let events = bench.events("e.jsonl").into_iter().filter(|event| event["event"] == "judged");
    events.map(|e| (e["key"].as_str().unwrap().to_owned(), e["verdict"].clone())).collect()
}

#[test]
fn what_breaks_in_the_middle_stops_the_reduction_and_is_no_verdict() {
    let whole = bench("true");
    fs::create_dir(whole.path("broken")).unwrap();
    whole.reduce(&ARGS);
    let (expected, result) = (verdicts(&whole), whole.read("bug.c"));
    assert!(expected.len() > 20, "{}", expected.len());
    thread::scope(|scope| {
        for Break { how, mend, says } in &BREAKS {
            let (expected, result) = (&expected, &result);
            scope.spawn(move || {
                let bench = bench(how);
                let stopped = bench.run(&BREAKING).code(1);
                assert_mentions(
                    &stderr(&stopped),
                    &[&["cannot be run", "to continue"], *says].concat(),
                );
                let before = verdicts(&bench);
                assert_eq!(before[..], expected[..before.len()], "{how}");
                assert!(bench.read("bug.c").contains("needle("), "{how}");
                assert_eq!(bench.read("bug.c.orig"), crate::support::BUG);
                assert!(before.len() < expected.len(), "{how}");

                let mended = std::process::Command::new("sh")
                    .args(["-c", mend])
                    .current_dir(bench.path(""))
                    .status();
                assert!(mended.unwrap().success(), "{mend}");
                bench.reduce(&ARGS);
                assert_eq!((&verdicts(&bench), &bench.read("bug.c")), (expected, result), "{how}");
                bench.assert_nothing_left();
            });
        }
    });
}

#[test]
fn a_test_that_breaks_for_a_moment_is_only_waited_for() {
    let whole = bench("true");
    fs::create_dir(whole.path("broken")).unwrap();
    whole.reduce(&ARGS);
    let bench = bench("mv $WORK/test.sh $WORK/away");
    let (away, script) = (bench.path("away"), bench.path(SCRIPT_NAME));
    let mender = thread::spawn(move || {
        for _ in 0..3000 {
            thread::sleep(Duration::from_millis(20));
            if away.exists() {
                return fs::rename(&away, &script).is_ok();
            }
        }
        false
    });
    bench.reduce(&BREAKING);
    assert!(mender.join().unwrap());
    assert_eq!(verdicts(&bench), verdicts(&whole));
}
