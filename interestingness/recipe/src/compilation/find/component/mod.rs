//! Finds out which part of a compiler is wrong: its stage, the compiler pass, and a command for the stage alone.

mod alone;
mod gcc;
mod llvm;
mod passes;
mod results;

use clreduce_process::{End, ToolRun};

use super::forms::ProgramForm;
use super::installed::family;
use super::program::ProgramFiles;
use super::{BugSearch, CompilerBugError, CompilerRun};
use crate::compilation::command::LineOptions;
use crate::component::Component;
use crate::configuration::without_symbols;
use crate::format::Preset;
use crate::shown::crash_of;

pub(super) use alone::StageProgram;
pub use alone::{StageChoice, StageChoiceError};

/// The runs of a search, at most. What they find is worth a minute, and not more.
const MOST_RUNS: usize = 20;

/// The answer of a search.
pub(super) struct FoundComponent {
    pub component: Component,
    /// The program as the stage gets it, if the stage alone shows the bug.
    pub alone: Option<StageProgram>,
}

impl FoundComponent {
    pub(super) fn of(component: Component) -> Self {
        Self { component, alone: None }
    }

    /// The component, with the program of its stage unless another form is asked for.
    pub(super) fn into_asked(
        mut self,
        stage: Option<StageChoice>,
    ) -> (Option<Component>, Option<StageProgram>) {
        let is_asked = |alone: &StageProgram| stage.is_none_or(|stage| stage == alone.choice);
        let is_left_out = self.alone.as_ref().is_some_and(|alone| !is_asked(alone));
        if is_left_out {
            self.component.command = None;
        }
        (Some(self.component), self.alone.filter(is_asked))
    }
}

/// A search for the part of a compiler that is wrong.
struct ComponentSearch<'s, 'a> {
    search: &'s mut BugSearch<'a>,
    form: &'s ProgramForm,
    accused: &'s CompilerRun,
    runs: usize,
}

/// A compiler whose inside can be seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KnownCompiler {
    Clang,
    Opt,
    Llc,
    Gcc,
}

impl BugSearch<'_> {
    /// Finds the part of the accused that is wrong; `None` where nothing can be said.
    pub(super) fn component(
        &mut self,
        form: &ProgramForm,
        preset: Preset,
        accused: &CompilerRun,
        witnesses: &[CompilerRun],
    ) -> Result<Option<FoundComponent>, CompilerBugError> {
        let Some(compiler) = KnownCompiler::of(form.command.compiler()) else { return Ok(None) };
        let is_build_crash = matches!(accused.outcome, clreduce_kernel::RunOutcome::BuildCrash(_));
        let mut search = ComponentSearch { search: self, form, accused, runs: 0 };
        match (preset, compiler) {
            (Preset::Crash, KnownCompiler::Gcc) if is_build_crash => search.of_gcc(),
            (Preset::Crash, _) if is_build_crash => search.of_llvm(compiler),
            (Preset::WrongCode, KnownCompiler::Clang) => search.wrong_pass(witnesses),
            (Preset::WrongCode, KnownCompiler::Gcc) => search.wrong_flag(witnesses),
            _ => Ok(None),
        }
    }
}

impl KnownCompiler {
    fn of(compiler: &str) -> Option<Self> {
        let name = compiler.rsplit(['/', '\\']).next().unwrap_or(compiler);
        let is = |stem: &str| name == stem || name.starts_with(&format!("{stem}-"));
        match family(compiler).as_str() {
            _ if is("opt") => Some(Self::Opt),
            _ if is("llc") => Some(Self::Llc),
            "clang" => Some(Self::Clang),
            "gcc" => Some(Self::Gcc),
            _ => None,
        }
    }
}

impl ComponentSearch<'_, '_> {
    /// Runs a line of the shell; `None` where there were too many runs.
    fn run(
        &mut self,
        what: &str,
        line: &str,
        files: &ProgramFiles,
    ) -> Result<Option<ToolRun>, CompilerBugError> {
        let Some(run) = self.next_run() else { return Ok(None) };
        let what = format!("the part that is wrong, run {run} of at most {MOST_RUNS}: {what}");
        self.search.shell(&what, &without_symbols(line), files).map(Some)
    }

    /// The number of the next run; `None` where there were too many.
    fn next_run(&mut self) -> Option<usize> {
        let number = (self.runs < MOST_RUNS).then_some(self.runs + 1)?;
        self.runs = number;
        Some(number)
    }

    /// Runs the command of the accused on the program in another way.
    fn run_own(
        &mut self,
        what: &str,
        mode: &str,
        more: &[&str],
    ) -> Result<Option<ToolRun>, CompilerBugError> {
        let line = self.own_line(mode, more);
        let files = self.form.files.clone();
        self.run(what, &line, &files)
    }

    /// The command of the accused in a mode such as `-S`, with more options.
    fn own_line(&self, mode: &str, more: &[&str]) -> String {
        let (form, quiet) = (self.form, self.search.quiet());
        let own = form.more.iter().chain(&form.headers).cloned().chain(quiet);
        let more: Vec<String> = own.chain(more.iter().map(|&word| word.to_owned())).collect();
        let line =
            LineOptions { preprocessed: form.preprocessed, more: &more, ..LineOptions::RECIPE };
        form.command.in_mode(mode).line(line)
    }

    /// Returns true if a run crashes as the accused does. A stage alone prints another stack below the function that crashed.
    fn shows(&self, ran: &ToolRun) -> bool {
        let Some(known) = crash_of(&self.accused.outcome) else { return false };
        let has_crashed = ran.end.crash().is_some() || clreduce_crash::is_crash(&ran.stderr);
        has_crashed && clreduce_crash::is_alike(&known.output, &ran.stderr)
    }
}

/// The standard output of a run that succeeded.
fn printed(ran: &ToolRun) -> Option<&str> {
    (ran.end == End::Exited(0) && !ran.stdout.trim().is_empty()).then_some(&*ran.stdout)
}
