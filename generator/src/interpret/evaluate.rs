//! Expressions.

use super::memory::Conflict;
use super::objects::Node;
use super::{Faults, Machine, index, items};
use crate::ir::{
    Binary, Buffer, Builtin, Exact, ExprId, ExprKind, FunctionId, Storage, Swizzle, Ty, VarId,
    WorkItemId,
};

impl Machine<'_> {
    /// Puts the value of an expression on the stack, and returns where. Work-items outside of the mask get any value.
    pub(super) fn eval(&mut self, id: ExprId, mask: u64) -> usize {
        let base = self.evaluated(id, mask);
        if let Some(values) = &mut self.values {
            let values = &mut values[id.0 as usize];
            items(mask).for_each(|item| values.add(self.stack[base + item]));
        }
        base
    }

    fn evaluated(&mut self, id: ExprId, mask: u64) -> usize {
        let program = self.program;
        let expr = program.expr(id);
        let (base, ty) = (self.stack.len(), expr.ty);
        self.report.exprs[id.0 as usize].add(Faults::EXECUTED);
        self.report.steps += (usize::from(ty.lanes) * self.width) as u64;
        let bad = match &expr.kind {
            ExprKind::Literal(stored) => {
                self.fill(ty, |_| *stored);
                0
            }
            ExprKind::Item(item) => self.item(*item),
            ExprKind::Variable(variable) => self.value_of(*variable, ty),
            ExprKind::Element(array, at) => return self.read(id, *array, *at, mask, 1),
            ExprKind::Load(array, at) => return self.read(id, *array, *at, mask, ty.lanes),
            ExprKind::Vector(parts) => self.vector(parts, ty, mask),
            ExprKind::Swizzle(of, swizzle) => {
                self.eval(*of, mask);
                self.swizzle(base, swizzle)
            }
            ExprKind::Unary(operator, a) => {
                self.eval(*a, mask);
                self.unary(*operator, base, program.ty(*a), ty)
            }
            ExprKind::Binary(operator, a, b) if operator.is_logical() && !ty.is_vector() => {
                self.logical(*operator, *a, *b, mask)
            }
            ExprKind::Binary(operator, a, b) => {
                self.eval(*a, mask);
                self.eval(*b, mask);
                // Only compilers that know the divisor multiply by its inverse alone.
                let is_known = matches!(program.expr(*b).kind, ExprKind::Literal(_));
                let is_inexact = *operator == Binary::Divide && ty.scalar.is_float() && !is_known;
                self.inexact |= if is_inexact { mask } else { 0 };
                self.binary(*operator, base, (program.ty(*a), program.ty(*b)), ty)
            }
            ExprKind::Conditional(a, b, c) => self.conditional(ty, [*a, *b, *c], mask),
            kind @ (ExprKind::Convert(a) | ExprKind::Saturate(a) | ExprKind::Reinterpret(a)) => {
                self.eval(*a, mask);
                self.converted(kind, base, program.ty(*a), ty)
            }
            ExprKind::Call(function, count, arguments) => {
                self.call(*function, &arguments[..usize::from(*count)], ty, mask)
            }
            ExprKind::Invoke(function, arguments) => self.invoke(id, (*function, arguments), mask),
            ExprKind::Part(path) => {
                self.load(id, path, ty, mask);
                0
            }
            ExprKind::SameAddress(both) => {
                self.same_address(both, mask, Node::Expr(id));
                0
            }
        };
        if (bad | std::mem::take(&mut self.inexact)) & mask != 0 {
            self.report.exprs[id.0 as usize].add(Faults::ARITHMETIC);
        }
        base
    }

    fn value_of(&mut self, variable: VarId, ty: Ty) -> u64 {
        let start = self.memory.start(variable);
        let count = usize::from(ty.lanes) * self.width;
        self.stack.extend_from_slice(&self.memory.values()[start..start + count]);
        0
    }

    /// A vector of all its lanes, or of one scalar that each of them is.
    fn vector(&mut self, parts: &[ExprId], ty: Ty, mask: u64) -> u64 {
        let base = self.stack.len();
        for part in parts {
            self.eval(*part, mask);
        }
        let count = self.stack.len() - base;
        if count < usize::from(ty.lanes) * self.width {
            for _ in 1..ty.lanes {
                self.stack.extend_from_within(base..base + self.width);
            }
        }
        0
    }

    /// A value in another type; the value is on the stack.
    fn converted(&mut self, kind: &ExprKind, base: usize, from: Ty, ty: Ty) -> u64 {
        match kind {
            ExprKind::Saturate(_) => {
                self.lanewise(base, [(base, from)], ty, false, |[a]| Some(ty.scalar.saturated(a)))
            }
            ExprKind::Reinterpret(_) => self.reinterpret(base, from, ty),
            _ => {
                self.convert(base, from, ty.scalar);
                0
            }
        }
    }

    /// Executes a function of the program, and puts its value on the stack. It changes only its own
    /// variables.
    fn invoke(&mut self, at: ExprId, (id, arguments): (FunctionId, &[ExprId]), mask: u64) -> u64 {
        let program = self.program;
        let function = program.function(id);
        let base = self.stack.len();
        for argument in arguments {
            self.eval(*argument, mask);
        }
        let Some(outer) = self.enter_function(id) else {
            self.report.exprs[at.0 as usize].add(Faults::ENDLESS);
            self.stopped = true;
            self.stack.truncate(base);
            self.fill(program.ty(at), |_| 0);
            return 0;
        };
        if let Some(declared) = &mut self.section {
            declared.extend(&function.parameters);
        }
        let mut from = base;
        for parameter in &function.parameters {
            let into = self.memory.start(*parameter);
            let count = usize::from(program.variable(*parameter).ty.lanes) * self.width;
            for row in (0..count).step_by(self.width) {
                for item in items(mask) {
                    self.memory.values_mut()[into + row + item] = self.stack[from + row + item];
                }
            }
            from += count;
        }
        self.stack.truncate(base);
        let broken = std::mem::take(&mut self.broken);
        self.block(&function.body, mask);
        self.broken = broken;
        self.eval(function.value, mask);
        self.leave_function(id, outer);
        0
    }

    /// Puts a value on the stack that is the same in each lane.
    fn fill(&mut self, ty: Ty, of_item: impl Fn(usize) -> i64) {
        for _ in 0..ty.lanes {
            let width = self.width;
            self.stack.extend((0..width).map(&of_item));
        }
    }

    /// The work-items for which a scalar on the stack is not 0.
    pub(super) fn truth(&self, at: usize) -> u64 {
        let values = self.stack[at..at + self.width].iter().enumerate();
        values.fold(0, |mask, (item, &value)| mask | u64::from(value != 0) << item)
    }

    fn item(&mut self, item: WorkItemId) -> u64 {
        for index in 0..self.width {
            let number = match item {
                WorkItemId::Global(d) => self.global_id(index, usize::from(d)),
                WorkItemId::Local(d) => self.local_id(index, usize::from(d)),
                WorkItemId::Group(d) => self.group[usize::from(d)],
                WorkItemId::LinearGlobal => self.global_index(index) as u32,
                WorkItemId::LinearLocal => index as u32,
                WorkItemId::LinearGroup => self.group_index(),
            };
            self.stack.push(number.into());
        }
        0
    }

    /// Replaces the index at `base` by elements of an array: `count` of them, from index times `count` on.
    fn read(&mut self, id: ExprId, array: VarId, at: ExprId, mask: u64, count: u8) -> usize {
        let base = self.eval(at, mask);
        let scalar = self.program.ty(at).scalar;
        let variable = self.program.variable(array);
        let is_shared = matches!(
            variable.space,
            Storage::Local | Storage::Argument(_) | Storage::Global(Buffer::Communication)
        );
        if is_shared && self.section.is_some() {
            self.report.exprs[id.0 as usize].add(Faults::ORDER);
        }
        let lanes = usize::from(variable.ty.lanes);
        let (width, at) = (self.width, self.stack.len());
        let total = lanes * usize::from(count) * width;
        self.stack.resize(at + total, 0);
        for item in items(mask) {
            for part in 0..usize::from(count) {
                let number = index(scalar, self.stack[base + item]) * i128::from(count);
                let Some(element) = self.element(array, number + part as i128) else {
                    self.report.exprs[id.0 as usize].add(Faults::RANGE);
                    continue;
                };
                match self.memory.access(array, element, item, false) {
                    Conflict::None => {}
                    Conflict::Race => self.report.exprs[id.0 as usize].add(Faults::RACE),
                    Conflict::Unset => self.report.exprs[id.0 as usize].add(Faults::UNSET),
                    Conflict::Order => self.report.exprs[id.0 as usize].add(Faults::ORDER),
                }
                for lane in 0..lanes {
                    let value = self.memory.values()[self.place(array, element, lane, item)];
                    self.stack[at + (part * lanes + lane) * width + item] = value;
                }
            }
        }
        self.settle(base, at, total);
        base
    }

    /// The number of an element, if the array has it.
    pub(super) fn element(&self, array: VarId, number: i128) -> Option<usize> {
        let length = self.program.elements(array);
        (0..i128::from(length)).contains(&number).then_some(number as usize)
    }

    /// Where a lane of an element lies in memory.
    pub(super) fn place(&self, array: VarId, element: usize, lane: usize, item: usize) -> usize {
        let variable = self.program.variable(array);
        let number = element * usize::from(variable.ty.lanes) + lane;
        let start = self.memory.start(array);
        match variable.space {
            Storage::Private => start + number * self.width + item,
            _ => start + number,
        }
    }

    fn swizzle(&mut self, base: usize, swizzle: &Swizzle) -> u64 {
        let at = self.stack.len();
        for &lane in swizzle.lanes() {
            let start = base + usize::from(lane) * self.width;
            self.stack.extend_from_within(start..start + self.width);
        }
        self.settle(base, at, swizzle.lanes().len() * self.width);
        0
    }

    /// `&&` and `||` of scalars: the second operand only where the first does not decide.
    fn logical(&mut self, operator: Binary, a: ExprId, b: ExprId, mask: u64) -> u64 {
        let base = self.eval(a, mask);
        let first = self.truth(base);
        let both = operator == Binary::LogicalAnd;
        let rest = mask & if both { first } else { !first };
        let mut second = 0;
        if rest != 0 {
            let at = self.eval(b, rest);
            second = self.truth(at);
        }
        let result = if both { first & second & rest } else { first | (second & rest) };
        self.stack.truncate(base);
        self.fill(Ty::INT, |item| (result >> item & 1) as i64);
        0
    }

    /// A scalar condition chooses which operand is evaluated; a vector chooses lane by lane, by the sign.
    fn conditional(&mut self, ty: Ty, [a, b, c]: [ExprId; 3], mask: u64) -> u64 {
        let program = self.program;
        let base = self.eval(a, mask);
        let condition = program.ty(a);
        if condition.is_vector() {
            let second = self.eval(b, mask);
            let third = self.eval(c, mask);
            let second = self.convert(second, program.ty(b), ty.scalar);
            let third = self.convert(third, program.ty(c), ty.scalar);
            return self.choose(base, [(base, condition), second, third], ty, |a| a < 0);
        }
        let truth = self.truth(base);
        let mut inexact = 0;
        let count = usize::from(ty.lanes) * self.width;
        let at = self.stack.len();
        self.stack.resize(at + count, 0);
        for (operand, chosen) in [(b, truth & mask), (c, !truth & mask)] {
            if chosen == 0 {
                continue;
            }
            let value = self.eval(operand, chosen);
            self.convert(value, program.ty(operand), ty.scalar);
            inexact |= std::mem::take(&mut self.inexact) & chosen;
            for row in 0..usize::from(ty.lanes) {
                for item in items(chosen) {
                    let offset = row * self.width + item;
                    self.stack[at + offset] = self.stack[value + offset];
                }
            }
            self.stack.truncate(at + count);
        }
        self.settle(base, at, count);
        inexact
    }

    /// The same bits as another type of the same size; the first lane has the lowest address. Zeros of floating-point types
    /// have no certain bits.
    fn reinterpret(&mut self, base: usize, from: Ty, to: Ty) -> u64 {
        let (at, width) = (self.stack.len(), self.width);
        let [from_bytes, to_bytes] = [from, to].map(|ty| ty.scalar.bits() as usize / 8);
        let count = usize::from(to.lanes) * width;
        self.stack.resize(at + count, 0);
        // Nothing says how a floating-point number came about whose bits are given.
        let mut bad = if to.scalar.is_float() { u64::MAX } else { 0 };
        for item in 0..width {
            let mut bytes = [0; 128];
            for lane in 0..usize::from(from.lanes) {
                let stored = self.stack[base + lane * width + item];
                let value = match from.scalar.is_float() {
                    true => Exact::of_stored(stored).bytes(from.scalar).unwrap_or_else(|| {
                        bad |= 1 << item;
                        [0; 8]
                    }),
                    false => stored.to_le_bytes(),
                };
                bytes[lane * from_bytes..][..from_bytes].copy_from_slice(&value[..from_bytes]);
            }
            for lane in 0..usize::from(to.lanes) {
                let mut value = [0; 8];
                value[..to_bytes].copy_from_slice(&bytes[lane * to_bytes..][..to_bytes]);
                let number = i64::from_le_bytes(value);
                self.stack[at + lane * width + item] = to.scalar.wrap(number.into());
            }
        }
        self.settle(base, at, count);
        bad
    }

    fn call(&mut self, function: Builtin, arguments: &[ExprId], ty: Ty, mask: u64) -> u64 {
        let program = self.program;
        let base = self.stack.len();
        let mut operands = [(base, ty); 3];
        for (operand, argument) in operands.iter_mut().zip(arguments) {
            *operand = (self.eval(*argument, mask), program.ty(*argument));
        }
        let first = operands[0].1;
        let [a, b, c] = operands;
        match function {
            Builtin::Shuffle => self.shuffle(base, first, b, ty),
            Builtin::Shuffle2 => self.shuffle(base, first.of_twice(), c, ty),
            Builtin::All | Builtin::Any => {
                self.lanes_with_sign(base, first, function == Builtin::All);
                0
            }
            // For scalars, any bit counts.
            Builtin::Select if !ty.is_vector() => self.choose(base, [c, b, a], ty, |c| c != 0),
            Builtin::Select => {
                let highest = c.1.scalar.bits() - 1;
                self.choose(base, [c, b, a], ty, |c| c >> highest & 1 != 0)
            }
            _ if ty.scalar.is_float() => self.float_call(function, base, operands, ty),
            _ if arguments.len() == 1 => {
                self.lanewise(base, [a], ty, false, |[a]| function.lane(first.scalar, [a, 0, 0]))
            }
            _ if arguments.len() == 2 => self
                .lanewise(base, [a, b], ty, false, |[a, b]| function.lane(first.scalar, [a, b, 0])),
            _ => self.lanewise(base, [a, b, c], ty, false, |abc| function.lane(first.scalar, abc)),
        }
    }

    /// 1 where the highest bit is set in all lanes, or in any lane.
    fn lanes_with_sign(&mut self, base: usize, ty: Ty, all: bool) {
        let at = self.stack.len();
        for item in 0..self.width {
            let mut signs = (0..usize::from(ty.lanes))
                .map(|lane| self.stack[base + lane * self.width + item] < 0);
            let holds = if all { signs.all(|sign| sign) } else { signs.any(|sign| sign) };
            self.stack.push(holds.into());
        }
        self.settle(base, at, self.width);
    }

    /// Lanes of the values from `base` on; the low bits of each lane of the mask count.
    fn shuffle(&mut self, base: usize, of: Ty, (by, _): (usize, Ty), ty: Ty) -> u64 {
        let at = self.stack.len();
        for row in 0..usize::from(ty.lanes) {
            for item in 0..self.width {
                let lane =
                    self.stack[by + row * self.width + item] as usize & usize::from(of.lanes - 1);
                self.stack.push(self.stack[base + lane * self.width + item]);
            }
        }
        self.settle(base, at, usize::from(ty.lanes) * self.width);
        0
    }
}
