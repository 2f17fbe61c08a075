//! The front door: what is reduced, who judges it, and how.

mod calibration;
mod conversation;
mod result;
mod running;
mod statistics;

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Gate, Interestingness, SetupError, TestCommand,
};
use clreduce_testcase::{Language, TestCase};
use regex::bytes::Regex;

use crate::events::Event;
use clreduce_candidates::CandidateSource;
use clreduce_journal::{Facts, StateFolder};
use clreduce_reducer::{PassChoice, Plan, Reducer};
use clreduce_speculation::Pool;

pub use result::{Contradiction, Efficiency, GateFigures, PassStatistics, Reduced, ReductionError};
pub use running::Running;

/// One in so many consumed answers is checked by a second test.
const RECHECK_ONE_IN: u64 = 100;

/// Where a reduction keeps its state, and what it rests on.
#[derive(Debug)]
pub struct Resume {
    /// The folder. An unfinished journal in it is gone on with; see [`StateFolder::unfinished`] for the
    /// test case that belongs to it, and [`StateFolder::discard`] to start afresh.
    pub folder: StateFolder,
    /// What the test's answers depend on besides the variant: its command line, what its scripts say.
    /// What the reduction was told itself (language, passes, limits) it adds by itself.
    pub facts: Facts,
    /// The files as they are now, where they are reduced in place: each must be a version that the
    /// journal knows.
    pub on_disk: Option<TestCase>,
}

/// A test case that nobody judges yet.
#[derive(Debug)]
pub struct Subject(TestCase);

impl Subject {
    /// Says who judges variants: a closure, or anything else that implements [`Interestingness`].
    pub fn test<'a>(self, test: impl Interestingness + 'static) -> Reduction<'a> {
        self.shared_test(Arc::new(test))
    }

    /// A program or a shell command judges variants: exit status 0 means "interesting".
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

    /// Says who judges variants, possibly those of other reductions as well.
    pub fn shared_test<'a>(self, test: Arc<dyn Interestingness>) -> Reduction<'a> {
        Reduction {
            plan: Plan::new(Language::detect(&self.0)),
            case: self.0,
            test,
            gate: None,
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            pool: None,
            timeout: None,
            time_limit: None,
            max_questions: None,
            recheck_one_in: RECHECK_ONE_IN,
            state: None,
            keep: Box::new(|_| Ok(())),
            on_event: Box::new(|_| {}),
            cancel: Cancel::new(),
        }
    }
}

/// Places a new current test case where people look.
type Keep<'a> = Box<dyn FnMut(&TestCase) -> io::Result<()> + Send + 'a>;

/// A reduction about to run, or to be [started](Self::start) on a thread of its own.
///
/// It prints nothing, and shares nothing with other reductions but what it was given to share.
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
    gate: Option<Arc<dyn Gate>>,
    plan: Plan,
    jobs: NonZeroUsize,
    pool: Option<Arc<Pool>>,
    timeout: Option<Duration>,
    time_limit: Option<Duration>,
    max_questions: Option<u64>,
    recheck_one_in: u64,
    state: Option<Resume>,
    keep: Keep<'a>,
    on_event: Box<dyn FnMut(&Event) + Send + 'a>,
    cancel: Cancel,
}

impl<'a> Reduction<'a> {
    /// Begins to say what is reduced.
    #[must_use]
    pub fn of(case: TestCase) -> Subject {
        Subject(case)
    }

    /// The language the passes see; guessed from the files otherwise.
    #[must_use]
    pub fn language(mut self, language: Language) -> Self {
        self.plan.language = language;
        self
    }

    /// The passes that may run; all of them otherwise.
    #[must_use]
    pub fn passes(mut self, passes: PassChoice) -> Self {
        self.plan.passes = passes;
        self
    }

    /// Renames nothing.
    #[must_use]
    pub fn keep_names(mut self) -> Self {
        self.plan.protected.names = true;
        self
    }

    /// Never edits text that matches one of these.
    #[must_use]
    pub fn protect(mut self, text: impl IntoIterator<Item = Regex>) -> Self {
        self.plan.protected.text.extend(text);
        self
    }

