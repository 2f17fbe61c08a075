//! Text of others, such as tests and compilers, made safe for terminals and reports.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// Characters that are not seen, and change the direction or the lines of the text after them, so that it reads as another
/// one.
const HIDDEN: [RangeInclusive<char>; 7] = [
    '\u{61c}'..='\u{61c}',
    '\u{200b}'..='\u{200b}',
    '\u{200e}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
    '\u{e0000}'..='\u{e007f}',
];

/// Text with its control characters escaped, except line breaks and tabs.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |shown, c| {
        // Writing to a string cannot fail.
        let _ = write!(shown, "{}", c.escape_default());
    })
}

/// JSON with its control characters escaped as JSON has it. Serialisers leave those of Latin-1's upper half, and what is not
/// seen.
#[must_use]
pub fn printable_json(json: &str) -> Cow<'_, str> {
    escaped(json, |shown, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

/// Text in which `escape` writes what is not to be shown.
fn escaped(text: &str, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    let is_control = |c: char| c.is_control() || HIDDEN.iter().any(|range| range.contains(&c));
    let is_shown = |c: char| !is_control(c) || matches!(c, '\n' | '\t');
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_shown(c) {
            shown.push(c);
        } else {
            escape(&mut shown, c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown() {
        assert_eq!(printable("a\n\tb é"), "a\n\tb é");
        assert_eq!(printable("a\x1b[31mb\r\u{9b}"), r"a\u{1b}[31mb\r\u{9b}");
        assert_eq!(printable("\u{202e}c.gub"), r"\u{202e}c.gub");
        assert_eq!(printable("a\u{2028}b\u{200b}"), r"a\u{2028}b\u{200b}");
    }

    #[test]
    fn json_stays_json() {
        let json = "{\n\"a\": \"\u{9b}\u{202e}\u{e0001}é\"}";
        assert_eq!(printable_json(json), "{\n\"a\": \"\\u009b\\u202e\\udb40\\udc01é\"}");
    }
}
