//! Removes elements of lists together with their commas: arguments, parameters, initialisers,
//! enumerators, members, and declarators where a declaration has several; in C++ also the initialisers of a constructor.
//!
//! before:
//! ```c
//! enum E { A, B = 2, C }; int a = 1, b[] = { 1, 2, 3 };
//! ```
//! after:
//! ```c
//! enum E { A, C }; int a = 1, b[] = { 1, 2, 3 };
//! ```

use clreduce_language::{NodeField, NodeKind, declared_name, vector_literal};
use clreduce_testcase::{Edit, Feature};

use crate::analysis::{Lists, MOST_DECLARATIONS, Unit, parameter_list};
use crate::edit::is_smaller;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, SymbolKind};

pub(crate) const PASS: Pass = Pass::new(
    "list-elements",
    "Remove arguments, parameters, initialisers, enumerators, members and declarators",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let is_cpp = snapshot.language().has(Feature::Classes);
    for unit in Unit::all(snapshot) {
        let levels = levels(unit);
        let aggregates = snapshot.aggregates(unit.file);
        let lists = Lists::of_parameters(unit.tree);
        for (id, kind) in unit.sound() {
            let Some(elements) = elements(unit, id, is_cpp) else { continue };
            let level = levels[id.0 as usize];
            if kind == NodeKind::FieldInitializerList {
                let whole = Edit::delete(unit.file, unit.tree.range(id));
                proposals.push(Proposal::edit(whole).in_list(level));
            }
            // Members and their values can only go together.
            if aggregates.explain(unit.tree, id) || must_stay(unit, id) {
                continue;
            }
            let fixed = match kind {
                NodeKind::ArgumentList => {
                    arguments_of_parameters(snapshot, unit, id, &lists, proposals)
                }
                NodeKind::ParameterList => parameters_with_arguments(snapshot, unit, id),
                _ => 0,
            };
            match (kind, elements.as_slice()) {
                (NodeKind::InitializerList, [only]) if is_cpp => {
                    let edit = Edit::delete(unit.file, unit.tree.range(*only));
                    proposals.push(Proposal::edit(edit).in_list(level));
                    continue;
                }
                // Braces must not be empty: a `0` takes the place of the last initialiser.
                (NodeKind::InitializerList, [only]) if !is_smaller(b"0", unit.text(*only)) => {
                    continue;
                }
                // The colon goes with the last one.
                (NodeKind::FieldInitializerList | NodeKind::EnumeratorList, [_]) => continue,
                _ => {}
            }
            let is_separated = kind != NodeKind::FieldDeclarationList;
            let may_go = |element: &NodeId| !is_cpp || !is_used(snapshot, unit, *element);
            let edits = elements.into_iter().skip(fixed).filter(may_go).map(|element| {
                let range = unit.tree.range(element);
                let delete = if is_separated { Edit::delete_element } else { Edit::delete };
                delete(unit.file, range)
            });
            proposals.extend(edits.map(|edit| Proposal::edit(edit).in_list(level)));
        }
    }
}

/// The elements of a list, or the declarators of a declaration; `None` for anything else.
fn elements(unit: Unit<'_>, id: NodeId, is_cpp: bool) -> Option<Vec<NodeId>> {
    Some(match unit.tree.kind(id) {
        // In C++, another pass removes members, with their definitions elsewhere.
        NodeKind::FieldDeclarationList if is_cpp => return None,
        NodeKind::ArgumentList
        | NodeKind::ParameterList
        | NodeKind::InitializerList
        | NodeKind::FieldInitializerList
        | NodeKind::EnumeratorList
        | NodeKind::FieldDeclarationList
        | NodeKind::GnuAsmOutputOperandList
        | NodeKind::GnuAsmInputOperandList
        | NodeKind::GnuAsmClobberList
        | NodeKind::PreprocParams => unit.tree.named_children(id).collect(),
        NodeKind::Declaration | NodeKind::FieldDeclaration | NodeKind::TypeDefinition => {
            declarators(unit, id)
        }
        _ => return None,
    })
}

/// Returns true for a list that C++ does not have without its elements: what is caught, where an object is placed, and the only
/// argument of a variable, which would become a function.
fn must_stay(unit: Unit<'_>, list: NodeId) -> bool {
    let tree = unit.tree;
    let node = tree.node(list);
    match tree.kind(node.parent) {
        NodeKind::CatchClause => true,
        NodeKind::NewExpression => node.field == Some(NodeField::Placement),
        NodeKind::InitDeclarator if node.kind == NodeKind::ArgumentList => {
            tree.named_children(list).take(2).count() < 2
        }
        _ => false,
    }
}

/// The number of elements of an argument list that can only go together with a parameter, which is the business
/// of a pass that knows names.
fn arguments_of_parameters(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    list: NodeId,
    known: &Lists<'_>,
    proposals: &mut Proposals,
) -> usize {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let call = tree.node(list).parent;
    if vector_literal(tree, call).is_some() {
        return usize::MAX; // or a cast of what stands in parentheses
    }
    let Some(function) = tree.field(call, NodeField::Function) else { return 0 };
    let Some(symbol) = symbols.of(function) else {
        // All built-in functions of OpenCL but one know how many arguments they have. In C++, every function does.
        let is_declared = match snapshot.language() {
            language if language.has(Feature::OpenClWords) => unit.text(function) != b"printf",
            language => language.has(Feature::Classes),
        };
        return if is_declared { usize::MAX } else { 0 };
    };
    let declared = proposals.limited(&MOST_DECLARATIONS, &symbols.get(symbol).declarations);
    let lists = declared.into_iter().filter_map(|&name| parameter_list(tree, name));
    lists.map(|list| known.get(list).len()).max().unwrap_or(0)
}

