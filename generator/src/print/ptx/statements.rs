//! Statements as instructions, labels and branches.

use super::kernel::{COUNTERS, REDUCTION, SUMS};
use super::{PtxPrinter, bits, literal, number};
use crate::ir::{
    Atomic, AtomicSection, CaseRange, CombineMethod, ExprId, For, Gather, Jump, LoopForm, Place,
    Reduce, ScalarType, StmtId, StmtKind, Switch, SwitchCase, VarId,
};
use crate::random::SeedKey;

/// The most statements that are guarded one by one.
const MOST_GUARDED: usize = 3;

impl PtxPrinter<'_> {
    pub(super) fn block(&mut self, block: &[StmtId]) {
        for id in block {
            self.statement(*id);
        }
    }

    pub(super) fn emit_line(&mut self, text: &str) {
        self.out.push_str("    ");
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn statement(&mut self, id: StmtId) {
        let program = self.program;
        let stmt = program.stmt(id);
        let key = stmt.key.named("ptx");
        self.values.clear();
        match &stmt.kind {
            StmtKind::Nothing => {}
            StmtKind::Declare(variable, value)
            | StmtKind::Assign(Place::Variable(variable), value) => {
                self.assign_value(*variable, *value);
            }
            StmtKind::DeclareArray(variable, values) => self.array(*variable, values),
            StmtKind::Assign(Place::Element(array, at), value) => {
                let scalar = program.variable(*array).ty.scalar;
                let value = self.value_as(*value, scalar);
                let value = self.in_register(value, scalar);
                let place = self.element(*array, *at, key);
                self.store(&place, &value, scalar);
            }
            StmtKind::Hash(value) => {
                let scalar = program.ty(*value).scalar;
                let value = self.value(*value);
                let value = self.converted(value, (scalar, ScalarType::Ulong));
                self.mix(&value);
            }
            StmtKind::If(condition, then, other) => self.branches(*condition, [then, other], key),
            StmtKind::Merged(_, block) => self.block(block),
            StmtKind::Switch(switch) => self.switch(switch, key),
            StmtKind::For(details) => self.repeat(details, key),
            StmtKind::Jump(jump, condition) => {
                let condition = self.condition(*condition);
                let exits = self.exits.last().cloned().unwrap_or_default();
                let target = &exits[usize::from(*jump == Jump::Continue)];
                self.emit(&format!("@{condition} bra {target}"));
            }
            StmtKind::Barrier => self.emit("bar.sync 0"),
            StmtKind::Reduce(reduce) => self.reduce(reduce),
            StmtKind::Gather(gather) => self.gather(gather),
            StmtKind::Section(section) => self.section(section),
            StmtKind::Collective(collective) => self.collective(collective),
            other => panic!("a statement that PTX has not: {other:?}"),
        }
    }

    fn assign_value(&mut self, variable: VarId, value: ExprId) {
        let scalar = self.program.variable(variable).ty.scalar;
        let value = self.value_as(value, scalar);
        self.assign(variable, &value);
    }

    fn array(&mut self, variable: VarId, values: &[i64]) {
        self.arrays.insert(variable);
        let array = self.program.variable(variable);
        let (scalar, name) = (array.ty.scalar, &array.name);
        for index in 0..array.length.unwrap_or(1) {
            let value = values.get(index as usize).copied().unwrap_or(0);
            let value = self.in_register(literal(value, scalar), scalar);
            let (ty, offset) = (super::exactly(scalar), index * scalar.bits() / 8);
            self.emit(&format!("st.local.{ty} [{name}+{offset}], {value}"));
        }
    }

    /// Adds a number of 64 bits to the result: see [`mixed`](crate::interpret::mixed).
    pub(super) fn mix(&mut self, value: &str) {
        self.emit(&format!("xor.b64 %hash, %hash, {value}"));
        let high = self.compute("shr.u64", 64, &["%hash", "29"]);
        self.emit(&format!("xor.b64 %hash, %hash, {high}"));
        self.emit("mul.lo.u64 %hash, %hash, 0x100000001b3");
    }

    fn branches(&mut self, condition: ExprId, [then, other]: [&[StmtId]; 2], key: SeedKey) {
        let condition = self.condition(condition);
        let mut draws = key.stream();
        if other.is_empty() && draws.chance(40) && self.guarded(&condition, then) {
            return;
        }
        let [otherwise, end] = [self.label(), self.label()];
        match draws.chance(70) {
            true => self.emit(&format!("@!{condition} bra {otherwise}")),
            false => {
                let begin = self.label();
                self.emit(&format!("@{condition} bra {begin}"));
                self.emit(&format!("bra {otherwise}"));
                self.put(&begin);
            }
        }
        self.block(then);
        // An empty branch may have its labels all the same.
        if !other.is_empty() || draws.chance(40) {
            self.emit(&format!("bra {end}"));
        }
        self.put(&otherwise);
        self.block(other);
        self.put(&end);
    }

    /// Assignments whose instructions have the condition each; false if there is something else.
    fn guarded(&mut self, condition: &str, block: &[StmtId]) -> bool {
        let program = self.program;
        let assigned = block.iter().map(|id| match &program.stmt(*id).kind {
            StmtKind::Assign(Place::Variable(variable), value) => Some((*variable, *value)),
            _ => None,
        });
        let Some(assigned) = assigned.collect::<Option<Vec<_>>>() else { return false };
        let is_free = |value| super::expressions::is_free(program, value);
        if assigned.len() > MOST_GUARDED || !assigned.iter().all(|(_, value)| is_free(*value)) {
            return false;
        }
        for (variable, value) in assigned {
            let scalar = program.variable(variable).ty.scalar;
            let value = self.value_as(value, scalar);
            let into = self.variable(variable);
            self.values.clear();
            if !self.guard_last(condition, &value, &into) {
                self.emit(&format!("@{condition} mov.{} {into}, {value}", bits(scalar)));
            }
        }
        true
    }

    /// Guards the last instruction if it computes this new register, and lets it write to another one; false if another
    /// instruction is the last.
    fn guard_last(&mut self, condition: &str, value: &str, into: &str) -> bool {
        let start = self.out.trim_end().rfind('\n').map_or(0, |at| at + 1);
        let computed = self.out[start..].trim().split_once(' ');
        let Some((name, operands)) = computed else { return false };
        let rest = operands.strip_prefix(value).filter(|rest| rest.starts_with(','));
        let is_new = !value.starts_with("%_") && !name.starts_with('@');
        let Some(rest) = rest.filter(|_| is_new) else { return false };
        let line = format!("    @{condition} {name} {into}{rest}\n");
        self.out.truncate(start);
        self.out.push_str(&line);
        true
    }

    fn switch(&mut self, switch: &Switch, key: SeedKey) {
        let scalar = self.program.ty(switch.value).scalar;
        let value = self.value(switch.value);
        let value = self.in_register(value, scalar);
        let end = self.label();
        let labels: Vec<String> = switch.cases.iter().map(|_| self.label()).collect();
        let cases = switch.cases.iter().zip(&labels);
        let default = cases.clone().find(|(case, _)| case.label.is_none());
        let default = default.map_or(&end, |(_, label)| label).clone();
        let values = |(case, label)| {
            let range: Option<CaseRange> = (case as &SwitchCase).label;
            range.into_iter().flat_map(move |one| (one.first..=one.last).map(move |at| (at, label)))
        };
        let mut targets: Vec<(u8, &String)> = cases.flat_map(values).collect();
        targets.sort_unstable();
        let ty = number(scalar);
        let is_dense =
            targets.iter().enumerate().all(|(index, (label, _))| index == usize::from(*label));
        if is_dense && scalar.bits() >= 32 && !targets.is_empty() && key.stream().chance(50) {
            let unsigned = number(scalar.with_sign(false));
            let count = targets.len().to_string();
            let outside = self.compute(&format!("setp.ge.{unsigned}"), 1, &[&value, &count]);
            self.emit(&format!("@{outside} bra {default}"));
            let index = self.converted(value, (scalar, ScalarType::Uint));
            let table = self.label();
            let all: Vec<&str> = targets.iter().map(|(_, label)| label.as_str()).collect();
            self.put(&table);
            self.emit(&format!(".branchtargets {}", all.join(", ")));
            self.emit(&format!("brx.idx {index}, {table}"));
        } else {
            for (label, target) in targets {
                let is_it =
                    self.compute(&format!("setp.eq.{ty}"), 1, &[&value, &label.to_string()]);
                self.emit(&format!("@{is_it} bra {target}"));
            }
            self.emit(&format!("bra {default}"));
        }
        let outer = self.exits.last().map(|[_, next]| next.clone()).unwrap_or_default();
        self.exits.push([end.clone(), outer]);
        for (case, label) in switch.cases.iter().zip(&labels) {
            self.put(label);
            self.block(&case.body);
            if !case.falls {
                self.emit(&format!("bra {end}"));
            }
        }
        self.exits.pop();
        self.put(&end);
    }

    fn repeat(&mut self, details: &For, key: SeedKey) {
        let scalar = self.program.variable(details.counter).ty.scalar;
        self.assign_value(details.counter, details.start);
        let [begin, next, check, end] = [(); 4].map(|()| self.label());
        let checks_first = details.form != LoopForm::DoWhile;
        // The condition before the rounds or after them.
        let at_end = checks_first && key.stream().chance(50);
        if details.unroll.is_some() {
            self.emit(".pragma \"nounroll\"");
        }
        if at_end {
            self.emit(&format!("bra {check}"));
        }
        self.put(&begin);
        if checks_first && !at_end {
            let ends = self.is_over(details);
            self.emit(&format!("@{ends} bra {end}"));
        }
        self.exits.push([end.clone(), next.clone()]);
        self.block(&details.body);
        self.exits.pop();
        self.put(&next);
        let counter = self.variable(details.counter);
        let ty = number(scalar);
        self.emit(&format!("add.{ty} {counter}, {counter}, {}", details.step));
        if scalar.bits() == 8 {
            self.emit(&format!("cvt.s16.s8 {counter}, {counter}"));
        }
        if checks_first && !at_end {
            self.emit(&format!("bra {begin}"));
        } else {
            self.put(&check);
            let ends = self.is_over(details);
            self.emit(&format!("@!{ends} bra {begin}"));
        }
        self.put(&end);
    }

    /// A predicate: the counter has come to the limit.
    fn is_over(&mut self, details: &For) -> String {
        let counter = self.program.variable(details.counter).ty;
        let limit = self.program.ty(details.limit);
        let scalar = counter.scalar.usual(limit.scalar);
        let register = self.variable(details.counter);
        let own = self.converted(register, (counter.scalar, scalar));
        let limit = self.value_as(details.limit, scalar);
        let name = if details.step > 0 { "ge" } else { "le" };
        self.compute(&format!("setp.{name}.{}", number(scalar)), 1, &[&own, &limit])
    }

    /// The address of the cell of the group in a buffer; for reductions, there is one for each group.
    pub(super) fn cell(&mut self, buffer: &str, index: u32) -> String {
        let count = if buffer == REDUCTION { 1 } else { self.program.sections() };
        let at =
            self.compute("mad.lo.u32", 32, &["%group", &count.to_string(), &index.to_string()]);
        self.compute("mad.wide.u32", 64, &[&at, "4", &format!("%{buffer}")])
    }

    fn reduce(&mut self, reduce: &Reduce) {
        let value = self.value_as(reduce.value, ScalarType::Int);
        let address = self.cell(REDUCTION, 0);
        self.atomic(reduce.function, ".global", &address, &value);
        self.emit("bar.sync 0");
        let sum = self.compute("ld.global.s32", 32, &[&format!("[{address}]")]);
        self.assign(reduce.into, &sum);
        self.emit("bar.sync 0");
    }

    /// An atomic function on an `int` whose old value is not used.
    fn atomic(&mut self, function: Atomic, space: &str, address: &str, value: &str) {
        let value = match function {
            Atomic::Sub => self.compute("neg.s32", 32, &[value]),
            _ => value.to_owned(),
        };
        let name = match function {
            Atomic::Add | Atomic::Sub => "add.u32",
            Atomic::Min => "min.s32",
            Atomic::Max => "max.s32",
            Atomic::And => "and.b32",
            Atomic::Or => "or.b32",
            Atomic::Xor => "xor.b32",
        };
        self.emit(&format!("red{space}.{name} [{address}], {value}"));
    }

    fn gather(&mut self, gather: &Gather) {
        let cells = self.program.variable(gather.cells).name.clone();
        let base = self.compute("mov.u64", 64, &[&cells]);
        let [skip, again] = [self.label(), self.label()];
        let others = self.compute("setp.ne.u32", 1, &["%lid", "0"]);
        self.emit(&format!("@{others} bra {skip}"));
        let first = literal(gather.first, ScalarType::Int);
        for (offset, value) in [(0, &*first), (4, "0")] {
            let value = self.in_register(value.to_owned(), ScalarType::Int);
            self.emit(&format!("st.shared.u32 [{base}+{offset}], {value}"));
        }
        self.put(&skip);
        self.emit("bar.sync 0");
        match gather.way {
            CombineMethod::Ticket(variable) => {
                let at = format!("[{base}+4]");
                let ticket = self.compute("atom.shared.add.u32", 32, &[&at, "1"]);
                self.assign(variable, &ticket);
                let value = self.value_as(gather.value, ScalarType::Int);
                self.atomic(gather.function, ".shared", &base, &value);
            }
            CombineMethod::CompareExchange => {
                let more = self.value_as(gather.value, ScalarType::Int);
                let old = self.compute("mov.b32", 32, &[&first]);
                self.put(&again);
                let seen = self.compute("mov.b32", 32, &[&old]);
                let name = match gather.function {
                    Atomic::Add => "add.s32",
                    Atomic::Sub => "sub.s32",
                    Atomic::Min => "min.s32",
                    Atomic::Max => "max.s32",
                    Atomic::And => "and.b32",
                    Atomic::Or => "or.b32",
                    Atomic::Xor => "xor.b32",
                };
                let new = self.compute(name, 32, &[&seen, &more]);
                self.emit(&format!("atom.shared.cas.b32 {old}, [{base}], {seen}, {new}"));
                let differs = self.compute("setp.ne.u32", 1, &[&old, &seen]);
                self.emit(&format!("@{differs} bra {again}"));
            }
        }
        self.emit("bar.sync 0");
        let result = self.compute("ld.shared.s32", 32, &[&format!("[{base}]")]);
        self.assign(gather.into, &result);
        self.emit("bar.sync 0");
    }

    fn section(&mut self, section: &AtomicSection) {
        let counter = self.cell(COUNTERS, section.index);
        let place = format!("[{counter}]");
        let arrival = self.compute("atom.global.add.u32", 32, &[&place, "1"]);
        let end = self.label();
        let others = self.compute("setp.ne.u32", 1, &[&arrival, &section.arrival.to_string()]);
        self.emit(&format!("@{others} bra {end}"));
        self.block(&section.body);
        let mut sum = "0".to_owned();
        for id in &section.sum {
            let scalar = self.program.variable(*id).ty.scalar;
            let value = self.variable(*id);
            let value = self.converted(value, (scalar, ScalarType::Uint));
            sum = self.compute("add.u32", 32, &[&sum, &value]);
        }
        let address = self.cell(SUMS, section.index);
        self.emit(&format!("red.global.add.u32 [{address}], {sum}"));
        self.put(&end);
    }
}
