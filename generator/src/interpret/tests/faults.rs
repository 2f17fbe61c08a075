//! Programs with one fault, each beside a program that is almost the same and valid.

use super::kernel::Kernel;
use super::{Checked, assert_faults};
use crate::interpret::Faults;
use crate::ir::{Atomic, Binary, Jump, Place, Reduce, ScalarType, StmtKind, Storage, WorkItemId};

const CASES: &[Checked] = &[
    ("sum in range", (1, 1), None, |k| sum_with(k, 0)),
    ("sum out of range", (1, 1), Some(Faults::ARITHMETIC), |k| sum_with(k, 1)),
    ("last element", (1, 2), None, |k| write_at(k, 1)),
    ("element after the last", (1, 2), Some(Faults::RANGE), |k| write_at(k, 2)),
    ("element before the first", (1, 2), Some(Faults::RANGE), |k| write_at(k, -1)),
    ("global element of the launch", (2, 2), None, |k| {
        let (array, at) = (k.communication(), k.number(3));
        let value = k.element(array, at);
        k.hash(value);
    }),
    ("global element beyond the launch", (1, 2), Some(Faults::RANGE), |k| {
        let (array, at) = (k.communication(), k.number(3));
        let value = k.element(array, at);
        k.hash(value);
    }),
    ("unset local memory", (1, 2), Some(Faults::UNSET), |k| {
        let (array, lid) = (k.local(2), k.lid());
        let value = k.element(array, lid);
        k.hash(value);
    }),
    ("set local memory", (1, 2), None, |k| {
        let (array, lid) = (k.local(2), k.lid());
        k.write(array, lid);
        let value = k.element(array, lid);
        k.hash(value);
    }),
    ("local memory of another group", (2, 1), Some(Faults::UNSET), |k| {
        let (array, lid) = (k.local(1), k.lid());
        let (group, zero) = (k.item(WorkItemId::LinearGroup), k.number(0));
        let is_first = k.binary(Binary::Equal, group, zero);
        k.branch(is_first, |k| k.write(array, lid));
        let value = k.element(array, lid);
        k.hash(value);
    }),
    ("all read one element", (1, 4), None, |k| {
        let (array, at) = (k.communication(), k.number(0));
        let value = k.element(array, at);
        k.hash(value);
    }),
    ("all write one element", (1, 4), Some(Faults::RACE), |k| {
        let (array, at) = (k.communication(), k.number(0));
        k.write(array, at);
    }),
    ("write and read by others", (1, 4), Some(Faults::RACE), |k| exchange(k, false)),
    ("write, barrier, read by others", (1, 4), None, |k| exchange(k, true)),
    ("two groups write one element", (2, 1), Some(Faults::RACE), |k| {
        let array = k.communication();
        let at = k.number(0);
        k.write(array, at);
        k.barrier();
    }),
    ("two groups write their elements", (2, 1), None, |k| {
        let array = k.communication();
        let at = k.item(WorkItemId::LinearGlobal);
        k.write(array, at);
    }),
    ("barrier under a local condition", (1, 4), Some(Faults::DIVERGENCE), |k| {
        let lid = k.lid();
        k.branch(lid, Kernel::barrier);
    }),
    ("barrier under a condition of the group", (2, 4), None, |k| {
        let group = k.item(WorkItemId::LinearGroup);
        k.branch(group, Kernel::barrier);
    }),
    ("continue of some before a barrier", (1, 2), Some(Faults::DIVERGENCE), |k| {
        k.repeat(1, 2, |k, _| {
            let lid = k.lid();
            k.push(StmtKind::Jump(Jump::Continue, lid));
            k.barrier();
        });
    }),
    ("continue of some after a barrier", (1, 2), None, |k| {
        k.repeat(1, 2, |k, _| {
            k.barrier();
            let lid = k.lid();
            k.push(StmtKind::Jump(Jump::Continue, lid));
        });
    }),
    ("loop that ends", (1, 1), None, |k| k.repeat(7, 1000, |_, _| {})),
    ("loop that goes on", (1, 1), Some(Faults::ENDLESS), |k| {
        k.repeat(1, i64::from(i32::MAX), |_, _| {});
    }),
    ("counter that leaves its type", (1, 1), Some(Faults::ENDLESS), |k| {
        k.repeat(1 << 30, i64::from(i32::MAX), |_, _| {});
    }),
    ("section of equal values", (2, 4), None, |k| k.section(0, |k| k.declare(3))),
    ("section with a local number", (1, 4), Some(Faults::ORDER), |k| {
        k.section(0, |k| {
            let (sum, lid) = (k.declare(3), k.lid());
            k.push(StmtKind::Assign(Place::Variable(sum), lid));
            sum
        });
    }),
    ("section that comes twice", (2, 2), Some(Faults::ORDER), |k| {
        k.repeat(1, 2, |k, _| k.section(0, |k| k.declare(3)));
    }),
    ("section that comes twice to one of two groups", (2, 1), Some(Faults::ORDER), |k| {
        let (group, two) = (k.item(WorkItemId::LinearGroup), k.number(2));
        let rounds = k.binary(Binary::Multiply, group, two);
        k.repeat_to(1, rounds, |k, _| k.section(0, |k| k.declare(3)));
    }),
    ("two sections", (2, 2), None, |k| {
        k.section(0, |k| k.declare(3));
        k.section(1, |k| k.declare(4));
    }),
    ("section that writes outside", (1, 2), Some(Faults::ORDER), |k| {
        let outer = k.declare(1);
        k.section(0, |k| {
            k.update(outer, Binary::Add, 1);
            k.declare(3)
        });
    }),
    ("section that adds to the result", (1, 2), Some(Faults::ORDER), |k| {
        k.section(0, |k| {
            let sum = k.declare(3);
            let value = k.read(sum);
            k.hash(value);
            sum
        });
    }),
    ("barrier in a section", (1, 2), Some(Faults::ORDER), |k| {
        k.section(0, |k| {
            k.barrier();
            k.declare(3)
        });
    }),
    ("reduction in a section", (1, 2), Some(Faults::ORDER), |k| {
        k.section(0, |k| {
            let into = k.declare(3);
            let value = k.number(1);
            k.push(StmtKind::Reduce(Reduce { function: Atomic::Add, value, into }));
            into
        });
    }),
    ("section in a section", (1, 2), Some(Faults::ORDER), |k| {
        k.section(0, |k| {
            k.section(1, |k| k.declare(2));
            k.declare(3)
        });
    }),
    ("shared memory in a section", (1, 2), Some(Faults::ORDER), |k| {
        let array = k.communication();
        k.section(0, |k| {
            let (sum, at) = (k.declare(3), k.number(0));
            let value = k.element(array, at);
            k.push(StmtKind::Assign(Place::Variable(sum), value));
            sum
        });
    }),
    ("jump out of a section", (1, 2), Some(Faults::ORDER), |k| {
        k.repeat(1, 1, |k, counter| {
            k.section(0, |k| {
                let sum = k.declare(3);
                k.jump_at(Jump::Continue, counter, 0);
                sum
            });
        });
    }),
];

#[test]
fn each_fault_is_seen_and_what_is_almost_one_is_not() {
    assert_faults(CASES);
}

fn sum_with(kernel: &mut Kernel, number: i64) {
    let greatest = kernel.number(i32::MAX.into());
    let number = kernel.number(number);
    let sum = kernel.binary(Binary::Add, greatest, number);
    kernel.hash(sum);
}

fn write_at(kernel: &mut Kernel, at: i64) {
    let array = kernel.memory(ScalarType::Int, Some(2), Storage::Private);
    kernel.push(StmtKind::DeclareArray(array, Box::new([])));
    let at = kernel.number(at);
    kernel.write(array, at);
}

/// Each work-item writes its element, and reads that of another one.
fn exchange(kernel: &mut Kernel, with_barrier: bool) {
    let (array, lid, last) = (kernel.local(4), kernel.lid(), kernel.number(3));
    kernel.write(array, lid);
    if with_barrier {
        kernel.barrier();
    }
    let other = kernel.binary(Binary::Subtract, last, lid);
    let value = kernel.element(array, other);
    kernel.hash(value);
}
