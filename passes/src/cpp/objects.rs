//! Replaces the object whose member is used by a smaller one of the same class: a variable, or one that is made there.
//!
//! The class is that which declares the member, if only one has a member of that name. A constructor gets `{}` for each parameter
//! that it needs. Where new ones take the place of all objects that a variable or data member holds, it goes with what else uses it.
//!
//! before:
//! ```cpp
//! struct A { int f(); }; struct B { A a[2]; B *next; void add(int); };
//! int g(B b, A a) { return b.next->a[1].f(); } int h() { B b; b.add(1); return b.next->a[1].f(); }
//! ```
//! after:
//! ```cpp
//! struct A { int f(); }; struct B { A a[2]; B *next; void add(int); };
//! int g(B b, A a) { return a.f(); } int h() { return A().f(); }
//! ```

use std::collections::{BTreeMap, HashMap};

use clreduce_language::{EntityId, NodeField, NodeId, NodeKind, SymbolId, SymbolKind};
use clreduce_testcase::Edit;

use super::holders::Holders;
use crate::analysis::{NewObject, Spelling, Unit};
use crate::edit::is_smaller;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-objects",
    "Replace the object of a member by a variable of its class, or by a new one",
    CPP,
    propose,
);

/// Variables of one class that are looked at.
const MOST_VARIABLES: usize = 32;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let (entities, symbols) = (snapshot.entities(unit.file), snapshot.symbols(unit.file));
        let objects = ClassObjects::new(Spelling { unit, entities, symbols });
        let mut new_objects: BTreeMap<EntityId, Option<Vec<u8>>> = BTreeMap::new();
        let mut holders = Holders::new(objects.spelling);
        let tree = unit.tree;
        let accesses = tree.ids().filter(|&id| tree.kind(id) == NodeKind::FieldExpression);
        for access in accesses.filter(|&id| !tree.has_error(id)) {
            let Some((object, class)) = objects.read(access) else { continue };
            let variable = objects.variable(class, access).map(<[u8]>::to_vec);
            let new = new_objects
                .entry(class)
                .or_insert_with(|| NewObject::of(&objects.spelling, class).map(|it| it.text()));
            let new = new.clone();
            for (text, list) in [(variable, 0), (new, 1)] {
                let Some(text) = text else { continue };
                let range = tree.range(object);
                if is_smaller(&text, &unit.bytes[range.clone()]) {
                    let name = tree.field(access, NodeField::Field);
                    let end = name.map_or(range.end, |name| tree.range(name).start);
                    let text = [&text[..], b"."].concat();
                    let edit = Edit::replace(unit.file, range.start..end, text);
                    if list == 1 {
                        holders.add(object, std::slice::from_ref(&edit));
                    }
                    proposals.push(Proposal::edit(edit).in_list(list));
                }
            }
        }
        let patches = holders.patches(snapshot).into_iter();
        proposals.extend(patches.map(|patch| Proposal::new(patch).in_list(2)));
    }
}

struct ClassObjects<'a> {
    spelling: Spelling<'a>,
    /// By the name of a class, the variables and parameters of that type.
    variables: HashMap<&'a [u8], Vec<SymbolId>>,
}

impl<'a> ClassObjects<'a> {
    fn new(spelling: Spelling<'a>) -> Self {
        let mut variables: HashMap<&[u8], Vec<SymbolId>> = HashMap::new();
        for id in spelling.symbols.ids() {
            let symbol = spelling.symbols.get(id);
            if matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter)
                && let Some(&name) = symbol.declarations.first()
                && let Some(of) = spelling.of_variable(name).filter(|of| of.pointers == 0)
            {
                variables.entry(of.base).or_default().push(id);
            }
        }
        Self { spelling, variables }
    }

    /// The object of an access to a member, and the class of the member.
    fn read(&self, access: NodeId) -> Option<(NodeId, EntityId)> {
        let (tree, entities) = (self.spelling.unit.tree, self.spelling.entities);
        let object = tree.field(access, NodeField::Argument)?;
        let name = tree.field(access, NodeField::Field)?;
        let class = entities.scope(self.spelling.member(name)?)?;
        let is_plain = |&id| !entities.item(id).is_template;
        let declarations = entities.declarations(class);
        declarations.iter().all(is_plain).then_some((object, class))
    }

    /// The name of a variable of a class that can be used at a node.
    fn variable(&self, class: EntityId, at: NodeId) -> Option<&'a [u8]> {
        let Spelling { unit, entities, symbols } = self.spelling;
        let variables = self.variables.get(entities.name(class))?;
        let mut names = variables.iter().take(MOST_VARIABLES).filter_map(|&id| {
            let declared = *symbols.get(id).declarations.first()?;
            let name = unit.text(declared);
            let is_seen = declared < at && symbols.lookup(unit.tree, name, at) == Some(id);
            is_seen.then_some(name)
        });
        names.next_back()
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::{reduce_with, spelled};

    #[test]
    fn the_member_goes_that_held_the_objects() {
        let with = |rest: &str| {
            let classes = "struct A { int f(); }; template <class T> struct V { T *get(); };";
            format!("{classes} {rest}")
        };
        let before = with(
            "struct B { void add() { all.put(new A); this->all.put(0); }
             int best() { return all.get()->f(); } V<A> all; };
             int g(B &b) { b.all.put(0); return b.all.get()->f(); }",
        );
        let after = with(
            "struct B { void add() { } int best() { return A().f(); } }; int g(B &b) { return A().f(); }",
        );
        // As long as an object is put in, it has to be read.
        let is_whole =
            |text: &str| text.matches("put").count() == text.matches("all.get()").count() * 3 / 2;
        let left = reduce_with(&PASS, &before, Language::CPP, is_whole);
        assert_eq!(spelled(&left), spelled(&after));
    }
}
