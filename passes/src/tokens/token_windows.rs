//! Removes runs of adjacent tokens, longest first. What would leave a lone delimiter, or two tokens
//! side by side that never are in C, is not tried, except in plain text. Neither is the type of a
//! declaration alone: what is left is hard to read for every other pass. When nothing else is left, every single
//! token is tried, because a test may accept what no compiler does.
//!
//! before:
//! ```c
//! int f(int a) { return a + b * 2 ; }
//! ```
//! after:
//! ```c
//! int f(int a) { return a + b ; }
//! ```

use std::cmp::Ordering;
use std::ops::Range;

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Feature, Language, TokenKind};

use crate::analysis::Tokens;
use crate::budget::Budget;
use crate::pass::{ANY, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, SyntaxTree};

/// Tries windows without which the rest still looks like a program.
pub(crate) const PASS: Pass = Pass::new("token-windows", ABOUT, ANY, |snapshot, proposals| {
    propose(snapshot, true, proposals);
});

/// Tries all single tokens.
pub(crate) const SINGLE: Pass = Pass::new(PASS.name, ABOUT, ANY, |snapshot, proposals| {
    propose(snapshot, false, proposals);
});

const ABOUT: &str = "Remove runs of up to 16 adjacent tokens";

/// Lengths of the windows and how far apart they begin. Long ones need not begin everywhere: what
/// they miss is removed in pieces.
const WINDOWS: [(usize, usize); 8] =
    [(16, 8), (12, 4), (8, 2), (6, 2), (4, 1), (3, 1), (2, 1), (1, 1)];

/// A program that parses, or has come down to little, has lost its longer runs to passes that know
/// what they are: of 332 tests of them in three reductions, none was interesting.
const LONGEST_OF_KNOWN: usize = 2;
/// The number of tokens that counts as little.
const SMALL: usize = 300;

/// Most proposals for one file. A larger file is looked at in longer strides only.
const ALL: Budget = Budget::new("windows of tokens in one file", 200_000);

/// Nor does a test for each of them pay in a large program, of which nearly all is needed.
const TOKENS: Budget = Budget::new("single tokens in one file", 2_000);

fn propose(snapshot: &Snapshot, is_fitting: bool, proposals: &mut Proposals) {
    let is_text = !snapshot.language().has(Feature::Syntax);
    for unit in Tokens::all(snapshot) {
        let nesting = nesting(unit);
        let types = TypeRanges::of(snapshot.tree(unit.file));
        let needed = if is_fitting { Vec::new() } else { needed(snapshot.tree(unit.file)) };
        let count = unit.tokens.len();
        let mut seen = 0;
        let tree = snapshot.tree(unit.file);
        let parses = || !tree.is_empty() && !tree.has_error(NodeId(0));
        let has_grammar = snapshot.language().has(Feature::Grammar);
        let is_known = !is_text && (count < SMALL || parses());
        if !is_fitting && !proposals.allow(&TOKENS, count) {
            continue;
        }
        // Where a grammar knows all of a program, it knows which parts can go.
        let is_judged = has_grammar && parses();
        if is_fitting && is_judged {
            continue;
        }
        for (list, (length, stride)) in (0..).zip(WINDOWS) {
            if is_known && length > LONGEST_OF_KNOWN || !is_fitting && length > 1 {
                continue;
            }
            let windows = count / stride;
            seen += windows;
            if !proposals.allow(&ALL, seen) {
                break;
            }
            for first in (0..(count + 1).saturating_sub(length)).step_by(stride) {
                let after = first + length;
                // What stands beside something odd already is no reason to keep it.
                let odd = |at: usize| !can_meet(unit, at, at);
                let fits = || {
                    nesting.encloses(first, after)
                        && !types.leaves_declarator(unit.span(first, after - 1))
                        && (can_meet(unit, first, after) || odd(first) || odd(after))
                };
                let is_needed = needed.binary_search(&unit.tokens[first].start).is_ok();
                let span = unit.span(first, after - 1);
                let parses_without =
                    || !is_judged || parses_without(unit, &span, snapshot.language());
                if !is_needed && (!is_fitting || is_text || fits()) && parses_without() {
                    let edit = Edit::delete(unit.file, span);
                    proposals.push(Proposal::edit(edit).in_list(list));
                }
            }
        }
    }
}

