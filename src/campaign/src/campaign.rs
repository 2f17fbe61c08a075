//! Running a campaign: threads that generate and run programs, and for each device some that look into its alarms.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clreduce_batch::Batch;
use clreduce_devices::WorkerOptions;
use clreduce_engine::Options;
use clreduce_interestingness::Cancel;
use clreduce_journal::Facts;
use clreduce_process::{Limits, processor_time};
use clreduce_speculation::Pool;
use crossbeam_channel::{Receiver, unbounded};

use crate::CampaignError;
use crate::alarm::Investigator;
use crate::disk::DiskWatch;
use crate::drawn::Drawn;
use crate::elsewhere::Elsewhere;
use crate::external::{ExternalPrograms, NoProgram};
use crate::family;
use crate::jury;
use crate::log::{Line, Log};
use crate::matrix::{Matrix, SourceKind, Toolchain};
use crate::programs::Programs;
use crate::progress::Progress;
use crate::publish::WriteReport;
use crate::queues::Lane;
use crate::reduction::{BugReduction, passes};
use crate::runner::Runner;
use crate::shared::{FinishedProgram, Settings, Shared};

/// As large as a main thread's: interpreters and parsers are known to need it.
const STACK_BYTES: usize = 8 << 20;

/// Everything that a campaign is begun with.
pub struct CampaignStart {
    /// The programs.
    pub programs: Programs,
    /// The number of programs; without it, there is no end.
    pub count: Option<u64>,
    /// The devices and configurations.
    pub matrix: Matrix,
    /// Runs at the same time.
    pub jobs: NonZeroUsize,
    /// The time after which this run stops.
    pub time: Option<Duration>,
    /// The limit for building a program, and again for running it.
    pub limit: Duration,
    /// The most memory that a compiler or a program may use, in bytes.
    pub memory: Option<u64>,
    /// The most that the folder may occupy, in bytes.
    pub disk: Option<u64>,
    /// The number of programs that show what each configuration can do, before anything is reduced.
    pub gate: u64,
    /// True if later programs go without what is broken.
    pub avoids: bool,
    /// The way in which workers are started.
    pub worker: WorkerOptions,
    /// Stops the campaign when it is triggered.
    pub cancel: Cancel,
    /// Other machines that run the tests of reductions.
    pub elsewhere: Option<Elsewhere>,
    /// Writes the bug report.
    pub report: WriteReport,
}

impl CampaignStart {
    fn settings(&self) -> Settings {
        let ends = self.count.into_iter().chain(self.programs.count());
        let side_by_side = reductions_side_by_side(self.jobs.get(), self.matrix.devices.len());
        Settings { count: ends.min(), gate: self.gate, avoids: self.avoids, side_by_side }
    }

    fn limits(&self) -> Limits {
        Limits {
            memory_bytes: self.memory,
            disk_bytes: self.disk.unwrap_or(Limits::default().disk_bytes),
            ..Limits::default()
        }
    }
}

/// The outcome of a run of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct CampaignResult {
    /// True if the time was over.
    pub timed_out: bool,
    /// Alarms that nobody has looked into.
    pub open_alarms: usize,
    /// Wall time of this run.
    pub wall: Duration,
    /// The processors in use, on average: this process and all that it started.
    pub cores: f64,
}

/// A campaign whose folder is open, and held by this process alone.
pub struct Campaign {
    batch: Batch,
    directory: PathBuf,
    log: Log,
    lines: Vec<Line>,
    start: CampaignStart,
}

impl Campaign {
    /// Opens a folder, or goes on with the campaign in it.
    ///
    /// # Errors
    /// When it belongs to another campaign or process, or the system refuses.
    pub fn open(directory: &Path, start: CampaignStart) -> Result<Self, CampaignError> {
        let options = Options { skip_pass: passes().skip, ..Options::default() };
        let batch = Batch::open(directory, &options, facts(&start))?
            .jobs(start.jobs)
            .cancel(start.cancel.clone());
        let (log, lines) = Log::open(directory)?;
        Ok(Self { batch, directory: directory.to_owned(), log, lines, start })
    }

