//! Kernels in PTX as CUDA C++: what can be run and checked on this machine. Each statement becomes one of C++ in the same line, an
//! instruction mostly the call of a function of `instructions.h`. What has no translation is an error, never a guess.

mod instructions;
mod memory;
mod names;
mod warps;

use std::fmt::Write as _;

use clreduce_kernel::{Argument, KernelLaunch, KernelParameter, KernelSignature, Scalar};
use clreduce_language::{
    PtxFunction, PtxInstruction, PtxOperand, PtxStatement, PtxStatementKind, PtxVariable,
    ptx_statements,
};
use thiserror::Error;

use names::{PtxNames, unsigned};

/// The functions in C++ that instructions become calls of.
const INSTRUCTIONS: &str = include_str!("instructions.h");
/// The name of the file with them.
const HEADER: &str = "ptx.h";

/// A part of a module that is not translated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: clreduce does not know what `{what}` means in PTX")]
pub struct UnknownPtx {
    /// The line.
    pub line: u32,
    /// An instruction, a directive or an operand.
    pub what: String,
}

/// The instruction, directive or operand that has no translation; the caller adds its line.
type Unknown = String;

/// Returns the declarations that every translated module needs before it.
pub(crate) fn declarations() -> String {
    format!("#line 1 \"{HEADER}\"\n{INSTRUCTIONS}")
}

/// The signatures as launches take them: PTX does not say whether a number of 64 bits is a pointer.
pub(crate) fn as_launched(
    mut kernels: Vec<KernelSignature>,
    launches: &[KernelLaunch],
) -> Vec<KernelSignature> {
    for kernel in &mut kernels {
        let launch = launches.iter().find(|launch| launch.kernel == kernel.name);
        let arguments = launch.iter().flat_map(|launch| &launch.arguments);
        for (parameter, argument) in kernel.parameters.iter_mut().zip(arguments) {
            match (&*parameter, argument) {
                (KernelParameter::Value(_), Argument::Buffer { name, element, .. }) => {
                    let (name, element, read_only) = (name.clone(), *element, false);
                    *parameter = KernelParameter::Buffer { name, element, read_only };
                }
                (KernelParameter::Buffer { .. }, Argument::Value(_)) => {
                    *parameter = KernelParameter::Value(Scalar::Ulong.into());
                }
                _ => {}
            }
        }
    }
    kernels
}

/// Returns a module in CUDA C++.
pub(crate) fn to_cuda(source: &[u8], kernels: &[KernelSignature]) -> Result<String, UnknownPtx> {
    let statements = ptx_statements(source);
    let mut translator = Translator {
        kernels,
        names: PtxNames::of_module(&statements),
        lines: LinedText::default(),
        function: None,
        depth: 0,
    };
    translator.prototypes(&statements);
    for (at, statement) in statements.iter().enumerate() {
        let rest = &statements[at + 1..];
        translator
            .statement(statement, rest)
            .map_err(|what| UnknownPtx { line: statement.line, what })?;
    }
    Ok(translator.lines.text + "\n")
}

struct Translator<'a> {
    kernels: &'a [KernelSignature],
    names: PtxNames<'a>,
    lines: LinedText,
    /// The function whose body is translated.
    function: Option<&'a PtxFunction<'a>>,
    depth: usize,
}

/// The text so far, and its last line.
#[derive(Default)]
struct LinedText {
    text: String,
    breaks: u32,
}

impl LinedText {
    /// Adds a piece to a line.
    fn put(&mut self, line: u32, piece: &str) {
        while self.breaks + 1 < line {
            self.text.push('\n');
            self.breaks += 1;
        }
        self.text.push_str(piece);
        self.text.push(' ');
    }
}

