//! Edits that remove a symbol: its declarations, and each use with the code that needs it.

use clreduce_language::{
    AccessKind, Base, NodeField, NodeId, NodeKind, Symbol, SymbolKind, SyntaxTree, access_path,
};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::has_effect;
use crate::pass::Proposal;
use crate::snapshot::Snapshot;

/// The proposals, one at most, that a pass has for each symbol of each file.
pub(crate) fn for_each_symbol(
    snapshot: &Snapshot,
    edits: impl Fn(usize, &Symbol) -> Option<Vec<Edit>>,
) -> Vec<Proposal> {
    let files = 0..snapshot.file_count();
    let symbols = files.flat_map(|file| {
        let symbols = snapshot.symbols(file);
        symbols.ids().map(move |id| (file, symbols.get(id)))
    });
    let edits = symbols.filter_map(|(file, symbol)| edits(file, symbol));
    edits.filter_map(Patch::new).map(Proposal::new).collect()
}

/// The edit that makes the code around a use of a variable or function do without it: an assignment
/// to it becomes its right side, a statement that only uses it goes, anything else becomes `0`.
pub(crate) fn without(snapshot: &Snapshot, file: usize, name: NodeId) -> Edit {
    let tree = snapshot.tree(file);
    let node = set_by_parent(tree, access_path(tree, name));
    let Some(parent) = tree.parent(node) else { return zero(tree, file, node) };
    match tree.kind(parent) {
        NodeKind::ExpressionStatement => remove_statement(tree, file, parent),
        NodeKind::UpdateExpression => remove_expression(tree, file, parent),
        NodeKind::AssignmentExpression if tree.node(node).field == Some(NodeField::Left) => {
            match tree.field(parent, NodeField::Right) {
                Some(right) if is_whole_statement(tree, parent) && !has_effect(tree, right) => {
                    remove_expression(tree, file, parent)
                }
                // What is assigned may use the name again, and so is left to other edits.
                Some(right) => {
                    Edit::delete(file, tree.range(parent).start..tree.range(right).start)
                }
                None => zero(tree, file, parent),
            }
        }
        // There is no structure that is zero.
        NodeKind::AssignmentExpression
            if is_whole_statement(tree, parent) && is_structure(snapshot, file, node) =>
        {
            remove_expression(tree, file, parent)
        }
        _ => zero(tree, file, node),
    }
}

fn is_structure(snapshot: &Snapshot, file: usize, node: NodeId) -> bool {
    let of = snapshot.types(file).of(node);
    of.levels == 0 && matches!(of.base, Base::Aggregate(_))
}

/// The node with the parentheses around it, where what stands around those sets it: `(*x) = 1`.
fn set_by_parent(tree: &SyntaxTree, node: NodeId) -> NodeId {
    let mut outer = node;
    while let Some(parent) = tree.parent(outer).filter(|&node| is_parenthesis(tree, node)) {
        outer = parent;
    }
    if AccessKind::of(tree, outer).writes() { outer } else { node }
}

fn is_parenthesis(tree: &SyntaxTree, node: NodeId) -> bool {
    tree.kind(node) == NodeKind::ParenthesizedExpression
}

/// Returns whether an expression is a whole statement.
pub(crate) fn is_whole_statement(tree: &SyntaxTree, node: NodeId) -> bool {
    tree.parent(node).is_some_and(|parent| tree.kind(parent) == NodeKind::ExpressionStatement)
}

/// Removes an expression, and the statement with it where it is all of one.
pub(crate) fn remove_expression(tree: &SyntaxTree, file: usize, node: NodeId) -> Edit {
    match tree.parent(node) {
        Some(parent) if tree.kind(parent) == NodeKind::ExpressionStatement => {
            remove_statement(tree, file, parent)
        }
        _ => zero(tree, file, node),
    }
}

/// Removes a statement; where one must stand, `;` stays.
pub(crate) fn remove_statement(tree: &SyntaxTree, file: usize, statement: NodeId) -> Edit {
    let is_in_list = tree.parent(statement).is_some_and(|parent| {
        matches!(
            tree.kind(parent),
            NodeKind::CompoundStatement | NodeKind::TranslationUnit | NodeKind::CaseStatement
        )
    });
    if is_in_list {
        Edit::delete(file, tree.range(statement))
    } else {
        Edit::replace(file, tree.range(statement), b";".as_slice())
    }
}

fn zero(tree: &SyntaxTree, file: usize, node: NodeId) -> Edit {
    Edit::replace(file, tree.range(node), b"0".as_slice())
}

/// Removes one declaration of a symbol: the function, the parameter, the whole declaration or the
/// declarator alone.
pub(crate) fn remove_declaration(
    tree: &SyntaxTree,
    file: usize,
    declaring: NodeId,
) -> Option<Edit> {
    let mut at = declaring;
    loop {
        let parent = tree.parent(at)?;
        match tree.kind(parent) {
            NodeKind::FunctionDefinition => return Some(Edit::delete(file, tree.range(parent))),
            NodeKind::ParameterDeclaration => {
                return Some(Edit::delete_element(file, tree.range(parent)));
            }
            NodeKind::Declaration | NodeKind::TypeDefinition | NodeKind::FieldDeclaration => {
                let declarators = tree.fields(parent, NodeField::Declarator).take(2).count();
                let in_for =
                    tree.parent(parent).is_some_and(|p| tree.kind(p) == NodeKind::ForStatement);
                return Some(match (declarators, in_for) {
                    (0..=1, true) => Edit::replace(file, tree.range(parent), b";".as_slice()),
                    (0..=1, false) => Edit::delete(file, tree.range(parent)),
                    _ => Edit::delete_element(file, tree.range(at)),
                });
            }
            kind if kind.is_declarator() => at = parent,
            _ => return None,
        }
    }
}

/// The edits that remove a symbol of the wanted kind with everything that uses it; `None` where the table cannot see
/// every use.
pub(crate) fn remove_symbol(
    snapshot: &Snapshot,
    file: usize,
    symbol: &Symbol,
    wanted: SymbolKind,
) -> Option<Vec<Edit>> {
    let tree = snapshot.tree(file);
    if symbol.opaque || symbol.kind != wanted {
        return None;
    }
    let declarations = symbol.declarations.iter();
    let mut edits = declarations
        .map(|&declaring| remove_declaration(tree, file, declaring))
        .collect::<Option<Vec<Edit>>>()?;
    edits.extend(symbol.uses.iter().map(|&name| without(snapshot, file, name)));
    Some(edits)
}
