//! Calls of collective functions, with values that differ among the work-items.

use super::Maker;
use crate::ir::{
    Binary, Block, Collective, ExprId, ExprKind, Joint, ScalarType, Shuffle, StmtKind, Ty, WARP,
    WorkItemId,
};
use crate::profile::Mode;
use crate::random::{SeedKey, Stream};

impl Maker<'_> {
    /// True if collective functions are among the features of the seed.
    pub(super) fn has_collectives(&self) -> bool {
        let exchanges = self.mode.has_barriers() || self.mode.has_reductions();
        let is_on = |function: &Joint| self.features.joint(*function, Ty::INT) > 0;
        exchanges && !self.is_pure() && Joint::ALL.iter().any(is_on)
    }

    /// A call of a collective function. What it declares may be used by the statements after it, if they are in the same block.
    pub(super) fn collective(&mut self, depth: u32, declares: bool, key: SeedKey) -> Option<Block> {
        self.collective_among(|_| true, depth, declares, key)
    }

    /// A call of a function of sub-groups at the beginning, so that each kernel has one whose seed has any.
    pub(super) fn start_sub_groups(&mut self, key: SeedKey) -> Block {
        if !self.has_collectives() || !self.features.has_sub_groups() {
            return Block::new();
        }
        self.collective_among(Joint::is_of_sub_group, 2, true, key).unwrap_or_default()
    }

    /// A call of one of the functions that are wanted.
    fn collective_among(
        &mut self,
        is_wanted: impl Fn(Joint) -> bool,
        depth: u32,
        declares: bool,
        key: SeedKey,
    ) -> Option<Block> {
        let mut stream = key.stream();
        let weights = Joint::ALL.map(|function| {
            let weight = self.features.joint(function, Ty::INT);
            (if is_wanted(function) { weight } else { 0 }, function)
        });
        let function = stream.weighted(&weights)?;
        let ty = Ty::scalar(stream.pick(function.types()));
        let result = function.result(ty);
        if [ty, result].iter().any(|ty| !self.features.allows(function.name(), *ty)) {
            return None;
        }
        let value = self.contribution(function, ty, depth, key.child(1));
        let width = match function {
            Joint::Shuffle(_) if stream.chance(40) => 2 << stream.below(4),
            _ => WARP as u8,
        };
        let at = self.second_argument(function, width, &mut stream, key.child(2));
        let syncs = function.is_of_warp() && stream.chance(15);
        let zero = self.program.literal(0, result, key);
        // Where all work-items of a group compute the same, nothing reads what differs.
        let is_kept = self.mode == Mode::Free || !function.varies();
        let same = self.writable.iter().copied();
        let same: Vec<_> = same.filter(|id| self.program.variable(*id).ty == result).collect();
        let is_old = is_kept && !same.is_empty() && stream.chance(if declares { 30 } else { 80 });
        let (before, into) = if is_old {
            let into = stream.pick(&same);
            (self.hashed(into, key), into)
        } else if is_kept && declares {
            self.declare(result, zero, key)
        } else {
            let into = self.variable('v', result, None);
            (self.program.statement(StmtKind::Declare(into, zero), key), into)
        };
        let call = Collective { function, value, at, width, syncs, into };
        let mut block = vec![before, self.program.statement(StmtKind::Collective(call), key)];
        if is_old {
            self.unseen.push(into);
        } else if !(is_kept && declares) {
            block.push(self.hashed(into, key));
        }
        Some(block)
    }

    /// An expression of exactly a type, mostly with the number of the work-item in it.
    fn contribution(&mut self, function: Joint, ty: Ty, depth: u32, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        let value = self.expression(ty, depth, key.child(1));
        let value = self.program.convert(value, ty, key);
        if !self.features.allows("id", Ty::INT) || stream.chance(20) {
            return value;
        }
        let items = [WorkItemId::LinearLocal, WorkItemId::LinearGlobal];
        let item = self.program.add(ExprKind::Item(stream.pick(&items)), Ty::INT, key);
        // A condition with some bits of the number holds for some.
        let is_condition =
            function.is_vote() || matches!(function, Joint::Ballot | Joint::MatchAny);
        let number = if is_condition {
            let bits = self.program.literal(stream.within(1, 7).into(), Ty::INT, key);
            self.program.binary(Binary::And, item, bits, key)
        } else {
            item
        };
        let number = self.program.convert(number, ty, key);
        let operators = [Binary::Xor, Binary::Add, Binary::Multiply, Binary::Subtract];
        let weights = operators.map(|operator| (self.features.binary(operator, ty), operator));
        match stream.weighted(&weights) {
            Some(operator) if stream.chance(80) => {
                self.program.binary(operator, value, number, key)
            }
            _ => number,
        }
    }

    fn second_argument(
        &mut self,
        function: Joint,
        width: u8,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let count = match function.like() {
            Joint::Broadcast if function.is_of_sub_group() => WARP,
            Joint::Broadcast => self.program.sizes.group(),
            Joint::Shuffle(_) => self.program.sizes.group().min(width.into()),
            _ => return None,
        };
        let any = match function.like() {
            // Each lane can ask for another one.
            Joint::Shuffle(Shuffle::To)
                if stream.chance(60) && self.features.allows("id", Ty::INT) =>
            {
                let lid = self.lid(key);
                let by = self.program.literal(stream.within(1, 31).into(), Ty::INT, key);
                let operator = stream.pick(&[Binary::Add, Binary::Xor, Binary::Multiply]);
                self.program.binary(operator, lid, by, key)
            }
            Joint::Shuffle(_) if stream.chance(50) => {
                let by = stream.within(0, i64::from(count) - 1);
                return Some(self.program.literal(by.into(), Ty::INT, key));
            }
            _ => self.uniform(key.child(1)),
        };
        let uint = Ty::scalar(ScalarType::Uint);
        let cut = self.cut(any, count, key);
        let cut = if self.features.allows("uint", uint) { cut } else { any };
        Some(self.program.convert(cut, Ty::INT, key))
    }
}
