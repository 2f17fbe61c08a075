//! Looks for wrong results of a device, and reduces what it finds as a program, with the right results known at each step:
//! `hunt CLREDUCE DEVICE MODE FIRST COUNT A..B AVOID FOLDER [VARIANTS]`. Prints a line for each alarm and at the end the
//! numbers. With VARIANTS, it looks at this number of variants of each kernel too, and reduces the first that is wrong.

use std::path::{Path, PathBuf};
use std::process::Command;

use clreduce_generator::{Kernel, Mode, Profile, generate, reduce, variants};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [clreduce, device, mode, first, count, tokens, avoid, folder, rest @ ..] = &arguments[..]
    else {
        panic!("hunt CLREDUCE DEVICE MODE FIRST COUNT A..B AVOID FOLDER [VARIANTS]");
    };
    let others: usize = rest.first().map_or(0, |number| number.parse().expect("a number"));
    let mode = Mode::ALL.into_iter().find(|m| m.name() == mode).expect("a mode");
    let profile = Profile {
        mode,
        tokens: tokens.parse().expect("A..B"),
        avoid: avoid.parse().expect("features"),
        ..Profile::default()
    };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let first: u64 = first.parse().expect("a number");
    let count: u64 = count.parse().expect("a number");
    let mut alarms = 0;
    for seed in first..first + count {
        let path = folder.join(format!("{}-{seed}.cl", mode.name()));
        let mut wrong = Vec::new();
        for (number, kernel) in kernels(seed, &profile, others).enumerate() {
            if is_wrong(clreduce, device, &kernel, &path) {
                wrong.push((number, kernel));
            }
        }
        let Some((_, kernel)) = wrong.first() else { continue };
        alarms += 1;
        if others > 0 {
            let numbers: Vec<_> = wrong.iter().map(|(number, _)| number).collect();
            println!("seed {seed}: wrong are {numbers:?} of {others} variants; 0 is the kernel");
        }
        let mut steps = 0;
        let candidate = folder.join(format!("candidate-{device}.cl"));
        let small = reduce(kernel, &mut |candidates| {
            candidates.enumerate().find(|(_, kernel)| {
                steps += 1;
                is_wrong(clreduce, device, kernel, &candidate)
            })
        });
        write(&path, &small);
        println!(
            "seed {seed}: wrong, reduced in {steps} steps to {} bytes: {}",
            small.source.len(),
            path.display()
        );
    }
    println!("{alarms} of {count} kernels are wrong");
}

/// The kernel of a seed, and a number of its variants. Without variants, no edits are made.
fn kernels(seed: u64, profile: &Profile, others: usize) -> Box<dyn Iterator<Item = Kernel>> {
    if others == 0 {
        return Box::new([generate(seed, profile).expect("a profile that fits")].into_iter());
    }
    let family = variants(seed, profile).expect("a profile that fits");
    let base = family.base().clone();
    Box::new([base].into_iter().chain(family.take(others)))
}

fn write(path: &Path, kernel: &Kernel) {
    std::fs::write(path, &kernel.source).expect("a file");
    std::fs::write(path.with_extension("expected"), kernel.expected_text()).expect("a file");
}

/// True if a device gives the same result twice, and not the expected one. A result that varies says less: it can come
/// from a run that was disturbed.
fn is_wrong(clreduce: &str, device: &str, kernel: &Kernel, path: &Path) -> bool {
    write(path, kernel);
    let run = || result(clreduce, device, path);
    run().is_some_and(|found| {
        found.trim() != kernel.expected_text().trim() && run().is_some_and(|again| again == found)
    })
}

/// Returns the output of a kernel, if it has a result.
fn result(clreduce: &str, device: &str, path: &Path) -> Option<String> {
    let mut command = Command::new(clreduce);
    command.args(["run", "--device-name", device, "--timeout", "60s"]).arg(path);
    let output = command.output().expect("clreduce runs");
    let has_result = matches!(output.status.code(), Some(0 | 24));
    if !has_result {
        eprintln!("{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    }
    has_result.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
