//! Products of tiles of bytes, which a whole warp computes on its tensor cores.

use super::{ExprId, VarId};

/// The work-items of a warp: those whose numbers in the group have the same quotient by this.
pub const LANES: usize = 32;

/// `mma.sync` of PTX: a product of two tiles of 8-bit integers is added to a tile of `int`. All work-items of the group come to
/// it, and each has a fragment of each tile.
#[derive(Clone, Debug)]
pub struct Mma {
    /// The sizes of the tiles.
    pub tile: Tile,
    /// True for each of the first two tiles if its bytes have a sign.
    pub signed: [bool; 2],
    /// The words of the first tile that a work-item has, each of type `uint`.
    pub a: Box<[ExprId]>,
    /// Those of the second tile.
    pub b: Box<[ExprId]>,
    /// Variables of type `int`: the sums of the work-item, to which its part of the product is added modulo 2^32.
    pub sums: Box<[VarId]>,
}

/// The sizes of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// 8 rows and 16 columns, times 16 rows and 8 columns.
    M8N8K16,
    /// 16 rows and 32 columns, times 32 rows and 8 columns.
    M16N8K32,
}

impl Tile {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::M8N8K16, Self::M16N8K32];
    /// The columns of the second tile and of the sums.
    pub const COLUMNS: usize = 8;

    /// The name of the function, which `--avoid` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::M8N8K16 => "mma_m8n8k16",
            Self::M16N8K32 => "mma_m16n8k32",
        }
    }

    /// The rows of the first tile, and its columns.
    #[must_use]
    pub fn sizes(self) -> (usize, usize) {
        match self {
            Self::M8N8K16 => (8, 16),
            Self::M16N8K32 => (16, 32),
        }
    }

    /// The numbers of words that a work-item has of the first tile, of the second, and of the sums.
    #[must_use]
    pub fn words(self) -> [usize; 3] {
        match self {
            Self::M8N8K16 => [1, 1, 2],
            Self::M16N8K32 => [4, 2, 4],
        }
    }

    /// The row and the column of a byte of the first tile.
    #[must_use]
    pub fn of_first(self, lane: usize, word: usize, byte: usize) -> (usize, usize) {
        (lane / 4 + word % 2 * 8, lane % 4 * 4 + byte + word / 2 * 16)
    }

    /// The row and the column of a byte of the second tile.
    #[must_use]
    pub fn of_second(self, lane: usize, word: usize, byte: usize) -> (usize, usize) {
        (lane % 4 * 4 + byte + word * 16, lane / 4)
    }

    /// The row and the column of a sum.
    #[must_use]
    pub fn of_sums(self, lane: usize, word: usize) -> (usize, usize) {
        (lane / 4 + word / 2 * 8, lane % 4 * 2 + word % 2)
    }
}