impl<'a> Translator<'a> {
    /// Declares the functions: in C++ they have to be known before they are called.
    fn prototypes(&mut self, statements: &[PtxStatement<'_>]) {
        for statement in statements {
            if let PtxStatementKind::Function(function) = &statement.kind
                && !function.is_kernel
                && let Ok(head) = self.head(function)
            {
                self.lines.put(1, &format!("{head};"));
            }
        }
    }

    fn statement(
        &mut self,
        statement: &'a PtxStatement<'a>,
        rest: &'a [PtxStatement<'a>],
    ) -> Result<(), Unknown> {
        let line = statement.line;
        let piece = match &statement.kind {
            PtxStatementKind::Registers { .. } | PtxStatementKind::Targets(_) => return Ok(()),
            PtxStatementKind::Variable(variable) => {
                self.names.declare(variable);
                self.variable(variable)?
            }
            PtxStatementKind::Function(function) if !function.has_body => return Ok(()),
            PtxStatementKind::Function(function) => {
                self.function = Some(function);
                self.names.enter(function, rest);
                self.head(function)?
            }
            PtxStatementKind::Open => {
                self.depth += 1;
                self.names.open_block();
                if self.depth == 1 { format!("{{ {}", self.declarations()?) } else { "{".into() }
            }
            PtxStatementKind::Close => {
                self.depth = self.depth.saturating_sub(1);
                self.names.close_block();
                if self.depth == 0 { self.end() } else { "}".into() }
            }
            PtxStatementKind::Label(name) => format!("{}:;", names::label(name)),
            PtxStatementKind::Instruction(instruction) => self.guarded(instruction)?,
            PtxStatementKind::Unknown(word) => return Err((*word).to_owned()),
        };
        self.lines.put(line, &piece);
        Ok(())
    }

    fn head(&self, function: &PtxFunction<'_>) -> Result<String, Unknown> {
        if function.is_kernel {
            let types = self.parameters_of(function);
            let parameters = function.parameters.iter().zip(types).map(|(parameter, ty)| {
                let name = names::name(parameter.name);
                match ty {
                    KernelParameter::Buffer { .. } => Ok(format!("void *{name}")),
                    _ => Ok(format!("{} {name}", of_variable(parameter)?)),
                }
            });
            let parameters = parameters.collect::<Result<Vec<String>, Unknown>>()?.join(", ");
            return Ok(format!("extern \"C\" __global__ void {}({parameters})", function.name));
        }
        let result = match &function.results[..] {
            [] => "void",
            [result] => of_variable(result)?,
            [_, second, ..] => return Err(second.name.to_owned()),
        };
        let parameters = function.parameters.iter();
        let parameters = parameters
            .map(|one| Ok(format!("{} {}", of_variable(one)?, names::name(one.name))))
            .collect::<Result<Vec<String>, Unknown>>()?
            .join(", ");
        Ok(format!("static __device__ {result} {}({parameters})", names::name(function.name)))
    }

    /// Declares the registers of a function, and what it returns.
    fn declarations(&self) -> Result<String, Unknown> {
        let mut text = "ptx::pred carry; ".to_owned();
        for (name, ty) in self.names.used_registers() {
            let ty = unsigned(ty).ok_or_else(|| format!(".{ty}"))?;
            // Writing to a string cannot fail.
            let _ = write!(text, "{ty} {}; ", names::name(name));
        }
        if let Some(result) = self.function.and_then(|function| function.results.first()) {
            let _ = write!(text, "{} {}; ", of_variable(result)?, names::name(result.name));
        }
        Ok(text)
    }

    /// The end of a function.
    fn end(&mut self) -> String {
        let result = self.returning();
        self.function = None;
        format!("{result} }}")
    }

    fn returning(&self) -> String {
        let result = self.function.and_then(|function| function.results.first());
        result.map_or_else(
            || "return;".to_owned(),
            |one| format!("return {};", names::name(one.name)),
        )
    }

    fn variable(&self, variable: &PtxVariable<'_>) -> Result<String, Unknown> {
        let PtxVariable { space, ty, elements, .. } = variable;
        if variable.is_extern || *elements == Some(0) {
            return Err(format!(".extern .{space} {}", variable.name));
        }
        let before = match *space {
            "shared" => "__shared__ ",
            "const" => "__constant__ ",
            "global" => "__device__ ",
            "local" | "param" => "",
            _ => return Err(format!(".{space}")),
        };
        let ty = unsigned(ty).ok_or_else(|| format!(".{ty}"))?;
        let align = variable.align.map(|bytes| format!(" __attribute__((aligned({bytes})))"));
        let elements = elements.map(|count| format!("[{count}]"));
        let values = variable.values.iter().map(|value| match value {
            PtxOperand::Number(digits) => {
                names::number(digits).map(|bits| format!("({ty}){bits:#x}ull"))
            }
            _ => Err(format!("the initial value of {}", variable.name)),
        });
        let values = values.collect::<Result<Vec<String>, Unknown>>()?.join(", ");
        let values = if values.is_empty() { values } else { format!(" = {{{values}}}") };
        let name = names::name(variable.name);
        let [elements, align] = [elements, align].map(Option::unwrap_or_default);
        Ok(format!("{before}{ty} {name}{elements}{align}{values};"))
    }

