//! The printed text is read back, and means the same.

use clreduce_generator::read::{InterpreterVerdict, judge};
use clreduce_generator::{Kernel, Mode, Profile, Target, generate, variants};

#[path = "support/launch.rs"]
mod launch;

fn read_back(kernel: &Kernel, what: &str) {
    let judgement = judge(kernel.source.as_bytes(), &launch::launch(&kernel.source));
    let InterpreterVerdict::Valid(contents) = judgement else {
        panic!("{what}: {judgement:?}\n{}", kernel.source)
    };
    let result = contents[0].as_ref().expect("the first argument is a buffer");
    let words: Vec<u64> = result
        .chunks_exact(8)
        .map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
        .collect();
    assert_eq!(words, kernel.expected, "{what}:\n{}", kernel.source);
}

/// Constructs that the reader does not know.
const UNKNOWN: &str = "float,async_copy,async_strided_copy,compare_exchange,ticket,procedure,comma,\
    assignment,increment";

fn profile(mode: Mode, tokens: &str) -> Profile {
    let (tokens, avoid) = (tokens.parse().unwrap(), UNKNOWN.parse().unwrap());
    Profile { mode, tokens, avoid, ..Profile::default() }
}

#[test]
fn kernels_of_all_modes_are_read_back() {
    for mode in Mode::ALL {
        let profile = profile(mode, "300..1500");
        for seed in 1..=40 {
            let kernel = generate(seed, &profile).unwrap();
            read_back(&kernel, &format!("{} {seed}", mode.name()));
        }
    }
}

#[test]
fn variants_are_read_back() {
    for mode in Mode::ALL {
        let profile = profile(mode, "300..900");
        for seed in 101..=104 {
            for (number, kernel) in variants(seed, &profile).unwrap().take(6).enumerate() {
                read_back(&kernel, &format!("{} {seed} variant {number}", mode.name()));
            }
        }
    }
}

/// Functions of later versions are not in the subset, as the version of a build is not known; nor is what the reader does not
/// know. Everything else is read back.
#[test]
fn what_is_not_known_is_outside() {
    const WORDS: [&str; 7] = [
        "ctz(",
        "float",
        "async_work_group",
        "atomic_cmpxchg",
        "= atomic_inc(",
        "= work_group_",
        "static struct ",
    ];
    let profile = Profile { target: Target::OpenCl30, ..Profile::default() };
    let mut outside = 0;
    for seed in 1..=40 {
        let kernel = generate(seed, &profile).unwrap();
        if WORDS.iter().any(|word| kernel.source.contains(word)) {
            let judgement = judge(kernel.source.as_bytes(), &launch::launch(&kernel.source));
            assert!(matches!(judgement, InterpreterVerdict::Outside(_)), "{judgement:?}");
            outside += 1;
        } else {
            read_back(&kernel, &format!("seed {seed}"));
        }
    }
    assert!(outside > 0);
}
