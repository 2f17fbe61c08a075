//! What can be left out of a syntax tree, and what can stand for what, as the tables of the parser say. No list of kinds is
//! needed, so that this holds for every grammar.
//!
//! A parser of tree-sitter is an automaton. Its state before a node tells which nodes can stand there, and the state behind it
//! which tokens can follow. So a node can be left out if its next token can follow in the state before it, and another can stand
//! for it if the state before it has a way over the other to a state in which the next token can follow. States are merged, so
//! that this is an estimate: in Python, Rust, Go and LLVM IR nine of ten programs that it promises parse.

use std::ops::Range;

use clreduce_testcase::step;

use crate::grammars::LoadedGrammar;
use crate::node::NodeId;
use crate::place::Place;
use crate::tree::SyntaxTree;

/// The token behind the end of a file.
const END: u16 = 0;

/// A tree with its places.
struct Places<'a> {
    tree: &'a SyntaxTree,
    grammar: &'static LoadedGrammar,
    all: &'a [Place],
}

impl SyntaxTree {
    fn places(&self) -> Option<Places<'_>> {
        let (grammar, all) = (self.grammar?, &self.places);
        Some(Places { tree: self, grammar, all })
    }

    /// The bytes of a node, and those of a separator beside it, if they can be left out.
    #[must_use]
    pub fn removable(&self, id: NodeId) -> Option<Range<usize>> {
        self.places()?.removable(id)
    }

    /// Returns whether `other`, which stands elsewhere, can stand in the place of a node.
    #[must_use]
    pub fn can_replace(&self, other: NodeId, id: NodeId) -> bool {
        self.places().is_some_and(|places| {
            let from = places.state_before(id);
            from.is_some_and(|from| places.leads_on(from, places.all[other.0 as usize].symbol, id))
        })
    }

    /// The number of a node's kind in the tables of its parser. Nodes with the same number can nearly always replace each other.
    #[must_use]
    pub fn symbol(&self, id: NodeId) -> Option<u16> {
        self.places.get(id.0 as usize).map(|place| place.symbol)
    }
}

