//! Instructions that are functions of the program, and calls of its own functions.

use super::expressions::number_in;
use super::{PtxPrinter, bits, number};
use crate::ir::{Builtin, ExprId, FunctionId, ScalarType, Suffix};
use crate::random::SeedKey;

impl PtxPrinter<'_> {
    /// The result of an instruction, as a value of a type.
    pub(super) fn call(
        &mut self,
        function: Builtin,
        arguments: &[ExprId],
        scalar: ScalarType,
        key: SeedKey,
    ) -> String {
        let own = self.program.ty(arguments[0]).scalar;
        let mut values: Vec<String> = arguments.iter().map(|id| self.value(*id)).collect();
        let Some((name, suffix)) = function.instruction() else {
            panic!("PTX has no {}", function.name());
        };
        let ty = match suffix {
            Suffix::Number => format!(".{}", number(own)),
            Suffix::Signed => format!(".{}", number(own.with_sign(true))),
            Suffix::Bits => format!(".{}", bits(own)),
            Suffix::Whole => String::new(),
        };
        if let Some(result) = self.by_several(function, &values, (own, &ty), scalar.bits()) {
            return result;
        }
        let mut instruction = name.clone() + &ty;
        match function {
            Builtin::PtxBfeAny | Builtin::PtxBfiAny => {
                let field = values.pop().unwrap_or_default();
                values.extend(self.field(&field, scalar.bits(), key));
            }
            // Of a constant, each ptxas until 13.0 reads 16 bits at every level, so that 65541 shifts by 5 and not by 16.
            Builtin::PtxShl | Builtin::PtxShr if scalar.bits() == 16 => {
                if let Some(known) = number_in(&values[1]) {
                    values[1] = (known as u32).min(u16::MAX.into()).to_string();
                }
            }
            Builtin::PtxSlct => instruction += ".s32",
            // They have the type of the result as well.
            _ if name.starts_with("set.") => instruction = format!("{name}.{}{ty}", number(scalar)),
            // They have a third operand that is not used.
            _ if name.starts_with('v') => {
                values = values.into_iter().map(|value| self.in_register(value, own)).collect();
                values.push(self.in_register("0".to_owned(), own));
            }
            _ => {}
        }
        if let Some(table) = function.table() {
            values.push(format!("{table:#x}"));
        }
        let operands: Vec<&str> = values.iter().map(String::as_str).collect();
        self.compute(&instruction, scalar.bits(), &operands)
    }

    /// The result of a function that PTX has no single instruction for.
    fn by_several(
        &mut self,
        function: Builtin,
        values: &[String],
        (own, ty): (ScalarType, &str),
        width: u32,
    ) -> Option<String> {
        Some(match function {
            Builtin::Abs if !own.is_signed() => values[0].clone(),
            Builtin::Clamp => {
                let low = self.compute(&format!("max{ty}"), width, &[&values[0], &values[1]]);
                self.compute(&format!("min{ty}"), width, &[&low, &values[2]])
            }
            // Registers of 8 bits there are none.
            Builtin::Upsample if width == 16 => {
                let high = self.compute("shl.b16", 16, &[&values[0], "8"]);
                self.compute("or.b16", 16, &[&high, &values[1]])
            }
            Builtin::Upsample => {
                let [high, low] =
                    [0, 1].map(|index: usize| self.in_register(values[index].clone(), own));
                self.compute(&format!("mov.b{width}"), width, &[&format!("{{{low}, {high}}}")])
            }
            Builtin::PtxFma | Builtin::PtxRcp | Builtin::PtxSqrt => {
                self.by_floats(function, values)
            }
            _ if function.name().starts_with("ptx_testp") => {
                let (name, _) = function.instruction()?;
                let number = self.in_register(values[0].clone(), own);
                let truth = self.compute(&format!("{name}.f32"), 1, &[&number]);
                self.compute("selp.b32", 32, &["1", "0", &truth])
            }
            Builtin::PtxAddCc | Builtin::PtxSubCc => self.halves(function, values),
            Builtin::PtxMadc => self.wide_sum(values),
            Builtin::PtxAddc | Builtin::PtxSubc => {
                let name = if function == Builtin::PtxAddc { "add" } else { "sub" };
                self.compute(&format!("{name}.cc{ty}"), width, &[&values[0], &values[1]]);
                self.compute(&format!("{name}c{ty}"), width, &[&values[2], "0"])
            }
            _ => return None,
        })
    }

    /// The result of an instruction on floating-point numbers, which is exact.
    fn by_floats(&mut self, function: Builtin, values: &[String]) -> String {
        let float = |printer: &mut Self, ty: &str, value: &str| {
            printer.compute(&format!("cvt.rn.f32.{ty}"), 32, &[value])
        };
        match function {
            Builtin::PtxFma => {
                let [a, b, c] = [0, 1, 2].map(|index: usize| {
                    let part = self.compute("shr.s32", 32, &[&values[index], "22"]);
                    float(self, "s32", &part)
                });
                let sum = self.compute("fma.rn.f32", 32, &[&a, &b, &c]);
                self.compute("cvt.rzi.s32.f32", 32, &[&sum])
            }
            Builtin::PtxRcp => {
                let amount = self.compute("and.b32", 32, &[&values[0], "31"]);
                let one = self.compute("mov.b32", 32, &["1"]);
                let power = self.compute("shl.b32", 32, &[&one, &amount]);
                let power = float(self, "u32", &power);
                self.compute("rcp.rn.f32", 32, &[&power])
            }
            _ => {
                let root = self.compute("and.b32", 32, &[&values[0], "0xfff"]);
                let square = self.compute("mul.lo.u32", 32, &[&root, &root]);
                let square = float(self, "u32", &square);
                let root = self.compute("sqrt.rn.f32", 32, &[&square]);
                self.compute("cvt.rzi.u32.f32", 32, &[&root])
            }
        }
    }

    /// Where a field begins and how many bits it has. The manual restricts both to 0..255: instructions of 32 bits use the lowest bytes
    /// alone, and what those of 64 bits do with a larger number differs between levels of ptxas.
    fn field(&mut self, packed: &str, width: u32, key: SeedKey) -> [String; 2] {
        if let Some(known) = number_in(packed) {
            return [(known & 255).to_string(), (known >> 8 & 255).to_string()];
        }
        let mut draws = key.named("field").stream();
        let mut masked = || width == 64 || draws.chance(50);
        let (from_masked, count_masked) = (masked(), masked());
        let from = match from_masked {
            true => self.compute("and.b32", 32, &[packed, "255"]),
            false => packed.to_owned(),
        };
        let mut count = self.compute("shr.u32", 32, &[packed, "8"]);
        if count_masked {
            count = self.compute("and.b32", 32, &[&count, "255"]);
        }
        [from, count]
    }

    /// The halves of a number of 64 bits.
    pub(super) fn split(&mut self, value: &str) -> [String; 2] {
        let value = self.in_register(value.to_owned(), ScalarType::Ulong);
        let [low, high] = [(); 2].map(|()| self.fresh(32));
        self.emit(&format!("mov.b64 {{{low}, {high}}}, {value}"));
        [low, high]
    }

    pub(super) fn joined(&mut self, [low, high]: [String; 2]) -> String {
        self.compute("mov.b64", 64, &[&format!("{{{low}, {high}}}")])
    }

    /// A sum or difference of 64 bits, by that of the halves and the carry between them.
    fn halves(&mut self, function: Builtin, values: &[String]) -> String {
        let name = if function == Builtin::PtxAddCc { "add" } else { "sub" };
        let ([a, b], [c, d]) = (self.split(&values[0]), self.split(&values[1]));
        let low = self.compute(&format!("{name}.cc.u32"), 32, &[&a, &c]);
        let high = self.compute(&format!("{name}c.u32"), 32, &[&b, &d]);
        self.joined([low, high])
    }

    /// A product plus a number of 64 bits.
    fn wide_sum(&mut self, values: &[String]) -> String {
        let [low, high] = self.split(&values[2]);
        let [a, b] = [&values[0], &values[1]];
        let low = self.compute("mad.lo.cc.u32", 32, &[a, b, &low]);
        let high = self.compute("madc.hi.u32", 32, &[a, b, &high]);
        self.joined([low, high])
    }

    /// A call of a function of the program. Narrow numbers are passed in 32 bits.
    pub(super) fn invoke(&mut self, id: FunctionId, arguments: &[ExprId]) -> String {
        let program = self.program;
        let function = program.function(id);
        let values = arguments.iter().zip(&function.parameters).map(|(value, parameter)| {
            let scalar = program.variable(*parameter).ty.scalar;
            let passed = passed(scalar);
            let value = self.value_as(*value, scalar);
            (self.converted(value, (scalar, passed)), passed)
        });
        let values: Vec<(String, ScalarType)> = values.collect();
        let scalar = program.ty(function.value).scalar;
        let returned = passed(scalar);
        self.emit_line("{");
        let mut names = Vec::new();
        for (index, (value, scalar)) in values.iter().enumerate() {
            let (name, ty) = (format!("a{index}"), bits(*scalar));
            self.emit(&format!(".param .{ty} {name}"));
            self.emit(&format!("st.param.{ty} [{name}], {value}"));
            names.push(name);
        }
        let ty = bits(returned);
        self.emit(&format!(".param .{ty} back"));
        self.emit(&format!("call (back), {}, ({})", function.name, names.join(", ")));
        let into = self.fresh(returned.bits());
        self.emit(&format!("ld.param.{ty} {into}, [back]"));
        self.emit_line("}");
        self.converted(into, (returned, scalar))
    }
}

/// The type that a number has as a parameter.
pub(super) fn passed(scalar: ScalarType) -> ScalarType {
    if scalar.bits() < 32 { ScalarType::Int.with_sign(scalar.is_signed()) } else { scalar }
}
