//! Compiler commands, as `clreduce init -- COMMAND` takes them: finds out what a compiler does wrong with a program, and
//! writes the recipe and the program for it.

mod command;
mod find;
mod sources;

pub(crate) use command::has_value_behind;
pub use command::{CompileCommand, CompileCommandError};
pub(crate) use find::not_checked;
pub use find::{
    AskedMessage, BugQuery, CompilerBug, CompilerBugError, NamedCommand, StageChoice,
    StageChoiceError,
};
pub use sources::{Compilation, CompilationError};
