//! Policies: what kernels are made of. The skeleton comes first, then the expressions; a budget of tokens is divided
//! among the statements. What comes out may misbehave: the repair mends it.

mod arrays;
mod collectives;
mod communication;
mod constants;
mod copies;
mod dataflow;
mod expressions;
mod functions;
mod idioms;
mod kernel;
mod leaves;
mod loops;
mod merges;
mod objects;
mod procedures;
mod ptx;
mod qualifiers;
mod records;
mod recursion;
mod scope;
mod shapes;
mod statements;
mod tensors;
mod trees;
mod vectors;
mod ways;

pub(crate) use constants::special;
pub(crate) use kernel::kernel;
pub(crate) use leaves::opaque;
pub(crate) use merges::merge;
pub(crate) use qualifiers::make_volatile;
pub(crate) use scope::{UsableVariables, block, expression};

use crate::features::Features;
use crate::ir::{
    ExprId, ExprKind, FunctionId, Program, StmtId, StmtKind, Storage, Ty, VarId, Variable,
};
use crate::profile::Mode;
use crate::random::SeedKey;

/// The state while a kernel is made.
struct Maker<'a> {
    program: Program,
    features: &'a Features,
    mode: Mode,
    /// The private variables that can be read here.
    readable: Vec<VarId>,
    /// The private variables that can be written here.
    writable: Vec<VarId>,
    /// The variables whose value is not in the result so far.
    unseen: Vec<VarId>,
    /// The private arrays that can be used here.
    arrays: Vec<VarId>,
    /// The objects and pointers that can be used here.
    objects: Vec<VarId>,
    /// The counters of the loops around, the outermost first.
    counters: Vec<VarId>,
    /// How often the current place is executed, times the work-items.
    executions: u64,
    /// Numbers that were used before.
    pool: Vec<i128>,
    /// The variables for communication, if the mode has it.
    communication: Option<communication::Communication>,
    /// The number of atomic sections so far.
    sections: u32,
    /// True in an atomic section.
    in_section: bool,
    /// True in a function: there are no buffers, no results and no numbers of work-items.
    in_function: bool,
    /// The functions that can be called here.
    functions: Vec<FunctionId>,
    /// The recursive functions among them. Their last parameter is the depth of the calls.
    recursive: Vec<FunctionId>,
    /// The functions that can be called here with objects.
    procedures: Vec<FunctionId>,
    /// The procedures that contain a barrier. All work-items of a group have to call them together.
    meetings: Vec<FunctionId>,
    /// The blocks around that have a label.
    labels: Vec<StmtId>,
}

impl<'a> Maker<'a> {
    /// The state before anything is made.
    fn new(program: Program, features: &'a Features, mode: Mode) -> Self {
        Self {
            executions: u64::from(program.sizes.items()),
            program,
            features,
            mode,
            readable: Vec::new(),
            writable: Vec::new(),
            unseen: Vec::new(),
            arrays: Vec::new(),
            objects: Vec::new(),
            counters: Vec::new(),
            pool: Vec::new(),
            communication: None,
            sections: 0,
            in_section: false,
            in_function: false,
            functions: Vec::new(),
            recursive: Vec::new(),
            procedures: Vec::new(),
            meetings: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// A new private variable with a name that begins with a letter.
    fn variable(&mut self, letter: char, ty: Ty, length: Option<u32>) -> VarId {
        let name = format!("{letter}{}", self.program.variables.len());
        self.program.declare(Variable { name, ty, length, space: Storage::Private })
    }

    /// An `int` whose value the compiler does not know, where there is a buffer that the host fills.
    fn hidden(&mut self, value: i64, key: SeedKey) -> ExprId {
        match self.in_function {
            true => self.program.literal(value.into(), Ty::INT, key),
            false => opaque(&mut self.program, value, key),
        }
    }

    /// True if nothing here can add to the result.
    fn is_pure(&self) -> bool {
        self.in_section || self.in_function
    }

    fn read(&mut self, id: VarId, key: SeedKey) -> ExprId {
        let ty = self.program.variable(id).ty;
        self.program.add(ExprKind::Variable(id), ty, key)
    }

    /// Declares a variable with a first value, and makes it usable.
    fn declare(&mut self, ty: Ty, value: ExprId, key: SeedKey) -> (StmtId, VarId) {
        let variable = self.variable('v', ty, None);
        self.readable.push(variable);
        self.writable.push(variable);
        self.unseen.push(variable);
        (self.program.statement(StmtKind::Declare(variable, value), key), variable)
    }

    /// Makes what `make` makes in a scope of its own; then its variables are out of reach.
    fn scoped<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let lengths = self.lengths();
        let made = make(self);
        self.forget(lengths);
        made
    }

    /// The numbers of variables in reach.
    fn lengths(&self) -> [usize; 4] {
        [self.readable.len(), self.writable.len(), self.arrays.len(), self.objects.len()]
    }

    /// Puts the variables out of reach that were declared since.
    fn forget(&mut self, [readable, writable, arrays, objects]: [usize; 4]) {
        self.readable.truncate(readable);
        self.writable.truncate(writable);
        self.arrays.truncate(arrays);
        self.objects.truncate(objects);
    }
}
