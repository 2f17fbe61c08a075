//! From what the user named to a test case, and back: which file of the test case lies where on disk.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clreduce_testcase::{InvalidTestCase, SourceFile, TestCase};
use thiserror::Error;

/// Ends of names that never belong to a test case: they are what reducers leave beside their input.
const OWN_ENDINGS: [&str; 3] = [ORIGINAL, STATE, ALSO_INTERESTING];
/// What the name of a kept original ends in.
pub const ORIGINAL: &str = ".orig";
/// What the name of a state folder ends in.
pub const STATE: &str = ".clreduce";
/// What the name of the folder with `--also-interesting` variants ends in.
pub const ALSO_INTERESTING: &str = ".also-interesting";
/// Folders of version control, which no test case means to contain.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Why the input cannot be reduced.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum LoadError {
    #[error("`{0}` does not exist")]
    Missing(PathBuf),
    #[error("cannot read `{path}`: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "`{0}` is read-only, so the reduced program cannot replace it\n\
         help: make it writable (chmod u+w), or write the result elsewhere with --output PATH"
    )]
    ReadOnly(PathBuf),
    #[error("`{0}` is neither a file nor a folder")]
    Special(PathBuf),
    #[error(
        "the name of `{0}` is not valid UTF-8, so no test could be told about it\n\
         help: rename or copy the file first"
    )]
    NotUtf8(PathBuf),
    #[error("`{0}` is empty: there is nothing to reduce")]
    Empty(PathBuf),
    #[error("`{0}` holds no files: there is nothing to reduce")]
    NoFiles(PathBuf),
    #[error(
        "`{first}` and `{second}` would both be `{name}` in the directory of the test\n\
         help: put them in one folder, and name that folder instead"
    )]
    SameName { name: String, first: PathBuf, second: PathBuf },
    #[error(transparent)]
    Invalid(#[from] InvalidTestCase),
}

/// One FILE or DIR of the command line.
#[derive(Clone, Debug)]
pub struct Input {
    /// As the user wrote it, for messages.
    pub named: PathBuf,
    /// Absolute, symbolic links of the parent folders resolved, the last part as the user wrote it.
    pub absolute: PathBuf,
    /// Absolute, all symbolic links resolved: what is replaced.
    pub real: PathBuf,
    /// Whether it is a folder.
    pub is_dir: bool,
}

/// One file of the test case on disk.
#[derive(Clone, Debug)]
pub struct Place {
    /// Path in the test case.
    pub path: Arc<str>,
    /// Absolute path on disk.
    pub disk: PathBuf,
    /// Folders up to this one are the user's and stay even when they become empty.
    pub root: PathBuf,
}

/// What was read.
#[derive(Debug)]
pub struct Loaded {
    /// The FILEs and DIRs.
    pub inputs: Vec<Input>,
    /// The test case.
    pub case: TestCase,
    /// Where its files were found, in the order of the test case.
    pub places: Vec<Place>,
    /// What a person should know although it is no error.
    pub notes: Vec<String>,
}

impl Input {
    /// Finds out what the user named.
    ///
    /// # Errors
    /// When there is nothing, or something that is neither a file nor a folder.
    pub fn find(named: &Path) -> Result<Self, LoadError> {
        let read = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => LoadError::Missing(named.to_owned()),
            _ => LoadError::Read { path: named.to_owned(), source },
        };
        let real = fs::canonicalize(named).map_err(read)?;
        let meta = fs::metadata(&real).map_err(read)?;
        if !meta.is_dir() && !meta.is_file() {
            return Err(LoadError::Special(named.to_owned()));
        }
        let absolute = match (named.parent(), named.file_name()) {
            (Some(parent), Some(name)) => {
                let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
                fs::canonicalize(parent).map_err(read)?.join(name)
            }
            // `.`, `..` and `/` have no name of their own.
            _ => real.clone(),
        };
        Ok(Self { named: named.to_owned(), absolute, real, is_dir: meta.is_dir() })
    }
}

