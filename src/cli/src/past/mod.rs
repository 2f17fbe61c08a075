//! Commands about what a reduction did, from its state: which commits there were, and why the result is not smaller.

mod again;
mod answer;
mod changes;
mod history;
mod lines;
mod why;

use std::path::{Path, PathBuf};

use clreduce_engine::History;
use clreduce_journal::StateError;
use clreduce_testcase::TestCase;

pub(crate) use history::{HistoryArgs, history};
pub(crate) use why::{WhyArgs, why};

use crate::failure::{CliError, PastError};
use crate::files::load::{FilePlace, Input};
use crate::files::target::{self, ReductionPaths};

/// A reduction that is over, interrupted or under way.
struct PastReduction {
    /// The first FILE or DIR as the user named it.
    name: PathBuf,
    target: ReductionPaths,
    history: History,
    places: Vec<FilePlace>,
    /// The files as they are now, if there are any.
    on_disk: Option<TestCase>,
}

impl PastReduction {
    /// Reads the state beside the files, which may be the input or the output of the reduction.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    fn open(files: &[PathBuf]) -> Result<Self, CliError> {
        let target = ReductionPaths::of(Input::find_all(files)?, None)?;
        let name = files.first().cloned().unwrap_or_default();
        let state = target.state();
        let places = target.places(&read(&state, &name)?.record.original);
        let on_disk = target::read(&places).ok();
        // Once more: a run may have written newer files meanwhile, and its journal knows them.
        let history = read(&state, &name)?;
        Ok(Self { name, target, history, places, on_disk })
    }
}

fn read(state: &Path, name: &Path) -> Result<History, CliError> {
    let history = History::read(state).map_err(|error| untold(error, state))?;
    Ok(history.ok_or_else(|| PastError::NoState(name.to_owned(), state.to_owned()))?)
}

/// The error for a state that does not tell what happened.
fn untold(error: StateError, state: &Path) -> CliError {
    match error {
        StateError::Changed { .. } | StateError::Diverged(_) => {
            PastError::OtherBuild(state.to_owned()).into()
        }
        StateError::Unreadable(_) => PastError::Damaged(state.to_owned()).into(),
        other => other.into(),
    }
}
