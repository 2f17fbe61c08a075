//! Instructions that compute, and those that branch.

use clreduce_language::{PtxInstruction, PtxOperand};

use super::names::{label, name, unsigned};
use super::{Translator, Unknown};

/// The names of instructions that are functions of `instructions.h`: their words without types.
const FUNCTIONS: &str = "\
    abs add add_cc add_rn add_sat addc addc_cc and bfe bfi bfind bfind_shiftamt bmsk_clamp bmsk_wrap brev clz cnot \
    copysign cvt cvt_rmi cvt_rmi_sat cvt_rn cvt_rni cvt_rni_sat cvt_rpi cvt_rpi_sat cvt_rzi cvt_rzi_sat cvt_sat div_rn \
    dp2a_hi dp2a_lo dp4a fma_rn lop3 mad24_hi mad24_lo mad_hi mad_hi_cc mad_hi_sat mad_lo mad_lo_cc mad_rn mad_wide \
    madc_hi madc_hi_cc madc_lo madc_lo_cc max min mul mul24_hi mul24_lo mul_hi mul_lo mul_rn mul_wide neg not or popc \
    prmt prmt_b4e prmt_ecl prmt_ecr prmt_f4e prmt_rc16 prmt_rc8 rcp_rn sad selp shf_l_clamp shf_l_wrap shf_r_clamp \
    shf_r_wrap shl shr slct sqrt_rn sub sub_cc sub_rn sub_sat subc subc_cc testp_finite testp_infinite testp_normal \
    testp_notanumber testp_number testp_subnormal vabsdiff2 vabsdiff4 vadd2 vadd4 vmax2 vmax4 vmin2 vmin4 vsub2 vsub4 \
    xor";
/// Comparisons of `setp` and `set`.
const COMPARISONS: &str = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan";

impl<'a> Translator<'a> {
    /// An instruction without its guard, as a statement.
    pub(super) fn instruction(&self, own: &PtxInstruction<'a>) -> Result<String, Unknown> {
        let unknown = || own.words.join(".");
        let text = match own.words[0] {
            "bra" => match &own.operands[..] {
                [PtxOperand::Name(target)] => Some(format!("goto {};", label(target))),
                _ => None,
            },
            "brx" => self.indirect_branch(own)?,
            "ret" => Some(self.returning()),
            "exit" if self.function.is_some_and(|one| one.is_kernel) => Some("return;".to_owned()),
            "trap" => Some("__builtin_trap();".to_owned()),
            "call" => self.call(own)?,
            "mov" => self.moved(own)?,
            "cvta" => self.assigned(own, |values| values[0].clone())?,
            "setp" => self.set_predicate(own)?,
            "set" => self.set(own)?,
            "div" | "rem" if !own.words.contains(&"rn") => self.divided(own)?,
            "ld" | "ldu" | "st" => self.access(own)?,
            "atom" | "red" => self.atomic(own)?,
            "bar" | "barrier" | "shfl" | "vote" | "match" | "redux" | "activemask" | "elect"
            | "membar" | "fence" => self.together(own)?,
            "prefetch" | "prefetchu" => Some(";".to_owned()),
            _ => self.function_of_header(own)?,
        };
        text.ok_or_else(unknown)
    }

    /// An instruction with one result, as an expression of the values of its operands.
    pub(super) fn assigned(
        &self,
        own: &PtxInstruction<'a>,
        expression: impl FnOnce(&[String]) -> String,
    ) -> Result<Option<String>, Unknown> {
        let Some((result, operands)) = own.operands.split_first() else { return Ok(None) };
        let result = self.names.write(result)?;
        let values = operands.iter().map(|operand| self.names.read(operand));
        let values = values.collect::<Result<Vec<String>, Unknown>>()?;
        Ok((!values.is_empty()).then(|| format!("{result} = {};", expression(&values))))
    }

