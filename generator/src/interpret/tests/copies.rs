//! Copies by a group: each fault, and what is almost one.

use super::{Checked, Kernel, assert_faults};
use crate::interpret::Faults;
use crate::ir::{
    Binary, Buffer, ExprId, GroupCopy, Jump, ScalarType, StmtKind, Storage, VarId, WorkItemId,
};

impl Kernel {
    fn emi(&mut self) -> VarId {
        self.memory(ScalarType::Int, None, Storage::Global(Buffer::Emi))
    }

    /// A copy of a number of elements, which lie apart in global memory by a stride, with what is done meanwhile.
    fn copy(
        &mut self,
        into: (VarId, ExprId),
        from: (VarId, ExprId),
        (count, stride): (u32, u32),
        make: impl FnOnce(&mut Self),
    ) {
        let body = self.block(make);
        let prefetches = false;
        self.push(StmtKind::GroupCopy(GroupCopy {
            into,
            from,
            count,
            stride,
            prefetches,
            cp_async: None,
            body,
        }));
    }

    /// A tile of four elements, filled from the first element of the buffer that is given.
    fn tile(&mut self, first: i64, stride: u32, make: impl FnOnce(&mut Self, VarId, ExprId)) {
        let (tile, emi) = (self.local(4), self.emi());
        let (zero, first, lid) = (self.number(0), self.number(first), self.lid());
        self.copy((tile, zero), (emi, first), (4, stride), |k| make(k, tile, lid));
        let value = self.element(tile, lid);
        self.hash(value);
    }

    /// Elements from local memory to those of the group in global memory, or of the first one.
    fn copy_to_global(
        &mut self,
        with_barrier: bool,
        of_group: bool,
        make: fn(&mut Self, VarId, VarId),
    ) {
        let (local, global) =
            (self.memory(ScalarType::Long, Some(4), Storage::Local), self.communication());
        let (lid, zero) = (self.lid(), self.number(0));
        self.write(local, lid);
        if with_barrier {
            self.barrier();
        }
        let (group, four) =
            (self.item(WorkItemId::LinearGroup), self.number(if of_group { 4 } else { 0 }));
        let first = self.binary(Binary::Multiply, group, four);
        self.copy((global, first), (local, zero), (4, 1), |k| make(k, local, global));
        let at = self.item(WorkItemId::LinearGlobal);
        let value =
            self.element(if of_group { global } else { local }, if of_group { at } else { lid });
        self.hash(value);
    }
}

