//! The order in which passes run.
//!
//! Phases run one after the other. One that settles goes round until it changes nothing; the phases in
//! rounds start over together until nothing changes at all. After every pass run that changed something,
//! the passes of [`Phase::Sweep`] run. Where nothing but spelling changed in a round, only the last of its phases starts over: a
//! shorter number makes no work for the others.

use clreduce_passes::{Phase, Row};

/// The passes of a reduction, ordered by phase.
pub(crate) struct Schedule {
    rows: Vec<&'static Row>,
    phases: Vec<(Phase, Vec<usize>)>,
    sweep: Vec<usize>,
}

/// The place of a reduction in a schedule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    phase: usize,
    row: usize,
    /// Pass runs since the last one that changed something in this phase.
    idle: usize,
    /// The sweep under way: its next pass, and the row whose run it follows.
    sweep: Option<(usize, usize)>,
    /// The most that changed since the phases in rounds were last begun.
    round: Change,
}

/// What a pass run did to the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    #[default]
    Nothing,
    /// It has as many tokens as before, some of them shorter.
    Spelling,
    Tokens,
}

impl Schedule {
    /// The schedule of the table.
    pub(crate) fn new(rows: Vec<&'static Row>) -> Self {
        let mut phases: Vec<(Phase, Vec<usize>)> = Vec::new();
        let mut sweep = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            if row.phase == Phase::Sweep {
                sweep.push(index);
                continue;
            }
            match phases.iter_mut().find(|(phase, _)| *phase == row.phase) {
                Some((_, rows)) => rows.push(index),
                None => phases.push((row.phase, vec![index])),
            }
        }
        phases.sort_by_key(|(phase, _)| *phase);
        Self { rows, phases, sweep }
    }

    pub(crate) fn rows(&self) -> &[&'static Row] {
        &self.rows
    }

    /// Index of the row that runs now; `None` at the end.
    pub(crate) fn row_at(&self, position: &Position) -> Option<usize> {
        match position.sweep {
            Some((at, _)) => self.sweep.get(at).copied(),
            None => Some(self.phases.get(position.phase)?.1[position.row]),
        }
    }

    /// Index of the row that decides how small the groups are that are tried: a sweep follows the pass run before it.
    pub(crate) fn grain_at(&self, position: &Position) -> Option<usize> {
        position.sweep.map(|(_, after)| after).or_else(|| self.row_at(position))
    }

    /// Goes on after a pass run.
    pub(crate) fn advance(&self, position: &mut Position, change: Change) {
        let changed = change != Change::Nothing;
        if let Some((at, after)) = position.sweep {
            position.round = position.round.max(change);
            position.sweep = (at + 1 < self.sweep.len()).then_some((at + 1, after));
            return;
        }
        let Some((phase, rows)) = self.phases.get(position.phase) else { return };
        // Only in the last of the phases is spelling what its passes are for.
        let counts = if changed && *phase != Phase::Polish { Change::Tokens } else { change };
        position.round = position.round.max(counts);
        if changed && !self.sweep.is_empty() {
            position.sweep = Some((0, rows[position.row]));
        }
        position.idle = if changed { 0 } else { position.idle + 1 };
        position.row += 1;
        if position.idle >= rows.len() || (!phase.settles() && position.row == rows.len()) {
            self.leave_phase(position, *phase);
        } else if position.row == rows.len() {
            position.row = 0;
        }
    }

    fn leave_phase(&self, position: &mut Position, phase: Phase) {
        position.row = 0;
        position.idle = 0;
        position.phase += 1;
        let more = self.phases.get(position.phase).is_some_and(|(next, _)| next.is_in_rounds());
        if phase.is_in_rounds() && !more {
            let first = self.phases.iter().position(|(phase, _)| phase.is_in_rounds());
            match std::mem::take(&mut position.round) {
                Change::Nothing => {}
                Change::Spelling => position.phase -= 1,
                Change::Tokens => position.phase = first.unwrap_or(position.phase),
            }
        }
    }
}
