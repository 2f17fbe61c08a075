//! Puts in the place of a name what it stands for: the type of an alias, the value of a constant, the base of a class that has
//! one base and nothing else. Arguments of templates take the place of their parameters.
//!
//! Types of expressions are not known, so that only names that lead to one declaration are replaced. Which of several
//! specialisations of the class around it a name is looked up in is told by the text of the arguments.
//!
//! before:
//! ```cpp
//! template <bool B, class T> struct E { }; template <class T> struct E<true, T> { using type = T; };
//! struct A { static const int n = 1 + 1; };
//! E<true, A>::type a; int x = 2 * A::n;
//! ```
//! after:
//! ```cpp
//! template <bool B, class T> struct E { }; template <class T> struct E<true, T> { };
//! struct A { };
//! A a; int x = 2 * (1 + 1);
//! ```

mod qualified_name;

use std::collections::HashMap;
use std::ops::Range;

use clreduce_language::{Entities, EntityId, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch, steps};

use crate::analysis::{
    TemplateHead, Unit, default_argument, is_pack, is_primary, outside_members,
    template_parameter_name,
};
use crate::budget::Budget;
use crate::edit::{Arguments, TemplateArgument, disjoint, fitted, substituted};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;
use qualified_name::QualifiedName;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-inline-names",
    "Put what aliases, constants and empty derived classes stand for in their place",
    CPP,
    propose,
)
.growing();

/// The text that a name stands for is written at each use.
const MOST: Budget = Budget::new("bytes of what a name stands for, for all uses", 10_000);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let entities = snapshot.entities(unit.file);
        let mut uses: HashMap<EntityId, Vec<NodeId>> = HashMap::new();
        for &(name, entity) in entities.references() {
            uses.entry(entities.target(entity)).or_default().push(name);
        }
        let outside = outside_members(entities);
        let program = NameInliner { unit, entities, uses: &uses, outside: &outside };
        for id in entities.ids() {
            let item = entities.item(id);
            let first = item.declares.first();
            let Some(&entity) = first.filter(|_| !item.is_outside) else { continue };
            // All declarations go with the first one.
            if entities.declarations(entity).first() != Some(&id) {
                continue;
            }
            let meanings = program.meanings(entity);
            let longest = meanings.iter().map(|meaning| meaning.range.len()).max();
            let count = uses.get(&entity).map_or(0, Vec::len);
            let Some(longest) = longest else { continue };
            if !proposals.allow(&MOST, longest.saturating_mul(count)) {
                continue;
            }
            let list = meanings.iter().map(|meaning| meaning.list).max().unwrap_or(0);
            let patch = program.inlined(entity, &meanings);
            proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
        }
    }
}

struct NameInliner<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    uses: &'a HashMap<EntityId, Vec<NodeId>>,
    outside: &'a HashMap<EntityId, Vec<ItemId>>,
}

/// The text that may replace a name, as one of its declarations says.
struct Meaning {
    /// The declaration.
    item: ItemId,
    /// The node that it lies in.
    node: NodeId,
    /// Its text.
    range: Range<usize>,
    /// True if it is a value, which may need parentheses.
    is_open: bool,
    /// The list of its proposal.
    list: u32,
}

impl<'a> NameInliner<'a> {
    /// What the declarations of an entity say that it stands for.
    fn meanings(&self, entity: EntityId) -> Vec<Meaning> {
        let declarations = self.entities.declarations(entity).iter();
        let meanings = declarations.filter_map(|&id| {
            let item = self.entities.item(id);
            let node = self.unit.tree.node(item.node);
            match item.kind {
                _ if node.damaged || self.unit.tree.has_error(item.inner) => None,
                ItemKind::Alias => self.type_of(id),
                ItemKind::Variable => self.constant(id),
                ItemKind::Type => self.only_base(id),
                _ => None,
            }
        });
        meanings.collect()
    }

    /// The type that an alias stands for.
    fn type_of(&self, item: ItemId) -> Option<Meaning> {
        let tree = self.unit.tree;
        let node = self.entities.item(item).inner;
        let range = match tree.kind(node) {
            NodeKind::AliasDeclaration => {
                let written = tree.field(node, NodeField::Type)?;
                let declarator = tree.field(written, NodeField::Declarator);
                let is_simple = declarator.is_none_or(|it| is_pointer(tree.kind(it)));
                is_simple.then(|| tree.range(written))?
            }
            NodeKind::TypeDefinition => {
                let mut declarators = tree.fields(node, NodeField::Declarator);
                let declarator = declarators.next().filter(|_| declarators.next().is_none())?;
                let name = tree.subtree(declarator).next_back()?;
                let is_simple = (name == declarator || is_pointer(tree.kind(declarator)))
                    && tree.kind(name) == NodeKind::TypeIdentifier;
                let word = tree.children(node).next().filter(|_| is_simple)?;
                tree.range(word).end..tree.range(name).start
            }
            _ => return None,
        };
        let has_body = |id: NodeId| tree.kind(id) == NodeKind::FieldDeclarationList;
        if range.is_empty() || tree.subtree(node).any(has_body) {
            return None;
        }
        Some(Meaning { item, node, range: self.trimmed(range), is_open: false, list: 0 })
    }