#[test]
fn copies_by_a_group_are_made_when_they_are_waited_for() {
    let cases: &[Checked] = &[
        ("tile", (2, 4), None, |k| k.tile(7, 1, |_, _, _| {})),
        ("last elements of the buffer", (1, 4), None, |k| k.tile(1020, 1, |_, _, _| {})),
        ("elements beyond the buffer", (1, 4), Some(Faults::RANGE), |k| {
            let (tile, emi) = (k.local(4), k.emi());
            let (zero, first) = (k.number(0), k.number(1021));
            k.copy((tile, zero), (emi, first), (4, 1), |_| {});
        }),
        ("last elements with a distance", (1, 4), None, |k| k.tile(1014, 3, |_, _, _| {})),
        ("elements beyond the tile", (1, 4), Some(Faults::RANGE), |k| {
            let (tile, emi) = (k.local(4), k.emi());
            let (one, first) = (k.number(1), k.number(0));
            k.copy((tile, one), (emi, first), (4, 1), |_| {});
        }),
        ("tile that is read before the end", (1, 4), Some(Faults::RACE), |k| {
            k.tile(7, 1, |k, tile, lid| {
                let value = k.element(tile, lid);
                k.hash(value);
            });
        }),
        (
            "tile that is read after a barrier, but before the end",
            (1, 4),
            Some(Faults::RACE),
            |k| {
                k.tile(7, 1, |k, tile, lid| {
                    k.barrier();
                    let value = k.element(tile, lid);
                    k.hash(value);
                });
            },
        ),
        ("other statements before the end", (1, 4), None, |k| {
            k.tile(7, 1, |k, _, lid| {
                let other = k.local(4);
                k.write(other, lid);
                k.barrier();
            });
        }),
        ("tile that was used in the same interval", (1, 4), Some(Faults::RACE), |k| {
            let (tile, emi) = (k.local(4), k.emi());
            let (zero, lid) = (k.number(0), k.lid());
            k.write(tile, lid);
            k.copy((tile, zero), (emi, zero), (4, 1), |_| {});
        }),
        ("tile that was used in the interval before", (1, 4), None, |k| {
            let (tile, emi) = (k.local(4), k.emi());
            let (zero, lid) = (k.number(0), k.lid());
            k.write(tile, lid);
            k.barrier();
            k.copy((tile, zero), (emi, zero), (4, 1), |_| {});
        }),
        ("copy of some work-items", (1, 4), Some(Faults::DIVERGENCE), |k| {
            let lid = k.lid();
            k.branch(lid, |k| {
                let (tile, emi) = (k.local(4), k.emi());
                let zero = k.number(0);
                k.copy((tile, zero), (emi, zero), (4, 1), |_| {});
            });
        }),
        ("copy with different starts", (1, 4), Some(Faults::DIVERGENCE), |k| {
            let (tile, emi) = (k.local(4), k.emi());
            let (zero, lid) = (k.number(0), k.lid());
            k.copy((tile, zero), (emi, lid), (4, 1), |_| {});
        }),
        ("jump that leaves out the end", (1, 4), Some(Faults::DIVERGENCE), |k| {
            k.repeat(1, 1, |k, counter| {
                let (tile, emi) = (k.local(4), k.emi());
                let zero = k.number(0);
                k.copy((tile, zero), (emi, zero), (4, 1), |k| k.jump_at(Jump::Break, counter, 0));
            });
        }),
        ("copy to the elements of the group", (2, 4), None, |k| {
            k.copy_to_global(true, true, |_, _, _| {})
        }),
        (
            "copy of elements in the interval in which they are written",
            (2, 4),
            Some(Faults::RACE),
            |k| {
                k.copy_to_global(false, true, |_, _, _| {});
            },
        ),
        ("copy to the elements of another group", (2, 4), Some(Faults::RACE), |k| {
            k.copy_to_global(true, false, |_, _, _| {});
        }),
        ("source that is read before the end", (2, 4), None, |k| {
            k.copy_to_global(true, true, |k, local, _| {
                let lid = k.lid();
                let value = k.element(local, lid);
                k.hash(value);
            });
        }),
        ("source that is written before the end", (2, 4), Some(Faults::RACE), |k| {
            k.copy_to_global(true, true, |k, local, _| {
                let lid = k.lid();
                k.write(local, lid);
            });
        }),
        ("copy of what nobody has written", (1, 4), Some(Faults::UNSET), |k| {
            let (local, global) =
                (k.memory(ScalarType::Long, Some(4), Storage::Local), k.communication());
            let zero = k.number(0);
            k.copy((global, zero), (local, zero), (4, 1), |_| {});
        }),
    ];
    assert_faults(cases);
}

/// `cp.async` of 16 bytes needs addresses that are multiples of this, and elements side by side.
#[test]
fn units_of_copies_are_aligned() {
    for (first, count, stride, bytes, is_valid) in [
        (4, 8, 1, 16, true),
        (6, 8, 1, 8, true),
        (7, 8, 3, 4, true),
        (6, 8, 1, 16, false),
        (3, 8, 1, 8, false),
        (4, 6, 1, 16, false),
        (4, 8, 2, 8, false),
    ] {
        let mut kernel = Kernel::new(1, 4);
        let (tile, emi) = (kernel.local(8), kernel.emi());
        let (zero, first) = (kernel.number(0), kernel.number(first));
        kernel.copy((tile, zero), (emi, first), (count, stride), |_| {});
        let Some(&last) = kernel.made.last() else { continue };
        kernel.program.body.clone_from(&kernel.made);
        if let StmtKind::GroupCopy(copy) = &mut kernel.program.stmts[last.0 as usize].kind {
            copy.cp_async = Some(bytes);
        }
        let report = crate::interpret::run(&kernel.program);
        assert_eq!(report.is_clean(), is_valid, "{count} {stride} {bytes}");
        assert_eq!(report.stmt(last).has(Faults::RANGE), !is_valid);
    }
}
