//! Forms of the program and of the command for it, and the search for the best one that shows the bug in a scratch folder.

use std::path::Path;

use clreduce_kernel::RunOutcome;
use clreduce_process::{End, quoted};

use super::installed::{clang_for, family, is_cpp};
use super::program::ProgramFiles;
use super::sanity::{self, SPELLINGS, SanityChecks};
use super::{BugSearch, CompilerBugError, CompilerRun, PATIENCE};
use crate::compilation::command::{CompileCommand, LineOptions};
use crate::shown::{crash_of, describe, has_signature, says, signature_of};

/// A form of the program, and of the command for it.
pub(super) struct ProgramForm {
    pub files: ProgramFiles,
    pub command: CompileCommand,
    /// The person's commands without the bug.
    pub also: Vec<CompileCommand>,
    pub preprocessed: bool,
    /// Options that make the bug visible.
    pub more: Vec<String>,
    /// Options that show where headers are.
    pub headers: Vec<String>,
}

/// A form that shows the bug.
pub(super) struct FoundForm {
    pub form: ProgramForm,
    pub run: CompilerRun,
    /// The runs of the commands that the person names for comparison.
    pub also: Vec<CompilerRun>,
    pub checks: SanityChecks,
}

/// The symptom that the user sees, which a form has to show.
struct SymptomToShow<'a> {
    /// The outcome of the command.
    own: &'a RunOutcome,
    /// Those of the commands for comparison, on the source itself.
    also: Vec<CompilerRun>,
}

/// The outcomes of the forms that do not show the bug.
#[derive(Default)]
struct Misses {
    /// The last outcome, for people.
    last: String,
    /// The first form with which the compiler crashes as well, but not with the same words: the function that it dies in may
    /// depend on the length of a path.
    crash: Option<(ProgramForm, CompilerRun)>,
    /// A command for comparison to which the form is another program.
    witness: Option<String>,
}

