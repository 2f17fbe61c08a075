//! Puts the body of a macro in the place of its uses and removes its definition, where that makes the
//! program smaller.
//!
//! before:
//! ```c
//! #define N 4
//! #define ADD(a, b) ((a) + (b))
//! int f(int x) { return ADD(x, N); }
//! ```
//! after:
//! ```c
//! #define ADD(a, b) ((a) + (b))
//! int f(int x) { return ADD(x, 4); }
//! ```

use std::collections::HashMap;
use std::ops::Range;

use clreduce_testcase::{Edit, Patch, TokenKind, count_tokens};

use crate::Snapshot;
use crate::analysis::{Directive, Tokens, directives};
use crate::pass::{PREPROCESSED, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("macros", "Replace uses of macros by their bodies", PREPROCESSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let units: Vec<DefiningFile<'_>> = Tokens::all(snapshot).map(DefiningFile::new).collect();
    let mut definitions: Definitions<'_> = HashMap::new();
    let mut order = Vec::new();
    for unit in &units {
        for directive in directives(unit.tokens) {
            if !matches!(directive.name, b"define" | b"undef") {
                continue;
            }
            let name = unit.tokens.text(directive.tokens.start + 2);
            // A name that is defined twice, or undefined again, has more than one meaning.
            let meaning = match definitions.contains_key(name) {
                true => None,
                false => Macro::read(unit.tokens, &directive),
            };
            definitions.insert(name, meaning);
            order.push(name);
        }
    }
    let uses = uses(&units, &definitions);
    let inline = |name: &[u8]| {
        let definition = definitions.get(name)?.as_ref()?;
        definition.inline(&units, uses.get(name).map_or(&[][..], Vec::as_slice), &definitions)
    };
    proposals.extend(order.into_iter().filter_map(|name| inline(name).map(Proposal::new)));
}

/// The macros of a test case; `None` for those without one meaning.
type Definitions<'a> = HashMap<&'a [u8], Option<Macro<'a>>>;

/// A file with what is needed to find uses.
struct DefiningFile<'a> {
    tokens: Tokens<'a>,
    directives: Vec<Option<&'a [u8]>>,
    partners: Vec<usize>,
}

impl<'a> DefiningFile<'a> {
    fn new(tokens: Tokens<'a>) -> Self {
        Self { tokens, directives: tokens.directives().collect(), partners: tokens.partners() }
    }
}

/// Every place where a macro's name stands: file and index of the token.
fn uses<'a>(
    units: &[DefiningFile<'a>],
    definitions: &Definitions<'a>,
) -> HashMap<&'a [u8], Vec<(usize, usize)>> {
    let mut uses: HashMap<&[u8], Vec<(usize, usize)>> = HashMap::new();
    for (file, unit) in units.iter().enumerate() {
        for (index, token) in unit.tokens.tokens.iter().enumerate() {
            let name = unit.tokens.text(index);
            if token.kind == TokenKind::Word && definitions.contains_key(name) {
                uses.entry(name).or_default().push((file, index));
            }
        }
    }
    uses
}

/// A macro that can be expanded here: its body holds neither itself nor `#` and `##`.
struct Macro<'a> {
    unit: Tokens<'a>,
    line: Range<usize>,
    /// The token that is its name, where it is defined.
    name: usize,
    parameters: Option<Vec<&'a [u8]>>,
    body: Range<usize>,
}

impl<'a> Macro<'a> {
    fn read(unit: Tokens<'a>, directive: &Directive<'a>) -> Option<Self> {
        let name = directive.tokens.start + 2;
        let mut body = name + 1..directive.tokens.end;
        if directive.name != b"define"
            || unit.kind(name) != TokenKind::Word
            || body.start > body.end
        {
            return None;
        }
        let takes_arguments = !body.is_empty()
            && unit.text(body.start) == b"("
            && unit.tokens[body.start].start == unit.tokens[name].end;
        let parameters = if takes_arguments {
            let close = body.clone().find(|&index| unit.text(index) == b")")?;
            let inside = body.start + 1..close;
            body.start = close + 1;
            let names: Vec<&[u8]> = inside
                .clone()
                .filter(|&at| unit.text(at) != b",")
                .map(|at| unit.text(at))
                .collect();
            (names.len() <= 64).then_some(())?;
            (2 * names.len() == inside.len() + usize::from(!names.is_empty())).then_some(())?;
            Some(names)
        } else {
            None
        };
        let plain = body.clone().all(|index| {
            // A continued line's backslash would be left behind in the code.
            let text = unit.text(index);
            !matches!(text, b"#" | b"##" | b"\\" | b"__VA_ARGS__") && text != unit.text(name)
        });
        plain.then_some(Self { unit, line: directive.line.clone(), name, parameters, body })
    }

