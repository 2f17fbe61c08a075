//! Simplifies how vectors are made: a literal to one value in every lane, components of components to
//! components, components of a literal to a shorter literal, components to a single one.
//!
//! before:
//! ```cl
//! int2 f(int4 v) { return (int4)(1, 2, 3, 4).s01 + v.wzyx.yx; }
//! ```
//! after:
//! ```cl
//! int2 f(int4 v) { return (int2)(1) + v.zw; }
//! ```

use clreduce_language::{
    NodeField, NodeKind, Number, Types, component_name, components, vector_literal,
};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, lanes_in_list};
use crate::budget::Budget;
use crate::edit::is_smaller;
use crate::pass::{OPENCL, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "vector-literals",
    "Simplify vector literals and the components picked from vectors",
    OPENCL,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let types = snapshot.types(unit.file);
        for (id, kind) in unit.sound() {
            match kind {
                NodeKind::CallExpression => {
                    splats(unit, types, id, proposals);
                }
                NodeKind::FieldExpression => {
                    let in_list = lanes_in_list(snapshot, unit, id);
                    proposals.extend(picked(unit, types, id, in_list.is_some()));
                }
                _ => {}
            }
        }
    }
}

/// Elements of a literal that are tried in every lane.
const MOST_ELEMENTS: Budget = Budget::new("elements of one vector literal", 4);
/// The depth to which literals in literals are looked into.
const MOST_DEPTH: usize = 4;

/// `(int4)(a, b, c, d)` with one of its elements in every lane.
fn splats(unit: Unit<'_>, types: &Types, literal: NodeId, proposals: &mut Proposals) {
    let tree = unit.tree;
    let (Some((list, elements)), Some(whole)) =
        (elements(unit, literal), types.of(literal).number())
    else {
        return;
    };
    if elements.len() < 2 && !elements.iter().any(|&one| vector_literal(tree, one).is_some()) {
        return;
    }
    let inside = tree.range(list).start + 1..tree.range(list).end - 1;
    let mut seen: Vec<&[u8]> = Vec::new();
    let mut fitting: Vec<NodeId> = Vec::new();
    for element in elements.into_iter().filter_map(|element| filling(unit, types, element, whole)) {
        let is_new = !seen.contains(&unit.text(element));
        if is_new && proposals.allow(&MOST_ELEMENTS, fitting.len() + 1) {
            seen.push(unit.text(element));
            fitting.push(element);
        }
    }
    let kept = |element: NodeId| unit.keep(inside.clone(), tree.range(element));
    let alone = fitting
        .into_iter()
        .zip(0..)
        .map(|(element, list)| Proposal::new(kept(element)).in_list(list))
        .filter(|proposal| !proposal.patch.is_empty());
    proposals.extend(alone);
}

/// What of an element alone makes a vector: it fills every lane, or all of them; else its own first element.
fn filling(unit: Unit<'_>, types: &Types, element: NodeId, whole: Number) -> Option<NodeId> {
    let mut element = element;
    for _ in 0..MOST_DEPTH {
        let of = types.of(element).number()?;
        if of.lanes == 1 || of.lanes == whole.lanes {
            return Some(element);
        }
        element = *elements(unit, element)?.1.first()?;
    }
    None
}

/// The argument list and elements of a vector literal.
fn elements(unit: Unit<'_>, literal: NodeId) -> Option<(NodeId, Vec<NodeId>)> {
    vector_literal(unit.tree, literal)?;
    let list = unit.tree.field(literal, NodeField::Arguments)?;
    Some((list, unit.tree.named_children(list).collect()))
}

