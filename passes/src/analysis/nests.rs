//! Deep nests: brackets in brackets, statements and expressions of one kind in each other, `#if` in `#if`.
//!
//! A generator wrote a nest of such depth, hardly a person. It pays to try many levels together and not
//! each alone: a pass that asks about one level after the other needs as many tests as there are levels.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use clreduce_language::NodeKind;
use clreduce_testcase::{EditKind, Feature, Patch, step, steps};

use super::directives::directives;
use super::tokens::Tokens;
use super::unit::Unit;
use crate::{NodeId, Snapshot};

/// A nest of fewer levels is not deep.
const DEEP: usize = 64;

/// Levels at either end of a nest that are looked at one by one.
const ENDS: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nest {
    /// The text of each level, the outermost first. Each lies in the one before it.
    pub levels: Vec<Range<usize>>,
}

impl Nest {
    /// The text that belongs to the levels between the ends: what stands before the inner levels, and behind them.
    pub(crate) fn middle(&self) -> [Range<usize>; 2] {
        let (first, last) = (&self.levels[ENDS], &self.levels[self.levels.len() - ENDS]);
        [first.start..last.start, last.end..first.end]
    }
}

/// The middles of the deep nests of a program, for whoever decides how many proposals are tried at once.
#[derive(Debug)]
pub struct NestMiddles(Vec<Vec<Range<usize>>>);

impl NestMiddles {
    /// Finds the middles of the deep nests of each file.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let of_file = |file| nests(snapshot, file).iter().flat_map(Nest::middle).collect();
        Self((0..snapshot.file_count()).map(of_file).collect())
    }

    /// Returns whether a patch is about levels in the middle of a deep nest and nothing else: every edit begins or ends
    /// among them.
    #[must_use]
    pub fn hold(&self, patch: &Patch) -> bool {
        patch.edits().iter().all(|edit| {
            let (start, end) = (edit.start as usize, edit.end as usize);
            let touches = |middle: &Range<usize>| {
                middle.contains(&start) || (middle.start < end && end <= middle.end)
            };
            edit.kind != EditKind::RemoveFile && self.0[edit.file as usize].iter().any(touches)
        })
    }
}

/// The kind of a nest: things of different kinds are different nests.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NestKind {
    Conditional,
    Node(NodeKind),
    Bracket,
}

/// Something that others of its kind may lie in.
struct Level {
    kind: NestKind,
    range: Range<usize>,
    /// The nearest one of its kind around it, by index.
    parent: Option<usize>,
    /// The number of levels from here to the innermost, itself included.
    height: usize,
    /// The one of its kind in it that goes deepest, by index.
    inner: Option<usize>,
}

/// The deep nests of a file, none of which crosses another.
pub(crate) fn nests(snapshot: &Snapshot, file: usize) -> Vec<Nest> {
    let levels = linked(levels(snapshot, file));
    let begins = |at: &usize| {
        let level = &levels[*at];
        level.height >= DEEP && level.parent.is_none_or(|parent| levels[parent].inner != Some(*at))
    };
    let mut first: Vec<usize> = (0..levels.len()).filter(begins).collect();
    first.sort_by_key(|&at| Reverse(levels[at].height));
    let mut taken: Vec<(NestKind, Range<usize>)> = Vec::new();
    let mut nests = Vec::new();
    for at in first {
        steps(taken.len());
        let Level { kind, range, .. } = &levels[at];
        // A branch of the same nest lies between two levels of it.
        let is_free = |(other, around): &(NestKind, Range<usize>)| {
            other == kind || around.end <= range.start || range.end <= around.start
        };
        if taken.iter().all(is_free) {
            let inwards = std::iter::successors(Some(at), |&at| levels[at].inner);
            nests.push(Nest { levels: inwards.map(|at| levels[at].range.clone()).collect() });
            taken.push((*kind, range.clone()));
        }
    }
    nests
}

