//! Makes functions of objects that are only there to be called: of the `operator()` of a class, and its only variable.
//!
//! The functions stand where the variable was, and have its name. The objects of `<ranges>` are such, and function templates are what
//! other passes know how to simplify.
//!
//! before:
//! ```cpp
//! struct A { int operator()(int a) const { return a; } template <class T> void operator()(T, T); };
//! inline constexpr A f{}; int x = f(1);
//! ```
//! after:
//! ```cpp
//! int f(int a) { return a; } template <class T> void f(T, T); int x = f(1);
//! ```

use std::collections::HashMap;

use clreduce_language::{Entities, EntityId, Item, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, name_in};
use crate::edit::edited;
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppFunctionObjects;

impl Pass for CppFunctionObjects {
    fn info(&self) -> PassInfo {
        PassInfo::new("cpp-function-objects", "Make functions of objects that are only called", CPP)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let entities = snapshot.entities(unit.file);
            let mut members: HashMap<ItemId, Vec<ItemId>> = HashMap::new();
            for id in entities.ids() {
                if let Some(parent) = entities.item(id).parent {
                    members.entry(parent).or_default().push(id);
                }
            }
            let mut uses: HashMap<EntityId, Vec<NodeId>> = HashMap::new();
            for &(name, entity) in entities.references() {
                uses.entry(entity).or_default().push(name);
            }
            let objects = Objects { unit, entities, members, uses };
            let patches = entities.ids().filter_map(|id| objects.replaced(id));
            proposals.extend(patches.map(Proposal::new));
        }
    }
}

struct Objects<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    /// By class, what it holds.
    members: HashMap<ItemId, Vec<ItemId>>,
    /// By entity, the names that lead to it.
    uses: HashMap<EntityId, Vec<NodeId>>,
}

impl<'a> Objects<'a> {
    /// The patch that puts the functions of a variable's class in its place.
    fn replaced(&self, id: ItemId) -> Option<Patch> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let variable = entities.item(id);
        let &[entity] = variable.declares.as_slice() else { return None };
        let is_variable = variable.kind == ItemKind::Variable && !variable.is_member;
        if !is_variable || variable.is_template || tree.has_error(variable.node) {
            return None;
        }
        let of = tree.field(variable.inner, NodeField::Type)?;
        let mut names = tree.subtree(of).filter_map(|name| entities.meant(name));
        let class = names.next_back()?;
        let &[class_id] = entities.declarations(class) else { return None };
        let node = entities.item(class_id).node;
        let is_outside = |name: &&NodeId| !(node..tree.node(node).after).contains(*name);
        let is_only_use = self.uses.get(&class)?.iter().filter(is_outside).count() == 1;
        let functions = self.functions(class_id).filter(|_| is_only_use)?;
        let name = entities.name(entity);
        let texts = functions.iter().map(|&function| self.function(function, name));
        let texts = texts.collect::<Option<Vec<Vec<u8>>>>()?;
        let (whole, gone) = (entities.range(tree, id), entities.range(tree, class_id));
        let text = texts.join(&b" "[..]);
        let is_smaller = text.len() < whole.len() + gone.len();
        let edits = vec![Edit::replace(unit.file, whole, text), unit.delete(gone)];
        Patch::new(edits).filter(|_| is_smaller)
    }

    /// The functions of a class that has nothing else. `None` for any other class.
    fn functions(&self, id: ItemId) -> Option<&[ItemId]> {
        let (tree, entities) = (self.unit.tree, self.entities);
        let class = entities.item(id);
        let is_class =
            matches!(tree.kind(class.inner), NodeKind::ClassSpecifier | NodeKind::StructSpecifier);
        let has_base =
            tree.children(class.inner).any(|it| tree.kind(it) == NodeKind::BaseClassClause);
        let is_plain = is_class && !has_base && !class.is_template && !tree.has_error(class.node);
        let members = self.members.get(&id).filter(|_| is_plain)?;
        members.iter().all(|&id| self.call_operator(entities.item(id)).is_some()).then_some(members)
    }

    /// The words `operator()` in a function of that name.
    fn call_operator(&self, item: &Item) -> Option<NodeId> {
        let tree = self.unit.tree;
        let is_function = item.kind == ItemKind::Function;
        let declarator = tree.field(item.inner, NodeField::Declarator).filter(|_| is_function)?;
        let name = name_in(self.unit, declarator);
        let text = self.unit.text(name);
        let is_call = tree.kind(name) == NodeKind::OperatorName && text.ends_with(b")");
        let uses_object = tree.subtree(item.node).any(|it| tree.kind(it) == NodeKind::This);
        (is_call && !uses_object).then_some(name)
    }

    /// The text of a function with another name, without the words that only members have.
    fn function(&self, id: ItemId, name: &[u8]) -> Option<Vec<u8>> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let item = entities.item(id);
        let operator = self.call_operator(item)?;
        let inner = |&at: &NodeId| tree.field(at, NodeField::Declarator);
        let declarators = std::iter::successors(inner(&item.inner), inner);
        let function =
            declarators.filter(|&it| tree.kind(it) == NodeKind::FunctionDeclarator).last()?;
        let behind = tree.children(function).filter(|&word| {
            matches!(
                tree.kind(word),
                NodeKind::TypeQualifier | NodeKind::RefQualifier | NodeKind::VirtualSpecifier
            )
        });
        let before = tree.children(item.inner).filter(|&word| {
            let is_static = tree.kind(word) == NodeKind::StorageClassSpecifier;
            is_static || tree.kind(word) == NodeKind::VirtualKeyword
        });
        let mut edits: Vec<Edit> =
            before.chain(behind).map(|word| unit.delete(tree.range(word))).collect();
        edits.push(Edit::replace(unit.file, tree.range(operator), name.to_vec()));
        edits.sort_by_key(|edit| edit.start);
        Some(edited(unit, entities.range(tree, id), &edits))
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn what_is_used_as_an_object_stays() {
        for source in [
            "struct A { int operator()(int); int x; } ; A a; int y = a(1);",
            "struct A { int operator()(int); }; A a, b; int y = a(1);",
            "struct A { int operator()(int); }; A a; A b;",
            "struct A { int operator()(int) { return this->operator()(1); } }; A a;",
            "struct B { }; struct A : B { int operator()(int); }; A a;",
            "template <class T> struct A { T operator()(T); }; A<int> a;",
        ] {
            assert_reduces(&CppFunctionObjects, Language::CPP, source, &[], source);
        }
    }

    #[test]
    fn the_function_stands_where_the_variable_was() {
        let before = "namespace n { struct A { static constexpr int operator()(auto x) noexcept { return 1; } };
            inline namespace m { constexpr A a; } } int y = n::a(1);";
        let after = "namespace n { inline namespace m { constexpr int a(auto x) noexcept { return 1; } } } int y = n::a(1);";
        assert_reduces(&CppFunctionObjects, Language::CPP, before, &[], after);
    }
}
