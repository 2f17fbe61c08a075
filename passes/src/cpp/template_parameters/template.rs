//! One template: what it consists of, and the edits that remove some of its parameters.

use std::collections::HashSet;
use std::ops::Range;

use clreduce_language::{EntityId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, steps};

use super::file::TemplateFile;
use super::parameter::replace_uses;
use crate::analysis::{
    DEEPEST, TemplateHead, Unit, constraint, default_argument, is_closed, is_name, is_pack,
    name_in, template_parameter_name, with_semicolon,
};

/// Uses of one template of which one with plain arguments is looked for.
const MOST_USES: usize = 32;

pub(super) struct Template<'a> {
    unit: Unit<'a>,
    concepts: &'a HashSet<&'a [u8]>,
    /// The heads of the template itself: of all its declarations.
    heads: Vec<TemplateHead>,
    /// The heads of its specialisations, and of members that are defined outside, with the arguments behind its name there.
    others: Vec<(TemplateHead, NodeId, bool)>,
    uses: &'a [NodeId],
    instantiations: &'a [NodeId],
    /// The arguments that stand for the parameters, where it is not what stands for them otherwise.
    pub(super) given: Vec<Option<Vec<u8>>>,
}

impl<'a> Template<'a> {
    pub(super) fn new(file: &'a TemplateFile<'a>, entity: EntityId) -> Self {
        let TemplateFile { unit, entities, uses, outside, concepts, instantiations, .. } = file;
        let (unit, tree) = (*unit, unit.tree);
        let uses = uses.get(&entity).map_or(&[][..], Vec::as_slice);
        let instantiations = instantiations.get(&entity).map_or(&[][..], Vec::as_slice);
        let mut template = Self {
            unit,
            concepts,
            heads: Vec::new(),
            others: Vec::new(),
            uses,
            instantiations,
            given: Vec::new(),
        };
        let arguments_in = |node: NodeId| {
            let after = tree.node(node).after;
            let first = uses.partition_point(|&list| list < node);
            uses.get(first).copied().filter(|&list| list < after)
        };
        for &id in entities.declarations(entity) {
            let item = entities.item(id);
            let Some(head) = TemplateHead::of(unit, item.node) else { continue };
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
            if let Some((head, arguments)) =
                TemplateHead::of(unit, item.node).zip(arguments_in(item.inner))
            {
                template.others.push((head, arguments, false));
            }
        }
        template
    }

    /// The arguments of the first use outside of templates, if there is one.
    pub(super) fn arguments_of_use(&self) -> Option<Vec<Option<Vec<u8>>>> {
        let unit = self.unit;
        let is_special =
            |list: &NodeId| self.others.iter().any(|(_, arguments, _)| arguments == list);
        let uses = self.uses.iter().take(MOST_USES).filter(|list| !is_special(list));
        let closed = uses.copied().find(|&list| is_closed(unit, list));
        let arguments = closed.into_iter().flat_map(|list| unit.tree.named_children(list));
        let given: Vec<_> = arguments.map(|argument| Some(unit.text(argument).to_vec())).collect();
        (!given.is_empty()).then_some(given)
    }

    pub(super) fn count(&self) -> usize {
        self.heads.iter().map(|head| head.parameters.len()).max().unwrap_or(0)
    }

    /// The edits that remove some parameters, and whether the template uses them.
    pub(super) fn without(&self, indices: Range<usize>) -> Option<(Vec<Edit>, bool)> {
        let unit = self.unit;
        let tree = unit.tree;
        let mut edits = Vec::new();
        let mut is_used = false;
        let is_all = indices.len() == self.count();
        for head in &self.heads {
            let parameters = head.parameters.get(indices.clone())?;
            let whole = tree.node(head.list).parent;
            if is_all {
                edits.extend(without_head(unit, head)?);
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
        if is_all {
            let whole = self.instantiations.iter().map(|&it| with_semicolon(tree, it));
            edits.extend(whole.map(|range| unit.delete(range)));
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
        (head, arguments, is_specialised): &(TemplateHead, NodeId, bool),
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
            edits.extend(without_head(unit, head)?);
        }
        let gone: Vec<NodeId> = self.removed(*arguments, indices).collect();
        let mut parameters = head.parameters.clone();
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
                parameters.retain(|&it| it != parameter);
            }
        }
        let is_left = |argument: &NodeId| !gone.contains(argument);
        let left: Vec<NodeId> = tree.named_children(*arguments).filter(is_left).collect();
        // What is left of a specialisation may be the same as the template.
        let names = parameters.iter().map(|&it| template_parameter_name(unit, it));
        let is_same = |(argument, name): (NodeId, Option<NodeId>)| {
            let text = unit.text(argument).strip_suffix(b"...").unwrap_or(unit.text(argument));
            name.is_some_and(|name| text.trim_ascii_end() == unit.text(name))
        };
        if *is_specialised
            && left.len() == parameters.len()
            && left.into_iter().zip(names).all(is_same)
        {
            edits.push(unit.delete(with_semicolon(tree, whole)));
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

    /// The text that takes the place of a parameter once it is gone.
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
                _ if constraint(unit, self.concepts, parameter).is_some() => b"int",
                _ => b"0",
            },
        }
    }
}

/// The edits that remove the head of a template, with its constraints.
fn without_head(unit: Unit<'_>, head: &TemplateHead) -> Option<Vec<Edit>> {
    let tree = unit.tree;
    let is_clause = |&id: &NodeId| tree.kind(id) == NodeKind::RequiresClause;
    let mut behind = std::iter::successors(tree.next_named(head.list), |&at| tree.next_named(at));
    let inner = behind.find(|id| !is_clause(id))?;
    let whole = tree.range(tree.node(head.list).parent);
    let mut edits = vec![unit.delete(whole.start..tree.range(inner).start)];
    let declarator = |&at: &NodeId| tree.field(at, NodeField::Declarator);
    let declarators = std::iter::successors(declarator(&inner), declarator).take(DEEPEST);
    let clauses = declarators.flat_map(|at| tree.named_children(at)).filter(is_clause);
    edits.extend(clauses.map(|clause| unit.delete(tree.range(clause))));
    Some(edits)
}
