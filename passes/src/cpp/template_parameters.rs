//! Removes parameters of templates together with their arguments in every use.
//!
//! A parameter that the template uses is replaced there by its default argument, else by `int` or `0`; the elements that a
//! parameter pack expands to are removed. Without parameters, a template is a plain class, function, alias or variable, and its
//! specialisations go: that is the first list. The next ones have single parameters, those first that the template does not
//! use. The last one has all parameters again, with the arguments of the first use that names no other parameter.
//!
//! before:
//! ```cpp
//! template <class T, bool B = true> struct A { T t; static const bool b = B; };
//! template <class T> struct A<T, false> { T u; };
//! template <class T> void f(A<T, true> a) { }
//! ```
//! after:
//! ```cpp
//! struct A { int t; static const bool b = true; };
//! void f(A a) { }
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_language::{Entities, EntityId, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch, steps};

use super::deduction::deduced;
use crate::analysis::{
    Head, Spelling, Unit, argument_lists, default_argument, is_closed, is_name, is_pack, name_in,
    outside_members, template_parameter_name, with_semicolon,
};
use crate::budget::Budget;
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppTemplateParameters;

/// The parameters of one template that are looked at: for each, all uses of the template are.
const MOST: Budget = Budget::new("parameters of one template", 16);

/// Uses of one template of which one with plain arguments is looked for.
const MOST_USES: usize = 32;

impl Pass for CppTemplateParameters {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-template-parameters",
            "Remove parameters of templates with their arguments",
            CPP,
        )
        .growing()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let entities = snapshot.entities(unit.file);
            let uses = argument_lists(unit, entities);
            let outside = outside_members(entities);
            let symbols = snapshot.symbols(unit.file);
            let spelling = Spelling { unit, entities, symbols };
            let names = called_names(unit, entities);
            let mut seen: HashSet<EntityId> = HashSet::new();
            for id in entities.ids() {
                let item = entities.item(id);
                let Some(&entity) = item.declares.first() else { continue };
                if !item.is_template || item.is_outside || !seen.insert(entity) {
                    continue;
                }
                let mut template = Template::new(unit, entities, entity, &uses, &outside);
                let count = template.count();
                if let Some((edits, _)) = template.without(0..count) {
                    proposals.extend(Patch::new(edits).map(Proposal::new));
                }
                let indices = proposals.limited(&MOST, 0..count);
                for index in indices.into_iter().filter(|_| count > 1) {
                    let Some((edits, is_used)) = template.without(index..index + 1) else {
                        continue;
                    };
                    // With the first one in a list of its own, a group never leaves an empty list.
                    let list = if index == 0 { 3 } else { 1 + u32::from(is_used) };
                    let patch = Patch::new(edits);
                    proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
                }
                let calls = names.get(&entity).map_or(&[][..], Vec::as_slice);
                let written = template.arguments_of_use().into_iter();
                for given in written.chain(deduced(&spelling, entity, calls)) {
                    template.given = given;
                    if let Some((edits, true)) = template.without(0..count) {
                        let patch = Patch::new(edits).map(|patch| Proposal::new(patch).in_list(4));
                        proposals.extend(patch);
                    }
                }
            }
        }
    }
}

struct Template<'a> {
    unit: Unit<'a>,
    /// The heads of the template itself: of all its declarations.
    heads: Vec<Head>,
    /// The heads of its specialisations, and of members that are defined outside, with the arguments behind its name there.
    others: Vec<(Head, NodeId, bool)>,
    uses: &'a [NodeId],
    /// The arguments that stand for the parameters, where it is not what stands for them otherwise.
    given: Vec<Option<Vec<u8>>>,
}

impl<'a> Template<'a> {
    fn new(
        unit: Unit<'a>,
        entities: &Entities,
        entity: EntityId,
        uses: &'a HashMap<EntityId, Vec<NodeId>>,
        outside: &HashMap<EntityId, Vec<ItemId>>,
    ) -> Self {
        let tree = unit.tree;
        let uses = uses.get(&entity).map_or(&[][..], Vec::as_slice);
        let mut template =
            Self { unit, heads: Vec::new(), others: Vec::new(), uses, given: Vec::new() };
        let arguments_in = |node: NodeId| {
            let after = tree.node(node).after;
            let first = uses.partition_point(|&list| list < node);
            uses.get(first).copied().filter(|&list| list < after)
        };
        for &id in entities.declarations(entity) {
            let item = entities.item(id);
            let Some(head) = Head::of(unit, item.node) else { continue };
            // A specialisation has arguments behind its name, a friend of the same name has not.
            let name = match item.kind {
                ItemKind::Type => tree.field(item.inner, NodeField::Name),
                ItemKind::Function | ItemKind::Variable => {
                    tree.field(item.inner, NodeField::Declarator).map(|it| name_in(unit, it))
                }
                _ => None,
            };
            match name.and_then(arguments_in) {
                Some(arguments) => template.others.push((head, arguments, true)),
                None => template.heads.push(head),
            }
        }
        for &id in outside.get(&entity).into_iter().flatten() {
            let item = entities.item(id);
            if let Some((head, arguments)) = Head::of(unit, item.node).zip(arguments_in(item.inner))
            {
                template.others.push((head, arguments, false));
            }
        }
        template
    }

