//! Kernels on the real PoCL and the real Oclgrind.

#![cfg(target_os = "linux")]

mod support;

use std::process::Command;
use std::time::Duration;

use clreduce_devices::{
    Backend, Device, DeviceWorker, Devices, Oclgrind, OpenClLoader, WorkerOptions,
};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{
    HostInterface, KernelRun, OutcomeClass, RunLimits, RunOutcome, host_program, plan,
};
use support::{HOST, PATIENCE, entries};
use tempfile::TempDir;

struct Bench {
    temporary: TempDir,
    worker: DeviceWorker,
}

/// The device whose name has this part; what is missing is a failure, not a reason to skip.
fn device(options: &WorkerOptions, name: &str) -> Device {
    let found = Devices::find(options, &[]);
    let device = found.devices.iter().find(|device| device.is_called(name)).cloned();
    device.unwrap_or_else(|| {
        panic!("no device called {name} ({:?}): `scripts/setup kernel` installs it", found.problems)
    })
}

impl Bench {
    fn on(name: &str) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let mut options = WorkerOptions::new(HOST.into());
        options.temporary = temporary.path().to_owned();
        let device = device(&options, name);
        Self { temporary, worker: DeviceWorker::new(options, device) }
    }

    fn run(&mut self, source: &str, options: &str) -> RunOutcome {
        self.run_within(source, options, PATIENCE)
    }

    fn run_within(&mut self, source: &str, options: &str, limit: Duration) -> RunOutcome {
        let launches = plan(source.as_bytes(), None).unwrap().launches;
        let (source, options) = (source.as_bytes().to_owned(), options.to_owned());
        let run = KernelRun { source, options, launches, repeat: 2 };
        let limits = RunLimits { build: PATIENCE, run: limit };
        self.worker.run(&run, limits, &Cancel::new()).outcome
    }

    fn shown(&mut self, source: &str, options: &str) -> Vec<String> {
        let outcome = self.run(source, options);
        let outputs = outcome.result().unwrap_or_else(|| panic!("{outcome:?}"));
        outputs.iter().map(|output| output.show()).collect()
    }
}

/// Every argument that a launch comment can mean, so that a wrong place or content shows.
const ALL_ARGUMENTS: &str = "\
// --atomics 3 ---atomic_reductions ---emi ---fake_divergence ---inter_thread_comm -g 4,2 -l 2,1
__kernel void entry(__global ulong *result, __global volatile uint *counters,
    __global volatile uint *special, __global volatile int *reduction, __global int *emi,
    __global int *sequence, __global long *comm) {
  size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  uint zero = counters[11] + special[11] + reduction[3];
  result[at] += zero * 1000000 + emi[at] * 1000 + sequence[3] * 10 + comm[7];
}
";
/// 1024000 + 131, 1023000 + 131, ...
const ALL_RESULTS: &str = "0xfa083,0xf9c9b,0xf98b3,0xf94cb,0xf90e3,0xf8cfb,0xf8913,0xf852b,";

#[test]
fn launch_comments_on_pocl_and_oclgrind() {
    let backends: [(&str, &dyn Backend); 2] = [("pocl", &OpenClLoader), ("oclgrind", &Oclgrind)];
    for (name, backend) in backends {
        let mut bench = Bench::on(name);
        assert_eq!(bench.worker.device().backend.name(), backend.name());
        for options in ["-w", "-w -cl-opt-disable"] {
            assert_eq!(bench.shown(ALL_ARGUMENTS, options), [ALL_RESULTS], "{name} {options}");
        }
        assert_eq!(bench.worker.statistics().started, 1);
    }
}

#[test]
fn prototypes_on_pocl() {
    let mut bench = Bench::on("pocl");
    let shown = bench.shown(
        "kernel void scale(global const float4 *in, global char *out, local int *l, ushort n) {\n\
         \x20 int i = get_global_id(0); l[get_local_id(0)] = in[i].w; out[i] = n + l[get_local_id(0)];\n\
         }\n",
        "",
    );
    assert_eq!(shown[0], "0x2,", "one work-item: 1 + 1");
    assert!(shown[1].starts_with("0x1,0x2,0x3,") && shown[1].ends_with(",0xff,0,"), "{shown:?}");
}

