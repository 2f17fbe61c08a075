//! Threads that tests run on, shared by any number of reductions.
//!
//! The pool is a semaphore: a test needs a [`Permit`], and there is one for each thread. A reduction that cannot
//! continue without a verdict gets the next free permit, in the order of the requests. Tests that are started early get
//! the permits that are left. Several reductions together keep all threads at work that is needed, and a single one
//! fills the rest with guesses.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use clreduce_interestingness::Cancel;
use crossbeam_channel::{Sender, bounded, unbounded};

type Job = Box<dyn FnOnce() + Send>;
type Wake = Arc<dyn Fn() + Send + Sync>;

/// A fixed number of threads for tests. Reductions that are given the same pool share them.
#[derive(Debug)]
pub struct Pool {
    /// `None` only while the pool is dropped.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    permits: Arc<Permits>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// When the system has no more threads to give.
    pub fn new(threads: NonZeroUsize) -> io::Result<Self> {
        let (jobs, queue) = unbounded::<Job>();
        let permits = Arc::new(Permits::new(threads.get()));
        let threads = (1..=threads.get())
            .map(|number| {
                let queue = queue.clone();
                let run = move || queue.iter().for_each(|job| job());
                thread::Builder::new().name(format!("test {number}")).spawn(run)
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { jobs: Some(jobs), threads, permits })
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Time that permits were in use, over all threads; those in use now do not count yet.
    #[must_use]
    pub fn busy(&self) -> Duration {
        self.permits.lock().busy
    }

    /// A waiter for one reduction. `wake` is called when a permit is ready for it, from any thread and under a lock of
    /// the pool, so that it must be short.
    pub fn waiter(&self, wake: impl Fn() + Send + Sync + 'static) -> Waiter {
        let number = {
            let mut queues = self.permits.lock();
            queues.waiters += 1;
            queues.waiters
        };
        Waiter { permits: Arc::clone(&self.permits), number, wake: Arc::new(wake) }
    }

    /// Waits for a permit that is needed to continue; `None` once `cancel` is triggered.
    pub fn wait(&self, cancel: &Cancel) -> Option<Permit> {
        self.wait_for(true, cancel)
    }

    /// The same for work that is not waited for: it takes its turn among the tests that are started early.
    pub fn wait_behind_others(&self, cancel: &Cancel) -> Option<Permit> {
        self.wait_for(false, cancel)
    }

    fn wait_for(&self, is_certain: bool, cancel: &Cancel) -> Option<Permit> {
        let (sender, woken) = bounded(1);
        let wake = sender.clone();
        // A full channel is as good a wake-up as another message.
        let waiter = self.waiter(move || {
            let _ = wake.try_send(());
        });
        let _hook = cancel.on_cancel(move || {
            let _ = sender.try_send(());
        });
        while !cancel.is_cancelled() {
            if let Some(permit) = waiter.take(is_certain) {
                return Some(permit);
            }
            woken.recv().ok()?;
        }
        None
    }

    /// Runs a job on a free thread; the permit, which the job holds, says that there is one. A job must
    /// not panic.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        if let Some(jobs) = &self.jobs {
            // Fails only without threads, and they end after the pool.
            let _ = jobs.send(Box::new(job));
        }
    }
}

impl Drop for Pool {
    /// Waits for the jobs that were given.
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// One reduction as it waits for permits.
pub struct Waiter {
    permits: Arc<Permits>,
    number: u64,
    wake: Wake,
}

impl Waiter {
    /// A permit, if there is one. Otherwise the waiter is woken when one is ready for it. It then takes the permit, and
    /// drops it if it has no use for it any more.
    pub fn take(&self, is_certain: bool) -> Option<Permit> {
        let mut queues = self.permits.lock();
        if let Some(at) = queues.ready.iter().position(|waiter| *waiter == self.number) {
            queues.ready.swap_remove(at);
        } else if queues.free > 0 {
            queues.free -= 1;
        } else {
            queues.enqueue(self, is_certain);
            return None;
        }
        queues.taken += 1;
        let was_alone = queues.taken == 1;
        queues.takes += 1;
        let (takes, since) = (queues.takes, Instant::now());
        Some(Permit { permits: Arc::clone(&self.permits), was_alone, takes, since })
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut queues = self.permits.lock();
        queues.certain.retain(|waiting| waiting.waiter != self.number);
        queues.supposed.retain(|waiting| waiting.waiter != self.number);
        let before = queues.ready.len();
        queues.ready.retain(|waiter| *waiter != self.number);
        for _ in queues.ready.len()..before {
            queues.pass_on();
        }
    }
}

/// A permit of the semaphore: its holder may run one test at a time, until it is dropped.
pub struct Permit {
    permits: Arc<Permits>,
    was_alone: bool,
    /// Permits taken so far when this one was.
    takes: u64,
    since: Instant,
}

impl Permit {
    /// Returns true if no other test ran since this permit was taken.
    pub fn is_alone(&self) -> bool {
        self.was_alone && self.permits.lock().takes == self.takes
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut queues = self.permits.lock();
        queues.busy += self.since.elapsed();
        queues.taken -= 1;
        queues.pass_on();
    }
}

/// The state of the semaphore.
#[derive(Debug)]
struct Permits {
    queues: Mutex<PoolQueues>,
}

#[derive(Debug)]
struct PoolQueues {
    /// Permits that are free and not waited for.
    free: usize,
    /// Permits in use, and how many were ever given.
    taken: usize,
    takes: u64,
    busy: Duration,
    /// Waiters ever made.
    waiters: u64,
    /// Waiters that a permit is ready for, once for each permit.
    ready: Vec<u64>,
    certain: VecDeque<QueueEntry>,
    supposed: VecDeque<QueueEntry>,
}

struct QueueEntry {
    waiter: u64,
    wake: Wake,
}

impl Permits {
    fn new(free: usize) -> Self {
        let queues = PoolQueues {
            free,
            taken: 0,
            takes: 0,
            busy: Duration::ZERO,
            waiters: 0,
            ready: Vec::new(),
            certain: VecDeque::new(),
            supposed: VecDeque::new(),
        };
        Self { queues: Mutex::new(queues) }
    }

