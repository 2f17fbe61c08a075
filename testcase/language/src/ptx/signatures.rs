//! The signatures of kernels in PTX.
//!
//! PTX does not say which numbers of 64 bits are pointers. Those are taken for pointers from which an address is made: the
//! kernel reads the parameter into a register, and adds to it, until an instruction accesses memory there, or converts it to an
//! address in a state space. The accesses also tell how large an element is.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    PtxFunction, PtxInstruction, PtxOperand, PtxStatement, PtxStatementKind, PtxVariable,
    ptx_statements, ptx_type_bytes,
};
use crate::kernel::{KernelParameter, KernelSignature};
use crate::numbers::{Number, Scalar};

/// Reads the signatures of all kernels that a module defines, in order.
pub(crate) fn signatures(source: &[u8]) -> Vec<KernelSignature> {
    let statements = ptx_statements(source);
    let mut found = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        if let PtxStatementKind::Function(function) = &statement.kind
            && function.is_kernel
            && function.has_body
        {
            let next = |one: &PtxStatement<'_>| matches!(&one.kind, PtxStatementKind::Function(_));
            let rest = &statements[at + 1..];
            let end = rest.iter().position(next).unwrap_or(rest.len());
            found.push(signature(function, &rest[..end]));
        }
    }
    found
}

fn signature(function: &PtxFunction<'_>, body: &[PtxStatement<'_>]) -> KernelSignature {
    let instructions: Vec<&PtxInstruction<'_>> = body
        .iter()
        .filter_map(|one| match &one.kind {
            PtxStatementKind::Instruction(instruction) => Some(instruction),
            _ => None,
        })
        .collect();
    let pointers = Pointers::of(&instructions);
    let parameters = function.parameters.iter().map(|parameter| pointers.parameter(parameter));
    KernelSignature {
        name: function.name.to_owned(),
        parameters: parameters.collect(),
        required_local: function.required_local.as_ref().map(|sizes| {
            let padded = [0, 1, 2].map(|at: usize| sizes.get(at).copied().unwrap_or(1));
            padded.to_vec()
        }),
        hinted_local: None,
        required_sub_group: None,
    }
}

/// The accesses to memory that are made by way of each parameter.
#[derive(Default)]
struct Pointers<'a> {
    accesses: BTreeMap<&'a str, PointerAccesses>,
}

#[derive(Default)]
struct PointerAccesses {
    /// The most bytes of one access, of a lane of it if it is a vector.
    widest: u64,
    /// The end of the access that reaches farthest behind the address.
    end: u64,
    are_written: bool,
}

impl<'a> Pointers<'a> {
    fn of(instructions: &[&'a PtxInstruction<'a>]) -> Self {
        let registers = flow(instructions);
        let mut pointers = Self::default();
        for instruction in instructions {
            if let (["cvta", ..], [_, PtxOperand::Name(converted)]) =
                (&instruction.words[..], &instruction.operands[..])
            {
                for parameter in registers.get(converted).into_iter().flatten() {
                    pointers.accesses.entry(parameter).or_default();
                }
            }
            for operand in &instruction.operands {
                let PtxOperand::Address { base: Some(base), offset, in_memory: true } = operand
                else {
                    continue;
                };
                let lanes = instruction.words.iter().find_map(|word| word.strip_prefix('v'));
                let lanes = lanes.and_then(|lanes| lanes.parse::<u64>().ok()).unwrap_or(1);
                let ty = instruction.words.last().and_then(|ty| ptx_type_bytes(ty));
                let bytes = ty.unwrap_or(4);
                let end = u64::try_from(*offset).unwrap_or(0).saturating_add(bytes * lanes);
                for parameter in registers.get(base).into_iter().flatten() {
                    let accesses = pointers.accesses.entry(parameter).or_default();
                    accesses.widest = accesses.widest.max(bytes);
                    accesses.end = accesses.end.max(end);
                    accesses.are_written |=
                        !matches!(instruction.words.first(), Some(&"ld" | &"ldu"));
                }
            }
        }
        pointers
    }

