//! Modules in PTX: their statements, and the signatures of their kernels.
//!
//! PTX has one statement a line or two, and no nested expressions: tokens are enough to read it. What the reader does not
//! understand becomes [`PtxStatementKind::Unknown`], never a guess.

mod operands;
mod reader;
mod signatures;
mod words;

pub use operands::{PtxOperand, ptx_number};
pub use reader::ptx_statements;
pub(crate) use signatures::signatures;

/// A statement of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxStatement<'a> {
    /// The line on which it begins, from 1.
    pub line: u32,
    /// What it is.
    pub kind: PtxStatementKind<'a>,
}

/// What a statement is. Directives that do not change results, such as `.version`, are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PtxStatementKind<'a> {
    /// `.reg .b32 %r<3>;`
    Registers {
        /// The type, as in `b32`.
        ty: &'a str,
        /// All names, as in `%r0`, `%r1`, `%r2`.
        names: Vec<String>,
    },
    /// A variable in memory, or a parameter of a call.
    Variable(PtxVariable<'a>),
    /// The head of a kernel or a function.
    Function(PtxFunction<'a>),
    /// `{`
    Open,
    /// `}`
    Close,
    /// `L1:`
    Label(&'a str),
    /// The labels of `.branchtargets`, whose own label stands before it.
    Targets(Vec<&'a str>),
    /// An instruction.
    Instruction(PtxInstruction<'a>),
    /// Anything else, by its first word.
    Unknown(&'a str),
}

/// A variable in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxVariable<'a> {
    /// The state space, as in `shared`.
    pub space: &'a str,
    /// True if another module defines it, or the launch gives its size.
    pub is_extern: bool,
    /// The alignment, where it is given.
    pub align: Option<u64>,
    /// The type of an element, as in `b8`.
    pub ty: &'a str,
    /// The name.
    pub name: &'a str,
    /// The number of elements of an array; 0 for one without a size.
    pub elements: Option<u64>,
    /// The initial values, as they are written.
    pub values: Vec<PtxOperand<'a>>,
}

/// The head of a kernel or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxFunction<'a> {
    /// True for `.entry`.
    pub is_kernel: bool,
    /// The name.
    pub name: &'a str,
    /// What a function returns.
    pub results: Vec<PtxVariable<'a>>,
    /// The parameters.
    pub parameters: Vec<PtxVariable<'a>>,
    /// The size of work-groups that `.reqntid` demands.
    pub required_local: Option<Vec<u64>>,
    /// False for a declaration.
    pub has_body: bool,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxInstruction<'a> {
    /// The predicate in `@%p` or `@!%p`, and whether it must be true.
    pub guard: Option<(&'a str, bool)>,
    /// The words of the name, as in `mad`, `lo`, `u32`.
    pub words: Vec<&'a str>,
    /// The operands.
    pub operands: Vec<PtxOperand<'a>>,
}

/// The bytes of a type, as in `u32`; 1 for a predicate, `None` for a word that is no type.
#[must_use]
pub fn ptx_type_bytes(ty: &str) -> Option<u64> {
    if ty == "pred" {
        return Some(1);
    }
    let (letter, bits) = ty.split_at_checked(1)?;
    let bits = bits.parse::<u64>().ok()?;
    let is_known = match letter {
        "b" | "u" | "s" => [8, 16, 32, 64].contains(&bits),
        "f" => [16, 32, 64].contains(&bits),
        _ => false,
    };
    is_known.then_some(bits / 8)
}
