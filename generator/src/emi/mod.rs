//! Equivalence modulo inputs (Le, Afshari and Su 2014): variants of a kernel that have other texts, and the same right
//! results.
//!
//! A family begins with a generated kernel. [Edits](Edit) are put into it: blocks that are never executed, branches that
//! are always taken, and assignments that are undone. The compiler cannot know that. Each variant keeps some of them, and
//! prunes the statements that are not executed. The interpreter executes every variant, so one that is not valid or has
//! other results is left out. Two variants with different results on a device show a bug, as does a single one whose
//! result is not the expected one.

mod edits;
mod points;
mod predicates;
mod prune;

use std::collections::BTreeSet;

pub use prune::{EmiRates, PrunedAs};

use crate::features::Features;
use crate::interpret;
use crate::ir::{EmiEdit, Program, StmtKind};
use crate::kernel::{Kernel, features, generate, origin, root};
use crate::print::{self, Extras};
use crate::profile::{Profile, ProfileError};
use crate::random::SeedKey;
use crate::repair::repair;

/// The most variants of a kernel: as many as there are [rates](EmiRates) of pruning.
pub const VARIANTS: usize = EmiRates::ALL.len();
/// The most rounds over all rates. A kernel with little to prune has few different variants at some of them.
const ROUNDS: usize = 4;

/// The variants of the kernel of a seed, up to [`VARIANTS`] with different texts.
///
/// The first has all edits unpruned. How many variants are taken does not change them.
///
/// # Errors
/// If the parts of the profile do not fit together, or it avoids what branches need.
pub fn variants(seed: u64, profile: &Profile) -> Result<Variants, ProfileError> {
    profile.check_variants()?;
    let base = generate(seed, profile)?;
    let key = root(seed, profile).named("emi");
    let features = features(seed, profile);
    let mut program = base.program.clone();
    let edits = edits::added(&mut program, &base.report, profile, &features, key);
    let mut rates = EmiRates::ALL;
    key.named("rates").stream().shuffle(&mut rates[1..]);
    let mut variants = Variants {
        seed,
        profile: profile.clone(),
        seen: BTreeSet::from([text(&base.program)]),
        base,
        program,
        edits,
        rates,
        next: 0,
        made: 0,
        key,
    };
    variants.keep_what_is_certain(&features);
    Ok(variants)
}

/// The variants of a kernel. See [`variants`].
#[derive(Clone, Debug)]
pub struct Variants {
    seed: u64,
    profile: Profile,
    /// The texts so far.
    seen: BTreeSet<String>,
    base: Kernel,
    /// The program with all edits.
    program: Program,
    edits: Vec<EmiEdit>,
    rates: [EmiRates; VARIANTS],
    /// The number of the next rates, counted through all rounds.
    next: usize,
    /// The number of variants so far.
    made: usize,
    key: SeedKey,
}

impl Variants {
    /// The kernel that they are variants of.
    #[must_use]
    pub fn base(&self) -> &Kernel {
        &self.base
    }

    /// Repairs what the edits execute, and drops edits that change the results all the same. If not all edits are right
    /// together, they are added one by one, and those that make the rest wrong are left out.
    fn keep_what_is_certain(&mut self, features: &Features) {
        let mut kept = vec![true; self.edits.len()];
        let mut program = self.repaired(&kept, features);
        if program.is_none() {
            kept.fill(false);
            for number in 0..kept.len() {
                kept[number] = true;
                match self.repaired(&kept, features) {
                    Some(repaired) => program = Some(repaired),
                    None => kept[number] = false,
                }
            }
        }
        self.program = program.unwrap_or_else(|| self.base.program.clone());
        let mut kept = kept.into_iter();
        self.edits.retain(|_| kept.next().unwrap_or(false));
    }

    /// The program with some of the edits, repaired; `None` if it is not valid then, or has other results. The repair may
    /// change statements of the kernel too, so it works on a copy.
    fn repaired(&self, kept: &[bool], features: &Features) -> Option<Program> {
        let mut program = self.program.clone();
        for (edit, _) in self.edits.iter().zip(kept).filter(|(_, kept)| !**kept) {
            edit.drop_from(&mut program);
        }
        let report = repair(&mut program, features);
        (report.is_clean() && report.results == self.base.expected).then_some(program)
    }

    /// The program with the edits that a draw keeps, pruned. The first variant keeps all.
    fn drawn(&self, rates: EmiRates, is_first: bool, key: SeedKey) -> Program {
        let mut program = self.program.clone();
        for (number, edit) in (0..).zip(&self.edits) {
            let key = key.child(number);
            let kept = edit.is_dead() || is_first || key.stream().chance(70);
            let is_left = kept && edit.prune(&mut program, rates, key.named("prune"));
            if !is_left {
                edit.drop_from(&mut program);
            }
        }
        program
    }

