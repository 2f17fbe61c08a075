//! The limit on what a campaign keeps on the disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::CampaignError;

/// The time between two looks. One takes a small share of it.
const PAUSE: Duration = Duration::from_secs(5);
/// The pause is at least so many times as long as a look took.
const SHARE: u32 = 50;

/// Looks at the size of a folder now and then.
pub(crate) struct DiskWatch {
    folder: PathBuf,
    limit: Option<u64>,
    next: Instant,
}

impl DiskWatch {
    pub(crate) fn new(folder: &Path, limit: Option<u64>) -> Self {
        Self { folder: folder.to_owned(), limit, next: Instant::now() }
    }

    /// Looks, if it is time to. Returns an error if the folder is too large.
    pub(crate) fn look(&mut self) -> Option<CampaignError> {
        let (limit, started) = (self.limit?, Instant::now());
        if started < self.next {
            return None;
        }
        let used = bytes_of(&self.folder);
        self.next = Instant::now() + PAUSE.max(started.elapsed() * SHARE);
        let path = self.folder.clone();
        (used > limit).then_some(CampaignError::Disk { path, used, limit })
    }
}

/// The bytes of all files. What goes away meanwhile counts as nothing.
fn bytes_of(folder: &Path) -> u64 {
    let mut total = 0;
    let mut pending = vec![folder.to_owned()];
    while let Some(below) = pending.pop() {
        for entry in fs::read_dir(below).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => pending.push(entry.path()),
                Ok(metadata) => total += metadata.len(),
                Err(_) => {}
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_may_not_outgrow_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), [0; 700]).unwrap();
        fs::write(folder.path().join("c"), [0; 300]).unwrap();
        let look = |limit| DiskWatch::new(folder.path(), limit).look();
        assert!(look(None).is_none() && look(Some(1000)).is_none());
        assert!(matches!(look(Some(999)), Some(CampaignError::Disk { used: 1000, .. })));
    }
}