impl BugSearch<'_> {
    /// Finds the first form that shows the bug and passes all checks, or else the first that shows the bug. The most
    /// convenient form comes first.
    pub(super) fn best_form(
        &mut self,
        observed: &RunOutcome,
    ) -> Result<FoundForm, CompilerBugError> {
        let mut misses = Misses::default();
        let mut best: Option<FoundForm> = None;
        let has_directives = !self.compilation.preprocessed && self.compilation.command.is_driver();
        let may_preprocess = has_directives && !self.query.keep_includes;
        let also = match has_directives {
            true => {
                let source = quoted(self.compilation.command.source().as_os_str());
                self.also_on(&self.as_it_is(false)?, &source, &[])?
            }
            false => Vec::new(),
        };
        let seen = SymptomToShow { own: observed, also };
        let groups = if may_preprocess { self.preprocessors(observed) } else { Vec::new() };
        for group in &groups {
            for line in group {
                let Some(form) = self.preprocessed(line)? else { continue };
                let Some(found) = self.shown_by(form, &seen, &mut misses)? else { continue };
                // No form makes an invalid program valid.
                if found.checks.left_out.is_empty() || found.checks.invalid().is_some() {
                    return Ok(found);
                }
                best = best.or(Some(found));
                break;
            }
        }
        if let Some(best) = best {
            return Ok(best);
        }
        let is_crash = misses.crash.is_some();
        if has_directives
            && let Some(form) = self.with_headers()?
            && let Some(found) = self.shown_by(form, &seen, &mut misses)?
        {
            self.note_includes(may_preprocess, is_crash, misses.witness.as_deref());
            return Ok(found);
        }
        let form = self.as_it_is(has_directives)?;
        if let Some(found) = self.shown_by(form, &seen, &mut misses)? {
            self.note_includes(may_preprocess, is_crash, misses.witness.as_deref());
            return Ok(found);
        }
        let Some((form, run)) = misses.crash else {
            return Err(CompilerBugError::OnlyThere(misses.last));
        };
        self.note(format!(
            "the compiler ends in another way when the program is compiled in a scratch directory, and the recipe is about that: \
             {} instead of {}",
            describe(&run.outcome),
            describe(observed)
        ));
        let reading = form.command.reading(form.preprocessed);
        let checks = sanity::checks(self, &form.files, &reading, observed)?;
        let also = self.also_on(&form, LineOptions::RECIPE.file, &seen.also)?;
        Ok(FoundForm { form, run, also, checks })
    }

    /// Says why the program still has its includes, if it was preprocessed.
    fn note_includes(&mut self, was_preprocessed: bool, is_crash: bool, witness: Option<&str>) {
        let what = match (witness, is_crash) {
            (Some(name), _) => format!("for {name}, the program is another one"),
            (None, true) => "the compiler crashes in another way".to_owned(),
            (None, false) => "the bug is gone".to_owned(),
        };
        if was_preprocessed {
            self.note(format!(
                "{what} when the program is preprocessed, so the program still includes its headers"
            ));
        }
    }

    /// The form with its checks, if it shows the bug; `None` otherwise, with the reason.
    fn shown_by(
        &self,
        form: ProgramForm,
        seen: &SymptomToShow<'_>,
        misses: &mut Misses,
    ) -> Result<Option<FoundForm>, CompilerBugError> {
        let command = &form.command;
        let hangs = matches!(seen.own, RunOutcome::BuildTimeout | RunOutcome::RunTimeout);
        // A hang is expensive. The limit of the recipe is measured later.
        let limit = self.query.timeout.unwrap_or(if hangs { PATIENCE / 6 } else { PATIENCE });
        let mut quiet = vec![self.quiet(), None];
        quiet.dedup();
        let mut crash = None;
        for quiet in quiet {
            let more: Vec<String> =
                form.more.iter().chain(&form.headers).cloned().chain(quiet).collect();
            let (preprocessed, more) = (form.preprocessed, &more[..]);
            let build = command.line(LineOptions { preprocessed, more, ..LineOptions::RECIPE });
            let run = self.run(&command.short_name(None), build, &form.files, limit)?;
            if !self.is_same(seen.own, &run.outcome) {
                misses.last = describe(&run.outcome);
                if crash_of(seen.own).is_some() && seen.own.class() == run.outcome.class() {
                    crash = crash.or(Some(run));
                }
                continue;
            }
            let also = self.also_on(&form, LineOptions::RECIPE.file, &seen.also)?;
            let is_other = |(there, here): &(&CompilerRun, &CompilerRun)| !is_alike(there, here);
            if let Some((there, _)) = seen.also.iter().zip(&also).find(is_other) {
                misses.witness = Some(there.name.clone());
                return Ok(None);
            }
            let checks =
                sanity::checks(self, &form.files, &command.reading(preprocessed), seen.own)?;
            return Ok(Some(FoundForm { form, run, also, checks }));
        }
        if misses.crash.is_none() && self.message.is_none() {
            misses.crash = crash.map(|run| (form, run));
        }
        Ok(None)
    }

    /// Runs the commands that the person names for comparison. One to which the program is another one than `there`, on the source
    /// itself, may need options to read it: headers are made for one compiler.
    fn also_on(
        &self,
        form: &ProgramForm,
        file: &str,
        there: &[CompilerRun],
    ) -> Result<Vec<CompilerRun>, CompilerBugError> {
        let limit = self.query.timeout.unwrap_or(PATIENCE);
        let run = |command: &CompileCommand, spellings: Vec<String>| {
            let more: Vec<String> = form.headers.iter().cloned().chain(spellings).collect();
            let own = LineOptions {
                file,
                preprocessed: form.preprocessed,
                more: &more,
                optimisation: None,
            };
            self.run(&command.short_name(None), command.line(own), &form.files, limit)
        };
        let mut runs: Vec<CompilerRun> = Vec::new();
        for (index, command) in form.also.iter().enumerate() {
            let mut ran = run(command, Vec::new())?;
            let is_c = !is_cpp(&self.compilation.name) && family(command.compiler()) == "clang";
            if is_c && there.get(index).is_some_and(|there| !is_alike(there, &ran)) {
                ran = run(command, shlex::split(SPELLINGS).unwrap_or_default())?;
            }
            let is_taken = runs.iter().any(|one| one.name == ran.name)
                || form.command.short_name(None) == ran.name;
            let name = if is_taken { ran.build.clone() } else { ran.name };
            runs.push(CompilerRun { name, ..ran });
        }
        Ok(runs)
    }

    /// Returns true if two outcomes show the same bug.
    pub(super) fn is_same(&self, observed: &RunOutcome, outcome: &RunOutcome) -> bool {
        observed.class() == outcome.class()
            && observed.result() == outcome.result()
            && match &self.message {
                Some(message) => says(&outcome.details(), message),
                None => has_signature(observed, &signature_of(outcome)),
            }
    }

    /// The commands that preprocess the program, the best one first. Those of a group differ only in layout.
    fn preprocessors(&self, observed: &RunOutcome) -> Vec<Vec<String>> {
        let command = &self.compilation.command;
        let mut own = vec![command.preprocessing(&["-P".to_owned()]), command.preprocessing(&[])];
        if is_cpp(&self.compilation.name) {
            // Line markers tell the source from its headers, which are most of a program in C++.
            own.reverse();
        }
        // The compiler of the checks may not understand the headers as they are for the compiler of the command.
        let clang =
            sanity::wanted(self, observed).first().and_then(|_| clang_for(&self.compilation.name));
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
            headers: Vec::new(),
        }))
    }

    /// The source alone, as it is. Its own folder has headers that it includes.
    pub(super) fn as_it_is(&self, has_headers: bool) -> Result<ProgramForm, CompilerBugError> {
        let compilation = self.compilation;
        let mut headers = Vec::new();
        // A folder that no header is read of says only where the user keeps files.
        if has_headers && has_own_includes(&compilation.source) {
            let folder = compilation.command.source().parent().unwrap_or(Path::new("/"));
            headers.extend(["-iquote".to_owned(), folder.display().to_string()]);
        }
        Ok(ProgramForm {
            files: ProgramFiles::single(&compilation.name, &compilation.source)?,
            command: compilation.command.clone(),
            also: self.query.also.clone(),
            preprocessed: compilation.preprocessed,
            more: self.more.clone(),
            headers,
        })
    }

    /// clang's driver preprocesses the program once more after each crash, unless it is told not to.
    pub(super) fn quiet(&self) -> Option<String> {
        let command = &self.compilation.command;
        let is_clang = command.compiler().contains("clang") && command.is_driver();
        is_clang.then(|| "-fno-crash-diagnostics".to_owned())
    }
}

/// Returns true if a source may include a header from its own folder.
fn has_own_includes(source: &[u8]) -> bool {
    let text = String::from_utf8_lossy(source);
    let mut directives = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        rest.strip_prefix("include").or_else(|| rest.strip_prefix("embed"))
    });
    directives.any(|rest| !rest.trim_start_matches("_next").trim_start().starts_with('<'))
}

/// Returns true if a program behaves alike in two runs.
fn is_alike(one: &CompilerRun, other: &CompilerRun) -> bool {
    let (one, other) = (&one.outcome, &other.outcome);
    one.class() == other.class() && one.result() == other.result()
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
