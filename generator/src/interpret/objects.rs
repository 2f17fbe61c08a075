//! Objects in memory: bytes, each of which has a value or none, and pointers to them.
//!
//! A byte has no value before the first one and in padding. Who writes a member of a union takes the values of the bytes
//! beyond it away. So a read through another member is right exactly where the standard makes its result certain.

mod paths;
mod pointers;

use std::collections::BTreeMap;
use std::ops::Range;

use super::memory::Conflict;
use super::{Faults, Machine, items};
use crate::ir::{
    Block, Exact, ExprId, Initial, ObjectType, Path, Program, ScalarType, StmtId, StmtKind,
    Storage, Ty, VarId,
};

/// The private objects of all work-items of a group, and the values that pointers have had.
pub(super) struct ObjectMemory {
    /// The value of each byte, where it has one.
    bytes: Vec<Option<u8>>,
    /// The floating-point numbers that were written, by the places of their bytes in `bytes`: the bytes alone do not say how a
    /// number came about, and those of zero have no value.
    floats: BTreeMap<usize, i64>,
    /// Where each variable begins, and the size of one object.
    starts: Vec<(usize, usize)>,
    /// How often the life of each variable has ended, for each work-item.
    lives: Vec<u32>,
    /// The places that pointers point to; their bytes hold an index into this plus 1, or 0 for null pointers.
    targets: Vec<Pointee>,
    /// True if the program has objects.
    pub(super) used: bool,
}

/// The place of something in an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Pointee {
    variable: VarId,
    /// The life of the variable that this is about.
    life: u32,
    offset: u32,
    /// The array that it is an element of, or it alone.
    first: u32,
    end: u32,
}

/// The places for all work-items; none where there is a fault.
pub(super) type Targets = Vec<Option<Pointee>>;

/// The values of a pointer for all work-items, null or a place; none where there is a fault.
pub(super) type Pointers = Vec<Option<Option<Pointee>>>;

/// The bytes of an object, and its floating-point numbers.
type Content = (Vec<Option<u8>>, Vec<(usize, i64)>);

/// The node that faults are noted at.
#[derive(Clone, Copy)]
pub(super) enum Node {
    Expr(ExprId),
    Stmt(StmtId),
}

impl ObjectMemory {
    pub(super) fn new(program: &Program, width: usize) -> Self {
        let mut end = 0;
        let mut starts = Vec::new();
        for variable in &program.variables {
            let size = match &variable.space {
                Storage::Object(shape) => program.layout(shape).0 as usize,
                _ => 0,
            };
            starts.push((end, size));
            end += size * width;
        }
        let lives = vec![0; program.variables.len() * width];
        let (bytes, floats) = (vec![None; end], BTreeMap::new());
        Self { bytes, floats, starts, lives, targets: Vec::new(), used: end > 0 }
    }

    /// Forgets the objects of the group before.
    pub(super) fn enter_group(&mut self) {
        self.bytes.fill(None);
        self.floats.clear();
        self.targets.clear();
    }
}

