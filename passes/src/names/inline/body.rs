//! The body of a function in place of one of its calls.

use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree, Use};
use clreduce_testcase::{Edit, step};

use crate::analysis::{CallPlaces, Function, parameter_list, parameter_name, parameters};
use crate::edit::{as_operand, is_whole_statement};
use crate::snapshot::Snapshot;

/// The way in which arguments are passed on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arguments {
    /// They take the place of parameters that the body never changes.
    Substituted,
    /// They are stored in variables of the parameters' types, which may convert them.
    Stored,
}

/// A function as far as inlining needs to know it.
pub(super) struct InlinedBody<'a> {
    snapshot: &'a Snapshot,
    places: &'a CallPlaces<'a>,
    file: usize,
    function: Function,
    statements: Vec<NodeId>,
    /// The value that a final `return` returns.
    result: Option<NodeId>,
    parameters: Vec<Parameter>,
}

struct Parameter {
    /// Its name; `None` where it has none.
    name: Option<NodeId>,
    declaration: NodeId,
    uses: Vec<NodeId>,
    /// It becomes a variable of the block.
    stored: bool,
}

impl<'a> InlinedBody<'a> {
    /// Reads a function; `None` where its body cannot stand elsewhere.
    pub(super) fn read(
        snapshot: &'a Snapshot,
        function: &Function,
        places: &'a CallPlaces<'a>,
        arguments: Arguments,
    ) -> Option<Self> {
        let file = function.file;
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        let mut statements: Vec<NodeId> = tree.named_children(function.body).collect();
        let returns = tree
            .subtree(function.body)
            .filter(|&node| {
                matches!(tree.kind(node), NodeKind::ReturnStatement | NodeKind::GotoStatement)
            })
            .count();
        let mut result = None;
        if let Some(&last) = statements.last()
            && tree.kind(last) == NodeKind::ReturnStatement
        {
            result = tree.named_children(last).next();
            statements.pop();
        }
        if returns > usize::from(result.is_some()) {
            return None;
        }
        let list = parameter_list(tree, function.name)?;
        let mut declared = Vec::new();
        for declaration in parameters(tree, list) {
            let name = parameter_name(symbols, tree, declaration);
            let symbol = name.and_then(|name| symbols.of(name));
            let uses = || symbol.into_iter().flat_map(|symbol| snapshot.uses(file).of(symbol));
            let changes = uses().any(Use::may_change);
            let mut uses: Vec<NodeId> = uses().map(|found| found.name).collect();
            uses.sort_unstable();
            let stored = !uses.is_empty() && arguments == Arguments::Stored || changes;
            declared.push(Parameter { name, declaration, uses, stored });
        }
        // `(void)` is no parameter.
        if let [only] = &declared[..]
            && only.name.is_none()
        {
            declared.clear();
        }
        Some(Self {
            snapshot,
            places,
            file,
            function: *function,
            statements,
            result,
            parameters: declared,
        })
    }

    /// The edits that put the body in place of one call.
    pub(super) fn at_call(&self, call: NodeId) -> Option<Vec<Edit>> {
        let tree = self.snapshot.tree(self.file);
        let arguments = tree.field(call, NodeField::Arguments)?;
        let arguments: Vec<NodeId> = tree.named_children(arguments).collect();
        if arguments.len() < self.parameters.len() {
            return None;
        }
        let stored = self.parameters.iter().any(|parameter| parameter.stored);
        if self.statements.is_empty()
            && !stored
            && let Some(result) = self.result
        {
            let value = self.with_arguments(result, &arguments);
            let text = as_operand(tree, result, &value);
            return Some(vec![Edit::replace(self.file, tree.range(call), text)]);
        }
        self.as_block(call, &arguments)
    }

    fn as_block(&self, call: NodeId, arguments: &[NodeId]) -> Option<Vec<Edit>> {
        let (tree, bytes) = (self.snapshot.tree(self.file), self.snapshot.bytes(self.file));
        let mut block: Vec<u8> = b"{ ".to_vec();
        for (parameter, &argument) in self.parameters.iter().zip(arguments) {
            if parameter.stored {
                block.extend_from_slice(&bytes[tree.range(parameter.declaration)]);
                block.extend_from_slice(b" = ");
                block.extend_from_slice(&bytes[tree.range(argument)]);
                block.extend_from_slice(b"; ");
            }
        }
        for &statement in &self.statements {
            block.extend_from_slice(&self.with_arguments(statement, arguments));
            block.push(b' ');
        }
        let value = self.result.map(|result| self.with_arguments(result, arguments));
        let parent = tree.parent(call)?;
        let statement = match tree.kind(parent) {
            NodeKind::ExpressionStatement if value.is_none() && self.is_one_expression() => {
                let text = self.with_arguments(self.statements[0], arguments);
                return Some(vec![Edit::replace(self.file, tree.range(parent), text)]);
            }
            NodeKind::ExpressionStatement => {
                if let Some(value) = &value {
                    block.extend_from_slice(value);
                    block.push(b';');
                }
                parent
            }
            NodeKind::AssignmentExpression if is_whole_statement(tree, parent) => {
                let target = tree.node(parent).start as usize..tree.node(call).start as usize;
                block.extend_from_slice(&bytes[target]);
                block.extend_from_slice(&value?);
                block.push(b';');
                tree.parent(parent)?
            }
            NodeKind::ReturnStatement => {
                block.extend_from_slice(b"return ");
                block.extend_from_slice(&value?);
                block.push(b';');
                parent
            }
            NodeKind::InitDeclarator => {
                return Some(vec![self.as_initialiser(call, parent, block, &value?)?]);
            }
            _ => {
                let value = value?;
                let before = self.before_statement(call, &block, &value);
                return before.or_else(|| Some(vec![self.as_expression(call, block, &value)]));
            }
        };
        block.extend_from_slice(b" }");
        Some(vec![Edit::replace(self.file, tree.range(statement), block)])
    }

