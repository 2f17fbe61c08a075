//! The interface of the engine: [`Reduction`], which says what is reduced, by which test, and with which options.

mod calibration;
mod clues;
mod commits;
mod confirmation;
mod controls;
mod last;
mod limits;
mod measure;
mod replay;
mod result;
mod resume;
mod run;
mod running;
mod start;
mod statistics;

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, CompileFilter, Interestingness, Quantity, SetupError,
    TestCommand,
};
use clreduce_testcase::{Language, TestCase};
use regex::bytes::Regex;

use crate::events::Event;
use crate::options::Options;
use crate::pass_command::{AskedCommand, PassCommand};
use crate::pattern::TextPattern;
use crate::ranked::RankCommand;
use crate::rate::{AskedNumber, AskedRate};
use clreduce_candidates::CandidateSource;
use clreduce_journal::{Facts, StateFolder};
use clreduce_reducer::{PassChoice, Reducer};
use clreduce_speculation::{Pool, UserRequests};

pub use limits::LIMIT_FACTOR;
pub use result::{
    Efficiency, FilterFigures, Flakiness, Numbers, PassStatistics, Rates, Reduced, ReductionError,
};
pub(crate) use resume::Versions;
pub use running::Running;

/// The state folder of a reduction, and what its verdicts depend on.
#[derive(Debug)]
pub struct Resume {
    /// The folder. An unfinished journal in it is continued; see [`StateFolder::unfinished`] for the
    /// test case that belongs to it, and [`StateFolder::discard`] to start afresh.
    pub folder: StateFolder,
    /// Facts that the verdicts of the test depend on besides the variant: its command line, the content of its
    /// scripts. The reduction adds its options by itself.
    pub facts: Facts,
    /// The files as they are now, if they are reduced in place. Each must be a version that the journal knows.
    pub on_disk: Option<TestCase>,
}

/// A test case to be reduced, without a test yet.
#[derive(Debug)]
pub struct CaseToReduce(TestCase);

impl CaseToReduce {
    /// Sets the test: a closure, or anything else that implements [`Interestingness`].
    pub fn test<'a>(self, test: impl Interestingness + 'static) -> Reduction<'a> {
        self.shared_test(Arc::new(test))
    }

    /// Sets a program or a shell command as the test. Its exit status 0 means "interesting".
    ///
    /// # Errors
    /// When there is no place for the tests to run in, or [`CommandOptions::worker`] does not answer.
    pub fn command<'a>(
        self,
        command: &TestCommand,
        options: CommandOptions,
    ) -> Result<Reduction<'a>, SetupError> {
        Ok(self.test(CommandTest::new(command, options)?))
    }

    /// Sets a test that other reductions may use as well.
    pub fn shared_test<'a>(self, test: Arc<dyn Interestingness>) -> Reduction<'a> {
        Reduction {
            case: self.0,
            test,
            options: Options::default(),
            compile_filter: None,
            pool: None,
            state: None,
            keep: Box::new(|_| Ok(())),
            on_event: Box::new(|_| {}),
            cancel: Cancel::new(),
            requests: UserRequests::new(),
            pass_command: None,
            asked: None,
            prefer: None,
        }
    }
}

/// Puts a new current test case in its place.
type Keep<'a> = Box<dyn FnMut(&TestCase) -> io::Result<()> + Send + 'a>;

/// A reduction that is ready to [run](Self::run), or to be [started](Self::start) on a thread of its own.
///
/// It prints nothing, and shares nothing with other reductions but the test and the pool that it was given.
///
/// ```
/// use clreduce_engine::Reduction;
/// use clreduce_testcase::TestCase;
///
/// let case = TestCase::single("bug.c", b"int a;\nint b;\n".as_slice())?;
/// let mentions_b = |variant: &TestCase| variant.files()[0].bytes.contains(&b'b');
/// let reduced = Reduction::of(case).test(mentions_b).run()?;
/// assert!(reduced.case.files()[0].bytes.contains(&b'b'));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reduction<'a> {
    case: TestCase,
    test: Arc<dyn Interestingness>,
    options: Options,
    compile_filter: Option<Arc<dyn CompileFilter>>,
    pool: Option<Arc<Pool>>,
    state: Option<Resume>,
    keep: Keep<'a>,
    on_event: Box<dyn FnMut(&Event) + Send + 'a>,
    cancel: Cancel,
    requests: UserRequests,
    pass_command: Option<Arc<PassCommand>>,
    /// The pass command, once the reduction runs.
    asked: Option<Arc<AskedCommand>>,
    /// The command that ranks variants, and the rank of the original.
    prefer: Option<(Arc<RankCommand>, Quantity)>,
}