    /// The arguments of the first use outside of templates, if there is one.
    fn arguments_of_use(&self) -> Option<Vec<Option<Vec<u8>>>> {
        let unit = self.unit;
        let is_special =
            |list: &NodeId| self.others.iter().any(|(_, arguments, _)| arguments == list);
        let uses = self.uses.iter().take(MOST_USES).filter(|list| !is_special(list));
        let closed = uses.copied().find(|&list| is_closed(unit, list));
        let arguments = closed.into_iter().flat_map(|list| unit.tree.named_children(list));
        let given: Vec<_> = arguments.map(|argument| Some(unit.text(argument).to_vec())).collect();
        (!given.is_empty()).then_some(given)
    }

    /// The number of parameters.
    fn count(&self) -> usize {
        self.heads.iter().map(|head| head.parameters.len()).max().unwrap_or(0)
    }

    /// The edits that remove some parameters, and whether the template uses them.
    fn without(&self, indices: Range<usize>) -> Option<(Vec<Edit>, bool)> {
        let unit = self.unit;
        let tree = unit.tree;
        let mut edits = Vec::new();
        let mut is_used = false;
        let is_all = indices.len() == self.count();
        for head in &self.heads {
            let parameters = head.parameters.get(indices.clone())?;
            let whole = tree.node(head.list).parent;
            if is_all {
                let inner = tree.next_named(head.list)?;
                edits.push(unit.delete(tree.range(whole).start..tree.range(inner).start));
            }
            for (&parameter, index) in parameters.iter().zip(indices.clone()) {
                if !is_all {
                    edits.push(Edit::delete_element(unit.file, tree.range(parameter)));
                }
                let value = self.value(index, parameter);
                is_used |= replace_uses(unit, whole, parameter, value, &mut edits)?;
            }
        }
        for other in &self.others {
            is_used |= self.without_in(other, &indices, is_all, &mut edits)?;
        }
        steps(self.uses.len());
        for &list in self.uses {
            if is_all {
                edits.push(unit.delete(tree.range(list)));
            } else {
                let gone = self.removed(list, &indices);
                edits.extend(gone.map(|it| Edit::delete_element(unit.file, tree.range(it))));
            }
        }
        // What goes as a whole is not replaced.
        let gone: HashSet<Range<usize>> =
            edits.iter().filter(|edit| edit.text.is_empty()).map(Edit::range).collect();
        edits.retain(|edit| edit.text.is_empty() || !gone.contains(&edit.range()));
        Some((edits, is_used)).filter(|(edits, _)| !edits.is_empty())
    }

    /// Removes parameters from what has a head of its own. Those of that head go that are in no other argument.
    fn without_in(
        &self,
        (head, arguments, is_specialised): &(Head, NodeId, bool),
        indices: &Range<usize>,
        is_all: bool,
        edits: &mut Vec<Edit>,
    ) -> Option<bool> {
        let unit = self.unit;
        let tree = unit.tree;
        let whole = tree.node(head.list).parent;
        if is_all && *is_specialised {
            edits.push(unit.delete(with_semicolon(tree, whole)));
            return Some(true);
        }
        let mut is_used = false;
        if is_all {
            let inner = tree.next_named(head.list)?;
            edits.push(unit.delete(tree.range(whole).start..tree.range(inner).start));
        }
        let gone: Vec<NodeId> = self.removed(*arguments, indices).collect();
        for &parameter in &head.parameters {
            let Some(name) = template_parameter_name(unit, parameter) else { continue };
            let inside = |list: NodeId| {
                let names = tree.subtree(list).filter(|&id| is_name(tree.kind(id)));
                names.filter(|&id| unit.text(id) == unit.text(name)).count()
            };
            let in_gone: usize = gone.iter().map(|&argument| inside(argument)).sum();
            if in_gone > 0 && inside(*arguments) == in_gone {
                edits.push(Edit::delete_element(unit.file, tree.range(parameter)));
                let value = self.value(indices.start, parameter);
                is_used |= replace_uses(unit, whole, parameter, value, edits)?;
            }
        }
        Some(is_used)
    }

    /// The arguments that belong to parameters.
    fn removed(&self, list: NodeId, indices: &Range<usize>) -> impl Iterator<Item = NodeId> {
        let tree = self.unit.tree;
        let has_pack = self.heads.iter().any(|head| {
            let parameters = head.parameters.get(indices.clone()).unwrap_or_default();
            parameters.iter().any(|&it| is_pack(tree.kind(it)))
        });
        let count = if has_pack { usize::MAX } else { indices.len() };
        tree.named_children(list).skip(indices.start).take(count)
    }

