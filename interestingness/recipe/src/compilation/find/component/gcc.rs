//! The pass of gcc that crashes.

use super::{CompilerBugError, ComponentSearch, FoundComponent};
use crate::component::{CompilerStage, Component};
use crate::shown::crash_of;

/// The kinds of passes, as the message of a crash and as options call them.
const KINDS: [(&str, &str, CompilerStage); 3] = [
    ("GIMPLE", "tree", CompilerStage::Optimiser),
    ("IPA", "ipa", CompilerStage::Optimiser),
    ("RTL", "rtl", CompilerStage::BackEnd),
];

impl ComponentSearch<'_, '_> {
    /// Reads the pass in the message of the crash, and looks whether gcc crashes without it.
    pub(super) fn of_gcc(&mut self) -> Result<Option<FoundComponent>, CompilerBugError> {
        let output =
            crash_of(&self.accused.outcome).map(|crash| crash.output.clone()).unwrap_or_default();
        let said = output.lines().find_map(|line| {
            let (kind, pass) = line.strip_prefix("during ")?.split_once(" pass: ")?;
            let known = KINDS.iter().find(|(name, ..)| *name == kind)?;
            Some((known.1, known.2, pass.trim().to_owned()))
        });
        let Some((kind, stage, pass)) = said else {
            return Ok(Some(FoundComponent::of(Component::of_stage(CompilerStage::FrontEnd))));
        };
        let function = clreduce_crash::subject(&output).and_then(|subject| {
            let (_, name) = subject.strip_prefix("In function ")?.split_once('‘')?;
            Some(name.trim_end_matches('’').to_owned())
        });
        let component =
            Component { pass: Some(pass.clone()), function, ..Component::of_stage(stage) };
        let Some(list) = self.run_own("the passes of gcc", "-S", &["-fdump-passes", "-o", "-"])?
        else {
            return Ok(Some(FoundComponent::of(component)));
        };
        let disable: Vec<String> = instances(&list.stderr, kind, &pass)
            .map(|name| format!("-fdisable-{kind}-{name}"))
            .collect();
        let more: Vec<&str> = disable.iter().map(String::as_str).chain(["-o", "-"]).collect();
        let is_cured = match disable.is_empty() {
            true => false,
            false => {
                self.run_own(&disable.join(" "), "-S", &more)?.is_some_and(|ran| !self.shows(&ran))
            }
        };
        if is_cured {
            self.search
                .note(format!("without the pass, gcc does not crash: {}", disable.join(" ")));
        }
        Ok(Some(FoundComponent::of(component)))
    }
}

/// The names of a pass in a list by `-fdump-passes`, in which passes that run several times have numbers.
fn instances<'a>(list: &'a str, kind: &'a str, pass: &'a str) -> impl Iterator<Item = &'a str> {
    list.lines().filter_map(move |line| {
        let name = line.trim().strip_prefix(kind)?.strip_prefix('-')?;
        let name = name.split([' ', ':']).next()?;
        let number = name.strip_prefix(pass)?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_may_run_several_times() {
        let list = "  tree-vrp1     :  ON\n  tree-vrp2   :  ON\n  tree-vrp-x :  ON\n  rtl-vrp3 : OFF\n*skipped\n";
        assert_eq!(instances(list, "tree", "vrp").collect::<Vec<_>>(), ["vrp1", "vrp2"]);
    }
}
