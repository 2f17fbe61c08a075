//! What is evaluated while compiling, or not at all: text there must stay as it is.

use clreduce_language::NodeKind;

/// Returns true if nothing below such a node runs.
pub(crate) fn is_for_the_compiler(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::ArrayDeclarator
            | NodeKind::AbstractArrayDeclarator
            | NodeKind::SizeofExpression
            | NodeKind::AlignofExpression
            | NodeKind::OffsetofExpression
            | NodeKind::EnumSpecifier
            | NodeKind::StructSpecifier
            | NodeKind::UnionSpecifier
            | NodeKind::StaticAssertDeclaration
            | NodeKind::TemplateArgumentList
            | NodeKind::SubscriptDesignator
            | NodeKind::AttributeSpecifier
            | NodeKind::AttributeDeclaration
            | NodeKind::Decltype
            | NodeKind::LambdaExpression
            | NodeKind::PreprocDef
            | NodeKind::PreprocFunctionDef
    )
}
