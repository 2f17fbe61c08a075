//! Moves what a class holds to the scope around it: all of a class that is nothing but a scope, which then goes, or one member.
//!
//! The name of the class goes from all qualified names, and the object from calls of a member that becomes a function. Words that
//! only members have go as well, and `friend` from before functions. Constructors and operators of a class go with it.
//!
//! before:
//! ```cpp
//! struct A { A(); struct B { int x; }; static int f(B b) { return b.x; } };
//! struct C { int x; enum E { P }; int g() const; };
//! int C::g() const { return P; }
//! A::B b; C c; int y = A::f(b) + c.g() + C::P;
//! ```
//! after:
//! ```cpp
//! struct B { int x; }; int f(B b) { return b.x; }
//! enum E { P }; int g(); struct C { int x; };
//! int g() { return P; }
//! B b; C c; int y = f(b) + g() + P;
//! ```

mod member;
mod moved;

use std::collections::HashMap;

use clreduce_language::{Entities, EntityId, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, outside_members};
use crate::budget::Budget;
use crate::edit::disjoint;
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppNesting;

/// All of a class template is searched for its parameters, and classes may nest.
const MOST: Budget = Budget::new("bytes of a class template whose members move out", 20_000);

impl Pass for CppNesting {
    fn info(&self) -> PassInfo {
        PassInfo::new("cpp-nesting", "Move members of classes to the scope around the class", CPP)
            .renaming()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let program = Program::new(unit, snapshot.entities(unit.file));
            for (id, class) in program.classes() {
                let is_template = program.entities.item(id).is_template;
                let size = unit.tree.range(program.entities.item(id).node).len();
                if is_template && !proposals.allow(&MOST, size) {
                    continue;
                }
                let scope = program.dissolved(id, class).map(Proposal::new);
                proposals.extend(scope);
                let members = program.members.get(&id).into_iter().flatten();
                let members = members.filter_map(|&member| program.moved(id, member));
                proposals.extend(members.map(|patch| Proposal::new(patch).in_list(1)));
            }
        }
    }
}

struct Program<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    /// By entity, the names that lead to it.
    uses: HashMap<EntityId, Vec<NodeId>>,
    /// By name, the accesses `a.b` and `a->b` of a member `b`.
    accesses: HashMap<&'a [u8], Vec<NodeId>>,
    /// By class, the members that are defined outside of it.
    outside: HashMap<EntityId, Vec<ItemId>>,
    /// By definition of a class, what it holds.
    members: HashMap<ItemId, Vec<ItemId>>,
}

impl<'a> Program<'a> {
    fn new(unit: Unit<'a>, entities: &'a Entities) -> Self {
        let mut uses: HashMap<EntityId, Vec<NodeId>> = HashMap::new();
        for &(name, entity) in entities.references() {
            uses.entry(entity).or_default().push(name);
        }
        let mut accesses: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
        for (id, kind) in unit.sound() {
            if kind == NodeKind::FieldExpression
                && let Some(field) = unit.tree.field(id, NodeField::Field)
            {
                accesses.entry(unit.text(field)).or_default().push(id);
            }
        }
        let mut members: HashMap<ItemId, Vec<ItemId>> = HashMap::new();
        for id in entities.ids() {
            if let Some(parent) = entities.item(id).parent {
                members.entry(parent).or_default().push(id);
            }
        }
        let outside = outside_members(entities);
        Self { unit, entities, uses, accesses, outside, members }
    }

    /// The classes that are defined once and have no specialisations, each with its specifier.
    fn classes(&self) -> impl Iterator<Item = (ItemId, NodeId)> {
        let (tree, entities) = (self.unit.tree, self.entities);
        entities.ids().filter_map(move |id| {
            let item = entities.item(id);
            let &entity = item.declares.first().filter(|_| item.kind == ItemKind::Type)?;
            let specifier = self.specifier(id)?;
            let name = tree.field(specifier, NodeField::Name)?;
            let body = tree.field(specifier, NodeField::Body)?;
            let is_plain = tree.kind(name) == NodeKind::TypeIdentifier
                && tree.kind(body) == NodeKind::FieldDeclarationList
                && !tree.node(item.node).damaged
                && tree.is_sound(item.node);
            let declarations = entities.declarations(entity).iter();
            let is_definition = |&&other: &&ItemId| {
                self.specifier(other).is_none_or(|it| tree.field(it, NodeField::Body).is_some())
            };
            (is_plain && declarations.filter(is_definition).count() == 1).then_some((id, specifier))
        })
    }

    /// The specifier of a class, alone or in a declaration.
    fn specifier(&self, id: ItemId) -> Option<NodeId> {
        let tree = self.unit.tree;
        let inner = self.entities.item(id).inner;
        let specifier = match tree.kind(inner) {
            NodeKind::Declaration | NodeKind::FieldDeclaration => {
                tree.field(inner, NodeField::Type)?
            }
            _ => inner,
        };
        let kind = tree.kind(specifier);
        matches!(kind, NodeKind::ClassSpecifier | NodeKind::StructSpecifier).then_some(specifier)
    }