/// Returns true if the grammar accepts a file without a range of it.
fn parses_without(unit: Tokens<'_>, range: &Range<usize>, language: Language) -> bool {
    let left = [&unit.bytes[..range.start], &unit.bytes[range.end..]].concat();
    let tree = SyntaxTree::parse(&left, language);
    tree.is_empty() || !tree.has_error(NodeId(0))
}

/// The types of declarations, in order, each with the declaration that it is the type of.
struct TypeRanges(Vec<(Range<usize>, Range<usize>)>);

impl TypeRanges {
    fn of(tree: &SyntaxTree) -> Self {
        let is_type = |id: &NodeId| {
            let node = tree.node(*id);
            let parent = tree.kind(node.parent);
            // A declaration without its semicolon, say, cannot be read in any case.
            let declares = parent.is_declaration() && !tree.has_error(node.parent)
                || parent == NodeKind::FunctionDefinition;
            node.field == Some(NodeField::Type) && declares && tree.is_sound(*id)
        };
        let pair = |id: NodeId| (tree.range(id), tree.range(tree.node(id).parent));
        Self(tree.ids().filter(is_type).map(pair).collect())
    }

    /// Returns true if a type lies in the range and what it is the type of does not.
    fn leaves_declarator(&self, range: Range<usize>) -> bool {
        let first = self.0.partition_point(|(kind, _)| kind.start < range.start);
        let inside = self.0[first..].iter().take_while(|(kind, _)| kind.start < range.end);
        inside.into_iter().any(|(kind, whole)| kind.end <= range.end && whole.end > range.end)
    }
}

/// The semicolons behind the last members of structures. Compilers of C do without them, but C does not.
fn needed(tree: &SyntaxTree) -> Vec<u32> {
    let semicolon = |brace: NodeId| {
        let closes = tree.kind(brace) == NodeKind::RightBrace
            && tree.kind(tree.node(brace).parent) == NodeKind::FieldDeclarationList;
        let before = NodeId(brace.0.checked_sub(1).filter(|_| closes)?);
        let ends_member = tree.kind(before) == NodeKind::Semicolon && tree.is_sound(before);
        ends_member.then(|| tree.node(before).start)
    };
    tree.ids().filter_map(semicolon).collect()
}

/// Tells whether a run of tokens is balanced.
struct BracketDepths {
    /// The number of pairs of delimiters that are open before each token, and after the last.
    depth: Vec<i64>,
}

/// The nesting of a file. A delimiter without a partner is a token like others.
fn nesting(unit: Tokens<'_>) -> BracketDepths {
    let mut now = 0;
    let mut depth = Vec::with_capacity(unit.tokens.len() + 1);
    depth.push(now);
    for (index, partner) in unit.partners().into_iter().enumerate() {
        now += match partner.cmp(&index) {
            Ordering::Greater => 1,
            Ordering::Equal => 0,
            Ordering::Less => -1,
        };
        depth.push(now);
    }
    BracketDepths { depth }
}

impl BracketDepths {
    /// Returns true if the brackets among the tokens of `first..after` are balanced.
    fn encloses(&self, first: usize, after: usize) -> bool {
        let level = self.depth[first];
        self.depth[after] == level && self.depth[first..after].iter().all(|&depth| depth >= level)
    }
}

