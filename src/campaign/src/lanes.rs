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
    let (mut widening, mut end) = (Widening::default(), 0);
    for token in tokens(source.as_bytes()) {
        let word = source.get(token.range())?;
        widening.text += source.get(end..token.start as usize)?;
        end = token.end as usize;
        let wide = (token.kind == TokenKind::Word).then(|| widened(word)).flatten();
        widening.take(word, wide);
    }
    widening.text += source.get(end..)?;
    (widening.changes > 0).then_some(widening.text)
}

/// A text that is read from its beginning, as it is so far with four lanes.
#[derive(Default)]
struct Widening {
    text: String,
    /// The types that were replaced.
    changes: usize,
    /// The depth of parentheses.
    depth: usize,
    /// A type in parentheses, and a list in parentheses behind it, make a vector: how much of this has been read.
    literal: u8,
    /// Vectors that are being listed, each with the depth of its list and its commas.
    lists: Vec<(usize, usize)>,
    /// A function whose arguments may follow.
    called: Option<MemoryCall>,
    /// Calls that read or write three numbers, each with the depth of its arguments.
    calls: Vec<(usize, MemoryCall)>,
}

impl Widening {
    /// Takes the next word, which may have to be replaced.
    fn take(&mut self, word: &str, wide: Option<String>) {
        self.literal = match (self.literal, word) {
            (_, "(") if self.literal != 3 => 1,
            (1, _) if wide.is_some() => 2,
            (2, ")") => 3,
            (3, "(") => 4,
            _ => 0,
        };
        let behind = match word {
            "(" => self.open(),
            "," => self.separate(),
            ")" => self.close(),
            _ => "",
        };
        self.called = match word {
            "vload3" => Some(MemoryCall::Load),
            "vstore3" => Some(MemoryCall::Store),
            _ => None,
        };
        if self.literal == 4 {
            self.lists.push((self.depth, 0));
            self.literal = 1;
        }
        self.changes += usize::from(wide.is_some());
        self.text += wide.as_deref().unwrap_or(word);
        self.text += behind;
    }

    /// Returns what stands behind the parenthesis.
    fn open(&mut self) -> &'static str {
        self.depth += 1;
        let Some(call) = self.called else { return "" };
        self.calls.push((self.depth, call));
        if call == MemoryCall::Store { "(" } else { "" }
    }

    fn separate(&mut self) -> &'static str {
        let depth = self.depth;
        self.lists.iter_mut().filter(|(own, _)| *own == depth).for_each(|(_, n)| *n += 1);
        if self.calls.pop_if(|call| *call == (depth, MemoryCall::Store)).is_some() {
            self.text += ").xyz";
        }
        ""
    }

    fn close(&mut self) -> &'static str {
        let depth = self.depth;
        let is_load = self.calls.pop_if(|call| *call == (depth, MemoryCall::Load)).is_some();
        if self.lists.pop_if(|(own, _)| *own == depth).is_some_and(|(_, commas)| commas > 0) {
            self.text += ", 0";
        }
        self.depth = depth.saturating_sub(1);
        if is_load { ".xyzz" } else { "" }
    }
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
