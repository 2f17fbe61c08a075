//! Operators, with the types that OpenCL C demands of their operands.

use super::operands::Operand;
use super::{Read, Reader};
use crate::ir::{Address, Binary, ExprId, ExprKind, Ty, Unary};

/// The operators with two operands, by their precedence, from the one that binds least.
pub(super) fn operator(text: &str) -> Option<(Binary, u8)> {
    let precedence = match text {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | "<=" | ">" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    };
    Some((with_text(text)?, precedence))
}

/// The operator of an assignment such as `+=`.
pub(super) fn compound(text: &str) -> Option<Binary> {
    with_text(text.strip_suffix('=')?).filter(|operator| !operator.is_relational())
}

fn with_text(text: &str) -> Option<Binary> {
    let all = Binary::ARITHMETIC.into_iter().chain(Binary::RELATIONAL);
    all.into_iter().find(|operator| operator.texts().0 == text)
}

/// True if a scalar can stand beside a vector: its type must not have a higher rank than that of the lanes, nor the same
/// without a sign where they have one.
fn widens(scalar: Ty, vector: Ty) -> bool {
    let (from, to) = (scalar.scalar, vector.scalar);
    if to.is_signed() && !from.is_signed() {
        from.bits() < to.bits()
    } else {
        from.bits() <= to.bits()
    }
}

impl Reader<'_> {
    pub(super) fn unary_operator(&mut self, operator: Unary, a: ExprId) -> ExprId {
        let ty = operator.result(self.program.ty(a));
        self.node(ExprKind::Unary(operator, a), ty)
    }

    /// An operator on values.
    pub(super) fn binary_operator(
        &mut self,
        operator: Binary,
        a: ExprId,
        b: ExprId,
    ) -> Read<ExprId> {
        let (first, second) = (self.program.ty(a), self.program.ty(b));
        let fits = match (first.is_vector(), second.is_vector()) {
            (false, false) => true,
            (true, true) if operator.is_shift() => first.lanes == second.lanes,
            (true, true) => first == second,
            // The amount counts modulo the width of a lane, so that no bit of importance is lost.
            (true, false) if operator.is_shift() => true,
            (true, false) => widens(second, first),
            (false, true) => !operator.is_shift() && widens(first, second),
        };
        if !fits {
            let text = operator.texts().0;
            return Err(self.tokens.flaw(&format!("`{text}` on `{first}` and `{second}`")));
        }
        Ok(self.node(ExprKind::Binary(operator, a, b), operator.result(first, second)))
    }

    /// An operator on operands, which may be pointers.
    pub(super) fn combine(&mut self, operator: Binary, a: Operand, b: Operand) -> Read<Operand> {
        match (operator, self.pointer(&a), self.pointer(&b)) {
            (_, None, None) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.binary_operator(operator, a, b).map(Operand::Value)
            }
            (Binary::Add, Some((Address::Value(path), shape, region)), None) => {
                let by = self.scalar(b)?;
                Ok(Operand::Address(Address::Moved(path, by), shape, region))
            }
            (Binary::Equal | Binary::NotEqual, first, second) => {
                let pointer = first.or(second);
                let Some((_, shape, region)) = pointer else {
                    return Err(self.tokens.outside("a comparison of pointers"));
                };
                let both = [self.address(&a, &shape, region)?, self.address(&b, &shape, region)?];
                let same = self.node(ExprKind::SameAddress(Box::new(both)), Ty::INT);
                let is_not = operator == Binary::NotEqual;
                let id = if is_not { self.unary_operator(Unary::Not, same) } else { same };
                Ok(Operand::Value(id))
            }
            _ => Err(self.tokens.outside("an operator on pointers")),
        }
    }

    /// `a ? b : c`.
    pub(super) fn choice(&mut self, a: ExprId, b: ExprId, c: ExprId) -> Read<ExprId> {
        let [condition, first, second] = [a, b, c].map(|id| self.program.ty(id));
        let is_scalar = !first.is_vector() && !second.is_vector();
        let (b, c) = match (first.is_vector(), second.is_vector()) {
            (true, false) if widens(second, first) => (b, self.coerce(c, first)?),
            (false, true) if widens(first, second) => (self.coerce(b, second)?, c),
            _ => (b, c),
        };
        let [first, second] = [b, c].map(|id| self.program.ty(id));
        let ty = match condition.is_vector() {
            false if is_scalar => Ty::scalar(first.scalar.usual(second.scalar)),
            false if first == second => first,
            true if first == second
                && condition.lanes == first.lanes
                && condition.scalar.is_signed()
                && condition.scalar.bits() == first.scalar.bits() =>
            {
                first
            }
            _ => return Err(self.tokens.outside("`?:` on operands of these types")),
        };
        Ok(self.node(ExprKind::Conditional(a, b, c), ty))
    }
}
