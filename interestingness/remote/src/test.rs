//! The interestingness test whose runs are actions of a remote execution service.

mod verdicts;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clreduce_interestingness::{
    Cancel, FirstRun, Interestingness, Limits, NotRun, Outcome, OutputPattern, TimeLimits, Verdict,
};
use clreduce_recipe::Calibration;
use clreduce_testcase::TestCase;
use serde::{Deserialize, Serialize};

use crate::agreement::{self, Tools, unexpected};
use crate::answer::{AskedAbout, Calibrated, Says};
use crate::connection::Remote;
use crate::digest::Blob;
use crate::failure::{Failure, RemoteError};
use crate::fingerprint::Fingerprint;
use crate::job::{
    CacheUse, Circumstance, Job, ORDER, ORIGINAL, PROGRAM, TEST, VARIANT, WorkerAnswer,
};
use crate::order::{ActionFiles, Ask, OrderedTest, Sandbox, TestOrder};
use crate::tree::Folder;

/// The number of times that the first questions are asked, on different machines if the service wills.
const FIRST_RUNS: u32 = 3;
/// Time of an action besides that of the test: starting, cleaning up, writing the answer.
const MARGIN: Duration = Duration::from_secs(10);
/// Time of the runs beside the first one on the original.
const FIRST_MARGIN: Duration = Duration::from_secs(300);
/// Time for the calibration of a recipe, and for a variant under a recipe, whose stages have limits of their own.
const RECIPE_LIMIT: Duration = Duration::from_secs(3600);

/// Everything about a remote test but its files.
#[derive(Clone, Debug)]
pub struct RemoteSettings {
    /// The program that runs in each action: one that calls [`judge_main`](crate::judge_main) first thing, such as
    /// `clreduce` itself.
    pub program: PathBuf,
    /// The limits of one test.
    pub limits: Limits,
    /// True if the time limit is the user's. Otherwise it is rounded up to a power of two seconds, so that a repeated
    /// reduction, whose measurements differ a little, asks the same questions.
    pub is_exact: bool,
    /// True if runs of the test on one program may end in different ways.
    pub is_flaky: bool,
    /// Where given, the output decides, and the exit code does not matter.
    pub pattern: Option<OutputPattern>,
    /// The sandbox on the other machines.
    pub sandbox: Sandbox,
}

/// A test that other machines run.
#[derive(Debug)]
pub struct RemoteTest {
    remote: Arc<Remote>,
    /// The files of every action: the program and the test.
    base: Folder,
    test: OrderedTest,
    settings: RemoteSettings,
    tools: Tools,
    limits: Mutex<Limits>,
    part_limits: Mutex<TimeLimits>,
    /// The original and its calibration, under a recipe.
    recipe: Option<(TestCase, Calibrated)>,
    first: OnceLock<FirstRun>,
    repeats: AtomicU64,
}

/// The calibration of a recipe on other machines, for a run that resumes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RemoteCalibration(Calibrated);

impl RemoteTest {
    /// A test by a command or a recipe. Asks three machines for their tools. A recipe must then be calibrated, or
    /// resumed.
    ///
    /// # Errors
    /// When a file cannot be read, no machine answers, or two have different tools. `None` once `cancel` is triggered.
    pub fn new(
        remote: Arc<Remote>,
        files: ActionFiles,
        settings: RemoteSettings,
        cancel: &Cancel,
    ) -> Result<Option<Self>, RemoteError> {
        let path = settings.program.clone();
        let program = Blob::file(path.clone(), 0);
        let program = program.map_err(|source| RemoteError::File { path, source })?;
        let mut base = Folder::default();
        base.add(PROGRAM, program, true);
        *base.folder(TEST) = files.folder;
        let mut test = Self {
            remote,
            base,
            test: files.test,
            limits: Mutex::new(settings.limits.clone()),
            settings,
            tools: Tools::default(),
            part_limits: Mutex::default(),
            recipe: None,
            first: OnceLock::new(),
            repeats: AtomicU64::new(0),
        };
        let tools = test.find_tools(CacheUse::Use, cancel)?;
        test.tools = match tools {
            Some(tools) => tools,
            None => return Ok(None),
        };
        Ok(Some(test))
    }