impl Places<'_> {
    fn removable(&self, id: NodeId) -> Option<Range<usize>> {
        step();
        let tree = self.tree;
        let node = tree.node(id);
        if node.damaged || node.start == node.end {
            return None;
        }
        if self.all[id.0 as usize].extra {
            return Some(node.range());
        }
        let before = self.state_before(id);
        if !node.named {
            if !self.is_modifier(id) {
                return None;
            }
            let next = self.token_after(id);
            let accepts = |from: &u16| self.grammar.accepted(*from).binary_search(&next).is_ok();
            return before.filter(accepts).map(|_| node.range());
        }
        let comma_behind = self.token_behind(id).filter(|&token| self.is_separator(token));
        let token_before = self.token_before(id);
        if let (Some(comma), Some(from)) = (comma_behind, before)
            && self.goes_on(from, comma)
        {
            return Some(node.start as usize..tree.range(comma).end);
        }
        let with_token_before = |token: NodeId| {
            let from = self.state_of(token)?;
            self.goes_on(from, id).then(|| tree.range(token).start..node.end as usize)
        };
        token_before
            .filter(|&token| self.is_separator(token))
            .and_then(with_token_before)
            .or_else(|| before.filter(|&from| self.goes_on(from, id)).map(|_| node.range()))
            .or_else(|| {
                token_before.filter(|token| !self.opens(*token)).and_then(with_token_before)
            })
    }

    /// Returns whether what follows `last` can follow in a state.
    fn goes_on(&self, from: u16, last: NodeId) -> bool {
        let next = self.token_after(last);
        let accepted = self.grammar.accepted(from);
        if accepted.binary_search(&next).is_ok() {
            return true;
        }
        let symbol = self.all[last.0 as usize].symbol;
        let after = self.state_before(last).and_then(|before| self.grammar.after(before, symbol));
        after.is_some_and(|after| self.share_hidden(after, from, next))
    }

    /// Returns whether a node of this kind can stand in a state, where `id` stands now.
    fn leads_on(&self, from: u16, symbol: u16, id: NodeId) -> bool {
        step();
        let Some(reached) = self.grammar.after(from, symbol) else { return false };
        let own = self.grammar.after(from, self.all[id.0 as usize].symbol);
        let next = self.token_after(id);
        own == Some(reached)
            || self.grammar.accepted(reached).binary_search(&next).is_ok()
            || own.is_some_and(|own| self.share_hidden(own, reached, next))
    }

    /// Returns whether two states accept a token that the tree does not show, such as the end of a line in Python. Such a token
    /// stands before `next` if `next` cannot follow where it does.
    fn share_hidden(&self, own: u16, other: u16, next: u16) -> bool {
        let (own, other) = (self.grammar.accepted(own), self.grammar.accepted(other));
        // The tables number the tokens first and then the other kinds, beginning with that of the root.
        let is_token = |symbol: u16| symbol < self.all[0].symbol;
        let is_hidden =
            |&symbol: &u16| is_token(symbol) && !self.grammar.grammar.node_kind_is_visible(symbol);
        own.binary_search(&next).is_err()
            && own.iter().any(|token| is_hidden(token) && other.binary_search(token).is_ok())
    }

    /// The state before a node. For a token, that is the state in which it was read, when a node that ends before it may still
    /// have been open. So a node that begins with the token is asked first, and then the one before it.
    fn state_before(&self, id: NodeId) -> Option<u16> {
        let tree = self.tree;
        let own = self.state_of(id);
        if own.is_some() && tree.node(id).after.0 > id.0 + 1 {
            return own;
        }
        let begins = |at: &NodeId| tree.node(*at).start == tree.node(id).start;
        let around = tree.ancestors(id).take_while(begins).filter(|at| at.0 != 0);
        let around = around.filter_map(|at| self.state_of(at)).last();
        let behind_sibling = || {
            let last = NodeId(id.0.checked_sub(1)?);
            let parent = tree.parent(id);
            let mut up = std::iter::successors(Some(last), |&at| tree.parent(at));
            let sibling = up.find(|&at| tree.parent(at) == parent && at.0 != 0)?;
            let is_composed = tree.node(sibling).after.0 > sibling.0 + 1;
            let before =
                self.state_of(sibling).filter(|_| is_composed && Some(sibling) != parent)?;
            self.grammar.after(before, self.all[sibling.0 as usize].symbol)
        };
        around.or_else(behind_sibling).or(own)
    }

    fn state_of(&self, id: NodeId) -> Option<u16> {
        Some(self.all[id.0 as usize].state).filter(|&state| state != u16::MAX)
    }

    /// The token that follows a node, without comments.
    fn token_after(&self, id: NodeId) -> u16 {
        let (tree, mut next) = (self.tree, self.tree.node(id).after);
        while (next.0 as usize) < tree.len() {
            step();
            let node = tree.node(next);
            if self.all[next.0 as usize].extra {
                next = node.after;
            } else if node.after.0 > next.0 + 1 {
                next = NodeId(next.0 + 1);
            } else {
                return self.all[next.0 as usize].symbol;
            }
        }
        END
    }

    /// The unnamed token right behind a node, in the same parent.
    fn token_behind(&self, id: NodeId) -> Option<NodeId> {
        let node = self.tree.node(id);
        let next = node.after;
        let is_sibling =
            (next.0 as usize) < self.tree.len() && self.tree.parent(next) == Some(node.parent);
        (is_sibling && self.is_token(next)).then_some(next)
    }

    /// The unnamed token right before a node, in the same parent.
    fn token_before(&self, id: NodeId) -> Option<NodeId> {
        let before = NodeId(id.0.checked_sub(1)?);
        let is_sibling = before.0 != 0 && self.tree.parent(before) == self.tree.parent(id);
        (is_sibling && self.is_token(before)).then_some(before)
    }

    fn is_token(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        !node.named && node.after.0 == id.0 + 1
    }

    /// Returns true for a word, or an operator before its only operand: a token that stands beside a part, and not around it.
    fn is_modifier(&self, token: NodeId) -> bool {
        let symbol = self.all[token.0 as usize].symbol;
        let name = self.grammar.grammar.node_kind_for_id(symbol).unwrap_or_default();
        matches!(name, "-" | "!" | "&" | "*" | "~") || name.starts_with(|c: char| c.is_alphabetic())
    }

    fn is_separator(&self, token: NodeId) -> bool {
        let symbol = self.all[token.0 as usize].symbol;
        matches!(self.grammar.grammar.node_kind_for_id(symbol), Some("," | ";" | "|"))
    }

    fn opens(&self, token: NodeId) -> bool {
        let symbol = self.all[token.0 as usize].symbol;
        let name = self.grammar.grammar.node_kind_for_id(symbol).unwrap_or_default();
        name.ends_with(['(', '[', '{', '<', '"', '\''])
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;

    /// The share of what is promised of each node of a program that parses.
    fn share(
        source: &str,
        language: Language,
        change: impl Fn(&SyntaxTree, NodeId) -> Option<Vec<u8>>,
    ) -> f64 {
        let parse = |text: &[u8]| SyntaxTree::parse(text, language);
        let tree = parse(source.as_bytes());
        assert!(!tree.has_error(NodeId(0)), "the sample does not parse");
        let changed: Vec<Vec<u8>> = tree.ids().skip(1).filter_map(|id| change(&tree, id)).collect();
        assert!(changed.len() >= 5, "{} changes", changed.len());
        let sound = changed.iter().filter(|text| !parse(text).has_error(NodeId(0))).count();
        sound as f64 / changed.len() as f64
    }

    const SAMPLES: [(Language, &str); 5] = [
        (Language::JSON, r#"{ "a": [1, 2, { "b": null }], "c": [true, "text"] }"#),
        (
            Language::PYTHON,
            "import os\n\nclass A(B):\n    def f(self, x: int = 3) -> int:\n        for y in x:\n            if y > 2:\n                \
             g(y, k=1)\n            else:\n                return [1, *y]\n",
        ),
        (
            Language::RUST,
            "pub fn f<T: Clone>(a: &[T], b: u8) -> u8 {\n    let mut c = 1;\n    for x in a { if b > 2 { c += g(x); } else { c = 3; } }\n    c\n}\n",
        ),
        (
            Language::JAVASCRIPT,
            "function f(a, b) { for (const x of a) { if (x > b) { g(x, [1, 2], { k: 3 }); } else { return; } } }\n",
        ),
        (
            Language::LLVM,
            "@g = global i32 1\ndefine i32 @f(i32 %a) {\n  %b = add nsw i32 %a, 1\n  %c = call i32 @h(i32 %b, i32 2)\n  ret i32 %c\n}\ndeclare i32 @h(i32, i32)\n",
        ),
    ];

    #[test]
    fn most_of_what_is_called_removable_parses_without_it() {
        for (language, source) in SAMPLES {
            let without = |tree: &SyntaxTree, id: NodeId| {
                let range = tree.removable(id)?;
                Some([&source.as_bytes()[..range.start], &source.as_bytes()[range.end..]].concat())
            };
            let share = share(source, language, without);
            assert!(share > 0.75, "{language:?}: {share}");
        }
    }

    #[test]
    fn most_of_what_can_stand_elsewhere_parses_there() {
        for (language, source) in SAMPLES {
            let lifted = |tree: &SyntaxTree, id: NodeId| {
                let inner = tree.subtree(id).skip(1).find(|&inner| {
                    tree.node(inner).named
                        && tree.range(inner) != tree.range(id)
                        && tree.can_replace(inner, id)
                })?;
                let bytes = source.as_bytes();
                let range = tree.range(id);
                Some(
                    [&bytes[..range.start], &bytes[tree.range(inner)], &bytes[range.end..]]
                        .concat(),
                )
            };
            let share = share(source, language, lifted);
            assert!(share > 0.75, "{language:?}: {share}");
        }
    }

    #[test]
    fn separators_go_with_what_they_separate() {
        let source = "[1, 2, 3]";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::JSON);
        let numbers = tree.ids().filter(|&id| tree.node(id).named && tree.range(id).len() == 1);
        let removed: Vec<&str> = numbers.map(|id| &source[tree.removable(id).unwrap()]).collect();
        assert_eq!(removed, ["1,", "2,", ", 3"]);
    }
}
