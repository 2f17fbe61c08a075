//! Tests on a remote execution service that misbehaves in every way that a service can.

#![cfg(target_os = "linux")]

mod attacks;
mod casd;
#[allow(dead_code, reason = "an example uses all of it")]
mod executor;
mod real;
mod service;
mod steps;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;

use crate::support::{Bench, SCRIPT, SCRIPT_NAME, TEST, assert_mentions, stderr};
use executor::Service;
use steps::{steps, wait_until};

/// Reduces the program with a service that misbehaves. The result is that of one local slot.
#[track_caller]
fn assert_same_with(name: &str, misbehave: impl Fn(&Service)) {
    let bench = Bench::with_bug();
    bench.reduce(&["bug.c", "--test", SCRIPT, "-j", "1", "-o", "here", "--events", "here.jsonl"]);
    let mut service = Service::start();
    misbehave(&service);
    let url = service.url();
    let there = ["-j", "4", "-o", "there", "--events", "there.jsonl", "--remote", &url];
    let mut run = bench.command(&[&["bug.c", "--test", SCRIPT], &there[..]].concat());
    let log = bench.path("log");
    let output = || Stdio::from(fs::File::options().create(true).append(true).open(&log).unwrap());
    let mut run = run.stdout(output()).stderr(output()).spawn().unwrap();
    let status = service.until_ended(&mut run);
    let log = fs::read_to_string(log).unwrap();
    assert!(status.success(), "{name}: {log}");
    assert_eq!(bench.read("here"), bench.read("there"), "{name}");
    assert_eq!(steps(&bench, "here.jsonl"), steps(&bench, "there.jsonl"), "{name}");
    assert!(service.executed() > 20, "{name}: {} actions", service.executed());
}

fn set(count: &std::sync::atomic::AtomicU64, every: u64) {
    count.store(every, Ordering::Relaxed);
}

#[test]
fn a_service_that_behaves() {
    assert_same_with("no fault", |_| {});
}

#[test]
fn streams_that_are_lost_change_nothing() {
    assert_same_with("lost streams", |service| set(&service.state.faults.lost_streams, 3));
}

#[test]
fn a_service_that_cannot_cancel_changes_nothing() {
    assert_same_with("no cancellation", |service| {
        service.state.faults.no_cancel.store(true, Ordering::Relaxed);
    });
}

#[test]
fn answers_that_come_twice_or_late_change_nothing() {
    assert_same_with("two answers", |service| {
        set(&service.state.faults.answers_twice, 1);
        set(&service.state.faults.delays, 9);
    });
}

/// The number of a run decides how it ends, on whatever machine it is made.
#[test]
fn the_runs_of_a_bug_that_comes_and_goes_count_in_their_order() {
    let bench = Bench::with_bug();
    let coin = "#!/bin/sh\ngrep -q 'needle(' bug.c || exit 1\n\
        sum=$( (echo \"$CLREDUCE_RUN\"; cat bug.c) | cksum | cut -d ' ' -f 1)\n[ $((sum / 7 % 3)) -gt 0 ]\n";
    bench.script(SCRIPT_NAME, coin);
    bench.write("bug.c", "int a;\nint b = 2;\nint needle(int y) { return y + b; }\n");
    let service = Service::start();
    let url = service.url();
    let reduced = |output: &str, more: &[&str]| {
        let args = ["bug.c", "--test", SCRIPT, "--flaky", "--summary", "s.json", "-o", output];
        bench.reduce(&[&args[..], more].concat());
        let rates = bench.json("s.json")["rates"].clone();
        (bench.read(output), rates["original"].clone(), rates["result"].clone())
    };
    assert_eq!(reduced("here", &["-j1"]), reduced("there", &["-j4", "--remote", &url]));
    assert!(service.executed() > 100, "{} actions", service.executed());
}

/// Their verdicts would be others: what they call a compiler accepts nothing.
#[test]
fn machines_with_other_tools_are_not_asked() {
    assert_same_with("other tools", |service| set(&service.state.faults.other_tools, 7));
}

#[test]
fn a_service_that_dies_and_forgets_everything_changes_nothing() {
    for after in [2, 5, 12, 30] {
        assert_same_with("restart", |service| set(&service.state.faults.restart_after, after));
    }
}

#[test]
fn a_worker_that_lies_about_its_answer_changes_nothing() {
    assert_same_with("lies", |service| set(&service.state.faults.lies, 7));
}

#[test]
fn everything_at_once_changes_nothing() {
    assert_same_with("everything", |service| {
        let faults = &service.state.faults;
        set(&faults.lost_streams, 5);
        set(&faults.answers_twice, 2);
        set(&faults.delays, 23);
        set(&faults.other_tools, 11);
        set(&faults.lies, 13);
        set(&faults.restart_after, 17);
        faults.no_cancel.store(true, Ordering::Relaxed);
    });
}

