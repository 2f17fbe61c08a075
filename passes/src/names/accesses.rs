//! Which member of which structure each access reaches.
//!
//! Types are followed from declarations through expressions as far as structures need it: how many
//! pointers and arrays stand around which structure. Where that cannot be seen, the name of the
//! member is [unclear](Accesses::of), and passes leave all members of that name alone.

use std::collections::{HashMap, HashSet};

use clreduce_language::{
    NodeField, NodeId, NodeKind, SymbolId, SymbolKind, Symbols, SyntaxTree, declared_by,
};

use super::aggregates::{Aggregates, Member};
use crate::snapshot::Snapshot;

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Type {
    /// Pointers and arrays around the base.
    levels: usize,
    /// Index of the structure or union; `None` for a scalar.
    base: Option<usize>,
}

/// The accesses to members in a file.
pub(super) struct Accesses<'a> {
    /// By structure and member, the expressions that access it.
    reached: HashMap<(usize, usize), Vec<NodeId>>,
    /// Names of members that are accessed in a way that cannot be followed.
    unclear: HashMap<&'a [u8], Vec<NodeId>>,
    /// How many members have a name.
    declared: HashMap<&'a [u8], usize>,
    /// Names of members that stand where nobody looks into.
    opaque: HashSet<&'a [u8]>,
}

impl<'a> Accesses<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, file: usize, aggregates: &Aggregates) -> Self {
        let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
        let mut accesses = Self {
            reached: HashMap::new(),
            unclear: HashMap::new(),
            declared: HashMap::new(),
            opaque: HashSet::new(),
        };
        let types = Types::new(snapshot, file, aggregates);
        for node in tree.ids().filter(|&node| tree.kind(node) == NodeKind::FieldIdentifier) {
            let name = &bytes[tree.range(node)];
            let parent = tree.node(node).parent;
            match tree.kind(parent) {
                NodeKind::FieldExpression => match types.member(parent) {
                    Some(member) => accesses.reached.entry(member).or_default().push(parent),
                    None => accesses.unclear.entry(name).or_default().push(parent),
                },
                // What a designator means is known with the list that it stands in.
                NodeKind::FieldDesignator => {}
                _ if declared_by(tree, node).is_some() => {
                    *accesses.declared.entry(name).or_default() += 1;
                }
                _ => {
                    accesses.opaque.insert(name);
                }
            }
        }
        accesses
    }

    /// The expressions that access a member; `None` where some may, and it cannot be seen which.
    pub(super) fn of(&self, index: (usize, usize), name: &[u8]) -> Option<Vec<NodeId>> {
        if self.opaque.contains(name) {
            return None;
        }
        let mut found = self.reached.get(&index).cloned().unwrap_or_default();
        if let Some(unclear) = self.unclear.get(name) {
            // Of the only member with that name they must be.
            if self.declared.get(name) != Some(&1) {
                return None;
            }
            found.extend(unclear);
            found.sort_unstable();
        }
        Some(found)
    }
}

/// The types of all expressions of a file.
struct Types<'a> {
    tree: &'a SyntaxTree,
    bytes: &'a [u8],
    symbols: &'a Symbols,
    aggregates: &'a Aggregates,
    of_node: Vec<Option<Type>>,
    of_symbol: HashMap<SymbolId, Option<Type>>,
}

impl<'a> Types<'a> {
    fn new(snapshot: &'a Snapshot, file: usize, aggregates: &'a Aggregates) -> Self {
        let tree = snapshot.tree(file);
        let mut types = Self {
            tree,
            bytes: snapshot.bytes(file),
            symbols: snapshot.symbols(file),
            aggregates,
            of_node: vec![None; tree.len()],
            of_symbol: HashMap::new(),
        };
        if !aggregates.all.is_empty() {
            // Operands stand behind what they are operands of.
            for node in tree.ids().rev() {
                types.of_node[node.0 as usize] = types.expression(node);
            }
        }
        types
    }

