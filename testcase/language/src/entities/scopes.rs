//! The scopes of a C++ file: which entity has which name in which other entity.

use std::collections::HashMap;

use clreduce_testcase::text_steps;

use super::EntityId;

/// Index of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub(super) u32);

/// What an entity is, as far as names are looked up in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityKind {
    Namespace,
    Class,
    /// Something in which no name is looked up.
    Other,
    /// The parameter of a template, which nothing declares.
    Parameter,
}

#[derive(Debug)]
struct Entity {
    name: NameId,
    scope: EntityId,
    kind: EntityKind,
    /// The namespaces whose names are found in it as well: inline ones in it, and those of using directives.
    opened: Vec<EntityId>,
    /// What it is another name for.
    alias: Option<EntityId>,
}

/// The entities by scope and name.
#[derive(Debug, Default)]
pub(super) struct EntityScopes {
    names: HashMap<Box<[u8]>, NameId>,
    spelled: Vec<Box<[u8]>>,
    of_name: Vec<Vec<EntityId>>,
    entities: Vec<Entity>,
    known: HashMap<(EntityId, NameId), EntityId>,
}

/// The most scopes around a name that are searched, and the most namespaces that one opens. Programs nest less deep.
const MOST_SCOPES: usize = 32;

impl EntityScopes {
    /// The scopes of a file in which only the global namespace is known.
    pub(super) fn new() -> Self {
        let mut scopes = Self::default();
        let name = scopes.intern(b"");
        scopes.push(EntityId(0), name, EntityKind::Namespace);
        scopes
    }

    pub(super) fn len(&self) -> usize {
        self.entities.len()
    }

    pub(super) fn name_count(&self) -> usize {
        self.spelled.len()
    }

    fn intern(&mut self, name: &[u8]) -> NameId {
        text_steps(name.len());
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let id = NameId(self.spelled.len() as u32);
        self.names.insert(name.into(), id);
        self.spelled.push(name.into());
        self.of_name.push(Vec::new());
        id
    }

    /// The name, if any entity has it.
    pub(super) fn name(&self, name: &[u8]) -> Option<NameId> {
        text_steps(name.len());
        self.names.get(name).copied()
    }

    pub(super) fn name_of(&self, entity: EntityId) -> &[u8] {
        &self.spelled[self.entities[entity.0 as usize].name.0 as usize]
    }

    pub(super) fn name_id(&self, entity: EntityId) -> NameId {
        self.entities[entity.0 as usize].name
    }

    /// The entities of a name, whatever their scope.
    pub(super) fn named(&self, name: NameId) -> &[EntityId] {
        &self.of_name[name.0 as usize]
    }

    pub(super) fn kind(&self, entity: EntityId) -> EntityKind {
        self.entities[entity.0 as usize].kind
    }

    /// The scope of an entity; `None` for the global namespace.
    pub(super) fn parent(&self, entity: EntityId) -> Option<EntityId> {
        (entity.0 != 0).then(|| self.entities[entity.0 as usize].scope)
    }

    pub(super) fn is_in_class(&self, entity: EntityId) -> bool {
        self.parent(entity).is_some_and(|scope| self.kind(scope) == EntityKind::Class)
    }

    fn push(&mut self, scope: EntityId, name: NameId, kind: EntityKind) -> EntityId {
        let id = EntityId(self.entities.len() as u32);
        self.entities.push(Entity { name, scope, kind, opened: Vec::new(), alias: None });
        self.of_name[name.0 as usize].push(id);
        id
    }

    /// Declares a name in a scope, or finds what was declared there before, in an inline namespace as well.
    pub(super) fn declare(&mut self, scope: EntityId, name: &[u8], kind: EntityKind) -> EntityId {
        let name = self.intern(name);
        let known = self.known.get(&(scope, name)).copied().or_else(|| {
            (kind != EntityKind::Namespace).then(|| self.find_in(scope, name)).flatten()
        });
        let entity = known.unwrap_or_else(|| self.push(scope, name, kind));
        self.known.insert((scope, name), entity);
        let known = &mut self.entities[entity.0 as usize].kind;
        // A specialisation may have a member with the name of a parameter of the template.
        let says_more = match *known {
            EntityKind::Other => kind != EntityKind::Parameter,
            EntityKind::Parameter => true,
            EntityKind::Namespace | EntityKind::Class => false,
        };
        if says_more {
            *known = kind;
        }
        entity
    }

    /// Lets the names of a namespace be found in another scope.
    pub(super) fn open(&mut self, scope: EntityId, namespace: EntityId) {
        let opened = &mut self.entities[scope.0 as usize].opened;
        if opened.len() < MOST_SCOPES && scope != namespace && !opened.contains(&namespace) {
            opened.push(namespace);
        }
    }

    /// Makes an entity another name for a second one.
    pub(super) fn set_alias(&mut self, entity: EntityId, of: EntityId) {
        if entity != of && self.entities[of.0 as usize].alias.is_none() {
            self.entities[entity.0 as usize].alias = Some(of);
        }
    }

    /// The entity that an alias stands for.
    pub(super) fn target(&self, entity: EntityId) -> EntityId {
        self.entities[entity.0 as usize].alias.unwrap_or(entity)
    }

    /// Looks a name up in one scope.
    pub(super) fn find_in(&self, scope: EntityId, name: NameId) -> Option<EntityId> {
        let scope = self.target(scope);
        if let Some(&found) = self.known.get(&(scope, name)) {
            return Some(found);
        }
        let mut opened = self.entities[scope.0 as usize].opened.clone();
        let mut at = 0;
        while at < opened.len().min(MOST_SCOPES) {
            if let Some(&found) = self.known.get(&(opened[at], name)) {
                return Some(found);
            }
            let more = &self.entities[opened[at].0 as usize].opened;
            let more: Vec<_> = more.iter().filter(|next| !opened.contains(next)).copied().collect();
            opened.extend(more);
            at += 1;
        }
        None
    }

    /// Looks a name up in a scope and those around it, the innermost first.
    pub(super) fn find(&self, from: EntityId, name: NameId) -> Option<EntityId> {
        let around = std::iter::successors(Some(from), |&at| self.parent(at)).take(MOST_SCOPES);
        // Where scopes nest deeper than that, the global one is among them all the same.
        let around = around.chain([EntityId(0)]);
        around.into_iter().find_map(|scope| self.find_in(scope, name))
    }
}
