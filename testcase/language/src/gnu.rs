//! Hides words of GNU C++ that the grammar does not know: extensions that headers are full of once they are preprocessed.

use clreduce_testcase::{Token, TokenKind, step};

use crate::shadow::{blank, parentheses, rename};
use crate::template_heads::{hide_default_declarator, hide_nested_arguments, is_class};

/// Words without influence on structure.
const HIDDEN: [&[u8]; 6] =
    [b"__extension__", b"__restrict", b"__restrict__", b"__complex__", b"_Complex", b"__const"];

/// Words that stand for a shorter one that the grammar knows.
const SHORTER: [(&[u8], &[u8]); 4] = [
    (b"__typeof__", b"decltype"),
    (b"__typeof", b"decltype"),
    (b"__underlying_type", b"decltype"),
    (b"__int128", b"int"),
];

/// Hides in the shadow text `out` of `bytes` what only GNU C++ has.
///
/// - Line markers, which may stand inside of anything, and words like `__extension__` become blanks, and so do
///   `__attribute__((...))` and the `__asm__("name")` of a declaration.
/// - An explicit instantiation declaration, `extern template ...;`, becomes a `using` declaration. The grammar does not know it
///   and would lose what follows; so it is a node that can go.
/// - In a type without a name, `R (A::*)(int)` becomes `R (A *)(int)`, and `int A::*` becomes `int(A)`: the grammar would read an
///   expression, and could take what follows for its operands up to the end of the file.
/// - The default of a type parameter, `class A = T (&)[2]`, becomes `class A = T`: the grammar knows no declarator there.
/// - In the head of a template with many nested arguments, `template <class A, B<C<D<E>, ...>> = 0>`, the innermost angle brackets become
///   parentheses: the parser cannot follow as many meanings of `<` at a time, and would end the class around it too early.
/// - Attributes before `friend`, as in `[[nodiscard]] friend T f()`, become blanks: the grammar would take `friend` for a type.
/// - In a constraint, `requires A<T> && __is_enum(T)`, the name of a trait that is built in goes: the grammar knows no call there, and would
///   begin a function with it.
/// - In `decltype(a, b)` the grammar knows no comma, so that it becomes another operator.
pub(super) fn hide(bytes: &[u8], tokens: &[Token], out: &mut [u8]) {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    let partners = parentheses(bytes, tokens);
    let mut at = 0;
    while at < tokens.len() {
        step();
        let word = text(at);
        let closing = partners.get(at + 1).copied().flatten();
        let mut last = at;
        match word {
            b"#" if begins_marker(bytes, tokens, at) => {
                let start = tokens[at].range().start;
                let end = bytes[start..].iter().position(|&byte| byte == b'\n');
                let end = end.map_or(bytes.len(), |length| start + length);
                blank(out, start..end);
                last = tokens.partition_point(|token| token.range().start < end) - 1;
            }
            b"__attribute__" | b"__attribute" if closing.is_some() => last = closing.unwrap_or(at),
            b"__asm__" | b"__asm" | b"asm"
                if closing.is_some() && is_declarator(text(at.wrapping_sub(1))) =>
            {
                last = closing.unwrap_or(at);
            }
            b"extern" if text(at + 1) == b"template" => {
                if let Some(end) = hide_instantiation(bytes, tokens, at, out) {
                    at = end;
                    continue;
                }
            }
            b"decltype" | b"__decltype" => {
                rename(out, tokens[at].range(), b"decltype");
                join_operands(bytes, tokens, at + 1, closing, out);
            }
            b"template" if text(at + 1) == b"<" => {
                hide_nested_arguments(bytes, tokens, at + 1, &partners, out);
            }
            b"=" if [1, 2].iter().any(|&back| is_class(text(at.wrapping_sub(back)))) => {
                hide_default_declarator(bytes, tokens, at, out);
            }
            b"::" if text(at + 1) == b"*" => hide_member_pointer(bytes, tokens, at, out),
            b"requires" => parenthesise_traits(bytes, tokens, at, &partners, out),
            b"friend" => hide_attributes_before(bytes, tokens, at, out),
            _ if HIDDEN.contains(&word) => blank(out, tokens[at].range()),
            _ => {
                if let Some((_, known)) = SHORTER.iter().find(|(name, _)| *name == word) {
                    rename(out, tokens[at].range(), known);
                }
            }
        }
        if last > at {
            blank(out, tokens[at].range().start..tokens[last].range().end);
        }
        at = last + 1;
    }
}

