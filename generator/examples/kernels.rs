//! Writes kernels into a folder, or only measures them: `kernels MODE FIRST COUNT A..B [FOLDER [VARIANTS]]`. The first line of its
//! output has the CPU time that generation took, measured by the caller.

use std::collections::BTreeMap;
use std::path::Path;

use clreduce_generator::{Kernel, Mode, Profile, generate, variants};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, first, count, tokens, rest @ ..] = &arguments[..] else {
        panic!("kernels MODE FIRST COUNT A..B [FOLDER [VARIANTS]]");
    };
    let mode = Mode::ALL.into_iter().find(|m| m.name() == mode).expect("a mode");
    let profile = Profile { mode, tokens: tokens.parse().expect("A..B"), ..Profile::default() };
    let first: u64 = first.parse().expect("a number");
    let count: u64 = count.parse().expect("a number");
    let others: usize = rest.get(1).map_or(0, |number| number.parse().expect("a number"));
    if let Some(folder) = rest.first() {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    let mut sums = BTreeMap::new();
    for seed in first..first + count {
        let kernel = generate(seed, &profile).expect("a profile that fits");
        if let Some(folder) = rest.first() {
            let path = Path::new(folder).join(format!("{}-{seed}.cl", mode.name()));
            write(&path, &kernel);
            if others > 0 {
                let family = variants(seed, &profile).expect("a profile that fits");
                for (number, variant) in (1..=others).zip(family) {
                    let name = format!("{}-{seed}-emi-{number}.cl", mode.name());
                    write(&path.with_file_name(name), &variant);
                }
            }
        }
        let tokens = clreduce_generator::print::tokens(&kernel.source);
        *sums.entry("tokens").or_insert(0) += tokens as u64;
        *sums.entry("asked").or_insert(0) += kernel.asked as u64;
        *sums.entry("steps").or_insert(0) += kernel.report.steps;
        let share = tokens * 100 / kernel.asked;
        *sums.entry("in 25 %").or_insert(0) += u64::from((75..=125).contains(&share));
        if !(75..=125).contains(&share) {
            println!("seed {seed}: {tokens} of {}", kernel.asked);
        }
    }
    println!("{sums:?} of {count}");
}

fn write(path: &Path, kernel: &Kernel) {
    std::fs::write(path, &kernel.source).expect("writable");
    std::fs::write(path.with_extension("expected"), kernel.expected_text()).expect("writable");
}
