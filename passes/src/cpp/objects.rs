//! Replaces the object whose member is used by a smaller one of the same class: a variable, or one that is made there.
//!
//! The class is that which declares the member, if only one has a member of that name. A constructor gets `{}` for each parameter
//! that it needs. Where a new object takes the place of all that a variable holds, the variable goes with what else uses it.
//!
//! before:
//! ```cpp
//! struct A { int f(); }; struct B { A a[2]; B *next; void add(int); };
//! int g(B b, A a) { return b.next->a[1].f(); } int h() { B b; b.add(1); return b.next->a[1].f(); }
//! ```
//! after:
//! ```cpp
//! struct A { int f(); }; struct B { A a[2]; B *next; void add(int); };
//! int g(B b, A a) { return a.f(); } int h() { return A().f(); }
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use clreduce_language::{EntityId, ItemKind, NodeField, NodeId, NodeKind, SymbolId, SymbolKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Spelling, Unit, name_in, parameter_list, parameters};
use crate::edit::{is_smaller, remove_declaration, without};
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppObjects;

/// Variables of one class that are looked at, and scopes around a class.
const MOST_VARIABLES: usize = 32;
const DEEPEST: usize = 16;

impl Pass for CppObjects {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-objects",
            "Replace the object of a member by a variable of its class, or by a new one",
            CPP,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let (entities, symbols) = (snapshot.entities(unit.file), snapshot.symbols(unit.file));
            let objects = Objects::new(Spelling { unit, entities, symbols });
            let mut new_objects: BTreeMap<EntityId, Option<Vec<u8>>> = BTreeMap::new();
            let mut holders: BTreeMap<SymbolId, Vec<Edit>> = BTreeMap::new();
            let tree = unit.tree;
            let accesses = tree.ids().filter(|&id| tree.kind(id) == NodeKind::FieldExpression);
            for access in accesses.filter(|&id| !tree.has_error(id)) {
                let Some((object, class)) = objects.read(access) else { continue };
                let variable = objects.variable(class, access).map(<[u8]>::to_vec);
                let new = new_objects.entry(class).or_insert_with(|| objects.new_object(class));
                let new = new.clone();
                for (text, list) in [(variable, 0), (new, 1)] {
                    let Some(text) = text else { continue };
                    let range = tree.range(object);
                    if is_smaller(&text, &unit.bytes[range.clone()]) {
                        let name = tree.field(access, NodeField::Field);
                        let end = name.map_or(range.end, |name| tree.range(name).start);
                        let text = [&text[..], b"."].concat();
                        let edit = Edit::replace(unit.file, range.start..end, text);
                        if list == 1 {
                            for symbol in objects.holders(object) {
                                holders.entry(symbol).or_default().push(edit.clone());
                            }
                        }
                        proposals.push(Proposal::edit(edit).in_list(list));
                    }
                }
            }
            let without = |(symbol, edits)| without_holder(snapshot, unit, symbol, edits);
            let patches = holders.into_iter().filter_map(without);
            proposals.extend(patches.map(|patch| Proposal::new(patch).in_list(2)));
        }
    }
}

/// The edits that put new objects in the place of those that a variable holds, with those that remove the variable.
fn without_holder(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    symbol: SymbolId,
    mut edits: Vec<Edit>,
) -> Option<Patch> {
    let symbol = snapshot.symbols(unit.file).get(symbol);
    if symbol.opaque || symbol.kind != SymbolKind::Variable {
        return None;
    }
    let objects: Vec<Range<usize>> = edits.iter().map(Edit::range).collect();
    let is_in_object = |name: &NodeId| {
        let at = unit.tree.range(*name).start;
        objects.iter().any(|object| object.contains(&at))
    };
    let others = symbol.uses.iter().filter(|name| !is_in_object(name));
    edits.extend(others.map(|&name| without(snapshot, unit.file, name)));
    for &name in &symbol.declarations {
        edits.push(remove_declaration(unit.tree, unit.file, name)?);
    }
    Patch::new(edits)
}

