//! The statements of the main file that have nothing to do with some names.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use clreduce_language::{NodeId, NodeKind};

use super::parts::MainFilePart;
use super::uses::MainFile;
use crate::analysis::declared_role;

/// Of the functions that mention one of some names: the statements that neither do nor declare what such a statement mentions, nor
/// hold another one that does. What is inside `whole` is left alone.
pub(super) fn unrelated(
    main: &MainFile<'_>,
    names: &BTreeSet<&[u8]>,
    whole: &[Range<usize>],
) -> Vec<Range<usize>> {
    let mut slice = Slice::new(main);
    for name in names {
        for &(_, part) in main.places.get(name).into_iter().flatten() {
            slice.keep(part);
        }
    }
    slice.finish();
    let is_statement = |part: &MainFilePart| {
        let parent = main.unit.tree.node(part.node).parent;
        let is_inside = |around: &Range<usize>| {
            around.start <= part.range.start && part.range.end <= around.end
        };
        main.unit.tree.kind(parent) == NodeKind::CompoundStatement && !whole.iter().any(is_inside)
    };
    // A function without a statement that stays is another matter: nothing of it goes, or all of it.
    let is_around_kept =
        |part: &MainFilePart| part.around.is_some_and(|around| slice.is_kept[around]);
    let parts = main.parts.iter().zip(&slice.is_kept);
    let unrelated =
        parts.filter(|(part, is_kept)| !**is_kept && is_statement(part) && is_around_kept(part));
    unrelated.map(|(part, _)| part.range.clone()).collect()
}

struct Slice<'a, 'm> {
    main: &'m MainFile<'a>,
    /// By part, the names that it mentions outside of the parts inside it.
    mentioned: Vec<Vec<&'a [u8]>>,
    /// By name, the statements that declare it.
    declared: HashMap<&'a [u8], Vec<usize>>,
    is_kept: Vec<bool>,
    work: Vec<usize>,
}

impl<'a, 'm> Slice<'a, 'm> {
    fn new(main: &'m MainFile<'a>) -> Self {
        let tree = main.unit.tree;
        let mut mentioned = vec![Vec::new(); main.parts.len()];
        let mut declared: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (&name, places) in &main.places {
            for &(_, part) in places {
                mentioned[main.whole(part)].push(name);
            }
        }
        for (index, part) in main.parts.iter().enumerate() {
            if tree.kind(part.node) != NodeKind::Declaration {
                continue;
            }
            let inside = (part.node.0..tree.node(part.node).after.0).map(NodeId);
            for id in inside.filter(|&id| declared_role(tree, id).is_some()) {
                declared.entry(main.unit.text(id)).or_default().push(index);
            }
        }
        let is_kept = vec![false; main.parts.len()];
        Self { main, mentioned, declared, is_kept, work: Vec::new() }
    }

    /// A statement stays, and what is around it.
    fn keep(&mut self, part: usize) {
        let mut next = Some(self.main.whole(part));
        while let Some(part) = next.filter(|&part| !self.is_kept[part]) {
            self.is_kept[part] = true;
            self.work.push(part);
            next = self.main.parts[part].around;
        }
    }

    /// What declares something that is mentioned stays as well.
    fn finish(&mut self) {
        while let Some(part) = self.work.pop() {
            if self.main.unit.tree.kind(self.main.parts[part].node) == NodeKind::NamespaceDefinition
            {
                continue;
            }
            for name in std::mem::take(&mut self.mentioned[part]) {
                for declaration in self.declared.get(name).cloned().unwrap_or_default() {
                    self.keep(declaration);
                }
            }
        }
    }
}
