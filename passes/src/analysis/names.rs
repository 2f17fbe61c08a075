//! Names as the inner languages of compilers write them, with the sigil that they begin with: `%1`, `@f`, `$L2`, `@"a b"`, `x.addr`.

use std::ops::Range;

use clreduce_testcase::text_steps;

/// The places of the names and words of a text, in order. A number is not a name.
pub(crate) fn names(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_sigil = |byte: u8| matches!(byte, b'%' | b'@' | b'$' | b'^' | b'!' | b'#');
    let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let first = *bytes.get(at)?;
            let start = at;
            at += 1;
            if is_sigil(first) && bytes.get(at) == Some(&b'"') {
                let inside =
                    bytes[at + 1..].iter().take_while(|&&byte| byte != b'"' && byte != b'\n');
                let close = at + 1 + inside.count();
                text_steps(close - at);
                if bytes.get(close) == Some(&b'"') {
                    at = close + 1;
                    return Some(start..at);
                }
            }
            if is_sigil(first) || is_in_name(first) {
                while bytes.get(at).is_some_and(|&byte| is_in_name(byte)) {
                    at += 1;
                }
            }
            text_steps(at - start);
            let begins = first.is_ascii_alphabetic() || first == b'_';
            if begins || is_sigil(first) && at > start + 1 {
                return Some(start..at);
            }
        }
    })
}

/// The texts of the names and words of a text, in order.
pub(crate) fn name_texts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    names(bytes).map(|name| &bytes[name])
}

#[cfg(test)]
mod tests {
    use super::{name_texts, names};

    #[test]
    fn sigils_belong_to_names_and_numbers_are_none() {
        let text = "%1 = add nsw i32 %x.addr, 12 ; @f(!3) # 5 % 2";
        let found: Vec<&str> = names(text.as_bytes()).map(|range| &text[range]).collect();
        assert_eq!(found, ["%1", "add", "nsw", "i32", "%x.addr", "@f", "!3"]);
        let text = b"@\"f g\" = global %\"open\n%\"\"";
        let found: Vec<&[u8]> = name_texts(text).collect();
        let expected: [&[u8]; 4] = [b"@\"f g\"", b"global", b"open", b"%\"\""];
        assert_eq!(found, expected);
    }
}
