//! Kernels with collective functions: they are executed, and the truth survives edits and reduction.

use clreduce_generator::ir::{Joint, Program, StmtKind};
use clreduce_generator::{
    Kernel, Mode, Profile, Target, TokenRange, generate, interpret, print, reduce, variants,
};

fn profile(target: Target, mode: Mode) -> Profile {
    Profile {
        target,
        mode,
        tokens: TokenRange::new(300, 900).expect("a range"),
        ..Profile::default()
    }
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
            let tokens = TokenRange::new(300, 3000).expect("a range");
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

/// The profile, with functions of sub-groups.
fn with_sub_groups(mode: Mode) -> Profile {
    Profile { sub_groups: true, ..profile(Target::OpenCl30, mode) }
}

#[test]
fn sub_groups_are_there_where_they_are_asked_for() {
    for mode in [Mode::Barrier, Mode::AtomicReduction, Mode::All, Mode::Free] {
        let (mut kernels, mut calls) = (0, 0);
        for seed in 0..40 {
            let profile = with_sub_groups(mode);
            let kernel = generate(seed, &profile).expect("a profile that fits");
            let found = executed(&kernel).into_iter().filter(|one| one.is_of_sub_group()).count();
            (kernels, calls) = (kernels + usize::from(found > 0), calls + found);
            assert!(found == 0 || kernel.program.sizes.local[0].is_multiple_of(32), "{mode:?}");
            let asks = kernel.source.contains("__attribute__((intel_reqd_sub_group_size(32)))");
            assert_eq!(asks, kernel.source.contains(" = sub_group_"), "{}", kernel.source);
        }
        assert!(kernels >= 38 && calls >= 40, "{mode:?}: {calls} in {kernels}");
    }
}

/// In smaller kernels, what a group of 32 needs leaves no room for what else was asked for.
#[test]
fn kernels_with_sub_groups_have_the_size_that_was_asked_for() {
    for mode in [Mode::Barrier, Mode::AtomicReduction, Mode::All, Mode::Free] {
        let tokens = TokenRange::new(900, 3000).expect("a range");
        let profile = Profile { tokens, ..with_sub_groups(mode) };
        let kernels = (0..100).map(|seed| generate(seed, &profile).expect("a profile"));
        let sizes = kernels.map(|k| print::tokens(&k.source) * 100 / k.asked);
        let far: Vec<_> = sizes.filter(|percent| !(75..=125).contains(percent)).collect();
        assert!(far.len() <= 5, "{mode:?}: {far:?} % of the size");
    }
}

/// Existing seeds mean the same kernels.
#[test]
fn who_does_not_ask_for_sub_groups_gets_none() {
    for seed in 0..40 {
        let kernel = generate(seed, &profile(Target::OpenCl30, Mode::Free)).expect("a profile");
        assert!(!kernel.source.contains("sub_group"), "{}", kernel.source);
    }
}

#[test]
fn variants_have_the_results_of_their_kernel() {
    let profiles = [
        profile(Target::OpenCl20, Mode::Free),
        profile(Target::Cuda, Mode::Free),
        with_sub_groups(Mode::Free),
    ];
    for profile in profiles {
        let (target, mut seen) = (profile.target, 0);
        let kernels = (0..60).map(|seed| (seed, generate(seed, &profile).expect("a profile")));
        let kernels = kernels.filter(|(_, kernel)| !executed(kernel).is_empty());
        for (seed, _) in kernels.take(6) {
            let family = variants(seed, &profile).expect("a profile that fits");
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

/// The languages say only whether it is zero; Intel's for OpenCL C is not 1.
#[test]
fn of_a_vote_only_whether_it_is_zero_is_used() {
    let names = ["work_group_all(", "work_group_any(", "sub_group_all(", "sub_group_any("];
    let names = names.into_iter().chain(["__all_sync(", "__any_sync("]);
    let names: Vec<_> = names.map(|name| format!(" = {name}")).collect();
    let profiles = [
        profile(Target::OpenCl20, Mode::Free),
        profile(Target::OpenCl30, Mode::AtomicReduction),
        with_sub_groups(Mode::Free),
        profile(Target::Cuda, Mode::Free),
    ];
    for profile in profiles {
        let kernels = (0..150).map(|seed| generate(seed, &profile).expect("a profile that fits"));
        let texts: Vec<_> = kernels.map(|kernel| kernel.source).collect();
        let calls = texts.iter().flat_map(|text| text.lines());
        let calls = calls.filter(|line| names.iter().any(|name| line.contains(name)));
        let calls: Vec<_> = calls.collect();
        assert!(calls.len() >= 3, "{:?}: {calls:?}", profile.target);
        for call in calls {
            assert!(call.ends_with(") != 0;"), "{call}");
        }
    }
}

/// The bug of this test is the call itself.
#[test]
fn reduced_kernels_know_their_results() {
    for (profile, text) in [
        (profile(Target::OpenCl20, Mode::Free), " = work_group_"),
        (profile(Target::Cuda, Mode::Free), "_sync("),
        (with_sub_groups(Mode::Free), " = sub_group_"),
    ] {
        let (target, mut reduced) = (profile.target, 0);
        let is_there =
            |kernel: &Kernel| !executed(kernel).is_empty() && kernel.source.contains(text);
        let kernels = (0..60).map(|seed| (seed, generate(seed, &profile).expect("a profile")));
        for (seed, kernel) in kernels.filter(|(_, kernel)| is_there(kernel)).take(5) {
            let small =
                reduce(&kernel, &mut |all| all.enumerate().find(|(_, kernel)| is_there(kernel)));
            let report = interpret::run(&small.program);
            assert!(report.is_clean() && report.results == small.expected, "{}", small.source);
            assert!(small.source.lines().count() <= 30, "{target:?} {seed}: {}", small.source);
            reduced += 1;
        }
        assert!(reduced >= 3, "{target:?}: {reduced}");
    }
}
