//! A member function or operator whose body can take the place of a call.

use clreduce_language::{EntityId, Item, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::Edit;

use super::call::{CallSite, CalledObject};
use crate::analysis::{Spelling, Unit, is_member, is_name, parameters, template_parameter_name};
use crate::edit::{as_operand, disjoint, edited};

/// A function, as far as inlining needs to know it.
pub(super) struct InlinedFunction<'a> {
    spelling: Spelling<'a>,
    pub(super) entity: EntityId,
    node: NodeId,
    /// Its class; `None` for a friend or a function that is no member.
    class: Option<EntityId>,
    /// By parameter, its name.
    parameters: Vec<Option<NodeId>>,
    statements: Vec<NodeId>,
    /// The value that its only `return`, at the end, returns.
    value: Option<NodeId>,
}

/// Returns whether the body of a template mentions a parameter of it, whose meaning in a call is not known.
fn mentions_parameters(unit: Unit<'_>, item: &Item) -> bool {
    let tree = unit.tree;
    let head = tree.field(item.node, NodeField::Parameters).into_iter();
    let parameters = head.flat_map(|head| tree.named_children(head));
    let names: Vec<&[u8]> = parameters
        .filter_map(|parameter| Some(unit.text(template_parameter_name(unit, parameter)?)))
        .collect();
    let body = tree.field(item.inner, NodeField::Body).into_iter();
    let mut inside = body.flat_map(|body| tree.subtree(body));
    inside.any(|id| is_name(tree.kind(id)) && names.contains(&unit.text(id)))
}

/// Bytes of a body that is put somewhere else.
const LARGEST: usize = 1024;

impl<'a> InlinedFunction<'a> {
    pub(super) fn read(spelling: Spelling<'a>, id: ItemId) -> Option<Self> {
        let (unit, entities) = (spelling.unit, spelling.entities);
        let tree = unit.tree;
        let item = entities.item(id);
        let &[entity] = item.declares.as_slice() else { return None };
        if item.kind != ItemKind::Function || item.is_outside || tree.has_error(item.node) {
            return None;
        }
        let is_operator = entities.name(entity).starts_with(b"operator");
        let around = tree.ancestors(item.inner).take_while(|&at| at >= item.node);
        let is_friend = around.into_iter().any(|at| tree.kind(at) == NodeKind::FriendDeclaration);
        if item.is_template && mentions_parameters(unit, item) {
            return None;
        }
        let is_member = item.is_member && !is_friend && is_member(entities, entity);
        let is_alone = matches!(entities.declarations(entity), [only] if *only == id);
        if !(is_operator || is_member && is_alone) || item.comes_with_class || item.is_virtual {
            return None;
        }
        let body = tree.field(item.inner, NodeField::Body)?;
        if tree.kind(body) != NodeKind::CompoundStatement || tree.range(body).len() > LARGEST {
            return None;
        }
        let declarator = tree.field(item.inner, NodeField::Declarator)?;
        let inner = |&at: &NodeId| {
            tree.field(at, NodeField::Declarator).or_else(|| tree.named_children(at).next())
        };
        let declarators = std::iter::successors(Some(declarator), inner).take(8);
        let function =
            declarators.filter(|&at| tree.kind(at) == NodeKind::FunctionDeclarator).last()?;
        let list = tree.field(function, NodeField::Parameters)?;
        let parameters: Vec<Option<NodeId>> = parameters(tree, list)
            .into_iter()
            .map(|parameter| {
                let declarator = tree.field(parameter, NodeField::Declarator)?;
                let mut inside = tree.subtree(declarator);
                inside.find(|&id| tree.kind(id) == NodeKind::Identifier)
            })
            .collect();
        let mut statements: Vec<NodeId> = tree.named_children(body).collect();
        let leaves = |id: NodeId| {
            matches!(tree.kind(id), NodeKind::ReturnStatement | NodeKind::CoReturnStatement)
        };
        let value = statements.last().copied().filter(|&last| leaves(last));
        if value.is_some() {
            statements.pop();
        }
        let returns = tree.subtree(body).filter(|&id| leaves(id)).count();
        let value = value.and_then(|last| tree.named_children(last).next());
        if returns > usize::from(value.is_some()) {
            return None;
        }
        let class = if is_member { entities.scope(entity) } else { None };
        Some(Self { spelling, entity, node: item.node, class, parameters, statements, value })
    }

    /// Returns whether a node stands in it.
    pub(super) fn holds(&self, unit: Unit<'_>, id: NodeId) -> bool {
        (self.node..unit.tree.node(self.node).after).contains(&id)
    }

