//! How often passes were right, as a guess at the next answer. Decides what is fetched early, never
//! what is asked.
//!
//! Which counts predict best was measured as log loss on recorded reductions: `notes/speculation.md`.

use clreduce_passes::{Grouping, Phase, Row};

/// Counts of answers, by pass and over all passes. Older answers count less.
#[derive(Clone)]
pub(crate) struct Rates {
    /// By pass and the share of the program that would go.
    passes: Vec<[Count; SHARES]>,
    /// By kind of pass, what is known of the pass and the share of the program that would go.
    overall: [[[Count; SHARES]; 4]; 8],
    /// By pass: what kind it is, and what is known of it.
    about: Vec<(Kind, Known)>,
}

/// What a guess at an answer rests on.
#[derive(Clone, Copy)]
pub(crate) struct Trial {
    /// Index of the pass.
    pub(crate) pass: usize,
    /// Tokens of the variant.
    pub(crate) tokens: usize,
    /// Tokens of the current test case.
    pub(crate) current: usize,
}

/// What is known of a pass.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Known {
    /// It has not asked yet.
    #[default]
    Nothing,
    /// Its last answer, in its first turn, was "no".
    No,
    /// It was "yes".
    Yes,
    /// It had a turn before this one, which took what was easily found.
    Later,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Removes what nothing needs: most often right.
    Unused,
    /// Removes groups of an eighth of the program and more, which grow until one is refused: answers alternate.
    Huge,
    /// Removes large groups of functions, bodies or variables.
    Large,
    /// Removes large groups of statements: more often right, since nothing else names them.
    LargeStatements,
    /// Tries groups of proposals.
    Groups,
    /// Tries one proposal after the other, the one that removes most first: where one was right, the next often is.
    OneByOne,
    /// Right at its first question more often than later.
    Polish,
    /// Changes names and layout alone: nearly always right.
    Finish,
}

impl Kind {
    fn of(row: &Row) -> Self {
        let policy = row.policy;
        match (row.phase, policy.smallest_group) {
            (Phase::Sweep, _) => Self::Unused,
            (_, Some(_)) if policy.first_group == 1 => Self::Unused,
            (_, Some(HUGE)) => Self::Huge,
            (_, Some(_)) if row.info().name == STATEMENTS => Self::LargeStatements,
            (_, Some(_)) => Self::Large,
            (Phase::Polish, None) => Self::Polish,
            (Phase::Finish, None) => Self::Finish,
            _ if policy.grouping == Grouping::BiggestFirst && !policy.nested => Self::OneByOne,
            _ => Self::Groups,
        }
    }

    /// The share of interesting answers, in thousandths, that recorded reductions had (`notes/speculation.md`).
    fn usual(self, known: Known, share: usize) -> u32 {
        let by_share = match (self, known) {
            (Self::Unused, Known::Nothing) => [800, 800, 800, 800, 850, 300],
            (Self::Unused, Known::No) => [600, 600, 500, 800, 300, 100],
            (Self::Unused, Known::Yes) => [600, 600, 600, 550, 700, 100],
            (Self::Unused, Known::Later) => [450, 750, 850, 700, 60, 50],
            (Self::Huge, Known::No) => [550, 550, 550, 550, 550, 100],
            (Self::Huge, Known::Yes) => [200, 200, 200, 200, 200, 100],
            (Self::Huge, _) => [450, 450, 450, 450, 450, 100],
            (Self::Large, _) => [450, 450, 450, 450, 450, 100],
            (Self::LargeStatements, _) => [600; SHARES],
            (Self::Groups, Known::Nothing) => [250, 550, 550, 300, 40, 40],
            (Self::Groups, Known::No) => [350, 500, 350, 150, 40, 40],
            (Self::Groups, Known::Yes) => [350, 500, 450, 150, 50, 50],
            (Self::Groups, Known::Later) => [300, 40, 300, 100, 10, 10],
            (Self::OneByOne, Known::Nothing) => [150, 300, 100, 200, 100, 100],
            (Self::OneByOne, Known::No) => [150, 250, 300, 100, 200, 200],
            (Self::OneByOne, Known::Yes) => [550, 700, 650, 400, 400, 400],
            (Self::OneByOne, Known::Later) => [50, 70, 80, 40, 10, 10],
            (Self::Polish, Known::Nothing) => [250, 250, 550, 400, 20, 20],
            (Self::Polish, Known::No) => [300, 150, 90, 100, 60, 60],
            (Self::Polish, Known::Yes) => [100, 60, 150, 20, 20, 20],
            (Self::Polish, Known::Later) => [90, 30, 40, 10, 10, 10],
            (Self::Finish, _) => [950; SHARES],
        };
        by_share[share]
    }
}

/// What part of the program the groups of [`Kind::Huge`] are at least.
const HUGE: u32 = 8;

/// The pass of [`Kind::LargeStatements`].
const STATEMENTS: &str = "statements";

/// Shares of the program: nothing, below a 64th, a 16th, a quarter, seven eighths, more.
const SHARES: usize = 6;

