//! The interpreter alone: small programs made by hand, each fault beside a program that is almost the same and valid.

mod collectives;
mod copies;
mod floats;
mod gathers;
mod kernel;
mod objects;
mod tensors;

use kernel::Kernel;

use super::{FIRST, Faults, mixed};
use crate::ir::{
    Atomic, Binary, Case, ExprKind, Item, Jump, Place, Reduce, Scalar, Space, StmtKind, Switch,
    Type, VarId,
};

/// A name, the numbers of groups and of work-items in each, the only fault, and what makes the program.
type Checked = (&'static str, (u32, u32), Option<Faults>, fn(&mut Kernel));

#[test]
fn each_fault_is_seen_and_what_is_almost_one_is_not() {
    let cases: &[Checked] = &[
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
            let (group, zero) = (k.item(Item::LinearGroup), k.number(0));
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
            let at = k.item(Item::LinearGlobal);
            k.write(array, at);
        }),
        ("barrier under a local condition", (1, 4), Some(Faults::DIVERGENCE), |k| {
            let lid = k.lid();
            k.branch(lid, Kernel::barrier);
        }),
        ("barrier under a condition of the group", (2, 4), None, |k| {
            let group = k.item(Item::LinearGroup);
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
            let (group, two) = (k.item(Item::LinearGroup), k.number(2));
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
    assert_faults(cases);
}

/// Each program has the fault that is said, and no other.
fn assert_faults(cases: &[Checked]) {
    for (name, (groups, group), fault, make) in cases {
        let mut kernel = Kernel::new(*groups, *group);
        make(&mut kernel);
        let (found, _) = kernel.run();
        match fault {
            None => assert!(found.is_empty(), "{name}: {found:?}"),
            Some(fault) => {
                let all = found.iter().fold(Faults::EXECUTED, |mut all, faults| {
                    all.add(*faults);
                    all
                });
                let mut only = *fault;
                only.add(Faults::EXECUTED);
                assert_eq!(all, only, "{name}");
            }
        }
    }
}

fn sum_with(kernel: &mut Kernel, number: i64) {
    let greatest = kernel.number(i32::MAX.into());
    let number = kernel.number(number);
    let sum = kernel.binary(Binary::Add, greatest, number);
    kernel.hash(sum);
}

fn write_at(kernel: &mut Kernel, at: i64) {
    let array = kernel.memory(Scalar::Int, Some(2), Space::Private);
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

/// A name, the sum at the end, and what adds to the sum.
type Loop = (&'static str, i64, fn(&mut Kernel, VarId));

#[test]
fn statements_do_what_they_do_in_c() {
    let cases: &[Loop] = &[
        ("break ends the inner loop alone", 3, |k, sum| {
            k.repeat(1, 3, |k, _| {
                k.repeat(1, 9, |k, inner| {
                    k.jump_at(Jump::Break, inner, 1);
                    k.update(sum, Binary::Add, 1);
                });
            });
        }),
        ("continue skips the rest of the round alone", 8, |k, sum| {
            k.repeat(1, 2, |k, _| {
                k.repeat(1, 5, |k, inner| {
                    k.jump_at(Jump::Continue, inner, 2);
                    k.update(sum, Binary::Add, 1);
                });
            });
        }),
        ("continue after a broken inner loop", 12, |k, sum| {
            k.repeat(1, 3, |k, outer| {
                k.repeat(1, 9, |k, inner| {
                    k.jump_at(Jump::Break, inner, 1);
                    k.update(sum, Binary::Add, 1);
                });
                k.jump_at(Jump::Continue, outer, 0);
                k.jump_at(Jump::Break, outer, 2);
                k.update(sum, Binary::Add, 9);
            });
        }),
        ("cases, with one that falls, one that ends and the rest", 1234, |k, sum| {
            // Round 0 comes to the first case and falls, round 1 to the second, 2 and 3 to the third.
            k.repeat(1, 4, |k, counter| {
                let value = k.read(counter);
                let cases = [(Some(0), 1000, true), (Some(1), 100, false), (None, 17, false)];
                let cases = cases.into_iter().map(|(label, number, falls)| {
                    let body = k.block(|k| k.update(sum, Binary::Add, number));
                    Case { label, body, falls }
                });
                let cases = cases.collect();
                k.push(StmtKind::Switch(Switch { value, cases }));
            });
        }),
        ("break ends the cases alone, continue the round of the loop", 14, |k, sum| {
            k.repeat(1, 4, |k, counter| {
                let value = k.number(5);
                let body = k.block(|k| {
                    k.jump_at(Jump::Break, counter, 1);
                    k.jump_at(Jump::Continue, counter, 2);
                    k.update(sum, Binary::Add, 5);
                });
                let cases = vec![Case { label: None, body, falls: false }];
                k.push(StmtKind::Switch(Switch { value, cases }));
                k.update(sum, Binary::Add, 1);
                k.jump_at(Jump::Break, counter, 3);
                k.update(sum, Binary::Add, 0);
            });
            k.update(sum, Binary::Add, 1);
        }),
        ("a number that no case is for", 3, |k, sum| {
            let value = k.number(5);
            let body = k.block(|k| k.update(sum, Binary::Add, 5));
            let cases = vec![Case { label: Some(1), body, falls: false }];
            k.push(StmtKind::Switch(Switch { value, cases }));
            k.update(sum, Binary::Add, 3);
        }),
        ("the limit is computed before each round", 4, |k, sum| {
            // Each round adds 1 to the limit's second operand: i < 8 - sum.
            let (eight, read) = (k.number(8), k.read(sum));
            let limit = k.binary(Binary::Subtract, eight, read);
            k.repeat_to(1, limit, |k, _| k.update(sum, Binary::Add, 1));
        }),
        ("a step may pass the limit", 2, |k, sum| {
            k.repeat(5, 8, |k, _| k.update(sum, Binary::Add, 1));
        }),
        ("a loop down", 3, |k, sum| {
            k.repeat(-2, -5, |k, _| k.update(sum, Binary::Add, 1));
        }),
        ("a loop without rounds", 0, |k, sum| {
            k.repeat(1, 0, |k, _| k.update(sum, Binary::Add, 1));
        }),
    ];
    for (name, expected, make) in cases {
        let mut kernel = Kernel::new(1, 3);
        let sum = kernel.declare(0);
        make(&mut kernel, sum);
        let value = kernel.read(sum);
        kernel.hash(value);
        let (faults, results) = kernel.run();
        assert!(faults.is_empty(), "{name}: {faults:?}");
        assert_eq!(results, [mixed(FIRST, *expected as u64); 3], "{name}");
    }
}

/// Two errors in the highest bits of neighbouring lanes: a product alone would let the second undo the first.
#[test]
fn errors_in_the_highest_bits_do_not_undo_each_other() {
    let result_of = |lanes: [i64; 2]| {
        let mut kernel = Kernel::new(1, 1);
        let long = Type::scalar(Scalar::Long);
        let parts = lanes.map(|lane| kernel.program.literal(lane.into(), long, Kernel::key()));
        let ty = Type { scalar: Scalar::Long, lanes: 2 };
        let parts = ExprKind::Vector(Box::new(parts));
        let value = kernel.program.add(parts, ty, Kernel::key());
        kernel.hash(value);
        kernel.run().1
    };
    let right = result_of([0, 7]);
    assert_ne!(result_of([i64::MIN, i64::MIN + 7]), right);
    assert_ne!(result_of([7, 0]), right);
    assert_ne!(result_of([0, 0]), [0]);
}

/// `f(p)` is `p + 6`; it changes its parameter.
fn six_more(kernel: &mut Kernel) -> crate::ir::FunctionId {
    kernel.function(|k, p| {
        k.repeat(1, 4, |k, i| {
            let (old, i) = (k.read(p), k.read(i));
            let sum = k.binary(Binary::Add, old, i);
            k.push(StmtKind::Assign(Place::Variable(p), sum));
        });
        k.read(p)
    })
}

#[test]
fn each_work_item_has_the_parameters_of_its_own_calls() {
    let mut kernel = Kernel::new(1, 4);
    let f = six_more(&mut kernel);
    // f(lid) + f(f(lid) - lid), where only odd work-items call.
    let (lid, one) = (kernel.lid(), kernel.number(1));
    let odd = kernel.binary(Binary::And, lid, one);
    kernel.branch(odd, |k| {
        let lid = k.lid();
        let inner = k.invoke(f, lid);
        let less = k.binary(Binary::Subtract, inner, lid);
        let outer = k.invoke(f, less);
        let again = k.invoke(f, lid);
        let sum = k.binary(Binary::Add, again, outer);
        k.hash(sum);
    });
    let (faults, results) = kernel.run();
    assert!(faults.is_empty(), "{faults:?}");
    let f = |p: u64| p + 6;
    let expected = |lid: u64| match lid % 2 {
        0 => FIRST,
        _ => mixed(FIRST, f(lid) + f(f(lid) - lid)),
    };
    assert_eq!(results, (0..4).map(expected).collect::<Vec<_>>());
}

#[test]
fn faults_in_functions_are_seen_for_work_items_that_call() {
    let overflows = |calls_for_all: bool| {
        let mut kernel = Kernel::new(1, 2);
        let f = kernel.function(|k, p| {
            let (p, number) = (k.read(p), k.number(i64::from(i32::MAX)));
            k.binary(Binary::Add, p, number)
        });
        let call = move |k: &mut Kernel| {
            let lid = k.lid();
            let value = k.invoke(f, lid);
            k.hash(value);
        };
        if calls_for_all {
            call(&mut kernel);
        } else {
            let (lid, zero) = (kernel.lid(), kernel.number(0));
            let is_first = kernel.binary(Binary::Equal, lid, zero);
            kernel.branch(is_first, call);
        }
        kernel.run().0
    };
    assert_eq!(overflows(true).len(), 1);
    assert!(overflows(false).is_empty());
}
