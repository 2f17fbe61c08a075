//! The other order of evaluation: a program whose arguments and operands are evaluated from right to left.
//!
//! before: `two(next(&x), next(&x))`
//! after: `({ __auto_type clreduce_o2 = (next(&x)); __auto_type clreduce_o1 = (next(&x)); two(clreduce_o1, clreduce_o2); })`
//!
//! C leaves the order open, and every compiler that is based on clang goes from left to right. If the results of the two
//! programs differ, both are right. Only operands of which one may change what another reads are touched: most programs stay
//! as they are. Lines keep their numbers.

mod effects;

use std::cell::OnceCell;

use clreduce_language::{NodeField, NodeId, NodeKind, Symbols, SyntaxTree, Types, is_vector};
use clreduce_testcase::{Feature, Language};

use crate::for_compiler::is_for_the_compiler;

use effects::Effects;

/// Nodes that lie deeper stay as they are.
const MOST_DEPTH: u32 = 400;

/// A program in the other order, and the lines where it differs.
pub(crate) struct Reordered {
    pub text: Vec<u8>,
    pub lines: Vec<u32>,
}

/// Returns the program in the other order; `None` if the order cannot matter.
pub(crate) fn in_other_order(source: &[u8], language: Language) -> Option<Reordered> {
    let tree = SyntaxTree::parse(source, language);
    let effects = Effects::new(source, &tree);
    let is_c = !language.has(Feature::Classes);
    let types = OnceCell::new();
    let mut writer =
        Reorderer { source, tree: &tree, types, effects, is_c, names: 0, lines: vec![] };
    let text = writer.whole(NodeId(0), false);
    (!writer.lines.is_empty()).then_some(Reordered { text, lines: writer.lines })
}

struct Reorderer<'a> {
    source: &'a [u8],
    tree: &'a SyntaxTree,
    types: OnceCell<Types>,
    effects: Effects<'a>,
    /// True in OpenCL C. C++ orders shifts and assignments, and arguments may be references.
    is_c: bool,
    names: u32,
    lines: Vec<u32>,
}

