//! Sums, differences and products of vectors of signed integers.
//!
//! Before: `v * 2 + w`
//! After: `clreduce_lanes_add(clreduce_lanes_multiply(v, (int4)(2)), w)`
//!
//! clang makes arithmetic of lanes that wraps around, for signed and unsigned ones alike, so no sanitizer sees that a lane
//! overflows. The functions that stand in for it mark such a lane as uninitialised: as with divisions, only a lane that is
//! used matters. Lanes narrower than `int` wrap around here, as scalars of their types do.

use std::collections::BTreeSet;
use std::fmt::Write;

use clreduce_language::{
    NodeField, NodeId, NodeKind, Number, Scalar, Symbols, SyntaxTree, Types, is_vector,
};
use clreduce_testcase::Language;

use crate::FILE;
use crate::for_compiler::is_for_the_compiler;

/// Returns a program in OpenCL C whose arithmetic of signed lanes is watched, after the functions that do it; `None` if it
/// has none.
pub(crate) fn watched(program: &[u8]) -> Option<Vec<u8>> {
    let view = with_types_of_macros(program);
    let tree = SyntaxTree::parse(&view, Language::OPENCL);
    let types = Types::new(&view, &tree, &Symbols::new(&view, &tree));
    let mut rewriter = Rewriter {
        source: program,
        tree: &tree,
        types,
        edits: Vec::new(),
        vectors: BTreeSet::new(),
    };
    let mut id = NodeId(0);
    while (id.0 as usize) < tree.len() {
        id = rewriter.visit(id);
    }
    let Rewriter { edits, vectors, .. } = rewriter;
    if edits.is_empty() {
        return None;
    }
    let functions = vectors.iter().map(|vector| functions(vector));
    let mut text: String =
        std::iter::once("#line 1 \"lanes\"\n".to_owned()).chain(functions).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "#line 1 \"{FILE}\"");
    let mut text = text.into_bytes();
    text.extend(applied(program, edits));
    Some(text)
}

/// Returns a program of the same length in which macros that stand for one built-in type are types:
///
/// before: `#define VECTOR int4` and a line break
/// after: `typedef int4 VECTOR;`
fn with_types_of_macros(program: &[u8]) -> Vec<u8> {
    let mut view = Vec::with_capacity(program.len());
    for line in program.split_inclusive(|&byte| byte == b'\n') {
        let words: Vec<&str> = std::str::from_utf8(line)
            .map_or_else(|_| Vec::new(), |line| line.split_whitespace().collect());
        let made = match words[..] {
            ["#define", name, kind] if Number::built_in(kind).is_some() => {
                format!("typedef {kind} {name};").into_bytes()
            }
            _ => Vec::new(),
        };
        // Blanks that the line has more come after it.
        match line.len().checked_sub(made.len()) {
            Some(rest) if !made.is_empty() => {
                view.extend(made);
                view.extend(std::iter::repeat_n(b' ', rest));
            }
            _ => view.extend_from_slice(line),
        }
    }
    view
}

/// A piece of source text that is replaced; nothing where something is only put in. At one place, ends of inner expressions
/// come first, and beginnings of outer ones.
struct Edit {
    start: usize,
    end: usize,
    order: i64,
    text: String,
}

fn applied(source: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| (edit.start, edit.order));
    let (mut text, mut done) = (Vec::with_capacity(source.len() * 2), 0);
    for edit in edits {
        text.extend_from_slice(&source[done..edit.start]);
        text.extend(edit.text.into_bytes());
        done = edit.end;
    }
    text.extend_from_slice(&source[done..]);
    text
}

struct Rewriter<'a> {
    source: &'a [u8],
    tree: &'a SyntaxTree,
    types: Types,
    edits: Vec<Edit>,
    /// The names of the types whose arithmetic is watched.
    vectors: BTreeSet<String>,
}