    /// The patch that expands all uses; `None` if it does not pay, or if a mention of the name is no use.
    fn inline(
        &self,
        units: &[DefiningFile<'a>],
        uses: &[(usize, usize)],
        definitions: &Definitions<'a>,
    ) -> Option<Patch> {
        let mut budget = count_tokens(&self.unit.bytes[self.line.clone()]) as i64;
        let mut edits = self.removal(definitions)?;
        let mut reached = (0, 0);
        for &(file, index) in uses {
            if (file, index) == (self.unit.file, self.name) {
                continue;
            }
            let unit = &units[file];
            let is_code =
                matches!(unit.directives[index], None | Some(b"define" | b"if" | b"elif"));
            // A use among the arguments of another would not be seen by it.
            if !is_code || (file, index) < reached {
                return None;
            }
            let (text, last) = self.expand(unit, index)?;
            budget -= count_tokens(&text) as i64 - (last + 1 - index) as i64;
            if budget <= 0 {
                return None;
            }
            edits.push(Edit::replace(file, unit.tokens.span(index, last), text));
            reached = (file, last + 1);
        }
        Patch::new(edits)
    }

    /// Removes the definition, but not in one edit where its body has the names of other macros. These
    /// are cut in two, so that this contradicts a patch that expands those macros here: what was
    /// expanded elsewhere has them still. `None` where a name is too short for that.
    fn removal(&self, definitions: &Definitions<'a>) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut at = self.line.start;
        for index in self.body.clone() {
            if definitions.contains_key(self.unit.text(index)) {
                let name = self.unit.tokens[index].range();
                (name.len() > 1).then_some(())?;
                edits.push(Edit::delete(self.unit.file, at..name.start + 1));
                at = name.start + 1;
            }
        }
        edits.push(Edit::delete(self.unit.file, at..self.line.end));
        Some(edits)
    }

    /// The replacement of one use, and the last token of the use.
    fn expand(&self, unit: &DefiningFile<'a>, index: usize) -> Option<(Vec<u8>, usize)> {
        let tokens = unit.tokens;
        let Some(parameters) = &self.parameters else {
            let body = match self.body.is_empty() {
                true => Vec::new(),
                false => {
                    self.unit.bytes[self.unit.span(self.body.start, self.body.end - 1)].to_vec()
                }
            };
            return Some((body, index));
        };
        let open = index + 1;
        let close = *unit.partners.get(open).filter(|_| tokens.text(open) == b"(")?;
        (close > open).then_some(())?;
        let arguments = arguments(unit, open, close);
        let given = if parameters.is_empty() && close == open + 1 { 0 } else { arguments.len() };
        (given == parameters.len()).then_some(())?;
        let mut text = Vec::new();
        for at in self.body.clone() {
            let word = self.unit.text(at);
            let argument = parameters.iter().position(|&parameter| parameter == word);
            if !text.is_empty() {
                text.push(b' ');
            }
            text.extend_from_slice(match argument.map(|number| &arguments[number]) {
                Some(range) => &tokens.bytes[range.clone()],
                None => word,
            });
            // Whatever the program is, it does not get much larger here.
            (text.len() <= 1 << 16).then_some(())?;
        }
        Some((text, close))
    }
}

/// The bytes of the arguments between two parentheses.
fn arguments(unit: &DefiningFile<'_>, open: usize, close: usize) -> Vec<Range<usize>> {
    let tokens = unit.tokens;
    let mut arguments = Vec::new();
    let mut start = tokens.tokens[open].end as usize;
    let mut at = open + 1;
    while at < close {
        if tokens.text(at) == b"," {
            arguments.push(start..tokens.tokens[at].start as usize);
            start = tokens.tokens[at].end as usize;
        }
        at = unit.partners[at].max(at) + 1;
    }
    arguments.push(start..tokens.tokens[close].start as usize);
    arguments
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        assert_reduces(&PASS, Language::C, before, &[], after);
    }

    #[test]
    fn bodies_take_the_place_of_uses() {
        check("#define N 4\nint a[N], b = N;", "int a[4], b = 4;");
        check("#define E\nE int f(void) E;", "int f(void);");
        check("#define F(a, b) g(b, a)\nint x = F((1, 2), 3);", "int x = g(3, (1, 2));");
    }

    #[test]
    fn macros_in_macros_are_expanded_one_after_the_other() {
        check(
            "#define ONE 1\n#define BOTH(x) x ONE\nint f(int) BOTH(;) int y",
            "int f(int); 1 int y",
        );
    }

    #[test]
    fn what_cannot_be_expanded_stays() {
        for source in [
            "#define S(a) #a\nchar *s = S(x);",
            "#define F(a) (a)\nint (*f)(int) = F;",
            "#define N 1\n#undef N\n#define N 2\nint x = N;",
            "#define F(a) -a\nint x = F(F(1));",
            "#define LONG 1 + 2 + 3 + 4 + 5\nint a = LONG, b = LONG;",
            "#define N 1\n#ifdef N\nint x;\n#endif",
        ] {
            check(source, source);
        }
    }
}
