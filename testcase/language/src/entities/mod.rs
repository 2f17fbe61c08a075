//! The entities of a C++ file: namespaces, classes, functions and everything else that has a name outside of function bodies;
//! the items that declare them; and what each item mentions.
//!
//! An *entity* is a name in a scope. All that declares it belongs to it: a reopened namespace, the overloads of a function, a
//! template with its specialisations and deduction guides, a member with its definition outside of the class. An *item* is a
//! declaration or definition that can go on its own: those of namespaces and those of classes.
//!
//! Types of expressions are not known. Where a name cannot be resolved, all candidates are meant together: all members of that
//! name, or all entities. So a mention may lead to too much, but hardly ever to too little.

mod collect;
mod declared;
mod hidden;
mod mentions;
mod reach;
mod scopes;
mod weights;

use std::ops::Range;

use clreduce_testcase::step;

use crate::kind::NodeKind;
use crate::tree::{NodeId, SyntaxTree};
use mentions::Reference;
pub use reach::{Follow, Reach};
use scopes::EntityScopes;
pub use weights::Weights;

/// Index of an item. A container has a smaller index than what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub u32);

/// Index of an entity. That of the global namespace is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(pub u32);

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// A part of a namespace.
    Namespace,
    /// `extern "C" { ... }`.
    Linkage,
    /// A class, structure, union or enumeration, declared or defined; perhaps with variables behind it.
    Type,
    /// A function, declared or defined.
    Function,
    /// A variable, or a data member.
    Variable,
    /// A name for a type, or a concept.
    Alias,
    /// A using declaration, or another name for a namespace.
    Using,
    /// `using namespace N;`.
    UsingNamespace,
    /// `friend class C;`. A friend that is a function is a function.
    Friend,
    /// A static assertion.
    Assertion,
    /// An explicit instantiation; one that is `extern` defines nothing.
    Instantiation {
        /// True for `extern template`.
        is_extern: bool,
    },
    /// A directive. It may change what follows.
    Directive,
    /// What the parser did not understand.
    Opaque,
}

/// Something that can go on its own.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// All of it, with template heads.
    pub node: NodeId,
    /// The declaration or definition without template heads and `friend`.
    pub inner: NodeId,
    /// The item that holds it.
    pub parent: Option<ItemId>,
    /// The entities that it declares.
    pub declares: Vec<EntityId>,
    /// True if it stands in a class.
    pub is_member: bool,
    /// True if it is a template, or a specialisation of one.
    pub is_template: bool,
    /// True if it defines a member, and stands outside of the class.
    pub is_outside: bool,
    /// True if it comes with its class, whether or not anything mentions it: data members, constructors, what was not fully
    /// understood.
    pub comes_with_class: bool,
    /// True if it is a virtual member function. Code that is compiled elsewhere, such as that of a library, calls it by its place in
    /// the table of its class.
    pub is_virtual: bool,
    /// The items before and behind it, where the parser did not understand where one ends: they stay or go together.
    joined: [Option<ItemId>; 2],
    /// The entity in which its names are looked up first.
    context: EntityId,
    /// The classes that its parameters, or the arguments of a specialisation, mention.
    pub needs: Vec<EntityId>,
    /// What it mentions, each with its place, in the order of places.
    mentions: Vec<(u32, Reference)>,
}

/// The body of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Where it is: with the initialisers of a constructor.
    pub range: Range<usize>,
    /// True if it gives the function its type, or may be needed while the program is compiled.
    pub is_needed_early: bool,
}

/// The entities of one file. Empty for a language that is not C++.
#[derive(Debug, Default)]
pub struct Entities {
    items: Vec<Item>,
    scopes: EntityScopes,
    /// By entity, the items that declare it.
    declared_by: Vec<Vec<ItemId>>,
    /// The names that lead to one entity, in the order of their nodes.
    references: Vec<(NodeId, EntityId)>,
}

impl Entities {
    /// Reads the entities off a tree.
    #[must_use]
    pub fn new(bytes: &[u8], tree: &SyntaxTree) -> Self {
        if tree.is_empty() {
            return Self::default();
        }
        let mut entities = collect::collect(bytes, tree);
        mentions::resolve(bytes, tree, &mut entities);
        hidden::add_mentions(bytes, tree, &mut entities);
        entities.declared_by = vec![Vec::new(); entities.scopes.len()];
        for (index, item) in entities.items.iter().enumerate() {
            for entity in &item.declares {
                entities.declared_by[entity.0 as usize].push(ItemId(index as u32));
            }
        }
        entities
    }