/// The number of elements of a parameter list that can only go together with arguments: all of a function's.
fn parameters_with_arguments(snapshot: &Snapshot, unit: Unit<'_>, list: NodeId) -> usize {
    let declarator = unit.tree.field(unit.tree.node(list).parent, NodeField::Declarator);
    let is_plain = |id: NodeId| unit.tree.kind(id) != NodeKind::ParenthesizedDeclarator;
    if snapshot.language().has(Feature::Classes) && declarator.is_some_and(is_plain) {
        return usize::MAX; // in C++, a member or an operator too
    }
    let name = declarator.and_then(|declarator| declared_name(unit.tree, declarator));
    let symbol = name.and_then(|name| snapshot.symbols(unit.file).of(name));
    let kind = symbol.map(|symbol| snapshot.symbols(unit.file).get(symbol).kind);
    if kind == Some(SymbolKind::Function) { usize::MAX } else { 0 }
}

/// Returns true for a declarator or an enumerator whose name is used.
fn is_used(snapshot: &Snapshot, unit: Unit<'_>, element: NodeId) -> bool {
    let tree = unit.tree;
    let declarator = match tree.kind(element) {
        NodeKind::Enumerator => tree.field(element, NodeField::Name),
        _ if tree.node(element).field == Some(NodeField::Declarator) => Some(element),
        _ => None,
    };
    let name = declarator.and_then(|declarator| declared_name(tree, declarator));
    let symbols = snapshot.symbols(unit.file);
    let symbol = name.and_then(|name| symbols.of(name));
    symbol.is_some_and(|symbol| !symbols.get(symbol).uses.is_empty())
}

/// The number of lists around each node.
fn levels(unit: Unit<'_>) -> Vec<u32> {
    let mut levels: Vec<u32> = Vec::with_capacity(unit.tree.len());
    for id in unit.tree.ids() {
        let parent = unit.tree.node(id).parent;
        let around = levels.get(parent.0 as usize).copied().unwrap_or(0);
        levels.push(around + u32::from(unit.tree.kind(id).is_list()));
    }
    levels
}

/// The declarators of a declaration, if there are several.
fn declarators(unit: Unit<'_>, id: NodeId) -> Vec<NodeId> {
    let declarators: Vec<NodeId> = unit.tree.fields(id, NodeField::Declarator).collect();
    // A width or an attribute behind a declarator belongs to it and would be left over.
    let plain = |&node: &NodeId| {
        let end = unit.tree.range(node).end;
        let next = unit.bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
        matches!(next, Some(b',' | b';'))
    };
    if declarators.len() > 1 { declarators.into_iter().filter(plain).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::OPENCL, before, keep, after);
    }

    #[test]
    fn commas_go_with_elements() {
        check("void (*p)(int a, __global int *b, ...);", &["p)("], "void (*p)();");
        check("int a[2][2] = { { 1, 2 }, { 3, 4 }, };", &["3"], "int a[2][2] = { { 3 }, };");
        check("int a = 1, *b, c[3];", &["*b"], "int *b;");
    }

    #[test]
    fn arguments_that_have_a_parameter_stay() {
        assert_reduces(
            &PASS,
            Language::C,
            "int p(int, ...); int q(); void f(int a) { g(a, (b, a), h(b)); p(a, a), q(a), f(a); }",
            &["h("],
            "int p(int, ...); int q(); void f(int a) { g(h()); p(a), q(), f(a); }",
        );
        let same = "void f(int4 a) { a = max((int4)(1, 2, 3, 4), (int4)(get_global_id(0))); }";
        check(same, &[], same);
    }

    #[test]
    fn arguments_and_parameters_of_members_stay() {
        let same =
            "struct A { A &operator=(A &); void f(int); }; void g(A a) { a.f(1); h<int>(a); }";
        assert_reduces(&PASS, Language::CPP, same, &[], same);
        let same =
            "void f() { try { g(); } catch (A a) { } new (p) A; A a(1); int b, c = b; h(c); }";
        assert_reduces(&PASS, Language::CPP, same, &["c"], same);
        let before = "int (*p)(int, char); A *f() { return new A(1, 2); }";
        let after = "int (*p)(); A *f() { return new A(); }";
        assert_reduces(&PASS, Language::CPP, before, &[], after);
    }

    #[test]
    fn constructors_lose_initialisers() {
        let before = "struct A { A() : a(1), b{2} { } A(int) : a(1), b(2) { } };";
        let check = |keep: &[&str], after: &str| {
            assert_reduces(&PASS, Language::CPP, before, keep, after);
        };
        check(&["A(", "b {", "{ } A(int"], "struct A { A() : b{} { } A(int) { } };");
        check(&["A() {", "int", "a("], "struct A { A() { } A(int) : a() { } };");
    }

    #[test]
    fn members_that_values_do_not_fit_go_with_their_semicolon() {
        check(
            "struct S { int a; __global int *b; int c : 3; } s = { 1, 2, 3, 4 };",
            &["int a", "1, 2, 3, 4"],
            "struct S { int a; } s = { 1, 2, 3, 4 };",
        );
    }
}
