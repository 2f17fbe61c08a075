//! Limits on what a pass looks at, so that a large program does not cost the square of its size. A pass
//! that leaves something out because of one says so: [`Snapshot::take_left_out`].

use crate::left_out::LeftOut;
use crate::snapshot::Snapshot;

/// A limit of one pass.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The things that are counted, as a person would say it: "calls of one function".
    of: &'static str,
    most: usize,
}

impl Budget {
    pub(crate) const fn new(of: &'static str, most: usize) -> Self {
        Self { of, most }
    }

    /// The limit itself.
    pub(crate) fn most(&self, snapshot: &Snapshot) -> usize {
        snapshot.budgets_at_most().map_or(self.most, |most| self.most.min(most))
    }

    /// Returns true if so many things are within the limit. If they are not, the snapshot notes it.
    pub(crate) fn allows(&self, snapshot: &Snapshot, count: usize) -> bool {
        let most = self.most(snapshot);
        if count > most {
            snapshot.leave_out(LeftOut { of: self.of, most });
        }
        count <= most
    }

    /// The first things up to the limit. If there are more, the snapshot notes it.
    pub(crate) fn take<'a, T>(
        &'a self,
        snapshot: &'a Snapshot,
        things: impl IntoIterator<Item = T>,
    ) -> impl Iterator<Item = T> {
        let counted = things.into_iter().zip(1..);
        counted.take_while(|(_, count)| self.allows(snapshot, *count)).map(|(thing, _)| thing)
    }
}
