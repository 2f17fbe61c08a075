//! Removes images and samplers, from parameter to parameter: what is read from them becomes 0, what is
//! written to them goes.
//!
//! before:
//! ```cl
//! int4 g(read_only image2d_t j, int2 c) { return read_imagei(j, c); }
//! kernel void f(read_only image2d_t i, write_only image2d_t o) { write_imagei(o, 0, g(i, 1)); h(); }
//! ```
//! after:
//! ```cl
//! int4 g(int2 c) { return 0; }
//! kernel void f() { h(); }
//! ```

use std::collections::BTreeSet;

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::Unit;
use crate::budget::Budget;
use crate::edit::{remove_declaration, remove_expression};
use crate::pass::{OPENCL, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, SymbolId, SymbolKind, Symbols};

pub(crate) const PASS: Pass = Pass::new(
    "images",
    "Remove images and samplers, and what reads and writes them",
    OPENCL,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let symbols = snapshot.symbols(unit.file);
        let images = symbols.ids().filter(|&id| is_image(unit, symbols, id));
        for id in images {
            let patch = removal(snapshot, unit, id, proposals).and_then(Patch::new);
            proposals.extend(patch.map(Proposal::new));
        }
    }
}

/// The number of functions through which an image is followed.
const MOST_SYMBOLS: Budget = Budget::new("functions that one image is passed to", 64);

fn is_image(unit: Unit<'_>, symbols: &Symbols, id: SymbolId) -> bool {
    matches!(symbols.get(id).kind, SymbolKind::Parameter | SymbolKind::Variable)
        && image_type(unit, symbols, id).is_some()
}

/// The name of the type of an image or a sampler; `None` for everything else.
pub(crate) fn image_type<'a>(unit: Unit<'a>, symbols: &Symbols, id: SymbolId) -> Option<&'a [u8]> {
    let tree = unit.tree;
    let declared = |&name: &NodeId| {
        let declaration =
            tree.parent(name).filter(|&node| tree.field(node, NodeField::Type).is_some());
        let declaration = declaration.or_else(|| tree.parent(tree.parent(name)?));
        let name = unit.text(tree.field(declaration?, NodeField::Type)?);
        let is_image = name.starts_with(b"image") && name.ends_with(b"_t") || name == b"sampler_t";
        is_image.then_some(name)
    };
    symbols.get(id).declarations.iter().find_map(declared)
}

/// The edits that remove an image, and the parameters that it is passed to.
fn removal(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    image: SymbolId,
    proposals: &mut Proposals,
) -> Option<Vec<Edit>> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let (mut edits, mut seen) = (Vec::new(), BTreeSet::from([image]));
    let mut open = vec![image];
    while let Some(id) = open.pop() {
        let symbol = symbols.get(id);
        if symbol.opaque || !proposals.allow(&MOST_SYMBOLS, seen.len()) {
            return None;
        }
        for &name in &symbol.declarations {
            edits.push(remove_declaration(tree, unit.file, name)?);
        }
        for &name in &symbol.uses {
            let list =
                tree.parent(name).filter(|&node| tree.kind(node) == NodeKind::ArgumentList)?;
            let call = tree.parent(list)?;
            match tree.field(call, NodeField::Function).and_then(|name| symbols.of(name)) {
                Some(function) => {
                    let index = tree.named_children(list).position(|argument| argument == name)?;
                    for parameter in parameters(unit, symbols, function, index)? {
                        if seen.insert(parameter) {
                            open.push(parameter);
                        }
                    }
                    edits.push(Edit::delete_element(unit.file, tree.range(name)));
                }
                None => {
                    // `read_imagef(i, s, c).x` is 0 as well.
                    let picked = tree
                        .parent(call)
                        .filter(|&above| tree.kind(above) == NodeKind::FieldExpression);
                    edits.push(remove_expression(tree, unit.file, picked.unwrap_or(call)));
                }
            }
        }
    }
    Some(edits)
}

/// The symbols of one parameter in all declarations of a function; `None` where one has no name.
fn parameters(
    unit: Unit<'_>,
    symbols: &Symbols,
    function: SymbolId,
    index: usize,
) -> Option<Vec<SymbolId>> {
    let tree = unit.tree;
    let of = |&name: &NodeId| {
        let list = tree.field(tree.parent(name)?, NodeField::Parameters)?;
        let declaration = tree.named_children(list).nth(index)?;
        let named = tree.subtree(declaration).filter_map(|node| symbols.of(node));
        named.into_iter().find(|&id| symbols.get(id).kind == SymbolKind::Parameter)
    };
    symbols.get(function).declarations.iter().map(of).collect()
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
    fn samplers_and_images_one_by_one() {
        let source = "constant sampler_t s = 1; void f(image1d_t i, image2d_t j) \
            { x = read_imagef(i, s, 1).x + get_image_width(j); }";
        check(
            source,
            &["s,"],
            "constant sampler_t s = 1; void f(image1d_t i) { x = read_imagef(i, s, 1).x + 0; }",
        );
        check(source, &["j)"], "void f(image2d_t j) { x = 0 + get_image_width(j); }");
    }

    #[test]
    fn images_that_go_elsewhere_stay() {
        let source = "void f(image1d_t i) { x = i; }";
        check(source, &[], source);
    }
}
