//! What becomes of an alarm: is the bug known, is the compiler to blame, and what is left when the program is reduced?

use clreduce_generator::{Avoid, Kernel};

use crate::CampaignError;
use crate::cure;
use crate::knowledge::{Knowledge, KnownBug};
use crate::log::{AvoidLine, Conclusion, End};
use crate::outcome::{Class, Observed, Subject};
use crate::programs::Programs;
use crate::publish;
use crate::reduction::{BugReduction, Reduced};
use crate::runner::Runner;
use crate::shared::{Alarm, Shared};

/// Looks into the alarms of one device, one after the other.
pub(crate) struct Investigator<'a> {
    pub runner: &'a Runner,
    pub programs: &'a Programs,
    pub shared: &'a Shared,
    pub reduction: &'a BugReduction<'a>,
}

/// A program that raised an alarm.
struct Suspect<'a> {
    alarm: &'a Alarm,
    device: usize,
    original: Kernel,
    observed: Observed,
}

impl Investigator<'_> {
    /// Looks into an alarm. `None` once the campaign is cancelled.
    ///
    /// # Errors
    /// When a bug cannot be written down.
    pub(crate) fn look(&self, alarm: &Alarm) -> Result<Option<Conclusion>, CampaignError> {
        let name = self.runner.matrix.name(alarm.configuration);
        let avoid = self.shared.with_knowledge(|known| known.avoid_of(&name, alarm.program));
        let Some(original) = self.programs.kernel(alarm.program, &avoid) else { return Ok(None) };
        let observed = self.runner.observe(alarm.configuration, &Subject::from(&original));
        let Some(observed) = observed else { return Ok(None) };
        let device = self.runner.matrix.configurations[alarm.configuration].device;
        let suspect = Suspect { alarm, device, original, observed };
        if suspect.observed.class != alarm.class {
            let now = suspect.observed.class.name();
            return Ok(Some(self.ended(&suspect, End::Gone, format!("the next time: {now}"))));
        }
        let bugs = self.shared.with_knowledge(|known| known.bugs_of(device, &suspect.observed));
        match self.known(&suspect, &bugs) {
            None => return Ok(None),
            Some(Some(conclusion)) => return Ok(Some(conclusion)),
            Some(None) => {}
        }
        match self.to_blame(&suspect) {
            None => return Ok(None),
            Some(Some((end, reason))) => return Ok(Some(self.ended(&suspect, end, reason))),
            Some(None) => {}
        }
        self.reduce(&suspect, &bugs)
    }

    /// The conclusion about an alarm, without a bug.
    fn ended(&self, suspect: &Suspect<'_>, end: End, reason: String) -> Conclusion {
        Conclusion {
            program: suspect.alarm.program,
            configuration: self.runner.matrix.name(suspect.alarm.configuration),
            class: suspect.alarm.class,
            signature: suspect.observed.signature.clone(),
            end,
            bug: None,
            construct: None,
            avoid: Vec::new(),
            reason,
        }
    }

    /// The conclusion if the bug is a known one. The outermost `None` says that the campaign is cancelled.
    fn known(&self, suspect: &Suspect<'_>, bugs: &[KnownBug]) -> Option<Option<Conclusion>> {
        let known = |bug: &KnownBug, avoid: Vec<AvoidLine>| {
            let ended = self.ended(suspect, End::Known, String::new());
            let construct = bug.construct.clone();
            Some(Some(Conclusion { bug: Some(bug.name.clone()), construct, avoid, ..ended }))
        };
        let configuration = suspect.alarm.configuration;
        for bug in bugs {
            if Knowledge::is_told_apart(&suspect.observed) {
                return known(bug, Vec::new());
            }
            // Another configuration of the device was wrong with the same program.
            if bug.program == suspect.alarm.program
                && let Some(reduced) =
                    publish::read(self.reduction.directory, &bug.name, self.programs.extension())
                && self.runner.shows(configuration, &reduced, &suspect.observed)?
            {
                return known(bug, Vec::new());
            }
            let Some(construct) = &bug.construct else { continue };
            let kernels = [&suspect.original];
            if cure::cures(self.runner, self.programs, configuration, construct, &kernels)? {
                let feature = cure::feature_of(
                    self.runner,
                    self.programs,
                    configuration,
                    construct,
                    &suspect.original,
                )?;
                return known(bug, self.new_line(configuration, feature));
            }
        }
        // Several known bugs at once.
        if let Some(without) = self.without_known(suspect, bugs)
            && self.runner.is_right(configuration, &Subject::from(&without))?
        {
            return known(&bugs[0], Vec::new());
        }
        Some(None)
    }

    /// The program without the features of all known bugs, if there are any.
    fn without_known(&self, suspect: &Suspect<'_>, bugs: &[KnownBug]) -> Option<Kernel> {
        let names: Vec<&str> = bugs.iter().filter_map(|bug| bug.construct.as_deref()).collect();
        let avoid: Avoid = names.join(",").parse().ok()?;
        let is_possible = !names.is_empty() && self.programs.can_avoid(&avoid);
        is_possible.then(|| suspect.original.without(&avoid)).flatten()
    }

    /// A feature to be avoided, unless it is already.
    fn new_line(&self, configuration: usize, feature: String) -> Vec<AvoidLine> {
        let configuration = self.runner.matrix.name(configuration);
        let line = AvoidLine { configuration, feature };
        let is_new = self.shared.avoids && !self.shared.with_knowledge(|known| known.avoids(&line));
        if is_new { vec![line] } else { Vec::new() }
    }

    /// Whether something else than the compiler is to blame, and why. The outermost `None` says that the campaign is
    /// cancelled.
    fn to_blame(&self, suspect: &Suspect<'_>) -> Option<Option<(End, String)>> {
        let subject = Subject::from(&suspect.original);
        if let Some(host) = self.runner.matrix.host.filter(|host| *host != suspect.device) {
            return Some(match self.runner.on_host(host, &subject)? {
                Class::Right => None,
                Class::Wrong => {
                    let reason = "the host does not have the expected result either";
                    Some((End::Generator, reason.to_owned()))
                }
                class => {
                    let reason = format!("the host cannot confirm the result: {}", class.name());
                    Some((End::NotReduced, reason))
                }
            });
        }
        if suspect.alarm.is_everywhere {
            let reason = "no configuration has the expected result".to_owned();
            return Some(Some((End::Generator, reason)));
        }
        for (index, other) in self.runner.matrix.configurations.iter().enumerate() {
            if other.device != suspect.device && self.runner.is_right(index, &subject)? {
                return Some(None);
            }
        }
        let reason = "no other device confirms the result".to_owned();
        Some(Some((End::NotReduced, reason)))
    }

    /// Reduces the program, and writes the bug down if it is a new one.
    fn reduce(
        &self,
        suspect: &Suspect<'_>,
        bugs: &[KnownBug],
    ) -> Result<Option<Conclusion>, CampaignError> {
        let configuration = suspect.alarm.configuration;
        // What is known must not come out again.
        let other = self.without_known(suspect, bugs);
        let target = match other {
            Some(kernel) => {
                let subject = Subject::from(&kernel);
                match self.runner.shows(configuration, &subject, &suspect.observed) {
                    None => return Ok(None),
                    Some(true) => kernel,
                    Some(false) => suspect.original.clone(),
                }
            }
            None => suspect.original.clone(),
        };
        let name = self.name_of(suspect);
        let original = Subject::from(&suspect.original);
        let reduced =
            self.reduction.run(&name, configuration, (&target, &original), &suspect.observed)?;
        Ok(match reduced {
            Reduced::Cancelled => None,
            Reduced::Failed(reason) => Some(self.ended(suspect, End::NotReduced, reason)),
            Reduced::Duplicate(bug) => {
                let ended = self.ended(suspect, End::Duplicate, String::new());
                Some(Conclusion { bug: Some(bug), ..ended })
            }
            Reduced::Bug(cure) => {
                let ended = self.ended(suspect, End::Bug, String::new());
                let feature = cure.as_ref().map(|cure| cure.feature.clone());
                let avoid = feature.map(|feature| self.new_line(configuration, feature));
                Some(Conclusion {
                    bug: Some(name),
                    construct: cure.map(|cure| cure.construct),
                    avoid: avoid.unwrap_or_default(),
                    ..ended
                })
            }
        })
    }

    /// The name of a bug: configuration, outcome and program.
    fn name_of(&self, suspect: &Suspect<'_>) -> String {
        let words = [
            self.runner.matrix.name(suspect.alarm.configuration),
            suspect.observed.class.slug(),
            self.programs.name(suspect.alarm.program),
        ];
        let name = words.join("-").to_lowercase();
        let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    }
}
