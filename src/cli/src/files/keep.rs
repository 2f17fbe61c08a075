//! The files on disk, which follow the current test case and show the bug at every instant.
//!
//! One file is replaced by one rename. Several files cannot be: while they are being replaced one by one,
//! the new version lies complete in `best/` of the state folder and the last one in `best.old/`. The
//! next start finds both there and finishes the work ([`repair`]).

mod disk;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clreduce_testcase::TestCase;
use thiserror::Error;

use crate::files::load::FilePlace;
use disk::{bytes_of, failed, make_folders, put, read, remove_copy, remove_tree, write_tree};

/// The reason why a version could not be written to disk.
#[derive(Debug, Error)]
pub(crate) enum KeepError {
    #[error("cannot {action} `{path}`: {source}")]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "`{0}` was changed by someone else during the reduction, and clreduce leaves it as it is now\n\
         help: if you edited it, run the same command again, which judges the edit; a test has to write logs and other output elsewhere"
    )]
    ChangedMeanwhile(PathBuf),
}

/// A copy of an original, to be written once before anything is replaced.
#[derive(Clone, Debug)]
pub(crate) struct OriginalCopy {
    /// Path in the test case.
    pub path: Arc<str>,
    pub copy: PathBuf,
    /// The copy of the whole FILE or DIR, as messages name it.
    pub base: PathBuf,
}

/// Writes the user's files.
#[derive(Debug)]
pub(crate) struct Keeper {
    places: Vec<FilePlace>,
    state: PathBuf,
    on_disk: TestCase,
    originals: Vec<OriginalCopy>,
    original: TestCase,
    /// Copies of the original that were made, each as a whole.
    copies: Vec<PathBuf>,
    /// `best/` holds the files that are on disk, and is not left from another run.
    best_is_current: bool,
}

impl Keeper {
    /// `places` say where the files of the test case lie, `on_disk` what is there now. `originals` are
    /// copies of `original` to be made before the first change.
    pub(crate) fn new(
        places: Vec<FilePlace>,
        state: PathBuf,
        on_disk: TestCase,
        originals: Vec<OriginalCopy>,
        original: TestCase,
    ) -> Self {
        let copies = Vec::new();
        Self { places, state, on_disk, originals, original, copies, best_is_current: false }
    }

    /// Makes the disk show `case`. With the original itself back in its place, its copies go.
    ///
    /// # Errors
    /// When a file cannot be written. The last version then stays; if there are several files, the next start may have to
    /// repair them.
    pub(crate) fn keep(&mut self, case: &TestCase) -> Result<(), KeepError> {
        self.check_unchanged()?;
        if *case == self.on_disk {
            return Ok(());
        }
        if self.copies.is_empty() {
            self.keep_originals()?;
        }
        if self.places.len() > 1 {
            self.announce(case)?;
        }
        for place in &self.places {
            let (new, old) = (bytes_of(case, &place.path), bytes_of(&self.on_disk, &place.path));
            if new != old {
                put(place, old, new, &self.state, self.like(place))?;
            }
        }
        self.on_disk = case.clone();
        if self.places.len() > 1 {
            remove_tree(&self.state.join(PREVIOUS))?;
        }
        if *case == self.original {
            self.copies.drain(..).try_for_each(|copy| remove_copy(&copy))?;
        }
        Ok(())
    }

    /// Refuses to overwrite edits: the files must be as they were written last.
    fn check_unchanged(&self) -> Result<(), KeepError> {
        for place in &self.places {
            if read(&place.disk)?.as_deref() != bytes_of(&self.on_disk, &place.path) {
                return Err(KeepError::ChangedMeanwhile(place.disk.clone()));
            }
        }
        Ok(())
    }

    /// Makes the copies of the original, before the first change.
    fn keep_originals(&mut self) -> Result<(), KeepError> {
        for original in &self.originals {
            let failed = failed("write", &original.copy);
            let Some(bytes) = bytes_of(&self.original, &original.path) else { continue };
            let place = self.places.iter().find(|place| place.path == original.path);
            let like = place.map_or(&original.copy, |place| &place.like);
            make_folders(&original.copy, &original.base, like).map_err(&failed)?;
            clreduce_files::create(&original.copy, bytes, &self.state, like).map_err(failed)?;
            if !self.copies.contains(&original.base) {
                self.copies.push(original.base.clone());
            }
        }
        Ok(())
    }

