//! Mistakes in the command line.

use std::path::PathBuf;

use clreduce_generator::ProfileError;
use clreduce_interestingness::CommandError;
use clreduce_process::quoted;
use clreduce_recipe::RecipeError;
use thiserror::Error;

use crate::failure::GrammarFileError;
use crate::files::load::did_you_mean;
use crate::terminal::printing::shown_path;

/// A mistake in the command line.
#[derive(Debug, Error)]
pub(crate) enum UsageError {
    #[error("no file or folder to reduce was given\nhelp: clreduce bug.c --test ./interesting.sh")]
    NoInput,
    #[error(
        "no test was given; name a program or command that decides whether a variant is interesting\n\
         help: clreduce {} --test ./interesting.sh", shown_path(.0)
    )]
    NoTest(PathBuf),
    #[error(
        "no test was given; name a program or command that decides whether a variant is interesting\n\
         help: clreduce batch {} --test ./interesting.sh --out OUT", .0.display()
    )]
    NoBatchTest(PathBuf),
    #[error(
        "{program} is the program, and {file} cannot test it\n\
         help: did you mean: clreduce {file} --test {program}",
        program = quoted(.program.as_os_str()), file = quoted(.file.as_os_str())
    )]
    RolesSwapped { program: PathBuf, file: PathBuf },
    #[error(
        "{{file}} in the test stands for the FILE to reduce, but a folder is reduced\n\
         help: write the name of the file as it is in the folder"
    )]
    FileOfFolder,
    #[error(
        "two of --output, --events, --summary and --report go to the same place\nhelp: give each a file of its own"
    )]
    OneReport,
    #[error(
        "there is no command and no page `{0}`\nhelp: `clreduce help` lists the commands and the pages"
    )]
    NoTopic(String),
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error("{0} cannot be used with a recipe\nhelp: {1}")]
    NotForRecipes(&'static str, &'static str),
    #[error("{0} cannot be used with --remote: the folders of the tests are on other machines")]
    NotRemote(&'static str),
    #[error(
        "--reduce-flags cannot be used with --remote\nhelp: reduce the program first, then its flags without --remote"
    )]
    FlagsRemote,
    #[error(
        "--reduce-flags cannot be used with {0}: one run of the test does not tell whether the bug needs a flag"
    )]
    FlagsFlaky(&'static str),
    #[error(
        "--measure cannot be used with --remote: the numbers of two machines cannot be compared"
    )]
    MeasureRemote,
    #[error(
        "clreduce does not know which words of the script `{0}` are flags of the compiler\n\
         help: let the script use $CLREDUCE_FLAGS instead of them, and give them here: --reduce-flags='-O2 -g'"
    )]
    FlagsOfScript(PathBuf),
    #[error(
        "the test `{0}` does not use $CLREDUCE_FLAGS, so it would not notice other flags\n\
         help: write it instead of the flags, as in: g++ $CLREDUCE_FLAGS -c bug.cc"
    )]
    FlagsUnused(String),
    #[error(
        "the command calls several compilers, or has no flags, so clreduce does not know which to reduce\n\
         help: write $CLREDUCE_FLAGS instead of them, and give them here: --reduce-flags='-O2 -g'"
    )]
    FlagsOfCompilers,
    #[error(
        "--allow-slippage needs a recipe: the exit status of a program does not tell one bug from another"
    )]
    NeedsRecipe,
    #[error(
        "{0}\nhelp: build the grammar with `tree-sitter build`, and name it as in --grammar ./lua.so or --grammar ./grammars.so:lua"
    )]
    Grammar(#[from] GrammarFileError),
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error("several kernels need a folder\nhelp: add --out DIR")]
    ManyKernels,
    #[error("several programs, or the kernels of a program, need a folder\nhelp: add --out DIR")]
    ManyPrograms,
    #[error("two programs would be written to `{0}`\nhelp: name the folder around both")]
    SameResult(String),
    #[error("`{}` has no files that end in .cl, .ocl, .opencl or .cu", shown_path(.0))]
    NoPrograms(PathBuf),
    #[error(
        "the kernel of seed {seed} has only {made} variants\nhelp: give --emi a number of at most {made}"
    )]
    NoVariant { seed: u64, made: usize },
    #[error("no pass is left to run\nhelp: check --passes and --skip-pass")]
    NoPasses,
    #[error("{}{}", .0, nearest_test(.0))]
    Test(#[from] CommandError),
}

/// The name that a user may have meant for a test that is not there.
fn nearest_test(error: &CommandError) -> String {
    match error {
        CommandError::Missing { path } => did_you_mean(path),
        _ => String::new(),
    }
}
