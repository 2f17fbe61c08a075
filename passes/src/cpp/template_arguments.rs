//! Flattens instances of templates: an argument takes the place of the type around it, and numbers among the arguments, such as the
//! depth of a recursion, get lower.
//!
//! Each layer of `A<B<A<B<int>>>>` goes on its own, so that several can go in one step.
//!
//! before:
//! ```cpp
//! template <class T> struct A { }; template <int N> struct B { B<N - 1> b; };
//! A<A<A<int> > > a; A<B<100> > b;
//! ```
//! after:
//! ```cpp
//! template <class T> struct A { }; template <int N> struct B { B<N - 1> b; };
//! int a; B<2> b;
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::Edit;

use crate::analysis::Unit;
use crate::edit::is_smaller;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-template-arguments",
    "Replace types by arguments of their template, and lower numbers among the arguments",
    CPP,
    propose,
);

/// Arguments of one list that may take the place of the type.
const ARGUMENTS: usize = 3;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for (unit, id, kind) in Unit::all_sound(snapshot) {
        let tree = unit.tree;
        match kind {
            NodeKind::TemplateType => {
                let Some(arguments) = tree.field(id, NodeField::Arguments) else { continue };
                let Some(whole) = whole_type(unit, id) else { continue };
                let types = tree.named_children(arguments).take(ARGUMENTS).zip(0..);
                let types = types.filter(|&(id, _)| tree.kind(id) == NodeKind::TypeDescriptor);
                let range = tree.range(whole);
                proposals.extend(types.map(|(argument, list)| {
                    let patch = unit.keep(range.clone(), tree.range(argument));
                    Proposal::new(patch).in_list(list)
                }));
            }
            NodeKind::NumberLiteral
                if tree.kind(tree.node(id).parent) == NodeKind::TemplateArgumentList =>
            {
                let text = unit.text(id);
                for (new, list) in lower(text).into_iter().zip(ARGUMENTS as u32..) {
                    if is_smaller(&new, text) {
                        let edit = Edit::replace(unit.file, tree.range(id), new);
                        proposals.push(Proposal::edit(edit).in_list(list));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The type that ends with an instance of a template, with its qualifiers. `None` where no other type may stand.
fn whole_type(unit: Unit<'_>, id: NodeId) -> Option<NodeId> {
    let tree = unit.tree;
    let mut whole = id;
    for _ in 0..16 {
        let parent = tree.parent(whole)?;
        let is_last = tree.node(whole).field == Some(NodeField::Name);
        match tree.kind(parent) {
            NodeKind::QualifiedIdentifier if is_last => whole = parent,
            NodeKind::DependentType => whole = parent,
            NodeKind::BaseClassClause => return Some(whole),
            _ => break,
        }
    }
    (tree.node(whole).field == Some(NodeField::Type)).then_some(whole)
}

/// Lower numbers for a number: the least for which a recursion goes on, the half, and the one before.
fn lower(text: &[u8]) -> Vec<Vec<u8>> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
    let Some(number) = number.filter(|&number| number > 2) else { return Vec::new() };
    let mut lower = vec![2, 3, number / 2, number - 1];
    lower.retain(|&other| other >= 2 && other < number);
    lower.sort_unstable();
    lower.dedup();
    lower.into_iter().map(|number| number.to_string().into_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::CPP, before, keep, after);
    }

    #[test]
    fn layers_go_one_by_one() {
        let before = "n::C<B<n::C<B<D>>>> x; template <class T> struct E : C<B<T>> { typename T::template X<int>::Y y; };";
        let after =
            "n::C<D> x; template <class T> struct E : B<T> { typename T::template X<int>::Y y; };";
        check(before, &["C<", "B<T>"], after);
    }

    #[test]
    fn any_argument_may_stay() {
        check("map<A<int>, B<long> &> f();", &["long"], "long &f();");
    }

    #[test]
    fn a_depth_gets_lower_step_by_step() {
        check("C<512> c;", &["C<"], "C<2> c;");
        assert_eq!(lower(b"14"), [b"2".to_vec(), b"3".to_vec(), b"7".to_vec(), b"13".to_vec()]);
        assert!(lower(b"2").is_empty() && lower(b"0x10").is_empty() && lower(b"4").len() == 2);
    }

    #[test]
    fn names_of_specialisations_stay() {
        let before = "template <class T> struct A<B<T>> { }; template <> int f<B<int>>() { }";
        let after = "template <class T> struct A<T> { }; template <> int f<int>() { }";
        check(before, &[], after);
    }
}
