//! The typed representation of a kernel. Expressions, statements and variables lie in arrays, and refer to each other
//! by number. The numbers are stable: repair, reports of the interpreter and edits address nodes by them, and an edit
//! replaces a node in its place.

mod atomics;
mod builtins;
mod collectives;
pub(crate) mod constructs;
mod emi_edits;
mod exact;
mod intrinsics;
mod merged;
mod objects;
mod operators;
mod places;
mod procedures;
mod ptx;
mod reach;
mod reads;
mod results;
mod signatures;
mod statements;
mod stored;
mod sub_groups;
mod swizzle;
mod tensors;
mod types;

pub use atomics::Atomic;
pub use builtins::Builtin;
pub use collectives::{Collective, Joint, Shuffle, WARP};
pub(crate) use emi_edits::{EmiEdit, EmiEditKind, replace};
pub use exact::Exact;
pub(crate) use merged::{Change, Pair};
pub use objects::{Address, Initial, ObjectType, Path, Record, RecordId, Region, Root, Step};
pub use operators::{Binary, Unary};
pub use places::Place;
pub use procedures::{ActualParameter, ProcedureCall};
pub use ptx::Suffix;
pub use signatures::BuiltinSignature;
pub use statements::{
    AtomicSection, Block, CaseRange, CombineMethod, For, Foreign, Gather, GroupCopy, Jump,
    LoopForm, Merge, Reduce, Stmt, StmtKind, Switch, SwitchCase, Ticket, Update,
};
pub use sub_groups::SubGroup;
pub use swizzle::Swizzle;
pub use tensors::{LANES, Mma, Tile};
pub use types::{ScalarType, Ty};

use std::collections::BTreeSet;

use crate::random::SeedKey;

/// The number of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// The number of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StmtId(pub u32);

/// The number of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// The number of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// An expression without side effects. Its type is the one that it has in C.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its operator and operands.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Ty,
    /// The place from which repairs draw their numbers.
    pub key: SeedKey,
    /// The number of repairs so far.
    pub repairs: u8,
}

/// The operator of an expression, with its operands.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// The same number in all lanes, as stored bits.
    Literal(i64),
    /// A vector of the lanes of its parts; one scalar stands for all lanes.
    Vector(Box<[ExprId]>),
    /// The value of a variable.
    Variable(VarId),
    /// An element of an array.
    Element(VarId, ExprId),
    /// `vloadN`: lanes from an array of scalars; the index counts vectors.
    Load(VarId, ExprId),
    /// Some lanes of a vector.
    Swizzle(ExprId, Swizzle),
    /// An operator with one operand.
    Unary(Unary, ExprId),
    /// An operator with two operands.
    Binary(Binary, ExprId, ExprId),
    /// `a ? b : c`.
    Conditional(ExprId, ExprId, ExprId),
    /// A conversion to the type of the expression, lane by lane, modulo the width.
    Convert(ExprId),
    /// `convert_T_sat`.
    Saturate(ExprId),
    /// `as_T`: the same bits.
    Reinterpret(ExprId),
    /// A built-in function. The unused parameters repeat the first.
    Call(Builtin, u8, [ExprId; 3]),
    /// A call of a function of the program, with arguments of exactly the types of its parameters.
    Invoke(FunctionId, Box<[ExprId]>),
    /// The number of the work-item, as `int`.
    Item(WorkItemId),
    /// The value of a part of an object.
    Part(Box<Path>),
    /// `p == q`, as `int`.
    SameAddress(Box<[Address; 2]>),
}

/// A number that work-items have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkItemId {
    /// `get_global_id`.
    Global(u8),
    /// `get_local_id`.
    Local(u8),
    /// `get_group_id`.
    Group(u8),
    /// The number among all work-items.
    LinearGlobal,
    /// The number in the work-group.
    LinearLocal,
    /// The number of the work-group.
    LinearGroup,
}

/// A variable or an array.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The type of its value, or of each element.
    pub ty: Ty,
    /// The number of elements of an array. The launch says how many a buffer has: see [`Program::elements`].
    pub length: Option<u32>,
    /// This says where the variable lies and what sets its first value.
    pub space: Storage,
}

/// Where a variable lies, and what sets its first value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Each work-item has its own; a statement declares it.
    Private,
    /// The work-items of a group share it; it has no first value.
    Local,
    /// A table of constants.
    Constant(Box<[i64]>),
    /// A buffer of the host.
    Global(Buffer),
    /// A buffer of the host that comes with its first content. Only programs that were read have these.
    Argument(Box<[i64]>),
    /// Each work-item has its own, as bytes with an address; a statement declares it. The type of the variable is not
    /// used.
    Object(ObjectType),
}

/// A buffer that the hosts of CLsmith pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// 1024 `int`: 1024, 1023, ...; only read.
    Emi,
    /// An `int` for each number up to the largest dimension: 10, 11, ...; only read.
    Sequence,
    /// A `long` for each work-item: 1.
    Communication,
}

impl Buffer {
    /// The number of elements of `Emi`.
    pub const EMI: u32 = 1024;
}

/// The number of work-items in each dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// All work-items.
    pub global: [u32; 3],
    /// A work-group has this many in each dimension, and at most 64 in all.
    pub local: [u32; 3],
}

impl Sizes {
    /// The number of all work-items.
    #[must_use]
    pub fn items(self) -> u32 {
        self.global.iter().product()
    }

    /// The number of work-items in a work-group.
    #[must_use]
    pub fn group(self) -> u32 {
        self.local.iter().product()
    }

