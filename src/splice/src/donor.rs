//! Parts of kernels that can stand in other kernels, with what they need.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_language::{NodeField, NodeId, NodeKind, Number, SymbolId, SymbolKind, Use};
use clreduce_testcase::{AddressSpace, Edit, Patch, TestCase};

use crate::program::ParsedKernels;
use crate::shape::{is_expression, is_statement, jumps_out, synchronises};
use crate::variable::SplicedVariable;

/// The expressions of a type.
pub(crate) fn expressions(program: &ParsedKernels, number: Option<Number>) -> Vec<NodeId> {
    let tree = program.tree();
    let is_one = |id: NodeId| {
        is_expression(tree.kind(id))
            && !matches!(
                tree.kind(id),
                NodeKind::Identifier | NodeKind::NumberLiteral | NodeKind::ParenthesizedExpression
            )
            && number.is_some()
            && program.types().of(id).number() == number
            && (3..=60).contains(&program.token_count(id))
            && !synchronises(program, id)
            && tree.subtree(id).all(|inner| is_plain(tree.kind(inner)))
    };
    inside_functions(program).filter(|&id| is_one(id)).collect()
}

/// Returns true for nodes that have no effect and no scope of their own.
fn is_plain(kind: NodeKind) -> bool {
    !matches!(
        kind,
        NodeKind::AssignmentExpression
            | NodeKind::UpdateExpression
            | NodeKind::CommaExpression
            | NodeKind::CompoundStatement
            | NodeKind::CompoundLiteralExpression
            | NodeKind::StringLiteral
    )
}

/// The statements that can stand elsewhere.
pub(crate) fn statements(program: &ParsedKernels) -> Vec<NodeId> {
    let is_one = |id: NodeId| is_statement(program.tree().kind(id)) && can_move(program, id, 4);
    inside_functions(program).filter(|&id| is_one(id)).collect()
}

/// The blocks that can stand elsewhere, bodies of functions too.
pub(crate) fn blocks(program: &ParsedKernels) -> Vec<NodeId> {
    let is_one = |id: NodeId| {
        program.tree().kind(id) == NodeKind::CompoundStatement && can_move(program, id, 6)
    };
    inside_functions(program).filter(|&id| is_one(id)).collect()
}

fn can_move(program: &ParsedKernels, id: NodeId, least: usize) -> bool {
    (least..=300).contains(&program.token_count(id))
        && !jumps_out(program, id)
        && !synchronises(program, id)
        && !program.tree().subtree(id).any(|inner| {
            matches!(program.tree().kind(inner), NodeKind::StringLiteral | NodeKind::PreprocCall)
        })
}

fn inside_functions(program: &ParsedKernels) -> impl Iterator<Item = NodeId> + '_ {
    program.functions().into_iter().flat_map(|one| program.tree().subtree(one.body))
}

/// A part of a program.
pub(crate) struct Snippet<'a> {
    program: &'a ParsedKernels,
    node: NodeId,
    /// The end of new names, so that they differ from all others.
    suffix: String,
    /// The names that it does not declare itself, in the order of their first mention.
    pub(crate) free: Vec<Free<'a>>,
}

/// A variable that a part uses and does not declare.
pub(crate) struct Free<'a> {
    pub(crate) variable: SplicedVariable<'a>,
    /// True if it gets another value, or its address is taken.
    pub(crate) changes: bool,
    /// True if something that it points to gets another value.
    pub(crate) changes_elements: bool,
    /// True if it decides which element of something is meant.
    pub(crate) is_index: bool,
}

impl<'a> Snippet<'a> {
    /// A part, numbered among those of a kernel; `None` if it needs what cannot come along.
    pub(crate) fn of(program: &'a ParsedKernels, node: NodeId, part: u64) -> Option<Self> {
        let (tree, symbols) = (program.tree(), program.symbols());
        let mut snippet = Self { program, node, suffix: format!("p{part}"), free: Vec::new() };
        for (name, id) in program.names_in(node) {
            let symbol = symbols.get(id);
            if symbol.opaque || symbol.kind == SymbolKind::Label {
                return None;
            }
            if snippet.declares(id) {
                let variable = SplicedVariable::of(program, id);
                if variable
                    .is_some_and(|one| one.space != AddressSpace::Private && one.of.levels == 0)
                    || variable.is_some_and(|one| one.space == AddressSpace::Local && one.is_array)
                {
                    return None;
                }
                continue;
            }
            if symbol.scope == NodeId(0) {
                continue;
            }
            let variable = SplicedVariable::of(program, id)?;
            let found = Use::at(tree, name);
            let changes = found.may_change();
            let changes_elements = found.whole.writes() && !changes;
            let is_index = is_index(program, name, node);
            match snippet.free.iter_mut().find(|free| free.variable.symbol == id) {
                Some(free) => {
                    free.changes |= changes;
                    free.changes_elements |= changes_elements;
                    free.is_index |= is_index;
                }
                None => snippet.free.push(Free { variable, changes, changes_elements, is_index }),
            }
        }
        Some(snippet)
    }

