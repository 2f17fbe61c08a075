//! The memory of a run, and who used which part of it since the last barrier.

use crate::ir::{Atomic, Buffer, Program, Storage, VarId};

/// The memory of a run. A private variable has its lanes one after the other, in each the work-items of the group.
/// All others are arrays of elements with their lanes.
pub(super) struct Memory {
    values: Vec<i64>,
    /// Where each variable begins in `values`.
    starts: Vec<usize>,
    /// The uses of shared elements that may be written; empty for other variables.
    uses: Vec<Vec<ElementUses>>,
    /// For each variable, true if each group has one of its own.
    of_group: Vec<bool>,
    /// Counts the barriers that order accesses to local memory, and those to global memory.
    intervals: [u32; 2],
    /// The number of the group, from 1.
    group: u32,
}

#[derive(Clone, Default)]
struct ElementUses {
    /// The interval between barriers that the masks are about.
    interval: u32,
    writers: u64,
    readers: u64,
    /// The work-items that updated it atomically.
    updaters: u64,
    /// The function of the last atomic updates.
    function: Option<Atomic>,
    /// True once something else happened to it than these updates.
    plain: bool,
    /// True once there is a value.
    set: bool,
    /// The group that used it, from 1; 0 for none.
    group: u32,
    /// True if several groups read it.
    by_several: bool,
    /// True once a group has written it.
    written: bool,
    /// The number of copies that the group makes from it.
    sources: u8,
    /// True while the group copies something to it.
    is_target: bool,
}

/// A reason why an access is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Conflict {
    None,
    Race,
    Unset,
    /// The order of atomic updates matters.
    Order,
}

impl Memory {
    pub(super) fn new(program: &Program, width: usize) -> Self {
        let mut memory = Self {
            values: Vec::new(),
            starts: Vec::new(),
            uses: Vec::new(),
            of_group: Vec::new(),
            intervals: [0; 2],
            group: 0,
        };
        for (index, variable) in (0..).zip(&program.variables) {
            memory.starts.push(memory.values.len());
            memory.of_group.push(variable.space == Storage::Local);
            let elements = program.elements(VarId(index)) as usize;
            let mut uses = 0;
            let lanes = usize::from(variable.ty.lanes);
            match &variable.space {
                Storage::Private => memory.zeros(elements * lanes * width),
                Storage::Object(_) => {}
                Storage::Local => {
                    memory.zeros(elements * lanes);
                    uses = elements;
                }
                Storage::Constant(values) => memory.values.extend(values),
                Storage::Argument(values) => {
                    memory.values.extend(values);
                    uses = elements;
                }
                Storage::Global(Buffer::Emi) => memory.values.extend((1..=elements as i64).rev()),
                Storage::Global(Buffer::Sequence) => {
                    memory.values.extend((10..).take(elements));
                }
                Storage::Global(Buffer::Communication) => {
                    memory.values.extend(std::iter::repeat_n(1, elements));
                    uses = elements;
                }
            }
            let set = variable.space != Storage::Local;
            memory.uses.push(vec![ElementUses { set, ..ElementUses::default() }; uses]);
        }
        memory
    }

    fn zeros(&mut self, count: usize) {
        self.values.resize(self.values.len() + count, 0);
    }

    /// Where a variable begins.
    pub(super) fn start(&self, id: VarId) -> usize {
        self.starts[id.0 as usize]
    }

    pub(super) fn values(&self) -> &[i64] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [i64] {
        &mut self.values
    }

    pub(super) fn enter_group(&mut self) {
        self.group += 1;
        self.barrier([true; 2]);
        for (uses, _) in self.uses.iter_mut().zip(&self.of_group).filter(|(_, of_group)| **of_group)
        {
            uses.fill(ElementUses::default());
        }
    }

    /// Ends an interval: earlier accesses to local or global memory do not conflict with later ones.
    pub(super) fn barrier(&mut self, fences: [bool; 2]) {
        for (interval, fence) in self.intervals.iter_mut().zip(fences) {
            *interval += u32::from(fence);
        }
    }

    /// The uses of an element in this interval.
    fn cell(&mut self, id: VarId, element: usize) -> Option<&mut ElementUses> {
        let is_global = !self.of_group[id.0 as usize];
        let interval = self.intervals[usize::from(is_global)];
        let cell = self.uses[id.0 as usize].get_mut(element)?;
        if cell.interval != interval {
            (cell.interval, cell.writers, cell.readers, cell.updaters) = (interval, 0, 0, 0);
        }
        Some(cell)
    }

