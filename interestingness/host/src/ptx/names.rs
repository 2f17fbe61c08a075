//! Names of PTX in C++, and the operands that they are.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_language::{
    PtxFunction, PtxOperand, PtxStatement, PtxStatementKind, PtxVariable, ptx_number,
    ptx_type_bytes,
};

use super::Unknown;

/// Special registers, and what they are in CUDA C++.
const SPECIAL: [(&str, &str); 5] = [
    ("%laneid", "ptx::lane()"),
    ("%lanemask_eq", "(1u << ptx::lane())"),
    ("%lanemask_lt", "((1u << ptx::lane()) - 1)"),
    ("%lanemask_gt", "(~0u << ptx::lane() << 1)"),
    ("WARP_SZ", "32u"),
];
/// Special registers with the parts `x`, `y` and `z`.
const TRIPLES: [(&str, &str); 4] =
    [("%tid", "threadIdx"), ("%ntid", "blockDim"), ("%ctaid", "blockIdx"), ("%nctaid", "gridDim")];

/// The names that a statement sees.
#[derive(Default)]
pub(super) struct PtxNames<'a> {
    /// The variables of the module, with their state spaces.
    of_module: BTreeMap<&'a str, &'a str>,
    /// The variables and parameters of the function, for each block around the statement.
    own: Vec<BTreeMap<&'a str, &'a str>>,
    /// The types of its registers.
    registers: BTreeMap<&'a str, &'a str>,
    /// The names in its instructions.
    used: BTreeSet<&'a str>,
    /// The targets of its indirect branches.
    tables: BTreeMap<&'a str, &'a [&'a str]>,
}

