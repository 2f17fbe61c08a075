//! Finds the code that a device executes and the host does not, or the other way round: conditionals on `__CUDA_ARCH__`, with the
//! functions that they call, and inline assembly.

use std::collections::BTreeSet;
use std::ops::Range;

use clreduce_testcase::{Token, tokens};

/// The macro that is defined where the compiler of a device reads a program in CUDA.
pub(crate) const ARCHITECTURE: &[u8] = b"__CUDA_ARCH__";
const ASSEMBLY: [&[u8]; 3] = [b"asm", b"__asm", b"__asm__"];

/// The tokens of a program, and which of them are in directives.
struct Lines<'a> {
    text: &'a [u8],
    tokens: Vec<Token>,
    /// The tokens of each directive, in order.
    directives: Vec<Range<usize>>,
}

/// Returns each conditional of the preprocessor that depends on the architecture of the device, with all its branches, each
/// definition of a macro that does, each function that one of these calls, and each statement of inline assembly, as their tokens.
/// Layout and comments do not matter.
pub(crate) fn code_for_device(text: &[u8]) -> BTreeSet<String> {
    let lines = Lines::of(text);
    let mut ranges: Vec<Range<usize>> = lines.conditionals().collect();
    ranges.extend(lines.called_from(&ranges));
    ranges.into_iter().chain(lines.assembly()).map(|range| lines.shown(range)).collect()
}

impl<'a> Lines<'a> {
    fn of(text: &'a [u8]) -> Self {
        let tokens: Vec<Token> = tokens(text).collect();
        let mut directives: Vec<Range<usize>> = Vec::new();
        let (mut end, mut is_directive) = (0, false);
        for (index, token) in tokens.iter().enumerate() {
            if index == 0 || has_line_break(text, end..token.start as usize) {
                is_directive = text[token.range()] == *b"#";
                if is_directive {
                    directives.push(index..index);
                }
            }
            if let Some(last) = directives.last_mut().filter(|_| is_directive) {
                last.end = index + 1;
            }
            end = token.end as usize;
        }
        Self { text, tokens, directives }
    }

    fn word(&self, index: usize) -> &'a [u8] {
        self.tokens.get(index).map_or(&[], |token| &self.text[token.range()])
    }

    /// The directives and conditionals that mention the architecture, or a macro whose definition does.
    fn conditionals(&self) -> impl Iterator<Item = Range<usize>> {
        let groups = self.groups();
        let mut names: BTreeSet<&[u8]> = [ARCHITECTURE].into();
        loop {
            let mentions =
                |range: &Range<usize>| range.clone().any(|at| names.contains(self.word(at)));
            let is_about = |(_, conditions): &&(Range<usize>, Vec<Range<usize>>)| {
                conditions.iter().any(mentions)
            };
            let whole: Vec<Range<usize>> =
                groups.iter().filter(is_about).map(|(whole, _)| whole.clone()).collect();
            let definitions =
                self.directives.iter().filter(|line| self.word(line.start + 1) == b"define");
            let chosen = definitions.filter(|line| {
                mentions(line) || whole.iter().any(|group| group.contains(&line.start))
            });
            let chosen: Vec<&Range<usize>> = chosen.collect();
            let defined: Vec<&[u8]> = chosen.iter().map(|line| self.word(line.start + 2)).collect();
            let known = names.len();
            let alone = chosen.into_iter().cloned();
            let found: Vec<Range<usize>> = whole.into_iter().chain(alone).collect();
            names.extend(defined);
            if names.len() == known {
                return found.into_iter();
            }
        }
    }

    /// Each conditional from `#if` to `#endif`, with its `#if`, `#elif` and the like.
    fn groups(&self) -> Vec<(Range<usize>, Vec<Range<usize>>)> {
        let (mut open, mut groups) = (Vec::new(), Vec::new());
        for line in &self.directives {
            match self.word(line.start + 1) {
                b"if" | b"ifdef" | b"ifndef" => open.push((line.start, vec![line.clone()])),
                b"endif" => {
                    if let Some((start, conditions)) = open.pop() {
                        groups.push((start..line.end, conditions));
                    }
                }
                name if name.starts_with(b"el") => {
                    if let Some((_, conditions)) = open.last_mut() {
                        conditions.push(line.clone());
                    }
                }
                _ => {}
            }
        }
        groups
    }

    /// The functions whose names stand in these places, and those whose names stand in them.
    fn called_from(&self, places: &[Range<usize>]) -> Vec<Range<usize>> {
        let functions = self.functions();
        let (mut pending, mut found) = (places.to_vec(), Vec::new());
        while let Some(place) = pending.pop() {
            let words: BTreeSet<&[u8]> = place.clone().map(|at| self.word(at)).collect();
            for (name, whole) in &functions {
                // The place may be within the function.
                let is_new = !found.contains(whole) && !whole.contains(&place.start);
                if is_new && words.contains(self.word(*name)) {
                    found.push(whole.clone());
                    pending.push(whole.clone());
                }
            }
        }
        found
    }

    /// The functions that are defined: the name, and all tokens from the first one to the closing brace.
    fn functions(&self) -> Vec<(usize, Range<usize>)> {
        let mut functions = Vec::new();
        let (mut start, mut depth) = (0, 0_usize);
        let (mut name, mut open) = (None, Vec::new());
        let is_directive = |at: usize| {
            let next = self.directives.partition_point(|line| line.start <= at);
            next > 0 && self.directives[next - 1].contains(&at)
        };
        for at in 0..self.tokens.len() {
            match self.word(at) {
                _ if is_directive(at) => {
                    start = if depth == 0 { at + 1 } else { start };
                }
                b"(" if depth == 0 => open.push(at),
                b")" if depth == 0 => name = open.pop().and_then(|open: usize| open.checked_sub(1)),
                b"{" => {
                    // A function has its parameters in front of its body.
                    let is_body = depth == 0 && at > 0 && self.word(at - 1) == b")";
                    name = if depth == 0 && !is_body { None } else { name };
                    depth += 1;
                }
                b"}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        functions.extend(name.take().map(|name| (name, start..at + 1)));
                        start = at + 1;
                    }
                }
                b";" if depth == 0 => start = at + 1,
                _ => {}
            }
        }
        functions
    }

    /// The statements of inline assembly, from the keyword to the closing parenthesis.
    fn assembly(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = (0..self.tokens.len()).filter(|at| ASSEMBLY.contains(&self.word(*at)));
        starts.map(|start| {
            let mut depth = 0_usize;
            let closes = |at: &usize| {
                match self.word(*at) {
                    b"(" => depth += 1,
                    b")" => depth = depth.saturating_sub(1),
                    _ => return false,
                }
                depth == 0
            };
            let end = (start..self.tokens.len()).find(closes);
            start..end.map_or(self.tokens.len(), |at| at + 1)
        })
    }

    /// Tokens with a blank between them; directives on lines of their own.
    fn shown(&self, range: Range<usize>) -> String {
        let mut shown = String::new();
        for at in range.clone() {
            let breaks = |line: &Range<usize>| line.start == at || line.end == at;
            // The directives are in order, so only the one before and the one after this token matter.
            let next = self.directives.partition_point(|line| line.start < at);
            let near = self.directives[next.saturating_sub(1)..].iter().take(2);
            if at != range.start {
                shown.push(if near.into_iter().any(breaks) { '\n' } else { ' ' });
            }
            shown.push_str(&String::from_utf8_lossy(self.word(at)));
        }
        shown
    }
}

