//! Puts what namespaces hold into the scope around them, and removes their names from all qualified names.
//!
//! The names of a library are hardly ever in the way of each other, so that all namespaces can go in one step. Where they are, the
//! compiler says so, and a part of them stays. `using namespace`, other names for the namespace, and blocks of `extern "C++"` go in
//! the same way.
//!
//! before:
//! ```cpp
//! namespace n { namespace d { struct A { }; } int f(d::A); }
//! namespace m = n;
//! int x = n::f(m::d::A());
//! ```
//! after:
//! ```cpp
//! struct A { }; int f(A);
//! int x = f(A());
//! ```

use std::collections::HashMap;

use clreduce_language::{Entities, EntityId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{DEEPEST, Unit};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-namespaces",
    "Put what namespaces hold into the scope around them, and drop their names",
    CPP,
    propose,
)
// What is left of the path to a namespace may be longer than another name for it.
.growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let entities = snapshot.entities(unit.file);
        let mut found = Found { unit, entities, order: Vec::new(), edits: HashMap::new() };
        found.read_items();
        if found.order.is_empty() {
            continue;
        }
        found.read_names();
        let Found { order, mut edits, .. } = found;
        for key in order {
            let patch = edits.remove(&key).and_then(Patch::new);
            proposals.extend(patch.filter(|patch| !patch.is_empty()).map(Proposal::new));
        }
    }
}

/// The blocks that go together: all those of a namespace, or one block of `extern "C++"`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum RemovalKey {
    Namespace(EntityId),
    Block(NodeId),
}

struct Found<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    order: Vec<RemovalKey>,
    edits: HashMap<RemovalKey, Vec<Edit>>,
}

