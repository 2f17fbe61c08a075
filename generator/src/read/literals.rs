//! Numbers as they are written, and constant expressions.

use super::{Read, Reader};
use crate::ir::{Binary, ExprId, ExprKind, ScalarType, Ty, Unary};

/// The value and the type of an integer constant (C99, 6.4.4.1, with 64 bits for `long`).
pub(super) fn literal(text: &str) -> Option<(i128, ScalarType)> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if lower.starts_with('0') => (&*lower, 8),
        None => (&*lower, 10),
    };
    let end = digits.find(['u', 'l']).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let is_decimal = radix == 10;
    let candidates: &[ScalarType] = match (suffix, is_decimal) {
        ("", true) => &[ScalarType::Int, ScalarType::Long],
        ("", false) => &[ScalarType::Int, ScalarType::Uint, ScalarType::Long, ScalarType::Ulong],
        ("u", _) => &[ScalarType::Uint, ScalarType::Ulong],
        ("l", true) => &[ScalarType::Long],
        ("l", false) => &[ScalarType::Long, ScalarType::Ulong],
        ("ul" | "lu", _) => &[ScalarType::Ulong],
        _ => return None,
    };
    let fits = |scalar: &&ScalarType| value <= scalar.greatest();
    candidates.iter().find(fits).map(|scalar| (value, *scalar))
}

impl Reader<'_> {
    pub(super) fn number(&mut self) -> Read<ExprId> {
        let Some((value, scalar)) = literal(self.tokens.peek()) else {
            return Err(self.tokens.outside_here());
        };
        self.tokens.next();
        Ok(self.literal(value, Ty::scalar(scalar)))
    }

    /// The lanes of a constant expression, as stored bits.
    pub(super) fn constant(&self, id: ExprId) -> Option<Vec<i64>> {
        let ty = self.program.ty(id);
        let scalar = ty.scalar;
        let exact = |number: i128| {
            let stored = scalar.wrap(number);
            let fits = !scalar.is_signed() || scalar.value(stored) == number;
            fits.then_some(vec![stored])
        };
        let one = |id: ExprId| {
            let lanes = self.constant(id)?;
            let from = self.program.ty(id);
            (!from.is_vector()).then(|| from.scalar.value(lanes[0]))
        };
        match &self.program.expr(id).kind {
            ExprKind::Literal(stored) => Some(vec![*stored; usize::from(ty.lanes)]),
            ExprKind::Vector(parts) => {
                let parts = parts.iter().map(|part| self.constant(*part));
                let lanes = parts.collect::<Option<Vec<_>>>()?.concat();
                let is_splat = lanes.len() == 1;
                Some(if is_splat { vec![lanes[0]; usize::from(ty.lanes)] } else { lanes })
            }
            ExprKind::Convert(from) => {
                let lanes = self.constant(*from)?;
                let from = self.program.ty(*from).scalar;
                Some(lanes.into_iter().map(|lane| scalar.wrap(from.value(lane))).collect())
            }
            ExprKind::Unary(Unary::Minus, a) if !ty.is_vector() => exact(-one(*a)?),
            ExprKind::Unary(Unary::Complement, a) if !ty.is_vector() => exact(!one(*a)?),
            ExprKind::Binary(operator, a, b) if !ty.is_vector() => {
                let convert = |id: ExprId| {
                    let number = one(id)?;
                    Some(scalar.value(scalar.wrap(number)))
                };
                let (a, b) = (convert(*a)?, convert(*b)?);
                match operator {
                    Binary::Add => exact(a + b),
                    Binary::Subtract => exact(a - b),
                    Binary::Multiply => exact(a.checked_mul(b)?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Reads a constant expression, whose value is a scalar.
    pub(super) fn constant_number(&mut self) -> Read<i128> {
        let read = self.expression()?;
        let id = self.value(read)?;
        let ty = self.program.ty(id);
        match self.constant(id) {
            Some(lanes) if !ty.is_vector() => Ok(ty.scalar.value(lanes[0])),
            _ => Err(self.tokens.outside("an expression in place of a constant")),
        }
    }
}