/// Returns true if a line ends between two tokens, and the logical line as well.
fn has_line_break(text: &[u8], mut gap: Range<usize>) -> bool {
    gap.any(|at| text[at] == b'\n' && !text[..at].trim_ascii_end().ends_with(b"\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BFE: &str = "#ifndef ONCE\n#define ONCE\nint a;\n#ifdef __CUDA_ARCH__ // here\n  asm (\"bfe\" : \"=r\"(r) : \"r\"(a));\n\
                       #else\n  r = a;\n#endif\n#endif\n";

    fn of(text: &str) -> Vec<String> {
        code_for_device(text.as_bytes()).into_iter().collect()
    }

    #[test]
    fn the_conditional_and_the_assembly_are_found() {
        let assembly = "asm ( \"bfe\" : \"=r\" ( r ) : \"r\" ( a ) )";
        let whole = format!("# ifdef __CUDA_ARCH__\n{assembly} ;\n# else\nr = a ;\n# endif");
        assert_eq!(of(BFE), [whole, assembly.to_owned()]);
        assert_eq!(of("int asmr; #if 1\n"), [""; 0]);
    }

    #[test]
    fn layout_does_not_matter_and_all_else_does() {
        assert_eq!(of(&BFE.replace("  ", "\n").replace("int a;", "")), of(BFE));
        for (from, to) in
            [("\"r\"(a)", "\"r\"(1)"), ("r = a", "r = b"), ("#else", "else"), ("// here\n", "")]
        {
            assert_ne!(of(&BFE.replace(from, to)), of(BFE), "{from}");
        }
    }

    #[test]
    fn what_a_branch_calls_stays_with_it() {
        let text = "__device__ int deep(int a) { return a; }\n\
            template <class T> __device__ T host(T a) { if (a) { a++; } return deep(a); }\n\
            __device__ int other(int a) { return a; }\n\
            __device__ int both(int a) {\n#ifdef __CUDA_ARCH__\nasm(\"\");\n#else\na = host(a);\n#endif\nreturn other(a); }\n";
        let found = of(text);
        let has = |start: &str| found.iter().any(|code| code.starts_with(start));
        assert!(has("template < class T > __device__ T host"), "{found:?}");
        assert!(has("__device__ int deep"), "{found:?}");
        assert!(!has("__device__ int other") && !has("__device__ int both"), "{found:?}");
        assert_ne!(of(&text.replace("return deep(a);", "")), found);
        assert_eq!(of(&text.replace("return other(a);", "return a;")), found);
    }

    #[test]
    fn macros_that_stand_for_the_architecture_are_followed() {
        let text = "#if __CUDA_ARCH__ > 800\n#define NEW 1\n#endif\n#define NEWER \\\n NEW\n#if NEWER\nint a;\n#endif\n";
        let found = of(text);
        assert!(found.contains(&"# if NEWER\nint a ;\n# endif".to_owned()), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("# define NEWER")), "{found:?}");
    }

    #[test]
    fn what_has_no_end_is_read_all_the_same() {
        assert_eq!(of("#ifdef __CUDA_ARCH__\nasm("), ["asm ("]);
        assert_eq!(of("#endif\nasm"), ["asm"]);
    }
}