    /// Every item.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ItemId> + use<> {
        (0..self.items.len() as u32).map(ItemId).inspect(|_| step())
    }

    /// The items that begin in a range.
    pub fn ids_in(&self, tree: &SyntaxTree, range: Range<usize>) -> impl Iterator<Item = ItemId> {
        let start = |item: &Item| tree.range(item.node).start;
        let first = self.items.partition_point(|item| start(item) < range.start);
        let items = self.items[first..].iter().take_while(move |item| start(item) < range.end);
        (first as u32..).zip(items).map(|(id, _)| ItemId(id)).inspect(|_| step())
    }

    /// One item.
    #[must_use]
    pub fn item(&self, id: ItemId) -> &Item {
        step();
        &self.items[id.0 as usize]
    }

    /// The items that declare an entity, in source order.
    #[must_use]
    pub fn declarations(&self, entity: EntityId) -> &[ItemId] {
        step();
        &self.declared_by[entity.0 as usize]
    }

    /// The names of the file that lead to one entity, in the order of their nodes: uses as well as declarations.
    ///
    /// A name that may mean several is not among them, nor is one that is declared in a function.
    #[must_use]
    pub fn references(&self) -> &[(NodeId, EntityId)] {
        &self.references
    }

    /// The entity that a name leads to.
    #[must_use]
    pub fn meant(&self, name: NodeId) -> Option<EntityId> {
        step();
        let index = self.references.binary_search_by_key(&name, |&(node, _)| node).ok()?;
        Some(self.references[index].1)
    }

    /// The entities of a name, in whatever scope.
    #[must_use]
    pub fn named(&self, name: &[u8]) -> &[EntityId] {
        self.scopes.name(name).map_or(&[], |name| self.scopes.named(name))
    }

    /// The last part of an entity's name.
    #[must_use]
    pub fn name(&self, entity: EntityId) -> &[u8] {
        self.scopes.name_of(entity)
    }

    /// The scope of an entity; `None` for the global namespace.
    #[must_use]
    pub fn scope(&self, entity: EntityId) -> Option<EntityId> {
        step();
        self.scopes.parent(entity)
    }

    /// Returns whether an entity is a namespace.
    #[must_use]
    pub fn is_namespace(&self, entity: EntityId) -> bool {
        step();
        self.scopes.kind(entity) == scopes::EntityKind::Namespace
    }

    /// The entity that another name stands for: that of a namespace, for an alias of it.
    #[must_use]
    pub fn target(&self, entity: EntityId) -> EntityId {
        step();
        self.scopes.target(entity)
    }

    /// The bytes of an item, with the semicolon that the grammar keeps apart.
    #[must_use]
    pub fn range(&self, tree: &SyntaxTree, id: ItemId) -> Range<usize> {
        let node = self.item(id).node;
        let range = tree.range(node);
        let next = tree.node(node).after;
        let follows = next < tree.node(tree.node(node).parent).after
            && tree.kind(next) == NodeKind::Semicolon;
        range.start..if follows { tree.range(next).end } else { range.end }
    }

    /// The body of a function that has one.
    #[must_use]
    pub fn body(&self, bytes: &[u8], tree: &SyntaxTree, id: ItemId) -> Option<Body> {
        declared::body(bytes, tree, self.item(id).inner)
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;

    const SOURCE: &str = "
        namespace std { inline namespace v { template <class T, class U = int> class A; } }
        namespace std {
        template <class T, class U> struct v::A { typedef T type; A(); T get(int n) { return n + size; } int size; };
        template <class T, class U> A<T, U>::A() { helper(size); }
        template <> struct A<bool> { enum E { P, Q }; };
        template <class T> A(T) -> A<T>;
        void helper(int), other(A<int>);
        bool operator==(A<int> a, A<int> b) { return a.size == b.size; }
        }
        extern \"C\" { int puts(const char *); }
        namespace n = std;
        using std::helper;
        struct B : std::A<int> { friend struct F; using A::type; };
        int main() { n::A<int> a; return a.get(1); }";

    fn entities(source: &str) -> (SyntaxTree, Entities) {
        let tree = SyntaxTree::parse(source.as_bytes(), Language::CPP);
        let entities = Entities::new(source.as_bytes(), &tree);
        (tree, entities)
    }

    fn qualified_name(entities: &Entities, entity: EntityId) -> String {
        let around = std::iter::successors(Some(entity), |&at| entities.scopes.parent(at));
        let parts = around.filter(|at| at.0 != 0);
        let mut parts: Vec<_> =
            parts.map(|at| String::from_utf8_lossy(entities.name(at))).collect();
        parts.reverse();
        parts.join("::")
    }

    #[test]
    fn what_declares_one_thing_belongs_together() {
        let (tree, entities) = entities(SOURCE);
        assert!(!tree.has_error(NodeId(0)));
        let items = entities.ids().map(|id| {
            let names = entities.item(id).declares.iter();
            let names: Vec<_> = names.map(|&entity| qualified_name(&entities, entity)).collect();
            let text = &SOURCE[entities.range(&tree, id)];
            format!("{}|{}", names.join(" "), text.chars().take(12).collect::<String>())
        });
        let a: Vec<_> = items.filter(|item| item.starts_with("std::v::A|")).collect();
        let expected = ["template <cl", "template <cl", "template <> ", "template <cl"];
        assert_eq!(a, expected.map(|text| format!("std::v::A|{text}")));
    }

    #[test]
    fn mentions_lead_from_use_to_declaration() {
        let (tree, entities) = entities(SOURCE);
        let roots: Vec<ItemId> = entities
            .ids()
            .filter(|&id| SOURCE[entities.range(&tree, id)].starts_with("int main"))
            .collect();
        let reached = entities.reached(&tree, Follow::from(&roots, Reach::Narrow));
        let gone: Vec<_> = entities
            .ids()
            .filter(|&id| !reached[id.0 as usize])
            .map(|id| SOURCE[entities.range(&tree, id)].chars().take(16).collect::<String>())
            .collect();
        let expected = [
            "typedef T type;",
            "enum E { P, Q };",
            "bool operator==(",
            "extern \"C\" { int",
            "int puts(const c",
            "struct B : std::",
            "friend struct F;",
            "using A::type;",
        ];
        assert_eq!(gone, expected);
    }

    #[test]
    fn a_launch_needs_what_configures_it() {
        let source = "struct dim3 { }; int cudaConfigureCall(dim3, dim3); int cudaFree(void *);
            template <class T> __attribute__((global)) void k(T) { } int main() { k<int><<<1, 1>>>(1); }";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::CUDA);
        let entities = Entities::new(source.as_bytes(), &tree);
        let text = |id| &source[entities.range(&tree, id)];
        let roots: Vec<ItemId> = entities.ids().filter(|&id| text(id).contains("main")).collect();
        let reached = entities.reached(&tree, Follow::from(&roots, Reach::Narrow));
        let gone: Vec<_> = entities.ids().filter(|&id| !reached[id.0 as usize]).map(text).collect();
        assert_eq!(gone, ["int cudaFree(void *);"]);
    }

    #[test]
    fn a_friend_is_reached_with_its_class() {
        let source =
            "struct Z { Z(int *); }; struct O { [[nodiscard]] friend bool operator<(O, Z); };
            bool operator<(Z, Z); bool f(O o) { return o < 0; }";
        let (tree, entities) = entities(source);
        let is_root = |id: &ItemId| source[entities.range(&tree, *id)].starts_with("bool f");
        let roots: Vec<ItemId> = entities.ids().filter(is_root).collect();
        let reached = entities.reached(&tree, Follow::from(&roots, Reach::Narrow));
        let all: Vec<_> = entities.ids().map(|id| reached[id.0 as usize]).collect();
        assert!(all.iter().all(|&it| it), "{all:?}");
        let without = "struct Z { Z(int *); }; struct O { }; bool operator<(O, Z); bool f(O o) { return o < 0; }";
        let (tree, entities) = super::tests::entities(without);
        let is_root = |id: &ItemId| without[entities.range(&tree, *id)].starts_with("bool f");
        let roots: Vec<ItemId> = entities.ids().filter(is_root).collect();
        let reached = entities.reached(&tree, Follow::from(&roots, Reach::Narrow));
        assert!(!reached[0] && entities.ids().count() == 5, "{reached:?}");
    }

    #[test]
    fn a_value_does_not_hide_the_namespace_before_two_colons() {
        let source = "namespace text { inline namespace v1 { int make(int); int other(int); } }
            int format(int text) { return text::make(text); }
            template <class text> int of(text) { return text::other(1); }";
        let (tree, entities) = entities(source);
        let reached_from = |start: &str| {
            let is_root = |id: &ItemId| source[entities.range(&tree, *id)].starts_with(start);
            let roots: Vec<ItemId> = entities.ids().filter(is_root).collect();
            let follow = Follow::from(&roots, Reach::Narrow);
            let reached = entities.reached(&tree, follow);
            let names = entities.ids().filter(|id| reached[id.0 as usize]);
            let names = names.flat_map(|id| entities.item(id).declares.iter());
            let names: Vec<_> = names.map(|&entity| qualified_name(&entities, entity)).collect();
            names.join(" ")
        };
        assert_eq!(reached_from("int format"), "text text::v1 text::v1::make format");
        assert_eq!(reached_from("template"), "of");
    }
}