    /// A variant with these rates, unless all draws are equal to earlier ones.
    fn variant(&mut self, rates: EmiRates, key: SeedKey) -> Option<Kernel> {
        // A variant that is equal to an earlier one gets other numbers, up to eight times.
        (0..8).find_map(|draw| {
            let program = self.drawn(rates, self.next == 0, key.child(draw));
            if !self.seen.insert(text(&program)) {
                return None;
            }
            let report = interpret::run(&program);
            let is_right = report.is_clean() && report.results == self.base.expected;
            let origin = origin(self.seed, &self.profile, Some(self.made + 1));
            let form = (self.profile.target, self.profile.self_check);
            is_right.then(|| {
                let kernel = Kernel::new(program, report, self.base.asked, origin, form);
                kernel.with_edits(self.edits.clone())
            })
        })
    }
}

impl Iterator for Variants {
    type Item = Kernel;

    fn next(&mut self) -> Option<Kernel> {
        while self.next < ROUNDS * VARIANTS && self.made < VARIANTS {
            let (rates, key) = (self.rates[self.next % VARIANTS], self.key.child(self.next as u64));
            let made = self.variant(rates, key);
            self.next += 1;
            if made.is_some() {
                self.made += 1;
                return made;
            }
        }
        None
    }
}

/// The text that has to differ: without the command.
fn text(program: &Program) -> String {
    print::opencl(program, &Extras::default())
}

/// True if the work-items of a group wait for each other.
fn synchronises(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::Barrier
            | StmtKind::Reduce(_)
            | StmtKind::Gather(_)
            | StmtKind::GroupCopy(_)
            | StmtKind::Mma(_)
            | StmtKind::Collective(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Mode, TokenRange};

    fn family(seed: u64, mode: Mode, avoid: &str) -> Variants {
        let tokens = TokenRange::new(300, 700).expect("a range");
        let avoid = avoid.parse().expect("features");
        variants(seed, &Profile { mode, tokens, avoid, ..Profile::default() })
            .expect("a profile that fits")
    }

    /// Each edit keeps the result, before a check of the results leaves any out; so does each variant that is drawn.
    #[test]
    fn edits_change_no_result_before_anything_is_left_out() {
        for (seed, mode) in (0..21).zip(Mode::ALL.into_iter().cycle()) {
            let family = family(seed, mode, "");
            assert!(family.edits.len() >= 3, "{mode:?} {seed}: {:?}", family.edits);
            for (rates, number) in family.rates.into_iter().zip(0..) {
                let key = family.key.child(number).child(0);
                let program = family.drawn(rates, number == 0, key);
                let report = interpret::run(&program);
                assert!(report.is_clean(), "{mode:?} {seed} {rates:?}: {}", text(&program));
                assert_eq!(report.results, family.base.expected, "{mode:?} {seed} {rates:?}");
            }
        }
    }

    /// Conditions need no operator that is to be avoided: a number in its place could make a dead block alive.
    #[test]
    fn edits_remain_without_the_operators_that_conditions_like() {
        for avoid in ["add", "subtract", "id", "add,subtract"] {
            for (seed, mode) in
                (0..12).zip([Mode::Basic, Mode::Vector, Mode::Free].into_iter().cycle())
            {
                let family = family(seed, mode, avoid);
                assert!(family.edits.len() >= 3, "{avoid} {mode:?} {seed}: {:?}", family.edits);
            }
        }
    }

    /// With some rates, these kernels have no other variants than those that they have already.
    #[test]
    fn kernels_with_little_to_prune_have_all_variants() {
        for seed in [1, 2, 10] {
            let tokens = TokenRange::new(300, 3000).expect("a range");
            let profile = Profile { mode: Mode::All, tokens, ..Profile::default() };
            let made = variants(seed, &profile).expect("a profile that fits").count();
            assert_eq!(made, VARIANTS, "{seed}");
        }
    }

    /// An edit that changes the result goes alone, and leaves no trace.
    #[test]
    fn the_edit_that_is_wrong_is_the_one_that_is_dropped() {
        let mut checked = 0;
        for seed in 0..12 {
            let mut family = family(seed, Mode::Basic, "");
            let features = features(seed, &family.profile);
            let Some(guilty) = family.edits.iter().position(EmiEdit::is_dead) else { continue };
            let before = family.edits.len();
            // The dead block becomes alive, and adds something to the result.
            let edit = family.edits[guilty].clone();
            edit.make_wrong(&mut family.program);
            family.keep_what_is_certain(&features);
            assert_eq!(family.edits.len(), before - 1, "{seed}");
            let report = interpret::run(&family.program);
            assert!(report.is_clean() && report.results == family.base.expected, "{seed}");
            checked += 1;
        }
        assert!(checked >= 8, "{checked}");
    }
}
