//! The text around the instructions: the module, its tables and functions, and the kernel.

use super::calls::passed;
use super::{PtxPrinter, bits, literal};
use crate::interpret::FIRST;
use crate::ir::{Buffer, FunctionId, StmtId, StmtKind, Storage};

/// The head of a module: the first version with every instruction that is used, but for the oldest device.
const HEAD: &str = ".version 7.6\n";
/// A buffer of atomic sections or reductions.
pub(super) const COUNTERS: &str = "g_atomic_input";
pub(super) const SUMS: &str = "g_special_values";
pub(super) const REDUCTION: &str = "g_atomic_reduction";

impl PtxPrinter<'_> {
    pub(super) fn module(mut self, comments: &str) -> String {
        let program = self.program;
        let mut text = String::new();
        for variable in &program.variables {
            let (name, scalar) = (&variable.name, variable.ty.scalar);
            match &variable.space {
                Storage::Constant(values) => {
                    let space = super::memory::table_space(values);
                    let values: Vec<_> = values.iter().map(|one| literal(*one, scalar)).collect();
                    let (count, values) = (values.len(), values.join(", "));
                    let ty = super::exactly(scalar);
                    text += &format!("{space} .align 8 .{ty} {name}[{count}] = {{{values}}};\n");
                }
                Storage::Local => {
                    let bytes = variable.length.unwrap_or(1) * scalar.bits() / 8;
                    text += &format!(".shared .align 8 .b8 {name}[{bytes}];\n");
                }
                _ => {}
            }
        }
        for id in program.functions_in_use() {
            text += &Self::new(program).function(id);
        }
        let names = self.buffers();
        let parameters = names.iter().map(|name| format!(".param .u64 p_{name}"));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        text += &format!(".visible .entry entry({parameters})\n");
        if program.fixed_size {
            let [x, y, z] = program.sizes.local;
            text += &format!(".reqntid {x}, {y}, {z}\n");
        }
        self.kernel(&names);
        let mut declarations = self.declarations();
        for name in names {
            declarations += &format!("    .reg .b64 %{name};\n");
        }
        declarations += "    .reg .b32 %gid, %lid, %group;\n    .reg .b64 %hash;\n";
        // `redux` came with this device.
        let target = if self.out.contains("redux.sync") { "sm_80" } else { "sm_70" };
        let head = format!("{comments}{HEAD}.target {target}\n.address_size 64\n");
        head + &text + "{\n" + &declarations + &self.out + "}\n"
    }

    fn function(mut self, id: FunctionId) -> String {
        let program = self.program;
        let function = program.function(id);
        for parameter in &function.parameters {
            let variable = program.variable(*parameter);
            let (scalar, passed) = (variable.ty.scalar, passed(variable.ty.scalar));
            let value = self.fresh(passed.bits());
            self.emit(&format!("ld.param.{} {value}, [p_{}]", bits(passed), variable.name));
            let value = self.converted(value, (passed, scalar));
            self.assign(*parameter, &value);
        }
        self.block(&function.body);
        let scalar = program.ty(function.value).scalar;
        let value = self.value(function.value);
        let ty = bits(passed(scalar));
        let value = self.converted(value, (scalar, passed(scalar)));
        self.emit(&format!("st.param.{ty} [result], {value}"));
        self.emit("ret");
        let parameters = function.parameters.iter().map(|id| {
            let variable = program.variable(*id);
            format!(".param .{} p_{}", bits(passed(variable.ty.scalar)), variable.name)
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let name = &function.name;
        format!(
            ".func (.param .{ty} result) {name}({parameters})\n{{\n{}{}}}\n",
            self.declarations(),
            self.out
        )
    }

    /// The names of the buffers, in the order of the parameters.
    fn buffers(&self) -> Vec<String> {
        let program = self.program;
        let is_reduction = |id: StmtId| matches!(program.stmt(id).kind, StmtKind::Reduce(_));
        let mut names = vec!["result".to_owned()];
        if program.sections() > 0 {
            names.extend([COUNTERS, SUMS].map(str::to_owned));
        }
        if program.statements().into_iter().any(is_reduction) {
            names.push(REDUCTION.to_owned());
        }
        for buffer in [Buffer::Emi, Buffer::Sequence, Buffer::Communication] {
            names.extend(program.buffer(buffer).map(|id| program.variable(id).name.clone()));
        }
        names
    }

    fn kernel(&mut self, names: &[String]) {
        let program = self.program;
        self.emit(&format!("mov.b64 %hash, {FIRST:#x}"));
        self.block(&program.body);
        let sections = program.sections();
        if sections > 0 {
            self.emit("bar.sync 0");
            for index in 0..sections {
                let address = self.cell(SUMS, index);
                let sum = self.compute("ld.global.u32", 32, &[&format!("[{address}]")]);
                let sum = self.compute("cvt.u64.u32", 64, &[&sum]);
                self.mix(&sum);
            }
        }
        let address = self.compute("mad.wide.u32", 64, &["%gid", "8", "%result"]);
        self.emit(&format!("st.global.u64 [{address}], %hash"));
        self.emit("ret");
        let body = std::mem::take(&mut self.out);
        for name in names {
            self.emit(&format!("ld.param.u64 %{name}, [p_{name}]"));
            self.emit(&format!("cvta.to.global.u64 %{name}, %{name}"));
        }
        self.numbers(&body);
        self.out += &body;
    }

    /// The numbers that the body uses: of the work-item among all and in its group, and of the group.
    fn numbers(&mut self, body: &str) {
        let special = |name: &str| ["x", "y", "z"].map(|d| format!("%{name}.{d}"));
        let [lane, size, group, groups] = ["tid", "ntid", "ctaid", "nctaid"].map(special);
        let is_line = self.program.sizes.global[1..] == [1, 1];
        let compute = |printer: &mut Self, name: &str, [a, b, c]: [&str; 3]| {
            let [a, b, c] = [a, b, c].map(|one| match one.contains('.') {
                true => printer.compute("mov.u32", 32, &[one]),
                false => one.to_owned(),
            });
            printer.compute(name, 32, &[&a, &b, &c])
        };
        let linear = |printer: &mut Self, [x, y, z]: [&str; 3], sizes: [&str; 2]| {
            if is_line {
                return x.to_owned();
            }
            let sum = compute(printer, "mad.lo.u32", [z, sizes[1], y]);
            compute(printer, "mad.lo.u32", [&sum, sizes[0], x])
        };
        if body.contains("%gid") {
            let all = [0, 1, 2].map(|d| match is_line && d > 0 {
                true => String::new(),
                false => compute(self, "mad.lo.u32", [&group[d], &size[d], &lane[d]]),
            });
            let sizes = self.program.sizes.global.map(|size| size.to_string());
            let gid = linear(self, all.each_ref().map(String::as_str), [&sizes[0], &sizes[1]]);
            self.emit(&format!("mov.b32 %gid, {gid}"));
        }
        for (name, place, sizes) in [("lid", &lane, &size), ("group", &group, &groups)] {
            if body.contains(&format!("%{name}")) {
                let place = place.each_ref().map(String::as_str);
                let number = linear(self, place, [&sizes[0], &sizes[1]]);
                self.emit(&format!("mov.u32 %{name}, {number}"));
            }
        }
    }
}
