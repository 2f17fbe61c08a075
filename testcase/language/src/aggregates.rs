//! Structures and unions of a file, and which initialiser gives which member its value.
//!
//! Follows C99 6.7.8 for lists whose braces are all there. Where braces are left out, an element
//! could belong to several members: such a structure is [unclear](Aggregate::unclear), and passes
//! leave its members alone.

use std::collections::{HashMap, HashSet};

use clreduce_testcase::step;

use crate::kind::{NodeField, NodeKind};
use crate::symbols::{SymbolKind, Symbols, declared_by, declared_name};
use crate::tree::{NodeId, SyntaxTree};

/// A structure or union with a body.
#[derive(Debug)]
pub struct Aggregate {
    /// The specifier that holds the body; aggregates are in the order of these.
    pub specifier: NodeId,
    /// The members, in order.
    pub members: Vec<Member>,
    /// The place of the first member with a name.
    by_name: HashMap<Vec<u8>, usize>,
    /// True if some initialiser could not be told apart.
    pub unclear: bool,
}

impl Aggregate {
    fn new(bytes: &[u8], tree: &SyntaxTree, specifier: NodeId) -> Self {
        let members = members(tree, specifier);
        let mut by_name = HashMap::new();
        for (place, member) in members.iter().enumerate() {
            if let Some(name) = member.name {
                by_name.entry(bytes[tree.range(name)].to_vec()).or_insert(place);
            }
        }
        Self { specifier, members, by_name, unclear: false }
    }

    /// The place of the member with a name.
    #[must_use]
    pub fn member(&self, name: &[u8]) -> Option<usize> {
        step();
        self.by_name.get(name).copied()
    }
}

/// One member of a structure or union.
#[derive(Debug)]
pub struct Member {
    /// The member's declaration, which may declare others as well.
    pub declaration: NodeId,
    /// The declarator; `None` for an anonymous structure and for a nameless bit-field.
    pub declarator: Option<NodeId>,
    /// The name.
    pub name: Option<NodeId>,
    /// Elements of initialiser lists that give it a value, designators included.
    pub initialisers: Vec<NodeId>,
    /// True if its declaration declares others as well.
    pub shared: bool,
}

/// The type of an object, as far as its initialiser needs to know it.
#[derive(Clone, Copy)]
struct ObjectShape {
    /// Array dimensions around the base.
    dimensions: usize,
    /// Index of the structure or union; `None` for a scalar.
    base: Option<usize>,
}

/// The structures and unions of a file.
#[derive(Debug, Default)]
pub struct Aggregates {
    /// All of them, in source order.
    pub all: Vec<Aggregate>,
    /// By what a [type](crate::Base::Aggregate) calls a structure, its place in `all`.
    of_type: HashMap<NodeId, usize>,
    /// Initialiser lists whose elements stand for members.
    lists: HashSet<NodeId>,
}

impl Aggregates {
    /// Reads the structures and unions off a tree.
    #[must_use]
    pub fn new(bytes: &[u8], tree: &SyntaxTree, symbols: &Symbols) -> Self {
        let is_aggregate = |node: &NodeId| {
            matches!(tree.kind(*node), NodeKind::StructSpecifier | NodeKind::UnionSpecifier)
                && tree.field(*node, NodeField::Body).is_some()
        };
        let specifiers = tree.ids().filter(is_aggregate);
        let all = specifiers.map(|specifier| Aggregate::new(bytes, tree, specifier));
        let mut reader = InitialiserReader {
            bytes,
            tree,
            symbols,
            index: HashMap::new(),
            out: Self { all: all.collect(), ..Self::default() },
        };
        let specifiers = reader.out.all.iter().map(|aggregate| aggregate.specifier);
        reader.index = specifiers.enumerate().map(|(index, node)| (node, index)).collect();
        for (index, aggregate) in reader.out.all.iter().enumerate() {
            let name = aggregate_name(tree, symbols, aggregate.specifier);
            reader.out.of_type.entry(name).or_insert(index);
        }
        for node in tree.ids() {
            reader.visit(node);
        }
        reader.out
    }
}

impl Aggregates {
    /// The place in `all` of the structure that a type calls so; `None` for one without a body.
    #[must_use]
    pub fn index_of(&self, base: NodeId) -> Option<usize> {
        step();
        self.of_type.get(&base).copied()
    }

    /// Returns whether a list holds members, or values of members, that are known one by one.
    #[must_use]
    pub fn explain(&self, tree: &SyntaxTree, list: NodeId) -> bool {
        let parent = tree.node(list).parent;
        let of_parent = self.all.binary_search_by_key(&parent, |aggregate| aggregate.specifier);
        self.lists.contains(&list) || of_parent.is_ok_and(|index| !self.all[index].unclear)
    }
}

