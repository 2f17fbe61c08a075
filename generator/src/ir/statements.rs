//! Statements.

use super::{
    Address, Atomic, Collective, ExprId, Initial, Mma, Path, Place, ProcedureCall, StmtId, VarId,
};
use crate::random::SeedKey;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The action of the statement.
    pub kind: StmtKind,
    /// The place from which repairs draw their numbers.
    pub key: SeedKey,
    /// The number of repairs so far.
    pub repairs: u8,
}

/// Statements in their order.
pub type Block = Vec<StmtId>;

/// The action of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Nothing: what was removed.
    Nothing,
    /// Declares a private variable with its first value.
    Declare(VarId, ExprId),
    /// Declares a private array; elements without a first value are 0.
    DeclareArray(VarId, Box<[i64]>),
    /// Declares an object with a first value for each scalar, vector and pointer in it; of a union, for those of its
    /// first member.
    DeclareObject(VarId, Box<[Initial]>),
    /// Assigns a value.
    Assign(Place, ExprId),
    /// Assigns a structure or union.
    Copy(Path, Path),
    /// Assigns to a pointer.
    Point(Path, Address),
    /// Calls a function that works on objects.
    Call(ProcedureCall),
    /// Adds all lanes of a value to the result of the work-item.
    Hash(ExprId),
    /// Assignments and other statements, one after the other, of which the text makes one where it can.
    Merged(Merge, Block),
    /// Two branches.
    If(ExprId, Block, Block),
    /// Cases of a number.
    Switch(Switch),
    /// A loop that counts.
    For(For),
    /// A block with a label behind it.
    Labelled(Block),
    /// Ends the innermost loop, its round, or a block with a label, where the condition holds.
    Jump(Jump, ExprId),
    /// A barrier with both fences.
    Barrier,
    /// Each work-item adds a value to the one number of the group; all get the sum after a barrier.
    Reduce(Reduce),
    /// The work-items of the group put values together in local memory, by atomic functions whose results they use.
    Gather(Gather),
    /// The group copies elements while its work-items do something else.
    GroupCopy(GroupCopy),
    /// The warps of the group multiply tiles.
    Mma(Mma),
    /// A work-group or a warp calls a collective function.
    Collective(Collective),
    /// The work-item that arrives as the `arrival`-th executes the body, and adds the sum of the variables.
    Section(AtomicSection),
    /// A statement of a program that was read.
    Foreign(Foreign),
}

/// The operator that makes one statement of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// `a = x, b = y;`, and `b = (a = x, y);`.
    Comma,
    /// `b = (a = x) + y;`.
    Assignment,
    /// `b = ++a + y;`, and `b = a++ + y;`.
    Increment,
}

impl Merge {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Comma, Self::Assignment, Self::Increment];

    /// The name that `--avoid` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Assignment => "assignment",
            Self::Increment => "increment",
        }
    }
}

/// A statement that only programs have that were read.
#[derive(Clone, Debug)]
pub enum Foreign {
    /// An atomic function whose result is not used.
    Update(Update),
    /// `if (atomic_inc(&a[i]) == K) ...`.
    Ticket(Ticket),
    /// A barrier with some of the fences.
    Fence {
        /// It orders accesses to local memory.
        local: bool,
        /// It orders accesses to global memory.
        global: bool,
    },
}

/// An atomic function on an element of an array. The old value is not used.
#[derive(Clone, Debug)]
pub struct Update {
    /// The function, commutative and associative.
    pub function: Atomic,
    /// The array, in local or global memory.
    pub array: VarId,
    /// The index of the element.
    pub at: ExprId,
    /// The second operand, of the type of the element.
    pub value: ExprId,
}

/// The work-item that increments an element as the `arrival`-th executes the body, and then the update.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// The array, in local or global memory.
    pub array: VarId,
    /// The index of the element.
    pub at: ExprId,
    /// The value that the work-item finds in the element.
    pub arrival: i64,
    /// It writes only variables that it declares.
    pub body: Block,
    /// The addition to another element that follows the body.
    pub update: Option<Update>,
}

/// How a jump leaves a round of a loop, or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `goto` the label behind this block.
    Goto(StmtId),
}

/// The text of a counted loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopForm {
    /// `for`.
    For,
    /// `while`, which changes the counter in its condition.
    While,
    /// `do ... while`, which does so too. The first round is always executed.
    DoWhile,
}

impl LoopForm {
    /// The name that `--avoid` takes, besides `loop`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::For => "loop",
            Self::While => "while",
            Self::DoWhile => "do_while",
        }
    }
}

