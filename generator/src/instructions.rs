//! The instructions of PTX that names of features stand for. A bug of an assembler is in one of them, or in several beside each other.

use crate::ir::Builtin;

/// Instructions that lead from most others to the result, so that most programs are right without one of them.
const PLAIN: [Builtin; 11] = [
    Builtin::PtxAdd,
    Builtin::PtxSub,
    Builtin::PtxMulLo,
    Builtin::PtxMadLo,
    Builtin::PtxAnd,
    Builtin::PtxOr,
    Builtin::PtxXor,
    Builtin::PtxNot,
    Builtin::PtxNeg,
    Builtin::PtxShl,
    Builtin::PtxShr,
];

/// The instruction that a built-in function is in PTX, mostly without its type, as in `shl` or `lop3.b32`. `None` for names of other
/// features.
#[must_use]
pub fn instruction(name: &str) -> Option<String> {
    let function = Builtin::ALL.iter().find(|one| one.name() == name)?;
    function.instruction().map(|(text, _)| text)
}

/// Returns true for an instruction without which programs are right whatever bug they show.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    PLAIN.into_iter().any(|function| function.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_with_one_instruction_have_one_name() {
        assert_eq!(instruction("ptx_lop3_2d"), instruction("ptx_lop3_ca"));
        assert_eq!(instruction("ptx_shl").as_deref(), Some("shl"));
        assert_eq!(instruction("convert"), None);
        assert!(is_plain("ptx_shl") && !is_plain("ptx_cnot"));
    }
}
