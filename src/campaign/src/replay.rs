//! The bugs of an earlier campaign as a suite of tests.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clreduce_devices::WorkerOptions;
use clreduce_interestingness::Cancel;
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
        self.classes.iter().all(|class| *class == Class::Right)
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
    (worker, limit, jobs): (WorkerOptions, Duration, NonZeroUsize),
    cancel: &Cancel,
) -> Result<Option<Vec<Replayed>>, CampaignError> {
    let pool = Arc::new(Pool::new(jobs).map_err(CampaignError::Threads)?);
    let extension = matrix.extension();
    let runner = Runner::new(matrix, pool, worker, limit, cancel.clone());
    let folder = directory.join(BUGS);
    let entries = fs::read_dir(&folder)
        .and_then(|entries| entries.collect::<Result<Vec<_>, _>>())
        .map_err(|source| CampaignError::Read { path: folder, source })?;
    let mut names: Vec<String> =
        entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let mut bugs = Vec::new();
    for name in names {
        let Some(subject) = publish::read(directory, &name, extension) else { continue };
        let all = 0..runner.matrix.configurations.len();
        let classes: Option<Vec<Class>> =
            all.map(|index| Some(runner.observe(index, &subject)?.class)).collect();
        let Some(classes) = classes else { return Ok(None) };
        bugs.push(Replayed { name, classes });
    }
    Ok(Some(bugs))
}
