//! Copies by a whole group, which CUDA C++ has no function for: the work-items divide the elements among them.

use super::super::Printer;
use crate::ir::{ExprId, GroupCopy, Space, StmtId, VarId};

impl Printer<'_> {
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
            Space::Local => "i".to_owned(),
            _ if copy.stride == 1 => "i".to_owned(),
            _ => format!("{} * i", copy.stride),
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

    fn pointer(&mut self, name: &str, (array, at): (VarId, ExprId)) {
        let variable = self.program.variable(array);
        let (ty, array) = (self.ty(variable.ty), &variable.name);
        let text = format!("{ty} *{name} = {array} + {};", self.text(at));
        self.line(&text);
    }
}
