//! Promises of a program to its compiler that no check sees: attributes, `restrict`, inline assembly, addresses.

use std::ops::Range;

use clreduce_testcase::{TokenKind, tokens};

/// Words in an attribute by which a function promises something that is not verified.
const PROMISES: [&str; 10] = [
    "pure",
    "const",
    "malloc",
    "noreturn",
    "nonnull",
    "returns_nonnull",
    "leaf",
    "assume_aligned",
    "nothrow",
    "_Noreturn",
];
/// The words for pointers through which alone an object is accessed.
const RESTRICT: [&str; 3] = ["restrict", "__restrict", "__restrict__"];
const ATTRIBUTE: [&str; 2] = ["__attribute__", "__attribute"];
const ASSEMBLY: [&str; 3] = ["asm", "__asm", "__asm__"];
const SETJMP: [&str; 4] = ["setjmp", "_setjmp", "sigsetjmp", "__builtin_setjmp"];

const THREADS: [&str; 4] = ["pthread_create", "thrd_create", "thread", "jthread"];

/// A token with its text and its place.
struct SourceWord<'a> {
    text: &'a str,
    kind: TokenKind,
    range: Range<usize>,
}

/// The tokens outside of lines for the preprocessor, but for macros, which can hold anything.
fn words(source: &[u8]) -> Vec<SourceWord<'_>> {
    let word = |token: clreduce_testcase::Token| {
        let range = token.range();
        let text = std::str::from_utf8(source.get(range.clone())?).ok()?;
        Some(SourceWord { text, kind: token.kind, range })
    };
    tokens(source).filter_map(word).collect()
}

/// The name of an attribute without the underscores around it.
fn bare(word: &str) -> &str {
    word.strip_prefix("__").and_then(|word| word.strip_suffix("__")).unwrap_or(word)
}

/// The place behind the bracket that closes the one at `open`.
fn behind(words: &[SourceWord<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, word) in words.iter().enumerate().skip(open) {
        match word.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    words.len()
}

/// The attributes: the place of each opening bracket and the one behind the closing one.
fn attributes(words: &[SourceWord<'_>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 1 < words.len() {
        let is_gnu = ATTRIBUTE.contains(&words[at].text) && words[at + 1].text == "(";
        let is_standard = words[at].text == "["
            && words[at + 1].text == "["
            && words[at].range.end == words[at + 1].range.start;
        let open = if is_gnu { at + 1 } else { at };
        if is_gnu || is_standard {
            found.push(open..behind(words, open));
            at = open + 1;
        }
        at += 1;
    }
    found
}

/// The source without its promises: `restrict`, and attributes such as `pure`. `None` if it makes none.
pub(super) fn without_promises(source: &[u8]) -> Option<Vec<u8>> {
    let words = words(source);
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    let is_restrict =
        |word: &&SourceWord<'_>| RESTRICT.contains(&word.text) || word.text == "_Noreturn";
    let attributes = attributes(&words);
    for attribute in &attributes {
        let instead = if words[attribute.start].text == "(" { "unused" } else { "maybe_unused" };
        for at in attribute.clone().filter(|at| PROMISES.contains(&bare(words[*at].text))) {
            let follows = words.get(at + 1).is_some_and(|next| next.text == "(");
            let end = if follows { behind(&words, at + 1) } else { at + 1 };
            let is_prefixed = at > 0 && words[at - 1].text == "::";
            let instead = if is_prefixed { "unused" } else { instead };
            edits.push((words[at].range.start..words[end - 1].range.end, instead));
        }
    }
    let outside = |word: &&SourceWord<'_>| {
        !attributes
            .iter()
            .any(|attribute| words[attribute.clone()].iter().any(|inner| inner.range == word.range))
    };
    let restricts = words.iter().filter(is_restrict).filter(outside);
    edits.extend(restricts.map(|word| (word.range.clone(), "")));
    edited(source, edits)
}

