//! The text around the statements: launch comment, helpers, parameters, tables.

use super::{Extras, KernelPrinter};
use crate::interpret::FIRST;
use crate::ir::{Buffer, StmtId, StmtKind, Storage, VarId, WARP};

impl KernelPrinter<'_> {
    pub(super) fn kernel(&mut self, extras: &Extras<'_>) {
        self.indent = 0;
        let program = self.program;
        self.comments(extras);
        let body = self.body(extras);
        let functions = self.functions();
        self.records(&[&functions, &body]);
        self.helpers(&body);
        self.tables();
        self.out.push_str(&functions);
        if let Some(expected) = extras.expected {
            let words: Vec<_> = expected.iter().map(|word| format!("{word:#x}UL")).collect();
            let text =
                format!("__constant ulong expected[{}] = {{{}}};", words.len(), words.join(", "));
            self.line(&text);
        }
        if program.fixed_size {
            let [x, y, z] = program.sizes.local;
            self.line(&format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))"));
        }
        if program.uses_sub_groups() {
            self.line(&format!("__attribute__((intel_reqd_sub_group_size({WARP})))"));
        }
        let parameters = self.parameters().join(", ");
        self.line(&format!("__kernel void entry({parameters}) {{"));
        self.out.push_str(&body);
        self.line("}");
    }

    /// The lines that say how the kernel is launched, and where it comes from.
    pub(super) fn comments(&mut self, extras: &Extras<'_>) {
        let comment = self.launch_comment();
        self.line(&comment);
        if !extras.origin.is_empty() {
            self.line(&format!("// {}", extras.origin));
        }
    }

    /// True if the kernel gets the buffer of atomic reductions.
    pub(super) fn uses_reduction(&self) -> bool {
        let is_reduction = |id: StmtId| matches!(self.program.stmt(id).kind, StmtKind::Reduce(_));
        self.program.statements().into_iter().any(is_reduction)
    }

    /// The flags for the arguments, in the order of the parameters, and the sizes.
    fn launch_comment(&self) -> String {
        let program = self.program;
        let mut text = "//".to_owned();
        if program.sections() > 0 {
            text += &format!(" --atomics {}", program.sections());
        }
        if self.uses_reduction() {
            text += " ---atomic_reductions";
        }
        for (buffer, flag) in [
            (Buffer::Emi, "---emi"),
            (Buffer::Sequence, "---fake_divergence"),
            (Buffer::Communication, "---inter_thread_comm"),
        ] {
            if program.buffer(buffer).is_some() {
                text = text + " " + flag;
            }
        }
        let [a, b, c] = program.sizes.global;
        let [x, y, z] = program.sizes.local;
        text + &format!(" -g {a},{b},{c} -l {x},{y},{z}")
    }

    fn parameters(&self) -> Vec<String> {
        let mut parameters = vec!["__global ulong *result".to_owned()];
        if self.program.sections() > 0 {
            parameters.push("__global volatile uint *g_atomic_input".to_owned());
            parameters.push("__global volatile uint *g_special_values".to_owned());
        }
        if self.uses_reduction() {
            parameters.push("__global volatile int *g_atomic_reduction".to_owned());
        }
        for buffer in [Buffer::Emi, Buffer::Sequence, Buffer::Communication] {
            if let Some(id) = self.program.buffer(buffer) {
                let variable = self.program.variable(id);
                parameters.push(format!("__global {} *{}", variable.ty, variable.name));
            }
        }
        parameters
    }

    /// The functions that add vectors to a result, as far as they are needed.
    fn helpers(&mut self, body: &str) {
        self.line("static ulong note(ulong hash, ulong value) { hash ^= value; return (hash ^ (hash >> 29)) * 0x100000001b3UL; }");
        let most =
            [16, 8, 4, 3, 2].into_iter().find(|n| body.contains(&format!("note{n}("))).unwrap_or(1);
        if most >= 2 {
            self.line(
                "static ulong note2(ulong hash, ulong2 v) { return note(note(hash, v.x), v.y); }",
            );
        }
        if body.contains("note3(") {
            self.line(
                "static ulong note3(ulong hash, ulong3 v) { return note(note2(hash, v.xy), v.z); }",
            );
        }
        for n in [4, 8, 16] {
            if most >= n {
                let half = n / 2;
                self.line(&format!("static ulong note{n}(ulong hash, ulong{n} v) {{ return note{half}(note{half}(hash, v.lo), v.hi); }}"));
            }
        }
    }

    pub(super) fn tables(&mut self) {
        for variable in &self.program.variables {
            let Storage::Constant(values) = &variable.space else { continue };
            let (ty, name) = (self.ty(variable.ty), &variable.name);
            let space = if self.is_cuda() { "__constant__" } else { "__constant" };
            let length = values.len() / usize::from(variable.ty.lanes);
            let elements = self.elements(values, variable.ty);
            let text = format!("{space} {ty} {name}[{length}] = {{{elements}}};");
            self.line(&text);
        }
    }

    /// The statements of the kernel, with the declarations that they need.
    fn body(&mut self, extras: &Extras<'_>) -> String {
        let before = std::mem::take(&mut self.out);
        let statements = self.all_statements();
        self.shared_arrays(&statements, "__local");
        self.line("int gid = (int)((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0));");
        if uses(&statements, "lid") {
            self.line("int lid = (int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0));");
        }
        if uses(&statements, "group") {
            self.line("int group = (int)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));");
        }
        self.line(&format!("ulong hash = {FIRST:#x}UL;"));
        self.out.push_str(&statements);
        self.line("result[gid] = hash;");
        if extras.expected.is_some() {
            self.line("if (hash != expected[gid])");
            self.indent += 1;
            self.line("printf(\"work-item %d: %lx instead of %lx\\n\", gid, hash, expected[gid]);");
        }
        self.indent = 0;
        std::mem::replace(&mut self.out, before)
    }

    /// The statements of the kernel up to the end of the hash.
    pub(super) fn all_statements(&mut self) -> String {
        let program = self.program;
        self.indent = 1;
        for id in &program.body {
            self.statement(*id);
        }
        let sections = program.sections();
        if sections > 0 {
            self.barrier();
            for index in 0..sections {
                self.line(&format!(
                    "hash = note(hash, g_special_values[group * {sections} + {index}]);"
                ));
            }
        }
        std::mem::take(&mut self.out)
    }

    /// The arrays that the work-items of a group share, as far as statements use them.
    pub(super) fn shared_arrays(&mut self, statements: &str, space: &str) {
        let variables = (0..).map(VarId).zip(&self.program.variables);
        let local = variables.filter(|(_, v)| v.space == Storage::Local);
        for (id, variable) in local.filter(|(_, v)| uses(statements, &v.name)) {
            let (ty, name) = (self.ty(variable.ty), &variable.name);
            let is_wide = self.is_cuda() && self.is_target_of_units(id);
            let align = if is_wide { "__align__(16) " } else { "" };
            self.line(&format!("{space} {align}{ty} {name}[{}];", variable.length.unwrap_or(1)));
        }
    }
}

/// True if a text has a word.
pub(super) fn uses(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|found| found == word)
}
