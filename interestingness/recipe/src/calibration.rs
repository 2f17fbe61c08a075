//! What the original says: its outcome is pinned, every stage is timed, and a stage that rejects it is switched
//! off or refused.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clreduce_check::{CollectedReports, Finding, StageName};
use clreduce_process::Cancel;
use clreduce_testcase::TestCase;
use serde::{Deserialize, Serialize};

use crate::configuration::{Configuration, Program};
use crate::error::Problem;
use crate::format::Preset;
use crate::kit::Kit;
use crate::pin::{Answer, Pin, Shown, pin};
use crate::stages::{Does, Ready, Stage, Tolerated};
use crate::test::{RecipeTest, show};

/// What was found out about the original, and decides later answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// The outcome that variants must show.
    pub pin: Pin,
    /// The stages that are on, in their order, with their time limits in milliseconds.
    pub stages: Vec<(String, u64)>,
    /// The configurations that run, with theirs.
    pub configurations: BTreeMap<String, u64>,
    /// What the original is not held responsible for, nor any variant.
    pub tolerated: Tolerated,
}

/// A run of the original may take so long.
const PATIENCE: Duration = Duration::from_secs(300);
/// A tool of a stage as well.
const STAGE_PATIENCE: Duration = Duration::from_secs(60);
/// Limits of configurations: so long, and so many times what the original takes. Smaller variants mostly take less;
/// some optimisers take minutes for what a changed size of work-groups makes of a large kernel, and every one of
/// these costs the limit.
const LEAST: Duration = Duration::from_secs(10);
const TIMES: u32 = 3;
/// What is slow is not yet said to hang.
const TIMES_FOR_A_HANG: u32 = 20;

