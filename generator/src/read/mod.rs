//! Reads kernels in OpenCL C back as programs, so that the interpreter can judge a text.
//!
//! The reader knows what [`print`](crate::print) writes, and what a reduction makes of it. It is strict: a text that it
//! does not understand completely, or that compilers could refuse or warn about, is [outside](Outside). It reads tokens
//! in one go, as C demands that names are declared before they are used.

mod assignments;
mod atomics;
mod builtins;
mod calls;
mod declarations;
mod expressions;
mod functions;
mod initializers;
mod judge;
mod kernel;
mod literals;
mod loops;
mod operands;
mod operators;
mod scopes;
mod statements;
mod tokens;
mod types;

#[cfg(test)]
mod tests;

use std::ops::Range;

use thiserror::Error;

pub use judge::{InterpreterVerdict, judge};

use crate::ir::{Program, RecordId, Sizes, StmtId, VarId};
use scopes::NameScopes;
use tokens::TokenReader;

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The name of the kernel.
    pub kernel: String,
    /// The number of work-items in each dimension.
    pub global: [u64; 3],
    /// The number of work-items of a group in each dimension.
    pub local: [u64; 3],
    /// The arguments, in the order of the parameters.
    pub arguments: Vec<Argument>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Global or constant memory with its first content.
    Buffer(Vec<u8>),
    /// A value, as its bytes in memory.
    Value(Vec<u8>),
    /// Local memory, by its size in bytes.
    Local(u64),
}

/// Says why the interpreter cannot judge a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {construct}")]
pub struct Outside {
    /// The line of the text, from 1.
    pub line: u32,
    /// The construct that the reader does not know.
    pub construct: String,
}

/// The reason that a text cannot be read.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The reader does not know a construct.
    Outside(Outside),
    /// No compiler accepts the text, or `clreduce check` does not.
    Flaw(Outside),
}

type Read<T> = Result<T, Refusal>;

/// Reads a kernel with one of its launches.
///
/// # Errors
/// If anything in the text is outside of what the reader knows, or wrong.
pub(crate) fn read(source: &[u8], launch: &Launch) -> Read<Reading> {
    let tokens = TokenReader::new(source)?;
    let sizes = kernel::sizes(&tokens, launch)?;
    let mut reader = Reader {
        addressed: tokens.addressed(),
        tokens,
        launch,
        program: Program::new(sizes),
        lines: Lines::default(),
        scopes: NameScopes::default(),
        records: Vec::new(),
        functions: Vec::new(),
        targets: Vec::new(),
        buffers: Vec::new(),
        written: Vec::new(),
        depth: 0,
        is_kernel: false,
    };
    reader.file()?;
    reader.check_size()?;
    reader.check_reads()?;
    reader.settle_buffers();
    let Reader { program, lines, buffers, .. } = reader;
    Ok(Reading { program, lines, buffers })
}

/// A kernel that was read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub program: Program,
    pub lines: Lines,
    /// The buffers that the kernel writes, each with the place of its argument.
    pub buffers: Vec<(usize, VarId)>,
}

/// The lines of nodes.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub exprs: Vec<u32>,
    pub stmts: Vec<u32>,
}

struct Reader<'a> {
    tokens: TokenReader<'a>,
    launch: &'a Launch,
    program: Program,
    lines: Lines,
    scopes: NameScopes<'a>,
    records: Vec<RecordNames<'a>>,
    /// The expressions of each function.
    functions: Vec<Range<usize>>,
    /// The names that `&` stands in front of.
    addressed: Vec<&'a str>,
    /// The loops and `switch` statements around a statement.
    targets: Vec<Target>,
    buffers: Vec<(usize, VarId)>,
    /// The arrays that something may write to.
    written: Vec<VarId>,
    depth: u32,
    /// True in the kernel, and not in other functions.
    is_kernel: bool,
}

/// The names of a structure or union type.
struct RecordNames<'a> {
    tag: &'a str,
    id: RecordId,
    members: Vec<&'a str>,
}

/// The statement that `break` and `continue` refer to.
enum Target {
    Switch,
    /// A loop with the statements between its rounds.
    Loop(Vec<StmtId>),
    /// A loop whose condition follows its body, with the places that wait for it.
    DoLoop(Vec<StmtId>),
}

/// The number of work-items that a program can have.
const MOST_ITEMS: u64 = 1 << 13;
/// The work-items of a group that the interpreter can execute.
const MOST_IN_GROUP: u64 = 64;

/// The sizes of a launch, if the interpreter can execute it.
fn sizes(launch: &Launch) -> Option<Sizes> {
    let fits = |sizes: [u64; 3], most: u64| {
        let product = sizes.iter().try_fold(1_u64, |all, size| all.checked_mul(*size))?;
        (1..=most).contains(&product).then(|| sizes.map(|size| size as u32))
    };
    let global = fits(launch.global, MOST_ITEMS)?;
    let local = fits(launch.local, MOST_IN_GROUP)?;
    let is_whole = global.iter().zip(local).all(|(all, group)| all.is_multiple_of(group));
    is_whole.then_some(Sizes { global, local })
}
