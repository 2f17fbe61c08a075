//! The number of tokens of a text in the form that this crate prints.

/// Counts tokens, without those of comments.
#[must_use]
pub fn tokens(text: &str) -> usize {
    text.lines().filter(|line| !line.starts_with("//")).map(of_line).sum()
}

fn of_line(line: &str) -> usize {
    let bytes = line.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (mut at, mut count) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte.is_ascii_whitespace() {
            continue;
        }
        count += 1;
        if is_word(byte) {
            while bytes.get(at).is_some_and(|&next| is_word(next)) {
                at += 1;
            }
        } else if bytes.get(at).is_some_and(|&next| is_pair(byte, next)) {
            at += 1;
            let assigns_shifted = matches!(byte, b'<' | b'>') && bytes[at - 1] == byte;
            at += usize::from(assigns_shifted && bytes.get(at) == Some(&b'='));
        }
    }
    count
}

fn is_pair(first: u8, second: u8) -> bool {
    let doubled = first == second && b"<>&|+-=".contains(&first);
    doubled || (second == b'=' && b"<>=!+-*/%&|^".contains(&first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_c() {
        for (text, count) in [
            ("// nothing\n", 0),
            ("a += (-5L) << 0x1f;", 9),
            ("a <<= b >= c && d.s01;", 10),
            ("x[i] != !y", 7),
        ] {
            assert_eq!(tokens(text), count, "{text}");
        }
    }
}
