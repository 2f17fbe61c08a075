//! Attacks on remote execution: by files that are uploaded, by tests, by workers, and on the connection.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::sync::atomic::Ordering;

use super::executor::{Service, lock};
use super::steps::{steps, wait_until};
use crate::support::{Bench, SCRIPT, SCRIPT_NAME, TEST, assert_mentions, stderr};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tonic::transport::Identity;

/// Reduces the program here and by a service, and demands the same steps and the same result.
fn assert_same(bench: &Bench, service: &Service, more: &[&str], url: &str) {
    let here = ["-j", "1", "-o", "here", "--events", "here.jsonl"];
    bench.reduce(&[&["bug.c", "--test", SCRIPT], &here[..]].concat());
    let there = ["-j", "4", "-o", "there", "--events", "there.jsonl", "--remote", url];
    bench.reduce(&[&["bug.c", "--test", SCRIPT], &there[..], more].concat());
    assert_eq!(bench.read("here"), bench.read("there"));
    assert_eq!(steps(bench, "here.jsonl"), steps(bench, "there.jsonl"));
    assert!(service.executed() > 20);
}

/// Every third answer is a lie, each of another kind: most have the right form, and the contrary of the true verdict.
#[test]
fn no_lie_about_the_file_of_an_answer_is_believed() {
    let bench = Bench::with_bug();
    let service = Service::start();
    service.state.faults.lies.store(3, Ordering::Relaxed);
    assert_same(&bench, &service, &[], &service.url());
    assert!(service.state.lies() >= 12, "{} lies", service.state.lies());
    assert!(service.state.inversions() >= 6, "{} inversions", service.state.inversions());
}

/// Nothing tells such an answer from a true one. So the result of a reduction does not rest on one answer: it is tested again and
/// again, never from the memory of the service, and where verdicts are found to be wrong, all of them are repeated.
#[test]
fn a_worker_that_is_wrong_now_and_then_does_not_spoil_the_result() {
    let bench = Bench::with_bug();
    let service = Service::start();
    service.state.faults.false_verdicts.store(13, Ordering::Relaxed);
    let args = ["bug.c", "--test", SCRIPT, "-j4", "--max-steps", "24", "--remote", &service.url()];
    bench.reduce(&args);
    let text = bench.read("bug.c");
    assert!(text.contains("needle(") && text.len() < crate::support::BUG.len(), "{text}");
    assert!(bench.is_interesting(&["bug.c"]), "{text}");
    assert!(service.state.inversions() >= 1, "{} inversions", service.state.inversions());
}

#[test]
fn what_is_neither_file_nor_folder_is_not_uploaded() {
    let bench = Bench::with_bug();
    let service = Service::start();
    let url = service.url();
    fs::create_dir_all(bench.path("more/below")).unwrap();
    let _listener = UnixListener::bind(bench.path("more/below/socket")).unwrap();
    let run = |file: &str| {
        let args = ["bug.c", "--test", SCRIPT, "--remote", &url, "--remote-file", file];
        stderr(&bench.run(&args).code(1))
    };
    assert_mentions(&run("more"), &["more/below/socket", "neither a file nor a folder"]);
    assert_mentions(&run("/dev/zero"), &["/dev/zero", "neither a file nor a folder"]);
    assert_mentions(&run("more/.."), &["outside of the folder of the test"]);
    assert_eq!(service.executed(), 0);
}

/// A service that believed a name of `..` would write beside the folder of the action.
#[test]
fn no_file_of_a_recipe_leaves_the_folder_of_the_action() {
    let bench = Bench::new();
    let service = Service::start();
    bench.write("k.cl", "__kernel void f(__global int *p) { p[0] = 1; }\n");
    bench.write(
        "k.args.toml",
        "global = [1]\n[[argument]]\nkind = \"buffer\"\ntype = \"int\"\ncount = 1\n",
    );
    fs::create_dir(bench.path("below")).unwrap();
    for place in ["../k.args.toml".to_owned(), bench.path("k.args.toml").display().to_string()] {
        let recipe = format!(
            "preset = \"crash\"\narguments = \"{place}\"\n[[configuration]]\ndevice = \"pocl\"\n"
        );
        bench.write("below/r.toml", recipe);
        let args = ["k.cl", "--test", "below/r.toml", "--remote", &service.url()];
        let run = bench.run(&args).code(1);
        assert_mentions(&stderr(&run), &[&place, "outside of the folder of the test"]);
    }
    assert_eq!(service.executed(), 0);
}

