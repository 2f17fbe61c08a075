//! `clreduce init -- COMMAND`: finds out what a compiler does wrong, and writes a recipe and a program that can be reduced.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clreduce_recipe::{BugQuery, Compilation, CompilerBug, Recipe, RecipeTest};
use clreduce_testcase::TestCase;

use super::InitArgs;
use crate::clock::Clock;
use crate::failure::{CliError, InitError};
use crate::printing::{note_line, warning_line};
use crate::quoting::quoted;
use crate::{interrupt, recipe, script};

/// Writes the recipe and the program.
///
/// # Errors
/// When the command shows no bug, or a file is in the way.
pub(super) fn init(args: &InitArgs, compilation: &Compilation) -> Result<ExitCode, CliError> {
    if args.shell || args.powershell || args.python || args.accuse.is_some() {
        return Err(InitError::OnlyForKernels.into());
    }
    let cancel = interrupt::on_interrupt()?;
    let query = query(args, compilation)?;
    // Before the search, which takes minutes.
    let recipe = unless_exists(PathBuf::from(&compilation.name).with_extension("toml"))?;
    let clock = Clock::start();
    let options =
        clreduce_recipe::RecipeOptions { progress: clock.progress(), ..recipe::options(&cancel) };
    let bug = CompilerBug::find(compilation, &query, &options).map_err(InitError::Compiler)?;
    let paths = Paths::of(&bug, compilation, recipe)?;
    let parsed = Recipe::parse(&paths.recipe, bug.recipe.clone())?.options(options);
    let case = TestCase::single(&bug.name, bug.program.clone())
        .map_err(|error| CliError::Load(error.into()))?;
    let test = parsed.calibrate(&case)?;
    drop(clock);
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| CliError::Write { path, source }
    };
    if let Some(program) = &paths.program {
        let text = bug.program.as_slice();
        clreduce_files::create(program, text, Path::new("."), program).map_err(failed(program))?;
    }
    script::create(&paths.recipe, &bug.recipe, false).map_err(failed(&paths.recipe))?;
    print(&bug, &test, &paths).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

fn query(args: &InitArgs, compilation: &Compilation) -> Result<BugQuery, CliError> {
    let folder = std::env::current_dir().map_err(InitError::Folder)?;
    let also = args.also.iter().map(|line| compilation.command.parse_also(line, &folder));
    let also = also.collect::<Result<_, _>>().map_err(|error| InitError::Command(error.into()))?;
    Ok(BugQuery { also, run: args.run, message: args.message.clone(), timeout: args.timeout })
}

/// The files that are written, in the current directory.
struct Paths {
    /// The recipe.
    recipe: PathBuf,
    /// The program; `None` where the source itself is reduced.
    program: Option<PathBuf>,
    /// The file that is reduced.
    input: PathBuf,
}

impl Paths {
    fn of(
        bug: &CompilerBug,
        compilation: &Compilation,
        recipe: PathBuf,
    ) -> Result<Self, InitError> {
        let input = PathBuf::from(&bug.name);
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        let is_source = real(&input)
            .is_some_and(|path| Some(path) == real(compilation.command.source()))
            && bug.program == compilation.source;
        let program = if is_source { None } else { Some(unless_exists(input.clone())?) };
        Ok(Self { recipe, program, input })
    }
}

/// Returns the path of a file to write, which must not exist.
fn unless_exists(path: PathBuf) -> Result<PathBuf, InitError> {
    if path.exists() { Err(InitError::Exists(path)) } else { Ok(path) }
}

fn print(bug: &CompilerBug, test: &RecipeTest, paths: &Paths) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let width = bug.configurations.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, outcome) in &bug.configurations {
        writeln!(out, "{name:<width$}  {outcome}")?;
    }
    let pin = &test.calibration().pin;
    let says: String = pin.signature.iter().map(|word| format!("; {word}")).collect();
    let class = pin.class.name().replace('_', " ");
    writeln!(out, "\n{}: {}: {class}{says}", bug.preset.name(), pin.accused)?;
    for note in &bug.notes {
        note_line(note);
    }
    for warning in bug.warnings.iter().chain(test.warnings()) {
        warning_line(warning);
    }
    let written = paths.program.iter().chain([&paths.recipe]);
    let written: Vec<String> = written.map(|path| path.display().to_string()).collect();
    writeln!(
        out,
        "\nwritten: {}\nreduce:  clreduce {} --test {}",
        written.join(", "),
        quoted(&paths.input.display().to_string()),
        quoted(&paths.recipe.display().to_string())
    )
}
