//! The operands of instructions in LLVM's intermediate language.

/// An operand, which may be a constant with commas inside brackets, and what follows it.
pub(crate) fn split_operand(text: &str) -> (&str, &str) {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            // The end of a call.
            ')' if depth == 0 => return (&text[..at], ""),
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return text.split_at(at),
            _ => {}
        }
    }
    (text, "")
}

/// All operands from here on, to the end of the line or of the call.
pub(crate) fn operands(mut text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let (operand, rest) = split_operand(text);
        found.push(operand.trim());
        text = rest.strip_prefix(',').unwrap_or_default();
    }
    found
}

/// An access to memory through a pointer: `load TYPE, ptr PLACE, ...` or `store TYPE VALUE, ptr PLACE, ...`. Older versions of
/// clang have pointers of many types, and none is found there.
pub(crate) struct Access<'a> {
    pub is_store: bool,
    /// The type of what is read or written.
    pub kind: &'a str,
    pub place: &'a str,
    /// In bytes; 1 where it is not said.
    pub alignment: u64,
}

impl<'a> Access<'a> {
    pub(crate) fn of(line: &'a str) -> Option<Self> {
        let line = line.trim_start();
        let (is_store, rest) = match line.split_once(" = load ") {
            Some((_, rest)) => (false, rest),
            None => (true, line.strip_prefix("store ")?),
        };
        let operands = operands(rest.strip_prefix("volatile ").unwrap_or(rest));
        let [value, pointer, rest @ ..] = &operands[..] else { return None };
        let alignment =
            rest.iter().find_map(|operand| operand.strip_prefix("align ")?.parse().ok());
        let kind = if is_store { type_of(value)? } else { value };
        let place = pointer.strip_prefix("ptr ")?;
        Some(Self { is_store, kind, place, alignment: alignment.unwrap_or(1) })
    }
}

/// The type at the beginning of an operand. Those of vectors and the like have blanks in them.
fn type_of(operand: &str) -> Option<&str> {
    let closing = match operand.as_bytes().first()? {
        b'<' => '>',
        b'{' => '}',
        b'[' => ']',
        _ => return operand.split(' ').next(),
    };
    Some(&operand[..=operand.find(closing)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_commas_of_their_own() {
        let line = "  store <2 x i8> <i8 1, i8 2>, ptr getelementptr inbounds ([3 x i8], ptr @x, i64 0, i64 1), align 2, !dbg !3";
        let access = Access::of(line).unwrap();
        assert!(access.is_store && access.kind == "<2 x i8>" && access.alignment == 2);
        assert_eq!(access.place, "getelementptr inbounds ([3 x i8], ptr @x, i64 0, i64 1)");
        assert_eq!(operands("ptr %1, i64 (add (i64 1, i64 2)), i1 false), !dbg !2").len(), 3);
        assert!(Access::of("  %1 = load i32, i32* %0, align 4").is_none());
    }
}
