//! Moves what a class holds to the scope around it: all of a class that is nothing but a scope, which then goes, or one member.
//!
//! The name of the class goes from all qualified names, and the object from calls of a member that becomes a function. Words that
//! only members have go as well. Constructors and operators go with their class.
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

use std::collections::{HashMap, HashSet};

use clreduce_language::{Entities, EntityId, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Head, Unit, is_name, outside_members, template_parameter_name};
use crate::budget::Budget;
use crate::edit::{disjoint, edited};
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

    /// The names of the parameters of a template.
    fn parameters(&self, id: ItemId) -> HashSet<&'a [u8]> {
        let head = Head::of(self.unit, self.entities.item(id).node);
        let parameters = head.into_iter().flat_map(|head| head.parameters);
        let name = |parameter| Some(self.unit.text(template_parameter_name(self.unit, parameter)?));
        parameters.filter_map(name).collect()
    }

    /// Returns whether a member mentions a parameter of its class: one of these, or one in the head of a definition outside.
    fn mentions(&self, member: ItemId, parameters: &HashSet<&[u8]>) -> bool {
        let (unit, tree) = (self.unit, self.unit.tree);
        let item = self.entities.item(member);
        let own = if item.is_outside { self.parameters(member) } else { HashSet::new() };
        if own.is_empty() && parameters.is_empty() {
            return false;
        }
        let mut names = tree.subtree(item.inner).filter(|&id| is_name(tree.kind(id)));
        names.any(|id| {
            let text = unit.text(id);
            (parameters.contains(text) || own.contains(text)) && !self.is_in_qualifier(id)
        })
    }

    /// Returns whether a name stands in the arguments of what stands before `::`.
    fn is_in_qualifier(&self, name: NodeId) -> bool {
        let tree = self.unit.tree;
        let mut around = tree.ancestors(name).take(4);
        around.any(|id| {
            tree.kind(id) == NodeKind::TemplateType && tree.node(id).field == Some(NodeField::Scope)
        })
    }

    /// The edits of a member of a class that make it a declaration at another place. `None` if it can only be a member.
    fn freed(&self, id: ItemId, class: EntityId, to_file: bool) -> Option<Vec<Edit>> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let item = entities.item(id);
        let node = tree.node(item.node);
        let name = entities.name(*item.declares.first()?);
        let has_definition =
            || !item.is_outside && !self.defined_outside(item.declares[0]).is_empty();
        let mut edits = Vec::new();
        match item.kind {
            ItemKind::Type | ItemKind::Alias => return Some(edits),
            ItemKind::Function => {
                let is_special = matches!(name.first(), Some(b'~'))
                    || name.starts_with(b"operator")
                    || name == entities.name(class);
                if is_special || node.kind == NodeKind::FriendDeclaration {
                    return None;
                }
                let mut at = tree.field(item.inner, NodeField::Declarator);
                while let Some(declarator) = at {
                    if tree.kind(declarator) == NodeKind::FunctionDeclarator {
                        let words = tree.children(declarator).filter(|&word| {
                            matches!(
                                tree.kind(word),
                                NodeKind::TypeQualifier
                                    | NodeKind::RefQualifier
                                    | NodeKind::VirtualSpecifier
                            )
                        });
                        edits.extend(words.map(|word| unit.delete(tree.range(word))));
                    }
                    at = tree.field(declarator, NodeField::Declarator);
                }
                edits.extend(self.pure(item.inner));
            }
            // The definition of a static member is enough.
            ItemKind::Variable if has_definition() => return None,
            ItemKind::Variable => {
                let clause = |&child: &NodeId| tree.kind(child) == NodeKind::BitfieldClause;
                let clauses = tree.children(item.inner).filter(clause);
                edits.extend(clauses.map(|clause| unit.delete(tree.range(clause))));
            }
            _ => return None,
        }
        let words = tree.children(item.inner).filter(|&word| match tree.kind(word) {
            NodeKind::VirtualKeyword => true,
            NodeKind::StorageClassSpecifier => {
                let text = unit.text(word);
                text == b"mutable" || to_file && text == b"static"
            }
            _ => false,
        });
        edits.extend(words.map(|word| unit.delete(tree.range(word))));
        edits.extend(self.without_head(id, class).filter(|_| item.is_outside));
        Some(edits)
    }

    /// The definitions of a member outside of its class.
    fn defined_outside(&self, member: EntityId) -> Vec<ItemId> {
        let declarations = self.entities.declarations(member).iter().copied();
        declarations.filter(|&id| self.entities.item(id).is_outside).collect()
    }

    /// The edit that removes the head of a class template from a definition outside of it.
    fn without_head(&self, id: ItemId, class: EntityId) -> Option<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let node = self.entities.item(id).node;
        let head = Head::of(unit, node)?;
        let next = tree.next_named(head.list)?;
        let range = tree.range(node).start..tree.range(next).start;
        (head.parameters.len() == self.parameter_count(class)).then(|| unit.delete(range))
    }

    /// The number of parameters of a class template.
    fn parameter_count(&self, class: EntityId) -> usize {
        let declaration = self.entities.declarations(class).first();
        let head = declaration.and_then(|&id| Head::of(self.unit, self.entities.item(id).node));
        head.map_or(usize::MAX, |head| head.parameters.len())
    }

    /// The `= 0` of a function that is purely virtual.
    fn pure(&self, function: NodeId) -> Option<Edit> {
        let tree = self.unit.tree;
        let value = tree.field(function, NodeField::DefaultValue)?;
        let is_equal = |&child: &NodeId| tree.kind(child) == NodeKind::Equal;
        let equal = tree.children(function).find(is_equal)?;
        Some(self.unit.delete(tree.range(equal).start..tree.range(value).end))
    }

    /// The edit that removes the name of a class, with its arguments, from before `::`. `None` if it stands elsewhere.
    fn unqualified(&self, name: NodeId) -> Option<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let mut scope = name;
        for kind in [NodeKind::TemplateType, NodeKind::DependentName] {
            let parent = tree.parent(scope)?;
            if tree.kind(parent) == kind && tree.node(scope).field != Some(NodeField::Scope) {
                scope = parent;
            }
        }
        let whole = tree.parent(scope)?;
        let is_qualifier = tree.node(scope).field == Some(NodeField::Scope)
            && tree.kind(whole) == NodeKind::QualifiedIdentifier;
        let mut rest = tree.field(whole, NodeField::Name).filter(|_| is_qualifier)?;
        let around = tree.parent(whole)?;
        let is_last = tree.kind(rest) != NodeKind::QualifiedIdentifier;
        if tree.kind(rest) == NodeKind::DependentName {
            rest = tree.named_children(rest).next()?;
        }
        let start = match tree.kind(around) {
            NodeKind::UsingDeclaration if is_last => return Some(unit.delete(tree.range(around))),
            NodeKind::DependentType if is_last => tree.range(around).start,
            _ => tree.range(scope).start,
        };
        Some(unit.delete(start..tree.range(rest).start))
    }

    /// The patch that moves a member before its class, or behind it where it mentions the class.
    fn moved(&self, class_item: ItemId, id: ItemId) -> Option<Patch> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let (class, member) = (entities.item(class_item), entities.item(id));
        let (&class_entity, &entity) = (class.declares.first()?, member.declares.first()?);
        let is_anonymous = member.kind == ItemKind::Type
            && self.specifier(id).is_some_and(|it| tree.field(it, NodeField::Name).is_none());
        if is_anonymous || tree.has_error(member.node) || member.declares.contains(&class_entity) {
            return None;
        }
        let is_other = |&&other: &&ItemId| other != id && !entities.item(other).is_outside;
        if entities.declarations(entity).iter().any(|other| is_other(&other)) {
            return None;
        }
        let mut edits = self.used(class_entity, id)?;
        let outside = self.defined_outside(entity);
        let parts = [&[id], &outside[..]].concat();
        // Without one, the program is not smaller.
        let has_gain = !edits.is_empty();
        let range = entities.range(tree, id);
        match self.freed(id, class_entity, !class.is_member) {
            Some(freed) => edits.extend(freed),
            None if member.kind == ItemKind::Variable && !outside.is_empty() => {}
            None => return None,
        }
        let is_static = |word: NodeId| unit.text(word) == b"static";
        if !has_gain
            || member.kind == ItemKind::Variable && !tree.children(member.inner).any(is_static)
        {
            return None;
        }
        for &part in &outside {
            edits.extend(self.freed(part, class_entity, true)?);
        }
        let parameters = self.parameters(class_item);
        // What a nested class defines outside has the head of the outer class as well.
        for &part in self.outside.get(&entity).into_iter().flatten() {
            if !parameters.is_empty() && self.mentions(part, &parameters) {
                return None;
            }
            edits.extend(self.without_head(part, class_entity));
        }
        let mut is_behind = false;
        for &part in &parts {
            if self.mentions(part, &parameters) {
                return None;
            }
            let needs_class = self.needs_class(part, class_entity, &member.declares)?;
            is_behind |= part == id && needs_class;
        }
        let mut patch = Vec::new();
        let (inside, others): (Vec<Edit>, Vec<Edit>) =
            disjoint(edits).into_iter().partition(|edit| range.contains(&edit.range().start));
        if member.kind != ItemKind::Variable || outside.is_empty() {
            let whole = entities.range(tree, class_item);
            let at = if is_behind { whole.end } else { whole.start };
            let text = [b" ", &edited(unit, range.clone(), &inside)[..], b" "].concat();
            patch.push(Edit::replace(unit.file, at..at, text));
        }
        patch.push(unit.delete(range));
        patch.extend(others);
        Patch::new(patch)
    }

    /// The edits of all uses of a member.
    fn used(&self, class: EntityId, id: ItemId) -> Option<Vec<Edit>> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let item = entities.item(id);
        let mut edits = Vec::new();
        for entity in &item.declares {
            for &name in self.uses.get(entity).into_iter().flatten() {
                let Some(scope) = self.qualifier(name) else { continue };
                let last = tree.subtree(scope).find(|&at| entities.meant(at) == Some(class))?;
                edits.push(self.unqualified(last)?);
            }
        }
        if item.kind == ItemKind::Function {
            let &entity = item.declares.first()?;
            let name = entities.name(entity);
            let accesses = self.accesses.get(name).map_or(&[][..], Vec::as_slice);
            if !accesses.is_empty() && entities.named(name).len() != 1 {
                return None;
            }
            for &access in accesses {
                let field = tree.field(access, NodeField::Field)?;
                edits.push(unit.delete(tree.range(access).start..tree.range(field).start));
            }
        }
        Some(edits)
    }

    /// What stands before `::` in front of a name.
    fn qualifier(&self, name: NodeId) -> Option<NodeId> {
        let tree = self.unit.tree;
        let mut at = name;
        for _ in 0..4 {
            let parent = tree.parent(at)?;
            let is_qualified = tree.kind(parent) == NodeKind::QualifiedIdentifier;
            match tree.field(parent, NodeField::Scope) {
                Some(scope) if is_qualified && scope != at => return Some(scope),
                _ if is_qualified => at = parent,
                _ if matches!(
                    tree.kind(parent),
                    NodeKind::TemplateType | NodeKind::TemplateFunction | NodeKind::DependentName
                ) =>
                {
                    at = parent;
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns whether a member mentions its class. `None` if it mentions other members of it, or `this`.
    fn needs_class(&self, part: ItemId, class: EntityId, own: &[EntityId]) -> Option<bool> {
        let (tree, entities) = (self.unit.tree, self.entities);
        let node = entities.item(part).node;
        let after = tree.node(node).after;
        if tree.subtree(node).any(|id| tree.kind(id) == NodeKind::This) {
            return None;
        }
        let references = entities.references();
        let first = references.partition_point(|&(name, _)| name < node);
        let mut needs = false;
        let inside = references[first..].iter().take_while(|&&(name, _)| name < after);
        for &(name, entity) in inside {
            let is_qualified =
                tree.node(tree.node(name).parent).kind == NodeKind::QualifiedIdentifier;
            let is_other = entities.scope(entity) == Some(class) && !own.contains(&entity);
            if is_other && !is_qualified {
                return None;
            }
            needs |= entity == class && self.unqualified(name).is_none() || is_other;
        }
        Some(needs)
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
        assert_reduces(&CppNesting, Language::Cpp, before, keep, after);
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
    }

    #[test]
    fn the_members_of_a_class_in_a_class_stay_static() {
        let before = "class A { int x; class B { public: static int f(); }; int y = B::f(); };";
        let after = "class A { int x; static int f(); int y = f(); };";
        check(before, &["class A"], after);
    }
}
