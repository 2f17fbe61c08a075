//! Programs in C++ and C build with a compiler of this machine, break none of its rules, and print their right results.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;

use clreduce_generator::{Mode, Profile, Target, generate};

const PROGRAMS: [Target; 2] = [Target::Cpp, Target::C];

/// A folder that goes at the end of the test.
struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn programs_in_cpp_print_their_right_results() {
    assert_right(Target::Cpp, "c++", "-std=c++11");
}

#[test]
fn programs_in_c_print_their_right_results() {
    assert_right(Target::C, "cc", "-std=gnu11");
}

fn assert_right(target: Target, compiler: &str, standard: &str) {
    let name = format!("clreduce-{}-{}", target.name(), std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    fs::create_dir_all(&folder.0).unwrap();
    let source = folder.0.join(format!("program.{}", target.extension()));
    let program = folder.0.join("program");
    for seed in 0..12 {
        let mode = [Mode::Basic, Mode::Vector][seed as usize % 2];
        let (self_check, doubles) = (seed % 3 == 0, seed % 4 == 0);
        let profile = Profile { target, mode, self_check, doubles, ..Profile::default() };
        let kernel = generate(seed, &profile).unwrap();
        fs::write(&source, &kernel.source).unwrap();
        let built = Command::new(compiler)
            .args([standard, "-w", "-fsanitize=undefined", "-fno-sanitize-recover=all"])
            .arg(&source)
            .args(["-lm", "-o"])
            .arg(&program)
            .output()
            .unwrap_or_else(|error| panic!("this test needs a compiler as `{compiler}`: {error}"));
        assert!(built.status.success(), "{seed}: {}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(&program).output().unwrap();
        assert!(ran.status.success(), "{seed}: {}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(String::from_utf8_lossy(&ran.stdout), kernel.expected_text(), "{seed}");
    }
}

/// Their work-items would have to run at the same time.
#[test]
fn modes_that_share_memory_are_refused() {
    for (mode, target) in Mode::ALL.into_iter().flat_map(|mode| PROGRAMS.map(|one| (mode, one))) {
        let profile = Profile { target, mode, ..Profile::default() };
        let is_possible = matches!(mode, Mode::Basic | Mode::Vector);
        assert_eq!(profile.check().is_ok(), is_possible, "{}", mode.name());
    }
}