/// The source without `const`, other than in attributes; `None` if it has none.
pub(super) fn without_const(source: &[u8]) -> Option<Vec<u8>> {
    let words = words(source);
    let attributes = attributes(&words);
    let is_outside = |at: &usize| !attributes.iter().any(|attribute| attribute.contains(at));
    let places = (0..words.len()).filter(|at| words[*at].text == "const").filter(is_outside);
    edited(source, places.map(|at| (words[at].range.clone(), "")).collect())
}

fn edited(source: &[u8], mut edits: Vec<(Range<usize>, &str)>) -> Option<Vec<u8>> {
    edits.sort_by_key(|(range, _)| range.start);
    let (mut text, mut from) = (Vec::new(), 0);
    for (range, instead) in edits.iter().filter(|(range, _)| !range.is_empty()) {
        if range.start < from {
            continue;
        }
        text.extend_from_slice(&source[from..range.start]);
        text.extend_from_slice(instead.as_bytes());
        from = range.end;
    }
    text.extend_from_slice(&source[from..]);
    (!edits.is_empty()).then_some(text)
}

/// How surely a program accesses memory through pointers to another type than its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Punning {
    /// It casts pointers.
    Cast,
    /// It has unions, or pointers without a type.
    Possible,
    Never,
}

pub(super) fn punning(source: &[u8]) -> Punning {
    let words = words(source);
    let text = |at: usize| words.get(at).map_or("", |word| word.text);
    let is_operand = |at: usize| {
        let is_name = words.get(at).is_some_and(|word| word.kind == TokenKind::Word);
        is_name || matches!(text(at), "&" | "(")
    };
    let is_void = |at: usize| text(at) == "void" && text(at + 1) == "*";
    let is_cast = |at: usize| {
        at > 0
            && text(at) == "*"
            && text(at - 1) != "void"
            && text(at + 1) == ")"
            && is_operand(at + 2)
    };
    let any = |is_it: &dyn Fn(usize) -> bool| (0..words.len()).any(is_it);
    if any(&|at| is_cast(at) || text(at) == "reinterpret_cast") {
        Punning::Cast
    } else if any(&|at| text(at) == "union" || is_void(at) && text(at + 3) != "0") {
        Punning::Possible
    } else {
        Punning::Never
    }
}

/// Returns true if the program may have several threads.
pub(super) fn starts_threads(source: &[u8]) -> bool {
    words(source).iter().any(|word| THREADS.contains(&word.text))
}

/// The reason why it is pointless to accuse a compiler, because the program's result may hang on it and nothing can be checked.
pub(super) fn beyond_checks(source: &[u8]) -> Option<&'static str> {
    let words = words(source);
    if words.iter().any(|word| SETJMP.contains(&word.text)) {
        return Some(
            "`setjmp`: variables that are not volatile have no certain value behind `longjmp`",
        );
    }
    let has_code = |at: usize| {
        let open = (at..words.len().min(at + 4)).find(|at| words[*at].text == "(");
        let first = open.and_then(|open| words.get(open + 1));
        first.is_some_and(|word| {
            word.kind == TokenKind::String
                && word.text.trim_matches('"').chars().any(|c| !c.is_whitespace())
        })
    };
    let is_assembly = |at: usize| ASSEMBLY.contains(&words[at].text) && has_code(at);
    (0..words.len())
        .any(is_assembly)
        .then_some("inline assembly: a missing operand or clobber changes what is around it")
}

