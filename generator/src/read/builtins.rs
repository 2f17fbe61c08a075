//! Built-in functions on integers, with exactly the parameters that OpenCL C gives them: a compiler need not find
//! another overload.

use super::{Read, Reader};
use crate::ir::{Builtin, BuiltinSignature, ExprId, ExprKind, ScalarType, Ty};

impl Reader<'_> {
    /// A call of a built-in function.
    pub(super) fn builtin(&mut self, function: Builtin, arguments: Vec<ExprId>) -> Read<ExprId> {
        let arguments = self.widened(function, arguments)?;
        let types: Vec<Ty> = arguments.iter().map(|id| self.program.ty(*id)).collect();
        let ty = result(function, &types).filter(|_| function.since() <= 120);
        let Some(ty) = ty else {
            let names: Vec<String> = types.iter().map(Ty::to_string).collect();
            let call = format!("{}({})", function.name(), names.join(", "));
            return Err(match is_ambiguous(function, &types) {
                true => self.tokens.flaw(&format!("`{call}` may be several functions")),
                false => self.tokens.outside(&format!("`{call}`")),
            });
        };
        let mut all = [arguments[0]; 3];
        all[..arguments.len()].copy_from_slice(&arguments);
        Ok(self.node(ExprKind::Call(function, arguments.len() as u8, all), ty))
    }

    /// Converts scalars among the arguments where there is a vector: only the overload for its type fits. Which scalar type
    /// a compiler chooses does not matter, as their values are converted to the type of the lanes in any case.
    fn widened(&mut self, function: Builtin, arguments: Vec<ExprId>) -> Read<Vec<ExprId>> {
        let type_of = |id: &ExprId| self.program.ty(*id);
        let Some(vector) = arguments.iter().map(type_of).find(|ty| ty.is_vector()) else {
            return Ok(arguments);
        };
        let count = match function.signature() {
            BuiltinSignature::Same(count) | BuiltinSignature::SameOrScalar(count) => count,
            BuiltinSignature::Only32(count) | BuiltinSignature::Magnitude(count) => count,
            BuiltinSignature::Choice => 2,
            _ => 0,
        };
        let mut found = Vec::new();
        for (index, id) in arguments.into_iter().enumerate() {
            let is_scalar = !self.program.ty(id).is_vector();
            let is_widened = is_scalar && index < usize::from(count);
            found.push(if is_widened { self.coerce(id, vector)? } else { id });
        }
        Ok(found)
    }
}

/// True if scalars of different types fit several overloads, and none of them best.
fn is_ambiguous(function: Builtin, types: &[Ty]) -> bool {
    let signature = function.signature();
    let (BuiltinSignature::Same(count) | BuiltinSignature::SameOrScalar(count)) = signature else {
        return false;
    };
    let is_scalar = types.iter().all(|ty| !ty.is_vector());
    is_scalar && types.len() == usize::from(count) && function.since() <= 120
}

/// The type of the result, if there is an overload with exactly these parameters.
fn result(function: Builtin, types: &[Ty]) -> Option<Ty> {
    let (&first, rest) = types.split_first()?;
    let same = |count: u8| types.len() == usize::from(count) && rest.iter().all(|ty| *ty == first);
    match function.signature() {
        BuiltinSignature::Same(count) | BuiltinSignature::SameOrScalar(count) => {
            same(count).then_some(first)
        }
        BuiltinSignature::Magnitude(count) => {
            same(count).then(|| first.of(first.scalar.with_sign(false)))
        }
        BuiltinSignature::Only32(count) => {
            (same(count) && first.scalar.bits() == 32).then_some(first)
        }
        BuiltinSignature::Halves => {
            let [low] = rest else { return None };
            let fits = *low == first.of(first.scalar.with_sign(false));
            first.scalar.scaled(true).filter(|_| fits).map(|wide| first.of(wide))
        }
        BuiltinSignature::Choice => {
            let [second, choice] = rest else { return None };
            let is_mask =
                choice.lanes == first.lanes && choice.scalar.bits() == first.scalar.bits();
            (*second == first && is_mask).then_some(first)
        }
        BuiltinSignature::Truth => (rest.is_empty() && first.scalar.is_signed()).then_some(Ty::INT),
        BuiltinSignature::Shuffle => {
            let [mask] = rest else { return None };
            shuffled(first, *mask)
        }
        BuiltinSignature::Shuffle2 => {
            let [second, mask] = rest else { return None };
            shuffled(first, *mask).filter(|_| *second == first)
        }
        // Only kernels in OpenCL C are read.
        _ => None,
    }
}

fn shuffled(of: Ty, mask: Ty) -> Option<Ty> {
    let has_lanes = |ty: Ty| matches!(ty.lanes, 2 | 4 | 8 | 16);
    let is_mask = !mask.scalar.is_signed() && mask.scalar.bits() == of.scalar.bits();
    (is_mask && has_lanes(of) && has_lanes(mask)).then_some(Ty { lanes: mask.lanes, ..of })
}

/// The conversion that a name such as `convert_int4_sat` means: the type, and the kind.
pub(super) fn conversion(name: &str) -> Option<(Ty, Conversion)> {
    let (name, kind) = match name.strip_prefix("as_") {
        Some(name) => (name, Conversion::Bits),
        None => {
            let name = name.strip_prefix("convert_")?;
            match name.strip_suffix("_sat") {
                Some(name) => (name, Conversion::Saturated),
                None => (name, Conversion::Plain),
            }
        }
    };
    let is_size = name == "size_t";
    super::types::named(name).filter(|_| !is_size).map(|ty| (ty, kind))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    Plain,
    Saturated,
    Bits,
}

impl Reader<'_> {
    pub(super) fn converted(
        &mut self,
        (ty, kind): (Ty, Conversion),
        arguments: &[ExprId],
    ) -> Read<ExprId> {
        let [of] = *arguments else { return Err(self.tokens.outside("a conversion")) };
        let from = self.program.ty(of);
        let (fits, node) = match kind {
            Conversion::Plain => (from.lanes == ty.lanes, ExprKind::Convert(of)),
            Conversion::Saturated => (from.lanes == ty.lanes, ExprKind::Saturate(of)),
            Conversion::Bits => {
                let has_three = from.lanes == 3 || ty.lanes == 3;
                (from.bits() == ty.bits() && !has_three, ExprKind::Reinterpret(of))
            }
        };
        if !fits {
            return Err(self.tokens.outside(&format!("a conversion of `{from}` to `{ty}`")));
        }
        Ok(self.node(node, ty))
    }
}

/// The type of the numbers of work-items.
pub(super) const SIZE: Ty = Ty::scalar(ScalarType::Ulong);
