//! A seed gives the same kernel and variants everywhere: the hashes of 100 kernels in OpenCL C, 100 in CUDA C++, 100 programs
//! in C++ and C, and seven families are checked in.
//!
//! `BLESS=1` writes them. They may change only with the version of the format, `FORMAT` in `src/random.rs`.

use std::fmt::Write;
use std::{env, fs};

use clreduce_generator::{Mode, Profile, Target, TokenRange, generate, variants};
use clreduce_testcase::ContentHash;

const OPENCL: [Target; 3] = [Target::OpenCl12, Target::OpenCl20, Target::OpenCl30];

fn hashes() -> String {
    let mut text = String::new();
    for seed in 0..100 {
        let mode = Mode::ALL[seed as usize % Mode::ALL.len()];
        let target = OPENCL[seed as usize % OPENCL.len()];
        let self_check = seed % 10 == 9;
        let avoid = if seed % 5 == 4 { "mad_sat,vec3" } else { "" }.parse().unwrap();
        let profile = Profile { mode, target, self_check, avoid, ..Profile::default() };
        let kernel = generate(seed, &profile).unwrap();
        let all = kernel.source.clone() + &kernel.expected_text();
        writeln!(text, "{} {seed} {}", mode.name(), ContentHash::of(all.as_bytes())).unwrap();
    }
    for (seed, mode) in (0..).zip(Mode::ALL) {
        let family = variants(seed, &Profile { mode, ..Profile::default() }).unwrap();
        let all: String = family.take(10).map(|variant| variant.source).collect();
        let hash = ContentHash::of(all.as_bytes());
        writeln!(text, "{} {seed} --emi 10 {hash}", mode.name()).unwrap();
    }
    text
}

/// The hashes of kernels in these modes, which take turns, as the targets do.
fn hashes_of(modes: &[Mode], targets: &[Target]) -> String {
    let mut text = String::new();
    for seed in 0..100 {
        let mode = modes[seed as usize % modes.len()];
        let target = targets[seed as usize / modes.len() % targets.len()];
        let self_check = seed % 10 == 9;
        let kernel = generate(seed, &Profile { mode, target, self_check, ..Profile::default() });
        let kernel = kernel.unwrap();
        let all = kernel.source.clone() + &kernel.expected_text();
        writeln!(text, "{} {seed} {}", mode.name(), ContentHash::of(all.as_bytes())).unwrap();
    }
    text
}

#[test]
fn kernels_are_those_that_they_always_were() {
    compare("hashes.txt", &hashes());
}

#[test]
fn kernels_in_cuda_are_those_that_they_always_were() {
    compare("hashes-cuda.txt", &hashes_of(&Mode::ALL, &[Target::Cuda]));
}

#[test]
fn programs_are_those_that_they_always_were() {
    let hashes = hashes_of(&[Mode::Basic, Mode::Vector], &[Target::Cpp, Target::C]);
    compare("hashes-programs.txt", &hashes);
}

fn compare(file: &str, hashes: &str) {
    let path = format!("{}/tests/{file}", env!("CARGO_MANIFEST_DIR"));
    if env::var_os("BLESS").is_some() {
        fs::write(&path, hashes).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap().replace('\r', "");
    for (found, known) in hashes.lines().zip(known.lines()) {
        assert_eq!(found, known, "raise FORMAT in src/random.rs, then BLESS=1");
    }
    assert_eq!(hashes.lines().count(), known.lines().count());
}

/// The page with one short kernel of each mode.
#[test]
fn the_gallery_shows_what_the_commands_print() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/gallery.md");
    let mut page = "# Generated kernels, one of each mode, and one in CUDA\n\nThe second line of each kernel is the command that \
        prints it. [Generating kernels](../docs/generator.md) explains the modes.\n"
        .to_owned();
    let tokens: TokenRange = "400..500".parse().unwrap();
    let opencl = Mode::ALL.map(|mode| (mode.name(), mode, Target::OpenCl12));
    for (title, mode, target) in opencl.into_iter().chain([("CUDA", Mode::Vector, Target::Cuda)]) {
        let tokens = tokens.clone();
        let kernel = generate(4, &Profile { mode, target, tokens, ..Profile::default() }).unwrap();
        let language = if target == Target::Cuda { "cuda" } else { "c" };
        write!(page, "\n## {title}\n\n```{language}\n{}```\n", kernel.source).unwrap();
    }
    if env::var_os("BLESS").is_some() {
        fs::write(path, &page).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap().replace('\r', "") == page, "BLESS=1 writes {path}");
}
