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

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use clreduce_language::{Entities, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch, Token, TokenKind, step};

use super::cuts::LEAST_GAIN;
use super::parts::{MainFilePart, parts};
use crate::analysis::{Unit, declared_role, is_in, main_file};
use crate::budget::Budget;
use crate::edit::UnusedDeclarations;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-uses",
    "Remove a name, everything in the main file that mentions it, and what only that needs",
    CPP,
    propose,
);

/// Names that are looked at.
const MOST_NAMES: Budget = Budget::new("names of the main file", 128);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
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
        let emptied = uses.initialisers(&parts);
        let ranges = parts.into_iter().map(|part| uses.parts[part].range.clone());
        let edits = ranges.chain(emptied).map(|range| unit.delete(range));
        let Some(own) = Patch::new(edits.collect::<Vec<Edit>>()) else { continue };
        let patch = unused.follow(snapshot, own, &[]);
        let removed: u64 = patch.edits().iter().map(|edit| edit.range().len() as u64).sum();
        if removed >= least {
            proposals.push(Proposal::new(patch));
        }
    }
}

/// The parts of the main file, and the places where it mentions names.
pub(super) struct MainFile<'a> {
    pub(super) unit: Unit<'a>,
    entities: &'a Entities,
    pub(super) parts: Vec<MainFilePart>,
    /// Every name of an entity, in the order of its first place.
    names: Vec<&'a [u8]>,
    /// By name, each place, and the innermost part around it.
    pub(super) places: BTreeMap<&'a [u8], Vec<(usize, usize)>>,
    main: &'a [Range<usize>],
}

/// The places where the main file mentions one thing.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Mentions<'a> {
    name: &'a [u8],
    scope: Range<usize>,
    /// If other things have this name, too.
    member: Option<SharedMember>,
}

/// A member whose name other things have, too.
#[derive(Clone, PartialEq, Eq, Hash)]
struct SharedMember {
    class: Range<usize>,
    /// True for a function, false for data; `None` where another class of the main file has a member of this name.
    is_called: Option<bool>,
}

impl<'a> Mentions<'a> {
    /// All places in a range.
    fn of(name: &'a [u8], scope: Range<usize>) -> Self {
        Self { name, scope, member: None }
    }

    /// Returns whether a place of the name is one of them.
    fn include(&self, bytes: &[u8], at: usize) -> bool {
        let is_meant = |member: &SharedMember| {
            let before = bytes[..at].trim_ascii_end();
            if before.ends_with(b".") || before.ends_with(b"->") {
                let after = bytes[at + self.name.len()..].trim_ascii_start();
                return member.is_called == Some(after.starts_with(b"("));
            }
            member.class.contains(&at) && !before.ends_with(b"::")
        };
        self.scope.contains(&at) && self.member.as_ref().is_none_or(is_meant)
    }
}

