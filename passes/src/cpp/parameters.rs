//! Removes parameters of members, constructors and overloaded functions of C++ with their arguments.
//!
//! Which function a call means is not known. So a parameter goes from all functions of one name that have as many parameters,
//! and its argument from all calls with as many arguments.
//!
//! before:
//! ```cpp
//! struct A { A(int, long); int f(int a) { return a + 1; } };
//! A::A(int a, long) { f(a); }
//! int main() { A a(1, 2), b{3, 4}; return a.f(1); }
//! ```
//! after:
//! ```cpp
//! struct A { A(int); int f(int a) { return a + 1; } };
//! A::A(int a) { f(a); }
//! int main() { A a(1), b{3}; return a.f(1); }
//! ```

use std::collections::BTreeMap;

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, parameters};
use crate::edit::{disjoint, without};
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppParameters;

impl Pass for CppParameters {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-parameters",
            "Remove parameters of members and overloads with their arguments in C++",
            CPP,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            for places in lists(unit).into_values().flat_map(Lists::places) {
                let mut is_used = false;
                let mut edits = Vec::new();
                for element in places.elements() {
                    edits.push(Edit::delete_element(unit.file, unit.tree.range(element)));
                }
                for &parameter in &places.parameters {
                    let uses = uses(snapshot, unit, parameter);
                    is_used |= !uses.is_empty();
                    edits.extend(uses.into_iter().map(|name| without(snapshot, unit.file, name)));
                }
                let patch = Patch::new(disjoint(edits)).map(Proposal::new);
                proposals.extend(patch.map(|proposal| proposal.in_list(u32::from(is_used))));
            }
        }
    }
}

/// The uses of a parameter.
fn uses(snapshot: &Snapshot, unit: Unit<'_>, parameter: NodeId) -> Vec<NodeId> {
    let symbols = snapshot.symbols(unit.file);
    let mut uses = Vec::new();
    for node in unit.tree.subtree(parameter) {
        let symbol = symbols.of(node).map(|id| symbols.get(id));
        let declared = symbol.filter(|symbol| {
            symbol.kind == SymbolKind::Parameter && symbol.declarations.first() == Some(&node)
        });
        uses.extend(declared.into_iter().flat_map(|symbol| symbol.uses.iter().copied()));
    }
    uses
}

/// The lists of parameters and arguments for one name and one number of elements.
#[derive(Default)]
struct Lists {
    parameters: Vec<Vec<NodeId>>,
    arguments: Vec<Vec<NodeId>>,
}

/// The elements of lists at one place.
#[derive(Default)]
struct Place {
    parameters: Vec<NodeId>,
    arguments: Vec<NodeId>,
}

impl Place {
    fn elements(&self) -> impl Iterator<Item = NodeId> {
        self.parameters.iter().chain(&self.arguments).copied()
    }
}

impl Lists {
    /// The elements by place, where there are both parameters and arguments.
    fn places(self) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        if self.arguments.is_empty() {
            return places;
        }
        for (index, list) in self.parameters.iter().flat_map(|list| list.iter().enumerate()) {
            if places.len() == index {
                places.push(Place::default());
            }
            places[index].parameters.push(*list);
        }
        for list in &self.arguments {
            for (place, argument) in places.iter_mut().zip(list) {
                place.arguments.push(*argument);
            }
        }
        places
    }
}

/// The lists of a file by name and number of elements.
fn lists(unit: Unit<'_>) -> BTreeMap<(&[u8], usize), Lists> {
    let tree = unit.tree;
    let mut lists: BTreeMap<(&[u8], usize), Lists> = BTreeMap::new();
    for (id, kind) in unit.sound() {
        let (name, list) = match kind {
            NodeKind::FunctionDeclarator => {
                (tree.field(id, NodeField::Declarator), tree.field(id, NodeField::Parameters))
            }
            NodeKind::CallExpression => {
                (tree.field(id, NodeField::Function), tree.field(id, NodeField::Arguments))
            }
            NodeKind::NewExpression => {
                (tree.field(id, NodeField::Type), tree.field(id, NodeField::Arguments))
            }
            NodeKind::CompoundLiteralExpression => {
                (tree.field(id, NodeField::Type), tree.field(id, NodeField::Value))
            }
            NodeKind::InitDeclarator => {
                let list = tree.field(id, NodeField::Value);
                (tree.field(tree.node(id).parent, NodeField::Type), list)
            }
            NodeKind::FieldInitializer => {
                let mut parts = tree.named_children(id);
                (parts.next(), parts.next())
            }
            _ => continue,
        };
        let (Some(name), Some(list)) = (name.and_then(|name| last_name(unit, name)), list) else {
            continue;
        };
        if kind == NodeKind::FunctionDeclarator {
            let elements = parameters(tree, list);
            let lists = lists.entry((name, elements.len())).or_default();
            lists.parameters.push(elements);
        } else if matches!(tree.kind(list), NodeKind::ArgumentList | NodeKind::InitializerList) {
            let elements: Vec<NodeId> = tree.named_children(list).collect();
            let lists = lists.entry((name, elements.len())).or_default();
            lists.arguments.push(elements);
        }
    }
    lists.retain(|&(_, count), _| count > 0);
    lists
}

/// The last part of a name, without template arguments: `f` of `a::b::f<int>` and of `x.f`.
fn last_name<'a>(unit: Unit<'a>, id: NodeId) -> Option<&'a [u8]> {
    let tree = unit.tree;
    let mut at = id;
    loop {
        at = match tree.kind(at) {
            NodeKind::QualifiedIdentifier
            | NodeKind::TemplateType
            | NodeKind::TemplateFunction
            | NodeKind::TemplateMethod => tree.field(at, NodeField::Name)?,
            NodeKind::FieldExpression => tree.field(at, NodeField::Field)?,
            NodeKind::DependentType | NodeKind::DependentName => tree.named_children(at).last()?,
            NodeKind::Identifier | NodeKind::TypeIdentifier | NodeKind::FieldIdentifier => {
                return Some(unit.text(at));
            }
            _ => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn arguments_go_wherever_they_stand() {
        assert_reduces(
            &CppParameters,
            Language::CPP,
            "struct A { A(int a, int b) : c(a) { } int c; }; struct B : A { B(int x) : A(1, 2) { } template <class T> void f(T, int); };
             void g() { new A(1, 2); A{3, 4}; n::A(h(5), 6); A a(7, 8); a.f<int>(9, 10); B(11); f(12); }",
            &["A(int a)", "T, int"],
            "struct A { A(int a) : c(a) { } int c; }; struct B : A { B() : A(1) { } template <class T> void f(T, int); };
             void g() { new A(1); A{3}; n::A(h(5)); A a(7); a.f<int>(9, 10); B(); f(12); }",
        );
    }
}
