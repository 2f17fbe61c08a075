//! Functions that call themselves, which OpenCL C does not allow and clang accepts.
//!
//! This reads tokens and not a syntax tree, because it runs for each variant that is tested. Where braces do not match, or where
//! a name is that of several functions, nothing is said.

use std::collections::HashMap;

use clreduce_testcase::{TokenKind, tokens};

use crate::expanded::line_at;
use crate::finding::{Certainty, Finding, FindingKind};

/// A function that the program defines.
#[derive(Default)]
struct Function<'a> {
    name: &'a [u8],
    /// The offset of its name.
    start: usize,
    /// True if there may be others with this name.
    is_overloaded: bool,
    calls: Vec<&'a [u8]>,
}

/// Returns the finding for the first function of a preprocessed program that calls itself, directly or through others.
pub(crate) fn recursion(text: &[u8]) -> Option<Finding> {
    let functions = functions(text)?;
    let numbered = functions.iter().enumerate().filter(|(_, function)| !function.is_overloaded);
    let numbers: HashMap<&[u8], usize> =
        numbered.map(|(number, function)| (function.name, number)).collect();
    let calls_of = |function: &Function<'_>| {
        function.calls.iter().filter_map(|name| numbers.get(name).copied()).collect()
    };
    let calls: Vec<Vec<usize>> = functions.iter().map(calls_of).collect();
    let Function { name, start, .. } = functions[first_in_a_circle(&calls)?];
    let name = String::from_utf8_lossy(name);
    Some(Finding {
        kind: FindingKind::NonPortable,
        line: line_at(text, start),
        tool: "clreduce",
        certainty: Certainty::Certain,
        message: format!(
            "`{name}` calls itself, directly or through others, which OpenCL C does not allow"
        ),
    })
}

/// Returns the first of all functions that can reach themselves: Gabow's search for strongly connected components.
fn first_in_a_circle(calls: &[Vec<usize>]) -> Option<usize> {
    const DONE: usize = usize::MAX;
    let mut first: Option<usize> = None;
    // The time at which the search came to each function, from 1; `DONE` once its component is known.
    let (mut times, mut time) = (vec![0; calls.len()], 0);
    // The functions whose components are not known, and those of them that may be the first of a component.
    let (mut open, mut heads): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    // The functions from the root to where the search is, with the number of calls that it has followed.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..calls.len() {
        if times[root] == 0 {
            path.push((root, 0));
        }
        while let Some((at, followed)) = path.last_mut() {
            let at = *at;
            if times[at] == 0 {
                time += 1;
                times[at] = time;
                open.push(at);
                heads.push(at);
            }
            if let Some(&callee) = calls[at].get(*followed) {
                *followed += 1;
                if times[callee] == 0 {
                    path.push((callee, 0));
                } else if times[callee] != DONE {
                    while heads.last().is_some_and(|&head| times[head] > times[callee]) {
                        heads.pop();
                    }
                }
                continue;
            }
            path.pop();
            if heads.last() == Some(&at) {
                heads.pop();
                let begin = open.iter().rposition(|&one| one == at).unwrap_or_default();
                let component = open.split_off(begin);
                component.iter().for_each(|&one| times[one] = DONE);
                if component.len() > 1 || calls[at].contains(&at) {
                    first = component.into_iter().chain(first).min();
                }
            }
        }
    }
    first
}

/// Words that come before parentheses but name no function.
const ATTRIBUTES: [&[u8]; 5] =
    [b"__attribute__", b"__attribute", b"__declspec", b"__asm__", b"asm"];

