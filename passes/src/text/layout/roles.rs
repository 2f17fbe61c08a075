//! The meaning of an operator or brace where it stands: told by the syntax tree where the parser
//! understood the file, guessed from the neighbours where it did not.

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::TokenKind;

use crate::analysis::Tokens;
use crate::{NodeId, SyntaxTree};

/// The part that a token plays in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenRole {
    /// Nothing more than its text says.
    Plain,
    /// An operator before its operand, or the star of a declarator.
    Prefix,
    /// A star between a type and a name.
    Pointer,
    /// An operator behind its operand.
    Postfix,
    /// An operator between two operands.
    Binary,
    /// A brace around statements: its content is indented, and a statement ends with it.
    Block,
    /// A brace around members: its content is indented.
    Members,
    /// A brace around values.
    Inline,
    /// The colon of a label.
    Label,
    /// The parenthesis that closes the type of a cast.
    Cast,
    /// A parenthesis or bracket that stands apart from the word before it.
    Apart,
    /// A brace before values that belongs to the name before it: `T{1}`.
    Attached,
    /// `<` before the parameters or arguments of a template.
    OpenAngle,
    /// `>` behind them.
    CloseAngle,
    /// The dots of a pack.
    Pack,
    /// `catch`, which goes on with the statement before it.
    Handler,
}

pub(super) fn roles(unit: Tokens<'_>, tree: &SyntaxTree) -> Vec<TokenRole> {
    let mut roles = guessed(unit);
    if !tree.is_empty() {
        let is_broken = tree.has_error(NodeId(0));
        let mut index = 0;
        for id in tree.ids() {
            let node = tree.node(id);
            let is_leaf = node.after.0 == id.0 + 1;
            if !is_leaf || node.start == node.end {
                continue;
            }
            while unit.tokens.get(index).is_some_and(|token| token.start < node.start) {
                index += 1;
            }
            let here = unit.tokens.get(index).is_some_and(|token| token.start == node.start);
            // Tokens alone do not tell what only C++ has, so that the parser is asked about that also in a broken file.
            let role = match is_broken {
                true => parsed_in_cpp(tree, id).filter(|_| !node.damaged),
                false => parsed_in_cpp(tree, id).or_else(|| parsed(tree, id)),
            };
            // The parser does not know blocks.
            let is_block = unit.text(index) == b"{" && index > 0 && unit.text(index - 1) == b"^";
            if let Some(role) = role.filter(|_| here && !is_block) {
                roles[index] = role;
            }
        }
    }
    roles
}

/// The role of a leaf, where its parent tells.
fn parsed(tree: &SyntaxTree, id: NodeId) -> Option<TokenRole> {
    let node = tree.node(id);
    let parent = tree.kind(node.parent);
    Some(match (node.kind, parent) {
        (
            NodeKind::Star | NodeKind::Ampersand | NodeKind::AmpersandAmpersand,
            NodeKind::PointerDeclarator | NodeKind::AbstractPointerDeclarator,
        ) => TokenRole::Pointer,
        (
            NodeKind::Ampersand | NodeKind::AmpersandAmpersand,
            NodeKind::ReferenceDeclarator | NodeKind::AbstractReferenceDeclarator,
        ) => TokenRole::Pointer,
        (_, NodeKind::PointerExpression | NodeKind::UnaryExpression)
            if node.field == Some(NodeField::Operator) =>
        {
            TokenRole::Prefix
        }
        (NodeKind::Increment | NodeKind::Decrement, NodeKind::UpdateExpression) => {
            if id.0 == node.parent.0 + 1 { TokenRole::Prefix } else { TokenRole::Postfix }
        }
        (_, NodeKind::BinaryExpression) if node.field == Some(NodeField::Operator) => {
            TokenRole::Binary
        }
        (
            NodeKind::LeftBrace | NodeKind::RightBrace,
            NodeKind::CompoundStatement | NodeKind::DeclarationList,
        ) => TokenRole::Block,
        (NodeKind::LeftBrace | NodeKind::RightBrace, NodeKind::FieldDeclarationList) => {
            TokenRole::Members
        }
        (
            NodeKind::LeftBrace | NodeKind::RightBrace,
            NodeKind::InitializerList | NodeKind::EnumeratorList,
        ) => TokenRole::Inline,
        (NodeKind::Colon, NodeKind::LabeledStatement | NodeKind::CaseStatement) => TokenRole::Label,
        (NodeKind::Question | NodeKind::Colon, NodeKind::ConditionalExpression) => {
            TokenRole::Binary
        }
        (NodeKind::Colon, NodeKind::BitfieldClause) => TokenRole::Binary,
        (
            NodeKind::RightParenthesis,
            NodeKind::CastExpression | NodeKind::CompoundLiteralExpression,
        ) => TokenRole::Cast,
        (NodeKind::LeftParenthesis, NodeKind::ParenthesizedDeclarator) => TokenRole::Apart,
        _ => return None,
    })
}