impl Reorderer<'_> {
    fn text(&self, id: NodeId) -> &[u8] {
        &self.source[self.tree.range(id)]
    }

    fn types(&self) -> &Types {
        self.types.get_or_init(|| {
            Types::new(self.source, self.tree, &Symbols::new(self.source, self.tree))
        })
    }

    fn operator(&self, id: NodeId) -> String {
        let operator = self.tree.field(id, NodeField::Operator);
        operator.map_or_else(String::new, |id| String::from_utf8_lossy(self.text(id)).into_owned())
    }

    /// The text of a node and its descendants.
    fn whole(&mut self, id: NodeId, in_function: bool) -> Vec<u8> {
        let tree = self.tree;
        let node = *tree.node(id);
        if node.depth > MOST_DEPTH || is_for_the_compiler(node.kind) {
            return self.text(id).to_vec();
        }
        let in_function = match node.kind {
            NodeKind::FunctionDefinition if !tree.is_sound(id) => return self.text(id).to_owned(),
            NodeKind::CompoundStatement => true,
            _ => in_function,
        };
        if in_function && let Some(text) = self.reordered(id) {
            return text;
        }
        let (mut text, mut done) = (Vec::new(), node.start as usize);
        for child in tree.children(id).collect::<Vec<_>>() {
            let range = tree.range(child);
            text.extend(&self.source[done..range.start]);
            text.extend(self.whole(child, in_function));
            done = range.end;
        }
        text.extend(&self.source[done..node.end as usize]);
        text
    }

    /// The text of an expression or a declaration whose parts are evaluated in the other order, if that may matter.
    fn reordered(&mut self, id: NodeId) -> Option<Vec<u8>> {
        let tree = self.tree;
        let (parts, whole): (Vec<NodeId>, NodeId) = match tree.kind(id) {
            NodeKind::CallExpression => {
                let function = tree.field(id, NodeField::Function)?;
                if self.effects.is_macro(self.text(function)) {
                    return None;
                }
                (tree.named_children(tree.field(id, NodeField::Arguments)?).collect(), id)
            }
            NodeKind::BinaryExpression if self.is_unordered(id) => {
                (vec![tree.field(id, NodeField::Left)?, tree.field(id, NodeField::Right)?], id)
            }
            NodeKind::AssignmentExpression if self.is_c => return self.assignment(id),
            NodeKind::Declaration if self.is_c => (self.initialisers(id)?, id),
            _ => return None,
        };
        let has_conflict = self.effects.conflict(&parts) && self.can_be_moved(whole);
        let hoisted: Vec<NodeId> =
            parts.into_iter().filter(|&part| self.is_hoisted(part)).collect();
        if !has_conflict || hoisted.len() < 2 {
            return None;
        }
        let is_declaration = tree.kind(id) == NodeKind::Declaration;
        let word = if self.is_c { "__auto_type" } else { "auto" };
        let (mut before, mut rest, mut done) =
            (Vec::new(), Vec::new(), tree.node(id).start as usize);
        for part in hoisted {
            self.names += 1;
            let name = format!("clreduce_o{}", self.names);
            let mut value = format!("{word} {name} = (").into_bytes();
            value.extend(self.whole(part, true));
            value.extend(b"); ");
            before.push(value);
            let range = tree.range(part);
            rest.extend(&self.source[done..range.start]);
            rest.extend(name.into_bytes());
            done = range.end;
        }
        rest.extend(&self.source[done..tree.node(id).end as usize]);
        before.reverse();
        let mut text = before.concat();
        text.extend(rest);
        if !is_declaration {
            text = [&b"({ "[..], &text, b"; })"].concat();
        }
        Some(self.on_its_lines(id, text))
    }

    /// `*p += f(p)`: clang evaluates the right side first.
    fn assignment(&mut self, id: NodeId) -> Option<Vec<u8>> {
        let tree = self.tree;
        let (left, right) = (tree.field(id, NodeField::Left)?, tree.field(id, NodeField::Right)?);
        let operator = self.operator(id);
        let is_simple = operator == "=";
        // The store itself comes last in any case, and a lane has no address.
        let is_lane = tree.kind(left) == NodeKind::FieldExpression
            && tree
                .field(left, NodeField::Argument)
                .is_none_or(|object| is_vector(self.types().of(object)));
        if is_lane
            || is_simple && tree.kind(left) == NodeKind::Identifier
            || !self.effects.conflict(&[left, right])
            || !self.can_be_moved(id)
        {
            return None;
        }
        self.names += 1;
        let number = self.names;
        let mut text = format!("({{ __auto_type clreduce_o{number} = &(").into_bytes();
        text.extend(self.whole(left, true));
        text.extend(b"); ");
        if !is_simple {
            text.extend(format!("__auto_type clreduce_v{number} = *clreduce_o{number}; ").bytes());
        }
        text.extend(format!("*clreduce_o{number} = ").bytes());
        if !is_simple {
            let operator = operator.trim_end_matches('=');
            text.extend(format!("clreduce_v{number} {operator} ").bytes());
        }
        text.push(b'(');
        text.extend(self.whole(right, true));
        text.extend(b"); })");
        Some(self.on_its_lines(id, text))
    }

    /// The values in the braces of a declaration of one variable in a block.
    fn initialisers(&self, declaration: NodeId) -> Option<Vec<NodeId>> {
        let tree = self.tree;
        let parent = tree.parent(declaration)?;
        let mut declarators = tree.fields(declaration, NodeField::Declarator);
        let (only, None) = (declarators.next()?, declarators.next()) else { return None };
        let list = tree.field(only, NodeField::Value)?;
        let is_constant = ["static", "constant"].iter().any(|word| {
            self.text(declaration).windows(word.len()).any(|window| window == word.as_bytes())
        });
        if tree.kind(parent) != NodeKind::CompoundStatement
            || tree.kind(list) != NodeKind::InitializerList
            || is_constant
        {
            return None;
        }
        let (mut values, mut open) = (Vec::new(), vec![list]);
        while let Some(node) = open.pop() {
            match tree.kind(node) {
                NodeKind::InitializerList => {
                    let children: Vec<NodeId> = tree.named_children(node).collect();
                    open.extend(children.into_iter().rev());
                }
                NodeKind::InitializerPair => open.extend(tree.field(node, NodeField::Value)),
                _ => values.push(node),
            }
        }
        Some(values)
    }

    fn is_unordered(&self, id: NodeId) -> bool {
        let operator = self.operator(id);
        match operator.as_str() {
            "&&" | "||" | "," => false,
            "<<" | ">>" => self.is_c,
            _ => true,
        }
    }

    /// Literals need not be moved. In C++, what has an address may be meant itself.
    fn is_hoisted(&self, id: NodeId) -> bool {
        let kind = self.tree.kind(id);
        let is_literal = matches!(
            kind,
            NodeKind::NumberLiteral
                | NodeKind::CharLiteral
                | NodeKind::StringLiteral
                | NodeKind::ConcatenatedString
                | NodeKind::Comment
        );
        let has_address = matches!(
            kind,
            NodeKind::Identifier
                | NodeKind::SubscriptExpression
                | NodeKind::FieldExpression
                | NodeKind::PointerExpression
        );
        let in_call = self
            .tree
            .parent(id)
            .is_some_and(|parent| self.tree.kind(parent) == NodeKind::ArgumentList);
        !is_literal && (self.is_c || !in_call || !has_address)
    }

    /// Returns true if the text can be written on one line.
    fn can_be_moved(&self, id: NodeId) -> bool {
        let has = |mark: &[u8]| self.text(id).windows(mark.len()).any(|window| window == mark);
        !has(b"\n") || !(has(b"//") || has(b"#") || has(b"\\"))
    }

    fn on_its_lines(&mut self, id: NodeId, text: Vec<u8>) -> Vec<u8> {
        let newline = |byte: &&u8| **byte == b'\n';
        let start = self.tree.node(id).start as usize;
        let line = 1 + self.source[..start].iter().filter(newline).count();
        let own = self.text(id).iter().filter(newline).count();
        self.lines.push(u32::try_from(line).unwrap_or(u32::MAX));
        let mut text: Vec<u8> =
            text.into_iter().map(|byte| if byte == b'\n' { b' ' } else { byte }).collect();
        text.extend(std::iter::repeat_n(b'\n', own));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTIONS: &str = "int next(int *p) { return ++*p; }\nint peek(int *p) { return *p; }\n\
        int two(int a, int b) { return a + b; }\n#define BOTH(a, b) two(a, b)\n";

    /// Returns the text that replaces an expression in a function.
    fn of(expression: &str) -> Option<String> {
        let before = format!("{FUNCTIONS}void f(int *p, int i, int x) {{ ");
        let source = format!("{before}{expression}; }}");
        let made = in_other_order(source.as_bytes(), Language::OPENCL)?;
        assert_eq!(made.lines[0], 5);
        let text = String::from_utf8(made.text).unwrap();
        Some(text.strip_prefix(&before).unwrap().strip_suffix("; }").unwrap().to_owned())
    }

    #[test]
    fn operands_that_may_change_each_other_change_places() {
        assert_eq!(
            of("two(next(&x), next(&x))").unwrap(),
            "({ __auto_type clreduce_o2 = (next(&x)); __auto_type clreduce_o1 = (next(&x)); two(clreduce_o1, clreduce_o2); })"
        );
        assert_eq!(
            of("x + next(&x)").unwrap(),
            "({ __auto_type clreduce_o2 = (next(&x)); __auto_type clreduce_o1 = (x); clreduce_o1 + clreduce_o2; })"
        );
        assert_eq!(
            of("x += next(&x)").unwrap(),
            "({ __auto_type clreduce_o1 = &(x); __auto_type clreduce_v1 = *clreduce_o1; \
             *clreduce_o1 = clreduce_v1 + (next(&x)); })"
        );
        assert_eq!(
            of("int v[2] = { peek(p), next(p) }").unwrap(),
            "__auto_type clreduce_o2 = (next(p)); __auto_type clreduce_o1 = (peek(p)); \
             int v[2] = { clreduce_o1, clreduce_o2 }"
        );
        let lines = of("two(next(&x),\n  *p)").unwrap();
        assert!(lines.ends_with("two(clreduce_o1,   clreduce_o2); })\n"), "{lines}");
    }

    #[test]
    fn others_stay() {
        for expression in [
            "two(peek(p), peek(p))",
            "next(&x) && next(&x)",
            "x = next(&x)",
            "two(i, 3) + x++",
            "BOTH(next(&x), next(&x))",
            "next(&x), next(&x)",
            "p[i] = two(x, i)",
        ] {
            assert_eq!(of(expression), None, "{expression}");
        }
    }
}