impl<'a> Reduction<'a> {
    /// Sets the test case to be reduced.
    #[must_use]
    pub fn of(case: TestCase) -> CaseToReduce {
        CaseToReduce(case)
    }

    /// Sets all options at once. The methods below set one each.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Sets the language that the passes see. Without it, the files decide.
    #[must_use]
    pub fn language(mut self, language: Language) -> Self {
        self.options.lang = Some(language);
        self
    }

    /// Chooses the passes that may run. Without it, all of them may.
    #[must_use]
    pub fn passes(mut self, passes: PassChoice) -> Self {
        let PassChoice { only, skip } = passes;
        (self.options.passes, self.options.skip_pass) = (only, skip);
        self
    }

    /// Keeps all names as they are.
    #[must_use]
    pub fn keep_names(mut self) -> Self {
        self.options.keep_names = true;
        self
    }

    /// Protects text that matches one of these from every edit.
    #[must_use]
    pub fn protect(mut self, text: impl IntoIterator<Item = Regex>) -> Self {
        self.options.protect.extend(text.into_iter().map(TextPattern::from));
        self
    }

    /// Rejects variants without a test if `filter` says that they do not compile. It is used if it accepts the
    /// original, and only as long as the tests agree with it: the first twenty variants that it rejects are tested
    /// all the same, and later one in sixteen.
    #[must_use]
    pub fn compile_filter(self, filter: impl CompileFilter + 'static) -> Self {
        Self { compile_filter: Some(Arc::new(filter)), ..self }
    }

    /// Reduces a bug that comes and goes: a variant is interesting if it shows the bug often enough. The test then says what
    /// one run shows, and runs on each variant as often as the decision needs.
    #[must_use]
    pub fn flaky(mut self, asked: AskedRate) -> Self {
        self.options.flaky = Some(asked);
        self
    }

    /// Reduces a program of which the test measures something: the number in its outcome decides, by several runs where it is near
    /// the bound.
    #[must_use]
    pub fn measure(mut self, asked: AskedNumber) -> Self {
        self.options.measure = Some(asked);
        self
    }