    /// The edit that puts it in the place of a call.
    pub(super) fn at(&self, call: &CallSite) -> Option<Edit> {
        let unit = self.spelling.unit;
        let tree = unit.tree;
        let (object, arguments) = match call.object {
            // The first operand of an operator is the object of a member.
            CalledObject::Same
                if self.class.is_some() && tree.kind(call.node) != NodeKind::CallExpression =>
            {
                let (&object, arguments) = call.arguments.split_first()?;
                (CalledObject::Value(object), arguments)
            }
            object => (object, &call.arguments[..]),
        };
        if arguments.len() != self.parameters.len() {
            return None;
        }
        if self.statements.is_empty()
            && let Some(value) = self.value
        {
            let text = as_operand(tree, value, &self.written(value, object, arguments));
            return Some(Edit::replace(unit.file, tree.range(call.node), text));
        }
        let statement = call.statement?;
        let texts = self.statements.iter().map(|&it| self.written(it, object, arguments));
        let texts: Vec<Vec<u8>> = texts.collect();
        let text = [b"{ ", &texts.join(&b" "[..])[..], b" }"].concat();
        Some(Edit::replace(unit.file, tree.range(statement), text))
    }

    /// A part of the body, with an object and arguments.
    fn written(&self, part: NodeId, object: CalledObject, arguments: &[NodeId]) -> Vec<u8> {
        let unit = self.spelling.unit;
        let edits = unit.tree.subtree(part).filter_map(|id| self.edit(id, object, arguments));
        edited(unit, unit.tree.range(part), &disjoint(edits.collect()))
    }

    fn edit(&self, id: NodeId, object: CalledObject, arguments: &[NodeId]) -> Option<Edit> {
        let (unit, symbols) = (self.spelling.unit, self.spelling.symbols);
        let tree = unit.tree;
        let text = |node: NodeId| as_operand(tree, node, unit.text(node));
        match tree.kind(id) {
            NodeKind::This => {
                let parent = tree.parent(id)?;
                let is_target = tree.node(id).field == Some(NodeField::Argument);
                match (tree.kind(parent), object) {
                    (_, CalledObject::Same) => None,
                    (_, CalledObject::Pointer(pointer)) => {
                        Some(Edit::replace(unit.file, tree.range(id), text(pointer)))
                    }
                    (NodeKind::FieldExpression, CalledObject::Value(value)) if is_target => {
                        let field = tree.field(parent, NodeField::Field)?;
                        let range = tree.range(id).start..tree.range(field).start;
                        Some(Edit::replace(unit.file, range, [&text(value)[..], b"."].concat()))
                    }
                    (NodeKind::PointerExpression, CalledObject::Value(value)) => {
                        Some(Edit::replace(unit.file, tree.range(parent), text(value)))
                    }
                    (_, CalledObject::Value(value)) => Some(Edit::replace(
                        unit.file,
                        tree.range(id),
                        [b"(&", &text(value)[..], b")"].concat(),
                    )),
                }
            }
            NodeKind::Identifier => {
                let is_it = |name: &Option<NodeId>| {
                    name.is_some_and(|name| {
                        unit.text(name) == unit.text(id) && symbols.of(name) == symbols.of(id)
                    })
                };
                if let Some(index) = self.parameters.iter().position(is_it) {
                    let argument = text(arguments[index]);
                    return Some(Edit::replace(unit.file, tree.range(id), argument));
                }
                let before = match object {
                    CalledObject::Same => return None,
                    CalledObject::Value(value) => [&text(value)[..], b"."].concat(),
                    CalledObject::Pointer(pointer) => [&text(pointer)[..], b"->"].concat(),
                };
                let at = tree.range(id).start;
                self.is_own_member(id).then(|| Edit::replace(unit.file, at..at, before))
            }
            _ => None,
        }
    }

    /// Returns whether a name alone means a member of the class.
    fn is_own_member(&self, name: NodeId) -> bool {
        let (unit, entities) = (self.spelling.unit, self.spelling.entities);
        let Some(class) = self.class else { return false };
        let is_qualified = unit
            .tree
            .parent(name)
            .is_some_and(|it| unit.tree.kind(it) == NodeKind::QualifiedIdentifier);
        let mut named = entities.named(unit.text(name)).iter();
        let is_value = |entity: EntityId| {
            let first = entities.declarations(entity).first();
            first.is_some_and(|&id| entities.item(id).kind != ItemKind::Type)
        };
        !is_qualified && named.any(|&it| entities.scope(it) == Some(class) && is_value(it))
    }
}