    fn declares(&self, symbol: SymbolId) -> bool {
        let name = self.program.symbols().get(symbol).declarations[0];
        self.program.is_within(name, self.node)
    }

    /// The names of the program outside of functions that the part uses.
    pub(crate) fn outer_names(&self) -> impl Iterator<Item = (SymbolId, &'a [u8])> + '_ {
        let (program, symbols) = (self.program, self.program.symbols());
        let names = program.names_in(self.node);
        let outer = names.filter(|&(_, id)| symbols.get(id).scope == NodeId(0));
        outer.map(|(name, id)| (id, program.bytes(name)))
    }

    /// The names in the part that its program does not declare: those of built-in functions and constants.
    pub(crate) fn built_in_names(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let (program, tree) = (self.program, self.program.tree());
        let names = tree.subtree(self.node).filter(move |&id| {
            tree.kind(id) == NodeKind::Identifier && program.symbols().of(id).is_none()
        });
        names.map(move |id| program.bytes(id))
    }

    /// A new name in place of an old one.
    pub(crate) fn fresh(&self, name: &[u8]) -> Vec<u8> {
        [name, b"_", self.suffix.as_bytes()].concat()
    }

    /// The text of the part, with these words in place of its free names.
    pub(crate) fn text(&self, bound: &BTreeMap<SymbolId, Vec<u8>>) -> Vec<u8> {
        self.renamed(self.node, bound)
    }

    /// The text of a node with new names for what comes along.
    pub(crate) fn renamed(&self, node: NodeId, bound: &BTreeMap<SymbolId, Vec<u8>>) -> Vec<u8> {
        let tree = self.program.tree();
        let whole = tree.range(node);
        let (mut text, mut end) = (Vec::new(), whole.start);
        for (name, id) in self.program.names_in(node) {
            let range = tree.range(name);
            text.extend_from_slice(&self.program.text[end..range.start]);
            match bound.get(&id) {
                Some(word) => text.extend_from_slice(word),
                None => text.extend(self.fresh(&self.program.text[range.clone()])),
            }
            end = range.end;
        }
        text.extend_from_slice(&self.program.text[end..whole.end]);
        text
    }

    /// The items of the program at file scope, with new names: functions, types and constants, but no kernels. Pragmas that
    /// `other` has are left out.
    pub(crate) fn library(&self, other: &ParsedKernels) -> Option<Vec<u8>> {
        let (tree, symbols) = (self.program.tree(), self.program.symbols());
        let known: BTreeSet<&[u8]> = pragmas(other).map(|id| other.bytes(id)).collect();
        let repeated = pragmas(self.program).filter(|&id| known.contains(self.program.bytes(id)));
        let kernels = self.program.functions().into_iter().filter(|one| {
            let symbol = symbols.of(one.name).map(|id| symbols.get(id));
            one.is_kernel && symbol.is_some_and(|symbol| symbol.uses.is_empty())
        });
        let gone = repeated.chain(kernels.map(|one| one.definition));
        let mut edits: Vec<Edit> = gone.map(|id| Edit::delete(0, tree.range(id))).collect();
        for (name, id) in self.program.names_in(NodeId(0)) {
            if symbols.get(id).scope == NodeId(0) {
                let text = self.fresh(self.program.bytes(name));
                edits.push(Edit::replace(0, tree.range(name), text));
            }
        }
        let case = TestCase::single("library", &self.program.text[..]).ok()?;
        let library = case.apply(&Patch::new(edits)?);
        Some(library.files()[0].bytes.to_vec())
    }
}

/// Returns true if a name lies in an index, or is added to a pointer, inside a node.
fn is_index(program: &ParsedKernels, name: NodeId, node: NodeId) -> bool {
    let tree = program.tree();
    let mut at = name;
    for around in tree.ancestors(name).take_while(|&around| around >= node) {
        let is_part = match tree.kind(around) {
            NodeKind::SubscriptExpression => tree.node(at).field == Some(NodeField::Index),
            NodeKind::BinaryExpression => {
                program.types().of(around).levels > 0 && program.types().of(at).levels == 0
            }
            _ => false,
        };
        if is_part {
            return true;
        }
        at = around;
    }
    false
}

fn pragmas(program: &ParsedKernels) -> impl Iterator<Item = NodeId> + '_ {
    let tree = program.tree();
    tree.children(NodeId(0)).filter(|&id| tree.kind(id) == NodeKind::PreprocCall)
}