    /// The parameters of a kernel as its signature has them.
    fn parameters_of(&self, function: &PtxFunction<'_>) -> &'a [KernelParameter] {
        let kernel = self.kernels.iter().find(|kernel| kernel.name == function.name);
        kernel.map(|kernel| &kernel.parameters[..]).unwrap_or_default()
    }

    /// Returns true if a parameter of the kernel is a pointer.
    fn is_buffer(&self, name: &str) -> bool {
        let Some(function) = self.function.filter(|function| function.is_kernel) else {
            return false;
        };
        let mut parameters = function.parameters.iter().zip(self.parameters_of(function));
        let parameter = parameters.find(|(parameter, _)| parameter.name == name);
        matches!(parameter, Some((_, KernelParameter::Buffer { .. })))
    }

    fn guarded(&self, instruction: &PtxInstruction<'a>) -> Result<String, Unknown> {
        let text = self.instruction(instruction)?;
        let Some((predicate, holds)) = instruction.guard else { return Ok(text) };
        let predicate = self.names.read(&PtxOperand::Name(predicate))?;
        let not = if holds { "" } else { "!" };
        Ok(format!("if ({not}{predicate}) {{ {text} }}"))
    }
}

/// The type of a variable or a parameter that is no array.
fn of_variable(variable: &PtxVariable<'_>) -> Result<&'static str, Unknown> {
    let ty = unsigned(variable.ty).filter(|_| variable.elements.is_none());
    ty.ok_or_else(|| format!(".{} .{} {}", variable.space, variable.ty, variable.name))
}

#[cfg(test)]
mod tests {
    use clreduce_language::kernel_signatures;
    use clreduce_testcase::Language;

    use super::*;

    fn translated(text: &str) -> Result<String, UnknownPtx> {
        let kernels = kernel_signatures(text.as_bytes(), Language::PTX);
        to_cuda(text.as_bytes(), &kernels)
    }

    #[test]
    fn statements_keep_their_lines() {
        let text = translated(
            ".version 7.6\n.entry k(.param .u64 p)\n{\n.reg .b32 %r<9>; .reg .b64 %d; .reg .pred %q;\n\
             ld.param.u64 %d, [p];\nL1: mad.lo.u32 %r1, %tid.x, -2, 0x1f;\n@!%q bra L1;\n\
             st.global.s16 [%d+4], %r1;\n}\n",
        );
        let lines: Vec<String> = text.unwrap().lines().map(|line| line.trim().to_owned()).collect();
        let expected = [
            "",
            "extern \"C\" __global__ void k(void *v_p)",
            "{ ptx::pred carry; ptx::u64 r_d; ptx::pred r_q; ptx::u32 r_r1;",
            "",
            "r_d = (ptx::u64)v_p;",
            "L_L1:; r_r1 = ptx::op_mad_lo<ptx::u32>(threadIdx.x, 0xfffffffffffffffeull, 0x1full);",
            "if (!r_q) { goto L_L1; }",
            "*(ptx::m_s16 *)(r_d + 0x4ull) = r_r1;",
            "return; }",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_is_not_known_is_named_with_its_line() {
        let body = |line: &str| format!(".entry k()\n{{\n.reg .b32 %r<9>;\n{line}\n}}\n");
        for (line, what) in [
            ("tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [t, {%r5, %r6}];", "tex"),
            ("add.f16x2 %r1, %r2, %r3;", "add.f16x2"),
            ("add.u32 %r1, %x9, %r3;", "%x9"),
            ("ex2.approx.f32 %r1, %r2;", "ex2.approx.f32"),
            ("bar.sync 1, 32;", "bar.sync"),
            (".tex .u64 t;", ".tex"),
        ] {
            let error = translated(&body(line)).unwrap_err();
            assert!(error.line == 4 && error.what.starts_with(what), "{line}: {error}");
        }
    }
}
