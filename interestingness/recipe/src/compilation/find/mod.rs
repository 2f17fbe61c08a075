//! Finds out what a compiler does wrong with a program: it crashes, hangs, rejects the program, or makes wrong code of it.

mod recipe_text;
mod sanity;
mod witnesses;

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use clreduce_kernel::RunOutcome;
use clreduce_process::{Limits, ToolRunner, quoted};
use clreduce_testcase::{InvalidTestCase, TestCase};
use regex::Regex;
use thiserror::Error;

use super::command::{CompileCommand, Form};
use super::sources::Compilation;
use crate::RecipeOptions;
use crate::configuration::{Configuration, Means, Program};
use crate::format::Preset;
use crate::resolved::USUAL_MEMORY;
use crate::shown::{describe, signature_of};
use sanity::SanityStage;

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
    /// A pattern of the message that the compiler should not print.
    pub message: Option<Regex>,
    /// The time after which the compiler hangs.
    pub timeout: Option<Duration>,
}

/// A bug of a compiler, ready to be reduced.
#[derive(Clone, Debug)]
pub struct CompilerBug {
    /// The kind of the bug.
    pub preset: Preset,
    /// The name of the program's file.
    pub name: String,
    /// The text of the program.
    pub program: Vec<u8>,
    /// The text of the recipe.
    pub recipe: String,
    /// The names of the configurations, the suspected one first, and what each made of the program.
    pub configurations: Vec<(String, String)>,
    /// Notes for people: what does not hold or could not be done.
    pub notes: Vec<String>,
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
         --message REGEX; to compare with another compiler, add --also 'COMMAND'"
    )]
    NothingWrong(String, String),
    /// The message does not occur.
    #[error("`{0}` prints no error or warning that matches /{1}/{2}")]
    NoMessage(String, String, String),
    /// The command makes no program that could be run.
    #[error("--run needs a command that builds a program: remove `{0}` from the command")]
    NoProgram(String),
    /// The bug is gone in a scratch folder.
    #[error(
        "the bug is gone when the program is compiled in a scratch directory: {0}\n\
         help: write a script as the test instead; `clreduce --help` shows one"
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

/// A form of the program, and of the command for it.
struct ProgramForm {
    name: String,
    text: Vec<u8>,
    preprocessed: bool,
    more: Vec<String>,
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
    memory: u64,
}

impl CompilerBug {
    /// Finds the bug that a command shows.
    ///
    /// # Errors
    /// When the command shows no bug, or cannot be run.
    pub fn find(
        compilation: &Compilation,
        query: &BugQuery,
        options: &RecipeOptions,
    ) -> Result<Self, CompilerBugError> {
        let worker = options.worker.clone();
        let bench = ToolRunner::local(options.temporary.clone(), worker, Limits::default());
        let notes = Vec::new();
        let more = Vec::new();
        let memory = USUAL_MEMORY;
        BugSearch { compilation, query, options, bench, notes, more, memory }.find()
    }
}

