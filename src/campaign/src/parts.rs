//! The operators, calls and statements in a text, by the names of avoid lists, and the text without them.

use std::collections::BTreeMap;

use clreduce_generator::operator_name;
use clreduce_language::{NodeField, NodeId, NodeKind, Symbols, SyntaxTree, Types};
use clreduce_testcase::{Feature, Language};

/// The most operands that are tried in the place of what has them.
const MOST_OPERANDS: usize = 3;
/// The numbers that are tried in the place of an expression.
const NUMBERS: [i32; 3] = [0, 1, -1];

/// A construct of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its name in avoid lists. For a call, that of the function.
    pub name: String,
    /// It is a call of a function that the text defines.
    pub is_own: bool,
    /// The places within each other around its innermost place.
    pub depth: u32,
    /// True if an operand or a value of it is a vector of three lanes somewhere.
    pub has_three_lanes: bool,
    /// The text with what it has in its places, or nothing. Not all of these need to be programs.
    pub without: Vec<String>,
    /// The same with numbers, for an expression.
    pub numbers: Vec<String>,
}

/// What stands in the places of a construct.
#[derive(Clone, Copy)]
enum Instead {
    /// Its operand of this number.
    Operand(usize),
    /// Nothing, for a statement.
    Nothing,
    /// A number of its type.
    Number(i32),
}

/// A text with its tree and the types of its expressions.
struct Text<'a> {
    source: &'a str,
    language: Language,
    tree: SyntaxTree,
    types: Types,
}

/// A place of a construct.
struct Place {
    name: String,
    /// What may stand in its place.
    operands: Vec<NodeId>,
    kind: PlaceKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlaceKind {
    Expression,
    /// An assignment with an operation.
    Assignment,
    Statement,
}

/// Returns true if the constructs of a text can be taken out one by one. PTX has instructions alone.
pub(crate) fn has_parts(language: Language) -> bool {
    !language.has(Feature::VirtualInstructions)
}

/// The constructs of a text, in the order of their names.
pub(crate) fn parts(source: &str, language: Language) -> Vec<Part> {
    let tree = SyntaxTree::parse(source.as_bytes(), language);
    let symbols = Symbols::new(source.as_bytes(), &tree);
    let types = Types::new(source.as_bytes(), &tree, &symbols);
    let text = Text { source, language, tree, types };
    let mut found: BTreeMap<String, (u32, bool)> = BTreeMap::new();
    for node in text.tree.ids() {
        if let Some(place) = text.place(node) {
            let (depth, has_three_lanes) = found.entry(place.name).or_default();
            *depth = text.tree.node(node).depth.max(*depth);
            let mut all = place.operands.iter().chain([&node]);
            *has_three_lanes |= all.any(|node| text.has_three_lanes(*node));
        }
    }
    let part = |(name, (depth, has_three_lanes)): (String, (u32, bool))| {
        let simpler = (0..MOST_OPERANDS).map(Instead::Operand).chain([Instead::Nothing]);
        let without = simpler.filter_map(|instead| text.without(&name, instead)).collect();
        let numbers = NUMBERS.into_iter().map(Instead::Number);
        let numbers = numbers.filter_map(|instead| text.without(&name, instead)).collect();
        Part { is_own: text.defines(&name), name, depth, has_three_lanes, without, numbers }
    };
    found.into_iter().map(part).collect()
}

impl Text<'_> {
    fn of(&self, node: NodeId) -> &str {
        self.source.get(self.tree.range(node)).unwrap_or_default()
    }

    fn has_three_lanes(&self, node: NodeId) -> bool {
        self.types.of(node).number().is_some_and(|number| number.lanes == 3)
    }

    /// The construct that a node is.
    fn place(&self, node: NodeId) -> Option<Place> {
        use PlaceKind::{Assignment, Expression, Statement};
        let field = |field| self.tree.field(node, field);
        let fields = |all: &[NodeField]| all.iter().filter_map(|one| field(*one)).collect();
        let operator = |operands| operator_name(self.of(field(NodeField::Operator)?), operands);
        let (name, operands, kind): (&str, Vec<NodeId>, PlaceKind) = match self.tree.kind(node) {
            NodeKind::BinaryExpression => {
                (operator(2)?, fields(&[NodeField::Left, NodeField::Right]), Expression)
            }
            NodeKind::AssignmentExpression => {
                let assigns = self.of(field(NodeField::Operator)?);
                (operator_name(assigns.strip_suffix('=')?, 2)?, Vec::new(), Assignment)
            }
            NodeKind::UnaryExpression => (operator(1)?, fields(&[NodeField::Argument]), Expression),
            NodeKind::ConditionalExpression => {
                let branches = [NodeField::Consequence, NodeField::Alternative];
                ("conditional", fields(&branches), Expression)
            }
            NodeKind::CallExpression => {
                let function = field(NodeField::Function)?;
                let is_name = self.tree.kind(function) == NodeKind::Identifier;
                let arguments = field(NodeField::Arguments).filter(|_| is_name)?;
                (self.of(function), self.tree.named_children(arguments).collect(), Expression)
            }
            NodeKind::IfStatement => ("if", fields(&[NodeField::Consequence]), Statement),
            NodeKind::SwitchStatement => ("switch", Vec::new(), Statement),
            NodeKind::ForStatement | NodeKind::WhileStatement | NodeKind::DoStatement => {
                ("loop", fields(&[NodeField::Body]), Statement)
            }
            _ => return None,
        };
        Some(Place { name: name.to_owned(), operands, kind })
    }

