//! Resolves paths to parts of objects, and reports the faults on the way.

use super::{Node, Pointee, Targets};
use crate::interpret::{Faults, Machine, index, items};
use crate::ir::{ExprId, ObjectType, Path, Root, Step, VarId};

impl Machine<'_> {
    /// Finds the part of an object that a path leads to, for each work-item in `mask`, and its type. `None` stands for a
    /// work-item whose pointer is not set or whose index is out of range. If the part is to be written, the bytes beside it in
    /// a union lose their values.
    pub(super) fn resolve(
        &mut self,
        path: &Path,
        (mask, write): (u64, bool),
        node: Node,
    ) -> (Targets, ObjectType) {
        self.report.steps += ((1 + path.steps.len()) * self.width) as u64;
        let (mut targets, mut shape) = match &path.root {
            Root::Variable(variable) => self.variable(*variable, mask),
            Root::Pointer(pointer, at) => {
                let values = self.pointers(pointer, mask, node);
                let ObjectType::Pointer(shape, _) = self.program.shape_at(pointer) else {
                    unreachable!("only pointers point to something")
                };
                let mut targets = vec![None; self.width];
                for item in items(mask) {
                    targets[item] = values[item].flatten();
                    if targets[item].is_none() {
                        self.note(node, Faults::UNSET);
                    }
                }
                if let Some(at) = at {
                    self.step_by(&mut targets, *at, &shape, mask, node);
                }
                (targets, *shape)
            }
        };
        let mut in_union = false;
        for step in &path.steps {
            let part = self.program.part(&shape, *step);
            let size = self.program.layout(&part).0;
            match *step {
                Step::Index(at) => {
                    let whole = self.program.layout(&shape).0;
                    for target in targets.iter_mut().flatten() {
                        (target.first, target.end) = (target.offset, target.offset + whole);
                    }
                    self.step_by(&mut targets, at, &part, mask, node);
                }
                Step::Member(member) => {
                    let ObjectType::Record(record) = shape else {
                        unreachable!("only records have members")
                    };
                    in_union |= self.program.record(record).is_union;
                    if write && in_union {
                        self.forget_beside(&targets, &shape, size);
                    }
                    let offset = self.program.offset(record, member);
                    for target in targets.iter_mut().flatten() {
                        target.offset += offset;
                        (target.first, target.end) = (target.offset, target.offset + size);
                    }
                }
            }
            shape = part;
        }
        (targets, shape)
    }

    pub(super) fn variable(&self, variable: VarId, mask: u64) -> (Targets, ObjectType) {
        let shape = self.program.shape(variable);
        let end = self.program.layout(&shape).0;
        let mut targets = vec![None; self.width];
        for item in items(mask) {
            let life = self.objects.lives[variable.0 as usize * self.width + item];
            targets[item] = Some(Pointee { variable, life, offset: 0, first: 0, end });
        }
        (targets, shape)
    }

    /// Forgets the values of the bytes that are unspecified after a write to a member of `size` bytes: those behind the member
    /// in a union, or the padding of a structure in a union.
    fn forget_beside(&mut self, targets: &Targets, shape: &ObjectType, size: u32) {
        let mut ranges = Vec::new();
        match shape {
            ObjectType::Record(record) if self.program.record(*record).is_union => {
                ranges.push((size, self.program.layout(shape).0));
            }
            _ => self.program.padding(shape, 0, &mut ranges),
        }
        self.forget(targets, &ranges);
    }

    /// Moves each place by `by` elements. A work-item whose place leaves its array gets `None`, and a fault is noted.
    fn step_by(
        &mut self,
        targets: &mut Targets,
        by: ExprId,
        element: &ObjectType,
        mask: u64,
        node: Node,
    ) {
        let size = self.program.layout(element).0;
        let scalar = self.program.ty(by).scalar;
        let base = self.eval(by, mask);
        for item in items(mask) {
            let Some(target) = &mut targets[item] else { continue };
            let number = index(scalar, self.stack[base + item]);
            let place = i128::from(target.offset) + number * i128::from(size);
            if (i128::from(target.first)..i128::from(target.end)).contains(&place) {
                target.offset = place as u32;
            } else {
                targets[item] = None;
                self.note(node, Faults::RANGE);
            }
        }
        self.stack.truncate(base);
    }
}