/// Everything in a file that may be a level of a nest, outer before inner.
fn levels(snapshot: &Snapshot, file: usize) -> Vec<(NestKind, Range<usize>)> {
    let unit = Tokens::of(snapshot, file);
    let mut levels = conditionals(unit);
    let tree = snapshot.tree(file);
    if snapshot.language().has(Feature::Syntax) {
        let nodes = Unit { file, bytes: unit.bytes, tree };
        let sound = nodes.sound().filter(|(id, _)| tree.node(*id).named);
        levels.extend(sound.map(|(id, kind)| (NestKind::Node(kind), tree.range(id))));
    }
    if tree.is_empty() || tree.has_error(NodeId(0)) {
        let pairs = unit.partners().into_iter().enumerate().filter(|(open, close)| close > open);
        levels.extend(pairs.map(|(open, close)| (NestKind::Bracket, unit.span(open, close))));
    }
    levels.sort_by_key(|(_, range)| (range.start, Reverse(range.end)));
    levels
}

/// The conditionals of the preprocessor, from the line of each `#if` to that of its `#endif`.
fn conditionals(unit: Tokens<'_>) -> Vec<(NestKind, Range<usize>)> {
    let (mut open, mut levels) = (Vec::new(), Vec::new());
    for directive in directives(unit) {
        if directive.name.starts_with(b"if") {
            open.push(directive.line.start);
        } else if directive.name == b"endif"
            && let Some(start) = open.pop()
        {
            levels.push((NestKind::Conditional, start..directive.line.end));
        }
    }
    levels
}

/// Finds out what lies in what.
fn linked(levels: Vec<(NestKind, Range<usize>)>) -> Vec<Level> {
    let mut open: HashMap<NestKind, Vec<usize>> = HashMap::new();
    let mut linked: Vec<Level> = Vec::with_capacity(levels.len());
    for (kind, range) in levels {
        step();
        let around = open.entry(kind).or_default();
        while around.last().is_some_and(|&last| linked[last].range.end < range.end) {
            around.pop();
        }
        let parent = around.last().copied();
        around.push(linked.len());
        linked.push(Level { kind, range, parent, height: 1, inner: None });
    }
    for at in (0..linked.len()).rev() {
        let height = linked[at].height + 1;
        if let Some(parent) = linked[at].parent
            && linked[parent].height <= height
        {
            (linked[parent].height, linked[parent].inner) = (height, Some(at));
        }
    }
    linked
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::TestCase;

    use clreduce_testcase::Language;

    use super::*;

    fn depths(source: &str, language: Language) -> Vec<usize> {
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let nests = nests(&Snapshot::new(case, language), 0);
        nests.iter().map(|nest| nest.levels.len()).collect()
    }

    fn nest(open: &str, inside: &str, close: &str) -> String {
        format!("{}{inside}{}", open.repeat(DEEP), close.repeat(DEEP))
    }

    #[test]
    fn the_deepest_kind_is_the_nest_and_branches_are_nests_of_their_own() {
        let ifs = nest("if (a) { ", ";", "}");
        assert_eq!(depths(&format!("void f(void) {{ {ifs} }}"), Language::C), [DEEP + 1]);
        let two = format!("int x = f({}, {});", nest("f(", "1", ")"), nest("f(", "2", ")"));
        assert_eq!(depths(&two, Language::C), [DEEP + 1, DEEP]);
        assert_eq!(depths(&nest("([", "", "])"), Language::TEXT), [2 * DEEP]);
        assert_eq!(depths(&nest("\n#if a\n", "", "\n#endif\n"), Language::TEXT), [DEEP]);
    }

    #[test]
    fn what_is_shallow_or_wide_is_no_nest() {
        let shallow = "(".repeat(DEEP - 1) + &")".repeat(DEEP - 1);
        assert_eq!(depths(&shallow, Language::TEXT), []);
        assert_eq!(depths(&"{ } ".repeat(9 * DEEP), Language::C), []);
    }
}
