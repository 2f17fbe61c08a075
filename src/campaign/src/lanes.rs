//! Vectors of three lanes as a cure: the same text with four lanes in their place.
//!
//! Their size is that of four lanes, which compilers forget in places that no construct is to blame for, such as initialisers.

use clreduce_language::Number;
use clreduce_testcase::{TokenKind, tokens};

/// The name of the feature.
pub(crate) const THREE_LANES: &str = "vec3";

/// A text in OpenCL C with four lanes in the place of three. `None` if it has none. What reads or writes three numbers in memory
/// goes on with these.
pub(crate) fn with_four(source: &str) -> Option<String> {
    let (mut text, mut end, mut changes) = (String::new(), 0, 0);
    // The depth of parentheses, and the vectors that are being listed, each with the depth of its list and its commas.
    let (mut depth, mut lists): (usize, Vec<(usize, usize)>) = (0, Vec::new());
    // A type in parentheses, and a list in parentheses behind it, make a vector.
    let mut literal = 0;
    // Calls that read or write three numbers, each with the depth of its arguments.
    let (mut called, mut calls): (Option<MemoryCall>, Vec<(usize, MemoryCall)>) =
        (None, Vec::new());
    for token in tokens(source.as_bytes()) {
        let word = source.get(token.range())?;
        text += source.get(end..token.start as usize)?;
        end = token.end as usize;
        let wide = (token.kind == TokenKind::Word).then(|| widened(word)).flatten();
        literal = match (literal, word) {
            (_, "(") if literal != 3 => 1,
            (1, _) if wide.is_some() => 2,
            (2, ")") => 3,
            (3, "(") => 4,
            _ => 0,
        };
        let mut behind = "";
        match word {
            "(" => {
                depth += 1;
                if let Some(call) = called.take() {
                    calls.push((depth, call));
                    behind = if call == MemoryCall::Store { "(" } else { "" };
                }
            }
            "," => {
                lists.iter_mut().filter(|(own, _)| *own == depth).for_each(|(_, n)| *n += 1);
                if calls.pop_if(|call| *call == (depth, MemoryCall::Store)).is_some() {
                    text += ").xyz";
                }
            }
            ")" => {
                if calls.pop_if(|call| *call == (depth, MemoryCall::Load)).is_some() {
                    behind = ".xyzz";
                }
                if let Some((_, commas)) = lists.pop_if(|(own, _)| *own == depth)
                    && commas > 0
                {
                    text += ", 0";
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        called = match word {
            "vload3" => Some(MemoryCall::Load),
            "vstore3" => Some(MemoryCall::Store),
            _ => None,
        };
        if literal == 4 {
            lists.push((depth, 0));
            literal = 1;
        }
        changes += usize::from(wide.is_some());
        text += wide.as_deref().unwrap_or(word);
        text += behind;
    }
    text += source.get(end..)?;
    (changes > 0).then_some(text)
}

/// A function that reads or writes three numbers in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemoryCall {
    Load,
    Store,
}

/// The name of a type with three lanes, or of a conversion to one, with four.
fn widened(word: &str) -> Option<String> {
    let start = ["convert_", "as_"].into_iter().find(|start| word.starts_with(start)).unwrap_or("");
    let rest = &word[start.len()..];
    let (ty, end) = rest.split_at(rest.find('_').unwrap_or(rest.len()));
    let number = Number::built_in(ty).filter(|number| number.lanes == 3)?;
    Some(format!("{start}{}{end}", Number { lanes: 4, ..number }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lanes_become_four() {
        let four = |text: &str| with_four(text);
        assert_eq!(
            four("struct { short3 b; } d = {(short3)(1)};").as_deref(),
            Some("struct { short4 b; } d = {(short4)(1)};")
        );
        assert_eq!(
            four("f((uint3)(1, g(2, 3), (int)(4)), x);").as_deref(),
            Some("f((uint4)(1, g(2, 3), (int)(4), 0), x);")
        );
        assert_eq!(
            four("convert_long3_sat(as_ulong3(a)) + note3(b)").as_deref(),
            Some("convert_long4_sat(as_ulong4(a)) + note3(b)")
        );
        assert_eq!(four("int2 a; vec3 b;"), None);
        assert_eq!(
            four("int3 a = vload3(0, p); vstore3(f(a, b), 1, q);").as_deref(),
            Some("int4 a = vload3(0, p).xyzz; vstore3((f(a, b)).xyz, 1, q);")
        );
    }
}
