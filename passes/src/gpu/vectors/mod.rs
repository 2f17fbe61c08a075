//! Makes vectors narrower, wherever their values flow: `int16` becomes `int8`, or `int` at once.
//!
//! Types, vector literals, components, conversions, loads and stores that values of one vector reach
//! change in one patch. Where the types do not explain what flows, nothing is proposed.
//!
//! before:
//! ```cl
//! int4 g(int4 a) { return a + (int4)(1, 2, 3, 4).wzyx; } int f(void) { int4 v = g((int4)(5)); return v.w; }
//! ```
//! after:
//! ```cl
//! int g(int a) { return a + (int4)(1, 2, 3, 4).w; } int f(void) { int v = g((int)(5)); return v; }
//! ```

mod edits;

use std::collections::{BTreeMap, HashMap};

use clreduce_language::{
    Flow, NodeField, NodeKind, Number, Shape, Types, components, is_vector, vector_literal,
};
use clreduce_testcase::{Feature, Patch};

use crate::budget::Budget;
use crate::pass::{Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, Symbols, SyntaxTree};

pub(crate) const PASS: Pass = Pass::new(
    "vectors",
    "Make vectors narrower or scalar, wherever their values flow",
    &[Feature::Vectors],
    propose,
)
.growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        for_file(snapshot, file, proposals);
    }
}

/// The number of lanes that the classes of slots are to have.
type Targets = BTreeMap<NodeId, u8>;

/// The number of classes that are proposed one by one. A literal with many elements is read for each of theirs.
const MOST_CLASSES: Budget = Budget::new("vectors that change on their own", 64);

fn for_file(snapshot: &Snapshot, file: usize, proposals: &mut Proposals) {
    let mut narrower = Narrower {
        file,
        bytes: snapshot.bytes(file),
        tree: snapshot.tree(file),
        symbols: snapshot.symbols(file),
        types: snapshot.types(file),
        flow: snapshot.flow(file),
        affected: Vec::new(),
        by_class: HashMap::new(),
    };
    narrower.affected =
        snapshot.tree(file).ids().filter(|&node| narrower.is_affected(node)).collect();
    if !narrower.affected.iter().all(|&node| narrower.is_readable(node)) {
        return;
    }
    narrower.by_class = narrower.by_class();
    let classes = narrower.classes();
    let few = proposals.limited(&MOST_CLASSES, &classes);
    let mut propose = |targets: &Targets, list: u32| {
        let patch = narrower.edits(targets).filter(|edits| !edits.is_empty()).and_then(Patch::new);
        proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
    };
    if classes.len() > 1 {
        propose(&classes.keys().map(|&class| (class, 1)).collect(), 0);
    }
    for (list, to) in [(1, (|_| 1) as fn(u8) -> u8), (2, |lanes| lanes.next_power_of_two() / 2)] {
        for &(&class, &lanes) in &few {
            // To one lane is what the list before did.
            if list == 1 || to(lanes) > 1 {
                propose(&Targets::from([(class, to(lanes))]), list);
            }
        }
    }
}

struct Narrower<'a> {
    file: usize,
    bytes: &'a [u8],
    tree: &'a SyntaxTree,
    symbols: &'a Symbols,
    types: &'a Types,
    flow: &'a Flow,
    /// The nodes that may change with a class.
    affected: Vec<NodeId>,
    /// Of those, the ones that have to do with each class.
    by_class: HashMap<NodeId, Vec<NodeId>>,
}