impl Machine<'_> {
    /// The place of the first byte of what is in an object.
    fn byte_at(&self, at: Pointee, item: usize) -> usize {
        let (start, size) = self.objects.starts[at.variable.0 as usize];
        start + item * size + at.offset as usize
    }

    /// The bytes of an object from a place to the end of the object.
    fn bytes(&mut self, at: Pointee, item: usize) -> &mut [Option<u8>] {
        let (start, size) = self.objects.starts[at.variable.0 as usize];
        let start = start + item * size;
        &mut self.objects.bytes[start + at.offset as usize..start + size]
    }

    fn life(&mut self, variable: VarId, item: usize) -> &mut u32 {
        &mut self.objects.lives[variable.0 as usize * self.width + item]
    }

    fn note(&mut self, node: Node, faults: Faults) {
        match node {
            Node::Expr(id) => self.report.exprs[id.0 as usize].add(faults),
            Node::Stmt(id) => self.report.stmts[id.0 as usize].add(faults),
        }
    }

    /// Ends the lives of what a block declares: pointers to it point to nothing from now on.
    pub(super) fn end_lives(&mut self, block: &Block, mask: u64) {
        if !self.objects.used || !self.program.declares_objects(block) {
            return;
        }
        for id in block {
            let declared = match self.program.stmt(*id).kind {
                StmtKind::DeclareObject(id, _) | StmtKind::DeclareArray(id, _) => id,
                _ => continue,
            };
            for item in items(mask) {
                self.end_life(declared, item);
            }
        }
    }

    /// Ends the life of a variable: pointers to it point to nothing from now on.
    pub(super) fn end_life(&mut self, variable: VarId, item: usize) {
        *self.life(variable, item) += 1;
    }

    /// Takes all its values from an object.
    pub(super) fn forget_object(&mut self, variable: VarId, mask: u64) -> Targets {
        let (targets, shape) = self.variable(variable, mask);
        self.forget(&targets, &[(0, self.program.layout(&shape).0)]);
        targets
    }

    /// Gives a parameter the value of a pointer.
    pub(super) fn pass_pointer(&mut self, variable: VarId, values: &Pointers, mask: u64) {
        let targets = self.forget_object(variable, mask);
        for item in items(mask) {
            if let (Some(target), Some(value)) = (targets[item], values[item]) {
                self.set_pointer(target, item, value);
            }
        }
    }

    fn forget(&mut self, targets: &Targets, ranges: &[(u32, u32)]) {
        for (item, target) in targets.iter().enumerate() {
            let Some(target) = *target else { continue };
            for (start, end) in ranges {
                self.bytes(target, item)[*start as usize..*end as usize].fill(None);
                let first = self.byte_at(target, item);
                self.forget_floats(first + *start as usize..first + *end as usize);
            }
        }
    }

    fn forget_floats(&mut self, range: Range<usize>) {
        if !self.objects.floats.is_empty() {
            self.objects.floats.retain(|place, _| !range.contains(place));
        }
    }

    /// The floating-point number at a place, unless something else was written there since.
    fn float_at(&mut self, at: Pointee, item: usize, scalar: ScalarType) -> Option<i64> {
        let stored = *self.objects.floats.get(&self.byte_at(at, item))?;
        let expected = Exact::of_stored(stored).bytes(scalar);
        let found = &self.bytes(at, item)[..scalar.bits() as usize / 8];
        let same =
            (0..).zip(found).all(|(at, byte)| *byte == expected.map(|bytes: [u8; 8]| bytes[at]));
        same.then_some(stored)
    }

    /// Puts the value of a part of an object on the stack.
    pub(super) fn load(&mut self, id: ExprId, path: &Path, ty: Ty, mask: u64) {
        let (targets, _) = self.resolve(path, (mask, false), Node::Expr(id));
        let base = self.stack.len();
        self.stack.resize(base + usize::from(ty.lanes) * self.width, 0);
        let size = ty.scalar.bits() as usize / 8;
        for item in items(mask) {
            let Some(target) = targets[item] else { continue };
            for lane in 0..usize::from(ty.lanes) {
                let value = match self.element_at(target, item, (ty, lane), None) {
                    Some(found) => found,
                    None if ty.scalar.is_float() => {
                        let offset = target.offset + (lane * size) as u32;
                        let found = self.float_at(Pointee { offset, ..target }, item, ty.scalar);
                        found.ok_or(Faults::UNSET)
                    }
                    None => {
                        let bytes = &self.bytes(target, item)[lane * size..][..size];
                        let value = bytes.iter().rev().try_fold(0_u64, |value, byte| {
                            byte.map(|byte| value << 8 | u64::from(byte))
                        });
                        value.map(|value| ty.scalar.wrap(value.into())).ok_or(Faults::UNSET)
                    }
                };
                match value {
                    Ok(value) => self.stack[base + lane * self.width + item] = value,
                    Err(faults) => self.note(Node::Expr(id), faults),
                }
            }
        }
    }

    /// Reads or writes a lane of an element of an array that is no object of this module.
    fn element_at(
        &mut self,
        target: Pointee,
        item: usize,
        (ty, lane): (Ty, usize),
        value: Option<i64>,
    ) -> Option<Result<i64, Faults>> {
        let array = target.variable;
        let space = &self.program.variable(array).space;
        if matches!(space, Storage::Object(_)) {
            return None;
        }
        let is_shared = matches!(space, Storage::Local | Storage::Global(_) | Storage::Argument(_));
        let element = (target.offset / self.program.layout(&ObjectType::Value(ty)).0) as usize;
        let conflict = self.memory.access(array, element, item, value.is_some());
        let place = self.place(array, element, lane, item);
        let cell = &mut self.memory.values_mut()[place];
        if let Some(value) = value {
            *cell = value;
        }
        Some(match conflict {
            _ if is_shared && self.section.is_some() => Err(Faults::ORDER),
            Conflict::Race => Err(Faults::RACE),
            Conflict::Unset => Err(Faults::UNSET),
            Conflict::Order => Err(Faults::ORDER),
            Conflict::None => Ok(*cell),
        })
    }

    /// Writes to a part of an object.
    pub(super) fn store(&mut self, id: StmtId, path: &Path, value: ExprId, mask: u64) {
        let node = Node::Stmt(id);
        let from = self.program.ty(value);
        let base = self.eval(value, mask);
        let (targets, shape) = self.resolve(path, (mask, true), node);
        let Some(ty) = shape.value() else { unreachable!("values lie in values") };
        self.convert(base, from, ty.scalar);
        for item in items(mask) {
            let Some(target) = targets[item].filter(|target| self.may_write(*target, node)) else {
                continue;
            };
            for lane in 0..usize::from(ty.lanes) {
                let value = shape.kept(self.stack[base + lane * self.width + item]);
                match self.element_at(target, item, (ty, lane), Some(value)) {
                    Some(Ok(_)) => {}
                    Some(Err(faults)) => self.note(node, faults),
                    None => self.set(target, item, (ty, lane), value),
                }
            }
        }
        self.forget_padding(&targets, &ObjectType::Value(ty));
        self.stack.truncate(base);
    }

    /// In an atomic section, only what it declares may be written.
    fn may_write(&mut self, target: Pointee, node: Node) -> bool {
        let allowed =
            self.section.as_ref().is_none_or(|declared| declared.contains(&target.variable));
        if !allowed {
            self.note(node, Faults::ORDER);
        }
        allowed
    }

    fn set(&mut self, target: Pointee, item: usize, (ty, lane): (Ty, usize), value: i64) {
        let size = ty.scalar.bits() as usize / 8;
        let first = self.byte_at(target, item) + lane * size;
        self.forget_floats(first..first + size);
        let new = match ty.scalar.is_float() {
            true => {
                self.objects.floats.insert(first, value);
                Exact::of_stored(value).bytes(ty.scalar)
            }
            false => Some(value.to_le_bytes()),
        };
        let bytes = &mut self.bytes(target, item)[lane * size..][..size];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = new.map(|new| new[index]);
        }
    }

    fn forget_padding(&mut self, targets: &Targets, shape: &ObjectType) {
        let is_object = |target: &Pointee| {
            matches!(self.program.variable(target.variable).space, Storage::Object(_))
        };
        if !targets.iter().flatten().all(is_object) {
            return;
        }
        let mut ranges = Vec::new();
        self.program.padding(shape, 0, &mut ranges);
        self.forget(targets, &ranges);
    }

    /// The bytes of an object, and the floating-point numbers with their distances from its begin.
    fn content(&mut self, at: Pointee, item: usize, size: usize) -> Content {
        let first = self.byte_at(at, item);
        let floats = self.objects.floats.range(first..first + size);
        let floats = floats.map(|(place, value)| (place - first, *value)).collect();
        (self.bytes(at, item)[..size].to_vec(), floats)
    }

    /// Assigns a structure or union: all its bytes, with or without values.
    pub(super) fn copy(&mut self, id: StmtId, into: &Path, from: &Path, mask: u64) {
        let node = Node::Stmt(id);
        let (sources, shape) = self.resolve(from, (mask, false), node);
        let size = self.program.layout(&shape).0 as usize;
        let bytes: Vec<_> = (0..self.width)
            .map(|item| sources[item].map(|source| self.content(source, item, size)))
            .collect();
        let (targets, _) = self.resolve(into, (mask, true), node);
        for item in items(mask) {
            let (Some(target), Some((bytes, floats))) = (targets[item], &bytes[item]) else {
                continue;
            };
            if self.may_write(target, node) {
                self.bytes(target, item)[..size].copy_from_slice(bytes);
                let first = self.byte_at(target, item);
                self.forget_floats(first..first + size);
                self.objects.floats.extend(floats.iter().map(|(at, value)| (first + at, *value)));
            }
        }
        self.forget_padding(&targets, &shape);
    }

    /// Gives an object its first values.
    pub(super) fn declare_object(
        &mut self,
        id: StmtId,
        variable: VarId,
        initials: &[Initial],
        mask: u64,
    ) {
        if let Some(declared) = &mut self.section {
            declared.push(variable);
        }
        let targets = self.forget_object(variable, mask);
        let mut leaves = Vec::new();
        self.program.leaves(&self.program.shape(variable), 0, &mut leaves);
        self.report.steps += (leaves.len() * self.width) as u64;
        for ((offset, leaf), initial) in leaves.into_iter().zip(initials) {
            let values = match initial {
                Initial::Address(address) => self.address(address, mask, Node::Stmt(id)),
                Initial::Number(_) => Vec::new(),
            };
            for item in items(mask) {
                let Some(target) = targets[item] else { continue };
                let target = Pointee { offset, ..target };
                match (&leaf, initial) {
                    (leaf, Initial::Number(number)) => {
                        let Some(ty) = leaf.value() else { continue };
                        for lane in 0..usize::from(ty.lanes) {
                            self.set(target, item, (ty, lane), leaf.kept(*number));
                        }
                    }
                    _ => self.set_pointer(target, item, values[item].flatten()),
                }
            }
        }
    }
}
