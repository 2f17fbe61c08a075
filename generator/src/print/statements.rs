//! Statements as text.

use super::expressions::number;
use super::{Dialect, KernelPrinter, cuda};
use crate::ir::{
    Atomic, AtomicSection, CombineMethod, Exact, ExprId, ExprKind, For, Foreign, Gather, GroupCopy,
    LoopForm, Place, Reduce, ScalarType, StmtId, StmtKind, Ty, Update, VarId,
};

const BARRIER: &str = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";

impl KernelPrinter<'_> {
    pub(super) fn statement(&mut self, id: StmtId) {
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Nothing => {}
            StmtKind::Declare(variable, value) => {
                let text = format!("{} = {};", self.declared(*variable), self.text(*value));
                self.line(&text);
            }
            StmtKind::DeclareArray(variable, values) => self.array(*variable, values),
            StmtKind::DeclareObject(variable, initials) => self.object(*variable, initials),
            StmtKind::Assign(place, value) => self.assign(place, *value),
            StmtKind::Copy(into, from) => {
                let text = format!("{} = {};", self.path(into), self.path(from));
                self.line(&text);
            }
            StmtKind::Point(into, address) => {
                let text = format!("{} = {};", self.path(into), self.address(address));
                self.line(&text);
            }
            StmtKind::Call(call) => self.procedure_call(call),
            StmtKind::Hash(value) => self.hash(&self.text(*value), program.ty(*value)),
            StmtKind::Merged(merge, block) => self.merged(*merge, block),
            StmtKind::If(condition, then, other) => {
                self.branches(&self.text(*condition), then, other);
            }
            StmtKind::Switch(switch) => self.switch(&self.text(switch.value), switch),
            StmtKind::For(details) => self.repeat(details),
            StmtKind::Labelled(block) => {
                self.line("{");
                self.nested(block);
                let is_used = program.goes_to(block, id);
                self.line(&if is_used { format!("}} {}:;", label(id)) } else { "}".to_owned() });
            }
            StmtKind::Jump(jump, condition) => self.jump(&self.text(*condition), *jump),
            StmtKind::Barrier => self.barrier(),
            StmtKind::Reduce(reduce) => self.reduce(reduce),
            StmtKind::Gather(gather) => self.gather(gather),
            StmtKind::GroupCopy(copy) if self.is_cuda() => match copy.cp_async {
                Some(bytes) => self.copy_asynchronously(id, copy, bytes),
                None => self.copy_in_cuda(id, copy),
            },
            StmtKind::GroupCopy(copy) => self.copy_by_group(id, copy),
            StmtKind::Mma(mma) => self.mma(mma),
            StmtKind::Collective(collective) => self.collective(collective),
            StmtKind::Section(section) => self.section(section),
            StmtKind::Foreign(foreign) => self.foreign(foreign),
        }
    }

    pub(super) fn hash(&mut self, value: &str, ty: Ty) {
        let is_float = ty.scalar.is_float();
        let value = if is_float { self.scaled(value, ty) } else { value.to_owned() };
        let text = match ty.lanes {
            2.. if self.is_c() => {
                // A floating-point number was made a whole one.
                let ty = if ty.scalar.is_float() { ty.of(ScalarType::Long) } else { ty };
                format!("hash = {}(hash, {value});", cuda::instance::<true>("note", &[ty], &[]))
            }
            _ if self.is_cuda() => format!("hash = note(hash, {value});"),
            1 => format!("hash = note(hash, {value});"),
            n => format!("hash = note{n}(hash, convert_ulong{n}({value}));"),
        };
        self.line(&text);
    }

    /// A floating-point number as a whole number, which does not show the sign of zero.
    fn scaled(&self, value: &str, ty: Ty) -> String {
        let suffix = if ty.scalar == ScalarType::Float { "f" } else { "" };
        let one = format!("{}.0{suffix}", 1 << Exact::SCALE);
        let long = self.ty(ty.of(ScalarType::Long));
        match (self.is_cuda(), ty.is_vector()) {
            (_, false) => format!("({long})({value} * {one})"),
            (false, true) => format!("convert_{long}({value} * {one})"),
            (true, true) if self.is_c() => {
                let ty = self.ty(ty);
                format!("convert_{long}_{ty}({value} * splat_{ty}({one}))")
            }
            (true, true) => format!("convert<{long}>({value} * splat<{}>({one}))", self.ty(ty)),
        }
    }

    fn foreign(&mut self, foreign: &Foreign) {
        let element = |array: VarId, at: ExprId| {
            format!("&{}[{}]", self.program.variable(array).name, self.text(at))
        };
        let update = |update: &Update| {
            let (place, value) = (element(update.array, update.at), self.text(update.value));
            format!("{}({place}, {value});", update.function.name())
        };
        match foreign {
            Foreign::Update(one) => self.line(&update(one)),
            Foreign::Ticket(ticket) => {
                let place = element(ticket.array, ticket.at);
                let last = ticket.update.as_ref().map(update);
                self.line(&format!("if (atomic_inc({place}) == {}) {{", ticket.arrival));
                self.nested(&ticket.body);
                if let Some(last) = last {
                    self.line(&last);
                }
                self.line("}");
            }
            Foreign::Fence { local, global } => {
                let names = [(*local, "CLK_LOCAL_MEM_FENCE"), (*global, "CLK_GLOBAL_MEM_FENCE")];
                let names: Vec<_> = names.iter().filter(|name| name.0).map(|name| name.1).collect();
                let flags = if names.is_empty() { "0".to_owned() } else { names.join(" | ") };
                self.line(&format!("barrier({flags});"));
            }
        }
    }

    pub(super) fn nested(&mut self, block: &[StmtId]) {
        self.indent += 1;
        for id in block {
            self.statement(*id);
        }
        self.indent -= 1;
    }

    /// A barrier for all memory.
    pub(super) fn barrier(&mut self) {
        self.line(if self.is_cuda() { "__syncthreads();" } else { BARRIER });
    }

    fn array(&mut self, id: VarId, values: &[i64]) {
        let variable = self.program.variable(id);
        let elements = self.elements(values, variable.ty);
        let (declared, length) = (self.declared(id), variable.length.unwrap_or(1));
        let text = format!("{declared}[{length}] = {{{elements}}};");
        self.line(&text);
    }

    /// Elements of an array of constants.
    pub(super) fn elements(&self, values: &[i64], ty: Ty) -> String {
        let lanes = match self.dialect {
            Dialect::OpenCl => lanes,
            Dialect::Cuda | Dialect::Cpp => cuda::lanes::<false>,
            Dialect::C => cuda::lanes::<true>,
        };
        let elements = values.chunks(usize::from(ty.lanes)).map(|element| lanes(element, ty));
        elements.collect::<Vec<_>>().join(", ")
    }

    fn assign(&mut self, place: &Place, value: ExprId) {
        let name = &self.program.variable(place.variable()).name;
        let target = match place {
            Place::Variable(_) => name.clone(),
            Place::Lanes(_, swizzle) if self.is_c() && swizzle.lanes().len() > 1 => {
                let ty = self.ty(self.program.ty(value));
                let lanes = (0..).zip(swizzle.lanes());
                let lanes = lanes.map(|(from, into)| format!("{name}[{into}] = lanes[{from}];"));
                let lanes = lanes.collect::<Vec<_>>().join(" ");
                return self.line(&format!("{{ {ty} lanes = {}; {lanes} }}", self.text(value)));
            }
            Place::Lanes(_, swizzle) if self.is_cuda() && swizzle.lanes().len() > 1 => {
                let text = cuda::assignment_to_lanes(name, swizzle, &self.text(value));
                return self.line(&text);
            }
            Place::Lanes(_, swizzle) if self.is_cuda() => {
                format!("{name}{}[{}]", if self.is_c() { "" } else { ".s" }, swizzle.lanes()[0])
            }
            Place::Lanes(variable, swizzle) => {
                let lanes = swizzle.text(self.program.variable(*variable).ty.lanes);
                format!("{name}.{lanes}")
            }
            Place::Element(_, at) => format!("{name}[{}]", self.text(*at)),
            Place::Part(path) => self.path(path),
            Place::Store(_, at) => {
                let ty = self.program.ty(value);
                let function = match self.dialect {
                    Dialect::OpenCl => format!("vstore{}", ty.lanes),
                    Dialect::Cuda | Dialect::Cpp => "vstore".to_owned(),
                    Dialect::C => cuda::instance::<true>("vstore", &[ty], &[]),
                };
                let text = format!("{function}({}, {}, {name});", self.text(value), self.text(*at));
                return self.line(&text);
            }
        };
        let text = self.assignment(&target, value);
        self.line(&format!("{text};"));
    }

    /// An assignment as an expression.
    pub(super) fn assignment(&self, target: &str, value: ExprId) -> String {
        match self.compound(target, value) {
            Some((operator, value)) => format!("{target} {operator}= {value}"),
            None => format!("{target} = {}", self.text(value)),
        }
    }

    /// The operator and the second operand of an assignment such as `v += value`.
    fn compound(&self, target: &str, value: ExprId) -> Option<(&'static str, String)> {
        let mut expr = self.program.expr(value);
        if let ExprKind::Convert(inner) = expr.kind
            && !expr.ty.is_vector()
        {
            expr = self.program.expr(inner);
        }
        let ExprKind::Binary(operator, a, b) = expr.kind else { return None };
        // In CUDA, the amounts of shifts need a mask, and vectors have no such operators.
        if self.is_cuda() && (operator.is_shift() || expr.ty.is_vector()) {
            return None;
        }
        if self.is_cuda() && cuda::is_float_division(operator, expr.ty) {
            return None;
        }
        let is_same = !operator.is_relational() && self.text(a) == target;
        is_same.then(|| (operator.texts().0, self.text(b)))
    }

    fn repeat(&mut self, details: &For) {
        let counter = self.program.variable(details.counter);
        let name = &counter.name;
        let (start, limit) = (self.text(details.start), self.text(details.limit));
        let (compare, change) = if details.step > 0 { ("<", "+=") } else { (">", "-=") };
        let (ty, by) = (self.ty(counter.ty), details.step.abs());
        let next = format!("({name} {change} {by}) {compare} {limit}");
        let (mut before, after) = match details.form {
            LoopForm::For => {
                let text = format!(
                    "for ({ty} {name} = {start}; {name} {compare} {limit}; {name} {change} {by}) {{"
                );
                (vec![text], vec!["}".to_owned()])
            }
            LoopForm::While => {
                let first = format!("{ty} {name} = {start} - ({});", details.step);
                (vec!["{".to_owned(), first, format!("while ({next}) {{")], vec!["}".to_owned(); 2])
            }
            LoopForm::DoWhile => {
                let first = format!("{ty} {name} = {start};");
                let last = format!("}} while ({next});");
                (vec!["{".to_owned(), first, "do {".to_owned()], vec![last, "}".to_owned()])
            }
        };
        if let Some(count) = details.unroll {
            before.insert(before.len() - 1, format!("#pragma unroll {count}"));
        }
        before.iter().for_each(|line| self.line(line));
        self.nested(&details.body);
        after.iter().for_each(|line| self.line(line));
    }

    fn gather(&mut self, gather: &Gather) {
        let cells = &self.program.variable(gather.cells).name;
        let into = &self.program.variable(gather.into).name;
        let (value, first) = (self.text(gather.value), number(gather.first, ScalarType::Int));
        let [int, uint] =
            [ScalarType::Int, ScalarType::Uint].map(|scalar| self.ty(Ty::scalar(scalar)));
        self.line(&format!("if (lid == 0) {{ {cells}[0] = {first}; {cells}[1] = 0; }}"));
        self.barrier();
        match gather.way {
            CombineMethod::Ticket(variable) => {
                let (ticket, function) =
                    (&self.program.variable(variable).name, self.atomic(gather.function));
                let next = match self.is_cuda() {
                    true => format!("atomicAdd(&{cells}[1], 1)"),
                    false => format!("atomic_inc(&{cells}[1])"),
                };
                self.line("{");
                self.indent += 1;
                self.line(&format!("{int} {ticket} = {next};"));
                self.line(&format!("{function}(&{cells}[0], {value});"));
                self.indent -= 1;
                self.line("}");
            }
            CombineMethod::CompareExchange => {
                let new = match gather.function {
                    Atomic::Add => format!("({int})(({uint})seen + ({uint})more)"),
                    Atomic::Sub => format!("({int})(({uint})seen - ({uint})more)"),
                    Atomic::Min => "min(seen, more)".to_owned(),
                    Atomic::Max => "max(seen, more)".to_owned(),
                    Atomic::And => "seen & more".to_owned(),
                    Atomic::Or => "seen | more".to_owned(),
                    Atomic::Xor => "seen ^ more".to_owned(),
                };
                let exchange = if self.is_cuda() { "atomicCAS" } else { "atomic_cmpxchg" };
                self.line("{");
                self.indent += 1;
                self.line(&format!("{int} seen, old = {first}, more = {value};"));
                self.line(&format!("do {{ seen = old; old = {exchange}(&{cells}[0], seen, {new}); }} while (old != seen);"));
                self.indent -= 1;
                self.line("}");
            }
        }
        self.barrier();
        self.line(&format!("{into} = {cells}[0];"));
        self.barrier();
    }

    fn atomic(&self, function: Atomic) -> &'static str {
        if self.is_cuda() { cuda::atomic(function) } else { function.name() }
    }

    fn reduce(&mut self, reduce: &Reduce) {
        let place = "g_atomic_reduction[group]";
        let function = self.atomic(reduce.function);
        self.line(&format!("{function}(&{place}, {});", self.text(reduce.value)));
        self.barrier();
        self.line(&format!("{} = {place};", self.program.variable(reduce.into).name));
        self.barrier();
    }

    fn copy_by_group(&mut self, id: StmtId, copy: &GroupCopy) {
        let side = |(array, at): (VarId, ExprId)| {
            format!("{} + {}", self.program.variable(array).name, self.text(at))
        };
        let (into, from, count) = (side(copy.into), side(copy.from), copy.count);
        let event = format!("e{}", id.0);
        self.line("{");
        self.indent += 1;
        if copy.prefetches {
            self.line(&format!("prefetch({from}, {});", (count - 1) * copy.stride + 1));
        }
        let start = match copy.stride {
            1 => format!("async_work_group_copy({into}, {from}, {count}, 0)"),
            stride => {
                format!("async_work_group_strided_copy({into}, {from}, {count}, {stride}, 0)")
            }
        };
        self.line(&format!("event_t {event} = {start};"));
        self.indent -= 1;
        self.nested(&copy.body);
        self.indent += 1;
        self.line(&format!("wait_group_events(1, &{event});"));
        self.barrier();
        self.indent -= 1;
        self.line("}");
    }

    fn section(&mut self, section: &AtomicSection) {
        let place = format!("group * {} + {}", self.program.sections(), section.index);
        let arrival = section.arrival;
        let counter = format!("&g_atomic_input[{place}]");
        let (arrive, add) = match self.is_cuda() {
            true => (format!("atomicAdd({counter}, 1U)"), "atomicAdd"),
            false => (format!("atomic_inc({counter})"), "atomic_add"),
        };
        self.line(&format!("if ({arrive} == {arrival}) {{"));
        self.nested(&section.body);
        let uint = self.ty(Ty::scalar(ScalarType::Uint));
        let terms =
            section.sum.iter().map(|&id| format!("({uint}){}", self.program.variable(id).name));
        let sum = terms.collect::<Vec<_>>().join(" + ");
        self.indent += 1;
        self.line(&format!("{add}(&g_special_values[{place}], {sum});"));
        self.indent -= 1;
        self.line("}");
    }
}

/// The lanes of a constant.
pub(super) fn lanes(values: &[i64], ty: Ty) -> String {
    let numbers: Vec<_> = values.iter().map(|&value| number(value, ty.scalar)).collect();
    let numbers = numbers.join(", ");
    if ty.is_vector() { format!("({ty})({numbers})") } else { numbers }
}

/// The label behind a block.
pub(super) fn label(block: StmtId) -> String {
    format!("l{}", block.0)
}