    /// Runs until the last program, the end of the time or a cancellation. Returns the folders of the cases as well.
    ///
    /// # Errors
    /// When a file cannot be written, or the system has no threads to give.
    pub fn run(
        self,
        mut listener: impl FnMut(Progress),
    ) -> Result<(CampaignResult, Batch), CampaignError> {
        let (started, computed) = (Instant::now(), processor_time());
        let Self { batch, directory, log, lines, start } = self;
        let jobs = start.jobs.get();
        let pool = Arc::new(Pool::new(start.jobs).map_err(CampaignError::Threads)?);
        let (sender, receiver) = unbounded();
        let (programs, settings) = (&start.programs, start.settings());
        let shared =
            Shared::new((log, lines), start.matrix.clone(), programs.clone(), settings, sender)?;
        let shared = Arc::new(shared);
        let (worker, cancel) = (start.worker.clone(), &start.cancel);
        let limits = (start.limit, start.limits());
        let runner =
            Runner::new(start.matrix, Arc::clone(&pool), start.worker, limits, cancel.clone());
        let there = start.elsewhere.map(|there| Ok((there.make, Arc::new(Pool::new(there.jobs)?))));
        let there = there.transpose().map_err(CampaignError::Threads)?;
        let reduction = BugReduction {
            runner: &runner,
            there: there.as_ref().map(|(make, pool)| (make, pool)),
            programs,
            shared: &shared,
            batch: &batch,
            worker,
            report: &start.report,
            directory: &directory,
        };
        let waiting = Arc::clone(&shared);
        let _hook = cancel.on_cancel(move || waiting.stop());
        let (timed_out, ended) = (AtomicBool::new(false), Cancel::new());
        let work = work_of_threads(jobs, &runner, programs, &shared, &reduction);
        let crew = Crew {
            shared: &shared,
            cancel,
            time: start.time,
            timed_out: &timed_out,
            ended: &ended,
            watch: DiskWatch::new(&directory, start.disk),
        };
        crew.work(work, &receiver, &mut listener)?;
        // A device that is not there is the reason for everything that follows.
        if let Some(failure) = runner.take_failure().or_else(|| shared.take_failure()) {
            return Err(failure);
        }
        let wall = started.elapsed();
        let computed =
            processor_time().zip(computed).map(|(now, before)| now.saturating_sub(before));
        let result = CampaignResult {
            timed_out: timed_out.into_inner(),
            open_alarms: shared.open_alarms(),
            wall,
            // Where the system does not tell, threads that wait for something count as well.
            cores: computed.unwrap_or_else(|| pool.busy()).as_secs_f64() / wall.as_secs_f64(),
        };
        Ok((result, batch))
    }
}

/// The threads of a campaign, and what ends them.
struct Crew<'a> {
    shared: &'a Shared,
    cancel: &'a Cancel,
    /// The time after which they stop.
    time: Option<Duration>,
    timed_out: &'a AtomicBool,
    /// Is triggered when all are done, so that the clock stops.
    ended: &'a Cancel,
    watch: DiskWatch,
}

impl Crew<'_> {
    /// Has threads do all this work, and passes their events on until they are done.
    fn work(
        mut self,
        work: Vec<(String, Work<'_>)>,
        events: &Receiver<Progress>,
        listener: &mut impl FnMut(Progress),
    ) -> Result<(), CampaignError> {
        thread::scope(|scope| {
            let (mut threads, mut result) = (Vec::new(), Ok(()));
            for (name, work) in work {
                let thread = thread::Builder::new().stack_size(STACK_BYTES).name(name);
                let shared = self.shared;
                match thread.spawn_scoped(scope, move || guarded(shared, work)) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        self.shared.stop();
                        result = Err(CampaignError::Threads(error));
                        break;
                    }
                }
            }
            if let Some(time) = self.time {
                let (ended, timed_out, cancel) = (self.ended, self.timed_out, self.cancel);
                let clock = move || {
                    if !ended.wait(time) {
                        timed_out.store(true, Ordering::Relaxed);
                        cancel.cancel();
                    }
                };
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, clock) {
                    self.shared.stop();
                    result = Err(CampaignError::Threads(error));
                }
            }
            while !threads.iter().all(|thread| thread.is_finished()) {
                if let Ok(progress) = events.recv_timeout(Duration::from_millis(200)) {
                    listener(progress);
                }
                if let Some(error) = self.watch.look() {
                    self.shared.fail(error);
                    self.cancel.cancel();
                }
            }
            events.try_iter().for_each(listener);
            self.ended.cancel();
            result
        })
    }
}

