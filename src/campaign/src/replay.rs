//! The bugs of an earlier campaign as a suite of tests.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clreduce_devices::WorkerOptions;
use clreduce_interestingness::Cancel;
use clreduce_process::Limits;
use clreduce_speculation::Pool;

use crate::CampaignError;
use crate::matrix::Matrix;
use crate::outcome::Class;
use crate::publish::{self, BUGS};
use crate::runner::Runner;

/// A bug that ran again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Its name.
    pub name: String,
    /// The outcome on each configuration.
    pub classes: Vec<Class>,
}

impl Replayed {
    /// Returns whether all configurations have the right result.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        // A program without an expected result has any.
        self.classes.iter().all(|class| matches!(class, Class::Right | Class::Undecided))
    }
}

/// Runs the reduced kernel of each bug of a campaign on all configurations. `None` once cancelled. Kernels in another
/// language are left out.
///
/// # Errors
/// When the folder cannot be read, or the system has no threads to give.
pub fn replay(
    directory: &Path,
    matrix: Matrix,
    (worker, limit, jobs, limits): (WorkerOptions, Duration, NonZeroUsize, Limits),
    cancel: &Cancel,
) -> Result<Option<Vec<Replayed>>, CampaignError> {
    let pool = Arc::new(Pool::new(jobs).map_err(CampaignError::Threads)?);
    let runner = Runner::new(matrix, pool, worker, (limit, limits), cancel.clone());
    let folder = directory.join(BUGS);
    let entries = fs::read_dir(&folder)
        .and_then(|entries| entries.collect::<Result<Vec<_>, _>>())
        .map_err(|source| CampaignError::Read { path: folder, source })?;
    let mut names: Vec<String> =
        entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let mut bugs = Vec::new();
    for name in names {
        let Some(subject) = publish::read(directory, &name, runner.matrix.kind) else { continue };
        let runner = &runner.drawing(publish::drawn(directory, &name));
        let all = 0..runner.matrix.configurations.len();
        let classes: Option<Vec<Class>> =
            all.map(|index| Some(runner.observe(index, &subject)?.class)).collect();
        let Some(classes) = classes else { return runner.take_failure().map_or(Ok(None), Err) };
        bugs.push(Replayed { name, classes });
    }
    Ok(Some(bugs))
}