impl Calibration {
    pub(crate) fn limit_of(&self, configuration: &Configuration) -> Duration {
        let known = self.configurations.get(&configuration.name);
        known.map_or(PATIENCE, |limit| Duration::from_millis(*limit))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Runs everything on the original.
pub(crate) fn calibrate(kit: Kit, case: &TestCase, cancel: &Cancel) -> Result<RecipeTest, Problem> {
    let programs = kit.programs(case).ok_or_else(|| {
        Problem::new(
            "a [[variant]] names a file that is not there",
            "name files as they are called in the test case",
        )
    })?;
    let mut attempts = 0;
    let (pin, configurations) = loop {
        attempts += 1;
        let (shown, limits) = show_all(&kit, &programs, cancel);
        if cancel.is_cancelled() {
            return Err(Problem::interruption());
        }
        match pin(kit.preset, &kit.demands, &shown) {
            Ok(pin) => break (pin, limits),
            Err(_) if attempts < kit.confirm.of => {}
            Err(problem) => return Err(problem),
        }
    };
    let mut checked = Checked::default();
    checked.run(&kit, &programs, cancel)?;
    if cancel.is_cancelled() {
        return Err(Problem::interruption());
    }
    drop(programs);
    let calibration =
        Calibration { pin, stages: checked.stages, configurations, tolerated: checked.tolerated };
    ready(kit, calibration, checked.warnings)
}

/// A recipe that knows what is to be known of the original.
pub(crate) fn ready(
    kit: Kit,
    calibration: Calibration,
    warnings: Vec<String>,
) -> Result<RecipeTest, Problem> {
    let mut stages = Vec::new();
    for (name, limit) in &calibration.stages {
        let stage = kit.stages.iter().find(|stage| stage.name == *name);
        let stage = stage.ok_or_else(|| {
            Problem::new(format!("there is no stage `{name}` any more"), "start again with --fresh")
        })?;
        stages.push(prepare(&kit, stage, Duration::from_millis(*limit))?);
    }
    Ok(RecipeTest::new(kit, stages, calibration, warnings))
}

fn prepare(kit: &Kit, stage: &Stage, limit: Duration) -> Result<Ready, Problem> {
    Ready::new(stage.clone(), &kit.check, &kit.bench, limit).map_err(|error| {
        Problem::new(error.to_string(), format!("or remove the stage `{}`", stage.name))
    })
}

/// What every configuration shows, and the limits that follow.
fn show_all<'a>(
    kit: &'a Kit,
    programs: &[Program<'_>],
    cancel: &Cancel,
) -> (Vec<Shown<'a>>, BTreeMap<String, u64>) {
    let hangs = kit.preset == Preset::Hang;
    let mut slowest = Duration::ZERO;
    let mut limits = BTreeMap::new();
    let mut shown: Vec<Option<Shown<'a>>> = kit.configurations.iter().map(|_| None).collect();
    // Who is said to hang comes last: the others say how long is long.
    let is_last = |index: &usize| hangs && kit.accused == Some(*index);
    let mut order: Vec<usize> = (0..kit.configurations.len()).collect();
    order.sort_by_key(is_last);
    for index in order {
        let configuration = &kit.configurations[index];
        let usual = |wall: Duration| match hangs {
            true => (wall * TIMES_FOR_A_HANG).clamp(LEAST, PATIENCE),
            false => (LEAST + wall * TIMES).min(PATIENCE),
        };
        let patience = configuration.timeout.unwrap_or_else(|| match hangs {
            true if is_last(&index) => usual(slowest),
            true => Duration::from_secs(60),
            false => PATIENCE,
        });
        let (mut one, wall) = show(kit, configuration, programs, patience, cancel);
        one.accused = kit.accused == Some(index);
        let has_result = one.outcomes.iter().all(|outcome| outcome.result().is_some());
        if has_result {
            slowest = slowest.max(wall);
        }
        let limit = configuration.timeout.unwrap_or_else(|| {
            // The limit is what a hang is measured by.
            if hangs && !has_result { patience } else { usual(wall) }
        });
        limits.insert(configuration.name.clone(), millis(limit));
        shown[index] = Some(one);
        if cancel.is_cancelled() {
            break;
        }
    }
    (shown.into_iter().flatten().collect(), limits)
}

/// What the stages say of the original.
#[derive(Default)]
struct Checked {
    stages: Vec<(String, u64)>,
    tolerated: Tolerated,
    warnings: Vec<String>,
}

impl Checked {
    fn run(&mut self, kit: &Kit, programs: &[Program<'_>], cancel: &Cancel) -> Result<(), Problem> {
        let Some(program) = programs.first() else { return Ok(()) };
        let subject = program.subject();
        let mut gathered = CollectedReports::default();
        let mut timed = Vec::new();
        for stage in &kit.stages {
            let ready = prepare(kit, stage, stage.timeout.unwrap_or(STAGE_PATIENCE))?;
            let started = Instant::now();
            let mut own = CollectedReports::default();
            if let Does::Check(StageName::Compile) = stage.does {
                self.tolerate_warnings(&ready.findings(subject.as_ref(), cancel));
            }
            let answer = ready.run(program, subject.as_ref(), &self.tolerated, &mut own, cancel);
            let wall = started.elapsed();
            if cancel.is_cancelled() {
                return Ok(());
            }
            // What cannot read the original has no say about variants.
            if let (Does::Check(StageName::Compile), Some(why)) = (&stage.does, own.total_failure())
            {
                self.warnings.push(format!(
                    "the stage `{}` is switched off: {}: {}",
                    stage.name, why.tool, why.message
                ));
                continue;
            }
            if self.is_on(stage, answer)? {
                gathered.merge(own);
                timed.push((stage, wall));
            }
        }
        // What costs least comes first; a person's own commands stay where they are.
        let cost = |(stage, wall): &(&Stage, Duration)| match stage.does {
            Does::Check(StageName::Compile) | Does::Command(_) => Duration::ZERO,
            Does::Check(_) => *wall,
        };
        timed.sort_by_key(cost);
        let limit =
            |(stage, wall): (&Stage, Duration)| (stage.name.clone(), millis(stage.limit(wall)));
        self.stages = timed.into_iter().map(limit).collect();
        self.tolerate(gathered);
        Ok(())
    }

    /// Whether a stage can be used, after what it said of the original.
    fn is_on(&mut self, stage: &Stage, answer: Answer) -> Result<bool, Problem> {
        let name = &stage.name;
        let (why, failed) = match answer {
            Answer::Holds => return Ok(true),
            Answer::No(why) | Answer::Slipped(why) => (why, false),
            Answer::TimedOut(why) | Answer::Unresolved(why) => (why, true),
        };
        if !stage.required {
            self.warnings.push(format!(
                "the stage `{name}` rejects the original and is switched off: {why}"
            ));
            return Ok(false);
        }
        let what = if failed { "cannot judge" } else { "rejects" };
        let problem = Problem::new(
            format!("the stage `{name}` {what} the original: {why}"),
            format!(
                "correct the original; or, if the stage is mistaken, write `required = false` in its [[stage]] \
                 (`{name}`)"
            ),
        );
        Err(Problem { at: stage.at, ..problem })
    }

    /// Generated programs are full of what is not portable and harms nobody.
    fn tolerate_warnings(&mut self, findings: &[Finding]) {
        let warnings = self.tolerated.warnings_of(findings);
        if !warnings.is_empty() {
            self.warnings.push(format!(
                "the original triggers portability warnings ({}), so variants may trigger them too",
                warnings.join(", ")
            ));
        }
    }

    /// What nobody could look for in the original cannot be demanded of a variant.
    fn tolerate(&mut self, gathered: CollectedReports) {
        let report = gathered.report();
        for failure in &report.failures {
            self.warnings.push(format!("{}: {}", failure.tool, failure.message));
        }
        self.tolerated.unchecked = report.unchecked.clone();
        self.tolerated.suspected = report.findings.iter().map(|finding| finding.kind).collect();
        let names =
            |kinds: &mut dyn Iterator<Item = &'static str>| kinds.collect::<Vec<_>>().join(", ");
        if !report.unchecked.is_empty() {
            let kinds = names(&mut report.unchecked.iter().map(|kind| kind.name()));
            self.warnings.push(format!(
                "these cannot be checked in the original, so the result may contain them: {kinds}; run `clreduce \
                 check` on the result"
            ));
        }
        for finding in &report.findings {
            self.warnings.push(format!(
                "suspected `{}` is ignored in variants, because the original triggers an unconfirmed warning: {finding}",
                finding.kind
            ));
        }
    }
}