impl Found<'_> {
    fn add(&mut self, key: RemovalKey, edit: Edit) {
        let edits = self.edits.entry(key).or_default();
        if edits.is_empty() {
            self.order.push(key);
        }
        edits.push(edit);
    }

    /// The namespaces, and what opens them or gives them other names.
    fn read_items(&mut self) {
        let (unit, entities) = (self.unit, self.entities);
        let tree = unit.tree;
        for id in entities.ids() {
            let item = entities.item(id);
            if tree.node(item.node).damaged {
                continue;
            }
            match item.kind {
                ItemKind::Namespace => {
                    let names = item.declares.split_last();
                    let Some((&last, around)) = names else { continue };
                    self.open(RemovalKey::Namespace(last), item.inner);
                    for &name in around {
                        self.shorten(name, item.inner);
                    }
                }
                ItemKind::Linkage => self.open(RemovalKey::Block(item.inner), item.inner),
                ItemKind::UsingNamespace => {
                    let meant = tree.named_children(item.inner).last();
                    let meant = meant.and_then(|name| entities.meant(last_name(unit, name)));
                    if let Some(namespace) = meant {
                        let key = RemovalKey::Namespace(entities.target(namespace));
                        self.add(key, unit.delete(entities.range(tree, id)));
                    }
                }
                ItemKind::Using if tree.kind(item.inner) == NodeKind::NamespaceAliasDefinition => {
                    if let Some(&alias) = item.declares.first() {
                        let key = RemovalKey::Namespace(entities.target(alias));
                        self.add(key, unit.delete(entities.range(tree, id)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Removes the head and the braces of a block.
    fn open(&mut self, key: RemovalKey, node: NodeId) {
        let tree = self.unit.tree;
        let Some(body) = tree.field(node, NodeField::Body) else { return };
        let is_brace = |kind: NodeKind| move |&id: &NodeId| tree.kind(id) == kind;
        let open = tree.children(body).find(is_brace(NodeKind::LeftBrace));
        let close = tree.children(body).filter(is_brace(NodeKind::RightBrace)).last();
        let braces = open.zip(close).filter(|&(open, close)| {
            tree.kind(body) == NodeKind::DeclarationList
                && !tree.node(open).error
                && !tree.node(close).error
        });
        if let Some((open, close)) = braces {
            let head = tree.range(node).start..tree.range(open).end;
            self.add(key, self.unit.delete(head));
            self.add(key, self.unit.delete(tree.range(close)));
        }
    }

    /// Removes the name of an outer namespace from `namespace a::b { }`.
    fn shorten(&mut self, namespace: EntityId, node: NodeId) {
        let tree = self.unit.tree;
        let Some(name) = tree.field(node, NodeField::Name) else { return };
        let name_of = self.entities.name(namespace);
        let part = tree.named_children(name).find(|&part| self.unit.text(part) == name_of);
        let next = part.and_then(|part| tree.next_named(part));
        if let Some((part, next)) = part.zip(next) {
            let range = tree.range(part).start..tree.range(next).start;
            self.add(RemovalKey::Namespace(namespace), self.unit.delete(range));
        }
    }

    /// The qualified names with the name of a namespace in them.
    fn read_names(&mut self) {
        let (unit, entities) = (self.unit, self.entities);
        let tree = unit.tree;
        for &(name, entity) in entities.references() {
            let namespace = entities.target(entity);
            let key = RemovalKey::Namespace(namespace);
            let node = tree.node(name);
            let qualified = node.parent;
            let is_qualifier = node.field == Some(NodeField::Scope)
                && tree.kind(qualified) == NodeKind::QualifiedIdentifier;
            if !is_qualifier || !entities.is_namespace(namespace) || !self.edits.contains_key(&key)
            {
                continue;
            }
            let Some(rest) = tree.field(qualified, NodeField::Name) else { continue };
            let using = tree.node(qualified).parent;
            let is_whole = tree.kind(using) == NodeKind::UsingDeclaration
                && tree.kind(rest) != NodeKind::QualifiedIdentifier;
            let path = self.path_around(entity, namespace);
            let edit = match is_whole && path.is_empty() {
                // `using f;` is no declaration.
                true => unit.delete(tree.range(using)),
                false => {
                    let range = tree.range(name).start..tree.range(rest).start;
                    Edit::replace(unit.file, range, path)
                }
            };
            self.add(key, edit);
        }
    }

    /// For another name of a namespace, the names of the scopes that lead from it to the one around the namespace: `b::` for
    /// `namespace a { namespace b { namespace c { } } namespace d = b::c; }`.
    fn path_around(&self, alias: EntityId, namespace: EntityId) -> Vec<u8> {
        if alias == namespace {
            return Vec::new();
        }
        let entities = self.entities;
        let start = entities.scope(alias);
        let around = std::iter::successors(entities.scope(namespace), |&at| entities.scope(at));
        let between = around.take(DEEPEST).take_while(|&at| Some(at) != start);
        let mut names: Vec<&[u8]> = between.map(|at| entities.name(at)).collect();
        names.retain(|name| !name.is_empty());
        names.reverse();
        names.iter().flat_map(|name| [*name, b"::"].concat()).collect()
    }
}

/// The last part of a qualified name.
fn last_name(unit: Unit<'_>, name: NodeId) -> NodeId {
    let last = unit.tree.subtree(name).rev().find(|&id| unit.tree.node(id).named);
    last.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn names_go_with_the_namespace() {
        let before = "namespace a::b { int f(); }\nnamespace a { inline namespace v { struct S { }; } namespace { int g; } }\n\
                      using namespace a::b;\nusing a::S;\nextern \"C\" { int puts(const char *); }\n\
                      int h(::a::S s) { return a::b::f() + a::v::S().x + a::g; }\n";
        let after = "int f();\nstruct S { };  int g;\n\nint puts(const char *);\n\
                     int h(::S s) { return f() + S().x + g; }\n";
        assert_reduces(&PASS, Language::CPP, before, &[], after);
    }

    #[test]
    fn another_name_becomes_the_path_to_what_is_left() {
        let before = "namespace a { namespace b { namespace c { int f(); } } namespace d = b::c; } namespace e = a::d;
            int x = e::f() + a::d::f() + a::b::c::f();";
        let after =
            "namespace a { namespace b { int f(); } } int x = a::b::f() + a::b::f() + a::b::f();";
        assert_reduces(&PASS, Language::CPP, before, &["namespace a", "namespace b"], after);
    }

    #[test]
    fn one_may_stay() {
        let before = "namespace a { namespace b { int f(); } } namespace c { int f(); } int x = a::b::f() + c::f();";
        assert_reduces(
            &PASS,
            Language::CPP,
            before,
            &["namespace c"],
            "int f(); namespace c { int f(); } int x = f() + c::f();",
        );
    }
}