/// The service has lost a file, and the file is another one by now: what is sent would not be what the digest says.
#[test]
fn a_file_that_is_replaced_during_the_reduction_stops_it() {
    let bench = Bench::with_bug();
    bench.script(SCRIPT_NAME, &TEST.replace("\ngrep", "\nsleep 0.2\ngrep"));
    let large = vec![b'x'; 6 << 20];
    bench.write("large", &large);
    let mut service = Service::start();
    let url = service.url();
    let args = ["bug.c", "--test", SCRIPT, "-j2", "--remote", &url, "--remote-file", "large"];
    let mut run = bench.command(&args);
    let log = bench.path("log");
    let output = || Stdio::from(fs::File::options().create(true).append(true).open(&log).unwrap());
    let mut run = run.stdout(output()).stderr(output()).spawn().unwrap();
    wait_until("the reduction is under way", || service.executed() > 8);
    bench.write("large", &large[1..]);
    service.state.restart.store(true, Ordering::Relaxed);
    let status = service.until_ended(&mut run);
    let log = fs::read_to_string(log).unwrap();
    assert_eq!(status.code(), Some(1), "{log}");
    assert_mentions(&log, &["large has changed since the reduction began"]);
    // Nothing is lost.
    bench.write("large", &large);
    bench.reduce(&args);
}

/// With four slots, three are for guesses; with one, there are none. Who knows no priorities is not told any.
#[test]
fn guesses_come_after_what_is_needed_where_the_service_knows_priorities() {
    let bench = Bench::with_bug();
    let priorities = |knows: bool, jobs: &str| {
        let service = Service::start();
        service.state.faults.priorities.store(knows, Ordering::Relaxed);
        let args = ["bug.c", "--test", SCRIPT, "-o", "there", "--remote", &service.url(), jobs];
        bench.reduce(&args);
        lock(&service.state.by_priority).clone()
    };
    let alone = priorities(true, "-j1");
    assert!(alone.keys().eq([&0]), "{alone:?}");
    let many = priorities(true, "-j4");
    assert!(many.keys().eq([&0, &1]) && many[&1] > 5 && many[&0] > 5, "{many:?}");
    let unknown = priorities(false, "-j4");
    assert!(unknown.keys().eq([&0]), "{unknown:?}");
}

/// A certificate for this machine and its key, and the certificate of the authority.
fn certificates() -> (Identity, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    (Identity::from_pem(certificate.pem(), key.serialize_pem()), authority.pem())
}

#[test]
fn an_encrypted_connection_needs_the_right_authority() {
    let bench = Bench::with_bug();
    let (identity, authority) = certificates();
    bench.write("authority.pem", authority);
    bench.write("other.pem", certificates().1);
    bench.write("none.pem", "no certificate\n");
    let service = Service::start_with(Some(identity));
    let url = format!("grpcs://localhost:{}", service.port());
    let refused = |url: &str, more: &[&str]| {
        let args = [&["bug.c", "--test", SCRIPT, "--remote", url], more].concat();
        stderr(&bench.run(&args).code(1))
    };
    let text = refused(&url, &["--remote-ca", "other.pem"]);
    assert_mentions(&text, &["cannot connect to", &url, "certificate", "--remote-ca"]);
    assert_mentions(&refused(&url, &[]), &["certificate", "--remote-ca"]);
    let text = refused(&url, &["--remote-ca", "none.pem"]);
    assert_mentions(&text, &["none.pem contains no certificate"]);
    assert_mentions(&refused(&url, &["--remote-ca", "gone.pem"]), &["gone.pem"]);
    // Another name than that of the certificate.
    let address = format!("grpcs://127.0.0.1:{}", service.port());
    let text = refused(&address, &["--remote-ca", "authority.pem"]);
    assert_mentions(&text, &["certificate", "--remote-ca"]);
    assert_eq!(service.executed(), 0);
    assert_same(&bench, &service, &["--remote-ca", "authority.pem"], &url);

    let plain = Service::start();
    let url = format!("grpcs://127.0.0.1:{}", plain.port());
    assert_mentions(&refused(&url, &["--remote-ca", "authority.pem"]), &["write grpc://"]);
}
