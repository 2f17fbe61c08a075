//! Finds out what a compiler does wrong with a program: it crashes, hangs, rejects the program, prints a wrong message, or
//! makes wrong code of it.

mod forms;
mod headers;
mod installed;
mod message;
mod program;
mod recipe_text;
mod sanity;
mod witnesses;

use std::ffi::OsStr;
use std::time::Duration;

use clreduce_kernel::RunOutcome;
use clreduce_process::{Limits, ToolRun, ToolRunner, quoted};
use clreduce_testcase::{InvalidTestCase, TestCase};
use regex::Regex;
use thiserror::Error;

use super::command::{CompileCommand, Form, OUTPUT};
use super::sources::Compilation;
use crate::RecipeOptions;
use crate::configuration::{Configuration, Means, Program};
use crate::format::Preset;
use crate::resolved::USUAL_MEMORY;
use crate::shown::describe;
use forms::FoundForm;
pub use message::AskedMessage;
use program::ProgramFiles;
use sanity::SPELLINGS;

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
    /// The report of the first check that calls the program invalid. The recipe goes without the check.
    pub invalid: Option<String>,
}

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

/// A command that ran on the program, and what came of it.
pub(super) struct CompilerRun {
    pub name: String,
    pub build: String,
    pub run: Option<&'static str>,
    pub memory: u64,
    pub outcome: RunOutcome,
}

/// The search for a bug.
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
        BugSearch { compilation, query, options, bench, notes, more, message, memory }.find()
    }
}

impl BugSearch<'_> {
    fn find(mut self) -> Result<CompilerBug, CompilerBugError> {
        let command = &self.compilation.command;
        if let (true, Some(mode)) = (self.query.run, command.mode()) {
            return Err(CompilerBugError::NoProgram(mode.to_owned()));
        }
        let observed = self.observe()?;
        let FoundForm { form, run: own, checks } = self.best_form(&observed)?;
        let others = witnesses::run(&mut self, &form, &own)?;
        let (preset, accused, witnesses) = self.decide(own, others)?;
        if witnesses.is_empty() {
            self.note(
                "no other compiler accepts the program, so nothing keeps the result valid; --also 'COMMAND' names one \
                 that does",
            );
        }
        self.note_output();
        let all = || std::iter::once(&accused).chain(&witnesses);
        let configurations = all().map(|one| (one.name.clone(), describe(&one.outcome))).collect();
        let ProgramFiles { case: program, main } = form.files;
        let file = (program.files().len() > 1).then_some(&*main);
        let recipe = recipe_text::write(&self, preset, &accused, &witnesses, &checks, file);
        let (notes, warnings, invalid) = (self.notes, checks.warnings(), checks.invalid());
        Ok(CompilerBug { preset, program, main, recipe, configurations, notes, warnings, invalid })
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
        let form = Form { file, preprocessed: compilation.preprocessed, ..Form::RECIPE };
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
        form: Form<'_>,
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
        let configuration = Configuration { name: name.to_owned(), means, memory, timeout: None };
        let cancel = &self.options.cancel;
        let outcome = match Program::new(&files.case, Some(&files.main), None, "") {
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

    /// Decides which command shows which bug. Returns it, and those that witness against it.
    fn decide(
        &mut self,
        own: CompilerRun,
        mut others: Vec<CompilerRun>,
    ) -> Result<(Preset, CompilerRun, Vec<CompilerRun>), CompilerBugError> {
        let by_itself = |outcome: &RunOutcome| match outcome {
            RunOutcome::BuildCrash(_) | RunOutcome::RunCrash(_) => Some(Preset::Crash),
            RunOutcome::BuildTimeout | RunOutcome::RunTimeout => Some(Preset::Hang),
            RunOutcome::BuildFailure { .. } => Some(Preset::BuildFailure),
            _ => None,
        };
        if let Some(preset) = by_itself(&own.outcome) {
            let successes = self.agreeing(others, None);
            return Ok((preset, own, successes));
        }
        // That a compiler of our choice rejects the program says nothing.
        let asked_for = !self.query.also.is_empty();
        let fails = |other: &CompilerRun| asked_for && by_itself(&other.outcome).is_some();
        if let Some(at) = others.iter().position(fails) {
            let accused = others.swap_remove(at);
            let preset = by_itself(&accused.outcome).unwrap_or(Preset::Crash);
            return Ok((preset, accused, vec![own]));
        }
        if own.outcome.result().is_none() {
            let also = if asked_for {
                ""
            } else {
                "; to compare with another compiler, add --also 'COMMAND'"
            };
            return Err(CompilerBugError::NothingWrong(own.build, describe(&own.outcome), also));
        }
        let row = |one: &CompilerRun| format!("\n    {}: {}", one.build, describe(&one.outcome));
        let compared: String = others.iter().map(row).collect();
        let has_result = others.iter().any(|one| one.outcome.result().is_some());
        let witnesses = self.agreeing(others, own.outcome.result());
        if witnesses.is_empty() {
            let (command, outcome) = (own.build, describe(&own.outcome));
            return Err(if has_result {
                CompilerBugError::NoDifference { command, outcome, others: compared }
            } else {
                CompilerBugError::NothingToCompare { command, outcome, others: compared }
            });
        }
        if !asked_for {
            let lines: Vec<String> = witnesses
                .iter()
                .map(|one| format!("`{}`", one.build.replace(SPELLINGS, "")))
                .collect();
            self.note(format!(
                "there is no --also, so the result is compared with that of {}",
                lines.join(" and ")
            ));
        }
        Ok((Preset::WrongCode, own, witnesses))
    }

    /// The largest group of commands that have one result, other than `wrong`; the first one of several.
    fn agreeing(
        &mut self,
        others: Vec<CompilerRun>,
        wrong: Option<&[clreduce_kernel::Output]>,
    ) -> Vec<CompilerRun> {
        let is_success =
            |one: &CompilerRun| matches!(one.outcome, RunOutcome::Built | RunOutcome::Results(_));
        let differs = |one: &CompilerRun| wrong.is_none() || one.outcome.result() != wrong;
        let fits = |one: &CompilerRun| is_success(one) && differs(one);
        let support =
            |one: &CompilerRun| others.iter().filter(|other| other.outcome == one.outcome).count();
        let mut best: Option<&RunOutcome> = None;
        let mut most = 0;
        for one in others.iter().filter(|one| fits(one)) {
            if support(one) > most {
                (best, most) = (Some(&one.outcome), support(one));
            }
        }
        let best = best.cloned();
        let (kept, left): (Vec<CompilerRun>, Vec<CompilerRun>) =
            others.into_iter().partition(|one| Some(&one.outcome) == best.as_ref());
        for one in left {
            self.note(format!("{} is no witness: {}", one.name, describe(&one.outcome)));
        }
        kept
    }
}