#[test]
fn machines_that_disagree_about_their_tools_are_named() {
    let bench = Bench::with_bug();
    let service = Service::start();
    set(&service.state.faults.other_tools, 2);
    let run = bench.run(&["bug.c", "--test", SCRIPT, "--remote", &service.url(), "-j3"]).code(1);
    let text = stderr(&run);
    assert_mentions(&text, &["do not agree", "`worker-2`", "/gcc is", "--remote-property"]);
    assert!(!bench.path("bug.c.clreduce").exists());
}

#[test]
fn machines_that_disagree_about_the_original_are_named() {
    let bench = Bench::with_bug();
    // It depends on the folder of the action, which has the number of the action: every second one rejects. With one slot
    // nothing is tested beside the original, so that the numbers of its actions follow each other.
    let test =
        "#!/bin/sh\ngrep -q needle bug.c || exit 1\ncase $0 in *[02468]/test/*) exit 1;; esac\n";
    bench.script(SCRIPT_NAME, test);
    let service = Service::start();
    let run = bench.run(&["bug.c", "--test", SCRIPT, "--remote", &service.url(), "-j1"]).code(1);
    assert_mentions(&stderr(&run), &["do not agree", "`worker-", "the original is"]);
}

/// The service remembers that its machines could judge nothing. They can by now.
#[test]
fn machines_that_could_judge_nothing_are_asked_again() {
    let bench = Bench::with_bug();
    let service = Service::start();
    let url = service.url();
    let reduce = |output: &str| {
        bench.reduce(&["bug.c", "--test", SCRIPT, "-o", output, "--remote", &url, "-j2"]);
    };
    reduce("first");
    assert_eq!(service.state.forge_tools("there is no device"), 3);
    let before = service.executed();
    reduce("second");
    assert_eq!(bench.read("first"), bench.read("second"));
    assert!(service.executed() >= before + 3);
}

/// Every verdict of a repeated reduction is remembered by the service. Only the tests that see whether verdicts hold run
/// again.
#[test]
fn a_repeated_reduction_executes_nothing_but_the_tests_that_see_whether_verdicts_hold() {
    let bench = Bench::with_bug();
    let service = Service::start();
    let url = service.url();
    let run = |out: &str, events: &str| {
        // A limit that was measured may differ, and with it what the service remembers.
        let args = ["-j", "1", "-o", out, "--events", events, "--remote", &url, "--timeout", "60"];
        bench.reduce(&[&["bug.c", "--test", SCRIPT], &args[..]].concat());
    };
    let count = || service.state.remembered.load(Ordering::Relaxed);
    run("first", "first.jsonl");
    let (remembered, executed) = (count(), service.executed());
    assert!(remembered > 10);
    run("second", "second.jsonl");
    assert_eq!(count(), remembered);
    assert!(service.executed() > executed, "the result is tested again, and not from memory");
    assert_eq!(bench.read("first"), bench.read("second"));
    assert_eq!(steps(&bench, "first.jsonl"), steps(&bench, "second.jsonl"));
}

/// A slot is taken until the action has ended, whether a reduction waits for it or not.
#[test]
fn a_service_that_cannot_cancel_has_no_more_actions_than_slots() {
    let bench = Bench::with_bug();
    bench.script(SCRIPT_NAME, &TEST.replace("\ngrep", "\nsleep 0.1\ngrep"));
    let service = Service::start();
    service.state.faults.no_cancel.store(true, Ordering::Relaxed);
    let run = bench.reduce(&["bug.c", "--test", SCRIPT, "--remote", &service.url(), "-j4"]);
    let most = service.state.most_at_once.load(Ordering::Relaxed);
    assert!((2..=4).contains(&most), "{most} actions at once");
    assert_mentions(&stderr(&run), &["cannot cancel"]);
}

#[test]
fn an_interruption_leaves_no_test_behind() {
    let bench = Bench::with_bug();
    // The original is quick; what follows never ends.
    let test =
        "#!/bin/sh\ngrep -q 'struct pair' bug.c && grep -q thrice bug.c && exit 0\nsleep 1000\n";
    bench.script(SCRIPT_NAME, test);
    let service = Service::start();
    let mut run = bench.start(&["bug.c", "--test", SCRIPT, "--remote", &service.url(), "-j3"]);
    let journal = bench.path("bug.c.clreduce/journal");
    let is_slow = || journal.exists() && service.executed() > 6 && service.processes() > 3;
    wait_until("tests run that do not end", is_slow);
    Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    wait_until("no process of a test is left", || service.processes() == 0);
    assert!(service.state.cancelled.load(Ordering::Relaxed) > 0);
    // And it goes on from there.
    assert!(journal.exists());
}

/// A test that is not confined does what it can to speak for the program that judges.
#[test]
fn a_test_cannot_answer_for_the_program_that_judges() {
    let bench = Bench::with_bug();
    let plants = "for up in . .. ../.. ../../..; do
        for name in answer.json .answer.json; do
            rm -rf $up/$name; ln -s /etc/passwd $up/$name 2>/dev/null || mkdir $up/$name
        done
        mkfifo $up/variant/pipe 2>/dev/null
        echo '{}' > $up/order.json
    done 2>/dev/null\n";
    bench.script(SCRIPT_NAME, &TEST.replace("\ngrep", &format!("\n{plants}\ngrep")));
    let service = Service::start();
    let args = ["bug.c", "--test", SCRIPT, "--sandbox", "off"];
    bench.reduce(&[&args[..], &["-j1", "-o", "here"]].concat());
    bench.reduce(&[&args[..], &["-j3", "-o", "there", "--remote", &service.url()]].concat());
    assert_eq!(bench.read("here"), bench.read("there"));
}

