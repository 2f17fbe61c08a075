//! Kernels with images: the host, PoCL and Oclgrind give the same pixels, and what is undefined is found.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use clreduce_check::{CheckOptions, FindingKind, HostKernel, KernelCheck, Validity};
use clreduce_devices::{DeviceWorker, Devices, WorkerOptions};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{
    HostInterface, KernelLaunch, KernelRun, ProgramKind, RunLimits, RunOutcome, host_program, plan,
    read_description,
};
use support::{HOST, PATIENCE};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/images");

/// Where a device gives another result than the host, with the reason.
const DIFFERENCES: [(&str, &str, &str); 3] = [
    ("channels", "pocl", "PoCL 3.1 has no images whose pixels are two numbers"),
    ("snorm", "pocl", "PoCL 3.1 has no images whose pixels are two numbers"),
    ("line-in-buffer", "pocl", "PoCL 3.1 lacks get_image_width for image1d_buffer_t"),
];

/// The launches of a kernel, by the description beside it if there is one.
fn launches(path: &Path, source: &[u8]) -> Vec<KernelLaunch> {
    let description = path.with_extension("args.toml");
    let text = description.exists().then(|| read_description(&description).unwrap());
    plan(source, text.as_deref()).unwrap().launches
}

fn worker(name: &str, temporary: &Path) -> DeviceWorker {
    let mut options = WorkerOptions::new(HOST.into());
    options.temporary = temporary.to_owned();
    let found = Devices::find(&options, &[]);
    let device = found.devices.iter().find(|device| device.is_called(name)).cloned();
    let device = device.unwrap_or_else(|| {
        panic!("no device called {name} ({:?}): `scripts/setup kernel` installs it", found.problems)
    });
    DeviceWorker::new(options, device)
}

/// The results of all launches, or what came in their place.
fn results(run: &KernelRun, worker: &mut DeviceWorker) -> Vec<String> {
    let limits = RunLimits { build: PATIENCE, run: PATIENCE };
    match worker.run(run, limits, &Cancel::new()).outcome {
        RunOutcome::Results(results) => {
            results.iter().flatten().map(|output| output.show()).collect()
        }
        other => vec![format!("{other:?}")],
    }
}

/// Kernels whose host program, as a report has it, is compiled and run: each kind of image, and a sampler.
const RUNS_AS_PROGRAM: [&str; 7] =
    ["mirror", "unorm", "lines", "layers", "volume", "halves", "sampler-argument"];

/// Builds the host program of a report and returns the lines that it prints on PoCL.
fn as_program(run: &KernelRun) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let platform = HostInterface::OpenCl { platform: "Portable Computing Language" };
    let [file, program] = ["host.c", "host"].map(|name| folder.path().join(name));
    fs::write(&file, host_program(run, platform).unwrap()).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror"]).arg(&file).arg("-o").arg(&program);
    let built = compiler.arg("-lOpenCL").output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn devices_and_the_host_see_the_same_pixels() {
    let temporary = tempfile::tempdir().unwrap();
    let mut devices =
        ["host", "pocl", "oclgrind"].map(|name| (name, worker(name, temporary.path())));
    let mut paths: Vec<_> =
        fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cl"));
    paths.sort();
    assert!(paths.len() >= 20, "{paths:?}");
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let source = fs::read(&path).unwrap();
        let launches = launches(&path, &source);
        assert!(!launches.is_empty(), "{name}");
        let run = KernelRun { source, options: String::new(), launches, repeat: 1 };
        let [host, others @ ..] = &mut devices;
        let expected = results(&run, &mut host.1);
        for (device, worker) in others {
            let found = results(&run, worker);
            if *device == "pocl" && RUNS_AS_PROGRAM.contains(&&*name) {
                assert_eq!(as_program(&run), found, "{name}");
            }
            let is_known = DIFFERENCES.iter().any(|(one, on, _)| *one == name && on == device);
            if (found != expected) != is_known {
                wrong.push(format!("{name} on {device}:\n{found:?}\nhost:\n{expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kernels_with_images_are_checked() {
    let options = CheckOptions::default();
    let check = KernelCheck::new(&options).unwrap();
    let checked = |body: &str, parameters: &str| {
        let source = format!(
            "constant sampler_t none = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n\
             constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n\
             kernel void k({parameters}) {{\n  int x = get_global_id(0);\n  {body}\n}}\n"
        );
        let kind = ProgramKind::OpenCl;
        let plan = kind.plan(source.as_bytes(), None);
        let mut kernel = HostKernel::planned(kind, source.into_bytes(), plan).unwrap();
        kernel.has_chosen_arguments = false;
        let report = check.run(&kernel, &Cancel::new());
        let kinds: Vec<_> = report.findings.iter().map(|one| (one.kind, one.line)).collect();
        (report.validity, kinds)
    };
    let read = "read_only image1d_t i, global int *r";
    assert_eq!(checked("r[x] = read_imagei(i, x).x;", read), (Validity::Valid, vec![]));
    let outside = (Validity::Invalid, vec![(FindingKind::OutOfBounds, Some(5))]);
    assert_eq!(checked("r[x] = read_imagei(i, x + 1).x;", read), outside);
    assert_eq!(checked("r[x] = read_imagei(i, none, x - 1).x;", read), outside);
    let write = "write_only image1d_t o, global int *r";
    assert_eq!(checked("write_imagei(o, x * 2, (int4)(x));", write), outside);
    let undefined = (Validity::Invalid, vec![(FindingKind::Uninitialised, Some(5))]);
    assert_eq!(checked("r[x] = read_imagei(i, linear, x + 0.5f).x;", read), undefined);
    assert_eq!(checked("r[x] = read_imagei(i, x).x + read_imageui(i, x).x;", read), undefined);
    let race = (Validity::Invalid, vec![(FindingKind::DataRace, Some(5))]);
    assert_eq!(checked("write_imagei(o, x / 2, (int4)(x));", write), race);
}
