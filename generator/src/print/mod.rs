//! Kernels as text.

mod branches;
mod collectives;
mod cuda;
mod expressions;
mod kernel;
mod merged;
mod objects;
mod procedures;
mod ptx;
mod statements;
mod tokens;

pub use tokens::tokens;

use crate::ir::{Address, ExprId, Path, Program, StmtId, Ty};

/// The parts of the text besides the program.
#[derive(Clone, Debug, Default)]
pub struct Extras<'a> {
    /// A line of comment that says where the kernel comes from.
    pub origin: &'a str,
    /// The right results, for a kernel that checks itself.
    pub expected: Option<&'a [u64]>,
}

/// The program in OpenCL C, with a launch comment as the hosts of CLsmith read it.
#[must_use]
pub fn opencl(program: &Program, extras: &Extras<'_>) -> String {
    let mut printer = KernelPrinter::new(program, Dialect::OpenCl);
    printer.kernel(extras);
    printer.out
}

/// The program in CUDA C++, with the same launch comment. With the right results, it is a whole program that compares.
#[must_use]
pub fn cuda(program: &Program, extras: &Extras<'_>) -> String {
    let mut printer = KernelPrinter::new(program, Dialect::Cuda);
    printer.cuda_kernel(extras);
    printer.out
}

/// The program in C++ for a CPU, with a `main` that prints the results. With the right ones, it compares as well.
#[must_use]
pub fn cpp(program: &Program, extras: &Extras<'_>) -> String {
    let mut printer = KernelPrinter::new(program, Dialect::Cpp);
    printer.cpp_program(extras);
    printer.out
}

/// The program in PTX, with the same launch comment.
#[must_use]
pub fn ptx(program: &Program, extras: &Extras<'_>) -> String {
    let mut printer = KernelPrinter::new(program, Dialect::Cuda);
    printer.indent = 0;
    printer.comments(extras);
    ptx::text(program, &printer.out)
}

/// The program in C with GNU's extensions, otherwise as in C++.
#[must_use]
pub fn c(program: &Program, extras: &Extras<'_>) -> String {
    let mut printer = KernelPrinter::new(program, Dialect::C);
    printer.cpp_program(extras);
    printer.out
}

/// The text of one statement in OpenCL C with everything in it.
#[must_use]
pub fn statement(program: &Program, id: StmtId) -> String {
    let mut printer = KernelPrinter::new(program, Dialect::OpenCl);
    printer.statement(id);
    printer.out
}

/// The text of an expression in OpenCL C.
#[must_use]
pub fn expression(program: &Program, id: ExprId) -> String {
    KernelPrinter::new(program, Dialect::OpenCl).text(id)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    OpenCl,
    Cuda,
    /// C++, which is CUDA's with fewer words.
    Cpp,
    /// C, where functions have the names of types at their end, and vectors are GNU's.
    C,
}

struct KernelPrinter<'a> {
    program: &'a Program,
    dialect: Dialect,
    out: String,
    indent: usize,
}

impl<'a> KernelPrinter<'a> {
    fn new(program: &'a Program, dialect: Dialect) -> Self {
        Self { program, dialect, out: String::new(), indent: 1 }
    }

    /// True for CUDA, and for C++ and C, whose expressions and statements are almost the same.
    fn is_cuda(&self) -> bool {
        self.dialect != Dialect::OpenCl
    }

    fn is_c(&self) -> bool {
        self.dialect == Dialect::C
    }

    fn ty(&self, ty: Ty) -> String {
        if self.is_cuda() { cuda::name(ty) } else { ty.to_string() }
    }

    fn text(&self, id: ExprId) -> String {
        let mut out = String::new();
        self.writer()(self.program, id, &mut out);
        out
    }

    fn path(&self, path: &Path) -> String {
        let mut out = String::new();
        expressions::write_path(self.program, path, self.writer(), &mut out);
        out
    }

    fn address(&self, address: &Address) -> String {
        let mut out = String::new();
        expressions::write_address(self.program, address, self.writer(), &mut out);
        out
    }

    fn writer(&self) -> expressions::Writer {
        match self.dialect {
            Dialect::OpenCl => expressions::write,
            Dialect::Cuda | Dialect::Cpp => cuda::write::<false>,
            Dialect::C => cuda::write::<true>,
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }
}