/// The parts of the program that no check sees, for people.
pub(crate) fn not_checked(source: &[u8]) -> Vec<&'static str> {
    let words = words(source);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.text));
    let pair = |first: &str, second: &str| {
        words.windows(2).any(|pair| pair[0].text == first && pair[1].text == second)
    };
    let promises = attributes(&words).iter().any(|attribute| {
        words[attribute.clone()].iter().any(|word| PROMISES.contains(&bare(word.text)))
    });
    let prints =
        words.iter().any(|word| word.kind == TokenKind::String && word.text.contains("%p"));
    let compares = words.windows(2).any(|pair| {
        matches!(pair[0].text, "<" | ">" | "<=" | ">=" | "==" | "!=" | "-")
            && pair[1].text == "&"
            && pair[0].kind == TokenKind::Punctuation
    });
    [
        (promises, "whether attributes such as `pure` and `const` hold"),
        (has(&RESTRICT), "whether objects behind `restrict` are accessed in another way"),
        (has(&SETJMP), "variables that `longjmp` leaves without a value"),
        (has(&ASSEMBLY), "what inline assembly changes"),
        (compares, "comparisons and differences of addresses"),
        (prints || has(&["uintptr_t", "intptr_t"]), "results that depend on addresses"),
        (has(&["memcmp", "memcpy"]), "the padding of structures"),
        (has(&["union"]), "accesses to memory as another type"),
        (pair("long", "double"), "the format of `long double`"),
        (has(&["float", "double"]), "how exactly floating-point numbers are computed"),
        (has(&["signal", "sigaction"]), "what signal handlers change"),
        (has(&["volatile"]) && has(&THREADS), "races on volatile variables"),
        (has(&["va_arg"]), "the types that `va_arg` names"),
        (
            has(&["__builtin_constant_p", "__OPTIMIZE__", "__FILE__", "__LINE__", "__TIME__"]),
            "what depends on the compiler by intention, such as `__builtin_constant_p`",
        ),
    ]
    .into_iter()
    .filter_map(|(is_there, what)| is_there.then_some(what))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: Option<Vec<u8>>) -> Option<String> {
        of.map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn promises_go_and_what_is_beside_them_stays() {
        for (source, expected) in [
            (
                "__attribute__((pure, noinline)) int f(void);",
                "__attribute__((unused, noinline)) int f(void);",
            ),
            (
                "__attribute__((noinline, nonnull(1, 2))) int f(int *);",
                "__attribute__((noinline, unused)) int f(int *);",
            ),
            ("int f(int *restrict a, const int *__restrict b);", "int f(int * a, const int * b);"),
            ("[[gnu::const, nodiscard]] int f(int);", "[[gnu::unused, nodiscard]] int f(int);"),
            ("[[noreturn]] void f(); _Noreturn void g();", "[[maybe_unused]] void f();  void g();"),
            ("__attribute((__const__)) int f(int);", "__attribute((unused)) int f(int);"),
        ] {
            assert_eq!(text(without_promises(source.as_bytes())).as_deref(), Some(expected));
        }
        assert_eq!(without_promises(b"const int pure = a[b[1]];"), None);
        assert_eq!(
            text(without_const(b"const int a; int f() __attribute__((const));")).as_deref(),
            Some(" int a; int f() __attribute__((const));")
        );
        assert_eq!(without_const(b"int f() __attribute__((const));"), None);
    }

    #[test]
    fn a_barrier_is_no_code_and_a_cast_is_a_pun() {
        assert_eq!(beyond_checks(b"void f(void) { asm volatile(\"\" ::: \"memory\"); }"), None);
        assert!(beyond_checks(b"void f(void) { __asm__ volatile (\"nop\"); }").is_some());
        assert!(beyond_checks(b"int f(void) { return setjmp(e); }").is_some());
        assert_eq!(punning(b"int f(float *p) { return *(int *)p; }"), Punning::Cast);
        assert_eq!(punning(b"int f(void *p);"), Punning::Possible);
        assert_eq!(punning(b"union u { int a; };"), Punning::Possible);
        assert_eq!(
            punning(b"int f(int *p) { return *p * (*p); } char *s = (void *)0;"),
            Punning::Never
        );
    }

    #[test]
    fn what_no_check_sees_is_named() {
        let found = not_checked(b"int f(long double x) { return memcmp(&x, &x, 4) == &x; }");
        let parts = ["addresses", "padding", "long double", "floating-point"];
        assert!(parts.iter().all(|part| found.iter().any(|one| one.contains(part))), "{found:?}");
        assert!(not_checked(b"int main(void) { return 3 < 4; }").is_empty());
    }
}
