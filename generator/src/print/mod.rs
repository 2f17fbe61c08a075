//! Kernels as text.

mod expressions;
mod kernel;
mod objects;
mod statements;
mod tokens;

pub use tokens::tokens;

use crate::ir::{ExprId, Program, StmtId};

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
    let mut printer = Printer::new(program);
    printer.kernel(extras);
    printer.out
}

/// The text of one statement with all that it contains.
#[must_use]
pub fn statement(program: &Program, id: StmtId) -> String {
    let mut printer = Printer::new(program);
    printer.statement(id);
    printer.out
}

/// The text of an expression.
#[must_use]
pub fn expression(program: &Program, id: ExprId) -> String {
    Printer::new(program).text(id)
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Self {
        Self { program, out: String::new(), indent: 1 }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }
}
