//! Whose fault is it? Before a compiler is accused of wrong code, what may show that the program is to blame: the reports of
//! sanitizers, and the result where the compiler may rely on less.

use std::thread;

use clreduce_check::FindingKind;
use clreduce_kernel::RunOutcome;
use clreduce_process::in_parallel;

use super::forms::ProgramForm;
use super::installed::{family, is_cpp, newest, stems_for};
use super::program::ProgramFiles;
use super::promises::{self, Punning};
use super::sanity::{SanityChecks, SanityStage};
use super::warnings::{self, PlacedWarning};
use super::{BugSearch, CompilerBugError, CompilerRun, PATIENCE};
use crate::compilation::command::{LineOptions, OUTPUT};
use crate::configuration::show;
use crate::shown::describe;

/// A rule of the language that compilers rely on, and the option with which they do not.
struct LanguageRule {
    options: &'static str,
    kind: FindingKind,
    /// The action of a program that breaks it.
    breach: &'static str,
}

static ALIASING: LanguageRule = LanguageRule {
    options: "-fno-strict-aliasing",
    kind: FindingKind::NonPortable,
    breach: "it accesses memory through pointers to unrelated types",
};
static OVERFLOW: LanguageRule = LanguageRule {
    options: "-fwrapv",
    kind: FindingKind::SignedOverflow,
    breach: "signed arithmetic overflows",
};
static NULL: LanguageRule = LanguageRule {
    options: "-fno-delete-null-pointer-checks",
    kind: FindingKind::NullPointer,
    breach: "it uses a null pointer where none may be",
};
static ENUMERATIONS: LanguageRule = LanguageRule {
    options: "-fno-strict-enums",
    kind: FindingKind::NonPortable,
    breach: "an enumeration has a value out of its range",
};
/// Options that let floating-point numbers be computed in one way only. They break no rule.
const EXACT: &str = "-fno-fast-math -fno-unsafe-math-optimizations -fno-associative-math -fno-reciprocal-math \
    -fno-finite-math-only -fsigned-zeros -ffp-contract=off";
/// The same where the processor has registers that are too wide.
const NARROW: &str = " -mfpmath=sse -msse2";

/// The answers of the accused to each question.
type Answers = Vec<(BlameRun, RunOutcome)>;

/// A question about the accused, which is compiled in another way.
enum BlameRun {
    /// All rules at once.
    Rules,
    Exact,
    /// The source without `restrict` and the like.
    Promises,
    /// The source without `const`.
    Constants,
}