/// Returns the functions with what they call, in the order of the text; `None` where braces do not match.
fn functions(source: &[u8]) -> Option<Vec<Function<'_>>> {
    let mut functions: Vec<Function<'_>> = Vec::new();
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    // The name before the last parenthesis outside of functions, and the function whose body this is.
    let (mut declared, mut current) = (None, None);
    let (mut braces, mut parentheses, mut is_overloadable) = (0_usize, 0_usize, false);
    let all: Vec<_> = tokens(source).collect();
    let text_at = |index: usize| all.get(index).map_or(&b""[..], |token| &source[token.range()]);
    for (index, token) in all.iter().enumerate() {
        match text_at(index) {
            b"{" => {
                if braces == 0 {
                    current = declared.take().map(|(name, start)| {
                        let number = *numbers.entry(name).or_insert(functions.len());
                        let is_new = number == functions.len();
                        if is_new {
                            functions.push(Function { name, start, ..Function::default() });
                        }
                        functions[number].is_overloaded |= !is_new || is_overloadable;
                        number
                    });
                }
                braces += 1;
            }
            b"}" => {
                braces = braces.checked_sub(1)?;
                is_overloadable &= braces > 0;
            }
            b"(" => parentheses += 1,
            b")" => parentheses = parentheses.checked_sub(1)?,
            b";" | b"=" if braces == 0 => (declared, is_overloadable) = (None, false),
            b"overloadable" | b"__overloadable__" => is_overloadable |= braces == 0,
            name if token.kind == TokenKind::Word && !ATTRIBUTES.contains(&name) => {
                let around = parentheses_around(index, text_at);
                if text_at(index + 1 + around) != b"(" {
                    continue;
                }
                let is_after_word =
                    index > around && all[index - 1 - around].kind == TokenKind::Word;
                let before = if is_after_word { text_at(index - 1 - around) } else { b"" };
                if braces == 0 && parentheses == around {
                    declared = Some((name, token.range().start));
                } else if matches!(before, b"" | b"return" | b"else" | b"do")
                    && braces > 0
                    && let Some(current) = current
                {
                    // After any other word, it is a declaration, or a condition in parentheses.
                    functions[current].calls.push(name);
                }
            }
            _ => {}
        }
    }
    (braces == 0).then_some(functions)
}

/// The parentheses of its own that a name is in.
fn parentheses_around<'a>(name: usize, text_at: impl Fn(usize) -> &'a [u8]) -> usize {
    let is_in = |around: &usize| {
        *around < name && text_at(name - 1 - around) == b"(" && text_at(name + 1 + around) == b")"
    };
    (0..).take_while(is_in).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_of_calls_are_found_and_nothing_else() {
        let line = |source: &str| recursion(source.as_bytes()).map(|found| found.line.unwrap());
        assert_eq!(line("int f(int n) {\n  return n ? f(n - 1) : 0;\n}"), Some(1));
        let mutual = "int g(int n);\n__attribute__((noinline)) int f(int n) __attribute__((pure)) { return g(n); }\n\
                      int g(int n) { return f(n); }\nkernel void k() { f(1); }";
        assert_eq!(line(mutual), Some(2));
        // `a` and `d` are in no circle, and `c` comes before those that are in one with it.
        let several = "int a(int n) { return c(n); }\nint c(int n) { return d(n) + e(n); }\nint d(int n) { return n; }\n\
                       int e(int n) { return g(n); }\nint g(int n) { return c(n); }\nint h(int n) { return h(n); }";
        assert_eq!(line(several), Some(2));
        for recursive in [
            "int (f)(int n) { return n ? f(n - 1) : 0; }",
            "int f(int n) { return n ? (f)(n - 1) : 0; }",
            "int f(int n) { if (n) return 0; else f(n); do (f)(n); while (n); return 1; }",
            "int f(int n) __attribute((noinline)) { return n ? f(n - 1) : 0; }",
        ] {
            assert_eq!(line(recursive), Some(1), "{recursive}");
        }
        let long: String =
            (1..30_000).map(|n| format!("int f{n}(int n) {{ return f{}(n); }}\n", n + 1)).collect();
        assert_eq!(line(&long), None);
        for fine in [
            "int f(int n) { return n; }\nint g(int n) { return f(f(n)); }\nkernel void k() { g(f(1)); }",
            "__attribute__((overloadable)) int f(long n) { return n; }\n\
             __attribute__((overloadable)) int f(int n) { return f((long)n); }",
            "int f(int n) { return n; }\n#if 1\nint g(int n) {\n#else\nint g(long n) {\n#endif\n return f(n); }\nint f(int);",
            "struct s { int f; } t = { 3 };\nint f(int f) { return (f); }",
            "int f(int n) { int f(int); int *g(int f); if (n) (n)++; return n; }",
            "int f(int f) { if (f) (f)++; if (f) (n)++; return sizeof(f) (n); }",
            "int k(",
            "}",
            "",
        ] {
            assert_eq!(line(fine), None, "{fine}");
        }
    }
}
