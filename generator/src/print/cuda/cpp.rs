//! The same programs in C++ or C for CPUs: one thread is one work-item after the other, so only kernels whose work-items share
//! nothing are printed in this way. CUDA's words go, and its functions get declarations.

use std::fmt::Write;

use super::super::kernel::uses;
use super::super::{Dialect, Extras, KernelPrinter};
use super::c_prelude;
use super::host::content;
use super::prelude::{self, FIRST_AFTER_TYPES, PARTS};

/// What stands in the place of CUDA's words. Only whole words are in the text, each with a blank behind it, or the
/// parenthesis of a call.
const WORDS: [(&str, &str); 17] = [
    ("__device__ ", ""),
    ("__noinline__ ", "__attribute__((noinline)) "),
    ("__constant__ ", "static "),
    ("__clz(", "clz32("),
    ("__clzll(", "clz64("),
    ("__ffsll(", "ffs64("),
    ("__popc(", "popc32("),
    ("__popcll(", "popc64("),
    ("__mulhi(", "mulhi32("),
    ("__umulhi(", "umulhi32("),
    ("__mul64hi(", "mulhi64("),
    ("__umul64hi(", "umulhi64("),
    ("__mul24(", "mul24s("),
    ("__umul24(", "mul24u("),
    ("#pragma unroll", "#pragma GCC unroll"),
    ("extern \"C\" __global__ ", "static "),
    ("#ifdef __CUDA_ARCH__", "#if 0"),
];

/// CUDA's numbers of the work-item.
const NUMBERS: [&str; 4] = ["blockIdx", "threadIdx", "gridDim", "blockDim"];

/// The declarations that CUDA has by itself.
const OWN: &str = include_str!("cpp.hpp");
/// The parts of the prelude for C++. The types come first, which the declarations need.
fn parts() -> String {
    let (types, rest) = PARTS.split_once(FIRST_AFTER_TYPES).unwrap_or((PARTS, ""));
    in_cpp(&format!("{types}{OWN}{FIRST_AFTER_TYPES}{rest}"))
}

fn in_cpp(text: &str) -> String {
    WORDS.iter().fold(text.to_owned(), |text, (word, own)| text.replace(word, own))
}

impl KernelPrinter<'_> {
    /// A whole program, which prints its results; with the right ones, it ends with status 1 if they are wrong.
    pub(in super::super) fn cpp_program(&mut self, extras: &Extras<'_>) {
        self.indent = 0;
        if !extras.origin.is_empty() {
            self.line(&format!("// {}", extras.origin));
        }
        let before = std::mem::take(&mut self.out);
        self.cuda_definitions();
        let parameters = self.cuda_parameters();
        let main = self.cpp_main(&parameters, extras.expected);
        let text = std::mem::replace(&mut self.out, before) + &main;
        let mut text = in_cpp(&text);
        if NUMBERS.iter().any(|word| uses(&text, word)) {
            text.insert_str(0, &self.numbers());
        }
        self.out.push_str(&match self.is_c() {
            true => c_prelude::text(&text),
            false => prelude::text(self.program, &text, &parts()),
        });
        self.out.push_str(&text);
    }

    /// The numbers of the work-item that is computed, under CUDA's names.
    fn numbers(&self) -> String {
        let sizes = &self.program.sizes;
        let listed = |sizes: [u32; 3]| sizes.map(|size| size.to_string()).join(", ");
        format!(
            "static struct {{ uint32 x, y, z; }} blockIdx, threadIdx, gridDim = {{{}}}, blockDim = {{{}}};\n",
            listed(sizes.groups()),
            listed(sizes.local)
        )
    }

    fn cpp_main(&self, parameters: &[(String, &str)], expected: Option<&[u64]>) -> String {
        let count = self.program.sizes.items();
        let (mut text, mut fill) = (String::new(), String::new());
        // Writing to a string cannot fail.
        for (ty, name) in parameters {
            let (elements, first, step) = content(self.program, name);
            let _ = writeln!(text, "static {ty} {name}[{elements}];");
            if (first, step) != (0, 0) {
                let _ = writeln!(
                    fill,
                    "    for (int32 i = 0; i < {elements}; i++)\n        {name}[i] = {first} + {step} * i * one;"
                );
            }
        }
        if let Some(expected) = expected {
            let words: Vec<_> = expected.iter().map(|word| format!("{word:#x}ULL")).collect();
            let _ = writeln!(text, "static const uint64 expected[] = {{{}}};", words.join(", "));
        }
        let arguments: Vec<_> = parameters.iter().map(|(_, name)| *name).collect();
        let arguments = arguments.join(", ");
        // A compiler that knew the contents could compute everything by itself.
        let _ = write!(
            text,
            "static volatile int32 one = 1;\nint main({}) {{\n{fill}",
            if self.is_c() { "void" } else { "" }
        );
        let is_alone = self.is_alone();
        if !is_alone {
            text += &rounds();
        }
        let _ = writeln!(text, "    entry({arguments});\n    int wrong = 0;");
        let (blanks, item) = if is_alone { ("    ", "0") } else { ("        ", "i") };
        let mut shown = format!("{blanks}printf(\"%#llx,\", result[{item}]);\n");
        if expected.is_some() {
            shown += &format!("{blanks}wrong |= result[{item}] != expected[{item}];\n");
        }
        if !is_alone {
            shown = format!("    for (int32 i = 0; i < {count}; i++) {{\n{shown}    }}\n");
        }
        text + &shown + "    printf(\"\\n\");\n    return wrong;\n}\n"
    }

    /// True for a program with a single work-item, which needs neither numbers nor loops.
    pub(super) fn is_alone(&self) -> bool {
        matches!(self.dialect, Dialect::Cpp | Dialect::C) && self.program.sizes.items() == 1
    }
}

/// The loops over all work-items, without what they repeat.
fn rounds() -> String {
    let mut text = String::new();
    let mut blanks = "    ".to_owned();
    for (number, size) in [("blockIdx", "gridDim"), ("threadIdx", "blockDim")] {
        for d in ["z", "y", "x"] {
            text += &format!(
                "{blanks}for ({number}.{d} = 0; {number}.{d} < {size}.{d}; {number}.{d}++)\n"
            );
            blanks += "    ";
        }
    }
    text + &blanks[4..]
}