/// The role of a leaf of something that only C++ has.
fn parsed_in_cpp(tree: &SyntaxTree, id: NodeId) -> Option<TokenRole> {
    let node = tree.node(id);
    let parent = tree.kind(node.parent);
    let is_brace = matches!(node.kind, NodeKind::LeftBrace | NodeKind::RightBrace);
    Some(match (node.kind, parent) {
        (NodeKind::Less, NodeKind::TemplateParameterList | NodeKind::TemplateArgumentList) => {
            TokenRole::OpenAngle
        }
        (NodeKind::Greater, NodeKind::TemplateParameterList | NodeKind::TemplateArgumentList) => {
            TokenRole::CloseAngle
        }
        (
            NodeKind::Ellipsis,
            NodeKind::VariadicDeclarator
            | NodeKind::VariadicParameterDeclaration
            | NodeKind::VariadicTypeParameterDeclaration
            | NodeKind::ParameterPackExpansion
            | NodeKind::SizeofExpression,
        ) => TokenRole::Pack,
        (
            NodeKind::LeftBracket,
            NodeKind::LambdaCaptureSpecifier | NodeKind::StructuredBindingDeclarator,
        ) => TokenRole::Apart,
        (
            NodeKind::Ampersand,
            NodeKind::LambdaCaptureSpecifier | NodeKind::LambdaDefaultCapture,
        ) => TokenRole::Prefix,
        (NodeKind::Arrow, NodeKind::TrailingReturnType) => TokenRole::Binary,
        (NodeKind::CatchKeyword, NodeKind::CatchClause) => TokenRole::Handler,
        (NodeKind::Colon, NodeKind::FieldDeclarationList) => TokenRole::Label,
        (_, NodeKind::OperatorName) if !is_word(node.kind) => TokenRole::Postfix,
        (_, NodeKind::RequirementSeq) if is_brace => TokenRole::Members,
        (_, NodeKind::CompoundRequirement) if is_brace => TokenRole::Inline,
        // A statement does not end with the body of a lambda expression.
        (_, NodeKind::CompoundStatement)
            if is_brace
                && tree.kind(tree.node(node.parent).parent) == NodeKind::LambdaExpression =>
        {
            TokenRole::Members
        }
        (NodeKind::LeftBrace, NodeKind::InitializerList) if is_attached(tree, node.parent) => {
            TokenRole::Attached
        }
        _ => return None,
    })
}

