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

use std::collections::{BTreeMap, HashMap};

use clreduce_language::{
    AccessKind, Flow, NodeField, NodeKind, Number, Shape, Types, component_name, components,
    is_vector, vector_literal,
};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::budget::Budget;
use crate::pass::{Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot, Symbols, SyntaxTree};

/// The pass.
pub(crate) struct Vectors;

impl Pass for Vectors {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "vectors",
            "Make vectors narrower or scalar, wherever their values flow",
            &[Feature::Vectors],
        )
        .growing()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for file in 0..snapshot.file_count() {
            for_file(snapshot, file, proposals);
        }
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

    /// The patch that makes the classes as narrow as they are to be; `None` where it cannot be done.
    fn edits(&self, targets: &Targets) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let one = || targets.keys().next().and_then(|class| self.by_class.get(class));
        let nodes = if targets.len() == 1 { one()? } else { &self.affected };
        for &node in nodes {
            match self.tree.kind(node) {
                NodeKind::TypeIdentifier | NodeKind::Identifier => {
                    if let Some(lanes) = self.target(targets, Some(node)) {
                        self.rename(node, lanes, &mut edits)?;
                    }
                }
                NodeKind::FieldExpression => self.components(node, targets, &mut edits)?,
                NodeKind::CallExpression => self.literal(node, targets, &mut edits)?,
                _ => {}
            }
        }
        Some(edits)
    }

    /// A type name, or a function named after one.
    fn rename(&self, node: NodeId, lanes: u8, edits: &mut Vec<Edit>) -> Option<()> {
        let range = self.tree.range(node);
        if let Some(number) = self.named(node) {
            let name = Number { lanes, ..number }.name();
            edits.push(Edit::replace(self.file, range, name.into_bytes()));
            return Some(());
        }
        let (shape, _) = self.called(node)?;
        let text = match shape {
            Shape::Converted(number) | Shape::Reinterpreted(number) => {
                let (was, is) = (number.name(), Number { lanes, ..number }.name());
                self.text(node).replacen(&was, &is, 1)
            }
            Shape::Loaded(_) if lanes == 1 => return self.load_one(node, edits),
            Shape::Loaded(_) => format!("vload{lanes}"),
            Shape::Stored(_) if lanes > 1 => format!("vstore{lanes}"),
            _ => return None,
        };
        edits.push(Edit::replace(self.file, range, text.into_bytes()));
        Some(())
    }

    /// `vload4(i, p)` becomes `(*(p))`.
    fn load_one(&self, function: NodeId, edits: &mut Vec<Edit>) -> Option<()> {
        let call = self.tree.parent(function)?;
        let pointer =
            self.tree.named_children(self.tree.field(call, NodeField::Arguments)?).nth(1)?;
        let (call, pointer) = (self.tree.range(call), self.tree.range(pointer));
        edits.push(Edit::replace(self.file, call.start..pointer.start, b"(*(".as_slice()));
        edits.push(Edit::replace(self.file, pointer.end..call.end, b"))".as_slice()));
        Some(())
    }

    /// `.s0123` of a vector that becomes narrower, or that itself is to have fewer lanes.
    fn components(&self, node: NodeId, targets: &Targets, edits: &mut Vec<Edit>) -> Option<()> {
        let (tree, file) = (self.tree, self.file);
        let (Some(argument), Some(name)) =
            (tree.field(node, NodeField::Argument), tree.field(node, NodeField::Field))
        else {
            return Some(());
        };
        let of = self.types.of(argument);
        let Some(number) = of.number().filter(|number| number.lanes > 1) else { return Some(()) };
        let picked = components(self.text(name), number.lanes)?;
        let from = self.target(targets, of.slot);
        let to = self.target(targets, (picked.len() > 1).then_some(name));
        if from.is_none() && to.is_none() {
            return Some(());
        }
        let (from, to) = (from.unwrap_or(number.lanes), to.map_or(picked.len(), usize::from));
        let picked: Vec<u8> = picked.into_iter().take(to).map(|lane| lane % from).collect();
        let is_set = AccessKind::of(self.tree, node).writes();
        let twice = (1..picked.len()).any(|at| picked[..at].contains(&picked[at]));
        if is_set && twice {
            return None;
        }
        let suffix = tree.range(argument).end..tree.range(node).end;
        if from > 1 {
            edits.push(Edit::replace(file, tree.range(name), component_name(&picked).into_bytes()));
        } else if picked.len() == 1 {
            edits.push(Edit::delete(file, suffix));
        } else {
            let wide = Number { lanes: picked.len() as u8, ..number }.name();
            let start = tree.range(argument).start;
            edits.push(Edit::replace(file, start..start, format!("({wide})(").into_bytes()));
            edits.push(Edit::replace(file, suffix, b")".as_slice()));
        }
        Some(())
    }

    /// `(int4)(a, b, c, d)` keeps the elements that fill it, or one of them in every lane.
    fn literal(&self, call: NodeId, targets: &Targets, edits: &mut Vec<Edit>) -> Option<()> {
        let tree = self.tree;
        let whole = self.types.of(call);
        let Some(number) = whole.number() else { return Some(()) };
        let Some(list) = tree.field(call, NodeField::Arguments) else { return Some(()) };
        if vector_literal(tree, call).is_none() || number.lanes == 1 {
            return Some(());
        }
        let lanes = self.target(targets, whole.slot);
        let mut elements = Vec::new();
        let mut narrowed = lanes.is_some();
        for element in tree.named_children(list) {
            let of = self.types.of(element);
            let target = is_vector(of).then(|| self.target(targets, of.slot)).flatten();
            narrowed |= target.is_some();
            elements.push((element, target.or(of.number().map(|number| number.lanes))));
        }
        if !narrowed {
            return Some(());
        }
        let lanes = usize::from(lanes.unwrap_or(number.lanes));
        let known: Option<Vec<usize>> =
            elements.iter().map(|(_, lanes)| lanes.map(usize::from)).collect();
        let kept = kept_elements(&known?, lanes)?;
        let (first, last) = (elements[kept.start].0, elements[kept.end - 1].0);
        let (inside, first, last) = (tree.range(list), tree.range(first), tree.range(last));
        for gap in [inside.start + 1..first.start, last.end..inside.end - 1] {
            // Replaced rather than deleted, so that patches that keep different elements conflict.
            if !gap.is_empty() {
                edits.push(Edit::replace(self.file, gap, b" ".as_slice()));
            }
        }
        Some(())
    }
}

/// Which elements fill a vector of so many lanes: the first ones, or one that is repeated.
fn kept_elements(elements: &[usize], lanes: usize) -> Option<std::ops::Range<usize>> {
    let mut filled = 0;
    for (index, element) in elements.iter().enumerate() {
        filled += element;
        if filled == lanes {
            return Some(0..index + 1);
        }
    }
    let alone = |wanted: usize| elements.iter().position(|&element| element == wanted);
    alone(1).or(alone(lanes)).map(|index| index..index + 1)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::{assert_reduces, reduce_with};

    #[test]
    fn all_that_a_vector_flows_through() {
        assert_reduces(
            &Vectors,
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
            &Vectors,
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
            assert_eq!(reduce_with(&Vectors, source, Language::OPENCL, |_| true), source);
        }
    }
}
