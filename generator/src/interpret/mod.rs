//! The reference interpreter: it executes a kernel and knows its right result, and every node that misbehaves.
//!
//! The work-items of a group go in lockstep, with a mask of those that are active; the groups go one after the other.
//! One schedule is enough: where no two work-items touch the same memory between two barriers, unless both only read,
//! each reads what it wrote itself or what was there at the last barrier. So every schedule executes the same. The
//! interpreter reports each access that breaks this premise. After a fault it goes on with a stand-in value, to find
//! more faults in the same run.

mod collectives;
mod copies;
mod evaluate;
mod execute;
mod floats;
mod foreign;
mod gathers;
mod lanes;
mod memory;
mod objects;
mod procedures;
mod recursion;
mod report;
mod tensors;
#[cfg(test)]
mod tests;

use memory::Memory;
use objects::ObjectMemory;
pub use report::{Faults, Report};

use std::collections::BTreeMap;

use crate::ir::{FunctionId, Program, ScalarType, StmtId, Storage, VarId};

/// The lane operations after which a run is stopped: those of a large kernel whose loops end.
#[must_use]
pub fn step_limit(program: &Program) -> u64 {
    (4000 * program.exprs.len() as u64).max(2_000_000)
}

/// Executes a kernel.
#[must_use]
pub fn run(program: &Program) -> Report {
    run_within(program, step_limit(program))
}

/// Executes a kernel, but no more than the given number of lane operations.
#[must_use]
pub fn run_within(program: &Program, steps: u64) -> Report {
    let mut machine = Machine::new(program, steps);
    machine.run_groups();
    machine.keep_buffers();
    machine.report
}

/// The values of scalar expressions: `None` for one that has several, or that is never evaluated.
#[must_use]
pub fn values(program: &Program) -> Vec<Option<i64>> {
    let mut machine = Machine::new(program, step_limit(program));
    machine.values = Some(vec![Values::None; program.exprs.len()]);
    machine.run_groups();
    let all = machine.values.take().unwrap_or_default();
    let single = |values| match values {
        Values::One(value) => Some(value),
        Values::None | Values::Several => None,
    };
    all.into_iter().map(single).collect()
}

/// The values that an expression has had so far.
#[derive(Clone, Copy, Debug)]
enum Values {
    None,
    One(i64),
    Several,
}

impl Values {
    fn add(&mut self, value: i64) {
        *self = match *self {
            Self::None => Self::One(value),
            Self::One(one) if one == value => Self::One(one),
            _ => Self::Several,
        };
    }
}

/// The state of a run.
struct Machine<'a> {
    program: &'a Program,
    /// The number of work-items in a group.
    width: usize,
    /// The mask of all of them.
    full: u64,
    /// Values of expressions: lane by lane, in each the work-items of the group.
    stack: Vec<i64>,
    memory: Memory,
    objects: ObjectMemory,
    /// The results of the work-items of this group so far.
    hash: Vec<u64>,
    group: [u32; 3],
    /// The work-items that left the innermost loop.
    broken: u64,
    /// The work-items that are on the way to the label behind a block.
    going: BTreeMap<StmtId, u64>,
    /// How many calls of each function are within each other at the moment.
    calls: BTreeMap<FunctionId, u32>,
    /// The variables of the functions that call themselves.
    own_variables: BTreeMap<FunctionId, recursion::Places>,
    /// The number that atomic reductions of this group have led to.
    reduction: i64,
    /// The sums of the atomic sections of this group.
    sums: Vec<u32>,
    /// For each atomic section, true if this group has come to it.
    entered: Vec<bool>,
    /// The variables that the current atomic section declares.
    section: Option<Vec<VarId>>,
    /// The work-items for which a conversion of the current node to or from a floating-point type is not exact.
    inexact: u64,
    steps: u64,
    /// True after the step limit.
    stopped: bool,
    report: Report,
    /// The values of each expression, where they are wanted.
    values: Option<Vec<Values>>,
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, steps: u64) -> Self {
        let width = program.sizes.group() as usize;
        Self {
            program,
            width,
            full: u64::MAX >> (64 - width),
            stack: Vec::with_capacity(64 * width),
            memory: Memory::new(program, width),
            objects: ObjectMemory::new(program, width),
            hash: Vec::new(),
            group: [0; 3],
            broken: 0,
            going: BTreeMap::new(),
            calls: BTreeMap::new(),
            own_variables: BTreeMap::new(),
            reduction: 0,
            sums: Vec::new(),
            entered: Vec::new(),
            section: None,
            inexact: 0,
            steps,
            stopped: false,
            report: Report::new(program),
            values: None,
        }
    }

    fn run_groups(&mut self) {
        let groups = self.program.sizes.groups();
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    self.run_group([x, y, z]);
                }
            }
        }
    }

    fn run_group(&mut self, group: [u32; 3]) {
        self.group = group;
        self.hash = vec![FIRST; self.width];
        self.reduction = 0;
        let sections = self.program.sections() as usize;
        self.sums = vec![0; sections];
        self.entered = vec![false; sections];
        self.memory.enter_group();
        self.objects.enter_group();
        let program = self.program;
        self.block(&program.body, self.full);
        for sum in std::mem::take(&mut self.sums) {
            for hash in &mut self.hash {
                *hash = mixed(*hash, u64::from(sum));
            }
        }
        for item in 0..self.width {
            let index = self.global_index(item);
            self.report.results[index] = self.hash[item];
        }
    }

    fn keep_buffers(&mut self) {
        for (id, variable) in (0..).map(VarId).zip(&self.program.variables) {
            if let Storage::Argument(values) = &variable.space {
                let start = self.memory.start(id);
                let content = self.memory.values()[start..start + values.len()].to_vec();
                self.report.buffers.push((id, content));
            }
        }
    }

    fn local_id(&self, item: usize, dimension: usize) -> u32 {
        let [x, y, _] = self.program.sizes.local;
        let item = item as u32;
        [item % x, item / x % y, item / x / y][dimension]
    }

    fn global_id(&self, item: usize, dimension: usize) -> u32 {
        let size = self.program.sizes.local[dimension];
        self.group[dimension] * size + self.local_id(item, dimension)
    }

    /// The number of a work-item among all.
    fn global_index(&self, item: usize) -> usize {
        let [x, y, _] = self.program.sizes.global;
        let id = |dimension| self.global_id(item, dimension);
        (id(0) + x * (id(1) + y * id(2))) as usize
    }

    /// The number of the group among all.
    fn group_index(&self) -> u32 {
        let [x, y, _] = self.program.sizes.groups();
        self.group[0] + x * (self.group[1] + y * self.group[2])
    }
}

/// The result before anything is added, from the hash function FNV-1a.
pub const FIRST: u64 = 0xCBF2_9CE4_8422_2325;

/// The step that adds a number to a result. Its order matters, so that swapped values are seen. The shift brings the high
/// bits down, which a product only moves up and out.
#[must_use]
pub fn mixed(hash: u64, value: u64) -> u64 {
    let both = hash ^ value;
    (both ^ (both >> 29)).wrapping_mul(0x100_0000_01B3)
}

/// The numbers of active work-items.
fn items(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |item| mask >> item & 1 != 0)
}

/// The number that stored bits of a scalar type stand for, as an index.
fn index(scalar: ScalarType, stored: i64) -> i128 {
    scalar.value(stored)
}
