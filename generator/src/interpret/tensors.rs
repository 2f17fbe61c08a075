//! Products of tiles, warp by warp.

use super::{Faults, Machine};
use crate::ir::{ExprId, LANES, Mma, ScalarType, StmtId, Tile};

impl Machine<'_> {
    pub(super) fn mma(&mut self, id: StmtId, mma: &Mma, mask: u64) {
        if mask != self.full || !self.width.is_multiple_of(LANES) {
            self.fault(id, Faults::DIVERGENCE);
            return;
        }
        let [a, b] = [&mma.a, &mma.b].map(|words| self.words(words));
        for first in (0..self.width).step_by(LANES) {
            let a = tile(&a, first, mma.signed[0], |l, w, b| mma.tile.of_first(l, w, b));
            let b = tile(&b, first, mma.signed[1], |l, w, b| mma.tile.of_second(l, w, b));
            for lane in 0..LANES {
                for (word, sum) in mma.sums.iter().enumerate() {
                    let (row, column) = mma.tile.of_sums(lane, word);
                    let terms = (0..mma.tile.sizes().1).map(|k| a[row][k] * b[k][column]);
                    let place = self.memory.start(*sum) + first + lane;
                    let value = &mut self.memory.values_mut()[place];
                    *value = ScalarType::Int.wrap(i128::from(*value + terms.sum::<i64>()));
                }
            }
        }
        self.report.steps += (mma.tile.sizes().1 * mma.sums.len() * self.width) as u64;
    }

    /// The values of expressions, for each work-item.
    fn words(&mut self, words: &[ExprId]) -> Vec<Vec<i64>> {
        let values = words.iter().map(|word| {
            let at = self.eval(*word, self.full);
            let values = self.stack[at..at + self.width].to_vec();
            self.stack.truncate(at);
            values
        });
        values.collect()
    }
}

/// The matrix that the words of a warp are, where `place` says where the bytes belong.
fn tile(
    words: &[Vec<i64>],
    first: usize,
    is_signed: bool,
    place: impl Fn(usize, usize, usize) -> (usize, usize),
) -> [[i64; 32]; 32] {
    let mut tile = [[0; 32]; 32];
    for (word, values) in words.iter().enumerate() {
        for lane in 0..LANES {
            for byte in 0..4 {
                let bits = (values[first + lane] >> (8 * byte)) as u8;
                let (row, column) = place(lane, word, byte);
                tile[row][column] = if is_signed { (bits as i8).into() } else { bits.into() };
            }
        }
    }
    tile
}

const _: () = assert!(Tile::COLUMNS <= 32);
