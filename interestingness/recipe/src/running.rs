//! Shows people which configurations and checks run at the moment.

use std::sync::{Mutex, PoisonError};

use clreduce_process::Progress;

/// The configurations and checks that run, in the order in which they began.
pub(crate) struct RunningNames<'a> {
    progress: &'a Progress,
    /// The purpose of the runs, for people.
    why: &'static str,
    names: Mutex<Vec<String>>,
}

impl<'a> RunningNames<'a> {
    pub fn new(progress: &'a Progress, why: &'static str) -> Self {
        Self { progress, why, names: Mutex::default() }
    }

    /// Does a piece of work, and shows its name meanwhile.
    pub fn during<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        self.change(|names| names.push(name.to_owned()));
        let result = work();
        self.change(|names| names.retain(|other| other != name));
        result
    }

    fn change(&self, change: impl FnOnce(&mut Vec<String>)) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut names);
        if !names.is_empty() {
            self.progress.at(&format!("{}: {}", self.why, names.join(", ")));
        }
    }
}
