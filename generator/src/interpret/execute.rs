//! Statements.

use super::memory::Conflict;
use super::{Faults, Machine, index, items, mixed};
use crate::ir::{
    AtomicSection, Block, Exact, ExprId, For, Jump, LoopForm, Place, Reduce, ScalarType, StmtId,
    StmtKind, Storage, Switch, SwitchCase, VarId,
};

impl Machine<'_> {
    /// Executes statements, and returns the mask of the work-items that come to the end.
    pub(super) fn block(&mut self, block: &Block, mut mask: u64) -> u64 {
        let entered = mask;
        for &id in block {
            if mask == 0 || self.stopped {
                break;
            }
            let reached = self.statement(id, mask);
            if std::mem::take(&mut self.inexact) & mask != 0 {
                self.fault(id, Faults::ARITHMETIC);
            }
            mask = reached;
        }
        self.end_lives(block, entered);
        mask
    }

    pub(super) fn fault(&mut self, id: StmtId, faults: Faults) {
        self.report.stmts[id.0 as usize].add(faults);
    }

    fn statement(&mut self, id: StmtId, mask: u64) -> u64 {
        let program = self.program;
        self.report.runs[id.0 as usize] += 1;
        self.fault(id, Faults::EXECUTED);
        let kind = &program.stmt(id).kind;
        // The effect of a section is its sum alone.
        if has_effect(kind) && self.section.is_some() {
            self.fault(id, Faults::ORDER);
            return mask;
        }
        match kind {
            StmtKind::Nothing => {}
            StmtKind::Declare(variable, value) => {
                if let Some(declared) = &mut self.section {
                    declared.push(*variable);
                }
                self.assign_variable(*variable, *value, mask, None);
            }
            StmtKind::DeclareArray(variable, values) => self.declare_array(*variable, values, mask),
            StmtKind::DeclareObject(variable, initials) => {
                self.declare_object(id, *variable, initials, mask);
            }
            StmtKind::Assign(place, value) => self.assign(id, place, *value, mask),
            StmtKind::Copy(into, from) => self.copy(id, into, from, mask),
            StmtKind::Point(into, address) => self.point(id, into, address, mask),
            StmtKind::Call(call) => self.call_procedure(id, call, mask),
            StmtKind::Hash(value) => self.hash(*value, mask),
            StmtKind::Merged(_, block) => return self.block(block, mask),
            StmtKind::If(condition, then, other) => {
                let truth = self.condition(*condition, mask);
                return self.block(then, mask & truth) | self.block(other, mask & !truth);
            }
            StmtKind::Switch(switch) => return self.switch(switch, mask),
            StmtKind::For(details) => {
                self.repeat(id, details, mask);
                return mask & !self.going();
            }
            StmtKind::Labelled(block) => {
                let reached = self.block(block, mask);
                return reached | self.going.remove(&id).unwrap_or(0);
            }
            StmtKind::Jump(jump, condition) => return self.jump(*jump, *condition, mask),
            StmtKind::Barrier => self.barrier(id, mask),
            StmtKind::Reduce(reduce) => self.reduce(id, reduce, mask),
            StmtKind::Gather(gather) => self.gather(id, gather, mask),
            StmtKind::GroupCopy(copy) => self.copy_by_group(id, copy, mask),
            StmtKind::Mma(mma) => self.mma(id, mma, mask),
            StmtKind::Collective(collective) => self.collective(id, collective, mask),
            StmtKind::Section(section) => self.section(id, section, mask),
            StmtKind::Foreign(foreign) => self.foreign(id, foreign, mask),
        }
        mask
    }

    /// Lets work-items jump, and returns the mask of the others.
    fn jump(&mut self, jump: Jump, condition: ExprId, mask: u64) -> u64 {
        let leaving = self.condition(condition, mask) & mask;
        match jump {
            Jump::Break => self.broken |= leaving,
            Jump::Continue => {}
            Jump::Goto(block) => *self.going.entry(block).or_default() |= leaving,
        }
        mask & !leaving
    }

    /// The work-items that are on the way to a label.
    fn going(&self) -> u64 {
        self.going.values().fold(0, |all, items| all | items)
    }

    /// The work-items for which a condition holds, among any others.
    fn condition(&mut self, id: ExprId, mask: u64) -> u64 {
        let at = self.eval(id, mask);
        let truth = self.truth(at);
        self.stack.truncate(at);
        truth
    }

    pub(super) fn barrier(&mut self, id: StmtId, mask: u64) {
        self.fence(id, [true; 2], mask);
    }

    /// A barrier that orders accesses to local memory, to global memory, or to both.
    pub(super) fn fence(&mut self, id: StmtId, fences: [bool; 2], mask: u64) {
        if mask != self.full {
            self.fault(id, Faults::DIVERGENCE);
        }
        self.memory.barrier(fences);
    }

    fn hash(&mut self, value: ExprId, mask: u64) {
        let at = self.eval(value, mask);
        let is_float = self.program.ty(value).scalar.is_float();
        for row in self.stack[at..].chunks_exact(self.width) {
            for item in items(mask) {
                let number =
                    if is_float { Exact::of_stored(row[item]).scaled() } else { row[item] };
                self.hash[item] = mixed(self.hash[item], number as u64);
            }
        }
        self.stack.truncate(at);
    }

    fn declare_array(&mut self, variable: VarId, values: &[i64], mask: u64) {
        if let Some(declared) = &mut self.section {
            declared.push(variable);
        }
        let length = self.program.elements(variable) as usize;
        let lanes = usize::from(self.program.variable(variable).ty.lanes);
        for number in 0..length * lanes {
            for item in items(mask) {
                let place = self.place(variable, number / lanes, number % lanes, item);
                let value = values.get(number).copied().unwrap_or(0);
                self.memory.values_mut()[place] = value;
            }
        }
    }

    /// Assigns to a private variable, or to some of its lanes.
    pub(super) fn assign_variable(
        &mut self,
        variable: VarId,
        value: ExprId,
        mask: u64,
        lanes: Option<&[u8]>,
    ) {
        let ty = self.program.variable(variable).ty;
        let at = self.eval(value, mask);
        self.convert(at, self.program.ty(value), ty.scalar);
        let start = self.memory.start(variable);
        for row in 0..(self.stack.len() - at) / self.width {
            let lane = lanes.map_or(row, |lanes| usize::from(lanes[row]));
            let into = start + lane * self.width;
            for item in items(mask) {
                self.memory.values_mut()[into + item] = self.stack[at + row * self.width + item];
            }
        }
        self.stack.truncate(at);
    }

    fn assign(&mut self, id: StmtId, place: &Place, value: ExprId, mask: u64) {
        if let Place::Part(path) = place {
            return self.store(id, path, value, mask);
        }
        let variable = place.variable();
        if self.section.as_ref().is_some_and(|declared| !declared.contains(&variable)) {
            self.fault(id, Faults::ORDER);
            return;
        }
        match place {
            Place::Variable(_) => self.assign_variable(variable, value, mask, None),
            Place::Lanes(_, swizzle) => {
                self.assign_variable(variable, value, mask, Some(swizzle.lanes()));
            }
            Place::Element(_, at) => self.write(id, variable, *at, value, (mask, 1)),
            Place::Store(_, at) => {
                let count = self.program.ty(value).lanes;
                self.write(id, variable, *at, value, (mask, count));
            }
            Place::Part(_) => {}
        }
    }

    /// Writes elements of an array: `count` of them, from index times `count` on.
    fn write(
        &mut self,
        id: StmtId,
        array: VarId,
        at: ExprId,
        value: ExprId,
        (mask, count): (u64, u8),
    ) {
        let ty = self.program.variable(array).ty;
        let scalar = self.program.ty(at).scalar;
        let base = self.eval(value, mask);
        self.convert(base, self.program.ty(value), ty.scalar);
        let place = self.eval(at, mask);
        let lanes = usize::from(ty.lanes);
        for item in items(mask) {
            for part in 0..usize::from(count) {
                let number = index(scalar, self.stack[place + item]) * i128::from(count);
                let Some(element) = self.element(array, number + part as i128) else {
                    self.fault(id, Faults::RANGE);
                    continue;
                };
                if self.memory.access(array, element, item, true) == Conflict::Race {
                    self.fault(id, Faults::RACE);
                }
                for lane in 0..lanes {
                    let into = self.place(array, element, lane, item);
                    let from = base + (part * lanes + lane) * self.width + item;
                    self.memory.values_mut()[into] = self.stack[from];
                }
            }
        }
        self.stack.truncate(base);
    }

    /// Executes cases, and returns the mask of the work-items that come to the end.
    fn switch(&mut self, switch: &Switch, mask: u64) -> u64 {
        let outer = std::mem::take(&mut self.broken);
        let scalar = self.program.ty(switch.value).scalar;
        let at = self.eval(switch.value, mask);
        let labels = items(mask).map(|item| (item, index(scalar, self.stack[at + item])));
        let labels: Vec<_> = labels.collect();
        self.stack.truncate(at);
        let leads = |case: &SwitchCase| {
            let matches = |label: i128| match case.label {
                Some(own) => own.has(label),
                None => {
                    switch.cases.iter().all(|other| !other.label.is_some_and(|own| own.has(label)))
                }
            };
            let found = labels.iter().filter(|(_, label)| matches(*label));
            found.fold(0, |mask: u64, (item, _)| mask | 1 << item)
        };
        // Work-items without a case go on after the statement.
        let mut ended = switch.cases.iter().fold(mask, |rest, case| rest & !leads(case));
        let mut falling = 0;
        for case in &switch.cases {
            let reached = self.block(&case.body, falling | leads(case));
            falling = if case.falls { reached } else { 0 };
            ended |= reached & !falling;
        }
        ended |= falling | self.broken;
        self.broken = outer;
        ended
    }

    fn repeat(&mut self, id: StmtId, details: &For, mask: u64) {
        let outer = std::mem::take(&mut self.broken);
        let ty = self.program.variable(details.counter).ty;
        if let Some(declared) = &mut self.section {
            declared.push(details.counter);
        }
        self.assign_variable(details.counter, details.start, mask, None);
        let start = self.memory.start(details.counter);
        let mut live = mask;
        let mut is_checked = details.form != LoopForm::DoWhile;
        while !self.stopped {
            if std::mem::replace(&mut is_checked, true) {
                live &= self.within_limit(details, live);
            }
            if live == 0 {
                break;
            }
            self.block(&details.body, live);
            live &= !self.broken & !self.going();
            for item in items(live) {
                let counter = &mut self.memory.values_mut()[start + item];
                let next = i128::from(*counter) + i128::from(details.step);
                *counter = ty.scalar.wrap(next);
                if i128::from(*counter) != next {
                    self.report.stmts[id.0 as usize].add(Faults::ENDLESS);
                    self.stopped = true;
                }
            }
            self.report.steps += self.width as u64;
            if self.report.steps > self.steps && !self.stopped {
                self.fault(id, Faults::ENDLESS);
                self.stopped = true;
            }
        }
        self.broken = outer;
    }

    /// The work-items whose counter has not come to the limit.
    fn within_limit(&mut self, details: &For, mask: u64) -> u64 {
        if mask == 0 {
            return 0;
        }
        let at = self.eval(details.limit, mask);
        let limit = self.program.ty(details.limit).scalar;
        let start = self.memory.start(details.counter);
        let counters = &self.memory.values()[start..start + self.width];
        let mut within = 0;
        for (item, (&counter, &value)) in counters.iter().zip(&self.stack[at..]).enumerate() {
            let (counter, value) = (i128::from(counter), limit.value(value));
            let holds = if details.step > 0 { counter < value } else { counter > value };
            within |= u64::from(holds) << item;
        }
        self.stack.truncate(at);
        within
    }

    fn reduce(&mut self, id: StmtId, reduce: &Reduce, mask: u64) {
        let at = self.eval(reduce.value, mask);
        for item in items(mask) {
            self.reduction =
                reduce.function.apply(ScalarType::Int, self.reduction, self.stack[at + item]);
        }
        self.stack.truncate(at);
        self.barrier(id, mask);
        let start = self.memory.start(reduce.into);
        for item in items(mask) {
            self.memory.values_mut()[start + item] = self.reduction;
        }
        self.barrier(id, mask);
    }

    /// Everyone that arrives executes the body, to see that the sum does not depend on the one that enters.
    fn section(&mut self, id: StmtId, section: &AtomicSection, mask: u64) {
        if std::mem::replace(&mut self.entered[section.index as usize], true) {
            self.fault(id, Faults::ORDER);
            return;
        }
        self.section = Some(Vec::new());
        let outer = std::mem::take(&mut self.broken);
        // A work-item that jumps out of the section does not come to the addition.
        if self.block(&section.body, mask) != mask && !self.stopped {
            self.fault(id, Faults::ORDER);
        }
        self.broken = outer;
        self.section = None;
        let sum_of = |item: usize| {
            section.sum.iter().fold(0_u32, |sum, &variable| {
                debug_assert!(self.program.variable(variable).space == Storage::Private);
                sum.wrapping_add(self.memory.values()[self.memory.start(variable) + item] as u32)
            })
        };
        let mut sums = items(mask).map(sum_of);
        let first = sums.next().unwrap_or(0);
        if sums.any(|sum| sum != first) {
            self.fault(id, Faults::ORDER);
        }
        if section.arrival < mask.count_ones() {
            let total = &mut self.sums[section.index as usize];
            *total = total.wrapping_add(first);
        }
    }
}

/// True for statements that do more than to change variables and to decide what comes next.
fn has_effect(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::Hash(_)
            | StmtKind::Call(_)
            | StmtKind::Barrier
            | StmtKind::Reduce(_)
            | StmtKind::Gather(_)
            | StmtKind::GroupCopy(_)
            | StmtKind::Mma(_)
            | StmtKind::Collective(_)
            | StmtKind::Section(_)
            | StmtKind::Foreign(_)
    )
}