/// What the outcomes depend on.
fn facts(start: &CampaignStart) -> Facts {
    let matrix = &start.matrix;
    let device =
        |(name, toolchain): &(String, Toolchain)| format!("{name}: {}", toolchain.version());
    let devices: Vec<String> = matrix.devices.iter().map(device).collect();
    let own = [
        ("--gate", start.gate.to_string()),
        ("--no-avoid", (!start.avoids).to_string()),
        ("the configurations", matrix.names().join(", ")),
        ("the devices and their versions", devices.join(", ")),
    ];
    let elsewhere = start.elsewhere.as_ref().map(|_| ("--remote", "given".to_owned()));
    let all = start.programs.facts().into_iter().chain(own).chain(elsewhere);
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The number of alarms of a lane that are looked into at the same time. Most of them only wait for earlier ones.
const fn side_by_side(jobs: usize) -> usize {
    if jobs < 8 { 1 } else { 2 * jobs }
}

/// The number of alarms that may be in each part of a reduction at the same time. Those that come later may turn out to show the
/// bug of an earlier one, so only a part of the processors works ahead, and a quarter of them on texts, which take the longest; but
/// each device and lane may have one.
const fn reductions_side_by_side(jobs: usize, devices: usize) -> [usize; 2] {
    if jobs < 8 { [2 * devices; 2] } else { [jobs / 2, jobs / 4] }
}

/// The work of a thread.
type Work<'a> = Box<dyn FnOnce() + Send + 'a>;

/// The names and the work of all threads.
fn work_of_threads<'a>(
    jobs: usize,
    runner: &'a Runner,
    programs: &'a Programs,
    shared: &'a Shared,
    reduction: &'a BugReduction<'a>,
) -> Vec<(String, Work<'a>)> {
    let mut all: Vec<(String, Work<'a>)> = Vec::new();
    for number in 0..jobs {
        let patient = runner.patient();
        let work = move || run_programs(&patient, programs, shared);
        all.push((format!("programs {number}"), Box::new(work)));
    }
    for device in 0..runner.matrix.devices.len() {
        let lanes = Lane::ALL.into_iter().flat_map(|lane| vec![lane; side_by_side(jobs)]);
        for lane in lanes {
            let investigator = Investigator { runner, programs, shared, reduction };
            let work = move || look_into_alarms(&investigator, device, lane);
            all.push((format!("alarms {device} {lane:?}"), Box::new(work)));
        }
    }
    all
}

/// Does the work of a thread. If it panics, the others end as well, and the panic goes on.
fn guarded(shared: &Shared, work: impl FnOnce()) {
    struct Stop<'a>(&'a Shared);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            if thread::panicking() {
                self.0.stop();
            }
        }
    }
    let _stop = Stop(shared);
    work();
}

/// Runs one program after the other on all configurations.
fn run_programs(runner: &Runner, programs: &Programs, shared: &Shared) {
    while let Some(program) = shared.next_program() {
        let runner = &runner.drawing(Drawn::Seed(programs.seed(program)));
        let finished = match programs {
            Programs::External(external) if programs.variants() == 0 => {
                voted_on(program, runner, external, shared)
            }
            _ => family::observed(program, runner, programs, shared),
        };
        match finished {
            Some(finished) => shared.ran(program, finished),
            None => return,
        }
    }
}

/// Has all configurations that take part vote on a program from elsewhere.
fn voted_on(
    program: u64,
    runner: &Runner,
    programs: &ExternalPrograms,
    shared: &Shared,
) -> Option<FinishedProgram> {
    let permit = runner.permit()?;
    let made = programs.make(program, &runner.cancel);
    drop(permit);
    let missing = |reason| FinishedProgram { missing: Some(reason), ..Default::default() };
    let subject = match made {
        Ok(subject) => subject,
        Err(NoProgram::None(reason)) => return Some(missing(reason)),
        Err(NoProgram::Cancelled) => return None,
    };
    if let SourceKind::Kernels(kind) = runner.matrix.kind
        && let Err(error) = kind.plan(subject.source.as_bytes(), subject.arguments.as_deref())
    {
        return Some(missing(error.to_string()));
    }
    let configurations = shared.that_run(program);
    let judged = jury::judge(runner, subject, &configurations, programs.rule)?;
    let outcomes = judged.classes(runner, &configurations, programs.rule)?;
    Some(FinishedProgram { outcomes, ..Default::default() })
}

/// Looks into the alarms of a lane of a device, one after the other. Other threads look into those between them.
fn look_into_alarms(investigator: &Investigator<'_>, device: usize, lane: Lane) {
    let shared = investigator.shared;
    while let Some(alarm) = shared.next_alarm(device, lane) {
        match investigator.look(&alarm) {
            Ok(Some(conclusion)) => shared.concluded(conclusion),
            Ok(None) => return,
            Err(error) => return shared.fail(error),
        }
    }
}