    /// The text with something else in all places of a construct, if that can stand there.
    fn without(&self, name: &str, instead: Instead) -> Option<String> {
        self.rewritten(self.tree.ids().next()?, name, instead)
    }

    fn rewritten(&self, node: NodeId, name: &str, instead: Instead) -> Option<String> {
        if let Some(place) = self.place(node).filter(|place| place.name == name) {
            return match (place.kind, instead) {
                (PlaceKind::Assignment, Instead::Operand(0)) => Some(self.assigned(node)),
                (kind, Instead::Operand(number)) => {
                    let inner = self.rewritten(*place.operands.get(number)?, name, instead)?;
                    let is_statement = kind == PlaceKind::Statement;
                    Some(if is_statement { inner } else { format!("({inner})") })
                }
                (PlaceKind::Statement, Instead::Nothing) => Some("{}".to_owned()),
                (PlaceKind::Expression, Instead::Number(number)) => Some(self.number(node, number)),
                _ => None,
            };
        }
        let (mut text, mut end) = (String::new(), self.tree.range(node).start);
        for child in self.tree.children(node) {
            let range = self.tree.range(child);
            text += self.source.get(end..range.start)?;
            text += &self.rewritten(child, name, instead)?;
            end = range.end;
        }
        text += self.source.get(end..self.tree.range(node).end)?;
        Some(text)
    }

    /// A number of the type of an expression, where the language names that as OpenCL C does.
    fn number(&self, node: NodeId, number: i32) -> String {
        match self.types.of(node).number().filter(|_| self.language.has(Feature::Vectors)) {
            Some(ty) => format!("(({ty})({number}))"),
            None => format!("({number})"),
        }
    }

    /// An assignment without its operation.
    fn assigned(&self, node: NodeId) -> String {
        let side = |field| self.tree.field(node, field).map_or("", |side| self.of(side));
        format!("{} = {}", side(NodeField::Left), side(NodeField::Right))
    }

    /// Returns true if the text has a function of this name.
    fn defines(&self, name: &str) -> bool {
        let is_definition = |node: &NodeId| self.tree.kind(*node) == NodeKind::FunctionDefinition;
        self.tree.ids().filter(is_definition).any(|node| {
            let declarator = self.tree.field(node, NodeField::Declarator);
            let mut inner = declarator.into_iter().flat_map(|found| self.tree.subtree(found));
            let own = inner.find(|inner| self.tree.kind(*inner) == NodeKind::Identifier);
            own.is_some_and(|own| self.of(own) == name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lanes_are_seen_in_operands_and_values() {
        let source =
            "kernel void k(global int *a, int3 b) { a[0] = a[1] & 1; a[2] = (b + b).x; }\n";
        let found = parts(source, Language::OPENCL);
        let seen: Vec<(&str, bool)> =
            found.iter().map(|part| (part.name.as_str(), part.has_three_lanes)).collect();
        assert_eq!(seen, [("add", true), ("and", false)]);
    }

    #[test]
    fn constructs_give_their_place_to_what_they_have() {
        let source = "int f(int x) { return x; }\n\
            kernel void k(global int *a) { if (a[1]) a[0] += mad_sat(f(1), a[2] < 3, 4); }\n";
        let found = parts(source, Language::OPENCL);
        let names: Vec<(&str, bool)> =
            found.iter().map(|part| (part.name.as_str(), part.is_own)).collect();
        assert_eq!(
            names,
            [("add", false), ("f", true), ("if", false), ("less", false), ("mad_sat", false)]
        );
        let without = |name: &str| {
            let part = found.iter().find(|part| part.name == name).unwrap();
            let ends = part.without.iter().map(|text| text.split_once("*a) ").unwrap().1.trim());
            ends.collect::<Vec<_>>()
        };
        assert_eq!(without("add"), ["{ if (a[1]) a[0] = mad_sat(f(1), a[2] < 3, 4); }"]);
        assert_eq!(
            without("mad_sat"),
            [
                "{ if (a[1]) a[0] += (f(1)); }",
                "{ if (a[1]) a[0] += (a[2] < 3); }",
                "{ if (a[1]) a[0] += (4); }"
            ]
        );
        assert_eq!(without("if"), ["{ a[0] += mad_sat(f(1), a[2] < 3, 4); }", "{ {} }"]);
    }
}
