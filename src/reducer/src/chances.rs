//! The chance that a variant is interesting, estimated before its test.
//!
//! Chances decide which tests are started early, never which variant is tried next. An estimate begins with the share
//! of interesting variants that rows of the same policy usually have, and goes where the verdicts on the variants of
//! the row are. The numbers were chosen by log loss on recorded reductions: `notes/speculation.md`.

use clreduce_passes::{Grouping, Phase, Row};

/// The estimates for the rows of a schedule.
#[derive(Clone)]
pub struct Chances {
    rows: Vec<RowChances>,
}

/// The key of an estimate of a chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChanceKey {
    /// The index of the row that proposed the variant.
    pub row: usize,
    /// True if an earlier run of the row took what was easily found.
    pub in_later_run: bool,
    /// The number of tokens of the variant.
    pub tokens: usize,
    /// The number of tokens of the current test case.
    pub current: usize,
}

#[derive(Clone)]
struct RowChances {
    /// The usual chance of a small change, in thousandths.
    usual: u32,
    /// True if later runs find less. What is unused is found anew.
    fades: bool,
    /// The last verdicts, by share of the program that went.
    verdicts: [RecentVerdicts; SHARES.len()],
}

/// The usual rate at which a small change of a row is interesting, in thousandths.
fn usual(row: &Row) -> u32 {
    match row.phase {
        Phase::Finish => 900,
        _ if removes_unused(row) => 800,
        Phase::Polish | Phase::Last => 100,
        _ if row.policy.grouping == Grouping::BiggestFirst => 300,
        _ => 450,
    }
}

/// Returns whether a row removes what nothing uses.
fn removes_unused(row: &Row) -> bool {
    let tries_all_first = row.policy.smallest_group.is_some() && row.policy.first_group == 1;
    row.phase == Phase::Sweep || tries_all_first
}

/// By share of the program that goes: the usual chance, in thousandths of that of a small change. The shares are less
/// than 1/16, less than 1/4, less than 7/8, and more.
const SHARES: [u32; 4] = [1000, 750, 400, 200];

/// The part of a chance that remains when an earlier run of the row took what was easily found, in thousandths.
const LATER: u32 = 200;

/// The weight of the usual chance, in verdicts, and the number of verdicts that are remembered.
const MEMORY: u32 = 6;

impl Chances {
    /// The usual chances.
    #[must_use]
    pub fn new(rows: &[&Row]) -> Self {
        let row = |row: &&Row| RowChances {
            usual: usual(row),
            fades: !removes_unused(row),
            verdicts: Default::default(),
        };
        Self { rows: rows.iter().map(row).collect() }
    }

    /// Returns the chance that a variant is interesting, in thousandths.
    #[must_use]
    pub fn of(&self, trial: ChanceKey) -> u16 {
        let row = &self.rows[trial.row];
        let usual = row.usual * SHARES[trial.share()] / 1000;
        let usual = if trial.in_later_run && row.fades { usual * LATER / 1000 } else { usual };
        row.verdicts[trial.share()].chance(usual) as u16
    }

    /// Takes the verdict on a variant into account.
    pub fn learn(&mut self, trial: ChanceKey, interesting: bool) {
        self.rows[trial.row].verdicts[trial.share()].add(interesting);
    }
}

impl ChanceKey {
    /// The share of the program that goes, as an index of [`SHARES`].
    fn share(self) -> usize {
        let gone = self.current.saturating_sub(self.tokens);
        if self.tokens * 8 < self.current {
            return 3;
        }
        [16, 4].iter().position(|part| gone * part < self.current).unwrap_or(2)
    }
}

/// Verdicts, in 1024ths of one. With each new one the earlier ones count less.
#[derive(Clone, Copy, Default)]
struct RecentVerdicts {
    interesting: u32,
    all: u32,
}

impl RecentVerdicts {
    const ONE: u32 = 1024;

    fn add(&mut self, interesting: bool) {
        self.interesting += u32::from(interesting) * Self::ONE;
        self.all += Self::ONE;
        self.interesting -= self.interesting / MEMORY;
        self.all -= self.all / MEMORY;
    }

    /// The share of interesting ones in thousandths, with the usual one counted as [`MEMORY`] verdicts.
    fn chance(self, usual: u32) -> u32 {
        (self.interesting * 1000 + usual * MEMORY * Self::ONE) / (self.all + MEMORY * Self::ONE)
    }
}

#[cfg(test)]
mod tests {
    use clreduce_passes::TABLE;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;

    fn chances() -> Chances {
        Chances::new(&TABLE.iter().collect::<Vec<_>>())
    }

    fn trial(row: usize) -> ChanceKey {
        ChanceKey { row, in_later_run: false, tokens: 990, current: 1000 }
    }

    fn first_of(phase: Phase) -> ChanceKey {
        trial(TABLE.iter().position(|row| row.phase == phase).unwrap())
    }

    #[test]
    fn an_estimate_begins_at_what_is_usual_and_goes_where_the_verdicts_are() {
        let mut chances = chances();
        let (fine, polish) = (first_of(Phase::Fine), first_of(Phase::Polish));
        assert_eq!((chances.of(fine), chances.of(polish)), (450, 100));
        for _ in 0..1000 {
            chances.learn(polish, true);
        }
        assert!(chances.of(polish) > 500, "{}", chances.of(polish));
        assert_eq!(chances.of(fine), 450, "another row");
        for _ in 0..10 {
            chances.learn(polish, false);
        }
        assert!(chances.of(polish) < 200, "older verdicts fade: {}", chances.of(polish));
    }

    proptest! {
        #[test]
        fn what_removes_more_or_comes_later_is_never_likelier(
            row: Index,
            verdicts: Vec<bool>,
            tokens in 0..1000_usize,
            more in 0..1000_usize,
        ) {
            let mut chances = chances();
            let trial = ChanceKey { tokens, ..trial(row.index(TABLE.len())) };
            let larger = ChanceKey { tokens: tokens.saturating_sub(more), ..trial };
            prop_assert!(chances.of(larger) <= chances.of(trial));
            for verdict in verdicts {
                chances.learn(trial, verdict);
            }
            let later = ChanceKey { in_later_run: true, ..trial };
            prop_assert!(chances.of(later) <= chances.of(trial));
            let (mut no, mut yes) = (chances.clone(), chances.clone());
            no.learn(trial, false);
            yes.learn(trial, true);
            prop_assert!(no.of(trial) <= chances.of(trial) && chances.of(trial) <= yes.of(trial));
        }
    }
}
