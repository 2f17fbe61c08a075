//! Finds out what a compiler does wrong with a program: it crashes, hangs, rejects the program, prints a wrong message, or
//! makes wrong code of it.

mod alternatives;
mod blame;
mod component;
mod error;
mod forms;
mod headers;
mod installed;
mod jury;
mod message;
mod program;
mod promises;
mod recipe_text;
mod reports;
mod sanity;
mod warnings;
mod witnesses;

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use clreduce_check::FindingKind;
use clreduce_kernel::RunOutcome;
use clreduce_process::{Limits, ToolRun, ToolRunner, quoted};
use clreduce_testcase::TestCase;
use regex::Regex;

use super::command::{CompileCommand, LineOptions, OUTPUT};
use super::sources::Compilation;
use crate::RecipeOptions;
use crate::component::Component;
use crate::configuration::{Means, RecipeConfiguration, VariantProgram};
use crate::format::Preset;
use crate::resolved::USUAL_MEMORY;
use crate::shown::describe;
pub use alternatives::NamedCommand;
use component::{FoundComponent, StageProgram};
pub use component::{StageChoice, StageChoiceError};
pub use error::CompilerBugError;
use forms::{FoundForm, ProgramForm};
pub use message::AskedMessage;
use program::ProgramFiles;
pub(crate) use promises::not_checked;

/// The time limit of the command, where the person has set none. A compiler that exceeds it hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// The memory of the second attempt, where the usual memory of a configuration does not suffice, in bytes.
const MORE_MEMORY: u64 = 4 << 30;
/// Runs what the command built.
const RUN: &str = "./output";

/// The question about a command.
#[derive(Clone, Debug, Default)]
pub struct BugQuery {
    /// Other commands for the same file, without the bug.
    pub also: Vec<CompileCommand>,
    /// True if the command builds a program whose result is of interest.
    pub run: bool,
    /// The message that the compiler should not print.
    pub message: Option<AskedMessage>,
    /// The time after which the compiler hangs.
    pub timeout: Option<Duration>,
    /// True if the program is not to be preprocessed.
    pub keep_includes: bool,
    /// Kinds of errors that the program may have.
    pub allow_unchecked: Vec<FindingKind>,
    /// The form of the program that is reduced; by default the source, and the program of a stage that shows the bug alone.
    pub stage: Option<StageChoice>,
}

/// A bug of a compiler, ready to be reduced.
#[derive(Clone, Debug)]
pub struct CompilerBug {
    /// The kind of the bug.
    pub preset: Preset,
    /// The program: one file, or several, which are the source with the headers of its project.
    pub program: TestCase,
    /// The path of the source in it.
    pub main: String,
    /// The text of the recipe.
    pub recipe: String,
    /// The names of the configurations, the suspected one first, and what each made of the program.
    pub configurations: Vec<(String, String)>,
    /// Notes for people: what does not hold or could not be done.
    pub notes: Vec<String>,
    /// Warnings for people: what may become of the result.
    pub warnings: Vec<String>,
    /// The part of the compiler that is wrong, if it is known.
    pub component: Option<Component>,
    /// The same bug with the program as a stage of the compiler gets it.
    pub alone: Option<Box<CompilerBug>>,
}

/// A command that ran on the program, and what came of it.
#[derive(Clone, Debug)]
pub(super) struct CompilerRun {
    pub name: String,
    pub build: String,
    pub run: Option<&'static str>,
    pub memory: u64,
    pub outcome: RunOutcome,
}

pub(super) struct BugSearch<'a> {
    pub compilation: &'a Compilation,
    pub query: &'a BugQuery,
    options: &'a RecipeOptions,
    bench: ToolRunner,
    notes: Vec<String>,
    /// Options that make the bug visible.
    pub more: Vec<String>,
    /// The pattern of the message that the compiler should not print.
    pub message: Option<Regex>,
    memory: u64,
}

impl CompilerBug {
    /// The text of the source.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        let source = self.program.files().iter().find(|file| *file.path == *self.main);
        source.map(|file| &*file.bytes).unwrap_or_default()
    }

    /// Finds the bug that a command shows.
    ///
    /// # Errors
    /// When the command shows no bug, or cannot be run.
    pub fn find(
        compilation: &Compilation,
        query: &BugQuery,
        options: &RecipeOptions,
    ) -> Result<Self, CompilerBugError> {
        let (temporary, worker) = (options.temporary.clone(), options.worker.clone());
        let confinement = options.confinement.clone();
        let bench = ToolRunner::confined(temporary, worker, Limits::default(), confinement);
        let notes = Vec::new();
        let (more, message) = (Vec::new(), None);
        let memory = USUAL_MEMORY;
        BugSearch { compilation, query, options, bench, notes, more, message, memory }.find(None)
    }
}

