//! Statements as text.

use super::Printer;
use super::expressions::number;
use crate::ir::{
    ExprId, ExprKind, For, Jump, Place, Reduce, Section, StmtId, StmtKind, Switch, Type, VarId,
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
                let value = self.text(*value);
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
        if let Some(count) = details.unroll {
            self.line(&format!("#pragma unroll {count}"));
        }
        let counter = self.program.variable(details.counter);
        let name = &counter.name;
        let (start, limit) = (self.text(details.start), self.text(details.limit));
        let (compare, change) = if details.step > 0 { ("<", "+=") } else { (">", "-=") };
        let text = format!(
            "for ({} {name} = {start}; {name} {compare} {limit}; {name} {change} {}) {{",
            counter.ty,
            details.step.abs()
        );
        self.line(&text);
        self.nested(&details.body);
        self.line("}");
    }

    fn reduce(&mut self, reduce: &Reduce) {
        let place = "g_atomic_reduction[group]";
        self.line(&format!("{}(&{place}, {});", reduce.function.name(), self.text(reduce.value)));
        self.line(BARRIER);
        self.line(&format!("{} = {place};", self.program.variable(reduce.into).name));
        self.line(BARRIER);
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
