//! The interpreter alone: small programs made by hand, each fault beside a program that is almost the same and valid.

mod collectives;
mod copies;
mod faults;
mod floats;
mod gathers;
mod kernel;
mod objects;
mod procedures;
mod recursion;
mod statements;
mod tensors;

use kernel::Kernel;

use super::{FIRST, Faults, mixed};
use crate::ir::{Binary, ExprKind, Place, ScalarType, StmtKind, Ty};

/// A name, the numbers of groups and of work-items in each, the only fault, and what makes the program.
type Checked = (&'static str, (u32, u32), Option<Faults>, fn(&mut Kernel));

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

/// Two errors in the highest bits of neighbouring lanes: a product alone would let the second undo the first.
#[test]
fn errors_in_the_highest_bits_do_not_undo_each_other() {
    let result_of = |lanes: [i64; 2]| {
        let mut kernel = Kernel::new(1, 1);
        let long = Ty::scalar(ScalarType::Long);
        let parts = lanes.map(|lane| kernel.program.literal(lane.into(), long, Kernel::key()));
        let ty = Ty { scalar: ScalarType::Long, lanes: 2 };
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
