//! Kernels in PTX: the same bytes for the same seed, valid for the interpreter, and with every instruction that there is.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use clreduce_generator::ir::Builtin;
use clreduce_generator::{Kernel, Mode, Profile, Target, generate};

/// The modes that PTX has.
const MODES: [Mode; 5] =
    [Mode::Basic, Mode::Barrier, Mode::AtomicSection, Mode::AtomicReduction, Mode::Free];

fn kernels(count: u64) -> impl Iterator<Item = Kernel> {
    (0..count).map(|seed| {
        let mode = MODES[seed as usize % MODES.len()];
        let profile = Profile { target: Target::Ptx, mode, ..Profile::default() };
        generate(seed, &profile).unwrap()
    })
}

#[test]
fn a_seed_gives_the_same_bytes_and_the_interpreter_finds_no_fault() {
    for (first, second) in kernels(210).zip(kernels(210)) {
        assert_eq!(first.source, second.source);
        assert_eq!(first.expected, second.expected);
        assert!(first.report.is_clean(), "{}", first.source);
        for other in [".f64", ".v2"] {
            assert!(!first.source.contains(other), "{}", first.source);
        }
    }
}

#[test]
fn every_instruction_is_in_one_kernel_of_a_hundred() {
    let wanted = |one: &&Builtin| Target::Ptx.has(**one);
    let wanted: Vec<&Builtin> = Builtin::ALL.iter().filter(wanted).collect();
    let mut found: BTreeMap<&str, u32> = wanted.iter().map(|one| (one.name(), 0)).collect();
    for kernel in kernels(500) {
        let mut names: Vec<_> = kernel.constructs().into_iter().map(|one| one.name).collect();
        names.dedup();
        for name in names {
            found.entry(name).and_modify(|count| *count += 1);
        }
    }
    let rare: Vec<_> = found.iter().filter(|(_, count)| **count < 5).collect();
    assert!(found.len() > 60 && rare.is_empty(), "{rare:?}");
}

#[test]
fn modes_with_vectors_are_refused() {
    for mode in [Mode::Vector, Mode::All] {
        let profile = Profile { target: Target::Ptx, mode, ..Profile::default() };
        let error = generate(1, &profile).unwrap_err().to_string();
        assert!(error.contains(mode.name()), "{error}");
    }
}

/// `cargo test -p clreduce-generator --test ptx -- --ignored`
#[test]
#[ignore = "it needs NVIDIA's ptxas on the PATH"]
fn ptxas_assembles_every_kernel() {
    let folder = std::env::temp_dir().join(format!("clreduce-ptx-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let refused: Vec<String> =
        kernels(100).filter_map(|kernel| refusal(&kernel, &folder)).collect();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// The error message of ptxas for a kernel; `None` if it assembles it.
fn refusal(kernel: &Kernel, folder: &Path) -> Option<String> {
    let file = folder.join("kernel.ptx");
    std::fs::write(&file, &kernel.source).unwrap();
    let output = folder.join("kernel.cubin");
    let mut ptxas = Command::new("ptxas");
    ptxas.args(["-arch", "sm_80", "-O0", "-o"]).arg(output).arg(&file);
    let done = ptxas.output().expect("ptxas on the PATH");
    (!done.status.success()).then(|| String::from_utf8_lossy(&done.stderr).into_owned())
}
