//! Puts a function's body in place of all its calls and removes the function, or in place of one of several.
//!
//! A function that only returns an expression can stand anywhere. Any other must end in its only
//! `return` or have none. Its body stands where the call is a statement, an assigned value, an initialiser or a
//! returned value, or before the statement with the call; where the call may not happen at all, or more than once, it becomes
//! a statement expression. A parameter that the body never changes is replaced by its argument; the others become
//! variables of the block.
//!
//! before:
//! ```c
//! int sq(int x) { return x * x; } void set(int v) { g = v; h(); } int f(void) { set(3); return sq(2); }
//! ```
//! after:
//! ```c
//! int f(void) { { g = 3; h(); } return (2 * 2); }
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree, Use};
use clreduce_testcase::{Edit, Patch, step};

use crate::analysis::{
    CallPlaces, Function, calls, functions, parameter_list, parameter_name, parameters, token_count,
};
use crate::budget::Budget;
use crate::edit::{as_operand, is_whole_statement, remove_declaration};
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub(crate) struct Inline;

impl Pass for Inline {
    fn info(&self) -> PassInfo {
        PassInfo::new("inline", "Put function bodies in place of calls", PARSED).growing()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let functions = functions(snapshot, proposals);
        let places: Vec<CallPlaces<'_>> =
            (0..snapshot.file_count()).map(|file| CallPlaces::new(snapshot.tree(file))).collect();
        for (list, arguments) in [Arguments::Substituted, Arguments::Stored].into_iter().enumerate()
        {
            for function in &functions {
                let places = &places[function.file];
                let edits = inline(snapshot, function, places, arguments, proposals);
                let patch = edits.and_then(Patch::new);
                proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list as u32)));
            }
        }
        for function in &functions {
            let single = at_one_call(snapshot, function, &places[function.file], proposals);
            proposals.extend(single.into_iter().map(|patch| Proposal::new(patch).in_list(2)));
        }
    }
}

/// The way in which arguments are passed on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arguments {
    /// They take the place of parameters that the body never changes.
    Substituted,
    /// They are stored in variables of the parameters' types, which may convert them.
    Stored,
}

/// A function as far as inlining needs to know it.
struct Body<'a> {
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

/// Calls of a function that is put in place of all of them.
const MOST_CALLS: Budget = Budget::new("calls of one function", 8);
/// Calls of one with a body of so few tokens that it is hardly longer than they are.
const MOST_CALLS_OF_SHORT: Budget = Budget::new("calls of one short function", 64);
const SHORT: usize = 10;

fn inline(
    snapshot: &Snapshot,
    function: &Function,
    places: &CallPlaces<'_>,
    arguments: Arguments,
    proposals: &mut Proposals,
) -> Option<Vec<Edit>> {
    let file = function.file;
    let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
    let calls = inlinable_calls(snapshot, function, proposals)?;
    let body = Body::read(snapshot, function, places, arguments)?;
    let mut edits = Vec::new();
    for declaring in &symbols.get(function.symbol).declarations {
        edits.push(remove_declaration(tree, file, *declaring)?);
    }
    for call in calls {
        edits.extend(body.at_call(call)?);
    }
    Some(edits)
}

/// Patches that put a function in place of one call each and leave it for the others.
fn at_one_call(
    snapshot: &Snapshot,
    function: &Function,
    places: &CallPlaces<'_>,
    proposals: &mut Proposals,
) -> Vec<Patch> {
    let calls = inlinable_calls(snapshot, function, proposals).filter(|calls| calls.len() > 1);
    let Some(calls) = calls.filter(|calls| proposals.allow(&MOST_CALLS, calls.len())) else {
        return Vec::new();
    };
    let Some(body) = Body::read(snapshot, function, places, Arguments::Substituted) else {
        return Vec::new();
    };
    calls.into_iter().filter_map(|call| Patch::new(body.at_call(call)?)).collect()
}

