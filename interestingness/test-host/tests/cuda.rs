//! CUDA without a device of NVIDIA's: a driver, an NVRTC and an nvcc that are made here. The real ones are tried by
//! hand where there are any (docs/running-kernels.md).
#![cfg(target_os = "linux")]

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use clreduce_devices::{Backend, CudaDriver, DeviceWorker, Devices, WorkerOptions};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{
    HostInterface, KernelRun, OutcomeClass, ProgramKind, RunLimits, RunOutcome, host_program,
};
use support::{HOST, PATIENCE};
use tempfile::TempDir;

/// A folder with both libraries, under the names that are looked for.
static LIBRARIES: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake-cuda/cuda.c");
    for name in ["libcuda.so.1", "libnvrtc.so"] {
        let compiler = Command::new("cc")
            .args(["-shared", "-fPIC", "-w", "-o"])
            .args([&folder.path().join(name), &source])
            .status()
            .expect("these tests need a C compiler as `cc`");
        assert!(compiler.success());
    }
    folder
});

fn worker(backend: &'static dyn Backend) -> DeviceWorker {
    let mut options = WorkerOptions::new(HOST.into());
    // Both are one library here: the second load must find the first one's state.
    let both = LIBRARIES.path().join("libcuda.so.1");
    options.environment.push(("LD_PRELOAD".into(), both.into()));
    options.environment.push(("LD_LIBRARY_PATH".into(), LIBRARIES.path().into()));
    let mut found = Devices::default();
    found.add(backend, &options);
    let device = found.devices.into_iter().next();
    DeviceWorker::new(options, device.unwrap_or_else(|| panic!("{:?}", found.problems)))
}

fn run(worker: &mut DeviceWorker, source: &str) -> RunOutcome {
    let launches = ProgramKind::CudaKernels.plan(source.as_bytes(), None).unwrap().launches;
    let (source, options) = (source.as_bytes().to_owned(), "-w".to_owned());
    let run = KernelRun { source, options, launches, repeat: 1 };
    worker.run(&run, RunLimits { build: PATIENCE, run: PATIENCE }, &Cancel::new()).outcome
}

const KERNEL: &str = "// -g 4 -l 2\n__global__ void k(int *out, int n) { out[threadIdx.x] += n; }";

#[test]
fn kernels_get_their_arguments() {
    let mut worker = worker(&CudaDriver);
    let facts = &worker.device().facts;
    assert_eq!(
        (&*facts.name, &*facts.version, &*facts.platform_version),
        ("Fake GPU", "compute capability 9.0", "CUDA 13.0, NVRTC 13.1")
    );
    let outcome = run(&mut worker, KERNEL);
    // 1 + 0 + 4, 2 + 1 + 4, ...
    assert_eq!(
        outcome.result().unwrap_or_else(|| panic!("{outcome:?}"))[0].show(),
        "0x5,0x7,0x9,0xb,"
    );
    assert_eq!(worker.statistics().started, 1);
}

/// Whoever gets a bug report builds this program with a compiler and NVIDIA's libraries, and nothing else.
#[test]
fn the_host_program_of_a_report_builds_and_prints_the_results() {
    let launches = ProgramKind::CudaKernels.plan(KERNEL.as_bytes(), None).unwrap().launches;
    let run = |source: &str, options: &str| KernelRun {
        source: source.as_bytes().to_owned(),
        options: options.to_owned(),
        launches: launches.clone(),
        repeat: 1,
    };
    let folder = tempfile::tempdir().unwrap();
    let [file, program] = ["host.c", "host"].map(|name| folder.path().join(name));
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake-cuda");
    let build = |run: &KernelRun, interface: HostInterface<'_>| {
        std::fs::write(&file, host_program(run, interface).unwrap()).unwrap();
        let built = Command::new("cc")
            .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"])
            .args([&headers, &file, Path::new("-o"), &program, Path::new("-L")])
            .args([LIBRARIES.path(), Path::new("-l:libnvrtc.so"), Path::new("-l:libcuda.so.1")])
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let mut built = Command::new(&program);
        built.env("LD_LIBRARY_PATH", LIBRARIES.path());
        built
    };
    let ran = |run: &KernelRun| build(run, HostInterface::Cuda).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!(text(&ran(&run(KERNEL, "-w")).stdout), "0x5,0x7,0x9,0xb,\n");
    // The program's own choice of an architecture is added only where the options have none.
    let own = ran(&run(KERNEL, "-w --gpu-architecture=sm_90"));
    assert_eq!(text(&own.stdout), "0x5,0x7,0x9,0xb,\n");
    let failed = ran(&run(&format!("build-fail {KERNEL}"), ""));
    assert_eq!(failed.status.code(), Some(2));
    assert_eq!(text(&failed.stderr), "error: no\nbuild: error 6\n");
    // ptxas has made the code, and names of kernels are as in the text. The driver of these tests knows only such a name.
    let mut of_ptxas = run("", "");
    of_ptxas.launches[0].kernel = "lowered_k".to_owned();
    let code = folder.path().join("kernel.cubin");
    std::fs::write(&code, "code of k").unwrap();
    let loaded = build(&of_ptxas, HostInterface::Ptx).arg(&code).output().unwrap();
    assert_eq!(text(&loaded.stdout), "0x5,0x7,0x9,0xb,\n");
    let missing = build(&of_ptxas, HostInterface::Ptx).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(text(&missing.stderr), "the argument has to be a file with code: error 1\n");
}

/// The driver reads as many arguments as the kernel has, whatever their number.
#[test]
fn arguments_that_are_missing_are_zeros() {
    let mut worker = worker(&CudaDriver);
    // The driver takes it for one with two parameters.
    let source = "// -g 4 -l 2\nextern \"C\" __global__ void k(int *r) {}";
    let outcome = run(&mut worker, source);
    assert_eq!(
        outcome.result().unwrap_or_else(|| panic!("{outcome:?}"))[0].show(),
        "0x1,0x3,0x5,0x7,"
    );
}

#[test]
fn what_goes_wrong_has_a_class() {
    let mut worker = worker(&CudaDriver);
    let failing = |word: &str| format!("{word}\n{KERNEL}").replace("// -g 4 -l 2\n", "");
    let RunOutcome::BuildFailure { log } = run(&mut worker, &failing("build-fail")) else {
        panic!()
    };
    assert_eq!(log, "NVRTC error 6\nerror: no");
    assert_eq!(run(&mut worker, &failing("build-crash")).class(), OutcomeClass::BuildCrash);
    let RunOutcome::RunFailure { reason } = run(&mut worker, &failing("run-fail")) else {
        panic!()
    };
    assert_eq!(reason, "execution of `k`: FAKE_ILLEGAL_ADDRESS");
    // The device is of no use after that, which is noticed.
    assert!(run(&mut worker, KERNEL).result().is_some());
}
