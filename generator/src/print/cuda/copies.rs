//! Copies by a whole group, which CUDA C++ has no function for: the work-items divide the elements among them. The copy is made
//! by assignments or by `cp.async`.

use super::super::KernelPrinter;
use crate::ir::{ExprId, GroupCopy, StmtId, StmtKind, Storage, VarId};

impl KernelPrinter<'_> {
    /// The places are computed before the body, which may change what they are computed from. The copy itself is made after
    /// it, between two barriers.
    pub(in super::super) fn copy_in_cuda(&mut self, id: StmtId, copy: &GroupCopy) {
        let (into, from) = (format!("into{}", id.0), format!("from{}", id.0));
        self.line("{");
        self.indent += 1;
        self.pointer(&into, copy.into);
        self.pointer(&from, copy.from);
        self.indent -= 1;
        self.nested(&copy.body);
        self.indent += 1;
        self.barrier();
        let strided = |(array, _): (VarId, ExprId)| match self.program.variable(array).space {
            Storage::Local => "i".to_owned(),
            _ => times(copy.stride),
        };
        let group = self.program.sizes.group();
        let text = format!(
            "for (int32 i = lid; i < {}; i += {group}) {into}[{}] = {from}[{}];",
            copy.count,
            strided(copy.into),
            strided(copy.from)
        );
        self.line(&text);
        self.barrier();
        self.indent -= 1;
        self.line("}");
    }

    /// The copy begins before the body, and each work-item waits for its part after it. Then a barrier follows.
    pub(in super::super) fn copy_asynchronously(&mut self, id: StmtId, copy: &GroupCopy, by: u8) {
        let (into, from) = (format!("into{}", id.0), format!("from{}", id.0));
        self.line("{");
        self.indent += 1;
        self.pointer(&into, copy.into);
        self.pointer(&from, copy.from);
        let size = self.program.variable(copy.into.0).ty.bits() / 8;
        let unit = (u32::from(by) / size).max(1);
        let (group, count) = (self.program.sizes.group(), copy.count / unit);
        let (to, at) = (times(unit), times(unit * copy.stride));
        self.line(&format!(
            "for (int32 i = lid; i < {count}; i += {group}) cp_async<{by}>({into} + {to}, {from} + {at});"
        ));
        self.indent -= 1;
        self.nested(&copy.body);
        self.indent += 1;
        self.line("cp_async_wait();");
        self.barrier();
        self.indent -= 1;
        self.line("}");
    }

    /// True if a copy goes to an array in units that are wider than its elements.
    pub(in super::super) fn is_target_of_units(&self, array: VarId) -> bool {
        let variable = self.program.variable(array);
        let is_wide = |bytes: u8| u32::from(bytes) * 8 > variable.ty.bits();
        self.program.statements().into_iter().any(|id| match &self.program.stmt(id).kind {
            StmtKind::GroupCopy(copy) => copy.into.0 == array && copy.cp_async.is_some_and(is_wide),
            _ => false,
        })
    }

    fn pointer(&mut self, name: &str, (array, at): (VarId, ExprId)) {
        let variable = self.program.variable(array);
        let (ty, array) = (self.ty(variable.ty), &variable.name);
        let text = format!("{ty} *{name} = {array} + {};", self.text(at));
        self.line(&text);
    }
}

/// The counter times a number.
fn times(number: u32) -> String {
    if number == 1 { "i".to_owned() } else { format!("{number} * i") }
}
