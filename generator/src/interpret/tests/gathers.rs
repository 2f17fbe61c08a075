//! Values that a group puts together, and the forms of loops: each fault, and what is almost one.

use super::{Checked, Kernel, assert_faults};
use crate::interpret::{FIRST, Faults, mixed};
use crate::ir::{
    Atomic, Binary, CombineMethod, ExprId, For, Gather, Jump, LoopForm, ScalarType, StmtKind,
    Storage,
};

impl Kernel {
    /// Adds up values of the group, which begin with 100, and adds the sum to the result.
    fn gather(&mut self, way: CombineMethod, value: ExprId) {
        let (into, cells) = (self.declare(0), self.local(2));
        let function = Atomic::Add;
        self.push(StmtKind::Gather(Gather { way, function, first: 100, value, cells, into }));
        let sum = self.read(into);
        self.hash(sum);
    }

    /// As `gather`, with the ticket times a factor.
    fn gather_tickets(&mut self, factor: ExprId) {
        let ticket = self.memory(ScalarType::Int, None, Storage::Private);
        let number = self.read(ticket);
        let value = self.binary(Binary::Multiply, number, factor);
        self.gather(CombineMethod::Ticket(ticket), value);
    }

    /// The number of rounds of a loop from 0 to a limit, without those that a jump at 1 leaves out.
    fn rounds(&mut self, form: LoopForm, limit: i64, jump: Option<Jump>) {
        let count = self.declare(0);
        let counter = self.memory(ScalarType::Int, None, Storage::Private);
        let (start, limit) = (self.number(0), self.number(limit));
        let body = self.block(|k| {
            if let Some(jump) = jump {
                k.jump_at(jump, counter, 1);
            }
            k.update(count, Binary::Add, 1);
        });
        let details = For { form, counter, start, limit, step: 1, unroll: None, body };
        self.push(StmtKind::For(details));
        let count = self.read(count);
        self.hash(count);
    }
}

#[test]
fn what_depends_on_who_is_first_is_a_fault() {
    let cases: &[Checked] = &[
        ("tickets alone", (2, 4), None, |k| {
            let two = k.number(2);
            k.gather_tickets(two);
        }),
        ("tickets with a number of the work-item", (1, 4), Some(Faults::ORDER), |k| {
            let lid = k.lid();
            k.gather_tickets(lid);
        }),
        ("tickets of some work-items", (1, 4), Some(Faults::DIVERGENCE), |k| {
            let (lid, two) = (k.lid(), k.number(2));
            k.branch(lid, |k| k.gather_tickets(two));
        }),
        ("numbers of the work-items, by compare and exchange", (2, 4), None, |k| {
            let lid = k.lid();
            k.gather(CombineMethod::CompareExchange, lid);
        }),
        ("compare and exchange in a section", (1, 4), Some(Faults::ORDER), |k| {
            k.section(0, |k| {
                let (into, cells, value) = (k.declare(0), k.local(2), k.number(1));
                let (way, function) = (CombineMethod::CompareExchange, Atomic::Xor);
                k.push(StmtKind::Gather(Gather { way, function, first: 0, value, cells, into }));
                into
            });
        }),
    ];
    assert_faults(cases);
}

#[test]
fn sums_and_rounds_are_those_of_c() {
    type Made = fn(&mut Kernel);
    let cases: &[(&str, i64, Made)] = &[
        ("tickets", 100 + 2 * 6, |k| {
            let two = k.number(2);
            k.gather_tickets(two);
        }),
        ("compare and exchange", 106, |k| {
            let lid = k.lid();
            k.gather(CombineMethod::CompareExchange, lid);
        }),
        ("for", 3, |k| k.rounds(LoopForm::For, 3, None)),
        ("while", 3, |k| k.rounds(LoopForm::While, 3, None)),
        ("do", 3, |k| k.rounds(LoopForm::DoWhile, 3, None)),
        ("for without a round", 0, |k| k.rounds(LoopForm::For, 0, None)),
        ("while without a round", 0, |k| k.rounds(LoopForm::While, 0, None)),
        ("do with its first round", 1, |k| k.rounds(LoopForm::DoWhile, 0, None)),
        ("continue in while", 2, |k| k.rounds(LoopForm::While, 3, Some(Jump::Continue))),
        ("continue in do", 2, |k| k.rounds(LoopForm::DoWhile, 3, Some(Jump::Continue))),
        ("break in do", 1, |k| k.rounds(LoopForm::DoWhile, 3, Some(Jump::Break))),
    ];
    for (name, expected, make) in cases {
        let mut kernel = Kernel::new(1, 4);
        make(&mut kernel);
        let (faults, results) = kernel.run();
        assert!(faults.is_empty(), "{name}: {faults:?}");
        assert_eq!(results, [mixed(FIRST, *expected as u64); 4], "{name}");
    }
}