    /// The patch that removes the braces of a class which is nothing but a scope.
    fn dissolved(&self, id: ItemId, specifier: NodeId) -> Option<Patch> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let item = entities.item(id);
        let &class = item.declares.first()?;
        let has_variables = tree.kind(item.inner) != tree.kind(specifier)
            && tree.field(item.inner, NodeField::Declarator).is_some();
        if has_variables {
            return None;
        }
        let body = tree.field(specifier, NodeField::Body)?;
        let (whole, inside) = (entities.range(tree, id), tree.range(body));
        let mut edits = vec![
            unit.delete(whole.start..inside.start + 1),
            unit.delete(inside.end - 1..whole.end),
        ];
        edits.extend(self.labels(body));
        let parameters = self.parameters(id);
        let to_file = !item.is_member;
        let members = self.members.get(&id).into_iter().flatten();
        let outside = self.outside.get(&class).into_iter().flatten();
        for &member in members.chain(outside) {
            match self.freed(member, class, to_file) {
                Some(_) if self.mentions(member, &parameters) => return None,
                Some(freed) => edits.extend(freed),
                None => edits.push(unit.delete(entities.range(tree, member))),
            }
        }
        let others = entities.declarations(class).iter().filter(|&&other| other != id);
        edits.extend(others.map(|&other| unit.delete(entities.range(tree, other))));
        let removed = disjoint(edits.clone());
        for &name in self.uses.get(&class).into_iter().flatten() {
            if !is_in(&removed, tree.range(name).start) {
                edits.push(self.unqualified(name)?);
            }
        }
        Patch::new(disjoint(edits))
    }

    /// The access labels of a class.
    fn labels(&self, body: NodeId) -> impl Iterator<Item = Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let is_label = move |&id: &NodeId| tree.kind(id) == NodeKind::AccessSpecifier;
        tree.children(body).filter(is_label).filter_map(move |label| {
            let colon = tree.node(label).after;
            let is_colon = tree.kind(colon) == NodeKind::Colon;
            is_colon.then(|| unit.delete(tree.range(label).start..tree.range(colon).end))
        })
    }
}

/// Returns whether a place lies in one of these edits, which are in order.
fn is_in(edits: &[Edit], place: usize) -> bool {
    let next = edits.partition_point(|edit| edit.range().end <= place);
    edits.get(next).is_some_and(|edit| edit.range().start <= place)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&CppNesting, Language::CPP, before, keep, after);
    }

    #[test]
    fn a_class_that_is_used_keeps_its_braces_and_what_needs_them() {
        let before = "struct A { int x; A(); int f() { return x; } int g() { return this->x; }
            int operator()(); struct B; B *b; }; A a; int y = a.f() + a.g() + a();";
        check(before, &[], before);
    }

    #[test]
    fn a_member_with_the_name_of_another_stays_in_its_class() {
        let before = "struct A { int x; int f(); }; struct B { int x; int f(); };
            int y = A().f() + B().f();";
        check(before, &[], before);
    }

    #[test]
    fn what_mentions_the_parameters_of_its_class_stays_there() {
        let before = "template <class T> struct A { struct B { T t; }; struct C { C(); }; T t; };
            A<int>::B b; A<int>::C c; A<int> a; template <class U> A<U>::C::C() { }";
        let after = "struct C { C(); }; template <class T> struct A { struct B { T t; }; T t; };
            A<int>::B b; C c; A<int> a; C::C() { }";
        check(before, &[], after);
    }

    #[test]
    fn a_member_that_mentions_its_class_moves_behind_it() {
        let before = "struct A { struct B { A *a; int x; }; int y; }; A::B b = { new A() };";
        let after = "struct A { int y; }; struct B { A *a; int x; }; B b = { new A() };";
        check(before, &[], after);
        let before = "struct A { A(int = 0); A f() { A a; return a; } int x; }; int y = A().f().x;";
        let after = "struct A { A(int = 0); int x; }; A f() { A a; return a; } int y = f().x;";
        check(before, &[], after);
    }

    #[test]
    fn a_friend_moves_behind_its_class() {
        let before = "class A { friend A operator*(A a, A) { return a; } template <class T> friend int f(T, A *) { } int x; };
            struct B { friend int x(B) { return y; } static int y; };";
        let after = "class A { int x; }; template <class T> int f(T, A *) { } A operator*(A a, A) { return a; }
            struct B { friend int x(B) { return y; } static int y; };";
        check(before, &["x(B)", "y;"], after);
    }

    #[test]
    fn the_members_of_a_class_in_a_class_stay_static() {
        let before = "class A { int x; class B { public: static int f(); }; int y = B::f(); };";
        let after = "class A { int x; static int f(); int y = f(); };";
        check(before, &["class A"], after);
    }
}
