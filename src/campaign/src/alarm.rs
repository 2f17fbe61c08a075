//! What becomes of an alarm: is the bug known, is the compiler to blame, and what is left when the program is reduced?

mod recognise;

use clreduce_generator::{Avoid, Kernel};
use clreduce_kernel::{ProgramKind, RunOutcome};

use crate::CampaignError;
use crate::cure::Cures;
use crate::drawn::Drawn;
use crate::external::NoProgram;
use crate::family;
use crate::jury;
use crate::knowledge::KnownBug;
use crate::log::{AvoidLine, Conclusion, End};
use crate::matrix::Configuration;
use crate::not_reduced::Stop;
use crate::outcome::{Class, ExpectedResult, Observed, Subject};
use crate::programs::{Program, Programs};
use crate::queues::Alarm;
use crate::reduction::{BugReduction, Reduced, ReducedBug};
use crate::rewrites::{self, REWRITES};
use crate::runner::Runner;
use crate::shared::Shared;

/// Looks into alarms, several of a device side by side. What they come to is settled in their order.
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

/// What a look at a program has come to, if the known bugs are all that there are.
enum Finding {
    /// There is no bug, or nothing can be said.
    Ended(End, String),
    /// It is this bug, by this construct if there is one, and the feature that caused it.
    Known { bug: String, construct: Option<String>, feature: Option<String> },
    /// Reduced, it is this bug.
    Duplicate(String, Cures),
    /// It is a new bug. Its folder is there.
    Bug(Box<ReducedBug>),
}

/// The end of a look at a program.
enum Look {
    Found(Finding),
    /// It is probably the bug of an earlier alarm, which is reduced first, or of one that became known meanwhile.
    Again,
}

impl Finding {
    /// Returns true if it is the same with the bugs that are known now. What was learnt of one, such as the outline of another of its
    /// programs, mostly says nothing of this program.
    fn holds(&self, before: &[KnownBug], now: &[KnownBug]) -> bool {
        let outline = match self {
            Self::Ended(..) => return before == now,
            Self::Known { .. } => None,
            Self::Duplicate(_, cures) => cures.outline.as_ref(),
            Self::Bug(bug) => bug.cures.outline.as_ref(),
        };
        let is_same = |(before, now): (&KnownBug, &KnownBug)| {
            (&before.name, &before.constructs) == (&now.name, &now.constructs)
                && before.has_outline(outline) == now.has_outline(outline)
        };
        before.len() == now.len() && before.iter().zip(now).all(is_same)
    }

    fn known(bug: &KnownBug, construct: Option<&String>, feature: Option<String>) -> Self {
        let construct = construct.or(bug.constructs.first()).cloned();
        Self::Known { bug: bug.name.clone(), construct, feature }
    }
}

