//! Moves the members of a base class into a class that derives from it. The base class goes as well, unless something else uses it.
//!
//! Bases of the base become bases of the class. Of a base that is a template, the members get the arguments in the place of its
//! parameters.
//!
//! before:
//! ```cpp
//! template <class T> struct B { T x; B(); }; struct C { int y; };
//! struct D : private B<int>, C { int f(); };
//! C c;
//! ```
//! after:
//! ```cpp
//! struct C { int y; };
//! struct D : C { int x; D(); int f(); };
//! C c;
//! ```

use std::collections::HashMap;
use std::ops::Range;

use clreduce_language::{Entities, EntityId, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch, steps};

use crate::analysis::{Head, Unit, last_name, outside_members, template_parameter_name};
use crate::edit::{Argument, Arguments, disjoint, substituted};
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppMergeBases;

impl Pass for CppMergeBases {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-merge-bases",
            "Move the members of base classes into the classes that derive from them",
            CPP,
        )
        .growing()
        .renaming()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let entities = snapshot.entities(unit.file);
            let mut count: HashMap<EntityId, usize> = HashMap::new();
            for &(_, entity) in entities.references() {
                *count.entry(entity).or_default() += 1;
            }
            let outside = outside_members(entities);
            let clauses = unit.sound().filter(|(_, kind)| *kind == NodeKind::BaseClassClause);
            for (clause, _) in clauses {
                for (base, _) in bases(unit, clause) {
                    let merge = Merge { unit, entities, clause, base };
                    proposals.extend(merge.patch(&count, &outside).map(Proposal::new));
                }
            }
        }
    }
}

/// The bases in a clause, and where each is written with `public` and `virtual`.
fn bases(unit: Unit<'_>, clause: NodeId) -> Vec<(NodeId, Range<usize>)> {
    let tree = unit.tree;
    let mut bases = Vec::new();
    let mut start = None;
    for child in tree.children(clause) {
        let range = tree.range(child);
        match tree.kind(child) {
            NodeKind::Colon => {}
            NodeKind::Comma => start = None,
            NodeKind::TypeIdentifier | NodeKind::TemplateType | NodeKind::QualifiedIdentifier => {
                bases.push((child, start.unwrap_or(range.start)..range.end));
            }
            _ => start = start.or(Some(range.start)),
        }
    }
    bases
}

/// One base of one class.
struct Merge<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    clause: NodeId,
    base: NodeId,
}

impl<'a> Merge<'a> {
    fn patch(
        &self,
        count: &HashMap<EntityId, usize>,
        outside: &HashMap<EntityId, Vec<ItemId>>,
    ) -> Option<Patch> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let derived = tree.parent(self.clause)?;
        let body = tree.field(derived, NodeField::Body)?;
        let derived_name = unit.text(last_name(unit, tree.field(derived, NodeField::Name)?));
        let name = last_name(unit, self.base);
        let base = entities.meant(name)?;
        // A template with specialisations is none of these.
        let [item] = self.definitions(base)[..] else { return None };
        let definition = entities.item(item);
        let members = tree.field(definition.inner, NodeField::Body)?;
        let is_inside =
            |outer: NodeId, node: NodeId| outer <= node && node < tree.node(outer).after;
        if is_inside(definition.node, derived) || is_inside(derived, definition.node) {
            return None;
        }
        let mut arguments = Arguments::new();
        if let Some(head) = Head::of(unit, definition.node) {
            let list = tree.field(tree.node(name).parent, NodeField::Arguments)?;
            self.bind(&head, list, &mut arguments)?;
        }
        let inside = tree.range(members).start + 1..tree.range(members).end - 1;
        // A constructor is named like its class.
        let renamed =
            |id: NodeId| (unit.text(id) == unit.text(name)).then(|| derived_name.to_vec());
        let mut text = substituted(unit, members, inside, &arguments, &renamed)?;
        steps(text.len());
        let is_class = tree.kind(derived) == NodeKind::ClassSpecifier;
        if is_class {
            text = [b" public:", &text[..]].concat();
        }
        let start = tree.range(body).start;
        let mut edits =
            vec![Edit::replace(unit.file, start..start + 1, [b"{", &text[..]].concat())];
        edits.push(self.clause_without(definition.inner, &arguments)?);
        let declarations = entities.declarations(base);
        let members = outside.get(&base).into_iter().flatten();
        let own = declarations.iter().chain(members);
        let own: Vec<Range<usize>> = own.map(|&id| entities.range(tree, id)).collect();
        let named_inside = entities.references().iter().filter(|(node, entity)| {
            let start = tree.range(*node).start;
            *entity == base && own.iter().any(|range| range.contains(&start))
        });
        if count.get(&base).copied().unwrap_or(0) == named_inside.count() + 1 {
            edits.extend(own.into_iter().map(|range| unit.delete(range)));
        }
        Patch::new(disjoint(edits))
    }

    /// Puts the bases of the base in its place.
    fn clause_without(&self, base: NodeId, arguments: &Arguments<'a>) -> Option<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let is_clause = |&id: &NodeId| tree.kind(id) == NodeKind::BaseClassClause;
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for (other, written) in bases(unit, self.clause) {
            if other != self.base {
                texts.push(unit.bytes[written].to_vec());
            } else if let Some(clause) = tree.named_children(base).find(is_clause) {
                let inside = tree.range(clause).start + 1..tree.range(clause).end;
                texts.push(substituted(unit, clause, inside, arguments, &|_| None)?);
            }
        }
        let range = tree.range(self.clause);
        Some(match texts.is_empty() {
            true => unit.delete(range),
            false => {
                let text = [b": ", &texts.join(b", ".as_slice())[..]].concat();
                Edit::replace(unit.file, range, text)
            }
        })
    }

    /// The definitions of a class.
    fn definitions(&self, class: EntityId) -> Vec<ItemId> {
        let tree = self.unit.tree;
        let declarations = self.entities.declarations(class).iter().copied();
        let defines = |&id: &ItemId| {
            let item = self.entities.item(id);
            item.kind == ItemKind::Type
                && matches!(
                    tree.kind(item.inner),
                    NodeKind::ClassSpecifier | NodeKind::StructSpecifier
                )
                && !tree.has_error(item.node)
                && tree.field(item.inner, NodeField::Body).is_some()
        };
        declarations.filter(defines).take(2).collect()
    }

    /// Lets arguments stand for the parameters of the base.
    fn bind(&self, head: &Head, list: NodeId, found: &mut Arguments<'a>) -> Option<()> {
        let unit = self.unit;
        let mut given = unit.tree.named_children(list);
        for &parameter in &head.parameters {
            let argument = unit.text(given.next()?).to_vec();
            if let Some(name) = template_parameter_name(unit, parameter) {
                found.insert(unit.text(name), Argument::One(argument));
            }
        }
        given.next().is_none().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn a_base_that_is_used_stays() {
        let before =
            "struct B { int x; }; struct C { C(); }; class D : public B, C { int f(); B *b; };";
        let after = "struct B { int x; }; class D : public B { public: D(); int f(); B *b; };";
        assert_reduces(&CppMergeBases, Language::CPP, before, &[], after);
    }
}
