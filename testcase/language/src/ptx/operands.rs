//! The operands of instructions.

use super::words::PtxTokens;

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PtxOperand<'a> {
    /// A register, a special register, a variable, a label or a function.
    Name(&'a str),
    /// A predicate in `!%p`.
    Not(&'a str),
    /// A number as it is written, with its sign.
    Number(String),
    /// `[%d1+8]`, and `a+8` without brackets.
    Address {
        /// A register or a variable; none in `[16]`.
        base: Option<&'a str>,
        /// The number that is added.
        offset: i64,
        /// True with brackets: what lies there is meant.
        in_memory: bool,
    },
    /// `{%r1, %r2}`
    Vector(Vec<PtxOperand<'a>>),
    /// `(a, b)`: the arguments of a call.
    List(Vec<PtxOperand<'a>>),
    /// `%r1|%p1`: two results.
    Pair(&'a str, &'a str),
}

/// Reads operands up to the end of the statement, or up to a closing bracket. `None` if one is not understood.
pub(super) fn operands<'a>(words: &mut PtxTokens<'a>, close: &str) -> Option<Vec<PtxOperand<'a>>> {
    let mut all = Vec::new();
    while words.peek()? != close {
        all.push(operand(words)?);
        match words.peek()? {
            "," => words.skip(),
            word if word == close => {}
            _ => return None,
        }
    }
    words.skip();
    Some(all)
}

fn operand<'a>(words: &mut PtxTokens<'a>) -> Option<PtxOperand<'a>> {
    Some(match words.next()? {
        "{" => PtxOperand::Vector(operands(words, "}")?),
        "(" => PtxOperand::List(operands(words, ")")?),
        "[" => {
            let (base, offset) = sum(words)?;
            (words.next()? == "]").then_some(PtxOperand::Address {
                base,
                offset,
                in_memory: true,
            })?
        }
        "!" => PtxOperand::Not(words.next()?),
        "-" => PtxOperand::Number(format!("-{}", words.next()?)),
        word if word.starts_with(|first: char| first.is_ascii_digit()) => {
            PtxOperand::Number(word.to_owned())
        }
        word if !is_name(word) => return None,
        word => match words.peek() {
            Some("|") => {
                words.skip();
                PtxOperand::Pair(word, words.next()?)
            }
            Some("+" | "-") => {
                words.back();
                let (base, offset) = sum(words)?;
                PtxOperand::Address { base, offset, in_memory: false }
            }
            _ => PtxOperand::Name(word),
        },
    })
}

/// A name, a number, or a name and a number that is added to it.
fn sum<'a>(words: &mut PtxTokens<'a>) -> Option<(Option<&'a str>, i64)> {
    let (mut base, mut offset, mut sign) = (None, 0_i64, 1_i64);
    while let Some(word) = words.peek() {
        match word {
            "+" => {}
            "-" => sign = -sign,
            _ if is_name(word) => base = Some(word),
            _ => match ptx_number(word).and_then(|bits| i64::try_from(bits).ok()) {
                Some(value) => offset = offset.checked_add(sign.checked_mul(value)?)?,
                None => break,
            },
        }
        words.skip();
        if !matches!(word, "+" | "-") {
            sign = 1;
        }
    }
    Some((base, offset))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic() || "%_$".contains(first))
}

/// The bits of a number as it is written, in a register of 64 bits.
#[must_use]
pub fn ptx_number(digits: &str) -> Option<u64> {
    let (sign, rest) = digits.strip_prefix('-').map_or((1, digits), |rest| (-1_i128, rest));
    let rest = rest.trim_end_matches('U');
    let of_radix = |prefix: &str, radix: u32| {
        let digits = rest.strip_prefix(prefix)?;
        i128::from_str_radix(digits, radix).ok()
    };
    let value = [("0x", 16), ("0X", 16), ("0f", 16), ("0F", 16), ("0d", 16), ("0D", 16), ("0b", 2)]
        .into_iter()
        .find_map(|(prefix, radix)| of_radix(prefix, radix))
        .or_else(|| if rest.len() > 1 { of_radix("0", 8) } else { None })
        .or_else(|| rest.parse().ok());
    // The low 64 bits are what a register keeps.
    value.map(|value| (sign * value) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_bits() {
        for (digits, bits) in [
            ("-8", 0xffff_ffff_ffff_fff8),
            ("0x1fU", 0x1f),
            ("017", 15),
            ("0", 0),
            ("0f3F800000", 0x3f80_0000),
            ("-9223372036854775808", 1 << 63),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(ptx_number(digits), Some(bits));
        }
        assert_eq!(ptx_number("1.5"), None);
    }
}
