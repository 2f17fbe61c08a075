//! Products of tiles on tensor cores, with bytes that differ among the work-items.

use super::{Maker, shapes};
use crate::features::Features;
use crate::ir::{
    Binary, Block, ExprId, ExprKind, LANES, Mma, ScalarType, Sizes, StmtKind, Tile, Ty, VarId,
    WorkItemId,
};
use crate::profile::Mode;
use crate::random::{SeedKey, Stream};

/// The tokens of a product of small tiles, and of large ones.
const LEAST: [usize; 2] = [110, 230];
/// The tokens of kernels that can have groups of one warp, and of two.
const LEAST_OF_WARPS: [usize; 2] = [1000, 2200];

/// The sizes of a kernel whose groups are whole warps: some of those in CUDA.
pub(super) fn warps(
    mode: Mode,
    features: &Features,
    tokens: usize,
    stream: &mut Stream,
) -> Option<Sizes> {
    let mut tiles = Tile::ALL.into_iter();
    let is_on = tiles.any(|tile| features.weight(tile.name(), Ty::INT) > 0);
    let fits =
        features.are_of_cuda() && mode.has_barriers() && is_on && tokens >= LEAST_OF_WARPS[0];
    if !fits || !stream.chance(30) {
        return None;
    }
    let group = if tokens >= LEAST_OF_WARPS[1] && stream.chance(40) { 64 } else { 32 };
    Some(shapes::of_group(group, 64 / group, stream))
}

impl Maker<'_> {
    /// The largest tiles whose product has room, if the seed has such products.
    pub(super) fn tiles(&self, room: usize) -> Option<Tile> {
        let is_whole = self.program.sizes.group().is_multiple_of(LANES as u32);
        let uint = Ty::scalar(ScalarType::Uint);
        let fits = is_whole
            && self.features.are_of_cuda()
            && self.synchronises()
            && self.features.allows("uint", uint);
        let on = |tile: &Tile| self.features.weight(tile.name(), Ty::INT) > 0;
        let tiles = Tile::ALL.into_iter().zip(LEAST).rev().filter(|(tile, _)| fits && on(tile));
        tiles.filter(|(_, least)| room > *least).map(|(tile, _)| tile).next()
    }

    /// A product of tiles. If `declares`, the statements after it may use the sums.
    pub(super) fn product(&mut self, tile: Tile, declares: bool, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let [first, second, sums] = tile.words();
        let mut block = Block::new();
        let is_kept = declares && self.mode == Mode::Free;
        let mut names: Vec<VarId> = Vec::new();
        for index in 0..sums as u64 {
            let value = self.leaf(Ty::INT, key.child(10 + index));
            let (declared, sum) = if is_kept {
                self.declare(Ty::INT, value, key)
            } else {
                let sum = self.variable('v', Ty::INT, None);
                (self.program.statement(StmtKind::Declare(sum, value), key), sum)
            };
            block.push(declared);
            names.push(sum);
        }
        let mut word = |number: usize| self.word(key.child(20 + number as u64));
        let a = (0..first).map(&mut word).collect();
        let b = (first..first + second).map(&mut word).collect();
        let signed = [stream.chance(50), stream.chance(50)];
        let mma = Mma { tile, signed, a, b, sums: names.clone().into() };
        block.push(self.program.statement(StmtKind::Mma(mma), key));
        if !is_kept {
            block.extend(names.into_iter().map(|sum| self.hashed(sum, key)));
        }
        block
    }

    /// Four bytes: `v ^ (uint)lid * 2654435769U`.
    fn word(&mut self, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        let uint = Ty::scalar(ScalarType::Uint);
        let value = self.leaf(uint, key.child(1));
        let needs = [("id", Ty::INT), ("convert", uint), ("multiply", uint), ("xor", uint)];
        if needs.iter().any(|(name, ty)| !self.features.allows(name, *ty)) || stream.chance(10) {
            return value;
        }
        let item = stream.pick(&[WorkItemId::LinearLocal, WorkItemId::LinearGlobal]);
        let item = self.program.add(ExprKind::Item(item), Ty::INT, key);
        let item = self.program.convert(item, uint, key);
        let by = self.program.literal((stream.next() | 1).into(), uint, key);
        let product = self.program.binary(Binary::Multiply, item, by, key);
        self.program.binary(Binary::Xor, value, product, key)
    }
}
