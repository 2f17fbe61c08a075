//! The programs in CUDA under `fixtures/validity-cuda`: what the check says of them, where CUDA is not installed. The
//! second line of each tells what that must be.
#![cfg(target_os = "linux")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clreduce_check::{
    Certainty, CheckOptions, CheckReport, HostKernel, KernelCheck, StageName, Validity,
};
use clreduce_interestingness::Cancel;
use support::HOST;
use tempfile::TempDir;

static CACHE: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/validity-cuda");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn check(options: CheckOptions, source: &[u8]) -> CheckReport {
    let options = CheckOptions { cache: CACHE.path().to_owned(), ..options };
    let subject = HostKernel::of("program.cu", source).unwrap();
    KernelCheck::new(&options).unwrap().run(&subject, &Cancel::new())
}

/// `valid`, `unresolved`, or `invalid` with the kinds of what was found.
fn verdict(report: &CheckReport) -> String {
    let kinds: BTreeSet<&str> = report.findings.iter().map(|finding| finding.kind.name()).collect();
    match report.validity {
        Validity::Valid => "valid".to_owned(),
        Validity::Unresolved => "unresolved".to_owned(),
        Validity::Invalid | Validity::InvalidWithChosenArguments => {
            format!("invalid {}", kinds.into_iter().collect::<Vec<_>>().join(", "))
        }
    }
}

#[test]
fn every_program_is_judged_right() {
    // libclang is asked from the second program on. One check for all programs runs the stages in the order of their
    // times, so only the findings of one stage are the same each time.
    let compile =
        || CheckOptions { stages: [StageName::Compile].into(), ..CheckOptions::default() };
    let with_libclang = CheckOptions {
        compile_worker: Some(HOST.into()),
        cache: CACHE.path().to_owned(),
        ..compile()
    };
    let with_libclang = KernelCheck::new(&with_libclang).unwrap();
    let programs = programs();
    assert!(programs.len() >= 47);
    for path in programs.iter().chain(&programs[..1]) {
        let source = fs::read(path).unwrap();
        let text = String::from_utf8_lossy(&source);
        let tag = text.lines().nth(1).unwrap().strip_prefix("// check: ").unwrap();
        let by_all = check(CheckOptions::default(), &source);
        assert_eq!(verdict(&by_all), tag, "{}: {by_all:?}", path.display());
        let by_clang = check(compile(), &source);
        let subject = HostKernel::of("program.cu", &*source).unwrap();
        let by_libclang = with_libclang.run(&subject, &Cancel::new());
        assert_eq!(by_libclang.findings, by_clang.findings, "{}", path.display());
        assert_eq!(by_libclang.validity, by_clang.validity, "{}: {by_libclang:?}", path.display());
    }
}

#[test]
fn what_is_found_has_its_line_and_what_is_unknown_its_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/validity-cuda");
    let of = |name: &str| check(CheckOptions::default(), &fs::read(folder.join(name)).unwrap());
    let found = of("return-missing-in-a-program.cu").findings.remove(0);
    assert_eq!(found.line, Some(5), "{found}");
    let found = of("divergence-half-waits.cu").findings.remove(0);
    assert_eq!((found.line, found.certainty), (Some(5), Certainty::Certain), "{found}");
    let found = of("return-missing-on-the-device.cu").findings.remove(0);
    assert_eq!((found.line, found.tool), (Some(9), "clang for the device"), "{found}");
    let with_both = of("valid-code-for-the-device.cu");
    assert!(with_both.remarks[0].contains("compiled and not executed"), "{with_both:?}");
    assert!(of("valid-warps.cu").remarks.is_empty());
    let unknown = of("unknown-function-on-the-device.cu").failures.remove(0);
    assert!(unknown.message.contains("line 5 for the device: use of undeclared"), "{unknown:?}");
    let unknown = of("unknown-header.cu").failures.remove(0);
    assert!(unknown.message.contains("line 3: 'mma.h' file not found"), "{unknown:?}");
}

#[test]
fn macros_of_the_build_decide_and_switches_of_nvcc_do_not_matter() {
    let source = b"__device__ int f(int a) {\n#ifdef BUG\n  a++;\n#else\n  return a;\n#endif\n}\n\
                   __global__ void k(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = f(1); }";
    let words = |words: &[&str]| CheckOptions {
        build_options: words.iter().map(|word| (*word).to_owned()).collect(),
        ..CheckOptions::default()
    };
    let verdict = |options| verdict(&check(options, source));
    assert_eq!(verdict(words(&["-G", "-arch=sm_90", "--use_fast_math", "-DOTHER"])), "valid");
    assert_eq!(verdict(words(&["-w", "-DBUG", "-G"])), "invalid non-portable");
}

#[test]
fn stages_that_cannot_look_at_cuda_say_nothing_of_it() {
    let stages = [StageName::Analyze, StageName::Simulate].into();
    let report =
        check(CheckOptions { stages, ..CheckOptions::default() }, b"__global__ void k(int *p) {}");
    assert_eq!(report.validity, Validity::Unresolved, "{report:?}");
}