/// The calls of a function, where all that happens to it is that it is called, not too often, and neither by
/// itself nor for an argument of itself.
fn inlinable_calls(
    snapshot: &Snapshot,
    function: &Function,
    proposals: &mut Proposals,
) -> Option<Vec<NodeId>> {
    let (tree, symbols) = (snapshot.tree(function.file), snapshot.symbols(function.file));
    let symbol = symbols.get(function.symbol);
    // What is called often is worth it only where little takes the place of each call.
    let is_short = token_count(snapshot, function.file, function.body) <= SHORT;
    let most_calls = if is_short { &MOST_CALLS_OF_SHORT } else { &MOST_CALLS };
    if symbol.opaque || symbol.uses.is_empty() || !proposals.allow(most_calls, symbol.uses.len()) {
        return None;
    }
    let calls = calls(snapshot, function.file, function.symbol)?;
    let nested =
        |call: &NodeId| calls.iter().any(|outer| outer < call && *call < tree.node(*outer).after);
    let recursive =
        |call: &NodeId| function.definition < *call && *call < tree.node(function.definition).after;
    let is_entangled = calls.iter().any(|call| nested(call) || recursive(call));
    (!is_entangled).then_some(calls)
}

impl<'a> Body<'a> {
    fn read(
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
    fn at_call(&self, call: NodeId) -> Option<Vec<Edit>> {
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

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    fn reduce(source: &str) -> String {
        reduce_with(&Inline, source, Language::C, |_| true).trim().to_string()
    }

    #[test]
    fn expressions_stand_anywhere() {
        assert_eq!(
            reduce(
                "int sq(int x, int y) { return x * y; }\nint f(void) { return 1 + sq(2 + 3, g); }"
            ),
            "int f(void) { return 1 + ((2 + 3) * g); }"
        );
    }

    #[test]
    fn statements_become_blocks() {
        assert_eq!(
            reduce("void set(int v, int n) { g = v; n--; }\nint f(void) { set(3, 4); }"),
            "int f(void) { { int n = 4; g = 3; n--;  } }"
        );
        assert_eq!(
            reduce("int get(void) { g = 1; return g; }\nint f(void) { int x = get(); y = x; }"),
            "int f(void) { int x;{ g = 1; x = g; } y = x; }"
        );
    }

    #[test]
    fn a_short_one_in_place_of_many_calls() {
        let calls = "add(&s, x); ".repeat(20);
        let source = format!("void add(long *a, long b) {{ *a += b; }}\nvoid f(void) {{ {calls}}}");
        let inlined = reduce(&source);
        assert_eq!(inlined.matches("*(&s) += x;").count(), 20, "{inlined}");
        let longer = source.replace("*a += b;", "*a += b; *a *= b; *a -= b;");
        assert_eq!(reduce(&longer), longer.trim());
    }

    #[test]
    fn what_may_not_happen_is_an_expression() {
        let define = "int get(int *p) { ++*p; return *p; }\n";
        let inlined = |uses: &str| reduce(&format!("{define}void f(void) {{ {uses} }}"));
        assert_eq!(inlined("a && get(&b);"), "void f(void) { a && ({ ++*(&b); *(&b); }); }");
        assert_eq!(inlined("while (get(c)) ;"), "void f(void) { while (({ ++*c; *c; })) ; }");
        let chosen = inlined("x = a ? get(c) : 0;");
        assert_eq!(chosen, "void f(void) { x = a ? ({ ++*c; *c; }) : 0; }");
    }

    #[test]
    fn a_body_may_stand_before_the_statement() {
        assert_eq!(
            reduce("int *get(int x) { g = x; return &g; }\nint f(void) { if (h(*get(3))) k(); }"),
            "int f(void) { { int * get; { g = 3; get = &g; } if (h(*get)) k(); } }"
        );
    }

    #[test]
    fn one_call_of_several() {
        let source = "int get(void) { return x; }\nint f(void) { return get() + get() + get(); }";
        assert_eq!(
            reduce_with(&Inline, source, Language::C, |text| text.contains("get() +")),
            "int get(void) { return x; }\nint f(void) { return x + get() + x; }"
        );
    }

    #[test]
    fn leaves_early_returns_and_recursion() {
        let source = "int f(int x) { if (x) return 1; return f(0); }\nint g(void) { return f(1); }";
        assert_eq!(reduce(source), source);
    }
}
