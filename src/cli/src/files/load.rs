//! Reading the files and folders that the user named as a test case.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clreduce_testcase::{InvalidTestCase, SourceFile, TestCase};
use thiserror::Error;

use crate::terminal::printing::shown_path;

/// Endings of names that never belong to a test case: reducers leave such files beside their input.
pub(crate) const OWN_ENDINGS: [&str; 9] = [
    ORIGINAL,
    STATE,
    ALSO_INTERESTING,
    SLIPPED,
    EDITED,
    BUG_REPORTS[0],
    BUG_REPORTS[1],
    FLAGS,
    RECIPE_WITH_FLAGS,
];
/// Ending of the name of a kept original.
pub(crate) const ORIGINAL: &str = ".orig";
/// Ending of the name of a state folder.
pub(crate) const STATE: &str = ".clreduce";
/// Ending of the name of the folder with `--also-interesting` variants.
pub(crate) const ALSO_INTERESTING: &str = ".also-interesting";
/// Ending of the name of the folder with `--allow-slippage` variants.
pub(crate) const SLIPPED: &str = ".slipped";
/// Ending of the name of the folder with edits that the test does not accept.
pub(crate) const EDITED: &str = ".edited";
/// Endings of the names of bug reports: Markdown, and plain text.
pub(crate) const BUG_REPORTS: [&str; 2] = [".report.md", ".report.txt"];
/// Ending of the name of the file with the flags that are left.
pub(crate) const FLAGS: &str = ".flags";
/// Ending of the name of the recipe with the flags that are left.
pub(crate) const RECIPE_WITH_FLAGS: &str = ".flags.toml";
/// Folders of version control, which no test case means to contain.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// The reason why an input cannot be reduced.
#[derive(Debug, Error)]
pub(crate) enum LoadError {
    #[error("`{}` does not exist{}", shown_path(.0), did_you_mean(.0))]
    Missing(PathBuf),
    #[error("cannot read `{}`: {source}", shown_path(.path))]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "`{}` is read-only, so the reduced program cannot replace it\n\
         help: make it writable (chmod u+w), or write the result elsewhere with --output PATH",
        shown_path(.0)
    )]
    ReadOnly(PathBuf),
    #[error("`{}` is a link that leads nowhere\nhelp: remove it, or put the file there", shown_path(.0))]
    Dangling(PathBuf),
    #[error("`{}` is neither a file nor a folder", shown_path(.0))]
    Special(PathBuf),
    #[error(
        "the name of `{0}` is not valid UTF-8, so it cannot be passed to a test\n\
         help: rename or copy the file first"
    )]
    NotUtf8(PathBuf),
    #[error("`{}` is empty: there is nothing to reduce", shown_path(.0))]
    Empty(PathBuf),
    #[error(
        "`{0}` is larger than 4 GiB, and clreduce keeps files in memory\nhelp: cut it down first"
    )]
    TooLarge(PathBuf),
    #[error("`{}` holds no files: there is nothing to reduce", shown_path(.0))]
    NoFiles(PathBuf),
    #[error(
        "`{first}` and `{second}` would have the same name `{name}` in the directory of the test\n\
         help: put them in one folder, and name that folder instead"
    )]
    SameName { name: String, first: PathBuf, second: PathBuf },
    #[error(transparent)]
    Invalid(#[from] InvalidTestCase),
}

/// One FILE or DIR of the command line.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// As the user wrote it, for messages.
    pub named: PathBuf,
    /// Absolute, symbolic links of the parent folders resolved, the last part as the user wrote it.
    pub absolute: PathBuf,
    /// Absolute, all symbolic links resolved: what is replaced.
    pub real: PathBuf,
    /// True for a folder.
    pub is_dir: bool,
}

/// One file of the test case on disk.
#[derive(Clone, Debug)]
pub(crate) struct FilePlace {
    /// Path in the test case.
    pub path: Arc<str>,
    /// Absolute path on disk.
    pub disk: PathBuf,
    /// Folders up to this one are the user's and stay even when they become empty.
    pub root: PathBuf,
    /// The file that was read. One that is made anew has its attributes.
    pub like: PathBuf,
}

/// A test case that was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub case: TestCase,
    /// Notes for the user that are not errors.
    pub notes: Vec<String>,
}

