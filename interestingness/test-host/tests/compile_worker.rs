//! libclang in a process of its own says what clang says, and does no harm where it is missing or crashes.
#![cfg(target_os = "linux")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, io};

use clreduce_check::{CheckOptions, Finding, HostKernel, KernelCheck, StageName};
use clreduce_compiler::{
    Clang, CompileOptions, CompileWorker, ForkServers, ForkedCompiler, LibclangFilter, Severity,
};
use clreduce_devices::WorkerOptions;
use clreduce_interestingness::{Cancel, CompileFilter};
use clreduce_process::{FORK_SERVER, ForkServer, Limits};
use clreduce_testcase::{Language, SourceFile, TestCase};
use support::HOST;

fn kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/validity");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn compile_stage(worker: Option<&str>) -> KernelCheck {
    let options = CheckOptions {
        stages: [StageName::Compile].into(),
        compile_worker: worker.map(PathBuf::from),
        ..CheckOptions::default()
    };
    KernelCheck::new(&options).unwrap()
}

fn findings(check: &KernelCheck, kernel: &Path) -> Vec<Finding> {
    let subject = HostKernel::new(fs::read(kernel).unwrap()).unwrap();
    let report = check.run(&subject, &Cancel::new());
    assert_eq!(report.failures, [], "{}", kernel.display());
    report.findings
}

#[test]
fn it_finds_what_clang_finds() {
    let (clang, worker) = (compile_stage(None), compile_stage(Some(HOST)));
    let kernels = kernels();
    // The worker is asked from the second kernel on.
    findings(&worker, &kernels[0]);
    for kernel in kernels {
        assert_eq!(findings(&worker, &kernel), findings(&clang, &kernel), "{}", kernel.display());
    }
}

#[test]
fn a_worker_that_does_not_work_is_not_needed() {
    let clang = compile_stage(None);
    for program in ["/bin/false", "/bin/cat", "/nowhere"] {
        let worker = compile_stage(Some(program));
        for kernel in &kernels()[..4] {
            assert_eq!(findings(&worker, kernel), findings(&clang, kernel), "{program}");
        }
    }
}

fn worker() -> CompileWorker {
    let options = CompileOptions {
        worker: WorkerOptions::new(HOST.into()),
        library: None,
        file: "a.c".to_owned(),
        arguments: ["-x", "c", "-Wunused-variable"].map(str::to_owned).into(),
    };
    CompileWorker::new(options)
}

#[test]
fn diagnostics_have_places_and_names() {
    let mut worker = worker();
    let of = |worker: &mut CompileWorker, text: &str| {
        worker.diagnose([b"", text.as_bytes()], &Cancel::new()).unwrap()
    };
    assert_eq!(of(&mut worker, "int x;\n"), []);
    let warning = of(&mut worker, "void f(void) {\n  int y;\n}\n").remove(0);
    assert_eq!((warning.severity, warning.line, warning.column), (Severity::Warning, 2, 7));
    assert_eq!((&*warning.file, warning.flag.as_deref()), ("a.c", Some("unused-variable")));
    let error = of(&mut worker, "int f(void) { return z; }").remove(0);
    assert_eq!((error.severity, error.flag), (Severity::Error, None));
    // Bytes that are no text, and none at all.
    assert!(worker.diagnose([b"", b"int \xff\xfe\0 x;"], &Cancel::new()).is_ok());
    assert_eq!(of(&mut worker, ""), []);
}

#[test]
fn declarations_are_read_once_and_count_for_each_program() {
    let mut worker = worker();
    let cancel = Cancel::new();
    let mut of = |declarations: &str, program: &str| {
        worker.diagnose([declarations, program].map(str::as_bytes), &cancel).unwrap()
    };
    let declarations =
        "#line 1 \"mine\"\nint g(int);\nstatic inline int h(void) { int y; return 1; }\n";
    for round in 0..4 {
        let program =
            format!("// {round}\n#define N {round}\nint f(void) {{\n  int x; return g(N);\n}}\n");
        let mut told: Vec<_> = of(declarations, &program);
        told.sort_by_key(|one| one.file != "mine");
        let told: Vec<_> = told.iter().map(|one| (&*one.file, one.line)).collect();
        assert_eq!(told, [("mine", 2), ("a.c", 4)], "{round}");
    }
    let error = of(declarations, "int f(void) {\n  return z;\n}\n").pop().unwrap();
    assert_eq!((error.severity, &*error.file, error.line), (Severity::Error, "a.c", 2));
    assert_eq!(of("int g(void);\n", "int f(void) { return g(); }"), []);
    assert_eq!(of(declarations, "int f(void) { return g(); }").len(), 2);
}

fn gate(language: Language) -> LibclangFilter {
    LibclangFilter::new(language, WorkerOptions::new(HOST.into())).unwrap()
}