    fn lock(&self) -> MutexGuard<'_, PoolQueues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolQueues {
    fn enqueue(&mut self, waiter: &Waiter, is_certain: bool) {
        let queue = if is_certain { &mut self.certain } else { &mut self.supposed };
        if queue.iter().all(|waiting| waiting.waiter != waiter.number) {
            queue.push_back(QueueEntry { waiter: waiter.number, wake: Arc::clone(&waiter.wake) });
        }
    }

    /// Gives a free permit to the next in the queue.
    fn pass_on(&mut self) {
        match self.certain.pop_front().or_else(|| self.supposed.pop_front()) {
            Some(next) => {
                self.ready.push(next.waiter);
                (next.wake)();
            }
            None => self.free += 1,
        }
    }
}

impl std::fmt::Debug for QueueEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "waiter {}", self.waiter)
    }
}

impl std::fmt::Debug for Waiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "waiter {}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn waiter(pool: &Pool) -> (Waiter, Arc<AtomicU32>) {
        let woken = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&woken);
        let wake = move || {
            count.fetch_add(1, Ordering::Relaxed);
        };
        (pool.waiter(wake), woken)
    }

    #[test]
    fn what_is_certain_goes_before_what_is_supposed() {
        let pool = Pool::new(NonZeroUsize::MIN).unwrap();
        let [(busy, _), (guesser, guesses), (waiter, waits)] = [(); 3].map(|()| waiter(&pool));
        let permit = busy.take(true).unwrap();
        assert!(guesser.take(false).is_none() && waiter.take(true).is_none());
        drop(permit);
        assert_eq!((waits.load(Ordering::Relaxed), guesses.load(Ordering::Relaxed)), (1, 0));
        assert!(busy.take(true).is_none(), "it lies ready for somebody else");
        drop(waiter.take(true).unwrap());
        assert!(guesser.take(false).is_none(), "`busy` came before it");
        drop(busy);
        assert!(guesser.take(false).is_some());
    }

    #[test]
    fn a_permit_of_no_use_goes_to_the_next_and_then_back() {
        let pool = Pool::new(NonZeroUsize::MIN).unwrap();
        let [(first, _), (second, _), (third, _)] = [(); 3].map(|()| waiter(&pool));
        let permit = first.take(true).unwrap();
        assert!(second.take(false).is_none() && third.take(false).is_none());
        drop(permit);
        drop(second.take(false).unwrap());
        drop(third.take(false).unwrap());
        assert!(first.take(false).is_some());
    }

    #[test]
    fn a_test_knows_whether_it_ran_alone() {
        let pool = Pool::new(NonZeroUsize::new(2).unwrap()).unwrap();
        let (waiter, _) = waiter(&pool);
        let first = waiter.take(true).unwrap();
        assert!(first.is_alone());
        drop(waiter.take(true).unwrap());
        assert!(!first.is_alone(), "another test ran meanwhile");
        let second = waiter.take(true).unwrap();
        assert!(!second.is_alone());
    }

    #[test]
    fn waiting_ends_with_the_token() {
        let pool = Pool::new(NonZeroUsize::MIN).unwrap();
        let cancel = Cancel::new();
        let permit = pool.wait(&cancel);
        assert!(permit.is_some());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| pool.wait(&cancel).is_none());
            cancel.cancel();
            assert!(waiting.join().unwrap());
        });
    }
}
