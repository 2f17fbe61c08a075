//! Statements of programs that were read: atomic updates, sections behind a counter, barriers with one fence.

use super::memory::Conflict;
use super::{Faults, Machine, index, items};
use crate::ir::{Atomic, ExprId, Foreign, StmtId, Ticket, Update, VarId};

impl Machine<'_> {
    pub(super) fn foreign(&mut self, id: StmtId, foreign: &Foreign, mask: u64) {
        match foreign {
            Foreign::Update(update) => {
                let changes = self.changes(id, update, mask);
                for (item, element, value) in changes {
                    self.change(id, update, (1 << item, element), value);
                }
            }
            Foreign::Ticket(ticket) => self.ticket(id, ticket, mask),
            Foreign::Fence { local, global } => self.fence(id, [*local, *global], mask),
        }
    }

    /// The element that each work-item updates, where there is one, and the second operand.
    fn changes(&mut self, id: StmtId, update: &Update, mask: u64) -> Vec<(usize, usize, i64)> {
        let base = self.eval(update.value, mask);
        let values = self.stack[base..base + self.width].to_vec();
        self.stack.truncate(base);
        let elements = self.elements_at(id, update.array, update.at, mask);
        elements.into_iter().map(|(item, element)| (item, element, values[item])).collect()
    }

    /// The element that an index leads to, for each work-item where there is one.
    fn elements_at(
        &mut self,
        id: StmtId,
        array: VarId,
        at: ExprId,
        mask: u64,
    ) -> Vec<(usize, usize)> {
        let scalar = self.program.ty(at).scalar;
        let base = self.eval(at, mask);
        let mut found = Vec::new();
        for item in items(mask) {
            match self.element(array, index(scalar, self.stack[base + item])) {
                Some(element) => found.push((item, element)),
                None => self.fault(id, Faults::RANGE),
            }
        }
        self.stack.truncate(base);
        found
    }

    /// Updates an element; it is not known which of the work-items does it.
    fn change(&mut self, id: StmtId, update: &Update, (items, element): (u64, usize), value: i64) {
        let (array, function) = (update.array, update.function);
        match self.memory.update(array, element, items, function) {
            Conflict::None => {}
            Conflict::Race => self.fault(id, Faults::RACE),
            Conflict::Unset => self.fault(id, Faults::UNSET),
            Conflict::Order => self.fault(id, Faults::ORDER),
        }
        let scalar = self.program.variable(array).ty.scalar;
        let place = self.place(array, element, 0, 0);
        let cell = &mut self.memory.values_mut()[place];
        *cell = function.apply(scalar, *cell, value);
    }

    /// Everyone that arrives executes the body, to see that the update does not depend on the one that enters.
    fn ticket(&mut self, id: StmtId, ticket: &Ticket, mask: u64) {
        let arrivals = self.elements_at(id, ticket.array, ticket.at, mask);
        let Some(&(_, element)) = arrivals.first() else { return };
        let is_one = arrivals.iter().all(|(_, other)| *other == element);
        if !is_one || !self.memory.is_fresh(ticket.array, element) {
            self.fault(id, Faults::ORDER);
            return;
        }
        let place = self.place(ticket.array, element, 0, 0);
        let first = self.memory.values()[place];
        let scalar = self.program.variable(ticket.array).ty.scalar;
        let count = i64::from(mask.count_ones());
        if self.memory.update(ticket.array, element, mask, Atomic::Add) != Conflict::None {
            self.fault(id, Faults::ORDER);
        }
        self.memory.values_mut()[place] = Atomic::Add.apply(scalar, first, count);
        let number = scalar.value(scalar.wrap(ticket.arrival.into())) - scalar.value(first);
        if !(0..i128::from(count)).contains(&number) {
            return;
        }
        self.section = Some(Vec::new());
        let outer = std::mem::take(&mut self.broken);
        // A work-item that jumps out of the section does not come to the update.
        if self.block(&ticket.body, mask) != mask && !self.stopped {
            self.fault(id, Faults::ORDER);
        }
        self.broken = outer;
        if let Some(update) = &ticket.update {
            let changes = self.changes(id, update, mask);
            let same = |one: &(usize, usize, i64)| (one.1, one.2) == (changes[0].1, changes[0].2);
            if !changes.iter().all(same) {
                self.fault(id, Faults::ORDER);
            }
            if let Some(&(_, element, value)) = changes.first() {
                self.change(id, update, (mask, element), value);
            }
        }
        self.section = None;
    }
}