/// Makes a `using` declaration of an explicit instantiation declaration. Returns where it ends.
fn hide_instantiation(bytes: &[u8], tokens: &[Token], at: usize, out: &mut [u8]) -> Option<usize> {
    let text = |index: usize| &bytes[tokens[index].range()];
    let ends = |&index: &usize| matches!(text(index), b";" | b"{" | b"}" | b"#" | b"extern");
    let end = (at + 1..tokens.len()).find(ends).filter(|&end| text(end) == b";")?;
    let range = tokens[at].range().start..tokens[end].range().start;
    blank(out, range.clone());
    out[range.start..range.start + 8].copy_from_slice(b"using a ");
    Some(end)
}

/// Hides all `[[...]]` that stand directly before a token.
fn hide_attributes_before(bytes: &[u8], tokens: &[Token], end: usize, out: &mut [u8]) {
    let is = |index: usize, sign: &[u8]| {
        tokens.get(index).is_some_and(|token| &bytes[token.range()] == sign)
    };
    let mut end = end;
    while end >= 2 && is(end - 1, b"]") && is(end - 2, b"]") {
        let mut starts = (end.saturating_sub(LONGEST_ATTRIBUTE)..end - 2).rev();
        let Some(start) = starts.find(|&at| is(at, b"[") && is(at + 1, b"[")) else { return };
        blank(out, tokens[start].range().start..tokens[end - 1].range().end);
        end = start;
    }
}

/// Leaves of each trait that is built in, in the constraint that begins at `requires`, its arguments in parentheses.
fn parenthesise_traits(
    bytes: &[u8],
    tokens: &[Token],
    requires: usize,
    partners: &[Option<usize>],
    out: &mut [u8],
) {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    let mut at = requires + 1;
    while at < tokens.len().min(requires + LONGEST_CONSTRAINT)
        && !matches!(text(at), b"{" | b"}" | b";")
    {
        step();
        let opening = if text(at) == b"(" { at } else { at + 1 };
        let closing = partners.get(opening).copied().flatten();
        let is_trait = text(at).starts_with(b"__is_") || text(at).starts_with(b"__has_");
        let is_operand = matches!(text(at - 1), b"requires" | b"&&" | b"||");
        if let Some(closing) = closing.filter(|_| is_operand && (opening == at || is_trait)) {
            if is_trait {
                let name = tokens[at].range();
                blank(out, name.start..tokens[opening].range().end);
                out[name.start] = b'(';
            }
            at = closing;
        }
        at += 1;
    }
}

/// The number of tokens of the longest constraint that is looked at.
const LONGEST_CONSTRAINT: usize = 128;

/// The number of tokens of the longest attribute that is looked at.
const LONGEST_ATTRIBUTE: usize = 32;

/// Hides the `::` of a pointer to a member that has no name, as types in arguments of templates have none.
fn hide_member_pointer(bytes: &[u8], tokens: &[Token], colons: usize, out: &mut [u8]) {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    let is_type = |index: usize| {
        let is_word = tokens.get(index).is_some_and(|token| token.kind == TokenKind::Word);
        is_word || matches!(text(index), b">" | b"*" | b"&")
    };
    let [class, before] = [colons.wrapping_sub(1), colons.wrapping_sub(2)];
    let follows = text(colons + 2);
    let hidden = tokens[colons].range();
    let blank_before = tokens.get(class).map_or(0, |token| token.range().start).wrapping_sub(1);
    let is_word = tokens.get(class).is_some_and(|token| token.kind == TokenKind::Word);
    let is_data = is_word && is_type(before) && matches!(out.get(blank_before), Some(b' '));
    if is_data && (matches!(follows, b")" | b"," | b"...") || follows.starts_with(b">")) {
        blank(out, hidden);
        out[blank_before] = b'(';
        out[tokens[colons + 1].range().start] = b')';
    } else if !is_data && follows == b")" {
        blank(out, hidden);
    }
}

/// Makes the commas between the operands of `decltype` an operator that the grammar knows there, but not those between the
/// arguments of functions and templates.
fn join_operands(
    bytes: &[u8],
    tokens: &[Token],
    open: usize,
    close: Option<usize>,
    out: &mut [u8],
) {
    let (mut depth, mut before) = (0_usize, TokenKind::Punctuation);
    // Operands are short; what is longer is left as it is.
    let last = close.unwrap_or(open).min(open + 256);
    for token in tokens.get(open + 1..last).unwrap_or_default() {
        step();
        match &bytes[token.range()] {
            b"(" | b"{" | b"[" => depth += 1,
            b"<" if before == TokenKind::Word => depth += 1,
            b")" | b"}" | b"]" => depth = depth.saturating_sub(1),
            closing @ (b">" | b">>" | b">>>") => depth = depth.saturating_sub(closing.len()),
            b"," if depth == 0 => out[token.range().start] = b'|',
            _ => {}
        }
        before = token.kind;
    }
}