impl BugSearch<'_> {
    /// Ends the search if a sanitizer has found an error in the program, unless the person allows it.
    pub(super) fn refuse_invalid(
        &mut self,
        accused: &CompilerRun,
        checks: &SanityChecks,
    ) -> Result<(), CompilerBugError> {
        let Some((kinds, report)) = checks.invalid() else { return Ok(()) };
        if kinds.iter().any(|kind| self.query.allow_unchecked.contains(kind)) {
            return Ok(());
        }
        let kind = kinds.first().copied().unwrap_or(FindingKind::NonPortable);
        self.doubt(accused, kind, format!("the program has undefined behaviour: {report}"))
    }

    /// Ends the search because the program may be to blame, unless the person allows the kind of error.
    fn doubt(
        &mut self,
        accused: &CompilerRun,
        kind: FindingKind,
        what: String,
    ) -> Result<(), CompilerBugError> {
        if self.query.allow_unchecked.contains(&kind) {
            self.note(what);
            return Ok(());
        }
        Err(CompilerBugError::OwnFault { what, accused: accused.name.clone(), kind })
    }

    /// Looks for a fault of the program before a compiler is accused of its result. Returns a check that keeps variants from
    /// breaking the rules that the original keeps.
    ///
    /// # Errors
    /// When the program is to blame.
    pub(super) fn blame(
        &mut self,
        form: &ProgramForm,
        checks: &SanityChecks,
        accused: &CompilerRun,
        witnesses: &[CompilerRun],
    ) -> Result<Option<SanityStage>, CompilerBugError> {
        let Some(right) = witnesses.first().map(|one| &one.outcome) else { return Ok(None) };
        let source = &self.compilation.source;
        if let Some(what) = promises::beyond_checks(source) {
            let what =
                format!("the result may be the program's own, which nobody can check: {what}");
            self.doubt(accused, FindingKind::NonPortable, what)?;
        }
        let shown = right.result().map(show).unwrap_or_default();
        if let Some((check, other)) = checks.other_result(&shown) {
            let what = format!(
                "the result of the program depends on where its variables lie, or on what else the language leaves open: with \
                 the sanitizers of the check `{check}`, which report nothing, it is `{}`, and without them `{}`",
                other.replace('\n', " "),
                shown.replace('\n', " ")
            );
            self.doubt(accused, FindingKind::NonPortable, what)?;
        }
        let (warned, answers) = self.asked(form, accused)?;
        self.weigh_warnings(accused, checks, &warned)?;
        let kept = self.weigh(form, checks, (accused, right), (&warned, answers))?;
        let open = promises::not_checked(source);
        if !open.is_empty() {
            self.note(format!(
                "not checked: {}; read the result before you report it",
                open.join("; ")
            ));
        }
        // To see that a program hangs twice takes too long.
        let ends = accused.outcome != RunOutcome::RunTimeout;
        Ok((kept && ends).then(|| self.rules_stage(accused)))
    }

    /// Asks the accused and others, side by side.
    fn asked(
        &self,
        form: &ProgramForm,
        accused: &CompilerRun,
    ) -> Result<(Vec<PlacedWarning>, Answers), CompilerBugError> {
        let source = &self.compilation.source;
        let is_own = accused.compiler() == form.command.compiler();
        let has_cast = promises::punning(source) == Punning::Cast;
        let promises = promises::without_promises(source).filter(|_| is_own);
        let constants = promises::without_const(source).filter(|_| is_own && has_cast);
        let exact = self.exact(accused);
        let mut probes = vec![
            (BlameRun::Rules, with(accused, &self.all_rules()), form.files.clone()),
            (BlameRun::Exact, with(accused, &exact), form.files.clone()),
        ];
        for (probe, text) in [(BlameRun::Promises, promises), (BlameRun::Constants, constants)] {
            let Some(text) = text else { continue };
            let plain = self.as_it_is(!self.compilation.preprocessed)?;
            let more: Vec<String> = plain.more.iter().chain(&plain.headers).cloned().collect();
            let own = LineOptions {
                preprocessed: plain.preprocessed,
                more: &more,
                ..LineOptions::RECIPE
            };
            let files = ProgramFiles::single(&self.compilation.name, &text)?;
            probes.push((probe, plain.command.line(own), files));
        }
        let jobs = self.options.jobs.max(1);
        thread::scope(|scope| {
            let warned = scope.spawn(|| warnings::of_source(self));
            let answers = in_parallel(probes, jobs, |_, (probe, build, files)| {
                (probe, self.run(&accused.name, build, &files, PATIENCE))
            });
            let warned = warned.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            let answers = answers.into_iter().map(|(probe, ran)| Ok((probe, ran?.outcome)));
            Ok((warned, answers.collect::<Result<_, CompilerBugError>>()?))
        })
    }

    /// The rules that the compiler of a command knows.
    fn rules(&self) -> Vec<&'static LanguageRule> {
        let mut rules = vec![&ALIASING, &OVERFLOW, &NULL];
        if is_cpp(&self.compilation.name) {
            rules.push(&ENUMERATIONS);
        }
        rules
    }

    fn all_rules(&self) -> String {
        self.rules().iter().map(|rule| rule.options).collect::<Vec<_>>().join(" ")
    }

    fn exact(&self, accused: &CompilerRun) -> String {
        let is_wide = ["-m32", "387"].iter().any(|part| accused.build.contains(part));
        format!("{EXACT}{}", if is_wide { NARROW } else { "" })
    }

    /// Ends the search where a warning says for certain that the program is to blame, or nothing else looks for such an error.
    pub(super) fn weigh_warnings(
        &mut self,
        accused: &CompilerRun,
        checks: &SanityChecks,
        warned: &[PlacedWarning],
    ) -> Result<(), CompilerBugError> {
        let finds_garbage = checks.has_none_of(FindingKind::Uninitialised);
        let kind_of = |warning: &PlacedWarning| match &*warning.flag {
            "sequence-point" | "unsequenced" => Some(FindingKind::NonPortable),
            "uninitialized" if !finds_garbage => Some(FindingKind::Uninitialised),
            _ => None,
        };
        let mut serious = warned.iter().filter_map(|one| Some((kind_of(one)?, &one.text)));
        let Some((kind, text)) = serious.next() else { return Ok(()) };
        self.doubt(accused, kind, format!("the program has undefined behaviour: {text}"))
    }

    /// Ends the search where an answer says that the program is to blame. Returns true if the wrong result does not depend on any
    /// rule of the language.
    fn weigh(
        &mut self,
        form: &ProgramForm,
        checks: &SanityChecks,
        (accused, right): (&CompilerRun, &RunOutcome),
        (warned, answers): (&[PlacedWarning], Answers),
    ) -> Result<bool, CompilerBugError> {
        let is_cured = |outcome: &RunOutcome| outcome.result().is_some() && *outcome == *right;
        let mut kept = false;
        for (probe, outcome) in answers {
            match probe {
                BlameRun::Rules if outcome == accused.outcome => kept = true,
                BlameRun::Rules => self.weigh_rules(form, checks, (accused, right), warned)?,
                BlameRun::Exact if is_cured(&outcome) => {
                    let what = "the result depends on how exactly floating-point numbers are computed, which the command or the \
                                language leaves to the compiler; with `-ffp-contract=off` and without `-ffast-math` and the \
                                like, it is that of the others";
                    self.doubt(accused, FindingKind::NonPortable, what.to_owned())?;
                }
                BlameRun::Promises if is_cured(&outcome) => {
                    let what = "the program breaks a promise of its own: without `restrict` and attributes such as `pure`, \
                                `const` and `noreturn`, the result is that of the others";
                    self.doubt(accused, FindingKind::NonPortable, what.to_owned())?;
                }
                BlameRun::Constants if is_cured(&outcome) => {
                    let place = warned.iter().find(|one| one.flag == "cast-qual");
                    let place = place.map_or_else(String::new, |one| format!(" ({})", one.text));
                    let what = format!(
                        "the program has undefined behaviour: it changes a constant{place}; without `const`, the result is that \
                         of the others"
                    );
                    self.doubt(accused, FindingKind::NonPortable, what)?;
                }
                BlameRun::Exact | BlameRun::Promises | BlameRun::Constants => {}
            }
        }
        Ok(kept)
    }

    /// Looks which rules the result depends on, and whether the program may break them.
    fn weigh_rules(
        &mut self,
        form: &ProgramForm,
        checks: &SanityChecks,
        (accused, right): (&CompilerRun, &RunOutcome),
        warned: &[PlacedWarning],
    ) -> Result<(), CompilerBugError> {
        let jobs = self.options.jobs.max(1);
        let one_by_one = in_parallel(self.rules(), jobs, |_, rule| {
            let build = with(accused, rule.options);
            (rule, self.run(&accused.name, build, &form.files, PATIENCE))
        });
        for (rule, ran) in one_by_one {
            let outcome = ran?.outcome;
            if outcome.result().is_none() || outcome == accused.outcome {
                continue;
            }
            let with_it = format!("with {}, the result is {}", rule.options, describe(&outcome));
            let is_broken = match rule.kind {
                _ if rule.options == ALIASING.options => self.may_alias(form, right)?,
                kind => !checks.has_none_of(kind),
            };
            if is_broken {
                let flag = rule.options.trim_start_matches("-fno-");
                let place = warned.iter().find(|one| one.flag == flag);
                let place = place.map_or_else(String::new, |one| format!("{}: ", one.text));
                let what = format!(
                    "the program has undefined behaviour: {place}{}; {with_it}",
                    rule.breach
                );
                self.doubt(accused, rule.kind, what)?;
            } else {
                self.note(format!("{with_it}, but no check says that {}", rule.breach));
            }
        }
        Ok(())
    }

    /// Returns true if the program may access memory as another type: it casts pointers, or it could, and the optimiser of another
    /// family goes wrong, too.
    fn may_alias(&self, form: &ProgramForm, right: &RunOutcome) -> Result<bool, CompilerBugError> {
        match promises::punning(&self.compilation.source) {
            Punning::Cast => return Ok(true),
            Punning::Never => return Ok(false),
            Punning::Possible => {}
        }
        let own = family(form.command.compiler());
        let others = stems_for(&self.compilation.name).iter().filter_map(|stem| newest(stem, None));
        for other in others.filter(|other| family(other) != own) {
            let reader = super::sanity::reader(
                self,
                &form.files,
                other.clone(),
                &form.command.reading(form.preprocessed),
            )?;
            let Ok(reader) = reader else { continue };
            let libraries = form.command.libraries();
            let line = format!("{other} {}-w -O2 -o {OUTPUT} {{file}}{libraries}", reader.reading);
            let ran = self.run(&other, line, &form.files, PATIENCE)?;
            if ran.outcome.result().is_some() && ran.outcome != *right {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The check that a variant has the same result where the accused may not rely on rules that the original keeps.
    fn rules_stage(&self, accused: &CompilerRun) -> SanityStage {
        let bound = with(accused, &self.all_rules());
        let command = format!(
            "{bound} && mv {OUTPUT} bound && {build} && {{ ./bound >1; a=$?; ./{OUTPUT} >2; [ $a = $? ] && cmp -s 1 2; }}",
            build = accused.build
        );
        SanityStage { name: "rules", command }
    }
}

/// The command of a run with more options.
fn with(run: &CompilerRun, options: &str) -> String {
    run.build.replacen("{file}", &format!("{options} {{file}}"), 1)
}
