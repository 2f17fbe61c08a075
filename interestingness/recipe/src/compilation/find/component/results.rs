//! The pass that makes wrong code: the first one whose work changes the result of the program.

use clreduce_kernel::RunOutcome;

use super::passes;
use super::{CompilerBugError, CompilerRun, ComponentSearch, FoundComponent, MOST_RUNS};
use crate::component::{CompilerStage, Component};

/// The result of a build with fewer passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResultClass {
    Right,
    Wrong,
    /// Neither, or there were too many runs.
    Unknown,
}

impl ComponentSearch<'_, '_> {
    /// Finds the first pass of clang with which the result is wrong, by `-opt-bisect-limit`.
    pub(super) fn wrong_pass(
        &mut self,
        witnesses: &[CompilerRun],
    ) -> Result<Option<FoundComponent>, CompilerBugError> {
        let Some(right) = witnesses.first().map(|one| one.outcome.clone()) else { return Ok(None) };
        let line = self.built_with(&self.llvm_options(&["-opt-bisect-limit=-1"]));
        let files = self.form.files.clone();
        let Some(listed) = self.run("the list of passes", &line, &files)? else { return Ok(None) };
        let runs = passes::runs(&listed.stderr);
        let Some(last) = runs.last() else {
            return Ok(self.not_found("it lists no passes with -opt-bisect-limit", &listed));
        };
        let (mut good, mut bad) = (0, last.number);
        if self.with_limit(0, &right)? != ResultClass::Right {
            self.unknown(
                "the result does not become right without the passes that can be switched off",
            );
            return Ok(None);
        }
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            match self.with_limit(middle, &right)? {
                ResultClass::Right => good = middle,
                ResultClass::Wrong => bad = middle,
                ResultClass::Unknown => {
                    self.unknown("with some of the passes, the result is neither the right nor the wrong one");
                    return Ok(None);
                }
            }
        }
        let is_steady = self.with_limit(bad, &right)? == ResultClass::Wrong
            && self.with_limit(good, &right)? == ResultClass::Right;
        let Some(run) = runs.iter().find(|run| run.number == bad).filter(|_| is_steady) else {
            self.unknown("the same number of passes does not have the same result each time");
            return Ok(None);
        };
        // What is described in words is a pass of the back end.
        let stage =
            if run.pass.contains(' ') { CompilerStage::BackEnd } else { CompilerStage::Optimiser };
        let component = Component {
            pass: Some(run.pass.clone()),
            function: run.function.clone(),
            first_wrong: Some(format!("{bad} of {}", last.number)),
            ..Component::of_stage(stage)
        };
        Ok(Some(FoundComponent::of(component)))
    }

    /// Finds the option of gcc without which the result is right.
    pub(super) fn wrong_flag(
        &mut self,
        witnesses: &[CompilerRun],
    ) -> Result<Option<FoundComponent>, CompilerBugError> {
        let Some(right) = witnesses.first().map(|one| one.outcome.clone()) else { return Ok(None) };
        let level = self.form.command.optimisation().unwrap_or("-O0").to_owned();
        let compiler = self.form.command.compiler().to_owned();
        let line = format!("{compiler} -Q --help=optimizers {level}");
        let files = self.form.files.clone();
        let Some(listed) = self.run("the options of the level", &line, &files)? else {
            return Ok(None);
        };
        let enabled: Vec<String> = listed.stdout.lines().filter_map(enabled).collect();
        let all = enabled.len();
        let mut suspects = &enabled[..];
        if suspects.is_empty() || self.without(suspects, &right)? != ResultClass::Right {
            self.unknown("the result does not become right without the options of the level");
            return Ok(None);
        }
        while suspects.len() > 1 {
            let (first, second) = suspects.split_at(suspects.len() / 2);
            suspects = match self.without(first, &right)? {
                ResultClass::Right => first,
                _ if self.without(second, &right)? == ResultClass::Right => second,
                _ => {
                    self.unknown(
                        "several options of the level have to be off for the right result",
                    );
                    return Ok(None);
                }
            };
        }
        if self.without(suspects, &right)? != ResultClass::Right {
            self.unknown("the same options do not have the same result each time");
            return Ok(None);
        }
        let flag = &suspects[0];
        let at = enabled.iter().position(|one| one == flag).unwrap_or_default() + 1;
        let component = Component {
            pass: Some(flag.replacen("-fno-", "-f", 1)),
            first_wrong: Some(format!("{at} of {all} options of {level}")),
            ..Component::of_stage(CompilerStage::Optimiser)
        };
        Ok(Some(FoundComponent::of(component)))
    }

    /// The command of the accused with more options.
    fn built_with(&self, more: &[String]) -> String {
        let more: Vec<String> =
            more.iter().map(|word| clreduce_process::quoted(word.as_ref())).collect();
        self.accused.build.replacen("{file}", &format!("{} {{file}}", more.join(" ")), 1)
    }

    fn with_limit(
        &mut self,
        limit: u64,
        right: &RunOutcome,
    ) -> Result<ResultClass, CompilerBugError> {
        let option = format!("-opt-bisect-limit={limit}");
        let line = self.built_with(&self.llvm_options(&[&option]));
        self.answer(&format!("with {limit} passes"), line, right)
    }

    fn without(
        &mut self,
        flags: &[String],
        right: &RunOutcome,
    ) -> Result<ResultClass, CompilerBugError> {
        let line = self.built_with(flags);
        self.answer(&format!("without {} options", flags.len()), line, right)
    }

    fn answer(
        &mut self,
        what: &str,
        build: String,
        right: &RunOutcome,
    ) -> Result<ResultClass, CompilerBugError> {
        let Some(run) = self.next_run() else { return Ok(ResultClass::Unknown) };
        let name = format!("{}, run {run} of at most {MOST_RUNS}, {what}", self.accused.name);
        let outcome =
            self.search.run(&name, build, &self.form.files, super::super::PATIENCE)?.outcome;
        Ok(match outcome {
            _ if outcome == self.accused.outcome => ResultClass::Wrong,
            _ if outcome == *right => ResultClass::Right,
            _ => ResultClass::Unknown,
        })
    }

    fn unknown(&mut self, why: &str) {
        self.search.note(format!("which pass makes the wrong code is not known: {why}"));
    }
}

/// The option that switches off one that is enabled, from a line of `-Q --help=optimizers`.
fn enabled(line: &str) -> Option<String> {
    let (flag, state) = line.trim().split_once(char::is_whitespace)?;
    let name = flag.strip_prefix("-f").filter(|name| !name.contains('='))?;
    (state.trim() == "[enabled]").then(|| format!("-fno-{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_on_can_be_switched_off() {
        let switched = |line| enabled(line);
        assert_eq!(
            switched("  -ftree-vrp                  \t\t[enabled]").as_deref(),
            Some("-fno-tree-vrp")
        );
        assert_eq!(switched("  -ftree-vrp   \t\t[disabled]"), None);
        assert_eq!(switched("  -fstack-reuse=[all|none]   \tall"), None);
        assert_eq!(switched("  -O<number>"), None);
    }
}