    fn constant(&self, item: ItemId) -> Option<Meaning> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let node = self.entities.item(item).inner;
        let is_constant = tree.children(node).any(|child| {
            tree.kind(child) == NodeKind::TypeQualifier
                && matches!(unit.text(child), b"const" | b"constexpr")
        });
        let mut declarators = tree.fields(node, NodeField::Declarator);
        let declarator = declarators.next().filter(|_| declarators.next().is_none())?;
        let mut value = match tree.kind(declarator) {
            NodeKind::FieldIdentifier => tree.field(node, NodeField::DefaultValue)?,
            NodeKind::InitDeclarator => tree.field(declarator, NodeField::Value)?,
            _ => return None,
        };
        if matches!(tree.kind(value), NodeKind::InitializerList | NodeKind::ArgumentList) {
            let mut elements = tree.named_children(value);
            value = elements.next().filter(|_| elements.next().is_none())?;
        }
        let is_open = !(is_primary(tree.kind(value)) || is_word(tree.kind(value)));
        let range = tree.range(value);
        is_constant.then_some(Meaning { item, node: value, range, is_open, list: 0 })
    }

    /// The base of a class that has one. A class with members of its own is worth a try after the others.
    fn only_base(&self, item: ItemId) -> Option<Meaning> {
        let tree = self.unit.tree;
        let class = self.specifier(item)?;
        let is_clause = |&id: &NodeId| tree.kind(id) == NodeKind::BaseClassClause;
        let clause = tree.named_children(class).find(is_clause)?;
        let is_base = |id: &NodeId| tree.kind(*id) != NodeKind::AccessSpecifier;
        let mut bases = tree.named_children(clause).filter(is_base);
        let base = bases.next().filter(|_| bases.next().is_none())?;
        let body = tree.field(class, NodeField::Body)?;
        let list = if tree.named_children(body).next().is_none() { 1 } else { 2 };
        let is_type = matches!(tree.kind(base), NodeKind::TypeIdentifier | NodeKind::TemplateType)
            || tree.kind(base) == NodeKind::QualifiedIdentifier;
        let range = tree.range(base);
        is_type.then_some(Meaning { item, node: base, range, is_open: false, list })
    }

    /// The specifier of a class, which variables may follow.
    fn specifier(&self, item: ItemId) -> Option<NodeId> {
        let tree = self.unit.tree;
        let inner = self.entities.item(item).inner;
        match tree.kind(inner) {
            NodeKind::ClassSpecifier | NodeKind::StructSpecifier => Some(inner),
            NodeKind::Declaration | NodeKind::FieldDeclaration => {
                tree.field(inner, NodeField::Type)
            }
            _ => None,
        }
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.unit.bytes[range.clone()];
        let start = range.start + (text.len() - text.trim_ascii_start().len());
        start..start + text.trim_ascii().len()
    }

    /// The patch that removes a name with all its declarations, and replaces its uses.
    fn inlined(&self, entity: EntityId, meanings: &[Meaning]) -> Option<Patch> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let mut edits: Vec<Edit> = Vec::new();
        let declarations = self.entities.declarations(entity).iter();
        let outside = self.outside.get(&entity).into_iter().flatten();
        for &id in declarations.chain(outside) {
            let item = self.entities.item(id);
            let has_variables = item.kind == ItemKind::Type
                && matches!(
                    tree.kind(item.inner),
                    NodeKind::Declaration | NodeKind::FieldDeclaration
                );
            edits.push(match (has_variables, self.specifier(id), meanings) {
                (true, Some(specifier), [meaning]) => {
                    let text = unit.bytes[meaning.range.clone()].to_vec();
                    Edit::replace(unit.file, tree.range(specifier), text)
                }
                (true, ..) => return None,
                (false, ..) => unit.delete(self.entities.range(tree, id)),
            });
        }
        let removals = edits.clone();
        let removals = disjoint(removals);
        for &name in self.uses.get(&entity).into_iter().flatten() {
            let start = tree.range(name).start;
            let next = removals.partition_point(|edit| edit.range().end <= start);
            if removals.get(next).is_some_and(|edit| edit.range().start <= start) {
                continue;
            }
            edits.push(self.used(name, meanings)?);
        }
        Patch::new(disjoint(edits))
    }

    /// The edit that replaces one use.
    fn used(&self, name: NodeId, meanings: &[Meaning]) -> Option<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let named = QualifiedName::around(unit, name);
        let parent = tree.node(named.node).parent;
        if tree.kind(parent) == NodeKind::UsingDeclaration {
            return Some(unit.delete(tree.range(parent)));
        }
        let elements = |list: NodeId| tree.named_children(list).collect::<Vec<NodeId>>();
        let of_scope = named.scope.and_then(|scope| self.arguments_of(scope)).map(elements);
        let (meaning, mut known) = self.meant(meanings, of_scope.as_deref())?;
        let item = self.entities.item(meaning.item);
        if let Some(head) = TemplateHead::of(unit, item.node) {
            let arguments = named.arguments.map(elements);
            self.bind(&head, &arguments.unwrap_or_default(), &mut known)?;
        }
        let prefix = named.prefix(unit);
        let class = item.parent.and_then(|parent| self.entities.item(parent).declares.first());
        let around = |id: NodeId| {
            let is_member = |meant| self.entities.scope(meant) == class.copied();
            let meant = self.entities.meant(id).filter(|&meant| item.is_member && is_member(meant));
            prefix.as_ref().filter(|_| meant.is_some()).map(|text| [text, unit.text(id)].concat())
        };
        let mut text = substituted(unit, meaning.node, meaning.range.clone(), &known, &around)?;
        if meaning.is_open && !is_alone(unit, named.node) {
            text = [b"(", &text[..], b")"].concat();
        }
        steps(text.len());
        Some(Edit::replace(unit.file, tree.range(named.node), text))
    }

    /// The list of arguments in a qualifier.
    fn arguments_of(&self, scope: NodeId) -> Option<NodeId> {
        let tree = self.unit.tree;
        let scope = match tree.kind(scope) {
            NodeKind::DependentName => tree.named_children(scope).next()?,
            _ => scope,
        };
        let is_template = tree.kind(scope) == NodeKind::TemplateType;
        is_template.then(|| tree.field(scope, NodeField::Arguments)).flatten()
    }

    /// The declaration that a use means, and the arguments for the parameters of the class around it.
    fn meant<'m>(
        &self,
        meanings: &'m [Meaning],
        given: Option<&[NodeId]>,
    ) -> Option<(&'m Meaning, Arguments<'a>)> {
        let mut best: Option<(usize, &Meaning, Arguments<'a>)> = None;
        for meaning in meanings {
            let class = self.entities.item(meaning.item).parent;
            let found = match (class.and_then(|class| self.class_head(class)), given) {
                (Some((head, None)), Some(given)) => {
                    let mut known = Arguments::new();
                    self.bind(&head, given, &mut known).map(|()| (0, known))
                }
                (Some((head, Some(special))), Some(given)) => {
                    fitted(self.unit, &head, special, given)
                }
                _ => Some((0, Arguments::new())),
            };
            let Some((rank, known)) = found else { continue };
            if best.as_ref().is_none_or(|(least, ..)| rank > *least) {
                best = Some((rank, meaning, known));
            }
        }
        best.map(|(_, meaning, known)| (meaning, known))
    }

    /// The head of a class template, and the arguments of a specialisation.
    fn class_head(&self, class: ItemId) -> Option<(TemplateHead, Option<NodeId>)> {
        let item = self.entities.item(class);
        let head = TemplateHead::of(self.unit, item.node)?;
        let name = self.unit.tree.field(item.inner, NodeField::Name)?;
        Some((head, self.arguments_of(name)))
    }

    /// Lets arguments stand for the parameters of a template. `None` if there are too few.
    fn bind(&self, head: &TemplateHead, given: &[NodeId], known: &mut Arguments<'a>) -> Option<()> {
        let unit = self.unit;
        for (index, &parameter) in head.parameters.iter().enumerate() {
            let name = template_parameter_name(unit, parameter).map(|name| unit.text(name));
            let argument = if is_pack(unit.tree.kind(parameter)) {
                let rest = given.get(index..).unwrap_or_default().iter();
                let rest: Vec<&[u8]> = rest.map(|&argument| unit.text(argument)).collect();
                TemplateArgument::Pack(rest.join(b", ".as_slice()))
            } else if let Some(&argument) = given.get(index) {
                TemplateArgument::One(unit.text(argument).to_vec())
            } else {
                let default = default_argument(unit, parameter)?;
                let range = unit.tree.range(default);
                TemplateArgument::One(substituted(unit, default, range, known, &|_| None)?)
            };
            if let Some(name) = name {
                known.insert(name, argument);
            }
        }
        Some(())
    }
}

fn is_pointer(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::PointerDeclarator
            | NodeKind::ReferenceDeclarator
            | NodeKind::AbstractPointerDeclarator
            | NodeKind::AbstractReferenceDeclarator
            | NodeKind::PointerTypeDeclarator
    )
}

/// Returns whether a value is one word, or a name with its qualifiers.
fn is_word(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::True | NodeKind::False | NodeKind::QualifiedIdentifier | NodeKind::Null
    )
}

/// Returns whether a value needs no parentheses in the place of a node.
fn is_alone(unit: Unit<'_>, node: NodeId) -> bool {
    matches!(
        unit.tree.kind(unit.tree.node(node).parent),
        NodeKind::InitDeclarator
            | NodeKind::ReturnStatement
            | NodeKind::FieldDeclaration
            | NodeKind::ParenthesizedExpression
    )
}
