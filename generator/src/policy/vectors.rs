//! Vectors of parts, and parts of vectors.

use super::Maker;
use crate::ir::{ExprId, ExprKind, Swizzle, Ty};
use crate::random::{SeedKey, Stream};

impl Maker<'_> {
    /// A vector from parts: one for all lanes, or two or more.
    pub(super) fn vector(
        &mut self,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> ExprId {
        let parts: &[u8] = match (ty.lanes, stream.below(3)) {
            (_, 0) => &[1],
            (2, _) => &[1, 1],
            (3, 1) => &[1, 2],
            (3, _) => &[2, 1],
            (4, 1) => &[1, 1, 1, 1],
            (4, _) => &[2, 2],
            (8, 1) => &[4, 2, 2],
            (8, _) => &[4, 4],
            (_, 1) => &[8, 4, 4],
            _ => &[8, 8],
        };
        let parts = (0..).zip(parts).map(|(index, &lanes)| {
            let part = Ty { lanes, ..ty };
            let part = if self.features.allows("vector", part) || lanes == 1 { part } else { ty };
            (part, key.child(1 + index))
        });
        let parts: Vec<_> = parts.collect();
        if parts.iter().any(|(part, _)| part.lanes == ty.lanes) {
            return self.leaf(ty, key.child(8));
        }
        let parts = parts.into_iter().map(|(part, key)| self.expression(part, depth - 1, key));
        let parts = parts.collect();
        self.program.add(ExprKind::Vector(parts), ty, key)
    }

    pub(super) fn swizzled(
        &mut self,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let lanes = self.lanes(ty.scalar, stream)?;
        let of = Ty { lanes, ..ty };
        let chosen: Vec<u8> = if of.lanes == 2 * ty.lanes && stream.chance(50) {
            let (start, step) = stream.pick(&[(0, 1), (ty.lanes, 1), (0, 2), (1, 2)]);
            (0..ty.lanes).map(|lane| start + lane * step).collect()
        } else {
            (0..ty.lanes).map(|_| stream.below(lanes.into()) as u8).collect()
        };
        let a = self.expression(of, depth - 1, key.child(1));
        Some(self.program.add(ExprKind::Swizzle(a, Swizzle::new(&chosen)), ty, key))
    }
}