    fn function_of_header(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let words = own.words.iter().filter(|word| type_of(word).is_none());
        let function = words.copied().collect::<Vec<&str>>().join("_");
        if !is_in(FUNCTIONS, &function) {
            return Ok(None);
        }
        let types: Vec<&str> = own.words.iter().filter_map(|word| type_of(word)).collect();
        let has_carry =
            function.split('_').any(|word| matches!(word, "cc" | "addc" | "subc" | "madc"));
        self.assigned(own, |values| {
            let carry = if has_carry { ", carry" } else { "" };
            format!("ptx::op_{function}<{}>({}{carry})", types.join(", "), values.join(", "))
        })
    }

    /// A division of integers. It stands in the program, where a report of a division by zero can name its line.
    fn divided(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let ty = own.words.get(1).and_then(|word| type_of(word));
        let Some(ty) = ty.filter(|ty| own.words.len() == 2 && !ty.contains('f')) else {
            return Ok(None);
        };
        let sign = if own.words[0] == "div" { "/" } else { "%" };
        self.assigned(own, |values| {
            let operands: Vec<String> =
                values.iter().map(|value| format!("({ty}){value}")).collect();
            operands.join(&format!(" {sign} "))
        })
    }

    fn indirect_branch(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let [index, PtxOperand::Name(table)] = &own.operands[..] else { return Ok(None) };
        let index = self.names.read(index)?;
        let targets = self.names.targets(table).ok_or_else(|| (*table).to_owned())?;
        let cases = targets.iter().enumerate();
        let cases: String =
            cases.map(|(at, target)| format!("case {at}: goto {}; ", label(target))).collect();
        Ok(Some(format!("switch ({index}) {{ {cases}default: __builtin_unreachable(); }}")))
    }