/// `path` with `ending` added to its last part.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// Reads everything the user named. `excluded` are absolute paths that are not part of a DIR: the test
/// and the reports. `in_place` says whether the files are going to be replaced.
///
/// # Errors
/// When something cannot be read or makes no test case; before anything was written.
pub fn load(named: &[PathBuf], excluded: &[PathBuf], in_place: bool) -> Result<Loaded, LoadError> {
    let mut loaded = Loaded {
        inputs: Vec::new(),
        case: TestCase::new(Vec::new())?,
        places: Vec::new(),
        notes: Vec::new(),
    };
    let mut files = Vec::new();
    for named in named {
        let input = Input::find(named)?;
        let found = if input.is_dir {
            files_of_dir(&input, excluded, &mut loaded.notes)?
        } else {
            vec![single(&input, in_place, &mut loaded.notes)?]
        };
        for place in found {
            let bytes = fs::read(&place.disk)
                .map_err(|source| LoadError::Read { path: place.disk.clone(), source })?;
            if in_place && fs::metadata(&place.disk).is_ok_and(|meta| meta.permissions().readonly()) {
                return Err(LoadError::ReadOnly(place.disk));
            }
            files.push(SourceFile { path: Arc::clone(&place.path), bytes: bytes.into() });
            loaded.places.push(place);
        }
        loaded.inputs.push(input);
    }
    loaded.places.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some(pair) = loaded.places.windows(2).find(|pair| pair[0].path == pair[1].path) {
        return Err(LoadError::SameName {
            name: pair[0].path.to_string(),
            first: pair[0].disk.clone(),
            second: pair[1].disk.clone(),
        });
    }
    if files.iter().all(|file| file.bytes.is_empty()) {
        let first = named.first().cloned().unwrap_or_default();
        return Err(if files.is_empty() {
            LoadError::NoFiles(first)
        } else {
            LoadError::Empty(first)
        });
    }
    loaded.case = TestCase::new(files)?;
    Ok(loaded)
}

fn single(input: &Input, in_place: bool, notes: &mut Vec<String>) -> Result<Place, LoadError> {
    let name = input.absolute.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| LoadError::NotUtf8(input.named.clone()))?;
    if input.absolute != input.real && in_place {
        notes.push(format!(
            "`{}` is a symbolic link: what it points to, `{}`, is reduced in place",
            input.named.display(),
            input.real.display()
        ));
    }
    let root = input.real.parent().unwrap_or(&input.real).to_owned();
    Ok(Place { path: name.into(), disk: input.real.clone(), root })
}

/// The files below a folder, in a loop, not by recursion: how deep it goes is the user's business.
fn files_of_dir(
    input: &Input,
    excluded: &[PathBuf],
    notes: &mut Vec<String>,
) -> Result<Vec<Place>, LoadError> {
    let mut places = Vec::new();
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
                Err(source) => return Err(LoadError::Read { path: disk, source }),
            };
            if meta.is_dir() && link {
                notes.push(format!("`{}` is a link to a folder and left out", disk.display()));
            } else if meta.is_dir() {
                if !VERSION_CONTROL.contains(&name) {
                    folders.push((disk, format!("{path}/")));
                }
            } else if meta.is_file() {
                places.push(Place { path: path.into(), disk, root: input.real.clone() });
            } else {
                notes.push(format!("`{}` is not a regular file and left out", disk.display()));
            }
        }
    }
    Ok(places)
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
        let test = fs::canonicalize(dir.path().join("test.sh")).unwrap();
        let loaded = load(&[dir.path().to_owned()], &[test], true).unwrap();
        assert_eq!(names(&loaded), ["a.c", "sub/b.h"]);
        assert!(loaded.places[1].disk.ends_with("sub/b.h"));
    }

    #[test]
    fn same_names_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["one/a.c", "two/a.c"].map(|path| dir.path().join(path));
        for path in &paths {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let error = load(&paths, &[], true).unwrap_err();
        assert!(matches!(error, LoadError::SameName { name, .. } if name == "a.c"));
    }

    #[test]
    fn nothing_to_reduce_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let empty = dir.path().join("empty.c");
        fs::write(&empty, "").unwrap();
        let error = |path: &Path| load(&[path.to_owned()], &[], true).unwrap_err();
        assert!(matches!(error(&empty), LoadError::Empty(_)));
        assert!(matches!(error(&dir.path().join("none.c")), LoadError::Missing(_)));
        fs::remove_file(&empty).unwrap();
        assert!(matches!(error(dir.path()), LoadError::NoFiles(_)));
    }
}
