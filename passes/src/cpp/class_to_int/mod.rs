//! Removes classes and enumerations that are used: `int` takes the place of their names, and `0` that of their members.
//!
//! Types are told apart by their names only. All of one name go together, with the members that are defined outside. Where a member
//! is the only one of its name, `a.b` and `a.f()` become `0` as well, and statements that do nothing else go; or else they become
//! `a`. The first argument of a template may take the place of `int`, or a pointer to it: that does for classes that wrap one
//! object, such as `std::optional<T>` and `std::unique_ptr<T>`. So may the type of the only member of a class.
//!
//! before:
//! ```cpp
//! namespace n { template <class T> struct A { A(int); int f(); T t; }; }
//! template <class T> int n::A<T>::f() { return 1; }
//! n::A<long> *f(const n::A<int> &a) { return new n::A<long>(1); }
//! ```
//! after:
//! ```cpp
//! namespace n { }
//! int *f(const int &a) { return new int(1); }
//! ```

mod uses;

use std::collections::{HashMap, HashSet};

use clreduce_language::{ItemId, ItemKind, NodeField, NodeId, NodeKind};

use crate::analysis::{DEEPEST, Spelling, Unit};
use crate::edit::without;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;
use uses::{ClassUses, REPLACEMENTS};

pub(crate) const PASS: Pass = Pass::new(
    "cpp-class-to-int",
    "Remove classes and enumerations, and write int, or what they wrap, where they are used",
    CPP,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let mut uses: HashMap<&[u8], ClassUses> = HashMap::new();
        let declarations = declarations(snapshot, unit, &mut uses);
        for id in unit.tree.ids().filter(|&id| is_name(unit.tree.kind(id))) {
            if let Some(uses) = uses.get_mut(unit.text(id)) {
                uses.add(unit, id);
            }
        }
        accesses(snapshot, unit, &mut uses);
        for name in bases_by_alias(unit) {
            uses.entry(name).and_modify(|uses| uses.is_unclear = true);
        }
        for name in declarations {
            let uses = uses.remove(name).filter(|it| !it.is_unclear && !it.names.is_empty());
            let Some(uses) = uses else { continue };
            for (list, replacement) in (0..).zip(REPLACEMENTS) {
                let patch = uses.replaced(unit, replacement);
                proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
            }
        }
    }
}

/// Adds the accesses to members of which there is one of the name: no `int` has members.
fn accesses(snapshot: &Snapshot, unit: Unit<'_>, uses: &mut HashMap<&[u8], ClassUses>) {
    let (entities, symbols) = (snapshot.entities(unit.file), snapshot.symbols(unit.file));
    let spelling = Spelling { unit, entities, symbols };
    let tree = unit.tree;
    for access in tree.ids().filter(|&id| tree.kind(id) == NodeKind::FieldExpression) {
        let name = tree.field(access, NodeField::Field);
        let class = name.and_then(|name| entities.scope(spelling.member(name)?));
        let uses = class.and_then(|class| uses.get_mut(entities.name(class)));
        if let (Some(uses), Some(object)) = (uses, tree.field(access, NodeField::Argument)) {
            let call = tree.parent(access).filter(|&call| {
                tree.kind(call) == NodeKind::CallExpression
                    && tree.node(access).field == Some(NodeField::Function)
            });
            let end = tree.range(call.unwrap_or(access)).end;
            let object = unit.delete(tree.range(object).end..end);
            uses.accesses.push([without(snapshot, unit.file, access), object]);
        }
    }
}

/// The classes that something derives from by another name, `using A = B<int>;`: no class derives from `int`.
fn bases_by_alias(unit: Unit<'_>) -> Vec<&[u8]> {
    let tree = unit.tree;
    let of_kind = |kind| tree.ids().filter(move |&id| tree.kind(id) == kind);
    let clauses = of_kind(NodeKind::BaseClassClause);
    let bases: HashSet<&[u8]> = clauses
        .flat_map(|clause| tree.named_children(clause))
        .filter_map(|base| plain_name(unit, base))
        .collect();
    let is_base = |&alias: &NodeId| {
        let name = tree.field(alias, NodeField::Name);
        name.is_some_and(|name| bases.contains(unit.text(name)))
    };
    let of_alias = |alias| {
        let kind = tree.field(tree.field(alias, NodeField::Type)?, NodeField::Type)?;
        plain_name(unit, kind)
    };
    of_kind(NodeKind::AliasDeclaration).filter(is_base).filter_map(of_alias).collect()
}

/// The last name of a type, without its arguments.
fn plain_name(unit: Unit<'_>, mut node: NodeId) -> Option<&[u8]> {
    for _ in 0..DEEPEST {
        match unit.tree.kind(node) {
            kind if is_name(kind) => return Some(unit.text(node)),
            NodeKind::QualifiedIdentifier | NodeKind::TemplateType => {
                node = unit.tree.field(node, NodeField::Name)?;
            }
            _ => return None,
        }
    }
    None
}

fn is_name(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::TypeIdentifier | NodeKind::Identifier | NodeKind::NamespaceIdentifier)
}