impl BugSearch<'_> {
    fn find(mut self) -> Result<CompilerBug, CompilerBugError> {
        let command = &self.compilation.command;
        if let (true, Some(mode)) = (self.query.run, command.mode()) {
            return Err(CompilerBugError::NoProgram(mode.to_owned()));
        }
        let observed = self.observe()?;
        let (candidate, own) = self.reproduce(&observed)?;
        let case = TestCase::single(&candidate.name, candidate.text.as_slice())?;
        let others = witnesses::run(&mut self, &case, &own, candidate.preprocessed)?;
        let (preset, accused, witnesses) = self.decide(own, others)?;
        let mut stages: Vec<SanityStage> = Vec::new();
        if accused.run.is_some() {
            let reading = self.compilation.command.reading(candidate.preprocessed);
            stages = sanity::stages(&mut self, &case, &reading)?;
        }
        if witnesses.is_empty() {
            self.note(
                "no other compiler accepts the program, so nothing keeps the result valid; --also 'COMMAND' names one \
                 that does",
            );
        }
        let all = || std::iter::once(&accused).chain(&witnesses);
        let configurations = all().map(|one| (one.name.clone(), describe(&one.outcome))).collect();
        let recipe = recipe_text::write(preset, &accused, &witnesses, &stages, self.query);
        let (name, program) = (candidate.name, candidate.text);
        Ok(CompilerBug { preset, name, program, recipe, configurations, notes: self.notes })
    }

    /// Runs the command on the file itself.
    fn observe(&mut self) -> Result<RunOutcome, CompilerBugError> {
        let compilation = self.compilation;
        let case = TestCase::single(&compilation.name, compilation.source.as_slice())?;
        let own = quoted(compilation.command.source().as_os_str());
        let file = if compilation.preprocessed { "{file}" } else { &own };
        let form = Form { file, preprocessed: compilation.preprocessed, ..Form::RECIPE };
        let mut outcome = self.outcome(&case, form)?;
        if matches!(outcome, RunOutcome::Unresolved(_)) {
            self.memory = MORE_MEMORY;
            outcome = self.outcome(&case, form)?;
        }
        // A compiler that hangs fills memory until it is stopped, and more of it on a faster machine.
        if matches!(outcome, RunOutcome::BuildTimeout | RunOutcome::RunTimeout) {
            self.memory = MORE_MEMORY;
        }
        if let RunOutcome::Unresolved(reason) | RunOutcome::NotRun(reason) = outcome {
            return Err(CompilerBugError::Unresolved(compilation.command.line(form), reason));
        }
        let Some(message) = &self.query.message else { return Ok(outcome) };
        if matches!(outcome, RunOutcome::Built | RunOutcome::Results(_)) {
            self.more.push("-Werror".to_owned());
            let more = std::mem::take(&mut self.more);
            outcome = self.outcome(&case, Form { more: &more, ..form })?;
            self.more = more;
        }
        let details = outcome.details();
        if message.is_match(&details) {
            return Ok(outcome);
        }
        let said = details.lines().next().map(|line| format!("; it prints: {line}"));
        let line = compilation.command.line(form);
        Err(CompilerBugError::NoMessage(line, message.to_string(), said.unwrap_or_default()))
    }

    fn outcome(&self, case: &TestCase, form: Form<'_>) -> Result<RunOutcome, CompilerBugError> {
        let name = self.compilation.command.short_name(None);
        let limit = self.query.timeout.unwrap_or(PATIENCE);
        let build = self.compilation.command.line(form);
        Ok(self.run(&name, build, case, limit)?.outcome)
    }

    /// Runs a command on a program.
    pub(super) fn run(
        &self,
        name: &str,
        build: String,
        case: &TestCase,
        limit: Duration,
    ) -> Result<CompilerRun, CompilerBugError> {
        self.options.progress.at(&format!("{name}: compiling {}", self.compilation.name));
        let run = self.query.run.then_some(RUN);
        let means = Means::Commands { build: build.clone(), run: run.map(str::to_owned) };
        let memory = self.memory;
        let configuration = Configuration { name: name.to_owned(), means, memory, timeout: None };
        let cancel = &self.options.cancel;
        let outcome = match Program::new(case, None, None, "") {
            Some(program) => configuration.run(&program, &[], &self.bench, limit, cancel).outcome,
            None => RunOutcome::Unresolved("the program is empty".to_owned()),
        };
        if cancel.is_cancelled() {
            return Err(CompilerBugError::Interrupted);
        }
        Ok(CompilerRun { name: name.to_owned(), build, run, memory, outcome })
    }

    /// Runs a line of the shell on a program. Returns true if its status is 0, and its standard output.
    pub(super) fn shell(
        &self,
        what: &str,
        line: &str,
        case: &TestCase,
    ) -> Result<(bool, String), CompilerBugError> {
        self.options.progress.at(what);
        let line = line.replace("{file}", &quoted(OsStr::new(&*case.files()[0].path)));
        let ran = self.bench.within(Some(PATIENCE)).shell(&line, case, &self.options.cancel);
        if self.options.cancel.is_cancelled() {
            return Err(CompilerBugError::Interrupted);
        }
        Ok((ran.end == clreduce_process::End::Exited(0), ran.stdout))
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Finds a form of program and command that shows the same in a scratch folder; the most convenient one first.
    fn reproduce(
        &mut self,
        observed: &RunOutcome,
    ) -> Result<(ProgramForm, CompilerRun), CompilerBugError> {
        let mut reason = String::new();
        let hangs = matches!(observed, RunOutcome::BuildTimeout | RunOutcome::RunTimeout);
        // A hang is expensive. The limit of the recipe is measured later.
        let limit = self.query.timeout.unwrap_or(if hangs { PATIENCE / 6 } else { PATIENCE });
        let command = &self.compilation.command;
        let may_preprocess = !self.compilation.preprocessed && command.is_driver();
        let lines = if may_preprocess { self.preprocessors() } else { Vec::new() };
        for line in lines.iter().map(Some).chain([None]) {
            let candidate = match line {
                Some(line) => self.preprocessed(line)?,
                None => Some(self.as_it_is(may_preprocess)),
            };
            let Some(candidate) = candidate else { continue };
            let case = TestCase::single(&candidate.name, candidate.text.as_slice())?;
            let mut quiet = vec![self.quiet(), None];
            quiet.dedup();
            for quiet in quiet {
                let more: Vec<String> = candidate.more.iter().cloned().chain(quiet).collect();
                let (preprocessed, more) = (candidate.preprocessed, &more[..]);
                let build = command.line(Form { preprocessed, more, ..Form::RECIPE });
                let tried = self.run(&command.short_name(None), build, &case, limit)?;
                if self.is_same(observed, &tried.outcome) {
                    return Ok((candidate, tried));
                }
                reason = describe(&tried.outcome);
            }
        }
        Err(CompilerBugError::OnlyThere(reason))
    }

    /// Returns true if two outcomes show the same bug.
    fn is_same(&self, observed: &RunOutcome, outcome: &RunOutcome) -> bool {
        observed.class() == outcome.class()
            && observed.result() == outcome.result()
            && match &self.query.message {
                Some(message) => message.is_match(&outcome.details()),
                None => signature_of(observed) == signature_of(outcome),
            }
    }

    /// The commands that preprocess the program, the best one first.
    fn preprocessors(&self) -> Vec<String> {
        let command = &self.compilation.command;
        let without_markers = command.preprocessing(&["-P".to_owned()]);
        let lines = [without_markers, command.preprocessing(&[])];
        // The checks of a wrong result need clang, which rejects some headers as gcc has preprocessed them.
        let clang = self.query.run.then(|| witnesses::clang_for(&self.compilation.name)).flatten();
        let by_clang = clang.map(|clang| {
            let file = quoted(command.source().as_os_str());
            format!("{clang} {}-E -P {file}", command.reading(false))
        });
        by_clang.into_iter().chain(lines).collect()
    }

    /// The program preprocessed by a command; `None` where that fails.
    fn preprocessed(&self, line: &str) -> Result<Option<ProgramForm>, CompilerBugError> {
        let compilation = self.compilation;
        let case = TestCase::single(&compilation.name, compilation.source.as_slice())?;
        let what = format!("preprocessing {}", compilation.name);
        let (is_done, text) = self.shell(&what, line, &case)?;
        let text = text.trim();
        Ok((is_done && !text.is_empty()).then(|| ProgramForm {
            name: preprocessed_name(&compilation.name),
            text: format!("{text}\n").into_bytes(),
            preprocessed: true,
            more: self.more.clone(),
        }))
    }

    /// The program as it is. Its own folder has the headers that it includes.
    fn as_it_is(&mut self, has_headers: bool) -> ProgramForm {
        let compilation = self.compilation;
        let mut more = self.more.clone();
        if has_headers {
            self.note("the bug is gone when the program is preprocessed, so the program still includes its headers");
            let folder = compilation.command.source().parent().unwrap_or(Path::new("/"));
            more.extend(["-iquote".to_owned(), folder.display().to_string()]);
        }
        let (name, text) = (compilation.name.clone(), compilation.source.clone());
        ProgramForm { name, text, preprocessed: compilation.preprocessed, more }
    }

    /// clang's driver preprocesses the program once more after each crash, unless it is told not to.
    fn quiet(&self) -> Option<String> {
        let command = &self.compilation.command;
        let is_clang = command.short_name(None).contains("clang") && command.is_driver();
        is_clang.then(|| "-fno-crash-diagnostics".to_owned())
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
        let witnesses = self.agreeing(others, own.outcome.result());
        if witnesses.is_empty() || own.outcome.result().is_none() {
            return Err(CompilerBugError::NothingWrong(own.build, describe(&own.outcome)));
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

/// The name of a preprocessed file, by which compilers know that it is one.
fn preprocessed_name(name: &str) -> String {
    let path = Path::new(name);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "c" | "i" => format!("{stem}.i"),
        "cc" | "cpp" | "cxx" | "c++" | "cp" | "C" | "ii" => format!("{stem}.ii"),
        other => format!("{stem}-preprocessed.{other}"),
    }
}