impl Narrower<'_> {
    fn is_affected(&self, node: NodeId) -> bool {
        match self.tree.kind(node) {
            NodeKind::TypeIdentifier | NodeKind::Identifier => {
                self.named(node).is_some() || self.called(node).is_some()
            }
            NodeKind::FieldExpression => self
                .tree
                .field(node, NodeField::Argument)
                .is_some_and(|of| is_vector(self.types.of(of))),
            NodeKind::CallExpression => {
                vector_literal(self.tree, node).is_some() && is_vector(self.types.of(node))
            }
            _ => false,
        }
    }

    fn text(&self, node: NodeId) -> &str {
        std::str::from_utf8(&self.bytes[self.tree.range(node)]).unwrap_or("")
    }

    /// The number that a node names as a type, no name of a typedef.
    fn named(&self, node: NodeId) -> Option<Number> {
        let is_name =
            matches!(self.tree.kind(node), NodeKind::TypeIdentifier | NodeKind::Identifier);
        let number = Number::named(self.text(node)).filter(|number| number.lanes > 1)?;
        (is_name && self.symbols.of(node).is_none()).then_some(number)
    }

    /// Every class of slots that can become narrower, and its lanes.
    fn classes(&self) -> Targets {
        let mut classes = Targets::new();
        let sound = self.affected.iter().filter(|&&node| self.tree.is_sound(node));
        for &node in sound {
            let lanes = match self.tree.kind(node) {
                NodeKind::TypeIdentifier | NodeKind::Identifier => match self.named(node) {
                    Some(number) => Some(number.lanes),
                    None => self.called(node).map(|(_, lanes)| lanes),
                },
                NodeKind::FieldExpression => {
                    let picked = self.types.of(node).number().map_or(1, |number| number.lanes);
                    let name = self.tree.field(node, NodeField::Field);
                    if let Some(class) = name.and_then(|name| self.flow.lanes.sure(name))
                        && picked > 1
                    {
                        classes.insert(class, picked);
                    }
                    None
                }
                _ => None,
            };
            if let (Some(lanes), Some(class)) = (lanes, self.flow.lanes.sure(node)) {
                classes.insert(class, lanes);
            }
        }
        classes.retain(|_, lanes| *lanes > 1);
        classes
    }

    /// A function whose name says how many lanes it has to do with.
    fn called(&self, node: NodeId) -> Option<(Shape, u8)> {
        if self.tree.node(node).field != Some(NodeField::Function)
            || self.symbols.of(node).is_some()
        {
            return None;
        }
        let shape = Shape::of(self.text(node))?;
        let lanes = match shape {
            Shape::Converted(number) | Shape::Reinterpreted(number) => number.lanes,
            Shape::Loaded(lanes) | Shape::Stored(lanes) => lanes,
            _ => return None,
        };
        (lanes > 1).then_some((shape, lanes))
    }

    /// Returns true if the components that an access names can be read, if it is one to components.
    fn is_readable(&self, node: NodeId) -> bool {
        if self.tree.kind(node) != NodeKind::FieldExpression {
            return true;
        }
        let parts = || {
            let argument = self.tree.field(node, NodeField::Argument)?;
            let number = self.types.of(argument).number().filter(|number| number.lanes > 1)?;
            Some((self.tree.field(node, NodeField::Field)?, number.lanes))
        };
        parts().is_none_or(|(name, lanes)| components(self.text(name), lanes).is_some())
    }

    /// The affected nodes of each class: those whose own slot is in it, or that of one of their parts.
    fn by_class(&self) -> HashMap<NodeId, Vec<NodeId>> {
        let mut by_class: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        for &node in &self.affected {
            let mut slots = vec![Some(node)];
            match self.tree.kind(node) {
                NodeKind::FieldExpression => {
                    let argument = self.tree.field(node, NodeField::Argument);
                    slots.push(argument.and_then(|argument| self.types.of(argument).slot));
                    slots.push(self.tree.field(node, NodeField::Field));
                }
                NodeKind::CallExpression => {
                    slots.push(self.types.of(node).slot);
                    let list = self.tree.field(node, NodeField::Arguments).into_iter();
                    let elements = list.flat_map(|list| self.tree.named_children(list));
                    slots.extend(elements.map(|element| self.types.of(element).slot));
                }
                _ => {}
            }
            for class in slots.into_iter().flatten().filter_map(|slot| self.flow.lanes.sure(slot)) {
                let nodes = by_class.entry(class).or_default();
                if nodes.last() != Some(&node) {
                    nodes.push(node);
                }
            }
        }
        by_class
    }

    fn target(&self, targets: &Targets, slot: Option<NodeId>) -> Option<u8> {
        targets.get(&self.flow.lanes.sure(slot?)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::{assert_reduces, reduce_with};

    #[test]
    fn all_that_a_vector_flows_through() {
        assert_reduces(
            &PASS,
            Language::OPENCL,
            "typedef long16 V; struct S { int a; V v; }; long16 g(long16 x);\n\
             V g(V p) { return min(p, (V)(1, (long8)(2), (long4)(3), p.s012.xy, p.hi.s0)); }\n\
             long f(struct S *s, __global long16 *q) { struct S t = { 1, (long16)(7) };\n\
             V v = g(*q); v.s5 = 1; *s = t; return (v.s3 + convert_long16(q[1]) < 2).sa; }",
            &[],
            "typedef long V; struct S { int a; V v; }; long g(long x);\n\
             V g(V p) { return min(p, (V)(1)); }\n\
             long f(struct S *s, __global long *q) { struct S t = { 1, (long)(7) };\n\
             V v = g(*q); v = 1; *s = t; return (v + convert_long(q[1]) < 2); }",
        );
    }

    #[test]
    fn half_of_the_lanes() {
        let source =
            "void f(void) { int8 v = (int8)(1, (int4)(2), 3, 4, 5); int2 w = v.s67; w = v.hi.lo; }";
        assert_reduces(
            &PASS,
            Language::OPENCL,
            source,
            &["int4 v", "int2 w"],
            "void f(void) { int4 v = (int4)(1); int2 w = v.zw; w = v.xy.xy; }",
        );
    }

    #[test]
    fn what_flows_elsewhere_stays() {
        for source in [
            "void f(void) { int4 v = g(); }",
            "void f(int4 v) { g(v); }",
            "void f(int4 v) { *(int2 *)&v = 0; }",
            "void f(int4 v) { short8 w = as_short8(v); }",
            "#define M v = w\nvoid f(int4 v, int2 w) { M; v.x = 1; }",
            "void f(int4 v) { v[0] = 1; }",
        ] {
            assert_eq!(reduce_with(&PASS, source, Language::OPENCL, |_| true), source);
        }
    }
}
