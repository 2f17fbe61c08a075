//! The reasons that there is no recipe for a command.

use clreduce_check::FindingKind;
use clreduce_testcase::InvalidTestCase;
use thiserror::Error;

/// The reason that there is no recipe.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompilerBugError {
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The compiler could not be run.
    #[error("cannot run `{0}`: {1}")]
    Unresolved(String, String),
    /// The command shows no bug.
    #[error(
        "nothing is wrong with `{0}`: {1}\n\
         help: for a wrong result, let the command build a program and add --run; for a wrong warning or error, add \
         --message MESSAGE{2}"
    )]
    NothingWrong(String, String, &'static str),
    /// The program behaves alike wherever it is compiled.
    #[error(
        "the program that `{command}` builds behaves as others say it should: {outcome}{others}\n\
         help: name a command whose program behaves as it should, as in: --also 'gcc -O0 x.c -o x'"
    )]
    NoDifference {
        /// The command.
        command: String,
        /// The behaviour of the program.
        outcome: String,
        /// The other commands, one in a line.
        others: String,
    },
    /// There is no other result.
    #[error(
        "the program that `{command}` builds runs, and there is nothing to compare its result with: {outcome}{others}\n\
         help: name a command whose program behaves as it should, as in: --also 'gcc -O0 x.c -o x'"
    )]
    NothingToCompare {
        /// The command.
        command: String,
        /// The behaviour of the program.
        outcome: String,
        /// The other commands that failed, one in a line.
        others: String,
    },
    /// The program itself may be wrong.
    #[error(
        "{what}\n\
         help: correct the program; as it is, it tells nothing about `{accused}`. To write the recipe all the same, add \
         --allow-unchecked {kind}"
    )]
    OwnFault {
        /// The error in the program, with its place.
        what: String,
        /// The name of the compiler with its options.
        accused: String,
        /// The kind of the error.
        kind: FindingKind,
    },
    /// There is no telling which compiler is right.
    #[error(
        "`{accused}` is not accused: {why}{others}\n\
         help: where compilers disagree and each agrees with itself, the language mostly leaves the result open, such as the \
         order in which arguments are evaluated; write the program so that it does not matter. Or name a compiler of a third \
         family that has the right result, with --also"
    )]
    OneAgainstOne {
        /// The name of the compiler with its options.
        accused: String,
        /// The reason.
        why: String,
        /// All outcomes, one in a line.
        others: String,
    },
    /// A compiler that the person named is no witness.
    #[error(
        "`{0}` is no witness: {1}\nhelp: remove it from the command, or name a command that handles the program as it should"
    )]
    NoWitness(String, String),
    /// The message does not occur.
    #[error("`{command}` prints no error or warning that matches --message{printed}")]
    NoMessage {
        /// The command.
        command: String,
        /// The messages that it prints instead, with a help.
        printed: String,
    },
    /// The message is no error, and cannot be made one.
    #[error(
        "`{command}` prints the message, and no option makes an error of it, as a recipe needs it: {line}\n\
         help: let the message be the test: {test}"
    )]
    NoError {
        /// The command.
        command: String,
        /// The line with the message.
        line: String,
        /// The command of a reduction.
        test: String,
    },
    /// The command makes no program that could be run.
    #[error("--run needs a command that builds a program: remove `{0}` from the command")]
    NoProgram(String),
    /// The bug is gone in a scratch folder.
    #[error(
        "the bug is gone when the program is compiled in a scratch directory: {0}\n\
         help: the command needs something of its own directory, such as a profile or a plugin: name it by an absolute path"
    )]
    OnlyThere(String),
    /// The name of the program makes no test case.
    #[error(transparent)]
    Name(#[from] InvalidTestCase),
}