impl Input {
    /// Finds out what the user named.
    ///
    /// # Errors
    /// When there is nothing, or something that is neither a file nor a folder.
    pub(crate) fn find_all(named: &[PathBuf]) -> Result<Vec<Self>, LoadError> {
        // An interrupted run may have removed some of several files; the others' state knows.
        let resumable = named.first().is_some_and(|first| {
            let real = dunce::canonicalize(first);
            beside(&real.unwrap_or_else(|_| first.clone()), STATE).exists()
        });
        named.iter().map(|named| Self::find(named, resumable)).collect()
    }

    fn find(named: &Path, may_be_gone: bool) -> Result<Self, LoadError> {
        let read = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => LoadError::Missing(named.to_owned()),
            _ => LoadError::Read { path: named.to_owned(), source },
        };
        let real = match dunce::canonicalize(named) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && may_be_gone => None,
            real => Some(real.map_err(read)?),
        };
        let absolute = match (named.parent(), named.file_name()) {
            (Some(parent), Some(name)) => {
                let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
                dunce::canonicalize(parent).map_err(read)?.join(name)
            }
            // `.`, `..` and `/` have no name of their own.
            _ => real.clone().unwrap_or_default(),
        };
        let real = real.unwrap_or_else(|| absolute.clone());
        if real.exists() && !real.is_dir() && !real.is_file() {
            return Err(LoadError::Special(named.to_owned()));
        }
        Ok(Self { named: named.to_owned(), absolute, is_dir: real.is_dir(), real })
    }
}

/// Advice with the name that is most like the one of a path where there is nothing.
pub(crate) fn did_you_mean(missing: &Path) -> String {
    /// The least likeness: a letter more, less or other in a short name.
    const LIKE: f32 = 0.75;
    let folder = missing.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let name = missing.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match similar::get_close_matches(name, &names, 1, LIKE).first() {
        Some(like) => {
            format!("\nhelp: did you mean `{}`?", shown_path(&missing.with_file_name(like)))
        }
        None => String::new(),
    }
}

/// `path` with `ending` added to its last part.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// Reads everything the user named. `excluded` are absolute paths that are not part of a DIR: the test
/// and the reports. `in_place` says whether the files are going to be replaced.
///
/// # Errors
/// When something cannot be read or makes no test case; before anything was written.
pub(crate) fn load(
    inputs: &[Input],
    excluded: &[PathBuf],
    in_place: bool,
) -> Result<Loaded, LoadError> {
    let (mut files, mut notes): (Vec<(PathBuf, SourceFile)>, Vec<String>) = Default::default();
    for input in inputs {
        let found = if input.is_dir {
            files_of_dir(input, excluded, &mut notes)?
        } else {
            vec![single(input, in_place, &mut notes)?]
        };
        for (path, disk) in found {
            let read = |source: io::Error| match source.kind() {
                io::ErrorKind::NotFound => LoadError::Missing(disk.clone()),
                _ => LoadError::Read { path: disk.clone(), source },
            };
            let meta = fs::metadata(&disk).map_err(read)?;
            if in_place && meta.permissions().readonly() {
                return Err(LoadError::ReadOnly(disk));
            }
            // Positions in a file are held in 32 bits.
            if meta.len() >= u64::from(u32::MAX) {
                return Err(LoadError::TooLarge(disk));
            }
            let bytes = fs::read(&disk).map_err(read)?.into();
            files.push((disk, SourceFile { path: path.into(), bytes }));
        }
    }
    files.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
    if let Some(pair) = files.windows(2).find(|pair| pair[0].1.path == pair[1].1.path) {
        return Err(LoadError::SameName {
            name: pair[0].1.path.to_string(),
            first: pair[0].0.clone(),
            second: pair[1].0.clone(),
        });
    }
    if files.iter().all(|(_, file)| file.bytes.is_empty()) {
        let first = inputs.first().map(|input| input.named.clone()).unwrap_or_default();
        let nothing = if files.is_empty() { LoadError::NoFiles } else { LoadError::Empty };
        return Err(nothing(first));
    }
    let case = TestCase::new(files.into_iter().map(|(_, file)| file).collect())?;
    Ok(Loaded { case, notes })
}