    /// True if the first dimension of a work-group is made up of whole sub-groups. Devices put the work-items of other
    /// work-groups into sub-groups as they like.
    #[must_use]
    pub fn has_whole_sub_groups(self) -> bool {
        self.local[0].is_multiple_of(WARP)
    }

    /// The number of work-groups in each dimension.
    #[must_use]
    pub fn groups(self) -> [u32; 3] {
        [0, 1, 2].map(|d| self.global[d] / self.local[d])
    }
}

/// A function: it computes a value from its parameters and from tables of constants alone. One that is called by a statement may
/// have objects as parameters, and write to what pointers point to.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Private variables and objects, which the function can change.
    pub parameters: Box<[VarId]>,
    /// Its statements. They use only what they declare, and the parameters.
    pub body: Block,
    /// The value that it returns.
    pub value: ExprId,
    /// The structure that it returns in the place of the value.
    pub object: Option<Path>,
    /// True if compilers are told not to inline it.
    pub is_apart: bool,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its work-items.
    pub sizes: Sizes,
    /// True where the size of the work-groups is an attribute of the kernel.
    pub fixed_size: bool,
    /// All expressions, also those that nothing refers to any more.
    pub exprs: Vec<Expr>,
    /// All statements, also those that nothing refers to any more.
    pub stmts: Vec<Stmt>,
    /// All variables, also unused ones.
    pub variables: Vec<Variable>,
    /// All structure and union types, also unused ones.
    pub records: Vec<Record>,
    /// All functions, also unused ones. Each calls only functions before it, and perhaps itself.
    pub functions: Vec<Function>,
    /// The private variables that compilers may neither keep in registers nor take as known: `volatile` ones.
    pub volatile: BTreeSet<VarId>,
    /// The statements that a work-item executes.
    pub body: Block,
}

impl Program {
    /// A kernel that does nothing.
    #[must_use]
    pub fn new(sizes: Sizes) -> Self {
        Self {
            sizes,
            fixed_size: false,
            exprs: Vec::new(),
            stmts: Vec::new(),
            variables: Vec::new(),
            records: Vec::new(),
            functions: Vec::new(),
            volatile: BTreeSet::new(),
            body: Vec::new(),
        }
    }

    /// An expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// A statement.
    #[must_use]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// The function that an id stands for.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The variable that an id stands for.
    #[must_use]
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The number of elements of a variable. That of a buffer follows from the launch.
    #[must_use]
    pub fn elements(&self, id: VarId) -> u32 {
        let variable = self.variable(id);
        match variable.space {
            Storage::Global(Buffer::Emi) => Buffer::EMI,
            Storage::Global(Buffer::Sequence) => self.sizes.global.into_iter().max().unwrap_or(1),
            Storage::Global(Buffer::Communication) => self.sizes.items(),
            _ => variable.length.unwrap_or(1),
        }
    }

    /// The type of an expression.
    #[must_use]
    pub fn ty(&self, id: ExprId) -> Ty {
        self.expr(id).ty
    }

    /// Adds an expression.
    pub fn add(&mut self, kind: ExprKind, ty: Ty, key: SeedKey) -> ExprId {
        self.exprs.push(Expr { kind, ty, key, repairs: 0 });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Adds an operator with the type that its operands give it.
    pub fn binary(&mut self, operator: Binary, a: ExprId, b: ExprId, key: SeedKey) -> ExprId {
        let ty = operator.result(self.ty(a), self.ty(b));
        self.add(ExprKind::Binary(operator, a, b), ty, key)
    }

    /// Adds a number.
    pub fn literal(&mut self, number: i128, ty: Ty, key: SeedKey) -> ExprId {
        self.add(ExprKind::Literal(ty.scalar.wrap(number)), ty, key)
    }

    /// Adds a conversion where the type is another one. A scalar becomes all lanes of a vector.
    pub fn convert(&mut self, id: ExprId, ty: Ty, key: SeedKey) -> ExprId {
        let from = self.ty(id);
        if from == ty {
            return id;
        }
        if ty.is_vector() && !from.is_vector() {
            let lane = self.convert(id, ty.lane(), key);
            return self.add(ExprKind::Vector(Box::new([lane])), ty, key);
        }
        // The floating-point numbers that are used are in the range of `int`.
        let is_in_range = ty.scalar.is_float() || ty.scalar.is_signed() && ty.scalar.bits() >= 32;
        let id = match from.scalar.is_float() && !is_in_range {
            true => self.add(ExprKind::Convert(id), ty.of(ScalarType::Int), key),
            false => id,
        };
        self.add(ExprKind::Convert(id), ty, key)
    }

    /// Adds a statement; the caller puts it into a block.
    pub fn statement(&mut self, kind: StmtKind, key: SeedKey) -> StmtId {
        self.stmts.push(Stmt { kind, key, repairs: 0 });
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// Adds a variable.
    pub fn declare(&mut self, variable: Variable) -> VarId {
        self.variables.push(variable);
        VarId(self.variables.len() as u32 - 1)
    }

    /// Adds a table of constants.
    pub fn declare_table(&mut self, ty: Ty, values: Box<[i64]>) -> VarId {
        let name = format!("c{}", self.variables.len());
        let length = Some(values.len() as u32);
        self.declare(Variable { name, ty, length, space: Storage::Constant(values) })
    }

    /// The variable for a buffer, if the kernel has it.
    #[must_use]
    pub fn buffer(&self, buffer: Buffer) -> Option<VarId> {
        let index = self.variables.iter().position(|v| v.space == Storage::Global(buffer))?;
        Some(VarId(index as u32))
    }
}
