//! The uses of a parameter inside of its template.

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, TokenKind, tokens};

use crate::analysis::{Unit, is_name, is_pack, template_parameter_name};

/// The expansion of a pack that a name stands in: an argument, or a parameter such as `A<Ts>... ts`.
fn expansion_around(unit: Unit<'_>, template: NodeId, name: NodeId) -> Option<NodeId> {
    let tree = unit.tree;
    let mut around = tree.ancestors(name).take_while(|&at| at > template).take(32);
    around.find(|&at| {
        let kind = tree.kind(at);
        matches!(kind, NodeKind::ParameterPackExpansion | NodeKind::VariadicParameterDeclaration)
    })
}

/// The name of the parameters of a function that stand for a pack.
fn expanded_name<'a>(unit: Unit<'a>, expansion: NodeId) -> Option<&'a [u8]> {
    let tree = unit.tree;
    let declarator = tree.field(expansion, NodeField::Declarator)?;
    let name = tree.subtree(declarator).find(|&id| tree.kind(id) == NodeKind::Identifier)?;
    Some(unit.text(name))
}

/// Adds the edits that remove what such parameters expand to. `None` if they stand elsewhere.
fn remove_expansions(
    unit: Unit<'_>,
    template: NodeId,
    name: &[u8],
    edits: &mut Vec<Edit>,
) -> Option<()> {
    let tree = unit.tree;
    let names = tree.subtree(template).filter(|&id| tree.kind(id) == NodeKind::Identifier);
    for id in names.filter(|&id| unit.text(id) == name) {
        let expansion = expansion_around(unit, template, id)?;
        edits.push(Edit::delete_element(unit.file, tree.range(expansion)));
    }
    Some(())
}

/// Replaces what uses a parameter in its template. Returns whether anything does; `None` if it cannot be replaced.
pub(super) fn replace_uses(
    unit: Unit<'_>,
    template: NodeId,
    parameter: NodeId,
    value: &[u8],
    edits: &mut Vec<Edit>,
) -> Option<bool> {
    let tree = unit.tree;
    let kind = tree.kind(parameter);
    let Some(name) = template_parameter_name(unit, parameter) else {
        return (kind != NodeKind::TemplateTemplateParameterDeclaration).then_some(false);
    };
    let mut is_used = false;
    let own = tree.range(parameter);
    for id in tree.subtree(template) {
        if !is_name(tree.kind(id)) || unit.text(id) != unit.text(name) {
            continue;
        }
        let range = tree.range(id);
        let node = tree.node(id);
        let is_qualified = node.field == Some(NodeField::Name)
            && tree.kind(node.parent) == NodeKind::QualifiedIdentifier;
        if own.start <= range.start && range.end <= own.end || is_qualified {
            continue;
        }
        is_used = true;
        let is_scope = node.field == Some(NodeField::Scope);
        let is_base = tree.kind(node.parent) == NodeKind::BaseClassClause;
        if (is_scope || is_base) && !is_pack(kind) && is_plain(value) {
            return None;
        }
        if is_pack(kind) {
            let expansion = expansion_around(unit, template, id)?;
            edits.push(Edit::delete_element(unit.file, tree.range(expansion)));
            if let Some(values) = expanded_name(unit, expansion) {
                remove_expansions(unit, template, values, edits)?;
            }
        } else {
            edits.push(Edit::replace(unit.file, range, value.to_vec()));
        }
    }
    Some(is_used)
}

/// Returns whether a type or value has no members and can be no base class, as far as its words tell.
fn is_plain(value: &[u8]) -> bool {
    const WORDS: [&[u8]; 11] = [
        b"int",
        b"char",
        b"bool",
        b"long",
        b"short",
        b"unsigned",
        b"signed",
        b"float",
        b"double",
        b"void",
        b"const",
    ];
    tokens(value)
        .all(|token| token.kind != TokenKind::Word || WORDS.contains(&&value[token.range()]))
}