impl Rewriter<'_> {
    fn text(&self, id: NodeId) -> String {
        String::from_utf8_lossy(&self.source[self.tree.range(id)]).into_owned()
    }

    /// Looks at a node. Returns the next one to look at.
    fn visit(&mut self, id: NodeId) -> NodeId {
        let (tree, node) = (self.tree, *self.tree.node(id));
        if is_for_the_compiler(node.kind)
            || node.kind == NodeKind::FunctionDefinition && !tree.is_sound(id)
        {
            return node.after;
        }
        // Outside of functions, values have to be constants.
        let is_in_function =
            || tree.ancestors(id).any(|outer| tree.kind(outer) == NodeKind::CompoundStatement);
        match node.kind {
            NodeKind::BinaryExpression if is_in_function() => self.binary(id),
            NodeKind::AssignmentExpression => self.assignment(id),
            NodeKind::UpdateExpression => self.update(id),
            NodeKind::UnaryExpression if is_in_function() => self.negation(id),
            _ => None,
        };
        NodeId(id.0 + 1)
    }

    /// The vector type of an operand whose lanes can overflow.
    fn vector(&self, id: NodeId) -> Option<Number> {
        let number = self.types.of(id).number()?;
        (number.lanes > 1 && matches!(number.scalar, Scalar::Int | Scalar::Long)).then_some(number)
    }

    fn binary(&mut self, id: NodeId) -> Option<()> {
        let tree = self.tree;
        let operator = tree.field(id, NodeField::Operator)?;
        let (left, right) = (tree.field(id, NodeField::Left)?, tree.field(id, NodeField::Right)?);
        let function = function_of(&self.text(operator))?;
        let vector = self.vector(left).or_else(|| self.vector(right))?;
        let name = self.used(vector);
        let open = format!("clreduce_lanes_{function}(");
        self.put_before(id, open);
        for operand in [left, right] {
            self.widen(operand, &name)?;
        }
        self.replace(operator, ",");
        self.put_after(id, ")");
        Some(())
    }

    /// A scalar operand becomes a vector, as the operator does with it.
    fn widen(&mut self, operand: NodeId, vector: &str) -> Option<()> {
        if !is_vector(self.types.of(operand)) {
            self.put_before(operand, format!("({vector})("));
            self.put_after(operand, ")");
        }
        Some(())
    }

    /// `v += w`, where the left side can be written twice.
    fn assignment(&mut self, id: NodeId) -> Option<()> {
        let tree = self.tree;
        let operator = tree.field(id, NodeField::Operator)?;
        let (left, right) = (tree.field(id, NodeField::Left)?, tree.field(id, NodeField::Right)?);
        let function = function_of(self.text(operator).strip_suffix('=')?)?;
        let vector = self.vector(left).filter(|_| self.is_pure(left))?;
        let name = self.used(vector);
        self.replace(operator, &format!("= clreduce_lanes_{function}({},", self.text(left)));
        self.widen(right, &name)?;
        self.put_after(id, ")");
        Some(())
    }

    /// `v++;`, whose value is not used.
    fn update(&mut self, id: NodeId) -> Option<()> {
        let tree = self.tree;
        let (operator, argument) =
            (tree.field(id, NodeField::Operator)?, tree.field(id, NodeField::Argument)?);
        let parent = tree.parent(id)?;
        let is_unused = tree.kind(parent) == NodeKind::ExpressionStatement
            || tree.node(id).field == Some(NodeField::Update);
        let function = function_of(self.text(operator).get(..1)?)?;
        let vector = self.vector(argument).filter(|_| is_unused && self.is_pure(argument))?;
        let name = self.used(vector);
        self.replace(operator, "");
        let value = format!(" = clreduce_lanes_{function}({}, ({name})(1))", self.text(argument));
        self.put_after(id, &value);
        Some(())
    }

    fn negation(&mut self, id: NodeId) -> Option<()> {
        let tree = self.tree;
        let (operator, argument) =
            (tree.field(id, NodeField::Operator)?, tree.field(id, NodeField::Argument)?);
        let vector = self.vector(argument).filter(|_| self.text(operator) == "-")?;
        let name = self.used(vector);
        self.replace(operator, &format!("clreduce_lanes_subtract(({name})(0), "));
        self.put_after(id, ")");
        Some(())
    }

    /// Returns true if nothing changes when an expression is evaluated twice.
    fn is_pure(&self, id: NodeId) -> bool {
        self.tree.subtree(id).all(|inner| match self.tree.kind(inner) {
            NodeKind::UpdateExpression | NodeKind::AssignmentExpression => false,
            NodeKind::CallExpression => self.text(inner).starts_with("get_"),
            _ => true,
        })
    }

    fn used(&mut self, vector: Number) -> String {
        let name = vector.name();
        self.vectors.insert(name.clone());
        name
    }

    fn replace(&mut self, id: NodeId, text: &str) {
        let range = self.tree.range(id);
        self.edits.push(Edit {
            start: range.start,
            end: range.end,
            order: 0,
            text: text.to_owned(),
        });
    }

    fn put_before(&mut self, id: NodeId, text: String) {
        let start = self.tree.node(id).start as usize;
        // Nodes that begin at one place are numbered from the outer to the inner one.
        self.edits.push(Edit {
            start,
            end: start,
            order: i64::from(id.0) - i64::from(u32::MAX),
            text,
        });
    }

    fn put_after(&mut self, id: NodeId, text: &str) {
        let end = self.tree.node(id).end as usize;
        let order = -i64::from(u32::MAX) - i64::from(id.0);
        self.edits.push(Edit { start: end, end, order, text: text.to_owned() });
    }
}

