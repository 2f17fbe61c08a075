//! Collective functions: each fault, what is almost one, and results.

use super::{Checked, Kernel, assert_faults};
use crate::interpret::{FIRST, Faults, mixed};
use crate::ir::{Atomic, Binary, Collective, ExprId, Joint, Shuffle, StmtKind, SubGroup};

impl Kernel {
    /// Adds the result of a function for the value to the result of the work-item.
    fn collect(&mut self, function: Joint, value: ExprId, at: Option<i64>) {
        let at = at.map(|at| self.number(at));
        self.collect_at(function, value, at);
    }

    fn collect_at(&mut self, function: Joint, value: ExprId, at: Option<ExprId>) {
        let into = self.declare(0);
        let call = Collective { function, value, at, width: 32, syncs: false, into };
        self.push(StmtKind::Collective(call));
        let result = self.read(into);
        self.hash(result);
    }

    /// `lid < number`.
    fn below(&mut self, number: i64) -> ExprId {
        let (lid, number) = (self.lid(), self.number(number));
        self.binary(Binary::Less, lid, number)
    }
}

/// For the first work-items of the group alone.
fn for_some(kernel: &mut Kernel, count: i64, function: Joint) {
    let (some, lid) = (kernel.below(count), kernel.lid());
    kernel.branch(some, |k| k.collect(function, lid, None));
}

#[test]
fn the_team_has_to_come_together() {
    const ADD: Joint = Joint::Reduce(Atomic::Add);
    const DOWN: Joint = Joint::Shuffle(Shuffle::Down);
    let cases: &[Checked] = &[
        ("all", (2, 4), None, |k| for_some(k, 4, ADD)),
        ("some of a group", (1, 4), Some(Faults::DIVERGENCE), |k| for_some(k, 3, ADD)),
        ("one warp of two", (1, 64), None, |k| for_some(k, 32, Joint::Ballot)),
        ("the same of a group", (1, 64), Some(Faults::DIVERGENCE), |k| for_some(k, 32, ADD)),
        ("the last warp is smaller", (1, 40), None, |k| for_some(k, 40, Joint::Ballot)),
        ("a part of a warp", (1, 40), Some(Faults::DIVERGENCE), |k| for_some(k, 36, Joint::Ballot)),
        ("in a section", (1, 4), Some(Faults::ORDER), |k| {
            k.section(0, |k| {
                let (value, into) = (k.number(1), k.declare(0));
                let (function, at, width, syncs) = (ADD, None, 32, false);
                k.push(StmtKind::Collective(Collective {
                    function,
                    value,
                    at,
                    width,
                    syncs,
                    into,
                }));
                into
            });
        }),
        ("a lane that is there", (1, 64), None, |k| {
            let lid = k.lid();
            k.collect(DOWN, lid, Some(30));
        }),
        ("a lane that is not there", (1, 40), Some(Faults::RANGE), |k| {
            let lid = k.lid();
            k.collect(DOWN, lid, Some(1));
        }),
        ("a distance that no warp has", (1, 32), Some(Faults::RANGE), |k| {
            let lid = k.lid();
            k.collect(DOWN, lid, Some(32));
        }),
        ("a broadcast of the last one", (1, 4), None, |k| {
            let lid = k.lid();
            k.collect(Joint::Broadcast, lid, Some(3));
        }),
        ("a broadcast of one after it", (1, 4), Some(Faults::RANGE), |k| {
            let lid = k.lid();
            k.collect(Joint::Broadcast, lid, Some(4));
        }),
        ("broadcasts of several", (1, 4), Some(Faults::ORDER), |k| {
            let (value, at) = (k.lid(), k.lid());
            k.collect_at(Joint::Broadcast, value, Some(at));
        }),
        ("a sum in range", (1, 2), None, |k| {
            let value = k.number(1 << 29);
            k.collect(ADD, value, None);
        }),
        ("a sum out of range", (1, 4), Some(Faults::ARITHMETIC), |k| {
            let value = k.number(1 << 29);
            k.collect(ADD, value, None);
        }),
        ("a sum in range with parts that are not", (1, 8), Some(Faults::ARITHMETIC), |k| {
            let (some, by, odd) = (k.lid(), k.number(1), k.number(1 << 30));
            let parity = k.binary(Binary::And, some, by);
            let twice = k.binary(Binary::Add, parity, parity);
            let sign = k.binary(Binary::Subtract, twice, by);
            let value = k.binary(Binary::Multiply, sign, odd);
            k.collect(Joint::ScanInclusive(Atomic::Add), value, None);
        }),
    ];
    assert_faults(cases);
}

#[test]
fn results_are_those_of_the_own_team() {
    // The second warp has eight lanes.
    type Expected = fn(i64) -> i64;
    let cases: &[(Joint, Option<i64>, Expected)] = &[
        (Joint::Reduce(Atomic::Add), None, |_| 40 * 39 / 2),
        (Joint::ScanExclusive(Atomic::Max), None, |i| if i == 0 { i32::MIN.into() } else { i - 1 }),
        (Joint::Broadcast, Some(35), |_| 35),
        (Joint::GroupAll, None, |_| 0),
        (Joint::GroupAny, None, |_| 1),
        (Joint::Shuffle(Shuffle::To), Some(3), |i| i / 32 * 32 + 3),
        (Joint::Shuffle(Shuffle::Up), Some(9), |i| if i % 32 < 9 { i } else { i - 9 }),
        (Joint::Shuffle(Shuffle::Xor), Some(5), |i| i ^ 5),
        (Joint::WarpAll, None, |i| i64::from(i >= 32)),
        (Joint::WarpReduce(Atomic::Max), None, |i| if i < 32 { 31 } else { 39 }),
    ];
    for (function, at, expected) in cases {
        let mut kernel = Kernel::new(1, 40);
        let lid = kernel.lid();
        kernel.collect(*function, lid, *at);
        let (faults, results) = kernel.run();
        assert!(faults.is_empty(), "{function:?}: {faults:?}");
        let expected: Vec<_> = (0..40).map(|i| mixed(FIRST, expected(i) as u64)).collect();
        assert_eq!(results, expected, "{function:?}");
    }
}