fn is_word(kind: NodeKind) -> bool {
    kind.name().starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Returns true if a list of values follows a name or type at once, without `=` or a parenthesis.
fn is_attached(tree: &SyntaxTree, list: NodeId) -> bool {
    let parent = tree.node(list).parent;
    // The last leaf before the list: a declaration may have very many children to look through.
    let before = list.0.checked_sub(1).map(|before| tree.kind(NodeId(before)));
    match tree.kind(parent) {
        NodeKind::InitDeclarator | NodeKind::FieldInitializer | NodeKind::FieldDeclaration => {
            before != Some(NodeKind::Equal)
        }
        NodeKind::CompoundLiteralExpression => before != Some(NodeKind::RightParenthesis),
        NodeKind::NewExpression => true,
        _ => false,
    }
}

/// Roles as the tokens themselves suggest them.
fn guessed(unit: Tokens<'_>) -> Vec<TokenRole> {
    let mut roles = Vec::with_capacity(unit.tokens.len());
    let mut braces: Vec<TokenRole> = Vec::new();
    let mut label = false;
    let partners = unit.partners();
    for index in 0..unit.tokens.len() {
        let before = if index == 0 { b";".as_slice() } else { unit.text(index - 1) };
        let kind = if index == 0 { TokenKind::Punctuation } else { unit.kind(index - 1) };
        let begins = matches!(before, b";" | b"{" | b"}");
        let keyword = matches!(before, b"return" | b"case" | b"else" | b"do" | b"goto" | b"sizeof");
        let operand = match kind {
            TokenKind::Punctuation => matches!(before, b")" | b"]"),
            _ => !keyword,
        };
        let text = unit.text(index);
        label |= begins && matches!(text, b"case" | b"default");
        // `int : 7;` is a bit-field without a name.
        label |= unit.kind(index) == TokenKind::Word
            && begins
            && !is_type(text)
            && unit.text(index + 1) == b":";
        roles.push(match text {
            b"!" | b"~" => TokenRole::Prefix,
            b"*" | b"&" | b"-" | b"+" | b"^" if !operand => TokenRole::Prefix,
            b"(" if declares_block(unit, index) => TokenRole::Apart,
            b")" if closes_cast(unit, partners[index], index) => TokenRole::Cast,
            b"*" if is_type(before) => TokenRole::Pointer,
            b"++" | b"--" if operand => TokenRole::Postfix,
            b"++" | b"--" => TokenRole::Prefix,
            b":" if label => {
                label = false;
                TokenRole::Label
            }
            b"*" | b"&" | b"-" | b"+" | b"/" | b"%" | b"|" | b"^" | b"<" | b">" | b"=" | b"?"
            | b":" | b"<<" | b">>" | b"&&" | b"||" => TokenRole::Binary,
            [.., b'='] => TokenRole::Binary,
            b"{" => {
                let opens = if before == b")" { partners[index - 1] } else { index };
                let is_block = opens > 0 && unit.text(opens - 1) == b"^";
                let is_after_name = kind == TokenKind::Word && !matches!(before, b"else" | b"do");
                let role = if is_before_values(before)
                    || before == b"{" && braces.last() == Some(&TokenRole::Inline)
                {
                    TokenRole::Inline
                } else if is_block || is_after_name {
                    TokenRole::Members
                } else {
                    TokenRole::Block
                };
                braces.push(role);
                role
            }
            b"}" => braces.pop().unwrap_or(TokenRole::Block),
            _ => TokenRole::Plain,
        });
    }
    roles
}

/// Returns true if a brace behind a token is around values.
fn is_before_values(before: &[u8]) -> bool {
    matches!(before, b"=" | b"," | b"(" | b"return" | b"[")
}

/// Returns true if a parenthesis begins the declarator of a pointer to a block: `void (^name)(int)`.
fn declares_block(unit: Tokens<'_>, open: usize) -> bool {
    open > 0
        && open + 2 < unit.tokens.len()
        && unit.kind(open - 1) == TokenKind::Word
        && unit.text(open + 1) == b"^"
        && unit.kind(open + 2) == TokenKind::Word
}

/// Returns true if a parenthesis closes the type of a cast: a name in parentheses that nothing calls, before another name.
fn closes_cast(unit: Tokens<'_>, open: usize, close: usize) -> bool {
    let is_word = |at: usize| unit.kind(at) == TokenKind::Word;
    let calls = open > 0
        && (is_word(open - 1) && unit.text(open - 1) != b"return"
            || matches!(unit.text(open - 1), b")" | b"]"));
    let is_type = |at: usize| is_word(at) || unit.text(at) == b"*";
    let is_operand =
        |at: usize| matches!(unit.kind(at), TokenKind::Word | TokenKind::Number | TokenKind::Char);
    // A type has few words.
    open + 1 < close
        && close - open < 8
        && close + 1 < unit.tokens.len()
        && !calls
        && is_word(open + 1)
        && (open + 1..close).all(is_type)
        && is_operand(close + 1)
}

fn is_type(word: &[u8]) -> bool {
    matches!(
        word,
        b"void"
            | b"char"
            | b"short"
            | b"int"
            | b"long"
            | b"float"
            | b"double"
            | b"signed"
            | b"unsigned"
            | b"uchar"
            | b"ushort"
            | b"uint"
            | b"ulong"
            | b"half"
            | b"const"
    )
}
