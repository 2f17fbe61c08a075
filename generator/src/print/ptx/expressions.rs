//! Expressions as instructions.

use super::{PtxPrinter, bits, exactly, literal, number};
use crate::ir::{Binary, Builtin, ExprId, ExprKind, Program, ScalarType, Unary, WorkItemId};
use crate::random::SeedKey;

/// The most operators of an operand that is evaluated whether its value is used or not.
const MOST_IN_VAIN: usize = 6;

impl PtxPrinter<'_> {
    /// The value of an expression: a register, or a number. Two uses of an expression side by side share its register.
    ///
    /// # Panics
    /// If there are vectors, floating-point numbers or objects in the program.
    pub(super) fn value(&mut self, id: ExprId) -> String {
        if let Some(value) = self.values.get(&id) {
            return value.clone();
        }
        let value = self.evaluate(id);
        self.values.insert(id, value.clone());
        value
    }

    fn evaluate(&mut self, id: ExprId) -> String {
        let program = self.program;
        let expr = program.expr(id);
        let (scalar, key) = (expr.ty.scalar, expr.key.named("ptx"));
        match &expr.kind {
            ExprKind::Literal(stored) => {
                let text = literal(*stored, scalar);
                // The optimiser knows it one step later.
                if key.stream().chance(25) { self.in_register(text, scalar) } else { text }
            }
            ExprKind::Variable(variable) => self.variable(*variable),
            ExprKind::Element(array, at) => self.load(*array, *at, key),
            ExprKind::Item(item) => self.item(*item),
            ExprKind::Unary(Unary::Not, _) => self.truth(id, scalar),
            ExprKind::Unary(operator, a) => {
                let value = self.value_as(*a, scalar);
                let (name, ty) = match operator {
                    Unary::Minus => ("neg", number(scalar.with_sign(true))),
                    _ => ("not", bits(scalar)),
                };
                self.compute(&format!("{name}.{ty}"), scalar.bits(), &[&value])
            }
            ExprKind::Binary(operator, ..) if operator.is_relational() => self.truth(id, scalar),
            ExprKind::Binary(operator, a, b) => self.arithmetic(*operator, [*a, *b], scalar, key),
            ExprKind::Conditional(a, b, c) => self.conditional([*a, *b, *c], scalar, key),
            ExprKind::Convert(a) => self.convert(*a, scalar, key),
            ExprKind::Saturate(a) => self.saturate(*a, scalar),
            ExprKind::Reinterpret(a) => self.value_as(*a, scalar),
            ExprKind::Call(function, count, arguments) => {
                self.call(*function, &arguments[..usize::from(*count)], scalar, key)
            }
            ExprKind::Invoke(function, arguments) => self.invoke(*function, arguments),
            other => panic!("a value that is no number: {other:?}"),
        }
    }

    /// The value of an expression, converted to a type.
    pub(super) fn value_as(&mut self, id: ExprId, scalar: ScalarType) -> String {
        let value = self.value(id);
        self.converted(value, (self.program.ty(id).scalar, scalar))
    }

    fn convert(&mut self, a: ExprId, scalar: ScalarType, key: SeedKey) -> String {
        let from = self.program.ty(a).scalar;
        let mut draws = key.stream();
        if let ExprKind::Literal(stored) = self.program.expr(a).kind
            && draws.chance(60)
        {
            return literal(scalar.wrap(from.value(stored)), scalar);
        }
        let value = self.value(a);
        // The low half, by way of both halves.
        if from.bits() == 2 * scalar.bits() && scalar.bits() > 8 && draws.chance(35) {
            let value = self.in_register(value, from);
            let [low, high] = [(); 2].map(|()| self.fresh(scalar.bits()));
            self.emit(&format!("mov.{} {{{low}, {high}}}, {value}", bits(from)));
            return low;
        }
        self.converted(value, (from, scalar))
    }

    /// A number of one type as one of another, modulo its width.
    pub(super) fn converted(
        &mut self,
        value: String,
        (from, to): (ScalarType, ScalarType),
    ) -> String {
        if from == to || from.bits() == to.bits() && to.bits() > 8 {
            return value;
        }
        if let Some(known) = number_in(&value) {
            return literal(to.wrap(from.value(from.wrap(known))), to);
        }
        let (from, into) = match from.bits() == to.bits() {
            // The sign of the other type, or zeros, fill the rest of the register.
            true => (to, number(to)),
            false => (from, exactly(to)),
        };
        self.compute(&format!("cvt.{into}.{}", exactly(from)), to.bits(), &[&value])
    }

    fn saturate(&mut self, a: ExprId, to: ScalarType) -> String {
        let from = self.program.ty(a).scalar;
        let value = self.value(a);
        if from.least() >= to.least() && from.greatest() <= to.greatest() {
            return self.converted(value, (from, to));
        }
        let value = self.in_register(value, from);
        let instruction = format!("cvt.sat.{}.{}", exactly(to), exactly(from));
        self.compute(&instruction, to.bits(), &[&value])
    }

    fn item(&mut self, item: WorkItemId) -> String {
        let special = |name: &str, d: u8| format!("%{name}.{}", ['x', 'y', 'z'][usize::from(d)]);
        match item {
            WorkItemId::LinearGlobal => "%gid".to_owned(),
            WorkItemId::LinearLocal => "%lid".to_owned(),
            WorkItemId::LinearGroup => "%group".to_owned(),
            WorkItemId::Local(d) => self.compute("mov.u32", 32, &[&special("tid", d)]),
            WorkItemId::Group(d) => self.compute("mov.u32", 32, &[&special("ctaid", d)]),
            WorkItemId::Global(d) => {
                let [group, size, lane] = ["ctaid", "ntid", "tid"]
                    .map(|name| self.compute("mov.u32", 32, &[&special(name, d)]));
                self.compute("mad.lo.u32", 32, &[&group, &size, &lane])
            }
        }
    }

    fn arithmetic(
        &mut self,
        operator: Binary,
        [a, b]: [ExprId; 2],
        scalar: ScalarType,
        key: SeedKey,
    ) -> String {
        let program = self.program;
        let (first, second) = operator.operands(program.ty(a), program.ty(b));
        let mut operands = [self.value_as(a, first), self.value_as(b, second)];
        let mut draws = key.stream();
        // Sums do not depend on the sign.
        let other = scalar.with_sign(draws.chance(50));
        let name = operator.instruction().unwrap_or("shr");
        let ty = match operator {
            Binary::Add | Binary::Subtract | Binary::Multiply => number(other),
            Binary::And | Binary::Or | Binary::Xor | Binary::ShiftLeft => bits(scalar),
            _ => number(scalar),
        };
        if operator.is_shift() {
            // C's amounts are taken modulo the width here.
            let mask = scalar.bits() - 1;
            let amount = self.converted(operands[1].clone(), (second, ScalarType::Uint));
            operands[1] = match number_in(&amount) {
                Some(known) => (known as u32 & mask).to_string(),
                None => self.compute("and.b32", 32, &[&amount, &mask.to_string()]),
            };
        }
        let [a, b] = &operands;
        self.compute(&format!("{name}.{ty}"), scalar.bits(), &[a, b])
    }

    fn conditional(&mut self, [a, b, c]: [ExprId; 3], scalar: ScalarType, key: SeedKey) -> String {
        let condition = self.condition(a);
        let mut draws = key.stream();
        let is_free = [b, c].into_iter().all(|id| is_free(self.program, id));
        let (ty, width) = (bits(scalar), scalar.bits());
        if !is_free || draws.chance(25) {
            let into = self.fresh(width);
            let [otherwise, end] = [self.label(), self.label()];
            self.emit(&format!("@!{condition} bra {otherwise}"));
            let value = self.value_as(b, scalar);
            self.emit(&format!("mov.{ty} {into}, {value}"));
            self.emit(&format!("bra {end}"));
            self.put(&otherwise);
            let value = self.value_as(c, scalar);
            self.emit(&format!("mov.{ty} {into}, {value}"));
            self.put(&end);
            return into;
        }
        let (first, second) = (self.value_as(b, scalar), self.value_as(c, scalar));
        match draws.below(6) {
            0 => {
                let into = self.compute(&format!("mov.{ty}"), width, &[&second]);
                self.emit(&format!("@{condition} mov.{ty} {into}, {first}"));
                into
            }
            1 => {
                let sign = self.compute("selp.s32", 32, &["7", "-1", &condition]);
                self.compute(&format!("slct.{ty}.s32"), width, &[&first, &second, &sign])
            }
            _ => self.compute(&format!("selp.{ty}"), width, &[&first, &second, &condition]),
        }
    }

    /// 1 or 0.
    fn truth(&mut self, id: ExprId, scalar: ScalarType) -> String {
        let condition = self.condition(id);
        let ty = number(scalar);
        self.compute(&format!("selp.{ty}"), scalar.bits(), &["1", "0", &condition])
    }

    /// A predicate: the value of an expression is not 0.
    pub(super) fn condition(&mut self, id: ExprId) -> String {
        let program = self.program;
        let expr = program.expr(id);
        let mut draws = expr.key.named("ptx").stream();
        match expr.kind {
            ExprKind::Binary(operator, a, b) if operator.is_logical() => {
                let both = operator == Binary::LogicalAnd;
                let first = self.condition(a);
                let name = if both { "and.pred" } else { "or.pred" };
                if is_free(program, b) && draws.chance(70) {
                    let second = self.condition(b);
                    return self.compute(name, 1, &[&first, &second]);
                }
                let into = self.compute("mov.pred", 1, &[&first]);
                let end = self.label();
                let guard = if both { "@!" } else { "@" };
                self.emit(&format!("{guard}{first} bra {end}"));
                let second = self.condition(b);
                self.emit(&format!("mov.pred {into}, {second}"));
                self.put(&end);
                into
            }
            ExprKind::Binary(operator, a, b) if operator.is_relational() => {
                let (scalar, _) = operator.operands(program.ty(a), program.ty(b));
                let (a, b) = (self.value_as(a, scalar), self.value_as(b, scalar));
                let name = comparison(operator, scalar, draws.chance(30));
                self.compute(&format!("setp.{name}"), 1, &[&a, &b])
            }
            // A comparison without the number that it would be.
            ExprKind::Call(function, _, [a, b, _])
                if draws.chance(80)
                    && let Some(name) = comparison_of(function) =>
            {
                let ty = number(program.ty(a).scalar);
                let (a, b) = (self.value(a), self.value(b));
                self.compute(&format!("setp.{name}.{ty}"), 1, &[&a, &b])
            }
            ExprKind::Unary(Unary::Not, a) if draws.chance(50) => {
                let inner = self.condition(a);
                self.compute("not.pred", 1, &[&inner])
            }
            ExprKind::Unary(Unary::Not, a) => {
                let scalar = program.ty(a).scalar;
                let value = self.value(a);
                self.compute(&format!("setp.eq.{}", number(scalar)), 1, &[&value, "0"])
            }
            _ => {
                let value = self.value(id);
                let ty = number(expr.ty.scalar);
                self.compute(&format!("setp.ne.{ty}"), 1, &[&value, "0"])
            }
        }
    }
}