    /// Notes that the group begins to copy something from an element, or to it. It uses the element until the copy ends.
    pub(super) fn begin_copy(&mut self, id: VarId, element: usize, write: bool) -> Conflict {
        if self.uses[id.0 as usize].is_empty() {
            return if write { Conflict::Race } else { Conflict::None };
        }
        let group = self.group;
        let Some(cell) = self.cell(id, element) else { return Conflict::Race };
        let others = cell.writers | cell.updaters | if write { cell.readers } else { 0 };
        let elsewhere = cell.by_several || (cell.group != 0 && cell.group != group);
        let race = others != 0 || elsewhere && (write || cell.written);
        let race = race || cell.is_target || (write && cell.sources > 0);
        let unset = !write && !cell.set;
        cell.by_several |= elsewhere;
        cell.group = group;
        cell.written |= write;
        cell.plain = true;
        cell.is_target |= write;
        cell.sources += u8::from(!write);
        match (race, unset) {
            (true, _) => Conflict::Race,
            (_, true) => Conflict::Unset,
            _ => Conflict::None,
        }
    }

    /// Notes that the group has copied something from an element, or to it. A barrier has to follow.
    pub(super) fn end_copy(&mut self, id: VarId, element: usize, write: bool) {
        if let Some(cell) = self.uses[id.0 as usize].get_mut(element) {
            cell.set |= write;
            cell.is_target &= !write;
            cell.sources -= u8::from(!write);
        }
    }

    /// Notes that a work-item uses an element.
    pub(super) fn access(
        &mut self,
        id: VarId,
        element: usize,
        item: usize,
        write: bool,
    ) -> Conflict {
        if self.uses[id.0 as usize].is_empty() {
            return Conflict::None;
        }
        let group = self.group;
        let Some(cell) = self.cell(id, element) else { return Conflict::Race };
        if cell.is_target || (write && cell.sources > 0) {
            return Conflict::Race;
        }
        let bit = 1 << item;
        let changers = cell.writers | cell.updaters;
        let others = if write { changers | cell.readers } else { changers } & !bit;
        let elsewhere = cell.by_several || (cell.group != 0 && cell.group != group);
        let race = others != 0 || (elsewhere && (write || cell.written));
        *(if write { &mut cell.writers } else { &mut cell.readers }) |= bit;
        cell.by_several |= elsewhere;
        cell.group = group;
        cell.written |= write;
        cell.plain = true;
        let unset = !cell.set && !write;
        cell.set |= write;
        match (race, unset) {
            (true, _) => Conflict::Race,
            (_, true) => Conflict::Unset,
            _ => Conflict::None,
        }
    }

    /// Notes that one of some work-items, or each of them, updates an element atomically.
    pub(super) fn update(
        &mut self,
        id: VarId,
        element: usize,
        items: u64,
        function: Atomic,
    ) -> Conflict {
        // Additions and subtractions commute.
        let function = if function == Atomic::Sub { Atomic::Add } else { function };
        let group = self.group;
        let Some(cell) = self.cell(id, element) else { return Conflict::Race };
        let own = if items.count_ones() == 1 { items } else { 0 };
        let others = (cell.writers | cell.readers) & !own;
        let elsewhere = cell.by_several || (cell.group != 0 && cell.group != group);
        let is_new = cell.function.is_some_and(|before| before != function);
        let is_copied = cell.is_target || cell.sources > 0;
        let race = others != 0 || is_copied || (elsewhere && cell.plain);
        let order = is_new && (cell.updaters != 0 || elsewhere);
        cell.updaters |= items;
        cell.by_several |= elsewhere;
        cell.group = group;
        cell.written = true;
        cell.plain |= is_new;
        cell.function = Some(function);
        match (race, order) {
            (true, _) => Conflict::Race,
            _ if !cell.set => Conflict::Unset,
            (_, true) => Conflict::Order,
            _ => Conflict::None,
        }
    }

    /// True if an element was not used yet.
    pub(super) fn is_fresh(&mut self, id: VarId, element: usize) -> bool {
        self.cell(id, element).is_some_and(|cell| cell.group == 0)
    }
}
