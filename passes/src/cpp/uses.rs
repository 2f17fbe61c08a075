//! Removes a name with all that mentions it in the file that was compiled, as long as line markers tell it from its headers.
//!
//! As long as the main file uses a header in two places, nothing of the header can go with one of them. Parts that declare
//! something take along what mentions that. What frees most of the program comes first.
//!
//! before:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "h.h" 1
//! struct H { int h; };
//! # 2 "a.cc" 2
//! struct A { H part; int rest; };
//! int f(A a) { H local = a.part; int n = local.h; return a.rest; }
//! ```
//! after:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "h.h" 1
//! # 2 "a.cc" 2
//! struct A { int rest; };
//! int f(A a) { return a.rest; }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use clreduce_language::{Entities, ItemId, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch, Token, TokenKind, step};

use super::main_file::is_part;
use crate::analysis::{Unit, declared_role, main_file, with_semicolon};
use crate::budget::Budget;
use crate::edit::UnusedDeclarations;
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppUses;

/// What is proposed removes one in so many bytes at least.
const LEAST_GAIN: u64 = 64;
/// Names that are looked at.
const MOST_NAMES: Budget = Budget::new("names of the main file", 128);

impl Pass for CppUses {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-uses",
            "Remove a name with all that mentions it in the main file, and what only that needs",
            CPP,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let one_file = Unit::all(snapshot).next().filter(|_| snapshot.file_count() == 1);
        let Some(unit) = one_file else { return };
        let main = main_file(unit.bytes);
        let Some(unused) = UnusedDeclarations::new(snapshot).filter(|_| !main.is_empty()) else {
            return;
        };
        let uses = MainFile::new(snapshot, unit, &main);
        let least = unit.bytes.len() as u64 / LEAST_GAIN;
        let names = proposals.limited(&MOST_NAMES, uses.names.clone());
        let mut closures: Vec<Vec<usize>> = Vec::new();
        let mut seen: BTreeSet<Vec<usize>> = BTreeSet::new();
        for parts in names.into_iter().map(|name| uses.closure(name)) {
            if seen.insert(parts.clone()) {
                closures.push(parts);
            }
        }
        for parts in closures {
            let edits = parts.into_iter().map(|part| unit.delete(uses.parts[part].range.clone()));
            let Some(own) = Patch::new(edits.collect::<Vec<Edit>>()) else { continue };
            let patch = unused.follow(snapshot, own, &[]);
            let removed: u64 = patch.edits().iter().map(|edit| edit.range().len() as u64).sum();
            if removed >= least {
                proposals.push(Proposal::new(patch));
            }
        }
    }
}

/// A declaration, member or statement of the main file, or an operand in one.
pub(super) struct Part {
    pub(super) node: NodeId,
    /// With its semicolon, or the operator beside it.
    pub(super) range: Range<usize>,
    /// The part around it.
    pub(super) around: Option<usize>,
    /// True if it is an operand: the other one is enough.
    pub(super) is_operand: bool,
}

/// The parts of the main file, and the places where it mentions names.
pub(super) struct MainFile<'a> {
    pub(super) unit: Unit<'a>,
    entities: &'a Entities,
    pub(super) parts: Vec<Part>,
    /// Every name of an entity, in the order of its first place.
    names: Vec<&'a [u8]>,
    /// By name, each place, and the innermost part around it.
    pub(super) places: BTreeMap<&'a [u8], Vec<(usize, usize)>>,
}