/// The name of what an operator does.
fn function_of(operator: &str) -> Option<&'static str> {
    match operator {
        "+" => Some("add"),
        "-" => Some("subtract"),
        "*" => Some("multiply"),
        _ => None,
    }
}

/// The functions for one type of vectors. There is no branch on a lane, which may be uninitialised and unused. Of two values
/// that are uninitialised, the right one of an operator is said to be the reason.
fn functions(vector: &str) -> String {
    let lanes = vector.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let scalar = &vector[..vector.len() - lanes.len()];
    let (unsigned, wide, bits) =
        if scalar == "int" { ("uint", "long", 32) } else { ("ulong", "__int128", 64) };
    let mut text = format!("{unsigned} clreduce_undefined_overflow_i{bits}(void);\n");
    for (name, operator) in [("add", '+'), ("subtract", '-'), ("multiply", '*')] {
        let _ = writeln!(
            text,
            "static {vector} __attribute__((overloadable)) clreduce_lanes_{name}({vector} a, {vector} b) {{ \
             {vector} r; for (int i = 0; i < {lanes}; i++) {{ {wide} exact = ({wide})a[i] {operator} ({wide})b[i]; \
             {scalar} kept = ({scalar})exact; {unsigned} over = -({unsigned})((({wide})kept ^ exact) != 0); \
             r[i] = ({scalar})((over & clreduce_undefined_overflow_i{bits}()) ^ ({unsigned})kept); }} return r; }}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(statement: &str) -> Option<String> {
        let before = "void f(int4 v, int4 w, uint4 u, int i, global int4 *p) { ";
        let text = watched(format!("{before}{statement} }}").as_bytes())?;
        let text = String::from_utf8(text).unwrap();
        let (_, made) = text.split_once(before).unwrap();
        Some(made.strip_suffix(" }").unwrap().to_owned())
    }

    #[test]
    fn signed_lanes_are_watched() {
        let cases = [
            ("v = w+v;", "v = clreduce_lanes_add(w,v);"),
            ("v = v*2-w;", "v = clreduce_lanes_subtract(clreduce_lanes_multiply(v,(int4)(2)),w);"),
            (
                "p[get_global_id(0)]+=v;",
                "p[get_global_id(0)]= clreduce_lanes_add(p[get_global_id(0)],v);",
            ),
            ("v++;", "v = clreduce_lanes_add(v, (int4)(1));"),
            ("v = -w;", "v = clreduce_lanes_subtract((int4)(0), w);"),
            ("v.xy -= w.xy;", "v.xy = clreduce_lanes_subtract(v.xy, w.xy);"),
        ];
        for (before, after) in cases {
            assert_eq!(of(before).as_deref(), Some(after), "{before}");
        }
    }

    #[test]
    fn a_type_may_be_a_macro() {
        let text = watched(b"#define V int4\nvoid f(V a) { a = a + 1; }").unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.ends_with(
                "#define V int4\nvoid f(V a) { a = clreduce_lanes_add(a , (int4)(1)); }"
            ),
            "{text}"
        );
    }

    #[test]
    fn all_else_stays() {
        for statement in ["u = u + u;", "i = i * 2;", "v = v & w;", "p[i++] += v;", "v = v / w;"] {
            assert_eq!(of(statement), None, "{statement}");
        }
    }
}
