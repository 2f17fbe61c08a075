//! Threads that tests run on. They wait for programs most of the time.

use std::num::NonZeroUsize;
use std::thread::JoinHandle;
use std::{io, thread};

use crossbeam_channel::{Sender, unbounded};

type Job = Box<dyn FnOnce() + Send>;

/// A fixed number of threads that take jobs in the order they were given.
#[derive(Debug)]
pub struct Pool {
    /// `None` only while the pool is dropped.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// When the system has no more threads to give.
    pub fn new(threads: NonZeroUsize) -> io::Result<Self> {
        let (jobs, queue) = unbounded::<Job>();
        let threads = (1..=threads.get())
            .map(|number| {
                let queue = queue.clone();
                let run = move || queue.iter().for_each(|job| job());
                thread::Builder::new().name(format!("test {number}")).spawn(run)
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { jobs: Some(jobs), threads })
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Runs a job on the next free thread. A job must not panic.
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