impl<'a> MainFile<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, unit: Unit<'a>, main: &[Range<usize>]) -> Self {
        let parts = parts(unit, main);
        let mut found = Self {
            unit,
            entities: snapshot.entities(0),
            parts,
            names: Vec::new(),
            places: BTreeMap::new(),
        };
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        let words = snapshot.tokens(0).iter().filter(|token| token.kind == TokenKind::Word);
        for token in words.map(Token::range) {
            while found.parts.get(next).is_some_and(|part| part.range.start <= token.start) {
                open.push(next);
                next += 1;
            }
            while open.last().is_some_and(|&part| found.parts[part].range.end <= token.start) {
                open.pop();
            }
            let Some(&part) = open.last().filter(|_| is_in(main, token.start)) else { continue };
            let is_namespace =
                unit.tree.kind(found.parts[part].node) == NodeKind::NamespaceDefinition;
            if !is_namespace {
                let name = &unit.bytes[token.clone()];
                let places = found.places.entry(name).or_default();
                // Keywords and names of parameters are no entities.
                if places.is_empty() && !found.entities.named(name).is_empty() {
                    found.names.push(name);
                }
                places.push((token.start, part));
            }
        }
        found
    }

    /// The declaration, member or statement that an operand is in.
    pub(super) fn whole(&self, mut part: usize) -> usize {
        while let Part { around: Some(around), is_operand: true, .. } = self.parts[part] {
            part = around;
        }
        part
    }

    /// The parts that mention a name, and those that mention what is declared by one of them alone; the outermost ones, in order.
    fn closure(&self, name: &'a [u8]) -> Vec<usize> {
        let mut gone = Gone::default();
        let mut known: BTreeSet<(&[u8], usize)> = BTreeSet::new();
        let mut open: Vec<(&[u8], Range<usize>)> = vec![(name, 0..self.unit.bytes.len())];
        while let Some((name, scope)) = open.pop() {
            if !known.insert((name, scope.start)) {
                continue;
            }
            for &(at, part) in self.places.get(name).into_iter().flatten() {
                if scope.contains(&at) && !gone.holds(at) {
                    let part = self.without_operands(part, &gone);
                    gone.insert(self.parts[part].range.clone(), part);
                    self.declared(part, &gone, &mut open);
                }
            }
        }
        gone.0.into_values().map(|(_, part)| part).collect()
    }

    /// The part that goes with an operand: what is around both, if the other one is gone.
    fn without_operands(&self, mut part: usize, gone: &Gone) -> usize {
        let tree = self.unit.tree;
        while let Part { node, around: Some(around), is_operand: true, .. } = self.parts[part] {
            let parent = tree.node(node).parent;
            let mut operands = [NodeField::Left, NodeField::Right].map(|it| tree.field(parent, it));
            let mut others = operands.iter_mut().flatten().filter(|it| **it != node);
            if !others.any(|other| gone.holds_all(&tree.range(*other))) {
                break;
            }
            part = around;
        }
        part
    }

    /// Adds the names that only a part declares, each with the range in which they mean that.
    fn declared(&self, part: usize, gone: &Gone, open: &mut Vec<(&'a [u8], Range<usize>)>) {
        let tree = self.unit.tree;
        let Part { node, range, .. } = &self.parts[part];
        let parent = tree.node(*node).parent;
        if tree.kind(parent) == NodeKind::CompoundStatement {
            // What other statements declare means nothing outside of them.
            if !declares(tree.kind(*node)) {
                return;
            }
            let inside = (node.0..tree.node(*node).after.0).map(NodeId);
            let names = inside.filter(|&id| declared_role(tree, id).is_some());
            let scope = tree.range(parent);
            open.extend(names.map(|id| (self.unit.text(id), scope.clone())));
            return;
        }
        let is_gone = |id: &ItemId| {
            let start = tree.range(self.entities.item(*id).node).start;
            gone.holds(start)
        };
        for item in self.entities.ids_in(tree, range.clone()) {
            for &entity in &self.entities.item(item).declares {
                let name = self.entities.name(entity);
                let mut all = self.entities.named(name).iter();
                let declarations = |entity| self.entities.declarations(entity).iter();
                // Another thing of this name may be meant.
                if all.all(|&entity| declarations(entity).all(is_gone))
                    && let Some((name, _)) = self.places.get_key_value(name)
                {
                    open.push((name, 0..self.unit.bytes.len()));
                }
            }
        }
    }
}

/// Parts that are removed: the outermost ones by where they begin, each with its end.
#[derive(Default)]
struct Gone(BTreeMap<usize, (usize, usize)>);

impl Gone {
    /// Returns whether one of the parts is around an offset.
    fn holds(&self, at: usize) -> bool {
        step();
        self.0.range(..=at).next_back().is_some_and(|(_, (end, _))| *end > at)
    }

    /// Returns whether one of the parts is around a range.
    fn holds_all(&self, range: &Range<usize>) -> bool {
        step();
        let before = self.0.range(..=range.start).next_back();
        before.is_some_and(|(_, (end, _))| *end >= range.end)
    }