fn accepts(gate: &LibclangFilter, text: &str) -> Option<bool> {
    gate.accepts(&TestCase::single("a.c", text.as_bytes()).unwrap(), &Cancel::new())
}

#[test]
fn a_gate_is_as_lenient_as_it_can_be() {
    let c = gate(Language::C);
    for accepted in ["f(x) { return g(x); } h; main() { char *p = 3; int *q = p; }", ""] {
        assert_eq!(accepts(&c, accepted), Some(true), "{accepted}");
    }
    for rejected in ["int f(void) { return x; }", "int f(void) { return 1", "T x;"] {
        assert_eq!(accepts(&c, rejected), Some(false), "{rejected}");
    }
    let kernel = "kernel void k(global int *a) { a[get_global_id(0)] = mad_sat(1, 2, 3); }";
    assert_eq!(accepts(&gate(Language::OPENCL), kernel), Some(true));
    assert_eq!(accepts(&gate(Language::OPENCL), "kernel void k(gl int *a) { }"), Some(false));
}

#[test]
fn a_gate_takes_the_dialect_that_accepts_the_original() {
    let headers = "extern _Float128 f(void); void g(void *);\n\
                   extern void *h(void) __attribute__((__malloc__ (g, 1)));\n";
    let gcc = gate(Language::C);
    assert_eq!(accepts(&gcc, headers), Some(true));
    assert_eq!(accepts(&gcc, &format!("{headers} int x = y;")), Some(false));
    let other = gate(Language::C);
    assert_eq!(accepts(&other, "int x;"), Some(true));
    assert_eq!(accepts(&other, headers), Some(false));
    let cl_2 = "kernel void k(void) { global int *global *p; int *q = 0; q = *p; }";
    assert_eq!(accepts(&gate(Language::OPENCL), cl_2), Some(true));
}

#[test]
fn without_libclang_a_gate_says_nothing() {
    for program in ["/bin/false", "/bin/cat", "/nowhere"] {
        let gate = LibclangFilter::new(Language::C, WorkerOptions::new(program.into())).unwrap();
        assert_eq!(accepts(&gate, "int x;"), None, "{program}");
    }
    for language in [Language::CUDA, Language::TEXT] {
        assert!(LibclangFilter::new(language, WorkerOptions::new(HOST.into())).is_none());
    }
    let two = ["a.c", "b.c"]
        .map(|path| SourceFile { path: path.into(), bytes: b"int x;".as_slice().into() });
    let two = TestCase::new(two.into()).unwrap();
    assert_eq!(gate(Language::C).accepts(&two, &Cancel::new()), None, "which one is compiled?");
}

fn sanitized(check: &KernelCheck, kernel: &Path) -> String {
    let subject = HostKernel::new(fs::read(kernel).unwrap()).unwrap();
    let report = check.run(&subject, &Cancel::new());
    format!("{:?} {:?} {:?}", report.validity, report.findings, report.failures)
}

#[test]
fn clang_that_has_started_already_builds_what_clang_builds() {
    let stages =
        || CheckOptions { stages: [StageName::Sanitize].into(), ..CheckOptions::default() };
    let clang = KernelCheck::new(&stages()).unwrap();
    // The last one is no worker at all.
    let forks = [HOST, "/bin/false"].map(|worker| {
        KernelCheck::new(&CheckOptions { compile_worker: Some(worker.into()), ..stages() }).unwrap()
    });
    let names = [
        "valid-vectors",
        "valid-guarded-division",
        "overflow-vector-quotient",
        "uninit-vector-lane",
        "bounds-local",
        "race-struct-copy",
        "rejected-undeclared",
        "valid-union-pun",
    ];
    for name in names.into_iter().chain(names) {
        let kernel = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../fixtures/validity/{name}.cl"));
        let expected = sanitized(&clang, &kernel);
        for check in &forks {
            assert_eq!(sanitized(check, &kernel), expected, "{name}");
        }
    }
}

/// The library that makes a program a fork server.
fn fork_library(folder: &Path) -> PathBuf {
    let (library, text) = (folder.join("library.so"), folder.join("fork_server.c"));
    fs::write(&text, FORK_SERVER).unwrap();
    build(&["-shared", "-fPIC"], &text, &library);
    library
}

fn build(options: &[&str], text: &Path, to: &Path) {
    let clang = Clang::find(None, &[]).unwrap();
    let mut build = Command::new(clang.program());
    build.args(options).arg("-o").args([to, text]).arg("-ldl");
    assert!(build.status().unwrap().success());
}

/// A compiler of C, with some more options.
fn c_compiler(options: &[&str]) -> ForkedCompiler {
    let arguments = ["-x", "c", "-S", "-", "-o", "-"].iter().chain(options).map(Into::into);
    let program = Clang::find(None, &[]).unwrap().program().to_owned();
    ForkedCompiler { program, arguments: arguments.collect() }
}