/// The names of all types, in the order of their first declaration. Their removals are added to `uses`.
fn declarations<'a>(
    snapshot: &'a Snapshot,
    unit: Unit<'a>,
    uses: &mut HashMap<&'a [u8], ClassUses>,
) -> Vec<&'a [u8]> {
    let entities = snapshot.entities(unit.file);
    let mut names: Vec<&[u8]> = Vec::new();
    for id in entities.ids() {
        let item = entities.item(id);
        if let (ItemKind::Type, Some(entity)) = (item.kind, item.declares.first()) {
            let name = entities.name(*entity);
            if !uses.contains_key(name) {
                names.push(name);
            }
            let member = only_member(unit, item.inner);
            let of = uses.entry(name).or_default();
            of.member = of.member.take().or(member);
        }
    }
    let is_apart = |id: &ItemId| entities.item(*id).kind == ItemKind::Type;
    let outside = entities.ids().filter(|&id| entities.item(id).is_outside);
    let members =
        outside.filter_map(|id| Some((id, class_of_member(unit, entities.item(id).inner)?)));
    let types = entities.ids().filter(is_apart).filter_map(|id| {
        let entity = entities.item(id).declares.first()?;
        Some((id, entities.name(*entity)))
    });
    let mut removals: Vec<(ItemId, &[u8])> = types.chain(members).collect();
    removals.sort_unstable();
    for (id, name) in removals {
        if let Some(uses) = uses.get_mut(name) {
            let range = entities.range(unit.tree, id);
            // A variable that is declared along with its type would go as well.
            let is_variable = unit.tree.kind(entities.item(id).inner) == NodeKind::Declaration;
            uses.is_unclear |= is_variable || range.is_empty();
            uses.removals.push(unit.delete(range));
        }
    }
    names
}

/// The type of the only thing that a class holds, if that is data.
fn only_member(unit: Unit<'_>, class: NodeId) -> Option<Vec<u8>> {
    let tree = unit.tree;
    let has_base = tree.children(class).any(|it| tree.kind(it) == NodeKind::BaseClassClause);
    let mut members = tree.named_children(tree.field(class, NodeField::Body)?);
    let member = members.next().filter(|&it| tree.kind(it) == NodeKind::FieldDeclaration)?;
    if has_base || members.next().is_some() || tree.has_error(member) {
        return None;
    }
    let mut declarators = tree.fields(member, NodeField::Declarator);
    let declarator = declarators.next().filter(|_| declarators.next().is_none())?;
    let inner = |&at: &NodeId| {
        let pointer = Some(at).filter(|&at| tree.kind(at) == NodeKind::PointerDeclarator)?;
        tree.field(pointer, NodeField::Declarator)
    };
    let declarators: Vec<NodeId> =
        std::iter::successors(Some(declarator), inner).take(DEEPEST).collect();
    let (last, pointers) = declarators.split_last()?;
    let of = unit.text(tree.field(member, NodeField::Type)?);
    (tree.kind(*last) == NodeKind::FieldIdentifier)
        .then(|| [of, b" ", b"*".repeat(pointers.len()).as_slice()].concat())
}

/// The class of a member that is defined outside of it.
fn class_of_member<'a>(unit: Unit<'a>, definition: NodeId) -> Option<&'a [u8]> {
    let tree = unit.tree;
    let is_qualified = |&id: &NodeId| tree.kind(id) == NodeKind::QualifiedIdentifier;
    let mut name =
        tree.subtree(tree.field(definition, NodeField::Declarator)?).find(is_qualified)?;
    // `a::b::C::f`: the last but one name counts.
    while let Some(next) = tree.field(name, NodeField::Name).filter(is_qualified) {
        name = next;
    }
    plain_name(unit, tree.field(name, NodeField::Scope)?)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::{assert_reduces, reduce_with, spelled};

    fn check(before: &str, after: &str) {
        assert_reduces(&PASS, Language::CPP, before, &[], after);
    }

    #[test]
    fn all_uses_go_together() {
        check(
            "struct A { int x, y; }; A f(struct A *a) { A b = A(1), c{2}; a->y = 1; return static_cast<A>(a->x); }",
            "int f(int *a) { int b = int(1), c{2}; return static_cast<int>(0); }",
        );
        check(
            "template <class T> struct A { typedef T t; }; template <> struct A<int> { }; typename A<A<int>>::t x; B<A<int>> y;",
            "int x; B<int> y;",
        );
    }

    #[test]
    fn what_a_class_wraps_may_take_its_place() {
        let before = "template <class T> struct W { T *p; W(T *q) : p(q) { } T *get() { return p; } };
            struct A { int a; }; W<A> f() { return W<A>(new A); } int g(W<A> w) { return f().get()->a + w.get()->a; }";
        let left = reduce_with(&PASS, before, Language::CPP, |text| {
            ["struct A", "->a + w"].iter().all(|part| text.contains(part))
                && ["W<A> w", "A * w"].iter().any(|part| text.contains(part))
        });
        assert_eq!(
            spelled(&left),
            spelled(
                "struct A { int a; }; A *f() { return (A *)(new A); } int g(A *w) { return f()->a + w->a; }"
            ),
        );
    }

    #[test]
    fn the_only_member_may_take_the_place_of_its_class() {
        let before = "struct P { int a; }; struct A { P *p; }; int f(A x) { A y; y.p = x.p; return y.p->a; }";
        let left = reduce_with(&PASS, before, Language::CPP, |text| {
            text.contains("struct P") && text.contains("->a") && !text.contains("int y")
        });
        let after = "struct P { int a; }; int f(P *x) { P *y; y = x; return y->a; }";
        assert_eq!(spelled(&left), spelled(after));
    }

    #[test]
    fn a_long_type_takes_no_place() {
        let source = b"struct A { n::m::vector<int>::iterator p; }; A b; A f(A, A, A, A); void g(A a) { b.p = a.p; }";
        crate::harness::check(&PASS, source, Language::CPP);
    }

    #[test]
    fn what_cannot_be_an_int_stays() {
        let bases = "struct A { }; struct B : A { }; B b;";
        check(bases, "struct A { }; int b;");
        let alias = "template <class T> struct A { T a; }; template <class T> using C = A<T>; struct B : C<int> { };";
        check(alias, alias);
        let variables = "struct A { } a; A b;";
        check(variables, variables);
        let friends = "struct A; template <class T> class B { friend struct A; };";
        check(friends, friends);
    }
}
