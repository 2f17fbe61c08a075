//! Kernels as PTX: the same programs with the same meaning, as text for `ptxas`.
//!
//! Each value is in a register: those of 8 bits in registers of 16, extended by their sign or by zeros. Where several
//! instructions do, the key of the expression or statement draws one, so that a part of a kernel keeps its text when the
//! rest is reduced.

mod calls;
mod collectives;
mod expressions;
mod kernel;
mod memory;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{ExprId, Program, ScalarType, VarId};

/// Writes a kernel, or one of its functions.
struct PtxPrinter<'a> {
    program: &'a Program,
    /// The instructions so far.
    out: String,
    /// The number of registers for predicates and for numbers of 16, 32 and 64 bits.
    registers: [u32; 4],
    labels: u32,
    /// The variables that have a register.
    variables: BTreeSet<VarId>,
    /// The arrays that the function declares.
    arrays: BTreeSet<VarId>,
    /// The values of the statement so far that each path to this place has computed.
    values: BTreeMap<ExprId, String>,
    /// The labels that `break` and `continue` lead to, the innermost last.
    exits: Vec<[String; 2]>,
}

/// The program as PTX, with the launch comment and other comments before it.
pub(super) fn text(program: &Program, comments: &str) -> String {
    PtxPrinter::new(program).module(comments)
}

/// The kinds of registers: their letters and types.
const REGISTERS: [(char, &str); 4] = [('q', "pred"), ('h', "b16"), ('r', "b32"), ('d', "b64")];

impl<'a> PtxPrinter<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            out: String::new(),
            registers: [0; 4],
            labels: 0,
            variables: BTreeSet::new(),
            arrays: BTreeSet::new(),
            values: BTreeMap::new(),
            exits: Vec::new(),
        }
    }

    fn emit(&mut self, text: &str) {
        self.out.push_str("    ");
        self.out.push_str(text);
        self.out.push_str(";\n");
    }

    /// A new register for a number of so many bits; one bit is a predicate.
    fn fresh(&mut self, bits: u32) -> String {
        let kind = match bits {
            1 => 0,
            8 | 16 => 1,
            32 => 2,
            _ => 3,
        };
        self.registers[kind] += 1;
        format!("%{}{}", REGISTERS[kind].0, self.registers[kind])
    }

    /// An instruction with a new register for its result.
    fn compute(&mut self, instruction: &str, bits: u32, operands: &[&str]) -> String {
        let into = self.fresh(bits);
        self.emit(&format!("{instruction} {into}, {}", operands.join(", ")));
        into
    }

    /// The same value in a register: numbers in the text are put into one.
    fn in_register(&mut self, value: String, scalar: ScalarType) -> String {
        match value.starts_with('%') {
            true => value,
            false => self.compute(&format!("mov.{}", bits(scalar)), scalar.bits(), &[&value]),
        }
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn put(&mut self, label: &str) {
        self.values.clear();
        self.out.push_str(label);
        self.out.push_str(":\n");
    }

    /// The register of a variable. Its name differs from PTX's own names, such as `%tid`.
    fn variable(&mut self, id: VarId) -> String {
        self.variables.insert(id);
        format!("%_{}", self.program.variable(id).name)
    }

    fn assign(&mut self, id: VarId, value: &str) {
        self.values.clear();
        let scalar = self.program.variable(id).ty.scalar;
        let into = self.variable(id);
        self.emit(&format!("mov.{} {into}, {value}", bits(scalar)));
    }

    /// The registers that the instructions so far need.
    fn declarations(&self) -> String {
        let counted = REGISTERS.iter().zip(self.registers).filter(|(_, count)| *count > 0);
        let counted = counted
            .map(|((letter, ty), count)| format!("    .reg .{ty} %{letter}<{}>;\n", count + 1));
        let named = self.variables.iter().map(|id| {
            let variable = self.program.variable(*id);
            format!("    .reg .{} %_{};\n", bits(variable.ty.scalar), variable.name)
        });
        let arrays = self.arrays.iter().map(|id| {
            let variable = self.program.variable(*id);
            let bytes = variable.length.unwrap_or(1) * variable.ty.scalar.bits() / 8;
            format!("    .local .align 8 .b8 {}[{bytes}];\n", variable.name)
        });
        counted.chain(named).chain(arrays).collect()
    }
}

/// The type of bits that a register for a type has: at least 16.
fn bits(scalar: ScalarType) -> String {
    format!("b{}", scalar.bits().max(16))
}

/// The type of a number in instructions: at least 16 bits.
fn number(scalar: ScalarType) -> String {
    let letter = if scalar.is_signed() { 's' } else { 'u' };
    format!("{letter}{}", scalar.bits().max(16))
}

/// The type of a number where there are instructions for 8 bits.
fn exactly(scalar: ScalarType) -> String {
    let letter = if scalar.is_signed() { 's' } else { 'u' };
    format!("{letter}{}", scalar.bits())
}

/// A number in the text.
fn literal(stored: i64, scalar: ScalarType) -> String {
    let value = scalar.value(stored);
    if scalar.bits() < 64 { value.to_string() } else { format!("{:#x}", value as u64) }
}
