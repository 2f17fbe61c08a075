//! The operands of instructions.

use super::words::Words;

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
pub(super) fn operands<'a>(words: &mut Words<'a>, close: &str) -> Option<Vec<PtxOperand<'a>>> {
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

fn operand<'a>(words: &mut Words<'a>) -> Option<PtxOperand<'a>> {
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
fn sum<'a>(words: &mut Words<'a>) -> Option<(Option<&'a str>, i64)> {
    let (mut base, mut offset, mut sign) = (None, 0_i64, 1_i64);
    while let Some(word) = words.peek() {
        match word {
            "+" => {}
            "-" => sign = -sign,
            _ if is_name(word) => base = Some(word),
            _ => match number(word) {
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

/// The value of an integer as it is written.
pub(super) fn number(word: &str) -> Option<i64> {
    let word = word.trim_end_matches(['U', 'u']);
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}
