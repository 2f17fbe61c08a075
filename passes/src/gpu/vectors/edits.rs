//! The edits that make vectors narrower: names, accesses to components, and literals.

use clreduce_language::{
    AccessKind, NodeField, NodeId, NodeKind, Number, Shape, component_name, components, is_vector,
    vector_literal,
};
use clreduce_testcase::Edit;

use super::{Narrower, Targets};

impl Narrower<'_> {
    /// The patch that makes the classes as narrow as they are to be; `None` where it cannot be done.
    pub(super) fn edits(&self, targets: &Targets) -> Option<Vec<Edit>> {
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

/// The elements that fill a vector of `lanes` lanes: the first ones, or one that is repeated.
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
