//! The identifiers that stand where they are declared, and the part that each name plays in the program.

use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree};

/// The part that a declared name plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameRole {
    /// A function.
    Function,
    /// A variable or parameter.
    Variable,
    /// A tag, a typedef, a parameter of a template.
    Type,
    /// A member of a structure or union.
    Member,
    /// A label.
    Label,
    /// An enumerator, a macro or a concept.
    Constant,
    /// A namespace.
    Namespace,
}

/// The part that an identifier plays, if it stands where it is declared.
pub(crate) fn declared_role(tree: &SyntaxTree, id: NodeId) -> Option<NameRole> {
    let node = tree.node(id);
    let parent = tree.kind(node.parent);
    let field = node.field;
    let (is_declared, role) = match node.kind {
        NodeKind::Identifier => match parent {
            NodeKind::ParameterDeclaration
            | NodeKind::OptionalParameterDeclaration
            | NodeKind::Declaration
            | NodeKind::InitDeclarator
            | NodeKind::ForRangeLoop => (field == Some(NodeField::Declarator), NameRole::Variable),
            NodeKind::ConceptDefinition
            | NodeKind::Enumerator
            | NodeKind::PreprocDef
            | NodeKind::PreprocFunctionDef => (field == Some(NodeField::Name), NameRole::Constant),
            NodeKind::PreprocParams => (true, NameRole::Variable),
            NodeKind::FunctionDeclarator => (field != Some(NodeField::Size), NameRole::Function),
            _ => (parent.is_declarator() && field != Some(NodeField::Size), NameRole::Variable),
        },
        NodeKind::TypeIdentifier => (declares_type(tree, id, parent), NameRole::Type),
        NodeKind::FieldIdentifier => {
            let is_field =
                parent == NodeKind::FieldDeclaration && field == Some(NodeField::Declarator);
            (parent.is_declarator() || is_field, NameRole::Member)
        }
        NodeKind::NamespaceIdentifier => {
            let is_defined = matches!(
                parent,
                NodeKind::NamespaceDefinition
                    | NodeKind::NestedNamespaceSpecifier
                    | NodeKind::NamespaceAliasDefinition
            ) && field != Some(NodeField::Scope);
            (is_defined, NameRole::Namespace)
        }
        NodeKind::StatementIdentifier => (parent == NodeKind::LabeledStatement, NameRole::Label),
        _ => return None,
    };
    is_declared.then_some(role)
}

fn declares_type(tree: &SyntaxTree, id: NodeId, parent: NodeKind) -> bool {
    let node = tree.node(id);
    let field = node.field;
    match parent {
        NodeKind::StructSpecifier
        | NodeKind::UnionSpecifier
        | NodeKind::EnumSpecifier
        | NodeKind::ClassSpecifier => {
            field == Some(NodeField::Name) && tree.field(node.parent, NodeField::Body).is_some()
        }
        NodeKind::TypeDefinition => field == Some(NodeField::Declarator),
        NodeKind::TypeParameterDeclaration | NodeKind::VariadicTypeParameterDeclaration => true,
        NodeKind::OptionalTypeParameterDeclaration | NodeKind::AliasDeclaration => {
            field == Some(NodeField::Name)
        }
        _ => parent.is_declarator() && field != Some(NodeField::Type),
    }
}
