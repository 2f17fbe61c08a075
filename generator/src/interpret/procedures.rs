//! Calls of functions that work on objects.

use super::objects::Node;
use super::{Faults, Machine, items};
use crate::ir::{ActualParameter, ExprId, Path, Place, ProcedureCall, StmtId, Storage, VarId};

impl Machine<'_> {
    pub(super) fn call_procedure(&mut self, id: StmtId, call: &ProcedureCall, mask: u64) {
        let program = self.program;
        let function = program.function(call.function);
        for (parameter, argument) in function.parameters.iter().zip(&call.arguments) {
            match argument {
                ActualParameter::Value(value) => self.pass(*parameter, *value, mask),
                ActualParameter::Address(address) => {
                    let values = self.address(address, mask, Node::Stmt(id));
                    self.pass_pointer(*parameter, &values, mask);
                }
                ActualParameter::Object(path) => {
                    self.forget_object(*parameter, mask);
                    self.copy(id, &Path::to(*parameter), path, mask);
                }
            }
        }
        let broken = std::mem::take(&mut self.broken);
        self.block(&function.body, mask);
        self.broken = broken;
        match (&call.into, &function.object) {
            (Place::Part(into), Some(object)) => self.copy(id, into, object, mask),
            (Place::Variable(into), None) => self.pass(*into, function.value, mask),
            _ => self.fault(id, Faults::RANGE),
        }
        for parameter in &function.parameters {
            if matches!(program.variable(*parameter).space, Storage::Object(_)) {
                for item in items(mask) {
                    self.end_life(*parameter, item);
                }
            }
        }
    }

    /// Gives a private variable a value.
    fn pass(&mut self, variable: VarId, value: ExprId, mask: u64) {
        self.assign_variable(variable, value, mask, None);
    }
}
