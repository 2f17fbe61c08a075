//! Variants of a kernel are other texts with the same right results, and the edits and prunings that make them occur.

use std::collections::BTreeSet;

use clreduce_generator::ir::{Program, StmtId, StmtKind};
use clreduce_generator::{Edits, Kernel, Mode, Profile, TokenRange, VARIANTS, interpret, variants};

fn profile(mode: Mode) -> Profile {
    let tokens = TokenRange::new(300, 900).expect("a range");
    Profile { mode, tokens, ..Profile::default() }
}

/// The text without the line that has the command.
fn text(kernel: &Kernel) -> String {
    let lines: Vec<_> = kernel.source.lines().collect();
    [&lines[..1], &lines[2..]].concat().join("\n")
}

#[test]
fn variants_are_distinct_and_have_the_results_of_their_kernel() {
    let mut counts = Vec::new();
    for (mode, seed) in Mode::ALL.into_iter().flat_map(|mode| [(mode, 1), (mode, 2)]) {
        let family = variants(seed, &profile(mode)).expect("a profile that fits");
        let base = family.base().clone();
        let mut texts = BTreeSet::from([text(&base)]);
        let mut count = 0;
        for variant in family {
            let report = interpret::run(&variant.program);
            assert!(report.is_clean(), "{mode:?} {seed}: {}", variant.source);
            assert_eq!(report.results, base.expected, "{mode:?} {seed}: {}", variant.source);
            assert_eq!(variant.expected, base.expected);
            assert!(texts.insert(text(&variant)), "{mode:?} {seed}: {}", variant.source);
            count += 1;
        }
        counts.push(count);
    }
    assert!(counts.iter().all(|count| (20..=VARIANTS).contains(count)), "{counts:?}");
}

/// How many variants are taken does not change them, nor does what was made before.
#[test]
fn a_variant_depends_on_its_number_alone() {
    for mode in [Mode::Barrier, Mode::Free] {
        let family = || variants(5, &profile(mode)).expect("a profile that fits");
        let all: Vec<_> = family().map(|variant| variant.source).collect();
        for number in [0, 7, 19] {
            let alone = family().nth(number).expect("a variant");
            assert_eq!(alone.source, all[number]);
            assert!(alone.source.contains(&format!(" --emi {}, format", number + 1)));
        }
    }
}

/// The statements of a program by kind, and whether they are executed.
fn statements(kernel: &Kernel) -> Vec<(StmtId, bool)> {
    let all = kernel.program.statements().into_iter();
    all.map(|id| (id, kernel.report.runs[id.0 as usize] > 0)).collect()
}

fn count(kernel: &Kernel, wanted: impl Fn(&Program, StmtId, bool) -> bool) -> usize {
    let all = statements(kernel).into_iter();
    all.filter(|(id, runs)| wanted(&kernel.program, *id, *runs)).count()
}

/// Deleted leaves, deleted branches and loops, and lifted ones all make variants of their own; nothing that is executed
/// goes but whole edits.
#[test]
fn all_kinds_of_pruning_occur() {
    let (mut leaves, mut compounds, mut lifted) = (0, 0, 0);
    for seed in 0..20 {
        let mut profile = profile(Mode::Free);
        profile.edits = Edits::Dead;
        let mut family = variants(seed, &profile).expect("a profile that fits");
        let base = family.base().clone();
        let executed = |kernel: &Kernel| {
            count(kernel, |program, id, runs| {
                runs && !matches!(program.stmt(id).kind, StmtKind::If(..))
            })
        };
        let whole = family.next().expect("the first variant has everything");
        assert_eq!(executed(&whole), executed(&base), "seed {seed}");
        let is_compound = |program: &Program, id: StmtId, runs: bool| {
            !runs && matches!(program.stmt(id).kind, StmtKind::If(..) | StmtKind::For(_))
        };
        let is_leaf = |program: &Program, id, runs: bool| !runs && !is_compound(program, id, runs);
        for variant in family {
            assert_eq!(executed(&variant), executed(&base), "seed {seed}");
            let [all, left] = [&whole, &variant]
                .map(|kernel| [count(kernel, is_leaf), count(kernel, is_compound)]);
            leaves += usize::from(left[0] < all[0] && left[1] == all[1]);
            compounds += usize::from(left[1] < all[1] && left[0] < all[0]);
            // The statements of what is gone are still there, and perhaps a counter became a variable.
            lifted += usize::from(left[1] < all[1] && left[0] >= all[0]);
        }
    }
    let counts = [leaves, compounds, lifted];
    assert!(counts.into_iter().all(|count| count >= 20), "{counts:?}");
}

/// Dead blocks read and write variables of the kernel, or compilers could ignore them.
#[test]
fn dead_blocks_write_what_lives() {
    let (mut dead, mut writing) = (0, 0);
    for seed in 0..20 {
        let profile = Profile { edits: Edits::Dead, ..profile(Mode::All) };
        let mut family = variants(seed, &profile).expect("a profile that fits");
        let known = family.base().program.variables.len();
        let whole = family.next().expect("a variant");
        dead += count(&whole, |_, _, runs| !runs);
        writing += count(&whole, |program, id, runs| match &program.stmt(id).kind {
            StmtKind::Assign(place, _) => !runs && (place.variable().0 as usize) < known,
            _ => false,
        });
    }
    assert!(dead > 200 && writing * 5 > dead, "{writing} of {dead}");
}

#[test]
fn guards_alone_delete_nothing_and_need_branches() {
    let profile = Profile { edits: Edits::Guards, ..profile(Mode::All) };
    let family = variants(3, &profile).expect("a profile that fits");
    let base = family.base().clone();
    let [own, first] = [&base, &family.take(1).next().expect("a variant")].map(|kernel| {
        count(kernel, |program, id, runs| runs && matches!(program.stmt(id).kind, StmtKind::If(..)))
    });
    assert!(first > own, "{first} and {own} branches");
    for feature in ["if", "less", "less.int"] {
        let profile = Profile { avoid: feature.parse().expect("a feature"), ..Profile::default() };
        let error = variants(1, &profile).expect_err("no branches").to_string();
        assert!(error.contains("--emi") && error.contains("cannot do without"), "{error}");
    }
}

/// Names in `--avoid` are in no edit either.
#[test]
fn edits_leave_out_what_is_to_be_avoided() {
    for seed in 0..6 {
        let avoid = "vec3,mad_sat,divide,loop".parse().expect("features");
        let profile = Profile { avoid, ..profile(Mode::All) };
        for variant in variants(seed, &profile).expect("a profile that fits").take(6) {
            let text = text(&variant);
            for word in ["mad_sat(", " / ", "int3", "vload3"] {
                assert!(!text.contains(word), "seed {seed} has {word}: {text}");
            }
        }
    }
}