/// Tokens that an operand must follow.
#[rustfmt::skip]
const WANT_OPERAND: &[&[u8]] = &[
    b"=", b"+", b"-", b"/", b"%", b"<", b"==", b"!=", b"<=", b">=", b"||", b"|", b"^", b"<<", b"!", b"~",
    b"?", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=", b".", b"->", b"[",
];
/// Operators that an operand must precede.
#[rustfmt::skip]
const ONLY_BINARY: &[&[u8]] = &[
    b"/", b"%", b"<", b"==", b"!=", b"<=", b">=", b"||", b"|", b"^", b"<<", b"?", b"+=", b"-=", b"*=",
    b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=", b"->", b"=",
];

/// Returns true if the token before `first` and the one at `after` can stand side by side. Only
/// pairs that no program has are ruled out.
fn can_meet(unit: Tokens<'_>, first: usize, after: usize) -> bool {
    let Some(before) = first.checked_sub(1) else { return true };
    let (left, right) = (unit.text(before), unit.text(after));
    let (left_kind, right_kind) = (unit.kind(before), unit.kind(after));
    if after >= unit.tokens.len() {
        return true;
    }
    let literal = |kind| matches!(kind, TokenKind::Number | TokenKind::Char);
    let closes = matches!(right, b")" | b"]" | b"}" | b";" | b",");
    let operand_follows = right_kind == TokenKind::Word || literal(right_kind);
    let wants_operand = WANT_OPERAND.contains(&left);
    let only_binary = ONLY_BINARY.contains(&right);
    let array_without_size = left == b"[" && right == b"]";
    let begins_statement = matches!(left, b";" | b"{" | b"}" | b":" | b"else" | b"do");
    let loses_semicolon = unit.text(after - 1) == b";" && !begins_statement && right != b";";
    let list_of_one_comma = matches!(left, b"(" | b"," | b"{") && right == b",";
    !(literal(left_kind) && operand_follows
        || wants_operand && closes && !array_without_size
        || wants_operand && only_binary
        || matches!(left, b"(" | b"{" | b"," | b";") && only_binary
        || list_of_one_comma
        || loses_semicolon
        || left == b"," && matches!(right, b")" | b"]" | b";"))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn text_is_cut_without_regard() {
        assert_reduces(&PASS, Language::TEXT, "a ( b c ] d", &["b", "]"], "b ]");
    }

    #[test]
    fn code_stays_balanced() {
        let before = "int f(int a) { return g(a, 1) + a * 2; }";
        let after = "int f(int a) { g(a); }";
        assert_reduces(&PASS, Language::C, before, &["f(int a) {", "g(a"], after);
    }

    #[test]
    fn delimiters_without_a_partner_go() {
        assert_reduces(&PASS, Language::C, "needle((({[", &["needle"], "needle");
        assert_reduces(&PASS, Language::C, "f(needle)) }]", &["f(needle)"], "f(needle)");
    }

    #[test]
    fn a_type_stays_with_what_it_declares_unless_that_is_none() {
        assert_reduces(&PASS, Language::C, "int needle;", &["needle;"], "int needle;");
        assert_reduces(&PASS, Language::C, "int needle", &["needle"], "needle");
    }

    #[test]
    fn the_last_member_of_a_structure_keeps_its_semicolon() {
        let before = "struct S { int b : 1; };";
        let keep = ["struct S { int b : 1", "};"];
        assert_reduces(&SINGLE, Language::C, before, &keep, before);
    }

    #[test]
    fn what_a_parser_needs_goes_last() {
        let before = "int needle; f()";
        assert_reduces(&SINGLE, Language::C, before, &["needle"], "needle");
    }

    #[test]
    fn a_huge_file_gets_no_more_proposals_than_the_limit() {
        let source = "x ".repeat(1_000_000);
        let case = clreduce_testcase::TestCase::single("a.txt", source.into_bytes()).unwrap();
        let proposals = Proposals::of(&PASS, &Snapshot::new(case, Language::TEXT)).list;
        assert!(proposals.len() <= 200_000 && proposals.len() > 50_000);
    }
}
