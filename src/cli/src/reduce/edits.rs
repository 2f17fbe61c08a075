//! Edits of a person: what the test says of them is told, and those that it does not accept are put aside.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clreduce_engine::EDIT;
use clreduce_engine::events::Event;

use crate::files::target::ReductionPaths;
use crate::judge::Aside;
use crate::terminal::printing::shown_path;
use crate::terminal::progress::ProgressDisplay;
use crate::terminal::units::counted;

/// Follows the events of a reduction.
pub(super) struct EditFollower<'a> {
    /// FILE, as the user wrote it.
    name: PathBuf,
    aside: Aside,
    /// The error for an edit that could not be put aside: FILE must not be replaced then.
    failed: &'a Mutex<Option<io::Error>>,
}

impl<'a> EditFollower<'a> {
    pub(super) fn new(target: &ReductionPaths, failed: &'a Mutex<Option<io::Error>>) -> Self {
        let name = target.inputs.first().map(|input| input.named.clone()).unwrap_or_default();
        Self { name, aside: Aside { folder: target.edited(), scratch: target.state() }, failed }
    }

    pub(super) fn follow(&self, event: &Event, progress: &ProgressDisplay) {
        let name = shown_path(&self.name);
        match event {
            Event::Committed { pass, size, .. } if *pass == EDIT => {
                let tokens = counted(size.tokens as u64, "token");
                progress.note(&format!(
                    "`{name}` was edited, and the edit is interesting: going on from its {tokens}"
                ));
            }
            Event::EditRefused { case, reason } => {
                let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
                match self.aside.put(case, &format!("not interesting{why}")) {
                    Ok(folder) => progress.warning(&format!(
                        "`{name}` was edited, and the edit is not interesting{why}: it is in {}",
                        shown_path(&folder)
                    )),
                    Err(error) => {
                        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    }
                }
            }
            _ => {}
        }
    }
}
