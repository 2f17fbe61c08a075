//! Functions and their calls as text.

use super::KernelPrinter;
use crate::ir::{ActualParameter, Place, ProcedureCall, Storage, VarId};

impl KernelPrinter<'_> {
    /// The functions that the text needs.
    pub(super) fn functions(&mut self) -> String {
        let (program, before) = (self.program, std::mem::take(&mut self.out));
        for id in program.functions_in_use() {
            let function = program.function(id);
            let parameters = function.parameters.iter().map(|id| self.declared(*id));
            let qualifiers = match (self.is_cuda(), function.is_apart) {
                (false, false) => "static",
                (false, true) => "__attribute__((noinline)) static",
                (true, false) => "static __device__",
                (true, true) => "static __device__ __noinline__",
            };
            let (ty, value) = match &function.object {
                Some(object) => (self.declarator(&program.shape_at(object), ""), self.path(object)),
                None => (self.ty(program.ty(function.value)), self.text(function.value)),
            };
            let (ty, name) = (ty.trim_end(), &function.name);
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            self.line(&format!("{qualifiers} {ty} {name}({parameters}) {{"));
            self.indent = 1;
            for id in &function.body {
                self.statement(*id);
            }
            self.line(&format!("return {value};"));
            self.indent = 0;
            self.line("}");
        }
        std::mem::replace(&mut self.out, before)
    }

    /// The declaration of a variable without its value, and without the length of an array of values.
    pub(super) fn declared(&self, id: VarId) -> String {
        let variable = self.program.variable(id);
        let qualifier = if self.program.volatile.contains(&id) { "volatile " } else { "" };
        match &variable.space {
            Storage::Object(shape) => self.declarator(shape, &variable.name),
            _ => format!("{qualifier}{} {}", self.ty(variable.ty), variable.name),
        }
    }

    pub(super) fn procedure_call(&mut self, call: &ProcedureCall) {
        let arguments = call.arguments.iter().map(|argument| match argument {
            ActualParameter::Value(value) => self.text(*value),
            ActualParameter::Address(address) => self.address(address),
            ActualParameter::Object(path) => self.path(path),
        });
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let into = match &call.into {
            Place::Part(path) => self.path(path),
            place => self.program.variable(place.variable()).name.clone(),
        };
        let name = &self.program.function(call.function).name;
        self.line(&format!("{into} = {name}({arguments});"));
    }
}
