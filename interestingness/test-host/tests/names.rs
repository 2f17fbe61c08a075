//! The functions of a kernel are its own: whatever it calls them, those of the C library, of its mathematical part and of
//! the run-time are never called instead.
#![cfg(target_os = "linux")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clreduce_check::{CheckOptions, Finding, FindingKind, HostKernel, Question, StageName};
use clreduce_host::run;
use clreduce_interestingness::Cancel;
use clreduce_kernel::{KernelRun, ProgramKind, RunLimits, RunOutcome, plan};
use clreduce_process::{Limits, ToolRunner};
use support::PATIENCE;
use support::toolchain::cache;

/// The number of functions in one kernel.
const AT_ONCE: usize = 500;

/// The names that a file exports.
fn exported(path: &PathBuf) -> BTreeSet<String> {
    let nm = Command::new("nm").args(["-D", "--defined-only", "-j"]).arg(path).output().unwrap();
    assert!(nm.status.success(), "{nm:?}");
    let text = String::from_utf8(nm.stdout).unwrap();
    text.lines().map(|name| name.split('@').next().unwrap_or(name).to_owned()).collect()
}

/// The names of all functions and variables of the C library and of the run-time, as far as a kernel may use them.
fn names() -> BTreeSet<String> {
    check("kernel void k(global int *r) { r[get_global_id(0)] = 1; }");
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let mut mapped = maps.lines().filter_map(|line| line.split_whitespace().last());
    let library = PathBuf::from(mapped.find(|path| path.ends_with("/libc.so.6")).unwrap());
    let host = fs::read_dir(cache()).unwrap().map(|entry| entry.unwrap().path());
    let host = host.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("host-"));
    let files = host.chain([library.with_file_name("libm.so.6"), library]);
    let mut names: BTreeSet<String> = files.flat_map(|path| exported(&path)).collect();
    names.extend(["_init", "_fini", "_end", "_edata", "bcmp", "memcpy", "sync"].map(String::from));
    let reserved = ["clreduce_", "__asan_", "__msan_", "__ubsan_", "__sanitizer_"];
    let is_word = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    names.retain(|name| is_word(name) && !reserved.iter().any(|start| name.starts_with(start)));
    assert!(names.len() > 3000, "{}", names.len());
    names
}

/// What `sanitize` finds in a kernel.
fn check(source: &str) -> Vec<Finding> {
    let options = CheckOptions {
        cache: cache().to_owned(),
        side_by_side: true,
        timeout: PATIENCE,
        ..CheckOptions::default()
    };
    let sanitize = clreduce_check::prepare(StageName::Sanitize, &options).unwrap();
    let subject = HostKernel::new(source.as_bytes()).unwrap();
    let report = sanitize.run(&subject, Question::default(), &Cancel::new());
    assert_eq!(report.failures, [], "{source}");
    report.findings
}

/// The bytes that are not zero in the buffer of a kernel that runs plainly.
fn result(source: &str) -> usize {
    let tools = ToolRunner::local(cache().to_owned(), None, Limits::default());
    let launches = plan(source.as_bytes(), None).unwrap().launches;
    let run_of = KernelRun { source: source.into(), options: String::new(), launches, repeat: 1 };
    let limits = RunLimits { build: PATIENCE, run: PATIENCE };
    match run(ProgramKind::OpenCl, &tools, &run_of, limits, &Cancel::new()).outcome {
        RunOutcome::Results(results) => {
            results[0][0].bytes.iter().filter(|byte| **byte != 0).count()
        }
        other => panic!("{other:?}: {source}"),
    }
}

/// The names that clang lets a kernel use: not those of built-in functions and keywords.
fn usable(names: BTreeSet<String>) -> Vec<String> {
    let all = names.len();
    let mut names: Vec<String> = names.into_iter().collect();
    let options = CheckOptions { stages: [StageName::Compile].into(), ..CheckOptions::default() };
    let compile = clreduce_check::prepare(StageName::Compile, &options).unwrap();
    for declaration in ["int NAME(int a);", "int NAME(int a, int b);", "__constant int NAME = 6;"] {
        // clang stops after some errors.
        loop {
            let declared = |name: &String| declaration.replace("NAME", name) + "\n";
            let text: String = names.iter().map(declared).collect();
            let source = format!("{text}kernel void k() {{}}").into_bytes();
            let subject = HostKernel::new(source).unwrap();
            let report = compile.run(&subject, Question::default(), &Cancel::new());
            let rejected =
                report.findings.iter().filter(|found| found.kind == FindingKind::Rejected);
            let lines: BTreeSet<u32> = rejected.filter_map(|found| found.line).collect();
            if lines.is_empty() {
                break;
            }
            let mut line = 0;
            names.retain(|_| {
                line += 1;
                !lines.contains(&line)
            });
        }
    }
    assert!(names.len() * 10 > all * 9, "{} of {all}", names.len());
    for name in ["index", "sync", "memset", "_end", "environ", "strlen"] {
        assert!(names.iter().any(|one| one == name), "{name}");
    }
    names
}

#[test]
fn every_name_of_the_library_is_free_for_kernels() {
    let names = usable(names());
    for names in names.chunks(AT_ONCE) {
        let all = |line: &dyn Fn(&String) -> String| names.iter().map(line).collect::<String>();
        let kernel = |calls: &str| {
            format!(
                "__kernel void entry(__global ulong *r) {{\nulong wrong = 0;\nstruct {{ int a[40]; }} s = {{ {{ 1 }} }}, t = s;\n\
                 {calls}r[get_global_id(0)] = wrong + t.a[0] - 1;\n}}\n"
            )
        };
        // A function, valid and wrong, and a variable.
        let valid = all(&|name| format!("int {name}(int a, int b) {{ return a * 4 + b; }}\n"));
        let calls = all(&|name| format!("wrong += {name}(1, 2) != 6;\n"));
        let source = format!("// -g 1 -l 1\n{valid}{}", kernel(&calls));
        assert_eq!((check(&source), result(&source)), (vec![], 0), "{source}");
        let wrong = all(&|name| format!("int {name}(int a) {{ return a + INT_MAX; }}\n"));
        let calls = all(&|name| format!("wrong += {name}(1) > 0;\n"));
        let source = format!("// -g 1 -l 1\n{wrong}{}", kernel(&calls));
        let found: BTreeSet<u32> = check(&source).iter().filter_map(|found| found.line).collect();
        let expected: BTreeSet<u32> = (2..names.len() as u32 + 2).collect();
        assert_eq!(found, expected, "{source}");
        let variables = all(&|name| format!("__constant int {name} = 6;\n"));
        let calls = all(&|name| format!("wrong += {name} != 6;\n"));
        let source = format!("// -g 1 -l 1\n{variables}{}", kernel(&calls));
        assert_eq!((check(&source), result(&source)), (vec![], 0), "{source}");
    }
}

#[test]
fn functions_that_are_only_declared_are_not_those_of_the_library() {
    let options = CheckOptions { cache: cache().to_owned(), ..CheckOptions::default() };
    let sanitize = clreduce_check::prepare(StageName::Sanitize, &options).unwrap();
    let source = "int abs_of(int); int isdigit(int a);\n\
                  __kernel void entry(__global ulong *r) { r[get_global_id(0)] = isdigit(3); }";
    let subject = HostKernel::new(source.as_bytes()).unwrap();
    let report = sanitize.run(&subject, Question::default(), &Cancel::new());
    assert!(report.failures[0].message.contains("isdigit not known"), "{report:?}");
}