/// Returns whether what stands before `asm(...)` is the end of a declarator, so that it names a symbol and is no statement.
fn is_declarator(before: &[u8]) -> bool {
    !matches!(before, b"" | b";" | b"{" | b"}" | b":" | b"else" | b"do")
}

/// Returns whether a line marker begins at a token: `# 1 "x.h"`, or `#line 1 "x.h"`.
fn begins_marker(bytes: &[u8], tokens: &[Token], at: usize) -> bool {
    let start = tokens[at].range().start;
    let before = bytes[..start].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    let is_number = |index: usize| tokens.get(index).is_some_and(|t| t.kind == TokenKind::Number);
    let is_line = tokens.get(at + 1).is_some_and(|t| &bytes[t.range()] == b"line");
    matches!(before, None | Some(b'\n')) && (is_number(at + 1) || is_line && is_number(at + 2))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::tokens;

    use super::*;

    fn shadow(source: &str) -> String {
        let tokens: Vec<Token> = tokens(source.as_bytes()).collect();
        let mut out = source.as_bytes().to_vec();
        hide(source.as_bytes(), &tokens, &mut out);
        assert_eq!(out.len(), source.len());
        String::from_utf8(out).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_the_grammar_does_not_know_is_hidden() {
        for (source, expected) in [
            (
                "__extension__ int f(int *__restrict p) __asm__(\"g\") __attribute__((a(\")\")));",
                "int f(int * p) ;",
            ),
            ("void f() { __asm__(\"nop\"); }", "void f() { __asm__(\"nop\"); }"),
            (
                "struct A {\n# 1 \"x.h\" 3\nint a;\n#line 2\n};\n#define A 1\n",
                "struct A { int a; }; #define A 1",
            ),
            ("extern template class A<int>; extern int x;", "using a ; extern int x;"),
            ("extern template", "extern template"),
            (
                "template <class A, b<c<d<A>, d<e<A>>, d<f<A>>>::v, int> = 0> operator A(); d<e<f<g<h<A>>>>> a;",
                "template <class A, b<c<d(A), d(e(A)), d(f(A))>::v, int> = 0> operator A(); d<e<f<g<h<A>>>>> a;",
            ),
            (
                "template <class A, b<c<d<A>, d<e<A>>>>> class B;",
                "template <class A, b<c<d<A>, d<e<A>>>>> class B;",
            ),
            (
                "template <class A = T (&)[2], typename = F<int *> const *, class = G<H<T&>>> A b;",
                "template <class A = T , typename = F<int *> , class = G<H<T&>>> A b;",
            ),
            (
                "struct A<R (C::*)(T) const, T B<int>::*, T C::*, F<T C::*>>; int (C::*p)(), C::*d;",
                "struct A<R (C *)(T) const, T B<int>::*, T(C ), F<T(C )>>; int (C::*p)(), C::*d;",
            ),
            ("unsigned __int128 a; __decltype(a) b;", "unsigned int a; decltype (a) b;"),
            (
                "struct A { [[nodiscard]] [[a::b(1)]] friend A f(); [[a]] int b; int c[d[1]]; friend A; };",
                "struct A { friend A f(); [[a]] int b; int c[d[1]]; friend A; };",
            ),
            (
                "template <class A> A f() requires (a<A>) && __is_enum(A) && B<A> && __has_b(A, int) { return a && __is_enum(A); }",
                "template <class A> A f() requires (a<A>) && ( A) && B<A> && ( A, int) { return a && __is_enum(A); }",
            ),
            (
                "template <class A> requires __is_enum (A) && requires (A a) { a && __is_b(A); } class B;",
                "template <class A> requires ( A) && requires (A a) { a && __is_b(A); } class B;",
            ),
            ("]] friend a[b[1]] friend", "]] friend a[b[1]] friend"),
            (
                "decltype(A<B<C<int>>>(), B<C<int>>(), 1) c",
                "decltype(A<B<C<int>>>()| B<C<int>>()| 1) c",
            ),
            ("decltype(f(a, b), A<int, 1>(), true) c", "decltype(f(a, b)| A<int, 1>()| true) c"),
        ] {
            assert_eq!(shadow(source), expected);
        }
    }
}
