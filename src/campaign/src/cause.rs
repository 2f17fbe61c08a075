//! Whether a reduced text still has what is at fault.
//!
//! A reduction of a text keeps a difference of results, and nothing says that it remains the same difference. So of the constructs
//! that cure the program, one must be left in the text, and without it, the accused configuration has the result of all
//! witnesses.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use clreduce_generator::is_general;
use clreduce_kernel::ProgramKind;
use clreduce_recipe::show;

use crate::cure::{Cure, Cures};
use crate::knowledge::KnownBug;
use crate::lanes::THREE_LANES;
use crate::matrix::{Configuration, SourceKind};
use crate::not_reduced::{NotReduced, Stop};
use crate::outcome::{ExpectedResult, Subject};
use crate::parts::{Part, has_parts, parts};
use crate::reduction::BugReduction;
use crate::rewrites::{self, REWRITES, is_rewrite, rewritten};

impl BugReduction<'_> {
    /// The cures of a program, as far as its reduced text tells: that which is still at fault says which bug it is.
    pub(crate) fn cures_of_text(
        &self,
        configuration: usize,
        (small, reduced): (&Subject, &Subject),
        witnesses: &[Configuration],
        cures: Cures,
    ) -> Result<Cures, Stop> {
        let all = cures.telling.iter().flat_map(Cure::names).chain(&cures.all);
        let names: Vec<&String> = all.filter(|name| !is_general(name)).collect();
        if names.is_empty() {
            return Ok(match self.rewrite(configuration, reduced, witnesses)? {
                Some(name) => told_by_rewrite(cures, name),
                None => cures,
            });
        }
        let language = self.runner.matrix.kind.language();
        if witnesses.is_empty() || !has_parts(language) {
            return Ok(cures);
        }
        let place = |part: &Part| names.iter().position(|name| **name == part.name);
        let mut parts = parts(&reduced.source, language);
        parts.retain(|part| place(part).is_some() || self.may_stand_for_another(part));
        parts.sort_by_key(|part| place(part).unwrap_or(names.len()));
        let mut found = Vec::new();
        for part in parts {
            let without = [&part.without[..], &part.numbers[..]].concat();
            if self.has(&without, Look::Right, configuration, reduced, witnesses)? {
                found.push(part);
            }
        }
        let Some(first) = found.first().map(|part| part.name.clone()) else {
            // What cures the program may only have led to what a change of the text cures, in the program as well.
            if let Some(name) = self.rewrite(configuration, reduced, witnesses)?
                && rewrites::cures(self.runner, configuration, name, small)
                    .ok_or(Stop::Cancelled)?
            {
                return Ok(told_by_rewrite(cures, name));
            }
            let names: BTreeSet<&str> = names.into_iter().map(String::as_str).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            return Err(NotReduced::OtherCause(names).into());
        };
        // Where nothing that cures has three lanes, and still all is right with four, the type is at fault.
        if !found.iter().any(|part| part.has_three_lanes)
            && self.is_cured_by(THREE_LANES, configuration, reduced, witnesses)?
        {
            return Ok(told_by_rewrite(cures, THREE_LANES));
        }
        if found.len() == 1 || is_of_family(&cures, &first) {
            return Ok(told_by(cures, first));
        }
        // What is around the fault only carries it to the result. What a number can stand for only leads to it.
        found.sort_by_key(|part| Reverse(part.depth));
        for part in found {
            if !self.has(&part.numbers, Look::Wrong, configuration, reduced, witnesses)? {
                return Ok(told_by(cures, part.name));
            }
        }
        Ok(told_by(cures, first))
    }

    /// The known bug that a change of the text tells, with this change as the cure of a program. A construct with three lanes that also
    /// cures it may be at fault itself, so then four lanes say nothing.
    pub(crate) fn known_by_rewrite(
        &self,
        configuration: usize,
        small: &Subject,
        cures: &Cures,
        bugs: &[KnownBug],
    ) -> Result<Option<(String, Cures)>, Stop> {
        let parts = parts(&small.source, self.runner.matrix.kind.language());
        let may_be_at_fault = parts.iter().any(|part| {
            part.has_three_lanes && !is_general(&part.name) && cures.all.contains(&part.name)
        });
        for bug in bugs {
            for name in bug.telling().filter(|name| is_rewrite(name)) {
                if (name != THREE_LANES || !may_be_at_fault)
                    && rewrites::cures(self.runner, configuration, name, small)
                        .ok_or(Stop::Cancelled)?
                {
                    return Ok(Some((bug.name.clone(), told_by_rewrite(cures.clone(), name))));
                }
            }
        }
        Ok(None)
    }

    /// The right result of a reduced program: the one that most witnesses have. Witnesses of the original may show the bug of the
    /// reduced program, above all other configurations of the same device.
    pub(crate) fn right_result(
        &self,
        configuration: usize,
        reduced: &Subject,
        witnesses: &[Configuration],
    ) -> Result<ExpectedResult, Stop> {
        let result = |one: &Configuration| -> Result<Option<String>, Stop> {
            let (outcome, _) = self.runner.outcome(one, reduced).ok_or(Stop::Cancelled)?;
            Ok(outcome.result().map(|outputs| show(outputs) + "\n"))
        };
        let wrong = result(&self.runner.matrix.configurations[configuration])?;
        let mut votes: Vec<(String, usize)> = Vec::new();
        for one in witnesses {
            let Some(found) = result(one)?.filter(|found| Some(found) != wrong.as_ref()) else {
                continue;
            };
            match votes.iter_mut().find(|(known, _)| *known == found) {
                Some((_, count)) => *count += 1,
                None => votes.push((found, 1)),
            }
        }
        // Of several, the first one.
        let best = votes.into_iter().rev().max_by_key(|(_, count)| *count);
        Ok(best.map_or(ExpectedResult::Open { executed: true }, |(found, _)| {
            ExpectedResult::Known(found)
        }))
    }

    /// The change of the text with which it is right, if there is one.
    fn rewrite(
        &self,
        configuration: usize,
        reduced: &Subject,
        witnesses: &[Configuration],
    ) -> Result<Option<&'static str>, Stop> {
        for name in REWRITES {
            if self.is_cured_by(name, configuration, reduced, witnesses)? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Returns true if the text is right with a change of all that it has of something.
    fn is_cured_by(
        &self,
        name: &str,
        configuration: usize,
        reduced: &Subject,
        witnesses: &[Configuration],
    ) -> Result<bool, Stop> {
        let text = rewritten(name, &reduced.source, self.runner.matrix.kind.language());
        self.has(text.as_slice(), Look::Right, configuration, reduced, witnesses)
    }

    /// Outside of OpenCL C, many functions are made of operators by the text itself, and these may be all that is left of them.
    fn may_stand_for_another(&self, part: &Part) -> bool {
        self.runner.matrix.kind != SourceKind::Kernels(ProgramKind::OpenCl) && !part.is_own
    }

    /// Returns true if one of these texts looks like this.
    fn has(
        &self,
        texts: &[String],
        wanted: Look,
        configuration: usize,
        reduced: &Subject,
        witnesses: &[Configuration],
    ) -> Result<bool, Stop> {
        for source in texts {
            let (source, expected) = (source.clone(), ExpectedResult::Open { executed: true });
            let subject = Subject { source, expected, ..reduced.clone() };
            if self.look(&subject, configuration, witnesses)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn look(
        &self,
        subject: &Subject,
        configuration: usize,
        witnesses: &[Configuration],
    ) -> Result<Look, Stop> {
        let result = |one: &Configuration| -> Result<Option<String>, Stop> {
            let (outcome, _) = self.runner.outcome(one, subject).ok_or(Stop::Cancelled)?;
            Ok(outcome.result().map(show))
        };
        let mut right = None;
        for one in witnesses {
            match (result(one)?, &right) {
                (Some(own), None) => right = Some(own),
                (Some(own), Some(right)) if own == *right => {}
                _ => return Ok(Look::Unclear),
            }
        }
        let own = result(&self.runner.matrix.configurations[configuration])?;
        Ok(match (own, right) {
            (Some(own), Some(right)) if own == right => Look::Right,
            (Some(_), Some(_)) => Look::Wrong,
            _ => Look::Unclear,
        })
    }
}

/// A look at a text on the accused configuration and on all witnesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// All have the same result.
    Right,
    /// The witnesses have another result than the accused configuration.
    Wrong,
    /// A witness does not run it, or has another result than the others.
    Unclear,
}

/// The cures of a program, of which this change of the text tells the bug.
fn told_by_rewrite(cures: Cures, name: &str) -> Cures {
    let name = name.to_owned();
    let all = cures.all.into_iter().chain([name.clone()]).collect();
    let telling = vec![Cure { feature: name.clone(), construct: name, siblings: Vec::new() }];
    Cures { all, telling, ..cures }
}

fn is_of_family(cures: &Cures, name: &String) -> bool {
    let of_family = cures.telling.iter().filter(|cure| !cure.siblings.is_empty());
    of_family.into_iter().any(|cure| cure.names().any(|own| own == name))
}

/// The cures, of which this one is at fault in what is left.
fn told_by(cures: Cures, name: String) -> Cures {
    let is_told = cures.telling.iter().any(|cure| cure.names().any(|own| *own == name));
    if is_told || !cures.all.contains(&name) {
        return cures;
    }
    let telling = vec![Cure { feature: name.clone(), construct: name, siblings: Vec::new() }];
    Cures { telling, ..cures }
}
