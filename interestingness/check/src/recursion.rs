//! Functions that call themselves, which OpenCL C does not allow and clang accepts.
//!
//! This reads tokens and not a syntax tree, because it runs for each variant that is tested. Where braces do not match, or where
//! a name is that of several functions, nothing is said.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_testcase::{Token, TokenKind, tokens};

use crate::finding::{Certainty, Finding, FindingKind};

/// A function that the program defines.
#[derive(Default)]
struct Function<'a> {
    /// The offset of its name.
    start: usize,
    /// True if there may be others with this name.
    is_overloaded: bool,
    calls: BTreeSet<&'a [u8]>,
}

/// Returns the finding for the first function that calls itself, directly or through others.
pub(crate) fn recursion(source: &[u8]) -> Option<Finding> {
    let mut functions = functions(source)?;
    functions.retain(|_, function| !function.is_overloaded);
    let mut in_order: Vec<(&[u8], &Function<'_>)> =
        functions.iter().map(|(name, function)| (*name, function)).collect();
    in_order.sort_by_key(|(_, function)| function.start);
    // Functions that call nothing that is left go, until those are left from which a circle can be reached. Most functions
    // come after those that they call.
    let mut left: BTreeSet<&[u8]> = functions.keys().copied().collect();
    loop {
        let before = left.len();
        for (name, function) in &in_order {
            if function.calls.is_disjoint(&left) {
                left.remove(name);
            }
        }
        if left.len() == before {
            break;
        }
    }
    let mut name = *left.first()?;
    let mut seen = BTreeSet::new();
    while seen.insert(name) {
        name = functions[name].calls.intersection(&left).next()?;
    }
    let before = &source[..functions[name].start];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let name = String::from_utf8_lossy(name);
    Some(Finding {
        kind: FindingKind::NonPortable,
        line: u32::try_from(line).ok(),
        tool: "clreduce",
        certainty: Certainty::Certain,
        message: format!(
            "`{name}` calls itself, directly or through others, which OpenCL C does not allow"
        ),
    })
}

/// Returns the functions with what they call; `None` where braces do not match.
fn functions(source: &[u8]) -> Option<BTreeMap<&[u8], Function<'_>>> {
    let mut functions: BTreeMap<&[u8], Function<'_>> = BTreeMap::new();
    // The name before the last parenthesis outside of functions, and the function whose body this is.
    let (mut declared, mut current) = (None, None);
    let (mut braces, mut parentheses, mut is_overloadable) = (0_usize, 0_usize, false);
    let mut all = tokens(source).peekable();
    while let Some(token) = all.next() {
        let text = &source[token.range()];
        let is_before =
            |next: Option<&Token>| next.is_some_and(|next| &source[next.range()] == b"(");
        match text {
            b"{" => {
                if braces == 0 {
                    current = declared.take();
                    if let Some((name, start)) = current {
                        let function = functions.entry(name).or_default();
                        function.is_overloaded |= function.start > 0 || is_overloadable;
                        function.start = start;
                    }
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
            b"__attribute__" => {}
            _ if token.kind != TokenKind::Word || !is_before(all.peek()) => {}
            name if braces == 0 && parentheses == 0 => declared = Some((name, token.range().start)),
            name => {
                let caller = current.and_then(|(name, _)| functions.get_mut(name));
                if let Some(caller) = caller.filter(|_| braces > 0) {
                    caller.calls.insert(name);
                }
            }
        }
    }
    (braces == 0).then_some(functions)
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
        assert!(matches!(line(mutual), Some(2 | 3)));
        for fine in [
            "int f(int n) { return n; }\nint g(int n) { return f(f(n)); }\nkernel void k() { g(f(1)); }",
            "__attribute__((overloadable)) int f(long n) { return n; }\n\
             __attribute__((overloadable)) int f(int n) { return f((long)n); }",
            "int f(int n) { return n; }\n#if 1\nint g(int n) {\n#else\nint g(long n) {\n#endif\n return f(n); }\nint f(int);",
            "struct s { int f; } t = { 3 };\nint f(int f) { return (f); }",
            "int k(",
            "}",
            "",
        ] {
            assert_eq!(line(fine), None, "{fine}");
        }
    }
}
