//! Constant expressions of whole numbers, as in the size of an array.

/// The value of an expression with the operators `+`, `-`, `*`, `/`, `%`, `<<`, `>>` and parentheses; `None` for anything else.
pub(crate) fn constant(words: &[&str]) -> Option<i64> {
    let mut reader = ConstantReader { words, depth: 0 };
    let value = reader.operand_and_rest(0)?;
    reader.words.is_empty().then_some(value)
}

struct ConstantReader<'a> {
    words: &'a [&'a str],
    depth: u32,
}

/// How strongly an operator binds.
fn strength(operator: &str) -> Option<u32> {
    match operator {
        "<<" | ">>" => Some(1),
        "+" | "-" => Some(2),
        "*" | "/" | "%" => Some(3),
        _ => None,
    }
}

impl ConstantReader<'_> {
    /// Reads an operand, and the operators after it that bind at least so strongly.
    fn operand_and_rest(&mut self, least: u32) -> Option<i64> {
        let mut value = self.operand()?;
        while let Some((operator, rest)) = self.words.split_first()
            && let Some(own) = strength(operator)
            && own > least
        {
            self.words = rest;
            let other = self.operand_and_rest(own)?;
            value = match *operator {
                "+" => value.checked_add(other)?,
                "-" => value.checked_sub(other)?,
                "*" => value.checked_mul(other)?,
                "/" => value.checked_div(other)?,
                "%" => value.checked_rem(other)?,
                "<<" => value.checked_mul(1_i64.checked_shl(u32::try_from(other).ok()?)?)?,
                _ => value.checked_shr(u32::try_from(other).ok()?)?,
            };
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<i64> {
        const MOST_DEPTH: u32 = 32;
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        if *word != "(" {
            let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
            let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
            return match hexadecimal {
                Some(digits) => i64::from_str_radix(digits, 16).ok(),
                None => digits.parse().ok(),
            };
        }
        self.depth += 1;
        let value = if self.depth > MOST_DEPTH { None } else { self.operand_and_rest(0) }?;
        self.depth -= 1;
        self.words = self.words.strip_prefix(&[")"])?;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_the_value_that_c_gives_them() {
        let value = |text: &str| constant(&text.split(' ').collect::<Vec<_>>());
        for (text, expected) in [
            ("256u", 256),
            ("256 + 1", 257),
            ("2 * ( 3 + 4 ) - 1", 13),
            ("10 - 2 - 3", 5),
            ("1 << 4 + 1", 32),
            ("0x10 / 3 % 4", 1),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        for text in ["N", "1 +", "( 1", "1 2", "1 / 0", "1.5", "", "1 << 99"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