impl Investigator<'_> {
    /// Looks into an alarm. `None` once the campaign is cancelled.
    ///
    /// # Errors
    /// When a bug cannot be written down.
    pub(crate) fn look(&self, alarm: &Alarm) -> Result<Option<Conclusion>, CampaignError> {
        let runner = self.runner.drawing(Drawn::Seed(self.programs.seed(alarm.program)));
        let reduction = self.reduction.with(&runner);
        let suspect = match self.with(&runner, &reduction).suspect(alarm) {
            Some(Ok(suspect)) => suspect,
            Some(Err(gone)) => {
                self.shared.take_cures(alarm, &[]);
                return Ok(self.shared.wait_for_earlier(alarm).then_some(gone));
            }
            None => return Ok(None),
        };
        let (original, observed) = (&suspect.original, &suspect.observed);
        let needed = runner.with_needed_options(alarm.configuration, original, observed);
        let Some(runner) = needed else { return Ok(None) };
        let reduction = self.reduction.with(&runner);
        self.with(&runner, &reduction).look_into(&suspect)
    }

    /// The same with another runner.
    fn with<'b>(&'b self, runner: &'b Runner, reduction: &'b BugReduction<'b>) -> Investigator<'b> {
        Investigator { runner, reduction, programs: self.programs, shared: self.shared }
    }

    /// Looks into an alarm whose program shows it again.
    fn look_into(&self, suspect: &Suspect<'_>) -> Result<Option<Conclusion>, CampaignError> {
        let alarm = suspect.alarm;
        let Some(cure) = self.rewrite(suspect) else { return Ok(None) };
        self.shared.take_cures(alarm, &cure.map(str::to_owned).into_iter().collect::<Vec<_>>());
        loop {
            if !self.shared.wait_for_likeness(alarm) {
                return Ok(None);
            }
            let bugs = self.bugs(suspect);
            let finding = match self.judge(suspect, &bugs)? {
                None => return Ok(None),
                Some(Look::Again) => continue,
                Some(Look::Found(finding)) => finding,
            };
            if !self.shared.wait_for_earlier(alarm) {
                return Ok(None);
            }
            // An earlier alarm may have shown a bug meanwhile. No other one will.
            if finding.holds(&bugs, &self.bugs(suspect)) {
                return self.conclude(suspect, finding).map(Some);
            }
            if let Finding::Bug(_) = finding {
                self.reduction.withdraw(&self.name_of(suspect))?;
            }
        }
    }

    /// Runs the program of an alarm again. Without the alarm, there is a conclusion already. The outermost `None` says that the
    /// campaign is cancelled.
    fn suspect<'a>(&self, alarm: &'a Alarm) -> Option<Result<Suspect<'a>, Conclusion>> {
        let gone = |signature, reason| {
            let conclusion = self.conclusion(alarm, signature);
            Some(Err(Conclusion { end: End::Gone, reason, ..conclusion }))
        };
        let name = self.runner.matrix.name(alarm.configuration);
        let avoid = self.shared.avoid_of(&name, alarm.program);
        let which = (alarm.program, alarm.variant);
        let program = match family::member(self.runner, self.programs, which, &avoid) {
            Ok(program) => program,
            Err(NoProgram::Cancelled) => return None,
            Err(NoProgram::None(reason)) => return gone(String::new(), reason),
        };
        let original = self.expected_of(&program, alarm)?;
        let observed = self.runner.observe(alarm.configuration, &original)?;
        if observed.class != alarm.class {
            let reason = format!("the next time: {}", observed.class.name());
            return gone(observed.signature, reason);
        }
        let device = self.runner.matrix.configurations[alarm.configuration].device;
        Some(Ok(Suspect { alarm, device, program, original, observed }))
    }

    /// The change of the text that cures a program with a wrong result, if there is one. The outermost `None` says that the
    /// campaign is cancelled.
    fn rewrite(&self, suspect: &Suspect<'_>) -> Option<Option<&'static str>> {
        let names = REWRITES.into_iter().filter(|_| suspect.observed.class.is_wrong());
        for name in names {
            let configuration = suspect.alarm.configuration;
            if rewrites::cures(self.runner, configuration, name, &suspect.original)? {
                return Some(Some(name));
            }
        }
        Some(None)
    }

    /// The bugs so far that show as the suspected one does.
    fn bugs(&self, suspect: &Suspect<'_>) -> Vec<KnownBug> {
        let family = self.runner.matrix.family(suspect.alarm.configuration);
        self.shared.with_knowledge(|known| known.bugs_of(family, &suspect.observed))
    }

    /// What a program shows, if these are the known bugs. `None` once the campaign is cancelled.
    fn judge(
        &self,
        suspect: &Suspect<'_>,
        bugs: &[KnownBug],
    ) -> Result<Option<Look>, CampaignError> {
        match self.known(suspect, bugs) {
            None => return Ok(None),
            Some(Some(known)) => return Ok(Some(Look::Found(known))),
            Some(None) => {}
        }
        match self.to_blame(suspect) {
            None => Ok(None),
            Some(Some((end, reason))) => Ok(Some(Look::Found(Finding::Ended(end, reason)))),
            Some(None) => self.reduce(suspect, bugs),
        }
    }

    /// Settles what a program has shown.
    fn conclude(
        &self,
        suspect: &Suspect<'_>,
        finding: Finding,
    ) -> Result<Conclusion, CampaignError> {
        let ended = |end, reason| self.ended(suspect, end, reason);
        Ok(match finding {
            Finding::Ended(end, reason) => ended(end, reason),
            Finding::Known { bug, construct, feature } => {
                // It may have been reduced beside the one that showed the bug first.
                self.reduction.forget(&self.name_of(suspect))?;
                let avoid = self.avoided(suspect.alarm, feature);
                let known = ended(End::Known, String::new());
                Conclusion { bug: Some(bug), construct, avoid, ..known }
            }
            Finding::Duplicate(bug, cures) => {
                let duplicate = ended(End::Duplicate, String::new());
                let bug = Some(bug);
                self.with_cures(Conclusion { bug, ..duplicate }, suspect.alarm, cures)
            }
            Finding::Bug(found) => {
                let name = self.name_of(suspect);
                self.reduction.settle(&name)?;
                let bug = ended(End::Bug, String::new());
                let bug = Conclusion { bug: Some(name), ..bug };
                self.with_cures(bug, suspect.alarm, found.cures)
            }
        })
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
            variant: alarm.variant,
            configuration: self.runner.matrix.name(alarm.configuration),
            class: alarm.class,
            signature,
            end: End::NotReduced,
            bug: None,
            construct: None,
            siblings: Vec::new(),
            cures: Vec::new(),
            avoid: Vec::new(),
            conversions: Vec::new(),
            outline: None,
            reason: String::new(),
        }
    }

    /// The features that caused an alarm, as far as programs can do without them.
    fn avoided(&self, alarm: &Alarm, features: impl IntoIterator<Item = String>) -> Vec<AvoidLine> {
        let configuration = self.runner.matrix.name(alarm.configuration);
        // The generator cannot do without all that cures a text.
        let can_avoid = |name: &String| self.shared.avoids && name.parse::<Avoid>().is_ok();
        let features = features.into_iter().filter(can_avoid);
        features
            .map(|feature| AvoidLine { configuration: configuration.clone(), feature })
            .collect()
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
        let (matrix, own) = (&self.runner.matrix, suspect.alarm.configuration);
        // A compiler is known to be several: with each of its options, it makes other code. So is ptxas.
        let device = matrix.toolchain(own).device();
        let is_compiler = device.is_none_or(|device| device.takes() == ProgramKind::Ptx);
        if is_compiler && matches!(suspect.observed.class, Class::Crash | Class::Hang) {
            let (outcome, _) = self.runner.outcome(&matrix.configurations[own], subject)?;
            // Whatever the program is, its compiler should end.
            if matches!(outcome, RunOutcome::BuildCrash(_) | RunOutcome::BuildTimeout) {
                return Some(None);
            }
        }
        let is_another = |one: &Configuration| one.device != suspect.device || is_compiler;
        for other in matrix.others(own).into_iter().filter(is_another) {
            let (outcome, _) = self.runner.outcome(&other, subject)?;
            if Observed::of(&outcome, &subject.expected).class == Class::Right {
                return Some(None);
            }
        }
        let reason = "no other device confirms the result".to_owned();
        Some(Some((End::NotReduced, reason)))
    }

    /// Reduces the program. `None` once the campaign is cancelled.
    fn reduce(
        &self,
        suspect: &Suspect<'_>,
        bugs: &[KnownBug],
    ) -> Result<Option<Look>, CampaignError> {
        let found = self.reduce_kernel(suspect, suspect.program.kernel(), bugs)?;
        let Some(Look::Found(Finding::Duplicate(..))) = &found else { return Ok(found) };
        // There may be another bug behind a known one.
        let Some(rest) = self.without_known(suspect, bugs) else { return Ok(found) };
        let configuration = suspect.alarm.configuration;
        match self.runner.shows(configuration, &Subject::from(&rest), &suspect.observed) {
            None => Ok(None),
            Some(false) => Ok(found),
            Some(true) => {
                self.reduction.forget(&self.name_of(suspect))?;
                self.reduce_kernel(suspect, Some(&rest), bugs)
            }
        }
    }

    fn reduce_kernel(
        &self,
        suspect: &Suspect<'_>,
        kernel: Option<&Kernel>,
        bugs: &[KnownBug],
    ) -> Result<Option<Look>, CampaignError> {
        let programs = (kernel, &suspect.original);
        let (name, found) = (self.name_of(suspect), (&suspect.observed, bugs));
        let reduced = self.reduction.reduce(&name, suspect.alarm, programs, found);
        // A bug appears as soon as it is reduced, whatever earlier alarms will show.
        let published = reduced.and_then(|reduced| match &reduced {
            Reduced::Bug(bug) => {
                self.reduction.publish(&name, bug, &suspect.original).map(|()| reduced)
            }
            _ => Ok(reduced),
        });
        let finding = match published {
            Ok(Reduced::Again) => return Ok(Some(Look::Again)),
            Ok(Reduced::Bug(bug)) => Finding::Bug(bug),
            Ok(Reduced::Duplicate(bug, cures)) => Finding::Duplicate(bug, cures),
            Err(Stop::Failed(reason)) => Finding::Ended(reason.end(), reason.to_string()),
            Err(Stop::Cancelled) => return Ok(None),
            Err(Stop::Campaign(error)) => return Err(error),
        };
        Ok(Some(Look::Found(finding)))
    }

    /// The conclusion with what cures the program.
    fn with_cures(&self, ended: Conclusion, alarm: &Alarm, cures: Cures) -> Conclusion {
        let Cures { all, conversions, outline, telling } = cures;
        let ended = Conclusion { cures: all, conversions, outline, ..ended };
        let Some(cure) = telling.into_iter().next() else { return ended };
        let avoid = self.avoided(alarm, cure.features());
        let (construct, siblings) = (Some(cure.construct), cure.siblings);
        Conclusion { construct, siblings, avoid, ..ended }
    }

    /// The name of a bug: configuration, outcome and program.
    fn name_of(&self, suspect: &Suspect<'_>) -> String {
        let words = [
            self.runner.matrix.name(suspect.alarm.configuration),
            suspect.observed.class.slug(),
            self.programs.name(suspect.alarm.program, suspect.alarm.variant),
        ];
        let name = words.join("-").to_lowercase();
        let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    }
}
