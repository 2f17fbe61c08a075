//! The text around the statements of a CUDA kernel.

use super::super::kernel::uses;
use super::super::{Dialect, Extras, KernelPrinter};
use super::{host, prelude};
use crate::interpret::FIRST;
use crate::ir::{Buffer, ScalarType, Ty};

/// The numbers of a work-item, each with its name.
const NUMBERS: [(&str, &str); 3] = [
    ("gid", GLOBAL),
    ("lid", "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"),
    ("group", "(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x"),
];
const GLOBAL: &str = "((blockIdx.z * blockDim.z + threadIdx.z) * (gridDim.y * blockDim.y) + blockIdx.y * blockDim.y + threadIdx.y) * (gridDim.x * blockDim.x) + blockIdx.x * blockDim.x + threadIdx.x";

impl KernelPrinter<'_> {
    pub(in super::super) fn cuda_kernel(&mut self, extras: &Extras<'_>) {
        self.indent = 0;
        self.comments(extras);
        if extras.expected.is_some() {
            for header in ["cstdio", "cstdlib"] {
                self.line(&format!("#include <{header}>"));
            }
        }
        let before = std::mem::take(&mut self.out);
        self.cuda_definitions();
        if let Some(expected) = extras.expected {
            self.out.push_str(&host::text(self.program, &self.cuda_parameters(), expected));
        }
        let text = std::mem::replace(&mut self.out, before);
        self.out.push_str(&prelude::text(self.program, &text, prelude::PARTS));
        self.out.push_str(&text);
    }

    /// The kernel, and what it uses.
    pub(super) fn cuda_definitions(&mut self) {
        let body = self.cuda_body();
        let functions = self.functions();
        self.records(&[&functions, &body]);
        self.tables();
        self.out.push_str(&functions);
        let bounds = match self.program.fixed_size && self.dialect == Dialect::Cuda {
            true => format!("__launch_bounds__({}) ", self.program.sizes.group()),
            false => String::new(),
        };
        let parameters: Vec<_> =
            self.cuda_parameters().into_iter().map(|(ty, name)| format!("{ty} *{name}")).collect();
        let parameters = parameters.join(", ");
        self.line(&format!("extern \"C\" __global__ void {bounds}entry({parameters}) {{"));
        self.out.push_str(&body);
        self.line("}");
    }

    /// The types and names of the parameters.
    pub(super) fn cuda_parameters(&self) -> Vec<(String, &str)> {
        let pointer = |scalar, name| (super::name(Ty::scalar(scalar)), name);
        let mut parameters = vec![pointer(ScalarType::Ulong, "result")];
        if self.program.sections() > 0 {
            parameters.push(pointer(ScalarType::Uint, "g_atomic_input"));
            parameters.push(pointer(ScalarType::Uint, "g_special_values"));
        }
        if self.uses_reduction() {
            parameters.push(pointer(ScalarType::Int, "g_atomic_reduction"));
        }
        for buffer in [Buffer::Emi, Buffer::Sequence, Buffer::Communication] {
            if let Some(id) = self.program.buffer(buffer) {
                let variable = self.program.variable(id);
                parameters.push(pointer(variable.ty.scalar, &variable.name));
            }
        }
        parameters
    }

    /// The statements of the kernel, with the declarations that they need.
    fn cuda_body(&mut self) -> String {
        let statements = self.all_statements();
        self.shared_arrays(&statements, "__shared__");
        let is_alone = self.is_alone();
        let is_read = |name| name == "gid" && !is_alone || uses(&statements, name);
        for (name, number) in NUMBERS.into_iter().filter(|(name, _)| is_read(name)) {
            let number = if is_alone { "0" } else { number };
            self.line(&format!("int32 {name} = (int32)({number});"));
        }
        self.line(&format!("uint64 hash = {FIRST:#x}ULL;"));
        self.out.push_str(&statements);
        self.line(if is_alone { "result[0] = hash;" } else { "result[gid] = hash;" });
        self.indent = 0;
        std::mem::take(&mut self.out)
    }
}
