//! Makes a declaration at another place of a member of a class: words that only members have go, and so does the class in front of
//! its name.

use std::collections::HashSet;

use clreduce_language::{EntityId, Item, ItemId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::Edit;

use super::Program;
use crate::analysis::{Head, is_name, template_parameter_name};

impl<'a> Program<'a> {
    /// The names of the parameters of a template.
    pub(super) fn parameters(&self, id: ItemId) -> HashSet<&'a [u8]> {
        let head = Head::of(self.unit, self.entities.item(id).node);
        let parameters = head.into_iter().flat_map(|head| head.parameters);
        let name = |parameter| Some(self.unit.text(template_parameter_name(self.unit, parameter)?));
        parameters.filter_map(name).collect()
    }

    /// Returns whether a member mentions a parameter of its class: one of these, or one in the head of a definition outside.
    pub(super) fn mentions(&self, member: ItemId, parameters: &HashSet<&[u8]>) -> bool {
        let (unit, tree) = (self.unit, self.unit.tree);
        let item = self.entities.item(member);
        let own = if item.is_outside { self.parameters(member) } else { HashSet::new() };
        if own.is_empty() && parameters.is_empty() {
            return false;
        }
        let mut names = tree.subtree(item.inner).filter(|&id| is_name(tree.kind(id)));
        names.any(|id| {
            let text = unit.text(id);
            (parameters.contains(text) || own.contains(text)) && !self.is_in_qualifier(id)
        })
    }

    /// Returns whether a name stands in the arguments of what stands before `::`.
    fn is_in_qualifier(&self, name: NodeId) -> bool {
        let tree = self.unit.tree;
        let mut around = tree.ancestors(name).take(4);
        around.any(|id| {
            tree.kind(id) == NodeKind::TemplateType && tree.node(id).field == Some(NodeField::Scope)
        })
    }

    /// The edits of a member of a class that make it a declaration at another place. `None` if it can only be a member.
    pub(super) fn freed(&self, id: ItemId, class: EntityId, to_file: bool) -> Option<Vec<Edit>> {
        let (unit, tree, entities) = (self.unit, self.unit.tree, self.entities);
        let item = entities.item(id);
        let name = entities.name(*item.declares.first()?);
        let has_definition =
            || !item.is_outside && !self.defined_outside(item.declares[0]).is_empty();
        let mut edits = Vec::new();
        match item.kind {
            ItemKind::Type | ItemKind::Alias => return Some(edits),
            ItemKind::Function => {
                let is_special = matches!(name.first(), Some(b'~'))
                    || name.starts_with(b"operator")
                    || name == entities.name(class);
                match self.friend(item) {
                    Some(word) => edits.push(word),
                    None if is_special => return None,
                    None => {}
                }
                edits.extend(self.words_of_declarators(item));
                edits.extend(self.pure(item.inner));
            }
            // The definition of a static member is enough.
            ItemKind::Variable if has_definition() => return None,
            ItemKind::Variable => {
                let clause = |&child: &NodeId| tree.kind(child) == NodeKind::BitfieldClause;
                let clauses = tree.children(item.inner).filter(clause);
                edits.extend(clauses.map(|clause| unit.delete(tree.range(clause))));
            }
            _ => return None,
        }
        edits.extend(self.words_of_specifiers(item, to_file));
        edits.extend(self.without_head(id, class).filter(|_| item.is_outside));
        Some(edits)
    }

    /// The edit that removes `friend` from before a function.
    pub(super) fn friend(&self, item: &Item) -> Option<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let around = tree.parent(item.inner)?;
        let is_friend = tree.kind(around) == NodeKind::FriendDeclaration;
        is_friend.then(|| unit.delete(tree.range(around).start..tree.range(item.inner).start))
    }

    /// The edits that remove the words behind the parameters of a member function, such as `const` and `override`.
    fn words_of_declarators(&self, item: &Item) -> Vec<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let inner = |&declarator: &NodeId| tree.field(declarator, NodeField::Declarator);
        let declarators = std::iter::successors(inner(&item.inner), inner);
        let functions = declarators.filter(|&it| tree.kind(it) == NodeKind::FunctionDeclarator);
        let words = functions.flat_map(|it| tree.children(it)).filter(|&word| {
            matches!(
                tree.kind(word),
                NodeKind::TypeQualifier | NodeKind::RefQualifier | NodeKind::VirtualSpecifier
            )
        });
        words.map(|word| unit.delete(tree.range(word))).collect()
    }

    /// The edits that remove `virtual` and `mutable`, and at file level `static`, from the front of a member.
    fn words_of_specifiers(&self, item: &Item, to_file: bool) -> Vec<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let words = tree.children(item.inner).filter(|&word| match tree.kind(word) {
            NodeKind::VirtualKeyword => true,
            NodeKind::StorageClassSpecifier => {
                let text = unit.text(word);
                text == b"mutable" || to_file && text == b"static"
            }
            _ => false,
        });
        words.map(|word| unit.delete(tree.range(word))).collect()
    }

    /// The definitions of a member outside of its class.
    pub(super) fn defined_outside(&self, member: EntityId) -> Vec<ItemId> {
        let declarations = self.entities.declarations(member).iter().copied();
        declarations.filter(|&id| self.entities.item(id).is_outside).collect()
    }

    /// The edit that removes the head of a class template from a definition outside of it.
    pub(super) fn without_head(&self, id: ItemId, class: EntityId) -> Option<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let node = self.entities.item(id).node;
        let head = Head::of(unit, node)?;
        let next = tree.next_named(head.list)?;
        let range = tree.range(node).start..tree.range(next).start;
        (head.parameters.len() == self.parameter_count(class)).then(|| unit.delete(range))
    }

    /// The number of parameters of a class template.
    fn parameter_count(&self, class: EntityId) -> usize {
        let declaration = self.entities.declarations(class).first();
        let head = declaration.and_then(|&id| Head::of(self.unit, self.entities.item(id).node));
        head.map_or(usize::MAX, |head| head.parameters.len())
    }

    /// The `= 0` of a function that is purely virtual.
    fn pure(&self, function: NodeId) -> Option<Edit> {
        let tree = self.unit.tree;
        let value = tree.field(function, NodeField::DefaultValue)?;
        let is_equal = |&child: &NodeId| tree.kind(child) == NodeKind::Equal;
        let equal = tree.children(function).find(is_equal)?;
        Some(self.unit.delete(tree.range(equal).start..tree.range(value).end))
    }

    /// The edit that removes the name of a class, with its arguments, from before `::`. `None` if it stands elsewhere.
    pub(super) fn unqualified(&self, name: NodeId) -> Option<Edit> {
        let (unit, tree) = (self.unit, self.unit.tree);
        let mut scope = name;
        for kind in [NodeKind::TemplateType, NodeKind::DependentName] {
            let parent = tree.parent(scope)?;
            if tree.kind(parent) == kind && tree.node(scope).field != Some(NodeField::Scope) {
                scope = parent;
            }
        }
        let whole = tree.parent(scope)?;
        let is_qualifier = tree.node(scope).field == Some(NodeField::Scope)
            && tree.kind(whole) == NodeKind::QualifiedIdentifier;
        let mut rest = tree.field(whole, NodeField::Name).filter(|_| is_qualifier)?;
        let around = tree.parent(whole)?;
        let is_last = tree.kind(rest) != NodeKind::QualifiedIdentifier;
        if tree.kind(rest) == NodeKind::DependentName {
            rest = tree.named_children(rest).next()?;
        }
        let start = match tree.kind(around) {
            NodeKind::UsingDeclaration if is_last => return Some(unit.delete(tree.range(around))),
            NodeKind::DependentType if is_last => tree.range(around).start,
            _ => tree.range(scope).start,
        };
        Some(unit.delete(start..tree.range(rest).start))
    }

    /// The scope that qualifies a name: `A` in `A::f`.
    pub(super) fn qualifier(&self, name: NodeId) -> Option<NodeId> {
        let tree = self.unit.tree;
        let mut at = name;
        for _ in 0..4 {
            let parent = tree.parent(at)?;
            let is_qualified = tree.kind(parent) == NodeKind::QualifiedIdentifier;
            match tree.field(parent, NodeField::Scope) {
                Some(scope) if is_qualified && scope != at => return Some(scope),
                _ if is_qualified => at = parent,
                _ if matches!(
                    tree.kind(parent),
                    NodeKind::TemplateType | NodeKind::TemplateFunction | NodeKind::DependentName
                ) =>
                {
                    at = parent;
                }
                _ => return None,
            }
        }
        None
    }
}