    /// Calibrates a recipe on the original.
    ///
    /// # Errors
    /// When no machine answers, the recipe rejects the original, or two machines pin different outcomes. `None` once
    /// `cancel` is triggered.
    pub fn calibrate(
        self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<Option<Self>, RemoteError> {
        let answers = self.ask_first(Ask::Calibration, original, CacheUse::Use, cancel);
        let Some(answers) = answers.map_err(|error| RemoteError::NoAnswer(error.to_string()))?
        else {
            return Ok(None);
        };
        let calibrated = agreement::calibration(answers)?;
        Ok(Some(self.resume(original, RemoteCalibration(calibrated))))
    }

    /// Takes the calibration of an earlier run.
    #[must_use]
    pub fn resume(self, original: &TestCase, calibration: RemoteCalibration) -> Self {
        let RemoteCalibration(calibrated) = calibration;
        let part_limits = Mutex::new(calibrated.part_limits.clone());
        let test = match self.test {
            OrderedTest::Recipe { path, .. } => OrderedTest::Recipe {
                path,
                calibration: Some(Box::new(calibrated.calibration.clone())),
                devices: calibrated.devices.clone(),
            },
            command => command,
        };
        let mut base = self.base;
        fill(base.folder(ORIGINAL), original);
        Self { test, base, part_limits, recipe: Some((original.clone(), calibrated)), ..self }
    }

    /// The calibration of a recipe.
    #[must_use]
    pub fn calibration(&self) -> Option<RemoteCalibration> {
        self.recipe.as_ref().map(|(_, calibrated)| RemoteCalibration(calibrated.clone()))
    }

    /// The observations of the first run of a command, once it has ended.
    #[must_use]
    pub fn first_run(&self) -> Option<&FirstRun> {
        self.first.get()
    }

    /// The tools of the machines. Verdicts depend on them.
    #[must_use]
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.tools.fingerprint
    }

    /// The kind of sandbox that the machines have for tests. Verdicts depend on it.
    #[must_use]
    pub fn sandbox(&self) -> &str {
        &self.tools.sandbox
    }

