//! What becomes of an alarm: is the bug known, is the compiler to blame, and what is left when the program is reduced?

use clreduce_generator::{Avoid, Kernel};

use crate::CampaignError;
use crate::cure::{self, Cures};
use crate::external::NoProgram;
use crate::jury;
use crate::knowledge::{Knowledge, KnownBug};
use crate::log::{AvoidLine, Conclusion, End};
use crate::outcome::{Class, ExpectedResult, Observed, Subject};
use crate::programs::{Program, Programs};
use crate::publish;
use crate::reduction::{BugReduction, NotReduced, Reduced};
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
    /// The program, and the same with what is expected of it.
    program: Program,
    original: Subject,
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
        let program = match self.programs.make(alarm.program, &avoid, &self.runner.cancel) {
            Ok(program) => program,
            Err(NoProgram::Cancelled) => return Ok(None),
            Err(NoProgram::None(reason)) => {
                let conclusion = self.conclusion(alarm, String::new());
                return Ok(Some(Conclusion { end: End::Gone, reason, ..conclusion }));
            }
        };
        let Some(original) = self.expected_of(&program, alarm) else { return Ok(None) };
        let observed = self.runner.observe(alarm.configuration, &original);
        let Some(observed) = observed else { return Ok(None) };
        let device = self.runner.matrix.configurations[alarm.configuration].device;
        let suspect = Suspect { alarm, device, program, original, observed };
        if suspect.observed.class != alarm.class {
            let now = suspect.observed.class.name();
            return Ok(Some(self.ended(&suspect, End::Gone, format!("the next time: {now}"))));
        }
        let family = self.runner.matrix.family(alarm.configuration);
        let bugs = self.shared.with_knowledge(|known| known.bugs_of(family, &suspect.observed));
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

    /// A program with the right result, or that of the majority. `None` once the campaign is cancelled.
    fn expected_of(&self, program: &Program, alarm: &Alarm) -> Option<Subject> {
        let subject = program.subject();
        let Programs::External(external) = self.programs else { return Some(subject) };
        let configurations = self.shared.that_run(alarm.program);
        Some(jury::judge(self.runner, subject, &configurations, external.rule)?.subject)
    }

    /// The conclusion about an alarm, without a bug.
    fn ended(&self, suspect: &Suspect<'_>, end: End, reason: String) -> Conclusion {
        let signature = suspect.observed.signature.clone();
        Conclusion { end, reason, ..self.conclusion(suspect.alarm, signature) }
    }

    fn conclusion(&self, alarm: &Alarm, signature: String) -> Conclusion {
        Conclusion {
            program: alarm.program,
            configuration: self.runner.matrix.name(alarm.configuration),
            class: alarm.class,
            signature,
            end: End::NotReduced,
            bug: None,
            construct: None,
            siblings: Vec::new(),
            cures: Vec::new(),
            avoid: Vec::new(),
            reason: String::new(),
        }
    }

    /// The conclusion if the bug is a known one. The outermost `None` says that the campaign is cancelled.
    fn known(&self, suspect: &Suspect<'_>, bugs: &[KnownBug]) -> Option<Option<Conclusion>> {
        let known = |bug: &KnownBug, construct: Option<&String>, avoid: Vec<AvoidLine>| {
            let ended = self.ended(suspect, End::Known, String::new());
            let construct = construct.or(bug.constructs.first()).cloned();
            Some(Some(Conclusion { bug: Some(bug.name.clone()), construct, avoid, ..ended }))
        };
        let configuration = suspect.alarm.configuration;
        for bug in bugs {
            if Knowledge::is_told_apart(&suspect.observed) {
                return known(bug, None, Vec::new());
            }
            // Another configuration of the device was wrong with the same program.
            if bug.program == suspect.alarm.program
                && let Some(reduced) = self.reduced(&bug.name)
                && self.runner.shows(configuration, &reduced, &suspect.observed)?
            {
                return known(bug, None, Vec::new());
            }
            let Some(kernel) = suspect.program.kernel() else { continue };
            for construct in &bug.constructs {
                if cure::cures(self.runner, self.programs, configuration, construct, &[kernel])? {
                    let feature = cure::feature_of(
                        self.runner,
                        self.programs,
                        configuration,
                        construct,
                        kernel,
                    )?;
                    return known(bug, Some(construct), self.new_lines(suspect.alarm, [feature]));
                }
            }
        }
        // Several known bugs at once.
        if let Some(without) = self.without_known(suspect, bugs)
            && self.runner.is_right(configuration, &Subject::from(&without))?
        {
            return known(&bugs[0], None, Vec::new());
        }
        Some(None)
    }

    /// The reduced program of a known bug, with what is expected of it.
    fn reduced(&self, name: &str) -> Option<Subject> {
        let found = publish::read(self.reduction.directory, name, self.runner.matrix.kind)?;
        let exact = self.runner.matrix.kind.is_exact(&found.source);
        // An outcome is compared with what the program had when it was found: a vote, or knowledge.
        let expected = match (self.programs, found.expected) {
            (Programs::External(_), ExpectedResult::Known(result)) => {
                ExpectedResult::Voted { result, exact }
            }
            (_, expected) => expected,
        };
        Some(Subject { expected, ..found })
    }

    /// The program without the features of all known bugs, if there are any.
    fn without_known(&self, suspect: &Suspect<'_>, bugs: &[KnownBug]) -> Option<Kernel> {
        let names: Vec<&str> =
            bugs.iter().flat_map(|bug| &bug.constructs).map(String::as_str).collect();
        let avoid: Avoid = names.join(",").parse().ok()?;
        let is_possible = !names.is_empty() && self.programs.can_avoid(&avoid);
        is_possible.then(|| suspect.program.kernel()?.without(&avoid)).flatten()
    }

    /// Features to be avoided, but for those that are already.
    fn new_lines(
        &self,
        alarm: &Alarm,
        features: impl IntoIterator<Item = String>,
    ) -> Vec<AvoidLine> {
        let (configuration, class) = (self.runner.matrix.name(alarm.configuration), alarm.class);
        let lines = features.into_iter().map(|feature| {
            let configuration = configuration.clone();
            AvoidLine { configuration, feature }
        });
        let is_new = |line: &AvoidLine| {
            self.shared.avoids && !self.shared.with_knowledge(|known| known.avoids(line, class))
        };
        lines.filter(is_new).collect()
    }

    /// Whether something else than the compiler is to blame, and why. The outermost `None` says that the campaign is
    /// cancelled.
    fn to_blame(&self, suspect: &Suspect<'_>) -> Option<Option<(End, String)>> {
        let subject = &suspect.original;
        // The majority has confirmed the result already.
        if !matches!(subject.expected, ExpectedResult::Known(_)) {
            return Some(None);
        }
        if let Some(host) = self.runner.matrix.host.filter(|host| *host != suspect.device) {
            return Some(match self.runner.on_host(host, subject)? {
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
            if other.device != suspect.device && self.runner.is_right(index, subject)? {
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
                    Some(true) => Some(kernel),
                    Some(false) => suspect.program.kernel().cloned(),
                }
            }
            None => suspect.program.kernel().cloned(),
        };
        let name = self.name_of(suspect);
        let programs = (target.as_ref(), &suspect.original);
        let reduced = self.reduction.run(&name, configuration, programs, &suspect.observed)?;
        Ok(match reduced {
            Reduced::Cancelled => None,
            Reduced::Failed(NotReduced::Invalid(reason)) => {
                Some(self.ended(suspect, End::Invalid, reason))
            }
            Reduced::Failed(reason) => {
                Some(self.ended(suspect, End::NotReduced, reason.to_string()))
            }
            Reduced::Duplicate(bug, cures) => {
                let ended = self.ended(suspect, End::Duplicate, String::new());
                Some(self.with_cures(Conclusion { bug: Some(bug), ..ended }, suspect.alarm, cures))
            }
            Reduced::Bug(cures) => {
                let ended = self.ended(suspect, End::Bug, String::new());
                Some(self.with_cures(Conclusion { bug: Some(name), ..ended }, suspect.alarm, cures))
            }
        })
    }

    /// The conclusion with what cures the program.
    fn with_cures(&self, ended: Conclusion, alarm: &Alarm, cures: Cures) -> Conclusion {
        let ended = Conclusion { cures: cures.all, ..ended };
        let Some(cure) = cures.telling.into_iter().next() else { return ended };
        let avoid = self.new_lines(alarm, cure.features());
        let (construct, siblings) = (Some(cure.construct), cure.siblings);
        Conclusion { construct, siblings, avoid, ..ended }
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
