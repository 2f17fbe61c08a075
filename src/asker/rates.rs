//! How often passes were right, as a guess at the next answer. Decides what is fetched early, never
//! what is asked.
//!
//! Which counts predict best was measured as log loss on recorded reductions: `notes/speculation.md`.

use clreduce_passes::{Explore, Phase, Row};

/// Counts of answers, by pass and over all passes. Older answers count less.
#[derive(Clone)]
pub(super) struct Rates {
    /// By pass and number of proposals together.
    passes: Vec<[Count; GROUPS]>,
    /// By kind of pass, the last answer to the same pass and the share of the program that would go.
    overall: [[[Count; SHARES]; 3]; 6],
    /// By pass: what kind it is, and its last answer.
    about: Vec<(Kind, Last)>,
}

/// What a guess at an answer rests on.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    /// Index of the pass.
    pub(super) pass: usize,
    /// How many proposals are tried together.
    pub(super) together: usize,
    /// Tokens of the variant.
    pub(super) tokens: usize,
    /// Tokens of the current test case.
    pub(super) current: usize,
}

#[derive(Clone, Copy, Default)]
enum Last {
    No,
    Yes,
    #[default]
    Nothing,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Removes what nothing needs: most often right.
    Unused,
    /// Removes large groups of functions, bodies or variables.
    Large,
    /// Removes large groups of statements: more often right, since nothing else names them.
    LargeStatements,
    Structural,
    /// Right at its first question more often than later.
    Polish,
    /// Changes names and layout alone: nearly always right at once.
    Finish,
}

impl Kind {
    fn of(row: &Row) -> Self {
        match (row.phase, row.explore) {
            (Phase::Sweep, _) | (_, Explore::AllOrLargeGroups(_)) => Self::Unused,
            (_, Explore::LargeGroups(_)) if row.pass.name() == STATEMENTS => Self::LargeStatements,
            (_, Explore::LargeGroups(_)) => Self::Large,
            (Phase::Polish, _) => Self::Polish,
            (Phase::Finish, _) => Self::Finish,
            _ => Self::Structural,
        }
    }

    /// The share of interesting answers, in thousandths, that recorded reductions had (`notes/speculation.md`).
    fn usual(self, last: Last, share: usize) -> u32 {
        let by_share = match (self, last) {
            (Self::Unused, Last::Nothing) => [800; SHARES],
            (Self::Unused, Last::No) => [650, 900, 850, 500, 30],
            (Self::Unused, Last::Yes) => [650, 900, 900, 800, 300],
            (Self::Large, Last::Nothing) => [350, 350, 450, 350, 300],
            (Self::Large, Last::No) => [500, 600, 350, 400, 600],
            (Self::Large, Last::Yes) => [500, 550, 600, 450, 300],
            (Self::LargeStatements, Last::Nothing) => [600, 600, 600, 650, 600],
            (Self::LargeStatements, Last::No) => [600, 600, 700, 500, 550],
            (Self::LargeStatements, Last::Yes) => [600, 600, 650, 650, 450],
            (Self::Structural, Last::Nothing) => [150, 400, 500, 300, 30],
            (Self::Structural, Last::No) => [100, 450, 250, 100, 20],
            (Self::Structural, Last::Yes) => [500, 650, 550, 300, 50],
            (Self::Polish, Last::Nothing) => [250, 250, 600, 450, 30],
            (Self::Polish, Last::No) => [250, 200, 70, 70, 30],
            (Self::Polish, Last::Yes) => [60, 60, 120, 60, 60],
            (Self::Finish, Last::Nothing) => [950; SHARES],
            (Self::Finish, _) => [350; SHARES],
        };
        by_share[share]
    }
}

/// The pass of [`Kind::LargeStatements`].
const STATEMENTS: &str = "statements";

/// One proposal, 2 to 7, 8 and more.
const GROUPS: usize = 3;

/// Shares of the program: nothing, below a 64th, a 16th, a quarter, more.
const SHARES: usize = 5;

impl Rates {
    pub(super) fn new(rows: &[&Row]) -> Self {
        Self {
            passes: vec![Default::default(); rows.len()],
            overall: Default::default(),
            about: rows.iter().map(|row| (Kind::of(row), Last::default())).collect(),
        }
    }

    pub(super) fn record(&mut self, trial: Trial, interesting: bool) {
        let (kind, last) = &mut self.about[trial.pass];
        self.overall[*kind as usize][*last as usize][trial.share()].add::<64>(interesting);
        *last = if interesting { Last::Yes } else { Last::No };
        self.passes[trial.pass][trial.group()].add::<16>(interesting);
    }

    /// Chance of "interesting" in thousandths: what is known of the pass, beside what is known of all
    /// passes of its kind as if it were some answers more.
    pub(super) fn chance(&self, trial: Trial) -> u16 {
        let (kind, last) = self.about[trial.pass];
        let overall = self.overall[kind as usize][last as usize][trial.share()];
        let overall = overall.chance(kind.usual(last, trial.share()), 16);
        self.passes[trial.pass][trial.group()].chance(overall, 6) as u16
    }
}

impl Trial {
    fn group(self) -> usize {
        match self.together {
            0..=1 => 0,
            2..=7 => 1,
            _ => 2,
        }
    }

    fn share(self) -> usize {
        let gone = self.current.saturating_sub(self.tokens);
        if gone == 0 {
            return 0;
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

    #[test]
    fn a_guess_begins_at_what_is_usual_and_goes_where_the_answers_are() {
        let rows: Vec<&Row> = TABLE.iter().collect();
        let at = |phase| rows.iter().position(|row| row.phase == phase).unwrap();
        let trial = |pass| Trial { pass, together: 1, tokens: 90, current: 100 };
        assert!(rows.iter().any(|row| matches!(Kind::of(row), Kind::LargeStatements)));
        let (fine, polish) = (trial(at(Phase::Fine)), trial(at(Phase::Polish)));
        let mut rates = Rates::new(&rows);
        assert_eq!((rates.chance(fine), rates.chance(polish)), (300, 450));
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
}