/// The comparison that an instruction `set` makes.
fn comparison_of(function: Builtin) -> Option<String> {
    function.instruction()?.0.strip_prefix("set.").map(str::to_owned)
}

/// A comparison with its type. Those of unsigned numbers have two names.
fn comparison(operator: Binary, scalar: ScalarType, other: bool) -> String {
    let is_unsigned = other && !scalar.is_signed();
    let name = match operator {
        Binary::Less if is_unsigned => "lo",
        Binary::LessEqual if is_unsigned => "ls",
        Binary::Greater if is_unsigned => "hi",
        Binary::GreaterEqual if is_unsigned => "hs",
        Binary::Less => "lt",
        Binary::LessEqual => "le",
        Binary::Greater => "gt",
        Binary::GreaterEqual => "ge",
        Binary::Equal => "eq",
        _ => "ne",
    };
    let ty = match operator {
        Binary::Equal | Binary::NotEqual if other => bits(scalar),
        _ => number(scalar),
    };
    format!("{name}.{ty}")
}

/// The number that an operand is in the text.
pub(super) fn number_in(value: &str) -> Option<i128> {
    match value.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(i128::from),
        None => value.parse().ok(),
    }
}

/// True if an expression can be evaluated where its value is not used: it accesses no memory and is small.
pub(super) fn is_free(program: &Program, id: ExprId) -> bool {
    let mut pending = vec![id];
    for _ in 0..=MOST_IN_VAIN {
        let Some(id) = pending.pop() else { return true };
        let kind = &program.expr(id).kind;
        if matches!(kind, ExprKind::Element(..) | ExprKind::Invoke(..)) {
            return false;
        }
        pending.extend(kind.operands());
    }
    false
}