#[test]
fn failures_of_pocl_have_classes() {
    let mut bench = Bench::on("pocl");
    let RunOutcome::BuildFailure { log } = bench.run("kernel void k(global int *p) { q(; }", "")
    else {
        panic!()
    };
    assert!(log.contains("CL_BUILD_PROGRAM_FAILURE") && log.contains("error"), "{log}");
    let too_large = "// -g 1048576 -l 1048576\nkernel void entry(global ulong *r) { r[0] = 1; }";
    let RunOutcome::RunFailure { reason } = bench.run(too_large, "") else { panic!() };
    assert!(reason.contains("launch of `entry`: CL_INVALID_WORK"), "{reason}");
    let wild =
        "// -g 1 -l 1\nkernel void entry(global ulong *r) { *(global volatile int *)16 = 1; }";
    let RunOutcome::RunCrash(crash) = bench.run(wild, "") else { panic!() };
    assert!(crash.how.contains("SIGSEGV"), "{crash:?}");
    let packed =
        "struct __attribute__((packed)) S { char c; int i; }; kernel void k(global struct S *s) {}";
    assert_eq!(bench.run(packed, "").class(), OutcomeClass::Built);
    let endless = "// -g 1 -l 1\nkernel void entry(global volatile ulong *r) { while (!*r); }";
    assert_eq!(bench.run_within(endless, "", Duration::from_secs(3)), RunOutcome::RunTimeout);
    assert_eq!(bench.shown(ALL_ARGUMENTS, "-w"), [ALL_RESULTS]);
}

/// PoCL keeps private memory on the stacks of its threads, 8 MiB by the usual limit.
#[test]
fn private_memory_is_not_short() {
    let greedy = "// -g 1 -l 1\n\
                  kernel void entry(global ulong *r) { volatile char a[32 << 20]; a[7] = a[9] = 5; *r = a[7]; }";
    assert_eq!(Bench::on("pocl").shown(greedy, "-cl-opt-disable"), ["0x5,"]);
}

#[test]
fn drivers_keep_nothing() {
    let mut bench = Bench::on("pocl");
    let files = |bench: &Bench| {
        let folder = std::fs::read_dir(bench.temporary.path()).unwrap().next().unwrap().unwrap();
        entries(&folder.path().join("cache"))
    };
    for _ in 0..3 {
        assert_eq!(bench.shown(ALL_ARGUMENTS, ""), [ALL_RESULTS]);
        assert_eq!(files(&bench), 0);
    }
    bench.worker.restart();
    assert_eq!(entries(bench.temporary.path()), 0);
}

/// Whoever gets a bug report builds this program with a compiler and an OpenCL loader, and nothing else.
#[test]
fn the_host_program_of_a_report_builds_and_prints_the_results() {
    let mut bench = Bench::on("pocl");
    let (folder, launches) = (tempfile::tempdir().unwrap(), plan(ALL_ARGUMENTS.as_bytes(), None));
    let (source, options) = (ALL_ARGUMENTS.as_bytes().to_owned(), "-w".to_owned());
    let run = KernelRun { source, options, launches: launches.unwrap().launches, repeat: 1 };
    let platform = HostInterface::OpenCl { platform: "Portable Computing Language" };
    let text = host_program(&run, platform).unwrap();
    let [file, program] = ["host.c", "host"].map(|name| folder.path().join(name));
    std::fs::write(&file, text).unwrap();
    let built = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations"])
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .arg("-lOpenCL")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(printed.lines().collect::<Vec<_>>(), bench.shown(ALL_ARGUMENTS, "-w"));
    let other = Command::new(&program).arg("no such platform").output().unwrap();
    assert_eq!(other.status.code(), Some(2));
}
