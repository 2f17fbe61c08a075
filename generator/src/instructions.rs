//! The instructions of PTX that names of features stand for. A bug of an assembler is in one of them, or in several beside each other.

use crate::ir::{Binary, Builtin, Unary};

/// Instructions that lead from most others to the result, so that most programs are right without one of them.
const PLAIN: [&str; 11] =
    ["add", "sub", "mul.lo", "mad.lo", "and", "or", "xor", "not", "neg", "shl", "shr"];

/// The instruction that a built-in function or an operator is in PTX, mostly without its type, as in `shl` or `lop3.b32`. `None` for
/// names of other features.
#[must_use]
pub fn instruction(name: &str) -> Option<String> {
    let unary = [(Unary::Minus, "neg"), (Unary::Complement, "not")];
    let unary = unary.into_iter().map(|(operator, text)| (operator.texts().1, text));
    let binary = Binary::ARITHMETIC.into_iter();
    let binary = binary.filter_map(|operator| Some((operator.texts().1, operator.instruction()?)));
    if let Some((_, text)) = unary.chain(binary).find(|(operator, _)| *operator == name) {
        return Some(text.to_owned());
    }
    let function = Builtin::ALL.iter().find(|one| one.name() == name)?;
    function.instruction().map(|(text, _)| text)
}

/// Returns true for an instruction without which programs are right whatever bug they show.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    instruction(name).is_some_and(|text| PLAIN.contains(&text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_with_one_instruction_have_one_name() {
        assert_eq!(instruction("ptx_lop3_2d"), instruction("ptx_lop3_ca"));
        assert_eq!(instruction("ptx_shl"), instruction("shift_left"));
        assert_eq!(instruction("convert"), None);
        assert!(is_plain("ptx_shl") && !is_plain("ptx_cnot"));
    }
}