/// The objects of one file.
struct Objects<'a> {
    spelling: Spelling<'a>,
    /// By the name of a class, the variables and parameters of that type.
    variables: HashMap<&'a [u8], Vec<SymbolId>>,
}

impl<'a> Objects<'a> {
    fn new(spelling: Spelling<'a>) -> Self {
        let mut variables: HashMap<&[u8], Vec<SymbolId>> = HashMap::new();
        for id in spelling.symbols.ids() {
            let symbol = spelling.symbols.get(id);
            if matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter)
                && let Some(&name) = symbol.declarations.first()
                && let Some(of) = spelling.of_variable(name).filter(|of| of.pointers == 0)
            {
                variables.entry(of.base).or_default().push(id);
            }
        }
        Self { spelling, variables }
    }

    /// The object of an access to a member, and the class of the member.
    fn read(&self, access: NodeId) -> Option<(NodeId, EntityId)> {
        let (tree, entities) = (self.spelling.unit.tree, self.spelling.entities);
        let object = tree.field(access, NodeField::Argument)?;
        let name = tree.field(access, NodeField::Field)?;
        let class = entities.scope(self.spelling.member(name)?)?;
        let is_plain = |&id| !entities.item(id).is_template;
        let declarations = entities.declarations(class);
        declarations.iter().all(is_plain).then_some((object, class))
    }

    /// The variables that an object is read from.
    fn holders(&self, object: NodeId) -> BTreeSet<SymbolId> {
        let tree = self.spelling.unit.tree;
        tree.subtree(object).filter_map(|id| self.spelling.symbols.of(id)).collect()
    }

    /// The name of a variable of a class that can be used at a node.
    fn variable(&self, class: EntityId, at: NodeId) -> Option<&'a [u8]> {
        let Spelling { unit, entities, symbols } = self.spelling;
        let variables = self.variables.get(entities.name(class))?;
        let mut names = variables.iter().take(MOST_VARIABLES).filter_map(|&id| {
            let declared = *symbols.get(id).declarations.first()?;
            let name = unit.text(declared);
            let is_seen = declared < at && symbols.lookup(unit.tree, name, at) == Some(id);
            is_seen.then_some(name)
        });
        names.next_back()
    }

    /// The text that makes an object of a class.
    fn new_object(&self, class: EntityId) -> Option<Vec<u8>> {
        let name = self.name(class)?;
        let given = vec![&b"{}"[..]; self.needed_arguments(class)];
        Some([&name[..], b"(", &given.join(&b", "[..]), b")"].concat())
    }

    /// The number of arguments that the constructor needs that needs fewest; none if none is declared.
    fn needed_arguments(&self, class: EntityId) -> usize {
        let Spelling { unit, entities, .. } = self.spelling;
        let tree = unit.tree;
        let classes =
            entities.declarations(class).iter().map(|&id| tree.range(entities.item(id).node));
        let members = classes.flat_map(|range| entities.ids_in(tree, range));
        let needed = members.filter_map(|id| {
            let item = entities.item(id);
            let is_member = item.kind == ItemKind::Function && item.comes_with_class;
            let name = name_in(unit, tree.field(item.inner, NodeField::Declarator)?);
            let is_constructor = is_member && unit.text(name) == entities.name(class);
            let list = parameter_list(tree, name).filter(|_| is_constructor)?;
            let needed = parameters(tree, list).into_iter();
            Some(needed.filter(|&id| tree.kind(id) == NodeKind::ParameterDeclaration).count())
        });
        needed.min().unwrap_or(0)
    }

    /// The name of a class with all scopes around it.
    fn name(&self, class: EntityId) -> Option<Vec<u8>> {
        let entities = self.spelling.entities;
        let around = std::iter::successors(Some(class), |&at| entities.scope(at));
        let names = around.take(DEEPEST).map(|at| entities.name(at));
        let mut names: Vec<&[u8]> = names.filter(|name| !name.is_empty()).collect();
        names.reverse();
        let is_named = !entities.name(class).is_empty();
        is_named.then(|| names.join(&b"::"[..]))
    }
}