    fn insert(&mut self, range: Range<usize>, part: usize) {
        let inside: Vec<usize> = self.0.range(range.clone()).map(|(start, _)| *start).collect();
        for start in inside {
            self.0.remove(&start);
        }
        self.0.insert(range.start, (range.end, part));
    }
}

/// The parts of the main file, in the order of their places.
fn parts(unit: Unit<'_>, main: &[Range<usize>]) -> Vec<Part> {
    let tree = unit.tree;
    let (mut parts, mut open): (Vec<Part>, Vec<usize>) = (Vec::new(), Vec::new());
    for node in tree.ids().skip(1).filter(|&node| is_in(main, tree.range(node).start)) {
        let operand = operand(unit, node);
        if operand.is_none() && !is_part(unit, node) {
            continue;
        }
        let is_operand = operand.is_some();
        let range = operand.unwrap_or_else(|| with_semicolon(tree, node));
        while open.last().is_some_and(|&part| parts[part].range.end <= tree.range(node).start) {
            open.pop();
        }
        let around = open.last().copied();
        open.push(parts.len());
        parts.push(Part { node, range, around, is_operand });
    }
    parts
}

/// What goes with an operand that the other one can stand for, if a node is one: the sign between them too.
fn operand(unit: Unit<'_>, node: NodeId) -> Option<Range<usize>> {
    let tree = unit.tree;
    let parent = tree.node(node).parent;
    if tree.kind(parent) != NodeKind::BinaryExpression || tree.node(parent).damaged {
        return None;
    }
    let left = tree.field(parent, NodeField::Left)?;
    let right = tree.field(parent, NodeField::Right)?;
    let (left_range, right_range) = (tree.range(left), tree.range(right));
    let is_stream = match unit.bytes[left_range.end..right_range.start].trim_ascii() {
        b"<<" | b">>" => true,
        b"+" | b"-" | b"*" | b"/" | b"%" | b"|" | b"&" | b"^" | b"||" | b"&&" => false,
        _ => return None,
    };
    match node == left {
        true if is_stream => None,
        true => Some(left_range.start..right_range.start),
        false => (node == right).then_some(left_range.end..right_range.end),
    }
}

fn declares(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Declaration
            | NodeKind::TypeDefinition
            | NodeKind::AliasDeclaration
            | NodeKind::StructSpecifier
            | NodeKind::ClassSpecifier
            | NodeKind::UnionSpecifier
            | NodeKind::EnumSpecifier
    )
}

fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.start <= at)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn of_two_operands_one_can_go() {
        let with = |main: &str| {
            let header = "# 1 \"h.h\" 1\nstruct H { int h; }; struct K { int k; };";
            format!("# 1 \"a.cc\"\n{header}\n# 2 \"a.cc\" 2\n{main}\n")
        };
        let before = with("int f(H a, K b) { int n = a.h; return n + b.k * 2 + f(a, b); }");
        let after = with("int f(H a, K b) { return b.k * 2 + f(a, b); }");
        assert_reduces(&CppUses, Language::Cpp, &before, &["b.k * 2 + f(a, b)"], &after);
        let before = with("int f(H a, K b) { int n = a.h; return n * a.h; }");
        let after = with("int f(H a, K b) { }");
        assert_reduces(&CppUses, Language::Cpp, &before, &["int f(H a, K b) {"], &after);
    }

    #[test]
    fn what_mentions_what_goes_goes_too() {
        let before = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\nstruct H { int h; };\n# 2 \"a.cc\" 2\n\
                      namespace n { struct U { H u; int size; }; struct V { int size; }; }\n\
                      int f(n::V v) { n::U u; int h = u.u.h; v.size = 1; { int h = 2; v.size = h; } return h; }\n";
        let after = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\n# 2 \"a.cc\" 2\nnamespace n { struct V { int size; }; }\n\
                     int f(n::V v) { v.size = 1; { } }\n";
        let keep = ["struct V { int size; }", "int f(n::V v) {", "v.size = 1"];
        assert_reduces(&CppUses, Language::Cpp, before, &keep, after);
        assert_reduces(&CppUses, Language::Cpp, "int x;\n", &[], "int x;\n");
    }
}
