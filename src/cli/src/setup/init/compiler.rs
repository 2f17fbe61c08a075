//! `clreduce init -- COMMAND`: finds out what a compiler does wrong, and writes a recipe and a program that can be reduced.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clreduce_recipe::{
    BugQuery, Compilation, CompileCommand, CompilerBug, Recipe, RecipeTest, StageChoice,
};

use super::InitArgs;
use crate::failure::{CliError, InitError};
use crate::judge::recipe;
use crate::setup::init::{page, script};
use crate::terminal::clock::Clock;
use crate::terminal::interrupt;
use crate::terminal::printing::{note_line, printable, warning_line};
use crate::terminal::quoting::quoted;

/// Writes the recipe and the program.
///
/// # Errors
/// When the command shows no bug, or a file is in the way.
pub(super) fn init(args: &InitArgs, compilation: &Compilation) -> Result<ExitCode, CliError> {
    if args.script.is_some() || args.accuse.is_some() {
        return Err(InitError::OnlyForKernels.into());
    }
    let cancel = interrupt::on_interrupt()?;
    let query = query(args, compilation)?;
    // Before the search, which takes minutes.
    let recipe = unless_exists(PathBuf::from(&compilation.name).with_extension("toml"))?;
    let clock = Clock::start();
    let options = clreduce_recipe::RecipeOptions {
        progress: clock.progress(),
        ..recipe::options_alone(&cancel)
    };
    let mut bug = CompilerBug::find(compilation, &query, &options).map_err(InitError::Compiler)?;
    let alone = chosen(&mut bug, args.stage);
    let paths = WrittenFiles::of(&bug, compilation, recipe)?;
    let parsed = Recipe::parse(&paths.recipe, bug.recipe.clone())?.options(options);
    let test = parsed.calibrate(&bug.program);
    drop(clock);
    if let Err(error) = &test
        && error.is_interruption()
    {
        return Err(error.clone().into());
    }
    // Where the bug does not show each time, the advice is about the recipe.
    paths.write(&bug)?;
    let test = test?;
    print(&bug, &test, &paths).map_err(CliError::Stdout)?;
    page::of_compilers(args, &bug, &test.calibration().pin.accused)?;
    if let Some(alone) = &alone {
        write_alone(alone, compilation)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The same bug with what a stage of the compiler gets, if it is reduced as well. If it is what the user wants to reduce, it takes
/// the place of the bug.
fn chosen(bug: &mut CompilerBug, stage: Option<StageChoice>) -> Option<CompilerBug> {
    let alone = bug.alone.take().map(|alone| *alone);
    if !matches!(stage, Some(StageChoice::Ir | StageChoice::Asm)) {
        return alone;
    }
    match alone {
        Some(alone) => {
            let notes = [std::mem::take(&mut bug.notes), alone.notes.clone()].concat();
            *bug = CompilerBug { notes, ..alone };
        }
        None => {
            bug.notes.push("no such stage shows the bug alone, so the source is reduced".to_owned())
        }
    }
    None
}

/// Writes the recipe and the program for a stage of the compiler alone, unless a file is in the way.
fn write_alone(alone: &CompilerBug, compilation: &Compilation) -> Result<(), CliError> {
    let recipe = PathBuf::from(format!("{}.toml", alone.main));
    let paths =
        unless_exists(recipe).and_then(|recipe| WrittenFiles::of(alone, compilation, recipe));
    let paths = match paths {
        Ok(paths) => paths,
        Err(error) => {
            note_line(&format!("the stage alone is left out: {error}"));
            return Ok(());
        }
    };
    paths.write(alone)?;
    let command = alone.component.as_ref().and_then(|component| component.command.as_deref());
    let mut out = crate::terminal::printing::out();
    writeln!(out, "\nthe stage alone: {}", printable(command.unwrap_or_default()))
        .and_then(|()| paths.print(&mut out, ""))
        .map_err(CliError::Stdout)
}

fn query(args: &InitArgs, compilation: &Compilation) -> Result<BugQuery, CliError> {
    let also = also(args, compilation)?;
    let (run, message, timeout) = (args.run, args.message.clone(), args.timeout);
    let (keep_includes, allow_unchecked) = (args.keep_includes, args.allow_unchecked.clone());
    let stage = args.stage;
    Ok(BugQuery { also, run, message, timeout, keep_includes, allow_unchecked, stage })
}

/// The commands that `--also` names.
pub(super) fn also(
    args: &InitArgs,
    compilation: &Compilation,
) -> Result<Vec<CompileCommand>, CliError> {
    let folder = std::env::current_dir().map_err(InitError::Folder)?;
    let also = args.also.iter().map(|line| compilation.command.parse_also(line, &folder));
    Ok(also.collect::<Result<_, _>>().map_err(|error| InitError::Command(error.into()))?)
}

/// The files that are written, in the current directory.
struct WrittenFiles {
    recipe: PathBuf,
    /// The files of the program; none where the source itself is reduced.
    written: Vec<PathBuf>,
    /// The file or folder that is reduced.
    input: PathBuf,
}

impl WrittenFiles {
    fn of(
        bug: &CompilerBug,
        compilation: &Compilation,
        recipe: PathBuf,
    ) -> Result<Self, InitError> {
        let files = bug.program.files();
        if files.len() > 1 {
            let stem = Path::new(&compilation.name).file_stem().unwrap_or_default();
            let input = unless_exists(PathBuf::from(stem))?;
            let written = files.iter().map(|file| input.join(&*file.path)).collect();
            return Ok(Self { recipe, written, input });
        }
        let input = PathBuf::from(&bug.main);
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_source = real(&input)
            .is_some_and(|path| Some(path) == real(compilation.command.source()))
            && bug.source() == compilation.source;
        let written = if is_source { Vec::new() } else { vec![unless_exists(input.clone())?] };
        Ok(Self { recipe, written, input })
    }

    /// Writes the program and the recipe.
    fn write(&self, bug: &CompilerBug) -> Result<(), CliError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            |source| CliError::Write { path, source }
        };
        for (path, file) in self.written.iter().zip(bug.program.files()) {
            let folder = path.parent().unwrap_or(Path::new(""));
            fs::create_dir_all(folder).map_err(failed(folder))?;
            clreduce_files::create(path, &file.bytes, Path::new("."), path)
                .map_err(failed(path))?;
        }
        script::create(&self.recipe, &bug.recipe, false).map_err(failed(&self.recipe))
    }

    /// Says what was written, and how to reduce it.
    fn print(&self, out: &mut impl Write, more: &str) -> io::Result<()> {
        writeln!(
            out,
            "written: {}\nreduce:  clreduce {} --test {}{more}",
            self.shown(),
            quoted(&self.input.display().to_string()),
            quoted(&self.recipe.display().to_string()),
        )
    }

    /// The files that are written, for people.
    fn shown(&self) -> String {
        let program = match self.written.len() {
            0 => String::new(),
            1 => format!("{}, ", self.input.display()),
            count => format!("{} ({count} files), ", self.input.display()),
        };
        format!("{program}{}", self.recipe.display())
    }
}

