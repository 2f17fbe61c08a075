//! Removes functions of C++ that only call another one with their own parameters: who called them calls that.
//!
//! before:
//! ```cpp
//! int f(int x) { return x; } struct A { int g(int x) { return f(x); } int h(); int i() { return h(); } };
//! int k(A a) { return a.g(1) + a.i(); }
//! ```
//! after:
//! ```cpp
//! int f(int x) { return x; } struct A { int h(); };
//! int k(A a) { return f(1) + a.h(); }
//! ```

use std::collections::HashMap;

use clreduce_language::{Entities, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, is_member, name_in, parameter_list, parameters};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-forwarding",
    "Replace calls of a function that only calls another one by calls of the other",
    CPP,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let file = NamedFile::new(unit, snapshot.entities(unit.file));
        for id in file.entities.ids() {
            proposals.extend(file.without(id).map(Proposal::new));
        }
    }
}

struct NamedFile<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    /// By text, the names of values and functions.
    names: HashMap<&'a [u8], Vec<NodeId>>,
}

impl<'a> NamedFile<'a> {
    fn new(unit: Unit<'a>, entities: &'a Entities) -> Self {
        let mut names: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
        for id in unit.tree.ids().filter(|&id| is_name(unit.tree.kind(id))) {
            names.entry(unit.text(id)).or_default().push(id);
        }
        Self { unit, entities, names }
    }

    /// The patch that calls another function in the place of one that only calls it.
    fn without(&self, id: ItemId) -> Option<Patch> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let item = self.entities.item(id);
        if item.kind != ItemKind::Function || tree.has_error(item.node) {
            return None;
        }
        let &[entity] = &item.declares[..] else { return None };
        let name = name_in(unit, tree.field(item.inner, NodeField::Declarator)?);
        let is_only = self.entities.named(self.entities.name(entity)).len() == 1;
        let callee = self.callee(item.inner, name).filter(|_| is_only)?;
        let other = self.entities.meant(callee).filter(|&other| other != entity)?;
        let text = unit.text(callee);
        let is_object_needed = is_member(self.entities, other);
        let declarations = self.entities.declarations(entity).iter();
        let has_body = |&id: &ItemId| self.entities.body(unit.bytes, tree, id).is_some();
        if declarations.clone().any(|other| *other != id && has_body(other)) {
            return None;
        }
        let mut edits: Vec<Edit> =
            declarations.map(|&id| unit.delete(self.entities.range(tree, id))).collect();
        for &name in self.names.get(self.entities.name(entity))? {
            let parent = tree.node(name).parent;
            let is_access = tree.kind(parent) == NodeKind::FieldExpression;
            let range = if is_access && !is_object_needed { parent } else { name };
            edits.push(Edit::replace(unit.file, tree.range(range), text.to_vec()));
        }
        Patch::new(edits)
    }

    /// The name of the function that a definition calls with its own parameters, if it does nothing else.
    fn callee(&self, definition: NodeId, name: NodeId) -> Option<NodeId> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let body = tree.field(definition, NodeField::Body)?;
        let mut statements = tree.named_children(body);
        let statement = statements.next().filter(|_| statements.next().is_none())?;
        let is_call = matches!(
            tree.kind(statement),
            NodeKind::ReturnStatement | NodeKind::ExpressionStatement
        );
        let call = tree.named_children(statement).next().filter(|_| is_call)?;
        if tree.kind(call) != NodeKind::CallExpression {
            return None;
        }
        let callee = tree.field(call, NodeField::Function)?;
        let given = tree.named_children(tree.field(call, NodeField::Arguments)?);
        let given = given.map(|id| Some(unit.text(id)));
        let own = parameters(tree, parameter_list(tree, name)?);
        let own = own.into_iter().map(|parameter| {
            let names = tree.subtree(tree.field(parameter, NodeField::Declarator)?);
            let mut names = names.filter(|&id| tree.kind(id) == NodeKind::Identifier);
            names.next().map(|id| unit.text(id))
        });
        (is_name(tree.kind(callee)) && given.eq(own)).then_some(callee)
    }
}

fn is_name(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Identifier | NodeKind::FieldIdentifier)
}
