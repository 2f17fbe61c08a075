//! Declarations that the grammar takes for expressions, and expressions that it takes for declarations.

use std::collections::HashSet;

use clreduce_testcase::{Token, TokenKind, step};

/// The number of tokens of the longest list of arguments that is looked at.
const LONGEST: usize = 16;

/// Makes a type out of each value among the arguments in `n::A<2 * k> a{...};`, in the shadow text `out` of `bytes`.
///
/// Where such a statement begins with a qualified name and all arguments are values, the grammar reads `n::A < 2 * k > a{...}`:
/// two comparisons. Then nothing would declare `a`.
pub(super) fn hide(bytes: &[u8], tokens: &[Token], out: &mut [u8]) {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    hide_products(bytes, tokens, out);
    for open in 3..tokens.len() {
        if text(open) != b"<" || !begins_statement(bytes, tokens, open) {
            continue;
        }
        let arguments = tokens[open + 1..].iter().take(LONGEST);
        let close = open + 1 + arguments.take_while(|token| is_value(bytes, token)).count();
        if text(close) != b">" || !is_declarator(bytes, tokens, close + 1) {
            continue;
        }
        let mut before = TokenKind::Punctuation;
        for token in &tokens[open + 1..close] {
            match token.kind {
                TokenKind::Number => out[token.range()].fill(b'T'),
                TokenKind::Punctuation if &bytes[token.range()] != b"::" => {
                    out[token.range()].fill(b' ');
                    // A sign before an operand is no separator.
                    if before != TokenKind::Punctuation {
                        out[token.range().start] = b',';
                    }
                }
                _ => {}
            }
            before = token.kind;
        }
    }
}

/// Makes a sum of the product in `a * b;`, where variables of both names are declared: the grammar would declare a pointer. Only with
/// operators of classes, a statement is nothing but a product.
fn hide_products(bytes: &[u8], tokens: &[Token], out: &mut [u8]) {
    let text = |index: usize| &bytes[tokens[index].range()];
    let is_word = |index: usize| tokens[index].kind == TokenKind::Word;
    let is_product = |at: &usize| {
        matches!(text(*at), b"*" | b"&")
            && is_word(at - 1)
            && is_word(at + 1)
            && text(at + 2) == b";"
            && matches!(text(at - 2), b";" | b"{" | b"}")
    };
    let products: Vec<usize> = (2..tokens.len().saturating_sub(2)).filter(is_product).collect();
    if products.is_empty() {
        return;
    }
    let is_keyword = |word: &[u8]| {
        matches!(
            word,
            b"class"
                | b"struct"
                | b"union"
                | b"enum"
                | b"typename"
                | b"typedef"
                | b"using"
                | b"namespace"
                | b"return"
                | b"goto"
                | b"new"
                | b"delete"
                | b"else"
                | b"do"
                | b"case"
                | b"throw"
        )
    };
    let mut variables: HashSet<&[u8]> = HashSet::new();
    for at in 1..tokens.len().saturating_sub(1) {
        // `typedef int T;` is the only type that is declared as a variable is.
        let is_declared = is_word(at)
            && (is_word(at - 1)
                || text(at - 1) == b">"
                || text(at - 1) == b"," && text(at + 1) == b";")
            && !is_keyword(text(at - 1))
            && !(at > 1 && is_keyword(text(at - 2)))
            && matches!(text(at + 1), b";" | b"=" | b"{" | b"(" | b"[" | b",");
        if is_declared {
            variables.insert(text(at));
        }
    }
    for at in products {
        if variables.contains(text(at - 1)) && variables.contains(text(at + 1)) {
            out[tokens[at].range()].fill(b'+');
        }
    }
}

/// Returns whether a statement begins with a qualified name that ends before a token.
fn begins_statement(bytes: &[u8], tokens: &[Token], end: usize) -> bool {
    let is_word = |index: usize| tokens[index].kind == TokenKind::Word;
    let text = |index: usize| &bytes[tokens[index].range()];
    let (mut at, mut is_qualified) = (end, false);
    loop {
        step();
        match at.checked_sub(1) {
            Some(word) if is_word(word) => at = word,
            _ => return false,
        }
        match at.checked_sub(1) {
            Some(colons) if text(colons) == b"::" => (at, is_qualified) = (colons, true),
            _ => break,
        }
        if at.checked_sub(1).is_none_or(|before| !is_word(before)) {
            break;
        }
    }
    let before = at.checked_sub(1).map(text);
    is_qualified && before.is_some_and(|it| matches!(it, b";" | b"{" | b"}" | b":"))
}

/// Returns whether a token may stand in an argument that is a value.
fn is_value(bytes: &[u8], token: &Token) -> bool {
    match token.kind {
        TokenKind::Word | TokenKind::Number => true,
        TokenKind::Punctuation => matches!(
            &bytes[token.range()],
            b"::" | b"," | b"+" | b"-" | b"*" | b"/" | b"%" | b"&" | b"|" | b"^" | b"<<"
        ),
        TokenKind::String | TokenKind::Char => false,
    }
}

/// Returns whether a name that is declared stands at a token.
fn is_declarator(bytes: &[u8], tokens: &[Token], at: usize) -> bool {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word)
        && matches!(text(at + 1), b";" | b"=" | b"{" | b"(" | b"[" | b",")
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use crate::{NodeKind, SyntaxTree};

    #[test]
    fn variables_with_values_as_arguments_are_declared() {
        for before in ["", "auto t = 1;", "{ }"] {
            for name in ["A", "q::A", "::q::A"] {
                for arguments in ["2", "B", "N + 1", "N, -2 * q::k", "int, 2"] {
                    for init in ["{}", "{{0, 1}, 2}", "(3)", "(b)", "", " = 3", ", c", "[2]"] {
                        let source =
                            format!("int f() {{ {before} {name}<{arguments}> a{init}; b(); }}");
                        let tree = SyntaxTree::parse(source.as_bytes(), Language::CPP);
                        let start = source.rfind(name).unwrap();
                        let is_declared = tree.ids().any(|id| {
                            tree.kind(id) == NodeKind::Declaration && tree.range(id).start == start
                        });
                        assert!(is_declared, "{source}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_of_variables_are_expressions() {
        let products = |source: &str| {
            let tree = SyntaxTree::parse(source.as_bytes(), Language::CPP);
            tree.ids().filter(|&id| tree.kind(id) == NodeKind::BinaryExpression).count()
        };
        assert_eq!(products("int f() { A a; A b(1); { a * b; } a & b; }"), 2);
        assert_eq!(products("int f() { A<A> a, b; a * b; }"), 1);
        for source in [
            "struct A { }; int f() { A * b; b = 0; }",
            "typedef int A; int f() { int b; { A * b; } }",
            "int f() { A a; a * b; }",
        ] {
            assert_eq!(products(source), 0, "{source}");
        }
    }

    #[test]
    fn comparisons_stay() {
        for source in ["int f() { return q::a < 2 > b; }", "int f() { q::a < 2 || c > b(); }"] {
            let tree = SyntaxTree::parse(source.as_bytes(), Language::CPP);
            assert!(tree.ids().any(|id| tree.kind(id) == NodeKind::BinaryExpression), "{source}");
        }
    }
}
