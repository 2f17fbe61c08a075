//! Values that a group puts together by atomic functions whose results are used.

use super::{Faults, Machine, items};
use crate::ir::{CombineMethod, Gather, ScalarType, StmtId};

impl Machine<'_> {
    pub(super) fn gather(&mut self, id: StmtId, gather: &Gather, mask: u64) {
        self.barrier(id, mask);
        let mut sum = gather.first;
        match gather.way {
            CombineMethod::Ticket(variable) => {
                let start = self.memory.start(variable);
                for ticket in 0..i64::from(mask.count_ones()) {
                    // Any of the work-items can have it.
                    for item in items(mask) {
                        self.memory.values_mut()[start + item] = ticket;
                    }
                    let at = self.eval(gather.value, mask);
                    let mut values = items(mask).map(|item| self.stack[at + item]);
                    let first = values.next().unwrap_or(0);
                    let differs = values.any(|value| value != first);
                    self.stack.truncate(at);
                    if differs {
                        self.fault(id, Faults::ORDER);
                    }
                    sum = gather.function.apply(ScalarType::Int, sum, first);
                }
            }
            CombineMethod::CompareExchange => {
                let at = self.eval(gather.value, mask);
                for item in items(mask) {
                    sum = gather.function.apply(ScalarType::Int, sum, self.stack[at + item]);
                }
                self.stack.truncate(at);
            }
        }
        self.barrier(id, mask);
        let start = self.memory.start(gather.into);
        for item in items(mask) {
            self.memory.values_mut()[start + item] = sum;
        }
        self.barrier(id, mask);
    }
}
