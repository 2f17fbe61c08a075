//! Whether a program that raised an alarm shows a bug that is known.

use clreduce_generator::{Avoid, Kernel};

use super::{Finding, Investigator, Suspect};
use crate::cure;
use crate::knowledge::{Knowledge, KnownBug};
use crate::outcome::{ExpectedResult, Subject};
use crate::publish;
use crate::rewrites::{self, is_rewrite};

impl Investigator<'_> {
    /// The finding if the bug is a known one. The outermost `None` says that the campaign is cancelled.
    pub(super) fn known(
        &self,
        suspect: &Suspect<'_>,
        bugs: &[KnownBug],
    ) -> Option<Option<Finding>> {
        let configuration = suspect.alarm.configuration;
        for bug in bugs {
            if Knowledge::is_told_apart(&suspect.observed) {
                return Some(Some(Finding::known(bug, None, bug.feature.clone())));
            }
            // Another configuration of the device was wrong with the same program.
            if bug.program == suspect.alarm.program
                && let Some(reduced) = self.reduced(&bug.name, &suspect.original)
                && self.runner.shows(configuration, &reduced, &suspect.observed)?
            {
                return Some(Some(Finding::known(bug, None, bug.feature.clone())));
            }
            if !self.is_told_by_one(bug) {
                if self.is_cured_by_each(suspect, bug)? {
                    return Some(Some(Finding::known(bug, None, bug.feature.clone())));
                }
                continue;
            }
            for construct in bug.telling() {
                if let Some(feature) = self.feature_of(suspect, construct)? {
                    return Some(Some(Finding::known(bug, Some(construct), Some(feature))));
                }
            }
        }
        // Several known bugs at once.
        if let Some(without) = self.without_known(suspect, bugs)
            && self.runner.is_right(configuration, &Subject::from(&without))?
        {
            return Some(Some(Finding::known(&bugs[0], None, None)));
        }
        Some(None)
    }

    /// Returns true if each of the features that show a bug together cures the program of an alarm. `None` if the campaign is
    /// cancelled.
    fn is_cured_by_each(&self, suspect: &Suspect<'_>, bug: &KnownBug) -> Option<bool> {
        let Some(kernel) = suspect.program.kernel() else { return Some(false) };
        let (runner, programs) = (self.runner, self.programs);
        for name in bug.together() {
            let configuration = suspect.alarm.configuration;
            if !cure::cures(runner, programs, configuration, name, &[kernel])? {
                return Some(false);
            }
        }
        Some(bug.together().count() > 1)
    }

    fn is_told_by_one(&self, bug: &KnownBug) -> bool {
        !self.runner.matrix.kind.has_instructions() || bug.is_told_by_one()
    }

    /// The entry of an avoid list for a construct, if it cures a program. The outermost `None` says that the campaign is
    /// cancelled.
    fn feature_of(&self, suspect: &Suspect<'_>, construct: &str) -> Option<Option<String>> {
        let (runner, programs) = (self.runner, self.programs);
        let configuration = suspect.alarm.configuration;
        if is_rewrite(construct) {
            let is_cured = rewrites::cures(runner, configuration, construct, &suspect.original)?;
            return Some(is_cured.then(|| construct.to_owned()));
        }
        let Some(kernel) = suspect.program.kernel() else { return Some(None) };
        if !cure::cures(runner, programs, configuration, construct, &[kernel])? {
            return Some(None);
        }
        cure::feature_of(runner, programs, configuration, construct, kernel).map(Some)
    }

    /// The reduced program of a known bug, with what is expected of it.
    fn reduced(&self, name: &str, original: &Subject) -> Option<Subject> {
        let found = publish::read(self.reduction.directory, name, self.runner.matrix.kind)?;
        let exact = self.runner.matrix.kind.is_exact(&found.source);
        // An outcome is compared with what the program had when it was found: a vote, or knowledge.
        let expected = match (&original.expected, found.expected) {
            (ExpectedResult::Voted { .. }, ExpectedResult::Known(result)) => {
                ExpectedResult::Voted { result, exact }
            }
            (_, expected) => expected,
        };
        Some(Subject { expected, ..found })
    }

    /// The program without the features of all known bugs, if there are any.
    pub(super) fn without_known(&self, suspect: &Suspect<'_>, bugs: &[KnownBug]) -> Option<Kernel> {
        let told = bugs.iter().filter(|bug| self.is_told_by_one(bug));
        let names: Vec<&str> = told.flat_map(KnownBug::telling).map(String::as_str).collect();
        let avoid: Avoid = names.join(",").parse().ok()?;
        let is_possible = !names.is_empty() && self.programs.can_avoid(&avoid);
        is_possible.then(|| suspect.program.kernel()?.without(&avoid)).flatten()
    }
}
