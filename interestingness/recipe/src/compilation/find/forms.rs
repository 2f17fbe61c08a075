//! Forms of the program and of the command for it, and the search for the best one that shows the bug in a scratch folder.

use std::path::Path;

use clreduce_kernel::RunOutcome;
use clreduce_process::{End, quoted};

use super::installed::{clang_for, is_cpp};
use super::program::ProgramFiles;
use super::sanity::{self, SanityChecks};
use super::{BugSearch, CompilerBugError, CompilerRun, PATIENCE};
use crate::compilation::command::{CompileCommand, Form};
use crate::shown::{describe, has_signature, signature_of};

/// A form of the program, and of the command for it.
pub(super) struct ProgramForm {
    pub files: ProgramFiles,
    pub command: CompileCommand,
    /// The person's commands without the bug.
    pub also: Vec<CompileCommand>,
    pub preprocessed: bool,
    /// Options that make the bug visible, or show where headers are.
    pub more: Vec<String>,
}

/// A form that shows the bug.
pub(super) struct FoundForm {
    pub form: ProgramForm,
    pub run: CompilerRun,
    pub checks: SanityChecks,
}

impl BugSearch<'_> {
    /// Finds the first form that shows the bug and passes all checks, or else the first that shows the bug. The most
    /// convenient form comes first.
    pub(super) fn best_form(
        &mut self,
        observed: &RunOutcome,
    ) -> Result<FoundForm, CompilerBugError> {
        let mut reason = String::new();
        let mut best: Option<FoundForm> = None;
        let has_directives = !self.compilation.preprocessed && self.compilation.command.is_driver();
        let may_preprocess = has_directives && !self.query.keep_includes;
        let groups = if may_preprocess { self.preprocessors() } else { Vec::new() };
        for group in &groups {
            for line in group {
                let Some(form) = self.preprocessed(line)? else { continue };
                let Some(found) = self.shown_by(form, observed, &mut reason)? else { continue };
                if found.checks.left_out.is_empty() {
                    return Ok(found);
                }
                best = best.or(Some(found));
                break;
            }
        }
        if let Some(best) = best {
            return Ok(best);
        }
        if may_preprocess {
            self.note("the bug is gone when the program is preprocessed, so the program still includes its headers");
        }
        if has_directives
            && let Some(form) = self.with_headers()?
            && let Some(found) = self.shown_by(form, observed, &mut reason)?
        {
            return Ok(found);
        }
        let form = self.as_it_is(has_directives)?;
        let found = self.shown_by(form, observed, &mut reason)?;
        found.ok_or(CompilerBugError::OnlyThere(reason))
    }

    /// The form with its checks, if it shows the bug; `None` otherwise, with the reason.
    fn shown_by(
        &self,
        form: ProgramForm,
        observed: &RunOutcome,
        reason: &mut String,
    ) -> Result<Option<FoundForm>, CompilerBugError> {
        let command = &form.command;
        let hangs = matches!(observed, RunOutcome::BuildTimeout | RunOutcome::RunTimeout);
        // A hang is expensive. The limit of the recipe is measured later.
        let limit = self.query.timeout.unwrap_or(if hangs { PATIENCE / 6 } else { PATIENCE });
        let mut quiet = vec![self.quiet(), None];
        quiet.dedup();
        for quiet in quiet {
            let more: Vec<String> = form.more.iter().cloned().chain(quiet).collect();
            let (preprocessed, more) = (form.preprocessed, &more[..]);
            let build = command.line(Form { preprocessed, more, ..Form::RECIPE });
            let run = self.run(&command.short_name(None), build, &form.files, limit)?;
            if self.is_same(observed, &run.outcome) {
                let checks = sanity::checks(self, &form.files, &command.reading(preprocessed))?;
                return Ok(Some(FoundForm { form, run, checks }));
            }
            *reason = describe(&run.outcome);
        }
        Ok(None)
    }

    /// Returns true if two outcomes show the same bug.
    fn is_same(&self, observed: &RunOutcome, outcome: &RunOutcome) -> bool {
        observed.class() == outcome.class()
            && observed.result() == outcome.result()
            && match &self.query.message {
                Some(message) => message.is_match(&outcome.details()),
                None => has_signature(observed, &signature_of(outcome)),
            }
    }

    /// The commands that preprocess the program, the best one first. Those of a group differ only in layout.
    fn preprocessors(&self) -> Vec<Vec<String>> {
        let command = &self.compilation.command;
        let mut own = vec![command.preprocessing(&["-P".to_owned()]), command.preprocessing(&[])];
        if is_cpp(&self.compilation.name) {
            // Line markers tell the source from its headers, which are most of a program in C++.
            own.reverse();
        }
        // The compiler of the checks may not understand the headers as they are for the compiler of the command.
        let clang =
            sanity::wanted(self.query).first().and_then(|_| clang_for(&self.compilation.name));
        let by_clang = clang.map(|clang| {
            let file = quoted(command.source().as_os_str());
            vec![format!("{clang} {}-E -P {file}", command.reading(false))]
        });
        std::iter::once(own).chain(by_clang).collect()
    }

    /// The program preprocessed by a command; `None` where that fails.
    fn preprocessed(&self, line: &str) -> Result<Option<ProgramForm>, CompilerBugError> {
        let compilation = self.compilation;
        let files = ProgramFiles::single(&compilation.name, &compilation.source)?;
        let what = format!("preprocessing {}", compilation.name);
        let ran = self.shell(&what, line, &files)?;
        let text = ran.stdout.trim();
        if ran.end != End::Exited(0) || text.is_empty() {
            return Ok(None);
        }
        let (name, text) = (preprocessed_name(&compilation.name), format!("{text}\n"));
        Ok(Some(ProgramForm {
            files: ProgramFiles::single(&name, text.as_bytes())?,
            command: compilation.command.clone(),
            also: self.query.also.clone(),
            preprocessed: true,
            more: self.more.clone(),
        }))
    }

    /// The source alone, as it is. Its own folder has headers that it includes.
    fn as_it_is(&self, has_headers: bool) -> Result<ProgramForm, CompilerBugError> {
        let compilation = self.compilation;
        let mut more = self.more.clone();
        if has_headers {
            let folder = compilation.command.source().parent().unwrap_or(Path::new("/"));
            more.extend(["-iquote".to_owned(), folder.display().to_string()]);
        }
        Ok(ProgramForm {
            files: ProgramFiles::single(&compilation.name, &compilation.source)?,
            command: compilation.command.clone(),
            also: self.query.also.clone(),
            preprocessed: compilation.preprocessed,
            more,
        })
    }

    /// clang's driver preprocesses the program once more after each crash, unless it is told not to.
    fn quiet(&self) -> Option<String> {
        let command = &self.compilation.command;
        let is_clang = command.compiler().contains("clang") && command.is_driver();
        is_clang.then(|| "-fno-crash-diagnostics".to_owned())
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
