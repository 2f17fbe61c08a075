//! Measures the time of the diagnostics of a kernel, with clang started anew and with the worker process:
//! `cargo bench -p clreduce-check --bench compile -- KERNEL`.

use std::time::Instant;

use clreduce_check::{CheckOptions, HostKernel, KernelCheck, StageName};
use clreduce_process::Cancel;
use clreduce_process::worker_main;

fn main() {
    if worker_main(clreduce_compiler::SERVICES).is_some() {
        return;
    }
    let path = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let path = path.unwrap_or_else(|| "../../fixtures/validity/valid-vectors.cl".to_owned());
    let source = std::fs::read(&path).expect("the kernel can be read");
    println!("{path}, {} bytes", source.len());
    let own = std::env::current_exe().expect("the system knows it");
    for (name, worker) in [("clang", None), ("libclang", Some(own))] {
        let stages = [StageName::Compile].into();
        let options = CheckOptions { stages, compile_worker: worker, ..CheckOptions::default() };
        let check = KernelCheck::new(&options).expect("there is a clang");
        let mut times: Vec<f64> = (0..40)
            .map(|number| {
                let text = [&source[..], format!("\n// {number}\n").as_bytes()].concat();
                let subject = HostKernel::new(text).expect("it is a kernel");
                let started = Instant::now();
                let report = check.run(&subject, &Cancel::new());
                assert!(report.failures.is_empty(), "{report:?}");
                started.elapsed().as_secs_f64() * 1000.0
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{name}: {:.1} ms at best, {:.1} ms in the middle", times[0], times[20]);
    }
}
