//! Kernels with collective functions: they are executed, and the truth survives edits and reduction.

use clreduce_generator::ir::{Joint, Program, StmtKind};
use clreduce_generator::{
    Kernel, Mode, Profile, Target, Tokens, generate, interpret, reduce, variants,
};

fn profile(target: Target, mode: Mode) -> Profile {
    Profile { target, mode, tokens: Tokens::new(300, 900).expect("a range"), ..Profile::default() }
}

/// The collective functions of a program that are executed.
fn executed(kernel: &Kernel) -> Vec<Joint> {
    let program: &Program = &kernel.program;
    let all = program.statements().into_iter();
    let all = all.filter(|id| kernel.report.runs[id.0 as usize] > 0);
    let found = all.filter_map(|id| match &program.stmt(id).kind {
        StmtKind::Collective(one) => Some(one.function),
        _ => None,
    });
    found.collect()
}

#[test]
fn they_are_in_the_languages_that_have_them() {
    for (target, most) in [(Target::OpenCl12, 0), (Target::OpenCl30, 60), (Target::Cuda, 60)] {
        for mode in [Mode::Basic, Mode::All, Mode::Free] {
            let tokens = Tokens::new(300, 3000).expect("a range");
            let profile = Profile { tokens, ..profile(target, mode) };
            let kernels = (0..60).map(|seed| generate(seed, &profile));
            let found = kernels.map(|kernel| executed(&kernel.expect("a profile that fits")));
            let found: Vec<_> = found.flatten().collect();
            let few = if mode == Mode::Basic || most == 0 { 0..1 } else { 8..usize::MAX };
            assert!(few.contains(&found.len()), "{target:?} {mode:?}: {}", found.len());
            assert!(found.iter().all(|one| one.is_of_warp() == (target == Target::Cuda)));
        }
    }
}

#[test]
fn variants_have_the_results_of_their_kernel() {
    for target in [Target::OpenCl20, Target::Cuda] {
        let mut seen = 0;
        for seed in 0..12 {
            let family = variants(seed, &profile(target, Mode::Free)).expect("a profile that fits");
            let base = family.base().clone();
            for variant in family.take(4) {
                let report = interpret::run(&variant.program);
                assert!(report.is_clean(), "{target:?} {seed}: {}", variant.source);
                assert_eq!(report.results, base.expected, "{target:?} {seed}");
                seen += executed(&variant).len();
            }
        }
        assert!(seen >= 8, "{target:?}: {seen}");
    }
}

/// The bug of this test is the call itself.
#[test]
fn reduced_kernels_know_their_results() {
    for (target, text) in [(Target::OpenCl20, " = work_group_"), (Target::Cuda, "_sync(")] {
        let mut reduced = 0;
        for seed in 0..20 {
            let kernel = generate(seed, &profile(target, Mode::Free)).expect("a profile that fits");
            let is_there =
                |kernel: &Kernel| !executed(kernel).is_empty() && kernel.source.contains(text);
            if !is_there(&kernel) {
                continue;
            }
            let small = reduce(&kernel, &mut |candidate| is_there(candidate));
            let report = interpret::run(&small.program);
            assert!(report.is_clean() && report.results == small.expected, "{}", small.source);
            assert!(small.source.lines().count() <= 30, "{target:?} {seed}: {}", small.source);
            reduced += 1;
        }
        assert!(reduced >= 3, "{target:?}: {reduced}");
    }
}