    /// `s(f(a));` becomes `{ T f; { body f = result; } s(f); }`: the function that was called lends
    /// its name to what it returned.
    fn before_statement(&self, call: NodeId, block: &[u8], value: &[u8]) -> Option<Vec<Edit>> {
        let (tree, bytes) = (self.snapshot.tree(self.file), self.snapshot.bytes(self.file));
        let statement = self.places.statement(call)?;
        let runs_once = matches!(
            tree.kind(statement),
            NodeKind::ExpressionStatement
                | NodeKind::ReturnStatement
                | NodeKind::IfStatement
                | NodeKind::SwitchStatement
        ) && !self.places.may_not_happen(call);
        let kind = tree.field(self.function.definition, NodeField::Type).filter(|_| runs_once)?;
        let name = tree.range(self.function.name);
        let kind = &bytes[tree.range(kind).start..name.start];
        let name = &bytes[name];
        if kind.contains(&b'(') {
            return None;
        }
        let before = [b"{ ", kind, b" ", name, b"; ", block, name, b" = ", value, b"; } "].concat();
        let whole = tree.range(statement);
        Some(vec![
            Edit::replace(self.file, whole.start..whole.start, before),
            Edit::replace(self.file, tree.range(call), name.to_vec()),
            Edit::replace(self.file, whole.end..whole.end, b" }".as_slice()),
        ])
    }

    /// `a && f(x)` becomes `a && ({ body result; })`.
    fn as_expression(&self, call: NodeId, mut block: Vec<u8>, value: &[u8]) -> Edit {
        block.insert(0, b'(');
        block.extend_from_slice(value);
        block.extend_from_slice(b"; })");
        Edit::replace(self.file, self.snapshot.tree(self.file).range(call), block)
    }

    /// Returns true if one expression does all of it, which needs no block around it.
    fn is_one_expression(&self) -> bool {
        let tree = self.snapshot.tree(self.file);
        let stored = self.parameters.iter().any(|parameter| parameter.stored);
        matches!(self.statements[..], [one] if tree.kind(one) == NodeKind::ExpressionStatement)
            && !stored
    }

    /// `T v = f(a);` becomes `T v; { body v = result; }`.
    fn as_initialiser(
        &self,
        call: NodeId,
        init: NodeId,
        mut block: Vec<u8>,
        value: &[u8],
    ) -> Option<Edit> {
        let (tree, bytes) = (self.snapshot.tree(self.file), self.snapshot.bytes(self.file));
        let declaration = tree.parent(init)?;
        let declarator = tree.field(init, NodeField::Declarator)?;
        let alone = tree.fields(declaration, NodeField::Declarator).count() == 1
            && tree.kind(tree.parent(declaration)?) == NodeKind::CompoundStatement
            && tree.kind(declarator) == NodeKind::Identifier;
        if !alone {
            return None;
        }
        block.extend_from_slice(&bytes[tree.range(declarator)]);
        block.extend_from_slice(b" = ");
        block.extend_from_slice(value);
        block.extend_from_slice(b"; }");
        let text = [b";", &block[..]].concat();
        let range = tree.range(declarator).end..tree.range(declaration).end;
        debug_assert!(range.contains(&tree.range(call).start));
        Some(Edit::replace(self.file, range, text))
    }

    /// The text of a node of the body, arguments in place of the parameters that never change.
    fn with_arguments(&self, node: NodeId, arguments: &[NodeId]) -> Vec<u8> {
        let (tree, bytes) = (self.snapshot.tree(self.file), self.snapshot.bytes(self.file));
        let end = tree.node(node).after;
        let mut replaced: Vec<(NodeId, NodeId)> = Vec::new();
        for (parameter, &argument) in self.parameters.iter().zip(arguments) {
            if !parameter.stored {
                let first = parameter.uses.partition_point(|&name| name < node);
                let inside = parameter.uses[first..].iter().take_while(|&&name| name < end);
                replaced.extend(inside.inspect(|_| step()).map(|&name| (name, argument)));
            }
        }
        replaced.sort_unstable();
        let mut text = Vec::new();
        let mut at = tree.range(node).start;
        for (name, argument) in replaced {
            text.extend_from_slice(&bytes[at..tree.range(name).start]);
            let argument_text = &bytes[tree.range(argument)];
            if is_operand(tree, name) {
                text.extend_from_slice(&as_operand(tree, argument, argument_text));
            } else {
                text.extend_from_slice(argument_text);
            }
            at = tree.range(name).end;
        }
        text.extend_from_slice(&bytes[at..tree.range(node).end]);
        text
    }
}

/// Returns true if what stands in place of a name must bind tightly: not where it is all of an
/// argument, a returned, assigned or parenthesised value.
fn is_operand(tree: &SyntaxTree, name: NodeId) -> bool {
    let Some(parent) = tree.parent(name) else { return true };
    let is_right = matches!(tree.node(name).field, Some(NodeField::Right | NodeField::Value));
    !(matches!(
        tree.kind(parent),
        NodeKind::ArgumentList
            | NodeKind::ReturnStatement
            | NodeKind::ParenthesizedExpression
            | NodeKind::ExpressionStatement
    ) || (is_right
        && matches!(tree.kind(parent), NodeKind::AssignmentExpression | NodeKind::InitDeclarator)))
}