/// Returns the path of a file to write, which must not exist.
pub(super) fn unless_exists(path: PathBuf) -> Result<PathBuf, InitError> {
    if path.exists() { Err(InitError::Exists(path)) } else { Ok(path) }
}

fn print(bug: &CompilerBug, test: &RecipeTest, paths: &WrittenFiles) -> io::Result<()> {
    let mut out = crate::terminal::printing::out();
    let width = bug.configurations.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, outcome) in &bug.configurations {
        writeln!(out, "{name:<width$}  {}", printable(outcome))?;
    }
    let pin = &test.calibration().pin;
    let says: String = pin.signature.iter().map(|word| format!("; {}", printable(word))).collect();
    let class = pin.class.name().replace('_', " ");
    writeln!(out, "\n{}: {}: {class}{says}", bug.preset.name(), pin.accused)?;
    if let Some(component) = &bug.component {
        writeln!(out, "wrong part: {}", printable(&component.describe()))?;
    }
    for note in &bug.notes {
        note_line(note);
    }
    for warning in bug.warnings.iter().chain(test.warnings()) {
        warning_line(warning);
    }
    writeln!(out)?;
    // Folders of headers stay in the command otherwise.
    paths.print(&mut out, if bug.program.files().len() > 1 { " --reduce-flags" } else { "" })
}