/// Path in the test case, and absolute path on disk.
pub(crate) type NamedFile = (String, PathBuf);

fn single(input: &Input, in_place: bool, notes: &mut Vec<String>) -> Result<NamedFile, LoadError> {
    let name = input.absolute.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| LoadError::NotUtf8(input.named.clone()))?;
    if input.absolute != input.real && in_place {
        notes.push(format!(
            "`{}` is a symbolic link; its target `{}` is reduced in place",
            input.named.display(),
            input.real.display()
        ));
    }
    Ok((name.to_owned(), input.real.clone()))
}

/// The files in a folder and below it, by their paths there, in the order of these.
///
/// # Errors
/// When something cannot be read.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<NamedFile>, LoadError> {
    let input = Input::find(folder, false)?;
    let mut files = files_of_dir(&input, &[], &mut Vec::new())?;
    files.sort();
    Ok(files)
}

/// The files below a folder, in a loop, not by recursion: how deep it goes is the user's business.
fn files_of_dir(
    input: &Input,
    excluded: &[PathBuf],
    notes: &mut Vec<String>,
) -> Result<Vec<NamedFile>, LoadError> {
    let mut found = Vec::new();
    let mut folders = vec![(input.real.clone(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let read = |source| LoadError::Read { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(read)? {
            let disk = entry.map_err(read)?.path();
            if excluded.contains(&disk) {
                continue;
            }
            let name = disk.file_name().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| LoadError::NotUtf8(disk.clone()))?;
            if OWN_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
                continue;
            }
            let path = format!("{prefix}{name}");
            let link = fs::symlink_metadata(&disk).map_err(read)?.is_symlink();
            let meta = match fs::metadata(&disk) {
                Ok(meta) => meta,
                Err(_) if link => return Err(LoadError::Dangling(disk)),
                Err(source) => return Err(LoadError::Read { path: disk, source }),
            };
            if meta.is_dir() && link {
                notes.push(format!(
                    "`{}` is skipped, because it is a link to a folder",
                    disk.display()
                ));
            } else if meta.is_dir() {
                if !VERSION_CONTROL.contains(&name) {
                    folders.push((disk, format!("{path}/")));
                }
            } else if meta.is_file() {
                found.push((path, disk));
            } else {
                notes.push(format!(
                    "`{}` is skipped, because it is not a regular file",
                    disk.display()
                ));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(loaded: &Loaded) -> Vec<&str> {
        loaded.case.files().iter().map(|file| &*file.path).collect()
    }

    #[test]
    fn folder_without_what_reducers_leave() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["a.c", "a.c.orig", "sub/b.h", ".git/config", "x.clreduce/journal", "test.sh"] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let test = dunce::canonicalize(dir.path().join("test.sh")).unwrap();
        let inputs = Input::find_all(&[dir.path().to_owned()]).unwrap();
        let loaded = load(&inputs, &[test], true).unwrap();
        assert_eq!(names(&loaded), ["a.c", "sub/b.h"]);
    }

    #[test]
    fn same_names_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["one/a.c", "two/a.c"].map(|path| dir.path().join(path));
        for path in &paths {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let error = load(&Input::find_all(&paths).unwrap(), &[], true).unwrap_err();
        assert!(matches!(error, LoadError::SameName { name, .. } if name == "a.c"));
    }

    #[test]
    fn files_that_no_edit_could_reach_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sparse.c");
        fs::File::create(&path).unwrap().set_len(5 << 30).unwrap();
        let error = load(&Input::find_all(&[path]).unwrap(), &[], true).unwrap_err();
        assert!(matches!(error, LoadError::TooLarge(_)));
    }

    #[test]
    fn nothing_to_reduce_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let empty = dir.path().join("empty.c");
        fs::write(&empty, "").unwrap();
        let error = |path: &Path| {
            let inputs = Input::find_all(&[path.to_owned()]);
            inputs.and_then(|inputs| load(&inputs, &[], true)).unwrap_err()
        };
        assert!(matches!(error(&empty), LoadError::Empty(_)));
        assert!(matches!(error(&dir.path().join("none.c")), LoadError::Missing(_)));
        fs::remove_file(&empty).unwrap();
        assert!(matches!(error(dir.path()), LoadError::NoFiles(_)));
    }
}
