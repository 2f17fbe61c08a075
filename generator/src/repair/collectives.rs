//! Collective functions whose team does not come together, whose sums overflow, or that read from no lane.

use super::ProgramRepair;
use crate::interpret::Faults;
use crate::ir::{Binary, Collective, Joint, Place, StmtKind, WARP};
use crate::random::SeedKey;

/// A sum of values of a work-group that are smaller by this factor does not overflow: it has at most 64 work-items.
const SHIFT: i128 = 6;

impl ProgramRepair<'_> {
    pub(super) fn collective(
        &mut self,
        mut collective: Collective,
        faults: Faults,
        (key, again): (SeedKey, bool),
    ) -> StmtKind {
        let alone = StmtKind::Assign(Place::Variable(collective.into), collective.value);
        let key = key.named("collective");
        let ty = self.program.ty(collective.value);
        if again || faults.has(Faults::DIVERGENCE) {
            return alone;
        }
        if faults.has(Faults::ARITHMETIC) {
            if !self.features.allows("shift_right", ty) {
                return alone;
            }
            collective.value =
                self.operate(Binary::ShiftRight, collective.value, SHIFT, key.child(1));
        }
        if faults.has(Faults::RANGE) || faults.has(Faults::ORDER) {
            let Some(at) = collective.at else { return alone };
            let group = self.program.sizes.group();
            // In the last warp of a group, the upper lanes may be missing.
            let (count, width) = match collective.function.like() {
                Joint::Shuffle(_) => {
                    let width = 1 << group.trailing_zeros().min(WARP.ilog2());
                    (width, width.min(collective.width.into()))
                }
                _ if collective.function.is_of_sub_group() => (WARP, WARP),
                _ => (group, WARP),
            };
            collective.width = width as u8;
            collective.at = Some(match faults.has(Faults::ORDER) {
                true => self.program.literal((count / 2).into(), crate::ir::Ty::INT, key),
                false => self.modulo(at, count, key.child(2)),
            });
        }
        StmtKind::Collective(collective)
    }
}