#[test]
fn files_that_cannot_be_uploaded_are_named() {
    let bench = Bench::with_bug();
    let service = Service::start();
    let url = service.url();
    fs::create_dir(bench.path("more")).unwrap();
    let run = |file: &str| {
        let args = ["bug.c", "--test", SCRIPT, "--remote", &url, "--remote-file", file];
        stderr(&bench.run(&args).code(1))
    };
    assert_mentions(&run("gone"), &["`gone`"]);
    assert!(Command::new("mkfifo").arg(bench.path("more/pipe")).status().unwrap().success());
    assert_mentions(&run("more"), &["more/pipe", "neither a file nor a folder"]);
    fs::remove_file(bench.path("more/pipe")).unwrap();
    fs::create_dir(bench.path("more/below")).unwrap();
    bench.write("more/test.sh", "");
    assert_mentions(&run("more/test.sh"), &["test.sh", "another name"]);
}

#[test]
fn a_file_beside_the_test_is_found_there() {
    let bench = Bench::with_bug();
    bench.write("lib/words", "needle(\n");
    bench.script(SCRIPT_NAME, "#!/bin/sh\ngrep -qf \"$(dirname \"$0\")/lib/words\" bug.c\n");
    let service = Service::start();
    let args = ["bug.c", "--test", SCRIPT, "-o", "there", "--remote", &service.url()];
    bench.reduce(&[&args[..], &["--remote-file", "lib"]].concat());
    assert!(bench.read("there").starts_with("needle("));
    // Without it the test says so, and the program says how to mend that.
    bench.script(SCRIPT_NAME, "#!/bin/sh\n\"$(dirname \"$0\")/lib/judge\" bug.c\n");
    let script = bench.script("lib/judge", "#!/bin/sh\ngrep -q 'needle(' \"$1\"\n");
    assert_eq!(fs::metadata(script).unwrap().permissions().mode() & 0o111, 0o111);
    let run = bench.run(&args).code(1);
    assert_mentions(&stderr(&run), &["127", "--remote-file"]);
    bench.reduce(&[&args[..], &["--remote-file", "lib"]].concat());
    assert!(bench.read("there").starts_with("needle("));
}

/// The order of properties is that of their names, as the API demands: the same action has the same digest.
#[test]
fn properties_headers_and_the_instance_come_with_each_action() {
    let bench = Bench::with_bug();
    let service = Service::start();
    let url = service.url();
    let args = ["bug.c", "--test", SCRIPT, "-o", "there", "--max-steps", "3", "--remote", &url];
    let asked = [
        "--remote-instance=main",
        "--remote-header=x-key=a=b",
        "--remote-property=gpu=h100",
        "--remote-property=OSFamily=linux",
    ];
    bench.reduce(&[&args[..], &asked].concat());
    let asked = executor::lock(&service.state.last_asked).clone();
    assert_eq!((&*asked.instance, &*asked.key), ("main", "a=b"));
    let named = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(asked.properties, [named("OSFamily", "linux"), named("gpu", "h100")]);
}

#[test]
fn a_service_that_is_none_is_an_error_at_once() {
    let bench = Bench::with_bug();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("grpc://{}", free.local_addr().unwrap());
    drop(free);
    let run = bench.run(&["bug.c", "--test", SCRIPT, "--remote", &url]).code(1);
    assert_mentions(&stderr(&run), &["cannot connect to", &url]);
    let run = bench.run(&["bug.c", "--test", SCRIPT, "--remote", "http://host:80"]).code(2);
    assert_mentions(&stderr(&run), &["grpc://HOST:PORT"]);
    let run = bench.run(&["bug.c", "--test", SCRIPT, "--remote", &url, "--save-temps"]).code(2);
    assert_mentions(&stderr(&run), &["--save-temps", "--remote"]);
}

/// The device of this machine is wrong, and those of the service are not: that is no reason to stop.
#[test]
fn a_campaign_goes_on_where_the_machines_of_the_service_do_not_show_the_bug() {
    let bench = Bench::new();
    let service = Service::start();
    service.state.faults.not_shown.store(true, Ordering::Relaxed);
    // The program of this seed has `mad_sat` on `long`.
    let program = ["--mode", "vector", "--tokens", "300..320", "--seed", "790", "--count", "1"];
    let url = service.url();
    let args = ["fuzz", "--device", "oclgrind", "--out", "c", "--timeout=60s", "--remote", &url];
    bench.run(&[&args[..], &program].concat()).code(0);
    let log = bench.read("c/campaign.jsonl");
    let alarms: Vec<&str> = log.lines().filter(|line| line.contains("not_reduced")).collect();
    assert_eq!(alarms.len(), 1, "{log}");
    assert_mentions(alarms[0], &["remote execution service", "all results are right"]);
}
