//! A program as HTML: keywords, numbers, texts, comments and directives in spans.

use clreduce_testcase::{TokenKind, tokens};

const KEYWORDS: [&str; 72] = [
    "__attribute__",
    "__constant",
    "__device__",
    "__global",
    "__global__",
    "__kernel",
    "__local",
    "__private",
    "__shared__",
    "auto",
    "barrier",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "constant",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "event_t",
    "extern",
    "false",
    "float",
    "for",
    "global",
    "goto",
    "half",
    "if",
    "image2d_t",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "kernel",
    "local",
    "long",
    "private",
    "ptrdiff_t",
    "register",
    "restrict",
    "return",
    "sampler_t",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "true",
    "typedef",
    "typename",
    "uchar",
    "uint",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "ulong",
    "union",
    "unsigned",
    "ushort",
    "void",
    "volatile",
    "while",
];

/// The text as HTML; what is no text is replaced by a mark.
pub fn highlight(bytes: &[u8]) -> String {
    let mut html = String::with_capacity(bytes.len() * 2);
    let mut at = 0;
    let mut directive_until = 0;
    for token in tokens(bytes) {
        let range = token.range();
        between(&bytes[at..range.start], &mut html);
        let text = &bytes[range.clone()];
        if text == b"#" && begins_line(&bytes[..range.start]) {
            let rest = bytes[range.start..].iter().position(|&byte| byte == b'\n');
            directive_until = rest.map_or(bytes.len(), |length| range.start + length);
        }
        let class = match token.kind {
            _ if range.start < directive_until => Some("p"),
            TokenKind::Word if is_keyword(text) => Some("k"),
            TokenKind::Number => Some("n"),
            TokenKind::String | TokenKind::Char => Some("s"),
            TokenKind::Word | TokenKind::Punctuation => None,
        };
        span(class, text, &mut html);
        at = range.end;
    }
    between(&bytes[at..], &mut html);
    html
}

/// Text as HTML.
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            // A file may hold anything; the page stays text.
            c if c.is_control() && !matches!(c, '\n' | '\t') => html.push('\u{fffd}'),
            c => html.push(c),
        }
    }
    html
}

/// White space and comments.
fn between(bytes: &[u8], html: &mut String) {
    let is_comment = bytes.iter().any(|byte| !byte.is_ascii_whitespace());
    span(is_comment.then_some("c"), bytes, html);
}

fn span(class: Option<&str>, bytes: &[u8], html: &mut String) {
    let text = escape(&String::from_utf8_lossy(bytes).replace("\r\n", "\n"));
    match class {
        Some(class) => html.push_str(&format!("<span class={class}>{text}</span>")),
        None => html.push_str(&text),
    }
}

fn is_keyword(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| {
        // As in `int4`, the vector types of kernels.
        let scalar = text.trim_end_matches(|c: char| c.is_ascii_digit());
        [text, scalar].iter().any(|word| KEYWORDS.binary_search(word).is_ok())
    })
}

fn begins_line(before: &[u8]) -> bool {
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    line.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn everything_is_marked_and_nothing_is_markup() {
        let shown = highlight(b"#define X <b>\nint4 a = 1; // <i>\nchar *s = \"&\x01\";");
        for part in [
            "<span class=p>define</span>",
            "<span class=p>&lt;</span>",
            "<span class=k>int4</span> a = <span class=n>1</span>;",
            "<span class=c> // &lt;i&gt;\n</span>",
            "<span class=s>&quot;&amp;\u{fffd}&quot;</span>",
        ] {
            assert!(shown.contains(part), "{part} is not in {shown}");
        }
    }
}