    /// The structure and the member in it that an access reaches.
    fn member(&self, access: NodeId) -> Option<(usize, usize)> {
        let tree = self.tree;
        let arrow = tree.children(access).any(|child| tree.kind(child) == NodeKind::Arrow);
        let object = self.operand(access, NodeField::Argument)?;
        let base = object.base.filter(|_| object.levels == usize::from(arrow))?;
        let name = &self.bytes[tree.range(tree.field(access, NodeField::Field)?)];
        let is_named = |member: &Member| {
            member.name.is_some_and(|known| &self.bytes[tree.range(known)] == name)
        };
        // Members of an anonymous structure are found nowhere, and so are unclear.
        Some((base, self.aggregates.all[base].members.iter().position(is_named)?))
    }

    fn operand(&self, node: NodeId, field: NodeField) -> Option<Type> {
        self.of_node[self.tree.field(node, field)?.0 as usize]
    }

    fn expression(&mut self, node: NodeId) -> Option<Type> {
        let tree = self.tree;
        match tree.kind(node) {
            NodeKind::Identifier => {
                let symbol = self.symbols.of(node)?;
                if let Some(&known) = self.of_symbol.get(&symbol) {
                    return known;
                }
                let declared = self.declared(self.symbols.get(symbol).declarations[0]);
                self.of_symbol.insert(symbol, declared);
                declared
            }
            NodeKind::ParenthesizedExpression => {
                self.of_node[tree.named_children(node).next()?.0 as usize]
            }
            NodeKind::FieldExpression => {
                let (base, member) = self.member(node)?;
                self.declared(self.aggregates.all[base].members[member].name?)
            }
            NodeKind::SubscriptExpression => self.pointed_to(node),
            NodeKind::PointerExpression => {
                match tree.kind(tree.field(node, NodeField::Operator)?) {
                    NodeKind::Star => self.pointed_to(node),
                    _ => {
                        let inside = self.operand(node, NodeField::Argument)?;
                        Some(Type { levels: inside.levels + 1, ..inside })
                    }
                }
            }
            NodeKind::CallExpression => {
                let function = tree.field(node, NodeField::Function)?;
                let symbol = self.symbols.get(self.symbols.of(function)?);
                // Of a pointer to a function, it is not known here what it returns.
                (symbol.kind == SymbolKind::Function)
                    .then(|| self.operand(node, NodeField::Function))?
            }
            NodeKind::AssignmentExpression | NodeKind::UpdateExpression => self
                .operand(node, NodeField::Left)
                .or_else(|| self.operand(node, NodeField::Argument)),
            NodeKind::CommaExpression => self.operand(node, NodeField::Right),
            NodeKind::ConditionalExpression => {
                let (a, b) = (
                    self.operand(node, NodeField::Consequence),
                    self.operand(node, NodeField::Alternative),
                );
                a.filter(|_| a == b)
            }
            NodeKind::BinaryExpression => {
                let (a, b) =
                    (self.operand(node, NodeField::Left), self.operand(node, NodeField::Right));
                a.or(b).filter(|kind| kind.levels > 0)
            }
            NodeKind::CastExpression | NodeKind::CompoundLiteralExpression => {
                let kind = tree.field(node, NodeField::Type)?;
                let pointers = |child: &NodeId| {
                    matches!(
                        tree.kind(*child),
                        NodeKind::AbstractPointerDeclarator | NodeKind::AbstractArrayDeclarator
                    )
                };
                let levels = tree.subtree(kind).filter(pointers).count();
                let base = self.specified(tree.field(kind, NodeField::Type)?, 0)?;
                Some(Type { levels: levels + base.levels, ..base })
            }
            _ => None,
        }
    }

    fn pointed_to(&self, node: NodeId) -> Option<Type> {
        let pointer = self.operand(node, NodeField::Argument)?;
        Some(Type { levels: pointer.levels.checked_sub(1)?, ..pointer })
    }

