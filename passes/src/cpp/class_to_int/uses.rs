//! The uses of a class, and what can take their place.

use std::ops::Range;

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{DEEPEST, Unit};
use crate::edit::{disjoint, is_smaller};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// `int`, and `0` for accesses to members.
    Int,
    /// `int`, and the object for accesses to members.
    IntAndObject,
    /// The first argument of the template, and the object for accesses to members.
    Argument,
    /// A pointer to the first argument of the template, and the object for accesses to members.
    Pointer,
    /// The type of the only member, and the object for accesses to it.
    Member,
}

pub(super) const REPLACEMENTS: [Replacement; 5] = [
    Replacement::Int,
    Replacement::IntAndObject,
    Replacement::Argument,
    Replacement::Pointer,
    Replacement::Member,
];

#[derive(Default)]
pub(super) struct ClassUses {
    /// The removals of what declares it, in order.
    pub removals: Vec<Edit>,
    /// The names outside of what is removed.
    pub names: Vec<ClassName>,
    /// The edits that leave nothing, and those that leave the object, of accesses to members.
    pub accesses: Vec<[Edit; 2]>,
    /// The type of the only member that it has, if that is data.
    pub member: Option<Vec<u8>>,
    /// True if one of the uses can neither be `int` nor `0`.
    pub is_unclear: bool,
}

/// The name of a class where it is used.
pub(super) struct ClassName {
    range: Range<usize>,
    /// `int`, or `0`.
    text: &'static [u8],
    is_called: bool,
    /// The first argument of the template.
    argument: Option<Range<usize>>,
}

impl ClassUses {
    /// Adds a use, unless it stands in what goes anyway.
    pub(super) fn add(&mut self, unit: Unit<'_>, name: NodeId) {
        let tree = unit.tree;
        let start = tree.range(name).start as u32;
        let before = self.removals.partition_point(|edit| edit.start <= start);
        // What declares a member may stand in what declares its class.
        let is_removed = |edit: &Edit| start < edit.end;
        if self.removals[..before].iter().rev().take(DEEPEST).any(is_removed) {
            return;
        }
        let mut node = name;
        let mut is_scope = false;
        let mut argument = None;
        for _ in 0..DEEPEST {
            let parent = tree.node(node).parent;
            let is_part = match tree.kind(parent) {
                NodeKind::QualifiedIdentifier => {
                    is_scope |= tree.node(node).field == Some(NodeField::Scope);
                    true
                }
                NodeKind::DependentType => true,
                NodeKind::TemplateType | NodeKind::TemplateFunction => {
                    let list = tree.field(parent, NodeField::Arguments);
                    argument = list.and_then(|list| tree.named_children(list).next());
                    tree.node(node).field == Some(NodeField::Name)
                }
                NodeKind::ClassSpecifier | NodeKind::StructSpecifier | NodeKind::EnumSpecifier => {
                    tree.node(node).field == Some(NodeField::Name)
                }
                _ => false,
            };
            if !is_part {
                break;
            }
            node = parent;
        }
        let Some(text) = text(unit, node, is_scope) else {
            self.is_unclear = true;
            return;
        };
        self.names.push(ClassName {
            range: tree.range(node),
            text,
            is_called: tree.node(node).field == Some(NodeField::Function),
            argument: argument.map(|argument| tree.range(argument)),
        });
    }

    /// The patch that puts something in the place of the class.
    pub(super) fn replaced(&self, unit: Unit<'_>, replacement: Replacement) -> Option<Patch> {
        let needs_access = matches!(replacement, Replacement::IntAndObject | Replacement::Member);
        if needs_access && self.accesses.is_empty() {
            return None;
        }
        // In `A<A<T>>`, the argument would be one that goes itself.
        let is_nested = |pair: &[ClassName]| pair[1].range.start < pair[0].range.end;
        let takes_argument = matches!(replacement, Replacement::Argument | Replacement::Pointer);
        if takes_argument && self.names.windows(2).any(is_nested) {
            return None;
        }
        let mut edits = self.removals.clone();
        for name in &self.names {
            let argument = || name.argument.clone().map(|argument| &unit.bytes[argument]);
            let text = match replacement {
                _ if name.text != b"int" => name.text.to_vec(),
                Replacement::Int | Replacement::IntAndObject => name.text.to_vec(),
                Replacement::Argument => argument()?.to_vec(),
                Replacement::Pointer if name.is_called => [b"(", argument()?, b" *)"].concat(),
                Replacement::Pointer => [argument()?, b" *"].concat(),
                Replacement::Member => self.member.clone()?,
            };
            edits.push(Edit::replace(unit.file, name.range.clone(), text));
        }
        let of = usize::from(replacement != Replacement::Int);
        edits.extend(self.accesses.iter().map(|access| access[of].clone()));
        let edits = disjoint(edits);
        // A type that takes the place of many names may be longer than what it replaces.
        let old: Vec<&[u8]> = edits.iter().map(|edit| &unit.bytes[edit.range()]).collect();
        let new: Vec<&[u8]> = edits.iter().map(|edit| &edit.text[..]).collect();
        is_smaller(&new.join(&b' '), &old.join(&b' ')).then(|| Patch::new(edits)).flatten()
    }
}

/// What stands in the place of a class, or of a member of one.
fn text(unit: Unit<'_>, node: NodeId, is_scope: bool) -> Option<&'static [u8]> {
    let tree = unit.tree;
    let parent = tree.kind(tree.node(node).parent);
    let field = tree.node(node).field;
    let is_type = match parent {
        NodeKind::BaseClassClause
        | NodeKind::FriendDeclaration
        | NodeKind::UsingDeclaration
        | NodeKind::TemplateInstantiation
        | NodeKind::DestructorName
        | NodeKind::FieldInitializer => return None,
        kind if kind.is_declarator() && field == Some(NodeField::Declarator) => return None,
        NodeKind::TypeDescriptor => true,
        NodeKind::ParenthesizedExpression => {
            let outer = tree.node(tree.node(node).parent).parent;
            tree.kind(outer) == NodeKind::SizeofExpression
        }
        _ => field == Some(NodeField::Type),
    };
    let is_called = parent == NodeKind::CallExpression && field == Some(NodeField::Function);
    match (is_type, is_scope) {
        (true, _) => Some(b"int"),
        (false, true) => Some(if is_called { b"int" } else { b"0" }),
        (false, false) => is_called.then_some(b"int"),
    }
}