    fn call(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let (result, function, arguments) = match &own.operands[..] {
            [
                PtxOperand::List(results),
                PtxOperand::Name(function),
                PtxOperand::List(arguments),
            ] => (results.first(), function, &arguments[..]),
            [PtxOperand::Name(function), PtxOperand::List(arguments)] => {
                (None, function, &arguments[..])
            }
            [PtxOperand::List(results), PtxOperand::Name(function)] => {
                (results.first(), function, &[][..])
            }
            [PtxOperand::Name(function)] => (None, function, &[][..]),
            _ => return Ok(None),
        };
        // Registers and parameters alike are variables.
        let variable = |operand: &PtxOperand<'_>| match operand {
            PtxOperand::Name(own) if self.names.space(own) == Some("param") => Ok(name(own)),
            other => self.names.read(other),
        };
        let arguments = arguments.iter().map(variable).collect::<Result<Vec<String>, Unknown>>()?;
        let result = result.map(variable).transpose()?;
        let result = result.map(|result| format!("{result} = ")).unwrap_or_default();
        Ok(Some(format!("{result}{}({});", name(function), arguments.join(", "))))
    }

    /// `mov`, which also packs and unpacks registers.
    fn moved(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let Some(ty) = own.words.get(1).and_then(|ty| unsigned(ty)) else { return Ok(None) };
        match &own.operands[..] {
            [PtxOperand::Vector(parts), whole] => {
                let bits = part_bits(own.words[1], parts.len());
                let whole = self.names.read(whole)?;
                let mut text = format!("{{ {ty} whole = {whole}; ");
                for (at, part) in parts.iter().enumerate() {
                    if *part != PtxOperand::Name("_") {
                        let part = self.names.write(part)?;
                        text += &format!("{part} = whole >> {}; ", bits * at);
                    }
                }
                Ok(Some(text + "}"))
            }
            [whole, PtxOperand::Vector(parts)] => {
                let bits = part_bits(own.words[1], parts.len());
                let whole = self.names.write(whole)?;
                let parts = parts.iter().enumerate().map(|(at, part)| {
                    let part = self.names.read(part)?;
                    Ok(format!("({ty})({part} & {:#x}ull) << {}", ones(bits), bits * at))
                });
                let parts = parts.collect::<Result<Vec<String>, Unknown>>()?;
                Ok(Some(format!("{whole} = {};", parts.join(" | "))))
            }
            _ => self.assigned(own, |values| values[0].clone()),
        }
    }

    /// `setp` with one result or two, and another predicate that is combined.
    fn set_predicate(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let [result, operands @ ..] = &own.operands[..] else { return Ok(None) };
        let Some([holds, fails]) = self.comparison(own, operands)? else { return Ok(None) };
        Ok(Some(match result {
            PtxOperand::Pair(first, second) => {
                let [first, second] =
                    [first, second].map(|own| self.names.write(&PtxOperand::Name(own)));
                format!(
                    "{{ ptx::pred holds = {holds}; {} = {fails}; {} = holds; }}",
                    second?, first?
                )
            }
            result => format!("{} = {holds};", self.names.write(result)?),
        }))
    }

    /// `set`, whose result is a number.
    fn set(&self, own: &PtxInstruction<'a>) -> Result<Option<String>, Unknown> {
        let [result, operands @ ..] = &own.operands[..] else { return Ok(None) };
        let mut types = own.words.iter().filter_map(|word| type_of(word));
        let (Some(ty), Some(_)) = (types.next(), types.next()) else { return Ok(None) };
        let Some([holds, _]) = self.comparison(own, operands)? else { return Ok(None) };
        Ok(Some(format!("{} = ptx::truth<{ty}>({holds});", self.names.write(result)?)))
    }

    /// The condition of a comparison and its negation, each combined with the predicate of the last operand if there is one.
    fn comparison(
        &self,
        own: &PtxInstruction<'a>,
        operands: &[PtxOperand<'a>],
    ) -> Result<Option<[String; 2]>, Unknown> {
        let plain: Vec<&str> =
            own.words[1..].iter().copied().filter(|word| type_of(word).is_none()).collect();
        let ty = own.words.last().and_then(|word| type_of(word));
        let (Some(ty), Some(comparison)) = (ty, plain.first()) else { return Ok(None) };
        if !is_in(COMPARISONS, comparison) {
            return Ok(None);
        }
        let values = operands.iter().map(|operand| self.names.read(operand));
        let values = values.collect::<Result<Vec<String>, Unknown>>()?;
        let (combined, values) = match (&plain[1..], &values[..]) {
            ([], [a, b]) => (None, [a, b]),
            (["and"], [a, b, c]) => (Some(("&&", c)), [a, b]),
            (["or"], [a, b, c]) => (Some(("||", c)), [a, b]),
            (["xor"], [a, b, c]) => (Some(("!=", c)), [a, b]),
            _ => return Ok(None),
        };
        let compared = format!("ptx::compare_{comparison}<{ty}>({}, {})", values[0], values[1]);
        Ok(Some([compared.clone(), format!("!{compared}")].map(|text| match combined {
            Some((sign, predicate)) => format!("({text} {sign} {predicate})"),
            None => text,
        })))
    }
}

/// A type of PTX as an argument of a template; bits are unsigned numbers.
pub(super) fn type_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "u8" | "b8" => "ptx::u8",
        "s8" => "ptx::s8",
        "u16" | "b16" => "ptx::u16",
        "s16" => "ptx::s16",
        "u32" | "b32" => "ptx::u32",
        "s32" => "ptx::s32",
        "u64" | "b64" => "ptx::u64",
        "s64" => "ptx::s64",
        "f32" => "ptx::f32",
        "f64" => "ptx::f64",
        "pred" => "ptx::pred",
        _ => return None,
    })
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// The bits of one of some registers that together have the bits of a type.
fn part_bits(ty: &str, parts: usize) -> usize {
    let bits = ty[1..].parse::<usize>().unwrap_or(0);
    bits / parts.max(1)
}

/// A number whose lowest bits are ones.
fn ones(bits: usize) -> u64 {
    1_u64.checked_shl(u32::try_from(bits).unwrap_or(u32::MAX)).map_or(u64::MAX, |bit| bit - 1)
}