impl<'a> MainFile<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, unit: Unit<'a>, main: &'a [Range<usize>]) -> Self {
        let parts = parts(unit, main);
        let mut found = Self {
            unit,
            entities: snapshot.entities(0),
            parts,
            names: Vec::new(),
            places: BTreeMap::new(),
            main,
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
        while let MainFilePart { around: Some(around), is_operand: true, .. } = self.parts[part] {
            part = around;
        }
        part
    }

    /// The parts that mention a name, and those that mention what is declared by one of them alone; the outermost ones, in order.
    fn closure(&self, name: &'a [u8]) -> Vec<usize> {
        let mut gone = Gone::default();
        let mut known: HashSet<Mentions> = HashSet::new();
        let mut open = vec![Mentions::of(name, 0..self.unit.bytes.len())];
        while let Some(mentions) = open.pop() {
            if !known.insert(mentions.clone()) {
                continue;
            }
            for &(at, part) in self.places.get(mentions.name).into_iter().flatten() {
                if mentions.include(self.unit.bytes, at) && !gone.holds(at) {
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
        while let MainFilePart { node, around: Some(around), is_operand: true, .. } =
            self.parts[part]
        {
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

    /// Adds the mentions of what only a part declares.
    fn declared(&self, part: usize, gone: &Gone, open: &mut Vec<Mentions<'a>>) {
        let tree = self.unit.tree;
        let MainFilePart { node, range, .. } = &self.parts[part];
        let parent = tree.node(*node).parent;
        if tree.kind(parent) == NodeKind::CompoundStatement {
            // What other statements declare means nothing outside of them.
            if !declares(tree.kind(*node)) {
                return;
            }
            let inside = (node.0..tree.node(*node).after.0).map(NodeId);
            let names = inside.filter(|&id| declared_role(tree, id).is_some());
            let scope = tree.range(parent);
            open.extend(names.map(|id| Mentions::of(self.unit.text(id), scope.clone())));
            return;
        }
        let is_gone = |id: &ItemId| {
            let start = tree.range(self.entities.item(*id).node).start;
            gone.holds(start)
        };
        for id in self.entities.ids_in(tree, range.clone()) {
            let item = self.entities.item(id);
            for &entity in &item.declares {
                let Some((&name, _)) = self.places.get_key_value(self.entities.name(entity)) else {
                    continue;
                };
                let all = self.entities.named(name).iter();
                let mut left = all
                    .flat_map(|&entity| self.entities.declarations(entity))
                    .filter(|id| !is_gone(id))
                    .map(|&id| tree.range(self.entities.item(id).node).start)
                    .peekable();
                let mentions = Mentions::of(name, 0..self.unit.bytes.len());
                if left.peek().is_none() {
                    open.push(mentions);
                } else if let Some(class) = item.parent.filter(|_| item.is_member) {
                    // Another thing of this name may be meant as well.
                    let class = tree.range(self.entities.item(class).node);
                    let is_called = item.kind == ItemKind::Function;
                    let is_known = left.all(|at| !is_in(self.main, at));
                    let member = SharedMember { class, is_called: is_known.then_some(is_called) };
                    open.push(Mentions { member: Some(member), ..mentions });
                }
            }
        }
    }

    /// The lists that initialise objects of a class of which data members go, but not the class: what is in their braces.
    fn initialisers(&self, gone: &[usize]) -> Vec<Range<usize>> {
        let tree = self.unit.tree;
        let is_gone = |at: usize| gone.iter().any(|&part| self.parts[part].range.contains(&at));
        let fields = gone
            .iter()
            .filter(|&&part| tree.kind(self.parts[part].node) == NodeKind::FieldDeclaration);
        let class = |&part: &usize| {
            let id = self.entities.ids_in(tree, self.parts[part].range.clone()).next()?;
            let item = self.entities.item(id);
            let is_data = item.kind == ItemKind::Variable;
            let class = item.parent.filter(|_| is_data)?;
            self.entities.item(class).declares.first().map(|&entity| self.entities.name(entity))
        };
        let classes: BTreeSet<&[u8]> = fields.filter_map(class).collect();
        let places = classes.iter().filter_map(|&class| self.places.get(class)).flatten();
        let mut lists = BTreeMap::new();
        for &(at, part) in places.filter(|(at, _)| !is_gone(*at)) {
            let node = self.parts[part].node;
            let inside = (node.0..tree.node(node).after.0).map(NodeId);
            for list in inside.filter(|&id| tree.kind(id) == NodeKind::InitializerList) {
                let parent = tree.node(list).parent;
                let initialises = match tree.kind(parent) {
                    NodeKind::InitDeclarator => tree.node(parent).parent == node,
                    NodeKind::CompoundLiteralExpression => {
                        let class = tree.field(parent, NodeField::Type);
                        class.is_some_and(|class| tree.range(class).contains(&at))
                    }
                    _ => false,
                };
                let range = tree.range(list);
                if initialises && range.len() > 2 && !is_gone(range.start) {
                    lists.insert(range.start, range.start + 1..range.end - 1);
                }
            }
        }
        lists.into_values().collect()
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
        assert_reduces(&PASS, Language::CPP, &before, &["b.k * 2 + f(a, b)"], &after);
        let before = with("int f(H a, K b) { int n = a.h; return n * a.h; }");
        let after = with("int f(H a, K b) { }");
        assert_reduces(&PASS, Language::CPP, &before, &["int f(H a, K b) {"], &after);
    }

    #[test]
    fn what_mentions_what_goes_goes_too() {
        let before = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\nstruct H { int h; };\n# 2 \"a.cc\" 2\n\
                      namespace n { struct U { H u; int size; }; struct V { int size; }; }\n\
                      int f(n::V v) { n::U u; int h = u.u.h; v.size = 1; { int h = 2; v.size = h; } return h; }\n";
        let after = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\n# 2 \"a.cc\" 2\nnamespace n { struct V { int size; }; }\n\
                     int f(n::V v) { v.size = 1; { } }\n";
        let keep = ["struct V { int size; }", "int f(n::V v) {", "v.size = 1"];
        assert_reduces(&PASS, Language::CPP, before, &keep, after);
        assert_reduces(&PASS, Language::CPP, "int x;\n", &[], "int x;\n");
    }

    #[test]
    fn members_go_whose_names_headers_have_too() {
        let with = |header: &str, main: &str| {
            format!("# 1 \"a.cc\"\n# 1 \"h.h\" 1\n{header}\n# 2 \"a.cc\" 2\n{main}\n")
        };
        let rest = "struct V { int at(int); };";
        let before = with(
            &format!("struct H {{ int h; }}; {rest}"),
            "namespace m { template <int n> struct A { int c[n]; H at; V v; int f() { return at.h; } }; }\n\
             int g(int, m::A<3>);\n\
             int main() { auto n = g(1, m::A<3>{1, 2}); m::A<2 + 1> a{{0, 1}, {}}; return static_cast<int>(a.v.at(n)) + static_cast<int>(a.at.h); }",
        );
        let after = with(
            rest,
            "namespace m { template <int n> struct A { int c[n]; V v; int f() { } }; }\n\
             int g(int, m::A<3>);\n\
             int main() { auto n = g(1, m::A<3>{}); m::A<2 + 1> a{}; return static_cast<int>(a.v.at(n)); }",
        );
        let keep = ["a.v.at(n)", "int c[n]", "g(1, m::A<3>", "a{", "int f()"];
        assert_reduces(&PASS, Language::CPP, &before, &keep, &after);
    }
}