    /// The file whose attributes the next version of a file gets: the last one, or, where that was removed, the copy of
    /// the original.
    fn like<'a>(&'a self, place: &'a FilePlace) -> &'a Path {
        let copy = self.originals.iter().find(|original| original.path == place.path);
        match copy {
            _ if place.disk.exists() => &place.disk,
            Some(original) => &original.copy,
            None => &place.like,
        }
    }

    /// Puts `case` into `best/` and what it replaces into `best.old/`; both are complete, or not there.
    fn announce(&mut self, case: &TestCase) -> Result<(), KeepError> {
        let [new, best, previous] = [INCOMING, BEST, PREVIOUS].map(|name| self.state.join(name));
        if !self.best_is_current {
            remove_tree(&best)?;
            write_tree(&new, &self.on_disk)?;
            clreduce_files::rename(&new, &best).map_err(failed("write", &best))?;
            self.best_is_current = true;
        }
        write_tree(&new, case)?;
        remove_tree(&previous)?;
        clreduce_files::rename(&best, &previous).map_err(failed("write", &previous))?;
        clreduce_files::rename(&new, &best).map_err(failed("write", &best))
    }
}

const BEST: &str = "best";
const PREVIOUS: &str = "best.old";
const INCOMING: &str = "best.new";

/// Finishes what a killed run began: after it, the files on disk belong together again. Does nothing
/// where there is nothing to do. A file that has neither the content that the killed run found nor that which it wrote was
/// edited since, and stays.
///
/// # Errors
/// When a file cannot be read or written.
pub(crate) fn repair(places: &[FilePlace], state: &Path) -> Result<(), KeepError> {
    let [new, best, previous] = [INCOMING, BEST, PREVIOUS].map(|name| state.join(name));
    if !best.exists() && previous.exists() && new.exists() {
        // Killed between the two renames of `announce`; the new version was complete before the first.
        clreduce_files::rename(&new, &best).map_err(failed("write", &best))?;
    }
    if best.exists() && previous.exists() {
        for place in places {
            let version = |folder: &Path| read(&folder.join(&*place.path));
            let (wanted, last) = (version(&best)?, version(&previous)?);
            if wanted != last && read(&place.disk)? == last {
                put(place, last.as_deref(), wanted.as_deref(), state, &place.disk)?;
            }
        }
        remove_tree(&previous)?;
    }
    clreduce_files::clean(state);
    remove_tree(&new)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clreduce_testcase::SourceFile;

    use super::*;

    /// A folder with the files of a test case and a state folder beside it.
    struct Disk {
        dir: tempfile::TempDir,
        places: Vec<FilePlace>,
    }

    fn case(files: &[(&str, &str)]) -> TestCase {
        let file = |&(path, bytes): &(&str, &str)| SourceFile {
            path: path.into(),
            bytes: bytes.as_bytes().into(),
        };
        TestCase::new(files.iter().map(file).collect()).unwrap()
    }

    impl Disk {
        fn with(case: &TestCase) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().join("in");
            write_tree(&root, case).unwrap();
            fs::create_dir(dir.path().join("state")).unwrap();
            let place = |file: &SourceFile| FilePlace {
                path: Arc::clone(&file.path),
                disk: root.join(&*file.path),
                root: root.clone(),
                like: root.join(&*file.path),
            };
            let places = case.files().iter().map(place).collect();
            Self { dir, places }
        }

        fn state(&self) -> PathBuf {
            self.dir.path().join("state")
        }

        fn keeper(&self, case: &TestCase) -> Keeper {
            let original = |place: &FilePlace| OriginalCopy {
                path: Arc::clone(&place.path),
                copy: self.dir.path().join("orig").join(&*place.path),
                base: self.dir.path().join("orig"),
            };
            let originals = self.places.iter().map(original).collect();
            Keeper::new(self.places.clone(), self.state(), case.clone(), originals, case.clone())
        }

        fn shows(&self, case: &TestCase) -> bool {
            let same = |place: &FilePlace| {
                read(&place.disk).unwrap().as_deref() == bytes_of(case, &place.path)
            };
            self.places.iter().all(same)
        }
    }

    #[test]
    fn follows_the_best_and_keeps_the_original_once() {
        let first = case(&[("a.c", "aaa"), ("sub/b.h", "bbb")]);
        let disk = Disk::with(&first);
        let mut keeper = disk.keeper(&first);
        for next in [case(&[("a.c", "aa"), ("sub/b.h", "bb")]), case(&[("a.c", "a")])] {
            keeper.keep(&next).unwrap();
            assert!(disk.shows(&next));
        }
        assert!(!disk.dir.path().join("in/sub").exists());
        assert_eq!(fs::read(disk.dir.path().join("orig/sub/b.h")).unwrap(), b"bbb");
        assert!(!disk.state().join(PREVIOUS).exists());
    }

    #[test]
    fn edits_of_others_are_not_overwritten() {
        let first = case(&[("a.c", "aaa")]);
        let disk = Disk::with(&first);
        let mut keeper = disk.keeper(&first);
        fs::write(&disk.places[0].disk, "edited").unwrap();
        let error = keeper.keep(&case(&[("a.c", "a")])).unwrap_err();
        assert!(matches!(error, KeepError::ChangedMeanwhile(_)));
        assert_eq!(fs::read(&disk.places[0].disk).unwrap(), b"edited");
    }

    #[test]
    fn several_files_are_repaired_after_every_possible_stop() {
        let first = case(&[("a.c", "aaa"), ("b.c", "bbb"), ("c.c", "ccc")]);
        let second = case(&[("a.c", "a"), ("b.c", "b")]);
        for written in 0..=3 {
            let disk = Disk::with(&first);
            disk.keeper(&first).announce(&second).unwrap();
            for place in &disk.places[..written] {
                let [old, new] = [&first, &second].map(|case| bytes_of(case, &place.path));
                put(place, old, new, &disk.state(), &place.disk).unwrap();
            }
            repair(&disk.places, &disk.state()).unwrap();
            assert!(disk.shows(&second), "{written} written");
            repair(&disk.places, &disk.state()).unwrap();
            assert!(disk.shows(&second), "repairing again changes nothing");
        }
    }

    #[test]
    fn a_stop_while_announcing_changes_nothing_on_disk() {
        let first = case(&[("a.c", "aaa"), ("b.c", "bbb")]);
        let second = case(&[("a.c", "a"), ("b.c", "b")]);
        let disk = Disk::with(&first);
        write_tree(&disk.state().join(BEST), &first).unwrap();
        write_tree(&disk.state().join(INCOMING), &second).unwrap();
        repair(&disk.places, &disk.state()).unwrap();
        assert!(disk.shows(&first));
        assert!(!disk.state().join(INCOMING).exists());
    }

    #[test]
    fn an_edit_in_the_middle_of_a_replacement_stays_beside_the_new_files() {
        let first = case(&[("a.c", "aaa"), ("b.c", "bbb")]);
        let disk = Disk::with(&first);
        disk.keeper(&first).announce(&case(&[("a.c", "a"), ("b.c", "b")])).unwrap();
        fs::write(&disk.places[1].disk, "edited").unwrap();
        let b = &disk.places[1];
        let refused = put(b, Some(b"bbb"), Some(b"b"), &disk.state(), &b.disk).unwrap_err();
        assert!(matches!(refused, KeepError::ChangedMeanwhile(_)));
        let refused = put(b, Some(b"bbb"), None, &disk.state(), &b.disk).unwrap_err();
        assert!(matches!(refused, KeepError::ChangedMeanwhile(_)));
        repair(&disk.places, &disk.state()).unwrap();
        assert!(disk.shows(&case(&[("a.c", "a"), ("b.c", "edited")])));
    }
}
