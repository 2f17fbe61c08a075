//! Statements as text.

use super::Printer;
use super::expressions::number;
use crate::ir::{
    Atomic, Exact, ExprId, ExprKind, For, Form, Gather, GroupCopy, Jump, Place, Reduce, Scalar,
    Section, StmtId, StmtKind, Switch, Type, VarId, Way,
};

/// A barrier for all memory.
pub(super) const BARRIER: &str = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";

impl Printer<'_> {
    pub(super) fn statement(&mut self, id: StmtId) {
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Nothing => {}
            StmtKind::Declare(variable, value) => {
                let variable = program.variable(*variable);
                let text = format!("{} {} = {};", variable.ty, variable.name, self.text(*value));
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
            StmtKind::Hash(value) => {
                let ty = program.ty(*value);
                let mut value = self.text(*value);
                if ty.scalar.is_float() {
                    // A whole number, which does not show the sign of zero.
                    let suffix = if ty.scalar == Scalar::Float { "f" } else { "" };
                    let long = if ty.is_vector() {
                        format!("convert_long{}", ty.lanes)
                    } else {
                        "(long)".to_owned()
                    };
                    value = format!("{long}({value} * {}.0{suffix})", 1 << Exact::SCALE);
                }
                let text = match ty.lanes {
                    1 => format!("hash = note(hash, {value});"),
                    n => format!("hash = note{n}(hash, convert_ulong{n}({value}));"),
                };
                self.line(&text);
            }
            StmtKind::If(condition, then, other) => {
                self.line(&format!("if ({}) {{", self.text(*condition)));
                self.nested(then);
                if !other.is_empty() {
                    self.line("} else {");
                    self.nested(other);
                }
                self.line("}");
            }
            StmtKind::Switch(switch) => self.switch(switch),
            StmtKind::For(details) => self.repeat(details),
            StmtKind::Jump(jump, condition) => {
                let word = if *jump == Jump::Break { "break" } else { "continue" };
                self.line(&format!("if ({}) {word};", self.text(*condition)));
            }
            StmtKind::Barrier => self.line(BARRIER),
            StmtKind::Reduce(reduce) => self.reduce(reduce),
            StmtKind::Gather(gather) => self.gather(gather),
            StmtKind::GroupCopy(copy) => self.copy_by_group(id, copy),
            StmtKind::Section(section) => self.section(section),
        }
    }

    pub(super) fn nested(&mut self, block: &[StmtId]) {
        self.indent += 1;
        for id in block {
            self.statement(*id);
        }
        self.indent -= 1;
    }

    fn array(&mut self, variable: VarId, values: &[i64]) {
        let variable = self.program.variable(variable);
        let elements: Vec<_> =
            values.chunks(usize::from(variable.ty.lanes)).map(|e| lanes(e, variable.ty)).collect();
        let (ty, name, length) = (variable.ty, &variable.name, variable.length.unwrap_or(1));
        let text = format!("{ty} {name}[{length}] = {{{}}};", elements.join(", "));
        self.line(&text);
    }

    fn assign(&mut self, place: &Place, value: ExprId) {
        let name = &self.program.variable(place.variable()).name;
        let target = match place {
            Place::Variable(_) => name.clone(),
            Place::Lanes(variable, swizzle) => {
                let lanes = swizzle.text(self.program.variable(*variable).ty.lanes);
                format!("{name}.{lanes}")
            }
            Place::Element(_, at) => format!("{name}[{}]", self.text(*at)),
            Place::Part(path) => self.path(path),
            Place::Store(_, at) => {
                let count = self.program.ty(value).lanes;
                let text =
                    format!("vstore{count}({}, {}, {name});", self.text(value), self.text(*at));
                return self.line(&text);
            }
        };
        let text = match self.compound(&target, value) {
            Some((operator, value)) => format!("{target} {operator}= {value};"),
            None => format!("{target} = {};", self.text(value)),
        };
        self.line(&text);
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
        let is_same = !operator.is_relational() && self.text(a) == target;
        is_same.then(|| (operator.texts().0, self.text(b)))
    }

    fn switch(&mut self, switch: &Switch) {
        self.line(&format!("switch ({}) {{", self.text(switch.value)));
        for case in &switch.cases {
            let label = match case.label {
                Some(label) => format!("case {label}: {{"),
                None => "default: {".to_owned(),
            };
            self.line(&label);
            self.nested(&case.body);
            self.line(if case.falls { "}" } else { "} break;" });
        }
        self.line("}");
    }

    fn repeat(&mut self, details: &For) {
        let counter = self.program.variable(details.counter);
        let name = &counter.name;
        let (start, limit) = (self.text(details.start), self.text(details.limit));
        let (compare, change) = if details.step > 0 { ("<", "+=") } else { (">", "-=") };
        let (ty, by) = (counter.ty, details.step.abs());
        let next = format!("({name} {change} {by}) {compare} {limit}");
        let (mut before, after) = match details.form {
            Form::For => {
                let text = format!(
                    "for ({ty} {name} = {start}; {name} {compare} {limit}; {name} {change} {by}) {{"
                );
                (vec![text], vec!["}".to_owned()])
            }
            Form::While => {
                let first = format!("{ty} {name} = {start} - ({});", details.step);
                (vec!["{".to_owned(), first, format!("while ({next}) {{")], vec!["}".to_owned(); 2])
            }
            Form::DoWhile => {
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
        let (value, first) = (self.text(gather.value), number(gather.first, Scalar::Int));
        self.line(&format!("if (lid == 0) {{ {cells}[0] = {first}; {cells}[1] = 0; }}"));
        self.line(BARRIER);
        match gather.way {
            Way::Ticket(variable) => {
                let (ticket, function) =
                    (&self.program.variable(variable).name, gather.function.name());
                self.line("{");
                self.indent += 1;
                self.line(&format!("int {ticket} = atomic_inc(&{cells}[1]);"));
                self.line(&format!("{function}(&{cells}[0], {value});"));
                self.indent -= 1;
                self.line("}");
            }
            Way::CompareExchange => {
                let new = match gather.function {
                    Atomic::Add => "(int)((uint)seen + (uint)more)",
                    Atomic::Sub => "(int)((uint)seen - (uint)more)",
                    Atomic::Min => "min(seen, more)",
                    Atomic::Max => "max(seen, more)",
                    Atomic::And => "seen & more",
                    Atomic::Or => "seen | more",
                    Atomic::Xor => "seen ^ more",
                };
                self.line("{");
                self.indent += 1;
                self.line(&format!("int seen, old = {first}, more = {value};"));
                self.line(&format!("do {{ seen = old; old = atomic_cmpxchg(&{cells}[0], seen, {new}); }} while (old != seen);"));
                self.indent -= 1;
                self.line("}");
            }
        }
        self.line(BARRIER);
        self.line(&format!("{into} = {cells}[0];"));
        self.line(BARRIER);
    }

    fn reduce(&mut self, reduce: &Reduce) {
        let place = "g_atomic_reduction[group]";
        self.line(&format!("{}(&{place}, {});", reduce.function.name(), self.text(reduce.value)));
        self.line(BARRIER);
        self.line(&format!("{} = {place};", self.program.variable(reduce.into).name));
        self.line(BARRIER);
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
        self.line(BARRIER);
        self.indent -= 1;
        self.line("}");
    }

    fn section(&mut self, section: &Section) {
        let place = format!("group * {} + {}", self.program.sections(), section.index);
        let arrival = section.arrival;
        self.line(&format!("if (atomic_inc(&g_atomic_input[{place}]) == {arrival}) {{"));
        self.nested(&section.body);
        let terms =
            section.sum.iter().map(|&id| format!("(uint){}", self.program.variable(id).name));
        let sum = terms.collect::<Vec<_>>().join(" + ");
        self.indent += 1;
        self.line(&format!("atomic_add(&g_special_values[{place}], {sum});"));
        self.indent -= 1;
        self.line("}");
    }
}

/// The lanes of a constant.
pub(super) fn lanes(values: &[i64], ty: Type) -> String {
    let numbers: Vec<_> = values.iter().map(|&value| number(value, ty.scalar)).collect();
    let numbers = numbers.join(", ");
    if ty.is_vector() { format!("({ty})({numbers})") } else { numbers }
}
