//! Copies by a whole group: tiles in local memory, tiles that are filled while others are used, and copies of what the
//! work-items own.

use super::Maker;
use super::loops::Rounds;
use crate::ir::{
    Binary, Block, Buffer, ExprId, ExprKind, GroupCopy, Place, ScalarType, StmtId, StmtKind,
    Storage, Ty, VarId, Variable, WorkItemId,
};
use crate::profile::Mode;
use crate::random::{SeedKey, Stream};

/// The tokens of the statements while a copy is made.
const ROOM: usize = 40;

/// An array in local memory that is filled by copies.
#[derive(Clone, Copy)]
struct CopiedTile {
    array: VarId,
    count: u32,
    stride: u32,
    /// The bytes that each `cp.async` copies.
    cp_async: Option<u8>,
}

impl CopiedTile {
    /// Indices of the first elements are multiples of this.
    fn unit(self) -> u32 {
        self.cp_async.map_or(1, |bytes| u32::from(bytes) / 4)
    }
}

impl Maker<'_> {
    /// True if copies by a group are among the features of the seed.
    pub(super) fn copies_by_group(&self) -> bool {
        self.synchronises() && self.features.weight("async_copy", Ty::INT) > 0
    }

    /// Copies elements by the whole group, and uses them.
    pub(super) fn group_copy(&mut self, key: SeedKey) -> Option<Block> {
        // Nothing leaves the statements beside a copy.
        let labels = std::mem::take(&mut self.labels);
        let made = self.any_copy(key);
        self.labels = labels;
        made
    }

    fn any_copy(&mut self, key: SeedKey) -> Option<Block> {
        let mut stream = key.stream();
        let key = key.child(1);
        if self.communication.is_some() && self.mode != Mode::Free && stream.chance(30) {
            return self.copy_of_own(&mut stream, key);
        }
        let group = self.program.sizes.group();
        let count = group * stream.pick(&[1, 1, 2, 3]);
        let count = if count < 3 { 4 } else { count.min(48) };
        let strided = self.features.weight("async_strided_copy", Ty::INT) > 0;
        let stride = if strided && stream.chance(40) { 2 + stream.below(2) as u32 } else { 1 };
        let rounds = 2 + stream.below(3);
        let fits = self.executions * rounds <= super::loops::MOST_EXECUTIONS;
        let doubles = fits && self.features.weight("loop", Ty::INT) > 0 && stream.chance(40);
        let name = format!("tile{}", self.program.variables.len());
        let cp_async = self.cp_async(if stride == 1 { &[4, 8, 16, 16] } else { &[4] }, key);
        let mut tile = CopiedTile { array: VarId(0), count, stride, cp_async };
        let count = count.next_multiple_of(tile.unit());
        tile.count = count;
        let length = Some(if doubles { 2 * count } else { count });
        let array = Variable { name, ty: Ty::INT, length, space: Storage::Local };
        tile.array = self.program.declare(array);
        match doubles {
            true => self.two_tiles(tile, rounds as u32, key),
            false => self.one_tile(tile, key),
        }
    }

    /// The bytes that each `cp.async` copies, where a copy is made by these.
    fn cp_async(&self, sizes: &[u8], key: SeedKey) -> Option<u8> {
        let is_on = self.features.are_of_cuda() && self.features.weight("cp_async", Ty::INT) > 0;
        let mut stream = key.named("cp_async").stream();
        (is_on && stream.chance(70)).then(|| stream.pick(sizes))
    }

    /// A tile that is filled and used; other statements are executed while it is filled.
    fn one_tile(&mut self, tile: CopiedTile, key: SeedKey) -> Option<Block> {
        let zero = self.program.literal(0, Ty::INT, key);
        let at = self.start_of(tile, 1, key.child(1))?;
        let body = self.block(ROOM, 0, key.child(2));
        let filled = self.filled(tile, zero, at, body, key)?;
        let mut block = vec![filled];
        block.extend(self.used(tile, None, key.child(3)));
        Some(block)
    }

    /// A loop in which one half of the array is filled while the other one is used.
    fn two_tiles(&mut self, tile: CopiedTile, rounds: u32, key: SeedKey) -> Option<Block> {
        let zero = self.program.literal(0, Ty::INT, key);
        let first = self.start_of(tile, rounds + 1, key.child(1))?;
        let (declared, base) = self.declare(Ty::INT, first, key);
        self.writable.pop();
        let at = self.read(base, key);
        let filled = self.filled(tile, zero, at, Block::new(), key)?;
        let mut stream = key.child(4).stream();
        let mut made = None;
        let repeated = self.counted(
            Rounds::each(rounds.into()),
            &mut stream,
            key.child(2),
            |maker, counter| {
                let next = maker.half(tile, counter, 1, key);
                let at = maker.tile_after(tile, base, counter, key);
                let used = maker.used(tile, Some((counter, 0)), key.child(5));
                made = maker.filled(tile, next, at, used, key);
                made.into_iter().collect()
            },
        );
        made?;
        // The half that was filled last.
        let last = self.program.literal((rounds % 2 * tile.count).into(), Ty::INT, key);
        let mut block = vec![declared, filled, repeated];
        block.extend(self.used_at(tile, last, key.child(6)));
        Some(block)
    }

    /// `(i + offset & 1) * count`.
    fn half(&mut self, tile: CopiedTile, counter: VarId, offset: i128, key: SeedKey) -> ExprId {
        let counter = self.read(counter, key);
        let [offset, one, count] =
            [offset, 1, tile.count.into()].map(|number| self.program.literal(number, Ty::INT, key));
        let sum = self.program.binary(Binary::Add, counter, offset, key);
        let parity = self.program.binary(Binary::And, sum, one, key);
        self.program.binary(Binary::Multiply, parity, count, key)
    }

    /// The index of the first element that comes after those of the tiles so far.
    fn tile_after(
        &mut self,
        tile: CopiedTile,
        base: VarId,
        counter: VarId,
        key: SeedKey,
    ) -> ExprId {
        let (base, counter) = (self.read(base, key), self.read(counter, key));
        let [one, count] = [1, i128::from(tile.count * tile.stride)]
            .map(|number| self.program.literal(number, Ty::INT, key));
        let number = self.program.binary(Binary::Add, counter, one, key);
        let offset = self.program.binary(Binary::Multiply, number, count, key);
        self.program.binary(Binary::Add, base, offset, key)
    }

    /// An index with which this number of tiles is within the buffer, the same for all work-items.
    fn start_of(&mut self, tile: CopiedTile, tiles: u32, key: SeedKey) -> Option<ExprId> {
        let room = Buffer::EMI.checked_sub(tiles * tile.count * tile.stride)?;
        let any = self.uniform(key.child(1));
        let unit = tile.unit();
        let cut = self.cut(any, (room / unit).max(1), key);
        let number = self.program.convert(cut, Ty::INT, key);
        if unit == 1 {
            return Some(number);
        }
        let unit = self.program.literal(unit.into(), Ty::INT, key);
        Some(self.program.binary(Binary::Multiply, number, unit, key))
    }

    /// The statement that fills a tile while the body is executed.
    fn filled(
        &mut self,
        tile: CopiedTile,
        at: ExprId,
        from: ExprId,
        body: Block,
        key: SeedKey,
    ) -> Option<StmtId> {
        let buffer = self.program.buffer(Buffer::Emi)?;
        let prefetches = self.features.weight("prefetch", Ty::INT) > 0
            && key.named("prefetch").stream().chance(50);
        let copy = GroupCopy {
            into: (tile.array, at),
            from: (buffer, from),
            count: tile.count,
            stride: tile.stride,
            prefetches,
            cp_async: tile.cp_async,
            body,
        };
        Some(self.program.statement(StmtKind::GroupCopy(copy), key))
    }

    fn used(&mut self, tile: CopiedTile, half: Option<(VarId, i128)>, key: SeedKey) -> Block {
        let first = match half {
            Some((counter, offset)) => self.half(tile, counter, offset, key),
            None => self.program.literal(0, Ty::INT, key),
        };
        self.used_at(tile, first, key)
    }

    /// `v = v ^ tile[first + lid % count]`.
    fn used_at(&mut self, tile: CopiedTile, first: ExprId, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let key = key.child(1);
        let count = self.program.literal(tile.count.into(), Ty::INT, key);
        // In the other modes, all work-items of a group compute the same.
        let number = if self.mode == Mode::Free && self.features.allows("id", Ty::INT) {
            let lid = self.program.add(ExprKind::Item(WorkItemId::LinearLocal), Ty::INT, key);
            let by = self.program.literal(stream.below(tile.count.into()).into(), Ty::INT, key);
            let sum = self.program.binary(Binary::Add, lid, by, key);
            self.program.binary(Binary::Remainder, sum, count, key)
        } else {
            let any = self.uniform(key.child(1));
            let cut = self.cut(any, tile.count, key);
            self.program.convert(cut, Ty::INT, key)
        };
        let at = self.program.binary(Binary::Add, first, number, key);
        let element = self.program.add(ExprKind::Element(tile.array, at), Ty::INT, key);
        if self.writable.is_empty() {
            return vec![self.program.statement(StmtKind::Hash(element), key)];
        }
        let target = stream.pick(&self.writable);
        let ty = self.program.variable(target).ty;
        let old = self.read(target, key);
        let element = self.fitted(element, ty, &mut stream, key.child(2));
        let value = self.combined(old, element, ty, key.child(3));
        self.unseen.push(target);
        vec![self.program.statement(StmtKind::Assign(Place::Variable(target), value), key)]
    }

    /// Copies the elements of all work-items of the group from local to global memory, or back.
    fn copy_of_own(&mut self, stream: &mut Stream, key: SeedKey) -> Option<Block> {
        let communication = self.communication?;
        let [local, global] =
            [true, false].map(|local| self.own_place(communication, local, key).0);
        let to_global = stream.chance(50);
        // The overwritten values count before.
        let (array, at) = self.own_place(communication, !to_global, key);
        let old = self.program.add(ExprKind::Element(array, at), Ty::scalar(ScalarType::Long), key);
        let seen = self.program.statement(StmtKind::Hash(old), key);
        let barrier = self.program.statement(StmtKind::Barrier, key);
        let count = self.program.sizes.group();
        let group = self.program.add(ExprKind::Item(WorkItemId::LinearGroup), Ty::INT, key);
        let size = self.program.literal(count.into(), Ty::INT, key);
        let first = self.program.binary(Binary::Multiply, group, size, key);
        let zero = self.program.literal(0, Ty::INT, key);
        let (here, there) = ((local, zero), (global, first));
        let (into, from) = if to_global { (there, here) } else { (here, there) };
        // Nothing is owned until the copy is made.
        self.communication = None;
        let body = self.block(ROOM, 0, key.child(2));
        self.communication = Some(communication);
        let cp_async = if to_global { None } else { self.cp_async(&[8], key) };
        let copy = GroupCopy { into, from, count, stride: 1, prefetches: false, cp_async, body };
        Some(vec![seen, barrier, self.program.statement(StmtKind::GroupCopy(copy), key)])
    }
}
