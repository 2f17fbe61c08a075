//! Instructions that access memory. The access stands in the program, where a report can name its line.

use clreduce_language::{PtxInstruction, PtxOperand, ptx_type_bytes};

use super::instructions::type_of;
use super::names::name;
use super::{Translator, Unknown};

/// Words that say how an access is made, and not what.
const MANNERS: &str =
    "volatile relaxed acquire release acq_rel weak gpu cta sys cluster ca cg cs cv lu wb wt nc";
const SPACES: [&str; 5] = ["global", "shared", "local", "const", "param"];

/// Atomic operations, and the functions of CUDA for them.
const ATOMICS: [(&str, &str); 10] = [
    ("add", "atomicAdd"),
    ("and", "atomicAnd"),
    ("or", "atomicOr"),
    ("xor", "atomicXor"),
    ("exch", "atomicExch"),
    ("cas", "atomicCAS"),
    ("min", "atomicMin"),
    ("max", "atomicMax"),
    ("inc", "atomicInc"),
    ("dec", "atomicDec"),
];

/// An access as its words describe it.
struct PtxAccess<'w> {
    space: &'w str,
    lanes: u64,
    ty: &'w str,
    /// The words that are left over.
    others: Vec<&'w str>,
}

impl<'w> PtxAccess<'w> {
    fn of(words: &[&'w str]) -> Option<Self> {
        let (ty, words) = words[1..].split_last()?;
        let mut access = Self { space: "", lanes: 1, ty, others: Vec::new() };
        type_of(ty)?;
        for word in words {
            match *word {
                "v2" => access.lanes = 2,
                "v4" => access.lanes = 4,
                word if SPACES.contains(&word) => access.space = word,
                word if MANNERS.split(' ').any(|manner| manner == word) => {}
                word => access.others.push(word),
            }
        }
        Some(access)
    }
}

impl<'a> Translator<'a> {
    /// A load or a store.
    pub(super) fn access(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let Some(access) = PtxAccess::of(&own.words).filter(|access| access.others.is_empty())
        else {
            return Ok(None);
        };
        let is_store = own.words[0] == "st";
        let (place, value) = match &own.operands[..] {
            [place, value] if is_store => (place, value),
            [value, place] if !is_store => (place, value),
            _ => return Ok(None),
        };
        if access.space == "param" {
            return self.parameter(place, value, is_store);
        }
        let PtxOperand::Address { base, offset, in_memory: true } = place else { return Ok(None) };
        let values = match value {
            PtxOperand::Vector(values) => &values[..],
            value => std::slice::from_ref(value),
        };
        let bytes = ptx_type_bytes(access.ty).unwrap_or(1);
        if values.len() as u64 != access.lanes {
            return Ok(None);
        }
        // A load may write the register of its own address, so that it is read before.
        let address = self.address(access.space, *base, *offset)?;
        if let [value] = values {
            let place = format!("*(ptx::m_{} *){address}", memory_type(access.ty));
            return Ok(Some(match is_store {
                true => format!("{place} = {};", self.names.read(value)?),
                false => format!("{} = {place};", self.names.write(value)?),
            }));
        }
        let mut text = format!("{{ ptx::u64 address = {address}; ");
        for (at, value) in (0..).zip(values) {
            let place = format!("*(ptx::m_{} *)(address + {})", memory_type(access.ty), bytes * at);
            text += &match (is_store, value) {
                (true, value) => format!("{place} = {}; ", self.names.read(value)?),
                (false, PtxOperand::Name("_")) => continue,
                (false, value) => format!("{} = {place}; ", self.names.write(value)?),
            };
        }
        Ok(Some(text + "}"))
    }

    /// An address in a state space, as an expression.
    fn address(&self, space: &str, base: Option<&'a str>, offset: i64) -> Result<String, Unknown> {
        let offset = offset as u64;
        let Some(base) = base else { return Err(format!("[{offset}]")) };
        let value = self.names.read(&PtxOperand::Name(base))?;
        if self.names.register_bytes(base) != Some(4) {
            return Ok(format!("({value} + {offset:#x}ull)"));
        }
        // The address counts from the beginning of the state space, where some variable lies.
        let variable = self.names.in_space(space).ok_or_else(|| base.to_owned())?;
        Ok(format!("ptx::near({value} + {:#x}u, (ptx::u64)&{})", offset as u32, name(variable)))
    }

    /// An access to a parameter, which is a variable.
    fn parameter(
        &self,
        place: &PtxOperand<'a>,
        value: &PtxOperand<'a>,
        is_store: bool,
    ) -> Result<Option<String>, Unknown> {
        let PtxOperand::Address { base: Some(base), offset: 0, .. } = place else {
            return Ok(None);
        };
        if self.names.space(base) != Some("param") {
            return Err((*base).to_owned());
        }
        let parameter = name(base);
        Ok(Some(match is_store {
            true => format!("{parameter} = {};", self.names.read(value)?),
            false => {
                let cast = if self.is_buffer(base) { "(ptx::u64)" } else { "" };
                format!("{} = {cast}{parameter};", self.names.write(value)?)
            }
        }))
    }

    /// `atom`, and `red`, which has no result.
    pub(super) fn atomic(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let Some(access) = PtxAccess::of(&own.words) else { return Ok(None) };
        let &[operation] = &access.others[..] else { return Ok(None) };
        let function = ATOMICS.iter().find(|(name, _)| *name == operation);
        let function = function.map(|(_, function)| *function);
        let has_order = matches!(operation, "min" | "max");
        let ty = match access.ty {
            "f32" if operation == "add" => "ptx::f32",
            "s32" if has_order => "ptx::s32",
            "s64" if has_order => "ptx::s64",
            "b32" | "u32" | "s32" => "ptx::u32",
            "b64" | "u64" | "s64" => "ptx::u64",
            _ => return Ok(None),
        };
        let (result, operands) = match own.operands.split_first() {
            Some((result, operands)) if own.words[0] == "atom" => (Some(result), operands),
            _ => (None, &own.operands[..]),
        };
        let (Some(function), [place, values @ ..]) = (function, operands) else { return Ok(None) };
        let PtxOperand::Address { base, offset, in_memory: true } = place else { return Ok(None) };
        let address = self.address(access.space, *base, *offset)?;
        let mut call = format!("{function}(({ty} *){address}");
        for value in values {
            let value = self.names.read(value)?;
            call += &match ty {
                "ptx::f32" => format!(", ptx::value<ptx::f32>({value})"),
                _ => format!(", ({ty}){value}"),
            };
        }
        call += ")";
        if ty == "ptx::f32" {
            call = format!("ptx::raw<ptx::f32>({call})");
        }
        let result = result.filter(|result| **result != PtxOperand::Name("_"));
        let result = result.map(|result| self.names.write(result)).transpose()?;
        Ok(Some(result.map_or(format!("{call};"), |result| format!("{result} = {call};"))))
    }
}

/// The type in memory: bits are unsigned.
fn memory_type(ty: &str) -> String {
    ty.replace('b', "u")
}
