//! What a declaration of C++ declares: its name with qualifiers, and its body.

use crate::kind::{NodeField, NodeKind};
use crate::tree::{NodeId, SyntaxTree};

use super::Body;

/// The name in a declarator.
pub(super) struct Declared {
    /// The parts of the qualifier, the first one first: `std` and `A<int>` of `std::A<int>::f`.
    pub(super) qualifiers: Vec<NodeId>,
    /// The name itself, without blanks: `f`, `operator==`, `~` of every destructor, `operator` of every conversion.
    pub(super) name: Vec<u8>,
    /// True if arguments of a template stand behind the name.
    pub(super) is_specialised: bool,
    /// True if a function is declared.
    pub(super) is_function: bool,
}

impl Declared {
    /// Returns true for a destructor, a conversion or an assignment, which come with their class.
    pub(super) fn is_special(&self) -> bool {
        matches!(&self.name[..], b"~" | b"operator" | b"operator=")
    }
}

/// The name that a declarator, or the name of a class, declares.
pub(super) fn declared(bytes: &[u8], tree: &SyntaxTree, declarator: NodeId) -> Option<Declared> {
    let mut found = Declared {
        qualifiers: Vec::new(),
        name: Vec::new(),
        is_specialised: false,
        is_function: false,
    };
    let mut at = declarator;
    loop {
        let field = |field| tree.field(at, field);
        at = match tree.kind(at) {
            NodeKind::Identifier
            | NodeKind::TypeIdentifier
            | NodeKind::FieldIdentifier
            | NodeKind::NamespaceIdentifier
            | NodeKind::PrimitiveType
            | NodeKind::OperatorName => {
                let text = bytes[tree.range(at)].iter().copied();
                found.name = text.filter(|byte| !byte.is_ascii_whitespace()).collect();
                return Some(found);
            }
            NodeKind::DestructorName | NodeKind::OperatorCast => {
                let is_destructor = tree.kind(at) == NodeKind::DestructorName;
                found.name = if is_destructor { b"~".to_vec() } else { b"operator".to_vec() };
                found.is_function = true;
                return Some(found);
            }
            NodeKind::QualifiedIdentifier => {
                found.qualifiers.extend(field(NodeField::Scope));
                field(NodeField::Name)?
            }
            NodeKind::TemplateFunction | NodeKind::TemplateType | NodeKind::TemplateMethod => {
                found.is_specialised = true;
                field(NodeField::Name)?
            }
            NodeKind::FunctionDeclarator => {
                let inner = field(NodeField::Declarator)?;
                // `(*p)(int)` is a pointer.
                found.is_function = tree.kind(inner) != NodeKind::ParenthesizedDeclarator;
                inner
            }
            NodeKind::ReferenceDeclarator
            | NodeKind::ParenthesizedDeclarator
            | NodeKind::AttributedDeclarator
            | NodeKind::VariadicDeclarator
            | NodeKind::DependentName => tree.named_children(at).next()?,
            NodeKind::StructuredBindingDeclarator => return None,
            _ => field(NodeField::Declarator)?,
        };
    }
}

/// Returns whether a node defines or declares a class, structure, union or enumeration.
pub(super) fn is_type_specifier(kind: NodeKind) -> bool {
    is_class(kind) || kind == NodeKind::EnumSpecifier
}

/// Returns whether a node is a class, structure or union.
pub(super) fn is_class(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::ClassSpecifier | NodeKind::StructSpecifier | NodeKind::UnionSpecifier)
}

/// The body of a function definition that has one.
pub(super) fn body(bytes: &[u8], tree: &SyntaxTree, definition: NodeId) -> Option<Body> {
    if tree.kind(definition) != NodeKind::FunctionDefinition || tree.node(definition).damaged {
        return None;
    }
    let body = tree.field(definition, NodeField::Body)?;
    let is_body = matches!(tree.kind(body), NodeKind::CompoundStatement | NodeKind::TryStatement);
    let end = tree.range(body).end;
    let declarator = tree.field(definition, NodeField::Declarator)?;
    let initialisers =
        tree.named_children(definition).find(|&id| tree.kind(id) == NodeKind::FieldInitializerList);
    let start = tree.range(initialisers.unwrap_or(body)).start;
    let has_trailing_type =
        tree.named_children(declarator).any(|id| tree.kind(id) == NodeKind::TrailingReturnType);
    // Specifiers and the type stand before the declarator.
    let head = &bytes[tree.range(definition).start..tree.range(declarator).start];
    let mut words = clreduce_testcase::tokens(head).map(|token| &head[token.range()]);
    let is_needed_early = words.any(|word| {
        matches!(word, b"constexpr" | b"consteval") || word == b"auto" && !has_trailing_type
    });
    is_body.then_some(Body { range: start..end, is_needed_early })
}