impl Rates {
    pub(crate) fn new(rows: &[&Row]) -> Self {
        Self {
            passes: vec![Default::default(); rows.len()],
            overall: Default::default(),
            about: rows.iter().map(|row| (Kind::of(row), Known::default())).collect(),
        }
    }

    pub(crate) fn record(&mut self, trial: Trial, interesting: bool) {
        let (kind, known) = &mut self.about[trial.pass];
        self.overall[*kind as usize][*known as usize][trial.share()].add::<64>(interesting);
        if *known != Known::Later {
            *known = if interesting { Known::Yes } else { Known::No };
        }
        self.passes[trial.pass][trial.share()].add::<8>(interesting);
    }

    /// The turn of a pass is over.
    pub(crate) fn end_run(&mut self, pass: usize) {
        let (_, known) = &mut self.about[pass];
        if *known != Known::Nothing {
            *known = Known::Later;
        }
    }

    /// Chance of "interesting" in thousandths: what is known of the pass, beside what is known of all
    /// passes of its kind as if it were some answers more.
    pub(crate) fn chance(&self, trial: Trial) -> u16 {
        let (kind, known) = self.about[trial.pass];
        let overall = self.overall[kind as usize][known as usize][trial.share()];
        let overall = overall.chance(kind.usual(known, trial.share()), 16);
        let chance = match kind {
            // A pass by itself, or passes that ask too little to be known apart.
            Kind::Unused | Kind::Huge | Kind::Large | Kind::LargeStatements => overall,
            _ => self.passes[trial.pass][trial.share()].chance(overall, 6),
        };
        chance as u16
    }
}

impl Trial {
    fn share(self) -> usize {
        let gone = self.current.saturating_sub(self.tokens);
        if gone == 0 {
            return 0;
        }
        if self.tokens * 8 < self.current {
            return SHARES - 1;
        }
        [64, 16, 4].iter().position(|part| gone * part < self.current).unwrap_or(3) + 1
    }
}

/// Answers, in 1024ths of one: each new one lets the earlier ones shrink.
#[derive(Clone, Copy, Default)]
struct Count {
    yes: u32,
    all: u32,
}

impl Count {
    const ONE: u32 = 1024;

    fn add<const MEMORY: u32>(&mut self, interesting: bool) {
        self.yes += u32::from(interesting) * Self::ONE;
        self.all += Self::ONE;
        self.yes -= self.yes / MEMORY;
        self.all -= self.all / MEMORY;
    }

    /// In thousandths, with `prior` thousandths counting as much as `answers` answers.
    fn chance(self, prior: u32, answers: u32) -> u32 {
        let known = u64::from(self.yes) * 1000 + u64::from(prior) * u64::from(answers * Self::ONE);
        (known / u64::from(self.all + answers * Self::ONE)) as u32
    }
}

#[cfg(test)]
mod tests {
    use clreduce_passes::TABLE;

    use super::*;

    fn at_first_of(phase: Phase) -> (Rates, Trial) {
        let rows: Vec<&Row> = TABLE.iter().collect();
        let pass = rows.iter().position(|row| row.phase == phase).unwrap();
        (Rates::new(&rows), Trial { pass, tokens: 90, current: 100 })
    }

    #[test]
    fn a_guess_begins_at_what_is_usual_and_goes_where_the_answers_are() {
        let (mut rates, fine) = at_first_of(Phase::Fine);
        let (_, polish) = at_first_of(Phase::Polish);
        assert_eq!((rates.chance(fine), rates.chance(polish)), (300, 400));
        for _ in 0..1000 {
            rates.record(polish, true);
        }
        assert!(rates.chance(polish) > 900, "{}", rates.chance(polish));
        assert_eq!(rates.chance(fine), 300, "another kind of pass");
        for _ in 0..10 {
            rates.record(polish, false);
        }
        assert!(rates.chance(polish) < 600, "older answers fade: {}", rates.chance(polish));
    }

    #[test]
    fn a_later_turn_finds_less_than_the_first() {
        let (mut rates, fine) = at_first_of(Phase::Fine);
        rates.end_run(fine.pass);
        assert_eq!(rates.chance(fine), 300, "nothing was asked in it");
        rates.record(fine, false);
        let first = rates.chance(fine);
        rates.end_run(fine.pass);
        assert!(rates.chance(fine) < first, "{} and {first}", rates.chance(fine));
    }

    #[test]
    fn what_leaves_hardly_anything_is_seldom_right() {
        let (rates, most) = at_first_of(Phase::Sweep);
        let nearly_all = Trial { tokens: 12, ..most };
        assert!(rates.chance(Trial { tokens: 13, ..most }) > 2 * rates.chance(nearly_all));
    }

    #[test]
    fn the_table_has_large_groups_of_statements_and_huge_ones() {
        assert!(TABLE.iter().any(|row| matches!(Kind::of(row), Kind::LargeStatements)));
        assert!(TABLE.iter().any(|row| matches!(Kind::of(row), Kind::Huge)));
    }
}
