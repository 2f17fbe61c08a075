//! Makes spellings of C plain that the grammar does not know: digraphs, `_BitInt(N)`, and enumerations with a type.

use clreduce_testcase::{Feature, Language, Token, TokenKind, step};

use crate::shadow::{blank, parentheses};

/// Digraphs, each with a plain spelling of two bytes. What begins begins at the first of them, and what ends ends at the last.
const DIGRAPHS: [(&[u8; 2], &[u8; 2]); 5] =
    [(b"<%", b"{ "), (b"%>", b" }"), (b"<:", b"[ "), (b":>", b" ]"), (b"%:", b"# ")];

/// Writes in the shadow text `out` of `bytes` what the grammar knows.
///
/// - `<% %> <: :> %:` become `{ } [ ] #`.
/// - `_BitInt(37)` becomes one word, as long as that.
/// - The type of `enum e : unsigned char { A }` becomes blanks; the grammar of C++ knows it.
pub(super) fn make_plain(bytes: &[u8], language: Language, tokens: &[Token], out: &mut [u8]) {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    let mut partners = None;
    let mut plain = 0;
    for at in 0..tokens.len() {
        step();
        match text(at) {
            b"_BitInt" if text(at + 1) == b"(" => {
                let partners = partners.get_or_insert_with(|| parentheses(bytes, tokens));
                if let Some(closing) = partners[at + 1] {
                    out[tokens[at].range().end..tokens[closing].range().end].fill(b'x');
                }
            }
            b"enum" if !language.has(Feature::Classes) => {
                let colon = [at + 1, at + 2].into_iter().find(|&index| text(index) == b":");
                let Some(colon) = colon else { continue };
                let is_word = |index: &usize| {
                    tokens.get(*index).is_some_and(|token| token.kind == TokenKind::Word)
                };
                let words = (colon + 1..).take_while(is_word).count();
                let after = colon + 1 + words;
                if words > 0 && matches!(text(after), b"{" | b";" | b"<") {
                    blank(out, tokens[colon].range().start..tokens[after - 1].range().end);
                }
            }
            _ => {}
        }
        if tokens[at].kind == TokenKind::Punctuation {
            for start in tokens[at].range() {
                if start < plain {
                    continue;
                }
                let digraph = DIGRAPHS.iter().find(|(two, _)| bytes[start..].starts_with(*two));
                // In C++, `<::` is `<` before a name of the outermost namespace.
                let is_scope = language.has(Feature::Classes) && bytes[start..].starts_with(b"<::");
                if let Some((_, instead)) = digraph.filter(|_| !is_scope) {
                    out[start..start + 2].copy_from_slice(*instead);
                    plain = start + 2;
                }
            }
        }
    }
}

/// Returns true if there is a digraph at `start`, which the parser sees as a plain spelling.
pub(super) fn is_digraph(bytes: &[u8], seen: &[u8], start: usize) -> bool {
    let is = |(two, plain): &(&[u8; 2], &[u8; 2])| {
        bytes[start..].starts_with(*two) && seen[start..].starts_with(*plain)
    };
    DIGRAPHS.iter().any(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeId, NodeKind, SyntaxTree};

    fn parsed(source: &str, language: Language) -> SyntaxTree {
        let tree = SyntaxTree::parse(source.as_bytes(), language);
        assert!(!tree.has_error(NodeId(0)), "{source}");
        tree
    }

    #[test]
    fn digraphs_are_brackets() {
        let source = "%:define X 1\nint f(int x)\n<%\n  int a<:3:> = <% x, a<:1:> %>;\n  return a<:X:>;\n%>\n";
        for language in [Language::C, Language::CPP] {
            let tree = parsed(source, language);
            let texts = |kind: NodeKind| -> Vec<&str> {
                let of_kind = tree.ids().filter(|&id| tree.kind(id) == kind);
                of_kind.map(|id| &source[tree.range(id)]).collect()
            };
            let bodies = texts(NodeKind::CompoundStatement);
            assert!(bodies.len() == 1 && bodies[0].starts_with("<%") && bodies[0].ends_with("%>"));
            assert_eq!(texts(NodeKind::InitializerList), ["<% x, a<:1:> %>"]);
            assert_eq!(texts(NodeKind::SubscriptExpression), ["a<:1:>", "a<:X:>"]);
            let both = tree.ids().filter(|&id| &source[tree.range(id)] == "%>").count();
            assert_eq!(both, 2, "a bracket is both of its bytes");
        }
        parsed(
            "template <class T> struct A {}; struct B {}; A<::B> a; int c = 3 <4;\n",
            Language::CPP,
        );
    }

    #[test]
    fn types_of_c23() {
        let source = "extern _BitInt(5) red(unsigned _BitInt( 3 + 2 ) x) __attribute__((__nothrow__));\n\
                      enum e : unsigned char { A, B };\nstruct s { enum e x : 3; };\n\
                      int g(void) { _BitInt(8) a = 7; return a < 9; }\n";
        let tree = parsed(source, Language::C);
        let bits =
            tree.ids().filter(|&id| source[tree.range(id)].starts_with("_BitInt(5)")).count();
        assert!(bits > 0);
        let enums =
            tree.ids().filter(|&id| &source[tree.range(id)] == "enum e : unsigned char { A, B }");
        assert_eq!(enums.count(), 1);
        parsed(
            "enum e : unsigned char { A };\n_BitInt(7) f(_BitInt(7) x) { return x; }\n",
            Language::CPP,
        );
    }
}
