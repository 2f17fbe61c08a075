//! A thread that has the system write a file to the disk, about once a second while something is added to it.

use std::fs::File;
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clreduce_interestingness::Cancel;

/// The least time from the end of one write to the disk to the next.
const PAUSE: Duration = Duration::from_secs(1);

/// Keeps a file on the disk at most about a second behind. Dropping it brings the disk up to date.
#[derive(Debug)]
pub(crate) struct BackgroundSync {
    /// `None` only while it is dropped.
    changed: Option<SyncSender<()>>,
    over: Cancel,
    failed: Arc<Mutex<Option<io::Error>>>,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundSync {
    /// Starts the thread for a file that is open elsewhere, too.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub(crate) fn start(file: File) -> io::Result<Self> {
        let (changed, changes) = sync_channel(1);
        let (over, failed) = (Cancel::new(), Arc::new(Mutex::new(None)));
        let run = {
            let (over, failed) = (over.clone(), Arc::clone(&failed));
            move || {
                while changes.recv().is_ok() {
                    if let Err(error) = file.sync_data() {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    }
                    over.wait(PAUSE);
                }
            }
        };
        let thread = thread::Builder::new().name("journal".to_owned()).spawn(run)?;
        Ok(Self { changed: Some(changed), over, failed, thread: Some(thread) })
    }

    /// Says that something was added to the file.
    ///
    /// # Errors
    /// When earlier additions could not be written to the disk.
    pub(crate) fn changed(&self) -> io::Result<()> {
        if let Some(changed) = &self.changed {
            // A full channel says the same.
            let _ = changed.try_send(());
        }
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        failed.map_or(Ok(()), Err)
    }
}

impl Drop for BackgroundSync {
    fn drop(&mut self) {
        self.over.cancel();
        self.changed = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