    fn parameter(&self, parameter: &PtxVariable<'a>) -> KernelParameter {
        let accesses = self.accesses.get(parameter.name);
        let bytes = ptx_type_bytes(parameter.ty).filter(|_| parameter.elements.is_none());
        match (bytes, accesses) {
            (Some(8), Some(accesses)) => KernelParameter::Buffer {
                name: parameter.name.to_owned(),
                element: element(accesses),
                read_only: !accesses.are_written,
            },
            (Some(_), _) => match scalar(parameter.ty) {
                Some(scalar) => KernelParameter::Value(Number::scalar(scalar)),
                None => KernelParameter::Other(format!(".{} {}", parameter.ty, parameter.name)),
            },
            (None, _) => KernelParameter::Other(format!(".{} {}", parameter.ty, parameter.name)),
        }
    }
}

/// The parameters from which each register has been made.
fn flow<'a>(instructions: &[&'a PtxInstruction<'a>]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut registers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    loop {
        let before: usize = registers.values().map(BTreeSet::len).sum();
        for instruction in instructions {
            let [PtxOperand::Name(result), operands @ ..] = &instruction.operands[..] else {
                continue;
            };
            let mut made = BTreeSet::new();
            match (&instruction.words[..], operands) {
                (["ld", "param", ..], [PtxOperand::Address { base: Some(name), .. }]) => {
                    made.insert(*name);
                }
                // What is added to an address, and not what is multiplied before.
                (["mad", ..], [_, _, PtxOperand::Name(sum)]) => {
                    made.extend(registers.get(sum).into_iter().flatten());
                }
                (["mov" | "add" | "sub" | "cvta" | "selp" | "or", ..], operands) => {
                    for operand in operands {
                        let (PtxOperand::Name(name) | PtxOperand::Address { base: Some(name), .. }) =
                            operand
                        else {
                            continue;
                        };
                        made.extend(registers.get(name).into_iter().flatten());
                    }
                }
                _ => {}
            }
            registers.entry(result).or_default().extend(made);
        }
        if registers.values().map(BTreeSet::len).sum::<usize>() == before {
            return registers;
        }
    }
}

/// An element that one access after the other fits into.
fn element(accesses: &PointerAccesses) -> Number {
    let scalar = match accesses.widest {
        1 => Scalar::Uchar,
        2 => Scalar::Ushort,
        // 0 where it is known to be a pointer, and nothing is accessed.
        0 | 4 => Scalar::Uint,
        _ => Scalar::Ulong,
    };
    let lanes = accesses.end.div_ceil(accesses.widest.max(1)).clamp(1, 16).next_power_of_two();
    Number { scalar, lanes: u8::try_from(lanes).unwrap_or(1) }
}

fn scalar(ty: &str) -> Option<Scalar> {
    Some(match (ty.chars().next()?, ptx_type_bytes(ty)?) {
        ('s', 1) => Scalar::Char,
        ('u' | 'b', 1) => Scalar::Uchar,
        ('s', 2) => Scalar::Short,
        ('u' | 'b', 2) => Scalar::Ushort,
        ('s', 4) => Scalar::Int,
        ('u' | 'b', 4) => Scalar::Uint,
        ('s', 8) => Scalar::Long,
        ('u' | 'b', 8) => Scalar::Ulong,
        ('f', 2) => Scalar::Half,
        ('f', 4) => Scalar::Float,
        ('f', 8) => Scalar::Double,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_told_by_their_accesses() {
        let text =
            b".entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u64 seed, .param .u64 e) {\n\
            ld.param.u64 %d7, [e]; cvta.to.global.u64 %d7, %d7; ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d5, [seed];\n\
            cvta.to.global.u64 %d3, %d1; mad.wide.u32 %d4, %r1, 16, %d2; ld.global.u8 %h1, [%d3];\n\
            mul.lo.u64 %d6, %d5, 3; st.global.u32 [%d4+12], %r1; ret; }\n\
            .entry empty() { ret; }";
        let found = signatures(text);
        let buffer = |name: &str, element: &str, read_only: bool| KernelParameter::Buffer {
            name: name.to_owned(),
            element: Number::built_in(element).unwrap(),
            read_only,
        };
        let value = |scalar| KernelParameter::Value(Number::scalar(scalar));
        assert_eq!(
            found[0].parameters,
            [
                buffer("in", "uchar", true),
                buffer("out", "uint4", false),
                value(Scalar::Uint),
                value(Scalar::Ulong),
                buffer("e", "uint", true)
            ]
        );
        assert_eq!((found[1].name.as_str(), found[1].parameters.len()), ("empty", 0));
    }
}