    /// Warnings for a person.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let without = self.tools.without.as_ref().map(|reason| {
            format!("tests run without a sandbox on the machines of the service: {reason}")
        });
        let of_recipe = self.recipe.iter().flat_map(|(_, calibrated)| calibrated.warnings.clone());
        without.into_iter().chain(of_recipe).collect()
    }

    /// A remark on a result under a recipe: the kinds of errors that no stage could look for.
    #[must_use]
    pub fn unchecked(&self) -> Option<&str> {
        self.recipe.as_ref().and_then(|(_, calibrated)| calibrated.unchecked.as_deref())
    }

    /// The calibrated recipe, for a person.
    #[must_use]
    pub fn pinned(&self) -> Option<&Calibration> {
        self.recipe.as_ref().map(|(_, calibrated)| &calibrated.calibration)
    }

    /// Asks machines for their tools.
    fn find_tools(&self, memory: CacheUse, cancel: &Cancel) -> Result<Option<Tools>, RemoteError> {
        let nothing = TestCase::new(Vec::new()).map_err(|_| unexpected())?;
        let answers = self.ask_first(Ask::Tools, &nothing, memory, cancel);
        let Some(answers) = answers.map_err(|error| RemoteError::NoAnswer(error.to_string()))?
        else {
            return Ok(None);
        };
        agreement::tools(answers).map(Some)
    }

    /// Asks a question several times at once. `None` once `cancel` is triggered. Where a machine could judge nothing when the
    /// service asked it, it may by now.
    fn ask_first(
        &self,
        ask: Ask,
        variant: &TestCase,
        memory: CacheUse,
        cancel: &Cancel,
    ) -> Result<Option<Vec<WorkerAnswer>>, Failure> {
        let answers = self.ask_several(ask, variant, memory, cancel)?;
        let was_unfit =
            |answer: &WorkerAnswer| answer.was_cached && matches!(answer.says, Says::Unfit(_));
        if answers.iter().flatten().any(was_unfit) {
            return self.ask_several(ask, variant, CacheUse::Refresh, cancel);
        }
        Ok(answers)
    }

    fn ask_several(
        &self,
        ask: Ask,
        variant: &TestCase,
        memory: CacheUse,
        cancel: &Cancel,
    ) -> Result<Option<Vec<WorkerAnswer>>, Failure> {
        // A flaky test is asked again until it accepts the original.
        let is_repeated = ask == Ask::Original && self.settings.is_flaky;
        let earlier = if is_repeated {
            self.repeats.fetch_add(1, Ordering::Relaxed) * u64::from(FIRST_RUNS)
        } else {
            0
        };
        let salts =
            (1..=FIRST_RUNS).map(|number| format!("first run {}", earlier + u64::from(number)));
        let circumstances = salts.map(|salt| Circumstance { salt, ..Circumstance::new(memory) });
        let jobs = circumstances.map(|circumstance| self.job(ask, variant, circumstance)).collect();
        self.remote.run(jobs, cancel).into_iter().collect()
    }

    fn ask(
        &self,
        ask: Ask,
        variant: &TestCase,
        circumstance: Circumstance,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let job = self.job(ask, variant, circumstance);
        match self.remote.run(vec![job], cancel).pop() {
            Some(Ok(Some(WorkerAnswer { says: Says::Judged(outcome), .. }))) => Ok(*outcome),
            // It is not read.
            Some(Ok(None)) => Ok(Outcome::from(Verdict::Unresolved)),
            Some(Err(failure)) => Err(self.not_run(failure, cancel)),
            _ => Err(NotRun::Failed("the answer is to another question".to_owned())),
        }
    }

    /// The reason that a test was not run. Where the tools are others, the service may remember those of earlier times: it
    /// is told anew, so that the next run begins with those of today.
    fn not_run(&self, failure: Failure, cancel: &Cancel) -> NotRun {
        let Failure::OtherTools(why) = &failure else { return NotRun::Failed(failure.to_string()) };
        let now = self.find_tools(CacheUse::Refresh, cancel);
        let have_changed =
            matches!(&now, Ok(Some(now)) if now.fingerprint != self.tools.fingerprint);
        NotRun::Failed(if have_changed {
            format!("the tools of the machines have changed: {why}; start again with --fresh")
        } else {
            format!("{why}; choose machines with the same tools by --remote-property")
        })
    }

    /// The action for a question.
    fn job(&self, ask: Ask, variant: &TestCase, circumstance: Circumstance) -> Job {
        let is_first = ask == Ask::Tools;
        let limits = if is_first { Limits::default() } else { self.limits() };
        let is_recipe = matches!(self.test, OrderedTest::Recipe { .. });
        let limit = match ask {
            Ask::Tools => MARGIN * 3,
            _ if is_recipe => RECIPE_LIMIT,
            ask => {
                let beside = if ask == Ask::Original { FIRST_MARGIN } else { Duration::ZERO };
                limits.time.unwrap_or(RECIPE_LIMIT) * 2 + MARGIN + beside
            }
        };
        let expect = (!is_first).then(|| self.tools.fingerprint.clone());
        let order = TestOrder {
            ask,
            test: self.test.clone(),
            language: variant.language().to_string(),
            limits,
            part_limits: self.part_limits(),
            patterns: self.settings.pattern.as_ref().map(|pattern| {
                [&pattern.stdout, &pattern.stderr]
                    .map(|regex| regex.as_ref().map(|regex| regex.as_str().to_owned()))
            }),
            sandbox: self.settings.sandbox.clone(),
            found_sandbox: (!is_first).then(|| self.tools.sandbox.clone()),
            expect: expect.clone(),
        };
        // Strings, numbers and lists of them: this cannot fail.
        let order = serde_json::to_vec(&order).unwrap_or_default();
        let question = AskedAbout::new(&order, variant);
        let mut files = self.base.clone();
        files.add(ORDER, Blob::new(order), false);
        fill(files.folder(VARIANT), variant);
        let properties = &self.remote.properties;
        Job::new(&files, properties, limit, circumstance, question, expect)
    }

    /// The circumstance of a question whose answer the service must not remember: it has a salt that no action ever had.
    fn afresh(&self) -> Circumstance {
        let number = self.repeats.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let salt = format!("again {number} {} {now}", std::process::id());
        Circumstance { salt, ..Circumstance::new(CacheUse::Avoid) }
    }

    fn limits(&self) -> Limits {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn fill(folder: &mut Folder, case: &TestCase) {
    for file in case.files() {
        folder.add(&file.path, Blob::new(Arc::clone(&file.bytes)), false);
    }
}
