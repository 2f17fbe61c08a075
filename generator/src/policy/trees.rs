//! Values of a group that are combined in local memory, two at a time: half as many in each round.

use super::Maker;
use super::loops::{MOST_EXECUTIONS, Rounds};
use crate::ir::{Binary, Block, ExprId, ExprKind, Place, StmtKind, Ty, VarId};
use crate::random::SeedKey;

impl Maker<'_> {
    /// True if a group can combine its values here.
    pub(super) fn combines(&self) -> bool {
        let needs = ["id", "loop", "less", "add", "shift_right"];
        self.features.weight("tree", Ty::INT) > 0
            && needs.iter().all(|name| self.features.allows(name, Ty::INT))
            && !self.writable.is_empty()
            && self.program.sizes.group() > 1
            && self.executions * 5 <= MOST_EXECUTIONS
    }

    /// `for (i = 0; i < 3; i++) { if (lid < 4 >> i) a[lid] += a[lid + (4 >> i)]; barrier; }`.
    pub(super) fn tree(&mut self, depth: u32, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let target = stream.pick(&self.writable);
        let ty = self.program.variable(target).ty;
        let group = self.program.sizes.group();
        let (array, written) = self.written_elements(ty, depth, key);
        let half = group.next_power_of_two() / 2;
        let rounds = Rounds::each(i64::from(half.ilog2()) + 1);
        let combined = self.counted(rounds, &mut stream, key.child(2), |maker, counter| {
            let condition = maker.has_partner(half, counter, key);
            let (lid, at) = (maker.lid(key), maker.partner_of(half, counter, key));
            let [a, b] =
                [lid, at].map(|at| maker.program.add(ExprKind::Element(array, at), ty, key));
            let value = maker.combined(a, b, ty, key.child(3));
            let own = maker.lid(key);
            let write = StmtKind::Assign(Place::Element(array, own), value);
            let write = vec![maker.program.statement(write, key)];
            let branch = maker.program.statement(StmtKind::If(condition, write, Block::new()), key);
            vec![branch, maker.program.statement(StmtKind::Barrier, key)]
        });
        let first = self.program.literal(0, Ty::INT, key);
        let read = self.program.add(ExprKind::Element(array, first), ty, key);
        let read = self.program.statement(StmtKind::Assign(Place::Variable(target), read), key);
        self.unseen.push(target);
        written.into_iter().chain([combined, read]).collect()
    }

    /// `half >> i`.
    fn distance(&mut self, half: u32, counter: VarId, key: SeedKey) -> ExprId {
        let half = self.program.literal(half.into(), Ty::INT, key);
        let counter = self.read(counter, key);
        self.program.binary(Binary::ShiftRight, half, counter, key)
    }

    /// `lid + (half >> i)`.
    fn partner_of(&mut self, half: u32, counter: VarId, key: SeedKey) -> ExprId {
        let (lid, distance) = (self.lid(key), self.distance(half, counter, key));
        self.program.binary(Binary::Add, lid, distance, key)
    }

    /// `lid < half >> i`, and, where the group is no power of two, `lid + (half >> i)` is in the group.
    fn has_partner(&mut self, half: u32, counter: VarId, key: SeedKey) -> ExprId {
        let (lid, distance) = (self.lid(key), self.distance(half, counter, key));
        let is_left = self.program.binary(Binary::Less, lid, distance, key);
        let group = self.program.sizes.group();
        if group.is_power_of_two() || !self.features.allows("logical_and", Ty::INT) {
            return is_left;
        }
        let partner = self.partner_of(half, counter, key);
        let size = self.program.literal(group.into(), Ty::INT, key);
        let is_there = self.program.binary(Binary::Less, partner, size, key);
        self.program.binary(Binary::LogicalAnd, is_left, is_there, key)
    }
}