    /// Sets the number of tests at a time; without it, that is the number of cores. It changes nothing but the time.
    #[must_use]
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.options.jobs = Some(jobs);
        self
    }

    /// Runs tests on threads that are shared with other reductions. Without it, the reduction has its own. Tests that a
    /// reduction cannot continue without come before all tests that are started early.
    #[must_use]
    pub fn pool(self, pool: Arc<Pool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// Sets the wall-time limit of one test. Without it, the limit is measured on the original, and follows the time that
    /// later test cases take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Ends the reduction after this time and keeps the best version so far. The result depends on time then.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.options.time_limit = Some(limit);
        self
    }

    /// Ends the reduction after this many steps and keeps the best version so far. Steps of an earlier run that is
    /// resumed count.
    #[must_use]
    pub fn max_steps(mut self, limit: u64) -> Self {
        self.options.max_steps = Some(limit);
        self
    }

    /// Keeps a journal, and continues an unfinished one.
    #[must_use]
    pub fn state(self, state: Resume) -> Self {
        Self { state: Some(state), ..self }
    }

    /// Calls `keep` with every new current test case, once it is in the journal, and with an earlier one if the later ones
    /// turn out to be interesting only by mistake. An error ends the reduction.
    #[must_use]
    pub fn keep(self, keep: impl FnMut(&TestCase) -> io::Result<()> + Send + 'a) -> Self {
        Self { keep: Box::new(keep), ..self }
    }

    /// Calls `listener` with every event.
    #[must_use]
    pub fn on_event(self, listener: impl FnMut(&Event) + Send + 'a) -> Self {
        Self { on_event: Box::new(listener), ..self }
    }

    /// Ends the reduction when the token is triggered, and keeps the best version so far.
    #[must_use]
    pub fn cancel(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    /// By which another thread skips passes and edits the test case. Both are written to the journal, like a verdict.
    #[must_use]
    pub fn requests(self, requests: UserRequests) -> Self {
        Self { requests, ..self }
    }

    /// Tries what a program proposes, too. The facts of [`state`](Self::state) name it by [`PASS_COMMAND_FACT`](crate::PASS_COMMAND_FACT).
    #[must_use]
    pub fn pass_command(self, command: Arc<PassCommand>) -> Self {
        Self { pass_command: Some(command), ..self }
    }

    /// Prefers variants to which a command gives a lower number than `original`, that of the original: a variant with a higher one than
    /// the current test case has to be ten tokens smaller. The facts of [`state`](Self::state) name it by
    /// [`PREFER_FACT`](crate::PREFER_FACT).
    #[must_use]
    pub fn prefer(self, command: Arc<RankCommand>, original: Quantity) -> Self {
        Self { prefer: Some((command, original)), ..self }
    }

    /// Reduces. Blocks until it is over; tests run on threads of the pool, everything else on this one.
    ///
    /// # Errors
    /// When the test case is not interesting to begin with, or the state cannot be kept.
    ///
    /// # Panics
    /// When the test or a listener does.
    pub fn run(self) -> Result<Reduced, ReductionError> {
        if let Some(name) = self.options.pass_choice().unknown() {
            return Err(ReductionError::UnknownPass(name.to_owned()));
        }
        let mut reduction = self.in_its_language();
        let mut plan = reduction.options.plan(reduction.case.language());
        if let Some(command) = reduction.pass_command.take() {
            let asked = AskedCommand::new(Some(command), reduction.cancel.clone());
            plan.own = asked.as_pass();
            reduction.asked = Some(asked);
        }
        let source = Reducer::new(reduction.case.clone(), plan);
        start::run(reduction, source)
    }

    /// Reduces with the candidates of another source.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn run_with(self, source: impl CandidateSource) -> Result<Reduced, ReductionError> {
        start::run(self.in_its_language(), source)
    }

    /// The same; variants know the language that the options say.
    fn in_its_language(self) -> Self {
        let case = self.case.in_language(self.options.lang);
        Self { case, ..self }
    }

    /// The language that the passes see.
    #[must_use]
    pub fn language_of_passes(&self) -> Language {
        self.options.lang.unwrap_or(self.case.language())
    }

    /// The test case to be reduced.
    #[must_use]
    pub fn case(&self) -> &TestCase {
        &self.case
    }

    /// The test.
    #[must_use]
    pub fn shared(&self) -> Arc<dyn Interestingness> {
        Arc::clone(&self.test)
    }

    /// Facts that the verdicts depend on and that the reduction knows by itself.
    fn facts(&self) -> Facts {
        let lang = Some(self.language_of_passes());
        let mut facts = Options { lang, ..self.options.clone() }.facts();
        facts.insert("the compile filter".to_owned(), self.compile_filter.is_some().to_string());
        facts
    }
}

impl Reduction<'static> {
    /// Reduces on a thread of its own.
    ///
    /// ```
    /// use clreduce_engine::Reduction;
    /// use clreduce_testcase::TestCase;
    ///
    /// let case = TestCase::single("bug.c", b"int a; int b;".as_slice())?;
    /// let running = Reduction::of(case).test(|variant: &TestCase| variant.total_bytes() > 3).start()?;
    /// // Dropping `running` here would end it.
    /// assert!(running.wait()?.case.total_bytes() > 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn start(self) -> Result<Running, ReductionError> {
        Running::start(self)
    }
}