    /// Has variants that do not compile refused without a test, once tests have shown that they are not
    /// interesting. Nothing is refused without a test otherwise.
    #[must_use]
    pub fn gate(self, gate: impl Gate + 'static) -> Self {
        Self { gate: Some(Arc::new(gate)), ..self }
    }

    /// Most tests at a time; the number of cores otherwise. Changes nothing but the time it takes.
    #[must_use]
    pub fn jobs(self, jobs: NonZeroUsize) -> Self {
        Self { jobs, ..self }
    }

    /// Threads shared with other reductions; own ones otherwise. Questions that a reduction cannot go on
    /// without come before those that are only supposed to be asked, over all of them.
    #[must_use]
    pub fn pool(self, pool: Arc<Pool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// Wall-time limit of one test; derived from runs of the original otherwise.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Ends the reduction after this time and keeps the best so far. What that is depends on time.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// Ends the reduction after this many questions and keeps the best so far. Questions of an earlier
    /// run that is resumed count.
    #[must_use]
    pub fn max_questions(self, limit: u64) -> Self {
        Self { max_questions: Some(limit), ..self }
    }

    /// Checks one in so many consumed answers by a second test, when a thread has nothing better to
    /// do; 0 checks none. The original is judged twice in any case.
    #[must_use]
    pub fn recheck_one_in(self, answers: u64) -> Self {
        Self { recheck_one_in: answers, ..self }
    }

    /// Keeps a journal, and goes on with an unfinished one.
    #[must_use]
    pub fn state(self, state: Resume) -> Self {
        Self { state: Some(state), ..self }
    }

    /// Called with every new current test case, after the journal knows of it: places it where people
    /// look. Called with the original where the test turns out to be flaky. An error ends the reduction.
    #[must_use]
    pub fn keep(self, keep: impl FnMut(&TestCase) -> io::Result<()> + Send + 'a) -> Self {
        Self { keep: Box::new(keep), ..self }
    }

    /// Called with everything that happens, in the order of the conversation.
    #[must_use]
    pub fn on_event(self, listener: impl FnMut(&Event) + Send + 'a) -> Self {
        Self { on_event: Box::new(listener), ..self }
    }

    /// Ends the reduction when the token is triggered; the best so far is kept.
    #[must_use]
    pub fn cancel(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    /// Reduces. Blocks until it is over; tests run on threads of the pool, everything else on this one.
    ///
    /// # Errors
    /// When the test case is not interesting to begin with, or the state cannot be kept.
    ///
    /// # Panics
    /// When the test or a listener does.
    pub fn run(self) -> Result<Reduced, ReductionError> {
        if let Some(name) = self.plan.passes.unknown() {
            return Err(ReductionError::UnknownPass(name.to_owned()));
        }
        let source = Reducer::new(self.case.clone(), self.plan.clone());
        self.run_with(source)
    }

    /// Reduces by somebody else's questions.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn run_with(self, source: impl CandidateSource) -> Result<Reduced, ReductionError> {
        conversation::hold(self, source)
    }

    /// The language the passes see.
    #[must_use]
    pub fn language_of_passes(&self) -> Language {
        self.plan.language
    }

    /// What is reduced.
    #[must_use]
    pub fn case(&self) -> &TestCase {
        &self.case
    }

    /// Who judges.
    #[must_use]
    pub fn shared(&self) -> Arc<dyn Interestingness> {
        Arc::clone(&self.test)
    }

    /// What the answers rest on that the reduction knows of: a journal is gone on with only if it is the
    /// same.
    fn facts(&self) -> Facts {
        let Plan { language, passes, protected } = &self.plan;
        let rows = passes.rows();
        let names = passes.first.as_deref().into_iter().chain(rows.iter().map(|r| r.info().name));
        let protect: Vec<&str> = protected.text.iter().map(Regex::as_str).collect();
        let timeout =
            self.timeout.map_or_else(|| "measured".to_owned(), |time| format!("{time:?}"));
        let facts = [
            ("--lang", language.to_string()),
            ("the choice of passes", names.collect::<Vec<_>>().join(",")),
            ("--keep-names", protected.names.to_string()),
            ("--protect", protect.join("\n")),
            ("--no-gate", self.gate.is_none().to_string()),
            ("--timeout", timeout),
        ];
        facts.map(|(name, value)| (name.to_owned(), value)).into()
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