/// The node by which types call a structure or union: its tag's first declaration, or where it has no tag its
/// specifier.
pub(crate) fn aggregate_name(tree: &SyntaxTree, symbols: &Symbols, specifier: NodeId) -> NodeId {
    let tag = tree.field(specifier, NodeField::Name).and_then(|name| symbols.of(name));
    tag.map_or(specifier, |tag| symbols.get(tag).declarations[0])
}

fn members(tree: &SyntaxTree, specifier: NodeId) -> Vec<Member> {
    let mut members = Vec::new();
    let body = tree.field(specifier, NodeField::Body).into_iter();
    for declaration in body.flat_map(|body| tree.named_children(body)) {
        let declarators: Vec<NodeId> = tree.fields(declaration, NodeField::Declarator).collect();
        let member = |declarator: Option<NodeId>| Member {
            declaration,
            declarator,
            // The parser invents an empty one where `int : 3` has none.
            name: declarator
                .and_then(|declarator| declared_name(tree, declarator))
                .filter(|&name| !tree.range(name).is_empty()),
            initialisers: Vec::new(),
            shared: declarators.len() > 1,
        };
        if declarators.is_empty() {
            members.push(member(None));
        } else {
            members.extend(declarators.iter().map(|&declarator| member(Some(declarator))));
        }
    }
    members
}

struct InitialiserReader<'a> {
    bytes: &'a [u8],
    tree: &'a SyntaxTree,
    symbols: &'a Symbols,
    /// The aggregate of each specifier with a body.
    index: HashMap<NodeId, usize>,
    out: Aggregates,
}

