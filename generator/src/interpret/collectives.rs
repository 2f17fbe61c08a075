//! Collective functions of work-groups, sub-groups and warps. The whole team has to come to them.

use super::{Faults, Machine, index, items};
use crate::ir::{Collective, Joint, ScalarType, StmtId, WARP};

impl Machine<'_> {
    pub(super) fn collective(&mut self, id: StmtId, collective: &Collective, mask: u64) {
        let base = self.eval(collective.value, mask);
        let at = collective.at.map(|at| (self.eval(at, mask), self.program.ty(at).scalar));
        let scalar = self.program.ty(collective.value).scalar;
        let of_sub_group = collective.function.is_of_sub_group();
        // Other sub-groups depend on the device.
        if of_sub_group && !self.program.sizes.has_whole_sub_groups() {
            self.fault(id, Faults::DIVERGENCE);
        }
        let is_of_lanes = collective.function.is_of_warp() || of_sub_group;
        let size = if is_of_lanes { WARP as usize } else { self.width };
        for first in (0..self.width).step_by(size) {
            let team = first..self.width.min(first + size);
            let members = team.clone().fold(0, |members, item| members | 1_u64 << item);
            if mask & members == 0 {
                continue;
            }
            if mask & members != members {
                self.fault(id, Faults::DIVERGENCE);
                continue;
            }
            let values: Vec<i64> = team.clone().map(|item| self.stack[base + item]).collect();
            if collective.function.adds() && !fits(scalar, &values) {
                self.fault(id, Faults::ARITHMETIC);
            }
            let places: Vec<i128> = at.map_or_else(Vec::new, |(at, scalar)| {
                team.clone().map(|item| index(scalar, self.stack[at + item])).collect()
            });
            let from = self.sources(id, collective, &places);
            let results = collective.function.results(scalar, &values, &from);
            let start = self.memory.start(collective.into);
            for (item, result) in team.zip(results) {
                match result {
                    Some(result) => self.memory.values_mut()[start + item] = result,
                    None => self.fault(id, Faults::RANGE),
                }
            }
        }
        self.stack.truncate(base);
        self.report.steps += items(mask).count() as u64;
    }

    /// The member of the team that each member reads from.
    fn sources(
        &mut self,
        id: StmtId,
        collective: &Collective,
        places: &[i128],
    ) -> Vec<Option<usize>> {
        // Every work-item of the team has to name the same one.
        let function = collective.function.like();
        if function == Joint::Broadcast && places.iter().any(|at| *at != places[0]) {
            self.fault(id, Faults::ORDER);
        }
        let source = |(lane, at): (u32, &i128)| match function {
            Joint::Shuffle(shuffle) => {
                let by = u32::try_from(*at).ok().filter(|by| *by < WARP)?;
                Some(shuffle.source(lane, by, collective.width.into()) as usize)
            }
            _ => usize::try_from(*at).ok(),
        };
        (0..).zip(places).map(source).collect()
    }
}

/// True if no sum of some of the numbers overflows, whichever they are. Sums of unsigned numbers are defined.
fn fits(scalar: ScalarType, values: &[i64]) -> bool {
    let numbers = values.iter().map(|&value| scalar.value(value));
    let (negative, positive): (Vec<i128>, Vec<i128>) = numbers.partition(|number| *number < 0);
    !scalar.is_signed()
        || (positive.iter().sum::<i128>() <= scalar.greatest()
            && negative.iter().sum::<i128>() >= scalar.least())
}
