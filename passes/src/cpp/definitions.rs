//! Moves the definition of a member from outside of a class to its declaration in the class.
//!
//! Words such as `static` and default arguments, which only the declaration has, stay. The parameters of a class template have
//! their names in the class.
//!
//! before:
//! ```cpp
//! template <class T> struct A { static T f(T, int = 1); struct B; };
//! template <class U> U A<U>::f(U u, int) { return u; }
//! template <class U> struct A<U>::B { U x; };
//! struct C { static int x; };
//! int C::x = 1;
//! ```
//! after:
//! ```cpp
//! template <class T> struct A { static T f(T u, int = 1) { return u; } struct B { T x; }; };
//! struct C { static inline int x = 1; };
//! ```

use std::collections::HashMap;

use clreduce_language::{Entities, EntityId, Item, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch, tokens};

use crate::analysis::{Head, Unit, name_in, template_parameter_name};
use crate::edit::{Argument, Arguments, edited, substitutions};
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppDefinitions;

impl Pass for CppDefinitions {
    fn info(&self) -> PassInfo {
        PassInfo::new("cpp-definitions", "Move definitions of members into their classes", CPP)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let entities = snapshot.entities(unit.file);
            let declared = Declared::read(unit, entities);
            for id in entities.ids().filter(|&id| entities.item(id).is_outside) {
                let definition = Definition::read(unit, entities, id);
                let patch = definition.and_then(|it| it.inside(it.declaration(&declared)?));
                proposals.extend(patch.map(Proposal::new));
            }
        }
    }
}

/// The declarations of members, without those that have a body.
#[derive(Default)]
struct Declared<'a> {
    /// By member, its only declaration; `None` if there are several.
    only: HashMap<EntityId, Option<ItemId>>,
    /// By function and signature, its only declaration with it; `None` if there are several.
    overloads: HashMap<(EntityId, Vec<&'a [u8]>), Option<ItemId>>,
}

impl<'a> Declared<'a> {
    fn read(unit: Unit<'a>, entities: &Entities) -> Self {
        let mut declared = Self::default();
        for id in entities.ids() {
            let item = entities.item(id);
            let &[member] = &item.declares[..] else { continue };
            if !item.is_member || has_body(unit, item) || unit.tree.has_error(item.node) {
                continue;
            }
            let only = declared.only.entry(member);
            only.and_modify(|only| *only = None).or_insert(Some(id));
            if let Some(signature) = signature(unit, item) {
                let only = declared.overloads.entry((member, signature));
                only.and_modify(|only| *only = None).or_insert(Some(id));
            }
        }
        declared
    }
}

/// Returns whether a function or class is defined.
fn has_body(unit: Unit<'_>, item: &Item) -> bool {
    let tree = unit.tree;
    let specifier = match tree.kind(item.inner) {
        NodeKind::FieldDeclaration | NodeKind::Declaration => {
            tree.field(item.inner, NodeField::Type)
        }
        _ => None,
    };
    let mut nodes = [Some(item.inner), specifier].into_iter().flatten();
    nodes.any(|node| tree.field(node, NodeField::Body).is_some())
}

/// The words of the types of parameters, and those behind the parameters.
fn signature<'a>(unit: Unit<'a>, item: &Item) -> Option<Vec<&'a [u8]>> {
    let tree = unit.tree;
    let declarator = function(unit, item)?;
    let mut words = Vec::new();
    for parameter in tree.named_children(tree.field(declarator, NodeField::Parameters)?) {
        let name = tree.field(parameter, NodeField::Declarator);
        let name = name.map(|name| tree.range(name_in(unit, name)));
        let end = tree.field(parameter, NodeField::DefaultValue);
        let end = end.map_or(usize::MAX, |value| tree.range(value).start);
        let range = tree.range(parameter);
        let text = &unit.bytes[range.clone()];
        let words_of = tokens(text).filter(|token| {
            let at = range.start + token.range().start;
            at < end && !name.as_ref().is_some_and(|name| name.contains(&at))
        });
        words.extend(words_of.map(|token| &text[token.range()]).filter(|word| *word != b"="));
        words.push(b",");
    }
    let behind = tree.children(declarator).filter(|&child| {
        matches!(tree.kind(child), NodeKind::TypeQualifier | NodeKind::RefQualifier)
    });
    words.extend(behind.map(|child| unit.text(child)));
    Some(words)
}