fn picked(unit: Unit<'_>, types: &Types, id: NodeId, is_in_list: bool) -> Vec<Proposal> {
    let tree = unit.tree;
    let parts = || {
        let (argument, name) =
            (tree.field(id, NodeField::Argument)?, tree.field(id, NodeField::Field)?);
        let of = types.of(argument).number()?;
        let lanes = components(std::str::from_utf8(unit.text(name)).ok()?, of.lanes)?;
        Some((argument, name, of, lanes))
    };
    let Some((argument, name, of, lanes)) = parts() else { return Vec::new() };
    let mut proposals = Vec::new();
    let result = Number { lanes: lanes.len() as u8, ..of };
    proposals.extend(shorter_literal(unit, types, id, argument, (lanes[0], result)));
    proposals.extend(composed(unit, types, id, argument, &lanes));
    if lanes.len() > 1 && !is_in_list {
        for (&lane, list) in lanes.iter().take(2).zip(3..) {
            let one = component_name(&[lane]).into_bytes();
            let edit = Edit::replace(unit.file, tree.range(name), one);
            proposals.push(Proposal::edit(edit).in_list(list));
        }
    }
    proposals
}

/// `((long16)(a, …)).s01` as `(long2)(a)`, and with one component as `(a)`; `a` is what the first of these
/// lanes holds.
fn shorter_literal(
    unit: Unit<'_>,
    types: &Types,
    id: NodeId,
    argument: NodeId,
    (lane, result): (u8, Number),
) -> Option<Proposal> {
    let tree = unit.tree;
    let mut literal = argument;
    for _ in 0..MOST_DEPTH {
        if tree.kind(literal) == NodeKind::ParenthesizedExpression {
            literal = tree.named_children(literal).next()?;
        }
    }
    let (_, elements) = elements(unit, literal)?;
    let mut before = 0;
    let held = elements.iter().copied().find(|&element| {
        before += types.of(element).number().map_or(1, |of| of.lanes);
        before > lane
    });
    // One element alone is in every lane.
    let held = held.or(elements.first().copied())?;
    let first = filling(unit, types, held, result)?;
    let whole = tree.range(id);
    let prefix = if result.lanes > 1 { format!("({})(", result.name()) } else { "(".to_owned() };
    let element = tree.range(first);
    let edits = vec![
        Edit::replace(unit.file, whole.start..element.start, prefix.into_bytes()),
        Edit::replace(unit.file, element.end..whole.end, b")".as_slice()),
    ];
    Patch::new(edits).map(Proposal::new)
}

/// `v.wzyx.yx` as `v.zw`.
fn composed(
    unit: Unit<'_>,
    types: &Types,
    id: NodeId,
    argument: NodeId,
    lanes: &[u8],
) -> Option<Proposal> {
    let tree = unit.tree;
    if tree.kind(argument) != NodeKind::FieldExpression {
        return None;
    }
    let (inner, name) =
        (tree.field(argument, NodeField::Argument)?, tree.field(argument, NodeField::Field)?);
    let of = types.of(inner).number()?;
    let first = components(std::str::from_utf8(unit.text(name)).ok()?, of.lanes)?;
    let both: Option<Vec<u8>> =
        lanes.iter().map(|&lane| first.get(usize::from(lane)).copied()).collect();
    let text = component_name(&both?).into_bytes();
    let range = tree.range(name).start..tree.range(id).end;
    is_smaller(&text, &unit.bytes[range.clone()])
        .then(|| Proposal::edit(Edit::replace(unit.file, range, text)))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        let wrap = |text: &str| format!("void f(int4 v, struct S s) {{ {text} }}");
        assert_reduces(&PASS, Language::OPENCL, &wrap(before), keep, &wrap(after));
    }

    #[test]
    fn one_value_in_every_lane() {
        check("v = (int4)(1, v.xy, 2);", &["2)"], "v = (int4)(2);");
        check("v = ((int8)(7, v, v, 0, 0, 0)).s0246;", &["int4"], "v = (int4)(7);");
    }

    #[test]
    fn components_of_components() {
        check("v = v.wzyx.yx;", &["zw"], "v = v.zw;");
        check("v = v.wzyx;", &[], "v = v.w;");
    }

    #[test]
    fn members_are_no_components() {
        check("v = s.xy; v = v.lo.hi;", &["v . y"], "v = s.xy; v = v.y;");
    }
}