/// A counted loop. Only the loop itself changes its counter.
#[derive(Clone, Debug)]
pub struct For {
    /// The text.
    pub form: LoopForm,
    /// The counter, a private variable of a signed type.
    pub counter: VarId,
    /// Its first value.
    pub start: ExprId,
    /// The loop ends when the counter is not less than this; for negative steps, not greater.
    pub limit: ExprId,
    /// The number that is added after each round.
    pub step: i32,
    /// A number for `#pragma unroll`.
    pub unroll: Option<u8>,
    /// The statements that are repeated.
    pub body: Block,
}

/// The cases of a number. `break` in them ends the whole statement.
#[derive(Clone, Debug)]
pub struct Switch {
    /// The number: a scalar.
    pub value: ExprId,
    /// The cases in the order of the text, with different labels.
    pub cases: Vec<SwitchCase>,
}

/// One of the cases of a number.
#[derive(Clone, Debug)]
pub struct SwitchCase {
    /// The values that select this case; `None` for `default`.
    pub label: Option<CaseRange>,
    /// The statements that are executed.
    pub body: Block,
    /// True if the next case is executed after this one.
    pub falls: bool,
}

/// The values from one to another, both 0 or more and included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CaseRange {
    /// The least value.
    pub first: u8,
    /// The greatest value, not less than the first.
    pub last: u8,
}

impl CaseRange {
    /// A single value.
    #[must_use]
    pub fn one(value: u8) -> Self {
        Self { first: value, last: value }
    }

    /// True if a value is among these.
    #[must_use]
    pub fn has(self, value: i128) -> bool {
        (i128::from(self.first)..=i128::from(self.last)).contains(&value)
    }

    /// True if it is more than one value.
    #[must_use]
    pub fn is_wide(self) -> bool {
        self.first < self.last
    }
}

impl Switch {
    /// True if some case is selected by several values.
    #[must_use]
    pub fn has_ranges(&self) -> bool {
        self.cases.iter().any(|case| case.label.is_some_and(CaseRange::is_wide))
    }
}

/// An atomic reduction.
#[derive(Clone, Debug)]
pub struct Reduce {
    /// The function, commutative and associative.
    pub function: Atomic,
    /// The `int` that each work-item contributes.
    pub value: ExprId,
    /// The `int` that gets the result.
    pub into: VarId,
}

/// Values that the work-items of a group put together in local memory. The barriers for that are a part of it.
#[derive(Clone, Debug)]
pub struct Gather {
    /// The way to do so.
    pub way: CombineMethod,
    /// The function, commutative and associative.
    pub function: Atomic,
    /// The first value.
    pub first: i64,
    /// The `int` that each work-item contributes.
    pub value: ExprId,
    /// An array of two `int` in local memory, which nothing else uses: the value and the next ticket.
    pub cells: VarId,
    /// The `int` that gets the result.
    pub into: VarId,
}

/// How values are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CombineMethod {
    /// Each work-item takes a number from a counter, which no other one gets, into a variable. What it contributes depends on
    /// this number, and on nothing else that differs in the group.
    Ticket(VarId),
    /// Each work-item computes the new value, and tries again if another one was faster.
    CompareExchange,
}

/// `async_work_group_copy` of elements between local and global memory. All work-items of the group wait for its end after
/// the body, and come to a barrier then.
#[derive(Clone, Debug)]
pub struct GroupCopy {
    /// The target: an array, and the index of its first element.
    pub into: (VarId, ExprId),
    /// The source: an array, and the index of its first element.
    pub from: (VarId, ExprId),
    /// The number of elements.
    pub count: u32,
    /// The distance of the elements in global memory.
    pub stride: u32,
    /// True if the source is prefetched before.
    pub prefetches: bool,
    /// The bytes that each `cp.async` of CUDA copies from global to local memory, whose addresses are multiples of
    /// this; `None` for other copies.
    pub cp_async: Option<u8>,
    /// The statements between the begin and the end. They neither use the target nor write to the source.
    pub body: Block,
}

/// An atomic section: see [`StmtKind::AtomicSection`]. No work-item may come to one twice.
#[derive(Clone, Debug)]
pub struct AtomicSection {
    /// The number of its counter and of its sum.
    pub index: u32,
    /// The number of the work-item that enters, in the order of arrival from 0.
    pub arrival: u32,
    /// It writes only variables that it declares.
    pub body: Block,
    /// The variables that are added up.
    pub sum: Box<[VarId]>,
}
