//! Who may reduce: so many at a time, and the alarm that was raised first before all others.
//!
//! Later alarms often show the bug of an earlier one, so it is of use to all that the earlier one is reduced soon.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use super::Shared;
use crate::queues::Alarm;
use crate::runner::locked;

/// A part of a reduction, which takes turns of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReductionPart {
    /// A kernel becomes smaller as a program. This is quick, and says which bug it probably is.
    Program,
    /// What is left becomes smaller as a text.
    Text,
}

/// Those that take turns in one part.
#[derive(Debug, Default)]
pub(super) struct Turns {
    under_way: usize,
    /// The program and the configuration of each alarm that waits.
    waiting: BTreeSet<(u64, usize)>,
}

/// The right to work on a part of a reduction, until it is dropped.
pub(crate) struct Turn<'a> {
    shared: &'a Shared,
    part: ReductionPart,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        locked(&self.shared.state).turns[self.part as usize].under_way -= 1;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// Waits until it is the turn of an alarm. `None` at the end.
    pub(crate) fn turn(&self, part: ReductionPart, alarm: &Alarm) -> Option<Turn<'_>> {
        let place = (alarm.program, alarm.configuration);
        let (most, mut state) = (self.side_by_side[part as usize], locked(&self.state));
        state.turns[part as usize].waiting.insert(place);
        loop {
            if state.stopped {
                return None;
            }
            let turns = &mut state.turns[part as usize];
            if turns.under_way < most && turns.waiting.first() == Some(&place) {
                turns.waiting.pop_first();
                turns.under_way += 1;
                self.changed.notify_all();
                return Some(Turn { shared: self, part });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