/// Starts a fork server that is ready in time on any machine.
fn start(compiler: &ForkedCompiler, library: &Path, folder: &Path) -> io::Result<ForkServer> {
    let ForkedCompiler { program, arguments } = compiler;
    ForkServer::start(program, arguments, library, folder.to_owned(), Duration::from_secs(300))
}

#[test]
fn a_fork_server_outlives_programs_that_fail() {
    let folder = tempfile::tempdir().unwrap();
    // Both separate entries of `LD_PRELOAD`.
    let folder = folder.path().join("a b:c");
    fs::create_dir(&folder).unwrap();
    let mut server = start(&c_compiler(&[]), &fork_library(&folder), &folder).unwrap();
    let mut compiled = |text: &str, memory| {
        let written = server.run(text.as_bytes(), memory).unwrap();
        written.map(|bytes| String::from_utf8(bytes).unwrap())
    };
    assert!(compiled("int first;", None).unwrap().contains("first"));
    assert_eq!(compiled("int second = z;", None), None);
    assert_eq!(compiled("#pragma clang __debug crash\n", None), None);
    assert_eq!(compiled("int third;", Some(1 << 16)), None, "65,536 bytes are not enough");
    let fourth = compiled("int fourth;", Some(1 << 30)).unwrap();
    assert!(fourth.contains("fourth") && !fourth.contains("first"));
}

#[test]
fn a_fork_server_hands_on_its_environment_without_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let (text, program) = (folder.path().join("shows.c"), folder.path().join("shows"));
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(void) {
            char byte;
            if (read(0, &byte, 1) != 1) return 1;
            const char *preload = getenv("LD_PRELOAD"), *bind = getenv("LD_BIND_NOW");
            printf("%c|%s|%s", byte, preload ? preload : "", bind ? bind : "");
            return 0;
        }"#;
    fs::write(&text, source).unwrap();
    build(&[], &text, &program);
    let program = program.to_str().unwrap().to_owned();
    let shows = ForkedCompiler { program, arguments: Vec::new() };
    let mut server = start(&shows, &fork_library(folder.path()), folder.path()).unwrap();
    let variable = |name| std::env::var(name).unwrap_or_default();
    let expected = format!("x|{}|{}", variable("LD_PRELOAD"), variable("LD_BIND_NOW"));
    let shown = server.run(b"x", None).unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&shown), expected);
}

#[test]
fn a_program_that_does_not_write_the_output_itself_is_no_fork_server() {
    let folder = tempfile::tempdir().unwrap();
    let library = fork_library(folder.path());
    for program in ["/bin/true", "/nowhere"] {
        let other = ForkedCompiler { program: program.to_owned(), arguments: Vec::new() };
        assert!(start(&other, &library, folder.path()).is_err(), "{program}");
    }
    // Here the compiler starts others, one for each step.
    let mut server = start(&c_compiler(&["-save-temps"]), &library, folder.path()).unwrap();
    assert!(server.run(b"int x;", None).is_err());
}

#[test]
fn a_program_that_ignores_the_library_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("library.so");
    fs::write(&library, "").unwrap();
    let cat = ForkedCompiler { program: "/bin/cat".to_owned(), arguments: Vec::new() };
    let (place, limit) = (folder.path().to_owned(), Duration::from_millis(50));
    let silent = ForkServer::start(&cat.program, &cat.arguments, &library, place, limit);
    assert_eq!(silent.unwrap_err().kind(), io::ErrorKind::TimedOut);

    let servers = ForkServers::new(WorkerOptions::new(HOST.into()));
    let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
    assert!(!servers.pays_for(&cat), "one program");
    assert!(servers.pays_for(&cat));
    let written = servers.compile(cat.clone(), library, b"x".to_vec(), &limits, &Cancel::new());
    assert_eq!(written, None);
    assert!(!servers.pays_for(&cat), "they do not work here");
}

#[test]
fn a_program_that_takes_too_long_ends_one_worker_alone() {
    let folder = tempfile::tempdir().unwrap();
    let library = fork_library(folder.path());
    let servers = ForkServers::new(WorkerOptions::new(HOST.into()));
    let compiler = c_compiler(&[]);
    assert!(!servers.pays_for(&compiler), "one program");
    let compile = |text: &str, limits: &Limits| {
        let source = text.as_bytes().to_vec();
        servers.compile(compiler.clone(), library.clone(), source, limits, &Cancel::new())
    };
    let (long, short) =
        (Limits::default(), Limits { time: Some(Duration::ZERO), ..Limits::default() });
    assert!(compile("int first;", &long).is_some());
    assert_eq!(compile("int second;", &short), None);
    assert!(servers.pays_for(&compiler));
    assert!(compile("int third;", &long).is_some());
}