/// The declaration without template heads, `friend`, `export` and `extern "C"`; whether it is of a template, and of a friend.
pub(super) fn unwrapped(tree: &SyntaxTree, node: NodeId) -> (NodeId, bool, bool) {
    let (mut at, mut is_template, mut is_friend) = (node, false, false);
    loop {
        let next = match tree.kind(at) {
            NodeKind::TemplateDeclaration => {
                is_template = true;
                let children = tree.named_children(at);
                children.filter(|&id| tree.node(id).field.is_none()).last()
            }
            NodeKind::FriendDeclaration => {
                is_friend = true;
                tree.named_children(at).last()
            }
            NodeKind::ExportDeclaration => tree.named_children(at).last(),
            NodeKind::LinkageSpecification => tree
                .field(at, NodeField::Body)
                .filter(|&body| tree.kind(body) != NodeKind::DeclarationList),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return (at, is_template, is_friend),
        }
    }
}

/// The names that the head of a template declares.
pub(super) fn parameter_names(tree: &SyntaxTree, head: NodeId) -> Vec<NodeId> {
    // The last part of `template <class> class A = B` is a parameter as any other.
    let plain = |parameter: NodeId| match tree.kind(parameter) {
        NodeKind::TemplateTemplateParameterDeclaration => {
            tree.named_children(parameter).last().unwrap_or(parameter)
        }
        _ => parameter,
    };
    let name_of = |parameter: NodeId| match tree.kind(parameter) {
        NodeKind::TypeParameterDeclaration | NodeKind::VariadicTypeParameterDeclaration => {
            tree.named_children(parameter).last()
        }
        NodeKind::OptionalTypeParameterDeclaration => tree.field(parameter, NodeField::Name),
        _ => {
            let mut at = tree.field(parameter, NodeField::Declarator);
            while let Some(declarator) = at {
                if tree.kind(declarator) == NodeKind::Identifier {
                    break;
                }
                let inner = tree.field(declarator, NodeField::Declarator);
                at = inner.or_else(|| tree.named_children(declarator).next());
            }
            at
        }
    };
    tree.named_children(head).map(plain).filter_map(name_of).collect()
}

/// Returns whether a member function says that it is virtual, or overrides one that is.
pub(super) fn is_virtual(tree: &SyntaxTree, function: NodeId) -> bool {
    // Around that of the function, there may be those of references and pointers.
    let inner = |&at: &NodeId| {
        tree.field(at, NodeField::Declarator).or_else(|| tree.named_children(at).next())
    };
    let declarators = std::iter::successors(tree.field(function, NodeField::Declarator), inner);
    let inside = declarators.take(8).flat_map(|it| tree.children(it));
    tree.children(function).chain(inside).any(|word| {
        matches!(tree.kind(word), NodeKind::VirtualKeyword | NodeKind::VirtualSpecifier)
    })
}

/// Returns whether an identifier is the name that a declaration inside of an item declares.
pub(super) fn is_declared_locally(tree: &SyntaxTree, id: NodeId, item: NodeId) -> bool {
    let mut at = id;
    // A declarator nests as deep as somebody writes pointers.
    for _ in 0..16 {
        let parent = tree.node(at).parent;
        let is_declarator = tree.node(at).field == Some(NodeField::Declarator);
        match tree.kind(parent) {
            NodeKind::ParameterDeclaration
            | NodeKind::OptionalParameterDeclaration
            | NodeKind::VariadicParameterDeclaration
            | NodeKind::ForRangeLoop => return is_declarator,
            NodeKind::Declaration => {
                let is_statement =
                    tree.kind(tree.node(parent).parent) != NodeKind::TemplateDeclaration;
                return is_declarator && parent != item && is_statement;
            }
            NodeKind::StructuredBindingDeclarator
            | NodeKind::ReferenceDeclarator
            | NodeKind::ParenthesizedDeclarator
            | NodeKind::VariadicDeclarator => {}
            NodeKind::PointerDeclarator | NodeKind::ArrayDeclarator | NodeKind::InitDeclarator
                if is_declarator => {}
            _ => return false,
        }
        at = parent;
    }
    false
}