#[test]
fn a_sub_group_has_to_come_together() {
    const ALL: Joint = Joint::SubGroup(SubGroup::All);
    const SUM: Joint = Joint::SubGroup(SubGroup::Reduce(Atomic::Add));
    const BROADCAST: Joint = Joint::SubGroup(SubGroup::Broadcast);
    const SHUFFLE: Joint = Joint::SubGroup(SubGroup::Shuffle);
    let cases: &[Checked] = &[
        ("one of two", (1, 64), None, |k| for_some(k, 32, ALL)),
        ("a part of one", (1, 64), Some(Faults::DIVERGENCE), |k| for_some(k, 31, ALL)),
        ("more than one", (1, 64), Some(Faults::DIVERGENCE), |k| for_some(k, 33, SHUFFLE)),
        ("all of a small group", (1, 16), Some(Faults::DIVERGENCE), |k| for_some(k, 16, ALL)),
        ("the last one is smaller", (1, 40), Some(Faults::DIVERGENCE), |k| for_some(k, 40, ALL)),
        ("a broadcast of the last one", (1, 64), None, |k| {
            let lid = k.lid();
            k.collect(BROADCAST, lid, Some(31));
        }),
        ("a broadcast of one after it", (1, 64), Some(Faults::RANGE), |k| {
            let lid = k.lid();
            k.collect(BROADCAST, lid, Some(32));
        }),
        ("broadcasts of several", (1, 32), Some(Faults::ORDER), |k| {
            let (value, at) = (k.lid(), k.lid());
            k.collect_at(BROADCAST, value, Some(at));
        }),
        ("a shuffle from outside", (1, 64), Some(Faults::RANGE), |k| {
            let (value, at) = (k.lid(), k.lid());
            k.collect_at(SHUFFLE, value, Some(at));
        }),
        ("a sum out of range", (1, 32), Some(Faults::ARITHMETIC), |k| {
            let value = k.number(1 << 26);
            k.collect(SUM, value, None);
        }),
        // Of a whole work-group, it would not be.
        ("a sum in range", (1, 64), None, |k| {
            let value = k.number(i64::from(i32::MAX) / 32);
            k.collect(SUM, value, None);
        }),
    ];
    assert_faults(cases);
}

/// Rows of work-items that 32 does not divide are put into sub-groups by the device, as it likes.
#[test]
fn rows_are_whole_sub_groups() {
    for (local, is_certain) in [([32, 2, 1], true), ([16, 2, 1], false), ([64, 1, 1], true)] {
        let mut kernel = Kernel::new(1, local.iter().product());
        (kernel.program.sizes.local, kernel.program.sizes.global) = (local, local);
        let value = kernel.number(3);
        kernel.collect(Joint::SubGroup(SubGroup::Any), value, None);
        let (faults, _) = kernel.run();
        assert_eq!(faults.is_empty(), is_certain, "{local:?}: {faults:?}");
    }
}

#[test]
fn results_are_those_of_the_own_sub_group() {
    type Expected = fn(i64) -> i64;
    let cases: &[(SubGroup, Option<i64>, Expected)] = &[
        // 0 to 31, and 32 to 63.
        (SubGroup::Reduce(Atomic::Add), None, |i| if i < 32 { 496 } else { 1520 }),
        (SubGroup::Reduce(Atomic::Min), None, |i| if i < 32 { 0 } else { 32 }),
        (SubGroup::ScanInclusive(Atomic::Add), None, |i| match i {
            0..32 => i * (i + 1) / 2,
            _ => i * (i + 1) / 2 - 496,
        }),
        (SubGroup::ScanInclusive(Atomic::Max), None, |i| i),
        (SubGroup::ScanExclusive(Atomic::Add), None, |i| match i {
            0..32 => i * (i - 1) / 2,
            _ => i * (i - 1) / 2 - 496,
        }),
        (SubGroup::ScanExclusive(Atomic::Min), None, |i| match i {
            0 | 32 => i32::MAX.into(),
            1..32 => 0,
            _ => 32,
        }),
        (SubGroup::Broadcast, Some(31), |i| if i < 32 { 31 } else { 63 }),
        (SubGroup::All, None, |i| i64::from(i >= 32)),
        (SubGroup::Any, None, |_| 1),
        (SubGroup::Shuffle, Some(5), |i| if i < 32 { 5 } else { 37 }),
        (SubGroup::ShuffleXor, Some(21), |i| i ^ 21),
    ];
    for (function, at, expected) in cases {
        let mut kernel = Kernel::new(1, 64);
        let lid = kernel.lid();
        kernel.collect(Joint::SubGroup(*function), lid, *at);
        let (faults, results) = kernel.run();
        assert!(faults.is_empty(), "{function:?}: {faults:?}");
        let expected: Vec<_> = (0..64).map(|i| mixed(FIRST, expected(i) as u64)).collect();
        assert_eq!(results, expected, "{function:?}");
    }
}
