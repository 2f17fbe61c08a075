//! Replaces types by `int`: the types of variables, parameters, functions, members and casts.
//!
//! before:
//! ```c
//! unsigned long f(ulong x) { return (short)x; }
//! ```
//! after:
//! ```c
//! int f(ulong x) { return (short)x; }
//! ```

use clreduce_language::{Base, NodeField, NodeKind, Number, declared_by, declared_name};
use clreduce_testcase::Patch;

use crate::analysis::{Lists, MOST_DECLARATIONS, Unit, parameter_list};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, SymbolKind};

pub(crate) const PASS: Pass = Pass::new("types", "Replace types by int", PARSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let lists: Vec<Lists<'_>> =
        Unit::all(snapshot).map(|unit| Lists::of_parameters(unit.tree)).collect();
    let types = Unit::all_sound(snapshot).filter(|&(unit, id, kind)| {
        let is_type = matches!(
            kind,
            NodeKind::PrimitiveType
                | NodeKind::SizedTypeSpecifier
                | NodeKind::TypeIdentifier
                | NodeKind::StructSpecifier
                | NodeKind::UnionSpecifier
                | NodeKind::EnumSpecifier
                // Only C++ has these.
                | NodeKind::TemplateType
                | NodeKind::QualifiedIdentifier
                | NodeKind::DependentType
                | NodeKind::Decltype
                | NodeKind::ClassSpecifier
                | NodeKind::PlaceholderTypeSpecifier
        ) && unit.tree.node(id).field == Some(NodeField::Type);
        is_type && unit.text(id) != b"void" && may_be_int(snapshot, unit, id)
    });
    for (unit, id, _) in types {
        let proposal = to_int(snapshot, unit, id, &lists[unit.file], proposals);
        proposals.extend(proposal);
    }
}

/// Returns true if what is declared can be an `int`: a number, or a structure whose members are
/// not accessed.
fn may_be_int(snapshot: &Snapshot, unit: Unit<'_>, id: NodeId) -> bool {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let declaration = tree.node(id).parent;
    let is_scalar = |number: Number| number.lanes == 1;
    let of = snapshot.types(unit.file).of(declaration);
    match of.base {
        _ if tree.field(id, NodeField::Body).is_some() => false,
        Base::Number(_) => of.base_number().is_some_and(is_scalar),
        Base::Aggregate(_) => {
            let declarators = tree.fields(declaration, NodeField::Declarator);
            let names = declarators.filter_map(|node| symbols.of(declared_name(tree, node)?));
            let mut uses = names.flat_map(|symbol| &symbols.get(symbol).uses);
            let is_plain =
                |&name: &NodeId| tree.kind(tree.node(name).parent) != NodeKind::FieldExpression;
            uses.all(is_plain)
        }
        _ => true,
    }
}

/// Replaces a type; of a function that is declared several times, in all of its declarations.
fn to_int(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    id: NodeId,
    lists: &Lists<'_>,
    proposals: &mut Proposals,
) -> Option<Proposal> {
    let Some(others) = alike(snapshot, unit, id, lists, proposals) else {
        return unit.shrink(id, b"int");
    };
    let first = *others.first()?;
    let proposal = unit.shrink(id, b"int").filter(|_| first == id)?;
    let may_change = |&other: &NodeId| {
        let is_longer = unit.text(other) == b"int" || unit.shrink(other, b"int").is_some();
        is_longer && may_be_int(snapshot, unit, other)
    };
    if !others.iter().all(may_change) {
        return None;
    }
    let edits = others.into_iter().map(|node| unit.replace(unit.tree.range(node), b"int"));
    Some(Proposal { patch: Patch::new(edits.collect())?, ..proposal })
}

/// The types that have to be the same as this one because a function is declared several times.
fn alike(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    id: NodeId,
    lists: &Lists<'_>,
    proposals: &mut Proposals,
) -> Option<Vec<NodeId>> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let declaration = tree.node(id).parent;
    let list = tree.node(declaration).parent;
    let (declarator, index) = match tree.kind(list) {
        NodeKind::ParameterList => {
            let index = lists.place(list, declaration)?;
            (tree.node(list).parent, Some(index))
        }
        _ => (tree.field(declaration, NodeField::Declarator)?, None),
    };
    let symbol = symbols.get(symbols.of(declared_name(tree, declarator)?)?);
    let count = symbol.declarations.len();
    if symbol.kind != SymbolKind::Function
        || count < 2
        || !proposals.allow(&MOST_DECLARATIONS, count)
    {
        return None;
    }
    let types = symbol.declarations.iter().map(|&name| match index {
        Some(index) => {
            let parameter = *lists.get(parameter_list(tree, name)?).get(index)?;
            tree.field(parameter, NodeField::Type)
        }
        None => tree.field(declared_by(tree, name)?, NodeField::Type),
    });
    types.collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn what_is_longer_than_int_becomes_int() {
        assert_reduces(
            &PASS,
            Language::C,
            "struct S { long a; }; void f(struct S *s, const unsigned char c) { (float)c; T t; }",
            &[],
            "struct S { int a; }; void f(int *s, const int c) { (int)c; T t; }",
        );
        let same = "struct S { int a; }; int g(struct S *); int g(struct S *s) { return s->a; }";
        assert_reduces(&PASS, Language::C, same, &[], same);
    }

    #[test]
    fn types_of_cpp_become_int() {
        assert_reduces(
            &PASS,
            Language::CPP,
            "A<n::B> f(typename T::t a, auto b, decltype(g()) c) { n::D<int>::t d; A<long> e; }",
            &["> f", "> e"],
            "A<int> f(int a, int b, int c) { int d; A<int> e; }",
        );
    }

    #[test]
    fn all_declarations_of_a_function_stay_alike() {
        assert_reduces(
            &PASS,
            Language::C,
            "long f(short, char *); long f(short a, char *b) { return 0; }",
            &["char *)"],
            "int f(int, char *); int f(int a, char *b) { return 0; }",
        );
    }
}
