//! Moves one member of a class to the scope around it, with all its uses.

use clreduce_language::{EntityId, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use super::Program;
use crate::edit::{disjoint, edited};

impl Program<'_> {
    /// The patch that moves a member before its class, or behind it where it mentions the class.
    pub(super) fn moved(&self, class_item: ItemId, id: ItemId) -> Option<Patch> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let (class, member) = (entities.item(class_item), entities.item(id));
        let (&class_entity, &entity) = (class.declares.first()?, member.declares.first()?);
        if !self.can_move(id, class_entity) {
            return None;
        }
        let mut edits = self.used(class_entity, id)?;
        let outside = self.defined_outside(entity);
        let parts = [&[id], &outside[..]].concat();
        // Without one, the program is not smaller.
        let has_gain = !edits.is_empty() || self.friend(member).is_some();
        let range = entities.range(tree, id);
        match self.freed(id, class_entity, !class.is_member) {
            Some(freed) => edits.extend(freed),
            None if member.kind == ItemKind::Variable && !outside.is_empty() => {}
            None => return None,
        }
        let is_static = |word: NodeId| unit.text(word) == b"static";
        if !has_gain
            || member.kind == ItemKind::Variable && !tree.children(member.inner).any(is_static)
        {
            return None;
        }
        for &part in &outside {
            edits.extend(self.freed(part, class_entity, true)?);
        }
        let parameters = self.parameters(class_item);
        // What a nested class defines outside has the head of the outer class as well.
        for &part in self.outside.get(&entity).into_iter().flatten() {
            if !parameters.is_empty() && self.mentions(part, &parameters) {
                return None;
            }
            edits.extend(self.without_head(part, class_entity));
        }
        let mut is_behind = false;
        for &part in &parts {
            if self.mentions(part, &parameters) {
                return None;
            }
            let needs_class = self.needs_class(part, class_entity, &member.declares)?;
            is_behind |= part == id && needs_class;
        }
        let mut patch = Vec::new();
        let (inside, others): (Vec<Edit>, Vec<Edit>) =
            disjoint(edits).into_iter().partition(|edit| range.contains(&edit.range().start));
        if member.kind != ItemKind::Variable || outside.is_empty() {
            let whole = entities.range(tree, class_item);
            let at = if is_behind { whole.end } else { whole.start };
            let text = [b" ", &edited(unit, range.clone(), &inside)[..], b" "].concat();
            patch.push(Edit::replace(unit.file, at..at, text));
        }
        patch.push(unit.delete(range));
        patch.extend(others);
        Patch::new(patch)
    }

    /// Returns whether a member is the only thing of its name in its class, has a name, and is not the class itself.
    fn can_move(&self, id: ItemId, class: EntityId) -> bool {
        let (tree, entities) = (self.unit.tree, self.entities);
        let member = entities.item(id);
        let is_anonymous = member.kind == ItemKind::Type
            && self.specifier(id).is_some_and(|it| tree.field(it, NodeField::Name).is_none());
        let is_other = |&other: &ItemId| other != id && !entities.item(other).is_outside;
        let mut declarations =
            member.declares.first().into_iter().flat_map(|&entity| entities.declarations(entity));
        !is_anonymous
            && !member.declares.contains(&class)
            && !tree.has_error(member.node)
            && !declarations.any(is_other)
    }

    /// The edits of all uses of a member.
    fn used(&self, class: EntityId, id: ItemId) -> Option<Vec<Edit>> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let item = entities.item(id);
        let mut edits = Vec::new();
        for entity in &item.declares {
            for &name in self.uses.get(entity).into_iter().flatten() {
                let Some(scope) = self.qualifier(name) else { continue };
                let last = tree.subtree(scope).find(|&at| entities.meant(at) == Some(class))?;
                edits.push(self.unqualified(last)?);
            }
        }
        if item.kind == ItemKind::Function && self.friend(item).is_none() {
            let &entity = item.declares.first()?;
            let name = entities.name(entity);
            let accesses = self.accesses.get(name).map_or(&[][..], Vec::as_slice);
            if !accesses.is_empty() && entities.named(name).len() != 1 {
                return None;
            }
            for &access in accesses {
                let field = tree.field(access, NodeField::Field)?;
                edits.push(unit.delete(tree.range(access).start..tree.range(field).start));
            }
        }
        Some(edits)
    }

    /// Returns whether a member mentions its class. `None` if it mentions other members of it, or `this`.
    fn needs_class(&self, part: ItemId, class: EntityId, own: &[EntityId]) -> Option<bool> {
        let (tree, entities) = (self.unit.tree, self.entities);
        let node = entities.item(part).node;
        let after = tree.node(node).after;
        if tree.subtree(node).any(|id| tree.kind(id) == NodeKind::This) {
            return None;
        }
        let references = entities.references();
        let first = references.partition_point(|&(name, _)| name < node);
        let mut needs = false;
        let inside = references[first..].iter().take_while(|&&(name, _)| name < after);
        for &(name, entity) in inside {
            let is_qualified =
                tree.node(tree.node(name).parent).kind == NodeKind::QualifiedIdentifier;
            let is_other = entities.scope(entity) == Some(class) && !own.contains(&entity);
            let is_constructor = is_other && entities.name(entity) == entities.name(class);
            if is_other && !is_constructor && !is_qualified {
                return None;
            }
            needs |= entity == class && self.unqualified(name).is_none() || is_other;
        }
        Some(needs)
    }
}
