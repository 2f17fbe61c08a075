//! Small kernels per second, with a worker that stays and with a fresh process for each:
//! `cargo bench -p clreduce-devices --bench devices [-- NAME-OF-DEVICE]`.

use std::time::{Duration, Instant};

use clreduce_devices::{DeviceWorker, Devices, WorkerOptions};
use clreduce_kernel::{KernelRun, ProgramKind, RunLimits};
use clreduce_process::Cancel;
use clreduce_process::worker_main;

fn main() {
    if worker_main(clreduce_devices::SERVICES).is_some() {
        return;
    }
    let name = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let name = name.unwrap_or_else(|| "pocl".to_owned());
    let options = WorkerOptions::new(std::env::current_exe().expect("the system knows it"));
    let found = Devices::find(&options, &[]);
    let Some(device) = found.devices.into_iter().find(|device| device.is_called(&name)) else {
        eprintln!("there is no device called {name} {:?}", found.problems);
        std::process::exit(1);
    };
    println!("{}: {}", device.facts.platform, device.facts.name);
    let mut worker = DeviceWorker::new(options, device);
    let staying = kernels_per_second(&mut worker, false);
    println!("a worker that stays: {staying:.1} kernels/s");
    let fresh = kernels_per_second(&mut worker, true);
    println!("a fresh process for each: {fresh:.1} kernels/s");
    println!("factor {:.1}", staying / fresh);
}

/// Different kernels, so that nothing can be remembered, for ten seconds.
fn kernels_per_second(worker: &mut DeviceWorker, fresh: bool) -> f64 {
    let limits = RunLimits { build: Duration::from_secs(60), run: Duration::from_secs(60) };
    let started = Instant::now();
    let mut count: u32 = 0;
    while started.elapsed() < Duration::from_secs(10) {
        let kind = worker.device().takes();
        let (begin, place) = if kind == ProgramKind::CudaKernels {
            ("__global__ void entry(unsigned long *r)", "blockIdx.x * blockDim.x + threadIdx.x")
        } else {
            ("kernel void entry(global unsigned long *r)", "get_global_id(0)")
        };
        let source = format!(
            "// -g 4 -l 2\n{begin} {{\n  int x = {place}; r[x] = x * {count}u + {fresh}; }}\n",
            fresh = u8::from(fresh)
        );
        let plan = kind.plan(source.as_bytes(), None);
        let plan = plan.expect("the kernel is fixed");
        let run = KernelRun {
            source: source.into_bytes(),
            options: "-w".to_owned(),
            launches: plan.launches,
            repeat: 1,
        };
        let report = worker.run(&run, limits, &Cancel::new());
        assert!(report.outcome.result().is_some(), "{report:?}");
        if fresh {
            worker.restart();
        }
        count += 1;
    }
    f64::from(count) / started.elapsed().as_secs_f64()
}