impl BugSearch<'_> {
    /// Finds the bug, in a component that is known where the program is that of a stage.
    fn find(mut self, known: Option<Component>) -> Result<CompilerBug, CompilerBugError> {
        let command = &self.compilation.command;
        if let (true, Some(mode)) = (self.query.run, command.mode()) {
            return Err(CompilerBugError::NoProgram(mode.to_owned()));
        }
        let observed = self.observe()?;
        let FoundForm { form, run: own, also, mut checks } = self.best_form(&observed)?;
        if is_run(&own.outcome) {
            self.refuse_invalid(&own, &checks)?;
        }
        let others = match also.is_empty() {
            true => witnesses::run(&mut self, &form, &own)?,
            false => also,
        };
        let own_build = own.build.clone();
        let heard: Vec<CompilerRun> = others.iter().chain([&own]).cloned().collect();
        let (preset, accused, witnesses) = self.decide(own, others)?;
        if is_run(&accused.outcome) {
            self.hear(&form, &accused, &witnesses, heard, &checks)?;
            let rules = self.blame(&form, &checks, &accused, &witnesses)?;
            checks.stages.extend(rules);
        }
        let witnesses = self.with_silent(&form, &accused, witnesses)?;
        self.note_output();
        let found = match known {
            None if accused.build == own_build => {
                self.component(&form, preset, &accused, &witnesses)?
            }
            known => known.map(FoundComponent::of),
        };
        let all = || std::iter::once(&accused).chain(&witnesses);
        let configurations = all().map(|one| (one.name.clone(), describe(&one.outcome))).collect();
        let ProgramFiles { case: program, main } = form.files;
        let file = (program.files().len() > 1).then_some(&*main);
        let recipe = recipe_text::write(&self, preset, &accused, &witnesses, &checks, file);
        let (component, alone) = match found {
            Some(found) => found.into_asked(self.query.stage),
            None => (None, None),
        };
        let recipe = recipe + &component.as_ref().map(Component::table).unwrap_or_default();
        let alone = match alone {
            Some(alone) => self.of_stage(alone, component.clone())?,
            None => None,
        };
        let (notes, warnings) = (self.notes, checks.warnings());
        Ok(CompilerBug {
            preset,
            program,
            main,
            recipe,
            configurations,
            notes,
            warnings,
            component,
            alone,
        })
    }

    /// The witnesses with one that does not print the message in question. Notes what is missing.
    fn with_silent(
        &mut self,
        form: &ProgramForm,
        accused: &CompilerRun,
        mut witnesses: Vec<CompilerRun>,
    ) -> Result<Vec<CompilerRun>, CompilerBugError> {
        if !self.more.is_empty() && self.query.also.is_empty() {
            match witnesses::silent(self, form, accused)? {
                Some(other) => witnesses.push(other),
                None => self.note(
                    "nothing keeps the warning wrong: read the result, or give --also a compiler that must not warn",
                ),
            }
        }
        if witnesses.is_empty() {
            self.note(
                "no other compiler accepts the program, so nothing keeps the result valid; --also 'COMMAND' names one \
                 that does",
            );
        }
        Ok(witnesses)
    }

    /// The same bug with the program as a stage of the compiler gets it; `None`, with a note, where no recipe can be made of that.
    fn of_stage(
        &mut self,
        alone: StageProgram,
        component: Option<Component>,
    ) -> Result<Option<Box<CompilerBug>>, CompilerBugError> {
        let StageProgram { name, text, words, .. } = alone;
        let source = Path::new("/").join(&name);
        let command = CompileCommand::with_source(&words, Path::new("/"), &name, source);
        let query = BugQuery { timeout: self.query.timeout, ..BugQuery::default() };
        let command = match command {
            Ok(command) => command,
            Err(error) => {
                self.note(format!("there is no recipe for {name}: {error}"));
                return Ok(None);
            }
        };
        let source = text.into_bytes();
        let compilation = &Compilation { command, name: name.clone(), source, preprocessed: true };
        let (query, options, memory) = (&query, self.options, self.memory);
        let (bench, notes) = (self.bench.clone(), Vec::new());
        let (more, message) = (Vec::new(), None);
        let search = BugSearch { compilation, query, options, bench, notes, more, message, memory };
        match search.find(component) {
            Ok(bug) => Ok(Some(Box::new(bug))),
            Err(error @ CompilerBugError::Interrupted) => Err(error),
            Err(error) => {
                self.note(format!("there is no recipe for {name}: {error}"));
                Ok(None)
            }
        }
    }

    /// Says that the recipe calls the program by another name.
    fn note_output(&mut self) {
        let name = self.compilation.command.output().filter(|_| self.query.run);
        if let Some(name) = name.filter(|name| *name != OUTPUT) {
            self.note(format!(
                "the recipe writes the program to `{OUTPUT}` instead of `{name}`: each test runs in a directory of its own"
            ));
        }
    }

    /// Runs the command on the file itself.
    fn observe(&mut self) -> Result<RunOutcome, CompilerBugError> {
        let compilation = self.compilation;
        let files = ProgramFiles::single(&compilation.name, &compilation.source)?;
        let own = quoted(compilation.command.source().as_os_str());
        let file = if compilation.preprocessed { "{file}" } else { &own };
        let form =
            LineOptions { file, preprocessed: compilation.preprocessed, ..LineOptions::RECIPE };
        let mut outcome = self.outcome(&files, form)?;
        if matches!(outcome, RunOutcome::Unresolved(_)) {
            self.memory = MORE_MEMORY;
            outcome = self.outcome(&files, form)?;
        }
        // A compiler that hangs fills memory until it is stopped, and more of it on a faster machine.
        if matches!(outcome, RunOutcome::BuildTimeout | RunOutcome::RunTimeout) {
            self.memory = MORE_MEMORY;
        }
        if let RunOutcome::Unresolved(reason) | RunOutcome::NotRun(reason) = outcome {
            return Err(CompilerBugError::Unresolved(compilation.command.line(form), reason));
        }
        match &self.query.message {
            Some(asked) => self.with_message(asked, &files, form, outcome),
            None => Ok(outcome),
        }
    }

    fn outcome(
        &self,
        files: &ProgramFiles,
        form: LineOptions<'_>,
    ) -> Result<RunOutcome, CompilerBugError> {
        let name = self.compilation.command.short_name(None);
        let limit = self.query.timeout.unwrap_or(PATIENCE);
        let build = self.compilation.command.line(form);
        Ok(self.run(&name, build, files, limit)?.outcome)
    }

    /// Runs a command on a program.
    fn run(
        &self,
        name: &str,
        build: String,
        files: &ProgramFiles,
        limit: Duration,
    ) -> Result<CompilerRun, CompilerBugError> {
        self.options.progress.at(&format!("{name}: compiling {}", self.compilation.name));
        let run = self.query.run.then_some(RUN);
        let means = Means::Commands { build: build.clone(), run: run.map(str::to_owned) };
        let memory = self.memory;
        let configuration =
            RecipeConfiguration { name: name.to_owned(), means, memory, timeout: None };
        let cancel = &self.options.cancel;
        let outcome = match VariantProgram::new(&files.case, Some(&files.main), None, "") {
            Some(program) => configuration.run(&program, &[], &self.bench, limit, cancel).outcome,
            None => RunOutcome::Unresolved("the program is empty".to_owned()),
        };
        if cancel.is_cancelled() {
            return Err(CompilerBugError::Interrupted);
        }
        Ok(CompilerRun { name: name.to_owned(), build, run, memory, outcome })
    }

    /// Runs a line of the shell on a program.
    fn shell(
        &self,
        what: &str,
        line: &str,
        files: &ProgramFiles,
    ) -> Result<ToolRun, CompilerBugError> {
        self.options.progress.at(what);
        let line = line.replace("{file}", &quoted(OsStr::new(&files.main)));
        let bench = self.bench.within(Some(PATIENCE));
        let ran = bench.shell(&line, &files.case, &self.options.cancel);
        if self.options.cancel.is_cancelled() {
            return Err(CompilerBugError::Interrupted);
        }
        Ok(ran)
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }
}

impl CompilerRun {
    /// The program that the command starts.
    fn compiler(&self) -> &str {
        self.build.split_whitespace().next().unwrap_or_default()
    }
}

/// Returns true if an outcome is that of the program, and not of its compilation.
fn is_run(outcome: &RunOutcome) -> bool {
    matches!(outcome, RunOutcome::Results(_) | RunOutcome::RunCrash(_) | RunOutcome::RunTimeout)
}
