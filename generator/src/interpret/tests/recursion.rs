//! Functions that call themselves, statements that the text merges, and ranges of cases.

use super::{Faults, Kernel};
use crate::interpret::{FIRST, mixed};
use crate::ir::{
    Binary, CaseRange, ExprKind, FunctionId, Merge, Place, StmtKind, Switch, SwitchCase, Ty, VarId,
};

/// `f(p)`: `s = p; if (p > 0) s = f(p - less) + p; return s;`, where `p` is still that of this call.
fn sum_to(kernel: &mut Kernel, less: i64) -> FunctionId {
    let id = FunctionId(kernel.program.functions.len() as u32);
    kernel.function(|k, p| {
        let sum = k.declare(0);
        let first = k.read(p);
        k.push(StmtKind::Assign(Place::Variable(sum), first));
        let (read, zero) = (k.read(p), k.number(0));
        let more = k.binary(Binary::Greater, read, zero);
        k.branch(more, |k| {
            let (read, less) = (k.read(p), k.number(less));
            let next = k.binary(Binary::Subtract, read, less);
            let call =
                k.program.add(ExprKind::Invoke(id, Box::new([next])), Ty::INT, Kernel::key());
            let own = k.read(p);
            let value = k.binary(Binary::Add, call, own);
            k.push(StmtKind::Assign(Place::Variable(sum), value));
        });
        k.read(sum)
    })
}

#[test]
fn each_call_has_its_own_variables() {
    let mut kernel = Kernel::new(1, 4);
    let f = sum_to(&mut kernel, 1);
    let lid = kernel.lid();
    let value = kernel.invoke(f, lid);
    kernel.hash(value);
    let (faults, results) = kernel.run();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(results, [0, 1, 3, 6].map(|sum| mixed(FIRST, sum)));
}

#[test]
fn calls_without_an_end_are_a_fault() {
    let mut kernel = Kernel::new(1, 1);
    let f = sum_to(&mut kernel, 0);
    let three = kernel.number(3);
    let value = kernel.invoke(f, three);
    kernel.hash(value);
    let (faults, _) = kernel.run();
    assert!(faults.iter().any(|faults| faults.has(Faults::ENDLESS)), "{faults:?}");
}

/// `case 1 ... 2: s += 10; break; default: s += 1;` in the rounds 0 to 3.
#[test]
fn a_range_has_all_its_values() {
    let mut kernel = Kernel::new(1, 1);
    let sum = kernel.declare(0);
    kernel.repeat(1, 4, |k, counter| {
        let value = k.read(counter);
        let labels = [(Some(CaseRange { first: 1, last: 2 }), 10), (None, 1)];
        let cases = labels.map(|(label, number)| {
            let body = k.block(|k| k.update(sum, Binary::Add, number));
            SwitchCase { label, body, falls: false }
        });
        k.push(StmtKind::Switch(Switch { value, cases: cases.into() }));
    });
    let value = kernel.read(sum);
    kernel.hash(value);
    assert_eq!(kernel.run(), (Vec::new(), vec![mixed(FIRST, 22)]));
}

/// Two assignments to the variables of a kernel, as the text has them.
fn merged(merge: Merge, make: fn(&mut Kernel, [VarId; 2])) -> String {
    let mut kernel = Kernel::new(1, 1);
    let both = [kernel.declare(1), kernel.declare(2)];
    for (variable, name) in both.iter().zip(["a", "b"]) {
        kernel.program.variables[variable.0 as usize].name = name.to_owned();
    }
    let block = kernel.block(|k| make(k, both));
    let key = Kernel::key();
    let id = kernel.program.statement(StmtKind::Merged(merge, block), key);
    let text = crate::print::statement(&kernel.program, id);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `target = 3 - read;`, or `target += number;` where nothing is read.
fn assign(k: &mut Kernel, target: VarId, read: VarId) {
    let (three, read) = (k.number(3), k.read(read));
    let value = k.binary(Binary::Subtract, three, read);
    k.push(StmtKind::Assign(Place::Variable(target), value));
}

#[test]
fn the_text_makes_one_statement_where_the_order_is_certain() {
    assert_eq!(
        merged(Merge::Assignment, |k, [a, b]| {
            k.update(a, Binary::Add, 5);
            assign(k, b, a);
        }),
        "b = (3 - (a += 5));"
    );
    assert_eq!(
        merged(Merge::Increment, |k, [a, b]| {
            assign(k, b, a);
            k.update(a, Binary::Add, 1);
        }),
        "b = (3 - (a++));"
    );
    assert_eq!(
        merged(Merge::Increment, |k, [a, b]| {
            k.update(a, Binary::Subtract, 1);
            assign(k, b, a);
        }),
        "b = (3 - (--a));"
    );
}

#[test]
fn the_text_has_two_statements_where_the_order_is_open() {
    // It assigns to the variable that it uses.
    let text = merged(Merge::Increment, |k, [a, _]| {
        assign(k, a, a);
        k.update(a, Binary::Add, 1);
    });
    assert_eq!(text, "a = (3 - a); a += 1;");
    // It reads the variable twice.
    let text = merged(Merge::Assignment, |k, [a, b]| {
        k.update(a, Binary::Add, 5);
        let (x, y) = (k.read(a), k.read(a));
        let value = k.binary(Binary::Multiply, x, y);
        k.push(StmtKind::Assign(Place::Variable(b), value));
    });
    assert_eq!(text, "a += 5; b = (a * a);");
    // It may not read the variable.
    let text = merged(Merge::Assignment, |k, [a, b]| {
        k.update(a, Binary::Add, 5);
        let (x, y) = (k.read(b), k.read(a));
        let value = k.binary(Binary::LogicalAnd, x, y);
        k.push(StmtKind::Assign(Place::Variable(b), value));
    });
    assert_eq!(text, "a += 5; b = (b && a);");
}
