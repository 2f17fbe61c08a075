//! The shadow text: a copy of a file, equally long, that the parser reads instead of the file. What the grammar does not know
//! is hidden in it, byte for byte, so that offsets stay valid.

use clreduce_testcase::{
    AddressSpace, Feature, Language, Token, TokenKind, is_access_qualifier, tokens,
};

use crate::{ambiguous, cuda, gnu, spellings};

/// Returns true for qualifiers and markers without influence on structure (OpenCL C 1.2, section 6.1.9; C++ for OpenCL; GNU C).
fn is_hidden(word: &[u8], language: Language) -> bool {
    // In OpenCL C 1.2, `generic` is a name.
    let is_of_opencl = || {
        matches!(word, b"__kernel" | b"kernel" | b"pipe")
            || is_access_qualifier(word)
            || AddressSpace::of(word).is_some() && word != b"generic"
    };
    word == b"__extension__" || language.has(Feature::OpenClWords) && is_of_opencl()
}

/// The bytes as the grammar should see them.
pub(super) fn masked(bytes: &[u8], language: Language) -> Vec<u8> {
    // A zero byte would be the end of the comment that it stands in.
    let mut out: Vec<u8> = bytes.iter().map(|&byte| byte.max(1)).collect();
    let (mut slash_end, mut raw) = (usize::MAX, usize::MAX);
    let tokens: Vec<Token> = tokens(bytes).collect();
    for (at, token) in tokens.iter().enumerate() {
        let (range, text) = (token.range(), &bytes[token.range()]);
        match token.kind {
            TokenKind::Word
                if is_hidden(text, language) && !is_access_label(bytes, &tokens, at) =>
            {
                out[range.clone()].fill(b' ');
            }
            TokenKind::Number | TokenKind::String | TokenKind::Char if range.start != raw => {
                make_plain(&mut out[range.clone()], token.kind);
            }
            // A comment that never ends: the parser would look for its end once for each of them.
            TokenKind::Punctuation if text == b"*" && range.start == slash_end => {
                out[range.clone()].fill(b' ');
            }
            _ => {}
        }
        raw = if text.ends_with(b"R") { range.end } else { usize::MAX };
        slash_end = if text == b"/" { range.end } else { usize::MAX };
    }
    spellings::make_plain(bytes, language, &tokens, &mut out);
    if language.has(Feature::Classes) {
        gnu::hide(bytes, &tokens, &mut out);
        ambiguous::hide(bytes, &tokens, &mut out);
    }
    if language.has(Feature::HostAndDevice) {
        cuda::hide(bytes, &tokens, &mut out);
    }
    out
}

/// Returns whether a word that may be an address space is the label of a class instead, as in `private:`.
#[must_use]
pub fn is_access_label(bytes: &[u8], tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| &bytes[next.range()] == b":")
}

/// Makes a literal one that the grammar cannot take for several tokens, in whatever stands around it: of a number `1h`,
/// which is one for the preprocessor (C11, 6.4.8), it would make two nodes, of a text in which code stands any.
fn make_plain(literal: &mut [u8], kind: TokenKind) {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let inner = match literal.iter().position(is_quote) {
        Some(quote) if kind != TokenKind::Number => quote + 1..literal.len() - 1,
        _ => 0..literal.len(),
    };
    literal[inner].fill(b'1');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SyntaxTree;

    #[test]
    fn cpp_for_opencl_has_the_words_of_both() {
        let source = "namespace n { template <class T> struct A { private: global T *p; public: A(global T *q) : p(q) {} }; }
            class B : private n::A<int4> { local int *f(constant int *c, private int *d); __generic int *g; };
            __kernel void k(global int4 *r, read_only image2d_t i) { local int x[2]; r[0] = (int4)(1, 2, 3, x[0]).wzyx; }";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::OPENCL_CPP);
        assert!(!tree.has_error(crate::NodeId(0)));
        assert!(tree.ids().any(|id| tree.kind(id) == crate::NodeKind::AccessSpecifier));
    }

    #[test]
    fn every_literal_is_one_node() {
        let source = "int x = 1h + 0x+x + .5e+ + 0X1p-3f + 1'000 + L'\\'' + u8\"a\\\"\\\n,\" + R\"x(,\"))x\";";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::CUDA);
        let literals = tree.ids().filter(|&id| tree.kind(id).is_literal());
        let literals: Vec<&str> = literals.map(|id| &source[tree.range(id)]).collect();
        let numbers = ["1h", "0x", ".5e+", "0X1p-3f", "1'000"];
        let texts = ["L'\\''", "u8\"a\\\"\\\n,\"", "R\"x(,\"))x\""];
        assert_eq!(literals, [numbers.as_slice(), &texts].concat());
    }
}