    /// What stands for a parameter once it is gone.
    fn value(&self, index: usize, parameter: NodeId) -> &[u8] {
        let unit = self.unit;
        if let Some(Some(given)) = self.given.get(index) {
            return given;
        }
        let same = self.heads.iter().filter_map(|head| head.parameters.get(index));
        match same.copied().find_map(|it| default_argument(unit, it)) {
            Some(default) => unit.text(default),
            None => match unit.tree.kind(parameter) {
                NodeKind::TypeParameterDeclaration | NodeKind::OptionalTypeParameterDeclaration => {
                    b"int"
                }
                _ => b"0",
            },
        }
    }
}

/// By entity, its names that stand where a function is called without arguments for a template.
fn called_names(unit: Unit<'_>, entities: &Entities) -> HashMap<EntityId, Vec<NodeId>> {
    let tree = unit.tree;
    let mut names: HashMap<EntityId, Vec<NodeId>> = HashMap::new();
    for &(name, entity) in entities.references() {
        let is_callee = |id: NodeId| tree.node(id).field == Some(NodeField::Function);
        let parent = tree.node(name).parent;
        let is_last = tree.kind(parent) == NodeKind::QualifiedIdentifier
            && tree.node(name).field == Some(NodeField::Name);
        if is_callee(name) || is_last && is_callee(parent) {
            names.entry(entity).or_default().push(name);
        }
    }
    names
}

/// What stands for as many elements as a pack has: an argument, or a parameter such as `A<Ts>... ts`.
fn is_expansion(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::ParameterPackExpansion | NodeKind::VariadicParameterDeclaration)
}

/// Replaces what uses a parameter in its template. Returns whether anything does; `None` if it cannot be replaced.
fn replace_uses(
    unit: Unit<'_>,
    template: NodeId,
    parameter: NodeId,
    value: &[u8],
    edits: &mut Vec<Edit>,
) -> Option<bool> {
    let tree = unit.tree;
    let kind = tree.kind(parameter);
    let Some(name) = template_parameter_name(unit, parameter) else {
        return (kind != NodeKind::TemplateTemplateParameterDeclaration).then_some(false);
    };
    let mut is_used = false;
    let own = tree.range(parameter);
    for id in tree.subtree(template) {
        if !is_name(tree.kind(id)) || unit.text(id) != unit.text(name) {
            continue;
        }
        let range = tree.range(id);
        let node = tree.node(id);
        let is_qualified = node.field == Some(NodeField::Name)
            && tree.kind(node.parent) == NodeKind::QualifiedIdentifier;
        if own.start <= range.start && range.end <= own.end || is_qualified {
            continue;
        }
        is_used = true;
        if is_pack(kind) {
            let mut around = tree.ancestors(id).take_while(|&at| at > template).take(32);
            let expansion = around.find(|&at| is_expansion(tree.kind(at)))?;
            edits.push(Edit::delete_element(unit.file, tree.range(expansion)));
        } else {
            edits.push(Edit::replace(unit.file, range, value.to_vec()));
        }
    }
    Some(is_used)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn arguments_go_from_every_use() {
        let before = "template <class, class T> struct A { T t; };\nA<int, A<char, long>> a;\n\
                      template <int N, class... Ts> int f(A<int, Ts>... ts) { return N; }\n";
        let after = "template <class T> struct A { T t; };\nA<A<long>> a;\nint f() { return 0; }\n";
        let keep = ["T t", "long", "f("];
        assert_reduces(&CppTemplateParameters, Language::Cpp, before, &keep, after);
    }

    #[test]
    fn calls_give_the_types_of_their_arguments() {
        let before = "struct A { char *c; short g() const; } v;\nusing L = long; typedef L *P; P p();\n\
                      template <class T> int a(T x) { return sizeof(T); }\n\
                      template <class T, class U> int b(const T *x, U &&y) { return sizeof(T) + sizeof(U); }\n\
                      template <class T> int c(T x) { return a(x); }\n\
                      template <class T> int d(T x) { return sizeof(T); }\n\
                      int f(unsigned u) { return a(*p()) + b(&v, v.c) + c(u + 1) + d(v.g()); }\n";
        let case = TestCase::single("a.cc", before.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case.clone(), Language::Cpp);
        let proposals = Proposals::of(&CppTemplateParameters, &snapshot).list;
        let deduced = proposals.iter().filter(|proposal| proposal.list == 4);
        let texts: Vec<String> = deduced
            .map(|proposal| {
                let bytes = case.apply(&proposal.patch).files()[0].bytes.to_vec();
                String::from_utf8(bytes).unwrap()
            })
            .collect();
        for expected in [
            "int a(long x) { return sizeof(long); }",
            "int b(const A *x, char* &&y) { return sizeof(A) + sizeof(char*); }",
            "int d(short x) { return sizeof(short); }",
        ] {
            assert!(texts.iter().any(|text| text.contains(expected)), "{expected}: {texts:#?}");
        }
        assert_eq!(texts.len(), 3, "the sum of a variable and a number is not known");
    }
}