impl<'a> PtxNames<'a> {
    pub(super) fn of_module(statements: &'a [PtxStatement<'a>]) -> Self {
        let (mut names, mut depth) = (Self::default(), 0_u32);
        for statement in statements {
            match &statement.kind {
                PtxStatementKind::Open => depth += 1,
                PtxStatementKind::Close => depth = depth.saturating_sub(1),
                PtxStatementKind::Variable(variable) if depth == 0 => {
                    names.of_module.insert(variable.name, variable.space);
                }
                _ => {}
            }
        }
        names
    }

    /// Learns the names of a function from its body, with which `rest` begins.
    pub(super) fn enter(&mut self, function: &'a PtxFunction<'a>, rest: &'a [PtxStatement<'a>]) {
        *self = Self { of_module: std::mem::take(&mut self.of_module), ..Self::default() };
        self.own.push(BTreeMap::new());
        for parameter in function.parameters.iter().chain(&function.results) {
            if parameter.space == "reg" {
                self.registers.insert(parameter.name, parameter.ty);
            } else {
                self.declare(parameter);
            }
        }
        let mut label = None;
        for statement in rest {
            match &statement.kind {
                PtxStatementKind::Function(_) => break,
                PtxStatementKind::Registers { ty, names } => {
                    self.registers.extend(names.iter().map(|name| (&**name, *ty)));
                }
                PtxStatementKind::Label(name) => label = Some(*name),
                PtxStatementKind::Targets(targets) => {
                    self.tables.extend(label.map(|label| (label, &targets[..])));
                }
                PtxStatementKind::Instruction(instruction) => {
                    self.used.extend(instruction.guard.map(|(name, _)| name));
                    instruction.operands.iter().for_each(|operand| self.mention(operand));
                }
                _ => {}
            }
        }
        // Parameters are declared already.
        for parameter in function.parameters.iter().chain(&function.results) {
            self.used.remove(parameter.name);
        }
    }

    /// Learns the name of a variable in the innermost block.
    pub(super) fn declare(&mut self, variable: &PtxVariable<'a>) {
        if let Some(block) = self.own.last_mut() {
            block.insert(variable.name, variable.space);
        }
    }

    pub(super) fn open_block(&mut self) {
        self.own.push(BTreeMap::new());
    }

    pub(super) fn close_block(&mut self) {
        self.own.pop();
    }

    fn mention(&mut self, operand: &'a PtxOperand<'a>) {
        match operand {
            PtxOperand::Name(name) | PtxOperand::Not(name) => {
                self.used.insert(name);
            }
            PtxOperand::Address { base, .. } => self.used.extend(*base),
            PtxOperand::Pair(first, second) => self.used.extend([*first, *second]),
            PtxOperand::Vector(all) | PtxOperand::List(all) => {
                all.iter().for_each(|one| self.mention(one));
            }
            PtxOperand::Number(_) => {}
        }
    }

    /// The registers that instructions use, with their types.
    pub(super) fn used_registers(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.registers.iter().filter(|(name, _)| self.used.contains(*name)).map(|(n, t)| (*n, *t))
    }

    /// The targets of an indirect branch.
    pub(super) fn targets(&self, table: &str) -> Option<&'a [&'a str]> {
        self.tables.get(table).copied()
    }

    /// The bytes of a register.
    pub(super) fn register_bytes(&self, name: &str) -> Option<u64> {
        ptx_type_bytes(self.registers.get(name)?)
    }

    /// The state space of a variable or a parameter.
    pub(super) fn space(&self, name: &str) -> Option<&'a str> {
        let mut blocks = self.own.iter().rev().chain([&self.of_module]);
        blocks.find_map(|block| block.get(name)).copied()
    }

    /// A variable in this state space.
    pub(super) fn in_space(&self, space: &str) -> Option<&'a str> {
        let mut all = self.own.iter().chain([&self.of_module]).flatten();
        all.find(|(_, of_name)| **of_name == space).map(|(name, _)| *name)
    }

    /// An operand whose value is read, as an expression.
    pub(super) fn read(&self, operand: &PtxOperand<'_>) -> Result<String, Unknown> {
        match operand {
            PtxOperand::Number(digits) => Ok(format!("{:#x}ull", number(digits)?)),
            PtxOperand::Not(predicate) => {
                Ok(format!("!{}", self.read(&PtxOperand::Name(predicate))?))
            }
            PtxOperand::Name(own) if self.registers.contains_key(own) => Ok(name(own)),
            PtxOperand::Name(own) if self.space(own).is_some_and(|space| space != "param") => {
                Ok(format!("(ptx::u64)&{}", name(own)))
            }
            PtxOperand::Address { base: Some(base), offset, in_memory: false } => {
                let base = self.read(&PtxOperand::Name(base))?;
                Ok(format!("({base} + {:#x}ull)", *offset as u64))
            }
            PtxOperand::Name(own) => special(own).ok_or_else(|| (*own).to_owned()),
            _ => Err(format!("{operand:?}")),
        }
    }

    /// An operand that gets a value.
    pub(super) fn write(&self, operand: &PtxOperand<'_>) -> Result<String, Unknown> {
        match operand {
            PtxOperand::Name(own) if self.registers.contains_key(own) => Ok(name(own)),
            PtxOperand::Name(own) => Err((*own).to_owned()),
            _ => Err(format!("{operand:?}")),
        }
    }
}

fn special(own: &str) -> Option<String> {
    if let Some((_, text)) = SPECIAL.iter().find(|(name, _)| *name == own) {
        return Some((*text).to_owned());
    }
    let (triple, dimension) = own.split_once('.')?;
    let (_, text) = TRIPLES.iter().find(|(name, _)| *name == triple)?;
    ["x", "y", "z"].contains(&dimension).then(|| format!("{text}.{dimension}"))
}

/// A name of PTX as one of C++.
pub(super) fn name(own: &str) -> String {
    let (first, rest) = match own.strip_prefix('%') {
        Some(rest) => ("r_", rest),
        None => ("v_", own),
    };
    format!("{first}{}", rest.replace('$', "_S").replace('%', "_P").replace('.', "_D"))
}

/// A label of PTX as one of C++.
pub(super) fn label(own: &str) -> String {
    format!("L_{}", own.replace('$', "_S").replace('%', "_P"))
}

/// The bits of a number as PTX writes it.
pub(super) fn number(digits: &str) -> Result<u64, Unknown> {
    ptx_number(digits).ok_or_else(|| digits.to_owned())
}

/// The unsigned type with the width of a type of PTX.
pub(super) fn unsigned(ty: &str) -> Option<&'static str> {
    match ptx_type_bytes(ty)? {
        1 if ty == "pred" => Some("ptx::pred"),
        1 => Some("ptx::u8"),
        2 => Some("ptx::u16"),
        4 => Some("ptx::u32"),
        _ => Some("ptx::u64"),
    }
}