/// The declarator with the parameters of a function.
fn function(unit: Unit<'_>, item: &Item) -> Option<NodeId> {
    let tree = unit.tree;
    let first = tree.field(item.inner, NodeField::Declarator)?;
    let inner = |&at: &NodeId| {
        let inner = tree.field(at, NodeField::Declarator);
        inner.or_else(|| tree.named_children(at).next())
    };
    let mut around = std::iter::successors(Some(first), inner).take(16);
    around.find(|&at| tree.kind(at) == NodeKind::FunctionDeclarator)
}

/// Classes around a member that are looked at.
const DEEPEST: usize = 16;

/// A definition outside of a class.
struct Definition<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    id: ItemId,
    item: &'a Item,
    member: EntityId,
}

impl<'a> Definition<'a> {
    fn read(unit: Unit<'a>, entities: &'a Entities, id: ItemId) -> Option<Self> {
        let item = entities.item(id);
        let &[member] = &item.declares[..] else { return None };
        let is_plain = !unit.tree.has_error(item.node) && !unit.tree.node(item.node).damaged;
        is_plain.then_some(Self { unit, entities, id, item, member })
    }

    /// The patch that moves it into the class.
    fn inside(&self, declaration: ItemId) -> Option<Patch> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let declared = entities.item(declaration);
        let inner = self.item.inner;
        let mut edits = Vec::new();
        let start = self.outer_heads(declared, &mut edits)?;
        edits.push(self.qualifiers()?);
        // What the declaration says and the definition does not.
        let has = |word: NodeId| tree.children(inner).any(|own| unit.text(own) == unit.text(word));
        let words = tree.children(declared.inner).filter(|&child| {
            matches!(
                tree.kind(child),
                NodeKind::StorageClassSpecifier
                    | NodeKind::VirtualKeyword
                    | NodeKind::ExplicitFunctionSpecifier
            )
        });
        let mut words: Vec<&[u8]> =
            words.filter(|&word| !has(word)).map(|word| unit.text(word)).collect();
        if self.item.kind == ItemKind::Variable {
            words.push(b"inline");
        }
        if !words.is_empty() {
            let text = [&words.join(b" ".as_slice())[..], b" "].concat();
            let at = tree.range(inner).start;
            edits.push(Edit::replace(unit.file, at..at, text));
        }
        if self.item.kind == ItemKind::Function {
            edits.extend(self.default_arguments(declared)?);
        }
        let whole = entities.range(tree, self.id);
        edits.sort_by_key(|edit| (edit.start, edit.end));
        let text = edited(unit, start..whole.end, &edits);
        let place = entities.range(tree, declaration);
        Patch::new(vec![Edit::replace(unit.file, place, text), unit.delete(whole)])
    }

    /// The declaration in the class that this defines.
    fn declaration(&self, declared: &Declared<'a>) -> Option<ItemId> {
        let found = match declared.only.get(&self.member)? {
            Some(only) => *only,
            None => {
                let signature = signature(self.unit, self.item)?;
                (*declared.overloads.get(&(self.member, signature))?)?
            }
        };
        (self.entities.item(found).kind == self.item.kind).then_some(found)
    }

    /// Lets the parameters of the class templates around a member have the names that they have there. Returns where the
    /// definition starts without the heads of these classes.
    fn outer_heads(&self, declared: &Item, edits: &mut Vec<Edit>) -> Option<usize> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let around = |&id: &ItemId| entities.item(id).parent;
        let classes = std::iter::successors(declared.parent, around).take(DEEPEST);
        let heads = classes.filter_map(|class| Head::of(unit, entities.item(class).node));
        let heads: Vec<Head> = heads.collect();
        let mut arguments = Arguments::new();
        let mut node = self.item.node;
        for class_head in heads.iter().rev() {
            let head = Head::of(unit, node)?;
            if head.parameters.len() != class_head.parameters.len() {
                return None;
            }
            for (&own, &other) in head.parameters.iter().zip(&class_head.parameters) {
                let names = [own, other].map(|it| template_parameter_name(unit, it));
                if let [Some(own), Some(other)] = names
                    && unit.text(own) != unit.text(other)
                {
                    arguments.insert(unit.text(own), Argument::One(unit.text(other).to_vec()));
                }
            }
            node = tree.next_named(head.list)?;
        }
        let inside = tree.range(self.item.inner);
        let texts = substitutions(unit, self.item.inner, inside, &arguments, &|_| None)?;
        let renamed = texts.into_iter();
        edits.extend(renamed.map(|(range, text)| Edit::replace(unit.file, range, text)));
        Some(tree.range(node).start)
    }

    /// The edit that removes the qualifier of the name. `None` for a specialisation.
    fn qualifiers(&self) -> Option<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let inner = self.item.inner;
        let first = match self.item.kind {
            ItemKind::Type => tree.field(inner, NodeField::Name)?,
            _ => name_in(unit, tree.field(inner, NodeField::Declarator)?),
        };
        let first = match tree.kind(first) {
            NodeKind::ReferenceDeclarator => {
                tree.subtree(first).find(|&id| tree.kind(id) == NodeKind::QualifiedIdentifier)?
            }
            _ => first,
        };
        let next = |&at: &NodeId| tree.field(at, NodeField::Name);
        let is_qualified = |at: &NodeId| tree.kind(*at) == NodeKind::QualifiedIdentifier;
        let mut last = first;
        while is_qualified(&last) {
            last = next(&last)?;
        }
        let is_special =
            matches!(tree.kind(last), NodeKind::TemplateFunction | NodeKind::TemplateType);
        let range = tree.range(first).start..tree.range(last).start;
        (last != first && !is_special).then(|| unit.delete(range))
    }

    /// The edits that give parameters the default arguments that the declaration has.
    fn default_arguments(&self, declared: &Item) -> Option<Vec<Edit>> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let list = |item| {
            let list = tree.field(function(unit, item)?, NodeField::Parameters)?;
            Some(tree.named_children(list).collect::<Vec<NodeId>>())
        };
        let (own, others) = (list(self.item)?, list(declared)?);
        if own.len() != others.len() {
            return None;
        }
        let mut edits = Vec::new();
        for (own, other) in own.into_iter().zip(others) {
            if let Some(value) = tree.field(other, NodeField::DefaultValue) {
                let end = tree.range(own).end;
                let text = [b" = ", unit.text(value)].concat();
                edits.push(Edit::replace(unit.file, end..end, text));
            }
        }
        Some(edits)
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        assert_reduces(&CppDefinitions, Language::CPP, before, &[], after);
    }

    #[test]
    fn overloads_are_told_apart_by_their_parameters() {
        check(
            "namespace n { struct A { A(int a, long = 2); A(); void f(int &) const; void f(int &); void f(); }; }
             n::A::A(int b, long c) : x(b) { } void n::A::f(int &x) { x = 1; }",
            "namespace n { struct A { A(int b, long c = 2) : x(b) { } A(); void f(int &) const;
             void f(int &x) { x = 1; } void f(); }; }",
        );
    }

    #[test]
    fn a_specialisation_and_what_is_defined_already_stay_outside() {
        let before = "template <class T> struct A { void f(); }; template <> void A<int>::f() { }
             template <class T> struct B { void g() { } struct C { void g(); }; }; void B::h() { }
             template <> void B<int>::C::g() { }";
        check(before, before);
    }

    #[test]
    fn references_and_member_templates_are_understood() {
        check(
            "template <class T> struct A { A &f(); template <class U> explicit A(U); };
             template <class T> A<T> &A<T>::f() { return *this; }
             template <class V> template <class W> A<V>::A(W w) { V v(w); }
             template <class T> struct B { struct C { C(); }; };
             template <class U> B<U>::C::C() { U u; }",
            "template <class T> struct A { A<T> &f() { return *this; }
             template <class W> explicit A(W w) { T v(w); } };
             template <class T> struct B { struct C { C() { T u; } }; };",
        );
    }
}