impl InitialiserReader<'_> {
    /// Looks at everything that gives an object its type and an initialiser at once.
    fn visit(&mut self, node: NodeId) {
        let tree = self.tree;
        match tree.kind(node) {
            NodeKind::InitDeclarator => {
                let parts = || {
                    let declarator = tree.field(node, NodeField::Declarator)?;
                    let name = declared_name(tree, declarator)?;
                    Some((self.shape_of(name)?, tree.field(node, NodeField::Value)?))
                };
                if let Some((shape, value)) = parts() {
                    self.object(shape, value);
                }
            }
            NodeKind::CompoundLiteralExpression => {
                let parts = || {
                    let kind = tree.field(node, NodeField::Type)?;
                    let dimensions = tree
                        .subtree(kind)
                        .filter(|&node| tree.kind(node) == NodeKind::AbstractArrayDeclarator)
                        .count();
                    let shape = self.base(tree.field(kind, NodeField::Type)?, 0)?;
                    let dimensions = dimensions + shape.dimensions;
                    Some((ObjectShape { dimensions, ..shape }, tree.field(node, NodeField::Value)?))
                };
                if let Some((shape, value)) = parts() {
                    self.object(shape, value);
                }
            }
            _ => {}
        }
    }

    /// Walks an initialiser. The work list holds objects with their lists.
    fn object(&mut self, shape: ObjectShape, value: NodeId) {
        let mut work = vec![(shape, value)];
        while let Some((shape, value)) = work.pop() {
            let is_list = self.tree.kind(value) == NodeKind::InitializerList;
            match (shape.base, is_list) {
                (None, _) => {}
                (Some(base), false) => {
                    // An expression of the structure's type, or a list without its braces.
                    if shape.dimensions > 0 || self.is_scalar(value) {
                        self.give_up(base);
                    }
                }
                (Some(base), true) if shape.dimensions == 0 => self.members(base, value, &mut work),
                (Some(_), true) => {
                    let inner = ObjectShape { dimensions: shape.dimensions - 1, ..shape };
                    for element in self.tree.named_children(value) {
                        work.push((inner, self.value_of(element)));
                    }
                }
            }
        }
    }

    /// Assigns the elements of a list to the members of an aggregate.
    fn members(&mut self, base: usize, list: NodeId, work: &mut Vec<(ObjectShape, NodeId)>) {
        self.out.lists.insert(list);
        let mut next = 0;
        for element in self.tree.named_children(list).collect::<Vec<_>>() {
            if let Some(designator) = self.tree.field(element, NodeField::Designator) {
                match self.designated(base, element, designator) {
                    Some(member) => next = member,
                    None => return self.give_up(base),
                }
            }
            // Nameless bit-fields take no initialiser; a union takes one.
            let members = &mut self.out.all[base].members;
            while members.get(next).is_some_and(|member| is_padding(self.tree, member)) {
                next += 1;
            }
            let Some(member) = members.get_mut(next) else { return self.give_up(base) };
            member.initialisers.push(element);
            let (name, declaration) = (member.name, member.declaration);
            next += 1;
            let shape = match name {
                Some(name) => self.shape_of(name),
                None => self
                    .tree
                    .field(declaration, NodeField::Type)
                    .and_then(|kind| self.base(kind, 0)),
            };
            let value = self.value_of(element);
            match shape {
                Some(shape) if !self.leaves_out_braces(shape, value) => work.push((shape, value)),
                _ => return self.give_up(base),
            }
        }
    }

    fn designated(&self, base: usize, element: NodeId, designator: NodeId) -> Option<usize> {
        if self.tree.fields(element, NodeField::Designator).count() != 1 {
            return None;
        }
        let name = self.tree.named_children(designator).next()?;
        self.out.all[base].member(&self.bytes[self.tree.range(name)])
    }

    fn value_of(&self, element: NodeId) -> NodeId {
        self.tree.field(element, NodeField::Value).unwrap_or(element)
    }

    /// Returns whether a value is the first of several that stand without braces for an array or structure.
    fn leaves_out_braces(&self, shape: ObjectShape, value: NodeId) -> bool {
        let kind = self.tree.kind(value);
        let is_text = matches!(kind, NodeKind::StringLiteral | NodeKind::ConcatenatedString);
        match shape {
            ObjectShape { dimensions: 0, base: None } => false,
            ObjectShape { base: None, .. } => kind != NodeKind::InitializerList && !is_text,
            ObjectShape { dimensions, .. } => {
                kind != NodeKind::InitializerList && (dimensions > 0 || self.is_scalar(value))
            }
        }
    }

    fn is_scalar(&self, value: NodeId) -> bool {
        matches!(
            self.tree.kind(value),
            NodeKind::NumberLiteral
                | NodeKind::CharLiteral
                | NodeKind::StringLiteral
                | NodeKind::ConcatenatedString
                | NodeKind::UnaryExpression
                | NodeKind::BinaryExpression
                | NodeKind::PointerExpression
        )
    }

    /// The aggregate's members, and those of aggregates inside it, cannot be told apart.
    fn give_up(&mut self, base: usize) {
        let mut work = vec![base];
        while let Some(base) = work.pop() {
            if std::mem::replace(&mut self.out.all[base].unclear, true) {
                continue;
            }
            let inside: Vec<usize> = self.out.all[base]
                .members
                .iter()
                .filter_map(|member| {
                    self.base(self.tree.field(member.declaration, NodeField::Type)?, 0)?.base
                })
                .collect();
            work.extend(inside);
        }
    }

    /// Returns the type of a declared name; `None` where that cannot be seen.
    fn shape_of(&self, name: NodeId) -> Option<ObjectShape> {
        let tree = self.tree;
        let declaration = declared_by(tree, name)?;
        let mut dimensions = 0;
        let mut at = name;
        while at != declaration {
            match tree.kind(at) {
                NodeKind::ArrayDeclarator => dimensions += 1,
                // Whatever it points to, it is a scalar itself.
                NodeKind::PointerDeclarator | NodeKind::FunctionDeclarator => {
                    return Some(ObjectShape { dimensions: 0, base: None });
                }
                _ => {}
            }
            at = tree.parent(at)?;
        }
        let base = self.base(tree.field(declaration, NodeField::Type)?, 0)?;
        Some(ObjectShape { dimensions: dimensions + base.dimensions, ..base })
    }

    /// Returns the type that a specifier names. Typedefs are followed up to a depth that no program has.
    fn base(&self, specifier: NodeId, depth: usize) -> Option<ObjectShape> {
        let tree = self.tree;
        let scalar = Some(ObjectShape { dimensions: 0, base: None });
        match tree.kind(specifier) {
            NodeKind::StructSpecifier | NodeKind::UnionSpecifier => {
                if let Some(&index) = self.index.get(&specifier) {
                    return Some(ObjectShape { dimensions: 0, base: Some(index) });
                }
                let tag = self.symbols.of(tree.field(specifier, NodeField::Name)?)?;
                let mut declared = self.symbols.get(tag).declarations.iter();
                let index = declared.find_map(|&name| self.index.get(&tree.parent(name)?))?;
                Some(ObjectShape { dimensions: 0, base: Some(*index) })
            }
            NodeKind::TypeIdentifier | NodeKind::PrimitiveType => {
                let Some(symbol) = self.symbols.of(specifier) else { return scalar };
                let symbol = self.symbols.get(symbol);
                if symbol.kind != SymbolKind::Typedef || depth > 16 {
                    return None;
                }
                let name = symbol.declarations[0];
                let definition = declared_by(tree, name)?;
                let declarator = tree.parent(name)?;
                if declarator != definition {
                    // A pointer is a scalar; an array would add dimensions.
                    let is_pointer = tree.kind(declarator) == NodeKind::PointerDeclarator;
                    return if is_pointer { scalar } else { None };
                }
                self.base(tree.field(definition, NodeField::Type)?, depth + 1)
            }
            _ => scalar,
        }
    }
}

/// Returns whether a member is a nameless bit-field.
#[must_use]
pub fn is_padding(tree: &SyntaxTree, member: &Member) -> bool {
    member.name.is_none()
        && tree
            .named_children(member.declaration)
            .any(|child| tree.kind(child) == NodeKind::BitfieldClause)
}
