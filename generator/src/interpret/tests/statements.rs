//! Loops, cases and jumps do what they do in C.

use super::kernel::Kernel;
use crate::interpret::{FIRST, mixed};
use crate::ir::{Binary, CaseRange, Jump, StmtKind, Switch, SwitchCase, VarId};

/// A name, the sum at the end, and what adds to the sum.
type Loop = (&'static str, i64, fn(&mut Kernel, VarId));

const CASES: &[Loop] = &[
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
                SwitchCase { label: label.map(CaseRange::one), body, falls }
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
            let cases = vec![SwitchCase { label: None, body, falls: false }];
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
        let cases = vec![SwitchCase { label: Some(CaseRange::one(1)), body, falls: false }];
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

#[test]
fn statements_do_what_they_do_in_c() {
    for (name, expected, make) in CASES {
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