    /// The type of what a name declares; for a function, of what it returns.
    fn declared(&self, name: NodeId) -> Option<Type> {
        let declaration = declared_by(self.tree, name)?;
        let levels = self.levels(name, declaration);
        let base = self.specified(self.tree.field(declaration, NodeField::Type)?, 0)?;
        Some(Type { levels: levels + base.levels, ..base })
    }

    /// Pointers and arrays between a declared name and its declaration.
    fn levels(&self, name: NodeId, declaration: NodeId) -> usize {
        let around = self.tree.ancestors(name).take_while(|&node| node != declaration);
        let counts = |node: &NodeId| {
            matches!(self.tree.kind(*node), NodeKind::PointerDeclarator | NodeKind::ArrayDeclarator)
        };
        around.filter(counts).count()
    }

    /// What a type specifier names. Typedefs are followed up to a depth that no program has.
    fn specified(&self, specifier: NodeId, depth: usize) -> Option<Type> {
        let tree = self.tree;
        let index = |node: NodeId| {
            let found = self.aggregates.all.binary_search_by_key(&node, |known| known.specifier);
            found.ok().map(|index| Type { levels: 0, base: Some(index) })
        };
        match tree.kind(specifier) {
            NodeKind::StructSpecifier | NodeKind::UnionSpecifier => {
                index(specifier).or_else(|| {
                    let tag = self.symbols.of(tree.field(specifier, NodeField::Name)?)?;
                    let mut declared = self.symbols.get(tag).declarations.iter();
                    declared.find_map(|&name| index(tree.parent(name)?))
                })
            }
            NodeKind::TypeIdentifier | NodeKind::PrimitiveType => {
                let Some(symbol) = self.symbols.of(specifier) else {
                    // A type that only a header knows, or none of C's: a vector.
                    return (tree.kind(specifier) == NodeKind::PrimitiveType)
                        .then_some(Type { levels: 0, base: None });
                };
                let symbol = self.symbols.get(symbol);
                if symbol.kind != SymbolKind::Typedef || depth > 16 {
                    return None;
                }
                let name = symbol.declarations[0];
                let definition = declared_by(tree, name)?;
                let base = self.specified(tree.field(definition, NodeField::Type)?, depth + 1)?;
                Some(Type { levels: base.levels + self.levels(name, definition), ..base })
            }
            _ => Some(Type { levels: 0, base: None }),
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;

    /// For each structure and member, the accesses to it as they are written.
    fn accesses(source: &str) -> Vec<Option<Vec<String>>> {
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::C);
        let (tree, aggregates) = (snapshot.tree(0), Aggregates::new(&snapshot, 0));
        let accesses = Accesses::new(&snapshot, 0, &aggregates);
        let mut all = Vec::new();
        for (index, aggregate) in aggregates.all.iter().enumerate() {
            for (member, entry) in aggregate.members.iter().enumerate() {
                let name = &source.as_bytes()[tree.range(entry.name.unwrap())];
                let found = accesses.of((index, member), name);
                let text = |node: &NodeId| source[tree.range(*node)].to_owned();
                all.push(found.map(|nodes| nodes.iter().map(text).collect()));
            }
        }
        all
    }

    fn some(texts: &[&str]) -> Option<Vec<String>> {
        Some(texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn equal_names_in_two_structures_are_told_apart() {
        assert_eq!(
            accesses(
                "struct S { int f; }; typedef struct { struct S *f, g; } T; T x[2], *h(void);\n\
                 int k(struct S s) { return s.f + x[1].g.f + (*h()).f->f + (&s)[1].f; }"
            ),
            [
                some(&["s.f", "x[1].g.f", "(*h()).f->f", "(&s)[1].f"]),
                some(&["(*h()).f"]),
                some(&["x[1].g"]),
            ]
        );
    }

    #[test]
    fn what_cannot_be_followed_makes_the_name_unclear() {
        assert_eq!(
            accesses(
                "struct S { int f, g; }; struct T { int f; }; int k(void) { return q().f + r->g; }"
            ),
            [None, some(&["r->g"]), None]
        );
    }
}
