//! Copies by a whole group: they are made when the work-items wait for their end. Until then, no work-item may use the target
//! or write to the source.

use super::memory::Conflict;
use super::{Faults, Machine, index, items};
use crate::ir::{ExprId, GroupCopy, StmtId, Storage, VarId};

impl Machine<'_> {
    pub(super) fn copy_by_group(&mut self, id: StmtId, copy: &GroupCopy, mask: u64) {
        if mask != self.full {
            self.fault(id, Faults::DIVERGENCE);
        }
        let (from, into) =
            (self.elements_of(id, copy.from, copy), self.elements_of(id, copy.into, copy));
        let (Some(from), Some(into)) = (from, into) else { return };
        if !self.is_aligned(copy, from[0], into[0]) {
            self.fault(id, Faults::RANGE);
        }
        for (array, elements, write) in [(copy.from.0, &from, false), (copy.into.0, &into, true)] {
            for &element in elements {
                match self.memory.begin_copy(array, element, write) {
                    Conflict::None => {}
                    Conflict::Race => self.fault(id, Faults::RACE),
                    Conflict::Unset => self.fault(id, Faults::UNSET),
                    Conflict::Order => self.fault(id, Faults::ORDER),
                }
            }
        }
        // A work-item that jumps out of the body does not wait.
        if self.block(&copy.body, mask) != mask && !self.stopped {
            self.fault(id, Faults::DIVERGENCE);
        }
        let lanes = usize::from(self.program.variable(copy.into.0).ty.lanes);
        for (&from, &into) in from.iter().zip(&into) {
            for lane in 0..lanes {
                let source = self.place(copy.from.0, from, lane, 0);
                let target = self.place(copy.into.0, into, lane, 0);
                self.memory.values_mut()[target] = self.memory.values()[source];
            }
        }
        for (array, elements, write) in [(copy.from.0, &from, false), (copy.into.0, &into, true)] {
            for &element in elements {
                self.memory.end_copy(array, element, write);
            }
        }
        self.report.steps += u64::from(copy.count);
        self.barrier(id, mask);
    }

    /// True if `cp.async` can copy this number of bytes at a time. The arrays themselves are aligned to 16 bytes.
    fn is_aligned(&self, copy: &GroupCopy, from: usize, into: usize) -> bool {
        let Some(bytes) = copy.cp_async else { return true };
        let size = self.program.variable(copy.into.0).ty.bits() as usize / 8;
        let unit = usize::from(bytes) / size;
        let counts = [copy.count as usize, from, into];
        unit > 0
            && counts.into_iter().all(|count| count.is_multiple_of(unit))
            && (unit == 1 || copy.stride == 1)
    }

    /// The elements of one side of a copy. All work-items have to name the same.
    fn elements_of(
        &mut self,
        id: StmtId,
        (array, at): (VarId, ExprId),
        copy: &GroupCopy,
    ) -> Option<Vec<usize>> {
        let base = self.eval(at, self.full);
        let scalar = self.program.ty(at).scalar;
        let firsts = items(self.full).map(|item| index(scalar, self.stack[base + item]));
        let firsts: Vec<i128> = firsts.collect();
        self.stack.truncate(base);
        if firsts.iter().any(|first| *first != firsts[0]) {
            self.fault(id, Faults::DIVERGENCE);
            return None;
        }
        let is_local = self.program.variable(array).space == Storage::Local;
        let stride = if is_local { 1 } else { copy.stride };
        let elements = (0..copy.count)
            .map(|number| self.element(array, firsts[0] + i128::from(number) * i128::from(stride)));
        let elements: Option<Vec<usize>> = elements.collect();
        if elements.is_none() {
            self.fault(id, Faults::RANGE);
        }
        elements
    }
}
